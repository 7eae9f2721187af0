/* The verbs and actions as const records, and searching them.
 *
 * Everything is read straight from the tables. They are short, so searching them costs less than
 * reading a line, and nothing is sorted or cached. The commands of the command line are in
 * table_of_commands.c, and form.c explains `args`. */
#include <loom/language/registry.h>

static const struct loom_verb_info verbs[] = {
#define LOOM_VERB(id, name_, deed_, change, permission_, group_, synonyms_, args_, keys_, past_,   \
		  summary_, example_)                                                              \
	[LOOM_VERB_##id] = {.verb = LOOM_VERB_##id,                                                \
			    .deed = LOOM_DEED_##deed_,                                             \
			    .permission = LOOM_MAY_##permission_,                                  \
			    .group = LOOM_GROUP_##group_,                                          \
			    .name = #name_,                                                        \
			    .synonyms = synonyms_,                                                 \
			    .args = args_,                                                         \
			    .keys = keys_,                                                         \
			    .past = past_,                                                         \
			    .summary = summary_,                                                   \
			    .example = example_},
#include <loom/verbs.def>
};

static const char *const groups[] = {
#define LOOM_GROUP(id, title) [LOOM_GROUP_##id] = title,
#include <loom/groups.def>
};

/* One record more than there are actions, so that there may be none. */
static const struct loom_action_info actions[] = {
#define LOOM_ACTION(id, view_, name_, keys_, summary_)                                             \
	{.name = name_, .keys = keys_, .summary = summary_},
#include <loom/actions.def>
	{.name = NULL},
};

static const struct loom_unsure_info unsure[] = {
#define LOOM_UNSURE(phrase_, readings_) {.phrase = phrase_, .readings = readings_},
#include <loom/verbs.def>
};

static const struct {
	const char *name;
	const char *text;
} notes[] = {
#define LOOM_NOTE(name_, text_) {.name = name_, .text = text_},
#include <loom/verbs.def>
};

const char *loom_verb_note(struct loom_str name)
{
	for (size_t i = 0; i < LOOM_COUNT(notes); i++)
		if (loom_str_is(name, notes[i].name))
			return notes[i].text;
	return "";
}

void loom_verb_line(const struct loom_verb_info *verb, struct loom_buf *out)
{
	loom_buf_addf(out, "→ %s%s%s — %s\n", verb->name, verb->args[0] ? " " : "", verb->args,
		      verb->summary);
}

void loom_verb_forms(const struct loom_verb_info *verb, struct loom_buf *out)
{
	struct loom_str forms = loom_str_of(verb->args);

	do {
		size_t bar = loom_str_find(forms, LOOM_STR(" | "), 0);
		struct loom_str form = loom_str_sub(forms, 0, bar);

		forms = bar == SIZE_MAX ? (struct loom_str){NULL, 0}
					: loom_str_sub(forms, bar + 3, forms.n);
		loom_buf_addf(out, "→ %s%s", verb->name, form.n ? " " : "");
		loom_buf_add(out, form);
		loom_buf_addc(out, '\n');
	} while (forms.p);
}

void loom_verb_also(const struct loom_verb_info *verb, struct loom_buf *out)
{
	struct loom_str rest = loom_str_of(verb->synonyms);
	struct loom_str word;

	for (bool first = true; rest.n && loom_str_cut(&rest, '|', &word); first = false)
		loom_buf_addf(out, "%s%.*s", first ? "" : ", ", LOOM_STR_ARG(word));
}

const struct loom_verb_info *loom_verb_info(enum loom_verb verb)
{
	return verb > LOOM_VERB_NONE && verb < LOOM_VERB_COUNT ? &verbs[verb] : NULL;
}

const char *loom_verb_name(enum loom_verb verb)
{
	const struct loom_verb_info *info = loom_verb_info(verb);

	return info ? info->name : "";
}

enum loom_verb loom_verb_find(struct loom_str name)
{
	for (size_t i = 1; i < LOOM_COUNT(verbs); i++)
		if (loom_str_eq_fold(name, loom_str_of(verbs[i].name)))
			return verbs[i].verb;
	return LOOM_VERB_NONE;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Longer words are never close to anything. */
#define WORD_MAX 32

/* The last three rows of the table of distances between prefixes of two words. */
struct distances {
	struct loom_str a;
	struct loom_str b;
	size_t rows[3][WORD_MAX + 1];
};

static size_t step(const struct distances *table, size_t i, size_t j)
{
	const size_t *now = table->rows[i % 3];
	const size_t *before = table->rows[(i - 1) % 3];
	const char *a = table->a.p + i - 1;
	const char *b = table->b.p + j - 1;
	size_t best = before[j - 1] + (lower(*a) == lower(*b) ? 0 : 1);

	best = least(best, least(before[j], now[j - 1]) + 1);
	if (i > 1 && j > 1 && lower(a[0]) == lower(b[-1]) && lower(a[-1]) == lower(b[0]))
		best = least(best, table->rows[(i + 1) % 3][j - 2] + 1);
	return best;
}

size_t loom_word_distance(struct loom_str a, struct loom_str b, size_t most)
{
	struct distances table = {.a = a, .b = b};
	size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;

	if (gap > most || a.n > WORD_MAX || b.n > WORD_MAX)
		return most + 1;
	for (size_t j = 0; j <= b.n; j++)
		table.rows[0][j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		table.rows[i % 3][0] = i;
		for (size_t j = 1; j <= b.n; j++)
			table.rows[i % 3][j] = step(&table, i, j);
	}
	return least(table.rows[a.n % 3][b.n], most + 1);
}

bool loom_text_mentions(struct loom_str text, struct loom_str word)
{
	for (size_t at = 0; word.n >= 3 && at + word.n <= text.n; at++)
		if ((at == 0 || strchr(" -,;:(|", text.p[at - 1])) &&
		    loom_str_eq_fold(loom_str_sub(text, at, word.n), word))
			return true;
	return false;
}

/* A third of the letters may be wrong, but at most two. */
static size_t tolerance(struct loom_str word)
{
	return word.n < 3 ? 0 : word.n < 6 ? 1 : 2;
}

/* The distance from a word to the closest of a verb's name and synonyms; above `most`: most + 1. */
static size_t distance_to(struct loom_str word, const struct loom_verb_info *info, size_t most)
{
	struct loom_str rest = loom_str_of(info->synonyms);
	struct loom_str name = loom_str_of(info->name);
	size_t nearest = most + 1;

	do
		if (name.n)
			nearest = least(nearest, loom_word_distance(word, name, most));
	while (loom_str_cut(&rest, '|', &name));
	return nearest;
}

enum loom_verb loom_verb_nearest(struct loom_str word)
{
	size_t best = tolerance(word) + 1;
	enum loom_verb nearest = LOOM_VERB_NONE;

	for (size_t i = 1; i < LOOM_COUNT(verbs); i++) {
		size_t distance = distance_to(word, &verbs[i], best - 1);

		if (distance < best) {
			best = distance;
			nearest = verbs[i].verb;
		}
		if (!best)
			break;
	}
	return nearest;
}

const char *loom_group_title(enum loom_group group)
{
	return (size_t)group < LOOM_COUNT(groups) ? groups[group] : "";
}

const struct loom_action_info *loom_actions(size_t *out_count)
{
	*out_count = LOOM_COUNT(actions) - 1;
	return actions;
}

const struct loom_unsure_info *loom_unsure(size_t *out_count)
{
	*out_count = LOOM_COUNT(unsure);
	return unsure;
}
