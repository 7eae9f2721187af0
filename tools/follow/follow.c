/* The follower: a worker with a connection of its own does what the log has; the loop waits for the
 * log's descriptor, or for the time to try again.
 *
 * Invariants: the descriptor belongs to the worker's connection, so the loop watches it only while
 * no job is under way; at most one job is. */
#include <loom/follow/follow.h>

#include <limits.h>
#include <stdlib.h>

#include <loom/grove/watch.h>
#include <loom/loop/worker.h>
#include <loom/remote/remote.h>
#include <loom/tree/open_store.h>

enum { FIRST_MS = 500, LONGEST_MS = 30000, ELSEWHERE_MS = 1000, MEET_MS = 500 };

struct loom_follow {
	struct loom_follow_opts opts;
	struct loom_env *env;
	char dir[PATH_MAX];
	char name[64];
	struct loom_worker *worker;
	struct loom_task task; /* cancelled at the end */
	struct model_news told;
	struct loom_watch *watch; /* of the sessions of this machine */
	int64_t met;              /* when the others were asked last, boot clock */
	int64_t again;            /* after how many ms they are to be asked again */
	bool near;                /* something of this machine's sessions is news */
	int64_t wait;             /* before the next try */
	uint64_t timer;
	struct loom_follow_news news;
	bool busy;
	bool ends;
};

static enum loom_status open_store(void *ctx, void **out, struct loom_err *err)
{
	const struct loom_follow *follow = ctx;
	struct loom_store *store = NULL;
	enum loom_status status =
		loom_store_open(follow->env, loom_str_of(follow->dir), LOOM_WRITE, &store, err);

	*out = store;
	return status;
}

static void close_store(void *context)
{
	loom_store_close(context);
}

/* Sessions move with each key, and the others are told at most twice a second. Work does not depend
 * on it, so only a log that is away is trouble. */
static enum loom_status meet(struct loom_follow *follow, struct loom_store *store,
			     struct loom_err *err)
{
	const int64_t now = loom_env_boot();
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status;

	follow->again = MEET_MS;
	if (follow->met && now - follow->met < MEET_MS)
		return LOOM_OK;
	follow->met = now;
	status = loom_remote_meet(store, &follow->again, &why);
	if (status != LOOM_OFFLINE)
		return LOOM_OK;
	*err = why;
	return status;
}

static enum loom_status run(void *context, void *payload, struct loom_task *task,
			    struct loom_err *err)
{
	struct loom_follow *follow = payload;
	struct loom_store *store = context;
	const bool writes = !loom_store_read_only(store);
	const bool is_ours = writes && loom_remote_claim(store);
	enum loom_status status = is_ours ? LOOM_OK : LOOM_BUSY;

	loom_store_heed(store, task);
	if (!writes)
		status = loom_fail(err, LOOM_READ_ONLY, "the grove can only be read here");
	if (status == LOOM_OK)
		status = loom_remote_watch(store, &follow->told, err);
	if (status == LOOM_OK)
		do
			status = loom_remote_follow(store, err);
		while (status == LOOM_OK && loom_remote_hear(store));
	if (status == LOOM_OK)
		status = meet(follow, store, err);
	if (is_ours)
		loom_remote_say_current(store, status == LOOM_OK);
	loom_store_heed(store, NULL);
	return status;
}

static void go_on(void *ctx);

static void on_news(void *ctx, int fd, unsigned events)
{
	(void)fd;
	(void)events;
	go_on(ctx);
}

static void become(struct loom_follow *follow, enum loom_follow_state state,
		   const struct loom_err *why)
{
	struct loom_follow_news *news = &follow->news;
	const bool same = news->state == state && strcmp(news->why.text, why->text) == 0;

	news->why = *why;
	if (same)
		return;
	if (news->state != state)
		news->since = loom_env_now(follow->env);
	news->state = state;
	if (follow->opts.changed)
		follow->opts.changed(follow->opts.ctx);
}

static enum loom_follow_state state_of(enum loom_status status)
{
	switch ((int)status) {
	case LOOM_OK:
		return LOOM_FOLLOW_CURRENT;
	case LOOM_REFUSED:
	case LOOM_READ_ONLY:
	case LOOM_DAMAGED:
	case LOOM_PERMISSION:
		return LOOM_FOLLOW_STUCK;
	default:
		return LOOM_FOLLOW_AWAY;
	}
}

/* How long to rest, unless there is news before. */
static int64_t pause_of(const struct loom_follow *follow)
{
	int64_t pause = follow->near ? MEET_MS : follow->again;

	if (follow->wait)
		return follow->wait;
	if (follow->told.every && follow->told.every < pause)
		pause = follow->told.every;
	return pause;
}

