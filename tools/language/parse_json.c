/* The document of `loom parse --json`. */
#include "inside.h"

static void put_lines(struct loom_json *json, const int64_t lines[2])
{
	loom_json_array(json);
	loom_json_number(json, lines[0]);
	loom_json_number(json, lines[1]);
	loom_json_end_array(json);
}

static void put_texts(struct loom_json *json, const struct loom_str *items, size_t count)
{
	loom_json_array(json);
	for (size_t i = 0; i < count; i++)
		loom_json_text(json, items[i]);
	loom_json_end_array(json);
}

static void put_place(struct loom_json *json, const struct loom_place *place)
{
	if (place->kind == LOOM_PLACE_LINE)
		loom_json_number(json, place->line);
	else if (place->kind == LOOM_PLACE_SECTION)
		loom_json_text(json, place->section);
	else
		loom_json_text(json, place->kind == LOOM_PLACE_START ? LOOM_STR("start")
								     : LOOM_STR("end"));
}

static void put_value(struct loom_json *json, const struct loom_call *call, enum lang_param param)
{
	const void *field = lang_param_peek(call, param);
	const struct loom_names *names = field;

	switch (lang_param_info(param)->type) {
	case LANG_T_ID:
	case LANG_T_NAME:
	case LANG_T_TEXT:
		loom_json_text(json, *(const struct loom_str *)field);
		break;
	case LANG_T_IDS:
		put_texts(json, field, 2);
		break;
	case LANG_T_INT:
		loom_json_number(json, *(const int64_t *)field);
		break;
	case LANG_T_RANGE:
		put_lines(json, field);
		break;
	case LANG_T_FLAG:
		loom_json_bool(json, true);
		break;
	case LANG_T_WORD:
		loom_json_text(json,
			       loom_str_of(lang_word_of(param, lang_param_word(call, param))));
		break;
	case LANG_T_NAMES:
		put_texts(json, names->items, names->count);
		break;
	case LANG_T_PLACE:
		put_place(json, &call->place);
		break;
	case LANG_T_VERB:
		loom_json_text(json, loom_str_of(loom_verb_name(call->tool)));
		break;
	}
}

static void put_present(struct loom_json *json, const char *key, struct loom_str text)
{
	if (text.p)
		loom_json_put(json, key, text);
}

static void put_target(struct loom_json *json, const char *key, const struct loom_target *target)
{
	loom_json_key(json, key);
	loom_json_object(json);
	put_present(json, "node", target->node);
	put_present(json, "doc", target->doc);
	put_present(json, "section", target->section);
	put_present(json, "tree", target->tree);
	loom_json_end_object(json);
}

static void put_params(struct loom_json *json, const struct loom_call *call)
{
	loom_json_key(json, "params");
	loom_json_object(json);
	for (int i = 0; i < LANG_P_COUNT; i++) {
		enum lang_param param = (enum lang_param)i;
		const char *key = lang_param_info(param)->json;

		if (!key || !lang_param_set(call, param))
			continue;
		loom_json_key(json, key);
		put_value(json, call, param);
	}
	if (call->target.node.p || call->target.doc.p || call->target.tree.p)
		put_target(json, "target", &call->target);
	if (call->pin.node.p)
		loom_json_put(json, "pin", call->pin.node);
	else if (call->pin.doc.p)
		put_target(json, "pin", &call->pin);
	loom_json_end_object(json);
}

void loom_call_json(const struct loom_call *call, struct loom_json *json)
{
	loom_json_put(json, "cmd", loom_str_of(loom_verb_name(call->verb)));
	put_params(json, call);
	loom_json_put_int(json, "line", call->line);
}

void loom_refusal_json(const struct loom_refusal *refusal, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put_int(json, "line", refusal->line);
	loom_json_put(json, "code", loom_str_of(loom_status_code(refusal->status)));
	loom_json_put_bool(json, "clarify", refusal->clarify);
	loom_json_key(json, "candidates");
	loom_json_array(json);
	for (size_t i = 0; i < refusal->candidate_count; i++)
		loom_json_text(json, loom_str_of(loom_verb_name(refusal->candidates[i])));
	loom_json_end_array(json);
	loom_json_put(json, "message", refusal->message);
	loom_json_put(json, "hint", refusal->hint);
	loom_json_put_retry(json, refusal->status);
	loom_json_end_object(json);
}

static void put_call(struct loom_json *json, const struct loom_call *call)
{
	loom_json_object(json);
	loom_call_json(call, json);
	loom_json_end_object(json);
}

static void put_calls(struct loom_json *json, const char *key, const struct loom_turn *turn,
		      bool with)
{
	loom_json_key(json, key);
	loom_json_array(json);
	for (size_t i = 0; with && i < turn->call_count; i++)
		put_call(json, &turn->calls[i]);
	loom_json_end_array(json);
}

