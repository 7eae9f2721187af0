/* The whole program without a terminal: keys in, grids out, at any size, under all themes. */
#include <greatest.h>

#include <loom/tree/mark.h>
#include <loom/cli/themes.h>

#include "support/prop.h"
#include "support/table.h"
#include <loom/desk/desk.h>
#include <loom/desk/others.h>
#include <loom/grove/draft.h>
#include <loom/grove/presence.h>
#include <loom/work/stream.h>
#include "tui/terminal/terminal.h"

static void set_up(struct table *at, enum loom_mode mode)
{
	int64_t tip;

	table_begin(at, 100, 30);
	tip = grove_root(&at->grove, grove_tree(&at->grove, mode, "A beginning.\nAnd more. "));
	for (int i = 0; i < 30; i++) {
		int64_t next = grove_node(&at->grove, tip, "Some words. \xe6\xbc\xa2\xe5\xad\x97 ");
		if (i % 4 == 0)
			grove_node(&at->grove, tip, "Others\x1b[2J \xe2\x80\xae hostile");
		if (i % 9 == 0)
			grove_edit(&at->grove, next, "Some other words. ");
		tip = next;
	}
	table_open(at);
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"",  "l",  "gl", "<Tab>j", "?",
					   "q", "zR", "G",  ":view ", "<Esc>"};

	for (int mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
		set_up(&table, (enum loom_mode)mode);
		for (size_t k = 0; k < LOOM_COUNT(keys); k++) {
			table_type(&table, keys[k]);
			for (int w = 1; w <= 200; w += w < 12 ? 1 : 37) {
				for (int h = 1; h <= 60; h += h < 12 ? 1 : 13) {
					const char *wrong = table_draw(&table, w, h);
					ASSERT_EQm(wrong, NULL, wrong);
				}
			}
		}
		table_fini(&table);
	}
	PASS();
}

TEST the_focus_has_the_cursor(void)
{
	set_up(&table, LOOM_DIALOGUE);
	for (int h = 3; h < 40; h += 6) {
		ASSERT_EQ(NULL, table_draw(&table, 80, h));
		ASSERT(table.grid.cursor_shown);
	}
	table_type(&table, "<Tab>");
	ASSERT_EQ(NULL, table_draw(&table, 80, 24));
	ASSERT(table.grid.cursor_shown);
	PASS();
}

/* What is read is in sight in a narrower window too, be it at the end of what was. */
TEST the_caret_of_the_text_stays_in_sight_of_any_window(void)
{
	set_up(&table, LOOM_BUFFER);
	table_type(&table, "gl<Tab>gg");
	ASSERT_EQ(NULL, table_draw(&table, 100, 30));
	table_type(&table, "jjjjjjj");
	ASSERT_EQ(NULL, table_sizes(&table, true));
	PASS();
}

TEST every_theme_draws_it_on_every_kind_of_terminal(void)
{
	static const char *const types[] = {"xterm-256color", "xterm", "vt100", "linux"};
	const char *name;
	struct loom_str json;

	set_up(&table, LOOM_DIALOGUE);
	table_type(&table, "lzR");
	for (size_t i = 0; loom_theme_at(i, &name, &json); i++) {
		for (size_t t = 0; t < LOOM_COUNT(types) * 2; t++) {
			struct tui_term_opts opts = {.type = types[t / 2],
						     .w = 80,
						     .h = 24,
						     .no_colour = t % 2,
						     .utf8 = true};
			struct loom_buf bytes = LOOM_BUF_INIT(1 << 22);
			struct tui_theme theme;
			struct tui_term *term;
			struct loom_err err;

			grove_must(tui_theme_named(loom_str_of(name), &theme, &err), &err, name);
			if (tui_term_open(&term, &opts, &theme, &err) != LOOM_OK)
				continue;
			table_draw(&table, 80, 24);
			tui_term_frame(term, &table.grid, &bytes);
			ASSERT(bytes.n > 500);
			ASSERT(bytes.n < 9000);
			tui_term_close(term, &bytes);
			loom_buf_fini(&bytes);
		}
	}
	PASS();
}

