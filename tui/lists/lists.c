/* The simple lists: what each shows and what opening an entry does. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/tree/gate.h>
#include <loom/grove/grant.h>
#include <loom/lists/previews.h>
#include <loom/lists/talk.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/tree/mark.h>

#define OPS_SHOWN 500

static struct loom_str text_of(const struct tui_list *list, const struct loom_buf *buf)
{
	return loom_arena_buf(tui_list_arena(list), buf);
}

static struct loom_str ago(struct tui_app *app, struct tui_list *list, int64_t then)
{
	struct loom_buf out = LOOM_BUF_INIT(64);
	struct loom_str text;

	loom_time_ago(then, loom_env_now(app->env), true, &out);
	text = text_of(list, &out);
	loom_buf_fini(&out);
	return text;
}

/* --- trees --- */

static enum loom_status read_trees(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_tree_list(app->store, tui_list_arena(list), &trees, &count, err);

	for (size_t i = 0; i < count; i++) {
		struct tui_entry entry = {.lead = trees[i].title,
					  .lead_role = TUI_ROLE_TITLE,
					  .text = trees[i].description,
					  .id = trees[i].id};
		struct loom_buf end = LOOM_BUF_INIT(256);

		loom_buf_addf(&end, "%s · ", trees[i].mode == LOOM_BUFFER ? "buffer" : "dialogue");
		loom_buf_add_count(&end, (uint64_t)trees[i].nodes);
		loom_buf_addf(&end, " %s · ", loom_plural(trees[i].nodes, "node", "nodes"));
		loom_buf_add(&end, ago(app, list, trees[i].active));
		entry.end = text_of(list, &end);
		if (!entry.lead.n)
			entry.lead = LOOM_STR("(no title)");
		if (trees[i].id == app->tree.id)
			entry.lead_role = TUI_ROLE_PATH;
		tui_list_add(list, &entry);
		loom_buf_fini(&end);
	}
	return status;
}

static void open_tree(struct tui_app *app, const struct tui_entry *entry)
{
	tui_list_close(app);
	if (entry->id != app->tree.id) /* the current tree keeps its folds, marks and jumps */
		tui_app_tree(app, entry->id);
}

/* By id when another tree has the same title. */
static enum tui_command tree_noun(struct tui_app *app, const struct tui_entry *entry,
				  struct tui_noun *out)
{
	struct loom_tree tree;
	struct loom_tree only;
	char id[LOOM_ULID_CHARS + 1];

	if (loom_tree_get(app->store, entry->id, app->arena, &tree, NULL) != LOOM_OK)
		return TUI_COMMAND_NONE;
	loom_ulid_text(&tree.ulid, id);
	*out = (struct tui_noun){TUI_NOUN_TREE, tree.title};
	if (loom_tree_find(app->store, tree.title, app->arena, &only, NULL) != LOOM_OK)
		out->name = loom_arena_str(app->arena, loom_str_of(id));
	return TUI_ACTION_VIEW_TREES;
}

/* --- bookmarks --- */

static enum loom_status read_bookmarks(struct tui_app *app, struct tui_list *list,
				       struct loom_err *err)
{
	struct loom_nodes nodes = {NULL, 0};
	enum loom_status status =
		loom_tag_nodes(app->store,
			       &(struct loom_tagged){.tree = app->tree.id, .limit = 5000},
			       tui_list_arena(list), &nodes, err);

	for (size_t i = 0; i < nodes.count && status == LOOM_OK; i++) {
		const struct tui_row *row = NULL;
		struct loom_node node;
		struct tui_entry entry = {.lead_role = TUI_ROLE_ID,
					  .id = nodes.items[i].group,
					  .node = nodes.items[i].id};

		if (tui_rows_get(&app->rows, nodes.items[i].group, &row, NULL) != LOOM_OK ||
		    loom_node_get(app->store, nodes.items[i].id, LOOM_NODE_MARKS,
				  tui_list_arena(list), &node, NULL) != LOOM_OK)
			continue;
		entry.lead = loom_arena_str(tui_list_arena(list), loom_str_of(row->id));
		entry.text = node.label.n ? node.label
					  : loom_arena_str(tui_list_arena(list),
							   loom_str_make(row->text, row->text_n));
		entry.role = node.label.n ? TUI_ROLE_BOOKMARK
					  : tui_people_role(&app->people, node.author);
		entry.end = ago(app, list, node.created);
		tui_list_add(list, &entry);
	}
	return status;
}

