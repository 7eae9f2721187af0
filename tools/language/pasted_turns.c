/* A transcript to its turns. Invariants: every byte is looked at a bounded number of times; text
 * inside code, a block or a frame is not a header, unless what it is inside of is never closed;
 * turns come in the order of the text and do not overlap. pasted_line.c reads single lines; the
 * callers decide what becomes of the turns. */
#include <loom/language/pasted_line.h>

#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>

enum region { IN_NOTHING, IN_FENCE, IN_BLOCK, IN_FRAME };

/* A line that may begin a turn. */
struct mark {
	struct lang_header header;
	size_t begin;   /* of its line */
	size_t content; /* where the spoken text begins */
	int64_t line;
	bool off; /* inside something, or of another form than the text's */
};

struct reading {
	struct loom_str text;
	struct loom_arena *arena;
	struct loom_turns *out;
	struct mark *marks;
	size_t mark_count;
	size_t mark_cap;
	enum region region;
	struct lang_fence fence;
	size_t region_mark; /* the first mark inside the region */
	size_t item_cap;
};

const char *loom_speaker_name(enum loom_speaker speaker)
{
	static const char *const names[] = {
		[LOOM_SPEAKER_UNKNOWN] = "unknown", [LOOM_SPEAKER_HUMAN] = "human",
		[LOOM_SPEAKER_MODEL] = "model",     [LOOM_SPEAKER_SYSTEM] = "system",
		[LOOM_SPEAKER_TOOL] = "tool",
	};

	return names[speaker];
}

const char *loom_turns_form_name(enum loom_turns_form form)
{
	static const char *const names[] = {
		[LOOM_TURNS_PLAIN] = "plain", [LOOM_TURNS_COLON] = "colon",
		[LOOM_TURNS_BOLD] = "bold",   [LOOM_TURNS_HEADING] = "heading",
		[LOOM_TURNS_COPY] = "copy",   [LOOM_TURNS_BARE] = "bare",
		[LOOM_TURNS_NODE] = "node",   [LOOM_TURNS_BLOCK] = "block",
		[LOOM_TURNS_FRAME] = "frame",
	};

	return names[form];
}

/* ---- invisible characters ---- */

static void count_unseen(struct loom_turns *out, const struct loom_piece *piece, int64_t line)
{
	size_t i = 0;

	while (i < out->unseen_count &&
	       !loom_str_is(loom_str_make(piece->text, piece->len), out->unseen[i].name))
		i++;
	if (i == LOOM_UNSEEN_MAX) {
		out->unseen_other++;
		return;
	}
	if (i == out->unseen_count) {
		memcpy(out->unseen[i].name, piece->text, sizeof out->unseen[i].name);
		out->unseen[i].line = line;
		out->unseen[i].at = (size_t)(piece->source.p - out->text.p);
		out->unseen_count++;
	}
	out->unseen[i].count++;
}

static void note_unseen(struct reading *reading, struct loom_str line, int64_t number)
{
	struct loom_turns *out = reading->out;
	struct loom_piece piece;

	if (loom_str_ends(line, LOOM_STR("\r")))
		line.n--;
	if (loom_shown_plain(line))
		return;
	if (!out->unseen)
		out->unseen = LOOM_ARENA_ARRAY(reading->arena, LOOM_UNSEEN_MAX, struct loom_unseen);
	for (size_t at = 0; at < line.n;) {
		loom_shown_next(line, &at, &piece);
		if (piece.mark)
			count_unseen(out, &piece, number);
	}
}

/* ---- the lines ---- */

static size_t offset_of(const struct reading *reading, struct loom_str line)
{
	return (size_t)(line.p - reading->text.p);
}

static struct mark *add_mark(struct reading *reading, struct loom_str line, int64_t number)
{
	struct mark *mark = NULL;

