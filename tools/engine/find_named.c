/* Finds what a call names and refuses it in words that teach. An id that is not here may be in
 * another tree, which only some agents may enter. */
#include <loom/engine/handlers.h>

#include <loom/base/utf8.h>
#include <loom/language/call.h>
#include <loom/language/registry.h>

/* Bytes of a title shown in a refusal. */
#define TITLE_SHOWN 200

struct loom_str engine_name(struct engine_run *run, const struct loom_node *node)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	struct loom_str out;

	if (loom_show_name(run->show, node, &name, NULL) != LOOM_OK)
		loom_buf_addc(&name, '?');
	out = loom_arena_buf(run->arena, &name);
	loom_buf_fini(&name);
	return out;
}

void engine_add_tree(const struct engine_run *run, struct loom_buf *out)
{
	if (!run->call->tree.p)
		return;
	loom_buf_adds(out, " in tree:");
	loom_call_quote(run->call->tree, out);
}

struct loom_str engine_name_again(struct engine_run *run, const struct loom_node *node,
				  const char *options)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct loom_str out;

	loom_buf_addf(&text, "%.*s%s", LOOM_STR_ARG(engine_name(run, node)), options);
	engine_add_tree(run, &text);
	out = loom_arena_buf(run->arena, &text);
	loom_buf_fini(&text);
	return out;
}

struct loom_str engine_many(struct engine_run *run, int64_t count, const char *one,
			    const char *many)
{
	struct loom_buf text = LOOM_BUF_INIT(100);
	struct loom_str out;

	loom_show_many(count, one, many, &text);
	out = loom_arena_buf(run->arena, &text);
	loom_buf_fini(&text);
	return out;
}

/* The hint repeats the call with `in tree:"…"` at the id that is elsewhere, without its texts. */
static enum loom_status hint_tree(struct engine_run *run, struct loom_str id, struct loom_str title,
				  struct loom_err *err)
{
	struct loom_call call = *run->call;
	struct loom_buf form = LOOM_BUF_INIT(1 << 16);
	enum loom_status status = LOOM_OK;

	if (call.verb == LOOM_VERB_LINK && loom_str_eq(id, call.target.node))
		call.target.tree = title;
	else
		call.tree = title;
	if (call.content.n > 40)
		call.content = LOOM_STR("…");
	loom_call_print(&call, &form);
	status = loom_hint(err, LOOM_CROSS_TREE, LANG_ARROW " %s", loom_buf_cstr(&form));
	loom_buf_fini(&form);
	return status;
}

enum loom_status loom_engine_refuse_tree(struct loom_str title, struct loom_err *err)
{
	loom_fail(err, LOOM_CROSS_TREE, "tree:\"%.*s\" is another tree",
		  LOOM_STR_ARG(loom_utf8_clip(title, TITLE_SHOWN)));
	return loom_hint(err, LOOM_CROSS_TREE,
			 "cross_tree not enabled: stay in this tree, or request elevated "
			 "permissions");
}

bool engine_hint_name(struct engine_run *run, struct loom_str said, struct loom_str name,
		      struct loom_err *err)
{
	struct loom_call call = *run->call;
	struct loom_str *const names[] = {&call.doc,    &call.target.doc,  &call.pin.doc,
					  &call.tree,   &call.target.tree, &call.stash,
					  &call.recall, &call.label};
	struct loom_buf line = LOOM_BUF_INIT(sizeof err->hint);
	const size_t far = loom_word_distance(said, name, 2);
	bool hinted = false;

	if (far > 2 || far * 2 >= said.n)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (names[i]->p && loom_str_eq(*names[i], said))
			*names[i] = name;
	loom_call_print(&call, &line);
	hinted = line.bad == LOOM_OK;
	if (hinted)
		loom_hint(err, err->status, "did you mean " LANG_ARROW " %s", loom_buf_cstr(&line));
	loom_buf_fini(&line);
	return hinted;
}

/* Bytes of names listed in a hint. */
#define NAMES_SHOWN 150

