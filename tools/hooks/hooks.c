/* Hooks: events wait in a list that any thread may add to; the loop's thread runs the programs, a
 * few at a time.
 *
 * Invariants: under `lock` are only the list and the counts beside it; `running` counts the slots
 * in use, and only the loop's thread touches them. */
#include <loom/hooks/hooks.h>

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include <loom/grove/store.h>
#include <loom/loop/bounded.h>

#include "inside.h"

#define AT_ONCE  2
#define WAIT_MAX 64
#define OUT_MAX  ((size_t)64 << 10)

struct slot {
	struct loom_hooks *hooks;
	struct loom_bounded *program;
	enum loom_hook kind;
};

struct loom_hooks {
	struct loom_hooks_opts opts;
	struct loom_config config;
	struct loom_loop *loop;
	struct loom_arena *arena;
	struct loom_bell *bell;
	pthread_mutex_t lock;
	struct hook_event waiting[WAIT_MAX];
	char groves[WAIT_MAX][PATH_MAX];
	size_t count;
	size_t lost; /* events that found the list full */
	struct slot slots[AT_ONCE];
	size_t running;
};

/* --- in the thread that committed --- */

static void add(struct loom_hooks *hooks, const struct hook_event *event, struct loom_str grove)
{
	struct hook_event gone = *event;
	bool full;

	pthread_mutex_lock(&hooks->lock);
	full = hooks->count == WAIT_MAX;
	if (full) {
		hooks->lost++;
	} else {
		snprintf(hooks->groves[hooks->count], PATH_MAX, "%.*s", LOOM_STR_ARG(grove));
		hooks->waiting[hooks->count++] = *event;
	}
	pthread_mutex_unlock(&hooks->lock);
	if (full)
		loom_buf_fini(&gone.json);
}

static void on_commit(void *hearer, struct loom_store *store, const struct loom_commit *what)
{
	struct loom_hooks *hooks = hearer;
	const unsigned events = hook_events_of(store, what);
	bool any = false;

	for (int i = 0; i < LOOM_HOOKS; i++) {
		struct hook_event event;

		if (!(events & 1U << i) || !hooks->config.hooks[i] ||
		    !hook_event_write(store, what, (enum loom_hook)i, &event))
			continue;
		add(hooks, &event, loom_store_dir(store));
		any = true;
	}
	if (any)
		loom_bell_ring(hooks->bell);
}

/* --- in the loop's thread --- */

static void complain(const struct loom_hooks *hooks, const char *format, ...) LOOM_PRINTF(2, 3);

