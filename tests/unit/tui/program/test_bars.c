/* The keys that the bottom line offers: in every view, with much in it and with nothing, each of
 * them does something there and then, or says what is missing. */
#include <unistd.h>

#include <greatest.h>

#include "support/table.h"

#define OFFERED_MAX 12
#define WIDTH       118 /* the widest whose line has no frame in it */

enum fill { NO_TREE, BARE, FULL };

static const struct view {
	const char *name;
	enum fill fill;
	const char *keys;
	const char *paste; /* before the keys; NULL: nothing */
} views[] = {
	{"no tree", NO_TREE, "", NULL},
	{"trees, none", NO_TREE, "ot", NULL},
	{"operations, none", NO_TREE, "oo", NULL},
	{"a paste of turns, without a tree", NO_TREE, "", "Human: hi\n\nAssistant: yes\n"},
	{"the tree, a root alone", BARE, "", NULL},
	{"the tree, at its root", FULL, "", NULL},
	{"the tree, at siblings", FULL, "l", NULL},
	{"the tree, at a pruned node", FULL, "lxzpl", NULL},
	{"the tree, at a draft", FULL, "inot yet<Esc>gd", NULL},
	{"the tree, filtered", FULL, "fletter<Enter>", NULL},
	{"the text, a root alone", BARE, "<Tab>", NULL},
	{"the text", FULL, "l<Tab>", NULL},
	{"siblings compared", FULL, "l=", NULL},
	{"siblings compared blindly", FULL, "l=z", NULL},
	{"the lens, without probabilities", BARE, "zl<Tab>", NULL},
	{"the lens", BARE, "1c]zl<Tab>", NULL},
	{"memory, empty", BARE, "om", NULL},
	{"memory", FULL, "p:stash \"key\" content-of:r001<Enter>om", NULL},
	{"memory, at a stash", FULL, "p:stash \"key\" content-of:r001<Enter>omG", NULL},
	{"memory of another thread", FULL, "pomom", NULL},
	{"trees", BARE, "ot", NULL},
	{"threads, none", BARE, "oh", NULL},
	{"threads, at a thread", FULL, "oh", NULL},
	{"threads, at an asset", FULL, "ohj", NULL},
	{"threads, at a reference", FULL, "ohGkk", NULL},
	{"threads, at a conversation", FULL, "ohG", NULL},
	{"threads, with a source", FULL, "oh<Space>jjjj", NULL},
	{"a reference being made", FULL, "oh<Space>jjjjr", NULL},
	{"a conversation, empty", FULL, "ohG<Enter>", NULL},
	{"a conversation", FULL, "ohjjjj<Enter>", NULL},
	{"a conversation, at its head", FULL, "ohjjjj<Enter>gg", NULL},
	{"a conversation, at a call", FULL, "ohjjjj<Enter>ggjljj", NULL},
	{"documents, none", BARE, "od", NULL},
	{"documents", BARE, ":write doc:\"notes\" append \"One.\"<Enter>od", NULL},
	{"a document", BARE, ":write doc:\"notes\" append \"One.\"<Enter>od<Enter>", NULL},
	{"a search for nothing", BARE, "os<Esc>", NULL},
	{"a search without hits", BARE, "oszzz<Enter>", NULL},
	{"a search", FULL, "osbeginning<Enter>", NULL},
	{"bookmarks, none", BARE, "ob", NULL},
	{"bookmarks", FULL, "bob", NULL},
	{"operations", FULL, "oo", NULL},
	{"operations, filtered away", FULL, "oofzzz<Enter>", NULL},
	{"an operation without a node", FULL, "ooG", NULL},
	{"jobs, none", BARE, "oj", NULL},
	{"messages, none", BARE, "oe", NULL},
	{"messages", FULL, "lxoe", NULL},
	{"agents", BARE, "oa", NULL},
	{"the payload, of nothing", BARE, "op", NULL},
	{"the payload", FULL, "op", NULL},
	{"the payload, at a file", FULL, "opj", NULL},
	{"the payload, at a section", FULL, "opG", NULL},
	{"keys", BARE, "ok", NULL},
	{"help", BARE, "?", NULL},
	{"a menu", FULL, "l.", NULL},
	{"a menu of a thread", FULL, "oh.", NULL},
	{"what would be given, at a root", BARE, "oc", NULL},
	{"what would be given", FULL, "loc", NULL},
	{"what was given, nothing was", BARE, "oC", NULL},
	{"what was given", BARE, "1c]oC", NULL},
	{"a paste of turns", BARE, "", "Human: hi\n\nAssistant: yes\n"},
	{"a paste with calls", BARE, "", "Human: hi\n\nAssistant: yes\n\n→ bookmark r001 \"x\"\n"},
	{"the calls of a paste", BARE, "!",
	 "Human: hi\n\nAssistant: yes\n\n→ bookmark r001 \"x\"\n"},
	{"calls that wait, none", BARE, "!", NULL},
};

