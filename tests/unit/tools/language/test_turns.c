/* Who said what in a transcript: which lines are headers, which only look so, and what cannot be
 * seen. */
#include <greatest.h>

#include <loom/language/pasted_turns.h>
#include <tests/support/prop.h>

GREATEST_MAIN_DEFS();

struct example {
	const char *text;
	const char *said;
};

static void add_part(struct loom_buf *out, char sign, struct loom_str part)
{
	if (part.n)
		loom_buf_addf(out, " %c%.*s", sign, LOOM_STR_ARG(part));
}

/* "3 heading human =User ~10:32: text | …"; the text with its line feeds as /. */
static void say(const struct loom_turns *turns, struct loom_buf *out)
{
	loom_buf_clear(out);
	for (size_t i = 0; i < turns->count; i++) {
		const struct loom_spoken *item = &turns->items[i];

		loom_buf_addf(out, "%s%lld %s %s", i ? " | " : "", (long long)item->line,
			      loom_turns_form_name(item->form), loom_speaker_name(item->speaker));
		add_part(out, '=', item->author);
		add_part(out, '"', item->name);
		add_part(out, '#', item->id);
		add_part(out, '~', item->when);
		if (item->block.n)
			loom_buf_adds(out, " +block");
		loom_buf_adds(out, ": ");
		for (size_t k = 0; k < item->text.n; k++)
			loom_buf_addc(out, item->text.p[k] == '\n' ? '/' : item->text.p[k]);
	}
}

static enum greatest_test_res check_all(const struct example *examples, size_t count)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < count; i++) {
		struct loom_turns turns;

		loom_turns_read(loom_str_of(examples[i].text), arena, &turns);
		say(&turns, &out);
		ASSERT_STR_EQm(examples[i].text, examples[i].said, loom_buf_cstr(&out));
	}
	loom_arena_destroy(arena);
	loom_buf_fini(&out);
	PASS();
}

#define CHECK_ALL(examples) CHECK_CALL(check_all((examples), LOOM_COUNT(examples)))

