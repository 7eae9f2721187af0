/* A log in memory and groves that stand in it, to see that what one writes the other has. */
#ifndef LOOM_TESTS_SUPPORT_REPLICA_H
#define LOOM_TESTS_SUPPORT_REPLICA_H

#include <loom/remote/remote.h>

#include "support/grove.h"

struct memory_log;

struct memory_log *memory_log_create(void);
/* The groves that stand in it are closed by then. */
void memory_log_destroy(struct memory_log *log);
/* The engine over it; its ctx is the log. */
extern const struct model_log memory_log_engine;
int64_t memory_log_entries(const struct memory_log *log);
struct loom_str memory_log_entry(const struct memory_log *log, int64_t seq);
/* Puts any bytes in as the next entry, as somebody hostile would. */
void memory_log_put(struct memory_log *log, struct loom_str bytes);
/* The log's last mark. */
struct model_mark memory_log_head(const struct memory_log *log);
/* Takes the last entry back, as a server that loses its last second does. */
void memory_log_lose(struct memory_log *log);
/* Nobody reaches it from now on, or everybody again. */
void memory_log_cut(struct memory_log *log, bool cut);

/* Joins a grove to the log, where nothing is of it yet. */
void replica_found(struct loom_store *store, struct memory_log *log);
/* Makes another grove, in a folder of its own, from the state of the first one. */
void replica_clone(struct grove *from, struct temp *dir, struct memory_log *log,
		   struct loom_store **out);
/* Brings it to the log's head, with an entry for what rides. */
void replica_settle(struct loom_store *store);
/* Whether both have the same rows in all that is shared or mine; prints the first that differs. */
bool replica_same(struct loom_store *one, struct loom_store *other);

#endif
