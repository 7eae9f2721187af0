/* Deceptive names, after UTS #39 (skeletons, single script), over a table of our own that
 * tests/gen-names writes. Pure; the caller supplies the existing names. */
#include <loom/text/deceiving_names.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include "inside.h"

/* A character, and the plainer one it looks like. */
struct look {
	uint16_t cp;
	uint16_t to;
};

/* A letter that can also be written as a base and an accent after it (0: none). */
struct piece {
	uint16_t cp;
	uint16_t base;
	uint16_t accent;
};

struct script_range {
	uint32_t first;
	uint32_t last;
	uint8_t script; /* an index into script_names */
};

#include "deceiving_names_table.inc"

#define LATIN      1
#define LOOKS_DEEP 4 /* ℑ is an I, which looks like l */

/* How the kinds of names differ. */
static const struct {
	const char *a;
	const char *noun;
	bool fold;  /* ignore case */
	bool whole; /* one script throughout, not only per word */
} kinds[] = {
	[LOOM_NAMED_AGENT] = {"an agent's name", "agent", true, true},
	[LOOM_NAMED_DOC] = {"a document's name", "document", false, false},
	[LOOM_NAMED_TAG] = {"a tag", "tag", false, false},
	[LOOM_NAMED_THREAD] = {"a thread's intent", "thread", false, false},
	[LOOM_NAMED_OBJECTIVE] = {"an objective's title", "objective", false, false},
};

/* Our own words for the author of a text. */
static const char *const own_words[] = {"human", "you", "collaborator"};

/* --- characters --- */

static bool is_hidden(uint32_t cp)
{
	return model_cp_props(cp) & MODEL_NAMED;
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xA0 ||
	       cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

/* Whatever a reader sees as the end of a line, even if a terminal does not. */
static bool breaks_line(uint32_t cp)
{
	return (cp >= '\n' && cp <= '\r') || cp == 0x85 || cp == 0x2028 || cp == 0x2029;
}

static int compare_cp(const void *a, const void *b)
{
	const uint16_t *x = a;
	const uint16_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* Full-width forms and mathematical alphabets are laid out like Latin and Greek. */
static uint32_t by_rule(uint32_t cp)
{
	if (cp >= 0xFF01 && cp <= 0xFF5E)
		return cp - 0xFF01 + '!';
	if (cp >= 0x1D400 && cp <= 0x1D6A3)
		return (cp - 0x1D400) % 52 < 26 ? 'A' + (cp - 0x1D400) % 26
						: 'a' + (cp - 0x1D400) % 26;
	if (cp == 0x1D6A4 || cp == 0x1D6A5)
		return cp == 0x1D6A4 ? 'i' : 'j';
	if (cp >= 0x1D6A8 && cp <= 0x1D7C9) {
		uint32_t at = (cp - 0x1D6A8) % 58;

		return at < 25 ? 0x391 + at : at >= 26 && at < 51 ? 0x3B1 + at - 26 : cp;
	}
	return cp >= 0x1D7CE && cp <= 0x1D7FF ? '0' + (cp - 0x1D7CE) % 10 : cp;
}

/* Returns the base character that `cp` looks like. */
static uint32_t look_of(uint32_t cp)
{
	for (int deep = 0; deep < LOOKS_DEEP; deep++) {
		uint16_t key = (uint16_t)cp;
		const struct look *look = cp > UINT16_MAX ? NULL
							  : bsearch(&key, looks, LOOM_COUNT(looks),
								    sizeof *looks, compare_cp);

		if (!look)
			break;
		cp = look->to;
	}
	LOOM_ASSERT(cp <= 0x10FFFF);
	return cp;
}

static uint8_t script_of(uint32_t cp)
{
	size_t low = 0;
	size_t high = LOOM_COUNT(scripts);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scripts[middle].last < cp)
			low = middle + 1;
		else
			high = middle;
	}
	LOOM_ASSERT(low <= LOOM_COUNT(scripts));
	return low < LOOM_COUNT(scripts) && scripts[low].first <= cp ? scripts[low].script : 0;
}

static bool is_script(uint8_t script, const char *name)
{
	LOOM_ASSERT(script < LOOM_COUNT(script_names));
	return strcmp(script_names[script], name) == 0;
}

