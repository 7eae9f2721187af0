/* What a thread keeps, documents, and help: printed forms and what they leave behind. */
#include <greatest.h>

#include <loom/language/registry.h>

#include "support/marie_suite.h"

/* ---- memory ---- */

TEST pins_are_kept_and_dropped(void)
{
	SAYS("✓ pinned [a7x2] to working memory", "→ pin a7x2");
	SAYS("✓ pinned [a7x2] unchanged", "→ pin a7x2");
	SAYS("✓ pinned doc:\"character notes\" §motivation to working memory",
	     "→ pin doc:\"character notes\" section:motivation");
	SAYS("✗ NOT_FOUND: there is no section \"nothing\"\n"
	     "  hint: there is \"Marie\", \"motivation\", \"voice\"",
	     "→ pin doc:\"character notes\" section:nothing");
	SAYS("✓ dropped pin [a7x2]", "→ drop pin:a7x2");
	SAYS("✗ NOT_FOUND: [a7x2] is not pinned\n  hint: → memory lists what is", "→ unpin a7x2");
	SAYS("✓ dropped pin doc:\"character notes\" §motivation",
	     "→ drop pin:doc:\"character notes\" section:motivation");
	PASS();
}

TEST a_pinned_document_is_for_those_who_may_read_it(void)
{
	marie_grant(&marie, LOOM_MAY_AWARE);
	SAYS("✗ PERMISSION_DENIED: doc_read not enabled\n"
	     "  hint: request elevated permissions or ask the human to pin",
	     "→ pin doc:\"character notes\"");
	PASS();
}

TEST texts_are_stashed_and_recalled(void)
{
	SAYS("✓ stashed \"marie insight\" (3 tokens)", "→ stash \"marie insight\" \"She lied.\"");
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ stash \"marie insight\" \"again\""),
			     "✗ CONFLICT", 12));
	SAYS("✓ recalled \"marie insight\":\n\"She lied.\"", "→ recall \"marie insight\"");
	SAYS("✓ dropped recall \"marie insight\"", "→ drop recall:\"marie insight\"");
	SAYS("✗ NOT_FOUND: \"marie insight\" is not recalled\n  hint: → memory lists what is",
	     "→ drop recall:\"marie insight\"");
	SAYS("✓ dropped stash \"marie insight\"", "→ drop stash:\"marie insight\"");
	SAYS("✗ NOT_FOUND: stash \"marie insight\" does not exist\n"
	     "  hint: nothing is stashed: → stash \"L\" \"…\"",
	     "→ recall \"marie insight\"");
	PASS();
}

TEST nodes_and_paths_are_stashed(void)
{
	SAYS("✓ stashed \"whole\" (18 tokens)", "→ stash \"whole\" content-of:a7x2");
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ stash \"early\" summary-of:r001-k4c5"),
			     "✓ stashed \"early\" (", 20));
	SAYS("✓ recalled \"early\":\n"
	     "\"[r001] Begin. (extract)\n"
	     "[k2a3] One. (extract)\n"
	     "[k3b4] Two. (extract)\n"
	     "[k4c5] Three. (extract)\"",
	     "→ recall \"early\"");
	SAYS("✗ NOT_FOUND: there is no path between [c4m2] and [d5n7]\n"
	     "  hint: one of them must be above the other",
	     "→ stash \"none\" summary-of:c4m2-d5n7");
	PASS();
}

TEST memory_shows_what_is_kept(void)
{
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ memory"),
			     "Working Memory:\n  (empty)\n\nContext: ", 36));
	(void)marie_result(&marie, "→ pin a7x2\n→ pin r001\n"
				   "→ pin doc:\"character notes\" section:motivation\n"
				   "→ stash \"marie insight\" \"She lied.\"\n"
				   "→ stash \"theme notes\" \"Rain.\"");
	ASSERT(strstr(marie_result(&marie, "→ memory"),
		      "Working Memory:\n"
		      "  pinned: [a7x2], [r001], doc:\"character notes\" §motivation\n"
		      "  stashed: \"marie insight\", \"theme notes\"\n"
		      "\n"
		      "Context: "));
	SAYS("Stashed:\n"
	     "  \"marie insight\" (3 tokens · 0s ago)\n"
	     "  \"theme notes\" (2 tokens · 0s ago)",
	     "→ memory stashed");
	PASS();
}

static enum loom_status measure(void *ctx, const struct loom_engine_view *view, int64_t *out_used,
				int64_t *out_free, struct loom_err *err)
{
	(void)ctx;
	(void)view;
	(void)err;
	*out_used = 12847;
	*out_free = 37153;
	return LOOM_OK;
}

TEST memory_says_how_much_room_is_left(void)
{
	static const struct loom_engine_hooks hooks = {.measure = measure};

	marie.opts.hooks = &hooks;
	marie_engine(&marie, marie.agent);
	SAYS("Working Memory:\n  (empty)\n\nContext: 12,847 tokens used · 37,153 available",
	     "→ memory");
	PASS();
}

