/* Maps roles to looks. A theme is a JSON file whose full colours are reduced to 256, 16 or none,
 * so that one file serves every terminal. Pure.
 *
 * A colour is "default", "#rrggbb", or an index into the 256 palette; `fg16` and `bg16` name one
 * of the sixteen ("red", "bright red"). With sixteen colours, a role without fg16 has the
 * terminal's own foreground, and a background without bg16 uses its `mono` attributes instead.
 * `over` makes a background override the foreground of every role on it. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <loom/base/err.h>

#include <loom/base/str.h>
#include <loom/keys/roles.h>

#define TUI_COLOUR_DEFAULT (-1)

enum tui_depth { TUI_DEPTH_MONO, TUI_DEPTH_16, TUI_DEPTH_256, TUI_DEPTH_TRUE };

struct tui_colour {
	bool set;
	bool standard; /* the terminal's own colour */
	bool palette;  /* given as an index, which is kept at full depth */
	uint8_t r, g, b;
	int16_t c256; /* -1 when none */
	int16_t c16;
};

struct tui_look {
	struct tui_colour fg, bg;
	uint8_t attr;
	uint8_t mono; /* attributes that replace colours on a monochrome terminal */
	bool over;    /* as a background: its foreground overrides others */
};

enum tui_background { TUI_BACKGROUND_TERMINAL, TUI_BACKGROUND_DARK, TUI_BACKGROUND_LIGHT };

struct tui_theme {
	char name[48];
	char about[160];
	enum tui_background background;
	struct tui_look looks[TUI_ROLES];
};

/* A colour as sent to a terminal: a palette index, TUI_COLOUR_RGB | 0xRRGGBB, or the default. */
#define TUI_COLOUR_RGB 0x1000000
struct tui_style {
	int32_t fg, bg;
	uint8_t attr;
};

/* Parses a theme. LOOM_INVALID says what is wrong. Missing roles look like text. */
enum loom_status tui_theme_parse(struct loom_str json, struct tui_theme *out,
				 struct loom_err *err) LOOM_MUST;
/* A built-in theme by name. LOOM_NOT_FOUND lists all names. */
enum loom_status tui_theme_named(struct loom_str name, struct tui_theme *out,
				 struct loom_err *err) LOOM_MUST;
/* Reads a terminal's background from its reply to OSC 11 ("11;rgb:1616/1818/1d1d"): dark or light
 * when every colour made for that is readable on it, else TERMINAL. */
enum tui_background tui_theme_ground(struct loom_str reply);
/* Adapts a theme that draws on the terminal's own background, once that is known: its colours
 * become those of the theme made for such a background. Other themes are unchanged. */
void tui_theme_upon(struct tui_theme *theme, enum tui_background ground);
/* The look of a cell. */
struct tui_style tui_theme_style(const struct tui_theme *theme, enum tui_depth depth,
				 struct tui_ink ink);

/* The palette index (16 to 255) nearest to a colour. */
int tui_colour_256(uint8_t r, uint8_t g, uint8_t b);
/* The colour 0xRRGGBB of a palette index. */
uint32_t tui_colour_rgb(int number);

#endif
