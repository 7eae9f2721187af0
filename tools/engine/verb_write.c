/* The verbs that write into the tree: nodes, notes, versions, links. */
#include <loom/engine/handlers.h>
#include <loom/language/call.h>
#include <loom/reading/anchor.h>
#include <loom/text/sections.h>
#include <loom/work/approval.h>

static struct loom_node_spec spec_of(const struct engine_run *run, const struct loom_node *from)
{
	return (struct loom_node_spec){.tree = from->tree,
				       .from = from->id,
				       .text = run->call->content,
				       .author = run->engine->agent.id,
				       .thread = run->thread.id,
				       .seq = run->engine->seq};
}

/* The local id of the node just made. */
static enum loom_status name_new(struct engine_run *run, int64_t id, struct loom_node *out,
				 struct loom_str *name, struct loom_err *err)
{
	enum loom_status status =
		loom_node_get(run->store, id, LOOM_NODE_NARROW, run->arena, out, err);

	if (status == LOOM_OK)
		*name = engine_name(run, out);
	return status;
}

/* ---- respond ---- */

static enum loom_status attach(struct engine_run *run, const struct loom_node *to,
			       struct loom_err *err)
{
	const bool context = run->call->as == LOOM_AS_CONTEXT;
	struct loom_node_spec spec = spec_of(run, to);
	struct loom_node node;
	struct loom_str name;
	struct loom_str below = engine_name(run, to);
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	spec.kind = context ? LOOM_CONTEXT_SOURCE : LOOM_INSTRUCTION_SOURCE;
	status = loom_node_create(run->store, &spec, &made, err);
	if (status == LOOM_OK)
		status = name_new(run, made, &node, &name, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "attached [%.*s] to [%.*s]", LOOM_STR_ARG(name), LOOM_STR_ARG(below));
	loom_buf_addf(run->out, "✓ attached [%.*s] to [%.*s] as %s", LOOM_STR_ARG(name),
		      LOOM_STR_ARG(below), context ? "context" : "instruction");
	return LOOM_OK;
}

enum loom_status engine_read_on(struct engine_run *run, const struct loom_node *from,
				int64_t *out_instead, struct loom_err *err)
{
	int64_t chosen = 0;
	enum loom_status status =
		loom_thread_choice(run->store, run->thread.id, from->group, &chosen, err);

	*out_instead = chosen == from->id ? 0 : chosen;
	return status != LOOM_OK || !*out_instead
		       ? status
		       : loom_thread_choose(run->store, run->thread.id, from->group, from->id, err);
}

/* The first words below an empty root are the first words of the tree. */
static enum loom_status name_tree(struct engine_run *run, const struct loom_node *to,
				  struct loom_err *err)
{
	return to->parent || to->bytes
		       ? LOOM_OK
		       : loom_tree_name_by(run->store, to->tree, run->call->content, err);
}

static enum loom_status respond(struct engine_run *run, const struct loom_node *to,
				struct loom_err *err)
{
	struct loom_node_spec spec = spec_of(run, to);
	struct loom_node node;
	struct loom_str name;
	struct loom_str below = engine_name(run, to);
	int64_t made = 0;
	int64_t instead = 0;
	enum loom_status status = loom_node_create(run->store, &spec, &made, err);

	if (status == LOOM_OK)
		status = name_new(run, made, &node, &name, err);
	if (status == LOOM_OK)
		status = engine_move(run, &node, err);
	if (status == LOOM_OK)
		status = engine_read_on(run, to, &instead, err);
	if (status == LOOM_OK)
		status = name_tree(run, to, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "responded to [%.*s] with [%.*s]", LOOM_STR_ARG(below), LOOM_STR_ARG(name));
	loom_buf_addf(run->out, "✓ created [%.*s] as continuation from [%.*s]\n",
		      LOOM_STR_ARG(name), LOOM_STR_ARG(below));
	loom_buf_addf(run->out, "  switched to [%.*s]", LOOM_STR_ARG(name));
	return LOOM_OK;
}

enum loom_status engine_put_before(struct engine_run *run, const struct loom_hang *where,
				   struct loom_err *err)
{
	struct loom_err many = {.status = LOOM_OK};
	bool changed = false;
	enum loom_status status = loom_node_hang(run->store, where, &changed, &many);

	if (status != LOOM_OK && status != LOOM_LIMIT && err)
		*err = many;
	return status == LOOM_LIMIT ? LOOM_OK : status;
}

/* Puts a text in the node's place, and hangs the node below it. */
static enum loom_status stand_before(struct engine_run *run, const struct loom_node *to,
				     struct loom_err *err)
{
	struct loom_node_spec spec = spec_of(run, to);
	struct loom_node node;
	struct loom_str name;
	int64_t made = 0;
	bool changed = false;
	enum loom_status status = engine_turn_check(run, to->id, true, err);

