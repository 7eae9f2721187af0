/* Inside the inspector: one question at a time, asked of the worker; its answer is what is shown
 * until the next one has come. */
#ifndef TUI_INSPECT_H
#define TUI_INSPECT_H

#include <loom/chat/inspect.h>
#include <loom/language/worddiff.h>

#include <loom/desk/desk.h>
#include <loom/lists/list.h>
#include <loom/parts/section_view.h>

/* A question on its way, and its answer. */
struct tui_asking {
	struct loom_arena *arena;
	uint64_t number;
	struct loom_inspect what;
	bool compare; /* with another one, which is asked the same way */
	struct loom_inspect beside;
	struct loom_str beside_name; /* "a7x2", "12", a thread */
	bool was;                    /* for `given_for`, not from here */
	/* made by the worker */
	struct loom_inspected answer;
	struct loom_str place; /* "[a7x2]", "Marie [a7x2]" in another tree */
	struct tui_section *sections;
	size_t count;
};

struct tui_inspector {
	struct tui_asking *shown; /* NULL: nothing has come yet */
	struct loom_arena *ask;   /* of the question below */
	struct loom_inspect what;
	bool was;
	bool quiet;      /* the next question is nobody's wish: keys do not wait for it */
	uint64_t number; /* of the last question */
	uint64_t answered;
	int64_t event_seq; /* what had been done when it was asked */
	char failed[728];
	struct tui_sections view;
};

/* Makes the sections of an answer. On the worker. */
void tui_inspect_sections(struct tui_asking *asking);
void tui_inspect_diff(struct tui_asking *asking, const struct loom_diff *diff);
/* Puts the sections that pass the list's filter under the caret; for the time of one event. */
void tui_inspect_fit(struct tui_app *app, struct tui_list *list);
/* The grid of it. */
void tui_inspect_draw(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		      struct tui_rect rect);

/* What is typed there: another place or thread beside it; a file that it goes into. */
void tui_inspect_diff_with(struct tui_app *app, struct loom_str name);
void tui_inspect_save(struct tui_app *app, struct loom_str path);

#endif
