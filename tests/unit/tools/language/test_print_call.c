/* The laws of printing: what is printed reads back as the same call, and only the same. */
#include <greatest.h>

#include <tests/support/prop.h>
#include <tests/support/same_call.h>
#include "tools/language/inside.h"

GREATEST_MAIN_DEFS();

static struct loom_str random_id(struct prop *prop, struct loom_arena *arena)
{
	static const char signs[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	char text[40];
	size_t n = 4 + prop_below(prop, 5);

	switch (prop_below(prop, 6)) {
	case 0:
		return loom_arena_format(arena, "ann-%d", (int)prop_between(prop, 1, 999));
	case 1:
		return loom_arena_format(arena, "res-%d", (int)prop_between(prop, 1, 999));
	case 2:
		return LOOM_STR("01hq3k9zzzabcdefghjkmnpqr");
	default:
		break;
	}
	for (size_t i = 0; i < n; i++)
		text[i] = signs[prop_below(prop, sizeof signs - 1)];
	text[prop_below(prop, n)] = (char)('0' + prop_below(prop, 10));
	if (prop_once_in(prop, 3))
		return loom_arena_format(arena, "%.*s'%d", (int)n, text,
					 (int)prop_between(prop, 4, 99));
	return loom_arena_format(arena, "%.*s%.*s", (int)n, text, (int)prop_below(prop, 4), "'''");
}

/* Any bytes but none; now and then what looks like the language. */
static struct loom_str random_name(struct prop *prop, struct loom_arena *arena)
{
	static const char *const scraps[] = {
		"\"",   "\\",   "\n→ prune r001\n", "”",     "“", "\r\n", "←",
		"  # ", "doc:", "<think>",          "```\n", " ", "x",    "and"};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	if (prop_once_in(prop, 4))
		return prop_once_in(prop, 2) ? LOOM_STR("motive-2.b") : LOOM_STR("12");
	for (size_t left = 1 + prop_size(prop, 12); left--;) {
		if (prop_once_in(prop, 2))
			loom_buf_adds(&text, scraps[prop_below(prop, LOOM_COUNT(scraps))]);
		else
			prop_bytes(prop, 3, &text);
	}
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy;
}

static struct loom_str random_word(struct prop *prop, struct loom_str values)
{
	struct loom_str word = values;

	do
		if (!loom_str_cut(&values, '|', &word))
			break;
	while (prop_once_in(prop, 2));
	return word;
}

static void random_names(struct prop *prop, struct loom_arena *arena, struct loom_names *out)
{
	static const char *const names[] = {"a.com", "b c", "d\"e", "f\\", "g-1", "é"};

	out->count = 1 + prop_below(prop, 3);
	out->items = LOOM_ARENA_ARRAY(arena, out->count, struct loom_str);
	for (size_t i = 0; i < out->count; i++)
		out->items[i] = loom_str_of(names[prop_below(prop, LOOM_COUNT(names))]);
}

/* A name; of those that are listed one, and a number where only that will do. */
static struct loom_str random_text(struct prop *prop, struct loom_arena *arena,
				   const struct lang_slot *slot)
{
	if (slot->param < LANG_P_THINKING || slot->param > LANG_P_TOP_N_SIGMA)
		return random_name(prop, arena);
	if (slot->values.n > 1)
		return random_word(prop, slot->values);
	return loom_arena_format(arena, "%u.%u", (unsigned)prop_below(prop, 100),
				 (unsigned)prop_below(prop, 100));
}

static void random_value(struct prop *prop, struct loom_arena *arena, const struct lang_slot *slot,
			 struct loom_call *call)
{
	void *field = lang_param_field(call, slot->param);
	struct loom_str *text = field;
	int64_t *number = field;

	switch (lang_param_info(slot->param)->type) {
	case LANG_T_IDS:
		text[1] = random_id(prop, arena);
		text[0] = random_id(prop, arena);
		break;
	case LANG_T_ID:
		*text = random_id(prop, arena);
		break;
	case LANG_T_NAME:
	case LANG_T_TEXT:
		*text = random_text(prop, arena, slot);
		break;
	case LANG_T_INT:
		*number = prop_between(prop, 1, INT64_MAX);
		break;
	case LANG_T_RANGE:
		number[0] = prop_between(prop, 1, 1000);
		number[1] = number[0] + prop_between(prop, 0, 1000);
		break;
	case LANG_T_FLAG:
		*(bool *)field = true;
		break;
	case LANG_T_WORD:
		lang_param_set_word(call, slot->param,
				    lang_word_value(slot->param, random_word(prop, slot->values)));
		break;
	case LANG_T_NAMES:
		random_names(prop, arena, field);
		break;
	case LANG_T_PLACE:
		call->place.kind = (enum loom_place_kind)prop_between(prop, 1, 4);
		if (call->place.kind == LOOM_PLACE_LINE)
			call->place.line = prop_between(prop, 1, 5000);
		if (call->place.kind == LOOM_PLACE_SECTION)
			call->place.section = random_name(prop, arena);
		break;
	case LANG_T_VERB:
		call->tool = (enum loom_verb)prop_between(prop, 1, LOOM_VERB_COUNT - 1);
		break;
	}
}

/* A thought as the scanner could have cut it out: trimmed, no line of it closes it. */
static void random_thought(struct prop *prop, struct loom_arena *arena, struct loom_call *call)
{
	struct loom_str text;

	do
		text = lang_trim(random_name(prop, arena));
	while (!text.n || loom_str_find(text, LOOM_STR(LANG_BACK_ARROW), 0) != SIZE_MAX);
	call->content = text;
	call->unterminated = prop_once_in(prop, 3);
}

/* Nothing closes these: on a line of several an arrow behind words is one of the words. */
TEST an_open_thought_keeps_the_arrows_in_it(void)
{
	static const char *const texts[] = {
		"a ←",
		"a ←.",
		"a\nb ←",
		"a ← b\nc ←",
		"←b\n\xE2\x86←",
		"a\n←\xEF\xB9\x8F",
		"a\n←\xEF\xB8\xBF",
		"a ←\xEF\xB8\x8E\nb",
	};

	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);
		struct loom_buf printed = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_refusal refusal;
		struct loom_call again;

