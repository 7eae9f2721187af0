/* The parser: text to typed calls. No effects. */
#ifndef LOOM_PARSE_H
#define LOOM_PARSE_H

#include <loom/base/arena.h>
#include <loom/language/call.h>
#include <loom/base/json.h>
#include <loom/language/scan.h>

#define LOOM_CANDIDATES_MAX 4

/* Why a line is not a call. Texts live in the arena that the line was parsed into. */
struct loom_refusal {
	enum loom_status status; /* LOOM_SYNTAX or LOOM_LIMIT */
	size_t at;               /* offset in `text`; for `loom do`, the number of the argument */
	struct loom_str message; /* what is wrong; a question when `clarify` */
	struct loom_str hint;    /* what would be right; may be empty */
	int64_t line;
	size_t begin;
	size_t end;
	struct loom_str text; /* the line as written, without the arrow */
	bool clarify;         /* the message asks: the line is ambiguous or incomplete */
	bool not_understood;  /* a classifier may try it (never with candidates or logic words) */
	enum loom_verb verb;  /* as far as it was recognised, else LOOM_VERB_NONE */
	enum loom_verb candidates[LOOM_CANDIDATES_MAX];
	size_t candidate_count;
};

/* Fills *out with the refusal as an error record, which prints as "✗ CODE: …" and " hint: …". */
void loom_refusal_err(const struct loom_refusal *refusal, struct loom_err *out);

/* Parses what follows the arrow; a `:` line is the same. *out borrows from the arena. On failure
 * returns LOOM_SYNTAX and fills *refusal, which must not be NULL. */
enum loom_status loom_parse_line(struct loom_arena *arena, struct loom_str line,
				 struct loom_call *out, struct loom_refusal *refusal) LOOM_MUST;

/* Parses the arguments of `loom do`. Each is one token; where a text is expected, the argument is
 * that text byte for byte. A single argument with a blank or an arrow in it is parsed as a whole
 * line. *out borrows from the arena. On failure returns LOOM_SYNTAX and fills *refusal, which must
 * not be NULL. */
enum loom_status loom_parse_argv(struct loom_arena *arena, int argc, char *const *argv,
				 struct loom_call *out, struct loom_refusal *refusal) LOOM_MUST;

/* A hint about a line that was not run. */
struct loom_turn_hint {
	int64_t line;
	enum loom_scan_hint hint;
};

/* A stretch of a turn's prose, and where it stood in the text. */
struct loom_turn_prose {
	size_t begin; /* in the turn's prose */
	size_t end;
	int64_t line; /* of its first byte */
	enum loom_region region;
	bool lost; /* what it is inside of was never closed */
};

/* A scanned and parsed text. It grows while it is fed, and the arrays may move then. The calls of a
 * paste are proposals. Owns all its text. */
struct loom_turn {
	enum loom_source source;
	struct loom_call *calls;
	size_t call_count;
	struct loom_refusal *errors;
	size_t error_count;
	struct loom_turn_hint *hints;
	size_t hint_count;
	size_t batch_count;
	bool batch_open;                /* a call that follows directly would join the last batch */
	struct loom_buf prose;          /* the text without its calls and tags */
	struct loom_turn_prose *pieces; /* of the prose, in order */
	size_t piece_count;
	struct loom_buf thinking; /* thoughts and tagged thinking, separated by blank lines */
};

enum loom_turn_keep { LOOM_TURN_CALLS, LOOM_TURN_WITH_PROSE };

/* Creates an empty turn; LOOM_TURN_WITH_PROSE also keeps the prose. Free it with
 * loom_turn_destroy. */
struct loom_turn *loom_turn_create(enum loom_source source, enum loom_turn_keep keep) LOOM_MUST;
/* Frees the turn and everything in it. NULL is allowed. */
void loom_turn_destroy(struct loom_turn *turn);
/* Reads more of the text, cut anywhere. A call appears in turn->calls as soon as its last line is
 * complete. */
void loom_turn_feed(struct loom_turn *turn, struct loom_str piece);
/* Returns whether the line being read is inside a quote, a thought, a tag or a fence. */
bool loom_turn_inside(const struct loom_turn *turn);
/* Ends the text: a last line without a line feed counts. */
void loom_turn_end(struct loom_turn *turn);
/* Ends a text that was cut: a call in a last line without a line feed is refused. */
void loom_turn_break(struct loom_turn *turn);

/* Drops everything after the first call beyond the limit of a turn; that call stays, to be refused.
 * Returns how many calls were dropped. */
size_t loom_turn_cut(struct loom_turn *turn);

/* Appends the document of `loom parse --json`: {"calls","errors","hints","batches","proposed"}. */
void loom_turn_json(const struct loom_turn *turn, struct loom_buf *out);
/* Writes all members of that document but the calls into an open object. */
void loom_turn_json_rest(const struct loom_turn *turn, struct loom_json *json);
/* Writes the members cmd, params and line of a call into an open object. */
void loom_call_json(const struct loom_call *call, struct loom_json *json);
/* Writes a refusal as an object: {"line","code","clarify","candidates","message","hint"?}. */
void loom_refusal_json(const struct loom_refusal *refusal, struct loom_json *json);
/* Scans and parses a whole text and appends the document of `loom parse --json`. Memory does not
 * grow with the number of calls kept: the document is written as the text is read. */
void loom_parse_json(enum loom_source source, struct loom_str text, struct loom_buf *out);

#endif
