/* Where one stands. */
#ifndef TUI_POSITION_H
#define TUI_POSITION_H

#include <loom/desk/desk.h>

#define TUI_JUMPS   100
#define TUI_VISITED 512

/* The steps that lead to the position, the last of them at least. */
struct tui_step {
	int64_t group;
	size_t bytes;
	int64_t children;
};

struct tui_visit {
	int64_t group, child;
};

/* What a person has of a tree besides the tree: kept between two sittings. */
struct tui_jumps {
	int64_t groups[TUI_JUMPS];
	size_t count, at; /* at == count: not among them */
};

struct tui_trail {
	struct tui_step *steps;
	size_t count, cap;
	bool whole; /* begins at the root */
	struct tui_jumps jumps;
	int64_t marks[128];
	int64_t last_place;
	struct tui_visit visited[TUI_VISITED];
};

enum tui_go {
	TUI_GO_STEP, /* as a step: not kept as a jump */
	TUI_GO_JUMP,
};
bool tui_go(struct tui_app *app, int64_t group, enum tui_go how);
/* Looks for the thread whose choices count here: the first thing that is done in a tree makes it.
 */
void tui_find_thread(struct tui_app *app);
/* Which node is read: of a prose with the focus the one under the caret, else where one stands. */
int64_t tui_read_group(const struct tui_app *app);
/* What one comes back to: a place that was left by more than a step. */
void tui_keep_jump(struct tui_app *app, int64_t group);
/* Puts the cursor on the row of the position, or on the first row when it has none. */
void tui_cursor_home(struct tui_app *app);
/* After the outline was rebuilt (`well`: without failure): shows the position and puts the cursor
 * on it, or home when that fails. Reports a failure and returns whether all went well. */
bool tui_show_position(struct tui_app *app, bool well) LOOM_MUST;
/* The cursor to an item; the position follows when it is a node. */
void tui_cursor_to(struct tui_app *app, uint32_t item);
int64_t tui_visited(struct tui_app *app, int64_t group);
/* The group of a node, and 0 when there is none. */
int64_t tui_group_of(struct tui_app *app, int64_t node);
/* Reads rows, path and reader anew after something changed; the row of the cursor stays. */
void tui_refresh(struct tui_app *app);
bool tui_on_path(const struct tui_app *app, int64_t group);
void tui_keep_in_sight(struct tui_app *app);

#endif
