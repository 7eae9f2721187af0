/* Every view of the screen, with much in it and with nothing, and the keys that lead there: for
 * tests that look at all of them. */
#ifndef LOOM_TESTS_SUPPORT_VIEWS_H
#define LOOM_TESTS_SUPPORT_VIEWS_H

#include "support/table.h"

#define VIEW_WIDTH 118

enum fill { NO_TREE, BARE, FULL };

struct view {
	const char *name;
	enum fill fill;
	const char *keys;
	const char *paste; /* before the keys; NULL: nothing */
};

static const struct view views[] = {
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

/* Lays the table and goes there. */
static inline void arrive(const struct view *view)
{
	table_begin(&table, VIEW_WIDTH, 40);
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

#endif
