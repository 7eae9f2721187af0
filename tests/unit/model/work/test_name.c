/* Names that deceive: refused when made, marked when brought in; and names that do not. */
#include <greatest.h>

#include <loom/tree/agent.h>
#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/text/deceiving_names.h>
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

GREATEST_MAIN_DEFS();

#define REFUSED(WANT, SAYS, WHAT, NAME)                                                            \
	do {                                                                                       \
		struct loom_err why = {.status = LOOM_OK};                                         \
		ASSERT_EQ_FMTm(NAME, (int)(WANT),                                                  \
			       (int)loom_name_check(WHAT, loom_str_of(NAME), claude, 1, &why),     \
			       "%d");                                                              \
		ASSERTm(why.text, strstr(why.text, SAYS) != NULL);                                 \
		ASSERTm(NAME, why.hint[0] != '\0');                                                \
	} while (0)
#define TAKEN(WHAT, NAME)                                                                          \
	do {                                                                                       \
		struct loom_err why = {.status = LOOM_OK};                                         \
		ASSERT_EQ_FMTm(why.text, (int)LOOM_OK,                                             \
			       (int)loom_name_check(WHAT, loom_str_of(NAME), claude, 1, &why),     \
			       "%d");                                                              \
	} while (0)

static const struct loom_str claude[] = {LOOM_STR_INIT("Claude")};
static struct grove g;

static void set_up(void *data)
{
	(void)data;
	grove_init(&g);
}

static void tear_down(void *data)
{
	(void)data;
	grove_fini(&g);
}

/* --- by themselves --- */

TEST nothing_to_be_seen_is_no_name(void)
{
	static const char *const names[] = {
		"",
		" ",
		"\t",
		"\u00A0",
		"\u3000\u2003",
		"\u200B",
		"\u2800",
		"\U000E0041",
		"\u3164",
		" \u202E ",
		"\u0301",
		"\u0301\u0302",
		"\uFEFF",
		"\u2066\u2069",
	};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		for (int what = LOOM_NAMED_AGENT; what <= LOOM_NAMED_OBJECTIVE; what++)
			REFUSED(LOOM_INVALID, "visible character", (enum loom_named)what, names[i]);
	PASS();
}

TEST what_hides_is_refused_with_the_name_that_is_meant(void)
{
	static const char *const names[] = {
		"Eve\u200Bl", "E\u202Evel", "\uFEFFEvel", "Evel\U000E0041",
		"Ev\u00ADel", "Evel\u2800", "E\x1Bvel",
	};
	struct loom_err err = {.status = LOOM_OK};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		REFUSED(LOOM_INVALID, "U+", LOOM_NAMED_DOC, names[i]);
	STATUS_IS(LOOM_INVALID,
		  loom_name_check(LOOM_NAMED_DOC, LOOM_STR("Eve\u200Bl"), NULL, 0, &err));
	ASSERT_STR_EQ("type \"Evel\"", err.hint);
	STATUS_IS(LOOM_INVALID, loom_name_check(LOOM_NAMED_DOC, LOOM_STR(" Evel"), NULL, 0, &err));
	ASSERT_STR_EQ("type \"Evel\"", err.hint);
	REFUSED(LOOM_INVALID, "UTF-8", LOOM_NAMED_TAG, "a\xFF");
	REFUSED(LOOM_INVALID, "space", LOOM_NAMED_TAG, "a\u00A0");
	PASS();
}

