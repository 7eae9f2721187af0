/* The body of a request, and what a refusal of it teaches. A member that loom adds by itself is
 * left out from then on, a token limit is renamed, an effort is lowered to what the model takes; a
 * parameter that somebody has set is never left out: the refusal names it. What was learned is kept
 * (facts.h) and told once. */
#include "ask.h"

#include <loom/base/utf8.h>
#include <loom/http/redact.h>

/* A refusal may teach one thing after the other. */
#define LESSONS_MAX 12

/* ---- the body ---- */

/* Parameters by their names in requests. */
static unsigned bit_of(struct loom_str field)
{
	static const struct {
		const char *name;
		unsigned bit;
	} others[] = {
		{"dry_multiplier", LOOM_SAMPLING_DRY},  {"xtc_probability", LOOM_SAMPLING_XTC},
		{"stop_sequences", LOOM_SAMPLING_STOP}, {"random_seed", LOOM_SAMPLING_SEED},
		{"bad_words", LOOM_SAMPLING_BAN},       {"banned_strings", LOOM_SAMPLING_BAN},
	};

	for (size_t i = 0; i < LOOM_COUNT(others); i++)
		if (loom_str_is(field, others[i].name))
			return others[i].bit;
	for (int bit = 0; bit < LOOM_SAMPLING_BIT_COUNT; bit++)
		if (loom_str_is(field, loom_sampling_name((enum loom_sampling_bit)bit)))
			return 1u << bit;
	return 0;
}

static bool is_effort(struct loom_str field)
{
	static const char *const fields[] = {
		"reasoning_effort", "reasoning", "thinking",
		"output_config",    "think",     "chat_template_kwargs"};

	for (size_t i = 0; i < LOOM_COUNT(fields); i++)
		if (loom_str_is(field, fields[i]))
			return true;
	return false;
}

static bool is_logprobs(struct loom_str field)
{
	return loom_str_is(field, "logprobs") || loom_str_is(field, "top_logprobs") ||
	       loom_str_is(field, "n_probs");
}

/* Whether somebody has set the member, so that it is not ours to leave out. */
static bool is_said(const struct loom_generation *generation, struct loom_str field,
		    struct loom_str member)
{
	const struct loom_model *model = &generation->voice.model;
	const struct loom_str name = member.n ? member : field;
	const unsigned said = generation->voice.said;

	if (model->extra_body.n &&
	    loom_jval_get(model->extra_body, loom_arena_cstr(generation->arena, field)).p)
		return true;
	if (is_effort(field))
		return said & LOOM_SAMPLING_EFFORT;
	if (is_logprobs(name))
		return false;
	return bit_of(name) & said;
}

/* A member to leave out, as a patch: {"options":{"top_k":null}}. */
static void add_gone(struct loom_generation *generation, struct loom_str gone, struct loom_buf *out)
{
	const size_t dot = loom_str_find_char(gone, '.', 0);
	const struct loom_str field = loom_str_sub(gone, 0, dot);
	const struct loom_str member =
		dot == SIZE_MAX ? loom_str_make("", 0) : loom_str_sub(gone, dot + 1, SIZE_MAX);
	struct loom_buf patch = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf merged = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	if (is_said(generation, field, member))
		return;
	loom_json_init(&json, &patch);
	loom_json_object(&json);
	loom_json_key(&json, loom_arena_cstr(generation->arena, field));
	if (member.n) {
		loom_json_object(&json);
		loom_json_key(&json, loom_arena_cstr(generation->arena, member));
	}
	loom_json_null(&json);
	if (member.n)
		loom_json_end_object(&json);
	loom_json_end_object(&json);
	loom_jval_merge(loom_buf_str(out), loom_buf_str(&patch), generation->arena, &merged);
	loom_buf_clear(out);
	loom_buf_add(out, loom_buf_str(&merged));
	loom_buf_fini(&merged);
	loom_buf_fini(&patch);
}

/* The server would never call a member that is not there: only what is there is left out. */
static bool has_member(struct loom_str body, struct loom_str gone, struct loom_arena *arena)
{
	const struct loom_str field = loom_str_sub(gone, 0, loom_str_find_char(gone, '.', 0));

	return loom_jval_get(body, loom_arena_cstr(arena, field)).p != NULL;
}

