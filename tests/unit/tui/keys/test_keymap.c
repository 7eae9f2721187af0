#include "greatest.h"

#include <loom/cli/themes.h>
#include <loom/keys/keymap.h>

struct typed {
	struct tui_chord chord;
	struct tui_match match;
	enum tui_chord_state state;
};

static struct typed type(const struct tui_keymap *map, enum tui_keyview view, const char *spelt)
{
	struct typed typed = {.state = TUI_CHORD_NONE};
	struct loom_str s = loom_str_of(spelt);
	struct tui_key key;

	for (size_t at = 0; at < s.n && tui_key_parse(s, &at, &key);)
		typed.state = tui_keymap_feed(map, view, &typed.chord, key, &typed.match);
	return typed;
}

static enum tui_command command(const struct tui_keymap *map, enum tui_keyview view,
				const char *spelt)
{
	struct typed typed = type(map, view, spelt);

	return typed.state == TUI_CHORD_DONE ? typed.match.binding->command : TUI_COMMAND_NONE;
}

/* Every VIEW:KEYS of the table became a binding. */
TEST every_key_of_the_table_is_understood(void)
{
	struct tui_keymap map;
	size_t pairs = 0;

	tui_keymap_init(&map);
	for (int i = 1; i < TUI_COMMANDS; i++) {
		const struct tui_command_info *info = tui_command_info((enum tui_command)i);
		struct loom_str rest = loom_str_of(info->keys);
		struct loom_str pair;
		while (rest.n > 0 && loom_str_cut(&rest, ' ', &pair))
			pairs++;
		ASSERTm(info->name, strlen(info->summary) <= 60 && info->summary[0]);
	}
	ASSERT_EQ_FMT(pairs, map.count, "%zu");
	tui_keymap_fini(&map);
	PASS();
}

TEST names_of_actions_and_verbs_are_unique(void)
{
	for (int i = 1; i < TUI_COMMANDS; i++) {
		const char *name = tui_command_info((enum tui_command)i)->name;
		ASSERT_EQm(name, i, (int)tui_command_find(loom_str_of(name)));
	}
	PASS();
}

TEST no_key_is_bound_twice_in_a_view(void)
{
	struct tui_keymap map;

	tui_keymap_init(&map);
	for (size_t i = 0; i < map.count; i++) {
		for (size_t j = i + 1; j < map.count; j++) {
			const struct tui_binding *a = &map.bindings[i];
			const struct tui_binding *b = &map.bindings[j];
			ASSERTm(tui_command_info(b->command)->name,
				a->view != b->view || a->n != b->n ||
					memcmp(a->keys, b->keys, sizeof(a->keys)) != 0);
		}
	}
	tui_keymap_fini(&map);
	PASS();
}

/* What is reachable in a view is reached: no shorter sequence takes its first keys. */
TEST no_sequence_is_shadowed_by_a_shorter_one(void)
{
	struct tui_keymap map;

	tui_keymap_init(&map);
	for (size_t i = 0; i < map.count; i++) {
		const struct tui_binding *binding = &map.bindings[i];
		for (int view = 0; view < TUI_KEYVIEWS; view++) {
			if (tui_keymap_exact(&map, (enum tui_keyview)view, binding->keys,
					     binding->n) != binding)
				continue;
			for (size_t n = 1; n < binding->n; n++)
				ASSERT_EQm(tui_command_info(binding->command)->name, NULL,
					   tui_keymap_exact(&map, (enum tui_keyview)view,
							    binding->keys, n));
		}
	}
	tui_keymap_fini(&map);
	PASS();
}

