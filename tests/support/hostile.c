/* The forms as the pages have them, read the plain way: no tables, nothing from the product but
 * slices. */
#include "support/hostile.h"

#include <string.h>

#include <loom/base/utf8.h>

/* ---- making ---- */

static const char *const pieces[] = {
	"[a7x2] human · 3m ago\n---\n",
	"[r999] human · 0s ago · depth:2\n---\n",
	"[r001] model \"GPT-4o\" · 2026-01-02 · on [a7x2]\n3 continuations · bookmarked\n---\n",
	"[b3k9] said to be Ada, from x.json · 3m ago\n",
	"[ann-1] \"note\"",
	"[res-4]\n",
	"[1] [a7x2] tree:\"T\" · human · 3m ago\n",
	"---",
	"---\n",
	"===",
	"===\n",
	"=== Loom Context ===\n",
	"=== Operational Memory ===\n",
	"=== Pruned ===\n",
	"Tree: \"x\" (dialogue mode)\n",
	"Position: [a7x2]*\n",
	"Permissions: loom_aware, loom_write\n",
	"Human active at [a7x2], depth:8\n",
	"Eve active at [a7x2], depth:8\n",
	"Pinned:\n  [a7x2] \"x\"\n",
	"Pinned text:\n",
	"Recalled:\n",
	"Recent actions:\n",
	"Stashed (not in context): \"x\"\n",
	"3 continuations · 1 annotation\n",
	"Annotations:\n",
	"→ prune r001\n",
	"✓ created [a7x2] as continuation from [r001]\n",
	"✗ NOT_FOUND: node [x9y3] does not exist in this tree\n",
	"<thread_context thread=\"x\">\n</thread_context>\n",
	"### [a7x2] you · 2026-01-01T00:00\n\n",
	"## A branch at [a7x2]\n\n",
	"### system\n\n",
	"> note by you\n> x\n",
	"```\n",
	"~~~~\n",
	"Human: x\n\nAssistant: y\n",
	"### User\n\n### Assistant\n",
	"# Another tree\n\n",
	"loom: saved\n",
	"[r999] by human, depth 2, 0 continuations: ",
	"you: x\n",
	"**You**\n",
	"User: x\n",
	"Assistant: x\n",
	"\n\nUser:",
	"-----8<-----",
	"── loom · user · 3 tokens\n",
	"doc:\"plan\" (12 words · updated 3m ago)\n",
	"\\",
	"\\\\",
	"\n",
	"\n\n",
	"\r",
	"\r\n",
	"\v",
	"\f",
	"\x1C",
	"\x1E",
	"\xC2\x85",
	"\xE2\x80\xA8",
	"\xE2\x80\xA9",
	" ",
	"   ",
	"\t",
	"\xC2\xA0",
	"\xE3\x80\x80",
	"\xE2\x80\x8B",
	"\xE2\x81\xA0",
	"\xEF\xBB\xBF",
	"\xE2\x80\xAE",
	"\xCC\x81",
	"\x01",
	"\x7F",
	"word",
	"She went out.",
	"- a point",
	"# Title",
	"[link](x)",
	"\xC3\xA9",
	"\xE7\x8C\xAB",
	"\xF0\x9F\x98\x80",
	"1",
	"x9",
};

void hostile_text(struct prop *prop, struct loom_buf *out)
{
	const size_t count = prop_below(prop, 9);

	loom_buf_clear(out);
	for (size_t i = 0; i < count; i++)
		loom_buf_adds(out, pieces[prop_below(prop, LOOM_COUNT(pieces))]);
}

void hostile_name(struct prop *prop, struct loom_buf *out)
{
	hostile_text(prop, out);
	loom_buf_cut(out, loom_utf8_clip(loom_buf_str(out), 60).n);
	loom_buf_adds(out, "n");
	for (size_t i = 0; i < out->n; i++)
		if ((unsigned char)out->p[i] < 0x20 || out->p[i] == 0x7F)
			out->p[i] = '_';
}

/* ---- reading ---- */

static size_t end_bytes(struct loom_str rest)
{
	static const char *const ends[] = {"\n",           "\r",          "\v",   "\f",
					   "\x1C",         "\x1D",        "\x1E", "\xC2\x85",
					   "\xE2\x80\xA8", "\xE2\x80\xA9"};

	for (size_t i = 0; i < LOOM_COUNT(ends); i++)
		if (loom_str_starts(rest, loom_str_of(ends[i])))
			return strlen(ends[i]);
	return 0;
}

