/* Addresses of shared logs: the scheme chooses the engine. */
#include "inside.h"

#include <unistd.h>

#include <loom/postgres/postgres.h>

static const struct {
	const char *scheme;
	enum loom_status (*make)(const struct model_log_opts *opts, const struct model_log **out,
				 void **out_ctx, struct loom_err *err);
} engines[] = {
	{REMOTE_FILE_SCHEME, remote_file_log},
	{LOOM_POSTGRES_SCHEME, model_postgres_log},
};

enum loom_status model_log_at(const struct model_log_opts *opts, const struct model_log **out,
			      void **out_ctx, struct loom_err *err)
{
	*out = NULL;
	*out_ctx = NULL;
	for (size_t i = 0; i < LOOM_COUNT(engines); i++)
		if (loom_str_starts(opts->url, loom_str_of(engines[i].scheme)))
			return engines[i].make(opts, out, out_ctx, err);
	/* It may contain a password, so it is not said again. */
	loom_fail(err, LOOM_INVALID, "this is not the address of a shared log");
	return loom_hint(err, LOOM_INVALID,
			 "for example file:///media/stick/novel.loomlog, or "
			 "postgresql://marie@db.lab/loom/novel");
}

bool remote_has_roles(struct loom_str url)
{
	return loom_str_starts(url, LOOM_STR(LOOM_POSTGRES_SCHEME));
}

struct loom_str remote_full_url(struct loom_str url, struct loom_str role, struct loom_str grove,
				struct loom_arena *arena)
{
	return remote_has_roles(url) ? model_postgres_full(url, role, grove, arena) : url;
}

void remote_own_role(struct loom_store *store, struct loom_str url)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str name = LOOM_STR("");

	if (remote_has_roles(url))
		name = model_postgres_role(url, arena);
	if (name.n)
		model_server_role_of(name, store->role);
	else
		model_account_role(geteuid(), store->role);
	loom_arena_destroy(arena);
}

struct loom_str loom_remote_name(struct loom_str url)
{
	struct loom_str rest = url;
	struct loom_str last = url;

	if (remote_has_roles(url))
		return model_postgres_host(url);
	while (loom_str_cut(&rest, '/', &last))
		continue;
	return last;
}

struct loom_str loom_remote_for_others(struct loom_str url, struct loom_arena *arena)
{
	return remote_has_roles(url) ? model_postgres_anyone(url, arena) : url;
}
