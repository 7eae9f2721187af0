/* Text that means harm, in every place where the program shows text: what goes to the terminal are
 * sequences of our own and characters that one can see. A sample of all code points here, with
 * every control, direction and invisible one among them; all of them with LOOM_TEST_MANY. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/mark.h>

#include "support/grove.h"
#include "support/prop.h"
#include <loom/program/app.h>
#include <loom/base/utf8.h>
#include <loom/desk/desk.h>
#include "tui/terminal/terminal.h"

#define NODES  24
#define POINTS 60 /* of a text */

/* --- what may reach a terminal --- */

static const struct {
	uint32_t low, high;
} unseen[] = {
	{0x00, 0x1f},       {0x7f, 0x9f},        {0xad, 0xad},     {0x34f, 0x34f},
	{0x61c, 0x61c},     {0x115f, 0x1160},    {0x17b4, 0x17b5}, {0x180b, 0x180f},
	{0x200b, 0x200b},   {0x200e, 0x200f},    {0x2028, 0x202e}, {0x2060, 0x206f},
	{0x3164, 0x3164},   {0xd800, 0xdfff},    {0xfe00, 0xfe0e}, {0xfeff, 0xfeff},
	{0xffa0, 0xffa0},   {0xfff0, 0xfffb},    {0xfffe, 0xffff}, {0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
};

static bool is_unseen(uint32_t cp)
{
	for (size_t i = 0; i < LOOM_COUNT(unseen); i++)
		if (cp >= unseen[i].low && cp <= unseen[i].high)
			return true;
	return false;
}

/* The length of a sequence of ours at the ESC, 0 when it is none. */
static size_t sequence(struct loom_str bytes, size_t at)
{
	static const char finals[] = "ABCDGHJKLMPSTXZ@bdfhlmnrtq";
	size_t end = at + 2;
	char kind = at + 1 < bytes.n ? bytes.p[at + 1] : '\0';

	if (kind && strchr("78=>MDc", kind))
		return 2;
	if ((kind == '(' || kind == ')') && at + 2 < bytes.n)
		return strchr("0AB", bytes.p[at + 2]) ? 3 : 0;
	if (kind != '[')
		return 0;
	while (end < bytes.n && strchr("0123456789;:?>! ", bytes.p[end]) && bytes.p[end])
		end++;
	return end < bytes.n && bytes.p[end] && strchr(finals, bytes.p[end]) ? end + 1 - at : 0;
}

/* Where something stands that may not; SIZE_MAX: nowhere. */
static size_t find_harm(struct loom_str bytes)
{
	for (size_t at = 0; at < bytes.n;) {
		const size_t from = at;
		uint32_t cp = loom_utf8_next(bytes, &at);

		if (cp == 0x1b) {
			size_t n = sequence(bytes, from);
			if (n == 0)
				return from;
			at = from + n;
		} else if (cp == LOOM_CP_BAD ||
			   (is_unseen(cp) && cp != '\r' && cp != '\n' && cp != '\b')) {
			return from;
		}
	}
	return SIZE_MAX;
}

TEST harm_is_found_where_it_is(void)
{
	static const char *const good[] = {"plain", "\x1b[1;31mred\x1b[m", "\x1b[?2026h",
					   "\xc3\xa9\xe6\xbc\xa2", "\r\n"};
	static const char *const bad[] = {"\x1b]0;title\x07",
					  "\a",
					  ("\xc2\x9b"
					   "31m"),
					  "\xe2\x80\xae",
					  "\xe2\x80\x8b",
					  "\xff",
					  "\x1b[31",
					  "\x1bP1$r\x1b\\",
					  "\xf3\xa0\x81\x81",
					  "\x7f",
					  "\t",
					  "\x1b[5i"};

	for (size_t i = 0; i < LOOM_COUNT(good); i++)
		ASSERT_EQm(good[i], SIZE_MAX, find_harm(loom_str_of(good[i])));
	for (size_t i = 0; i < LOOM_COUNT(bad); i++)
		ASSERTm(bad[i], find_harm(loom_str_of(bad[i])) != SIZE_MAX);
	PASS();
}

/* --- a grove full of it --- */

struct table {
	struct grove grove;
	struct tui_app *app;
	struct tui_grid grid;
	struct tui_term *term;
	struct tui_theme theme;
	struct loom_buf bytes;
	const char *wrong;
	size_t named; /* frames in which harm was seen under its name */
	struct loom_buf texts[NODES];
};

static bool is_text(uint32_t cp)
{
	return cp > 0 && cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

/* Code points from `first` on, `step` apart, with what would do harm behind them. */
static void write_texts(struct table *table, uint32_t first, uint32_t step)
{
	static const char *const harm[] = {
		"\x1b[2J\x1b]0;x\x07",
		"\xe2\x80\xae"
		"abc\xe2\x80\xac",
		"\xc2\x9b"
		"2J\x7f",
		"\x1bP+q544e\x1b\\",
		"\x1b[200~q\x1b[201~",
		"\xf3\xa0\x81\x81\xf3\xa0\x81\x82",
	};

	for (uint32_t i = 0; i < NODES; i++) {
		loom_buf_clear(&table->texts[i]);
		for (uint32_t k = 0; k < POINTS; k++) {
			uint32_t cp = first + (i * POINTS + k) * step;

			if (is_text(cp))
				loom_buf_add_cp(&table->texts[i], cp);
		}
		loom_buf_adds(&table->texts[i], harm[i % LOOM_COUNT(harm)]);
		loom_buf_adds(&table->texts[i], "end");
	}
}

/* As much of a text as a name may have, on one line if need be. */
static struct loom_str name_of(struct table *table, size_t i, size_t max)
{
	return loom_utf8_clip(loom_buf_str(&table->texts[i % NODES]), max);
}

/* What is refused does not come to the screen either; what is taken must be harmless there. */
static void try_names(struct table *table, int64_t node, size_t i)
{
	struct loom_store *store = table->grove.store;
	const struct loom_agent agent = {.kind = LOOM_AGENT_MODEL,
					 .name = name_of(table, i, 60),
					 .model = name_of(table, i + 1, 60)};
	int64_t made;
	bool changed;

	(void)!loom_bookmark_set(store, node, true, name_of(table, i, 200), &changed, NULL);
	(void)!loom_tag_set(store, node, name_of(table, i + 1, 60), true, &changed, NULL);
	(void)!loom_summary_keep(store, LOOM_JOB_NODE, node, name_of(table, i + 2, 100), false,
				 NULL);
	(void)!loom_doc_create(store, name_of(table, i, 60), name_of(table, i, 400),
			       table->grove.owner, &made, NULL);
	(void)!loom_agent_create(store, &agent, &made, NULL);
	loom_op_say(store, "did %.*s", LOOM_STR_ARG(name_of(table, i + 3, 200)));
}

static void fill(struct table *table)
{
	struct grove *grove = &table->grove;
	struct loom_tree_spec tree = {.mode = LOOM_DIALOGUE,
				      .author = grove->owner,
				      .title = name_of(table, 0, 60),
				      .root_text = loom_buf_str(&table->texts[0])};
	struct loom_err err;
	int64_t id = 0, root;

	grove_begin(grove, "new");
	if (loom_tree_create(grove->store, &tree, &id, &err) != LOOM_OK) {
		tree.title = LOOM_STR("refused");
		grove_must(loom_tree_create(grove->store, &tree, &id, &err), &err, "tree");
	}
	grove_commit(grove);
	root = grove_root(grove, id);
	for (size_t i = 0; i < NODES; i++) {
		struct loom_node_spec spec = {.tree = id,
					      .from = root,
					      .kind = i % 5 == 4 ? LOOM_ANNOTATION
								 : LOOM_CONTINUATION,
					      .text = loom_buf_str(&table->texts[i]),
					      .author = i % 2 ? grove->model : grove->owner,
					      .seq = -1};
		int64_t node;

		grove_begin(grove, "respond");
		grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
		try_names(table, node, i);
		grove_commit(grove);
	}
}

static void open_all(struct table *table, const char *type)
{
	struct tui_app_opts opts = {.env = &table->grove.env,
				    .dir = loom_str_of(table->grove.temp.path)};
	struct tui_term_opts term = {.type = type, .w = 160, .h = 50, .utf8 = true};
	struct loom_err err;

	grove_must(tui_app_open(&table->app, &opts, &err), &err, "app");
	grove_must(tui_theme_named(LOOM_STR("default"), &table->theme, &err), &err, "theme");
	grove_must(tui_term_open(&table->term, &term, &table->theme, &err), &err, "term");
	tui_grid_init(&table->grid, false);
}

static void close_all(struct table *table)
{
	tui_app_close(table->app);
	loom_buf_clear(&table->bytes);
	tui_term_close(table->term, &table->bytes);
	tui_grid_fini(&table->grid);
}

static void show_harm(const struct table *table, const char *where, size_t at)
{
	size_t from = at > 40 ? at - 40 : 0;

	fprintf(stderr, "behind %s: ", where);
	for (size_t i = from; i < at + 20 && i < table->bytes.n; i++) {
		unsigned char c = (unsigned char)table->bytes.p[i];
		fprintf(stderr, c >= ' ' && c < 0x7f ? "%c" : "\\x%02x", c);
	}
	fputc('\n', stderr);
}

/* A frame, looked at. */
static void look(struct table *table, const char *where)
{
	size_t at;

	tui_grid_reset(&table->grid, 160, 50);
	tui_app_draw(table->app, &table->grid);
	if (!table->wrong)
		table->wrong = tui_grid_fault(&table->grid);
	loom_buf_clear(&table->bytes);
	tui_term_frame(table->term, &table->grid, &table->bytes);
	at = find_harm(loom_buf_str(&table->bytes));
	table->named += loom_str_find(loom_buf_str(&table->bytes), LOOM_STR("^["), 0) != SIZE_MAX;
	if (at != SIZE_MAX && !table->wrong) {
		show_harm(table, where, at);
		table->wrong = where;
	}
}

static void press(struct table *table, const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n && tui_key_parse(text, &at, &event.key);)
		tui_app_event(table->app, &event);
	tui_app_work(table->app, true);
	look(table, keys);
}

static void paste(struct table *table, struct loom_str text)
{
	struct tui_event event = {.kind = TUI_EVENT_PASTE, .text = text};

	tui_app_event(table->app, &event);
	look(table, "a paste");
}

/* Wherever text is shown. */
static void walk(struct table *table)
{
	static const char *const views[] = {"?",  "ot", "oh", "od", "ob", "oo", "oj", "oe",
					    "oa", "op", "om", "oc", "ok", "!",  ".",  "="};

	look(table, "the first frame");
	press(table, "zR");
	for (size_t i = 0; i < NODES; i++)
		press(table, "j");
	for (size_t i = 0; i < LOOM_COUNT(views); i++) {
		press(table, views[i]);
		press(table, "j");
		press(table, "<C-f>");
		press(table, "<Enter>");
		for (int back = 0; back < 3; back++)
			press(table, "<Esc>");
		press(table, "q");
	}
	for (size_t i = 0; i < 4; i++) {
		press(table, "gg:view ");
		press(table, "<Tab>");
		paste(table, name_of(table, i, 300));
		press(table, "<Enter>");
		press(table, "<Esc>q/");
		paste(table, name_of(table, i, 100));
		press(table, "<Enter>n");
		press(table, "<Esc>l:search ");
		paste(table, name_of(table, i, 100));
		press(table, "<Enter>");
		press(table, "<Esc>q:use ");
		paste(table, name_of(table, i, 60));
		press(table, "<Enter>");
		press(table, "<Esc>i");
		paste(table, loom_buf_str(&table->texts[i]));
		press(table, "<Esc>");
	}
	press(table, "b");
	press(table, "u");
	press(table, "oe");
}

static const char *try_from(struct table *table, uint32_t first, uint32_t step, const char *type)
{
	grove_init(&table->grove);
	write_texts(table, first, step);
	fill(table);
	open_all(table, type);
	walk(table);
	close_all(table);
	grove_fini(&table->grove);
	if (table->wrong)
		fprintf(stderr, "from U+%04X, every %u\n", first, step);
	return table->wrong;
}

static const char *sample(struct table *table)
{
	static const uint32_t parts[] = {0x1, 0x590, 0x2000, 0xfe00 - 300, 0xe0000, 0x1f300, 0x900};
	struct prop prop;

	prop_init(&prop, "hostile");
	for (size_t i = 0; i < LOOM_COUNT(parts); i++)
		if (try_from(table, parts[i], 1, i % 2 ? "xterm" : "xterm-256color"))
			return table->wrong;
	return try_from(table, (uint32_t)prop_below(&prop, 700), 773, "xterm-256color");
}

static const char *everything(struct table *table)
{
	for (uint32_t first = 1; first <= 0x10ffff; first += NODES * POINTS)
		if (try_from(table, first, 1, "xterm-256color"))
			return table->wrong;
	return NULL;
}

TEST no_text_reaches_the_terminal_as_anything_but_text(void)
{
	struct table table = {.bytes = LOOM_BUF_INIT((size_t)32 << 20)};
	const char *wrong;

	for (size_t i = 0; i < NODES; i++)
		loom_buf_init(&table.texts[i], 1 << 20);
	wrong = getenv("LOOM_TEST_MANY") ? everything(&table) : sample(&table);
	for (size_t i = 0; i < NODES; i++)
		loom_buf_fini(&table.texts[i]);
	loom_buf_fini(&table.bytes);
	printf("harm by name in %zu frames\n", table.named);
	ASSERT_EQm(wrong, NULL, wrong);
	ASSERT(table.named > 200);
	PASS();
}

/* --- any bytes --- */

enum { SLOT = 16, ROWS = 50, SLOTS = 10 * ROWS };

static bool is_post(int x)
{
	return x % SLOT == SLOT - 1;
}

/* Texts between posts of ours, `next` giving each; false when there are no more. */
struct strings {
	bool (*next)(struct strings *strings, struct loom_buf *out);
	struct prop prop;
	uint32_t count, end;
};

static void draw_strings(struct table *table, struct strings *strings, struct loom_buf *text)
{
	struct tui_grid *grid = &table->grid;
	struct tui_pen post;

	tui_grid_reset(grid, SLOT * SLOTS / ROWS, ROWS);
	post = tui_pen_make(grid, (struct tui_rect){0, 0, grid->w, ROWS}, TUI_INK(BORDER));
	for (int y = 0; y < ROWS; y++) {
		for (int x = SLOT - 1; x < grid->w; x += SLOT) {
			tui_pen_to(&post, x, y);
			tui_pen_puts(&post, "#");
		}
	}
	for (int i = 0; i < SLOTS; i++) {
		const struct tui_rect slot = {i / ROWS * SLOT, i % ROWS, SLOT - 1, 1};
		struct tui_pen pen = tui_pen_make(grid, slot, TUI_INK(TEXT));

		loom_buf_clear(text);
		if (strings->next(strings, text))
			tui_pen_text(&pen, loom_buf_str(text));
	}
}

/* What is wrong with the frame, NULL when nothing is. */
static const char *frame_fault(struct table *table)
{
	const struct tui_grid *grid = &table->grid;
	const struct tui_cell *post = tui_grid_cell(grid, SLOT - 1, 0);
	size_t at;

	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < grid->w; x++) {
			const struct tui_cell *cell = tui_grid_cell(grid, x, y);

			if (is_post(x) != (cell->ink.role == TUI_ROLE_BORDER) ||
			    (is_post(x) && cell->glyph != post->glyph))
				return "a text reaches beyond its place";
		}
	loom_buf_clear(&table->bytes);
	tui_term_frame(table->term, grid, &table->bytes);
	at = find_harm(loom_buf_str(&table->bytes));
	if (at != SIZE_MAX)
		show_harm(table, "a text", at);
	return at != SIZE_MAX ? "harm reaches the terminal" : tui_grid_fault(grid);
}

