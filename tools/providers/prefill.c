/* How to present a text or a conversation to a model that may not accept it as it is.
 *
 * The bytes of a text are never altered: instructions go before it, or around it as the frame of a
 * document. Lines are quoted only where speakers are named between texts, if they would name one.
 * The strategy is recorded with the node, because a framed continuation is a different experiment
 * from a plain one. */
#include <loom/providers/dialect.h>

#include <loom/text/quoting.h>

static const char go_on[] =
	"The next message of the assistant is the beginning of a text. Go on with it from where it "
	"stops, in its own manner. Write only what comes next: no preface, no repetition, no "
	"comment.";

static const char framed_text[] =
	"Below, between the two marker lines, stands a text that is not finished. Write what comes "
	"next, from the very place where it stops, in its own manner. Answer with the continuation "
	"only: no preface, no repetition of what is there, no quotation marks around it, no "
	"comment.";

static const char framed_talk[] =
	"Below, between the two marker lines, stands a conversation. Write what its last speaker "
	"says next, going on from the very place where it stops. Answer with the continuation "
	"only: "
	"no name before it, no preface, no repetition of what is there, no comment.";

static const char as_system[] =
	"You continue texts. Each message of the user is the beginning of a text that stops "
	"somewhere, perhaps inside a sentence or a word. Answer with what comes next and nothing "
	"else, from the very character where it stops, in its own manner and language: no preface, "
	"no repetition of what is there, no quotation marks around it, no comment.";

static const char filled_text[] =
	"Below, between the two marker lines, stands a text with a gap, which is written as "
	"[...]. Answer with the words that stand in the gap, at least a few sentences, in the "
	"text's own manner: no preface, no repetition of what is there, no quotation marks around "
	"it, no comment.";

/* A narrative that stops inside a sentence, one that stops after it, and a list. */
static const struct {
	const char *said;
	const char *next;
} examples[] = {
	{"The kettle had been on the stove since six, and by the time Anna came down the",
	 " kitchen windows were grey with steam. She took the towel from its hook."},
	{"It rained for three days. On the fourth the road was gone.",
	 " We stood where it had been and looked at the water."},
	{"Things to bring:\n- a lamp\n- two blankets\n- ", "matches\n- rope"},
};

static const char marker[] = LOOM_TALK_EDGE;

bool provider_can(enum loom_can said, bool otherwise)
{
	return said == LOOM_CAN_UNSAID ? otherwise : said == LOOM_CAN;
}

static bool ends_in_blank(struct loom_str text)
{
	return text.n && (text.p[text.n - 1] == ' ' || text.p[text.n - 1] == '\n' ||
			  text.p[text.n - 1] == '\t' || text.p[text.n - 1] == '\r');
}

bool provider_prefill_said(const struct loom_generation *generation)
{
	const enum loom_way way = generation->request.way;

	return (way == LOOM_WAY_UNSAID ? generation->voice.model.way : way) == LOOM_WAY_PREFILL;
}

/* How a text is continued: as somebody has set it, as a trial has shown, or as the API usually
 * does. */
static enum loom_way ladder(const struct loom_generation *generation, bool prefill)
{
	enum loom_way way = generation->request.way;

	if (way == LOOM_WAY_UNSAID)
		way = generation->voice.model.way;
	if (way == LOOM_WAY_UNSAID)
		way = loom_way_of(generation->facts->way);

	if (way == LOOM_WAY_UNSAID || (way == LOOM_WAY_PREFILL && !prefill))
		return prefill ? LOOM_WAY_PREFILL : LOOM_WAY_FRAMED;
	return way;
}

static enum loom_way choose(const struct loom_generation *generation,
			    const struct provider_dialect *dialect)
{
	const struct loom_generate_request *request = &generation->request;
	const struct loom_prompt_message *last = NULL;
	bool prefill = provider_prefill_of(dialect, &generation->voice.model) > LOOM_PREFILL_NO &&
		       (provider_prefill_said(generation) ||
			!loom_facts_gone(generation->facts, LOOM_STR("prefill")));
	struct loom_str begun = request->text;

	if (!dialect->chat)
		return request->message_count ? LOOM_WAY_TRANSCRIPT : LOOM_WAY_COMPLETION;
	if (request->message_count) {
		last = &request->messages[request->message_count - 1];
		begun = last->text;
		/* only a subject continues what somebody has begun; others answer */
		if (generation->voice.use != LOOM_GENERATE_SUBJECT)
			return LOOM_WAY_CHAT;
		if (request->messages[0].role == LOOM_ROLE_ASSISTANT)
			return LOOM_WAY_FRAMED;
		if (last->role != LOOM_ROLE_ASSISTANT)
			return LOOM_WAY_CHAT;
	}
	/* some servers trim a beginning that ends in a blank, and take none from a model that is
	 * to think first, so it is framed instead */
	prefill = prefill && begun.n &&
		  !(dialect->trims && (ends_in_blank(begun) || provider_is_to_think(generation)));
	if (!request->message_count && begun.n)
		return ladder(generation, prefill);
	return prefill ? LOOM_WAY_PREFILL : LOOM_WAY_FRAMED;
}