TEST the_room_is_that_of_the_agents_own_model(void)
{
	const char *text = marie_result(&marie, "→ memory");

	ASSERT(strstr(text, " tokens used"));
	ASSERT_EQ(NULL, strstr(text, "available"));
	marie.opts.budget = 20000;
	marie_engine(&marie, marie.agent);
	ASSERT(strstr(marie_result(&marie, "→ memory"), " tokens used · 19,"));
	ASSERT(strstr(loom_buf_cstr(&marie.out), " available"));
	/* A person has no context. */
	marie_engine(&marie, marie.grove.owner);
	SAYS("Working Memory:\n  (empty)", "→ memory");
	PASS();
}

TEST the_trace_tells_failures_by_their_code(void)
{
	ASSERT(strstr(marie_say(&marie, "→ view a7x2\n→ view xyz999\n→ memory trace"),
		      "Action Trace (last 10):\n"
		      "  → view a7x2\n"
		      "  → view xyz999 ✗ NOT_FOUND"));
	PASS();
}

TEST results_of_the_turn_can_be_pinned(void)
{
	ASSERT(strstr(marie_say(&marie, "→ view a7x2\n→ pin res-1\n→ memory"),
		      "✓ pinned [res-1] to working memory"));
	ASSERT(strstr(loom_buf_cstr(&marie.out), "pinned: [res-1]"));
	SAYS("✗ NOT_FOUND: there is no result res-99\n"
	     "  hint: the last result is res-3",
	     "→ pin res-99");
	SAYS("✗ NOT_FOUND: node [res-1] does not exist in this tree\n"
	     "  hint: res-1 is a result; → pin res-1 keeps it",
	     "→ view res-1");
	PASS();
}

/* ---- documents ---- */

TEST documents_are_read_whole_and_in_parts(void)
{
	SAYS("doc:\"character notes\" (13 words · updated 0s ago)\n"
	     "# Marie\nTall.\n\n## motivation\nFear of loss.\n\n## voice\nLow and slow.\n",
	     "→ read doc:\"character notes\"");
	SAYS("doc:\"character notes\" §motivation\n## motivation\nFear of loss.",
	     "→ read doc:\"character notes\" section:motivation");
	SAYS("doc:\"character notes\" (13 words · updated 0s ago · lines 2-4 of 8)\n"
	     "Tall.\n\n## motivation",
	     "→ read doc:\"character notes\" lines:2-4");
	SAYS("doc:\"character notes\" (13 words · updated 0s ago)\n\"Tall.\"",
	     "→ read doc:\"character notes\" summary");
	SAYS("✗ NOT_FOUND: document \"nothing\" does not exist\n"
	     "  hint: there is doc:\"character notes\"",
	     "→ read doc:\"nothing\"");
	SAYS("✗ NOT_FOUND: doc:\"character notes\" has 8 lines",
	     "→ read doc:\"character notes\" lines:9-12");
	PASS();
}

TEST writing_appends_inserts_and_replaces(void)
{
	SAYS("✓ appended to doc:\"character notes\" (now 15 words)",
	     "→ write doc:\"character notes\" append \"She lied.\"");
	SAYS("✓ put at the start of doc:\"character notes\" (now 16 words)",
	     "→ write doc:\"character notes\" at:start \"Draft.\"");
	SAYS("✓ inserted into doc:\"character notes\" (now 17 words)",
	     "→ write doc:\"character notes\" at:3 \"Here.\"");
	SAYS("✓ appended to doc:\"character notes\" §motivation (now 18 words)",
	     "→ write doc:\"character notes\" at:motivation \"Grief.\"");
	SAYS("✓ replaced doc:\"character notes\" §voice (now 14 words)",
	     "→ write doc:\"character notes\" replace:voice \"High.\"");
	ASSERT(strstr(marie_result(&marie, "→ read doc:\"character notes\""),
		      ")\nDraft.\n# Marie\nHere.\nTall.\n\n## motivation\nFear of "
		      "loss.\nGrief.\n\n## voice\nHigh."));
	SAYS("✗ NOT_FOUND: doc:\"character notes\" has 11 lines\n  hint: use at:12 or less, or "
	     "append",
	     "→ write doc:\"character notes\" at:40 \"Far.\"");
	PASS();
}

TEST a_missing_document_is_made_and_a_missing_section_is_not(void)
{
	SAYS("✓ created doc:\"new notes\" (2 words)",
	     "→ write doc:\"new notes\" append \"One two\"");
	SAYS("✗ NOT_FOUND: there is no section \"nothing\"\n  hint: it has no headings",
	     "→ write doc:\"new notes\" replace:nothing \"no\"");
	SAYS("✗ NOT_FOUND: document \"newer\" does not exist\n"
	     "  hint: → write doc:\"newer\" append \"…\" creates it",
	     "→ write doc:\"newer\" replace:nothing \"no\"");
	PASS();
}