static const char *try_strings(struct strings *strings, const char *type)
{
	struct table table = {.bytes = LOOM_BUF_INIT((size_t)32 << 20)};
	struct tui_term_opts opts = {.type = type, .w = 160, .h = ROWS, .utf8 = true};
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct loom_err err;

	grove_must(tui_theme_named(LOOM_STR("default"), &table.theme, &err), &err, "theme");
	grove_must(tui_term_open(&table.term, &opts, &table.theme, &err), &err, "term");
	tui_grid_init(&table.grid, false);
	while (strings->count < strings->end && !table.wrong) {
		draw_strings(&table, strings, &text);
		table.wrong = frame_fault(&table);
	}
	loom_buf_clear(&table.bytes);
	tui_term_close(table.term, &table.bytes);
	tui_grid_fini(&table.grid);
	loom_buf_fini(&table.bytes);
	loom_buf_fini(&text);
	return table.wrong;
}

/* Each pair alone, behind a letter and before one. */
static bool next_pair(struct strings *strings, struct loom_buf *out)
{
	const uint32_t pair = strings->count;

	if (pair >= strings->end)
		return false;
	strings->count++;
	for (int i = 0; i < 2; i++) {
		loom_buf_adds(out, i ? "a" : "");
		loom_buf_addc(out, (char)(pair >> 8));
		loom_buf_addc(out, (char)(pair & 0xff));
	}
	loom_buf_adds(out, "z");
	return true;
}