	reading->marks = loom_arena_grow(reading->arena, reading->marks, reading->mark_count,
					 &reading->mark_cap, sizeof *reading->marks);
	mark = &reading->marks[reading->mark_count++];
	*mark = (struct mark){.begin = offset_of(reading, line),
			      .line = number,
			      .off = reading->region != IN_NOTHING};
	return mark;
}

static void enter(struct reading *reading, enum region region)
{
	reading->region = region;
	reading->region_mark = reading->mark_count;
}

/* Finds the rule below a node's header, with one line of links between them; false when there is
 * none. */
static bool find_rule(struct loom_str rest, struct mark *mark, const char *base)
{
	struct lang_header other;
	struct loom_str line;

	for (int i = 0; i < 2 && loom_str_line(&rest, &line); i++) {
		if (lang_is_rule(line)) {
			mark->content = (size_t)(line.p - base) + line.n;
			return true;
		}
		if (lang_header_read(line, &other) || lang_frame_opens(line))
			return false;
	}
	return false;
}

static void take_header(struct reading *reading, struct loom_str line, struct loom_str rest,
			int64_t number)
{
	struct mark mark = {.content = 0};
	struct mark *added = NULL;

	if (!lang_header_read(line, &mark.header))
		return;
	mark.content = offset_of(reading, line) + mark.header.rest;
	if (mark.header.ruled && !find_rule(rest, &mark, reading->text.p))
		return;
	added = add_mark(reading, line, number);
	added->header = mark.header;
	added->content = mark.content;
}

static bool opens_block(struct loom_str line)
{
	static const struct loom_str name = LOOM_STR_INIT(LOOM_SAYS_BLOCK);

	struct loom_str rest = loom_str_sub(line, name.n, line.n);

	return loom_str_starts(line, name) &&
	       (!rest.n || loom_str_starts(rest, LOOM_STR(">")) || lang_blank(rest, 0));
}

static bool closes_block(struct loom_str line)
{
	return loom_str_find(line, LOOM_STR(LOOM_ENDS_BLOCK), 0) != SIZE_MAX;
}

/* A line outside of everything: it may open something, or be a header. */
static void take_open_line(struct reading *reading, struct loom_str line, struct loom_str rest,
			   int64_t number)
{
	size_t indent = 0;
	bool code = lang_indent(line, &indent) >= 4;
	struct loom_str body = loom_str_sub(line, indent, line.n);
	struct mark *mark = NULL;
	struct loom_str branch;

	if (!code && lang_fence_opens(body, &reading->fence)) {
		enter(reading, IN_FENCE);
	} else if (!code && opens_block(body)) {
		if (!closes_block(body))
			enter(reading, IN_BLOCK);
	} else if (!code && lang_frame_opens(body)) {
		add_mark(reading, line, number)->header.form = LOOM_TURNS_FRAME;
		enter(reading, IN_FRAME);
	} else if (!code && lang_branch_opens(body, &branch)) {
		mark = add_mark(reading, line, number);
		mark->header = (struct lang_header){.form = LOOM_TURNS_FRAME, .id = branch};
		mark->content = mark->begin + line.n;
	} else {
		take_header(reading, line, rest, number);
	}
}

static void take_line(struct reading *reading, struct loom_str line, struct loom_str rest,
		      int64_t number)
{
	bool over = false;

	if (reading->region == IN_NOTHING) {
		take_open_line(reading, line, rest, number);
		return;
	}
	if (reading->region == IN_FENCE)
		over = lang_fence_closes(&reading->fence, line);
	else if (reading->region == IN_BLOCK)
		over = closes_block(line);
	else
		over = lang_frame_closes(line);
	if (over && reading->region == IN_FRAME)
		reading->marks[reading->region_mark - 1].content =
			offset_of(reading, line) + line.n;
	if (over)
		reading->region = IN_NOTHING;
	else
		take_header(reading, line, rest, number);
}

