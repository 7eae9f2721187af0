/* `<thread_context>`: what is in it, how it is written, how others' are read. The cases of
 * threads.md that are about contexts, and a rule each for the rest. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include "support/clock.h"
#include "support/prop.h"
#include "support/camp_suite.h"
#include "support/xml.h"

static const char *outline(const char *block)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *lines = "does not parse";

	if (xml_outline(loom_str_of(block), &text))
		lines = loom_arena_cstr(camp.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return lines;
}

/* ---- what is in it ---- */

TEST a_new_thread_has_an_empty_context(void)
{
	camp_threads(&camp, "A");
	ASSERT_STR_EQ("<thread_context thread=\"A\" objective=\"obj\" "
		      "relations_file=\".leslie/thread_relations.json\">\n</thread_context>",
		      camp_context(&camp, "A", LOOM_CONTEXT_SPAWN));
	ASSERT_STR_EQ(camp_context(&camp, "A", LOOM_CONTEXT_SPAWN),
		      camp_context(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST own_assets_come_in_the_order_of_their_types(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/learnings/l.md", "");
	camp_write(&camp, T "A/design/x.md", "");
	camp_write(&camp, T "A/progress.md", "");
	camp_write(&camp, T "A/plan.md", "");
	ASSERT_STR_EQ("own plan A/plan.md|own progress A/progress.md|own design A/design/|"
		      "own learnings A/learnings/",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_SPAWN));
	ASSERT_STR_EQ(camp_context(&camp, "A", LOOM_CONTEXT_LOAD),
		      camp_context(&camp, "A", LOOM_CONTEXT_REINJECT));
	PASS();
}

TEST a_file_form_stands_before_a_folder_form(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/plan/1.md", "");
	ASSERT_STR_EQ("own plan A/plan/", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	camp_write(&camp, T "A/plan.md", "");
	ASSERT_STR_EQ("own plan A/plan.md|own plan A/plan/",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST other_files_are_no_assets(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/discuss/1.md", "");
	camp_write(&camp, T "A/notes.txt", "");
	camp_write(&camp, T "A/artifacts/code/main.c", "");
	camp_write(&camp, T "A/plans.md", "");
	camp_write(&camp, T "A/Plan.md", "");
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_thing_of_the_wrong_kind_is_no_asset(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/plan.md/x", "");
	camp_write(&camp, T "A/design", "");
	camp_write(&camp, T "A/learnings", "");
	camp_remove(&camp, T "A/learnings");
	ASSERT_EQ(0, symlink("plan.md", camp_path(&camp, T "A/learnings")));
	ASSERT_EQ(0, mkfifo(camp_path(&camp, T "A/progress.md"), 0600));
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST an_empty_folder_is_an_asset(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/design/", "");
	ASSERT_STR_EQ("own design A/design/", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST each_type_is_listed_once_where_it_really_is(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, T "A/plan.md", "");
	camp_write(&camp, T "A/artifacts/plan.md", "");
	camp_write(&camp, T "A/artifacts/progress.md", "");
	camp_write(&camp, T "A/artifacts/design/x", "");
	ASSERT_STR_EQ("own plan A/plan.md|own progress A/artifacts/progress.md|"
		      "own design A/artifacts/design/",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST own_transcripts_are_listed(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/transcript.md", "");
	camp_write(&camp, T "A/.meta/transcripts/", "");
	ASSERT_STR_EQ("own transcript A/transcript.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	camp_write(&camp, T "A/.meta/transcripts/1.txt", "");
	ASSERT_STR_EQ("own transcript A/transcript.md|own transcript A/.meta/transcripts/",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	ASSERT_STR_EQ("", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:transcript.md"));
	ASSERT_STR_EQ("ref A transcript A/transcript.md",
		      camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST the_seed_s_complete_example_comes_out_the_same(void)
{
	FILE *file = fopen(LOOM_SHARED "/seeds/000_124518e05ecd66bf.txt", "rb");
	static char seed[16384];
	size_t n = 0;
	struct loom_str text;
	struct loom_str example;
	size_t from = 0;
	size_t to = 0;
	struct loom_str id;
	struct loom_leslie_target refs[2];
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj-auth-system"),
					  .id = LOOM_STR("thread-frontend-123"),
					  .refs = refs,
					  .ref_count = 2};

	if (!file)
		SKIPm("the seeds are not here");
	n = fread(seed, 1, sizeof(seed), file);
	fclose(file);
	text = loom_str_make(seed, n);
	from = loom_str_find(text, LOOM_STR("## Complete Example"), 0);
	from = loom_str_find(text, LOOM_STR("<thread_context"), from);
	to = loom_str_find(text, LOOM_STR("</thread_context>"), from) + 17;
	example = loom_str_sub(text, from, to - from);

	camp_threads(&camp, "thread-backend-456 thread-db-789");
	ASSERT_EQ(LOOM_OK, loom_objective_new(camp.leslie, LOOM_STR("Auth"), spawn.objective,
					      camp.arena, &id, NULL));
	camp_write(&camp, T "thread-backend-456/design/api-spec.md", "");
	camp_write(&camp, T "thread-backend-456/design/data-models.md", "");
	camp_write(&camp, T "thread-backend-456/plan.md", "");
	camp_write(&camp, T "thread-db-789/design/schema.sql", "");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_target_parse(LOOM_STR("thread-backend-456:design/api-spec.md,"
						    "design/data-models.md"),
					   camp.arena, &refs[0], NULL));
	ASSERT_EQ(LOOM_OK, loom_leslie_target_parse(LOOM_STR("thread-db-789:design/schema.sql"),
						    camp.arena, &refs[1], NULL));
	for (int binding = 0; binding < 2; binding++) {
		spawn.binding = (enum loom_leslie_binding)binding;
		spawn.id =
			binding ? LOOM_STR("thread-frontend-124") : LOOM_STR("thread-frontend-123");
		ASSERT_EQ(LOOM_OK, loom_leslie_spawn(camp.leslie, &spawn, camp.arena, &id,
						     &camp.warnings, &camp.err));
	}
	camp_write(&camp, T "thread-frontend-123/plan.md", "");
	camp_write(&camp, T "thread-frontend-123/progress.md", "");
	camp_write(&camp, T "thread-frontend-123/design/", "");
	ASSERT_STR_EQ(outline(loom_arena_cstr(camp.arena, example)),
		      outline(camp_context(&camp, "thread-frontend-123", LOOM_CONTEXT_LOAD)));
	ASSERT_STR_EQ("ref thread-backend-456 design thread-backend-456/design/api-spec.md|"
		      "ref thread-backend-456 design thread-backend-456/design/data-models.md|"
		      "ref thread-db-789 design thread-db-789/design/schema.sql",
		      camp_assets(&camp, "thread-frontend-124", LOOM_CONTEXT_SPAWN));
	PASS();
}

TEST references_of_references_are_not_in_it(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "B/plan.md", "");
	camp_write(&camp, T "C/plan.md", "");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "C"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	ASSERT_STR_EQ("ref B plan B/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT(!strstr(camp_context(&camp, "A", LOOM_CONTEXT_LOAD), "C/"));
	ASSERT(!camp_has(&camp, T "A/context/inherited/context"));
	PASS();
}

TEST a_reference_without_assets_makes_no_ref(void)
{
	camp_threads(&camp, "A B");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(0, camp.warnings.count);
	camp_write(&camp, T "B/code/main.c", "");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B:code"));
	ASSERT_STR_EQ("", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_thread_referenced_twice_has_one_ref_in_the_order_of_making(void)
{
	camp_threads(&camp, "A B C");
	camp_write(&camp, T "B/plan.md", "");
	camp_write(&camp, T "B/design/x.md", "");
	camp_write(&camp, T "C/plan.md", "");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "C"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B:design/x.md"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "A", "B:plan.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B:design/x.md"));
	ASSERT_STR_EQ("ref C plan C/plan.md|ref B plan B/plan.md|ref B design B/design/x.md",
		      camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST a_frozen_list_is_that_of_the_copy(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "B/plan.md", "");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	camp_write(&camp, T "B/learnings/l.md", "");
	ASSERT_STR_EQ("ref B plan B/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	camp_remove(&camp, T "B/plan.md");
	ASSERT_STR_EQ("ref B plan B/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST every_asset_says_where_to_read_it(void)
{
	struct loom_thread_context context;

	camp_threads(&camp, "A B C D");
	camp_write(&camp, T "A/plan.md", "own");
	camp_write(&camp, T "B/plan.md", "b");
	camp_write(&camp, T "B/artifacts/design/x/y.md", "b");
	camp_write(&camp, T "C/artifacts/plan.md", "c");
	camp_write(&camp, T "D/plan.md", "d");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "B"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "A", "C"));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "A", "D"));
	ASSERT_EQ(LOOM_OK, loom_leslie_context(camp.leslie, LOOM_STR("A"), LOOM_CONTEXT_LOAD,
					       camp.arena, &context, &camp.warnings, &camp.err));
	ASSERT(loom_str_is(context.assets.items[0].read_path, T "A/plan.md"));
	ASSERT(loom_str_is(context.refs[0].assets.items[0].read_path,
			   T "A/context/inherited/plan.md"));
	ASSERT(loom_str_is(context.refs[0].assets.items[1].path, T "B/artifacts/design/"));
	ASSERT(loom_str_is(context.refs[0].assets.items[1].read_path,
			   T "A/context/inherited/design/"));
	ASSERT(loom_str_is(context.refs[1].assets.items[0].path, T "C/artifacts/plan.md"));
	ASSERT(loom_str_is(context.refs[1].assets.items[0].read_path,
			   T "A/context/inherited/C/plan.md"));
	ASSERT(loom_str_is(context.refs[2].assets.items[0].read_path, T "D/plan.md"));
	ASSERT_STR_EQ("c", camp_read(&camp, T "A/context/inherited/C/plan.md"));
	PASS();
}

TEST the_place_it_is_asked_from_does_not_matter(void)
{
	struct loom_leslie_opts opts = {.env = &camp.env};
	struct loom_leslie *below = NULL;
	struct loom_thread_context context;

	camp_threads(&camp, "A");
	camp_write(&camp, T "A/plan.md", "");
	camp_write(&camp, "deep/er/x", "");
	opts.start = camp_path(&camp, "deep/er");
	ASSERT_EQ(LOOM_OK, loom_leslie_open(&opts, &below, NULL));
	ASSERT_EQ(LOOM_OK, loom_leslie_context(below, LOOM_STR("A"), LOOM_CONTEXT_LOAD, camp.arena,
					       &context, &camp.warnings, NULL));
	ASSERT(loom_str_is(context.assets.items[0].path, T "A/plan.md"));
	loom_leslie_close(below);
	PASS();
}

TEST references_made_by_hand_are_live(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "B/plan.md", "b");
	camp_write(&camp, ".leslie/thread_relations.json",
		   "{\"threads\":{\"A\":{\"objective\":\"o\"},\"B\":{\"objective\":\"o\"}},"
		   "\"relations\":{\"A\":{\"references_to\":[\"B\",\"B\",\"gone\"]}}}");
	ASSERT_STR_EQ("ref B plan B/plan.md", camp_assets(&camp, "A", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(1, camp.warnings.count);
	ASSERT(camp_warned(&camp, "Referenced Thread gone not found"));
	ASSERT_STR_EQ("b", camp_shared(&camp, "A", "plan.md", NULL));
	PASS();
}

/* ---- how it is written ---- */

TEST special_characters_come_back_as_they_were(void)
{
	static const char odd[] =
		"a & <b> \"c\" 'd' \t tab \n line \r cr \xc3\xa9 \xf0\x9f\x98\x80";
	struct loom_thread_context context = {.thread = LOOM_STR("A")};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf seen = LOOM_BUF_INIT(LOOM_BUF_MAX);

	context.objective = loom_str_of(odd);
	ASSERT_EQ(LOOM_OK, loom_thread_context_emit(&context, &text, NULL));
	ASSERT(strstr(loom_buf_cstr(&text), "&amp; &lt;b&gt; &quot;c&quot; &apos;d&apos; &#9;"));
	ASSERT(xml_outline(loom_buf_str(&text), &seen));
	ASSERT(strstr(loom_buf_cstr(&seen), odd));
	loom_buf_fini(&text);
	loom_buf_fini(&seen);
	PASS();
}

TEST names_that_are_not_ascii_come_back_as_they_were(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "B/design/\xc3\xa9t\xc3\xa9 & <\xe5\x9b\xb3>'\".md", "x");
	ASSERT_EQ(LOOM_OK,
		  camp_freeze(&camp, "A", "B:design/\xc3\xa9t\xc3\xa9 & <\xe5\x9b\xb3>'\".md"));
	ASSERT(strstr(outline(camp_context(&camp, "A", LOOM_CONTEXT_LOAD)),
		      "    asset type=design path=" T
		      "B/design/\xc3\xa9t\xc3\xa9 & <\xe5\x9b\xb3>'\".md\n"));
	PASS();
}

TEST what_xml_cannot_say_is_refused(void)
{
	static const char *const bad[] = {"\x01",         "a\x0b",        "\x7f\xff",
					  "\xef\xbf\xbe", "\xed\xa0\x80", "\x1b[0m"};
	struct loom_thread_context context = {.thread = LOOM_STR("A")};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		context.objective = loom_str_of(bad[i]);
		ASSERT_EQ(LOOM_INVALID, loom_thread_context_emit(&context, &text, NULL));
		ASSERT_EQ(0, text.n);
	}
	context.objective = loom_str_make("a\0b", 3);
	ASSERT_EQ(LOOM_INVALID, loom_thread_context_emit(&context, &text, NULL));
	loom_buf_fini(&text);
	PASS();
}

TEST an_objective_with_special_characters_is_shown_right(void)
{
	camp_threads(&camp, "A");
	camp_write(&camp, ".leslie/thread_relations.json",
		   "{\"threads\":{\"A\":{\"objective\":\"a&b<c>\\\"d'\\u00e9\"}}}");
	ASSERT(strstr(outline(camp_context(&camp, "A", LOOM_CONTEXT_LOAD)),
		      "thread_context thread=A objective=a&b<c>\"d'\xc3\xa9 relations_file="));
	camp_write(&camp, ".leslie/thread_relations.json",
		   "{\"threads\":{\"A\":{\"objective\":\"a\\u0001\"}}}");
	ASSERT_STR_EQ("", camp_context(&camp, "A", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST the_task_follows_the_block_unchanged(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_thread_context_message(LOOM_STR("<b>"), LOOM_STR("  do\n\n<it> & \n"), &text);
	ASSERT_STR_EQ("<b>\n\n  do\n\n<it> & \n", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	PASS();
}

/* ---- how others' are read ---- */

static struct loom_thread_context read_context;
static struct loom_context_problems read_problems;

/* The parsed block as "T O R|own type path|ref X type path|! line message". */
static const char *understood(const char *text)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *lines = NULL;

	if (loom_thread_context_parse(loom_str_of(text), camp.arena, &read_context, &read_problems,
				      NULL) != LOOM_OK)
		return "failed";
	loom_buf_addf(&out, "%.*s %.*s %.*s", LOOM_STR_ARG(read_context.thread),
		      LOOM_STR_ARG(read_context.objective),
		      LOOM_STR_ARG(read_context.relations_file));
	for (size_t i = 0; i < read_context.assets.count; i++)
		loom_buf_addf(&out, "|own %s %.*s",
			      loom_asset_type_name(read_context.assets.items[i].type),
			      LOOM_STR_ARG(read_context.assets.items[i].path));
	for (size_t i = 0; i < read_context.ref_count; i++) {
		const struct loom_context_ref *ref = &read_context.refs[i];

		for (size_t k = 0; k < ref->assets.count; k++)
			loom_buf_addf(&out, "|ref %.*s %s %.*s", LOOM_STR_ARG(ref->thread),
				      loom_asset_type_name(ref->assets.items[k].type),
				      LOOM_STR_ARG(ref->assets.items[k].path));
	}
	for (size_t i = 0; i < read_problems.count; i++)
		loom_buf_addf(&out, "|! %zu %.*s", read_problems.items[i].line,
			      LOOM_STR_ARG(read_problems.items[i].message));
	lines = loom_arena_cstr(camp.arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return lines;
}

TEST a_block_is_read_back_as_it_was_written(void)
{
	const char *block = NULL;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "");
	camp_write(&camp, T "B/design/", "");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "A", "B"));
	block = camp_context(&camp, "A", LOOM_CONTEXT_LOAD);
	ASSERT_STR_EQ("A obj .leslie/thread_relations.json|own plan " T "A/plan.md|ref B design " T
		      "B/design/",
		      understood(block));
	/* and so it is within a message, whatever surrounds it */
	ASSERT_STR_EQ("A obj .leslie/thread_relations.json|own plan " T "A/plan.md|ref B design " T
		      "B/design/",
		      understood(loom_arena_format(camp.arena,
						   "User: 1 < 2 & <b>\n%s\n\nDo <it> & that", block)
					 .p));
	PASS();
}

TEST every_character_that_xml_can_say_is_read_back(void)
{
	struct prop prop;
	size_t said = 0;

	prop_init(&prop, "every_character_that_xml_can_say_is_read_back");
	ASSERT_STR_EQ(
		"&amp;<>\"'\t\n& o ",
		understood("<thread_context thread='&amp;amp;&lt;&gt;&quot;&apos;&#9;&#10;&#38;' "
			   "objective='o'/>"));
	for (int i = 0; i < 60; i++) {
		struct loom_buf words = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf block = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_thread_context context = {.thread = LOOM_STR("A")};
		struct loom_err err;

		loom_buf_adds(&words, i % 2 ? "&amp;<" : "\"&'");
		prop_text(&prop, prop_below(&prop, 12), &words);
		context.objective = loom_buf_str(&words);
		if (loom_thread_context_emit(&context, &block, &err) == LOOM_OK) {
			said++;
			ASSERT_EQ(LOOM_OK,
				  loom_thread_context_parse(loom_buf_str(&block), camp.arena,
							    &read_context, &read_problems, NULL));
			ASSERT_EQ(0, read_problems.count);
			ASSERT(loom_str_eq(read_context.objective, loom_buf_str(&words)));
		}
		loom_buf_fini(&words);
		loom_buf_fini(&block);
	}
	ASSERT(said > 5);
	PASS();
}

TEST comments_and_a_missing_relations_file_are_fine(void)
{
	ASSERT_STR_EQ("A o |own plan " T "A/plan.md|ref B plan " T "B/plan.md",
		      understood(
			      "<?xml version=\"1.0\"?>\n<thread_context thread='A' objective='o'>\n"
			      "<!-- </thread_context> <asset/> -->\n"
			      "<asset path='" T "A/plan.md' type='plan'></asset>\n"
			      "<ref thread='B'><asset type='plan' path='" T "B/plan.md'/></ref>\n"
			      "</thread_context>"));
	ASSERT_STR_EQ("A o ", understood("<thread_context thread='A' objective='o'/> text > <"));
	PASS();
}

/* As the page on sharing has it, with two hyphens in a comment, which XML forbids. */
TEST comments_may_hold_what_they_like(void)
{
	ASSERT_STR_EQ("A o |own plan " T "A/plan.md|ref B design " T "B/design/api.md|! 8 unknown "
		      "attribute x of <asset>",
		      understood("<thread_context thread=\"A\" objective=\"o\">\n"
				 "  <!-- Current Thread's assets -->\n"
				 "  <asset type=\"plan\" path=\"" T "A/plan.md\" />\n\n"
				 "  <!-- Direct reference (via --ref\n flag) <ref> -->\n"
				 "  <ref thread=\"B\">\n"
				 "    <asset x=\"\" type=\"design\" path=\"" T
				 "B/design/api.md\" />\n"
				 "  </ref>\n</thread_context>\n"));
	PASS();
}

TEST a_text_may_speak_of_the_block_before_it_comes(void)
{
	ASSERT_STR_EQ("A o |own plan " T "A/plan.md",
		      understood("The `<thread_context>` block, <thread_context/> for short:\n"
				 "<thread_context\n thread='A' objective='o'>\n"
				 "<asset type='plan' path='" T "A/plan.md'/></thread_context>"));
	ASSERT_STR_EQ("  |! 1 <thread_context> without thread"
		      "|! 1 <thread_context> without objective",
		      understood("<thread_context></thread_context>"));
	PASS();
}

TEST what_does_not_belong_there_is_reported_with_its_line(void)
{
	ASSERT_STR_EQ("A o |own plan " T "A/plan.md"
		      "|! 2 unknown attribute x of <thread_context>"
		      "|! 4 unknown attribute mode of <asset>"
		      "|! 5 unknown type code"
		      "|! 6 <script> has no place here"
		      "|! 7 <ref> without thread"
		      "|! 8 <ref> without an <asset>"
		      "|! 9 <asset> without path"
		      "|! 10 text has no place here"
		      "|! 11 the path ../../etc/passwd leads out of the project"
		      "|! 12 the path /etc/passwd leads out of the project",
		      understood("text\n<thread_context thread='A' objective='o' x='1'>\n\n"
				 "<asset type='plan' path='" T "A/plan.md' mode='rw'/>\n"
				 "<asset type='code' path='" T "A/code/'/>\n"
				 "<script><asset type='plan' path='" T "A/plan.md2'/></script>\n"
				 "<ref><asset type='plan' path='" T "B/plan.md'/></ref>\n"
				 "<ref thread='B'></ref>\n"
				 "<asset type='plan'/>\n"
				 "words\n"
				 "<asset type='plan' path='../../etc/passwd'/>\n"
				 "<asset type='plan' path='/etc/passwd'/>\n"
				 "</thread_context>"));
	PASS();
}

TEST an_asset_of_somebody_else_is_reported(void)
{
	ASSERT_STR_EQ("A o |! 1 the path " T "B/plan.md is not one of A",
		      understood("<thread_context thread='A' objective='o'>"
				 "<asset type='plan' path='" T "B/plan.md'/></thread_context>"));
	ASSERT_STR_EQ("A o |! 1 the path " T
		      "A/context/inherited/plan.md is what A was given, not its own",
		      understood("<thread_context thread='A' objective='o'>"
				 "<asset type='plan' path='" T
				 "A/context/inherited/plan.md'/></thread_context>"));
	PASS();
}

TEST nested_refs_are_reported_and_kept_out(void)
{
	ASSERT_STR_EQ("A o |ref B plan " T "B/plan.md|! 1 <ref> has no place here",
		      understood("<thread_context thread='A' objective='o'><ref thread='B'>"
				 "<asset type='plan' path='" T "B/plan.md'/><ref thread='C'>"
				 "<asset type='plan' path='" T "C/plan.md'/></ref></ref>"
				 "</thread_context>"));
	PASS();
}

TEST broken_blocks_are_reported(void)
{
	static const char *const bad[] = {
		"",
		"no block",
		"<thread_contexts thread='A'/>",
		"<thread_context",
		"<thread_context thread='A' objective='o'>",
		"<thread_context thread='A",
		"<thread_context thread='A' objective='o'><asset></thread_context>",
		"<thread_context thread='A' thread='B' objective='o'/>",
		"<thread_context thread='A' objective='o'>&undefined;</thread_context>",
		"<thread_context thread='&undefined;' objective='o'/>",
		"<thread_context thread='A' objective='&#1;'/>",
		"<thread_context thread='A' objective='o'>\xff</thread_context>",
		"<thread_context thread='A' objective='o'></asset></thread_context>",
		"<thread_context thread='A' objective='o'><!-- never",
		"<thread_context thread=A objective=o/>",
		"<thread_context thread='A' objective='o' a:b='c'/>",
		"<!DOCTYPE thread_context><thread_context thread='A' objective='o'/>",
		"<thread_context thread='A' objective='o'><!DOCTYPE x></thread_context>",
		"<thread_context thread='A' objective='o' xmlns='urn:x'/>",
		"<thread_context thread='' objective=''/>",
	};

	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		understood(bad[i]);
		ASSERTm(bad[i], read_problems.count > 0);
	}
	PASS();
}

TEST entities_are_never_expanded(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	camp_write(&camp, "secret", "S3CRET");
	loom_buf_addf(&text,
		      "<?xml version='1.0'?><!DOCTYPE t [<!ENTITY x SYSTEM 'file://%s'>"
		      "<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
		      "<thread_context thread='&b;' objective='o'>&x;</thread_context>",
		      camp_path(&camp, "secret"));
	ASSERT_STR_EQ("  |! 1 a DOCTYPE is not allowed", understood(loom_buf_cstr(&text)));
	loom_buf_clear(&text);
	loom_buf_adds(&text, "prose <!DOCTYPE html> prose\n<thread_context thread='A' "
			     "objective='o'/>");
	ASSERT_STR_EQ("A o ", understood(loom_buf_cstr(&text)));
	loom_buf_clear(&text);
	ASSERT(strstr(understood("<thread_context thread='&x;' objective='o'/>"), "|! 1 "));
	ASSERT(strstr(understood("<thread_context thread='A' objective='o'>&x;</thread_context>"),
		      "|! 1 "));
	loom_buf_fini(&text);
	PASS();
}

TEST limits_hold(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&text, "<thread_context thread='A' objective='");
	loom_buf_add_repeat(&text, 'o', 70000);
	loom_buf_adds(&text, "'/>");
	understood(loom_buf_cstr(&text));
	ASSERT(loom_str_is(read_problems.items[0].message, "a tag of more than 64 KiB"));
	loom_buf_clear(&text);
	loom_buf_adds(&text, "<thread_context thread='A' objective='o'>");
	for (int i = 0; i < 300; i++)
		loom_buf_adds(&text, "<ref thread='B'>");
	for (int i = 0; i < 300; i++)
		loom_buf_adds(&text, "</ref>");
	loom_buf_adds(&text, "</thread_context>");
	understood(loom_buf_cstr(&text));
	ASSERT(loom_str_is(read_problems.items[0].message, "nested too deep"));
	loom_buf_clear(&text);
	loom_buf_adds(&text, "<thread_context thread='A' objective='o'>");
	loom_buf_add_repeat(&text, ' ', 1 << 20);
	loom_buf_adds(&text, "</thread_context>");
	understood(loom_buf_cstr(&text));
	ASSERT(loom_str_is(read_problems.items[0].message, "the block is larger than 1 MiB"));
	loom_buf_clear(&text);
	loom_buf_adds(&text, "<thread_context thread='A' objective='o'><asset type='plan' path='" T
			     "A/plan.md'/></thread_context>\n\n");
	loom_buf_add_repeat(&text, 'o', 3 << 20);
	understood(loom_buf_cstr(&text));
	ASSERT_EQ(0, read_problems.count);
	ASSERT_EQ(1, read_context.assets.count);
	loom_buf_clear(&text);
	loom_buf_adds(&text, "<thread_context thread='A' objective='o'>");
	for (int i = 0; i < 10000; i++)
		loom_buf_addf(&text, "<asset type='plan' path='" T "A/%d'/>", i);
	loom_buf_adds(&text, "</thread_context>");
	understood(loom_buf_cstr(&text));
	ASSERT_EQ(10000, read_context.assets.count);
	ASSERT_EQ(0, read_problems.count);
	loom_buf_fini(&text);
	PASS();
}

TEST only_the_first_of_two_blocks_is_read_and_that_is_said(void)
{
	ASSERT_STR_EQ("A o |! 3 another <thread_context>: only the first one was read",
		      understood("<thread_context thread='A' objective='o'/>\n\n"
				 "<thread_context thread='B' objective='o'/>"));
	PASS();
}

/* Whatever is done to a block, reading it ends, and what is read keeps its rules. */
TEST bent_blocks_never_hurt(void)
{
	static const char block[] =
		"<thread_context thread=\"A\" objective=\"o\" relations_file=\"r\">\n"
		"  <asset type=\"plan\" path=\".leslie/threads/A/plan.md\" />\n"
		"  <ref thread=\"B\">\n    <asset type=\"design\" path=\".leslie/threads/B/d/\" "
		"/>\n"
		"  </ref>\n</thread_context>";
	struct prop prop;

	prop_init(&prop, "bent blocks");
	for (int i = 0; i < 300; i++) {
		char text[sizeof(block)];

		memcpy(text, block, sizeof(block));
		for (size_t k = 1 + prop_below(&prop, 4); k > 0; k--)
			text[prop_below(&prop, sizeof(block) - 1)] =
				"<>/\"'&;= !-[]?x\n\xc3\x01"[prop_below(&prop, 19)];
		understood(text);
		for (size_t r = 0; r < read_context.ref_count; r++)
			ASSERTm(text, read_context.refs[r].assets.count > 0);
		for (size_t a = 0; a < read_context.assets.count; a++)
			ASSERTm(text, read_context.assets.items[a].path.p[0] != '/');
	}
	PASS();
}

SUITE(thread_context)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_new_thread_has_an_empty_context);
	RUN_TEST(own_assets_come_in_the_order_of_their_types);
	RUN_TEST(a_file_form_stands_before_a_folder_form);
	RUN_TEST(other_files_are_no_assets);
	RUN_TEST(a_thing_of_the_wrong_kind_is_no_asset);
	RUN_TEST(an_empty_folder_is_an_asset);
	RUN_TEST(each_type_is_listed_once_where_it_really_is);
	RUN_TEST(own_transcripts_are_listed);
	RUN_TEST(the_seed_s_complete_example_comes_out_the_same);
	RUN_TEST(references_of_references_are_not_in_it);
	RUN_TEST(a_reference_without_assets_makes_no_ref);
	RUN_TEST(a_thread_referenced_twice_has_one_ref_in_the_order_of_making);
	RUN_TEST(a_frozen_list_is_that_of_the_copy);
	RUN_TEST(every_asset_says_where_to_read_it);
	RUN_TEST(the_place_it_is_asked_from_does_not_matter);
	RUN_TEST(references_made_by_hand_are_live);
	RUN_TEST(special_characters_come_back_as_they_were);
	RUN_TEST(names_that_are_not_ascii_come_back_as_they_were);
	RUN_TEST(what_xml_cannot_say_is_refused);
	RUN_TEST(an_objective_with_special_characters_is_shown_right);
	RUN_TEST(the_task_follows_the_block_unchanged);
	RUN_TEST(a_block_is_read_back_as_it_was_written);
	RUN_TEST(every_character_that_xml_can_say_is_read_back);
	RUN_TEST(comments_and_a_missing_relations_file_are_fine);
	RUN_TEST(comments_may_hold_what_they_like);
	RUN_TEST(a_text_may_speak_of_the_block_before_it_comes);
	RUN_TEST(what_does_not_belong_there_is_reported_with_its_line);
	RUN_TEST(an_asset_of_somebody_else_is_reported);
	RUN_TEST(nested_refs_are_reported_and_kept_out);
	RUN_TEST(broken_blocks_are_reported);
	RUN_TEST(entities_are_never_expanded);
	RUN_TEST(limits_hold);
	RUN_TEST(only_the_first_of_two_blocks_is_read_and_that_is_said);
	RUN_TEST(bent_blocks_never_hurt);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(thread_context);
	GREATEST_MAIN_END();
}