static bool next_random(struct strings *strings, struct loom_buf *out)
{
	static const char *const pieces[] = {"\x1b[",
					     "\x1b]52;c;",
					     "\x1b\\",
					     "\x1bP",
					     "\xc2\x9b",
					     "\xc2\x90",
					     "\xe2\x80",
					     "\xe2\x80\xae",
					     "\xf3\xa0\x81",
					     "\x81",
					     "\xf0\x9f\x91\xa8",
					     "\xe2\x80\x8d",
					     "\xcc\x81",
					     "\r",
					     "\b",
					     "\x9b",
					     "\xd7\x90",
					     "\xe0\xa5\x8d",
					     "\xef\xb8\x8f",
					     "31m"};

	if (strings->count >= strings->end)
		return false;
	strings->count++;
	for (size_t n = prop_below(&strings->prop, 12); n > 0; n--) {
		if (prop_once_in(&strings->prop, 2))
			loom_buf_adds(out, pieces[prop_below(&strings->prop, LOOM_COUNT(pieces))]);
		else
			loom_buf_addc(out, (char)prop_below(&strings->prop, 256));
	}
	return true;
}

TEST no_pair_of_bytes_leaves_its_place_or_is_obeyed(void)
{
	struct strings strings = {.next = next_pair, .end = 65536};
	const char *wrong = try_strings(&strings, "xterm-256color");

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST no_string_of_bytes_leaves_its_place_or_is_obeyed(void)
{
	struct strings strings = {.next = next_random,
				  .end = getenv("LOOM_TEST_MANY") ? 1000000 : 200000};
	const char *wrong;

	prop_init(&strings.prop, "bytes");
	wrong = try_strings(&strings, "xterm");
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(hostile)
{
	RUN_TEST(no_pair_of_bytes_leaves_its_place_or_is_obeyed);
	RUN_TEST(no_string_of_bytes_leaves_its_place_or_is_obeyed);
	RUN_TEST(harm_is_found_where_it_is);
	RUN_TEST(no_text_reaches_the_terminal_as_anything_but_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(hostile);
	GREATEST_MAIN_END();
}
