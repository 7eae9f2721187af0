/* Long texts under headings, read from top to bottom, as the inspector shows them. Pure but for the
 * grid it draws into. Only lines in sight or moved across cost anything. */
#ifndef TUI_SECTIONS_H
#define TUI_SECTIONS_H

#include <loom/text/width.h>

#include <loom/terminal/grid.h>

/* From this byte on the text has that role, until the next span. */
struct tui_span {
	size_t from;
	enum tui_role role;
};

struct tui_section {
	struct loom_str head; /* its first line */
	struct loom_str end;  /* at the right end of that line */
	struct loom_str text; /* empty when there is only the heading */
	enum tui_role head_role;
	enum tui_role role;
	const struct tui_span *spans; /* override `role`; in order */
	size_t span_count;
	int64_t id; /* for the caller's use */
};

/* The start of a line. */
enum tui_section_line { TUI_SECTION_HEAD, TUI_SECTION_TEXT, TUI_SECTION_BLANK };
struct tui_section_spot {
	size_t section;
	enum tui_section_line line;
	size_t at;
};

struct tui_sections {
	const struct tui_section *items; /* borrowed */
	size_t count;
	struct tui_section_spot top, caret;
	int width, height;
};

/* Shows other sections; the caret stays as near as possible to where it was. */
void tui_sections_set(struct tui_sections *sections, const struct tui_section *items, size_t count);
/* Sets the size to draw in; call it before the functions below. */
void tui_sections_fit(struct tui_sections *sections, int width, int height);
/* Moves the caret by lines and keeps it in sight. Returns how many lines it moved. */
int tui_sections_move(struct tui_sections *sections, int lines);
/* Moves the caret to the first line. */
void tui_sections_to_start(struct tui_sections *sections);
/* Moves the caret to the last line. */
void tui_sections_to_end(struct tui_sections *sections);
/* Moves the caret to the next (1) or previous (-1) heading. */
void tui_sections_step(struct tui_sections *sections, int by);
/* Draws the lines in sight into `rect`. */
void tui_sections_draw(const struct tui_sections *sections, struct tui_grid *grid,
		       struct tui_rect rect);

#endif
