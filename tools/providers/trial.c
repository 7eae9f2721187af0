/* Trying the strategies of a model: all texts with all strategies at once, as the provider's queue
 * lets them through. */
#include <loom/providers/trial.h>

#include <loom/base/jval.h>
#include <loom/providers/dialect.h>

#define TOKENS 60

/* Of several registers, each cut where a continuation shows its manners: inside a sentence, behind
 * one, in a list, in a dialogue. */
static const char *const texts[LOOM_TRIAL_TEXTS] = {
	"The ship had been in sight of land since noon, but the wind had gone round to the north "
	"and by evening they were no nearer. Captain Reyes stood at the rail with the glass under "
	"his arm. When the first lamp was lit on the headland he turned to the mate and",
	"A cache is useful only as long as it tells the truth. The first version of ours kept each "
	"answer for an hour, which was simple and almost always wrong. Answers that nobody changed "
	"were asked for again, and answers that somebody had changed were believed.",
	"# Packing for the crossing\n\nWhat goes into the boat, in this order:\n\n- the water, "
	"forty "
	"litres in four cans\n- the stove and its fuel, never side by side\n- charts in the dry "
	"bag\n"
	"- ",
	"\"You said he would come by the bridge,\" Anna said.\n\n\"I said he might.\" Tomas did "
	"not "
	"look up from the lock. \"The bridge or the ferry.\"\n\n\"And if he takes the",
};

struct trying {
	struct loom_trials *out;
	struct loom_arena *arena;
	struct attempt *attempts;
	size_t waiting;
};
/* One request. */
struct attempt {
	struct trying *trying;
	struct loom_trial *trial;
	size_t text;
};

/* The price of a fault in an answer; blanks are mended for nearly nothing. */
static double cost_of(enum loom_fault fault)
{
	switch (fault) {
	case LOOM_FAULT_REFUSAL:
		return 1;
	case LOOM_FAULT_PREAMBLE:
	case LOOM_FAULT_ECHO:
	case LOOM_FAULT_POSTAMBLE:
		return 0.5;
	case LOOM_FAULT_WELD:
	case LOOM_FAULT_DOUBLED:
		return 0.05;
	case LOOM_FAULT_LABEL:
	case LOOM_FAULT_REMARK:
	case LOOM_FAULT_THINKING:
	case LOOM_FAULT_FENCE:
	case LOOM_FAULT_TAGS:
	case LOOM_FAULT_QUOTES:
	case LOOM_FAULT_RULE:
	case LOOM_FAULT_COUNT:
		return 0.25;
	}
	return 0;
}

static void judge(const struct attempt *attempt, struct loom_str came)
{
	struct loom_trial *trial = attempt->trial;
	struct loom_mended mended;
	double score = 1;
	bool clean = true;

	loom_mend(&(struct loom_joint){.before = loom_str_of(texts[attempt->text]), .came = came},
		  &mended);
	for (int i = 0; i < LOOM_FAULT_COUNT; i++) {
		const double cost = cost_of((enum loom_fault)i);

		if (!(mended.faults & 1u << i))
			continue;
		trial->faults[i]++;
		score -= cost;
		clean = clean && cost < 0.1;
	}
	trial->arrived++;
	trial->clean += clean;
	trial->score += score > 0 ? score / LOOM_TRIAL_TEXTS : 0;
}

static void count_tokens(struct loom_trials *out, struct loom_str record)
{
	const struct loom_str usage = loom_jval_get(record, "usage");
	int64_t n = 0;

	if (loom_jval_int(loom_jval_get(usage, "in"), &n))
		out->in += n;
	if (loom_jval_int(loom_jval_get(usage, "out"), &n))
		out->out += n;
}

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	const struct attempt *attempt = ctx;
	struct loom_trial *trial = attempt->trial;

	(void)choice;
	count_tokens(attempt->trying->out, result->record);
	if (loom_str_trim(result->text).n)
		judge(attempt, result->text);
	else if (trial->err.status == LOOM_OK)
		trial->err = result->err;
}

static void on_done(void *ctx)
{
	const struct attempt *attempt = ctx;

	LOOM_ASSERT(attempt->trying->waiting > 0);
	attempt->trying->waiting--;
}

/* ---- asking ---- */

static enum loom_status list_ways(const struct provider_voice *voice, struct trying *trying,
				  struct loom_err *err)
{
	const struct provider_api *api = provider_api_of(voice->provider->api);
	const struct provider_dialect *dialect =
		api->chat ? provider_dialect_of(&voice->model) : NULL;
	struct loom_trials *out = trying->out;

	if (!dialect || !dialect->chat) {
		loom_fail(err, LOOM_MODEL,
			  "%.*s continues texts by itself: there is nothing to try",
			  LOOM_STR_ARG(voice->model.alias));
		return loom_hint(err, LOOM_MODEL,
				 "a model that only chats has \"endpoint\": \"chat\"");
	}
	out->items = LOOM_ARENA_ARRAY(trying->arena, LOOM_WAY_COUNT, struct loom_trial);
	for (int way = LOOM_WAY_PREFILL; way < LOOM_WAY_COUNT; way++)
		if (way != LOOM_WAY_PREFILL ||
		    provider_prefill_of(dialect, &voice->model) > LOOM_PREFILL_NO)
			out->items[out->count++] = (struct loom_trial){.way = (enum loom_way)way};
	return LOOM_OK;
}

