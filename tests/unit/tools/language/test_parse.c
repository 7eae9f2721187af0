/* What a call means: forms, words, refusals, arguments. */
#include <greatest.h>

#include <tests/support/prop.h>
#include <tests/support/said.h>

GREATEST_MAIN_DEFS();

struct example {
	const char *line;
	const char *said;
};

/* What a line or a command says: the call printed, or "? candidates" or "!". */
static void say(enum loom_status status, const struct loom_call *call,
		const struct loom_refusal *refusal, struct loom_buf *out)
{
	loom_buf_clear(out);
	if (status == LOOM_OK) {
		loom_call_print(call, out);
		return;
	}
	loom_buf_adds(out, refusal->clarify ? "?" : "!");
	for (size_t i = 0; i < refusal->candidate_count; i++)
		loom_buf_addf(out, " %s", loom_verb_name(refusal->candidates[i]));
}

static enum greatest_test_res check_all(const struct example *examples, size_t count)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < count; i++) {
		struct loom_call call;
		struct loom_refusal refusal;
		enum loom_status status =
			loom_parse_line(arena, loom_str_of(examples[i].line), &call, &refusal);

		say(status, &call, &refusal, &out);
		ASSERT_STR_EQm(examples[i].line, examples[i].said, loom_buf_cstr(&out));
		/* every refusal says what is wrong and what would be right */
		ASSERTm(examples[i].line, status == LOOM_OK || refusal.message.n);
		ASSERTm(examples[i].line, status == LOOM_OK || refusal.hint.n);
	}
	loom_buf_fini(&out);
	loom_arena_destroy(arena);
	PASS();
}

#define CHECK_ALL(examples) CHECK_CALL(check_all((examples), LOOM_COUNT(examples)))

TEST every_form_of_every_verb_is_taken(void)
{
	static const struct example same[] = {
		{"view a7x2", NULL},
		{"view a7x2 full with-annotations lines:40-80", NULL},
		{"view branch:b3k9 as:prose", NULL},
		{"view branch:b3k9 as:nodes", NULL},
		{"list a7x2 continuations", NULL},
		{"list a7x2 annotations", NULL},
		{"list a7x2 links page:2", NULL},
		{"tree", NULL},
		{"tree from:a7x2 depth:2 summary", NULL},
		{"switch to b3k9", NULL},
		{"switch to x9y3 in tree:\"earlier draft\"", NULL},
		{"continue", NULL},
		{"continue from a7x2 n:3 tokens:200 using agent:\"GPT-4o\"", NULL},
		{"continue from a7x2 at:12", NULL},
		{"continue from a7x2 after:\"She left\" n:2", NULL},
		{"respond a7x2 \"and then\" as:context", NULL},
		{"respond a7x2 \"and then\" as:instruction", NULL},
		{"respond a7x2 \"and then\" as:continuation", NULL},
		{"annotate a7x2 \"tone\"", NULL},
		{"link a7x2 to b3k9", NULL},
		{"link a7x2 to doc:\"character notes\" note:\"key scene\"", NULL},
		{"link a7x2 to tree:\"T\"", NULL},
		{"link a7x2 to tree:\"T\" node:x9y3 note:\"n\"", NULL},
		{"edit a7x2 \"better\" as:branch", NULL},
		{"edit a7x2 \"better\" as:version", NULL},
		{"bookmark a7x2", NULL},
		{"bookmark a7x2 \"key\"", NULL},
		{"unbookmark a7x2", NULL},
		{"tag a7x2 \"motive\"", NULL},
		{"untag a7x2 \"motive\"", NULL},
		{"exclude a7x2", NULL},
		{"include a7x2", NULL},
		{"prune a7x2", NULL},
		{"restore a7x2", NULL},
		{"read doc:\"character notes\" summary lines:1-9 section:motivation", NULL},
		{"write doc:\"D\" append \"x\"", NULL},
		{"write doc:\"D\" at:start \"x\"", NULL},
		{"write doc:\"D\" at:end \"x\"", NULL},
		{"write doc:\"D\" at:5 \"x\"", NULL},
		{"write doc:\"D\" at:\"5\" \"x\"", NULL},
		{"write doc:\"D\" replace:\"The end\" \"x\"", NULL},
		{"pin a7x2", NULL},
		{"pin res-4", NULL},
		{"pin doc:\"D\" section:S", NULL},
		{"drop pin:a7x2", NULL},
		{"drop pin:doc:\"D\" section:S", NULL},
		{"drop stash:\"L\"", NULL},
		{"drop recall:\"L\"", NULL},
		{"stash \"L\" \"text\"", NULL},
		{"stash \"L\" content-of:a7x2", NULL},
		{"stash \"L\" summary-of:r001-a7x2", NULL},
		{"stash \"L\" summary-of:ann-3-res-4", NULL},
		{"recall \"L\"", NULL},
		{"memory", NULL},
		{"memory trace", NULL},
		{"memory stashed", NULL},
		{"think of it ←", NULL},
		{"help", NULL},
		{"help unbookmark", NULL},
		{"undo", NULL},
		{"search \"q\" web in:a7x2 author:model max:5 depth:deep topic:news "
		 "include:a.com,b.org exclude:\"c d,e\"",
		 NULL},
	};

	for (size_t i = 0; i < LOOM_COUNT(same); i++) {
		struct example one = {same[i].line, same[i].line};

		CHECK_CALL(check_all(&one, 1));
	}
	PASS();
}

