/* Nodes that are being written by a model, shown as siblings before they are any. */
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
	uint32_t item; /* in the outline, 0: none */
	bool stopped;
};

struct tui_streams {
	struct tui_ghost *items;
	size_t count;
	struct loom_buf shown; /* what the reader has of one */
	int64_t retried;       /* the node whose siblings were asked for and have not begun */
};

void tui_stream_begin(struct tui_app *app, struct tui_run *run, int64_t from,
		      const char *const *ids, size_t count);
void tui_stream_chunk(struct tui_app *app, const struct tui_run *run, size_t choice,
		      struct loom_str text);
/* The nodes are there, or will never be: the cursor goes from a ghost to its node. */
void tui_stream_end(struct tui_app *app, const struct tui_run *run);
/* The ghost of an item, or NULL. */
struct tui_ghost *tui_stream_at(const struct tui_app *app, uint32_t item);

#endif
