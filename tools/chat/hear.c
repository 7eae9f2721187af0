/* Reads an agent's answer as it arrives. Its calls are scanned, its prose is reported as soon as it
 * cannot be anything else, and what follows its calls is ignored, because it was written without
 * knowing their results. */
#include "inside.h"

#include <ctype.h>

#include <loom/base/utf8.h>
#include <loom/language/parse.h>
#include <loom/language/scan.h>

bool chat_turn_calls(const struct loom_turn *turn)
{
	return turn->call_count || turn->error_count;
}

/* ---- reporting ---- */

/* Reports the new part of a text; `at` is its offset in the prose. */
static void tell(struct chat_hearing *hearing, struct loom_str text, size_t at)
{
	struct loom_buf *told = hearing->told;

	if (told->n >= at && at + text.n > told->n)
		loom_buf_add(told, loom_str_sub(text, told->n - at, text.n));
}

static void tell_prose(struct chat_hearing *hearing)
{
	tell(hearing, loom_str_sub(loom_buf_str(&hearing->turn->prose), 0, hearing->prose), 0);
}

/* The first character of an incomplete line, 0 while it is missing. */
static uint32_t first_of(struct loom_str line)
{
	size_t at = 0;
	uint32_t cp = ' ';

	while (at < line.n && cp == ' ')
		cp = loom_utf8_next(line, &at);
	return cp == ' ' || cp == LOOM_CP_BAD ? 0 : cp;
}

/* Whether the character is not a blank, arrow or selector; a call begins with one of these in any
 * script. */
static bool is_plain(uint32_t cp)
{
	if (cp < 0x80)
		return isgraph((int)cp);
	return cp > 0xA0 && (cp < 0x2000 || cp > 0x200F) && (cp < 0x2028 || cp > 0x206F) &&
	       (cp < 0x2190 || cp > 0x2BFF) && cp != 0x3000 && (cp < 0xFE00 || cp > 0xFE0F) &&
	       cp != 0xFEFF;
}

/* Returns where a tag of a thought may begin in a line. */
static size_t tag_from(struct loom_str line)
{
	for (size_t at = 0; at < line.n; at++) {
		const unsigned char next = at + 1 < line.n ? (unsigned char)line.p[at + 1] : 'A';

		if (line.p[at] == '<' || (line.p[at] == '[' && (isupper(next) || next == '/')) ||
		    loom_str_starts(loom_str_sub(line, at, line.n), LOOM_STR("◁")))
			return at;
	}
	return line.n;
}

/* Reports what is prose of an incomplete line, however it continues. A call begins with an arrow
 * and thinking with a tag; if the line before was something else, this one may be too. */
static void tell_line(struct chat_hearing *hearing)
{
	struct loom_str line = loom_buf_str(&hearing->line);

	if (chat_turn_calls(hearing->turn) || !hearing->plain || !is_plain(first_of(line)))
		return;
	tell(hearing, loom_str_sub(line, 0, tag_from(line)), hearing->line_at);
}

/* ---- scanning ---- */

/* Takes a piece of one line, or its end. */
static void hear_piece(struct chat_hearing *hearing, struct loom_str piece, bool whole)
{
	struct loom_turn *turn = hearing->turn;

	loom_buf_add(&hearing->line, piece);
	loom_turn_feed(turn, piece);
	if (!chat_turn_calls(turn))
		hearing->prose = turn->prose.n;
	if (!whole)
		return;
	hearing->plain = turn->prose.n == hearing->line_at + hearing->line.n;
	hearing->line_at = turn->prose.n;
	loom_buf_clear(&hearing->line);
}

/* Whether the turn has more calls than are done. One call too many is kept so that it can be
 * refused, and no more, however long the model goes on. */
static bool too_much(const struct chat_hearing *hearing)
{
	const struct loom_turn *turn = hearing->turn;

	return hearing->calls + turn->call_count > LOOM_CALLS_MAX ||
	       turn->error_count > LOOM_CALLS_MAX;
}

/* Whether prose begins after calls, in an incomplete line: one that begins with a letter is prose
 * however it continues. */
static bool goes_on(const struct chat_hearing *hearing)
{
	const struct loom_turn *turn = hearing->turn;
	const uint32_t first = first_of(loom_buf_str(&hearing->line));

	return turn->batch_open && !loom_turn_inside(turn) &&
	       (first < 0x80 ? isalpha((int)first) : is_plain(first));
}

/* Stops reading as soon as prose follows calls. If the first letter does not show it, the end of
 * the line does. */
void chat_hear(struct chat_hearing *hearing, struct loom_str text)
{
	const struct loom_turn *turn = hearing->turn;

	while (text.n && !hearing->cut) {
		size_t feed = loom_str_find_char(text, '\n', 0);
		struct loom_str piece = loom_str_sub(text, 0, feed == SIZE_MAX ? text.n : feed + 1);

		hear_piece(hearing, piece, feed != SIZE_MAX);
		text = loom_str_sub(text, piece.n, text.n);
		hearing->cut = too_much(hearing) ||
			       (chat_turn_calls(turn) && turn->batch_count && !turn->batch_open) ||
			       goes_on(hearing);
	}
	tell_prose(hearing);
	tell_line(hearing);
}

void chat_hear_end(struct chat_hearing *hearing, bool cut)
{
	if (!hearing->cut && cut)
		loom_turn_break(hearing->turn);
	else if (!hearing->cut)
		loom_turn_end(hearing->turn);
	if (!chat_turn_calls(hearing->turn))
		hearing->prose = hearing->turn->prose.n;
	tell_prose(hearing);
}

/* ---- an answer ---- */

void chat_hearing_init(struct chat_hearing *hearing)
{
	loom_buf_init(&hearing->line, LOOM_BUF_MAX);
}

void chat_hearing_fini(struct chat_hearing *hearing)
{
	loom_buf_fini(&hearing->line);
}

void chat_hearing_begin(struct chat_hearing *hearing, struct chat_log *log, size_t calls)
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
