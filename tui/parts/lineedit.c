/* The editor model. Every change goes through change(), which records it for undo; nothing else
 * modifies the text. */
#include <loom/parts/lineedit.h>

#include <loom/base/utf8.h>
#include <loom/text/width.h>

struct tui_edit_step {
	size_t at;
	size_t caret; /* before the change */
	size_t removed_n, inserted_n;
	char *texts;            /* the removed text, then the inserted text */
	struct tui_folds folds; /* the folds on the other side of the change */
	bool typed;
};

enum last { LAST_OTHER, LAST_TYPED, LAST_KILL, LAST_KILL_BACK, LAST_YANK };

void tui_edit_init(struct tui_edit *edit, bool many_lines)
{
	*edit = (struct tui_edit){.many_lines = many_lines, .goal = -1};
	loom_buf_init(&edit->text, TUI_EDIT_MAX);
	for (size_t i = 0; i < TUI_KILLS; i++)
		loom_buf_init(&edit->kills[i], TUI_EDIT_MAX);
	edit->steps = loom_alloc(TUI_EDIT_STEPS * sizeof(*edit->steps));
}

static void steps_drop(struct tui_edit *edit, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		free(edit->steps[i].texts);
		tui_folds_fini(&edit->steps[i].folds);
	}
}

void tui_edit_fini(struct tui_edit *edit)
{
	steps_drop(edit, 0, edit->step_count);
	free(edit->steps);
	loom_buf_fini(&edit->text);
	tui_folds_fini(&edit->folds);
	for (size_t i = 0; i < TUI_KILLS; i++) {
		loom_buf_fini(&edit->kills[i]);
		tui_folds_fini(&edit->kill_folds[i]);
	}
	*edit = (struct tui_edit){.steps = NULL};
}

struct loom_str tui_edit_text(const struct tui_edit *edit)
{
	return loom_buf_str(&edit->text);
}

void tui_edit_set(struct tui_edit *edit, struct loom_str text)
{
	steps_drop(edit, 0, edit->step_count);
	edit->step_count = 0;
	edit->step_at = 0;
	loom_buf_clear(&edit->text);
	loom_buf_add(&edit->text, text);
	tui_folds_fini(&edit->folds);
	edit->caret = edit->text.n;
	edit->last = LAST_OTHER;
	edit->goal = -1;
	edit->changes++;
}

/* --- changes and their undo --- */

/* Replaces n bytes at `at`; the only function that modifies the text. */
static void splice(struct tui_edit *edit, size_t at, size_t n, struct loom_str with)
{
	struct loom_buf *text = &edit->text;
	size_t tail = text->n - at - n;

	if (with.n > n)
		loom_buf_add_repeat(text, ' ', with.n - n);
	if (text->p) {
		memmove(text->p + at + with.n, text->p + at + n, tail);
		if (with.n > 0)
			memcpy(text->p + at, with.p, with.n);
	}
	loom_buf_cut(text, at + with.n + tail);
	edit->changes++;
}

/* A typed character joins the previous step when it continues it within a word. */
static bool joins(const struct tui_edit *edit, size_t at, struct loom_str text)
{
	const struct tui_edit_step *step = &edit->steps[edit->step_at - 1];

	return edit->last == LAST_TYPED && edit->step_at == edit->step_count && step->typed &&
	       step->at + step->inserted_n == at && step->inserted_n < 256 &&
	       !(text.p[0] != ' ' && step->texts[step->removed_n + step->inserted_n - 1] == ' ');
}

static void step_join(struct tui_edit_step *step, struct loom_str text)
{
	size_t n = step->removed_n + step->inserted_n;

	step->texts = loom_realloc(step->texts, n + text.n, 1);
	memcpy(step->texts + n, text.p, text.n);
	step->inserted_n += text.n;
}

static void step_add(struct tui_edit *edit, struct tui_edit_step step)
{
	steps_drop(edit, edit->step_at, edit->step_count);
	edit->step_count = edit->step_at;
	if (edit->step_count == TUI_EDIT_STEPS) {
		size_t drop = TUI_EDIT_STEPS / 4;
		steps_drop(edit, 0, drop);
		edit->step_count -= drop;
		memmove(edit->steps, edit->steps + drop, edit->step_count * sizeof(step));
	}
	edit->steps[edit->step_count++] = step;
	edit->step_at = edit->step_count;
}