/* Latin, full-width included, is normal among Han, kana and Hangul and does not look like them. */
static bool joins_east(uint8_t a, uint8_t b)
{
	return is_script(a, "East Asian") && (b == LATIN || is_script(b, "Full width"));
}

static bool go_together(uint8_t a, uint8_t b)
{
	return a == b || !a || !b || joins_east(a, b) || joins_east(b, a);
}

/* --- skeletons --- */

/* A skeleton under construction: its characters, and the last one's accents in a fixed order. */
struct bones {
	struct loom_buf cps; /* an array of uint32_t */
	bool fold;
	bool blank; /* a blank goes before the next character */
};

static void put(struct bones *bones, uint32_t cp)
{
	loom_buf_add(&bones->cps, loom_str_make((const char *)&cp, sizeof cp));
}

static void put_base(struct bones *bones, uint32_t cp)
{
	if (bones->blank && bones->cps.n)
		put(bones, ' ');
	bones->blank = false;
	cp = look_of(cp);
	put(bones, bones->fold ? look_of(loom_cp_fold(cp)) : cp);
}

/* Accents of different kinds look the same in either order. */
static void put_accent(struct bones *bones, uint32_t cp)
{
	size_t at = bones->cps.n;
	uint32_t *cps = NULL;
	size_t n;

	put(bones, cp);
	if (bones->cps.bad)
		return;
	cps = (uint32_t *)(void *)bones->cps.p;
	n = at / sizeof *cps;
	for (; n > 0 && loom_cp_is_mark(cps[n - 1]) && cps[n - 1] > cp; n--)
		cps[n] = cps[n - 1];
	LOOM_ASSERT(n <= at / sizeof *cps);
	cps[n] = cp;
}

static void put_cp(struct bones *bones, uint32_t cp)
{
	uint32_t accents[4];
	size_t count = 0;

	cp = by_rule(cp);
	while (cp <= UINT16_MAX && count < LOOM_COUNT(accents)) {
		uint16_t key = (uint16_t)cp;
		const struct piece *piece =
			bsearch(&key, pieces, LOOM_COUNT(pieces), sizeof *pieces, compare_cp);

		if (!piece)
			break;
		cp = piece->base;
		if (piece->accent)
			accents[count++] = piece->accent;
	}
	LOOM_ASSERT(count <= LOOM_COUNT(accents));
	if (loom_cp_is_mark(cp))
		put_accent(bones, cp);
	else
		put_base(bones, cp);
	while (count > 0)
		put_accent(bones, accents[--count]);
}

static bool is_digit(uint32_t cp)
{
	return cp >= '0' && cp <= '9';
}

static bool in_word(uint32_t cp)
{
	return is_digit(cp) || script_of(cp) || loom_cp_is_mark(cp);
}

/* Among letters, 0 looks like O and 1 like l; in a number they are digits. */
static void settle_word(const struct bones *bones, size_t from, size_t to)
{
	uint32_t *cps = (uint32_t *)(void *)bones->cps.p;
	bool letters = false;

	LOOM_ASSERT(from <= to && to <= bones->cps.n / sizeof *cps);
	for (size_t i = from; i < to; i++)
		letters |= !is_digit(cps[i]);
	for (size_t i = from; letters && i < to; i++)
		if (cps[i] == '0' || cps[i] == '1')
			cps[i] = cps[i] == '1' ? 'l' : bones->fold ? 'o' : 'O';
}

static void settle(const struct bones *bones)
{
	const uint32_t *cps = (const uint32_t *)(const void *)bones->cps.p;
	size_t count = bones->cps.n / sizeof *cps;
	size_t to = 0;

	LOOM_ASSERT(bones->cps.n % sizeof *cps == 0);
	for (size_t from = 0; from < count; from = to + 1) {
		for (to = from; to < count && in_word(cps[to]);)
			to++;
		settle_word(bones, from, to);
	}
}