static void done(void *payload, enum loom_status status, const struct loom_err *err)
{
	static const struct loom_err nothing = {.status = LOOM_OK};
	struct loom_follow *follow = payload;
	const bool elsewhere = status == LOOM_BUSY && !err->text[0];

	follow->busy = false;
	if (follow->ends)
		return;
	if (elsewhere) {
		follow->wait = ELSEWHERE_MS;
		become(follow, LOOM_FOLLOW_ELSEWHERE, &nothing);
	} else if (status != LOOM_OK) {
		follow->wait = follow->wait >= FIRST_MS ? follow->wait * 2 : FIRST_MS;
		if (follow->wait > LONGEST_MS)
			follow->wait = LONGEST_MS;
		become(follow, state_of(status), err);
	} else {
		follow->wait = 0;
		if (follow->told.fd >= 0)
			loom_loop_watch(follow->opts.loop, follow->told.fd, LOOM_LOOP_READ, on_news,
					follow);
		become(follow, LOOM_FOLLOW_CURRENT, &nothing);
	}
	follow->timer = loom_loop_timer(follow->opts.loop, pause_of(follow), go_on, follow);
}

static void rest(struct loom_follow *follow)
{
	if (follow->told.fd >= 0)
		loom_loop_watch(follow->opts.loop, follow->told.fd, 0, NULL, NULL);
	loom_loop_timer_cancel(follow->opts.loop, follow->timer);
	follow->timer = 0;
}

static void go_on(void *ctx)
{
	struct loom_follow *follow = ctx;

	LOOM_ASSERT(!follow->ends);
	rest(follow);
	if (follow->busy)
		return;
	follow->busy = true;
	follow->near = false;
	loom_worker_post(follow->worker, &(struct loom_job){.run = run,
							    .done = done,
							    .payload = follow,
							    .task = &follow->task});
}

/* A session of this machine came, went or moved. */
static void on_near(void *ctx, int fd, unsigned events)
{
	struct loom_follow *follow = ctx;

	(void)fd;
	(void)events;
	(void)loom_watch_drain(follow->watch);
	if (!loom_watch_live(follow->watch) || follow->near)
		return;
	follow->near = true;
	if (!follow->busy && follow->news.state == LOOM_FOLLOW_CURRENT)
		go_on(follow);
}

static bool is_in_log(struct loom_store *store, char name[64])
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_remote_place place;
	const bool in = loom_remote_where(store, arena, &place, NULL) == LOOM_OK && place.url.n;

	if (in)
		snprintf(name, 64, "%.*s", LOOM_STR_ARG(loom_remote_name(place.url)));
	loom_arena_destroy(arena);
	return in;
}

struct loom_follow *loom_follow_start(struct loom_store *store, const struct loom_follow_opts *opts)
{
	struct loom_follow *follow = NULL;
	char name[64];

	if (!is_in_log(store, name))
		return NULL;
	follow = loom_alloc(sizeof *follow);
	follow->opts = *opts;
	follow->env = loom_store_env(store);
	snprintf(follow->dir, sizeof follow->dir, "%.*s", LOOM_STR_ARG(loom_store_dir(store)));
	memcpy(follow->name, name, sizeof name);
	follow->told.fd = -1;
	follow->news.since = loom_env_now(follow->env);
	follow->worker = loom_worker_create(&(struct loom_worker_opts){
		.loop = opts->loop, .open = open_store, .close = close_store, .ctx = follow});
	follow->again = LONGEST_MS;
	follow->watch = loom_watch_open(store);
	if (loom_watch_fd(follow->watch) >= 0)
		loom_loop_watch(opts->loop, loom_watch_fd(follow->watch), LOOM_LOOP_READ, on_near,
				follow);
	go_on(follow);
	return follow;
}

void loom_follow_stop(struct loom_follow *follow)
{
	if (!follow)
		return;
	rest(follow);
	if (loom_watch_fd(follow->watch) >= 0)
		loom_loop_watch(follow->opts.loop, loom_watch_fd(follow->watch), 0, NULL, NULL);
	loom_watch_close(follow->watch);
	follow->ends = true;
	loom_task_cancel(&follow->task);
	loom_worker_destroy(follow->worker);
	free(follow);
}

const struct loom_follow_news *loom_follow_news(const struct loom_follow *follow)
{
	LOOM_ASSERT(follow);
	return &follow->news;
}

const char *loom_follow_name(const struct loom_follow *follow)
{
	LOOM_ASSERT(follow);
	return follow->name;
}

enum loom_status loom_follow_place(struct loom_store *store, struct loom_arena *arena,
				   struct loom_follow_place *out, struct loom_err *err)
{
	struct loom_remote_place place;
	enum loom_status status = loom_remote_where(store, arena, &place, err);

	LOOM_ASSERT(out);
	*out = (struct loom_follow_place){place.url, place.seq, place.rides, place.voids};
	return status;
}