static void put_hint(struct loom_json *json, const struct loom_turn_hint *hint)
{
	loom_json_object(json);
	loom_json_put_int(json, "line", hint->line);
	loom_json_put(json, "hint", loom_str_of(loom_scan_hint_code(hint->hint)));
	loom_json_end_object(json);
}

static void put_hints(struct loom_json *json, const struct loom_turn *turn)
{
	loom_json_key(json, "hints");
	loom_json_array(json);
	for (size_t i = 0; i < turn->hint_count; i++)
		put_hint(json, &turn->hints[i]);
	loom_json_end_array(json);
}

static void put_batches(struct loom_json *json, const struct loom_turn *turn)
{
	size_t count = turn->source == LOOM_SOURCE_PASTE ? 0 : turn->call_count;

	loom_json_key(json, "batches");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || turn->calls[i].batch != turn->calls[i - 1].batch)
			loom_json_array(json);
		loom_json_number(json, (int64_t)i);
		if (i + 1 == count || turn->calls[i + 1].batch != turn->calls[i].batch)
			loom_json_end_array(json);
	}
	loom_json_end_array(json);
}

void loom_turn_json_rest(const struct loom_turn *turn, struct loom_json *json)
{
	loom_json_key(json, "errors");
	loom_json_array(json);
	for (size_t i = 0; i < turn->error_count; i++)
		loom_refusal_json(&turn->errors[i], json);
	loom_json_end_array(json);
	put_hints(json, turn);
	put_batches(json, turn);
	put_calls(json, "proposed", turn, turn->source == LOOM_SOURCE_PASTE);
}

void loom_turn_json(const struct loom_turn *turn, struct loom_buf *out)
{
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	put_calls(&json, "calls", turn, turn->source != LOOM_SOURCE_PASTE);
	loom_turn_json_rest(turn, &json);
	loom_json_end_object(&json);
}

/* ---- a text that is only displayed ---- */

enum part { PART_CALLS, PART_ERRORS, PART_HINTS, PART_BATCHES, PART_PROPOSED, PARTS };

static const char *const part_keys[PARTS] = {"calls", "errors", "hints", "batches", "proposed"};

/* The members of the document, each an array that grows while the text is read. The first is
 * written into the document itself, because nothing precedes it. */
struct pass {
	struct loom_buf texts[PARTS];
	struct loom_json parts[PARTS];
	enum part where; /* the calls of a paste are proposals */
	size_t calls;
	size_t batch; /* number of the last one */
};

static void pass_call(void *ctx, const struct loom_call *call)
{
	struct pass *pass = ctx;
	struct loom_json *batches = &pass->parts[PART_BATCHES];

	put_call(&pass->parts[pass->where], call);
	if (pass->where != PART_CALLS)
		return;
	if (pass->calls && call->batch != pass->batch)
		loom_json_end_array(batches);
	if (!pass->calls || call->batch != pass->batch)
		loom_json_array(batches);
	loom_json_number(batches, (int64_t)pass->calls++);
	pass->batch = call->batch;
}

static void pass_refusal(void *ctx, const struct loom_refusal *refusal)
{
	loom_refusal_json(refusal, &((struct pass *)ctx)->parts[PART_ERRORS]);
}

static void pass_hint(void *ctx, const struct loom_turn_hint *hint)
{
	put_hint(&((struct pass *)ctx)->parts[PART_HINTS], hint);
}

static void begin_parts(struct pass *pass, struct loom_buf *out)
{
	struct loom_json *first = &pass->parts[PART_CALLS];

	loom_json_init(first, out);
	loom_json_object(first);
	loom_json_key(first, part_keys[PART_CALLS]);
	loom_json_array(first);
	for (int i = PART_CALLS + 1; i < PARTS; i++) {
		loom_buf_init(&pass->texts[i], LOOM_BUF_MAX);
		loom_json_init(&pass->parts[i], &pass->texts[i]);
		loom_json_array(&pass->parts[i]);
	}
}

static void end_parts(struct pass *pass)
{
	struct loom_json *document = &pass->parts[PART_CALLS];

	if (pass->calls)
		loom_json_end_array(&pass->parts[PART_BATCHES]);
	loom_json_end_array(document);
	for (int i = PART_CALLS + 1; i < PARTS; i++) {
		loom_json_end_array(&pass->parts[i]);
		loom_json_key(document, part_keys[i]);
		loom_json_raw(document, loom_buf_str(&pass->texts[i]));
		loom_buf_fini(&pass->texts[i]);
	}
	loom_json_end_object(document);
}

void loom_parse_json(enum loom_source source, struct loom_str text, struct loom_buf *out)
{
	struct pass pass = {.where = source == LOOM_SOURCE_PASTE ? PART_PROPOSED : PART_CALLS};
	const struct lang_turn_sink sink = {pass_call, pass_refusal, pass_hint, &pass};
	struct loom_turn *turn = lang_turn_pass(source, &sink);

	begin_parts(&pass, out);
	loom_turn_feed(turn, text);
	loom_turn_end(turn);
	end_parts(&pass);
	loom_turn_destroy(turn);
}