TEST our_own_words_are_nobodys_however_they_are_dressed(void)
{
	static const char *const names[] = {
		"human",
		"Human",
		"HUMAN",
		"hUmAn",
		" human",
		"human ",
		"\u200Bhuman",
		"hu\u00ADman",
		"you",
		"You ",
		"YOU",
		"y0u",
		"collaborator",
		"Collaborator",
		"C0LLAB0RAT0R",
		/* Cyrillic у о, Greek Η, full width, bold, Cherokee, soft blanks. */
		"y\u043Eu",
		"\u0443\u043Eu",
		"\u0397uman",
		"\uFF59\uFF4F\uFF55",
		"\U0001D421\U0001D42E\U0001D426\U0001D41A\U0001D427",
		"\u00A0you\u3000",
		"\u0441\u043Ellaborator",
		"co11aborator",
		"coIIaborator",
	};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		for (int what = LOOM_NAMED_AGENT; what <= LOOM_NAMED_OBJECTIVE; what++)
			REFUSED(LOOM_INVALID, "which loom uses", (enum loom_named)what, names[i]);
	TAKEN(LOOM_NAMED_AGENT, "Humanist");
	TAKEN(LOOM_NAMED_DOC, "you and me");
	TAKEN(LOOM_NAMED_TAG, "inhuman");
	PASS();
}

TEST one_word_is_in_one_script(void)
{
	static const char *const names[] = {
		"\u0421laude",     "\u0391lice",           "p\u0430yp\u0430l", "\uFF23laude",
		"\U0001D402laude", "\u13DFlaude",          "kat\u03B1",        "\u0578ina",
		"B\u03BFb",        "\u043C\u0430\u0441ha", "Claud\u05D5",      "gpt4\u0430",
	};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		for (int what = LOOM_NAMED_AGENT; what <= LOOM_NAMED_OBJECTIVE; what++)
			REFUSED(LOOM_INVALID, "mixes", (enum loom_named)what, names[i]);
	REFUSED(LOOM_INVALID, "mixes Latin and Cyrillic", LOOM_NAMED_AGENT,
		"GPT \u041C\u0430\u0448\u0430");
	TAKEN(LOOM_NAMED_DOC, "\u041F\u043B\u0430\u043D API");
	TAKEN(LOOM_NAMED_TAG, "\u03BB-calculus");
	PASS();
}

TEST names_in_one_script_are_fine(void)
{
	static const char *const words[] = {
		"\u039D\u03AF\u03BA\u03BF\u03C2",
		"\u03C3\u03BA\u03CD\u03BB\u03BF\u03C2",
		"\u041C\u0430\u0448\u0430",
		"\u0440\u043E\u0440\u0430",
		"\u0441\u043E\u043D",
		"\u05D3\u05D5\u05D3",
		"\u05E9\u05B8\u05DC\u05D5\u05B9\u05DD",
		"\u592A\u90CE",
		"\u305F\u308D\u3046\u3055\u3093",
		"\uD55C\uAD6D\uC5B4",
		"\u0926\u0947\u0935\u0928\u093E\u0917\u0930\u0940",
		"\u0915\u094D\u0937\u0947\u0924\u094D\u0930",
		"\u0633\u0644\u0627\u0645",
		"\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
		"\u0E44\u0E17\u0E22",
		"\u10E5\u10D0\u10E0\u10D7\u10E3\u10DA\u10D8",
		"\u0540\u0561\u0575",
		"caf\u00E9",
		"stra\u00DFe",
		"\u00C5ngstr\u00F6m",
		"O'Brien",
		"gpt-4o-mini",
		"o1",
		"#1!",
		"\U0001F98A",
		"\u592A\u90CE GPT",
		"\uFF23\uFF2F\uFF24\uFF25\uFF38",
		"Plan 10",
		"10",
		"II",
		"11",
		"\u0421\u043E\u0440\u0443",
	};

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		for (int what = LOOM_NAMED_AGENT; what <= LOOM_NAMED_OBJECTIVE; what++)
			TAKEN((enum loom_named)what, words[i]);
	PASS();
}

/* --- beside others --- */

