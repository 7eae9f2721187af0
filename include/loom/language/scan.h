/* Finding → calls in text. No effects and no judgement: the scanner says where calls stand and
 * what else the text is; parse.h says what a call means.
 *
 * Text may be fed in any pieces, cut anywhere, also inside a character: the events are the same
 * (only prose and thinking may come in other pieces). A line is looked at once it is whole. Time
 * is linear in the bytes; memory is the longest line, and one call's text. */
#ifndef LOOM_SCAN_H
#define LOOM_SCAN_H

#include <loom/base/err.h>
#include <loom/base/str.h>

/* Who wrote the text. Only what the acting agent wrote in this turn runs; a paste proposes; in
 * the other two nothing is looked for. */
enum loom_source { LOOM_SOURCE_MODEL, LOOM_SOURCE_PASTE, LOOM_SOURCE_HUMAN, LOOM_SOURCE_RESULT };

/* "model", "paste", "human", "tool_result". */
bool loom_source_parse(struct loom_str name, enum loom_source *out);

#define LOOM_SCAN_LINE_MAX  ((size_t)8 << 10) /* of a call, outside quotes */
#define LOOM_SCAN_QUOTE_MAX ((size_t)1 << 20) /* of one quoted text, or of a thought */
#define LOOM_SCAN_BODY_MAX  ((size_t)4 << 20) /* of all quoted texts of a call */
#define LOOM_CALLS_MAX      32                /* that run in one turn */

enum loom_scan_kind {
	LOOM_SCAN_CALL,     /* text: what follows the arrow */
	LOOM_SCAN_THINK,    /* text: the thought of a `→ think` */
	LOOM_SCAN_REFUSED,  /* a call that cannot be cut out: err says why */
	LOOM_SCAN_HINT,     /* a line that only looks like a call; it is prose as well */
	LOOM_SCAN_PROSE,    /* text: everything that is no call, code and quotes included */
	LOOM_SCAN_THINKING, /* text: from inside <think> tags */
};

enum loom_scan_hint { LOOM_HINT_NONE, LOOM_HINT_ASCII_ARROW, LOOM_HINT_NOT_AT_LINE_START };

/* "ASCII_ARROW", "NOT_AT_LINE_START"; one sentence for people. */
const char *loom_scan_hint_code(enum loom_scan_hint hint);
/* "" for LOOM_HINT_NONE, as is the code; lives for ever. */
const char *loom_scan_hint_text(enum loom_scan_hint hint);

struct loom_scan_event {
	enum loom_scan_kind kind;
	int64_t line; /* from 1 */
	size_t begin; /* bytes of all that was fed: whole lines for calls */
	size_t end;
	struct loom_str text; /* until the receiver returns */
	bool joins;           /* only blank lines lie between it and the call before */
	bool unterminated;    /* of a thought */
	enum loom_scan_hint hint;
	const struct loom_err *err; /* of a refusal; until the receiver returns */
};

struct loom_scan_sink {
	void (*event)(void *ctx, const struct loom_scan_event *event);
	void *ctx;
};

struct loom_scan;

/* A scanner that has read nothing; the sink is copied. Freed by loom_scan_destroy. */
struct loom_scan *loom_scan_create(enum loom_source source, struct loom_scan_sink sink) LOOM_MUST;
/* NULL is fine. */
void loom_scan_destroy(struct loom_scan *scan);
/* The next bytes; events of the lines they complete are delivered before it returns. */
void loom_scan_feed(struct loom_scan *scan, struct loom_str piece);
/* Whether the line that comes next stands inside something: a quote, a thought, a tag, a fence. */
bool loom_scan_inside(const struct loom_scan *scan);
/* The text is over: delivers what the last line, an open quote or thought amounts to. */
void loom_scan_end(struct loom_scan *scan);

#endif
