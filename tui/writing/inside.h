/* Shared by the files that complete command lines. */
#ifndef TUI_WRITING_INSIDE_H
#define TUI_WRITING_INSIDE_H

#include <loom/writing/complete.h>

struct completing {
	struct tui_app *app;
	struct loom_arena *arena;
	struct tui_completions *out;
	size_t cap;
	struct loom_str word; /* its part before the caret */
};

/* in complete.c */
/* Adds a completion as it is. */
void tui_complete_add_row(struct completing *c, const struct tui_completion *row);
/* Adds a completion, whatever the word. */
void tui_complete_add_as(struct completing *c, struct loom_str text, struct loom_str about);
/* Adds a completion that begins with the word. */
void tui_complete_add(struct completing *c, struct loom_str text, struct loom_str about);
/* A name in quotes behind its key. */
struct loom_str tui_complete_quoted(struct completing *c, const char *key, struct loom_str name);
/* Adds names behind a key such as "doc:". */
void tui_complete_documents(struct completing *c, const char *key);
void tui_complete_agents(struct completing *c, const char *key);
void tui_complete_trees(struct completing *c, const char *key);
/* Adds agents and models of the configuration that the grove does not have yet. */
void tui_complete_configured(struct completing *c);
/* Adds the names of the user's programs. */
void tui_complete_programs(struct completing *c);
/* Adds ids, the position first. */
void tui_complete_ids(struct completing *c);
/* Adds paths; they begin at `behind` at the earliest. */
void tui_complete_files(struct completing *c, struct loom_str line, size_t behind, size_t caret);

/* in complete_command.c */
/* Adds what the usage of the line's command lets follow. */
void tui_complete_usage(struct completing *c, struct loom_str line, size_t caret);

#endif
