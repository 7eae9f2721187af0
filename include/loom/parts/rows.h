/* What a row of a tree says of a node, kept as long as nothing changes: drawing asks for the same
 * few rows again and again. */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include <loom/tree/node.h>

#define TUI_ROWS_KEPT 512
#define TUI_ROW_TEXT  176

struct tui_row {
	int64_t group; /* 0: an empty slot */
	int64_t node;  /* the member shown */
	int64_t parent;
	int64_t author;
	int64_t depth;
	int64_t ord;
	int64_t children;
	int32_t version, versions; /* which of how many; 1 of 1 */
	bool bookmarked, pruned, excluded;
	bool newer; /* a version newer than the one shown is there */
	char id[LOOM_LOCAL_MAX];
	char text[TUI_ROW_TEXT]; /* summary or beginning, on one line */
	uint8_t text_n;
};

struct tui_rows {
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t thread; /* whose choice of versions is shown */
	uint64_t key;   /* of the tree's local ids */
	struct tui_row *slots;
};

void tui_rows_init(struct tui_rows *rows, struct loom_store *store);
void tui_rows_fini(struct tui_rows *rows);
/* Another tree, another thread, or something was changed. */
void tui_rows_forget(struct tui_rows *rows);
/* The row of a group, borrowed until the next call; LOOM_NOT_FOUND when it is gone. */
enum loom_status tui_rows_get(struct tui_rows *rows, int64_t group, const struct tui_row **out,
			      struct loom_err *err) LOOM_MUST;
/* Which member of a group is shown to a thread (0: to nobody in particular). */
enum loom_status tui_rows_member(struct loom_store *store, int64_t thread, int64_t group,
				 struct loom_arena *arena, int64_t *out,
				 struct loom_err *err) LOOM_MUST;
/* The beginning of a text on one line: blanks and line breaks as single blanks. Returns how many
 * bytes. */
size_t tui_text_head(struct loom_str text, char *out, size_t size);

#endif
