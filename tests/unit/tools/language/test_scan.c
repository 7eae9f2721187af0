/* Finding calls: what runs, what is inert, and that pieces make no difference. */
#include <greatest.h>

#include <time.h>

#include <tests/support/prop.h>
#include <tests/support/said.h>

GREATEST_MAIN_DEFS();

struct example {
	const char *text;
	const char *said;
};

/* Each text whole, and byte by byte. */
static enum greatest_test_res check_all(const struct example *examples, size_t count)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < count; i++) {
		struct loom_str text = loom_str_of(examples[i].text);

		said_text(LOOM_SOURCE_MODEL, text, 0, &out);
		ASSERT_STR_EQm(examples[i].text, examples[i].said, loom_buf_cstr(&out));
		said_text(LOOM_SOURCE_MODEL, text, 1, &out);
		ASSERT_STR_EQm(examples[i].text, examples[i].said, loom_buf_cstr(&out));
	}
	loom_buf_fini(&out);
	PASS();
}

#define CHECK_ALL(examples) CHECK_CALL(check_all((examples), LOOM_COUNT(examples)))

TEST a_call_line_may_be_indented_by_three_and_have_any_blanks(void)
{
	static const struct example examples[] = {
		{"→ view a7x2", "1 view a7x2"},
		{"→view a7x2\n", "1 view a7x2"},
		{"   → view a7x2", "1 view a7x2"},
		{"    → view a7x2", ""},
		{"\t→ view a7x2", ""},
		{"  \t→ view a7x2", ""},
		{"→\xEF\xB8\x8E view a7x2", "1 view a7x2"},
		{"→\xEF\xB8\x8F\tview\xC2\xA0"
		 "a7x2",
		 "1 view a7x2"},
		{"→\xE2\x80\xAFview\xE3\x80\x80"
		 "a7x2",
		 "1 view a7x2"},
		{"x → view a7x2", ""},
		{"\xC2\xA0→ view a7x2", ""},
		{"one\n\n→ view a7x2\r\n\r\ntwo", "3 view a7x2"},
		{"→ view a7x2\r", "1 view a7x2"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST a_tag_in_a_last_line_without_an_end_is_no_prose(void)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);

	loom_turn_feed(turn, LOOM_STR("Well.\n<think>hidden"));
	loom_turn_end(turn);
	ASSERT_STR_EQ("Well.\n", loom_buf_cstr(&turn->prose));
	ASSERT_STR_EQ("hidden", loom_buf_cstr(&turn->thinking));
	loom_turn_destroy(turn);
	PASS();
}

TEST look_alikes_and_invisible_signs_make_no_call(void)
{
	static const struct example examples[] = {
		{"\xE2\x80\x8B→ prune r001", ""}, /* zero width space */
		{"\xEF\xBB\xBF→ prune r001", ""}, /* byte order mark */
		{"\xE2\x81\xA0→ prune r001", ""}, /* word joiner */
		{"⟶ prune a7x2", ""},
		{"➔ prune a7x2", ""},
		{"➜ prune a7x2", ""},
		{"￫ prune a7x2", ""},
		{"🠒 prune a7x2", ""},
		{"-→ prune a7x2", "1~ NOT_AT_LINE_START"},
		{"→\xE2\x80\x8Bprune a7x2", "1! INVALID_SYNTAX"},
		{"→ pru\xE2\x80\x8Bne a7x2", "1! INVALID_SYNTAX"},
		{"→ рrune a7x2", "1! INVALID_SYNTAX"}, /* a Cyrillic letter */
		{"\xE2\x86", ""},
		{"\xE2\x86\n\x92 prune a7x2", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST fences_are_inert_to_their_own_end(void)
{
	static const struct example examples[] = {
		{"```\n→ prune r001\n```\n→ view a7x2", "4 view a7x2"},
		{"```c\n→ prune r001\n``` \t\r\n→ view a7x2", "4 view a7x2"},
		{"````\n```\n→ prune r001\n```\n````\n→ view a7x2", "6 view a7x2"},
		{"```\n→ prune r001\n`````\n→ view a7x2", "4 view a7x2"},
		{"```\n~~~\n→ prune r001\n```\n→ view a7x2", "5 view a7x2"},
		{"~~~ `x`\n```\n→ prune r001\n~~~\n→ view a7x2", "5 view a7x2"},
		{"```\n→ prune r001\n``` end\n→ prune a7x2", ""},
		{"```\n    ```\n→ prune r001", ""},
		{"   ```\n→ prune r001\n  ```\n→ view a7x2", "4 view a7x2"},
		{"    ```\n→ view a7x2", "2 view a7x2"},
		{"``→ x``\n→ view a7x2", "2 view a7x2"},
		{"```inline``` code\n→ view a7x2", "2 view a7x2"},
		{"- ```\n  → prune r001\n    ```\n→ view a7x2", "4 view a7x2"},
		{"1. ~~~\n→ prune r001", ""},
		{"> ```\n→ view a7x2", "2 view a7x2"},
		{"```\n<think>\n```\n→ view a7x2", "4 view a7x2"},
		{"```\n→ think\n```\n→ view a7x2", "4 view a7x2"},
		{"```\n→ annotate a7x2 \"open\n```\n→ view a7x2", "4 view a7x2"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST quotes_bullets_and_code_on_a_line_are_inert(void)
{
	static const struct example examples[] = {
		{"> → prune r001\n→ view a7x2", "2 view a7x2"},
		{"  > → prune r001", ""},
		{">→ prune r001", ""},
		{"`→ prune r001`", ""},
		{"- → view a7x2", "1~ NOT_AT_LINE_START"},
		{"  * → view a7x2", "1~ NOT_AT_LINE_START"},
		{"12) → view a7x2", "1~ NOT_AT_LINE_START"},
		{"• → view a7x2", "1~ NOT_AT_LINE_START"},
		{"- [ ] → view a7x2", "1~ NOT_AT_LINE_START"},
		{"- a\n  → view a7x2", "2 view a7x2"},
		{"- `→ view a7x2`", ""},
		{"    - → view a7x2", ""},
		{"-- → view a7x2", ""},
		{"1.5 → view a7x2", ""},
		{"Marie → Thomas", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST bullets_are_signs_numbers_and_boxes(void)
{
	static const struct example examples[] = {
		{"- → view a7x2", "1~ NOT_AT_LINE_START"},
		{"12. → view a7x2", "1~ NOT_AT_LINE_START"},
		{"12) → view a7x2", "1~ NOT_AT_LINE_START"},
		{"123456789. → view a7x2", "1~ NOT_AT_LINE_START"},
		{"1234567890. → view a7x2", ""},
		{"12: → view a7x2", ""},
		{"12", ""},
		{"12a. → view a7x2", ""},
		{"- [ ] → view a7x2", "1~ NOT_AT_LINE_START"},
		{"- [x] → view a7x2", "1~ NOT_AT_LINE_START"},
		{"- [X] → view a7x2", "1~ NOT_AT_LINE_START"},
		{"- [y] → view a7x2", ""},
		{"- [x) → view a7x2", ""},
		{"- [x", ""},
		{"-> . a7x2", ""},
		{"-> !?", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST ascii_arrows_before_a_verb_are_hinted_at(void)
{
	static const struct example examples[] = {
		{"-> view a7x2", "1~ ASCII_ARROW"},
		{"  => go to a7x2", "1~ ASCII_ARROW"},
		{"⇒view a7x2", "1~ ASCII_ARROW"},
		{"-> UNPIN b3k9\r\n", "1~ ASCII_ARROW"},
		{"-> help.", "1~ ASCII_ARROW"},
		{"-> so we conclude", ""},
		{"-> the view is nice", ""},
		{"->", ""},
		{"    -> view a7x2", ""},
		{"> -> view a7x2", ""},
		{"```\n-> view a7x2\n```", ""},
		{"--> view a7x2", ""},
		{"x -> view a7x2", ""},
		{"ptr->next", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST think_tags_are_inert_and_only_live_ones_open(void)
{
	static const struct example examples[] = {
		{"<think>\n→ prune r001\n</think>\n→ view a7x2", "4 view a7x2"},
		{"<THINKING>\n→ prune r001\n</Thinking>\n→ view a7x2", "4 view a7x2"},
		{"<think>→ prune r001", ""},
		{"<think>\n→ prune r001", ""},
		{"<think >\n→ prune r001\n</think >\n→ view a7x2", "4 view a7x2"},
		{"well <think>\n→ prune r001\n</think> → prune r001\n→ view a7x2", "4 view a7x2"},
		{"<think>a</think>\n→ view a7x2", "2 view a7x2"},
		{"<think>a</think> b <think>\n→ prune r001", ""},
		{"<think>\n```\n</think>\n→ view a7x2", "4 view a7x2"},
		{"<think>\n→ think\n</think>\n→ view a7x2", "4 view a7x2"},
		{"use `<think>` tags\n→ view a7x2", "2 view a7x2"},
		{"use ``a ` <think>`` tags\n→ view a7x2", "2 view a7x2"},
		{"a stray ` and <think>\n→ prune r001", ""},
		{"    <think>\n→ view a7x2", "2 view a7x2"},
		{"> <think>\n\n→ view a7x2", "3 view a7x2"},
		{"- <think>\n→ prune r001", ""},
		{"<thinker>\n→ view a7x2", "2 view a7x2"},
		{"<think/>\n→ view a7x2", "2 view a7x2"},
		{"<think\n→ view a7x2", "2 view a7x2"},
		{"</think>\n→ view a7x2", "2 view a7x2"},
		{"→ view a7x2 <think>\n→ prune r001\n</think>\n→ view b3k9",
		 "4 view b3k9 | 1! INVALID_SYNTAX"},
		{"→ annotate a7x2 \"<think>\"\n→ view a7x2",
		 "1 annotate a7x2 \"<think>\" | 2 view a7x2"},
		{"well <think a='b'/>\n→ view a7x2", "2 view a7x2"},
		{"well <think a>\n→ prune r001", ""},
		{"→ view a7x2\nwell <think", "1 view a7x2"},
		{"→ view a7x2 <b", "1! INVALID_SYNTAX"},
		{"<think>\n→ prune r001\n<", ""},
		{"<think>\n→ prune r001\n</think", ""},
		{"→ view a7x2 </think>\n→ view b3k9", "2 view b3k9 | 1! INVALID_SYNTAX"},
		{"<thinking>\n</think>\n→ prune r001\n</thinking>\n→ view a7x2", "5 view a7x2"},
		{"<think>\n</thinking>\n→ prune r001\n</think>\n→ view a7x2", "5 view a7x2"},
		{"<thinking>\n<think>\n</think>\n→ prune r001", ""},
		{"<think>a</thinking> b</think>\n→ view a7x2", "2 view a7x2"},
		{"<thinking>a</think>\n→ prune r001", ""},
		{"<think>a</think> <thinking>b</think>\n→ prune r001", ""},
		{"→ view a7x2 <thinking> </think>\n→ prune r001\n</thinking>\n→ view b3k9",
		 "4 view b3k9 | 1! INVALID_SYNTAX"},
		{"→ view a7x2 <think>\n</thinking>\n→ prune r001\n</think>\n→ view b3k9",
		 "5 view b3k9 | 1! INVALID_SYNTAX"},
		{"````````````````````````````````` <think>\n→ prune r001", ""},
		{"x ````````````````````````````````` <think>\n→ prune r001", ""},
		{"x ` `` ``` ` <think>\n→ prune r001", ""},
		{"x ` `` ``` <think>\n→ prune r001", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST a_thought_runs_to_a_line_with_only_its_arrow(void)
{
	static const struct example examples[] = {
		{"→ think so ←\xEF\xB8\x8F\n→ view a7x2", "1 think so ← | 2 view a7x2"},
		{"→ think\nso\n←\xEF\xB8\x8E\n→ view a7x2", "1 think so ← | 4 view a7x2"},
		{"→ think\nso\n←x\n→ view a7x2\n←", "1 think\nso\n←x\n→ view a7x2\n←"},
		{"→ think short ←\n→ view a7x2", "1 think short ← | 2 view a7x2"},
		{"→ think\na\n\n→ prune r001\n←\n→ view a7x2",
		 "1 think\na\n\n→ prune r001\n← | 6 view a7x2"},
		{"→ think first\nsecond\n  ← \r\n→ view a7x2",
		 "1 think\nfirst\nsecond\n← | 4 view a7x2"},
		{"→ think a ← b ←", "1 think a ← b ←"},
		{"→ think a ← b\nc\n←", "1 think\na ← b\nc\n←"},
		{"→ think a\nb ←\nc\n←", "1 think\na\nb ←\nc\n←"},
		{"→ think a ←  # aside", "1 think a ←"},
		{"→ think a ←.", "1 think a ←"},
		{"→ please THINK: so it is ←", "1 think so it is ←"},
		{"→ think \"half a quote ←\n→ view a7x2", "1 think \"half a quote ← | 2 view a7x2"},
		{"→ think\n```\n←\n→ view a7x2", "1 think ``` ← | 4 view a7x2"},
		{"→ think\n<think>\n←\n→ view a7x2", "1 think <think> ← | 4 view a7x2"},
		{"→ think\nstill\n→ prune r001", "1 think\nstill\n→ prune r001"},
		{"→ think ←\n→ view a7x2", "2 view a7x2 | 1! INVALID_SYNTAX"},
		{"→ think", "1! INVALID_SYNTAX"},
		{"→ thinking\n→ view a7x2\n←\n→ view b3k9", "1 think → view a7x2 ← | 4 view b3k9"},
		{"→ think\nand, or, then, if not\n←", "1 think and, or, then, if not ←"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST an_open_thought_is_marked_and_holds_everything(void)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);

	loom_turn_feed(turn, LOOM_STR("a\n→ think one\r\ntwo\r\n→ prune r001\n"));
	loom_turn_end(turn);
	ASSERT_EQ(1, turn->call_count);
	ASSERT(turn->calls[0].unterminated);
	ASSERT(loom_str_is(turn->calls[0].content, "one\r\ntwo\r\n→ prune r001"));
	ASSERT_STR_EQ("a\n", loom_buf_cstr(&turn->prose));
	ASSERT_STR_EQ("one\r\ntwo\r\n→ prune r001", loom_buf_cstr(&turn->thinking));
	loom_turn_destroy(turn);
	PASS();
}

TEST a_quote_swallows_lines_until_it_closes(void)
{
	static const struct example examples[] = {
		{"→ annotate a7x2 \"one\n→ prune r001\n```\n\ntwo\"\n→ view a7x2",
		 "1 annotate a7x2 \"one\n→ prune r001\n```\n\ntwo\" | 6 view a7x2"},
		{"→ annotate a7x2 \"a\r\nb\"\r\n→ view a7x2",
		 "1 annotate a7x2 \"a\r\nb\" | 3 view a7x2"},
		{"→ annotate a7x2 \"open\n→ prune r001\n→ prune b3k9", "1! INVALID_SYNTAX"},
		{"→ annotate a7x2 “curly\n“inner\" \n→ view a7x2",
		 "1 annotate a7x2 \"curly\n“inner\" | 3 view a7x2"},
		{"→ annotate a7x2 „unten“\n→ view a7x2", "1 annotate a7x2 \"unten\" | 2 view a7x2"},
		{"→ annotate a7x2 \"“kept”\"", "1 annotate a7x2 \"“kept”\""},
		{"→ annotate a7x2 \"a \\\" b\n→ prune r001\"\n→ view a7x2",
		 "1 annotate a7x2 \"a \\\" b\n→ prune r001\" | 3 view a7x2"},
		{"→ annotate a7x2 \"a\\\\\"\n→ view a7x2",
		 "1 annotate a7x2 \"a\\\\\" | 2 view a7x2"},
		{"→ annotate a7x2 \"he said \"no\" to her\"\n→ view a7x2",
		 "2 view a7x2 | 1! INVALID_SYNTAX"},
		{"→ annotate a7x2 \"he said \"no\" and\n→ prune r001\"\n→ view a7x2",
		 "3 view a7x2 | 1! INVALID_SYNTAX"},
		{"→ view a7x2  (an \"aside)\n→ view b3k9", "1 view a7x2 | 2 view b3k9"},
		{"→ view a7x2  # it's 5\" tall\n→ view b3k9", "1 view a7x2 | 2 view b3k9"},
		{"→ view a7x2 (an \"aside)\n→ view b3k9", "1! INVALID_SYNTAX"},
		{"He said \"so\n→ view a7x2", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST limits_refuse_the_call_and_nothing_else(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&text, "→ view ");
	loom_buf_add_repeat(&text, 'a', LOOM_SCAN_LINE_MAX);
	loom_buf_adds(&text, "\n→ annotate a7x2 \"");
	loom_buf_add_repeat(&text, 'b', LOOM_SCAN_QUOTE_MAX + 1);
	loom_buf_adds(&text, "\n→ prune r001\" \n→ think\n");
	loom_buf_add_repeat(&text, 'c', LOOM_SCAN_QUOTE_MAX + 1);
	loom_buf_adds(&text, "\n→ prune r001\n←\n→ view a7x2\n");
	said_text(LOOM_SOURCE_MODEL, loom_buf_str(&text), 0, &out);
	ASSERT_STR_EQ("8 view a7x2 | 1! LIMIT_EXCEEDED | 2! LIMIT_EXCEEDED | 4! LIMIT_EXCEEDED",
		      loom_buf_cstr(&out));
	said_text(LOOM_SOURCE_MODEL, loom_buf_str(&text), 1000, &out);
	ASSERT_STR_EQ("8 view a7x2 | 1! LIMIT_EXCEEDED | 2! LIMIT_EXCEEDED | 4! LIMIT_EXCEEDED",
		      loom_buf_cstr(&out));

	/* each quote is short enough, and all of them are too much */
	loom_buf_clear(&text);
	loom_buf_adds(&text, "→ annotate a7x2");
	for (int i = 0; i < 5; i++) {
		loom_buf_adds(&text, " \"");
		loom_buf_add_repeat(&text, 'b', LOOM_SCAN_QUOTE_MAX - 1);
		loom_buf_adds(&text, "\"");
	}
	said_text(LOOM_SOURCE_MODEL, loom_buf_str(&text), 0, &out);
	ASSERT_STR_EQ("1! LIMIT_EXCEEDED", loom_buf_cstr(&out));

	loom_buf_clear(&text);
	loom_buf_adds(&text, "→ annotate a7x2 \"");
	loom_buf_add_repeat(&text, 'b', LOOM_SCAN_QUOTE_MAX);
	loom_buf_adds(&text, "\"");
	said_text(LOOM_SOURCE_MODEL, loom_buf_str(&text), 4096, &out);
	ASSERT_EQ(LOOM_SCAN_QUOTE_MAX + strlen("1 annotate a7x2 \"\""), out.n);
	loom_buf_fini(&text);
	loom_buf_fini(&out);
	PASS();
}

TEST the_thirty_third_call_is_past_the_limit_and_refused_ones_do_not_count(void)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

	for (int i = 0; i < 40; i++)
		loom_turn_feed(turn, i % 8 == 7 ? LOOM_STR("→ nonsense\n") : LOOM_STR("→ undo\n"));
	loom_turn_end(turn);
	ASSERT_EQ(35, turn->call_count);
	ASSERT_EQ(5, turn->error_count);
	ASSERT_FALSE(turn->calls[31].past_limit);
	ASSERT(turn->calls[32].past_limit);
	ASSERT_EQ(turn->call_count - 33, loom_turn_cut(turn));
	ASSERT_EQ(33, turn->call_count);
	ASSERT_EQ(0, loom_turn_cut(turn));
	ASSERT_EQ(37, turn->calls[32].line);
	loom_turn_destroy(turn);
	PASS();
}

TEST batches_are_closed_by_prose_and_by_refusals(void)
{
	static const char text[] = "→ view a7x2\n\n  \n→ view b3k9\n" /* 0 */
				   "prose\n→ view a7x2\n"             /* 1 */
				   "→ nonsense\n→ view a7x2\n"        /* 2 */
				   "<think>x</think>\n→ view a7x2\n"  /* 3 */
				   "→ think a ←\n→ view a7x2\n"       /* 3 */
				   "-> view a7x2\n→ view a7x2\n";     /* 4 */
	static const size_t batches[] = {0, 0, 1, 2, 3, 3, 3, 4};

	for (size_t step = 1; step < sizeof text; step += 13) {
		struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

		for (size_t at = 0; at < sizeof text - 1; at += step)
			loom_turn_feed(turn, loom_str_sub(LOOM_STR(text), at, step));
		loom_turn_end(turn);
		ASSERT_EQ(LOOM_COUNT(batches), turn->call_count);
		for (size_t i = 0; i < LOOM_COUNT(batches); i++)
			ASSERT_EQ(batches[i], turn->calls[i].batch);
		ASSERT_EQ(5, turn->batch_count);
		loom_turn_destroy(turn);
	}
	PASS();
}

TEST prose_is_the_text_without_calls_and_tags(void)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);

	loom_turn_feed(turn, LOOM_STR("<think>\nhm\n</think>\nOne.\n\n→ annotate a7x2 \"x\ny\"\n"
				      "Two.\n→ nonsense\n```\n→ view a7x2\n```\n"
				      "→ think deep ←\nThree <think>aside</think>. End"));
	loom_turn_end(turn);
	ASSERT_STR_EQ("One.\n\nTwo.\n```\n→ view a7x2\n```\nThree . End",
		      loom_buf_cstr(&turn->prose));
	ASSERT_STR_EQ("hm\n\ndeep\n\naside", loom_buf_cstr(&turn->thinking));
	loom_turn_destroy(turn);
	PASS();
}

TEST a_call_knows_the_bytes_it_stood_in(void)
{
	static const char text[] = "one\n  → annotate a7x2 \"x\ny\"\r\ntwo\n→ view a7x2";
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

	loom_turn_feed(turn, LOOM_STR(text));
	loom_turn_end(turn);
	ASSERT_EQ(2, turn->call_count);
	ASSERT_EQ(4, turn->calls[0].begin);
	ASSERT_EQ((size_t)(strstr(text, "two") - text), turn->calls[0].end);
	ASSERT_EQ((size_t)(strstr(text, "→ view") - text), turn->calls[1].begin);
	ASSERT_EQ(sizeof text - 1, turn->calls[1].end);
	ASSERT(loom_str_is(turn->calls[0].text, "annotate a7x2 \"x\ny\""));
	loom_turn_destroy(turn);
	PASS();
}

TEST a_call_is_there_as_soon_as_its_line_is(void)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

	loom_turn_feed(turn, LOOM_STR("→ view a7x2"));
	ASSERT_EQ(0, turn->call_count);
	loom_turn_feed(turn, LOOM_STR("\n"));
	ASSERT_EQ(1, turn->call_count);
	ASSERT(turn->batch_open);
	loom_turn_feed(turn, LOOM_STR("\nso\n"));
	ASSERT_FALSE(turn->batch_open);
	loom_turn_end(turn);
	loom_turn_destroy(turn);
	PASS();
}

TEST what_others_wrote_is_never_scanned(void)
{
	static const enum loom_source silent[] = {LOOM_SOURCE_HUMAN, LOOM_SOURCE_RESULT};
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text = LOOM_STR("→ prune r001\n-> view a7x2\n→ nonsense\n→ think\n");

	for (size_t i = 0; i < LOOM_COUNT(silent); i++) {
		said_text(silent[i], text, 0, &out);
		ASSERT_STR_EQ("", loom_buf_cstr(&out));
	}
	loom_buf_fini(&out);
	PASS();
}

/* ---- laws ---- */

static const char *const scraps[] = {
	"→",        "→ ",         "← ",          "\n←\n",  "\"",       "“",      "”",
	"\\",       "\n",         "\r\n",        "```",    "~~~~",     "`",      "<think>",
	"</think>", "<thinking>", "</thinking>", "    ",   "\t",       "> ",     "- ",
	"1. ",      "-> ",        "⇒ ",          "view ",  "a7x2",     "think ", "annotate ",
	"  # ",     " (",         "prose",       "if ",    "in tree:", "doc:",   "n:3 ",
	"\xE2\x86", "\x92",       "\xC2\xA0",    "don’t ", "\xFF",     "\n→ ",   "\n\n",
};

static void random_text(struct prop *prop, struct loom_buf *out)
{
	size_t count = prop_size(prop, 80);

	loom_buf_clear(out);
	for (size_t i = 0; i < count; i++)
		loom_buf_adds(out, scraps[prop_below(prop, LOOM_COUNT(scraps))]);
}

/* Everything that can be seen of a turn. */
static void everything(const struct loom_turn *turn, struct loom_buf *out)
{
	loom_buf_clear(out);
	loom_turn_json(turn, out);
	loom_buf_adds(out, "\nprose:");
	loom_buf_add(out, loom_buf_str(&turn->prose));
	loom_buf_adds(out, "\nthinking:");
	loom_buf_add(out, loom_buf_str(&turn->thinking));
	for (size_t i = 0; i < turn->call_count; i++)
		loom_buf_addf(out, "\n%zu-%zu", turn->calls[i].begin, turn->calls[i].end);
	for (size_t i = 0; i < turn->error_count; i++)
		loom_buf_addf(out, "\n%zu-%zu", turn->errors[i].begin, turn->errors[i].end);
}

TEST sources_and_hints_have_one_word_each(void)
{
	enum loom_source source = LOOM_SOURCE_RESULT;

	ASSERT(loom_source_parse(LOOM_STR("paste"), &source));
	ASSERT_EQ(LOOM_SOURCE_PASTE, source);
	ASSERT_FALSE(loom_source_parse(LOOM_STR("Paste"), &source));
	ASSERT_FALSE(loom_source_parse(LOOM_STR(""), &source));
	ASSERT_EQ(LOOM_SOURCE_PASTE, source);
	ASSERT_STR_EQ("", loom_scan_hint_code(LOOM_HINT_NONE));
	ASSERT_STR_EQ("", loom_scan_hint_text(LOOM_HINT_NONE));
	ASSERT(strstr(loom_scan_hint_text(LOOM_HINT_ASCII_ARROW), "U+2192"));
	ASSERT(strstr(loom_scan_hint_text(LOOM_HINT_NOT_AT_LINE_START), "begin its line"));
	loom_scan_destroy(NULL);
	PASS();
}

TEST feeding_pieces_is_feeding_the_whole(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf cut = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "pieces");
	for (int left = prop_times(4000); left > 0; left--) {
		struct loom_turn *a = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
		struct loom_turn *b = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
		size_t at = 0;

		random_text(&prop, &text);
		loom_turn_feed(a, loom_buf_str(&text));
		loom_turn_end(a);
		while (at < text.n) {
			size_t step = prop_below(&prop, 9);
			/* a copy of its own, so that a sanitizer sees a look beyond it */
			char *piece = malloc(step + 1);

			memcpy(piece, text.p + at, step < text.n - at ? step : text.n - at);
			loom_turn_feed(b, loom_str_make(piece,
							step < text.n - at ? step : text.n - at));
			free(piece);
			at += step;
		}
		loom_turn_end(b);
		everything(a, &whole);
		everything(b, &cut);
		ASSERT_STR_EQm(loom_buf_cstr(&text), loom_buf_cstr(&whole), loom_buf_cstr(&cut));
		loom_turn_destroy(a);
		loom_turn_destroy(b);
	}
	loom_buf_fini(&text);
	loom_buf_fini(&whole);
	loom_buf_fini(&cut);
	PASS();
}

/* Cut in two at every byte, a text says what it says whole. */
static enum greatest_test_res same_at_every_cut(struct loom_str text, const char *expected)
{
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf cut = LOOM_BUF_INIT(LOOM_BUF_MAX);

	said_text(LOOM_SOURCE_MODEL, text, 0, &whole);
	ASSERT_STR_EQ(expected, loom_buf_cstr(&whole));
	for (size_t at = 0; at <= text.n; at++) {
		struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

		loom_turn_feed(turn, loom_str_sub(text, 0, at));
		loom_turn_feed(turn, loom_str_sub(text, at, text.n));
		loom_turn_end(turn);
		said(turn, &cut);
		ASSERT_STR_EQ(loom_buf_cstr(&whole), loom_buf_cstr(&cut));
		loom_turn_destroy(turn);
	}
	loom_buf_fini(&whole);
	loom_buf_fini(&cut);
	PASS();
}

TEST a_call_cut_at_every_byte_is_the_same_call(void)
{
	CHECK_CALL(same_at_every_cut(
		LOOM_STR("so\r\n →\xEF\xB8\x8F annotate a7x2’ “tone \\\" → shifts\r\n"
			 "here”  (note)\r\n→ think a\n←\n→ continue from [A7X2] n:3.\n"),
		"2 annotate a7x2' \"tone \\\" → shifts\r\nhere\" | 4 think a ← | "
		"6 continue from a7x2 n:3"));
	PASS();
}

TEST a_thought_ends_with_its_own_kind_wherever_it_is_cut(void)
{
	CHECK_CALL(same_at_every_cut(LOOM_STR("<thinking>\n</think>\n→ prune r001\n"
					      "</thinking>\n→ view a7x2"),
				     "5 view a7x2"));
	CHECK_CALL(same_at_every_cut(LOOM_STR("so <think>\n</thinking>\n→ prune r001\n"
					      "</think>\n→ view a7x2"),
				     "5 view a7x2"));
	CHECK_CALL(same_at_every_cut(LOOM_STR("<think>a</thinking>\n→ prune r001"), ""));
	PASS();
}

/* ---- time ---- */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU seconds for `unit` repeated to `bytes` bytes, in one piece or in many. */
static double cost(const char *unit, size_t bytes, size_t step)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);
	double from = 0;

	while (text.n < bytes)
		loom_buf_adds(&text, unit);
	from = seconds();
	for (size_t at = 0; at < text.n; at += step)
		loom_turn_feed(turn, loom_str_sub(loom_buf_str(&text), at, step));
	loom_turn_end(turn);
	from = seconds() - from;
	loom_turn_destroy(turn);
	loom_buf_fini(&text);
	return from;
}

/* Four times the bytes may cost little more than four times as much, whatever they are. */
TEST hostile_texts_cost_time_in_proportion_to_their_bytes(void)
{
	static const char *const units[] = {
		"→",
		"→\n",
		"→ view a7x2\n",
		"→ annotate a7x2 \"x\n",
		"\"",
		"<think>",
		"<think></think>",
		"`",
		"` `` ``` ```` ",
		"<",
		"- ",
		"→ think\n",
		"→ think ← x\n",
		" ",
		"→ a \"b\" ",
		"→ view a7x2  (",
		"→ \\\"",
		"</think>\n<think>\n",
		"1. ",
		"\xE3\x80\x80",
		"→ view\xE3\x80\x80\xE3\x80\x80\n",
	};

	for (size_t i = 0; i < LOOM_COUNT(units); i++) {
		for (size_t step = 7; step < (size_t)1 << 30; step *= 100000000) {
			size_t bytes = 1 << 16;
			double small = cost(units[i], bytes, step);
			double large = cost(units[i], bytes * 4, step);

			ASSERTm(units[i], large < small * 12 + 0.05);
		}
	}
	PASS();
}

#ifdef LOOM_INSTRUMENTED
#define MANY 100000
#else
#define MANY 1000000
#endif

TEST a_million_arrow_lines_cost_ten_times_a_hundred_thousand(void)
{
	static const char unit[] = "→ x\n";
	double tenth = cost(unit, (sizeof unit - 1) * MANY / 10, SIZE_MAX >> 1);
	double whole = cost(unit, (sizeof unit - 1) * MANY, SIZE_MAX >> 1);

	ASSERT(whole < tenth * 30 + 0.05);
	PASS();
}

SUITE(scan)
{
	RUN_TEST(a_call_line_may_be_indented_by_three_and_have_any_blanks);
	RUN_TEST(a_tag_in_a_last_line_without_an_end_is_no_prose);
	RUN_TEST(look_alikes_and_invisible_signs_make_no_call);
	RUN_TEST(fences_are_inert_to_their_own_end);
	RUN_TEST(quotes_bullets_and_code_on_a_line_are_inert);
	RUN_TEST(bullets_are_signs_numbers_and_boxes);
	RUN_TEST(ascii_arrows_before_a_verb_are_hinted_at);
	RUN_TEST(think_tags_are_inert_and_only_live_ones_open);
	RUN_TEST(a_thought_runs_to_a_line_with_only_its_arrow);
	RUN_TEST(an_open_thought_is_marked_and_holds_everything);
	RUN_TEST(a_quote_swallows_lines_until_it_closes);
	RUN_TEST(limits_refuse_the_call_and_nothing_else);
	RUN_TEST(the_thirty_third_call_is_past_the_limit_and_refused_ones_do_not_count);
	RUN_TEST(batches_are_closed_by_prose_and_by_refusals);
	RUN_TEST(prose_is_the_text_without_calls_and_tags);
	RUN_TEST(a_call_knows_the_bytes_it_stood_in);
	RUN_TEST(a_call_is_there_as_soon_as_its_line_is);
	RUN_TEST(what_others_wrote_is_never_scanned);
	RUN_TEST(sources_and_hints_have_one_word_each);
	RUN_TEST(feeding_pieces_is_feeding_the_whole);
	RUN_TEST(a_call_cut_at_every_byte_is_the_same_call);
	RUN_TEST(a_thought_ends_with_its_own_kind_wherever_it_is_cut);
	RUN_TEST(hostile_texts_cost_time_in_proportion_to_their_bytes);
	RUN_TEST(a_million_arrow_lines_cost_ten_times_a_hundred_thousand);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(scan);
	GREATEST_MAIN_END();
}