/* The terminal has said what its ground is: the default theme takes the colours for such a one. */
TEST the_default_theme_hears_of_the_ground(void)
{
	struct tui_event reply = {.kind = TUI_EVENT_REPLY,
				  .text = LOOM_STR("11;rgb:1e1e/1e1e/1e1e")};
	const struct tui_look *looks;
	struct tui_theme dark;
	struct loom_err err;

	set_up(&table, LOOM_DIALOGUE);
	looks = table.app->theme.looks;
	ASSERT_EQ(LOOM_OK, tui_theme_named(LOOM_STR("dark"), &dark, &err));
	tui_app_event(table.app, &reply);
	ASSERT_EQ(dark.looks[TUI_ROLE_MODEL].fg.g, looks[TUI_ROLE_MODEL].fg.g);
	table_type(&table, ":theme light<Enter>:theme default<Enter>");
	ASSERT_EQ(dark.looks[TUI_ROLE_MODEL].fg.g, looks[TUI_ROLE_MODEL].fg.g);
	ASSERT_FALSE(looks[TUI_ROLE_TEXT].bg.set);
	PASS();
}

TEST going_to_a_child_returns_to_the_one_visited_last(void)
{
	set_up(&table, LOOM_DIALOGUE);
	table_type(&table, "l]");
	ASSERT(table_shows(&table, "2 of 3"));
	table_type(&table, "hl");
	ASSERT(table_shows(&table, "2 of 3"));
	PASS();
}

TEST jumps_go_back_and_forward(void)
{
	set_up(&table, LOOM_DIALOGUE);
	table_type(&table, "l");
	ASSERT(table_shows(&table, "1 of 3"));
	table_type(&table, "glH");
	ASSERT(table_shows(&table, "1 of 3"));
	table_type(&table, "L");
	ASSERT_FALSE(table_shows(&table, "1 of 3"));
	PASS();
}

TEST a_hoisted_branch_is_alone_and_comes_back(void)
{
	set_up(&table, LOOM_DIALOGUE);
	table_type(&table, "lllzi");
	ASSERT(table_shows(&table, "hoisted"));
	table_type(&table, "zuzuzuzu");
	ASSERT_FALSE(table_shows(&table, "hoisted"));
	PASS();
}

TEST a_hoisted_branch_that_somebody_prunes_gives_way_to_the_tree(void)
{
	const struct tui_app *app;
	int64_t above;

	set_up(&table, LOOM_DIALOGUE);
	app = table.app;
	table_type(&table, "ll");
	above = app->position;
	table_type(&table, "lzi");
	grove_prune(&table.grove, app->member);
	tui_news_look(table.app);
	ASSERT_EQ(above, app->position);
	ASSERT_EQ((uint64_t)above, tui_items_get(app->outline.items, app->cursor)->key);
	ASSERT_FALSE(table_shows(&table, "hoisted"));
	grove_node(&table.grove, grove_root(&table.grove, 1), "And on it goes.");
	tui_news_look(table.app);
	ASSERT(table_shows(&table, "And on it goes."));
	PASS();
}

/* The rows of the tree, whether in sight or not. */
static void tree_rows(struct loom_buf *out)
{
	const struct tui_items *items = table.app->outline.items;
	uint32_t at = tui_items_at(items, 0, NULL);

	loom_buf_clear(out);
	for (; at; at = tui_items_next(items, at))
		loom_buf_addf(out, "%lld %u\n", (long long)tui_items_get(items, at)->key,
			      (unsigned)tui_items_folded(items, at));
}

TEST what_was_open_is_open_when_one_comes_back(void)
{
	static const char *const ways[] = {"zizuzuzuzu", "zmzm", "zpzp", "zizmzmzuzuzu",
					   "zilllzizuzuzuzu"};
	struct loom_buf before = LOOM_BUF_INIT(1 << 20);
	struct loom_buf after = LOOM_BUF_INIT(1 << 20);

	for (size_t i = 0; i < LOOM_COUNT(ways); i++) {
		set_up(&table, LOOM_DIALOGUE);
		table_type(&table, "zRggllll");
		tree_rows(&before);
		table_type(&table, ways[i]);
		tree_rows(&after);
		ASSERT_STR_EQm(ways[i], loom_buf_cstr(&before), loom_buf_cstr(&after));
		table_fini(&table);
	}
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	PASS();
}

static void press(struct table *at, const char *keys)
{
	for (const char *c = keys; *c; c++) {
		struct tui_event event = {.kind = TUI_EVENT_KEY,
					  .key = {.code = (unsigned char)*c}};
		tui_app_event(at->app, &event);
	}
}

