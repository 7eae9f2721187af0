/* How names, links, fences and info strings are written. Pure. */
#include "payload_impl.h"

#include <ctype.h>
#include <stdarg.h>

#include <loom/utf8.h>

void model_note(struct model_notes *notes, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	notes->items = loom_arena_grow(notes->arena, notes->items, notes->count, &notes->cap,
				       sizeof *notes->items);
	notes->items[notes->count++] = loom_arena_buf(notes->arena, &text);
	loom_buf_fini(&text);
}

static size_t slot_of(const struct model_set *set, struct loom_str text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t slot = 0;

	for (size_t i = 0; i < text.n; i++)
		hash = (hash ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
	slot = (size_t)hash & (set->cap - 1);
	while (set->slots[slot].p && !loom_str_eq(set->slots[slot], text))
		slot = (slot + 1) & (set->cap - 1);
	return slot;
}

static void enlarge(struct model_set *set)
{
	struct model_set old = *set;

	set->cap = old.cap ? old.cap * 2 : 64;
	set->slots = LOOM_ARENA_ARRAY(set->arena, set->cap, struct loom_str);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].p)
			set->slots[slot_of(set, old.slots[i])] = old.slots[i];
}

bool model_set_add(struct model_set *set, struct loom_str text)
{
	size_t slot = 0;

	if (set->count * 2 >= set->cap)
		enlarge(set);
	slot = slot_of(set, text);
	if (set->slots[slot].p)
		return false;
	set->slots[slot] = loom_arena_str(set->arena, text);
	set->count++;
	return true;
}

/* The next character of `name`; false for a byte that may not be written as it is. */
static bool next_plain(struct loom_str name, size_t *at, struct loom_str *out)
{
	size_t start = *at;
	uint32_t cp = loom_utf8_next(name, at);

	*out = loom_str_sub(name, start, *at - start);
	return cp != LOOM_CP_BAD && cp >= 0x20 && cp != 0x7F;
}

void model_put_name(struct loom_buf *out, struct loom_str name)
{
	for (size_t at = 0; at < name.n;) {
		struct loom_str piece;

		if (next_plain(name, &at, &piece))
			loom_buf_add(out, piece);
		else
			loom_buf_addf(out, "\\x%02X", (unsigned char)piece.p[0]);
	}
}

/* Whether an entity such as &amp; begins here, which Markdown would decode. */
static bool is_entity(struct loom_str s, size_t at)
{
	size_t i = at + 1;

	while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'z') ||
			   (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '#'))
		i++;
	return i > at + 1 && i < s.n && s.p[i] == ';';
}

static void put_link_text(struct loom_buf *out, struct loom_str target)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;

	model_put_name(&name, target);
	text = loom_buf_str(&name);
	for (size_t i = 0; i < text.n; i++) {
		if (memchr("[]\\`<", text.p[i], 5) || (text.p[i] == '&' && is_entity(text, i)))
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, text.p[i]);
	}
	loom_buf_fini(&name);
}

static bool needs_angles(struct loom_str target)
{
	for (size_t i = 0; i < target.n; i++)
		if (memchr(" ()<>\\", target.p[i], 6))
			return true;
	return false;
}

/* A name in which a reader would find an escaped byte: "a%20b". */
static bool is_escape(struct loom_str text, size_t at)
{
	return at + 2 < text.n && text.p[at] == '%' && isxdigit((unsigned char)text.p[at + 1]) &&
	       isxdigit((unsigned char)text.p[at + 2]);
}

static void put_destination(struct loom_buf *out, struct loom_str target, bool url)
{
	bool angles = needs_angles(target);

	loom_buf_adds(out, angles ? "<" : "");
	loom_buf_adds(out, url ? "" : "/");
	for (size_t at = 0; at < target.n;) {
		size_t start = at;
		struct loom_str piece;

		if (!next_plain(target, &at, &piece)) {
			loom_buf_addf(out, "%%%02X", (unsigned char)piece.p[0]);
			continue;
		}
		if (memchr("<>\\", piece.p[0], 3))
			loom_buf_addc(out, '\\');
		loom_buf_add(out, piece);
		/* Not every reader lets a backslash stop an entity in a destination. */
		if (piece.p[0] == '&' && is_entity(target, start))
			loom_buf_adds(out, "amp;");
		if (!url && is_escape(target, start))
			loom_buf_adds(out, "25");
	}
	loom_buf_adds(out, angles ? ">" : "");
}

void model_put_link(struct loom_buf *out, struct loom_str target, bool url)
{
	loom_buf_addc(out, '[');
	put_link_text(out, target.n ? target : LOOM_STR("."));
	loom_buf_adds(out, "](");
	put_destination(out, target, url);
	loom_buf_addc(out, ')');
}

static size_t longest_run(struct loom_str s)
{
	size_t longest = 0;
	size_t at = 0;

	while ((at = loom_str_find_char(s, '`', at)) != SIZE_MAX) {
		size_t start = at;

		while (at < s.n && s.p[at] == '`')
			at++;
		longest = at - start > longest ? at - start : longest;
	}
	return longest;
}

void model_put_span(struct loom_buf *out, struct loom_str text)
{
	size_t ticks = longest_run(text) + 1;

	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_add(out, text);
	loom_buf_add_repeat(out, '`', ticks);
}

