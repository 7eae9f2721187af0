/* A shared log in PostgreSQL: a server keeps the entries, decides who may append, and tells of
 * them. */
#ifndef LOOM_POSTGRES_H
#define LOOM_POSTGRES_H

#include <loom/remote/shared_log.h>

#define LOOM_POSTGRES_SCHEME "postgresql://"

/* Makes the engine of a log on a server, for postgresql://[USER@]HOST/DATABASE/GROVE[?PARAMETERS].
 * It connects when it is first used. LOOM_INVALID. */
enum loom_status model_postgres_log(const struct model_log_opts *opts, const struct model_log **out,
				    void **out_ctx, struct loom_err *err) LOOM_MUST;
/* Gives an address with what it lacks of these, which may be empty. */
struct loom_str model_postgres_full(struct loom_str url, struct loom_str role,
				    struct loom_str grove, struct loom_arena *arena);
/* Gives an address without the role that it names. */
struct loom_str model_postgres_anyone(struct loom_str url, struct loom_arena *arena);
/* Returns the role that an address names; empty: none. */
struct loom_str model_postgres_role(struct loom_str url, struct loom_arena *arena);
/* Returns the host that an address names, or all of them. */
struct loom_str model_postgres_host(struct loom_str url);

#endif
