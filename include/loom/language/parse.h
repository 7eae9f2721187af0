/* What a call means: text to typed calls. No effects. */
#ifndef LOOM_PARSE_H
#define LOOM_PARSE_H

#include <loom/base/arena.h>
#include <loom/language/call.h>
#include <loom/base/json.h>
#include <loom/language/scan.h>

#define LOOM_CANDIDATES_MAX 4

/* Why a line is no call. Texts live in the arena that the line was parsed into. */
struct loom_refusal {
	enum loom_status status; /* LOOM_SYNTAX or LOOM_LIMIT */
	size_t at;               /* where in `text` (of arguments: which) */
	struct loom_str message; /* what is wrong; a question when `clarify` */
	struct loom_str hint;    /* what would be right; may be empty */
	int64_t line;
	size_t begin;
	size_t end;
	struct loom_str text; /* the line as written, without the arrow */
	bool clarify;         /* err.text asks: several readings, or something is missing */
	bool not_understood;  /* a classifier may be asked (never with candidates or logic) */
	enum loom_verb verb;  /* as far as it was understood, LOOM_VERB_NONE else */
	enum loom_verb candidates[LOOM_CANDIDATES_MAX];
	size_t candidate_count;
};

/* The same as an error record: what is printed as "✗ CODE: …" and "  hint: …". */
void loom_refusal_err(const struct loom_refusal *refusal, struct loom_err *out);

/* Reads what follows the arrow (also a `:` line). *out borrows from the arena. On failure gives
 * LOOM_SYNTAX and fills *refusal (not nullable). */
enum loom_status loom_parse_line(struct loom_arena *arena, struct loom_str line,
				 struct loom_call *out, struct loom_refusal *refusal) LOOM_MUST;

/* Reads the arguments of `loom do`: each is one token, and where a text is expected the argument
 * is that text byte for byte; a single argument with a blank or an arrow in it is a whole line. As
 * above. */
enum loom_status loom_parse_argv(struct loom_arena *arena, int argc, char *const *argv,
				 struct loom_call *out, struct loom_refusal *refusal) LOOM_MUST;

/* A hint about a line that was not run. */
struct loom_turn_hint {
	int64_t line;
	enum loom_scan_hint hint;
};

/* A scanned and parsed text. Grows while it is fed; the arrays may move then. In a paste the
 * calls are proposals. Owns all its text. */
struct loom_turn {
	enum loom_source source;
	struct loom_call *calls;
	size_t call_count;
	struct loom_refusal *errors;
	size_t error_count;
	struct loom_turn_hint *hints;
	size_t hint_count;
	size_t batch_count;
	bool batch_open;          /* a call that follows at once would join the last batch */
	struct loom_buf prose;    /* the text without its calls and tags */
	struct loom_buf thinking; /* thoughts and tagged thinking, a blank line between */
};

enum loom_turn_keep { LOOM_TURN_CALLS, LOOM_TURN_WITH_PROSE };

/* A turn that has read nothing. Freed by loom_turn_destroy, with all it kept. */
struct loom_turn *loom_turn_create(enum loom_source source, enum loom_turn_keep keep) LOOM_MUST;
/* NULL is fine. */
void loom_turn_destroy(struct loom_turn *turn);
/* The next bytes of it, in any pieces: calls stand in turn->calls as soon as their line is whole.
 */
void loom_turn_feed(struct loom_turn *turn, struct loom_str piece);
/* Whether the line that is being read stands inside something: see loom_scan_inside. */
bool loom_turn_inside(const struct loom_turn *turn);
/* No more bytes: a last line without its line feed counts. */
void loom_turn_end(struct loom_turn *turn);

/* Leaves out what stands behind the first call that is too many for a turn: that one is refused,
 * and the rest is not run. Returns how many calls that are. */
size_t loom_turn_cut(struct loom_turn *turn);

/* The document of `loom parse --json`: {"calls","errors","hints","batches","proposed"}. */
void loom_turn_json(const struct loom_turn *turn, struct loom_buf *out);
/* All its members but calls, into an object that the caller opened. */
void loom_turn_json_rest(const struct loom_turn *turn, struct loom_json *json);
/* The members cmd, params and line of a call, into an object that the caller opened. */
void loom_call_json(const struct loom_call *call, struct loom_json *json);
/* One error: {"line","code","clarify","candidates","message","hint"?}. */
void loom_refusal_json(const struct loom_refusal *refusal, struct loom_json *json);
/* All of it for a whole text. */
void loom_parse_json(enum loom_source source, struct loom_str text, struct loom_buf *out);

#endif
