/* Copying to the terminal's clipboard: text as an OSC 52 sequence. Pure. */
#ifndef TUI_CLIP_H
#define TUI_CLIP_H

#include <loom/base/str.h>

/* Bytes of text: with the sequence around it that makes a mebibyte, beyond which tmux silently
 * drops it. */
#define TUI_CLIP_MAX ((size_t)786000)

/* Appends the sequence for `text`. Controls that a terminal would obey when pasted are replaced by
 * their visible names, and *named (nullable) counts them; line breaks and tabs stay. Returns false
 * and appends nothing when the text is longer than TUI_CLIP_MAX. */
bool tui_clip(struct loom_str text, struct loom_buf *out, size_t *named);

#endif
