/* Names: the normal form of a path, and which names text may give to files.
 *
 * Pure, no file system. The rules apply only to names we create; a repository's own files may have
 * any name. */
#include <loom/files/path.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include <loom/text/lower.h>

#define NAME_MAX_BYTES 255

/* Drops the last part added to `out` after `start`; false if there is none. */
static bool pop_part(struct loom_buf *out, size_t start)
{
	size_t n = out->n;

	LOOM_ASSERT(start <= n);
	if (n == start)
		return false;
	while (n > start && out->p[n - 1] != '/')
		n--;
	loom_buf_cut(out, n > start ? n - 1 : start);
	return true;
}

enum loom_status loom_path_normal(struct loom_str path, struct loom_buf *out, struct loom_err *err)
{
	size_t start = out->n;
	struct loom_str rest = path;
	struct loom_str part;

	if (path.n && memchr(path.p, '\0', path.n))
		return loom_fail(err, LOOM_PATH, "a path cannot hold a NUL byte");
	while (loom_str_cut(&rest, '/', &part)) {
		if (!part.n || loom_str_is(part, "."))
			continue;
		if (loom_str_is(part, "..")) {
			if (!pop_part(out, start))
				return loom_fail(err, LOOM_PATH, "%.*s leaves its root",
						 LOOM_STR_ARG(path));
			continue;
		}
		if (out->n > start)
			loom_buf_addc(out, '/');
		loom_buf_add(out, part);
	}
	LOOM_ASSERT(out->n >= start);
	return LOOM_OK;
}

/* Line breaks and tabs are fine on a screen, but not in a name. */
static bool has_control(struct loom_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20)
			return true;
	return false;
}

/* Returns what is wrong with a name, or NULL. */
static const char *fault_of(struct loom_str name)
{
	char last = name.n ? name.p[name.n - 1] : '\0';

	if (!name.n)
		return "is empty";
	if (name.n > NAME_MAX_BYTES)
		return "is longer than 255 bytes";
	if (loom_str_is(name, ".") || loom_str_is(name, ".."))
		return "means a folder";
	if (memchr(name.p, '/', name.n))
		return "contains a slash";
	if (!loom_utf8_valid(name, NULL))
		return "is not UTF-8";
	if (has_control(name) || !loom_shown_plain(name))
		return "contains an invisible character";
	if (name.p[0] == '-' || name.p[0] == '~')
		return "begins with a character that programs interpret";
	if (last == ' ' || last == '.')
		return "ends in a blank or a dot";
	return NULL;
}

enum loom_status loom_path_check_name(struct loom_str name, struct loom_err *err)
{
	const char *fault = fault_of(name);

	if (!fault)
		return LOOM_OK;
	loom_fail(err, LOOM_PATH, "the name \"%.*s\" %s", LOOM_STR_ARG(name), fault);
	return loom_hint(err, LOOM_PATH, "choose a plain name, such as notes.md");
}

enum loom_status loom_path_check(struct loom_str path, struct loom_err *err)
{
	struct loom_str rest = path;
	struct loom_str part;
	enum loom_status status = LOOM_OK;

	if (!path.n)
		return loom_path_check_name(path, err);
	while (status == LOOM_OK && loom_str_cut(&rest, '/', &part))
		status = loom_path_check_name(part, err);
	return status;
}

/* A letter and the marks that follow it. */
struct letter {
	uint32_t base;
	struct loom_str marks;
};

static struct letter next_letter(struct loom_str s, size_t *at)
{
	struct letter letter = {.base = loom_utf8_next(s, at)};
	size_t from = *at;
	size_t end = from;

	while (end < s.n) {
		size_t after = end;

		if (!loom_cp_is_mark(loom_utf8_next(s, &after)))
			break;
		end = after;
	}
	LOOM_ASSERT(end >= from && end <= s.n);
	*at = end;
	letter.marks = loom_str_sub(s, from, end - from);
	return letter;
}

/* Treats a composed letter and its parts as equal without a composition table: which accent it is
 * does not count, so è in two parts is a twin of é. Nobody keeps both. */
static bool same_letter(const struct model_lower *lower, struct letter a, struct letter b)
{
	uint32_t plain = 0;
	uint32_t parted = 0;

	if (!a.marks.n == !b.marks.n)
		return model_lower_cp(lower, a.base) == model_lower_cp(lower, b.base) &&
		       loom_str_eq(a.marks, b.marks);
	plain = a.marks.n ? b.base : a.base;
	parted = a.marks.n ? a.base : b.base;
	return loom_cp_fold(plain) == loom_cp_fold(parted) &&
	       loom_cp_fold(plain) != model_lower_cp(lower, plain);
}

bool loom_path_is_twin(struct loom_str a, struct loom_str b)
{
	struct model_lower lower;
	size_t at_a = 0;
	size_t at_b = 0;
	bool same = true;

	if (loom_str_eq(a, b))
		return false;
	model_lower_init(&lower);
	while (same && at_a < a.n && at_b < b.n) {
		struct letter left = next_letter(a, &at_a);
		struct letter right = next_letter(b, &at_b);

		same = same_letter(&lower, left, right);
	}
	model_lower_fini(&lower);
	return same && at_a == a.n && at_b == b.n;
}
