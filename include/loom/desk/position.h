/* The position: path, cursor, jumps. */
#ifndef TUI_POSITION_H
#define TUI_POSITION_H

#include <loom/desk/desk.h>

#define TUI_JUMPS   100
#define TUI_VISITED 512

/* The steps that lead to the position, at least the last of them. */
struct tui_step {
	int64_t group;
	size_t bytes;
	int64_t children;
};

struct tui_visit {
	int64_t group, child;
};

/* A person's own places in a tree, kept between sittings. */
struct tui_jumps {
	int64_t groups[TUI_JUMPS];
	size_t count, at; /* at == count: not among the jumps */
};

struct tui_trail {
	struct tui_step *steps;
	size_t count, cap;
	bool whole; /* starts at the root */
	struct tui_jumps jumps;
	int64_t marks[128];
	int64_t last_place;
	struct tui_visit visited[TUI_VISITED];
};

enum tui_go {
	TUI_GO_STEP, /* not recorded as a jump */
	TUI_GO_JUMP,
};
/* Moves to a group and shows it. Reports a failure and returns false. */
bool tui_go(struct tui_app *app, int64_t group, enum tui_go how);
/* Looks up the thread whose choices apply here. It is created by the first thing done in a tree. */
void tui_find_thread(struct tui_app *app);
/* The node being read: in focused prose the one under the caret, otherwise the position. */
int64_t tui_read_group(const struct tui_app *app);
/* Records a place that was left by a jump, to come back to. */
void tui_keep_jump(struct tui_app *app, int64_t group);
/* Puts the cursor on the row of the position, or on the first row when it has none. */
void tui_cursor_home(struct tui_app *app);
/* After the outline was rebuilt (`well`: without failure): shows the position and puts the cursor
 * on it, or home when that fails. Reports a failure and returns whether all went well. */
bool tui_show_position(struct tui_app *app, bool well) LOOM_MUST;
/* Moves the cursor to an item, and the position if the item is a node. */
void tui_cursor_to(struct tui_app *app, uint32_t item);
/* The sibling so many places after (> 0) or before a row's node; 0 for none. */
int64_t tui_sibling(struct tui_app *app, const struct tui_row *row, int64_t by);
/* The child of a group visited last; 0 for none. */
int64_t tui_visited(struct tui_app *app, int64_t group);
/* The group of a node; 0 when the node does not exist. */
int64_t tui_group_of(struct tui_app *app, int64_t node);
/* Reads rows, path and reader again after a change. The cursor's row stays in place. */
void tui_refresh(struct tui_app *app);
/* Whether a group is on the path to the position. */
bool tui_on_path(const struct tui_app *app, int64_t group);
/* Scrolls the tree so that the cursor's row is in sight. */
void tui_keep_in_sight(struct tui_app *app);

#endif