static enum tui_command bookmark_noun(struct tui_app *app, const struct tui_entry *entry,
				      struct tui_noun *out)
{
	(void)app;
	*out = (struct tui_noun){TUI_NOUN_NODE, entry->lead};
	return TUI_ACTION_VIEW_BOOKMARKS;
}

static void open_node(struct tui_app *app, const struct tui_entry *entry)
{
	int64_t group = entry->id;

	tui_list_close(app);
	tui_go(app, group, TUI_GO_JUMP);
}

/* --- agents --- */

static enum loom_status read_agents(struct tui_app *app, struct tui_list *list,
				    struct loom_err *err)
{
	struct loom_arena *arena = tui_list_arena(list);

	(void)err;
	for (size_t i = 0; i < app->people.count; i++) {
		const struct tui_person *person = &app->people.items[i];
		const struct loom_agent *agent = &person->agent;
		struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
		struct tui_entry entry = {.lead = loom_arena_str(arena, agent->name),
					  .lead_role = person->role,
					  .end = loom_arena_str(arena, agent->model),
					  .id = agent->id};
		struct loom_buf text = LOOM_BUF_INIT(1024);

		if (person->claim.n) {
			loom_buf_addf(&text, "only a name in %.*s", LOOM_STR_ARG(agent->from));
		} else if (agent->kind == LOOM_AGENT_HUMAN) {
			loom_buf_adds(&text, "a person");
		} else if (loom_grant_get(app->store, &agent->ulid, &grant, NULL) == LOOM_OK) {
			loom_buf_adds(&text, agent->aware ? "may: " : "only continues · may: ");
			loom_grant_text(grant.may, &text);
			loom_buf_addf(&text, " · %s", loom_approval_name(grant.approval));
		}
		entry.text = text_of(list, &text);
		tui_list_add(list, &entry);
		loom_buf_fini(&text);
	}
	return LOOM_OK;
}

static void open_agent(struct tui_app *app, const struct tui_entry *entry)
{
	const struct tui_person *person = tui_people_get(&app->people, entry->id);

	if (!app->tree.id)
		tui_bare_say(app);
	else if (person && person->agent.kind == LOOM_AGENT_MODEL && person->agent.aware)
		tui_talk_open(app, tui_talk_of(app, entry->id, app->tree.id, 0));
	else
		tui_say(app, TUI_ROLE_DIM,
			"this one only continues text. To chat, give it permissions: `:agent set "
			"NAME --permissions all`");
}

static enum tui_command agent_noun(struct tui_app *app, const struct tui_entry *entry,
				   struct tui_noun *out)
{
	(void)app;
	*out = (struct tui_noun){TUI_NOUN_AGENT, entry->lead};
	return TUI_ACTION_VIEW_AGENTS;
}

/* --- operations --- */

static enum loom_status read_ops(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_op *ops = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_op_list(app->store, &(struct loom_op_page){.limit = OPS_SHOWN},
			     tui_list_arena(list), &ops, &count, err);

	for (size_t i = 0; i < count; i++) {
		bool undone = ops[i].state == LOOM_OP_UNDONE;
		struct tui_entry entry = {.lead = undone ? LOOM_STR("undone") : ops[i].kind,
					  .lead_role = undone ? TUI_ROLE_DIM : TUI_ROLE_ID,
					  .text = ops[i].text,
					  .role = undone ? TUI_ROLE_DIM : TUI_ROLE_TEXT,
					  .id = ops[i].id,
					  .other = undone};
		struct loom_buf end = LOOM_BUF_INIT(256);

		loom_buf_addf(&end, "%.*s · ",
			      LOOM_STR_ARG(loom_agent_called(ops[i].actor, app->people.me,
							     ops[i].actor_name)));
		loom_buf_add(&end, ago(app, list, ops[i].at));
		entry.end = text_of(list, &end);
		tui_list_add(list, &entry);
		loom_buf_fini(&end);
	}
	return status;
}

/* The last node named in its text is the one it made. */
static struct loom_str node_named(struct loom_str text)
{
	size_t end = text.n;

	while (end > 0 && text.p[end - 1] != ']')
		end--;
	for (size_t at = end; at > 0; at--)
		if (text.p[at - 1] == '[')
			return loom_str_sub(text, at, end - 1 - at);
	return (struct loom_str){NULL, 0};
}

