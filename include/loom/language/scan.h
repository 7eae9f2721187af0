/* The scanner: finds → calls in text. It has no effects and makes no judgement: it says where calls
 * are and what the rest of the text is; parse.h says what a call means.
 *
 * Text may be fed in any pieces, cut anywhere, even inside a character: the events are the same,
 * except that prose and thinking may come in other pieces. A line is examined when it is complete.
 * Time is linear in the bytes; memory is bounded by the longest line plus the text of one call. */
#ifndef LOOM_SCAN_H
#define LOOM_SCAN_H

#include <loom/base/err.h>
#include <loom/base/str.h>

/* The author of the text. Calls of the acting agent's own turn run and those of a paste become
 * proposals; text of humans and results is not searched for calls. */
enum loom_source { LOOM_SOURCE_MODEL, LOOM_SOURCE_PASTE, LOOM_SOURCE_HUMAN, LOOM_SOURCE_RESULT };

/* Reads "model", "paste", "human" or "tool_result" into *out. Returns false for any other name. */
bool loom_source_parse(struct loom_str name, enum loom_source *out);

#define LOOM_SCAN_LINE_MAX  ((size_t)8 << 10) /* of a call, outside quotes */
#define LOOM_SCAN_QUOTE_MAX ((size_t)1 << 20) /* of one quoted text, or of a thought */
#define LOOM_SCAN_BODY_MAX  ((size_t)4 << 20) /* of all quoted texts of a call together */
#define LOOM_CALLS_MAX      32                /* run in one turn */

enum loom_scan_kind {
	LOOM_SCAN_CALL,     /* text: what follows the arrow */
	LOOM_SCAN_THINK,    /* text: the thought of a `→ think` */
	LOOM_SCAN_REFUSED,  /* a call that cannot be read to its end; err says why */
	LOOM_SCAN_HINT,     /* a line that only looks like a call; it is prose as well */
	LOOM_SCAN_PROSE,    /* text: everything that is not a call, code and quotes included */
	LOOM_SCAN_THINKING, /* text: the inside of <think> tags */
	LOOM_SCAN_LOST,     /* what opened on `line` hid prose and was never closed */
};

/* Where prose stands, as a reader sees it. */
enum loom_region {
	LOOM_REGION_PLAIN,
	LOOM_REGION_FENCE,  /* in a fence, whose own lines count */
	LOOM_REGION_INDENT, /* indented like code */
	LOOM_REGION_QUOTE,  /* a line of a block quote */
	LOOM_REGION_LAZY,   /* a call that continues a block quote's paragraph */
	LOOM_REGION_INSIDE, /* inside of quotation marks, code, a comment, a tag … */
};

enum loom_scan_hint { LOOM_HINT_NONE, LOOM_HINT_ASCII_ARROW, LOOM_HINT_NOT_AT_LINE_START };

/* Returns "ASCII_ARROW" or "NOT_AT_LINE_START", or "" for LOOM_HINT_NONE. Static. */
const char *loom_scan_hint_code(enum loom_scan_hint hint);
/* Returns a sentence that explains the hint to people, or "" for LOOM_HINT_NONE. Static. */
const char *loom_scan_hint_text(enum loom_scan_hint hint);

struct loom_scan_event {
	enum loom_scan_kind kind;
	int64_t line; /* from 1 */
	size_t begin; /* byte range in everything that was fed; whole lines for calls */
	size_t end;
	struct loom_str text; /* borrowed until the receiver returns */
	bool joins;           /* only blank lines separate it from the call before */
	bool unterminated;    /* of a thought: it was never closed */
	enum loom_scan_hint hint;
	enum loom_region region;    /* of prose */
	const struct loom_err *err; /* of a refusal; borrowed until the receiver returns */
};

struct loom_scan_sink {
	void (*event)(void *ctx, const struct loom_scan_event *event);
	void *ctx;
};

struct loom_scan;

/* Creates a scanner; copies the sink. Free it with loom_scan_destroy. */
struct loom_scan *loom_scan_create(enum loom_source source, struct loom_scan_sink sink) LOOM_MUST;
/* Frees the scanner without further events. NULL is allowed. */
void loom_scan_destroy(struct loom_scan *scan);
/* Reads more text. The events of the lines it completes are delivered before it returns. */
void loom_scan_feed(struct loom_scan *scan, struct loom_str piece);
/* Returns whether the next line is inside of a quote, a thought, a tag, a fence or a comment. */
bool loom_scan_inside(const struct loom_scan *scan);
/* Ends the text: delivers the events of the last line and of a quote or thought still open. */
void loom_scan_end(struct loom_scan *scan);
/* Ends a text that was cut: a call in its last line, if that has no end, is refused. */
void loom_scan_break(struct loom_scan *scan);

#endif
