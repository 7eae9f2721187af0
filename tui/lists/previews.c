/* What stands beside the rows of the simple lists: the beginning of a node's text, of a tree where
 * one stood in it, of a document, what an operation made. Read while drawing, so every look is
 * bounded. */
#include <loom/desk/desk.h>

#include <loom/grove/grant.h>
#include <loom/lists/previews.h>
#include <loom/tree/document.h>
#include <loom/tree/gate.h>
#include <loom/tree/say_node.h>
#include <loom/work/thread.h>

#define TEXT_MAX  ((size_t)1 << 20) /* longer texts are not read in passing */
#define MADE_MAX  8                 /* nodes of an operation that are shown */
#define NOTES_MAX 5

static struct loom_str done(struct tui_app *app, struct loom_buf *text)
{
	const struct loom_str out = loom_arena_buf(app->arena, text);

	loom_buf_fini(text);
	return out;
}

/* Reads a node's text, unless it is too long for that. */
static bool read_text(struct tui_app *app, int64_t node, struct loom_node *out)
{
	if (loom_node_get(app->store, node, LOOM_NODE_MARKS, app->arena, out, NULL) != LOOM_OK)
		return false;
	if (out->bytes <= TEXT_MAX)
		return loom_node_get(app->store, node, LOOM_NODE_TEXT | LOOM_NODE_MARKS, app->arena,
				     out, NULL) == LOOM_OK;
	out->text = loom_arena_format(app->arena, "(a text of %zu kB)", out->bytes >> 10);
	return true;
}

/* [a7x2] Claude · 3m ago */
static void say_byline(struct tui_app *app, const struct loom_node *node, struct loom_buf *out)
{
	struct loom_tree tree;
	char id[LOOM_LOCAL_MAX];

	if (loom_tree_get(app->store, node->tree, app->arena, &tree, NULL) != LOOM_OK)
		return;
	loom_local_text(tree.key, node->local, id);
	loom_buf_addf(out, "[%s] %.*s \xc2\xb7 ", id,
		      LOOM_STR_ARG(tui_people_name(&app->people, node->author)));
	loom_time_ago(node->created, loom_env_now(app->env), true, out);
}

