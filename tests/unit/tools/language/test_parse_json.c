/* The document of `loom parse`: the same whether the text was kept or only passed by, and little
 * memory for many calls. */
#include <greatest.h>

#include <loom/language/parse.h>

#include "support/child.h"
#include "support/temp.h"

GREATEST_MAIN_DEFS();

static const char *const texts[] = {
	"",
	"prose only\n",
	"→ view a7x2\n",
	"→ view a7x2\n\n→ view b2k9\nprose\n→ list c3m4\n",
	"→ view a7x2\n→ vieww b2k9\n→ view c3m4\n-> view d4n5\n",
	"→ think about it\n\nand more\n→ view a7x2 →\n→ open a7x2\n",
	"→ respond a7x2 \"one\n→ view b2k9\n\"\n→ stash \"L\" \"a\tb\"\nsaid → view e5p6\n",
	"→ write doc:\"D\" \"never closed\n→ view a7x2\n",
};

static const enum loom_source sources[] = {LOOM_SOURCE_MODEL, LOOM_SOURCE_PASTE, LOOM_SOURCE_HUMAN,
					   LOOM_SOURCE_RESULT};

static void kept_document(enum loom_source source, const char *text, struct loom_buf *out)
{
	struct loom_turn *turn = loom_turn_create(source, LOOM_TURN_CALLS);

	loom_turn_feed(turn, loom_str_of(text));
	loom_turn_end(turn);
	loom_turn_json(turn, out);
	loom_turn_destroy(turn);
}

TEST a_text_that_passes_by_gives_the_document_of_one_that_is_kept(void)
{
	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		for (size_t k = 0; k < LOOM_COUNT(sources); k++) {
			struct loom_buf kept = LOOM_BUF_INIT(LOOM_BUF_MAX);
			struct loom_buf passed = LOOM_BUF_INIT(LOOM_BUF_MAX);

			kept_document(sources[k], texts[i], &kept);
			loom_parse_json(sources[k], loom_str_of(texts[i]), &passed);
			ASSERT_STR_EQm(texts[i], loom_buf_cstr(&kept), loom_buf_cstr(&passed));
			loom_buf_fini(&kept);
			loom_buf_fini(&passed);
		}
	}
	PASS();
}

/* All that the program takes, its own code and the text included. */
TEST calls_take_no_more_than_what_is_printed_of_them(void)
{
#ifdef LOOM_INSTRUMENTED
	SKIPm("a sanitizer takes memory of its own");
#else
	enum { CALLS = 300000 };
	struct temp temp;
	struct child_opts opts = {.cwd = NULL};
	struct child_result result;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	temp_init(&temp);
	for (int i = 0; i < CALLS; i++)
		loom_buf_adds(&text, "→ view a7x2\n");
	temp_write(&temp, "calls", loom_buf_str(&text));
	opts.cwd = temp.path;
	ASSERT(child_shell("ulimit -v 90000; exec " LOOM_PROGRAM " parse --json calls | tail -c 40",
			   &opts, &result));
	ASSERT_STR_EQ("", loom_buf_cstr(&result.err));
	ASSERT(loom_str_find(loom_buf_str(&result.out), LOOM_STR("299999]],\"proposed\":[]}"), 0) !=
	       SIZE_MAX);
	child_fini(&result);
	loom_buf_fini(&text);
	temp_fini(&temp);
	PASS();
#endif
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(a_text_that_passes_by_gives_the_document_of_one_that_is_kept);
	RUN_TEST(calls_take_no_more_than_what_is_printed_of_them);
	GREATEST_MAIN_END();
}
