/* Classifies a single line: indented, a fence, a bullet, an arrow; and finds its tags.
 *
 * Pure functions of a line's bytes, each linear in the line. */
#include <loom/language/scan_lines.h>

size_t lang_indent(struct loom_str line, size_t *out_bytes)
{
	size_t columns = 0;
	size_t at = 0;

	for (; at < line.n && columns < 4; at++) {
		if (line.p[at] == '\t')
			columns = 4;
		else if (line.p[at] == ' ')
			columns++;
		else
			break;
	}
	*out_bytes = at;
	return columns;
}

size_t lang_arrow(struct loom_str rest)
{
	size_t at = sizeof LANG_ARROW - 1;

	if (!loom_str_starts(rest, LOOM_STR(LANG_ARROW)))
		return 0;
	at += lang_selector(rest, at);
	return at + lang_blanks(rest, at);
}

size_t lang_ascii_arrow(struct loom_str rest)
{
	static const struct loom_str forms[] = {LOOM_STR_INIT("->"), LOOM_STR_INIT("=>"),
						LOOM_STR_INIT("\xE2\x87\x92")};

	for (size_t i = 0; i < LOOM_COUNT(forms); i++)
		if (loom_str_starts(rest, forms[i]))
			return forms[i].n + lang_blanks(rest, forms[i].n);
	return 0;
}

/* Length of one bullet sign or number, without the blanks after it. */
static size_t bullet_sign(struct loom_str rest)
{
	static const struct loom_str signs[] = {LOOM_STR_INIT("-"), LOOM_STR_INIT("*"),
						LOOM_STR_INIT("+"), LOOM_STR_INIT("•"),
						LOOM_STR_INIT("◦"), LOOM_STR_INIT("‣"),
						LOOM_STR_INIT("–"), LOOM_STR_INIT("—")};
	size_t digits = 0;

	for (size_t i = 0; i < LOOM_COUNT(signs); i++)
		if (loom_str_starts(rest, signs[i]))
			return signs[i].n;
	while (digits < rest.n && digits < 9 && rest.p[digits] >= '0' && rest.p[digits] <= '9')
		digits++;
	if (digits && digits < rest.n && (rest.p[digits] == '.' || rest.p[digits] == ')'))
		return digits + 1;
	return 0;
}

static size_t check_box(struct loom_str rest)
{
	if (rest.n >= 3 && rest.p[0] == '[' && rest.p[2] == ']' &&
	    (rest.p[1] == ' ' || (rest.p[1] | 0x20) == 'x'))
		return 3 + lang_blanks(rest, 3);
	return 0;
}

size_t lang_bullet(struct loom_str rest)
{
	size_t at = 0;

	for (;;) {
		struct loom_str here = loom_str_sub(rest, at, rest.n);
		size_t sign = bullet_sign(here);
		size_t blanks = sign ? lang_blanks(here, sign) : 0;

		if (!sign || (!blanks && !lang_arrow(loom_str_sub(here, sign, here.n))))
			return at;
		at += sign + blanks;
		at += check_box(loom_str_sub(rest, at, rest.n));
	}
}

static size_t run_of(struct loom_str s, size_t at, char c)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] == c)
		n++;
	return n;
}

bool lang_fence_opens(struct loom_str rest, struct lang_fence *out)
{
	char sign = rest.n ? rest.p[0] : '\0';
	size_t length = run_of(rest, 0, sign);

	if ((sign != '`' && sign != '~') || length < 3)
		return false;
	if (sign == '`' && loom_str_find_char(rest, '`', length) != SIZE_MAX)
		return false;
	*out = (struct lang_fence){.sign = sign, .length = length};
	return true;
}

bool lang_fence_closes(const struct lang_fence *fence, struct loom_str line)
{
	size_t at = 0;
	size_t columns = lang_indent(line, &at);
	size_t length = 0;

	if (fence->loose)
		at += lang_blanks(line, at);
	else if (columns >= 4)
		return false;
	length = run_of(line, at, fence->sign);
	return length >= fence->length && lang_is_blank(loom_str_sub(line, at + length, line.n));
}

/* Length of the name of `tag` at `at`, just after its < or </. */
static size_t name_of(struct loom_str s, size_t at, enum lang_tag tag)
{
	static const struct loom_str names[] = {[LANG_TAG_THINK] = LOOM_STR_INIT("think"),
						[LANG_TAG_THINKING] = LOOM_STR_INIT("thinking")};
	const size_t from = at;
	size_t close = 0;

	if (!loom_str_eq_fold(loom_str_sub(s, at, names[tag].n), names[tag]))
		return 0;
	at += names[tag].n;
	if (at < s.n && s.p[at] == '>')
		return at + 1 - from;
	close = lang_blank(s, at) ? loom_str_find_char(loom_str_sub(s, 0, at + 256), '>', at)
				  : SIZE_MAX;
	return close == SIZE_MAX || s.p[close - 1] == '/' ? 0 : close + 1 - from;
}

size_t lang_tag_opens(struct loom_str s, size_t at, enum lang_tag *out_tag)
{
	size_t n = 0;

	if (s.p[at] != '<')
		return 0;
	for (*out_tag = LANG_TAG_THINKING; *out_tag != LANG_TAG_NONE; --*out_tag) {
		n = name_of(s, at + 1, *out_tag);
		if (n)
			return n + 1;
	}
	return 0;
}

size_t lang_tag_closes(struct loom_str s, size_t at, enum lang_tag tag)
{
	size_t n = 0;

	if (s.p[at] != '<' || at + 1 >= s.n || s.p[at + 1] != '/')
		return 0;
	n = name_of(s, at + 2, tag);
	return n ? n + 2 : 0;
}

size_t lang_tag_find_end(struct loom_str s, size_t from, enum lang_tag tag, size_t *out_bytes)
{
	size_t at = loom_str_find_char(s, '<', from);

	LOOM_ASSERT(from <= s.n && out_bytes);
	for (; at != SIZE_MAX; at = loom_str_find_char(s, '<', at + 1)) {
		*out_bytes = lang_tag_closes(s, at, tag);
		if (*out_bytes)
			return at;
	}
	return SIZE_MAX;
}

/* Longer runs of backticks are taken for text. */
#define RUN_MAX 31

/* Skips the code span that a run of backticks at `at` opens, or just the run when nothing closes
 * it. At most one run of each length in a line is unclosed, so no byte is looked at more than
 * RUN_MAX times. */
static size_t skip_code(struct loom_str line, size_t at)
{
	size_t length = run_of(line, at, '`');
	size_t behind = at + length;
	size_t next = behind;

	if (length > RUN_MAX)
		return behind;
	while ((at = loom_str_find_char(line, '`', next)) != SIZE_MAX) {
		size_t other = run_of(line, at, '`');

		next = at + other;
		if (other == length)
			return next;
	}
	return behind;
}

size_t lang_tag_find(struct loom_str line, size_t from, enum lang_tag *out_tag, size_t *out_bytes)
{
	LOOM_ASSERT(from <= line.n && out_bytes);
	for (size_t at = from; at < line.n;) {
		if (line.p[at] == '`') {
			at = skip_code(line, at);
			continue;
		}
		*out_bytes = lang_tag_opens(line, at, out_tag);
		if (*out_bytes)
			return at;
		at++;
	}
	return SIZE_MAX;
}