/* In the line that was looked at. */
struct offer {
	struct loom_str keys;
	struct loom_str word;
};

static void arrive(const struct view *view)
{
	table_begin(&table, WIDTH, 40);
	if (view->fill != NO_TREE)
		grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning.");
	if (view->fill == FULL) {
		int64_t root = grove_root(&table.grove, 1);

		grove_node(&table.grove, root, "There was a letter on the stairs.");
		grove_node(&table.grove, root, "There was a dog asleep on the stairs.");
		scene_threads(&table.grove.temp, &table.grove.env);
		scene_talk(&table.grove, 1);
		scene_payload(&table.grove.temp);
	}
	table_open(&table);
	if (view->paste)
		table_paste(&table, loom_str_of(view->paste));
	table_type(&table, view->keys);
}

/* The picture, and the line that is its last. */
static const char *look(struct loom_buf *out)
{
	const char *end;

	table_shows(&table, "");
	loom_buf_add(out, loom_str_trim(loom_buf_str(&table.text)));
	end = strrchr(loom_buf_cstr(out), '\n');
	return end ? end + 1 : loom_buf_cstr(out);
}

/* What stands behind two blanks, over and over: keys, a blank, a word or some. */
static size_t read_offers(const char *line, struct offer *out)
{
	size_t n = 0;

	for (const char *at = strstr(line, "  "); at && n < OFFERED_MAX; at = strstr(at, "  ")) {
		struct loom_str whole;

		at += strspn(at, " ");
		whole = loom_str_make(at, strstr(at, "  ") ? (size_t)(strstr(at, "  ") - at)
							   : strlen(at));
		if (loom_str_cut(&whole, ' ', &out[n].keys) && whole.n)
			out[n++].word = whole;
	}
	return n;
}

/* NULL when pressing it did something, or was answered with a reason; else what to say of it. */
static const char *press(const struct view *view, const struct offer *offer)
{
	static char wrong[200];
	struct loom_buf before = LOOM_BUF_INIT(1 << 22);
	struct loom_buf after = LOOM_BUF_INIT(1 << 22);
	bool did;

	snprintf(wrong, sizeof wrong, "%s: \"%.*s %.*s\" does nothing", view->name,
		 LOOM_STR_ARG(offer->keys), LOOM_STR_ARG(offer->word));
	arrive(view);
	look(&before);
	if (loom_str_starts(offer->word, LOOM_STR("after its number")))
		table_type(&table, "2");
	table_type(&table,
		   loom_arena_format(table.grove.arena, "%.*s", LOOM_STR_ARG(offer->keys)).p);
	look(&after);
	did = strcmp(before.p, after.p) != 0 && !strstr(after.p, "is does nothing here") &&
	      !strstr(after.p, "does nothing here");
	table_fini(&table);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	return did ? NULL : wrong;
}

TEST what_the_bottom_line_offers_can_be_done(const struct view *view)
{
	struct offer offers[OFFERED_MAX];
	struct loom_buf picture = LOOM_BUF_INIT(1 << 22);
	const char *wrong = NULL;
	size_t n;

	arrive(view);
	n = read_offers(look(&picture), offers);
	table_fini(&table);
	for (size_t i = 0; i < n && !wrong; i++)
		wrong = press(view, &offers[i]);
	loom_buf_fini(&picture);
	ASSERTm(view->name, n > 0);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(bars)
{
	SET_TEARDOWN(tear_down, NULL);
	for (size_t i = 0; i < LOOM_COUNT(views); i++)
		RUN_TESTp(what_the_bottom_line_offers_can_be_done, &views[i]);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	/* hundreds of groves, each of them synced: on a disk that waits for it, minutes */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(bars);
	GREATEST_MAIN_END();
}