	spec.tree = to->tree;
	spec.from = to->from_node;
	if (status == LOOM_OK)
		status = loom_node_create(run->store, &spec, &made, err);
	if (status == LOOM_OK)
		status = engine_put_before(run,
					   &(struct loom_hang){.node = made,
							       .below = to->from_node,
							       .before = to->id},
					   err);
	if (status == LOOM_OK)
		status = loom_node_hang(run->store,
					&(struct loom_hang){.node = to->id, .below = made},
					&changed, err);
	if (status == LOOM_OK)
		status = name_new(run, made, &node, &name, err);
	if (status == LOOM_OK)
		status = engine_move(run, &node, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "put [%.*s] before [%.*s]", LOOM_STR_ARG(name),
		   LOOM_STR_ARG(engine_name(run, to)));
	loom_buf_addf(run->out, "✓ created [%.*s] before [%.*s]\n  switched to [%.*s]",
		      LOOM_STR_ARG(name), LOOM_STR_ARG(engine_name(run, to)), LOOM_STR_ARG(name));
	return LOOM_OK;
}

enum loom_status engine_verb_respond(struct engine_run *run, struct loom_err *err)
{
	struct loom_node to;
	enum loom_status status = engine_find_story(run, run->call->id, &to, err);

	if (status == LOOM_OK)
		status = engine_turn_take(run, &to, err);
	if (status != LOOM_OK)
		return status;
	if (run->call->as == LOOM_AS_BEFORE)
		return stand_before(run, &to, err);
	return run->call->as == LOOM_AS_CONTEXT || run->call->as == LOOM_AS_INSTRUCTION
		       ? attach(run, &to, err)
		       : respond(run, &to, err);
}

/* ---- annotate ---- */

/* Adds the passage that a note is on, if it is on one. */
static enum loom_status anchor(struct engine_run *run, const struct loom_node *on,
			       struct loom_buf *out, struct loom_err *err)
{
	const struct loom_str passage = run->call->on;
	struct loom_node node;
	size_t at;
	enum loom_status status = LOOM_OK;

	if (!passage.n)
		return LOOM_OK;
	status = loom_node_get(run->store, on->id, LOOM_NODE_TEXT, run->arena, &node, err);
	if (status != LOOM_OK)
		return status;
	at = loom_str_find(node.text, passage, 0);
	if (at == SIZE_MAX) {
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" does not stand in [%.*s]",
			  LOOM_STR_ARG(passage), LOOM_STR_ARG(engine_name(run, on)));
		return loom_hint(err, LOOM_NOT_FOUND, "on: takes the passage letter by letter");
	}
	loom_anchor_keep(node.text, at, passage, out);
	return LOOM_OK;
}

/* A guest is only a name here, as those in an imported file are. */
static enum loom_status find_author(struct engine_run *run, int64_t *out, struct loom_err *err)
{
	const struct loom_guest *guest = run->engine->opts.guest;
	const struct loom_agent claim = {.name = guest ? guest->name : LOOM_STR(""),
					 .kind = LOOM_AGENT_HUMAN,
					 .claim = LOOM_CLAIM_UNSIGNED,
					 .from = guest ? guest->from : LOOM_STR("")};

	if (!guest || !guest->name.p)
		return LOOM_OK;
	return loom_agent_claim(run->store, &claim, out, err);
}

enum loom_status engine_verb_annotate(struct engine_run *run, struct loom_err *err)
{
	struct loom_node on;
	struct loom_node note;
	struct loom_node_spec spec;
	struct loom_str name;
	struct loom_buf passage = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t made = 0;
	enum loom_status status = engine_find(run, run->call->id, &on, err);

	if (status == LOOM_OK && on.kind != LOOM_CONTINUATION)
		status = loom_fail(err, LOOM_CONFLICT, "[%.*s] is a note itself: annotate its node",
				   LOOM_STR_ARG(run->call->id));
	if (status == LOOM_OK)
		status = anchor(run, &on, &passage, err);
	if (status == LOOM_OK) {
		spec = spec_of(run, &on);
		spec.kind = LOOM_ANNOTATION;
		spec.extra = loom_buf_str(&passage);
		status = find_author(run, &spec.author, err);
	}
	if (status == LOOM_OK) {
		status = loom_node_create(run->store, &spec, &made, err);
	}
	loom_buf_fini(&passage);
	if (status == LOOM_OK)
		status = name_new(run, made, &note, &name, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "annotated [%.*s]", LOOM_STR_ARG(engine_name(run, &on)));
	loom_buf_addf(run->out, "✓ annotation [%.*s] added to [%.*s]", LOOM_STR_ARG(name),
		      LOOM_STR_ARG(engine_name(run, &on)));
	return LOOM_OK;
}

/* ---- edit ---- */