static enum loom_status ask_all(struct loom_voices *voices, struct loom_str alias,
				struct trying *trying, struct loom_err *err)
{
	const struct loom_generator *generator = loom_voices_generator(voices);
	const size_t count = trying->out->count * LOOM_TRIAL_TEXTS;
	enum loom_status status = LOOM_OK;

	trying->attempts = LOOM_ARENA_ARRAY(trying->arena, count, struct attempt);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct attempt *attempt = &trying->attempts[i];
		const struct loom_generate_sink sink = {.end = on_end,
							.done = on_done,
							.ctx = attempt};
		struct loom_generation *generation;
		struct loom_generate_request request = {.voice = {.use = LOOM_GENERATE_SUBJECT,
								  .model = alias},
							.n = 1,
							.tokens = TOKENS};

		*attempt = (struct attempt){.trying = trying,
					    .trial = &trying->out->items[i / LOOM_TRIAL_TEXTS],
					    .text = i % LOOM_TRIAL_TEXTS};
		request.text = loom_str_of(texts[attempt->text]);
		request.way = attempt->trial->way;
		status = generator->start(generator->ctx, &request, &sink, &generation, err);
		trying->waiting += status == LOOM_OK;
	}
	return status;
}

static void cancel_all(struct loom_voices *voices)
{
	for (struct loom_generation *one = voices->first; one; one = one->next)
		provider_generation_cancel(one, LOOM_CHOICES_ALL);
}

static void wait_for_all(struct loom_voices *voices, const struct trying *trying,
			 struct loom_task *task)
{
	bool stopped = false;

	while (trying->waiting) {
		if (!stopped && loom_task_cancelled(task)) {
			cancel_all(voices);
			stopped = true;
		}
		(void)loom_loop_step(voices->opts.loop, -1);
	}
}

/* ---- the best ---- */

/* Of equals, the earlier one stays: the ladder's own order. */
static void sort(struct loom_trials *trials)
{
	for (size_t i = 1; i < trials->count; i++) {
		const struct loom_trial one = trials->items[i];
		size_t at = i;

		for (; at && trials->items[at - 1].score < one.score - 1e-9; at--)
			trials->items[at] = trials->items[at - 1];
		trials->items[at] = one;
	}
}

/* "4 of 4 clean; framed 1 of 4" */
static struct loom_str say_why(const struct loom_trials *trials, struct loom_arena *arena)
{
	const struct loom_trial *best = &trials->items[0];
	const struct loom_trial *next = trials->count > 1 ? &trials->items[1] : NULL;

	if (!next)
		return loom_arena_format(arena, "%zu of %d clean", best->clean, LOOM_TRIAL_TEXTS);
	return loom_arena_format(arena, "%zu of %d clean, score %.2f; next best: %s %.2f",
				 best->clean, LOOM_TRIAL_TEXTS, best->score,
				 loom_way_name(next->way), next->score);
}

static enum loom_status keep_best(struct loom_voices *voices, const struct provider_voice *voice,
				  struct trying *trying, struct loom_err *err)
{
	struct loom_trials *out = trying->out;
	struct loom_facts *facts =
		loom_learned_of(voices->learned, voice->provider->base_url, voice->model.id);

	sort(out);
	if (!out->items[0].arrived) {
		*err = out->items[0].err;
		return err->status != LOOM_OK
			       ? err->status
			       : loom_fail(err, LOOM_MODEL, "the model wrote nothing");
	}
	out->why = say_why(out, trying->arena);
	loom_facts_pin(voices->learned, facts, loom_str_of(loom_way_name(out->items[0].way)),
		       out->why, loom_env_now(voices->opts.env));
	return LOOM_OK;
}

enum loom_status loom_trial_run(struct loom_voices *voices, struct loom_str alias,
				struct loom_task *task, struct loom_arena *arena,
				struct loom_trials *out, struct loom_err *err)
{
	struct trying trying = {.out = out, .arena = arena};
	const struct loom_generate_voice wanted = {.use = LOOM_GENERATE_SUBJECT, .model = alias};
	struct provider_voice voice;
	enum loom_status status = provider_voice_find(voices, &wanted, arena, &voice, err);

	*out = (struct loom_trials){.items = NULL};
	if (status == LOOM_OK)
		status = list_ways(&voice, &trying, err);
	if (status != LOOM_OK)
		return status;
	status = ask_all(voices, alias, &trying, err);
	if (status != LOOM_OK)
		cancel_all(voices);
	wait_for_all(voices, &trying, task);
	if (status == LOOM_OK && loom_task_cancelled(task))
		status = loom_fail(err, LOOM_CANCELLED, "interrupted");
	return status == LOOM_OK ? keep_best(voices, &voice, &trying, err) : status;
}

struct loom_way_known loom_trial_known(struct loom_voices *voices, const struct loom_model *model)
{
	const struct loom_facts *facts =
		loom_learned_of(voices->learned, model->provider->base_url, model->id);
	const enum loom_way pinned = loom_way_of(facts->way);

	if (model->way != LOOM_WAY_UNSAID)
		return (struct loom_way_known){.way = model->way, .configured = true};
	return (struct loom_way_known){.way = pinned, .why = facts->way_why, .at = facts->way_at};
}