/* Lists the trees, for agents that may enter them. */
static enum loom_status name_trees(struct engine_run *run, struct loom_str name, bool may,
				   struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (may)
		status = loom_tree_list(run->store, run->arena, &trees, &count, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && names.n + trees[i].title.n < NAMES_SHOWN; i++)
		loom_buf_addf(&names, "%s\"%.*s\"", i ? ", " : "", LOOM_STR_ARG(trees[i].title));
	if (names.n)
		(void)loom_hint(err, LOOM_NOT_FOUND, "trees: %s", loom_buf_cstr(&names));
	else
		(void)loom_hint(err, LOOM_NOT_FOUND, "this one is tree:\"%.*s\"",
				LOOM_STR_ARG(loom_utf8_clip(run->engine->tree.title, NAMES_SHOWN)));
	for (size_t i = 0; i < count && !engine_hint_name(run, name, trees[i].title, err); i++)
		continue;
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

enum loom_status engine_find_tree(struct engine_run *run, struct loom_str name,
				  struct loom_tree *out, struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	const bool may = engine->who.grant.may & LOOM_MAY_CROSS_TREE;
	enum loom_status status = loom_tree_find(run->store, name, run->arena, out, err);

	if (status == LOOM_NOT_FOUND)
		return name_trees(run, name, may, err);
	return status != LOOM_OK || out->id == engine->tree.id || may
		       ? status
		       : loom_engine_refuse_tree(out->title, err);
}

/* Says where the node is, to agents that may go there. */
static enum loom_status refuse_elsewhere(struct engine_run *run, struct loom_str id, int64_t tree,
					 struct loom_err *err)
{
	struct loom_tree other;
	enum loom_status status = loom_tree_get(run->store, tree, run->arena, &other, err);

	if (status != LOOM_OK)
		return status;
	loom_fail(err, LOOM_CROSS_TREE, "node [%.*s] is in another tree: \"%.*s\"",
		  LOOM_STR_ARG(id), LOOM_STR_ARG(loom_utf8_clip(other.title, TITLE_SHOWN)));
	return hint_tree(run, id, other.title, err);
}

enum loom_status engine_refuse_doc(struct engine_run *run, struct loom_str name,
				   struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (run->engine->who.grant.may & LOOM_MAY_DOC_READ)
		status = loom_doc_list(run->store, run->arena, &docs, &count, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && names.n + docs[i].name.n < NAMES_SHOWN; i++) {
		loom_buf_adds(&names, i ? ", " : "");
		loom_show_doc(docs[i].name, LOOM_STR(""), &names);
	}
	loom_fail(err, LOOM_NOT_FOUND, "document \"%.*s\" does not exist", LOOM_STR_ARG(name));
	if (names.n)
		loom_hint(err, LOOM_NOT_FOUND, "there is %s", loom_buf_cstr(&names));
	else if (run->engine->who.grant.may & LOOM_MAY_DOC_READ)
		loom_hint(err, LOOM_NOT_FOUND, "the grove has no documents yet");
	for (size_t i = 0; i < count && !engine_hint_name(run, name, docs[i].name, err); i++)
		continue;
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

enum loom_status engine_find_doc(struct engine_run *run, struct loom_str name, struct loom_doc *out,
				 struct loom_err *err)
{
	enum loom_status status = loom_doc_find(run->store, name, true, run->arena, out, err);

	return status == LOOM_NOT_FOUND ? engine_refuse_doc(run, name, err) : status;
}

/* ---- ids like one that is not there ---- */

#define NEAR_SHOWN 3

/* Looks for nodes whose id is one slip away: a sign mistaken, left out, put in, or two exchanged.
 */
struct near {
	struct engine_run *run;
	struct loom_str said;
	char id[LOOM_LOCAL_MAX];
	struct loom_str found[NEAR_SHOWN];
	size_t count;
};

static void try_near(struct near *near, size_t n)
{
	const struct loom_str id = loom_str_make(near->id, n);
	struct loom_node node;

	if (near->count == NEAR_SHOWN || loom_str_eq(id, near->said) ||
	    loom_node_find(near->run->store, near->run->engine->tree.id, id, near->run->arena,
			   &node, NULL) != LOOM_OK ||
	    node.tree != near->run->engine->tree.id)
		return;
	for (size_t i = 0; i < near->count; i++)
		if (loom_str_eq(near->found[i], id))
			return;
	near->found[near->count++] = loom_arena_str(near->run->arena, id);
}

/* Tries all signs in place of `cut` of those at `at`. */
static void try_signs(struct near *near, size_t at, size_t cut)
{
	static const char signs[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	const struct loom_str said = near->said;

	memcpy(near->id, said.p, at);
	memcpy(near->id + at + 1, said.p + at + cut, said.n - at - cut);
	for (const char *sign = signs; *sign; sign++) {
		near->id[at] = *sign;
		try_near(near, said.n + 1 - cut);
	}
}

static void find_near(struct near *near)
{
	const struct loom_str said = near->said;

	for (size_t at = 0; at + 1 < said.n; at++) {
		memcpy(near->id, said.p, said.n);
		near->id[at] = said.p[at + 1];
		near->id[at + 1] = said.p[at];
		try_near(near, said.n);
	}
	for (size_t at = 0; at < said.n; at++) {
		try_signs(near, at, 1);
		memcpy(near->id, said.p, at);
		memcpy(near->id + at, said.p + at + 1, said.n - at - 1);
		try_near(near, said.n - 1);
	}
	for (size_t at = 0; at <= said.n; at++)
		try_signs(near, at, 0);
}

static bool is_plain_id(struct loom_str id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!((id.p[i] >= '0' && id.p[i] <= '9') || (id.p[i] >= 'a' && id.p[i] <= 'z')))
			return false;
	return id.n >= 3 && id.n + 2 < LOOM_LOCAL_MAX && id.n <= 6;
}

/* The hint repeats the call with an id that exists in place of the one that does not. */
static void hint_near(struct engine_run *run, struct loom_str id, struct loom_err *err)
{
	struct near near = {.run = run, .said = id};
	struct loom_buf lines = LOOM_BUF_INIT(sizeof err->hint);

	if (!is_plain_id(id))
		return;
	find_near(&near);
	for (size_t i = 0; i < near.count; i++) {
		struct loom_str *nodes[LOOM_CALL_NODES_MAX];
		struct loom_call call = *run->call;
		const size_t count = loom_call_nodes(&call, nodes);

		for (size_t k = 0; k < count; k++)
			if (loom_str_eq(*nodes[k], id))
				*nodes[k] = near.found[i];
		loom_buf_adds(&lines, i ? "\n" LANG_ARROW " " : "did you mean " LANG_ARROW " ");
		loom_call_print(&call, &lines);
	}
	/* A long text is not worth repeating. */
	if (near.count && lines.bad == LOOM_OK)
		loom_hint(err, LOOM_NOT_FOUND, "%s", loom_buf_cstr(&lines));
	else if (near.count)
		loom_hint(err, LOOM_NOT_FOUND, "did you mean " LANG_ARROW " view %.*s",
			  LOOM_STR_ARG(near.found[0]));
	loom_buf_fini(&lines);
}

static enum loom_status refuse_missing(struct engine_run *run, struct loom_str id,
				       struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "node [%.*s] does not exist in this tree", LOOM_STR_ARG(id));
	if (loom_str_is(id, "parent"))
		return loom_fail(err, LOOM_NOT_FOUND, "you stand at the root: it has no parent");
	if (loom_str_is(id, "last"))
		return loom_fail(err, LOOM_NOT_FOUND, "there is no result yet");
	if (loom_str_is(id, "top")) {
		loom_fail(err, LOOM_NOT_FOUND, "no node stands at the top, above the roots");
		return loom_hint(err, LOOM_NOT_FOUND,
				 "only a branch is moved there: " LANG_ARROW " move ID to top");
	}
	if (loom_str_starts(id, LOOM_STR("res-")))
		loom_hint(err, LOOM_NOT_FOUND, "%.*s is a result; " LANG_ARROW " pin %.*s keeps it",
			  LOOM_STR_ARG(id), LOOM_STR_ARG(id));
	else if (err)
		hint_near(run, id, err);
	return LOOM_NOT_FOUND;
}

/* The node is not in this tree, and the call named no tree. */
static enum loom_status look_elsewhere(struct engine_run *run, struct loom_str id,
				       struct loom_err *err)
{
	int64_t other = 0;
	enum loom_status status = LOOM_OK;

	if (run->engine->who.grant.may & LOOM_MAY_CROSS_TREE)
		status = loom_node_elsewhere(run->store, run->engine->tree.id, id, &other, err);
	if (status != LOOM_OK)
		return status;
	return other ? refuse_elsewhere(run, id, other, err) : refuse_missing(run, id, err);
}

static enum loom_status find_here(struct engine_run *run, struct loom_str id, struct loom_node *out,
				  struct loom_err *err)
{
	const int64_t tree = run->engine->tree.id;
	enum loom_status status = loom_node_find(run->store, tree, id, run->arena, out, err);

	if (status == LOOM_NOT_FOUND)
		return look_elsewhere(run, id, err);
	if (status != LOOM_OK || out->tree == tree)
		return status;
	/* A ULID finds a node in any tree. */
	return run->engine->who.grant.may & LOOM_MAY_CROSS_TREE
		       ? refuse_elsewhere(run, id, out->tree, err)
		       : refuse_missing(run, id, err);
}

enum loom_status engine_find(struct engine_run *run, struct loom_str id, struct loom_node *out,
			     struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (!run->call->tree.p)
		return find_here(run, id, out, err);
	status = engine_find_tree(run, run->call->tree, &tree, err);
	if (status != LOOM_OK)
		return status;
	status = loom_node_find(run->store, tree.id, id, run->arena, out, err);
	if (status != LOOM_NOT_FOUND && (status != LOOM_OK || out->tree == tree.id))
		return status;
	return loom_fail(err, LOOM_NOT_FOUND, "node [%.*s] does not exist in tree:\"%.*s\"",
			 LOOM_STR_ARG(id), LOOM_STR_ARG(tree.title));
}

enum loom_status engine_check_story(struct engine_run *run, const struct loom_node *node,
				    struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	enum loom_status status = LOOM_OK;

	if (node->kind == LOOM_CONTINUATION)
		return LOOM_OK;
	status = loom_show_name_of(run->show, node->from_node, &name, err);
	if (status == LOOM_OK) {
		loom_fail(err, LOOM_CONFLICT, "[%.*s] is beside the story and cannot be continued",
			  LOOM_STR_ARG(engine_name(run, node)));
		status = loom_hint(err, LOOM_CONFLICT, "it is attached to [%s]",
				   loom_buf_cstr(&name));
	}
	loom_buf_fini(&name);
	return status;
}

enum loom_status engine_find_story(struct engine_run *run, struct loom_str id,
				   struct loom_node *out, struct loom_err *err)
{
	int64_t visible = 0;
	int64_t mark = 0;
	struct loom_node hidden_by;
	enum loom_status status = engine_find(run, id, out, err);

	if (status == LOOM_OK)
		status = engine_check_story(run, out, err);
	if (status != LOOM_OK)
		return status;
	status = loom_node_visible(run->store, out->id, &visible, &mark, err);
	if (status != LOOM_OK || visible == out->id)
		return status;
	status = loom_node_get(run->store, mark ? mark : out->id, LOOM_NODE_NARROW, run->arena,
			       &hidden_by, err);
	if (status != LOOM_OK)
		return status;
	loom_fail(err, LOOM_CONFLICT, "[%.*s] is pruned", LOOM_STR_ARG(id));
	return loom_hint(err, LOOM_CONFLICT, LANG_ARROW " restore %.*s",
			 LOOM_STR_ARG(engine_name_again(run, &hidden_by, "")));
}

/* --- places in a text --- */

/* Length in bytes of the first `count` characters; SIZE_MAX when there are fewer. */
static size_t bytes_of(struct loom_str text, int64_t count)
{
	size_t at = 0;

	for (; count > 0 && at < text.n; count--)
		(void)loom_utf8_next(text, &at);
	return count ? SIZE_MAX : at;
}

static enum loom_status cut_at(struct engine_run *run, const struct loom_node *node, size_t *out,
			       struct loom_err *err)
{
	struct loom_str came;
	struct loom_seam seam;
	struct loom_str many;
	size_t length;
	enum loom_status status =
		loom_node_came(run->store, node->id, run->arena, &came, &seam, err);

	if (status != LOOM_OK)
		return status;
	*out = bytes_of(came, run->call->at);
	if (*out != SIZE_MAX) {
		*out = loom_seam_to_read(&seam, came.n, *out);
		return LOOM_OK;
	}
	length = loom_utf8_length(came);
	many = engine_many(run, (int64_t)length, "character", "characters");
	loom_fail(err, LOOM_LIMIT, "[%.*s] has %.*s", LOOM_STR_ARG(engine_name(run, node)),
		  LOOM_STR_ARG(many));
	return loom_hint(err, LOOM_LIMIT, "use at:%zu or less", length);
}

static enum loom_status cut_after(struct engine_run *run, const struct loom_node *node, size_t *out,
				  struct loom_err *err)
{
	const struct loom_str text = run->call->after;
	struct loom_str came;
	struct loom_seam seam;
	size_t first = loom_str_find(node->text, text, 0);
	size_t count = 0;

	for (size_t at = first; at != SIZE_MAX; at = loom_str_find(node->text, text, at + 1))
		count++;
	if (count == 1) {
		*out = first + text.n;
		return LOOM_OK;
	}
	if (!count) {
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" does not occur in [%.*s]",
			  (int)loom_utf8_clip(text, 120).n, text.p,
			  LOOM_STR_ARG(engine_name(run, node)));
		return loom_hint(err, LOOM_NOT_FOUND, LANG_ARROW " view %.*s shows its text",
				 LOOM_STR_ARG(engine_name_again(run, node, " full")));
	}
	if (loom_node_came(run->store, node->id, run->arena, &came, &seam, err) != LOOM_OK)
		return err->status;
	first = loom_seam_to_came(&seam, came.n, first + text.n);
	loom_fail(err, LOOM_SYNTAX, "\"%.*s\" occurs %zu times in [%.*s]: after which one?",
		  (int)loom_utf8_clip(text, 120).n, text.p, count,
		  LOOM_STR_ARG(engine_name(run, node)));
	return loom_hint(err, LOOM_SYNTAX, "quote more of it, or use at:%zu",
			 loom_utf8_length(loom_str_sub(came, 0, first)));
}

enum loom_status engine_cut(struct engine_run *run, const struct loom_node *node, size_t *out,
			    struct loom_err *err)
{
	*out = node->text.n;
	if (run->call->at)
		return cut_at(run, node, out, err);
	return run->call->after.p ? cut_after(run, node, out, err) : LOOM_OK;
}
