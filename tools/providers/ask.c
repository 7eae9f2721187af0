/* Reads an ask's answer: the kind of its body, its events, its refusals.
 *
 * A server may repeat the beginning that it was to continue; text is held back until it can no
 * longer be such an echo. Events are checked as JSON that may contain what only JavaScript allows
 * (U+0000, lone surrogates); one that is not JSON fails its ask and nothing else. */
#include "ask.h"

#include <loom/base/utf8.h>
#include <loom/http/redact.h>

#define REFUSAL_MAX  ((size_t)64 << 10)
#define DOCUMENT_MAX ((size_t)8 << 20)

struct loom_generation *provider_ask_generation(const struct provider_ask *ask)
{
	return ask->generation;
}

size_t provider_ask_count(const struct provider_ask *ask)
{
	return ask->count;
}

struct loom_sampling provider_ask_sampling(const struct provider_ask *ask)
{
	struct loom_sampling sent = provider_choice_sampling(ask->generation, ask->first);

	sent.tokens = ask->generation->allowed;
	return sent;
}

struct loom_arena *provider_ask_scratch(const struct provider_ask *ask)
{
	return ask->scratch;
}

static void fail(struct provider_ask *ask, const char *format, ...) LOOM_PRINTF(2, 3);
static void fail(struct provider_ask *ask, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_str name = ask->generation->voice.provider->name;
	va_list args;

	if (ask->failure.status != LOOM_OK)
		return;
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	http_secret_hide(text.p, text.n, ask->generation->secret);
	loom_fail(&ask->failure, LOOM_MODEL, "%.*s %s", LOOM_STR_ARG(name), loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

/* Keeps the raw answer of a choice: the events about it, or about all. */
static void keep_raw(struct provider_ask *ask, size_t choice)
{
	provider_choice_raw(ask->generation, ask->first + choice, ask->event);
	provider_choice_raw(ask->generation, ask->first + choice, LOOM_STR("\n"));
}

static struct provider_part *part_of(struct provider_ask *ask, size_t choice)
{
	struct provider_part *part = NULL;

	if (choice >= ask->count)
		return NULL;
	part = &ask->parts[choice];
	/* Keep the event before acting on it, because it may end the choice. */
	if (!part->touched)
		keep_raw(ask, choice);
	part->seen = part->touched = true;
	return part;
}

/* The beginning that the answer continues, if it was given one. */
static struct loom_str beginning(const struct provider_ask *ask)
{
	const struct loom_generate_request *request = &ask->generation->request;

	if (ask->generation->strategy != LOOM_WAY_PREFILL)
		return loom_str_make("", 0);
	return request->message_count ? request->messages[request->message_count - 1].text
				      : request->text;
}

void provider_ask_release(struct provider_ask *ask, size_t choice)
{
	struct provider_part *part = &ask->parts[choice];

	part->echo_over = true;
	provider_choice_text(ask->generation, ask->first + choice, loom_buf_str(&part->echo));
	loom_buf_clear(&part->echo);
}

void provider_ask_text(struct provider_ask *ask, size_t choice, struct loom_str value)
{
	bool said = loom_jval_type(value) == LOOM_JTYPE_STRING;
	struct provider_part *part = said ? part_of(ask, choice) : NULL;
	struct loom_str text = loom_jval_text(value, ask->scratch);
	struct loom_str begun = beginning(ask);
	struct loom_str held;

	if (!part || !text.n)
		return;
	if (!begun.n)
		part->echo_over = true;
	if (part->echo_over) {
		provider_choice_text(ask->generation, ask->first + choice, text);
		return;
	}
	loom_buf_add(&part->echo, text);
	held = loom_buf_str(&part->echo);
	if (held.n < begun.n && loom_str_starts(begun, held))
		return;
	part->echo_over = true;
	if (loom_str_starts(held, begun))
		held = loom_str_sub(held, begun.n, SIZE_MAX);
	provider_choice_text(ask->generation, ask->first + choice, held);
	loom_buf_clear(&part->echo);
}

void provider_ask_thinking(struct provider_ask *ask, size_t choice, struct loom_str value)
{
	struct loom_str text = loom_jval_text(value, ask->scratch);

	if (text.n && part_of(ask, choice))
		provider_choice_thinking(ask->generation, ask->first + choice, text);
}

struct loom_str provider_ask_thought(const struct provider_ask *ask, size_t choice)
{
	const struct provider_choice *one = &ask->generation->choices[ask->first + choice];

	return loom_str_sub(loom_buf_str(&one->thinking), one->signed_upto, SIZE_MAX);
}

void provider_ask_signed(struct provider_ask *ask, size_t choice, struct loom_str thought)
{
	if (loom_jval_type(thought) == LOOM_JTYPE_OBJECT && part_of(ask, choice))
		provider_choice_signed(ask->generation, ask->first + choice, thought);
}

void provider_ask_token(struct provider_ask *ask, size_t choice, const struct provider_token *token)
{
	if (part_of(ask, choice))
		provider_choice_token(ask->generation, ask->first + choice, token);
}

void provider_ask_finish(struct provider_ask *ask, size_t choice, enum loom_finish finish)
{
	struct provider_part *part = part_of(ask, choice);

	if (!part)
		return;
	part->finished = true;
	part->finish = finish;
}

void provider_ask_stopped(struct provider_ask *ask, size_t choice, struct loom_str value)
{
	struct loom_str stop = loom_jval_text(value, ask->scratch);
	struct provider_part *part = stop.n ? part_of(ask, choice) : NULL;

	if (!part)
		return;
	part->finish = LOOM_FINISH_STOP_TEXT;
	ask->generation->choices[ask->first + choice].stop =
		loom_arena_str(ask->generation->arena, stop);
}

void provider_ask_usage(struct provider_ask *ask, size_t choice, const struct provider_usage *usage)
{
	struct provider_usage told = *usage;

	if (choice == PROVIDER_CHOICES_ALL && ask->count > 1)
		told.shared = ask->count;
	for (size_t i = 0; i < ask->count; i++)
		if (choice == PROVIDER_CHOICES_ALL || choice == i)
			ask->generation->choices[ask->first + i].usage = told;
}

struct provider_usage provider_ask_told(const struct provider_ask *ask)
{
	return ask->generation->choices[ask->first].usage;
}

void provider_ask_served(struct provider_ask *ask, struct loom_str value)
{
	struct loom_str model = loom_jval_text(value, ask->scratch);

	for (size_t i = 0; model.p && i < ask->count; i++) {
		struct loom_str *served = &ask->generation->choices[ask->first + i].served;

		if (!loom_str_eq(*served, model))
			*served = loom_arena_str(ask->generation->arena, model);
	}
}

void provider_ask_over(struct provider_ask *ask)
{
	ask->over = true;
}

void provider_ask_failed(struct provider_ask *ask, struct loom_str message)
{
	fail(ask, "failed while answering: %.*s", LOOM_STR_ARG(message));
}

/* ---- bodies ---- */

static bool is_json(struct loom_str text)
{
	static const struct loom_json_limits limits = {.depth = 64};
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};

	loom_json_read_init(&reader, text, &limits);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE)
		if (loom_json_read(&reader, &token, NULL) != LOOM_OK)
			return false;
	return true;
}

