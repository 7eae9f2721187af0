/* Hearing an agent's answer as it comes: its calls are scanned, its prose is told as soon as it can
 * be nothing else, and nothing is heard of what it says behind its calls, for it does not know yet
 * what came of them. */
#include "chat_impl.h"

#include <ctype.h>

bool tool_turn_calls(const struct loom_turn *turn)
{
	return turn->call_count || turn->error_count;
}

/* ---- telling ---- */

/* Tells the part of a text that was not told yet; `at` is where in the prose it stands. */
static void tell(struct tool_hearing *hearing, struct loom_str text, size_t at)
{
	struct loom_buf *told = hearing->told;

	if (told->n >= at && at + text.n > told->n)
		loom_buf_add(told, loom_str_sub(text, told->n - at, text.n));
}

static void tell_prose(struct tool_hearing *hearing)
{
	tell(hearing, loom_str_sub(loom_buf_str(&hearing->turn->prose), 0, hearing->prose), 0);
}

/* Of a line that is not whole yet: what is prose however it goes on. A call begins with an arrow
 * and thinking with a tag; where the line before was something else this one may be as well. */
static void tell_line(struct tool_hearing *hearing)
{
	struct loom_str line = loom_buf_str(&hearing->line);

	if (tool_turn_calls(hearing->turn) || !hearing->plain || !line.n ||
	    !isalnum((unsigned char)line.p[0]))
		return;
	tell(hearing, loom_str_sub(line, 0, loom_str_find_char(line, '<', 0)), hearing->line_at);
}

/* ---- scanning ---- */

/* A piece of one line, or its end. */
static void hear_piece(struct tool_hearing *hearing, struct loom_str piece, bool whole)
{
	struct loom_turn *turn = hearing->turn;

	loom_buf_add(&hearing->line, piece);
	loom_turn_feed(turn, piece);
	if (!tool_turn_calls(turn))
		hearing->prose = turn->prose.n;
	if (!whole)
		return;
	hearing->plain = turn->prose.n == hearing->line_at + hearing->line.n;
	hearing->line_at = turn->prose.n;
	loom_buf_clear(&hearing->line);
}

/* More than is done in a turn: one too many is heard, so that it can be refused, and no more is
 * kept however long the model goes on. */
static bool too_much(const struct tool_hearing *hearing)
{
	const struct loom_turn *turn = hearing->turn;

	return hearing->calls + turn->call_count > LOOM_CALLS_MAX ||
	       turn->error_count > LOOM_CALLS_MAX;
}

/* Whether prose begins behind calls, in a line that is not whole: one that begins with a letter is
 * prose however it goes on. */
static bool goes_on(const struct tool_hearing *hearing)
{
	const struct loom_turn *turn = hearing->turn;
	const struct loom_str line = loom_buf_str(&hearing->line);
	size_t at = 0;
	unsigned char first = 0;

	while (at < line.n && line.p[at] == ' ')
		at++;
	first = at < line.n ? (unsigned char)line.p[at] : 0;
	/* arrows, wide blanks and selectors begin with these three */
	return turn->batch_open && !loom_turn_inside(turn) &&
	       (isalpha(first) ||
		(first > 0xC2 && first != 0xE2 && first != 0xE3 && first != 0xEF));
}

/* As soon as prose comes behind calls no more is heard; where its first letter does not show it,
 * the end of its line does. */
void tool_hear(struct tool_hearing *hearing, struct loom_str text)
{
	const struct loom_turn *turn = hearing->turn;

	while (text.n && !hearing->cut) {
		size_t feed = loom_str_find_char(text, '\n', 0);
		struct loom_str piece = loom_str_sub(text, 0, feed == SIZE_MAX ? text.n : feed + 1);

		hear_piece(hearing, piece, feed != SIZE_MAX);
		text = loom_str_sub(text, piece.n, text.n);
		hearing->cut = too_much(hearing) ||
			       (tool_turn_calls(turn) && turn->batch_count && !turn->batch_open) ||
			       goes_on(hearing);
	}
	tell_prose(hearing);
	tell_line(hearing);
}

void tool_hear_end(struct tool_hearing *hearing)
{
	if (!hearing->cut)
		loom_turn_end(hearing->turn);
	if (!tool_turn_calls(hearing->turn))
		hearing->prose = hearing->turn->prose.n;
	tell_prose(hearing);
}

/* ---- an answer ---- */

void tool_hearing_init(struct tool_hearing *hearing)
{
	loom_buf_init(&hearing->line, LOOM_BUF_MAX);
}

void tool_hearing_fini(struct tool_hearing *hearing)
{
	loom_buf_fini(&hearing->line);
}

void tool_hearing_begin(struct tool_hearing *hearing, struct tool_chat_log *log, size_t calls)
{
	hearing->turn = log->said;
	hearing->told = &log->told;
	hearing->calls = calls;
	hearing->cut = false;
	hearing->plain = true;
	hearing->prose = hearing->line_at = 0;
	loom_buf_clear(&hearing->line);
	loom_buf_clear(hearing->told);
}
