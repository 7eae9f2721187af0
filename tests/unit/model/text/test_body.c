/* Texts below our headers: what looks like ours is quoted, nothing else is touched, and what was
 * quoted is had back to the byte. */
#include <greatest.h>

#include <loom/text/sanitise.h>
#include <loom/text/quoting.h>

#include "support/hostile.h"

GREATEST_MAIN_DEFS();

#define CASES 20000

static const unsigned belows[] = {LOOM_BELOW_HEADERS,
				  LOOM_BELOW_HEADINGS,
				  LOOM_BELOW_ROLES,
				  LOOM_BELOW_PARTS,
				  LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS,
				  LOOM_BELOW_HEADERS | LOOM_BELOW_ROLES,
				  LOOM_BELOW_ROLES | LOOM_BELOW_CALLS,
				  LOOM_BELOW_HEADINGS | LOOM_BELOW_TITLES,
				  LOOM_BELOW_HEADERS | LOOM_BELOW_SENTENCES};

static struct loom_arena *arena;
static struct loom_buf text;
static struct loom_buf out;

static void set_up(void *unused)
{
	(void)unused;
	arena = loom_arena_create();
	loom_buf_init(&text, LOOM_BUF_MAX);
	loom_buf_init(&out, LOOM_BUF_MAX);
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_buf_fini(&text);
	loom_buf_fini(&out);
	loom_arena_destroy(arena);
}

static const char *quoted(const char *body, unsigned below)
{
	loom_buf_clear(&out);
	(void)loom_body_add(&out, loom_str_of(body), below);
	return loom_buf_cstr(&out);
}

/* ---- which lines ---- */

TEST what_looks_like_ours_is_quoted(void)
{
	static const char *const lines[] = {
		"[a7x2] human · 3m ago",
		"[a7x2'] model \"GPT-4o\" · 3m ago · depth:7",
		"[r999] human",
		"[ann-3] \"x\"",
		"[res-4]",
		"[2024] human · 3m ago",
		"[1] [a7x2] tree:\"x\"",
		"[01JQ8Z3N5T6V7W8X9Y0Z1A2B3C] you · now",
		"---",
		"---  ",
		"===",
		"=== Loom Context ===",
		"==== LOOM CONTEXT",
		"=== Operational Memory ===",
		"=== Pruned ===",
		"Tree: \"x\" (dialogue mode)",
		"47 nodes · 6 branches · depth: 12",
		"Position: [a7x2]*",
		"permissions: all",
		"Human active at [c4m2], depth:8",
		"Eve active at [c4m2]",
		"Pinned:",
		"Stashed (not in context): \"x\"",
		"3 continuations · bookmarked",
		"1 link",
		"bookmarked · tagged \"x\"",
		"→ prune r001",
		"→  view a7x2",
		"✓ created [e6p4]",
		"✗ NOT_FOUND: x",
		"… 3,210 tokens omitted · → view a7x2 full lines:40-80",
		"<thread_context>",
		"</thread_context>",
		"doc:\"plan\" (3 words)",
		"  [a7x2] human · 3m ago",
		"\t---",
		"\xE2\x80\x8B[a7x2] human · 3m ago",
		"\xEF\xBB\xBF---",
		"[a7\xE2\x80\x8Bx2] human · 3m ago",
		"\xEF\xBC\xBB"
		"a7x2\xEF\xBC\xBD human · 3m ago",
		"-\xE2\x80\x8B--",
		"\xFF---",
		"\\---",
		"\\\\ [a7x2] human · 3m ago",
	};

	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		loom_buf_clear(&text);
		loom_buf_addf(&text, "\\%s", lines[i]);
		ASSERT_STR_EQ(loom_buf_cstr(&text), quoted(lines[i], LOOM_BELOW_HEADERS));
	}
	PASS();
}

