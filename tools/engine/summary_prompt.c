/* The prompts for summaries: the templates, filled in. */

#include <loom/tree/person.h>
#include <loom/text/sanitise.h>
#include <loom/text/quoting.h>
#include <loom/tree/document.h>
#include <loom/tree/say_node.h>
#include <loom/work/thread.h>
#include <loom/tree/tree.h>
#include <loom/base/utf8.h>
#include <loom/engine/summary_prompt.h>

#define SHORT_TOKENS  50   /* shorter nodes are given with their grandparent too */
#define TEXT_MAX      8000 /* bytes per text */
#define PATH_MAX_TOLD 40

static void add_clipped(struct loom_buf *out, struct loom_str text)
{
	struct loom_str clipped = loom_utf8_clip(text, TEXT_MAX);

	loom_buf_add(out, clipped);
	if (clipped.n < text.n)
		loom_buf_adds(out, "…");
}

static void add_previous(struct loom_buf *out, const struct loom_node *node)
{
	add_clipped(out, node->summary.n && !node->summary_extract ? node->summary : node->text);
}

void loom_summary_message(struct loom_str title, struct loom_str previous, struct loom_str text,
			  struct loom_buf *out)
{
	struct loom_buf message = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(out, "Given this conversation context:\n" LOOM_RULE "\n" LOOM_SAYS_TREE);
	loom_shown_line(out, title, 0);
	loom_buf_adds(out, "\nPrevious: ");
	(void)loom_body_add_inside(out, previous, LOOM_BELOW_HEADERS);
	loom_buf_adds(out,
		      "\n" LOOM_RULE "\n\n"
		      "Summarize the following message in ONE sentence (max 30 words).\n"
		      "Capture the key point, action, or decision. Be specific, not generic.\n\n"
		      "Message: ");
	add_clipped(&message, text);
	(void)loom_body_add_inside(out, loom_buf_str(&message), LOOM_BELOW_HEADERS);
	loom_buf_fini(&message);
}

static struct loom_str extract_of(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf extract = LOOM_BUF_INIT(1 << 16);
	struct loom_str out;

	loom_show_sentence(text, &extract);
	out = loom_arena_buf(arena, &extract);
	loom_buf_fini(&extract);
	return out;
}

/* Reads the parent, and the grandparent before it if the node is short. */
static enum loom_status read_previous(struct loom_store *store, const struct loom_node *node,
				      struct loom_arena *arena, struct loom_buf *out,
				      struct loom_err *err)
{
	struct loom_nodes path;
	const size_t wanted = loom_token_estimate(node->text.n) < SHORT_TOKENS ? 3 : 2;
	enum loom_status status =
		loom_node_path_end(store,
				   &(struct loom_path_end){.tip = node->id,
							   .limit = wanted,
							   .parts = LOOM_NODE_TEXT |
								    LOOM_NODE_MARKS},
				   arena, &path, err);

	for (size_t i = 0; status == LOOM_OK && i + 1 < path.count; i++) {
		if (out->n)
			loom_buf_adds(out, "\n\n");
		add_previous(out, &path.items[i]);
	}
	return status;
}

static enum loom_status ask_node(struct loom_store *store, int64_t id, struct loom_arena *arena,
				 struct loom_buf *out, struct loom_str *extract,
				 struct loom_err *err)
{
	struct loom_buf previous = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_tree tree;
	struct loom_node node;
	enum loom_status status = loom_node_get(store, id, LOOM_NODE_ALL, arena, &node, err);

	if (status == LOOM_OK)
		status = loom_tree_get(store, node.tree, arena, &tree, err);
	if (status == LOOM_OK)
		status = read_previous(store, &node, arena, &previous, err);
	if (status == LOOM_OK) {
		loom_summary_message(tree.title, loom_buf_str(&previous), node.text, out);
		*extract = extract_of(node.text, arena);
	}
	loom_buf_fini(&previous);
	return status;
}

static enum loom_status ask_doc(struct loom_store *store, int64_t id, struct loom_arena *arena,
				struct loom_buf *out, struct loom_str *extract,
				struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status = loom_doc_get(store, id, true, arena, &doc, err);

	if (status != LOOM_OK)
		return status;
	loom_summary_message(doc.name, LOOM_STR(""), doc.text, out);
	*extract = extract_of(doc.text, arena);
	return LOOM_OK;
}

/* Reads the path on which the owner stands: what the tree is about at present. */
static enum loom_status read_path(struct loom_store *store, const struct loom_tree *tree,
				  struct loom_arena *arena, struct loom_nodes *out,
				  struct loom_err *err)
{
	struct loom_agent owner;
	struct loom_thread thread = {.id = 0};
	int64_t position = tree->root;
	enum loom_status status = loom_person_me(store, arena, &owner, err);

	if (status == LOOM_OK &&
	    loom_thread_implicit(store, owner.id, tree->id, arena, &thread, NULL) == LOOM_OK)
		status = loom_thread_stand(store, &thread, &position, err);
	return status == LOOM_OK
		       ? loom_node_path_end(store,
					    &(struct loom_path_end){.tip = position,
								    .thread = thread.id,
								    .limit = PATH_MAX_TOLD,
								    .parts = LOOM_NODE_TEXT |
									     LOOM_NODE_MARKS},
					    arena, out, err)
		       : status;
}

static enum loom_status ask_tree(struct loom_store *store, int64_t id, struct loom_arena *arena,
				 struct loom_buf *out, struct loom_str *extract,
				 struct loom_err *err)
{
	struct loom_tree tree;
	struct loom_nodes path = {.count = 0};
	enum loom_status status = loom_tree_get(store, id, arena, &tree, err);

	if (status == LOOM_OK)
		status = read_path(store, &tree, arena, &path, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(out, "This is a branching conversation tree. The user describes it as:\n\"");
	(void)loom_body_add_inside(out, tree.description, LOOM_BELOW_HEADERS);
	loom_buf_adds(out, "\"\n\nKey node summaries from the main path:\n");
	for (size_t i = 0; i < path.count; i++) {
		loom_buf_adds(out, i ? "\n- " : "- ");
		loom_show_summary(&path.items[i], out);
	}
	loom_buf_addf(out,
		      "\n\nBranch points explored: %lld\n\n"
		      "Summarize this tree's purpose and main themes in 2 sentences.",
		      (long long)tree.branches);
	*extract = extract_of(tree.description.n ? tree.description
			      : path.count       ? path.items[0].text
						 : tree.title,
			      arena);
	return LOOM_OK;
}

enum loom_status loom_summary_prompt(struct loom_store *store, enum loom_job_kind kind,
				     int64_t target, struct loom_arena *arena, struct loom_buf *out,
				     struct loom_str *out_extract, struct loom_err *err)
{
	struct loom_str extract = LOOM_STR("");
	enum loom_status status = LOOM_OK;

	switch (kind) {
	case LOOM_JOB_NODE:
		status = ask_node(store, target, arena, out, &extract, err);
		break;
	case LOOM_JOB_DOC:
		status = ask_doc(store, target, arena, out, &extract, err);
		break;
	case LOOM_JOB_TREE:
		status = ask_tree(store, target, arena, out, &extract, err);
		break;
	}
	if (out_extract)
		*out_extract = extract;
	return status;
}
