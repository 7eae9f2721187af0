/* The path to a node as something to read: a dialogue of messages under headers, or the prose of a
 * buffer. Only the end of a path is loaded, and more of it when one goes up.
 *
 * The line at the top is remembered by node and byte, so that nothing that others write moves it.
 */
#ifndef TUI_READER_H
#define TUI_READER_H

#include <loom/tree/node.h>

#include <loom/parts/folds.h>
#include <loom/terminal/grid.h>
#include <loom/parts/lens.h>
#include <loom/parts/authors.h>
#include <loom/parts/people.h>

#define TUI_READER_FIRST 10 /* nodes that are loaded at first */

enum tui_block_kind { TUI_BLOCK_HEAD, TUI_BLOCK_TEXT, TUI_BLOCK_BLANK };

struct tui_block {
	enum tui_block_kind kind;
	size_t node; /* of the path; its end: what is being written */
	struct loom_str text;
	bool writing;
};

/* The beginning of a line, or a caret: a byte of a block. */
struct tui_spot {
	size_t block;
	size_t at;
};

/* The same for longer than one loading. */
struct tui_anchor {
	int64_t node; /* 0: what is being written */
	enum tui_block_kind kind;
	size_t at;
};

/* A text that is not in the tree, shown at the end of the path or in the place of its last node. */
struct tui_extra {
	bool on;
	bool instead; /* of the last node */
	struct loom_str text;
	const struct tui_folds *labels; /* what in it stands for more; may be NULL */
	struct loom_str title;          /* of its header */
	enum tui_role role;
	bool caret; /* it is being written */
};

struct tui_reader {
	struct loom_store *store; /* borrowed */
	const struct tui_people *people;
	struct loom_arena *arena;
	struct loom_arena *scratch; /* of one drawing */
	struct loom_buf prose;      /* of a buffer's path */
	size_t *starts;             /* where each node begins in it, and where the extra does */
	struct loom_nodes path;
	struct tui_block *blocks;
	size_t block_count;
	int64_t tip, thread;
	enum loom_mode mode;
	uint64_t key;
	size_t limit; /* nodes asked for */
	bool boundaries;
	bool lens;               /* tokens are shaded by how likely they were */
	struct tui_lens *lenses; /* one a node of the path, in `arena` */
	bool *lens_read;
	struct tui_shares *shares; /* likewise: who wrote which part of an edited text */
	bool *shares_read;
	int width, height;
	struct tui_anchor top, caret;
	struct tui_anchor aim; /* where the caret goes with the next picture; node 0: stays */
	struct tui_extra extra;
	bool stale; /* blocks do not show the state */
};

void tui_reader_init(struct tui_reader *reader, struct loom_store *store,
		     const struct tui_people *people);
void tui_reader_fini(struct tui_reader *reader);
/* Shows the path to `tip`, its first line in sight; 0: no path. */
void tui_reader_show(struct tui_reader *reader, int64_t tip);
/* Another version of the tip is shown now; the lines that are read stay where they are. */
void tui_reader_replace(struct tui_reader *reader, int64_t tip);
/* Something was changed: reads again, and keeps the line at the top. */
void tui_reader_refresh(struct tui_reader *reader);
/* A text that is written or streams in; its bytes are borrowed until the next call. Keeps the line
 * at the top unless `follow`, which brings the end into sight. */
void tui_reader_extra(struct tui_reader *reader, const struct tui_extra *extra);
/* The size it is drawn in; loads what is needed. Called before the others after any of the above.
 */
enum loom_status tui_reader_fit(struct tui_reader *reader, int width, int height,
				struct loom_err *err) LOOM_MUST;

/* After the place for it has grown: as much of what is above as there is room for. */
void tui_reader_fill(struct tui_reader *reader, struct loom_err *err);
/* Brings the caret into sight where another size has put it out of it. */
void tui_reader_see_caret(struct tui_reader *reader, struct loom_err *err);
/* Moves the top; returns how many lines that was. */
int tui_reader_scroll(struct tui_reader *reader, int lines, struct loom_err *err);
/* Moves the caret by lines and brings it into sight. */
int tui_reader_move(struct tui_reader *reader, int lines, struct loom_err *err);
void tui_reader_to_end(struct tui_reader *reader, struct loom_err *err);
void tui_reader_to_start(struct tui_reader *reader, struct loom_err *err);
/* Brings a byte of the extra into sight. */
void tui_reader_see(struct tui_reader *reader, size_t at, struct loom_err *err);
/* Moves the caret to the beginning of the next token (-1: the one before) that is known, through
 * all nodes that are loaded; false when there is none. */
bool tui_reader_token(struct tui_reader *reader, int by, struct loom_err *err);
/* Moves the caret to the beginning of the next word (-1: of the one before), through all nodes that
 * are loaded; false when there is none. */
bool tui_reader_word(struct tui_reader *reader, int by, struct loom_err *err);
/* The tokens of a node of the path, read when first asked for. */
const struct tui_lens *tui_reader_lens(struct tui_reader *reader, size_t node);
/* The token under the caret, its node in *out_node; NULL: none is known. */
const struct tui_token *tui_reader_token_at(struct tui_reader *reader, size_t *out_node);
/* Keys may come faster than pictures: makes it what the next one would show, so that there is a
 * caret to ask for. False when there is nothing in it. */
bool tui_reader_ready(struct tui_reader *reader, struct loom_err *err);
/* The caret goes to this byte of the node, if it is on the path, and into sight. */
void tui_reader_aim(struct tui_reader *reader, int64_t node, size_t at);
/* The node under the caret (its number in the path), and the byte of its text. */
bool tui_reader_at(const struct tui_reader *reader, size_t *out_node, size_t *out_at);
/* Lines below the last one in sight: whether there are any. */
bool tui_reader_more(const struct tui_reader *reader);

struct tui_reader_look {
	bool focused; /* the caret's line is marked */
	int64_t now;
	struct loom_str found; /* to be marked in the text; empty: nothing */
	size_t caret_at;       /* of the extra, when it has one */
};
void tui_reader_draw(struct tui_reader *reader, struct tui_grid *grid, struct tui_rect rect,
		     const struct tui_reader_look *look);

/* Inside: the lines. */
bool tui_reader_next(const struct tui_reader *reader, struct tui_spot *spot);
struct tui_spot tui_reader_spot(const struct tui_reader *reader, struct tui_anchor anchor);

#endif
