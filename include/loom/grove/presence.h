/* Presence: who is here now. None of this is an operation.
 *
 * A session is a file .loom/live/<name>, held under flock while its process lives and rewritten in
 * place. */
#ifndef LOOM_LIVE_H
#define LOOM_LIVE_H

#include <loom/grove/store.h>

struct loom_session;

/* A session, as it describes itself. */
struct loom_presence {
	struct loom_str session;
	struct loom_str machine; /* the one it is on; empty: this one */
	int64_t pid;             /* 0: on another machine */
	struct loom_str agent;
	bool human;
	struct loom_str thread;
	struct loom_str tree; /* ULID text */
	struct loom_str node; /* local id */
	int64_t depth;
	struct loom_str doing; /* "reading", "answering", "writing", "generating" */
	int64_t since;         /* since when, in ms */
};

/* Announces this process with a file that stays locked while the session lives. LOOM_FULL or
 * LOOM_IO. Close it with loom_session_close. */
enum loom_status loom_session_open(struct loom_store *store, struct loom_session **out,
				   struct loom_err *err) LOOM_MUST;
/* Keeps a session of another machine, which has this name, as a file of this one. LOOM_INVALID if
 * that is no name. */
enum loom_status loom_session_mirror(struct loom_store *store, struct loom_str name,
				     struct loom_session **out, struct loom_err *err) LOOM_MUST;
/* Removes the session's file. NULL is fine. */
void loom_session_close(struct loom_session *session);
/* Returns the name that leases and streams refer to; lives as long as the session. */
const char *loom_session_name(const struct loom_session *session);
/* Publishes what the session is doing, replacing what it published before. LOOM_IO on failure, on
 * which nothing else depends. */
enum loom_status loom_session_say(struct loom_session *session, const struct loom_presence *what,
				  struct loom_err *err) LOOM_MUST;
/* Lists all living sessions except `session` (nullable), in the arena, and removes the files of
 * dead ones. */
enum loom_status loom_presence_list(struct loom_store *store, const struct loom_session *session,
				    struct loom_arena *arena, struct loom_presence **out,
				    size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Sets until when the session's leases hold, on the boot clock. Safe to call from another thread
 * than the rest. LOOM_IO. */
enum loom_status loom_session_hold(const struct loom_session *session, int64_t until,
				   struct loom_err *err) LOOM_MUST;
/* Returns whether a session's process lives and its leases hold. */
bool loom_session_holds(const struct loom_store *store, struct loom_str name);
/* Returns whether a session's process lives. */
bool loom_session_alive(const struct loom_store *store, struct loom_str name);

#endif