TEST what_looks_the_same_is_one_name(void)
{
	static const char *const pairs[][2] = {
		{"Cl\u0430ude", "Claude"},
		{"C1aude", "Claude"},
		{"CIaude", "Claude"},
		{"C|aude", "Claude"},
		{"\uFF23laude", "Claude"},
		{"\u0421\u043E\u0440\u0443", "Copy"},
		{"caf\u00E9", "cafe\u0301"},
		{"\u1EA5", "a\u0301\u0302"},
		{"a\u0302\u0301", "\u1EA5"},
		{"a  b", "a\u00A0b"},
		{"don\u2019t", "don't"},
		{"a\u2013b", "a-b"},
		{"v1O", "v10"},
		{"\u2130", "E"},
		{"\u0395", "\u0415"},
		{"Eve\u200Bl", "Evel"},
		{"\u13E8", "\u13E8\u200D"},
		{"K", "\u212A"},
	};
	static const char *const others[][2] = {
		{"Claude", "Claudia"},
		{"II", "11"},
		{"cafe", "caf\u00E9"},
		{"mail", "mall"},
		{"10", "IO"},
		{"ab", "a b"},
		{"\u0915\u093F", "\u0915\u0940"},
		{"burn", "bum"},
		{"m\u00FCtter", "mutter"},
		{"one", "ones"},
	};

	for (size_t i = 0; i < LOOM_COUNT(pairs); i++)
		ASSERTm(pairs[i][0], loom_name_alike(LOOM_NAMED_DOC, loom_str_of(pairs[i][0]),
						     loom_str_of(pairs[i][1])));
	for (size_t i = 0; i < LOOM_COUNT(others); i++)
		ASSERT_FALSEm(others[i][0],
			      loom_name_alike(LOOM_NAMED_DOC, loom_str_of(others[i][0]),
					      loom_str_of(others[i][1])));
	ASSERT(loom_name_alike(LOOM_NAMED_AGENT, LOOM_STR("claude"), LOOM_STR("Claude")));
	ASSERT_FALSE(loom_name_alike(LOOM_NAMED_DOC, LOOM_STR("plan"), LOOM_STR("Plan")));
	ASSERT_FALSE(loom_name_alike(LOOM_NAMED_DOC, LOOM_STR("plan"), LOOM_STR("plan")));
	REFUSED(LOOM_CONFLICT, "looks like the agent \"Claude\"", LOOM_NAMED_AGENT, "C1aude");
	TAKEN(LOOM_NAMED_DOC, "Claude");
	PASS();
}

/* Every maker of names in a grove; false when the name was refused. */
static bool make(enum loom_named what, struct loom_str name, const char *kind)
{
	struct loom_agent spec = {.name = name, .kind = LOOM_AGENT_MODEL};
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;
	bool changed = false;
	int64_t id = 0;

	grove_begin(&g, kind);
	if (what == LOOM_NAMED_AGENT)
		status = loom_agent_create(g.store, &spec, &id, &err);
	else if (what == LOOM_NAMED_DOC)
		status = loom_doc_create(g.store, name, LOOM_STR("x"), g.owner, &id, &err);
	else
		status = loom_tag_set(g.store, 1, name, true, &changed, &err);
	return loom_op_end(g.store, status, NULL, &err) == LOOM_OK;
}

static void put_piece(struct prop *prop, struct loom_buf *out)
{
	static const char *const pieces[] = {
		"Claude",
		"\u0421laude",
		"C",
		"l",
		"1",
		"I",
		"|",
		"aude",
		"a",
		"\u0430",
		"\u03BF",
		"o",
		"0",
		"O",
		"u",
		"y",
		"you",
		"human",
		" ",
		"\u00A0",
		"\u200B",
		"\u200D",
		"\u202E",
		"\n",
		"\r",
		"\u2028",
		"\xC2\x85",
		"\x0B",
		"\uFF43",
		"\U0001D41A",
		"e\u0301",
		"\u00E9",
		"e",
		"\u0301",
		"\u0302",
		"-",
		"\u2013",
		"'",
		"\u2019",
		"\u05D3",
		"\u592A",
		"\u0915\u093F",
		"[r001] human",
		"\n[r001] you",
		"\U000E0041",
		"\u0443",
		"\u0441",
		"K",
		"\u212A",
		"\u041A",
	};

	for (size_t n = 1 + prop_below(prop, 4); n > 0; n--)
		loom_buf_adds(out, pieces[prop_below(prop, LOOM_COUNT(pieces))]);
}

