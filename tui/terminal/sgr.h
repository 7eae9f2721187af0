/* Colours and attributes as ECMA-48 sequences: what a stream of them amounts to, and the shortest
 * way from one state to another. Pure. */
#ifndef TUI_SGR_H
#define TUI_SGR_H

#include <loom/base/str.h>

struct tui_sgr {
	bool known;     /* false: the terminal's state is not known */
	uint16_t attrs; /* bit n: attribute n (1 bold … 9 strike) */
	int32_t fg, bg; /* as struct tui_style, -1 the default */
};

/* Takes the parameters between "ESC [" and "m"; unknown ones change nothing. */
void tui_sgr_apply(struct tui_sgr *state, struct loom_str params);
/* Appends one sequence that leads from `from` to `to`, or nothing. */
void tui_sgr_change(const struct tui_sgr *from, const struct tui_sgr *to, struct loom_buf *out);

#endif