void loom_name_skeleton(struct loom_str name, bool fold, struct loom_buf *out)
{
	struct bones bones = {.cps = LOOM_BUF_INIT(LOOM_BUF_MAX), .fold = fold};
	size_t at = 0;

	LOOM_ASSERT(loom_str_ok(name));
	while (at < name.n) {
		uint32_t cp = loom_utf8_next(name, &at);

		if (is_blank(cp))
			bones.blank = true;
		else if (!is_hidden(cp))
			put_cp(&bones, cp);
	}
	settle(&bones);
	for (size_t i = 0; i < bones.cps.n; i += sizeof(uint32_t)) {
		uint32_t cp = 0;

		memcpy(&cp, bones.cps.p + i, sizeof cp);
		loom_buf_add_cp(out, cp);
	}
	loom_buf_fini(&bones.cps);
}

static bool same_bones(bool fold, struct loom_str a, struct loom_str b)
{
	struct loom_buf one = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf other = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool same;

	loom_name_skeleton(a, fold, &one);
	loom_name_skeleton(b, fold, &other);
	same = loom_str_eq(loom_buf_str(&one), loom_buf_str(&other));
	loom_buf_fini(&one);
	loom_buf_fini(&other);
	return same;
}

bool loom_name_alike(enum loom_named what, struct loom_str a, struct loom_str b)
{
	LOOM_ASSERT((size_t)what < LOOM_COUNT(kinds));
	return !loom_str_eq(a, b) && same_bones(kinds[what].fold, a, b);
}

/* --- faults of a single name --- */

enum fault { SOUND, EMPTY, HIDDEN, EDGES, OWN_WORD, MIXED };

/* A fault, and where it is. */
struct finding {
	enum fault fault;
	size_t at; /* HIDDEN: the byte; MIXED: the start of the second script */
	uint8_t scripts[2];
	const char *word;
};

static bool is_seen(struct loom_str name)
{
	for (size_t at = 0; at < name.n;) {
		uint32_t cp = loom_utf8_next(name, &at);

		if (!is_blank(cp) && !is_hidden(cp) && !loom_cp_is_mark(cp))
			return true;
	}
	return false;
}

/* Joiners are fine where letters or emoji need them; anything else that sanitise.h would name is
 * hidden, and so are tabs and line feeds. */
static bool find_hidden(struct loom_str name, struct finding *out)
{
	struct loom_piece piece;

	for (size_t at = 0; at < name.n;) {
		out->at = at;
		loom_shown_next(name, &at, &piece);
		if (piece.mark || piece.newline || piece.tab) {
			out->fault = HIDDEN;
			return true;
		}
	}
	return false;
}

static bool find_edges(struct loom_str name, struct finding *out)
{
	size_t first = 0;
	size_t last = name.n;

	LOOM_ASSERT(name.n > 0);
	if (!is_blank(loom_utf8_next(name, &first)) && !is_blank(loom_utf8_prev(name, &last)))
		return false;
	out->fault = EDGES;
	return true;
}

static bool find_own_word(struct loom_str name, struct finding *out)
{
	for (size_t i = 0; i < LOOM_COUNT(own_words); i++)
		if (same_bones(true, name, loom_str_of(own_words[i]))) {
			out->fault = OWN_WORD;
			out->word = own_words[i];
			return true;
		}
	return false;
}

static bool find_mixture(enum loom_named what, struct loom_str name, struct finding *out)
{
	uint8_t so_far = 0;

	for (size_t at = 0; at < name.n;) {
		size_t begin = at;
		uint32_t cp = loom_utf8_next(name, &at);
		uint8_t script = script_of(cp);

		if (!in_word(cp) && !kinds[what].whole)
			so_far = 0;
		if (!go_together(so_far, script)) {
			*out = (struct finding){.fault = MIXED,
						.at = begin,
						.scripts = {so_far, script}};
			return true;
		}
		/* If the scripts may mix, one of them is Latin: keep the other. */
		if (script && (!so_far || is_script(so_far, "East Asian")))
			so_far = script;
	}
	return false;
}

static struct finding look_at(enum loom_named what, struct loom_str name)
{
	struct finding found = {.fault = SOUND};

	if (!is_seen(name))
		found.fault = EMPTY;
	else if (!find_own_word(name, &found) && !find_hidden(name, &found) &&
		 !find_edges(name, &found))
		(void)find_mixture(what, name, &found);
	return found;
}

/* --- refusing --- */

/* Returns a name as messages quote it. */
static const char *quoted(struct loom_str name, struct loom_buf *buf)
{
	loom_buf_clear(buf);
	loom_shown_line(buf, name, 60);
	return loom_buf_cstr(buf);
}