static void complain(const struct loom_hooks *hooks, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	va_list args;

	if (!hooks->opts.complain)
		return;
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	hooks->opts.complain(hooks->opts.ctx, loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

static bool take(struct loom_hooks *hooks, struct hook_event *out, char grove[PATH_MAX],
		 size_t *out_lost)
{
	bool any;

	pthread_mutex_lock(&hooks->lock);
	any = hooks->count > 0;
	if (any) {
		*out = hooks->waiting[0];
		memcpy(grove, hooks->groves[0], PATH_MAX);
		hooks->count--;
		memmove(hooks->waiting, hooks->waiting + 1, hooks->count * sizeof *hooks->waiting);
		memmove(hooks->groves, hooks->groves + 1, hooks->count * sizeof *hooks->groves);
	}
	*out_lost = hooks->lost;
	hooks->lost = 0;
	pthread_mutex_unlock(&hooks->lock);
	return any;
}

static void go_on(void *ctx);

static void done(void *ctx, enum loom_status status, struct loom_str out,
		 const struct loom_err *err)
{
	struct slot *slot = ctx;
	struct loom_hooks *hooks = slot->hooks;

	(void)out;
	LOOM_ASSERT(hooks->running > 0);
	slot->program = NULL;
	hooks->running--;
	if (status != LOOM_OK)
		complain(hooks, "hook %s: %s", loom_hook_name(slot->kind), err->text);
	go_on(hooks);
}

/* Its calls act as the event's actor: a person is whoever the environment says. */
static void start(struct loom_hooks *hooks, struct slot *slot, const struct hook_event *event,
		  const char *grove)
{
	char agent[64];
	char event_name[64];
	char dir[PATH_MAX + 16];
	const char *const env[] = {"LOOM_HOOKS=off", agent, dir, event_name, NULL};
	const struct loom_bounded_opts opts = {.loop = hooks->loop,
					       .argv = hooks->config.hooks[event->kind],
					       .env = env,
					       .config = &hooks->config,
					       .input = loom_buf_str(&event->json),
					       .ms = hooks->config.hook_ms,
					       .most = OUT_MAX,
					       .done = done,
					       .ctx = slot};
	struct loom_err err;

	snprintf(agent, sizeof agent, "LOOM_AGENT=%s", event->actor);
	snprintf(event_name, sizeof event_name, "LOOM_EVENT=%s", loom_hook_name(event->kind));
	snprintf(dir, sizeof dir, "LOOM_GROVE=%s", grove);
	slot->kind = event->kind;
	if (loom_bounded_start(&opts, &slot->program, &err) == LOOM_OK)
		hooks->running++;
	else
		complain(hooks, "hook %s: %s", loom_hook_name(event->kind), err.text);
}

static struct slot *free_slot(struct loom_hooks *hooks)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		if (!hooks->slots[i].program)
			return &hooks->slots[i];
	return NULL;
}

static void go_on(void *ctx)
{
	struct loom_hooks *hooks = ctx;
	char grove[PATH_MAX];
	struct slot *slot;

	while ((slot = free_slot(hooks))) {
		struct hook_event event;
		size_t lost = 0;
		const bool any = take(hooks, &event, grove, &lost);

		if (lost)
			complain(hooks, "%zu events came too fast for your hooks and were left out",
				 lost);
		if (!any)
			return;
		start(hooks, slot, &event, grove);
		loom_buf_fini(&event.json);
	}
}

/* --- opening and closing --- */

static bool has_hooks(const struct loom_config *config)
{
	for (int i = 0; i < LOOM_HOOKS; i++)
		if (config->hooks[i])
			return true;
	return false;
}

struct loom_hooks *loom_hooks_open(const struct loom_hooks_opts *opts)
{
	const char *said = loom_env_var(opts->env, "LOOM_HOOKS");
	struct loom_arena *arena = NULL;
	struct loom_config config;
	struct loom_hooks *hooks = NULL;

	LOOM_ASSERT(opts->loop);
	if (opts->env->committed || (said && strcmp(said, "off") == 0))
		return NULL;
	arena = loom_arena_create();
	/* What is wrong with the file is said by whoever needs a model. */
	if (loom_config_load(opts->env, arena, &config, NULL) != LOOM_OK || !has_hooks(&config)) {
		loom_arena_destroy(arena);
		return NULL;
	}
	hooks = loom_alloc(sizeof *hooks);
	hooks->opts = *opts;
	hooks->arena = arena;
	hooks->config = config;
	pthread_mutex_init(&hooks->lock, NULL);
	for (size_t i = 0; i < AT_ONCE; i++)
		hooks->slots[i].hooks = hooks;
	hooks->loop = opts->loop(opts->ctx);
	hooks->bell = loom_bell_create(hooks->loop, go_on, hooks);
	opts->env->committed = on_commit;
	opts->env->hearer = hooks;
	return hooks;
}

void loom_hooks_close(struct loom_hooks *hooks, int64_t ms)
{
	const int64_t until = loom_env_boot() + ms;

	if (!hooks)
		return;
	hooks->opts.env->committed = NULL;
	hooks->opts.env->hearer = NULL;
	for (go_on(hooks); hooks->running && loom_env_boot() < until;)
		loom_loop_step(hooks->loop, until - loom_env_boot());
	if (hooks->running || hooks->count)
		complain(hooks, "your hooks took too long: %zu were ended",
			 hooks->running + hooks->count);
	for (size_t i = 0; i < AT_ONCE; i++)
		loom_bounded_stop(hooks->slots[i].program);
	for (size_t i = 0; i < hooks->count; i++)
		loom_buf_fini(&hooks->waiting[i].json);
	loom_bell_destroy(hooks->bell);
	pthread_mutex_destroy(&hooks->lock);
	loom_arena_destroy(hooks->arena);
	free(hooks);
}