/* A transcript ends where the other speaker would begin. */
static void add_stop(struct loom_generation *generation)
{
	static const struct loom_str speaker = LOOM_STR_INIT("\n\n" LOOM_SAYS_USER);
	struct loom_sampling *sampling = &generation->voice.sampling;
	struct loom_str *stop =
		LOOM_ARENA_ARRAY(generation->arena, sampling->stop_count + 1, struct loom_str);

	for (size_t i = 0; i < sampling->stop_count; i++)
		stop[i] = sampling->stop[i];
	stop[sampling->stop_count++] = speaker;
	sampling->stop = stop;
	sampling->set |= LOOM_SAMPLING_STOP;
}

/* Which lines a text must not imitate in a transcript of these messages. */
static unsigned lines_below(const struct loom_generate_request *request)
{
	unsigned below = LOOM_BELOW_ROLES;

	for (size_t i = 0; i < request->message_count; i++)
		if (request->messages[i].call_count || request->messages[i].role == LOOM_ROLE_TOOL)
			below |= LOOM_BELOW_CALLS;
	return below;
}

/* Appends a conversation as a transcript; returns how many lines were quoted. */
static size_t add_transcript(const struct loom_generate_request *request, struct loom_buf *out)
{
	static const char *const labels[] = {
		[LOOM_ROLE_OTHER] = LOOM_SAYS_USER,
		[LOOM_ROLE_USER] = LOOM_SAYS_USER,
		[LOOM_ROLE_ASSISTANT] = LOOM_SAYS_ASSISTANT,
		[LOOM_ROLE_TOOL] = LOOM_SAYS_TOOL,
		[LOOM_ROLE_SYSTEM] = NULL,
	};
	const unsigned below = lines_below(request);
	const struct loom_prompt_message *last = NULL;
	size_t quoted = 0;

	for (size_t i = 0; i < request->message_count; i++) {
		last = &request->messages[i];
		quoted += loom_prompt_text(last, labels[last->role], below, out);
		if (i + 1 < request->message_count)
			loom_buf_adds(out, "\n\n");
	}
	if (last && last->role != LOOM_ROLE_ASSISTANT)
		loom_buf_adds(out, "\n\n" LOOM_SAYS_ASSISTANT);
	return quoted;
}

/* How many lines a transcript quotes; 0 where speakers are not named in the text. */
static size_t count_quoted(const struct loom_generation *generation)
{
	const bool talk = generation->strategy == LOOM_WAY_TRANSCRIPT ||
			  generation->strategy == LOOM_WAY_FRAMED;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const size_t quoted = talk ? add_transcript(&generation->request, &text) : 0;

	loom_buf_fini(&text);
	return quoted;
}

void provider_prompt_plan(struct loom_generation *generation,
			  const struct provider_dialect *dialect)
{
	const struct loom_caps *caps = &generation->voice.model.caps;
	int64_t logprobs = caps->logprobs >= 0 ? caps->logprobs : dialect->caps.logprobs;
	size_t stops = (size_t)(caps->stop >= 0 ? caps->stop : dialect->caps.stop);
	struct loom_sampling *sent = &generation->sent;

	provider_effort_plan(generation, dialect);
	generation->strategy = choose(generation, dialect);
	generation->quoted = count_quoted(generation);
	if (generation->strategy == LOOM_WAY_TRANSCRIPT)
		add_stop(generation);
	*sent = generation->voice.sampling;
	sent->set &= dialect->caps.sampling;
	if (!provider_can(caps->temperature, true))
		sent->set &= ~(unsigned)(LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P);
	if (!provider_can(caps->seed, true))
		sent->set &= ~(unsigned)LOOM_SAMPLING_SEED;
	if (sent->logprobs > logprobs)
		sent->logprobs = logprobs;
	if (!sent->logprobs)
		sent->set &= ~(unsigned)LOOM_SAMPLING_LOGPROBS;
	/* we look for the others ourselves */
	if (sent->stop_count > stops)
		sent->stop_count = stops;
	if (!sent->stop_count)
		sent->set &= ~(unsigned)LOOM_SAMPLING_STOP;
	if (dialect->fit)
		dialect->fit(&generation->voice.model, sent);
}

void provider_prompt_text(const struct loom_generation *generation, struct loom_buf *out)
{
	const struct loom_generate_request *request = &generation->request;

	if (request->system.n) {
		loom_buf_add(out, request->system);
		loom_buf_adds(out, "\n\n");
	}
	if (request->message_count)
		(void)add_transcript(request, out);
	else
		loom_buf_add(out, request->text);
}