static void say_notes(struct tui_app *app, const struct loom_node *node, struct loom_buf *out)
{
	const struct loom_page page = {.kind = LOOM_ANNOTATION,
				       .limit = NOTES_MAX,
				       .parts = LOOM_NODE_TEXT};
	struct loom_nodes notes = {NULL, 0};

	if (loom_node_children(app->store, node->group, &page, app->arena, &notes, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < notes.count; i++)
		loom_buf_addf(out, "\n\nnote by %.*s: %.*s",
			      LOOM_STR_ARG(tui_people_name(&app->people, notes.items[i].author)),
			      LOOM_STR_ARG(notes.items[i].text));
}

void tui_preview_row(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct loom_buf title = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node read;

	if (!entry || !entry->node || !read_text(app, entry->node, &read))
		return;
	say_byline(app, &read, &title);
	loom_buf_add(&text, read.text);
	say_notes(app, &read, &text);
	out->title = done(app, &title);
	out->text = done(app, &text);
}

void tui_preview_tree(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf title = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread thread;
	struct loom_node node;
	struct loom_tree tree;
	bool stood;

	if (!entry || loom_tree_get(app->store, entry->id, app->arena, &tree, NULL) != LOOM_OK)
		return;
	stood = loom_thread_implicit(app->store, app->actor, tree.id, app->arena, &thread, NULL) ==
		LOOM_OK;
	if (tree.description.n)
		loom_buf_addf(&text, "%.*s\n\n", LOOM_STR_ARG(tree.description));
	if (tree.summary.n)
		loom_buf_addf(&text, "%.*s\n\n", LOOM_STR_ARG(tree.summary));
	loom_buf_addf(&title, stood ? "where you were: " : "how it begins: ");
	if (read_text(app, stood ? thread.position : tree.root, &node)) {
		say_byline(app, &node, &title);
		loom_buf_add(&text, node.text);
	}
	out->title = done(app, &title);
	out->text = done(app, &text);
}

void tui_preview_document(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct loom_doc doc;

	if (!entry || !entry->id ||
	    loom_doc_get(app->store, entry->id, true, app->arena, &doc, NULL) != LOOM_OK)
		return;
	out->title = doc.name;
	out->text = doc.text;
}

void tui_preview_op(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_nodes made = {NULL, 0};
	struct loom_node node;
	struct loom_op op;

	if (!entry || loom_op_get(app->store, entry->id, app->arena, &op, NULL) != LOOM_OK)
		return;
	out->title = loom_arena_format(app->arena, "%s%.*s", entry->other ? "undone: " : "",
				       LOOM_STR_ARG(op.kind));
	loom_buf_add(&text, op.text);
	(void)!loom_node_made_by(app->store, op.id, app->arena, &made, NULL);
	for (size_t i = 0; i < made.count && i < MADE_MAX; i++) {
		if (!read_text(app, made.items[i].id, &node))
			continue;
		loom_buf_adds(&text, "\n\n");
		say_byline(app, &node, &text);
		loom_buf_addf(&text, "\n%.*s", LOOM_STR_ARG(node.text));
	}
	if (made.count > MADE_MAX)
		loom_buf_addf(&text, "\n\nand %zu more", made.count - MADE_MAX);
	out->text = done(app, &text);
}

/* Says in plain words what a permission lets an agent do. */
static const char *meaning(enum loom_permission permission)
{
	switch (permission) {
	case LOOM_MAY_AWARE:
		return "looks at trees and acts with \xe2\x86\x92 lines";
	case LOOM_MAY_WRITE:
		return "writes nodes, notes and marks";
	case LOOM_MAY_GENERATE:
		return "has models continue";
	case LOOM_MAY_DOC_READ:
		return "reads documents";
	case LOOM_MAY_DOC_WRITE:
		return "writes documents";
	case LOOM_MAY_CROSS_TREE:
		return "goes to other trees";
	case LOOM_MAY_THREADS:
		return "sees threads, spawns them, and shares files with them";
	case LOOM_MAY_NONE:
	default:
		return "";
	}
}

static void say_grant(struct tui_app *app, const struct loom_agent *agent, struct loom_buf *out)
{
	struct loom_grant grant;

	if (loom_grant_get(app->store, &agent->ulid, &grant, NULL) != LOOM_OK)
		return;
	if (!grant.may)
		loom_buf_adds(out, "It only continues texts and may do nothing else.\n"
				   "To talk with it: :agent set NAME --permissions all");
	for (unsigned bit = 1; bit <= LOOM_MAY_THREADS; bit *= 2)
		if (grant.may & bit)
			loom_buf_addf(out, "%s: %s\n",
				      loom_permission_name((enum loom_permission)bit),
				      meaning((enum loom_permission)bit));
	if (grant.may & LOOM_MAY_CHANGE)
		loom_buf_adds(out, grant.approval == LOOM_APPROVE_AUTO
					   ? "\nWhat it writes is done at once; u in the list of "
					     "operations takes it back."
					   : "\nWhat it writes waits for your approval.");
}

void tui_preview_agent(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	const struct tui_person *person = entry ? tui_people_get(&app->people, entry->id) : NULL;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!person)
		return;
	out->title = person->shown;
	out->title_role = person->role;
	if (person->agent.kind == LOOM_AGENT_HUMAN) {
		loom_buf_adds(&text, person->claim.n ? "" : "A person of this grove.");
		loom_buf_add(&text, person->claim);
	} else {
		loom_buf_addf(&text, "Its model: %.*s\n\n", LOOM_STR_ARG(person->agent.model));
		say_grant(app, &person->agent, &text);
	}
	out->text = done(app, &text);
}

void tui_preview_words(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	(void)app;
	if (entry)
		out->text = entry->text;
}