TEST keys_lead_to_commands(void)
{
	struct tui_keymap map;

	tui_keymap_init(&map);
	ASSERT_EQ(TUI_ACTION_DOWN, command(&map, TUI_KEYVIEW_NAV, "j"));
	ASSERT_EQ(TUI_ACTION_DOWN, command(&map, TUI_KEYVIEW_COMPARE, "<Down>"));
	ASSERT_EQ(TUI_VERB_CONTINUE, command(&map, TUI_KEYVIEW_NAV, "c"));
	ASSERT_EQ(TUI_ACTION_TOP, command(&map, TUI_KEYVIEW_NAV, "gg"));
	ASSERT_EQ(TUI_ACTION_LEAF, command(&map, TUI_KEYVIEW_NAV, "gl"));
	ASSERT_EQ(TUI_ACTION_BLIND, command(&map, TUI_KEYVIEW_COMPARE, "z"));
	ASSERT_EQ(TUI_ACTION_RUN, command(&map, TUI_KEYVIEW_APPROVE, "!"));
	ASSERT_EQ(TUI_ACTION_ADD, command(&map, TUI_KEYVIEW_LIST, "a"));
	ASSERT_EQ(TUI_ACTION_PASTE_WHOSE, command(&map, TUI_KEYVIEW_PASTE, "a"));
	ASSERT_EQ(TUI_ACTION_COMMAND_LINE, command(&map, TUI_KEYVIEW_NAV, ":"));
	ASSERT_EQ(TUI_ACTION_BOTTOM, command(&map, TUI_KEYVIEW_NAV, "<M-gt>"));
	ASSERT_EQ(TUI_COMMAND_NONE, command(&map, TUI_KEYVIEW_TEXT, "j"));
	ASSERT_EQ(TUI_ACTION_TEXT_DONE, command(&map, TUI_KEYVIEW_TEXT, "<Esc>"));
	tui_keymap_fini(&map);
	PASS();
}

TEST a_count_comes_before_its_key(void)
{
	struct tui_keymap map;
	struct typed typed;
	struct loom_buf spelt = LOOM_BUF_INIT(64);

	tui_keymap_init(&map);
	typed = type(&map, TUI_KEYVIEW_NAV, "105j");
	ASSERT_EQ(TUI_CHORD_DONE, typed.state);
	ASSERT_EQ(105, typed.match.count);
	typed = type(&map, TUI_KEYVIEW_NAV, "99999999j");
	ASSERT_EQ(TUI_COUNT_MAX, typed.match.count);
	typed = type(&map, TUI_KEYVIEW_NAV, "5z");
	ASSERT_EQ(TUI_CHORD_PENDING, typed.state);
	tui_chord_spell(&typed.chord, &spelt);
	ASSERT_STR_EQ("5z", loom_buf_cstr(&spelt));
	typed = type(&map, TUI_KEYVIEW_NAV, "5z<Esc>");
	ASSERT_EQ(TUI_CHORD_CLEARED, typed.state);
	ASSERT_EQ(0, typed.chord.count);
	typed = type(&map, TUI_KEYVIEW_NAV, "z3");
	ASSERT_EQ(TUI_ACTION_FOLD_DEPTH, typed.match.binding->command);
	ASSERT_EQ('3', typed.match.any.code);
	typed = type(&map, TUI_KEYVIEW_NAV, "''");
	ASSERT_EQ(TUI_ACTION_GO_MARK, typed.match.binding->command);
	typed = type(&map, TUI_KEYVIEW_NAV, "gj");
	ASSERT_EQ(TUI_CHORD_NONE, typed.state);
	ASSERT_EQ(0, typed.chord.n);
	loom_buf_fini(&spelt);
	tui_keymap_fini(&map);
	PASS();
}

TEST the_ways_to_go_on_are_listed_once_each(void)
{
	struct tui_keymap map;
	struct tui_way ways[64];
	struct typed typed;
	size_t n;
	bool top = false;

	tui_keymap_init(&map);
	typed = type(&map, TUI_KEYVIEW_NAV, "g");
	n = tui_keymap_ways(&map, TUI_KEYVIEW_NAV, &typed.chord, ways, 64);
	for (size_t i = 0; i < n; i++) {
		top = top || ways[i].binding->command == TUI_ACTION_TOP;
		for (size_t j = 0; j < i; j++)
			ASSERT_FALSE(tui_key_eq(ways[i].key, ways[j].key));
	}
	ASSERT(top);
	ASSERT(n >= 9);
	n = tui_keymap_ways(&map, TUI_KEYVIEW_TEXT, &typed.chord, ways, 64);
	ASSERT_EQ(0, n);
	tui_keymap_fini(&map);
	PASS();
}