/* Returns the name without its invisible characters, for a hint. */
static struct loom_str seen_part(struct loom_str name, struct loom_buf *buf)
{
	bool blank = false;

	loom_buf_clear(buf);
	for (size_t at = 0; at < name.n;) {
		uint32_t cp = loom_utf8_next(name, &at);

		if (!is_blank(cp) && !is_hidden(cp)) {
			if (blank && buf->n)
				loom_buf_addc(buf, ' ');
			loom_buf_add_cp(buf, cp);
		}
		blank = is_blank(cp) || (blank && is_hidden(cp));
	}
	return loom_str_sub(loom_buf_str(buf), 0, 60);
}

static void say_hidden(enum loom_named what, struct loom_str name, size_t at, struct loom_err *err)
{
	const size_t byte = at;
	uint32_t cp = loom_utf8_next(name, &at);

	LOOM_ASSERT(byte < name.n);
	if (cp == LOOM_CP_BAD)
		loom_fail(err, LOOM_INVALID, "%s must be UTF-8: invalid at byte %zu", kinds[what].a,
			  byte);
	else
		loom_fail(err, LOOM_INVALID,
			  "%s may not contain invisible characters: U+%04X at byte %zu",
			  kinds[what].a, (unsigned)cp, byte);
}

static enum loom_status refuse_fault(enum loom_named what, struct loom_str name,
				     const struct finding *found, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str clean = seen_part(name, &text);
	const char *shown = NULL;

	LOOM_ASSERT(found->fault != MIXED || found->scripts[0] != found->scripts[1]);
	switch (found->fault) {
	case EMPTY:
		loom_fail(err, LOOM_INVALID, "%s needs a visible character", kinds[what].a);
		loom_hint(err, LOOM_INVALID, "give it a letter, a digit or a symbol");
		break;
	case HIDDEN:
		say_hidden(what, name, found->at, err);
		loom_hint(err, LOOM_INVALID, "type \"%.*s\"", LOOM_STR_ARG(clean));
		break;
	case EDGES:
		loom_fail(err, LOOM_INVALID, "%s may not begin or end with a space", kinds[what].a);
		loom_hint(err, LOOM_INVALID, "type \"%.*s\"", LOOM_STR_ARG(clean));
		break;
	case OWN_WORD:
		shown = quoted(name, &text);
		loom_fail(err, LOOM_INVALID,
			  "\"%s\" looks like \"%s\", which loom uses for the author of a text",
			  shown, found->word);
		loom_hint(err, LOOM_INVALID, "choose another name for the %s", kinds[what].noun);
		break;
	case MIXED:
		shown = quoted(name, &text);
		loom_fail(err, LOOM_INVALID,
			  "\"%s\" mixes %s and %s letters and could be mistaken for another name",
			  shown, script_names[found->scripts[0]], script_names[found->scripts[1]]);
		loom_hint(err, LOOM_INVALID, "write %s in one script%s", kinds[what].a,
			  kinds[what].whole ? "" : ", or put a space between the two");
		break;
	case SOUND:
	default:
		break;
	}
	loom_buf_fini(&text);
	return found->fault == SOUND ? LOOM_OK : LOOM_INVALID;
}

static enum loom_status refuse_alike(enum loom_named what, struct loom_str name,
				     struct loom_str other, struct loom_err *err)
{
	struct loom_buf one = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf two = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_fail(err, LOOM_CONFLICT, "\"%s\" looks like the %s \"%s\", which already exists",
		  quoted(name, &one), kinds[what].noun, quoted(other, &two));
	loom_hint(err, LOOM_CONFLICT,
		  "choose a name that looks different, or use the existing one");
	loom_buf_fini(&one);
	loom_buf_fini(&two);
	return LOOM_CONFLICT;
}

enum loom_status loom_name_check(enum loom_named what, struct loom_str name,
				 const struct loom_str *others, size_t count, struct loom_err *err)
{
	struct loom_buf mine = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf other = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct finding found;
	enum loom_status status;

	LOOM_ASSERT((size_t)what < LOOM_COUNT(kinds) && (others || !count));
	found = look_at(what, name);
	status = refuse_fault(what, name, &found, err);
	loom_name_skeleton(name, kinds[what].fold, &mine);
	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		if (loom_str_eq(name, others[i]))
			continue;
		loom_buf_clear(&other);
		loom_name_skeleton(others[i], kinds[what].fold, &other);
		if (loom_str_eq(loom_buf_str(&mine), loom_buf_str(&other)))
			status = refuse_alike(what, name, others[i], err);
	}
	loom_buf_fini(&mine);
	loom_buf_fini(&other);
	return status;
}