TEST two_equal_headings_are_both_named(void)
{
	marie_doc(&marie, "twice", "# A\none\n# B\n# A\ntwo\n");
	SAYS("✗ INVALID_SYNTAX: two sections are called \"A\": at line 1 and at line 4\n"
	     "  hint: use line numbers instead, or rename one of the headings",
	     "→ write doc:\"twice\" replace:A \"no\"");
	PASS();
}

TEST a_stale_edit_conflicts_and_its_text_becomes_a_draft(void)
{
	struct loom_draft *drafts = NULL;
	struct loom_err err;
	struct loom_doc doc;
	size_t count = 0;

	(void)marie_result(&marie, "→ read doc:\"character notes\"");
	grove_begin(&marie.grove, "write");
	marie_must(loom_doc_find(marie.grove.store, LOOM_STR("character notes"), true,
				 marie.grove.arena, &doc, &err),
		   &err);
	marie_must(loom_doc_write(marie.grove.store, doc.id, LOOM_STR("# voice\nOther.\n"),
				  marie.grove.owner, -1, &err),
		   &err);
	grove_commit(&marie.grove);
	ASSERT_EQ(0,
		  strncmp(marie_result(&marie,
				       "→ write doc:\"character notes\" replace:voice \"Mine.\""),
			  "✗ CONFLICT: doc:\"character notes\" was changed by", 49));
	marie_must(loom_draft_list(marie.grove.store, marie.grove.arena, &drafts, &count, &err),
		   &err);
	ASSERT_EQ(1, count);
	ASSERT(loom_str_is(drafts[0].text, "# voice\nMine."));
	/* Appending conflicts with nobody; reading again makes the base new. */
	SAYS("✓ appended to doc:\"character notes\" (now 4 words)",
	     "→ write doc:\"character notes\" append \"More.\"");
	(void)marie_result(&marie, "→ read doc:\"character notes\"");
	SAYS("✓ replaced doc:\"character notes\" §voice (now 3 words)",
	     "→ write doc:\"character notes\" replace:voice \"Mine.\"");
	PASS();
}

/* ---- help and thinking ---- */

TEST help_marks_what_is_not_permitted(void)
{
	static const char *const lines[] = {
		"Permissions: loom_aware, doc_read\n\nNavigation:\n  → view ID ",
		"\n  → switch to ID [in tree:\"T\"] — Move to another node\n",
		"\n\nContent:\n* → continue ",
		"\n* → unbookmark ID — Remove the bookmark from a node\n",
		"\n  → read doc:\"D\" ",
		"\n* → undo — ",
		"\n* not permitted: respond, annotate, link, unlink, edit, bookmark, unbookmark, "
		"tag, "
		"untag, exclude, include, unseam, seam, prune, restore, split, join, move, copy, "
		"order, new, "
		"title, "
		"describe, undo, redo (needs "
		"loom_write) · continue, summarize (needs loom_generate) · write (needs "
		"doc_write) · threads, spawn, ref, unref, refresh, suspend, resume (needs "
		"threads)\n→ help VERB explains one of them",
	};

	marie_grant(&marie, LOOM_MAY_ANALYST);
	for (size_t i = 0; i < LOOM_COUNT(lines); i++)
		ASSERTm(lines[i], strstr(marie_result(&marie, "→ help"), lines[i]));
	PASS();
}

TEST help_tells_of_each_verb_its_forms(void)
{
	for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);
		char line[64];
		const char *text = NULL;

		snprintf(line, sizeof line, "→ help %s", verb->name);
		text = marie_result(&marie, line);
		ASSERT_EQ_FMT(LOOM_OK, marie.last.status, "%d");
		ASSERT(strstr(text, verb->summary));
	}
	PASS();
}

TEST thinking_is_kept_and_changes_nothing(void)
{
	SAYS("✓ thought kept", "→ think she is lying ←");
	ASSERT_EQ(0, marie.last.op);
	PASS();
}

SUITE(engine_memory)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(pins_are_kept_and_dropped);
	RUN_TEST(a_pinned_document_is_for_those_who_may_read_it);
	RUN_TEST(texts_are_stashed_and_recalled);
	RUN_TEST(nodes_and_paths_are_stashed);
	RUN_TEST(memory_shows_what_is_kept);
	RUN_TEST(memory_says_how_much_room_is_left);
	RUN_TEST(the_room_is_that_of_the_agents_own_model);
	RUN_TEST(the_trace_tells_failures_by_their_code);
	RUN_TEST(results_of_the_turn_can_be_pinned);
	RUN_TEST(documents_are_read_whole_and_in_parts);
	RUN_TEST(writing_appends_inserts_and_replaces);
	RUN_TEST(a_missing_document_is_made_and_a_missing_section_is_not);
	RUN_TEST(two_equal_headings_are_both_named);
	RUN_TEST(a_stale_edit_conflicts_and_its_text_becomes_a_draft);
	RUN_TEST(help_marks_what_is_not_permitted);
	RUN_TEST(help_tells_of_each_verb_its_forms);
	RUN_TEST(thinking_is_kept_and_changes_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_memory);
	GREATEST_MAIN_END();
}