void provider_ask_body(struct provider_ask *ask, struct loom_buf *out)
{
	struct loom_generation *generation = ask->generation;
	const struct loom_facts *facts = generation->facts;
	const struct loom_str extra = generation->voice.model.extra_body;
	struct loom_buf merged = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	ask->dialect->body(ask, &json);
	loom_json_end_object(&json);
	for (size_t i = 0; i < facts->gone_count; i++)
		if (has_member(loom_buf_str(out), facts->gone[i], generation->arena))
			add_gone(generation, facts->gone[i], out);
	if (extra.n) {
		loom_jval_merge(loom_buf_str(out), extra, generation->arena, &merged);
		loom_buf_clear(out);
		loom_buf_add(out, loom_buf_str(&merged));
		loom_buf_fini(&merged);
	}
	ask->body_sent = loom_arena_buf(generation->arena, out);
	ask->way = generation->strategy;
	for (size_t i = 0; i < ask->count; i++)
		provider_choice_asked(generation, ask->first + i, ask->body_sent, ask->count);
}

/* ---- lessons ---- */

/* Tells it once: what was learned is known from now on. */
static void tell(struct provider_ask *ask, const char *format, ...) LOOM_PRINTF(2, 3);
static void tell(struct provider_ask *ask, const char *format, ...)
{
	const struct loom_generate_sink *sink = &ask->generation->sink;
	struct loom_buf text = LOOM_BUF_INIT(400);
	struct loom_err why = {.status = LOOM_OK};
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	http_secret_hide(text.p, text.n, ask->generation->secret);
	loom_fail(&why, LOOM_MODEL, "%.*s %s", LOOM_STR_ARG(ask->generation->voice.model.alias),
		  loom_buf_cstr(&text));
	loom_buf_fini(&text);
	if (sink->waits)
		sink->waits(sink->ctx, 0, &why);
}

static void keep(const struct provider_ask *ask)
{
	loom_learned_keep(ask->generation->voices->learned, ask->generation->facts);
}

static bool is_tokens(struct loom_str field)
{
	return loom_str_is(field, "max_tokens") || loom_str_is(field, "max_completion_tokens") ||
	       loom_str_is(field, "max_output_tokens") || loom_str_is(field, "max_new_tokens") ||
	       loom_str_is(field, "n_predict") || loom_str_is(field, "num_predict");
}

/* The limit is too large for the model: what was to be thought gets less room. */
static bool lower_limit(struct provider_ask *ask, const struct loom_refused *refused)
{
	struct loom_generation *generation = ask->generation;
	const int64_t most = loom_server_most(refused->words, generation->allowed);

	if (!most || most < generation->voice.sampling.tokens)
		return false;
	generation->facts->most = generation->allowed = most;
	tell(ask, "writes at most %lld tokens at once, thoughts included", (long long)most);
	return true;
}

/* A token limit is never left out: the other name is tried. */
static bool rename_limit(struct provider_ask *ask, const struct loom_refused *refused)
{
	struct loom_facts *facts = ask->generation->facts;
	const bool newer = loom_str_is(refused->field, "max_completion_tokens");
	const struct loom_str other =
		newer ? LOOM_STR("max_tokens") : LOOM_STR("max_completion_tokens");

	if (ask->renamed || (!newer && !loom_str_is(refused->field, "max_tokens")) ||
	    ask->generation->voice.provider->api != LOOM_API_OPENAI)
		return false;
	ask->renamed = true;
	facts->tokens_key = other;
	tell(ask, "takes no %.*s; its limit is sent as %.*s from now on",
	     LOOM_STR_ARG(refused->field), LOOM_STR_ARG(other));
	return true;
}

/* From one word for thinking as little as possible to the next. */
static bool lower_effort(struct provider_ask *ask, const struct loom_refused *refused)
{
	static const char *const steps[] = {"none", "minimal", "low"};
	struct loom_generation *generation = ask->generation;
	const struct loom_str word = provider_effort_word(generation);

	if (!refused->value || generation->effort != LOOM_THINKING_NONE ||
	    generation->voice.said & LOOM_SAMPLING_EFFORT)
		return false;
	for (size_t i = 0; i + 1 < LOOM_COUNT(steps); i++) {
		if (!loom_str_is(word, steps[i]))
			continue;
		generation->facts->least = loom_str_of(steps[i + 1]);
		provider_effort_plan(generation, ask->dialect);
		tell(ask, "cannot think %s; it is asked for as little as it can: %s",
		     i ? "so little" : "nothing", steps[i + 1]);
		return true;
	}
	return false;
}

