/* A curses screen whose output is a file in memory. Invariant: between frames that file is empty
 * and `shown` is what the terminal shows. Several can be open; each call selects its own. */
#define NCURSES_WIDECHAR 1
#include "terminal.h"

#include <curses.h>
#include <locale.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

#include "blit.h"

#undef lines
#undef columns

#define FRAME_MAX ((size_t)32 << 20)
#define HOLD      "\x1b[?2026h"
#define SHOW      "\x1b[?2026l"
/* Asks for the background colour. */
#define ASK_GROUND "\x1b]11;?\x1b\\"
/* Draws a box glyph, repeats it, and asks where the cursor is then. */
#define TRY_REPEAT "\x1b[2;1H─\x1b[b"
#define REPEATED   "2;3R"
/* Asks where the cursor is. Every terminal answers that, and answers questions in order. */
#define ASK_PLACE "\x1b[6n"
/* A place for the cursor whose reply is never taken for a key, even on a screen of one row: 1;1R to
 * 1;16R are F3. */
#define AWAY "\x1b[2;17H"

struct tui_term {
	SCREEN *screen;
	FILE *out;
	FILE *in;
	bool hold;
	bool all;        /* the next frame draws everything */
	const char *ask; /* and asks this question; NULL for none */
	bool waits;      /* until the last reply */
	bool cursor_shown;
	enum tui_depth depth;
	struct tui_draw *draw;
	struct tui_grid shown;
	struct loom_buf raw;
};

static FILE *memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static enum tui_depth depth_of(const struct tui_term_opts *opts)
{
	if (opts->no_colour || !has_colors())
		return TUI_DEPTH_MONO;
	if (COLORS < 256)
		return TUI_DEPTH_16;
	return opts->truecolour ? TUI_DEPTH_TRUE : TUI_DEPTH_256;
}

/* Takes the output of curses from the file in memory. */
static void take_bytes(struct tui_term *term)
{
	char chunk[4096];
	int fd = fileno(term->out);
	off_t at = 0;
	ssize_t n;

	fflush(term->out);
	loom_buf_clear(&term->raw);
	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		loom_buf_add(&term->raw, loom_str_make(chunk, (size_t)n));
		at += n;
	}
	if (ftruncate(fd, 0) == 0)
		lseek(fd, 0, SEEK_SET);
}

static bool can_save_cursor(void)
{
	return save_cursor && restore_cursor &&
	       strcmp(save_cursor, "\x1b"
				   "7") == 0;
}

static bool has(const char *capability, const char *value)
{
	const char *found = tigetstr(capability);

	return found && found != (char *)-1 && strcmp(found, value) == 0;
}

/* Judged by name: tmux repeats letters only, mosh nothing, and both call themselves xterm. */
static bool may_repeat(const struct tui_term_opts *opts)
{
	return opts->utf8 && repeat_char && strstr(repeat_char, "\x1b[") != NULL;
}

static void set_up_curses(struct tui_term *term, const struct tui_term_opts *opts)
{
	noecho();
	nonl();
	typeahead(-1);
	leaveok(stdscr, FALSE);
	idlok(stdscr, TRUE);
	if (has_colors() && !opts->no_colour) {
		start_color();
		use_default_colors();
	}
	term->depth = depth_of(opts);
	resize_term(opts->h, opts->w);
	curs_set(0);
}

/* Sets an environment variable and returns its old value for put_back. */
static char *put_number(const char *name, int value)
{
	const char *old = getenv(name);
	char *before = old ? strdup(old) : NULL;
	char number[16];

	snprintf(number, sizeof(number), "%d", value);
	setenv(name, number, 1);
	return before;
}

static void put_back(const char *name, char *before)
{
	if (before)
		setenv(name, before, 1);
	else
		unsetenv(name);
	free(before);
}

/* Curses asks a descriptor for the size, or else the environment. Our descriptor is a file, so the
 * environment tells it, for this one call. Afterwards resize_term sets the size. */
static SCREEN *new_screen(struct tui_term *term, const struct tui_term_opts *opts)
{
	char *lines = put_number("LINES", opts->h);
	char *columns = put_number("COLUMNS", opts->w);
	SCREEN *screen;

	use_env(TRUE);
	use_tioctl(FALSE);
	screen = newterm(opts->type, term->out, term->in);
	put_back("LINES", lines);
	put_back("COLUMNS", columns);
	return screen;
}

/* The questions about what a terminal of that name may support; its reply confirms it. */
static const char *questions(const struct tui_term *term, const struct tui_term_opts *opts)
{
	bool repeats = may_repeat(opts) && opts->h > 1;
	bool ground = term->depth >= TUI_DEPTH_256;

	if (!opts->asks)
		return NULL;
	return repeats && ground ? ASK_GROUND TRY_REPEAT ASK_PLACE
	       : repeats         ? TRY_REPEAT ASK_PLACE
	       : ground          ? ASK_GROUND AWAY ASK_PLACE
				 : NULL;
}

/* Checked before newterm, which leaks when it fails. */
static bool can_draw(const char *type, int fd)
{
	int known = 0;
	bool can = false;

	if (setupterm(type, fd, &known) == OK) {
		can = cursor_address != NULL;
		del_curterm(cur_term);
	}
	return can;
}