/* The editor's own path takes the new version; a thread on the old one moves to it. */
static enum loom_status choose_version(struct engine_run *run, const struct loom_node *made,
				       struct loom_err *err)
{
	struct loom_node stands;
	int64_t position = 0;
	enum loom_status status = LOOM_OK;

	if (made->tree != run->tree.id)
		return LOOM_OK;
	status = engine_position(run->engine, &position, err);
	if (status == LOOM_OK)
		status = loom_node_get(run->store, position, LOOM_NODE_NARROW, run->arena, &stands,
				       err);
	if (status == LOOM_OK && stands.group == made->group)
		return engine_move(run, made, err);
	return status == LOOM_OK
		       ? loom_thread_choose(run->store, run->thread.id, made->group, made->id, err)
		       : status;
}

static void say_edit(struct engine_run *run, struct loom_str made, struct loom_str from,
		     bool branch)
{
	run->changed = true;
	engine_say(run, "edited [%.*s] into [%.*s]", LOOM_STR_ARG(from), LOOM_STR_ARG(made));
	loom_buf_addf(run->out, "✓ created %s [%.*s] from [%.*s]\n  %s",
		      branch ? "branch" : "version", LOOM_STR_ARG(made), LOOM_STR_ARG(from),
		      branch ? "conversation continues from edit point"
			     : "downstream nodes preserved via hyperedge");
}

enum loom_status engine_verb_edit(struct engine_run *run, struct loom_err *err)
{
	const enum loom_edit_as as = run->call->as == LOOM_AS_BRANCH    ? LOOM_EDIT_BRANCH
				     : run->call->as == LOOM_AS_VERSION ? LOOM_EDIT_VERSION
									: LOOM_EDIT_BY_MODE;
	struct loom_node old;
	struct loom_node node;
	struct loom_node_spec spec;
	struct loom_str name;
	int64_t made = 0;
	enum loom_status status = engine_find_story(run, run->call->id, &old, err);

	if (status == LOOM_OK)
		status = engine_turn_check(run, old.id, true, err);
	if (status == LOOM_OK)
		status = engine_turn_take(run, &old, err);
	if (status != LOOM_OK)
		return status;
	spec = spec_of(run, &old);
	status = loom_node_edit(run->store, &spec, as, &made, err);
	if (status == LOOM_OK)
		status = name_new(run, made, &node, &name, err);
	if (status == LOOM_OK)
		status = node.group == node.id ? engine_move(run, &node, err)
					       : choose_version(run, &node, err);
	if (status == LOOM_OK)
		status = name_tree(run, &old, err);
	if (status == LOOM_OK)
		say_edit(run, name, engine_name(run, &old), node.group == node.id);
	return status;
}

/* ---- link ---- */

static enum loom_status aim_at_node(struct engine_run *run, const struct loom_node *node,
				    struct loom_link *link, struct loom_buf *label,
				    struct loom_err *err)
{
	if (node->id == link->from)
		return loom_fail(err, LOOM_CONFLICT, "a node cannot be linked to itself");
	link->to_node = node->id;
	loom_buf_addf(label, "[%.*s]", LOOM_STR_ARG(engine_name(run, node)));
	return LOOM_OK;
}

/* `home` is the tree of the linked node: anything in it is in no other tree. */
static enum loom_status aim_at_tree(struct engine_run *run, int64_t home, struct loom_link *link,
				    struct loom_buf *label, struct loom_err *err)
{
	const struct loom_target *target = &run->call->target;
	struct loom_tree tree;
	struct loom_node node;
	enum loom_status status = engine_find_tree(run, target->tree, &tree, err);

	if (status != LOOM_OK)
		return status;
	link->kind = target->node.p && tree.id == home ? LOOM_LINK_NODE : LOOM_LINK_TREE;
	link->to_tree = link->kind == LOOM_LINK_TREE ? tree.id : 0;
	if (!target->node.p) {
		loom_show_tree(tree.title, label);
		return LOOM_OK;
	}
	status = loom_node_find(run->store, tree.id, target->node, run->arena, &node, err);
	if (status == LOOM_NOT_FOUND || (status == LOOM_OK && node.tree != tree.id))
		return loom_fail(err, LOOM_NOT_FOUND, "node [%.*s] does not exist in tree:\"%.*s\"",
				 LOOM_STR_ARG(target->node), LOOM_STR_ARG(tree.title));
	if (status == LOOM_OK)
		status = aim_at_node(run, &node, link, label, err);
	if (status == LOOM_OK && link->to_tree) {
		loom_buf_adds(label, " in ");
		loom_show_tree(tree.title, label);
	}
	return status;
}

static enum loom_status aim_at_doc(struct engine_run *run, struct loom_link *link,
				   struct loom_buf *label, struct loom_err *err)
{
	struct loom_doc doc;
	size_t from = 0;
	size_t to = 0;
	enum loom_status status = engine_find_doc(run, run->call->target.doc, &doc, err);

