/* A key as one value, and its spelling in the tables, in keys.json and on the screen.
 *
 * Spelling: a printable character stands for itself, `<lt>` for `<`, `<Space>` for a blank. Other
 * keys are named in angle brackets, with C- M- S- before the name: `<C-d>`, `<M-f>`, `<S-Tab>`,
 * `<Down>`. */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <loom/base/str.h>

enum {
	TUI_KEY_CTRL = 1,
	TUI_KEY_ALT = 2,
	TUI_KEY_SHIFT = 4, /* only with named keys: letters carry their case */
};

/* Codes beyond Unicode: id, name */
#define TUI_KEY_LIST(X)                                                                            \
	X(ENTER, "Enter")                                                                          \
	X(TAB, "Tab")                                                                              \
	X(ESC, "Esc")                                                                              \
	X(BACKSPACE, "Backspace")                                                                  \
	X(UP, "Up")                                                                                \
	X(DOWN, "Down")                                                                            \
	X(LEFT, "Left")                                                                            \
	X(RIGHT, "Right")                                                                          \
	X(HOME, "Home")                                                                            \
	X(END, "End")                                                                              \
	X(PAGE_UP, "PgUp")                                                                         \
	X(PAGE_DOWN, "PgDn")                                                                       \
	X(INSERT, "Insert")                                                                        \
	X(DELETE, "Delete")                                                                        \
	X(F1, "F1")                                                                                \
	X(F2, "F2")                                                                                \
	X(F3, "F3")                                                                                \
	X(F4, "F4")                                                                                \
	X(F5, "F5")                                                                                \
	X(F6, "F6")                                                                                \
	X(F7, "F7")                                                                                \
	X(F8, "F8")                                                                                \
	X(F9, "F9")                                                                                \
	X(F10, "F10")                                                                              \
	X(F11, "F11")                                                                              \
	X(F12, "F12")                                                                              \
	X(ANY, "Any") /* in a binding: any character, passed to the command */

enum tui_key_code {
	TUI_KEY_NONE = 0x110000,
#define X(id, name) TUI_KEY_##id,
	TUI_KEY_LIST(X)
#undef X
};

struct tui_key {
	uint32_t code; /* a code point or a tui_key_code */
	uint8_t mods;
};

/* Whether two keys are the same, modifiers included. */
bool tui_key_eq(struct tui_key a, struct tui_key b);
/* Whether the key types a character of text. */
bool tui_key_prints(struct tui_key key);
/* Parses the key spelt at s.p[*at] and moves *at past it. False when there is none. Needs *at <
 * s.n. */
bool tui_key_parse(struct loom_str s, size_t *at, struct tui_key *out);
/* Appends the key's spelling, as files have it: "<C-d>". */
void tui_key_spell(struct tui_key key, struct loom_buf *out);
/* Appends keys as people read them: "C-x C-e", "gg". */
void tui_keys_show(const struct tui_key *keys, size_t n, struct loom_buf *out);

#endif