/* Replaces every byte that is not part of a character by U+FFFD: careless servers cut characters in
 * two. */
static struct loom_str mended(struct provider_ask *ask, struct loom_str data)
{
	struct loom_buf text = LOOM_BUF_INIT(3 * LOOM_SSE_MAX);
	struct loom_str result = data;

	if (loom_utf8_valid(data, NULL))
		return data;
	for (size_t at = 0; at < data.n;) {
		size_t from = at;

		if (loom_utf8_next(data, &at) == LOOM_CP_BAD)
			loom_buf_add_cp(&text, 0xFFFD);
		else
			loom_buf_add(&text, loom_str_sub(data, from, at - from));
	}
	result = loom_arena_buf(ask->scratch, &text);
	loom_buf_fini(&text);
	return result;
}

static void on_event(void *ctx, struct loom_str name, struct loom_str data)
{
	struct provider_ask *ask = ctx;
	const char *mark = ask->dialect->end_mark;
	bool any = false;

	if (ask->over || ask->failure.status != LOOM_OK)
		return;
	for (size_t i = 0; i < ask->count; i++)
		ask->parts[i].touched = false;
	ask->event = data;
	data = mended(ask, data);
	if (mark && loom_str_is(data, mark)) {
		ask->over = true;
	} else if (!is_json(data)) {
		fail(ask, "sent something that is not JSON: %.*s",
		     LOOM_STR_ARG(loom_str_sub(data, 0, 100)));
	} else {
		ask->dialect->event(ask, name, loom_jval_of(data));
		loom_arena_reset(ask->scratch);
	}
	for (size_t i = 0; i < ask->count; i++)
		any |= ask->parts[i].touched;
	for (size_t i = 0; i < ask->count && !any; i++)
		keep_raw(ask, i);
}