TEST a_user_can_move_every_binding(void)
{
	struct tui_keymap map;
	struct loom_err err;
	struct loom_buf spelt = LOOM_BUF_INIT(64);

	tui_keymap_init(&map);
	ASSERT_EQ(LOOM_OK, tui_keymap_load(&map,
					   LOOM_STR("{\"nav\": {\"n\": \"down\", \"j\": null,"
						    " \"<C-x>k\": \":prune a7x2\"}}"),
					   &err));
	ASSERT_EQ(TUI_ACTION_DOWN, command(&map, TUI_KEYVIEW_NAV, "n"));
	ASSERT_EQ(TUI_COMMAND_NONE, command(&map, TUI_KEYVIEW_NAV, "j"));
	ASSERT_EQ(TUI_ACTION_DOWN, command(&map, TUI_KEYVIEW_LIST, "j"));
	ASSERT_STR_EQ("prune a7x2", type(&map, TUI_KEYVIEW_NAV, "<C-x>k").match.binding->line);
	ASSERT(tui_keymap_spell(&map, TUI_KEYVIEW_NAV, TUI_ACTION_FIND_PREV, &spelt));
	ASSERT_STR_EQ("N", loom_buf_cstr(&spelt));
	loom_buf_fini(&spelt);
	tui_keymap_fini(&map);
	PASS();
}

TEST keys_that_are_none_are_refused_and_nothing_is_bound(void)
{
	static const char *const bad[] = {
		"{\"nav\": {\"n\": \"fly\"}}",
		"{\"nowhere\": {\"n\": \"down\"}}",
		"{\"nav\": {\"q\": \"down\", \"<C-Nokey>\": \"down\"}}",
		"{\"nav\": {\"q\": 5}}",
		"{\"nav\": []}",
		"[]",
		"{",
		"{\"nav\": {\"abcdefg\": \"down\"}}",
		"{\"nav\": {\"\": \"down\"}}",
	};
	struct tui_keymap map;
	struct loom_err err;

	tui_keymap_init(&map);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		size_t before = map.count;
		ASSERTm(bad[i], tui_keymap_load(&map, loom_str_of(bad[i]), &err) != LOOM_OK);
		ASSERT_EQm(bad[i], before, map.count);
		ASSERTm(bad[i], err.text[0] != '\0');
	}
	tui_keymap_fini(&map);
	PASS();
}

/* What the user reads when these keys.json are loaded. */
static const char *said_of(const char *json)
{
	static char said[800];
	struct tui_keymap map;
	struct loom_buf clash = LOOM_BUF_INIT(400);
	struct loom_err err = {.status = LOOM_OK};

	tui_keymap_init(&map);
	if (tui_keymap_load(&map, loom_str_of(json), &err) != LOOM_OK)
		loom_buf_addf(&clash, "%s / %s", err.text, err.hint);
	else
		tui_keymap_clash(&map, &clash);
	snprintf(said, sizeof said, "%s", loom_buf_cstr(&clash));
	loom_buf_fini(&clash);
	tui_keymap_fini(&map);
	return said;
}

TEST what_is_refused_is_named_with_its_place(void)
{
	ASSERT(strstr(said_of("{\"nav\": {\"x\": \"prunes\"}}"),
		      "keys.json, nav, x: no command is named \"prunes\""));
	ASSERT(strstr(said_of("{\"nav\": {\"<Foo>\": \"prune\"}}"),
		      "keys.json, nav: \"<Foo>\" is not a sequence of keys"));
	ASSERT(strstr(said_of("{\"keys\": {}}"), "known views: * nav list"));
	ASSERT(strstr(said_of("{\"nav\": {\"x\": 3}}"), "keys.json, nav, x: neither"));
	ASSERT(strstr(said_of("{\"nav\": {"), "keys.json: "));
	PASS();
}

/* Each is a keys.json that hides nothing, and is taken by its name, too. */
TEST presets_hide_no_keys(void)
{
	static char named[200];
	const char *name = NULL;
	const char *about = NULL;
	struct loom_str json;
	size_t count = 0;

	for (; loom_preset_at(count, &name, &about, &json); count++) {
		ASSERT_STR_EQ("", said_of(json.p));
		snprintf(named, sizeof named, "{\"preset\": \"%s\", \"nav\": {\"Z\": \"pin\"}}",
			 name);
		if (strcmp(name, "vim") != 0) /* which has ZZ */
			ASSERT_STR_EQ("", said_of(named));
	}
	ASSERT_EQ(4, count);
	ASSERT(strstr(said_of("{\"preset\": \"nano\"}"), "no such preset / presets: vim, emacs"));
	PASS();
}