/* What is in sight at once, and all of it when nothing else is to be done; its end is its end. */
TEST unfolding_all_is_done_in_parts(void)
{
	struct table whole, part;

	set_up(&whole, LOOM_DIALOGUE);
	table_type(&whole, "zR");
	ASSERT_FALSE(tui_app_busy(whole.app));
	set_up(&part, LOOM_DIALOGUE);
	press(&part, "zR");
	ASSERT(tui_app_busy(part.app));
	press(&part, "G");
	table_type(&whole, "G");
	ASSERT_EQ(NULL, table_draw(&whole, 100, 60));
	ASSERT_EQ(NULL, table_draw(&part, 100, 60));
	for (int y = 0; y < 60; y++)
		ASSERT(tui_grid_row_same(&whole.grid, &part.grid, y));
	press(&part, "zRz1zRzM");
	tui_app_work(part.app, true);
	table_type(&whole, "zM");
	ASSERT_EQ(NULL, table_draw(&whole, 100, 60));
	ASSERT_EQ(NULL, table_draw(&part, 100, 60));
	for (int y = 0; y < 60; y++)
		ASSERT(tui_grid_row_same(&whole.grid, &part.grid, y));
	table_fini(&part);
	table_fini(&whole);
	PASS();
}

/* A write makes the tree be read anew: what is in sight stands at once, the rest is as it was when
 * nothing else is to be done, also when the next one comes in between. */
TEST what_was_open_is_open_again_after_a_write(void)
{
	struct table still, written;

	set_up(&still, LOOM_DIALOGUE);
	set_up(&written, LOOM_DIALOGUE);
	table_type(&still, "zRGkkkkbzR");
	table_type(&written, "zRGkkkk");
	ASSERT_EQ(NULL, table_draw(&written, 80, 9)); /* few rows are in sight */
	press(&written, "bbbb");
	tui_app_work(written.app, false);
	press(&written, "bb");
	tui_app_work(written.app, true);
	ASSERT_EQ(NULL, table_draw(&still, 140, 90)); /* all of them */
	ASSERT_EQ(NULL, table_draw(&written, 140, 90));
	for (int y = 1; y < 89; y++)
		ASSERT(tui_grid_row_same(&still.grid, &written.grid, y));
	table_fini(&written);
	table_fini(&still);
	PASS();
}

/* Enter leads into the text, and there to all that is known of the node under the caret. */
TEST what_hangs_on_a_node_is_two_keys_away(void)
{
	set_up(&table, LOOM_BUFFER);
	table_type(&table, "aA remark.<Enter>tmotive<Enter>");
	ASSERT(table_shows(&table, "tagged"));
	table_type(&table, "j");
	table_type(&table, "k");
	ASSERT(table_shows(&table, "r001 \xc2\xb7 1 note \xc2\xb7 #motive"));
	table_type(&table, "<Enter>");
	ASSERT_FALSE(table_shows(&table, "A remark."));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "A remark."));
	ASSERT(table_shows(&table, "motive"));
	PASS();
}

/* Its notice is still on its way when the node is gone to. */
TEST a_node_that_was_written_a_moment_ago_can_be_gone_to(void)
{
	struct loom_err err;
	int64_t node;
	bool changed;

	set_up(&table, LOOM_DIALOGUE);
	table_type(&table, "l");
	node = grove_node(&table.grove, grove_root(&table.grove, 1), "Just now.");
	grove_begin(&table.grove, "bookmark");
	grove_must(loom_bookmark_set(table.grove.store, node, true, LOOM_STR("new"), &changed,
				     &err),
		   &err, "bookmark");
	grove_commit(&table.grove);
	press(&table, "gb");
	ASSERT_FALSE(table_shows(&table, "hidden"));
	ASSERT(table_shows(&table, "Just now."));
	PASS();
}

/* Keys, and then the end, before anything of what they set off has been answered. */
TEST ending_in_the_middle_of_anything_is_an_end(void)
{
	static const char *const keys[] = {
		":new \"more\"\r",
		"5c",
		"iText\a",
		"iText\a5c",
		"x",
		"r",
		"=x",
		"oc",
		"/words\r",
		"ofwords\r",
		"osSome\r",
		"e!\a",
		"\t!\a",
		"xxxu",
	};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		set_up(&table, LOOM_DIALOGUE);
		table_type(&table, "ll");
		for (const char *c = keys[i]; *c; c++) {
			struct tui_event event = {.kind = TUI_EVENT_KEY};
			event.key = (struct tui_key){.code = *c == '\r'   ? (uint32_t)TUI_KEY_ENTER
							     : *c == '\t' ? (uint32_t)TUI_KEY_TAB
							     : *c == '\a' ? 'g'
									  : (unsigned char)*c,
						     .mods = *c == '\a' ? TUI_KEY_CTRL : 0};
			tui_app_event(table.app, &event);
		}
		table_fini(&table);
	}
	PASS();
}