/* Replaces [at, at + n), records the change and puts the caret after the inserted text. */
static void change(struct tui_edit *edit, size_t at, size_t n, struct loom_str with, bool typed)
{
	struct tui_edit_step step = {.at = at,
				     .caret = edit->caret,
				     .removed_n = n,
				     .inserted_n = with.n,
				     .typed = typed};

	if ((n == 0 && with.n == 0) || edit->text.max - edit->text.n < with.n)
		return;
	if (typed && n == 0 && edit->step_at > 0 && joins(edit, at, with)) {
		step_join(&edit->steps[edit->step_at - 1], with);
	} else {
		step.texts = loom_realloc(NULL, n + with.n + 1, 1);
		if (n > 0)
			memcpy(step.texts, edit->text.p + at, n);
		if (with.n > 0)
			memcpy(step.texts + n, with.p, with.n);
		step.folds = tui_folds_dup(&edit->folds);
		step_add(edit, step);
	}
	splice(edit, at, n, with);
	tui_folds_splice(&edit->folds, at, n, with.n);
	edit->caret = at + with.n;
	edit->goal = -1;
}

/* The caret cannot be inside a fold: only before or after it. */
static size_t before_fold(const struct tui_edit *edit, size_t at)
{
	const struct tui_fold *fold = tui_folds_over(&edit->folds, at);

	return fold ? fold->from : at;
}

static size_t behind_fold(const struct tui_edit *edit, size_t at)
{
	const struct tui_fold *fold = tui_folds_over(&edit->folds, at);

	return fold && fold->from < at ? fold->to : at;
}

/* Swaps the folds within these bytes with those recorded for the other side of the change. */
static void cross(struct tui_edit *edit, struct tui_edit_step *step, size_t caret)
{
	struct tui_folds folds = edit->folds;

	edit->folds = step->folds;
	step->folds = folds;
	edit->caret = behind_fold(edit, caret);
}

static bool undo(struct tui_edit *edit)
{
	struct tui_edit_step *step;

	if (edit->step_at == 0)
		return false;
	step = &edit->steps[--edit->step_at];
	splice(edit, step->at, step->inserted_n, loom_str_make(step->texts, step->removed_n));
	cross(edit, step, step->caret);
	return true;
}

static bool redo(struct tui_edit *edit)
{
	struct tui_edit_step *step;

	if (edit->step_at == edit->step_count)
		return false;
	step = &edit->steps[edit->step_at++];
	splice(edit, step->at, step->removed_n,
	       loom_str_make(step->texts + step->removed_n, step->inserted_n));
	cross(edit, step, step->at + step->inserted_n);
	return true;
}

/* --- places --- */

static size_t left_of(const struct tui_edit *edit, size_t at)
{
	return at > 0 ? before_fold(edit, loom_grapheme_prev(tui_edit_text(edit), at)) : 0;
}

static size_t right_of(const struct tui_edit *edit, size_t at)
{
	if (at < edit->text.n)
		loom_grapheme_next(tui_edit_text(edit), &at);
	return behind_fold(edit, at);
}

static bool word_at(const struct tui_edit *edit, size_t at)
{
	unsigned char c = (unsigned char)edit->text.p[at];

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c >= 0x80;
}

static bool solid_at(const struct tui_edit *edit, size_t at)
{
	char c = edit->text.p[at];

	return c != ' ' && c != '\t' && c != '\n';
}

typedef bool in_word_fn(const struct tui_edit *edit, size_t at);

/* A fold counts as one word. */
static size_t run_left(const struct tui_edit *edit, size_t at, in_word_fn *in_word)
{
	const struct tui_fold *fold = NULL;

	while (at > 0 && !(fold = tui_folds_over(&edit->folds, at - 1)) && !in_word(edit, at - 1))
		at--;
	if (at > 0 && fold)
		return fold->from;
	while (at > 0 && !tui_folds_over(&edit->folds, at - 1) && in_word(edit, at - 1))
		at--;
	return at;
}

static size_t run_right(const struct tui_edit *edit, size_t at, in_word_fn *in_word)
{
	const struct tui_fold *fold = NULL;
	size_t n = edit->text.n;

	while (at < n && !(fold = tui_folds_over(&edit->folds, at)) && !in_word(edit, at))
		at++;
	if (at < n && fold)
		return fold->to;
	while (at < n && !tui_folds_over(&edit->folds, at) && in_word(edit, at))
		at++;
	return at;
}