void model_put_fence(struct loom_buf *out, struct loom_str info, struct loom_str content)
{
	size_t ticks = longest_run(content) + 1;

	ticks = ticks < 4 ? 4 : ticks;
	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_add(out, info);
	loom_buf_addc(out, '\n');
	loom_buf_add(out, content);
	if (content.n && content.p[content.n - 1] != '\n')
		loom_buf_addc(out, '\n');
	loom_buf_add_repeat(out, '`', ticks);
	loom_buf_addc(out, '\n');
}

struct info_row {
	struct loom_str from;
	struct loom_str info;
};
#define ROW(key, word)                                                                             \
	{                                                                                          \
		LOOM_STR_INIT(key), LOOM_STR_INIT(word)                                            \
	}

static const struct info_row by_extension[] = {
	ROW("py", "python"),    ROW("js", "javascript"),  ROW("ts", "typescript"),
	ROW("md", "markdown"),  ROW("sh", "shell"),       ROW("bash", "shell"),
	ROW("zsh", "shell"),    ROW("yml", "yaml"),       ROW("txt", "text"),
	ROW("rb", "ruby"),      ROW("rs", "rust"),        ROW("h", "c"),
	ROW("hpp", "cpp"),      ROW("cxx", "cpp"),        ROW("cc", "cpp"),
	ROW("cs", "csharp"),    ROW("cfg", "ini"),        ROW("conf", "ini"),
	ROW("tf", "terraform"), ROW("ps1", "powershell"),
};

static const struct info_row by_type[] = {
	ROW("plain", "text"),
	ROW("x-python", "python"),
	ROW("x-sh", "shell"),
	ROW("x-shellscript", "shell"),
	ROW("x-markdown", "markdown"),
	ROW("x-yaml", "yaml"),
	ROW("xhtml+xml", "html"),
	ROW("x-javascript", "javascript"),
	ROW("ecmascript", "javascript"),
	ROW("x-typescript", "typescript"),
	ROW("x-c", "c"),
	ROW("x-rust", "rust"),
	ROW("octet-stream", "text"),
};

static struct loom_str look_up(const struct info_row *rows, size_t count, struct loom_str key)
{
	for (size_t i = 0; i < count; i++)
		if (loom_str_eq(rows[i].from, key))
			return rows[i].info;
	return key;
}

/* A lower-cased copy, or the word "text" when it is none that an info string can be. */
static struct loom_str plain_word(struct loom_str s, struct loom_arena *arena)
{
	char *p = loom_arena_cstr(arena, s);

	for (size_t i = 0; i < s.n; i++) {
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] + 32);
		if (!((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= '0' && p[i] <= '9') ||
		      memchr("+-_.#", p[i], 5)))
			return LOOM_STR("text");
	}
	return s.n && s.n <= 32 ? loom_str_make(p, s.n) : LOOM_STR("text");
}

struct loom_str model_info_of_path(struct loom_str path, struct loom_arena *arena)
{
	size_t name = path.n;
	size_t dot = path.n;

	while (name && path.p[name - 1] != '/')
		name--;
	while (dot > name && path.p[dot - 1] != '.')
		dot--;
	if (dot <= name + 1 || dot == path.n)
		return LOOM_STR("text");
	return look_up(by_extension, LOOM_COUNT(by_extension),
		       plain_word(loom_str_sub(path, dot, path.n), arena));
}

struct loom_str model_info_of_type(struct loom_str type, struct loom_arena *arena)
{
	size_t end = loom_str_find_char(type, ';', 0);
	struct loom_str whole = loom_str_trim(loom_str_sub(type, 0, end));
	size_t slash = loom_str_find_char(whole, '/', 0);
	struct loom_str word;

	if (slash == SIZE_MAX)
		return LOOM_STR("text");
	word = plain_word(loom_str_sub(whole, slash + 1, whole.n), arena);
	word = look_up(by_type, LOOM_COUNT(by_type), word);
	if (loom_str_ends(word, LOOM_STR("+json")))
		return LOOM_STR("json");
	if (loom_str_ends(word, LOOM_STR("+xml")))
		return LOOM_STR("xml");
	return word;
}

const char *model_binary_kind(struct loom_str bytes)
{
	static const struct {
		struct loom_str magic;
		const char *kind;
	} kinds[] = {
		{LOOM_STR_INIT("\x89PNG\r\n"), "PNG image"},
		{LOOM_STR_INIT("\xFF\xD8\xFF"), "JPEG image"},
		{LOOM_STR_INIT("GIF8"), "GIF image"},
		{LOOM_STR_INIT("%PDF-"), "PDF document"},
		{LOOM_STR_INIT("PK\x03\x04"), "ZIP archive"},
		{LOOM_STR_INIT("\x1F\x8B"), "gzip data"},
		{LOOM_STR_INIT("\x7F"
			       "ELF"),
		 "ELF program"},
		{LOOM_STR_INIT("SQLite format 3"), "SQLite database"},
		{LOOM_STR_INIT("\xFF\xFE"), "UTF-16 text"},
		{LOOM_STR_INIT("\xFE\xFF"), "UTF-16 text"},
	};

	for (size_t i = 0; i < LOOM_COUNT(kinds); i++)
		if (loom_str_starts(bytes, kinds[i].magic))
			return kinds[i].kind;
	if (bytes.n && memchr(bytes.p, '\0', bytes.n))
		return "binary data";
	return "text that is not UTF-8";
}
