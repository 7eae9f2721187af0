/* Who is here now: presence files. Nothing of it is an operation.
 *
 * A session is a file .loom/live/<name> held under flock while its process lives; what stands in it
 * is rewritten in place. */
#ifndef LOOM_LIVE_H
#define LOOM_LIVE_H

#include <loom/grove/store.h>

struct loom_session;

/* What a session says of itself. */
struct loom_presence {
	struct loom_str session;
	int64_t pid;
	struct loom_str agent;
	bool human;
	struct loom_str thread;
	struct loom_str tree; /* ULID text */
	struct loom_str node; /* local id */
	int64_t depth;
	struct loom_str doing; /* "reading", "writing", "generating" */
	int64_t since;         /* ms */
};

/* Says that this process is here, by a file that is locked while the session lives. LOOM_FULL,
 * LOOM_IO. */
enum loom_status loom_session_open(struct loom_store *store, struct loom_session **out,
				   struct loom_err *err) LOOM_MUST;
/* Removes the file. NULL is fine. */
void loom_session_close(struct loom_session *session);
/* The name that leases and streams carry; lives as long as the session. */
const char *loom_session_name(const struct loom_session *session);
/* Tells the others what it is at, anew each time. LOOM_IO; nothing else depends on it. */
enum loom_status loom_session_say(struct loom_session *session, const struct loom_presence *what,
				  struct loom_err *err) LOOM_MUST;
/* Everybody alive but `session` (nullable); files of the dead are removed on the way. */
enum loom_status loom_presence_list(struct loom_store *store, const struct loom_session *session,
				    struct loom_arena *arena, struct loom_presence **out,
				    size_t *out_count, struct loom_err *err) LOOM_MUST;
/* The session's turns hold until then, on the boot clock; said anew as long as they are to hold. May
 * be said from another thread than the rest. LOOM_IO. */
enum loom_status loom_session_hold(const struct loom_session *session, int64_t until,
				   struct loom_err *err) LOOM_MUST;
/* Whether a session's process lives, and its turns hold. */
bool loom_session_holds(const struct loom_store *store, struct loom_str name);
/* Whether a session's process lives. */
bool loom_session_alive(const struct loom_store *store, struct loom_str name);

#endif
