/* The password for a server of logs: where the configuration says that it is. */
#include <loom/cli/log_password.h>

#include <loom/config/config.h>
#include <loom/providers/fetch_key.h>

enum loom_status cli_log_password(const struct loom_env *env, const struct loom_login *login,
				  struct loom_buf *out, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_env own = *env;
	struct loom_config config;
	const struct loom_provider *where = NULL;
	enum loom_status status = loom_config_load(env, arena, &config, err);

	LOOM_ASSERT(login->host && out);
	if (status == LOOM_OK)
		where = loom_config_log(&config, login);
	if (status == LOOM_OK)
		status = where ? loom_password_fetch(&own, &config, where, out, err)
			       : LOOM_NOT_FOUND;
	if (status != LOOM_OK && where && err)
		err->status = LOOM_PERMISSION;
	loom_arena_destroy(arena);
	/* Without it the server is not asked, as if nobody had said where it is. */
	return status != LOOM_OK && where ? LOOM_PERMISSION : status;
}