TEST names_that_are_taken_in_one_grove_never_look_the_same(void)
{
	static const enum loom_named kinds[] = {LOOM_NAMED_AGENT, LOOM_NAMED_DOC};
	struct loom_str skeletons[LOOM_COUNT(kinds)][1200];
	size_t counts[LOOM_COUNT(kinds)] = {0};
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf bones = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "names of a grove");
	for (int i = 0; i < 1200; i++) {
		const size_t kind = prop_below(&prop, LOOM_COUNT(kinds));
		struct loom_str made;

		loom_buf_clear(&name);
		put_piece(&prop, &name);
		made = loom_buf_str(&name);
		if (!make(kinds[kind], made, "make"))
			continue;
		loom_buf_clear(&bones);
		loom_name_skeleton(made, kinds[kind] == LOOM_NAMED_AGENT, &bones);
		ASSERT(bones.n > 0);
		ASSERT(loom_str_eq(made, loom_shown_label(g.arena, made)));
		for (size_t k = 0; k < counts[kind]; k++)
			ASSERT_FALSEm(loom_buf_cstr(&name),
				      loom_str_eq(skeletons[kind][k], loom_buf_str(&bones)));
		skeletons[kind][counts[kind]++] = loom_arena_buf(g.arena, &bones);
	}
	for (size_t kind = 0; kind < LOOM_COUNT(kinds); kind++)
		ASSERT(counts[kind] > 10);
	loom_buf_fini(&name);
	loom_buf_fini(&bones);
	PASS();
}

/* A tag that is on a node is put on others without a word; so tags are looked at as a set. */
TEST tags_of_a_grove_never_look_the_same(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_tag *tags = NULL;
	struct prop prop;
	size_t count = 0;

	prop_init(&prop, "tags of a grove");
	grove_tree(&g, LOOM_DIALOGUE, "root");
	for (int i = 0; i < 400; i++) {
		loom_buf_clear(&name);
		put_piece(&prop, &name);
		(void)make(LOOM_NAMED_TAG, loom_buf_str(&name), "tag");
	}
	OK(loom_tag_list(g.store, g.arena, &tags, &count, &err));
	ASSERT(count > 10);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			ASSERT_FALSE(loom_name_alike(LOOM_NAMED_TAG, tags[i].name, tags[k].name));
	loom_buf_fini(&name);
	PASS();
}

TEST a_name_is_not_changed_into_one_that_deceives(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent agent;
	int64_t doc = 0;

	ASSERT(make(LOOM_NAMED_AGENT, LOOM_STR("Claude"), "agent add"));
	ASSERT(make(LOOM_NAMED_AGENT, LOOM_STR("Bo"), "agent add"));
	ASSERT(make(LOOM_NAMED_DOC, LOOM_STR("Plan"), "document"));
	ASSERT(make(LOOM_NAMED_DOC, LOOM_STR("Notes"), "document"));
	OK(loom_agent_find(g.store, LOOM_STR("Bo"), g.arena, &agent, &err));
	doc = raw_int(&g, "SELECT id FROM doc WHERE name = 'Notes'");
	grove_begin(&g, "rename");
	STATUS_IS(LOOM_CONFLICT, loom_agent_rename(g.store, agent.id, LOOM_STR("C1aude"), &err));
	STATUS_IS(LOOM_INVALID, loom_agent_rename(g.store, agent.id, LOOM_STR("you "), &err));
	STATUS_IS(LOOM_CONFLICT, loom_doc_rename(g.store, doc, LOOM_STR("P|an"), &err));
	STATUS_IS(LOOM_INVALID, loom_doc_rename(g.store, doc, LOOM_STR("\u0420lan"), &err));
	OK(loom_agent_rename(g.store, agent.id, LOOM_STR("B\u00F6"), &err));
	OK(loom_doc_rename(g.store, doc, LOOM_STR("Notes 2"), &err));
	grove_commit(&g);
	PASS();
}

