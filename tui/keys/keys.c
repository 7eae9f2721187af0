/* Keys and their spelling. Bytes are the business of input.c, meanings of keymap.c. */
#include <loom/keys/keys.h>

#include <loom/base/utf8.h>

static const char *const names[] = {
#define X(id, name) [TUI_KEY_##id - TUI_KEY_NONE] = name,
	TUI_KEY_LIST(X)
#undef X
};

bool tui_key_eq(struct tui_key a, struct tui_key b)
{
	return a.code == b.code && a.mods == b.mods;
}

bool tui_key_prints(struct tui_key key)
{
	return key.code >= 0x20 && key.code != 0x7f && key.code < TUI_KEY_NONE && key.mods == 0 &&
	       !(key.code >= 0x80 && key.code < 0xa0);
}

static bool name_code(struct loom_str name, uint32_t *out)
{
	size_t at = 0;

	for (size_t i = 1; i < LOOM_COUNT(names); i++) {
		if (loom_str_eq_fold(name, loom_str_of(names[i]))) {
			*out = TUI_KEY_NONE + (uint32_t)i;
			return true;
		}
	}
	if (loom_str_eq_fold(name, LOOM_STR("Space")))
		*out = ' ';
	else if (loom_str_eq_fold(name, LOOM_STR("lt")))
		*out = '<';
	else if (loom_str_eq_fold(name, LOOM_STR("gt")))
		*out = '>';
	else if (name.n > 0 && (*out = loom_utf8_next(name, &at)) != LOOM_CP_BAD && at == name.n)
		return *out > 0x20;
	else
		return false;
	return true;
}

/* The modifiers C-, M- and S- before a name. */
static uint8_t take_mods(struct loom_str *name)
{
	uint8_t mods = 0;

	while (name->n > 2 && name->p[1] == '-') {
		char c = name->p[0];
		if (c != 'C' && c != 'M' && c != 'S')
			break;
		mods |= c == 'C' ? TUI_KEY_CTRL : c == 'M' ? TUI_KEY_ALT : TUI_KEY_SHIFT;
		*name = loom_str_sub(*name, 2, name->n);
	}
	return mods;
}

bool tui_key_parse(struct loom_str s, size_t *at, struct tui_key *out)
{
	size_t close = s.p[*at] == '<' ? loom_str_find_char(s, '>', *at + 2) : SIZE_MAX;
	struct loom_str name;

	*out = (struct tui_key){.code = TUI_KEY_NONE};
	if (s.p[*at] != '<') {
		out->code = loom_utf8_next(s, at);
		return out->code != LOOM_CP_BAD && out->code > 0x20;
	}
	if (close == SIZE_MAX)
		return false;
	name = loom_str_sub(s, *at + 1, close - *at - 1);
	*at = close + 1;
	out->mods = take_mods(&name);
	return name_code(name, &out->code);
}

static const char *special_name(struct tui_key key)
{
	uint32_t code = key.code;

	if (code == ' ')
		return "Space";
	if (code == '<')
		return "lt";
	if (code == '>' && key.mods)
		return "gt";
	return code > TUI_KEY_NONE && code - TUI_KEY_NONE < LOOM_COUNT(names)
		       ? names[code - TUI_KEY_NONE]
		       : NULL;
}

/* Returns whether the key is written as one character. */
static bool is_plain(struct tui_key key)
{
	return !special_name(key) && key.mods == 0;
}

static void add_mods(struct tui_key key, struct loom_buf *out)
{
	if (key.mods & TUI_KEY_CTRL)
		loom_buf_adds(out, "C-");
	if (key.mods & TUI_KEY_ALT)
		loom_buf_adds(out, "M-");
	if (key.mods & TUI_KEY_SHIFT)
		loom_buf_adds(out, "S-");
}

static void add_name(struct tui_key key, const char *name, struct loom_buf *out)
{
	if (name)
		loom_buf_adds(out, name);
	else
		loom_buf_add_cp(out, key.code);
}

static void show(struct tui_key key, struct loom_buf *out)
{
	const bool angle = key.code == '<' || key.code == '>';

	add_mods(key, out);
	add_name(key, angle ? NULL : special_name(key), out);
}

void tui_keys_show(const struct tui_key *keys, size_t n, struct loom_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i && !(is_plain(keys[i]) && is_plain(keys[i - 1])))
			loom_buf_addc(out, ' ');
		show(keys[i], out);
	}
}

void tui_key_spell(struct tui_key key, struct loom_buf *out)
{
	if (is_plain(key)) {
		loom_buf_add_cp(out, key.code);
		return;
	}
	loom_buf_addc(out, '<');
	add_mods(key, out);
	add_name(key, special_name(key), out);
	loom_buf_addc(out, '>');
}