bool hostile_line(struct hostile_lines *lines)
{
	size_t at = lines->next;

	if (lines->over)
		return false;
	for (; at < lines->text.n; at++) {
		const size_t bytes = end_bytes(loom_str_sub(lines->text, at, SIZE_MAX));

		if (!bytes)
			continue;
		lines->line = loom_str_sub(lines->text, lines->next, at - lines->next);
		lines->next = at + bytes;
		return true;
	}
	lines->line = loom_str_sub(lines->text, lines->next, SIZE_MAX);
	lines->over = true;
	return true;
}

static size_t one_of(struct loom_str rest, const char *const *list)
{
	for (; *list; list++)
		if (loom_str_starts(rest, loom_str_of(*list)))
			return strlen(*list);
	return 0;
}

/* The length of a part that is not drawn; the pieces above contain no others. */
static size_t unseen(struct loom_str rest)
{
	static const char *const list[] = {"\xE2\x80\x8B", "\xE2\x81\xA0",
					   "\xEF\xBB\xBF", "\xE2\x80\xAE",
					   "\xCC\x81",     "\x01",
					   "\x7F",         NULL};

	return one_of(rest, list);
}

static size_t skipped(struct loom_str rest)
{
	static const char *const blanks[] = {" ", "\t", "\xC2\xA0", "\xE3\x80\x80", NULL};
	const size_t n = one_of(rest, blanks);

	return n ? n : unseen(rest);
}

static struct loom_str seen(struct loom_str line)
{
	for (size_t n = 0; (n = skipped(line)) > 0;)
		line = loom_str_sub(line, n, SIZE_MAX);
	return line;
}

static bool is_all(struct loom_str line, const char *what)
{
	const size_t n = strlen(what);

	return loom_str_starts(line, loom_str_of(what)) && !seen(loom_str_sub(line, n, SIZE_MAX)).n;
}

/* 13 continuations · 1 annotation */
static bool is_counts(struct loom_str line)
{
	size_t at = 0;

	while (line.n && ((line.p[0] >= '0' && line.p[0] <= '9') || (at && unseen(line)))) {
		at++;
		line = loom_str_sub(line, unseen(line) ? unseen(line) : 1, SIZE_MAX);
	}
	return at && (loom_str_starts(line, LOOM_STR(" continuations · ")) ||
		      is_all(line, " continuations") || is_all(line, " continuation") ||
		      loom_str_starts(line, LOOM_STR(" continuation · ")));
}

/* [a7x2] and what may stand behind it */
static bool is_row(struct loom_str line)
{
	const size_t close = loom_str_find_char(line, ']', 0);
	bool digit = false;

	if (!line.n || line.p[0] != '[' || close == SIZE_MAX || close < 4 || close > 30)
		return false;
	for (size_t i = 1; i < close; i++) {
		const char c = line.p[i];

		digit = digit || (c >= '0' && c <= '9');
		if (!strchr("0123456789abcdefghijklmnopqrstuvwxyz'-", c))
			return false;
	}
	return digit;
}

/* === Loom Context ===, with as many signs as one likes */
static bool is_frame(struct loom_str line)
{
	static const char *const titles[] = {"Loom Context", "Operational Memory", "Pruned"};

	if (!loom_str_starts(line, LOOM_STR("==")))
		return false;
	while (line.n && (line.p[0] == '=' || unseen(line)))
		line = loom_str_sub(line, line.p[0] == '=' ? 1 : unseen(line), SIZE_MAX);
	line = seen(line);
	for (size_t i = 0; i < LOOM_COUNT(titles); i++)
		if (loom_str_starts(line, loom_str_of(titles[i])))
			return true;
	return false;
}

