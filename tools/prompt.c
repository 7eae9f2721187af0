/* What a subject is given when nobody else assembles it: the path as it is. In a buffer the texts
 * joined byte for byte; in a dialogue messages by author, those of one role in a row joined by a
 * blank line. Excluded nodes are left out; nothing is cut to fit. */
#include "engine_impl.h"

static enum loom_role role_of(const struct loom_show *show, const struct loom_node *node)
{
	const struct loom_agent *author = loom_show_agent(show, node->author);

	return author && author->kind == LOOM_AGENT_MODEL ? LOOM_ROLE_ASSISTANT : LOOM_ROLE_USER;
}

static void join_text(const struct loom_nodes *path, struct loom_arena *arena,
		      struct loom_generate_request *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < path->count; i++)
		if (!path->items[i].excluded)
			loom_buf_add(&text, path->items[i].text);
	out->text = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
}

static void join_messages(const struct loom_show *show, const struct loom_nodes *path,
			  struct loom_arena *arena, struct loom_generate_request *out)
{
	struct loom_prompt_message *messages =
		LOOM_ARENA_ARRAY(arena, path->count + 1, struct loom_prompt_message);
	size_t count = 0;

	for (size_t i = 0; i < path->count; i++) {
		const struct loom_node *node = &path->items[i];
		enum loom_role role = role_of(show, node);

		if (node->excluded || !node->text.n)
			continue;
		if (count && messages[count - 1].role == role) {
			struct loom_str before = messages[count - 1].text;

			messages[count - 1].text =
				loom_arena_format(arena, "%.*s\n\n%.*s", LOOM_STR_ARG(before),
						  LOOM_STR_ARG(node->text));
			continue;
		}
		messages[count++] = (struct loom_prompt_message){role, node->text};
	}
	out->messages = messages;
	out->message_count = count;
}

enum loom_status tool_prompt(const struct loom_engine_view *view, int64_t tip,
			     struct loom_generate_request *out, struct loom_err *err)
{
	struct loom_show show;
	struct loom_nodes path;
	struct loom_tree tree;
	enum loom_status status = loom_show_init(&show, view->store, view->arena, err);

	if (status == LOOM_OK)
		status = loom_node_path(view->store, tip, view->thread,
					LOOM_NODE_TEXT | LOOM_NODE_MARKS, view->arena, &path, err);
	if (status == LOOM_OK)
		status = loom_tree_get(view->store, path.items[0].tree, view->arena, &tree, err);
	if (status != LOOM_OK)
		return status;
	out->system = tree.system;
	if (tree.mode == LOOM_BUFFER)
		join_text(&path, view->arena, out);
	else
		join_messages(&show, &path, view->arena, out);
	return LOOM_OK;
}
