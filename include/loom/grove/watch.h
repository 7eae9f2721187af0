/* Change notification: inotify on the grove's log file, data_version to confirm, events for the
 * details. */
#ifndef LOOM_WATCH_H
#define LOOM_WATCH_H

#include <loom/grove/store.h>

struct loom_watch;

/* How often to poll, in ms, when inotify is not available. */
#define LOOM_WATCH_POLL_MS 250
/* Starts watching; the descriptor of loom_watch_fd becomes readable when another connection may
 * have written. Never fails: without inotify the descriptor is -1 and the caller polls every
 * LOOM_WATCH_POLL_MS. The store is borrowed. */
struct loom_watch *loom_watch_open(struct loom_store *store) LOOM_MUST;
/* Stops watching; NULL is fine. */
void loom_watch_close(struct loom_watch *watch);
/* Returns the descriptor, -1 without inotify. The watch owns it. */
int loom_watch_fd(const struct loom_watch *watch);
/* Reads pending notices off the descriptor; true if the store should be queried. */
bool loom_watch_drain(struct loom_watch *watch);
/* Returns whether the notices drained since the last call include a saved or deleted draft. */
bool loom_watch_drafts(struct loom_watch *watch);
/* Returns whether the notices drained since the last call include a session that came, went or
 * published something, our own included. */
bool loom_watch_live(struct loom_watch *watch);

#endif