static size_t word_left(const struct tui_edit *edit, size_t at)
{
	return run_left(edit, at, word_at);
}

static size_t word_right(const struct tui_edit *edit, size_t at)
{
	return run_right(edit, at, word_at);
}

static size_t blank_left(const struct tui_edit *edit, size_t at)
{
	return run_left(edit, at, solid_at);
}

/* Lines are visible lines: a line break inside a fold does not count. */
static size_t line_start(const struct tui_edit *edit, size_t at)
{
	const char *lf;

	while (at > 0 && (lf = memrchr(edit->text.p, '\n', at)) != NULL) {
		const struct tui_fold *fold =
			tui_folds_over(&edit->folds, (size_t)(lf - edit->text.p));

		if (!fold)
			return (size_t)(lf - edit->text.p) + 1;
		at = fold->from;
	}
	return 0;
}

static size_t line_end(const struct tui_edit *edit, size_t at)
{
	const char *lf;

	while (at < edit->text.n &&
	       (lf = memchr(edit->text.p + at, '\n', edit->text.n - at)) != NULL) {
		const struct tui_fold *fold =
			tui_folds_over(&edit->folds, (size_t)(lf - edit->text.p));

		if (!fold)
			return (size_t)(lf - edit->text.p);
		at = fold->to;
	}
	return edit->text.n;
}

void tui_edit_to(struct tui_edit *edit, size_t at)
{
	size_t from;

	if (at > edit->text.n)
		at = edit->text.n;
	at = before_fold(edit, at);
	from = at < edit->text.n ? left_of(edit, right_of(edit, at)) : at;
	edit->caret = from < at ? from : at;
	edit->goal = -1;
	edit->last = LAST_OTHER;
}

/* Steps right by one grapheme or fold and returns its width in cells. */
static int step_cells(const struct tui_edit *edit, size_t *at)
{
	const struct tui_fold *fold = tui_folds_over(&edit->folds, *at);
	struct loom_buf label = LOOM_BUF_INIT(128);
	int cells;

	if (!fold)
		return loom_grapheme_next(tui_edit_text(edit), at);
	*at = fold->to;
	tui_folds_label(fold, &label);
	cells = (int)loom_str_width(loom_buf_str(&label));
	loom_buf_fini(&label);
	return cells;
}

static int column_of(const struct tui_edit *edit, size_t from, size_t at)
{
	int column = 0;

	while (from < at)
		column += step_cells(edit, &from);
	return column;
}

/* The offset at column `goal` of the line that begins at `from`. */
static size_t at_column(const struct tui_edit *edit, size_t from, int goal)
{
	size_t end = line_end(edit, from);
	int column = 0;

	while (from < end) {
		size_t next = from;
		column += step_cells(edit, &next);
		if (column > goal)
			break;
		from = next;
	}
	return from;
}

static bool vertical(struct tui_edit *edit, bool down)
{
	size_t start = line_start(edit, edit->caret);
	size_t end = line_end(edit, edit->caret);
	int goal = edit->goal;

	if (down ? end == edit->text.n : start == 0)
		return false;
	if (goal < 0)
		goal = column_of(edit, start, edit->caret);
	edit->caret = at_column(edit, down ? end + 1 : line_start(edit, start - 1), goal);
	edit->goal = goal;
	return true;
}

static bool move(struct tui_edit *edit, size_t to)
{
	bool moved = to != edit->caret;

	edit->caret = to;
	edit->goal = -1;
	return moved;
}

/* --- kill and yank --- */

static struct loom_buf *kill_slot(struct tui_edit *edit, size_t back)
{
	return &edit->kills[(edit->kill_count - 1 - back) % TUI_KILLS];
}

static struct tui_folds *kill_folds(struct tui_edit *edit, size_t back)
{
	return &edit->kill_folds[(edit->kill_count - 1 - back) % TUI_KILLS];
}