/* A region that is never closed was none: its marks count after all. */
static void leave_open(struct reading *reading)
{
	if (reading->region == IN_NOTHING)
		return;
	if (reading->region == IN_FRAME)
		reading->marks[reading->region_mark - 1].off = true;
	for (size_t i = reading->region_mark; i < reading->mark_count; i++)
		reading->marks[i].off = false;
}

static void read_lines(struct reading *reading)
{
	struct loom_str rest = reading->text;
	struct loom_str line;

	for (int64_t number = 1; loom_str_line(&rest, &line); number++) {
		note_unseen(reading, line, number);
		take_line(reading, line, rest, number);
	}
	leave_open(reading);
}

/* ---- which form it is ---- */

struct tally {
	bool human;
	bool model;
	size_t first;
	size_t spoken; /* the first of a person or a model */
};

static bool at_head(const struct reading *reading, const struct mark *mark)
{
	return lang_is_blank(loom_str_trim(loom_str_sub(reading->text, 0, mark->begin)));
}

static bool holds(const struct reading *reading, enum loom_turns_form form,
		  const struct tally *tally)
{
	const struct mark *first = NULL;

	if (tally->first == SIZE_MAX || form == LOOM_TURNS_FRAME)
		return false;
	first = &reading->marks[tally->first];
	if (form == LOOM_TURNS_NODE)
		return true;
	if (form == LOOM_TURNS_BARE)
		return tally->human && tally->model && at_head(reading, first);
	return (tally->human && tally->model) || (first->header.alone && at_head(reading, first));
}

/* The form that occurs first among those that hold; PLAIN when none does. */
static enum loom_turns_form choose_form(const struct reading *reading)
{
	struct tally tallies[LOOM_TURNS_FORMS];
	enum loom_turns_form best = LOOM_TURNS_PLAIN;

	for (size_t i = 0; i < LOOM_COUNT(tallies); i++)
		tallies[i] = (struct tally){.first = SIZE_MAX, .spoken = SIZE_MAX};
	for (size_t i = 0; i < reading->mark_count; i++) {
		const struct mark *mark = &reading->marks[i];
		const enum loom_turns_form form = mark->header.form;
		struct tally *tally = &tallies[form];

		if (mark->off)
			continue;
		tally->human |= mark->header.speaker == LOOM_SPEAKER_HUMAN;
		tally->model |= mark->header.speaker == LOOM_SPEAKER_MODEL;
		if (tally->first == SIZE_MAX)
			tally->first = i;
		if (tally->spoken == SIZE_MAX &&
		    (form == LOOM_TURNS_NODE || mark->header.speaker == LOOM_SPEAKER_HUMAN ||
		     mark->header.speaker == LOOM_SPEAKER_MODEL))
			tally->spoken = i;
	}
	for (size_t i = 0; i < LOOM_COUNT(tallies); i++) {
		enum loom_turns_form form = (enum loom_turns_form)i;

		if (holds(reading, form, &tallies[i]) &&
		    (!best || tallies[i].spoken < tallies[best].spoken))
			best = form;
	}
	return best;
}

/* The end of one branch and the head of another count only between nodes. */
static bool belongs(const struct lang_header *header, enum loom_turns_form form)
{
	if (header->form == LOOM_TURNS_FRAME)
		return !header->id.n || form == LOOM_TURNS_NODE;
	return header->form == form;
}

/* Keeps the marks of one form, and the frames. A person has one name in a text: a second one is
 * somebody being quoted. */
static void keep_form(struct reading *reading, enum loom_turns_form form)
{
	const struct mark *human = NULL;

	for (size_t i = 0; i < reading->mark_count; i++) {
		struct mark *mark = &reading->marks[i];

		mark->off |= !belongs(&mark->header, form);
		if (mark->off || form == LOOM_TURNS_NODE ||
		    mark->header.speaker != LOOM_SPEAKER_HUMAN)
			continue;
		if (!human)
			human = mark;
		else if (!loom_str_eq_fold(human->header.author, mark->header.author))
			mark->off = true;
	}
}

/* ---- the turns ---- */