void provider_ask_reset(struct provider_ask *ask)
{
	if (!ask->scratch) {
		ask->scratch = loom_arena_create();
		ask->parts = loom_alloc(ask->count * sizeof *ask->parts);
	} else {
		loom_buf_fini(&ask->location);
		loom_buf_fini(&ask->document);
		loom_sse_fini(&ask->sse);
	}
	for (size_t i = 0; i < ask->count; i++) {
		loom_buf_fini(&ask->parts[i].echo);
		ask->parts[i] = (struct provider_part){.seen = false};
		loom_buf_init(&ask->parts[i].echo, LOOM_BUF_MAX);
	}
	ask->body = PROVIDER_BODY_NONE;
	ask->status = 0;
	ask->retry_after_ms = -1;
	ask->should_retry = -1;
	ask->began = ask->over = false;
	loom_err_clear(&ask->failure);
	loom_buf_init(&ask->location, 4096);
	loom_buf_init(&ask->document, DOCUMENT_MAX);
	loom_sse_init(&ask->sse, ask->dialect->framing, on_event, ask);
}

void provider_ask_fini(struct provider_ask *ask)
{
	if (!ask->scratch)
		return;
	for (size_t i = 0; i < ask->count; i++)
		loom_buf_fini(&ask->parts[i].echo);
	free(ask->parts);
	loom_buf_fini(&ask->location);
	loom_buf_fini(&ask->document);
	loom_sse_fini(&ask->sse);
	loom_arena_destroy(ask->scratch);
}

static bool type_is(struct loom_str type, const char *name)
{
	struct loom_str plain =
		loom_str_trim(loom_str_sub(type, 0, loom_str_find_char(type, ';', 0)));

	return loom_str_eq_fold(plain, loom_str_of(name));
}

/* Decided by the server's content type, because it may not stream although it was asked to. */
static enum provider_ask_body body_of(const struct provider_ask *ask, struct loom_str type)
{
	bool lines = ask->dialect->framing == LOOM_SSE_LINES;

	if (!type.n || type_is(type, lines ? "application/x-ndjson" : "text/event-stream"))
		return PROVIDER_BODY_EVENTS;
	if (type_is(type, "application/json"))
		return lines ? PROVIDER_BODY_EVENTS : PROVIDER_BODY_DOCUMENT;
	return PROVIDER_BODY_REFUSAL;
}

