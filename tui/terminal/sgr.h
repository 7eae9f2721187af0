/* Colours and attributes as ECMA-48 sequences: the state that a stream of them leads to, and the
 * shortest sequence from one state to another. Pure. */
#ifndef TUI_SGR_H
#define TUI_SGR_H

#include <loom/base/str.h>

struct tui_sgr {
	bool known;     /* false when the terminal's state is unknown */
	uint16_t attrs; /* bit n: attribute n (1 bold … 9 strike) */
	int32_t fg, bg; /* as in struct tui_style; -1 is the default */
};

/* Applies the parameters between "ESC [" and "m"; unknown ones are ignored. */
void tui_sgr_apply(struct tui_sgr *state, struct loom_str params);
/* Appends the one sequence that leads from `from` to `to`; nothing when they are equal. */
void tui_sgr_change(const struct tui_sgr *from, const struct tui_sgr *to, struct loom_buf *out);

#endif
