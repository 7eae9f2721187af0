/* Links from a node to a node, a document or a tree. Both ends list a link. */
#include <loom/cli/services.h>

#include <loom/language/call.h>
#include <loom/tree/document.h>
#include <loom/work/thread.h>

#include <loom/cli/open_grove.h>
#include <loom/text/sections.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

/* The resolved end of a link, with its wording: `doc:"notes" §motivation`. */
struct end {
	struct loom_link link; /* everything but its id, author and time */
	struct loom_str said;
};

static enum loom_status find_doc(struct cli_grove *grove, struct end *end, struct loom_err *err)
{
	const struct args_of_link *args = args_of_link(grove->cli);
	struct loom_str section = args->section;
	struct loom_doc doc;
	size_t from = 0;
	size_t to = 0;
	enum loom_status status =
		loom_doc_find(grove->store, args->doc, true, grove->arena, &doc, err);

	/* A link to remove may point to a heading that no longer exists. */
	if (!status && section.p && !args->delete)
		status = loom_doc_section(doc.text, section, &from, &to, err);
	if (status)
		return status;
	end->link.kind = LOOM_LINK_DOC;
	end->link.to_doc = doc.id;
	end->link.section = section;
	end->said = loom_arena_format(grove->arena, "doc:\"%.*s\"%s%.*s", LOOM_STR_ARG(doc.name),
				      section.p ? " §" : "", LOOM_STR_ARG(section));
	return LOOM_OK;
}

static enum loom_status find_tree(struct cli_grove *grove, struct end *end, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = cli_grove_tree(grove, args_of_link(grove->cli)->tree, &tree, err);

	if (status)
		return status;
	end->link.kind = LOOM_LINK_TREE;
	end->link.to_tree = tree.id;
	end->said = loom_arena_format(grove->arena, "tree:\"%.*s\"", LOOM_STR_ARG(tree.title));
	return LOOM_OK;
}

static enum loom_status find_node(struct cli_grove *grove, const struct cli_spot *from,
				  struct end *end, struct loom_err *err)
{
	struct cli_spot to;
	enum loom_status status =
		cli_grove_node(grove, args_of_link(grove->cli)->to, LOOM_NODE_NARROW, &to, err);

	if (status)
		return status;
	end->link.to_node = to.node.id;
	if (to.tree.id == from->tree.id) {
		end->link.kind = LOOM_LINK_NODE;
		end->said = loom_arena_format(grove->arena, "[%s]", to.name);
		return LOOM_OK;
	}
	end->link.kind = LOOM_LINK_TREE;
	end->link.to_tree = to.tree.id;
	end->said = loom_arena_format(grove->arena, "[%s] in tree:\"%.*s\"", to.name,
				      LOOM_STR_ARG(to.tree.title));
	return LOOM_OK;
}

/* Whether the call names the other end. */
static bool names_end(const struct args_of_link *args)
{
	return args->to.p || args->doc.p || args->tree.p;
}

static enum loom_status find_end(struct cli_grove *grove, const struct cli_spot *from,
				 struct end *end, struct loom_err *err)
{
	const struct args_of_link *args = args_of_link(grove->cli);

	if (args->doc.p)
		return find_doc(grove, end, err);
	if (args->tree.p)
		return find_tree(grove, end, err);
	return find_node(grove, from, end, err);
}

/* --- changing --- */

struct linking {
	struct loom_link link;
	const char *from; /* the node's name */
	struct loom_str to;
	int64_t id;
	bool changed;
};

static enum loom_status make_link(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct linking *linking = ctx;

	loom_op_say(store, "linked [%s] ↔ %.*s", linking->from, LOOM_STR_ARG(linking->to));
	return loom_link_create(store, &linking->link, &linking->id, &linking->changed, err);
}

static enum loom_status remove_link(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct linking *linking = ctx;

	loom_op_say(store, "unlinked [%s] ↔ %.*s", linking->from, LOOM_STR_ARG(linking->to));
	linking->changed = true;
	return loom_link_remove(store, linking->id, err);
}

static bool same_end(const struct loom_link *a, const struct loom_link *b)
{
	return a->from == b->from && a->kind == b->kind && a->to_node == b->to_node &&
	       a->to_doc == b->to_doc && a->to_tree == b->to_tree &&
	       (!b->section.n || loom_str_eq(a->section, b->section)) &&
	       (!b->note.n || loom_str_eq(a->note, b->note));
}

/* Finds the link to remove, which must be the only one to that end. */
static enum loom_status find_link(struct cli_grove *grove, struct linking *linking,
				  struct loom_err *err)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	size_t found = 0;
	enum loom_status status = loom_link_list(grove->store, LOOM_LINK_NODE, linking->link.from,
						 grove->arena, &links, &count, err);

	if (status)
		return status;
	for (size_t i = 0; i < count; i++) {
		if (!same_end(&links[i], &linking->link))
			continue;
		linking->id = links[i].id;
		found++;
	}
	if (found == 1)
		return LOOM_OK;
	if (!found)
		return loom_fail(err, LOOM_NOT_FOUND, "[%s] has no link to %.*s", linking->from,
				 LOOM_STR_ARG(linking->to));
	loom_fail(err, LOOM_SYNTAX, "[%s] has %zu links to %.*s", linking->from, found,
		  LOOM_STR_ARG(linking->to));
	return loom_hint(err, LOOM_SYNTAX, "choose one with --note TEXT or --section S");
}