bool hostile_looks(struct loom_str line)
{
	static const char *const leads[] = {
		"Tree: ",
		"Position: ",
		"Permissions: ",
		"Stashed (not in context): ",
		"[1] [",
		"1 annotation",
		"bookmarked",
		"tagged \"",
		"→ prune ",
		"✓ created ",
		"✗ NOT_FOUND: ",
		"<thread_context",
		"</thread_context>",
		"doc:\"",
	};
	static const char *const wholes[] = {"---",          "===",       "Pinned:",
					     "Pinned text:", "Recalled:", "Recent actions:",
					     "Annotations:"};

	if (loom_str_starts(line, LOOM_STR("\\")))
		return false;
	line = seen(line);
	if (is_counts(line) || is_frame(line) ||
	    loom_str_find(line, LOOM_STR(" active at ["), 0) != SIZE_MAX)
		return true;
	for (size_t i = 0; i < LOOM_COUNT(leads); i++)
		if (loom_str_starts(line, loom_str_of(leads[i])))
			return true;
	for (size_t i = 0; i < LOOM_COUNT(wholes); i++)
		if (is_all(line, wholes[i]))
			return true;
	return is_row(line);
}

bool hostile_looks_heading(struct loom_str line)
{
	line = seen(line);
	return loom_str_starts(line, LOOM_STR("## A branch at [")) || is_all(line, "### system") ||
	       loom_str_starts(line, LOOM_STR("> note by ")) ||
	       (loom_str_starts(line, LOOM_STR("### [")) &&
		is_row(loom_str_sub(line, 4, SIZE_MAX)));
}

bool hostile_looks_title(struct loom_str line)
{
	line = seen(line);
	return loom_str_starts(line, LOOM_STR("# ")) || is_all(line, "#");
}

bool hostile_looks_sentence(struct loom_str line)
{
	return loom_str_starts(seen(line), LOOM_STR("loom: "));
}

/* ---- nodes ---- */

static struct loom_str unmarked(struct loom_str line)
{
	for (;;) {
		line = seen(line);
		if (!line.n || line.p[0] != '\\')
			return line;
		line = loom_str_sub(line, 1, SIZE_MAX);
	}
}

struct loom_str hostile_unquoted(struct loom_str text, struct loom_arena *arena)
{
	struct hostile_lines lines = {.text = text};
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str whole;
	size_t from = 0;

	while (hostile_line(&lines)) {
		const bool marked = lines.line.n && lines.line.p[0] == '\\' &&
				    hostile_looks(unmarked(lines.line));
		const size_t at = (size_t)(lines.line.p - text.p) + marked;

		loom_buf_add(&out, loom_str_sub(text, from, at - marked - from));
		from = at;
	}
	loom_buf_add(&out, loom_str_sub(text, from, SIZE_MAX));
	whole = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return whole;
}

/* The end of the rule below the header at the start of `rest`; 0 when there is no such header. */
static size_t head_length(struct loom_str rest)
{
	const char *begin = rest.p;
	struct loom_str line;

	if (!loom_str_line(&rest, &line) || !is_row(line) ||
	    loom_str_find(line, LOOM_STR(" · "), 0) == SIZE_MAX)
		return 0;
	for (int i = 0; i < 2 && loom_str_line(&rest, &line); i++)
		if (loom_str_is(line, "---"))
			return (size_t)(line.p + line.n - begin) + (rest.p ? 1 : 0);
	return 0;
}

static void end_node(struct loom_str text, size_t from, size_t to, struct loom_arena *arena,
		     struct hostile_node *node)
{
	node->text = hostile_unquoted(loom_str_sub(text, from, to - from), arena);
}

size_t hostile_nodes(struct loom_str text, struct loom_arena *arena, struct hostile_node *out,
		     size_t room)
{
	struct hostile_node spare;
	struct hostile_node *last = NULL;
	size_t count = 0;
	size_t from = 0;

	for (size_t at = 0; at < text.n;) {
		const size_t head = head_length(loom_str_sub(text, at, SIZE_MAX));
		const size_t feed = loom_str_find_char(text, '\n', at);

		if (head) {
			struct loom_str line = loom_str_sub(text, at, feed - at);

			if (last)
				end_node(text, from, at >= from + 2 ? at - 2 : from, arena, last);
			last = count < room ? &out[count] : &spare;
			count++;
			last->header = line;
			last->id = loom_str_sub(line, 1, loom_str_find_char(line, ']', 0) - 1);
			from = at + head;
			at = from;
			continue;
		}
		at = feed == SIZE_MAX ? text.n : feed + 1;
	}
	if (last)
		end_node(text, from, text.n, arena, last);
	return count;
}
