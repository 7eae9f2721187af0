/* Inside the inspector: one query at a time on the worker; the last answer is shown until the next
 * arrives. */
#ifndef TUI_INSPECT_H
#define TUI_INSPECT_H

#include <loom/chat/inspect.h>
#include <loom/language/worddiff.h>

#include <loom/desk/desk.h>
#include <loom/lists/list.h>
#include <loom/parts/section_view.h>

/* A query under way, then its answer. */
struct tui_asking {
	struct loom_arena *arena;
	uint64_t number;
	struct loom_inspect what;
	bool compare; /* compare with a second context, built the same way */
	struct loom_inspect beside;
	struct loom_str beside_name; /* "a7x2", "12", or a thread */
	bool was;                    /* for `given_for`: as it was sent, not as it would be */
	/* made by the worker */
	struct loom_inspected answer;
	struct loom_str place; /* "[a7x2]", or "Marie [a7x2]" in another tree */
	struct tui_section *sections;
	size_t count;
};

struct tui_inspector {
	struct tui_asking *shown; /* NULL before the first answer */
	struct loom_arena *ask;   /* of the query below */
	struct loom_inspect what;
	bool was;
	bool quiet; /* the next query was not requested by the user, so keys do not wait for it */
	uint64_t number; /* of the last query */
	uint64_t answered;
	int64_t event_seq; /* the last event when it was asked */
	char failed[sizeof((struct loom_err *)0)->text + sizeof((struct loom_err *)0)->hint + 8];
	struct tui_sections view;
};

/* Makes the sections of an answer. Runs on the worker. */
void tui_inspect_sections(struct tui_asking *asking);
/* Makes the sections of a comparison. Runs on the worker. */
void tui_inspect_diff(struct tui_asking *asking, const struct loom_diff *diff);
/* Shows the sections that pass the list's filter; valid during one event. */
void tui_inspect_fit(struct tui_app *app, struct tui_list *list);
/* Draws the inspector into `rect`. */
void tui_inspect_draw(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		      struct tui_rect rect);

/* Compares with another place or thread, as named by the user. */
void tui_inspect_diff_with(struct tui_app *app, struct loom_str name);
/* Saves the context into a file. */
void tui_inspect_save(struct tui_app *app, struct loom_str path);

#endif