static bool leave_out(struct provider_ask *ask, const struct loom_refused *refused)
{
	struct loom_generation *generation = ask->generation;
	struct loom_str name = refused->field;

	if (refused->member.n)
		name = loom_arena_format(generation->arena, "%.*s.%.*s",
					 LOOM_STR_ARG(refused->field),
					 LOOM_STR_ARG(refused->member));
	/* of members within others only Ollama's options are known one by one */
	if (refused->member.n && !loom_str_is(refused->field, "options"))
		name = refused->field;
	/* one that was asked before another of them was refused hears no more of it */
	if (!loom_facts_leave_out(generation->voices->learned, generation->facts, name))
		return loom_facts_gone(generation->facts, name) &&
		       has_member(ask->body_sent, name, generation->arena);
	if (is_logprobs(refused->field)) {
		(void)loom_facts_leave_out(generation->voices->learned, generation->facts,
					   LOOM_STR("logprobs"));
		(void)loom_facts_leave_out(generation->voices->learned, generation->facts,
					   LOOM_STR("top_logprobs"));
	}
	tell(ask, "takes no %.*s; it is left out from now on", LOOM_STR_ARG(name));
	return true;
}

static bool is_about_prefill(const struct provider_ask *ask)
{
	static const char *const signs[] = {"prefill", "end with a user message",
					    "last message must", "final message must",
					    "continue_final_message"};
	const struct loom_str words =
		loom_server_words(loom_buf_str(&ask->document), ask->generation->arena);

	for (size_t i = 0; i < LOOM_COUNT(signs); i++)
		if (loom_utf8_find(words, loom_str_of(signs[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

/* The model takes no beginning of an answer: the text is presented in another way. Several may have
 * been asked before the first was refused; they hear no more of it. */
static bool leave_prefill(struct provider_ask *ask)
{
	static const struct loom_str prefill = LOOM_STR_INIT("prefill");
	struct loom_generation *generation = ask->generation;
	const bool known = loom_facts_gone(generation->facts, prefill);

	if (ask->way != LOOM_WAY_PREFILL || provider_prefill_said(generation) ||
	    generation->voice.model.caps.prefill != LOOM_PREFILL_UNSAID || !is_about_prefill(ask))
		return false;
	if (!known &&
	    !loom_facts_leave_out(generation->voices->learned, generation->facts, prefill))
		return false;
	if (generation->strategy == LOOM_WAY_PREFILL)
		provider_prompt_plan(generation, ask->dialect);
	LOOM_ASSERT(generation->strategy != LOOM_WAY_PREFILL);
	if (known)
		return true;
	tell(ask, "takes no beginning of its answer; a text is presented to it as %s from now on",
	     loom_way_name(generation->strategy));
	keep(ask);
	return true;
}

/* The name under which somebody has set a member. */
static struct loom_str said_as(const struct loom_refused *refused)
{
	const struct loom_str name = refused->member.n ? refused->member : refused->field;
	const unsigned bit = bit_of(name);

	if (is_effort(refused->field))
		return LOOM_STR("effort");
	for (int i = 0; i < LOOM_SAMPLING_BIT_COUNT; i++)
		if (bit == 1u << i)
			return loom_str_of(loom_sampling_name((enum loom_sampling_bit)i));
	return name;
}

static void refuse_by_name(struct provider_ask *ask, const struct loom_refused *refused)
{
	const struct provider_voice *voice = &ask->generation->voice;
	const struct loom_str name = said_as(refused);
	struct loom_buf words = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_add(&words, refused->words);
	http_secret_hide(words.p, words.n, ask->generation->secret);
	loom_fail(&ask->failure, LOOM_MODEL, "%.*s does not take %.*s: %.*s answered %d: %s",
		  LOOM_STR_ARG(voice->model.alias), LOOM_STR_ARG(name),
		  LOOM_STR_ARG(voice->provider->name), ask->status, loom_buf_cstr(&words));
	loom_hint(
		&ask->failure, LOOM_MODEL,
		"what you set is never left out: take %.*s from the line, or from where the agent "
		"or the model sets it",
		LOOM_STR_ARG(name));
	loom_buf_fini(&words);
}

/* Learns the window and the density from a prompt that did not fit. */
static bool learn_overflow(struct provider_ask *ask)
{
	struct loom_generation *generation = ask->generation;

	if (ask->status < 400 || ask->status >= 500 ||
	    !loom_server_overflows(loom_buf_str(&ask->document), generation->arena,
				   &generation->sizes))
		return false;
	generation->overflow = true;
	if (generation->sizes.window)
		generation->facts->window = generation->sizes.window;
	provider_learn_tokens(generation, generation->sizes.prompt);
	keep(ask);
	provider_ask_explain_refusal(ask);
	return true;
}

bool provider_ask_relearn(struct provider_ask *ask)
{
	struct loom_generation *generation = ask->generation;
	const struct loom_str body = loom_buf_str(&ask->document);
	struct loom_refused refused;
	bool again = false;
	bool found = false;

	if (learn_overflow(ask))
		return false;
	if ((ask->status != 400 && ask->status != 422) || ask->lessons >= LESSONS_MAX)
		return false;
	if (leave_prefill(ask)) {
		ask->lessons++;
		return true;
	}
	found = loom_server_refuses(body, ask->body_sent, generation->arena, &refused);
	if (found && (loom_str_is(refused.field, "n") || loom_str_is(refused.field, "n_cmpl")))
		return false;
	/* a dialect may know by its words what a refusal names in no other way */
	if (ask->dialect->relearn)
		again = ask->dialect->relearn(generation, &refused);
	if (!again && !found)
		return false;
	if (again)
		provider_effort_plan(generation, ask->dialect);
	else if (is_tokens(refused.field))
		again = lower_limit(ask, &refused) || rename_limit(ask, &refused);
	else if (is_effort(refused.field) && lower_effort(ask, &refused))
		again = true;
	else if (!is_said(generation, refused.field, refused.member))
		again = leave_out(ask, &refused);
	else
		refuse_by_name(ask, &refused);
	if (!again)
		return false;
	ask->lessons++;
	keep(ask);
	return true;
}

/* ---- parameters that a provider cannot express ---- */

static enum loom_status cannot(const struct provider_voice *voice, unsigned bits,
			       struct loom_err *err)
{
	for (int bit = 0; bit < LOOM_SAMPLING_BIT_COUNT; bit++) {
		const char *name = loom_sampling_name((enum loom_sampling_bit)bit);

		if (!(bits & 1u << bit))
			continue;
		loom_fail(err, LOOM_MODEL, "%.*s takes no %s: the %s API has none",
			  LOOM_STR_ARG(voice->model.alias), name,
			  loom_api_name(voice->provider->api));
		return loom_hint(err, LOOM_MODEL,
				 "leave %s out, or ask a model of another provider", name);
	}
	return LOOM_OK;
}

enum loom_status provider_check_sampling(const struct provider_voice *voice, struct loom_err *err)
{
	const struct provider_dialect *dialect = provider_api_of(voice->provider->api)->chat
							 ? provider_dialect_of(&voice->model)
							 : NULL;
	const unsigned can = dialect ? dialect->caps.sampling : 0;
	unsigned bits = voice->said & PROVIDER_SAMPLING_OWN & ~can;

	bits &= ~(unsigned)LOOM_SAMPLING_EFFORT;
	if (voice->said & LOOM_SAMPLING_EFFORT && !(dialect && dialect->mind) &&
	    voice->sampling.effort > LOOM_THINKING_NONE) {
		loom_fail(err, LOOM_MODEL, "%.*s does not think, so it takes no effort",
			  LOOM_STR_ARG(voice->model.alias));
		return loom_hint(err, LOOM_MODEL,
				 "leave effort out; a model that chats has \"endpoint\": \"chat\"");
	}
	return cannot(voice, bits, err);
}