TEST names_before_a_colon_are_turns(void)
{
	static const struct example examples[] = {
		{"Human: hi\nAssistant: hello\nyou",
		 "1 colon human =Human: hi | 2 colon model =Assistant: hello/you"},
		{"\n\nHuman: hi\n\nAssistant: hello\n\n\nHuman:\n  more\n\n",
		 "3 colon human =Human: hi | 5 colon model =Assistant: hello | "
		 "8 colon human =Human:   more"},
		{"User: a\r\nAI: b\r\n", "1 colon human =User: a | 2 colon model =AI: b"},
		{"user: a\nassistant: b", "1 colon human =user: a | 2 colon model =assistant: b"},
		{"USER: a\nGPT-4o: b\nClaude 3.5 Sonnet: c",
		 "1 colon human =USER: a | 2 colon model =GPT-4o: b | "
		 "3 colon model =Claude 3.5 Sonnet: c"},
		{"You (10:32 AM): a\nChatGPT (10:33 AM): b: c",
		 "1 colon human =You ~10:32 AM: a | 2 colon model =ChatGPT ~10:33 AM: b: c"},
		{"System: be kind\nUser: a\nAssistant: b\nTool: 3",
		 "1 colon system =System: be kind | 2 colon human =User: a | "
		 "3 colon model =Assistant: b | 4 colon tool =Tool: 3"},
		{"Before it.\n\nHuman: a\nAssistant: b",
		 "1 plain unknown: Before it. | 3 colon human =Human: a | "
		 "4 colon model =Assistant: b"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST one_turn_is_enough_only_where_nothing_else_is_meant(void)
{
	static const struct example examples[] = {
		{"Human: hi", "1 colon human =Human: hi"},
		{"Assistant: hi", "1 colon model =Assistant: hi"},
		{"human: hi\n", "1 colon human =human: hi"},
		{"user: root\npassword: x", "1 plain unknown: user: root/password: x"},
		{"Model: T-1000\nPrice: 5", "1 plain unknown: Model: T-1000/Price: 5"},
		{"Said.\nHuman: hi", "1 plain unknown: Said./Human: hi"},
		{"**You**\nhi", "1 bold human =You: hi"},
		{"# Prompt\nhi", "1 plain unknown: # Prompt/hi"},
		{"ChatGPT\nhi", "1 plain unknown: ChatGPT/hi"},
		{"", ""},
		{"\n \n", ""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST bold_names_headings_and_copies_are_turns(void)
{
	static const struct example examples[] = {
		{"**You**\n\na\n\n**ChatGPT**\n\nb",
		 "1 bold human =You: a | 5 bold model =ChatGPT: b"},
		{"**You:** a\n**AI**: b\n**You** (9:01): c",
		 "1 bold human =You: a | 2 bold model =AI: b | 3 bold human =You ~9:01: c"},
		{"**You** are right\n", "1 plain unknown: **You** are right/"},
		{"### User\na\n### Assistant\nb", "1 heading human =User: a | "
						  "3 heading model =Assistant: b"},
		{"# Talk\n\n## 👤 User:\na\n\n---\n\n## 🤖 Claude Opus 4\nb\n\n---\n\n## "
		 "User\nc",
		 "1 plain unknown: # Talk | 3 heading human =User: a | "
		 "8 heading model =Claude Opus 4: b | 13 heading human =User: c"},
		{"### User\na\n\n---\nmore\n### Assistant\nb\n\n---\n### User\nc",
		 "1 heading human =User: a//---/more | 6 heading model =Assistant: b//--- | "
		 "10 heading human =User: c"},
		{"## Prompt:\na\n## Response:\nb",
		 "1 heading human =Prompt: a | 3 heading model =Response: b"},
		{"#### **You said:**\na\n###### **ChatGPT said:**\nb",
		 "1 heading human =You: a | 3 heading model =ChatGPT: b"},
		{"You said:\na\nChatGPT said:\nb\n",
		 "1 copy human =You: a | 3 copy model =ChatGPT: b"},
		{"You said\na\nGemini said\nb", "1 copy human =You: a | 3 copy model =Gemini: b"},
		{"You said: a\nClaude responded: b",
		 "1 copy human =You: a | 2 copy model =Claude: b"},
		{"You\na\nChatGPT\nb\nYou\nc",
		 "1 bare human =You: a | 3 bare model =ChatGPT: b | 5 bare human =You: c"},
		{"User\na\nAI\nb", "1 bare human =User: a | 3 bare model =AI: b"},
		{"Words\nUser\nAI\n", "1 plain unknown: Words/User/AI/"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST what_a_turn_quotes_is_no_turn(void)
{
	static const struct example examples[] = {
		{"### User\nHuman: a\nAssistant: b\n### Assistant\n**You**\nfine",
		 "1 heading human =User: Human: a/Assistant: b | "
		 "4 heading model =Assistant: **You**/fine"},
		{"Human: a\nAssistant: as in\nUser: x\nHuman: c",
		 "1 colon human =Human: a | 2 colon model =Assistant: as in/User: x | "
		 "4 colon human =Human: c"},
		{"Human: a\nAssistant:\n```\nHuman: b\nAssistant: c\n```\nHuman: d",
		 "1 colon human =Human: a | 2 colon model =Assistant: "
		 "```/Human: b/Assistant: c/``` | 7 colon human =Human: d"},
		{"Human: a\n    Assistant: code\nAssistant: b",
		 "1 colon human =Human: a/    Assistant: code | 3 colon model =Assistant: b"},
		{"Human: a\n> Assistant: q\nAssistant: b",
		 "1 colon human =Human: a/> Assistant: q | 3 colon model =Assistant: b"},
		{"Human: a\nThe AI: good or bad\nAssistant: b\nAs Claude wrote 3: c",
		 "1 colon human =Human: a/The AI: good or bad | "
		 "3 colon model =Assistant: b/As Claude wrote 3: c"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST code_that_is_never_closed_swallows_no_turn(void)
{
	static const struct example examples[] = {
		{"Human: a\n```c\nint x;\nAssistant: b\nHuman: c",
		 "1 colon human =Human: a/```c/int x; | 4 colon model =Assistant: b | "
		 "5 colon human =Human: c"},
		{"Human: a\n<thread_context thread=\"t\">\nAssistant: b",
		 "1 colon human =Human: a/<thread_context thread=\"t\"> | "
		 "3 colon model =Assistant: b"},
		{"Human: a\n=== Loom Context ===\nAssistant: b",
		 "1 colon human =Human: a/=== Loom Context === | 3 colon model =Assistant: b"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST our_own_context_layout_gives_ids_authors_and_times(void)
{
	static const struct example examples[] = {
		{"[a7x2] human · 3m ago\n2 continuations · 1 link\n---\nhi\n\n"
		 "[b3k9'] model \"GPT-4o\" · 2m ago\n---\nhello",
		 "1 node human =human #a7x2 ~3m ago: hi | "
		 "6 node model =model \"GPT-4o #b3k9' ~2m ago: hello"},
		{"[a7x2] human · 2026-01-02\n---\nsee\n[b3k9] model · 3m ago\nno rule\nat all",
		 "1 node human =human #a7x2 ~2026-01-02: see/[b3k9] model · 3m ago/no rule/at all"},
		{"[a7x2] human · 3m ago · depth:7\n---\nhi",
		 "1 plain unknown: [a7x2] human · 3m ago · depth:7/---/hi"},
		{"# T\n\n### [r001] system · 2026-01-02T03:04\n\n\n### [a7x2] you · "
		 "2026-01-02T03:05\n\nHuman: hi\n\n### User\n\n## [b3k9'] gpt-4o · now\nyes",
		 "1 plain unknown: # T | 3 node system =system #r001 ~2026-01-02T03:04:  | "
		 "6 node human =you #a7x2 ~2026-01-02T03:05: Human: hi//### User | "
		 "12 node model =gpt-4o #b3k9' ~now: yes"},
		{"### [r001] you · now\na\n### [a7x2] model · now\nb\n\n## A branch at "
		 "[r001]\n\n### [b3k9] model · now\nc",
		 "1 node human =you #r001 ~now: a | 3 node model =model #a7x2 ~now: b | "
		 "6 frame system #r001: ## A branch at [r001] | 8 node model =model #b3k9 ~now: c"},
		{"Human: a\n## A branch at [r001]\nAssistant: b",
		 "1 colon human =Human: a/## A branch at [r001] | 3 colon model =Assistant: b"},
		{"[see] human · 3m ago\n---\nhi", "1 plain unknown: [see] human · 3m ago/---/hi"},
		{"[r001] human · 3m ago\n---\nhi\n\n=== Loom Context ===\nTree: \"T\"\n===\n\n"
		 "and now?",
		 "1 node human =human #r001 ~3m ago: hi | "
		 "5 frame system: === Loom Context ===/Tree: \"T\"/=== | "
		 "9 plain unknown: and now?"},
		{"=== Operational Memory ===\nPinned:\n  [a7x2] x\n===\n[r001] human · 3m "
		 "ago\n---\n",
		 "1 frame system: === Operational Memory ===/Pinned:/  [a7x2] x/=== | "
		 "5 node human =human #r001 ~3m ago: "},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST a_block_at_the_head_of_a_turn_is_told_apart(void)
{
	static const struct example examples[] = {
		{"<thread_context thread=\"t\" objective=\"o\">\n  Human: "
		 "no\n</thread_context>\n\nDo it.\n",
		 "1 block human +block: Do it."},
		{"<thread_context thread=\"t\"></thread_context>\n\nDo\nHuman: x",
		 "1 block human +block: Do/Human: x"},
		{"Human:\n<thread_context thread=\"t\">\n</thread_context>\nDo\nAssistant: done",
		 "1 colon human =Human +block: Do | 5 colon model =Assistant: done"},
		{"<thread_contexts>\n</thread_context>",
		 "1 plain unknown: <thread_contexts>/</thread_context>"},
		{"Look:\n<thread_context>\n</thread_context>",
		 "1 plain unknown: Look:/<thread_context>/</thread_context>"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST text_without_turns_keeps_every_byte_but_its_mark(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_turns turns;

	loom_turns_read(LOOM_STR("\xEF\xBB\xBF\n  verse\n\n"), arena, &turns);
	ASSERT(turns.bom);
	ASSERT_EQ(LOOM_TURNS_PLAIN, turns.form);
	ASSERT_EQ(1, turns.count);
	ASSERT(loom_str_is(turns.items[0].text, "\n  verse\n\n"));
	loom_arena_destroy(arena);
	PASS();
}

TEST a_sign_that_cannot_be_seen_makes_no_header_and_is_named(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_turns turns;

	loom_turns_read(LOOM_STR("Human: a\n\xE2\x80\x8B"
				 "Assistant: b\nAssistant: \xE2\x80\xAE"
				 "c\x1B[2J \xE2\x80\x8B\xFF\r\n"),
			arena, &turns);
	ASSERT_EQ(2, turns.count);
	ASSERT_EQ(4, turns.unseen_count);
	ASSERT_STR_EQ("<U+200B>", turns.unseen[0].name);
	ASSERT_EQ(2, turns.unseen[0].count);
	ASSERT_EQ(2, turns.unseen[0].line);
	ASSERT_EQ(9, turns.unseen[0].at);
	ASSERT_STR_EQ("<RLO>", turns.unseen[1].name);
	ASSERT_EQ(3, turns.unseen[1].line);
	ASSERT_STR_EQ("^[", turns.unseen[2].name);
	ASSERT_EQ(0, turns.unseen_other);
	loom_arena_destroy(arena);
	PASS();
}

TEST many_kinds_of_unseen_signs_are_counted_past_the_list(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_arena *arena = loom_arena_create();
	struct loom_turns turns;

	for (uint32_t i = 0; i < LOOM_UNSEEN_MAX + 5; i++)
		loom_buf_add_cp(&text, 0xE000 + i);
	loom_turns_read(loom_buf_str(&text), arena, &turns);
	ASSERT_EQ(LOOM_UNSEEN_MAX, turns.unseen_count);
	ASSERT_EQ(5, turns.unseen_other);
	loom_arena_destroy(arena);
	loom_buf_fini(&text);
	PASS();
}

/* Items lie in order, within the text, and what was said lies within its item. */
static enum greatest_test_res check_order(const struct loom_turns *turns)
{
	size_t at = 0;

	for (size_t i = 0; i < turns->count; i++) {
		const struct loom_spoken *item = &turns->items[i];

		ASSERT(item->begin >= at && item->end >= item->begin);
		ASSERT(item->end <= turns->text.n);
		ASSERT(item->text.p >= turns->text.p + item->begin);
		ASSERT(item->text.p + item->text.n <= turns->text.p + item->end);
		at = item->end;
	}
	PASS();
}

TEST any_bytes_give_turns_in_order(void)
{
	static const char *const pieces[] = {"Human: ",
					     "\n",
					     "Assistant:",
					     "**You**",
					     "### User\n",
					     "```\n",
					     "[a7x2] human · 3m ago\n",
					     "---\n",
					     "a b",
					     "<thread_context>\n",
					     "</thread_context>",
					     "===\n",
					     "=== Pruned ===\n",
					     "ChatGPT said:\n",
					     "\r\n",
					     "  "};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "turns in order");
	for (int i = 0; i < 3000; i++) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_turns turns;

		loom_buf_clear(&text);
		for (size_t k = prop_below(&prop, 24); k > 0; k--) {
			if (prop_once_in(&prop, 8))
				prop_bent_text(&prop, 3, &text);
			else
				loom_buf_adds(&text, pieces[prop_below(&prop, LOOM_COUNT(pieces))]);
		}
		loom_turns_read(loom_buf_str(&text), arena, &turns);
		CHECK_CALL(check_order(&turns));
		loom_arena_destroy(arena);
	}
	loom_buf_fini(&text);
	PASS();
}

static double seconds_for(const char *piece, size_t bytes)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_arena *arena = loom_arena_create();
	struct loom_turns turns;
	clock_t begin = 0;

	while (text.n < bytes)
		loom_buf_adds(&text, piece);
	begin = clock();
	loom_turns_read(loom_buf_str(&text), arena, &turns);
	loom_arena_destroy(arena);
	loom_buf_fini(&text);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

TEST time_is_linear_also_for_what_is_opened_again_and_again(void)
{
	static const char *const pieces[] = {"<thread_context a=\"b\">\n",
					     "=== Pruned ===\n",
					     "```\n~~~\n",
					     "[a7x2] human · 3m ago\n",
					     "Human:\n",
					     "**",
					     "Human (",
					     "\xE2\x80\x8B",
					     "### User\n<thread_context>\n",
					     "\n",
					     "\n---\n### User\n"};

	for (size_t i = 0; i < LOOM_COUNT(pieces); i++) {
		double small = seconds_for(pieces[i], 1 << 17);
		double large = seconds_for(pieces[i], 1 << 20);

		ASSERTm(pieces[i], large < 40 * (small > 0.002 ? small : 0.002));
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(names_before_a_colon_are_turns);
	RUN_TEST(one_turn_is_enough_only_where_nothing_else_is_meant);
	RUN_TEST(bold_names_headings_and_copies_are_turns);
	RUN_TEST(what_a_turn_quotes_is_no_turn);
	RUN_TEST(code_that_is_never_closed_swallows_no_turn);
	RUN_TEST(our_own_context_layout_gives_ids_authors_and_times);
	RUN_TEST(a_block_at_the_head_of_a_turn_is_told_apart);
	RUN_TEST(text_without_turns_keeps_every_byte_but_its_mark);
	RUN_TEST(a_sign_that_cannot_be_seen_makes_no_header_and_is_named);
	RUN_TEST(many_kinds_of_unseen_signs_are_counted_past_the_list);
	RUN_TEST(any_bytes_give_turns_in_order);
	RUN_TEST(time_is_linear_also_for_what_is_opened_again_and_again);
	GREATEST_MAIN_END();
}
