/* Calls in the words of models: what is said must be understood as what is meant, or be answered
 * with the line that is; what is not asked for must not run. The phrases are in
 * tests/cases/phrases.txt; more of them may lie beside the project. */
#include <greatest.h>

#include <tests/support/same_call.h>
#include <tests/support/temp.h>

#include <loom/language/parse.h>

GREATEST_MAIN_DEFS();

struct phrase {
	struct loom_str said;
	struct loom_str meant; /* empty: must not run */
	bool may_ask;
};

/* The next phrase of the file; false at its end. */
static bool next_phrase(struct loom_str *rest, struct phrase *out)
{
	static const struct loom_str sign = LOOM_STR_INIT(" == ");
	struct loom_str line;
	size_t at = 0;

	do
		if (!loom_str_line(rest, &line))
			return false;
	while (!line.n || (at = loom_str_find(line, sign, 0)) == SIZE_MAX);
	*out = (struct phrase){.said = loom_str_sub(line, 0, at),
			       .meant = loom_str_sub(line, at + sign.n, line.n)};
	out->may_ask = loom_str_starts(out->meant, LOOM_STR("?"));
	if (out->may_ask)
		out->meant = loom_str_sub(out->meant, 1, out->meant.n);
	if (loom_str_is(out->meant, "-"))
		out->meant = LOOM_STR("");
	return true;
}

struct reading {
	struct loom_arena *arena;
	struct loom_call call;
	struct loom_refusal refusal;
	bool runs;
};

static void read_line(struct reading *reading, struct loom_str line)
{
	reading->runs =
		loom_parse_line(reading->arena, line, &reading->call, &reading->refusal) == LOOM_OK;
}

static bool means(struct reading *reading, struct loom_str meant)
{
	struct reading wanted = {.arena = reading->arena};

	read_line(&wanted, meant);
	return reading->runs && wanted.runs && same_call(&reading->call, &wanted.call);
}

/* How much a verb does that something may be lost by. */
static bool takes(enum loom_verb verb)
{
	return verb == LOOM_VERB_PRUNE || verb == LOOM_VERB_EDIT || verb == LOOM_VERB_DROP ||
	       verb == LOOM_VERB_UNDO || verb == LOOM_VERB_EXCLUDE || verb == LOOM_VERB_UNTAG ||
	       verb == LOOM_VERB_UNBOOKMARK;
}

/* Whether a line of the hint is what was meant. *out_bad is set when a line of it does not parse,
 * or takes something away that was not asked for. */
static bool offers(struct reading *reading, struct loom_str meant, bool *out_bad)
{
	static const struct loom_str arrow = LOOM_STR_INIT("→ ");
	struct loom_str hint = reading->refusal.hint;
	struct reading offered = {.arena = reading->arena};
	struct reading wanted = {.arena = reading->arena};
	struct loom_str line;
	bool found = false;

	read_line(&wanted, meant);
	while (loom_str_line(&hint, &line)) {
		const size_t at = loom_str_find(line, arrow, 0);

		if (at == SIZE_MAX)
			continue;
		line = loom_str_sub(line, at + arrow.n, line.n);
		read_line(&offered, line);
		found = found || means(&offered, meant);
		*out_bad = *out_bad || !offered.runs ||
			   (takes(offered.call.verb) && !takes(wanted.call.verb));
	}
	return found;
}

struct tally {
	size_t wanted; /* phrases that must be understood … */
	size_t understood;
	size_t refused; /* … and those that mean something, but were refused */
	size_t told;
	size_t wrong; /* understood as something else, or run unasked */
};

static void weigh(struct reading *reading, const struct phrase *phrase, struct tally *tally)
{
	bool bad = false;

	read_line(reading, phrase->said);
	if (!phrase->meant.n) {
		tally->wrong += reading->runs;
		if (reading->runs)
			printf("must not run: %.*s\n", LOOM_STR_ARG(phrase->said));
		return;
	}
	tally->wanted += !phrase->may_ask;
	if (reading->runs) {
		const bool right = means(reading, phrase->meant);

		tally->understood += right && !phrase->may_ask;
		tally->wrong += !right;
		if (!right)
			printf("misread: %.*s\n", LOOM_STR_ARG(phrase->said));
		return;
	}
	tally->refused++;
	tally->told += offers(reading, phrase->meant, &bad);
	tally->wrong += bad;
	if (bad)
		printf("a bad hint: %.*s: %.*s\n", LOOM_STR_ARG(phrase->said),
		       LOOM_STR_ARG(reading->refusal.hint));
}

static bool load(struct loom_buf *out)
{
	return temp_read(LOOM_SOURCE "/tests/cases/phrases.txt", out);
}

