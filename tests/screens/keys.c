#include "screens/keys.h"

const struct keys_row keys_rows[] = {
#define LOOM_VERB(id, name_, deed, change, permission, group, synonyms, args, keys_, ...)          \
	{.name = #name_, .keys = keys_, .verb = true},
#define LOOM_ACTION(id, view_, name_, keys_, summary) {.name = name_, .keys = keys_},
#include <loom/verbs.def>
#include <loom/actions.def>
};
const size_t keys_count = LOOM_COUNT(keys_rows);

static const struct {
	const char *name;
	const char *bytes;
} named[] = {
	{"Enter", "\r"},
	{"Tab", "\t"},
	{"S-Tab", "\x1b[Z"},
	{"Esc", "\x1b"},
	{"Space", " "},
	{"Backspace", "\x7f"},
	{"Up", "\x1b[A"},
	{"Down", "\x1b[B"},
	{"Right", "\x1b[C"},
	{"Left", "\x1b[D"},
	{"Home", "\x1b[H"},
	{"End", "\x1b[F"},
	{"PgUp", "\x1b[5~"},
	{"PgDn", "\x1b[6~"},
	{"Delete", "\x1b[3~"},
	{"F1", "\x1bOP"},
	{"lt", "<"},
	{"gt", ">"},
	{"M-lt", "\x1b<"},
	{"M-gt", "\x1b>"},
	{"M-Up", "\x1b[1;3A"},
	{"M-Down", "\x1b[1;3B"},
	{"M-Right", "\x1b[1;3C"},
	{"M-Left", "\x1b[1;3D"},
};

static bool add_named(struct loom_str name, char any, struct loom_buf *out)
{
	for (size_t i = 0; i < LOOM_COUNT(named); i++) {
		if (loom_str_is(name, named[i].name)) {
			loom_buf_adds(out, named[i].bytes);
			return true;
		}
	}
	if (loom_str_is(name, "Any")) {
		loom_buf_addc(out, any);
	} else if (name.n == 3 && loom_str_starts(name, LOOM_STR("C-"))) {
		loom_buf_addc(out, (char)(name.p[2] & 0x1f));
	} else if (name.n == 3 && loom_str_starts(name, LOOM_STR("M-"))) {
		loom_buf_addc(out, '\x1b');
		loom_buf_addc(out, name.p[2]);
	} else {
		return false;
	}
	return true;
}

bool keys_bytes(struct loom_str spelled, char any, struct loom_buf *out)
{
	for (size_t at = 0; at < spelled.n; at++) {
		size_t end = loom_str_find_char(spelled, '>', at);

		if (spelled.p[at] != '<' || end == SIZE_MAX) {
			loom_buf_addc(out, spelled.p[at]);
			continue;
		}
		if (!add_named(loom_str_sub(spelled, at + 1, end - at - 1), any, out))
			return false;
		at = end;
	}
	return true;
}

bool keys_next(struct loom_str *rest, struct loom_str *view, struct loom_str *spelled)
{
	struct loom_str pair;
	size_t colon;

	if (rest->n == 0 || !loom_str_cut(rest, ' ', &pair))
		return false;
	colon = loom_str_find_char(pair, ':', 0);
	*view = loom_str_sub(pair, 0, colon);
	*spelled = loom_str_sub(pair, colon + 1, SIZE_MAX);
	return true;
}
