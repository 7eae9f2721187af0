/* Roles to looks. A theme is a JSON file; what it says in full colour is brought down to 256, 16
 * and no colours, so that one file serves every terminal. Pure.
 *
 * A colour is "default", "#rrggbb", or a number of the 256 palette; `fg16` and `bg16` name one of
 * the sixteen ("red", "bright red"). Without fg16 a role has the terminal's own foreground there;
 * a ground without bg16 uses its `mono` attributes instead. `over` gives a ground's foreground to
 * every role upon it. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <loom/base/err.h>

#include <loom/base/str.h>
#include <loom/keys/roles.h>

#define TUI_COLOUR_DEFAULT (-1)

enum tui_depth { TUI_DEPTH_MONO, TUI_DEPTH_16, TUI_DEPTH_256, TUI_DEPTH_TRUE };

struct tui_colour {
	bool set;
	bool standard; /* the terminal's own */
	bool palette;  /* given as a number, which stays one at full depth */
	uint8_t r, g, b;
	int16_t c256; /* -1: none */
	int16_t c16;
};

struct tui_look {
	struct tui_colour fg, bg;
	uint8_t attr;
	uint8_t mono; /* instead of colours where there are none */
	bool over;    /* as a ground: its foreground is everybody's */
};

enum tui_background { TUI_BACKGROUND_TERMINAL, TUI_BACKGROUND_DARK, TUI_BACKGROUND_LIGHT };

struct tui_theme {
	char name[48];
	char about[160];
	enum tui_background background;
	struct tui_look looks[TUI_ROLES];
};

/* What a terminal is told: a palette number, TUI_COLOUR_RGB | 0xRRGGBB, or the default. */
#define TUI_COLOUR_RGB 0x1000000
struct tui_style {
	int32_t fg, bg;
	uint8_t attr;
};

/* Reads a theme; LOOM_INVALID says what is wrong. Roles that are missing look like text. */
enum loom_status tui_theme_parse(struct loom_str json, struct tui_theme *out,
				 struct loom_err *err) LOOM_MUST;
/* One that came with the program, by name; LOOM_NOT_FOUND names them all. */
enum loom_status tui_theme_named(struct loom_str name, struct tui_theme *out,
				 struct loom_err *err) LOOM_MUST;
/* The ground that a terminal has by its answer to OSC 11 ("11;rgb:1616/1818/1d1d"): one on which
 * all colours for dark or for light grounds can be read, else TERMINAL. */
enum tui_background tui_theme_ground(struct loom_str reply);
/* A theme upon the terminal's own ground, once that is known: what it colours is in the colours of
 * the theme for such a ground. Others stay as they are. */
void tui_theme_upon(struct tui_theme *theme, enum tui_background ground);
/* How a cell looks. */
struct tui_style tui_theme_style(const struct tui_theme *theme, enum tui_depth depth,
				 struct tui_ink ink);

/* The palette number nearest to a colour (16 to 255), and the colour of a number. */
int tui_colour_256(uint8_t r, uint8_t g, uint8_t b);
uint32_t tui_colour_rgb(int number);

#endif
