/* The keys that the bottom line offers: in every view, with much in it and with nothing, each of
 * them does something there and then, or says what is missing. */
#include <unistd.h>

#include <greatest.h>

#include "support/views.h"

#define OFFERED_MAX 12

/* In the line that was looked at. */
struct offer {
	struct loom_str keys;
	struct loom_str word;
};

/* The picture, and the line that is its last. */
static const char *look(struct loom_buf *out)
{
	const char *end;

	table_shows(&table, "");
	loom_buf_add(out, loom_str_trim(loom_buf_str(&table.text)));
	end = strrchr(loom_buf_cstr(out), '\n');
	return end ? end + 1 : loom_buf_cstr(out);
}

/* What stands behind two blanks, over and over: keys, a blank, a word or some. */
static size_t read_offers(const char *line, struct offer *out)
{
	size_t n = 0;

	for (const char *at = strstr(line, "  "); at && n < OFFERED_MAX; at = strstr(at, "  ")) {
		struct loom_str whole;

		at += strspn(at, " ");
		whole = loom_str_make(at, strstr(at, "  ") ? (size_t)(strstr(at, "  ") - at)
							   : strlen(at));
		if (loom_str_cut(&whole, ' ', &out[n].keys) && whole.n)
			out[n++].word = whole;
	}
	return n;
}

/* The keys as they are typed: "Enter" is one key, "gg" are two. */
static const char *typed(struct loom_str shown)
{
	const struct loom_str spelled =
		loom_arena_format(table.grove.arena, "<%.*s>", LOOM_STR_ARG(shown));
	struct tui_key key;
	size_t at = 0;

	return shown.n > 1 && tui_key_parse(spelled, &at, &key)
		       ? spelled.p
		       : loom_arena_format(table.grove.arena, "%.*s", LOOM_STR_ARG(shown)).p;
}

/* NULL when pressing it did something, or was answered with a reason; else what to say of it. */
static const char *press(const struct view *view, const struct offer *offer)
{
	static char wrong[200];
	struct loom_buf before = LOOM_BUF_INIT(1 << 22);
	struct loom_buf after = LOOM_BUF_INIT(1 << 22);
	bool did;

	snprintf(wrong, sizeof wrong, "%s: \"%.*s %.*s\" does nothing", view->name,
		 LOOM_STR_ARG(offer->keys), LOOM_STR_ARG(offer->word));
	arrive(view);
	look(&before);
	if (loom_str_starts(offer->word, LOOM_STR("after its number")))
		table_type(&table, "2");
	table_type(&table, typed(offer->keys));
	look(&after);
	did = strcmp(before.p, after.p) != 0 && !strstr(after.p, "is does nothing here") &&
	      !strstr(after.p, "does nothing here");
	table_fini(&table);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	return did ? NULL : wrong;
}

TEST what_the_bottom_line_offers_can_be_done(const struct view *view)
{
	struct offer offers[OFFERED_MAX];
	struct loom_buf picture = LOOM_BUF_INIT(1 << 22);
	const char *wrong = NULL;
	size_t n;

	arrive(view);
	n = read_offers(look(&picture), offers);
	table_fini(&table);
	for (size_t i = 0; i < n && !wrong; i++)
		wrong = press(view, &offers[i]);
	loom_buf_fini(&picture);
	ASSERTm(view->name, n > 0);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(bars)
{
	SET_TEARDOWN(tear_down, NULL);
	for (size_t i = 0; i < LOOM_COUNT(views); i++)
		RUN_TESTp(what_the_bottom_line_offers_can_be_done, &views[i]);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	/* hundreds of groves, each of them synced: on a disk that waits for it, minutes */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(bars);
	GREATEST_MAIN_END();
}