	if (status == LOOM_OK && run->call->target.section.n)
		status = loom_doc_section(doc.text, run->call->target.section, &from, &to, err);
	if (status != LOOM_OK)
		return status;
	link->kind = LOOM_LINK_DOC;
	link->to_doc = doc.id;
	link->section = run->call->target.section.p ? run->call->target.section : LOOM_STR("");
	loom_show_doc(doc.name, link->section, label);
	return LOOM_OK;
}

/* Fills in the far end of a link, and its label. */
static enum loom_status aim(struct engine_run *run, int64_t home, struct loom_link *link,
			    struct loom_buf *label, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = LOOM_OK;

	if (run->call->target.tree.p)
		return aim_at_tree(run, home, link, label, err);
	if (run->call->target.doc.p)
		return aim_at_doc(run, link, label, err);
	status = engine_find(run, run->call->target.node, &node, err);
	link->kind = LOOM_LINK_NODE;
	return status == LOOM_OK ? aim_at_node(run, &node, link, label, err) : status;
}

enum loom_status engine_verb_link(struct engine_run *run, struct loom_err *err)
{
	struct loom_buf label = LOOM_BUF_INIT(4096);
	struct loom_link link = {.section = LOOM_STR_INIT(""), .note = LOOM_STR_INIT("")};
	struct loom_node from;
	struct loom_str name = {NULL, 0};
	int64_t made = 0;
	enum loom_status status = engine_find(run, run->call->id, &from, err);

	if (status == LOOM_OK) {
		link.from = from.id;
		link.author = run->engine->agent.id;
		link.note = run->call->note.p ? run->call->note : LOOM_STR("");
		name = engine_name(run, &from);
		status = aim(run, from.tree, &link, &label, err);
	}
	if (status == LOOM_OK)
		status = loom_link_create(run->store, &link, &made, &run->changed, err);
	if (status == LOOM_OK) {
		engine_say(run, "linked [%.*s] to %s", LOOM_STR_ARG(name), loom_buf_cstr(&label));
		loom_buf_addf(run->out, "✓ linked [%.*s] ↔ %s%s", LOOM_STR_ARG(name),
			      loom_buf_cstr(&label), run->changed ? "" : " unchanged");
	}
	loom_buf_fini(&label);
	return status;
}

/* ---- unlink ---- */

/* Whether a link of the node leads to, or comes from, what the call names. */
static bool is_between(const struct loom_link *link, const struct loom_link *wanted)
{
	if (wanted->kind == LOOM_LINK_DOC)
		return link->kind == LOOM_LINK_DOC && link->from == wanted->from &&
		       link->to_doc == wanted->to_doc;
	return (link->from == wanted->from && link->to_node == wanted->to_node) ||
	       (link->from == wanted->to_node && link->to_node == wanted->from);
}

static enum loom_status remove_links(struct engine_run *run, const struct loom_link *wanted,
				     size_t *out_count, struct loom_err *err)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	enum loom_status status = loom_link_list(run->store, LOOM_LINK_NODE, wanted->from,
						 run->arena, &links, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		if (!is_between(&links[i], wanted))
			continue;
		status = loom_link_remove(run->store, links[i].id, err);
		*out_count += 1;
	}
	return status;
}

enum loom_status engine_verb_unlink(struct engine_run *run, struct loom_err *err)
{
	struct loom_buf label = LOOM_BUF_INIT(4096);
	struct loom_link link = {.section = LOOM_STR_INIT(""), .note = LOOM_STR_INIT("")};
	struct loom_node from;
	struct loom_str name = LOOM_STR("");
	size_t count = 0;
	enum loom_status status = engine_find(run, run->call->id, &from, err);

	if (status == LOOM_OK) {
		link.from = from.id;
		name = engine_name(run, &from);
		status = aim(run, from.tree, &link, &label, err);
	}
	if (status == LOOM_OK)
		status = remove_links(run, &link, &count, err);
	if (status == LOOM_OK && !count) {
		status = loom_fail(err, LOOM_NOT_FOUND, "there is no link between [%.*s] and %s",
				   LOOM_STR_ARG(name), loom_buf_cstr(&label));
		(void)loom_hint(err, status, LANG_ARROW " list %.*s links", LOOM_STR_ARG(name));
	} else if (status == LOOM_OK) {
		run->changed = true;
		engine_say(run, "unlinked [%.*s] from %s", LOOM_STR_ARG(name),
			   loom_buf_cstr(&label));
		loom_buf_addf(run->out, "✓ unlinked [%.*s] from %s", LOOM_STR_ARG(name),
			      loom_buf_cstr(&label));
	}
	loom_buf_fini(&label);
	return status;
}