static struct loom_str frame(const struct loom_generation *generation)
{
	const struct loom_generate_request *request = &generation->request;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const bool fill = generation->strategy == LOOM_WAY_FILL;
	struct loom_str result;

	loom_buf_addf(&text, "%s\n\n%s\n",
		      request->message_count ? framed_talk
		      : fill                 ? filled_text
					     : framed_text,
		      marker);
	if (request->message_count)
		(void)add_transcript(request, &text);
	else
		loom_buf_add(&text, request->text);
	if (fill)
		loom_buf_adds(&text, "[...]");
	loom_buf_addf(&text, "\n%s", marker);
	result = loom_arena_buf(generation->arena, &text);
	loom_buf_fini(&text);
	return result;
}

/* Joins the prompt and whatever the messages say as the system. */
static struct loom_str all_system(const struct loom_generation *generation)
{
	const struct loom_generate_request *request = &generation->request;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str result;

	loom_buf_add(&text, request->system);
	for (size_t i = 0; i < request->message_count; i++)
		if (request->messages[i].role == LOOM_ROLE_SYSTEM && request->messages[i].text.n)
			loom_buf_addf(&text, "%s%.*s", text.n ? "\n\n" : "",
				      LOOM_STR_ARG(request->messages[i].text));
	result = loom_arena_buf(generation->arena, &text);
	loom_buf_fini(&text);
	return result;
}

/* The examples of few-shot, then the text itself. Returns how many messages it has added. */
static size_t add_beginning(const struct loom_generation *generation,
			    struct loom_prompt_message *messages)
{
	size_t n = 0;

	for (size_t i = 0; generation->strategy == LOOM_WAY_FEW_SHOT && i < LOOM_COUNT(examples);
	     i++) {
		messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_USER,
							     .text = loom_str_of(examples[i].said)};
		messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_ASSISTANT,
							     .text = loom_str_of(examples[i].next)};
	}
	messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_USER,
						     .text = generation->request.text};
	return n;
}

/* The system prompt comes last, so that it counts. */
static struct loom_str brief(const struct loom_generation *generation)
{
	const struct loom_str own = generation->request.system;

	return own.n ? loom_arena_format(generation->arena, "%s\n\n%.*s", as_system,
					 LOOM_STR_ARG(own))
		     : loom_str_of(as_system);
}

const struct loom_prompt_message *provider_prompt_messages(const struct loom_generation *generation,
							   size_t *count)
{
	const struct loom_generate_request *request = &generation->request;
	const enum loom_way way = generation->strategy;
	const bool framed = way == LOOM_WAY_FRAMED || way == LOOM_WAY_FILL;
	const bool briefed = way == LOOM_WAY_SYSTEM || way == LOOM_WAY_FEW_SHOT;
	struct loom_prompt_message *messages =
		LOOM_ARENA_ARRAY(generation->arena,
				 request->message_count + 3 + 2 * LOOM_COUNT(examples),
				 struct loom_prompt_message);
	/* The frame has the whole conversation. */
	const struct loom_str system = briefed  ? brief(generation)
				       : framed ? request->system
						: all_system(generation);
	size_t n = 0;

	if (system.n)
		messages[n++] =
			(struct loom_prompt_message){.role = LOOM_ROLE_SYSTEM, .text = system};
	if (framed) {
		messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_USER,
							     .text = frame(generation)};
	} else if (briefed) {
		n += add_beginning(generation, &messages[n]);
	} else if (!request->message_count) {
		messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_USER,
							     .text = loom_str_of(go_on)};
		messages[n++] = (struct loom_prompt_message){.role = LOOM_ROLE_ASSISTANT,
							     .text = request->text};
	} else {
		for (size_t i = 0; i < request->message_count; i++)
			if (request->messages[i].role != LOOM_ROLE_SYSTEM)
				messages[n++] = request->messages[i];
	}
	*count = n;
	return messages;
}

void provider_put_prompt(const struct loom_generation *generation, struct loom_json *json)
{
	struct loom_buf prompt = LOOM_BUF_INIT(LOOM_BUF_MAX);

	provider_prompt_text(generation, &prompt);
	loom_json_put(json, "prompt", loom_buf_str(&prompt));
	loom_buf_fini(&prompt);
}

void provider_put_messages(const struct loom_generation *generation, bool prefix,
			   struct loom_json *json)
{
	size_t count = 0;
	const struct loom_prompt_message *messages = provider_prompt_messages(generation, &count);

	loom_json_key(json, "messages");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		loom_json_object(json);
		loom_prompt_json(&messages[i], json);
		if (prefix && i + 1 == count)
			loom_json_put_bool(json, "prefix", true);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}