static void say_link(struct cli_grove *grove, const struct linking *linking, bool removed,
		     int64_t op)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_done(cli, "%s [%s] ↔ %.*s%s", removed ? "unlinked" : "linked", linking->from,
			 LOOM_STR_ARG(linking->to), linking->changed ? "" : " unchanged");
	loom_answer_text(cli, "node", loom_str_of(linking->from));
	loom_answer_text(cli, "to", linking->to);
	loom_answer_number(cli, "link", linking->id);
	loom_answer_id(cli, "op", op);
}

static enum loom_status change_link(struct cli_grove *grove, const struct cli_spot *from,
				    struct loom_err *err)
{
	const struct args_of_link *args = args_of_link(grove->cli);
	bool removes = args->delete;
	struct end end = {
		.link = {.from = from->node.id, .note = args->note, .author = grove->actor.id}};
	struct linking linking = {.from = from->name};
	struct cli_write write = {
		.kind = removes ? "unlink" : "link",
		.tree = from->tree.id,
		.run = removes ? remove_link : make_link,
		.ctx = &linking,
	};
	enum loom_status status = find_end(grove, from, &end, err);

	linking.link = end.link;
	linking.to = end.said;
	if (!status && removes)
		status = find_link(grove, &linking, err);
	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (!status)
		say_link(grove, &linking, removes, write.op);
	return status;
}

/* --- looking --- */

static enum loom_status list_json(struct cli_grove *grove, const char *kind, struct loom_str name,
				  const struct cli_link_end *end, struct loom_err *err)
{
	loom_answer_text(grove->cli, kind, name);
	return cli_links_json(grove, loom_answer_writer(grove->cli, "links"), end, err);
}

/* Lists the links to a document, or to a tree, which are those of its root. */
static enum loom_status list_far(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_call call = {.verb = LOOM_VERB_LIST, .what = LOOM_WHAT_LINKS};
	struct end far = {.said = {NULL, 0}};
	const struct args_of_link *args = args_of_link(grove->cli);
	const bool doc = args->doc.p;
	struct cli_link_end end;
	enum loom_status status = doc ? find_doc(grove, &far, err) : find_tree(grove, &far, err);

	if (status)
		return status;
	end = (struct cli_link_end){far.link.kind, doc ? far.link.to_doc : far.link.to_tree};
	if (loom_answer_structured(grove->cli))
		return list_json(grove, doc ? "doc" : "tree", doc ? args->doc : args->tree, &end,
				 err);
	if (doc) {
		call.doc = args->doc;
		status = loom_current_tree(grove->store, &far.link.to_tree, err);
	} else {
		call.id = LOOM_STR("r001");
	}
	return status ? status : cli_grove_look(grove, far.link.to_tree, &call, err);
}

static enum loom_status run_link(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_link *args = args_of_link(grove->cli);
	struct loom_call call = {.verb = LOOM_VERB_LIST, .what = LOOM_WHAT_LINKS};
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	if (!args->node.p)
		return list_far(grove, err);
	status = cli_grove_node(grove, args->node, LOOM_NODE_NARROW, &spot, err);
	if (status)
		return status;
	if (names_end(args))
		return change_link(grove, &spot, err);
	call.id = loom_str_of(spot.name);
	return loom_answer_structured(grove->cli)
		       ? list_json(grove, "node", call.id,
				   &(struct cli_link_end){LOOM_LINK_NODE, spot.node.id}, err)
		       : cli_grove_look(grove, spot.tree.id, &call, err);
}

static enum loom_status check_usage(const struct args_of_link *args, struct loom_err *err)
{
	if (args->section.p && !args->doc.p) {
		loom_fail(err, LOOM_USAGE, "loom link: --section needs --doc");
		return loom_hint(err, LOOM_USAGE, "loom link NODE --doc D --section S");
	}
	if (!args->node.p &&
	    (!names_end(args) || args->delete || args->note.p || args->section.p)) {
		loom_fail(err, LOOM_USAGE, "loom link: NODE is missing");
		return loom_hint(err, LOOM_USAGE,
				 "`loom link NODE`; with only --doc D or --tree TREE it lists the "
				 "links to that");
	}
	if (names_end(args) || (!args->delete &&!args->note.p))
		return LOOM_OK;
	loom_fail(err, LOOM_USAGE, "loom link: the other end is missing");
	return loom_hint(err, LOOM_USAGE, "loom link NODE TO, --doc D or --tree TREE");
}

enum loom_status cmd_link(struct loom_cli *cli, struct loom_err *err)
{
	const bool writes = loom_command_need(cli->command, cli->args).deeds & LOOM_DEED_WRITES;
	const struct cli_need need = {.view = !writes};
	enum loom_status status = check_usage(args_of_link(cli), err);

	return status ? status : cli_grove_run(cli, &need, run_link, err);
}
