/* Nodes that a model is writing, shown as siblings before they exist. */
#ifndef TUI_GHOSTS_H
#define TUI_GHOSTS_H

#include <loom/desk/desk.h>

#define TUI_STREAMS 64
struct tui_run;
struct tui_ghost {
	struct tui_run *run;
	size_t choice;
	int64_t from; /* group */
	char id[LOOM_LOCAL_MAX];
	struct loom_buf text;
	uint32_t item; /* in the outline; 0 for none */
	bool stopped;
};

struct tui_streams {
	struct tui_ghost *items;
	size_t count;
	struct loom_buf shown; /* the text of the one in the reader */
	int64_t retried;       /* the node whose new siblings were requested and have not begun */
};

/* Adds ghosts with the given ids below `from` for a run that begins to generate. */
void tui_stream_begin(struct tui_app *app, struct tui_run *run, int64_t from,
		      const char *const *ids, size_t count);
/* Appends text to one ghost of the run. */
void tui_stream_chunk(struct tui_app *app, const struct tui_run *run, size_t choice,
		      struct loom_str text);
/* Removes the run's ghosts, whose nodes now exist or never will. A cursor on a ghost moves to its
 * node. */
void tui_stream_end(struct tui_app *app, const struct tui_run *run);
/* The ghost shown as `item`, or NULL. */
struct tui_ghost *tui_stream_at(const struct tui_app *app, uint32_t item);

#endif