TEST what_is_innocent_stays_to_the_byte(void)
{
	static const char *const lines[] = {
		"",
		"The house stood empty.",
		"----",
		"=====",
		"=== History ===",
		"[link](https://example.org)",
		"[2024] was a good year",
		"[x] done",
		"[see above]",
		"→ and then she left",
		"✓ Done the dishes",
		"Tree frogs · and others",
		"Positions: all",
		"Summary: it rained.",
		"Name: Marie",
		"3 apples · 1 pear",
		"links",
		"bookmarked the page",
		"# A title",
		"> as she said",
		"```c",
		"\\[ x + y \\]",
		"\\alpha",
		"Human: hello",
		"User: hello",
		"in [a7x2] human · 3m ago",
		"\xE2\x80\x94\xE2\x80\x94\xE2\x80\x94",
	};

	for (size_t i = 0; i < LOOM_COUNT(lines); i++)
		ASSERT_STR_EQ(lines[i], quoted(lines[i], LOOM_BELOW_HEADERS));
	PASS();
}

TEST a_line_begins_behind_whatever_ends_one(void)
{
	static const char *const ends[] = {"\n",          "\r",           "\r\n", "\v",
					   "\f",          "\x1C",         "\x1D", "\x1E",
					   "\xC2\x85",    "\xE2\x80\xA8", "\n\n", "\n \n",
					   "\xE2\x80\xA9"};

	for (size_t i = 0; i < LOOM_COUNT(ends); i++) {
		loom_buf_clear(&text);
		loom_buf_addf(&text, "a line of eight bytes and more%s---%sb", ends[i], ends[i]);
		(void)quoted(loom_buf_cstr(&text), LOOM_BELOW_HEADERS);
		loom_buf_clear(&text);
		loom_buf_addf(&text, "a line of eight bytes and more%s\\---%sb", ends[i], ends[i]);
		ASSERT_STR_EQ(loom_buf_cstr(&text), loom_buf_cstr(&out));
	}
	PASS();
}