enum loom_status loom_label_check(const char *what, struct loom_str label, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(what && loom_str_ok(label));
	for (size_t at = 0; at < label.n;) {
		const size_t byte = at;

		if (!breaks_line(loom_utf8_next(label, &at)))
			continue;
		loom_fail(err, LOOM_INVALID, "%s must be one line: line break at byte %zu", what,
			  byte);
		loom_hint(err, LOOM_INVALID, "type \"%.*s\"",
			  LOOM_STR_ARG(seen_part(label, &text)));
		loom_buf_fini(&text);
		return LOOM_INVALID;
	}
	if (!label.n || is_seen(label))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "%s needs a visible character", what);
	return loom_hint(err, LOOM_INVALID,
			 "leave it empty, or give it a letter, a digit or a symbol");
}

/* --- marking --- */

struct suspect {
	size_t at; /* its original index */
	struct loom_str name;
	struct loom_str skeleton;
	struct finding found;
};

/* Sorts by skeleton; among equal ones, sound names first, then the oldest. */
static int compare_suspects(const void *a, const void *b)
{
	const struct suspect *x = a;
	const struct suspect *y = b;
	int order = loom_str_cmp(x->skeleton, y->skeleton);

	if (!order)
		order = (x->found.fault != SOUND) - (y->found.fault != SOUND);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct loom_str mark_of(const struct suspect *suspect, const struct suspect *first,
			       struct loom_arena *arena)
{
	const struct finding *found = &suspect->found;

	LOOM_ASSERT(loom_str_eq(suspect->skeleton, first->skeleton));
	if (found->fault == EMPTY)
		return LOOM_STR("has nothing visible");
	if (found->fault == OWN_WORD)
		return loom_arena_format(arena, "loom's own word %s", found->word);
	if (!loom_str_eq(suspect->name, first->name))
		return loom_arena_format(arena, "looks like %.*s", LOOM_STR_ARG(first->name));
	if (found->fault == HIDDEN)
		return LOOM_STR("has invisible characters");
	if (found->fault == EDGES)
		return LOOM_STR("begins or ends with a space");
	if (found->fault == MIXED)
		return loom_arena_format(arena, "mixes %s and %s", script_names[found->scripts[0]],
					 script_names[found->scripts[1]]);
	return LOOM_STR("");
}

struct loom_str *loom_name_marks(enum loom_named what, const struct loom_str *names, size_t count,
				 struct loom_arena *arena)
{
	struct suspect *all = loom_arena_array(arena, count, sizeof *all);
	struct loom_str *marks = loom_arena_array(arena, count, sizeof *marks);
	struct loom_buf bones = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct suspect *first = all;

	LOOM_ASSERT(names || !count);
	for (size_t i = 0; i < count; i++) {
		loom_buf_clear(&bones);
		loom_name_skeleton(names[i], kinds[what].fold, &bones);
		all[i] = (struct suspect){.at = i,
					  .name = names[i],
					  .skeleton = loom_arena_buf(arena, &bones),
					  .found = look_at(what, names[i])};
	}
	loom_buf_fini(&bones);
	if (count)
		qsort(all, count, sizeof *all, compare_suspects);
	for (size_t i = 0; i < count; i++) {
		if (!loom_str_eq(all[i].skeleton, first->skeleton))
			first = &all[i];
		LOOM_ASSERT(all[i].at < count);
		marks[all[i].at] = mark_of(&all[i], first, arena);
	}
	return count ? marks : NULL;
}

struct loom_str loom_name_marked(struct loom_str name, struct loom_str mark,
				 struct loom_arena *arena)
{
	if (mark.n)
		name = loom_arena_format(arena, "%.*s (%.*s)", LOOM_STR_ARG(name),
					 LOOM_STR_ARG(mark));
	return loom_shown_label(arena, name);
}
