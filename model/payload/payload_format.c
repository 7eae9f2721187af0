/* Notes and sets of texts, and file types from names and contents. Pure. */
#include "inside.h"

#include <ctype.h>
#include <stdarg.h>

#include <loom/base/utf8.h>

void model_note(struct model_notes *notes, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	LOOM_ASSERT(format);
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

	LOOM_ASSERT(set->cap && (set->cap & (set->cap - 1)) == 0);
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
	LOOM_ASSERT(set->count * 2 < set->cap);
	slot = slot_of(set, text);
	if (set->slots[slot].p)
		return false;
	set->slots[slot] = loom_arena_str(set->arena, text);
	set->count++;
	return true;
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

/* Returns a lower-cased copy, or "text" if it cannot be an info string. */
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
