/* The text of a tree's rows, cached until something changes: drawing asks for the same few rows
 * again and again. */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include <loom/tree/node.h>

#define TUI_ROWS_KEPT 512
#define TUI_ROW_TEXT  176
#define TUI_ROW_TAGS  40

struct tui_row {
	int64_t group; /* 0 for an empty slot */
	int64_t node;  /* the version shown */
	int64_t parent;
	int64_t among; /* the group whose children it and its siblings are */
	int64_t author;
	int64_t depth;
	int64_t ord;
	int64_t children;
	int64_t notes;
	int32_t version, versions; /* which version of how many; 1 of 1 without versions */
	bool bookmarked, pruned, excluded;
	bool newer;   /* there is a version newer than the one shown */
	int8_t rated; /* 1: good, -1: bad, 0: not at all */
	enum loom_ending ending;
	char tags[TUI_ROW_TAGS]; /* "#motive #slow", as many as fit whole */
	uint8_t tags_n, tag_count;
	char id[LOOM_LOCAL_MAX];
	char text[TUI_ROW_TEXT]; /* summary or beginning of the text, on one line */
	uint8_t text_n;
};

struct tui_rows {
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t thread; /* the thread whose choice of versions is shown */
	uint64_t key;   /* of the tree's local ids */
	struct tui_row *slots;
};

/* An empty cache; `store` is borrowed. */
void tui_rows_init(struct tui_rows *rows, struct loom_store *store);
/* Frees what the cache holds. */
void tui_rows_fini(struct tui_rows *rows);
/* Empties the cache after a change, or for another tree or thread. */
void tui_rows_forget(struct tui_rows *rows);
/* The row of a group, borrowed until the next call. LOOM_NOT_FOUND when the group is gone. */
enum loom_status tui_rows_get(struct tui_rows *rows, int64_t group, const struct tui_row **out,
			      struct loom_err *err) LOOM_MUST;
/* The version of a group that a thread sees (0: no thread in particular). */
enum loom_status tui_rows_member(struct loom_store *store, int64_t thread, int64_t group,
				 struct loom_arena *arena, int64_t *out,
				 struct loom_err *err) LOOM_MUST;
/* Writes the beginning of a text on one line, with blanks and line breaks as single blanks. Returns
 * its length in bytes. */
size_t tui_text_head(struct loom_str text, char *out, size_t size);

#endif
