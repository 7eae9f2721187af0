/* The tutorial trees, one of messages and one of prose. Their texts name keys to press, and every
 * key does what they say at that point. */
#include <loom/cli/welcome.h>

#include <loom/base/arena.h>
#include <loom/tree/node.h>
#include <loom/work/thread.h>

/* Placeholders for the two titles, since a second copy has other titles. */
#define DIALOGUE "@D"
#define PROSE    "@P"

struct page {
	int from; /* index of the page it follows; -1: the root */
	const char *text;
};

static const struct page messages[] = {
	{-1, "Welcome. This is a loom: text that branches.\n\nEvery message here has one or more "
	     "continuations. You are reading the path to your position; the tree shows all of "
	     "them.\n\nPress `l` (or the right arrow) to go one step further."},
	{0, "That was a step down. `h` goes back up; `j` and `k` move by rows.\n\nFive branches "
	    "start here. Press `l`, then `]` and `[` to step through them: the text before them "
	    "stays, and only the end changes."},
	{1, "The first branch: **writing**.\n\nPress `i`, write a line and press Enter: it becomes "
	    "a message below this one. `h` leads back up here. `u` undoes the last thing you did, "
	    "and `U` redoes it.\n\n`e` edits this message: change a word and press Esc. The old "
	    "version stays; `V` and `v` switch between the two. A text that you leave with Esc is "
	    "a draft, and `c` on its row sends it; nothing you type is lost.\n\nContinue with `]`; "
	    "from a version of yours, press `V` first."},
	{1, "The second branch: **generating**.\n\nPress `3c`: three continuations grow below this "
	    "message while you watch. `]` and `[` step through them, `=` compares them and `q` "
	    "closes that, `x` prunes one, `X` keeps only this one, `c` continues the one you like, "
	    "and `Esc` stops the generation.\n\nThe small built-in model needs no network and is "
	    "no writer. You set up others in one file, and `:subject NAME` chooses who continues "
	    "here; the title shows it.\n\n`h` leads back up."},
	{1, "The third branch: **keeping**.\n\n`b` bookmarks this message, and `gb` finds it "
	    "again. `p` pins it: a pinned text is part of every context, yours and your agents'; "
	    "`om` shows the pins at the side, and `q` closes that. `t` tags, `a` adds a note "
	    "beside the text.\n\nPruned branches are only hidden: `zp` shows them, and `x` on one "
	    "brings it back."},
	{1,
	 "The fourth branch: **prose**.\n\nNot all texts are messages. `:use \"" PROSE
	 "\"` opens a tree in which every path is one text; it shows how to fix a word further up "
	 "and how to branch in the middle. `:use \"" DIALOGUE "\"` leads back."},
	{1, "The fifth branch: **finding your way**.\n\nPress `l` to see more."},
	{6, "`/` searches this tree, `os` all trees, `za` folds and unfolds, `gg` and `G` go to "
	    "the ends, `H` goes back to where you were.\n\n`Tab` switches between tree and text, "
	    "`w` zooms one of them."},
	{7,
	 "`:` takes commands, the same ones that agents use: try `:view r001`, or `:tag` and then "
	 "Tab.\n\n`ot` lists your trees, and `oo` every operation; there, `u` undoes any of them."},
	{8, "That is all you need. `?` shows every key and command, `.` the actions for a "
	    "row.\n\n`:new \"A title\"` creates a tree of your own, `:new \"A title\" buffer` one "
	    "of continuous prose. `Q` quits; everything is already saved.\n\n`loom --tutor` "
	    "creates this tree again."},
};

static const struct page prose[] = {
	{-1, "This is one text. It has no messages, and yet it is made of nodes: this is the first "
	     "of them. Press l, and the text grows at its end.\n\n"},
	{0, "Teh first word of this node is wrong. Press e, fix it and press Esc: the node gets a "
	    "second version, and the text after it stays where it is. V and v switch between the "
	    "two.\n\nYou can also branch in the middle of a node. Try it in the next one: press l, "
	    "then / and write lantern, then Enter, then B. The model continues from exactly there, "
	    "and the old text stays beside it; H leads back.\n\n"},
	{1, "The keeper lit the lantern and climbed the stairs. Nobody had climbed them since the "
	    "winter, and on each step lay a letter that nobody had opened.\n\n"
	    "(Here press l again.)\n\n"},
	{2,
	 "At the end of a path c continues, and 5c does so five times: [ and ] step through the "
	 "results, x prunes, u undoes. i writes your own text here; Esc keeps it as a draft, and c "
	 "saves the draft and continues from it.\n\n:use \"" DIALOGUE "\" leads back, Q quits."},
};

