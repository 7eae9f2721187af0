/* The first tree that anybody sees. Its texts say what to press, and every key named in them does
 * what they say, there and then. */
#include <loom/welcome.h>

#include <loom/node.h>
#include <loom/thread.h>

struct page {
	int from; /* index of the page it follows; -1: the root */
	const char *text;
};

static const struct page pages[] = {
	{-1, "Welcome. This is a loom: text that branches.\n\n"
	     "Every message here has its own way to go on, or several. You are reading the path "
	     "that leads to where you stand; the tree shows all of them.\n\n"
	     "Press `l` (or the right arrow) to go one step on."},
	{0, "That was a step down. `h` goes back up, `j` and `k` go by rows.\n\n"
	    "Three ways go on from here. Press `l`, and then `]` and `[` to walk between them: "
	    "what leads here stays, and only the end changes."},
	{1, "The first way: **writing**.\n\n"
	    "Press `i`, write a line and press Enter: it becomes a message below this one. `e` "
	    "makes another version of a message, and the old one stays. Esc leaves a text as a "
	    "draft; nothing that you type is lost.\n\n"
	    "When you have written, go on with `]`."},
	{1, "The second way: **letting a model write**.\n\n"
	    "Press `3c`: three continuations grow below this message while you watch. A small "
	    "model comes with loom and needs no network; others are set up in one file.\n\n"
	    "`]` and `[` walk among them, `x` prunes one, `c` goes on from the one you like. "
	    "`u` takes back whatever was done last, and `Esc` stops what is being written."},
	{1, "The third way: **finding your way**.\n\n"
	    "Press `l` to see more."},
	{4, "`b` bookmarks, `/` searches, `za` folds and unfolds, `gg` and `G` go to the ends, "
	    "`H` goes back to where you were.\n\n"
	    "`Tab` changes between tree and text, `w` gives one of them all the room."},
	{5, "`:` takes commands, the same that agents use: try `:view r001`, or `:tag` and then "
	    "Tab.\n\n"
	    "`ot` lists your trees, `oo` everything that was done, and any of it can be taken back "
	    "there with `u`."},
	{6, "That is all one needs. `?` shows every key and command.\n\n"
	    "`:new \"A title\"` begins a tree of your own, `:new \"A title\" buffer` one of "
	    "continuous prose. `Q` leaves; everything is saved already.\n\n"
	    "`loom --tutor` brings this tree again."},
};

static enum loom_status add_pages(struct loom_store *store, int64_t tree, int64_t root,
				  int64_t actor, struct loom_err *err)
{
	int64_t nodes[LOOM_COUNT(pages)] = {root};
	enum loom_status status = LOOM_OK;

	for (size_t i = 1; i < LOOM_COUNT(pages) && status == LOOM_OK; i++) {
		struct loom_node_spec spec = {
			.tree = tree,
			.from = nodes[pages[i].from],
			.kind = LOOM_CONTINUATION,
			.text = loom_str_of(pages[i].text),
			.author = actor,
			.seq = -1,
		};
		status = loom_node_create(store, &spec, &nodes[i], err);
	}
	return status;
}

static enum loom_status make(struct loom_store *store, int64_t actor, int64_t *out_tree,
			     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree_spec spec = {
		.mode = LOOM_DIALOGUE,
		.title = LOOM_STR("Welcome"),
		.root_text = loom_str_of(pages[0].text),
		.author = actor,
	};
	struct loom_tree tree;
	enum loom_status status = loom_tree_create(store, &spec, out_tree, err);

	if (status == LOOM_OK)
		status = loom_tree_get(store, *out_tree, arena, &tree, err);
	if (status == LOOM_OK)
		status = add_pages(store, tree.id, tree.root, actor, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_welcome_make(struct loom_store *store, int64_t actor, int64_t *out_tree,
				   struct loom_err *err)
{
	struct loom_op_spec op = {.kind = "new",
				  .text = LOOM_STR("new tree \"Welcome\""),
				  .actor = actor};
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status == LOOM_OK)
		status = loom_op_end(store, make(store, actor, out_tree, err), NULL, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status == LOOM_OK)
		status = loom_quiet_end(store, loom_use_tree(store, *out_tree, err), err);
	return status;
}
