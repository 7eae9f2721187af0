/* What goes to the terminal's clipboard: a text in the one sequence that carries it (OSC 52). Pure.
 */
#ifndef TUI_CLIP_H
#define TUI_CLIP_H

#include <loom/base/str.h>

/* Bytes of a text: with what the sequence adds a mebibyte, more of which tmux drops unsaid. */
#define TUI_CLIP_MAX ((size_t)786000)

/* Appends the sequence for `text`; whatever a terminal would obey, were it pasted into one, stands
 * by its name, and *named (nullable) tells how often. Line breaks and tabs stay. False, and nothing
 * is appended, when that is longer than TUI_CLIP_MAX. */
bool tui_clip(struct loom_str text, struct loom_buf *out, size_t *named);

#endif
