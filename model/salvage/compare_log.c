/* A grove against its log: what the log makes of its first state and all its entries is what the
 * grove has to be. */
#include <loom/salvage/heal.h>

#include <limits.h>
#include <unistd.h>

#include <loom/grove/sql.h>
#include <loom/remote/remote.h>
#include <loom/tree/open_store.h>

enum { TRIES = 5 };

struct comparing {
	struct loom_store *own;
	struct loom_store *fresh;
	struct loom_log_opinion *out;
};

static void say(struct comparing *c, struct loom_str what)
{
	c->out->finding(c->out->ctx, what);
}

static void on_difference(void *ctx, struct loom_str what)
{
	struct loom_buf line = LOOM_BUF_INIT(2048);

	loom_buf_addf(&line, "not as the shared log has it: %.*s", LOOM_STR_ARG(what));
	say(ctx, loom_buf_str(&line));
	loom_buf_fini(&line);
}

/* Others go on writing meanwhile: both are brought to one place. */
static enum loom_status meet(struct comparing *c, bool *out, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_remote_place own = {.seq = 0};
	struct loom_remote_place fresh = {.seq = -1};
	enum loom_status status = LOOM_OK;

	for (int i = 0; status == LOOM_OK && own.seq != fresh.seq && i < TRIES; i++) {
		status = loom_remote_follow(c->own, err);
		if (status == LOOM_OK)
			status = loom_remote_follow(c->fresh, err);
		if (status == LOOM_OK)
			status = loom_remote_where(c->own, arena, &own, err);
		if (status == LOOM_OK)
			status = loom_remote_where(c->fresh, arena, &fresh, err);
	}
	if (status == LOOM_OK) /* the log looks whether it has what it just gave */
		status = loom_remote_follow(c->fresh, err);
	*out = own.seq == fresh.seq;
	c->out->entries = own.seq;
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status compare(struct comparing *c, struct loom_err *err)
{
	bool same = false;
	enum loom_status status = meet(c, &same, err);

	if (loom_remote_is_forked(c->own)) {
		say(c, LOOM_STR("this grove and its log have gone different ways: loom sync "
				"--wait"));
		return LOOM_OK;
	}
	if (loom_remote_is_forked(c->fresh)) {
		say(c, LOOM_STR("the shared log's entries are not those that it was made of"));
		return LOOM_OK;
	}
	if (status != LOOM_OK || !same)
		return status;
	c->out->compared = true;
	return model_rows_differ(c->own, c->fresh, false, on_difference, c, err);
}

enum loom_status loom_log_compare(struct loom_env *env, struct loom_str dir,
				  struct loom_log_opinion *out, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct comparing c = {.out = out};
	struct loom_remote_place place = {.seq = 0};
	char part[PATH_MAX];
	enum loom_status status = loom_store_open(env, dir, LOOM_WRITE, &c.own, err);

	LOOM_ASSERT(out->finding);
	out->compared = false;
	snprintf(part, sizeof part, "%.*s/" LOOM_GROVE_DIR "/comparing-%d", LOOM_STR_ARG(dir),
		 getpid());
	model_remove_tree(part);
	if (status == LOOM_OK)
		status = loom_remote_where(c.own, arena, &place, err);
	if (status == LOOM_OK && place.url.n && !loom_store_read_only(c.own)) {
		status = loom_remote_clone(env, loom_str_of(part), place.url, err);
		if (status == LOOM_OK)
			status = loom_store_open(env, loom_str_of(part), LOOM_WRITE, &c.fresh, err);
		if (status == LOOM_OK)
			status = compare(&c, err);
	}
	loom_store_close(c.fresh);
	loom_store_close(c.own);
	model_remove_tree(part);
	loom_arena_destroy(arena);
	return status;
}