		loom_turn_feed(turn, LOOM_STR("→ think\n"));
		loom_turn_feed(turn, loom_str_of(texts[i]));
		loom_turn_end(turn);
		ASSERT_EQm(texts[i], 1, turn->call_count);
		ASSERTm(texts[i], turn->calls[0].unterminated);
		ASSERTm(texts[i], loom_str_is(turn->calls[0].content, texts[i]));
		loom_call_print(&turn->calls[0], &printed);
		ASSERT_EQ(LOOM_OK,
			  loom_parse_line(arena, loom_buf_str(&printed), &again, &refusal));
		ASSERTm(texts[i], loom_str_is(again.content, texts[i]));
		loom_buf_fini(&printed);
		loom_turn_destroy(turn);
		loom_arena_destroy(arena);
	}
	PASS();
}

/* A call of the verb that is whole: one slot of each item that must be, some of the others. */
static struct loom_call random_call(struct prop *prop, struct loom_arena *arena,
				    enum loom_verb verb)
{
	struct loom_call call = loom_call_of(verb);
	struct lang_form form;
	unsigned char which = 0;

	lang_form_read(verb, &form);
	which = (unsigned char)prop_below(prop, form.forms);
	for (unsigned char item = 0; item < form.items; item++) {
		const struct lang_slot *chosen = NULL;
		size_t seen = 0;

		for (size_t i = 0; i < form.count; i++)
			if (form.slots[i].form == which && form.slots[i].item == item &&
			    prop_below(prop, ++seen) == 0)
				chosen = &form.slots[i];
		if (chosen && (!chosen->optional || prop_once_in(prop, 2)))
			random_value(prop, arena, chosen, &call);
	}
	if (form.takes_id && !call.tree.p && lang_tree_has_use(&form, &call) &&
	    prop_once_in(prop, 3))
		call.tree = random_name(prop, arena);
	if (verb == LOOM_VERB_THINK)
		random_thought(prop, arena, &call);
	return call;
}

static enum greatest_test_res check_reread(struct loom_arena *arena, const struct loom_call *call,
					   struct loom_str printed)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);
	struct loom_refusal refusal;
	struct loom_call again;

	loom_turn_feed(turn, LOOM_STR("→ "));
	loom_turn_feed(turn, printed);
	if (!call->unterminated)
		loom_turn_feed(turn, LOOM_STR("\n→ undo\n"));
	loom_turn_end(turn);
	ASSERT_EQm(printed.p, 0, turn->error_count);
	ASSERT_EQm(printed.p, call->unterminated ? 1 : 2, turn->call_count);
	ASSERTm(printed.p, same_call(call, &turn->calls[0]));
	loom_turn_destroy(turn);

	ASSERT_EQm(printed.p, LOOM_OK, loom_parse_line(arena, printed, &again, &refusal));
	again.unterminated = call->unterminated;
	ASSERTm(printed.p, same_call(call, &again));
	PASS();
}

TEST reading_what_was_printed_gives_the_same_call(void)
{
	struct prop prop;

	prop_init(&prop, "print");
	for (int round = 0; round < 300; round++) {
		struct loom_arena *arena = loom_arena_create();

		for (int verb = 1; verb < LOOM_VERB_COUNT; verb++) {
			struct loom_call call = random_call(&prop, arena, (enum loom_verb)verb);
			struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

			loom_call_print(&call, &out);
			CHECK_CALL(check_reread(arena, &call, loom_buf_str(&out)));
			loom_buf_fini(&out);
		}
		loom_arena_destroy(arena);
	}
	PASS();
}

TEST calls_differ_when_any_field_does(void)
{
	struct prop prop;

	prop_init(&prop, "differ");
	for (int round = 0; round < 100; round++) {
		struct loom_arena *arena = loom_arena_create();

		for (int verb = 1; verb < LOOM_VERB_COUNT; verb++) {
			struct loom_call a = random_call(&prop, arena, (enum loom_verb)verb);
			struct loom_call b = random_call(&prop, arena, (enum loom_verb)verb);
			struct loom_buf x = LOOM_BUF_INIT(LOOM_BUF_MAX);
			struct loom_buf y = LOOM_BUF_INIT(LOOM_BUF_MAX);

			loom_call_print(&a, &x);
			loom_call_print(&b, &y);
			ASSERT_EQ(loom_str_eq(loom_buf_str(&x), loom_buf_str(&y)),
				  same_call(&a, &b));
			loom_buf_fini(&x);
			loom_buf_fini(&y);
		}
		loom_arena_destroy(arena);
	}
	PASS();
}

SUITE(print_call)
{
	RUN_TEST(reading_what_was_printed_gives_the_same_call);
	RUN_TEST(an_open_thought_keeps_the_arrows_in_it);
	RUN_TEST(calls_differ_when_any_field_does);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(print_call);
	GREATEST_MAIN_END();
}