/* Consecutive kills join into one. */
static void kill_keep(struct tui_edit *edit, size_t from, size_t to, bool back)
{
	bool join = edit->last == LAST_KILL || edit->last == LAST_KILL_BACK;
	struct loom_str text = loom_str_sub(tui_edit_text(edit), from, to - from);
	struct loom_buf whole = LOOM_BUF_INIT(TUI_EDIT_MAX);
	struct loom_buf *slot;

	if (!join || edit->kill_count == 0) {
		edit->kill_count++;
		loom_buf_clear(kill_slot(edit, 0));
		tui_folds_fini(kill_folds(edit, 0));
	}
	slot = kill_slot(edit, 0);
	if (!back) {
		tui_folds_copy(kill_folds(edit, 0), &edit->folds, from, to, slot->n);
		loom_buf_add(slot, text);
		return;
	}
	tui_folds_splice(kill_folds(edit, 0), 0, 0, text.n);
	tui_folds_copy(kill_folds(edit, 0), &edit->folds, from, to, 0);
	loom_buf_add(&whole, text);
	loom_buf_add(&whole, loom_buf_str(slot));
	loom_buf_fini(slot);
	*slot = whole;
}

static bool kill_range(struct tui_edit *edit, size_t from, size_t to, bool back)
{
	if (from == to)
		return false;
	kill_keep(edit, from, to, back);
	change(edit, from, to - from, LOOM_STR(""), false);
	return true;
}

/* Replaces [from, to) by a kill. */
static void put_kill(struct tui_edit *edit, size_t from, size_t to, size_t back)
{
	struct loom_str text = loom_buf_str(kill_slot(edit, back));

	change(edit, from, to - from, text, false);
	if (edit->caret == from + text.n)
		tui_folds_copy(&edit->folds, kill_folds(edit, back), 0, text.n, from);
}

static bool yank(struct tui_edit *edit)
{
	if (edit->kill_count == 0)
		return false;
	edit->yank_from = edit->caret;
	edit->yank_back = 0;
	put_kill(edit, edit->caret, edit->caret, 0);
	return true;
}

static bool yank_older(struct tui_edit *edit)
{
	size_t kept = edit->kill_count < TUI_KILLS ? edit->kill_count : TUI_KILLS;

	if (edit->last != LAST_YANK || kept < 2)
		return false;
	edit->yank_back = (edit->yank_back + 1) % kept;
	put_kill(edit, edit->yank_from, edit->caret, edit->yank_back);
	return true;
}

/* Swaps the graphemes before and after the caret. */
static bool swap(struct tui_edit *edit)
{
	size_t middle = edit->caret == edit->text.n ? left_of(edit, edit->caret) : edit->caret;
	size_t from = left_of(edit, middle);
	size_t to = right_of(edit, middle);
	struct loom_buf turned = LOOM_BUF_INIT(256);

	if (from == middle || middle == to || tui_folds_over(&edit->folds, from) ||
	    tui_folds_over(&edit->folds, middle))
		return false;
	loom_buf_add(&turned, loom_str_sub(tui_edit_text(edit), middle, to - middle));
	loom_buf_add(&turned, loom_str_sub(tui_edit_text(edit), from, middle - from));
	if (!turned.bad)
		change(edit, from, to - from, loom_buf_str(&turned), false);
	loom_buf_fini(&turned);
	return true;
}

/* --- what callers do --- */

void tui_edit_insert(struct tui_edit *edit, struct loom_str text, bool typed)
{
	struct loom_buf flat = LOOM_BUF_INIT(TUI_EDIT_MAX);

	if (!edit->many_lines && loom_str_find_char(text, '\n', 0) != SIZE_MAX) {
		loom_buf_add(&flat, text);
		for (size_t i = 0; i < flat.n; i++)
			flat.p[i] = flat.p[i] == '\n' ? ' ' : flat.p[i];
		text = loom_buf_str(&flat);
	}
	change(edit, edit->caret, 0, text, typed);
	edit->last = typed ? LAST_TYPED : LAST_OTHER;
	loom_buf_fini(&flat);
}

void tui_edit_paste(struct tui_edit *edit, struct loom_str text)
{
	size_t from = edit->caret;

	tui_edit_insert(edit, text, false);
	text = loom_str_sub(tui_edit_text(edit), from, edit->caret - from);
	if (tui_folds_wants(text))
		tui_folds_add(&edit->folds, tui_edit_text(edit), from, edit->caret);
}

const struct tui_fold *tui_edit_fold(struct tui_edit *edit)
{
	const struct tui_fold *fold =
		tui_folds_toggle(&edit->folds, tui_edit_text(edit), edit->caret);

	if (!fold)
		return NULL;
	edit->caret = fold->open ? fold->from : behind_fold(edit, edit->caret);
	edit->goal = -1;
	edit->last = LAST_OTHER;
	edit->changes++;
	return fold;
}

