/* Any program as a voice: the prompt on its standard input, the text on its standard output, one
 * process per choice, no shell. It acts as the agent it speaks for, named by LOOM_AGENT. */
#include <loom/loop/child.h>
#include <loom/providers/dialect.h>

struct one {
	struct loom_generation *generation;
	size_t choice;
	struct loop_child *child;
	uint64_t timer;
	int64_t last; /* when the last byte arrived */
	int64_t began;
	bool asked;
};

struct command_state {
	struct one *ones; /* one per choice */
	struct loom_buf prompt;
	const char *const *env;
	int64_t running;
};

static void pump(struct loom_generation *generation);

static void end_one(struct one *one, enum loom_finish finish, const struct loom_err *why)
{
	struct loom_generation *generation = one->generation;
	struct command_state *state = generation->state;

	loom_loop_timer_cancel(generation->voices->opts.loop, one->timer);
	one->timer = 0;
	one->child = NULL;
	state->running--;
	provider_choice_end(generation, one->choice, finish, why);
	pump(generation);
}

static void on_out(void *ctx, struct loom_str bytes)
{
	struct one *one = ctx;

	one->last = loom_env_boot();
	provider_choice_raw(one->generation, one->choice, bytes);
	provider_choice_text(one->generation, one->choice, bytes);
}

/* The first line of its standard error, for the message. */
static struct loom_str first_line(struct loom_str said)
{
	struct loom_str line = loom_str_make("", 0);
	struct loom_str rest = loom_str_trim(said);

	(void)loom_str_line(&rest, &line);
	return loom_str_sub(line, 0, 200);
}

static void on_end(void *ctx, int status, int signal, struct loom_str said)
{
	struct one *one = ctx;
	const char *name = one->generation->voice.provider->command[0];
	struct loom_str line = first_line(said);
	struct loom_err err;

	if (status == 0) {
		end_one(one, LOOM_FINISH_STOP, NULL);
		return;
	}
	loom_fail(&err, LOOM_MODEL, "%s ended with %s %d%s%.*s", name, signal ? "signal" : "status",
		  signal ? signal : status, line.n ? ": " : "", LOOM_STR_ARG(line));
	end_one(one, LOOM_FINISH_ERROR, &err);
}

static void watch_clock(void *ctx)
{
	struct one *one = ctx;
	const struct loom_provider *provider = one->generation->voice.provider;
	int64_t now = loom_env_boot();
	int64_t due = one->last + provider->idle_ms;
	struct loom_err err;

	if (one->began + provider->total_ms < due)
		due = one->began + provider->total_ms;
	one->timer = 0;
	if (now < due) {
		one->timer = loom_loop_timer(one->generation->voices->opts.loop, due - now,
					     watch_clock, one);
		return;
	}
	loom_fail(&err, LOOM_MODEL, "%s was silent for too long", provider->command[0]);
	loop_child_stop(one->child);
	end_one(one, LOOM_FINISH_ERROR, &err);
}

static void begin_one(struct one *one)
{
	struct loom_generation *generation = one->generation;
	struct command_state *state = generation->state;
	struct loop_child_opts opts = {
		.loop = generation->voices->opts.loop,
		.argv = generation->voice.provider->command,
		.env = state->env,
		.config = generation->voices->opts.config,
		.own = generation->voice.provider,
		.input = loom_buf_str(&state->prompt),
		.out = on_out,
		.end = on_end,
		.ctx = one,
	};
	struct loom_err err;

	one->asked = true;
	state->running++;
	if (loop_child_start(&opts, &one->child, &err) != LOOM_OK) {
		err.status = LOOM_MODEL;
		end_one(one, LOOM_FINISH_ERROR, &err);
		return;
	}
	one->began = one->last = loom_env_boot();
	one->timer = loom_loop_timer(opts.loop, 0, watch_clock, one);
}

static void pump(struct loom_generation *generation)
{
	struct command_state *state = generation->state;

	for (size_t i = 0; i < generation->request.n; i++) {
		struct one *one = &state->ones[i];

		if (state->running >= generation->voice.provider->max_parallel)
			return;
		if (!one->asked && !generation->choices[i].dropped && !generation->choices[i].ended)
			begin_one(one);
	}
}

static const char *variable(struct loom_generation *generation, const char *name,
			    struct loom_str value)
{
	return loom_arena_format(generation->arena, "%s=%.*s", name, LOOM_STR_ARG(value)).p;
}

/* Without an agent of its own it acts as our agent. */
static const char *const *variables(struct loom_generation *generation)
{
	const struct provider_voice *voice = &generation->voice;
	const char **env = LOOM_ARENA_ARRAY(generation->arena, 4, const char *);
	size_t n = 0;

	env[n++] = variable(generation, "LOOM_MODEL", voice->model.id);
	env[n++] = loom_arena_format(generation->arena, "LOOM_TOKENS=%lld",
				     (long long)voice->sampling.tokens)
			   .p;
	if (voice->agent.n)
		env[n++] = variable(generation, "LOOM_AGENT", voice->agent);
	return env;
}

static void begin(struct loom_generation *generation)
{
	struct command_state *state = LOOM_ARENA_NEW(generation->arena, struct command_state);
	const struct provider_voice *voice = &generation->voice;

	loom_buf_init(&state->prompt, LOOM_BUF_MAX);
	state->ones = LOOM_ARENA_ARRAY(generation->arena, generation->request.n, struct one);
	for (size_t i = 0; i < generation->request.n; i++)
		state->ones[i] = (struct one){.generation = generation, .choice = i};
	state->env = variables(generation);
	generation->state = state;
	generation->strategy =
		generation->request.message_count ? LOOM_WAY_TRANSCRIPT : LOOM_WAY_COMPLETION;
	generation->endpoint = loom_str_of(voice->provider->command[0]);
	generation->sent.set = LOOM_SAMPLING_TOKENS;
	generation->sent.tokens = voice->sampling.tokens;
	provider_prompt_text(generation, &state->prompt);
	pump(generation);
}

static void drop(struct loom_generation *generation, size_t choice)
{
	struct command_state *state = generation->state;
	struct one *one = state ? &state->ones[choice] : NULL;

	if (!one || !one->child)
		return;
	/* We may be inside its output callback: it ends in the loop's next round. */
	loop_child_kill(one->child);
}

static void destroy(struct loom_generation *generation)
{
	struct command_state *state = generation->state;

	for (size_t i = 0; state && i < generation->request.n; i++) {
		loom_loop_timer_cancel(generation->voices->opts.loop, state->ones[i].timer);
		loop_child_stop(state->ones[i].child);
	}
	if (state)
		loom_buf_fini(&state->prompt);
}

static const struct provider_backend backend = {
	.begin = begin,
	.drop = drop,
	.destroy = destroy,
};

const struct provider_api provider_api_COMMAND = {.backend = &backend};
