/* Long texts under headings, read from top to bottom: what the inspector shows. Pure but for the
 * grid that is drawn into; only lines that are gone over or in sight cost anything. */
#ifndef TUI_SECTIONS_H
#define TUI_SECTIONS_H

#include <loom/text/width.h>

#include <loom/terminal/grid.h>

/* From this byte on the text is in that role, until the next span. */
struct tui_span {
	size_t from;
	enum tui_role role;
};

struct tui_section {
	struct loom_str head; /* its first line */
	struct loom_str end;  /* at the right of that */
	struct loom_str text; /* empty: it is its heading alone */
	enum tui_role head_role;
	enum tui_role role;
	const struct tui_span *spans; /* over `role`; in order */
	size_t span_count;
	int64_t id; /* the caller's */
};

/* The beginning of a line. */
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

/* Other sections; the caret stays as near to where it was as it can. */
void tui_sections_set(struct tui_sections *sections, const struct tui_section *items, size_t count);
/* The size they are drawn in; called before the others. */
void tui_sections_fit(struct tui_sections *sections, int width, int height);
/* Moves the caret by lines and keeps it in sight; returns how many lines that was. */
int tui_sections_move(struct tui_sections *sections, int lines);
void tui_sections_to_start(struct tui_sections *sections);
void tui_sections_to_end(struct tui_sections *sections);
/* To the heading of the next or the previous section. */
void tui_sections_step(struct tui_sections *sections, int by);
void tui_sections_draw(const struct tui_sections *sections, struct tui_grid *grid,
		       struct tui_rect rect);

#endif