struct loom_str tui_edit_shown(const struct tui_edit *edit, struct loom_buf *room,
			       struct tui_folds *labels)
{
	if (labels)
		tui_folds_fini(labels);
	if (!tui_folds_any(&edit->folds))
		return tui_edit_text(edit);
	loom_buf_clear(room);
	tui_folds_show(&edit->folds, tui_edit_text(edit), room, labels);
	return loom_buf_str(room);
}

void tui_edit_folds(struct tui_edit *edit, struct loom_str words)
{
	tui_folds_fini(&edit->folds);
	tui_folds_parse(&edit->folds, words, tui_edit_text(edit));
	edit->caret = behind_fold(edit, edit->caret);
}

void tui_edit_replace(struct tui_edit *edit, size_t from, size_t to, struct loom_str text)
{
	if (to > edit->text.n)
		to = edit->text.n;
	if (from <= to)
		change(edit, from, to - from, text, false);
	edit->last = LAST_OTHER;
}

static bool erase(struct tui_edit *edit, size_t from, size_t to)
{
	if (from == to)
		return false;
	change(edit, from, to - from, LOOM_STR(""), false);
	return true;
}

static bool kill_op(struct tui_edit *edit, enum tui_edit_op op)
{
	size_t at = edit->caret;
	size_t end = line_end(edit, at);
	bool done;

	if (op == TUI_EDIT_KILL_BLANK_BACK)
		done = kill_range(edit, blank_left(edit, at), at, true);
	else if (op == TUI_EDIT_KILL_WORD_BACK)
		done = kill_range(edit, word_left(edit, at), at, true);
	else if (op == TUI_EDIT_KILL_START)
		done = kill_range(edit, line_start(edit, at), at, true);
	else if (op == TUI_EDIT_KILL_WORD)
		done = kill_range(edit, at, word_right(edit, at), false);
	else
		done = kill_range(edit, at, end == at ? right_of(edit, at) : end, false);
	if (done)
		edit->last = LAST_KILL;
	return done;
}

static bool move_op(struct tui_edit *edit, enum tui_edit_op op)
{
	static size_t (*const places[])(const struct tui_edit *, size_t) = {
		[TUI_EDIT_LEFT] = left_of,          [TUI_EDIT_RIGHT] = right_of,
		[TUI_EDIT_WORD_LEFT] = word_left,   [TUI_EDIT_WORD_RIGHT] = word_right,
		[TUI_EDIT_LINE_START] = line_start, [TUI_EDIT_LINE_END] = line_end,
	};

	if (op < LOOM_COUNT(places))
		return move(edit, places[op](edit, edit->caret));
	if (op == TUI_EDIT_TEXT_START)
		return move(edit, 0);
	if (op == TUI_EDIT_TEXT_END)
		return move(edit, edit->text.n);
	return vertical(edit, op == TUI_EDIT_DOWN);
}

static bool change_op(struct tui_edit *edit, enum tui_edit_op op)
{
	size_t at = edit->caret;

	if (op == TUI_EDIT_ERASE_BACK)
		return erase(edit, left_of(edit, at), at);
	if (op == TUI_EDIT_ERASE)
		return erase(edit, at, right_of(edit, at));
	if (op == TUI_EDIT_SWAP)
		return swap(edit);
	if (op == TUI_EDIT_UNDO)
		return undo(edit);
	if (op == TUI_EDIT_REDO)
		return redo(edit);
	change(edit, at, 0, LOOM_STR("\n"), false);
	return true;
}

bool tui_edit_do(struct tui_edit *edit, enum tui_edit_op op)
{
	bool done;

	if (op >= TUI_EDIT_KILL_BLANK_BACK && op <= TUI_EDIT_KILL_END)
		return kill_op(edit, op);
	if (op == TUI_EDIT_YANK || op == TUI_EDIT_YANK_OLDER) {
		done = op == TUI_EDIT_YANK ? yank(edit) : yank_older(edit);
		edit->last = done ? LAST_YANK : LAST_OTHER;
		return done;
	}
	done = op <= TUI_EDIT_DOWN ? move_op(edit, op) : change_op(edit, op);
	edit->last = LAST_OTHER;
	return done;
}

struct binding {
	struct tui_key key;
	enum tui_edit_op op;
};