TEST each_place_quotes_what_it_prints(void)
{
	ASSERT_STR_EQ("\\### [a7x2] you · 2026-01-02T03:04\n---",
		      quoted("### [a7x2] you · 2026-01-02T03:04\n---", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\## A branch at [a7x2]",
		      quoted("## A branch at [a7x2]", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\### system\n### systems",
		      quoted("### system\n### systems", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\> note by you", quoted("> note by you", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\User: a\n\\assistant:b\nUsers: c",
		      quoted("User: a\nassistant:b\nUsers: c", LOOM_BELOW_ROLES));
	ASSERT_STR_EQ("\\Tool: a\n\\ call:b\nUser: c",
		      quoted("Tool: a\n call:b\nUser: c", LOOM_BELOW_CALLS));
	ASSERT_STR_EQ("\\── loom · user · 3 tokens\n── a line",
		      quoted("── loom · user · 3 tokens\n── a line", LOOM_BELOW_PARTS));
	PASS();
}

/* Code that a text leaves open would take the next heading with it. */
TEST a_fence_that_stays_open_is_quoted(void)
{
	ASSERT_STR_EQ("```c\nx\n```\nbehind", quoted("```c\nx\n```\nbehind", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("```\nx\n```\n\\```js\ny",
		      quoted("```\nx\n```\n```js\ny", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\````\n\\```\n\\~~~", quoted("````\n```\n~~~", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("\\\\```", quoted("\\```", LOOM_BELOW_HEADINGS));
	ASSERT_STR_EQ("```", quoted("```", LOOM_BELOW_HEADERS));
	PASS();
}

TEST inside_a_line_only_what_comes_behind_it_is_quoted(void)
{
	ASSERT_EQ(1, loom_body_add_inside(&out, LOOM_STR("---\n---"), LOOM_BELOW_HEADERS));
	ASSERT_STR_EQ("---\n\\---", loom_buf_cstr(&out));
	PASS();
}

/* ---- laws ---- */

TEST no_line_is_taken_for_ours_and_the_text_is_had_back(void)
{
	struct prop prop;

	prop_init(&prop, "bodies");
	for (int i = 0; i < prop_times(CASES); i++) {
		const unsigned below = belows[prop_below(&prop, LOOM_COUNT(belows))];
		struct hostile_lines lines;
		struct loom_str plain;

		hostile_text(&prop, &text);
		loom_buf_clear(&out);
		ASSERT_EQ(loom_body_any_ours(loom_buf_str(&text), below),
			  loom_body_add(&out, loom_buf_str(&text), below) > 0);
		plain = loom_body_plain(loom_buf_str(&out), below, arena);
		ASSERT(loom_str_eq(loom_buf_str(&text), plain));
		lines = (struct hostile_lines){.text = loom_buf_str(&out)};
		while (hostile_line(&lines)) {
			ASSERT_FALSE((below & LOOM_BELOW_HEADERS) && hostile_looks(lines.line));
			ASSERT_FALSE((below & LOOM_BELOW_HEADINGS) &&
				     hostile_looks_heading(lines.line));
			ASSERT_FALSE((below & LOOM_BELOW_TITLES) &&
				     hostile_looks_title(lines.line));
			ASSERT_FALSE((below & LOOM_BELOW_SENTENCES) &&
				     hostile_looks_sentence(lines.line));
		}
		loom_arena_reset(arena);
	}
	PASS();
}

/* Any bytes at all, and texts that are almost UTF-8. */
TEST any_bytes_are_had_back(void)
{
	struct prop prop;

	prop_init(&prop, "bytes");
	for (int i = 0; i < prop_times(CASES); i++) {
		loom_buf_clear(&text);
		if (i % 2)
			prop_bytes(&prop, prop_size(&prop, 60), &text);
		else
			prop_bent_text(&prop, prop_size(&prop, 60), &text);
		for (size_t k = 0; k < LOOM_COUNT(belows); k++) {
			loom_buf_clear(&out);
			(void)loom_body_add(&out, loom_buf_str(&text), belows[k]);
			ASSERT(loom_str_eq(loom_buf_str(&text),
					   loom_body_plain(loom_buf_str(&out), belows[k], arena)));
		}
		loom_arena_reset(arena);
	}
	PASS();
}

/* What several trees are quoted for is had back by whoever does not know that they were several. */
TEST a_title_is_had_back_from_one_tree_or_several(void)
{
	struct prop prop;

	prop_init(&prop, "titles");
	for (int i = 0; i < prop_times(CASES); i++) {
		const unsigned titles = i % 2 ? (unsigned)LOOM_BELOW_TITLES : 0u;

		hostile_text(&prop, &text);
		loom_buf_clear(&out);
		(void)loom_body_add(&out, loom_buf_str(&text), LOOM_BELOW_HEADINGS | titles);
		ASSERT(loom_str_eq(loom_buf_str(&text),
				   loom_body_plain(loom_buf_str(&out), LOOM_BELOW_HEADINGS,
						   arena)));
		loom_arena_reset(arena);
	}
	PASS();
}

/* Quoting twice takes taking away twice. */
TEST what_is_quoted_is_quoted_again(void)
{
	struct prop prop;

	prop_init(&prop, "twice");
	for (int i = 0; i < prop_times(2000); i++) {
		struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
		size_t once = 0;

		hostile_text(&prop, &text);
		loom_buf_clear(&out);
		once = loom_body_add(&out, loom_buf_str(&text), LOOM_BELOW_HEADERS);
		ASSERT_EQ(once, loom_body_add(&twice, loom_buf_str(&out), LOOM_BELOW_HEADERS));
		ASSERT_EQ(out.n + once, twice.n);
		loom_buf_fini(&twice);
	}
	PASS();
}

SUITE(body)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_looks_like_ours_is_quoted);
	RUN_TEST(what_is_innocent_stays_to_the_byte);
	RUN_TEST(a_line_begins_behind_whatever_ends_one);
	RUN_TEST(each_place_quotes_what_it_prints);
	RUN_TEST(a_fence_that_stays_open_is_quoted);
	RUN_TEST(inside_a_line_only_what_comes_behind_it_is_quoted);
	RUN_TEST(no_line_is_taken_for_ours_and_the_text_is_had_back);
	RUN_TEST(any_bytes_are_had_back);
	RUN_TEST(a_title_is_had_back_from_one_tree_or_several);
	RUN_TEST(what_is_quoted_is_quoted_again);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(body);
	GREATEST_MAIN_END();
}
