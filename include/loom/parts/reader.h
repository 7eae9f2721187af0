/* The path to a node as a text to read: a dialogue of messages under headers, or the prose of a
 * buffer. Only the end of the path is loaded; scrolling up loads more.
 *
 * The top line is remembered by node and byte, so other people's writing does not move it. */
#ifndef TUI_READER_H
#define TUI_READER_H

#include <loom/tree/node.h>

#include <loom/parts/folds.h>
#include <loom/terminal/grid.h>
#include <loom/parts/lens.h>
#include <loom/parts/authors.h>
#include <loom/parts/people.h>

#define TUI_READER_FIRST 10 /* nodes loaded at first */

enum tui_block_kind { TUI_BLOCK_HEAD, TUI_BLOCK_TEXT, TUI_BLOCK_BLANK };

struct tui_block {
	enum tui_block_kind kind;
	size_t node; /* index in the path; one past its end: the text being written */
	struct loom_str text;
	bool writing;
};

/* The start of a line, or a caret: a byte of a block. */
struct tui_spot {
	size_t block;
	size_t at;
};

/* The same place, valid across reloads. */
struct tui_anchor {
	int64_t node; /* 0: the text being written */
	enum tui_block_kind kind;
	size_t at;
};

/* A text that is not in the tree, shown after the path or in place of its last node. */
struct tui_extra {
	bool on;
	bool instead; /* in place of the last node */
	struct loom_str text;
	const struct tui_folds *labels; /* ranges that stand for folded text; may be NULL */
	struct loom_str title;          /* shown in its header */
	enum tui_role role;
	bool caret; /* the text being written has the caret */
};

struct tui_reader {
	struct loom_store *store; /* borrowed */
	const struct tui_people *people;
	struct loom_arena *arena;
	struct loom_arena *scratch; /* for one drawing */
	struct loom_buf prose;      /* of a buffer's path */
	size_t *starts;             /* where each node begins in `prose`, and then the extra text */
	struct loom_nodes path;
	struct tui_block *blocks;
	size_t block_count;
	int64_t tip, thread;
	enum loom_mode mode;
	uint64_t key;
	size_t limit; /* nodes to load */
	bool boundaries;
	bool lens;               /* shade tokens by their probability */
	struct tui_lens *lenses; /* one per node of the path, in `arena` */
	bool *lens_read;
	struct tui_shares *shares; /* one per node: who wrote which part of an edited text */
	bool *shares_read;
	int width, height;
	struct tui_anchor top, caret;
	struct tui_anchor
		aim; /* where the caret goes with the next frame; unchanged when node is 0 */
	struct tui_extra extra;
	bool stale; /* the blocks no longer match the state */
};

/* A reader without a path; `store` and `people` are borrowed. */
void tui_reader_init(struct tui_reader *reader, struct loom_store *store,
		     const struct tui_people *people);
/* Frees what a reader holds. */
void tui_reader_fini(struct tui_reader *reader);
/* Shows the path to `tip` with its first line in sight; no path when 0. */
void tui_reader_show(struct tui_reader *reader, int64_t tip);
/* Shows another version of the tip; the lines in sight stay in place. */
void tui_reader_replace(struct tui_reader *reader, int64_t tip);
/* Reads everything again after a change; the top line stays. */
void tui_reader_refresh(struct tui_reader *reader);
/* Shows a text that is being written or streams in; borrowed until the next call. The top line
 * stays unless `follow`, which brings the end into sight. */
void tui_reader_extra(struct tui_reader *reader, const struct tui_extra *extra);
/* Sets the size to draw in and loads what it needs. Call it after any of the above, before any of
 * the below. */
enum loom_status tui_reader_fit(struct tui_reader *reader, int width, int height,
				struct loom_err *err) LOOM_MUST;

/* Fills the room that growing has left above the top line. */
void tui_reader_fill(struct tui_reader *reader, struct loom_err *err);
/* Finds the place in the extra text that is `lines` rows of the screen below the byte `at`, in or
 * near column *goal; a negative *goal is set to the column of `at`. False if there is no such
 * row. */
bool tui_reader_extra_row(struct tui_reader *reader, size_t at, int lines, int *goal, size_t *out);
/* Brings the caret back into sight after a change of size. */
void tui_reader_see_caret(struct tui_reader *reader, struct loom_err *err);
/* Scrolls by `lines` and returns how many it moved. */
int tui_reader_scroll(struct tui_reader *reader, int lines, struct loom_err *err);
/* Moves the caret by `lines` and brings it into sight. */
int tui_reader_move(struct tui_reader *reader, int lines, struct loom_err *err);
/* Moves top and caret to the end. */
void tui_reader_to_end(struct tui_reader *reader, struct loom_err *err);
/* Moves top and caret to the start of the path, loading all of it. */
void tui_reader_to_start(struct tui_reader *reader, struct loom_err *err);
/* Brings a byte of the extra text into sight. */
void tui_reader_see(struct tui_reader *reader, size_t at, struct loom_err *err);
/* Moves the caret to the start of the next known token (the previous when `by` is -1), across all
 * loaded nodes. False when there is none. */
bool tui_reader_token(struct tui_reader *reader, int by, struct loom_err *err);
/* Moves the caret to the start of the next word (the previous when `by` is -1), across all loaded
 * nodes. False when there is none. */
bool tui_reader_word(struct tui_reader *reader, int by, struct loom_err *err);
/* The tokens of a node of the path, parsed on first use. */
const struct tui_lens *tui_reader_lens(struct tui_reader *reader, size_t node);
/* The token under the caret, with its node in *out_node; NULL when none is known. */
const struct tui_token *tui_reader_token_at(struct tui_reader *reader, size_t *out_node);
/* Brings the blocks up to date before the next frame, since keys may come faster than frames and
 * need a caret to act on. False when there is nothing to show. */
bool tui_reader_ready(struct tui_reader *reader, struct loom_err *err);
/* Puts the caret on this byte of the node and brings it into sight, if the node is on the path. */
void tui_reader_aim(struct tui_reader *reader, int64_t node, size_t at);
/* The node under the caret (its index in the path) and the byte in its text. */
bool tui_reader_at(const struct tui_reader *reader, size_t *out_node, size_t *out_at);
/* Whether there are lines below the last one in sight. */
bool tui_reader_more(const struct tui_reader *reader);

struct tui_reader_look {
	bool focused; /* mark the caret's line */
	int64_t now;
	struct loom_str found; /* mark this in the text, unless empty */
	size_t caret_at;       /* of the extra text, when it has one */
};
/* Draws the lines in sight into `rect`. Returns how many rows they take. */
int tui_reader_draw(struct tui_reader *reader, struct tui_grid *grid, struct tui_rect rect,
		    const struct tui_reader_look *look);

/* Internal: moves `spot` to the next line; false at the end. */
bool tui_reader_next(const struct tui_reader *reader, struct tui_spot *spot);
/* Internal: the spot at an anchor. */
struct tui_spot tui_reader_spot(const struct tui_reader *reader, struct tui_anchor anchor);

#endif