static const struct binding bindings[] = {
	{{TUI_KEY_LEFT, 0}, TUI_EDIT_LEFT},
	{{'b', TUI_KEY_CTRL}, TUI_EDIT_LEFT},
	{{TUI_KEY_RIGHT, 0}, TUI_EDIT_RIGHT},
	{{'f', TUI_KEY_CTRL}, TUI_EDIT_RIGHT},
	{{'b', TUI_KEY_ALT}, TUI_EDIT_WORD_LEFT},
	{{TUI_KEY_LEFT, TUI_KEY_CTRL}, TUI_EDIT_WORD_LEFT},
	{{TUI_KEY_LEFT, TUI_KEY_ALT}, TUI_EDIT_WORD_LEFT},
	{{'f', TUI_KEY_ALT}, TUI_EDIT_WORD_RIGHT},
	{{TUI_KEY_RIGHT, TUI_KEY_CTRL}, TUI_EDIT_WORD_RIGHT},
	{{TUI_KEY_RIGHT, TUI_KEY_ALT}, TUI_EDIT_WORD_RIGHT},
	{{TUI_KEY_HOME, 0}, TUI_EDIT_LINE_START},
	{{'a', TUI_KEY_CTRL}, TUI_EDIT_LINE_START},
	{{TUI_KEY_END, 0}, TUI_EDIT_LINE_END},
	{{'e', TUI_KEY_CTRL}, TUI_EDIT_LINE_END},
	{{TUI_KEY_HOME, TUI_KEY_CTRL}, TUI_EDIT_TEXT_START},
	{{'<', TUI_KEY_ALT}, TUI_EDIT_TEXT_START},
	{{TUI_KEY_END, TUI_KEY_CTRL}, TUI_EDIT_TEXT_END},
	{{'>', TUI_KEY_ALT}, TUI_EDIT_TEXT_END},
	{{TUI_KEY_UP, 0}, TUI_EDIT_UP},
	{{'p', TUI_KEY_CTRL}, TUI_EDIT_UP},
	{{TUI_KEY_DOWN, 0}, TUI_EDIT_DOWN},
	{{'n', TUI_KEY_CTRL}, TUI_EDIT_DOWN},
	{{TUI_KEY_BACKSPACE, 0}, TUI_EDIT_ERASE_BACK},
	{{'h', TUI_KEY_CTRL}, TUI_EDIT_ERASE_BACK},
	{{TUI_KEY_DELETE, 0}, TUI_EDIT_ERASE},
	{{'d', TUI_KEY_CTRL}, TUI_EDIT_ERASE},
	{{'w', TUI_KEY_CTRL}, TUI_EDIT_KILL_BLANK_BACK},
	{{TUI_KEY_BACKSPACE, TUI_KEY_ALT}, TUI_EDIT_KILL_WORD_BACK},
	{{'d', TUI_KEY_ALT}, TUI_EDIT_KILL_WORD},
	{{TUI_KEY_DELETE, TUI_KEY_CTRL}, TUI_EDIT_KILL_WORD},
	{{'u', TUI_KEY_CTRL}, TUI_EDIT_KILL_START},
	{{'k', TUI_KEY_CTRL}, TUI_EDIT_KILL_END},
	{{'y', TUI_KEY_CTRL}, TUI_EDIT_YANK},
	{{'y', TUI_KEY_ALT}, TUI_EDIT_YANK_OLDER},
	{{'t', TUI_KEY_CTRL}, TUI_EDIT_SWAP},
	{{'_', TUI_KEY_CTRL}, TUI_EDIT_UNDO},
	{{'_', TUI_KEY_ALT}, TUI_EDIT_REDO},
};

static bool callers(const struct tui_edit *edit, enum tui_edit_op op)
{
	return !edit->many_lines && (op == TUI_EDIT_UP || op == TUI_EDIT_DOWN);
}

bool tui_edit_binds(struct tui_key key)
{
	for (size_t i = 0; i < LOOM_COUNT(bindings); i++)
		if (tui_key_eq(bindings[i].key, key))
			return true;
	return false;
}

bool tui_edit_key(struct tui_edit *edit, struct tui_key key)
{
	char typed[4];

	if (tui_key_prints(key)) {
		tui_edit_insert(edit, loom_str_make(typed, loom_utf8_encode(key.code, typed)),
				true);
		return true;
	}
	for (size_t i = 0; i < LOOM_COUNT(bindings); i++) {
		if (!tui_key_eq(bindings[i].key, key))
			continue;
		if (callers(edit, bindings[i].op))
			return false;
		tui_edit_do(edit, bindings[i].op);
		return true;
	}
	return false;
}