struct book {
	enum loom_mode mode;
	const char *title;
	const struct page *pages;
	size_t count;
};

static const struct book books[] = {
	{LOOM_DIALOGUE, "Welcome", messages, LOOM_COUNT(messages)},
	{LOOM_BUFFER, "A page of prose", prose, LOOM_COUNT(prose)},
};

/* The state of creating the trees. */
struct making {
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t actor;
	struct loom_str titles[LOOM_COUNT(books)];
};

/* The titles must be unique, because the texts refer to them. */
static enum loom_status find_titles(struct making *making, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(books) && status == LOOM_OK; i++)
		status = loom_tree_spare_title(making->store, books[i].title, making->arena,
					       &making->titles[i], err);
	return status;
}

static struct loom_str text_of(const struct making *making, const char *text)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 16);
	struct loom_str rest = loom_str_of(text);
	struct loom_str made;

	for (size_t at; (at = loom_str_find_char(rest, '@', 0)) != SIZE_MAX;) {
		loom_buf_add(&out, loom_str_sub(rest, 0, at));
		loom_buf_add(&out, making->titles[rest.p[at + 1] == PROSE[1]]);
		rest = loom_str_sub(rest, at + 2, SIZE_MAX);
	}
	loom_buf_add(&out, rest);
	made = loom_arena_str(making->arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return made;
}

static enum loom_status add_pages(const struct making *making, const struct book *book,
				  const struct loom_tree *tree, struct loom_err *err)
{
	int64_t nodes[LOOM_COUNT(messages)] = {tree->root};
	enum loom_status status = LOOM_OK;

	for (size_t i = 1; i < book->count && status == LOOM_OK; i++) {
		struct loom_node_spec spec = {
			.tree = tree->id,
			.from = nodes[book->pages[i].from],
			.kind = LOOM_CONTINUATION,
			.text = text_of(making, book->pages[i].text),
			.author = making->actor,
			.seq = -1,
		};
		status = loom_node_create(making->store, &spec, &nodes[i], err);
	}
	return status;
}

static enum loom_status make(const struct making *making, size_t i, int64_t *out_tree,
			     struct loom_err *err)
{
	struct loom_tree_spec spec = {
		.mode = books[i].mode,
		.title = making->titles[i],
		.root_text = text_of(making, books[i].pages[0].text),
		.author = making->actor,
	};
	struct loom_tree tree;
	enum loom_status status = loom_tree_create(making->store, &spec, out_tree, err);

	if (status == LOOM_OK)
		status = loom_tree_get(making->store, *out_tree, making->arena, &tree, err);
	if (status == LOOM_OK)
		status = add_pages(making, &books[i], &tree, err);
	return status;
}

static enum loom_status make_all(struct making *making, int64_t *out_tree, struct loom_err *err)
{
	enum loom_status made = find_titles(making, err);
	struct loom_op_spec op = {.kind = "new", .actor = making->actor};
	enum loom_status status = made;

	op.text = loom_arena_format(making->arena, "new tree \"%.*s\"",
				    LOOM_STR_ARG(making->titles[0]));
	if (status == LOOM_OK)
		status = loom_op_begin(making->store, &op, err);
	if (status != LOOM_OK)
		return status;
	/* The first one is made last, and so opens. */
	for (size_t i = LOOM_COUNT(books); i-- > 0 && made == LOOM_OK;)
		made = make(making, i, out_tree, err);
	return loom_op_end(making->store, made, NULL, err);
}

enum loom_status loom_welcome_make(struct loom_store *store, int64_t actor, int64_t *out_tree,
				   struct loom_err *err)
{
	struct making making = {.store = store, .arena = loom_arena_create(), .actor = actor};
	enum loom_status status;

	*out_tree = 0;
	status = make_all(&making, out_tree, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status == LOOM_OK)
		status = loom_quiet_end(store, loom_use_tree(store, *out_tree, err), err);
	loom_arena_destroy(making.arena);
	return status;
}
