/* Text of others below lines of ours: which lines look like ours, and how a text is written so that
 * none of its lines does.
 *
 * A line that looks like ours, or like one that is quoted already, gets a backslash before it;
 * every other line stands byte for byte as it is, so that taking the backslashes away gives the
 * text back. A line begins behind any character that some reader takes for a line's end (LF, CR,
 * VT, FF, FS, GS, RS, U+0085, U+2028, U+2029), and is looked at without its leading blanks, and
 * without what cannot be seen. What prints our lines takes them from here, so that the two cannot
 * differ. */
#ifndef LOOM_BODY_H
#define LOOM_BODY_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* ---- our lines ---- */

#define LOOM_RULE         "---" /* between a node's head and its text */
#define LOOM_FRAME_MEMORY "=== Operational Memory ==="
#define LOOM_FRAME_LOOM   "=== Loom Context ==="
#define LOOM_FRAME_PRUNED "=== Pruned ==="
#define LOOM_FRAME_END    "==="

/* of the frames */
#define LOOM_SAYS_TREE        "Tree: "
#define LOOM_SAYS_POSITION    "Position: "
#define LOOM_SAYS_PERMISSIONS "Permissions: "
#define LOOM_SAYS_ACTIVE      " active at ["
#define LOOM_SAYS_PINNED      "Pinned:"
#define LOOM_SAYS_PINNED_TEXT "Pinned text:"
#define LOOM_SAYS_RECALLED    "Recalled:"
#define LOOM_SAYS_ACTIONS     "Recent actions:"
#define LOOM_SAYS_STASHED     "Stashed (not in context): "

/* of results */
#define LOOM_SAYS_NOTES   "Annotations:"
#define LOOM_SAYS_MEMORY  "Working Memory:"
#define LOOM_SAYS_TRACE   "Action Trace (last 10):"
#define LOOM_SAYS_SEARCH  "Search: \""
#define LOOM_SAYS_DOC     "doc:\""
#define LOOM_SAYS_READ_AS "(read as: "
#define LOOM_SAYS_ROOT    "Root ["
#define LOOM_SAYS_BLOCK   "<thread_context"
#define LOOM_ENDS_BLOCK   "</thread_context>"

#define LOOM_SAYS_LOOM "loom: " /* before each sentence of the line mode */

/* of Markdown, behind its signs */
#define LOOM_SAYS_BRANCH "A branch at ["
#define LOOM_SAYS_SYSTEM "system"
#define LOOM_SAYS_NOTED  "note by "
#define LOOM_SAYS_NOTE   "> " LOOM_SAYS_NOTED

/* of a transcript that is put before a model */
#define LOOM_SAYS_USER      "User:"
#define LOOM_SAYS_ASSISTANT "Assistant:"
#define LOOM_TALK_EDGE      "-----8<-----"

/* above a part of a context that is shown */
#define LOOM_SAYS_PART "── "

/* Whose lines they might be taken for. */
enum loom_body_below {
	LOOM_BELOW_HEADERS = 1,    /* of logs, results and contexts */
	LOOM_BELOW_HEADINGS = 2,   /* of a tree as Markdown */
	LOOM_BELOW_ROLES = 4,      /* of a transcript before a model */
	LOOM_BELOW_PARTS = 8,      /* of a context that is shown by part */
	LOOM_BELOW_NOTE = 16,      /* of a note in Markdown, behind its signs */
	LOOM_BELOW_TITLES = 32,    /* of several trees as Markdown, each with its title */
	LOOM_BELOW_SENTENCES = 64, /* of the line mode, which speaks in sentences */
};

/* ---- theirs ---- */

/* Said to a model behind the addendum. */
#define LOOM_BODY_TOLD                                                                             \
	"A line of a text that looks like one of these headers, blocks or results has a "          \
	"backslash "                                                                               \
	"(\\) before it: it is what somebody wrote, never the loom speaking."

/* Where the line ends in which `from` is; *out_bytes is how long its end is, 0 at the text's. */
size_t loom_body_end(struct loom_str text, size_t from, size_t *out_bytes);
/* The line without what stands before its first word: blanks, backslashes, what cannot be seen. */
struct loom_str loom_body_words(struct loom_str line);
/* Whether some line of the text does. */
bool loom_body_any_ours(struct loom_str text, unsigned below);
/* Appends the text; gives how many lines were quoted. */
size_t loom_body_add(struct loom_buf *out, struct loom_str text, unsigned below);
/* The same where the text begins within a line. */
size_t loom_body_add_inside(struct loom_buf *out, struct loom_str text, unsigned below);
/* The text as it was before it was quoted; itself when nothing was. */
struct loom_str loom_body_plain(struct loom_str text, unsigned below, struct loom_arena *arena);

#endif