/* Goes to what the operation made, if that is visible. */
static void open_op(struct tui_app *app, const struct tui_entry *entry)
{
	struct loom_str id = node_named(entry->text);
	struct loom_node node;
	struct loom_op op;

	if (loom_op_get(app->store, entry->id, app->arena, &op, NULL) != LOOM_OK)
		return;
	if (entry->other)
		tui_stuck(app, "what it made was undone · U redoes the last undo");
	else if (!op.tree || !id.n ||
		 loom_node_find(app->store, op.tree, id, app->arena, &node, NULL) != LOOM_OK)
		tui_stuck(app, "it made no node");
	else if (tui_is_hidden(app, node.group))
		tui_stuck(app, "[%.*s] is hidden now", LOOM_STR_ARG(id));
	else if (op.tree == app->tree.id || tui_app_tree(app, op.tree))
		open_node(app, &(struct tui_entry){.id = node.group});
}

static void op_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	tui_list_say_count(list, out);
	tui_list_say_key(app, TUI_VERB_UNDO, "undoes one", out);
}

TUI_MEANS(undo_op)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	if (entry && entry->other)
		tui_say(app, TUI_ROLE_DIM, "already undone · U redoes the last undo");
	else if (entry)
		tui_undo(app, entry->id);
	return entry != NULL;
}

static const struct tui_meaning op_means[] = {{TUI_VERB_UNDO, undo_op, 0},
					      {.command = TUI_COMMAND_NONE}};

/* --- messages --- */

static enum loom_status read_messages(struct tui_app *app, struct tui_list *list,
				      struct loom_err *err)
{
	size_t kept = app->message_count < TUI_MESSAGES ? app->message_count : TUI_MESSAGES;

	(void)err;
	for (size_t i = 0; i < kept; i++) {
		const struct tui_message *message =
			&app->messages[(app->message_count - 1 - i) % TUI_MESSAGES];
		struct tui_entry entry = {.text = loom_arena_str(tui_list_arena(list),
								 loom_str_of(message->text)),
					  .role = message->role,
					  .id = (int64_t)i + 1};

		entry.end = ago(app, list, message->at);
		tui_list_add(list, &entry);
	}
	return LOOM_OK;
}

/* Shows a message in full; its row is cut at the edge. */
static void open_message(struct tui_app *app, const struct tui_entry *entry)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf title = LOOM_BUF_INIT(256);

	loom_buf_addf(&title, "said %.*s", LOOM_STR_ARG(entry->end));
	loom_buf_add(&text, entry->text);
	tui_text_open(app, loom_buf_str(&title), loom_buf_str(&text));
	loom_buf_fini(&title);
	loom_buf_fini(&text);
}

/* --- opening them --- */

TUI_DO(VIEW_TREES)
{
	static const struct tui_list_kind kind = {.title = "Trees",
						  .unit = "tree",
						  .empty = "no trees",
						  .read = read_trees,
						  .side = tui_preview_tree,
						  .noun = tree_noun,
						  .add = "new \"\"",
						  .open = open_tree};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
	tui_list_to(app->list, app->tree.id);
}

TUI_DO(VIEW_BOOKMARKS)
{
	static const struct tui_list_kind kind = {.title = "Bookmarks",
						  .unit = "bookmark",
						  .empty = "no bookmarks in this tree: b makes one",
						  .read = read_bookmarks,
						  .side = tui_preview_row,
						  .noun = bookmark_noun,
						  .open = open_node};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}

TUI_DO(VIEW_AGENTS)
{
	static const struct tui_list_kind kind = {.title = "Agents",
						  .unit = "agent",
						  .empty = "no agents",
						  .read = read_agents,
						  .side = tui_preview_agent,
						  .noun = agent_noun,
						  .add = "agent add ",
						  .open = open_agent};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}

TUI_DO(VIEW_OPERATIONS)
{
	static const struct tui_list_kind kind = {.title = "Operations",
						  .unit = "operation",
						  .empty = "no operations yet",
						  .means = op_means,
						  .status = op_status,
						  .open = open_op,
						  .side = tui_preview_op,
						  .read = read_ops};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}

TUI_DO(VIEW_MESSAGES)
{
	static const struct tui_list_kind kind = {.title = "Messages",
						  .unit = "message",
						  .empty = "no messages",
						  .read = read_messages,
						  .side = tui_preview_words,
						  .open = open_message};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}