TEST phrases_mean_what_they_say_or_are_answered(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct reading reading = {.arena = loom_arena_create()};
	struct tally tally = {.wanted = 0};
	struct phrase phrase;
	struct loom_str rest;

	ASSERT(load(&text));
	for (rest = loom_buf_str(&text); next_phrase(&rest, &phrase);)
		weigh(&reading, &phrase, &tally);
	printf("understood %zu of %zu, told %zu of %zu\n", tally.understood, tally.wanted,
	       tally.told, tally.refused);
	ASSERT(tally.wanted > 300);
	ASSERT_EQ_FMT((size_t)0, tally.wrong, "%zu");
	ASSERT(tally.understood * 100 >= tally.wanted * 97);
	ASSERT(tally.told * 100 >= tally.refused * 90);
	loom_arena_destroy(reading.arena);
	loom_buf_fini(&text);
	PASS();
}

/* What models put around a call. %s is the call. */
static const char *const decorations[] = {
	"please %s", "%s.",       "**%s**",           "`%s`",
	"  %s  ",    "now %s",    "%s # for a look",  "let me %s",
	"/%s",       "%s please", "OK, %s",           "%s (as planned)",
	"Next: %s",  "%s  ",      "%s // as planned",
};

static bool may_wear(struct loom_str said, const char *decoration)
{
	/* Code marks inside code marks, a question, two leads, a comment in a comment. */
	return loom_str_find_char(said, '`', 0) == SIZE_MAX &&
	       loom_str_find_char(said, '?', 0) == SIZE_MAX &&
	       loom_str_find_char(said, '*', 0) == SIZE_MAX &&
	       (decoration[0] != '/' || said.p[0] >= 'a') &&
	       loom_str_find(said, LOOM_STR("#"), 0) == SIZE_MAX &&
	       loom_str_find(said, LOOM_STR("//"), 0) == SIZE_MAX &&
	       loom_str_find(said, LOOM_STR("("), 0) == SIZE_MAX &&
	       loom_str_find(said, LOOM_STR("--"), 0) == SIZE_MAX &&
	       loom_str_find(said, LOOM_STR("–"), 0) == SIZE_MAX;
}

TEST a_phrase_means_the_same_with_more_decoration(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(4096);
	struct reading reading = {.arena = loom_arena_create()};
	struct phrase phrase;
	struct loom_str rest;
	size_t other = 0;

	ASSERT(load(&text));
	for (rest = loom_buf_str(&text); next_phrase(&rest, &phrase);) {
		read_line(&reading, phrase.said);
		for (size_t i = 0; reading.runs && i < LOOM_COUNT(decorations); i++) {
			struct reading worn = {.arena = reading.arena};
			const char *at = strstr(decorations[i], "%s");

			if (!may_wear(phrase.said, decorations[i]))
				continue;
			loom_buf_clear(&line);
			loom_buf_add(&line,
				     loom_str_make(decorations[i], (size_t)(at - decorations[i])));
			loom_buf_add(&line, phrase.said);
			loom_buf_adds(&line, at + 2);
			read_line(&worn, loom_buf_str(&line));
			if (worn.runs && same_call(&worn.call, &reading.call))
				continue;
			printf("%s %s\n",
			       worn.runs ? "another:" : "refused:", loom_buf_cstr(&line));
			other++;
		}
	}
	ASSERT_EQ_FMT((size_t)0, other, "%zu");
	loom_arena_destroy(reading.arena);
	loom_buf_fini(&line);
	loom_buf_fini(&text);
	PASS();
}

TEST what_a_phrase_means_is_printed_in_the_language(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(4096);
	struct reading reading = {.arena = loom_arena_create()};
	struct phrase phrase;
	struct loom_str rest;

	ASSERT(load(&text));
	for (rest = loom_buf_str(&text); next_phrase(&rest, &phrase);) {
		struct reading again = {.arena = reading.arena};

		read_line(&reading, phrase.said);
		if (!reading.runs)
			continue;
		loom_buf_clear(&line);
		loom_call_print(&reading.call, &line);
		read_line(&again, loom_buf_str(&line));
		ASSERTm(loom_buf_cstr(&line), again.runs && same_call(&again.call, &reading.call));
	}
	loom_arena_destroy(reading.arena);
	loom_buf_fini(&line);
	loom_buf_fini(&text);
	PASS();
}

SUITE(phrases)
{
	RUN_TEST(phrases_mean_what_they_say_or_are_answered);
	RUN_TEST(a_phrase_means_the_same_with_more_decoration);
	RUN_TEST(what_a_phrase_means_is_printed_in_the_language);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(phrases);
	GREATEST_MAIN_END();
}
