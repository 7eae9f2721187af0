/* Select Graphic Rendition. Curses sets and resets more often than a picture needs. Parsing its
 * sequences into a state and writing only the differences makes a frame a third smaller. */
#include "sgr.h"

#include <loom/keys/theme.h>

#define NO_COLOUR TUI_COLOUR_DEFAULT

static uint64_t number(struct loom_str part)
{
	uint64_t n = 0;

	return part.n > 0 && !loom_str_to_u64(part, &n) ? 999 : n;
}

/* The parameters after a 38 or 48: 5 and an index, or 2 and three components. */
static int32_t extended(struct loom_str *rest)
{
	struct loom_str part;
	uint32_t rgb = 0;
	uint64_t kind = rest->p && loom_str_cut(rest, ';', &part) ? number(part) : 0;

	if (kind == 5 && rest->p && loom_str_cut(rest, ';', &part))
		return (int32_t)(number(part) & 255);
	for (int i = 0; kind == 2 && i < 3 && rest->p && loom_str_cut(rest, ';', &part); i++)
		rgb = rgb << 8 | (uint32_t)(number(part) & 255);
	return kind == 2 ? (int32_t)(TUI_COLOUR_RGB | rgb) : NO_COLOUR;
}

static void apply_off(struct tui_sgr *state, uint64_t n)
{
	if (n == 22)
		state->attrs &= (uint16_t) ~(1U << 1 | 1U << 2);
	else
		state->attrs &= (uint16_t) ~(1U << (n - 20));
}

static void apply_one(struct tui_sgr *state, uint64_t n, struct loom_str *rest)
{
	if (n == 0)
		*state = (struct tui_sgr){.known = true, .fg = NO_COLOUR, .bg = NO_COLOUR};
	else if (n <= 9)
		state->attrs |= (uint16_t)(1U << n);
	else if (n >= 22 && n <= 29)
		apply_off(state, n);
	else if (n >= 30 && n <= 37)
		state->fg = (int32_t)n - 30;
	else if (n >= 40 && n <= 47)
		state->bg = (int32_t)n - 40;
	else if (n >= 90 && n <= 97)
		state->fg = (int32_t)n - 90 + 8;
	else if (n >= 100 && n <= 107)
		state->bg = (int32_t)n - 100 + 8;
	else if (n == 39)
		state->fg = NO_COLOUR;
	else if (n == 49)
		state->bg = NO_COLOUR;
	else if (n == 38)
		state->fg = extended(rest);
	else if (n == 48)
		state->bg = extended(rest);
}

void tui_sgr_apply(struct tui_sgr *state, struct loom_str params)
{
	struct loom_str rest = params;
	struct loom_str part;

	if (params.n == 0)
		apply_one(state, 0, &rest);
	while (rest.p && params.n > 0 && loom_str_cut(&rest, ';', &part))
		apply_one(state, number(part), &rest);
}

static bool sgr_eq(const struct tui_sgr *a, const struct tui_sgr *b)
{
	return a->known == b->known && a->attrs == b->attrs && a->fg == b->fg && a->bg == b->bg;
}

static void add(struct loom_buf *out, int n)
{
	if (out->n > 0)
		loom_buf_addc(out, ';');
	loom_buf_addf(out, "%d", n);
}

static void add_colour(struct loom_buf *out, int32_t colour, int base)
{
	if (colour == NO_COLOUR)
		add(out, base + 9);
	else if (colour < 8)
		add(out, base + (int)colour);
	else if (colour < 16)
		add(out, base + 60 + (int)colour - 8);
	else {
		add(out, base + 8);
		if (!(colour & TUI_COLOUR_RGB)) {
			loom_buf_addf(out, ";5;%d", (int)colour);
			return;
		}
		loom_buf_addf(out, ";2;%d;%d;%d", (int)(colour >> 16 & 255),
			      (int)(colour >> 8 & 255), (int)(colour & 255));
	}
}

static void add_attrs(struct loom_buf *out, unsigned attrs)
{
	for (int i = 1; i <= 9; i++) {
		if (attrs & 1U << i)
			add(out, i);
	}
}

/* Turns off what is on. Bold and dim share one code. */
static void add_offs(struct loom_buf *out, unsigned *from, unsigned to)
{
	unsigned off = *from & ~to;

	if (off & (1U << 1 | 1U << 2)) {
		add(out, 22);
		*from &= ~(1U << 1 | 1U << 2);
	}
	for (int i = 3; i <= 9; i++) {
		if (off & 1U << i)
			add(out, 20 + i);
	}
}

/* From a known state: only the differences. */
static void by_steps(const struct tui_sgr *from, const struct tui_sgr *to, struct loom_buf *out)
{
	unsigned on = from->attrs;

	add_offs(out, &on, to->attrs);
	add_attrs(out, to->attrs & ~on);
	if (from->fg != to->fg)
		add_colour(out, to->fg, 30);
	if (from->bg != to->bg)
		add_colour(out, to->bg, 40);
}

/* From an unknown state: a reset, then everything. An empty first parameter is a reset. */
static void from_reset(const struct tui_sgr *to, struct loom_buf *out)
{
	struct tui_sgr none = {.known = true, .fg = NO_COLOUR, .bg = NO_COLOUR};

	by_steps(&none, to, out);
}

void tui_sgr_change(const struct tui_sgr *from, const struct tui_sgr *to, struct loom_buf *out)
{
	struct loom_buf steps = LOOM_BUF_INIT(256);
	struct loom_buf reset = LOOM_BUF_INIT(256);

	if (sgr_eq(from, to))
		return;
	by_steps(from, to, &steps);
	from_reset(to, &reset);
	loom_buf_adds(out, "\x1b[");
	if (from->known && steps.n <= reset.n + (reset.n > 0)) {
		loom_buf_add(out, loom_buf_str(&steps));
	} else {
		if (reset.n > 0)
			loom_buf_addc(out, ';');
		loom_buf_add(out, loom_buf_str(&reset));
	}
	loom_buf_addc(out, 'm');
	loom_buf_fini(&steps);
	loom_buf_fini(&reset);
}