/* Removes blank lines at the head and blanks at the end; keeps the first line's indentation. */
static struct loom_str trim_lines(struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str line;

	while (loom_str_line(&rest, &line) && !loom_str_trim(line).n)
		text = rest.p ? rest : loom_str_sub(text, text.n, 0);
	while (text.n && strchr(" \t\r\n", text.p[text.n - 1]) && text.p[text.n - 1])
		text.n--;
	return text;
}

static void take_block(struct loom_spoken *item)
{
	static const struct loom_str end = LOOM_STR_INIT(LOOM_ENDS_BLOCK);
	size_t at = SIZE_MAX;

	if (item->form == LOOM_TURNS_FRAME || !opens_block(item->raw))
		return;
	at = loom_str_find(item->raw, end, 0);
	if (at == SIZE_MAX)
		return;
	item->block = loom_str_sub(item->raw, 0, at + end.n);
	item->raw = trim_lines(loom_str_sub(item->raw, at + end.n, item->raw.n));
	if (item->form == LOOM_TURNS_PLAIN) {
		item->form = LOOM_TURNS_BLOCK;
		item->speaker = LOOM_SPEAKER_HUMAN;
	}
}

/* In a quoted text, only a note's own lines look like a note's. */
static void take_notes(struct loom_spoken *item)
{
	struct loom_str rest = item->raw;
	struct loom_str line;

	while (loom_str_line(&rest, &line)) {
		const size_t at = (size_t)(line.p - item->raw.p);

		if (!loom_str_starts(line, LOOM_STR(LOOM_SAYS_NOTE)))
			continue;
		item->notes = loom_str_sub(item->raw, at, item->raw.n);
		item->raw = trim_lines(loom_str_sub(item->raw, 0, at));
		return;
	}
}

/* Quotes lines that would name a speaker, in a form that names speakers at the head of a line. */
static struct loom_str plain_turn(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf plain = LOOM_BUF_INIT(text.n + 1);
	struct loom_str rest = text;
	struct loom_str line;
	struct loom_str out = text;
	size_t kept = 0;

	while (loom_str_line(&rest, &line)) {
		const size_t at = (size_t)(line.p - text.p);

		if (!loom_str_starts(line, LOOM_STR("\\")) || !lang_line_speaks(line))
			continue;
		loom_buf_add(&plain, loom_str_sub(text, kept, at - kept));
		kept = at + 1;
	}
	if (kept) {
		loom_buf_add(&plain, loom_str_sub(text, kept, text.n));
		out = loom_arena_buf(arena, &plain);
	}
	loom_buf_fini(&plain);
	return out;
}

/* `below`: what the text's lines are quoted for. */
static void add_item(struct reading *reading, struct loom_spoken item, size_t content,
		     unsigned below)
{
	struct loom_turns *out = reading->out;

	item.raw = trim_lines(loom_str_sub(reading->text, content, item.end - content));
	take_block(&item);
	if (below & LOOM_BELOW_HEADINGS)
		take_notes(&item);
	item.text = item.raw;
	if (below)
		item.text = loom_body_plain(item.raw, below, reading->arena);
	else if (item.form == LOOM_TURNS_COLON)
		item.text = plain_turn(item.raw, reading->arena);
	out->items = loom_arena_grow(reading->arena, out->items, out->count, &reading->item_cap,
				     sizeof *out->items);
	out->items[out->count++] = item;
}

/* Adds the text between `from` and `end`, which has no header; nothing when it is blank. */
static void add_plain(struct reading *reading, size_t from, size_t end, int64_t line)
{
	struct loom_str part = loom_str_sub(reading->text, from, end - from);
	struct loom_str held = trim_lines(part);

	if (!held.n)
		return;
	for (const char *p = part.p; p < held.p; p++)
		line += *p == '\n';
	add_item(reading, (struct loom_spoken){.line = line, .begin = from, .end = end}, from, 0);
}