void provider_ask_head(struct provider_ask *ask, const struct loom_http_head *head)
{
	ask->status = head->status;
	ask->retry_after_ms = head->retry_after_ms;
	ask->should_retry = head->should_retry;
	loom_buf_add(&ask->location, loom_str_sub(head->location, 0, 2000));
	ask->body = PROVIDER_BODY_REFUSAL;
	if (head->status < 200 || head->status >= 300)
		return;
	ask->body = body_of(ask, head->type);
	if (head->encoded) {
		ask->body = PROVIDER_BODY_REFUSAL;
		fail(ask, "compressed its answer without being asked to");
	} else if (ask->body == PROVIDER_BODY_REFUSAL) {
		fail(ask, "answered with %.*s, which no model's server sends",
		     LOOM_STR_ARG(loom_str_sub(head->type, 0, 80)));
	}
}

void provider_ask_bytes(struct provider_ask *ask, struct loom_str bytes)
{
	struct loom_err why;

	if (ask->status >= 200 && ask->status < 300)
		ask->began = true;
	if (ask->body == PROVIDER_BODY_REFUSAL && ask->document.n + bytes.n > REFUSAL_MAX)
		return;
	if (ask->body != PROVIDER_BODY_EVENTS)
		loom_buf_add(&ask->document, bytes);
	else if (loom_sse_feed(&ask->sse, bytes, &why) != LOOM_OK)
		fail(ask, "sent too much: %s", why.text);
}

void provider_ask_read_rest(struct provider_ask *ask)
{
	struct loom_err why;

	if (ask->body == PROVIDER_BODY_DOCUMENT) {
		on_event(ask, loom_str_make("", 0), loom_buf_str(&ask->document));
		ask->over = true;
	} else if (ask->body == PROVIDER_BODY_EVENTS && loom_sse_end(&ask->sse, &why) != LOOM_OK) {
		fail(ask, "sent too much: %s", why.text);
	}
}

/* ---- refusals ---- */

static void hint_money(struct provider_ask *ask)
{
	loom_hint(&ask->failure, LOOM_MODEL, "check the plan and billing of \"%.*s\"",
		  LOOM_STR_ARG(ask->generation->voice.provider->name));
}

static void hint(struct provider_ask *ask)
{
	const struct loom_provider *provider = ask->generation->voice.provider;
	const struct loom_model *model = &ask->generation->voice.model;
	struct loom_err *err = &ask->failure;

	switch (ask->status) {
	case 401:
	case 403:
		loom_hint(err, LOOM_MODEL, "check the key of provider \"%.*s\"",
			  LOOM_STR_ARG(provider->name));
		break;
	case 404:
		loom_hint(err, LOOM_MODEL,
			  "check the id \"%.*s\" and the base_url; loom models lists what is there",
			  LOOM_STR_ARG(model->id));
		break;
	case 402:
		hint_money(ask);
		break;
	case 429:
		if (provider_ask_wants_money(ask)) {
			hint_money(ask);
			break;
		}
		/* fallthrough */
	case 503:
	case 529:
		loom_hint(err, LOOM_MODEL, "try again later, or lower max_parallel");
		break;
	default:
		break;
	}
}

void provider_ask_explain_refusal(struct provider_ask *ask)
{
	struct loom_str body = loom_buf_str(&ask->document);
	struct loom_str message = {NULL, 0};

	if (ask->failure.status != LOOM_OK)
		return;
	if (ask->status >= 300 && ask->status < 400) {
		fail(ask, "redirects to %s, and redirects are not followed",
		     loom_buf_cstr(&ask->location));
		loom_hint(&ask->failure, LOOM_MODEL, "set base_url to the new address");
		return;
	}
	message = loom_server_words(body, ask->scratch);
	if (message.n)
		fail(ask, "answered %d: %.*s", ask->status,
		     LOOM_STR_ARG(loom_utf8_clip(message, 300)));
	else
		fail(ask, "answered %d", ask->status);
	hint(ask);
}

bool provider_ask_wants_money(const struct provider_ask *ask)
{
	static const char *const words[] = {"insufficient_quota", "billing", "credit balance",
					    "spend limit"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (loom_str_find(loom_buf_str(&ask->document), loom_str_of(words[i]), 0) !=
		    SIZE_MAX)
			return true;
	return false;
}
