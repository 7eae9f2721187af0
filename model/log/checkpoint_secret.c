/* Finds or creates the secret that signs checkpoint tokens. */
#include <loom/log/checkpoint.h>

#include <loom/files/state_file.h>

enum loom_status loom_token_secret(const struct loom_env *env, struct loom_str folder,
				   struct loom_buf *out, struct loom_err *err)
{
	static const struct model_secret secret = {.name = "token.secret",
						   .lost = "older tokens will be refused",
						   .make = true};
	const char *given = loom_env_var(env, "LOOM_TOKEN_SECRET");

	LOOM_ASSERT(env && out);
	if (!given)
		return model_secret(folder, &secret, out, err);
	loom_buf_adds(out, given);
	return LOOM_OK;
}