TEST an_owner_is_called_by_a_name_too(void)
{
	struct temp dir;
	struct loom_err err = {.status = LOOM_OK};
	struct loom_env env;

	temp_init(&dir);
	ASSERT_EQ(0, setenv("LOOM_ME", "hum\u0430n", 1));
	OK(loom_env_init(&env, &err));
	STATUS_IS(LOOM_INVALID, loom_grove_init(&env, loom_str_of(dir.path), &err));
	unsetenv("LOOM_ME");
	temp_fini(&dir);
	PASS();
}

/* --- titles and labels --- */

TEST titles_and_labels_stand_on_one_line(void)
{
	static const char *const lines[] = {"a\nb",
					    "a\rb",
					    "a\xC2\x85"
					    "b",
					    "a\u2028b",
					    "a\x0B"
					    "b",
					    "a\x0C"
					    "b",
					    "a\u2029[r001] human",
					    "\n",
					    " ",
					    "\u200B"};
	struct loom_err err = {.status = LOOM_OK};
	const int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	const int64_t node = grove_root(&g, tree);
	const int64_t child = grove_node(&g, node, "child");
	bool changed = false;
	int64_t made = 0;

	grove_begin(&g, "label");
	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		struct loom_str text = loom_str_of(lines[i]);
		struct loom_stash stash = {.label = text, .text = LOOM_STR_INIT("x")};
		struct loom_tree_spec spec = {.title = text, .author = g.owner};
		struct loom_link link = {.from = node,
					 .to_node = child,
					 .note = text,
					 .section = LOOM_STR_INIT(""),
					 .author = g.owner};

		STATUS_IS(LOOM_INVALID, loom_tree_create(g.store, &spec, &made, &err));
		STATUS_IS(LOOM_INVALID, loom_tree_set(g.store, tree, LOOM_TREE_TITLE, text, &err));
		STATUS_IS(LOOM_INVALID,
			  loom_bookmark_set(g.store, node, true, text, &changed, &err));
		STATUS_IS(LOOM_INVALID, loom_stash_create(g.store, 1, &stash, &err));
		STATUS_IS(LOOM_INVALID, loom_link_create(g.store, &link, &made, &changed, &err));
		STATUS_IS(LOOM_INVALID, loom_tag_set(g.store, node, text, true, &changed, &err));
		ASSERTm(lines[i], err.hint[0]);
		made = 0;
	}
	OK(loom_tree_set(g.store, tree, LOOM_TREE_TITLE, LOOM_STR("human \u0421laude"), &err));
	OK(loom_bookmark_set(g.store, node, true, LOOM_STR(""), &changed, &err));
	grove_commit(&g);
	PASS();
}

TEST a_label_that_is_shown_never_breaks_its_line(void)
{
	struct loom_buf label = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "labels in a line");
	for (int i = 0; i < prop_times(2000); i++) {
		struct loom_str shown;

		loom_buf_clear(&label);
		if (prop_once_in(&prop, 2))
			put_piece(&prop, &label);
		else
			prop_bent_text(&prop, prop_size(&prop, 40), &label);
		shown = loom_shown_label(g.arena, loom_buf_str(&label));
		for (size_t at = 0; at < shown.n;) {
			uint32_t cp = loom_utf8_next(shown, &at);

			ASSERT(cp >= 0x20 && (cp < 0x7F || cp > 0x9F) && cp != 0x2028 &&
			       cp != 0x2029 && cp != LOOM_CP_BAD);
		}
		ASSERT(loom_str_eq(shown, loom_shown_label(g.arena, shown)));
	}
	loom_buf_fini(&label);
	PASS();
}

/* --- what was brought in --- */