static enum loom_status open_curses(struct tui_term *term, const struct tui_term_opts *opts,
				    struct loom_err *err)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	term->out = memory_file("frame");
	term->in = memory_file("keys");
	if (!term->out || !term->in)
		return loom_fail(err, LOOM_IO, "no memory file for the frames");
	if (!can_draw(opts->type, fileno(term->out))) {
		loom_fail(err, LOOM_REFUSED,
			  "terminal type \"%s\" is unknown or cannot be drawn on",
			  opts->type ? opts->type : "");
		return loom_hint(err, LOOM_REFUSED,
				 "`loom --plain` takes the same commands on any terminal; TERM "
				 "sets the type");
	}
	term->screen = new_screen(term, opts);
	if (!term->screen)
		return loom_fail(err, LOOM_REFUSED, "curses cannot use terminal type \"%s\"",
				 opts->type);
	set_term(term->screen);
	set_up_curses(term, opts);
	return LOOM_OK;
}

enum loom_status tui_term_open(struct tui_term **out, const struct tui_term_opts *opts,
			       const struct tui_theme *theme, struct loom_err *err)
{
	struct tui_term *term = loom_alloc(sizeof(*term));
	enum loom_status status;

	*out = NULL;
	loom_buf_init(&term->raw, FRAME_MAX);
	tui_grid_init(&term->shown, false);
	status = open_curses(term, opts, err);
	if (status == LOOM_OK) {
		struct tui_draw_opts draw = {.depth = term->depth,
					     .utf8 = opts->utf8,
					     .places = can_save_cursor(),
					     .repeats = may_repeat(opts) && !opts->asks,
					     .strikes = has("smxx", "\x1b[9m") &&
							has("invis", "\x1b[8m")};
		term->draw = tui_draw_create(&draw, theme);
		term->hold = opts->hold;
		term->all = true;
		term->ask = questions(term, opts);
		*out = term;
	} else {
		tui_term_close(term, NULL);
	}
	return status;
}

void tui_term_leave(struct tui_term *term, struct loom_buf *out)
{
	set_term(term->screen);
	endwin();
	take_bytes(term);
	loom_buf_add(out, loom_buf_str(&term->raw));
	tui_draw_forget_colours(term->draw);
	term->all = true;
}

void tui_term_close(struct tui_term *term, struct loom_buf *out)
{
	if (!term)
		return;
	if (term->screen) {
		set_term(term->screen);
		if (out)
			tui_term_leave(term, out);
		else
			endwin();
		delscreen(term->screen);
	}
	if (term->out)
		fclose(term->out);
	if (term->in)
		fclose(term->in);
	tui_draw_destroy(term->draw);
	tui_grid_fini(&term->shown);
	loom_buf_fini(&term->raw);
	free(term);
}

void tui_term_theme(struct tui_term *term, const struct tui_theme *theme)
{
	tui_draw_theme(term->draw, theme);
}

void tui_term_redraw(struct tui_term *term)
{
	term->all = true;
}

static void draw_rows(struct tui_term *term, const struct tui_grid *grid)
{
	for (int y = 0; y < grid->h; y++) {
		if (!term->all && tui_grid_row_same(&term->shown, grid, y))
			continue;
		if (tui_draw_row(term->draw, grid, y) && !term->all)
			wredrawln(stdscr, y, 1);
	}
}

static void draw_grid(struct tui_term *term, const struct tui_grid *grid)
{
	bool resized = term->shown.w != grid->w || term->shown.h != grid->h;

	if (resized)
		resize_term(grid->h, grid->w);
	if (tui_draw_stale(term->draw) || resized)
		term->all = true;
	draw_rows(term, grid);
	if (tui_draw_stale(term->draw)) { /* a table ran full: draw again from empty tables */
		term->all = true;
		draw_rows(term, grid);
	}
	if (term->all)
		clearok(stdscr, TRUE);
	if (term->cursor_shown != grid->cursor_shown || term->all)
		curs_set(grid->cursor_shown ? 1 : 0);
	term->cursor_shown = grid->cursor_shown;
	if (grid->cursor_shown)
		move(grid->cursor_y, grid->cursor_x);
}

void tui_term_reply(struct tui_term *term, struct loom_str reply)
{
	if (loom_str_is(reply, REPEATED))
		tui_draw_repeats(term->draw);
	if (loom_str_ends(reply, LOOM_STR("R")))
		term->waits = false;
}

bool tui_term_waits(const struct tui_term *term)
{
	return term->waits;
}

/* Turns the output of curses into the bytes to send. Questions go out right after entering the
 * alternate screen, before it is cleared. */
static void add_frame(struct tui_term *term, struct loom_buf *out)
{
	struct loom_str raw = loom_buf_str(&term->raw);
	size_t wiped = term->ask ? loom_str_find(raw, loom_str_of(clear_screen), 0) : SIZE_MAX;

	if (wiped != SIZE_MAX) {
		tui_draw_filter(term->draw, loom_str_sub(raw, 0, wiped), out);
		loom_buf_adds(out, term->ask);
		term->waits = true;
		term->ask = NULL;
		raw = loom_str_sub(raw, wiped, raw.n);
	}
	tui_draw_filter(term->draw, raw, out);
}

void tui_term_frame(struct tui_term *term, const struct tui_grid *grid, struct loom_buf *out)
{
	set_term(term->screen);
	draw_grid(term, grid);
	wnoutrefresh(stdscr);
	doupdate();
	take_bytes(term);
	tui_grid_copy(&term->shown, grid);
	term->all = false;
	if (term->raw.n == 0)
		return;
	if (term->hold)
		loom_buf_adds(out, HOLD);
	add_frame(term, out);
	if (term->hold)
		loom_buf_adds(out, SHOW);
}