/* Anything that a keyboard can say, in any order: no crash, a whole picture, and no write that is
 * not done when it has come to rest. */
TEST random_keys_do_no_harm(void)
{
	static const char keys[] =
		"jjkkhhllll[]{}GHLnNzaozcRMim123+-wJKxbuUXvVyY?oqtbdae/f:.!F=sTp \t\x1b";
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct prop prop;

		prop_init_seed(&prop, seed);
		set_up(&table, seed % 2 ? LOOM_DIALOGUE : LOOM_BUFFER);
		for (int i = 0; i < 400; i++) {
			struct tui_event event = {.kind = TUI_EVENT_KEY};
			event.key.code =
				(unsigned char)keys[prop_between(&prop, 0, sizeof keys - 2)];
			if (event.key.code == '\x1b')
				event.key.code = TUI_KEY_ESC;
			if (event.key.code == '\t')
				event.key.code = TUI_KEY_TAB;
			tui_app_event(table.app, &event);
			if (i % 7 == 0) {
				const char *wrong =
					table_draw(&table, (int)prop_between(&prop, 1, 140),
						   (int)prop_between(&prop, 1, 50));
				ASSERT_EQm(wrong, NULL, wrong);
			}
			if (i % 50 == 0)
				tui_app_work(table.app, true);
		}
		table_fini(&table);
	}
	PASS();
}

/* A screen that stays open sees what another one was having written when it died. */
TEST what_somebody_left_half_written_comes_into_the_tree(void)
{
	struct loom_session *session = NULL;
	struct loom_presence what = {.agent = LOOM_STR("owner"), .human = true};
	struct loom_stream spec = {.record = LOOM_STR("{}")};
	struct loom_err err;
	int64_t stream = 0;

	table_init(&table);
	table_open(&table);
	grove_must(loom_session_open(table.grove.store, &session, &err), &err, "session");
	grove_must(loom_session_say(session, &what, &err), &err, "say");
	spec.tree = 1;
	spec.from = grove_root(&table.grove, spec.tree);
	spec.agent = table.grove.model;
	spec.session = loom_str_of(loom_session_name(session));
	grove_must(loom_quiet_begin(table.grove.store, &err), &err, "begin");
	grove_must(loom_stream_begin(table.grove.store, &spec, &stream, &err), &err, "stream");
	grove_must(loom_stream_add(table.grove.store, stream, LOOM_STR("half a sen"), &err), &err,
		   "add");
	grove_must(loom_quiet_end(table.grove.store, LOOM_OK, &err), &err, "end");
	table_type(&table, "j");
	ASSERT(table_shows(&table, "1 other here"));
	ASSERT_FALSE(table_shows(&table, "half a sen"));
	loom_session_close(session);
	grove_node(&table.grove, spec.from, "Another way.");
	table_type(&table, "j");
	ASSERT_FALSE(table_shows(&table, "1 other here"));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "half a sen"));
	PASS();
}

SUITE(app)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_somebody_left_half_written_comes_into_the_tree);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(the_focus_has_the_cursor);
	RUN_TEST(the_caret_of_the_text_stays_in_sight_of_any_window);
	RUN_TEST(every_theme_draws_it_on_every_kind_of_terminal);
	RUN_TEST(the_default_theme_hears_of_the_ground);
	RUN_TEST(going_to_a_child_returns_to_the_one_visited_last);
	RUN_TEST(jumps_go_back_and_forward);
	RUN_TEST(what_was_open_is_open_when_one_comes_back);
	RUN_TEST(a_hoisted_branch_is_alone_and_comes_back);
	RUN_TEST(a_hoisted_branch_that_somebody_prunes_gives_way_to_the_tree);
	RUN_TEST(unfolding_all_is_done_in_parts);
	RUN_TEST(what_was_open_is_open_again_after_a_write);
	RUN_TEST(what_hangs_on_a_node_is_two_keys_away);
	RUN_TEST(a_node_that_was_written_a_moment_ago_can_be_gone_to);
	RUN_TEST(ending_in_the_middle_of_anything_is_an_end);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(app);
	GREATEST_MAIN_END();
}
