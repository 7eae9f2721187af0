/* A key that somebody waits for: read as a lane reads its own, in a loop that lasts until it is
 * there. */
#include "queue.h"

#include <loom/base/env.h>
#include <loom/providers/fetch_key.h>

enum { WAIT_MS = 60000, SLICE_MS = 50 };

/* The loop is run here, so nobody needs to be told. */
static void tell_nobody(struct provider_lane *lane)
{
	(void)lane;
}

static enum loom_status wait_for(struct provider_lane *lane, struct loom_err *err)
{
	const int64_t until = loom_env_boot() + WAIT_MS;

	while (lane->key_state == PROVIDER_KEY_COMING && loom_env_boot() < until)
		(void)loom_loop_step(lane->voices->opts.loop, SLICE_MS);
	if (lane->key_state == PROVIDER_KEY_READY)
		return LOOM_OK;
	if (lane->key_state == PROVIDER_KEY_FAILED) {
		if (err)
			*err = lane->key_err;
		return LOOM_MODEL;
	}
	return loom_fail(err, LOOM_MODEL, "%s has not said the password of \"%.*s\" for %d s",
			 lane->provider->key_cmd[0], LOOM_STR_ARG(lane->provider->name),
			 WAIT_MS / 1000);
}

enum loom_status loom_password_fetch(struct loom_env *env, const struct loom_config *config,
				     const struct loom_provider *where, struct loom_buf *out,
				     struct loom_err *err)
{
	struct loom_voices voices = {
		.opts = {.env = env, .loop = loom_loop_create(), .config = config}};
	struct provider_lane lane = {.voices = &voices,
				     .provider = where,
				     .password = true,
				     .ready = tell_nobody};
	enum loom_status status;

	LOOM_ASSERT(where->key_cmd || where->key_file.n || where->key_env.n);
	loom_buf_init(&lane.key, PROVIDER_KEY_MAX);
	provider_lane_want_key(&lane);
	status = wait_for(&lane, err);
	if (status == LOOM_OK)
		loom_buf_add(out, loom_buf_str(&lane.key));
	loop_child_stop(lane.child);
	loom_loop_destroy(voices.opts.loop);
	if (lane.key.p)
		explicit_bzero(lane.key.p, lane.key.cap);
	loom_buf_fini(&lane.key);
	return status;
}