TEST what_an_import_brings_keeps_its_name_and_is_marked(void)
{
	static const char *const brought[] = {"\u0421laude", "human", "you ", "Eve\u200Bl",
					      "P\u0430ul"};
	static const char *const said[] = {"looks like Claude", "loom's own word human",
					   "loom's own word you", "has invisible characters",
					   "mixes Latin and Cyrillic"};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent *agents = NULL;
	struct loom_str *marks = NULL;
	size_t count = 0;

	ASSERT(make(LOOM_NAMED_AGENT, LOOM_STR("Claude"), "agent add"));
	for (size_t i = 0; i < LOOM_COUNT(brought); i++) {
		ASSERT_FALSE(make(LOOM_NAMED_AGENT, loom_str_of(brought[i]), "agent add"));
		ASSERT(make(LOOM_NAMED_AGENT, loom_str_of(brought[i]), i % 2 ? "paste" : "import"));
	}
	OK(loom_agent_list(g.store, g.arena, &agents, &count, &err));
	marks = loom_agent_marks(agents, count, g.arena);
	ASSERT_EQ(3 + LOOM_COUNT(brought), count);
	for (size_t i = 0; i < 3; i++)
		ASSERT_EQ(0, marks[i].n);
	for (size_t i = 0; i < LOOM_COUNT(brought); i++) {
		ASSERT(loom_str_eq(agents[3 + i].name, loom_str_of(brought[i])));
		ASSERT_STR_EQ(said[i], loom_arena_cstr(g.arena, marks[3 + i]));
	}
	PASS();
}

TEST of_two_that_look_the_same_the_later_one_is_marked(void)
{
	const struct loom_str names[] = {LOOM_STR("\u0421laude"),
					 LOOM_STR("\u0421\u043E\u0440\u0443"),
					 LOOM_STR("Claude"),
					 LOOM_STR("Copy"),
					 LOOM_STR("one"),
					 LOOM_STR("one")};
	struct loom_str *marks = loom_name_marks(LOOM_NAMED_DOC, names, LOOM_COUNT(names), g.arena);

	ASSERT_STR_EQ("looks like Claude", loom_arena_cstr(g.arena, marks[0]));
	ASSERT_EQ(0, marks[1].n);
	ASSERT_EQ(0, marks[2].n);
	ASSERT_STR_EQ("looks like \u0421\u043E\u0440\u0443", loom_arena_cstr(g.arena, marks[3]));
	ASSERT_EQ(0, marks[4].n + marks[5].n);
	ASSERT_EQ(NULL, loom_name_marks(LOOM_NAMED_DOC, names, 0, g.arena));
	ASSERT_STR_EQ("a (b)", loom_arena_cstr(g.arena, loom_name_marked(LOOM_STR("a"),
									 LOOM_STR("b"), g.arena)));
	PASS();
}

SUITE(name)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(nothing_to_be_seen_is_no_name);
	RUN_TEST(what_hides_is_refused_with_the_name_that_is_meant);
	RUN_TEST(our_own_words_are_nobodys_however_they_are_dressed);
	RUN_TEST(one_word_is_in_one_script);
	RUN_TEST(names_in_one_script_are_fine);
	RUN_TEST(what_looks_the_same_is_one_name);
	RUN_TEST(names_that_are_taken_in_one_grove_never_look_the_same);
	RUN_TEST(tags_of_a_grove_never_look_the_same);
	RUN_TEST(a_name_is_not_changed_into_one_that_deceives);
	RUN_TEST(an_owner_is_called_by_a_name_too);
	RUN_TEST(titles_and_labels_stand_on_one_line);
	RUN_TEST(a_label_that_is_shown_never_breaks_its_line);
	RUN_TEST(what_an_import_brings_keeps_its_name_and_is_marked);
	RUN_TEST(of_two_that_look_the_same_the_later_one_is_marked);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(name);
	GREATEST_MAIN_END();
}
