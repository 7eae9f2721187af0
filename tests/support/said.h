/* What a scanned text amounts to, on one line, so that tables of cases stay readable:
 * "1 view a7x2 | 2! INVALID_SYNTAX | 3? INVALID_SYNTAX view | 4~ ASCII_ARROW" are a call, a
 * refusal, a question with its candidates and a hint, by line. For tests of the room tools. */
#ifndef LOOM_TESTS_SUPPORT_SAID_H
#define LOOM_TESTS_SUPPORT_SAID_H

#include <loom/language/parse.h>

static inline void said_separate(struct loom_buf *out)
{
	loom_buf_adds(out, out->n ? " | " : "");
}

static inline void said_error(const struct loom_refusal *refusal, struct loom_buf *out)
{
	said_separate(out);
	loom_buf_addf(out, "%lld%c %s", (long long)refusal->line, refusal->clarify ? '?' : '!',
		      loom_status_code(refusal->status));
	for (size_t i = 0; i < refusal->candidate_count; i++)
		loom_buf_addf(out, " %s", loom_verb_name(refusal->candidates[i]));
}

/* Calls, then refusals, then hints. */
static inline void said(const struct loom_turn *turn, struct loom_buf *out)
{
	loom_buf_clear(out);
	for (size_t i = 0; i < turn->call_count; i++) {
		said_separate(out);
		loom_buf_addf(out, "%lld ", (long long)turn->calls[i].line);
		loom_call_print(&turn->calls[i], out);
	}
	for (size_t i = 0; i < turn->error_count; i++)
		said_error(&turn->errors[i], out);
	for (size_t i = 0; i < turn->hint_count; i++) {
		said_separate(out);
		loom_buf_addf(out, "%lld~ %s", (long long)turn->hints[i].line,
			      loom_scan_hint_code(turn->hints[i].hint));
	}
}

/* The result of scanning a text that is fed in pieces of `step` bytes (0: whole). */
static inline void said_text(enum loom_source source, struct loom_str text, size_t step,
			     struct loom_buf *out)
{
	struct loom_turn *turn = loom_turn_create(source, LOOM_TURN_WITH_PROSE);

	for (size_t at = 0; at < text.n; at += step ? step : text.n)
		loom_turn_feed(turn, loom_str_sub(text, at, step ? step : text.n));
	loom_turn_end(turn);
	said(turn, out);
	loom_turn_destroy(turn);
}

#endif
