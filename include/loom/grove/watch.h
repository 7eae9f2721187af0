/* Change notice: inotify on the grove's log file, data_version to be sure, events to know what. */
#ifndef LOOM_WATCH_H
#define LOOM_WATCH_H

#include <loom/grove/store.h>

struct loom_watch;

/* A descriptor that becomes readable when another connection may have written; -1 where inotify
 * does not work and the caller has to look every LOOM_WATCH_POLL_MS. */
#define LOOM_WATCH_POLL_MS 250
/* Never fails: without inotify the descriptor is -1. The store is borrowed. */
struct loom_watch *loom_watch_open(struct loom_store *store) LOOM_MUST;
/* NULL is fine. */
void loom_watch_close(struct loom_watch *watch);
/* The descriptor; it is the watch's to close. */
int loom_watch_fd(const struct loom_watch *watch);
/* Takes the notices off the descriptor; true when the store should be asked. */
bool loom_watch_drain(struct loom_watch *watch);
/* Whether, as far as has been drained, a draft was kept or dropped since this was asked last. */
bool loom_watch_drafts(struct loom_watch *watch);
/* The same for who is here: a session came, went, or says something else; its own as well. */
bool loom_watch_live(struct loom_watch *watch);

#endif