TEST the_keys_of_a_preset_come_below_ones_own(void)
{
	struct tui_keymap map;
	struct loom_err err;
	struct tui_binding dd = {.n = 0};
	struct tui_binding redo = {.n = 0};
	struct tui_binding yy = {.n = 0};

	tui_keymap_init(&map);
	ASSERT_EQ(LOOM_OK, tui_keymap_load(&map,
					   LOOM_STR("{\"*\": {\"<C-r>\": \"pin\"}, "
						    "\"preset\": \"vim\"}"),
					   &err));
	ASSERT(tui_keys_parse(LOOM_STR("dd"), &dd) && tui_keys_parse(LOOM_STR("<C-r>"), &redo));
	ASSERT(tui_keys_parse(LOOM_STR("yy"), &yy));
	ASSERT_EQ(TUI_ACTION_COPY, tui_keymap_exact(&map, TUI_KEYVIEW_NAV, yy.keys, yy.n)->command);
	ASSERT_EQ(TUI_VERB_PRUNE, tui_keymap_exact(&map, TUI_KEYVIEW_NAV, dd.keys, dd.n)->command);
	ASSERT_EQ(TUI_VERB_PIN,
		  tui_keymap_exact(&map, TUI_KEYVIEW_NAV, redo.keys, redo.n)->command);
	tui_keymap_fini(&map);
	PASS();
}

TEST a_key_that_hides_others_is_said(void)
{
	ASSERT_STR_EQ("", said_of("{}"));
	ASSERT_STR_EQ("", said_of("{\"nav\": {\"x\": \"pin\", \"Zx\": \"prune\"}}"));
	ASSERT(strstr(said_of("{\"nav\": {\"g\": \"prune\"}}"), "in nav g comes first"));
	ASSERT(strstr(said_of("{\"nav\": {\"g\": \"prune\"}}"), " more"));
	ASSERT(strstr(said_of("{\"*\": {\"z\": \"redo\"}}"), "nothing reaches za"));
	ASSERT(strstr(said_of("{\"nav\": {\"xx\": \"prune\"}}"),
		      "in nav x comes first, so that nothing reaches xx"));
	ASSERT_STR_EQ("", said_of("{\"nav\": {\"xx\": \"prune\", \"x\": null}}"));
	PASS();
}

TEST every_key_is_spelt_as_it_is_read(void)
{
	static const char *const keys[] = {"j", "<C-d>",  "<M-f>",   "<S-Tab>", "<Space>",  "<lt>",
					   ">", "<M-gt>", "<C-M-x>", "<PgUp>",  "\xc3\xa9", "'"};
	struct loom_buf out = LOOM_BUF_INIT(64);
	struct tui_key key;

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		size_t at = 0;
		ASSERTm(keys[i], tui_key_parse(loom_str_of(keys[i]), &at, &key));
		ASSERT_EQm(keys[i], strlen(keys[i]), at);
		loom_buf_clear(&out);
		tui_key_spell(key, &out);
		ASSERT_STR_EQ(keys[i], loom_buf_cstr(&out));
	}
	loom_buf_fini(&out);
	PASS();
}

SUITE(keymap)
{
	RUN_TEST(every_key_of_the_table_is_understood);
	RUN_TEST(names_of_actions_and_verbs_are_unique);
	RUN_TEST(no_key_is_bound_twice_in_a_view);
	RUN_TEST(no_sequence_is_shadowed_by_a_shorter_one);
	RUN_TEST(keys_lead_to_commands);
	RUN_TEST(a_count_comes_before_its_key);
	RUN_TEST(the_ways_to_go_on_are_listed_once_each);
	RUN_TEST(a_user_can_move_every_binding);
	RUN_TEST(keys_that_are_none_are_refused_and_nothing_is_bound);
	RUN_TEST(what_is_refused_is_named_with_its_place);
	RUN_TEST(presets_hide_no_keys);
	RUN_TEST(the_keys_of_a_preset_come_below_ones_own);
	RUN_TEST(a_key_that_hides_others_is_said);
	RUN_TEST(every_key_is_spelt_as_it_is_read);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(keymap);
	GREATEST_MAIN_END();
}