static int64_t lines_in(const struct reading *reading, size_t from, size_t end)
{
	int64_t lines = 0;

	for (size_t at = from; at < end; at++)
		lines += reading->text.p[at] == '\n';
	return lines;
}

/* Our own forms quote what would pass for one of their headers. */
static unsigned quoted_below(const struct lang_header *header)
{
	if (header->form == LOOM_TURNS_NODE)
		return header->ruled ? LOOM_BELOW_HEADERS : LOOM_BELOW_HEADINGS;
	return 0;
}

static void add_marked(struct reading *reading, const struct mark *mark, size_t end)
{
	struct loom_spoken item = {.speaker = mark->header.speaker,
				   .form = mark->header.form,
				   .line = mark->line,
				   .begin = mark->begin,
				   .end = end,
				   .author = mark->header.author,
				   .name = mark->header.name,
				   .id = mark->header.id,
				   .when = mark->header.when};

	if (mark->header.form != LOOM_TURNS_FRAME) {
		add_item(reading, item, mark->content, quoted_below(&mark->header));
		return;
	}
	item.end = mark->content;
	item.speaker = LOOM_SPEAKER_SYSTEM;
	add_item(reading, item, mark->begin, 0);
	add_plain(reading, item.end, end,
		  mark->line + lines_in(reading, mark->begin, mark->content));
}

static void add_items(struct reading *reading)
{
	const struct mark *open = NULL;
	size_t i = 0;

	for (; i < reading->mark_count; i++) {
		const struct mark *mark = &reading->marks[i];

		if (mark->off)
			continue;
		if (open)
			add_marked(reading, open, mark->begin);
		else
			add_plain(reading, 0, mark->begin, 1);
		open = mark;
	}
	if (open)
		add_marked(reading, open, reading->text.n);
	else
		add_plain(reading, 0, reading->text.n, 1);
}

/* ---- rules that an exporter drew between turns ---- */

static bool ends_in_rule(struct loom_str text, struct loom_str *out)
{
	size_t cut = text.n;

	if (!loom_str_ends(text, LOOM_STR("\n---")) && !loom_str_is(text, "---"))
		return false;
	cut -= 3;
	*out = trim_lines(loom_str_sub(text, 0, cut));
	return true;
}

/* Drops the rules if every turn but the last ends in one; otherwise somebody wrote them. */
static void drop_rules(struct loom_turns *out)
{
	struct loom_str text;

	for (size_t i = 0; i + 1 < out->count; i++)
		if (out->items[i].form != LOOM_TURNS_PLAIN &&
		    !ends_in_rule(out->items[i].text, &text))
			return;
	for (size_t i = 0; out->count > 1 && i < out->count; i++)
		if (ends_in_rule(out->items[i].text, &text))
			out->items[i].text = out->items[i].raw = text;
}

static enum loom_turns_form form_of(const struct loom_turns *out, enum loom_turns_form chosen)
{
	for (size_t i = 0; i < out->count && !chosen; i++)
		chosen = out->items[i].form;
	return chosen;
}

void loom_turns_read(struct loom_str text, struct loom_arena *arena, struct loom_turns *out)
{
	static const struct loom_str mark = LOOM_STR_INIT("\xEF\xBB\xBF");
	struct reading reading = {.arena = arena, .out = out};
	enum loom_turns_form form = LOOM_TURNS_PLAIN;

	*out = (struct loom_turns){.bom = loom_str_starts(text, mark)};
	if (out->bom)
		text = loom_str_sub(text, mark.n, text.n);
	out->text = text;
	reading.text = text;
	read_lines(&reading);
	form = choose_form(&reading);
	keep_form(&reading, form);
	add_items(&reading);
	if (form == LOOM_TURNS_HEADING || form == LOOM_TURNS_BOLD)
		drop_rules(out);
	out->form = form_of(out, form);
	if (out->form == LOOM_TURNS_PLAIN && out->count)
		out->items[0].text = out->items[0].raw = text;
}