TEST verbs_have_synonyms_and_words_that_carry_nothing(void)
{
	static const struct example examples[] = {
		{"show a7x2", "view a7x2"},
		{"show me node a7x2", "view a7x2"},
		{"inspect a7x2", "view a7x2"},
		{"look at a7x2", "view a7x2"},
		{"Could you please SHOW me the node [A7X2]?", "view a7x2"},
		{"show children of a7x2", "list a7x2 continuations"},
		{"show me the annotations of a7x2", "list a7x2 annotations"},
		{"list children of a7x2", "list a7x2 continuations"},
		{"show me the tree", "tree"},
		{"show the tree from a7x2", "tree from:a7x2"},
		{"go to b3k9", "switch to b3k9"},
		{"move to b3k9", "switch to b3k9"},
		{"switch b3k9", "switch to b3k9"},
		{"generate", "continue"},
		{"generate 3 continuations from a7x2", "continue from a7x2 n:3"},
		{"generate ten continuations", "continue n:10"},
		{"generate continuations", "continue"},
		{"continue from from:a7x2", "continue from a7x2"},
		{"generate one continuation from a7x2", "continue from a7x2 n:1"},
		{"continue a7x2", "continue from a7x2"},
		{"continue n:3 from:a7x2", "continue from a7x2 n:3"},
		{"continue from 1234 n:2", "continue from 1234 n:2"},
		{"continue using \"GPT-4o\"", "continue using agent:\"GPT-4o\""},
		{"reply to a7x2 \"hi\"", "respond a7x2 \"hi\""},
		{"respond a7x2 as:context \"hi\"", "respond a7x2 \"hi\" as:context"},
		{"note on a7x2 \"hi\"", "annotate a7x2 \"hi\""},
		{"annotate a7x2 with \"hi\"", "annotate a7x2 \"hi\""},
		{"revise a7x2 \"hi\"", "edit a7x2 \"hi\""},
		{"bookmark a7x2 as \"key\"", "bookmark a7x2 \"key\""},
		{"unpin b3k9", "drop pin:b3k9"},
		{"unpin doc:\"D\" section:S", "drop pin:doc:\"D\" section:S"},
		{"find \"q\"", "search \"q\""},
		{"help go to", "help switch"},
		{"help with continue", "help continue"},
		{"link a7x2 b3k9", "link a7x2 to b3k9"},
		{"link x9y3 in tree:\"T\" to a7x2", "link x9y3 in tree:\"T\" to a7x2"},
		{"link a7x2 to x9y3 in tree:\"T\"", "link a7x2 to tree:\"T\" node:x9y3"},
		{"view a7x2, full", "view a7x2 full"},
		{"view a7x2 . !", "view a7x2"},
		{"annotate a7x2 \"hi\".", "annotate a7x2 \"hi\""},
		{"view FULL a7x2 LINES:1-2", "view a7x2 full lines:1-2"},
		{"view a7x2 tree:\"T\"", "view a7x2 in tree:\"T\""},
		{"prune a7x2 in tree:draft", "prune a7x2 in tree:\"draft\""},
		{"pin doc:notes", "pin doc:\"notes\""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST ids_have_many_spellings_and_one_form(void)
{
	static const struct example examples[] = {
		{"view #a7x2", "view a7x2"},
		{"view [A7X2'']", "view a7x2''"},
		{"view a7x2’", "view a7x2'"},
		{"view a7x2′′", "view a7x2''"},
		{"view a7x2.3", "view a7x2'''"},
		{"view a7x2.4", "view a7x2'4"},
		{"view a7x2''''", "view a7x2'4"},
		{"view a7x2'12", "view a7x2'12"},
		{"view ANN-3", "view ann-3"},
		{"view 01HQ3K9", "view 01hq3k9"},
		{"view 01HQ3K9ZZZABCDEFGHJKMNPQRST", "!"}, /* 27 */
		{"view 01HQ3K9ZZZABCDEFGHJKMNPQRS", "view 01hq3k9zzzabcdefghjkmnpqrs"},
		{"view 01HQ3K9ZZZABCDEFGHJKMNPQR", "view 01hq3k9zzzabcdefghjkmnpqr"},
		{"view 2024", "view 2024"},
		{"view abcd", "!"}, /* a word is never an id */
		{"view a7x", "!"},
		{"view a7x2.", "view a7x2"},
		{"view a7x2.0", "!"},
		{"view a7x2''4", "!"},
		{"view ann-0", "!"},
		{"view res-x", "!"},
		{"view [a7x2", "view a7x2"},
		{"view b4", "!"},
		{"view l8er", "view l8er"},
		{"tree from:[B3K9.2]", "tree from:b3k9''"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST what_has_several_readings_is_asked(void)
{
	static const struct example examples[] = {
		{"open a7x2", "? view switch"},
		{"save a7x2", "? bookmark pin stash"},
		{"Delete a7x2", "? prune drop"},
		{"please remove the node a7x2", "? prune drop"},
		{"go back", "? switch"},
		{"go back to a7x2", "switch to a7x2"},
		{"read a7x2", "? view"},
		{"view doc:\"character notes\"", "read doc:\"character notes\""},
		{"write a7x2 \"x\"", "? edit respond"},
		{"drop a7x2", "? drop"},
		{"drop \"L\"", "? drop"},
		{"help me write the ending", "? help"},
		{"help frobnicate", "? help"},
		{"view a7x2 b3k9", "?"},
		{"continue from a7x2 from b3k9", "?"},
		{"link a7x2 to b3k9 c4m2", "?"},
		{"link a7x2 to b3k9 doc:\"D\"", "?"},
		{"stash \"L\" \"t\" content-of:a7x2", "?"},
		{"continue at:3 after:\"x\"", "?"},
		{"list a7x2 links annotations", "?"},
		{"view", "?"},
		{"list a7x2", "?"},
		{"annotate a7x2", "?"},
		{"annotate \"x\"", "?"},
		{"switch to", "?"},
		{"link a7x2", "?"},
		{"drop", "?"},
		{"read", "?"},
		{"write doc:\"D\" \"x\"", "?"},
		{"view branch:a7x2", "?"},
		{"search", "?"},
		{"stash", "?"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST words_that_turn_or_join_meanings_refuse_the_line(void)
{
	static const char *const words[] = {"or",    "and",   "then", "if",     "not",
					    "don't", "don’t", "AND",  "unless", "never"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		char line[80];
		struct example one = {line, "?"};

		snprintf(line, sizeof line, "view a7x2 %s b3k9", words[i]);
		CHECK_CALL(check_all(&one, 1));
		snprintf(line, sizeof line, "%s prune a7x2", words[i]);
		CHECK_CALL(check_all(&one, 1));
		/* inside quotes it is a text */
		snprintf(line, sizeof line, "annotate a7x2 \"%s\"", words[i]);
		one.said = line;
		CHECK_CALL(check_all(&one, 1));
	}
	PASS();
}

TEST what_is_not_understood_is_refused(void)
{
	static const struct example examples[] = {
		{"", "!"},
		{"please", "!"},
		{"frobnicate a7x2", "!"},
		{"a7x2", "? view switch"},
		{"so we see that", "!"},
		{"view a7x2 quickly", "!"},
		{"view a7x2 fulll", "!"},
		{"view a7x2 n:3", "!"},
		{"view a7x2 id:a7x2", "!"},
		{"view a7x2 \"text\"", "!"},
		{"view a7x2 as:prose", "!"},
		{"view branch:a7x2 as:poem", "!"},
		{"view a7x2 → view b3k9", "!"},
		{"view a7x2\nview b3k9", "!"},
		{"→ view a7x2", "!"},
		{"view `a7x2`", "view a7x2"},
		{"view a7x2; view b3k9", "!"},
		{"view a7x2 (note)", "view a7x2"},
		{"view a7x2 full full", "view a7x2 full"},
		{"continue n:3 n:4", "!"},
		{"generate 3 continuations n:4", "!"},
		{"generate n:4 3 continuations", "!"},
		{"unpin a7x2 b3k9", "?"},
		{"view a7x2 lines:20-10", "!"},
		{"view a7x2 lines:\"1-2\"", "!"},
		{"view a7x2 lines:12", "!"},
		{"view a7x2 lines:1-x", "!"},
		{"stash \"L\" summary-of:a7x2", "!"},
		{"continue n:0", "!"},
		{"continue n:-1", "!"},
		{"continue n:3.5", "!"},
		{"continue n:+3", "continue n:3"},
		{"continue n:0x3", "!"},
		{"continue n:three", "continue n:3"},
		{"continue n:\"3\"", "continue n:3"},
		{"continue n:٣", "!"},
		{"continue n:99999999999999999999", "!"},
		{"continue n: 3", "continue n:3"},
		{"continue n :3", "continue n:3"},
		{"continue from", "!"},
		{"continue 3", "continue n:3"},
		{"generate zero continuations", "!"},
		{"generate eleven continuations", "!"},
		{"generate 0 continuations", "!"},
		{"read doc:\"D\" lines:20-10", "!"},
		{"read doc:\"D\" lines:0-10", "!"},
		{"read doc:\"D\" lines:5", "!"},
		{"read doc:\"D\" lines:1-2-3", "!"},
		{"read doc:\"\"", "!"},
		{"read doc:", "!"},
		{"read \"D\"", "read doc:\"D\""},
		{"annotate a7x2 \"\"", "!"},
		{"annotate a7x2 “”", "!"},
		{"annotate a7x2 tone shifts", "!"},
		{"annotate a7x2 \"x\"y", "!"},
		{"annotate a7x2 \"x\"\"y\"", "!"},
		{"annotate a7x2\"x\"", "!"},
		{"annotate a7x2 \"x", "!"},
		{"annotate a7x2 \"x\" \"y\"", "!"},
		{"stash \"L\" summary-of:r001", "!"},
		{"search \"q\" include:a,,b", "!"},
		{"search \"q\" depth:4", "!"},
		{"tree depth:deep", "!"},
		{"memory stuff", "!"},
		{"undo a7x2", "!"},
		{"pin a7x2 section:S", "!"},
		{"write doc:\"D\" append at:end \"x\"", "write doc:\"D\" append \"x\""},
		{"drop pin:a7x2 stash:\"L\"", "!"},
		{"think", "!"},
		{"pin:a7x2", "pin a7x2"},
	};

	CHECK_ALL(examples);
	PASS();
}

/* Each of these is near to something that is taken. */
TEST what_is_almost_right_is_told_from_what_is(void)
{
	static const struct example examples[] = {
		{"drop pin:doc:\"D\"", "drop pin:doc:\"D\""},
		{"drop pin:x:\"D\"", "!"},
		{"drop pin:\"doc:x\"", "!"},
		{"drop pin:\"a7x2\"", "drop pin:a7x2"},
		{"drop pin:a7x2 pin:b3k9", "?"},
		{"unpin a7x2 b3k9", "?"},
		{"unpin doc:\"D\" section:S", "drop pin:doc:\"D\" section:S"},
		{"unpin \"x\"", "? drop"},
		{"view branch:x:\"y\" as:prose", "!"},
		{"read doc:x:\"y\"", "!"},
		{"read doc:x\"D\"", "!"},
		{"view a7x2 using agent:\"G\"", "!"},
		{"view a7x2 from b3k9", "!"},
		{"continue from from:a7x2", "continue from a7x2"},
		{"continue from b3k9 from a7x2", "?"},
		{"continue from \"x\"", "!"},
		{"continue from tree:\"x\"", "!"},
		{"continue from x", "!"},
		{"continue from", "!"},
		{"continue using \"GPT-4o\"", "continue using agent:\"GPT-4o\""},
		{"continue using the agent:\"G\"", "continue using agent:\"G\""},
		{"continue using GPT-4o", "continue using agent:\"GPT-4o\""},
		{"continue using tree:\"G\"", "!"},
		{"memory in tree:\"T\"", "!"},
		{"switch to x9y3 in doc:\"T\"", "!"},
		{"link a7x2 in tree:\"T\"", "?"},
		{"link a7x2 to tree:\"T\" in tree:\"S\"", "link a7x2 in tree:\"S\" to tree:\"T\""},
		{"link a7x2 to b3k9 c4m2", "?"},
		{"continue 3 continuation", "continue n:3"},
		{"continue continuations", "continue"},
		{"continue 1 continuations n:2", "!"},
		{"continue n:2 3 continuations", "!"},
		{"continue -3 continuations", "!"},
		{"continue x continuations", "!"},
		{"continue 3 x", "!"},
		{"list a7x2 continuations links", "?"},
		{"list a7x2 as continuations", "!"},
		{"bookmark a7x2 as \"x\"", "bookmark a7x2 \"x\""},
		{"tag a7x2 as \"x\"", "tag a7x2 \"x\""},
		{"annotate a7x2 as \"x\"", "!"},
		{"annotate a7x2 \"x\" \"y\"", "!"},
		{"undo a7x2", "!"},
		{"undo \"x\"", "!"},
		{"help please", "help"},
		{"help view please", "help view"},
		{"help view tree", "? help"},
		{"view: a7x2", "view a7x2"},
		{"view:x a7x2", "!"},
		{"\"view\" a7x2", "!"},
		{"view a7x2 lines:\"10-20\"", "!"},
		{"view a7x2 lines:", "!"},
		{"view a7x2 lines:\"\"", "!"},
		{"stash \"L\" summary-of:a7x2-", "!"},
		{"stash \"L\" summary-of:x-b3k9-a7x2", "!"},
		{"write doc:\"D\" at:3/ \"t\"", "write doc:\"D\" at:\"3/\" \"t\""},
		{"write doc:\"D\" at:3: \"t\"", "write doc:\"D\" at:\"3:\" \"t\""},
		{"write doc:\"D\" at:\"3\" \"t\"", "write doc:\"D\" at:\"3\" \"t\""},
		{"search \"q\" include:a,,b", "!"},
		{"search \"q\" max:\"3\"", "search \"q\" max:3"},
		{"recall \"a\\", "!"},
		{"recall “a\\”", "recall \"a\\\\\""},
		{"recall “a “ b”", "recall \"a “ b\""},
		{"recall “a „ b”", "recall \"a „ b\""},
		{"recall „a“", "recall \"a\""},
		{"recall \"a † b\"", "recall \"a † b\""},
		{"view a7x2† full", "!"},
		{"view a7x2、full", "!"},
		{"view a7x2 <b", "!"},
		{"view a7x2;", "view a7x2"},
		{"view res-", "!"},
		{"view res-04", "!"},
		{"view res-99999999999999999999999999", "!"},
		{"view a7x2'99999999999999999999999", "!"},
		{"view a7x2\xE2\x80\x99\xE2\x80\x99", "view a7x2''"},
		{"view a7x2' full", "view a7x2' full"},
		{"view [a7x2", "view a7x2"},
		{"view a7x2']", "view a7x2'"},
		{"think9 x", "!"},
		{"thinkz x", "!"},
		{"thinkZ x", "!"},
		{"think_ x", "!"},
		{"think- x", "!"},
		{"think/ x", "think / x ←"},
		{"think: x", "think x ←"},
		{"think@ x", "think @ x ←"},
		{"think[ x", "think [ x ←"},
		{"think` x", "think ` x ←"},
		{"think{ x", "think { x ←"},
		{"think x ←  # c", "think x ←"},
		{"think x ←  (c)", "think x ←"},
		{"think x ←  [c", "think x ←  [c ←"},
		{"think x ← # c", "think x ← # c ←"},
		{"think x ←!", "think x ←"},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST comments_and_closing_signs_fall_away(void)
{
	static const struct example examples[] = {
		{"view a7x2  # a comment with \"half a quote", "view a7x2"},
		{"view a7x2\t (stitched, natural)", "view a7x2"},
		{"view a7x2\xC2\xA0\xC2\xA0(x)", "view a7x2"},
		{"annotate a7x2 \"a  # b\"  # c", "annotate a7x2 \"a  # b\""},
		{"view a7x2 # no comment", "view a7x2"},
		{"view  #a7x2", "view a7x2"},
		{"view a7x2.  (x)", "view a7x2"},
		{"bookmark a7x2 \"why?\"!", "bookmark a7x2 \"why?\""},
	};

	CHECK_ALL(examples);
	PASS();
}

TEST escapes_are_two_and_all_else_is_literal(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_refusal refusal;
	struct loom_call call;

	ASSERT_EQ(LOOM_OK, loom_parse_line(arena,
					   LOOM_STR("annotate a7x2 \"\\\"\\\\\\n\\x\\\""
						    "  \r\n\t”\""),
					   &call, &refusal));
	ASSERT(loom_str_is(call.content, "\"\\\\n\\x\"  \r\n\t”"));
	loom_arena_destroy(arena);
	PASS();
}

TEST a_refusal_names_the_nearest_form(void)
{
	static const struct {
		const char *line;
		const char *hint;
		const char *message;
	} cases[] = {
		{"veiw a7x2", "did you mean → view a7x2", "veiw"},
		{"anotate a7x2 \"x\"", "did you mean → annotate a7x2 \"x\"", "anotate"},
		{"swich to a7x2", "did you mean → switch to a7x2", "swich"},
		{"a7x2", "did you mean → view a7x2\n→ switch to a7x2", "a7x2"},
		{"frobnicate", "→ help lists", "frobnicate"},
		{"list a7x2", "did you mean → list a7x2 continuations\n→ list a7x2 annotations",
		 "continuations, annotations or links"},
		{"drop",
		 "drop pin:ID | pin:doc:\"D\" [section:S] | stash:\"L\" | recall:\"L\"\n→ help "
		 "drop",
		 "recall:\"L\""},
		{"view a7x2 fulll", "did you mean → view a7x2", "\"full\""},
		{"continue n:0", "did you mean → continue", "above 0"},
		{"read a7x2", "did you mean → view a7x2\n→ view a7x2 full", "documents"},
		{"help view full", "did you mean → help view", "no help for \"full\""},
		/* a key without its colon, also where it is not the word that leads it in */
		{"view a7x2 depth=2", "did you mean → view a7x2", "\"depth=2\""},
		/* what is another verb's, what stands for a text, what stands too far back */
		{"view a7x2 §Intro", "did you mean → view a7x2", "\"§Intro\" is not part of view"},
		{"bookmark a7x2 \"x\" LABEL", "did you mean → bookmark a7x2 \"x\"",
		 "; put the text in quotes"},
		{"let us now see all that there may be view a7x2", "did you mean → view a7x2",
		 "\"may\""},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refusal refusal;
		struct loom_call call;

		ASSERT_EQ(LOOM_SYNTAX,
			  loom_parse_line(arena, loom_str_of(cases[i].line), &call, &refusal));
		ASSERTm(refusal.hint.p, loom_str_starts(refusal.hint, loom_str_of(cases[i].hint)));
		ASSERTm(refusal.message.p,
			loom_str_find(refusal.message, loom_str_of(cases[i].message), 0) !=
				SIZE_MAX);
	}
	loom_arena_destroy(arena);
	PASS();
}

#define HUGE "999999999999999999999"

TEST what_does_not_fit_is_told_what_fits(void)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{"continue n:" HUGE, "n: takes a whole number from 1 to 100, not \"" HUGE "\""},
		{"continue n:many", "n: takes a whole number above 0, not \"many\""},
		{"continue tokens:" HUGE,
		 "tokens: takes a whole number from 1 to 9223372036854775807, not \"" HUGE "\""},
		{"continue tokens:0", "tokens: takes a whole number above 0, not \"0\""},
		{"tree depth:" HUGE, "depth: takes a whole number from 1 to 9223372036854775807"},
		{"list a7x2 links page:" HUGE, "page: takes a whole number from 1 to 922337"},
		{"write doc:\"D\" at:" HUGE " \"x\"", "a smaller line number"},
		{"write doc:\"D\" at:0 \"x\"", "a line number above 0"},
		{"view a7x2 lines:1-" HUGE, "a range of smaller numbers"},
		{"view a7x2 lines:" HUGE "-2", "a range of smaller numbers"},
		{"view a7x2 lines:0-2", "a range like 10-20"},
		{"view a7x2\nview b3k9", "a call outside quotes must be one line"},
		{"view a7x2\rview b3k9", "a call outside quotes must be one line"},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refusal refusal;
		struct loom_call call;

		ASSERT_EQ(LOOM_SYNTAX,
			  loom_parse_line(arena, loom_str_of(cases[i].line), &call, &refusal));
		ASSERTm(cases[i].line,
			loom_str_find(refusal.message, loom_str_of(cases[i].said), 0) != SIZE_MAX);
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST a_refusal_says_where_in_the_line_it_is(void)
{
	static const struct {
		const char *line;
		size_t at;
	} cases[] = {
		{"view a7x2 b3k9", 10},
		{"view a7x2 quickly", 10},
		{"view a7x2 lines:20-10", 10},
		{"list a7x2 links parents", 16},
		{"annotate a7x2 \"x\" \"y\"", 18},
		{"continue n:many", 9},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refusal refusal;
		struct loom_call call;

		ASSERT_EQ(LOOM_SYNTAX,
			  loom_parse_line(arena, loom_str_of(cases[i].line), &call, &refusal));
		ASSERT_EQ_FMTm(cases[i].line, cases[i].at, refusal.at, "%zu");
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST a_refusal_of_arguments_says_which_and_why(void)
{
	char view[] = "view";
	char node[] = "a7x2";
	char other[] = "b3k9";
	char *const argv[] = {view, node, other};
	struct loom_arena *arena = loom_arena_create();
	struct loom_refusal refusal;
	struct loom_call call;

	ASSERT_EQ(LOOM_SYNTAX, loom_parse_argv(arena, 3, argv, &call, &refusal));
	ASSERT_EQ(LOOM_SYNTAX, refusal.status);
	ASSERT_EQ(2, refusal.at);
	ASSERT(loom_str_starts(refusal.message, LOOM_STR("which node? b3k9 is one too many")));
	loom_arena_destroy(arena);
	PASS();
}

TEST a_classifier_is_asked_only_about_what_says_nothing_else(void)
{
	static const struct {
		const char *line;
		bool ask;
	} cases[] = {
		{"frobnicate a7x2", true}, {"view a7x2 quickly", true}, {"open a7x2", false},
		{"view a7x2 and", false},  {"read a7x2", false},        {"continue n:0", false},
		{"list a7x2", false},      {"frobnicate not", false},
	};
	struct loom_arena *arena = loom_arena_create();

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refusal refusal;
		struct loom_call call;

		ASSERT_EQ(LOOM_SYNTAX,
			  loom_parse_line(arena, loom_str_of(cases[i].line), &call, &refusal));
		ASSERT_EQm(cases[i].line, cases[i].ask, refusal.not_understood);
	}
	loom_arena_destroy(arena);
	PASS();
}

TEST a_reading_counts_only_when_all_it_names_stands_in_the_line(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_refusal refusal;
	struct loom_call call;

	ASSERT_EQ(LOOM_OK,
		  loom_parse_line(arena, LOOM_STR("annotate a7x2 \"tone\""), &call, &refusal));
	ASSERT(loom_call_stands_in(&call, LOOM_STR("jot down \"tone\" at A7X2")));
	ASSERT_FALSE(loom_call_stands_in(&call, LOOM_STR("jot down \"tone\" at b3k9")));
	ASSERT_FALSE(loom_call_stands_in(&call, LOOM_STR("jot something down at a7x2")));
	loom_arena_destroy(arena);
	PASS();
}

/* ---- arguments ---- */

TEST arguments_are_tokens_and_texts_are_bytes(void)
{
	static const struct {
		const char *args[8];
		const char *said;
	} cases[] = {
		{{"annotate", "a7x2", "tone shifts"}, "annotate a7x2 \"tone shifts\""},
		{{"annotate", "a7x2", "tone"}, "annotate a7x2 \"tone\""},
		{{"annotate", "a7x2", "and"}, "annotate a7x2 \"and\""},
		{{"annotate", "a7x2", "as:context"}, "annotate a7x2 \"as:context\""},
		{{"annotate", "a7x2", "\"x\""}, "annotate a7x2 \"\\\"x\\\"\""},
		{{"annotate", "a7x2", "b3k9"}, "annotate a7x2 \"b3k9\""},
		{{"annotate", "a7x2", "  # x. "}, "annotate a7x2 \"  # x. \""},
		{{"annotate", "a7x2", "→ view"}, "annotate a7x2 \"→ view\""},
		{{"annotate", "a7x2", "in", "tree:T", "x"}, "annotate a7x2 in tree:\"T\" \"x\""},
		{{"annotate", "a7x2", ""}, "!"},
		{{"annotate", "a7x2"}, "?"},
		{{"annotate", "a7x2", "two", "words"}, "!"},
		{{"reply", "to", "a7x2", "hi"}, "respond a7x2 \"hi\""},
		{{"respond", "a7x2", "hi", "as:context"}, "respond a7x2 \"hi\" as:context"},
		{{"respond", "a7x2", "as:context", "hi"}, "respond a7x2 \"hi\" as:context"},
		{{"respond", "a7x2", "as:context"}, "respond a7x2 \"as:context\""},
		{{"bookmark", "a7x2"}, "bookmark a7x2"},
		{{"bookmark", "a7x2", "key"}, "bookmark a7x2 \"key\""},
		{{"bookmark", "a7x2", "in", "tree:T"}, "bookmark a7x2 in tree:\"T\""},
		{{"stash", "L", "a text"}, "stash \"L\" \"a text\""},
		{{"stash", "L", "content-of:a7x2"}, "stash \"L\" content-of:a7x2"},
		{{"recall", "my notes"}, "recall \"my notes\""},
		{{"search", "the house", "max:3"}, "search \"the house\" max:3"},
		{{"search", "for", "motive"}, "search \"motive\""},
		{{"read", "doc:character notes"}, "read doc:\"character notes\""},
		{{"read", "doc:\"character notes\"", "section:my part"},
		 "read doc:\"character notes\" section:\"my part\""},
		{{"drop", "pin:doc:character notes"}, "drop pin:doc:\"character notes\""},
		{{"drop", "pin:doc:\"character notes\""}, "drop pin:doc:\"character notes\""},
		{{"think", ""}, "!"},
		{{"think"}, "!"},
		{{"write", "doc:D", "append", "at:end"}, "write doc:\"D\" append \"at:end\""},
		{{"write", "doc:D", "at:5", "x"}, "write doc:\"D\" at:5 \"x\""},
		{{"link", "a7x2", "to", "doc:D", "note:key scene"},
		 "link a7x2 to doc:\"D\" note:\"key scene\""},
		{{"continue", "from", "a7x2", "using", "agent:GPT-4o"},
		 "continue from a7x2 using agent:\"GPT-4o\""},
		{{"generate", "3", "continuations"}, "continue n:3"},
		{{"tree", "from", "a7x2"}, "tree from:a7x2"},
		{{"switch", "a7x2.2", "in", "tree:T"}, "switch to a7x2'' in tree:\"T\""},
		{{"view", "a7x2", "and", "b3k9"}, "?"},
		{{"view", "a7x2", "quickly"}, "!"},
		{{"frobnicate"}, "!"},
		{{"open", "a7x2"}, "? view switch"},
		{{"think", "so", "it is"}, "think so it is ←"},
		{{"help", "go", "to"}, "help switch"},
		{{"annotate", "a7x2", "in"}, "annotate a7x2 \"in\""},
		{{"annotate", "a7x2", "in", "x"}, "!"},
		{{"annotate", "a7x2", "in", "tree:T"}, "annotate a7x2 in tree:\"T\" \"in\""},
		{{"annotate", "a7x2", "the", "x"}, "annotate a7x2 \"x\""},
		{{"tag", "a7x2", "as", "x"}, "tag a7x2 \"x\""},
		{{"read", "doc:\"a\"b"}, "read doc:\"\\\"a\\\"b\""},
		{{"read", "doc:\""}, "read doc:\"\\\"\""},
		{{"continue", "using", "agent:G"}, "continue using agent:\"G\""},
		{{"continue", "in", "the"}, "!"},
		{{"search", "web", "motive"}, "search \"motive\" web"},
		{{"respond", "a7x2:", "hi"}, "!"},
		{{NULL}, "!"},
	};
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_refusal refusal;
		struct loom_call call;
		char *argv[8];
		int argc = 0;

		for (; argc < 8 && cases[i].args[argc]; argc++)
			argv[argc] = loom_arena_cstr(arena, loom_str_of(cases[i].args[argc]));
		say(loom_parse_argv(arena, argc, argv, &call, &refusal), &call, &refusal, &out);
		ASSERT_STR_EQ(cases[i].said, loom_buf_cstr(&out));
	}
	loom_buf_fini(&out);
	loom_arena_destroy(arena);
	PASS();
}

TEST any_bytes_are_read_without_harm(void)
{
	struct prop prop;

	prop_init(&prop, "bytes");
	for (int round = 0; round < 3000; round++) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_refusal refusal;
		struct loom_call call;

		loom_buf_adds(&line, prop_once_in(&prop, 2) ? "annotate a7x2 " : "");
		prop_bent_text(&prop, prop_size(&prop, 60), &line);
		if (loom_parse_line(arena, loom_buf_str(&line), &call, &refusal) != LOOM_OK)
			ASSERT(refusal.message.n && refusal.hint.n);
		loom_buf_fini(&line);
		loom_arena_destroy(arena);
	}
	PASS();
}

SUITE(parse)
{
	RUN_TEST(every_form_of_every_verb_is_taken);
	RUN_TEST(verbs_have_synonyms_and_words_that_carry_nothing);
	RUN_TEST(ids_have_many_spellings_and_one_form);
	RUN_TEST(what_has_several_readings_is_asked);
	RUN_TEST(words_that_turn_or_join_meanings_refuse_the_line);
	RUN_TEST(what_is_not_understood_is_refused);
	RUN_TEST(what_is_almost_right_is_told_from_what_is);
	RUN_TEST(comments_and_closing_signs_fall_away);
	RUN_TEST(escapes_are_two_and_all_else_is_literal);
	RUN_TEST(a_refusal_names_the_nearest_form);
	RUN_TEST(what_does_not_fit_is_told_what_fits);
	RUN_TEST(a_refusal_says_where_in_the_line_it_is);
	RUN_TEST(a_refusal_of_arguments_says_which_and_why);
	RUN_TEST(a_classifier_is_asked_only_about_what_says_nothing_else);
	RUN_TEST(a_reading_counts_only_when_all_it_names_stands_in_the_line);
	RUN_TEST(arguments_are_tokens_and_texts_are_bytes);
	RUN_TEST(any_bytes_are_read_without_harm);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(parse);
	GREATEST_MAIN_END();
}
