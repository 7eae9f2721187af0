/* Paths in a line, as shells spell them and as terminals paste dropped files. */
#include <loom/writing/paths.h>

/* A word while it is parsed. */
struct word {
	struct loom_buf text;
	bool begun;
};

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "file:///tmp/a%20b" and "file://localhost/tmp" become "/tmp/a b" and "/tmp". */
static void add_address(struct loom_str text, struct loom_buf *out)
{
	size_t from = loom_str_find_char(text, '/', strlen("file://"));

	for (size_t i = from == SIZE_MAX ? text.n : from; i < text.n; i++) {
		int high = i + 2 < text.n ? hex(text.p[i + 1]) : -1;
		int low = i + 2 < text.n ? hex(text.p[i + 2]) : -1;

		if (text.p[i] == '%' && high >= 0 && low >= 0 && high + low > 0) {
			loom_buf_addc(out, (char)(high * 16 + low));
			i += 2;
		} else {
			loom_buf_addc(out, text.p[i]);
		}
	}
}

static const char *path_of(struct loom_str text, struct loom_str home, struct loom_arena *arena)
{
	struct loom_buf path = LOOM_BUF_INIT(1 << 20);
	struct loom_str whole;

	if (loom_str_starts(text, LOOM_STR("file://"))) {
		add_address(text, &path);
	} else if (loom_str_starts(text, LOOM_STR("~/")) && home.n) {
		loom_buf_add(&path, home);
		loom_buf_add(&path, loom_str_sub(text, 1, text.n));
	} else {
		loom_buf_add(&path, text);
	}
	whole = loom_arena_buf(arena, &path);
	loom_buf_fini(&path);
	return loom_arena_cstr(arena, whole);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Parses the next word; false at the end. *open: a quote is not closed. */
static bool next_word(struct loom_str line, size_t *at, struct word *word, bool *open)
{
	char quote = '\0';

	loom_buf_clear(&word->text);
	word->begun = false;
	while (*at < line.n && is_blank(line.p[*at]))
		(*at)++;
	for (; *at < line.n && (quote || !is_blank(line.p[*at])); (*at)++) {
		const char c = line.p[*at];

		word->begun = true;
		if (quote && c == quote)
			quote = '\0';
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == '\\' && quote != '\'' && *at + 1 < line.n)
			loom_buf_addc(&word->text, line.p[++*at]);
		else
			loom_buf_addc(&word->text, c);
	}
	*open |= quote != '\0';
	return word->begun;
}

size_t tui_paths_read(struct loom_str line, struct loom_str home, struct loom_arena *arena,
		      const char ***out)
{
	struct word word = {.text = LOOM_BUF_INIT(1 << 20)};
	const char **paths = NULL;
	size_t count = 0;
	size_t cap = 0;
	size_t at = 0;
	bool open = false;

	while (next_word(line, &at, &word, &open)) {
		paths = loom_arena_grow(arena, paths, count, &cap, sizeof *paths);
		paths[count++] = path_of(loom_buf_str(&word.text), home, arena);
	}
	loom_buf_fini(&word.text);
	*out = paths;
	return open ? SIZE_MAX : count;
}

void tui_path_spell(struct loom_str path, struct loom_buf *out)
{
	for (size_t i = 0; i < path.n; i++) {
		if (is_blank(path.p[i]) || strchr("\\'\"", path.p[i]))
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, path.p[i]);
	}
}
