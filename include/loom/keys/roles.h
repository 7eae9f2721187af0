/* What a cell means. Views use roles and never colours; a theme gives every role its look on every
 * kind of terminal. The names are the keys of the theme files. */
#ifndef TUI_ROLES_H
#define TUI_ROLES_H

#include <stdint.h>

/* id, name in themes, purpose */
#define TUI_ROLE_LIST(X)                                                                           \
	X(TEXT, "text", "plain text")                                                              \
	X(DIM, "dim", "what may be overlooked")                                                    \
	X(STRONG, "strong", "what must not be overlooked")                                         \
	X(TITLE, "title", "names of trees, threads, panes")                                        \
	X(BORDER, "border", "lines between panes")                                                 \
	X(FOCUS, "focus", "lines around the pane that takes the keys")                             \
	X(BAR, "bar", "the status line")                                                           \
	X(KEY, "key", "a key one can press")                                                       \
	X(CURSOR, "cursor", "the row of the cursor, in the pane that takes the keys")              \
	X(RESTING, "resting", "the row of the cursor, in another pane")                            \
	X(SELECTED, "selected", "rows picked for a command")                                       \
	X(PATH, "path", "the rows that lead to the position")                                      \
	X(ID, "id", "a local id")                                                                  \
	X(HUMAN, "human", "text by a person")                                                      \
	X(MODEL, "model", "text by a subject model")                                               \
	X(AGENT_1, "agent-1", "text by the first agent")                                           \
	X(AGENT_2, "agent-2", "text by the second agent")                                          \
	X(AGENT_3, "agent-3", "text by the third agent")                                           \
	X(AGENT_4, "agent-4", "text by the fourth agent")                                          \
	X(THINKING, "thinking", "an agent's thinking")                                             \
	X(CALL, "call", "a line that begins with the arrow")                                       \
	X(RESULT, "result", "what a call answered")                                                \
	X(BOUNDARY, "boundary", "marks between the nodes of a buffer")                             \
	X(BOOKMARK, "bookmark", "bookmarks")                                                       \
	X(TAG, "tag", "tags")                                                                      \
	X(PRUNED, "pruned", "pruned branches, when shown")                                         \
	X(UNSEEN, "unseen", "what others wrote and I have not seen")                               \
	X(DRAFT, "draft", "unsent text")                                                           \
	X(RUNNING, "running", "work under way")                                                    \
	X(OK, "ok", "done")                                                                        \
	X(WARN, "warn", "look here")                                                               \
	X(ERROR, "error", "refused or failed")                                                     \
	X(MARK, "mark", "a character made visible")                                                \
	X(MATCH, "match", "what a search found")                                                   \
	X(HEADING, "heading", "a heading of Markdown")                                             \
	X(EMPHASIS, "emphasis", "emphasis of Markdown")                                            \
	X(CODE, "code", "code of Markdown")                                                        \
	X(QUOTE, "quote", "a quotation of Markdown")                                               \
	X(LINK, "link", "links")                                                                   \
	X(ADDED, "added", "words only here, in a comparison")                                      \
	X(REMOVED, "removed", "words only there, in a comparison")                                 \
	X(LENS_1, "lens-1", "token lens: nearly certain")                                          \
	X(LENS_2, "lens-2", "token lens: likely")                                                  \
	X(LENS_3, "lens-3", "token lens: open")                                                    \
	X(LENS_4, "lens-4", "token lens: unlikely")                                                \
	X(LENS_5, "lens-5", "token lens: a surprise")

enum tui_role {
#define X(id, name, what) TUI_ROLE_##id,
	TUI_ROLE_LIST(X)
#undef X
		TUI_ROLES
};

enum tui_attr {
	TUI_BOLD = 1,
	TUI_DIM = 2,
	TUI_ITALIC = 4,
	TUI_UNDERLINE = 8,
	TUI_REVERSE = 16,
	TUI_STRIKE = 32,
};

/* How a cell looks: the role of its text, the role of its background (TEXT: none), and attributes
 * on top of those. */
struct tui_ink {
	uint8_t role;
	uint8_t ground;
	uint8_t attr;
};
#define TUI_INK(name) ((struct tui_ink){.role = TUI_ROLE_##name})

#endif
