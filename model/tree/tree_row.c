/* Trees as rows: creation, lookup, lists, and the counters of the tree being written to. */
#include <loom/tree/tree_rows.h>

#include <loom/text/sections.h>
#include <loom/text/sanitise.h>

#include <loom/tree/node.h>
#include <loom/base/utf8.h>

/* --- the tree being written to --- */

enum loom_status model_tree_flush(struct loom_store *store, struct loom_err *err)
{
	struct model_tree_state *state = &store->held->write.tree;
	struct query q;

	LOOM_ASSERT(store->held && (!state->dirty || store->writing));
	if (!state->dirty)
		return LOOM_OK;
	state->dirty = false;
	q = model_query(store,
			"UPDATE tree SET next_num = ?, next_note = ?, nodes = ?, leaves = ?, "
			"branches = ?, active = max(active, ?) WHERE id = ?",
			err);
	model_bind(&q, state->next_num);
	model_bind(&q, state->next_note);
	model_bind(&q, state->nodes);
	model_bind(&q, state->leaves);
	model_bind(&q, state->branches);
	model_bind(&q, state->active);
	model_bind(&q, state->id);
	return model_run(&q);
}

enum loom_status model_tree_state(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	struct model_tree_state *state = &store->held->write.tree;
	enum loom_status status;
	struct query q;
	bool there;

	LOOM_ASSERT(store->held);
	if (tree && state->id == tree)
		return LOOM_OK;
	status = model_tree_flush(store, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store,
			"SELECT op, mode, next_num, next_note, nodes, leaves, branches, active, "
			"EXISTS(SELECT 1 FROM mark WHERE tree = ?1 AND pruned = 1), root "
			"FROM tree WHERE id = ?1",
			err);
	model_bind(&q, tree);
	there = model_row(&q);
	if (there)
		*state = (struct model_tree_state){
			.id = tree,
			.op = model_int(&q, 0),
			.mode = (int)model_int(&q, 1),
			.next_num = model_int(&q, 2),
			.next_note = model_int(&q, 3),
			.nodes = model_int(&q, 4),
			.leaves = model_int(&q, 5),
			.branches = model_int(&q, 6),
			.active = model_int(&q, 7),
			.has_pruned = model_int(&q, 8) != 0,
			.has_root = model_int(&q, 9) != 0,
		};
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such tree");
}

enum loom_status loom_node_reserve(struct loom_store *store, int64_t tree, int64_t *out_num,
				   struct loom_err *err)
{
	enum loom_status status = model_tree_state(store, tree, err);

	LOOM_ASSERT(out_num);
	if (status != LOOM_OK)
		return status;
	*out_num = store->held->write.tree.next_num++;
	store->held->write.tree.dirty = true;
	return LOOM_OK;
}

/* --- creation --- */

static enum loom_status insert_tree(struct loom_store *store, const struct loom_tree_spec *spec,
				    int64_t id, int64_t op, struct loom_err *err)
{
	struct loom_ulid ulid;
	uint8_t random[13];
	/* An imported tree was active when it was written, not when it came. */
	int64_t created = spec->created ? spec->created : loom_env_now(store->env);
	int64_t key = 0;
	struct query q = model_query(store,
				     "INSERT INTO tree(id, op, ulid, mode, key, root, title, "
				     "system, subject, created, active) "
				     "VALUES(?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
				     err);

	loom_env_random(store->env, ((uint64_t)id << 8) ^ 0x7472, random, sizeof random);
	ulid = spec->ulid ? *spec->ulid : loom_ulid_make(created, (uint64_t)id, random);
	memcpy(&key, spec->key ? (const uint8_t *)spec->key : random + 5, sizeof key);
	model_bind(&q, id);
	model_bind(&q, op);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	model_bind(&q, spec->mode);
	model_bind(&q, key);
	model_bind_text(&q, spec->title);
	model_bind_text(&q, spec->system);
	model_bind_or_null(&q, spec->subject);
	model_bind(&q, created);
	model_bind(&q, created);
	return model_run(&q);
}

static enum loom_status insert_root(struct loom_store *store, const struct loom_tree_spec *spec,
				    int64_t tree, struct loom_err *err)
{
	struct loom_node_spec root = {.seq = -1};
	int64_t node = 0;
	enum loom_status status;
	struct query q;

	LOOM_ASSERT(model_in_op(store));
	if (spec->root)
		root = *spec->root;
	root.tree = tree;
	root.from = 0;
	root.text = spec->root_text;
	root.author = spec->author;
	status = loom_node_create(store, &root, &node, err);

	if (status != LOOM_OK)
		return status;
	store->held->write.tree.has_root = true;
	if (spec->out_root)
		*spec->out_root = node;
	q = model_query(store, "UPDATE tree SET root = ? WHERE id = ?", err);
	model_bind(&q, node);
	model_bind(&q, tree);
	return model_run(&q);
}

enum loom_status loom_tree_create(struct loom_store *store, const struct loom_tree_spec *spec,
				  int64_t *out_tree, struct loom_err *err)
{
	int64_t op = 0;
	int64_t last = 0;
	struct query q;
	enum loom_status status = model_op_need(store, &op, err);

	LOOM_ASSERT(out_tree);
	if (status != LOOM_OK)
		return status;
	if (!loom_utf8_valid(spec->title, NULL) || !loom_utf8_valid(spec->system, NULL))
		return loom_fail(err, LOOM_INVALID, "title and system prompt must be UTF-8");
	status = model_label_check(store, "a title", spec->title, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store,
			"SELECT max(coalesce((SELECT max(id) FROM tree), 0), (SELECT last_tree "
			"FROM grove WHERE id = 1))",
			err);
	status = model_one(&q, 0, &last);
	if (status == LOOM_OK)
		status = insert_tree(store, spec, last + 1, op, err);
	if (status == LOOM_OK)
		status = insert_root(store, spec, last + 1, err);
	if (status == LOOM_OK)
		*out_tree = last + 1;
	return status;
}

/* --- looking --- */

/* Only where there are several roots need it be looked for. */
#define ROOT_NOW                                                                                   \
	"iif(EXISTS(SELECT 1 FROM node WHERE parent IS NULL AND tree = t.id AND id = grp AND "     \
	"ord > 1), coalesce(" MODEL_FIRST_ROOT("t.id") ", t.root), t.root)"
#define TREE_COLUMNS                                                                               \
	"t.id, t.ulid, t.mode, t.key, " ROOT_NOW ", t.title, t.description, t.summary, t.system, " \
	"t.subject, t.nodes, t.leaves, t.branches, t.created, t.active"
#define TREE_DONE "FROM tree t JOIN op o ON o.id = t.op AND o.state = 1 "

static void read_tree(const struct query *q, struct loom_arena *arena, struct loom_tree *out)
{
	*out = (struct loom_tree){
		.id = model_int(q, 0),
		.mode = (enum loom_mode)model_int(q, 2),
		.key = (uint64_t)model_int(q, 3),
		.root = model_int(q, 4),
		.title = model_text(q, 5, arena),
		.description = model_text(q, 6, arena),
		.summary = model_text(q, 7, arena),
		.system = model_text(q, 8, arena),
		.subject = model_int(q, 9),
		.nodes = model_int(q, 10),
		.leaves = model_int(q, 11),
		.branches = model_int(q, 12),
		.created = model_int(q, 13),
		.active = model_int(q, 14),
	};
	model_ulid(q, 1, &out->ulid);
}

enum loom_status loom_tree_get(struct loom_store *store, int64_t tree, struct loom_arena *arena,
			       struct loom_tree *out, struct loom_err *err)
{
	enum loom_status status = store->writing ? model_tree_flush(store, err) : LOOM_OK;
	struct query q;
	bool there;

	if (status != LOOM_OK)
		return status;
	q = model_query(store, "SELECT " TREE_COLUMNS " " TREE_DONE "WHERE t.id = ?", err);
	model_bind(&q, tree);
	there = model_row(&q);
	if (there)
		read_tree(&q, arena, out);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such tree");
}

enum loom_status loom_tree_list(struct loom_store *store, struct loom_arena *arena,
				struct loom_tree **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT " TREE_COLUMNS " " TREE_DONE
				     "ORDER BY t.active DESC, t.id DESC",
				     err);
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_tree(&q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

/* Accepts a result of exactly one row; *out_rows says how many there were (2: several). */
static enum loom_status only_tree(struct query *q, struct loom_arena *arena, struct loom_tree *out,
				  int *out_rows)
{
	*out_rows = 0;
	while (*out_rows < 2 && model_row(q)) {
		if (*out_rows == 0)
			read_tree(q, arena, out);
		++*out_rows;
	}
	LOOM_ASSERT(*out_rows <= 2);
	return model_done(q);
}

static enum loom_status tree_by_ulid(struct loom_store *store, struct loom_str name,
				     struct loom_arena *arena, struct loom_tree *out, int *out_rows,
				     struct loom_err *err)
{
	struct loom_ulid low;
	struct loom_ulid high;
	struct query q;

	*out_rows = 0;
	if (!loom_ulid_range(name, 1, &low, &high))
		return LOOM_OK;
	q = model_query(store,
			"SELECT " TREE_COLUMNS " " TREE_DONE "WHERE t.ulid BETWEEN ? AND ? LIMIT 2",
			err);
	model_bind_blob(&q, low.bytes, sizeof low.bytes);
	model_bind_blob(&q, high.bytes, sizeof high.bytes);
	return only_tree(&q, arena, out, out_rows);
}

static enum loom_status tree_by_title(struct loom_store *store, struct loom_str name,
				      struct loom_arena *arena, struct loom_tree *out,
				      int *out_rows, struct loom_err *err)
{
	static const char exact[] =
		"SELECT " TREE_COLUMNS " " TREE_DONE
		"WHERE t.title = ?1 COLLATE NOCASE AND t.title = ?1 ORDER BY t.id LIMIT 2";
	static const char folded[] = "SELECT " TREE_COLUMNS " " TREE_DONE
				     "WHERE t.title = ? COLLATE NOCASE ORDER BY t.id LIMIT 2";
	struct query q = model_query(store, exact, err);
	enum loom_status status;

	model_bind_text(&q, name);
	status = only_tree(&q, arena, out, out_rows);
	if (status != LOOM_OK || *out_rows)
		return status;
	q = model_query(store, folded, err);
	model_bind_text(&q, name);
	return only_tree(&q, arena, out, out_rows);
}

enum loom_status loom_tree_find(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_tree *out,
				struct loom_err *err)
{
	int rows = 0;
	bool titled = false;
	enum loom_status status = tree_by_title(store, name, arena, out, &rows, err);

	titled = rows > 0;
	if (status == LOOM_OK && !titled)
		status = tree_by_ulid(store, name, arena, out, &rows, err);
	if (status != LOOM_OK || rows == 1)
		return status;
	if (rows > 1) {
		loom_fail(err, LOOM_SYNTAX, "several trees %s \"%.*s\"",
			  titled ? "are called" : "have an id that begins with",
			  LOOM_STR_ARG(name));
		return loom_hint(err, LOOM_SYNTAX, "use the id that `loom trees` shows");
	}
	loom_fail(err, LOOM_NOT_FOUND, "there is no tree \"%.*s\"", LOOM_STR_ARG(name));
	return loom_hint(err, LOOM_NOT_FOUND, "`loom trees` lists them");
}

enum loom_status loom_tree_spare_title(struct loom_store *store, const char *want,
				       struct loom_arena *arena, struct loom_str *out,
				       struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct loom_tree taken;
	int rows = 0;

	LOOM_ASSERT(want && out);
	*out = loom_str_of(want);
	for (int n = 2;; n++) {
		status = tree_by_title(store, *out, arena, &taken, &rows, err);
		if (status != LOOM_OK || rows == 0)
			return status;
		*out = loom_arena_format(arena, "%s %d", want, n);
	}
}

#define UNNAMED "untitled"

enum loom_status loom_tree_title_of(struct loom_store *store, struct loom_str text,
				    struct loom_arena *arena, struct loom_str *out,
				    struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *want;

	loom_text_name(text, &name);
	loom_shown_line(&shown, loom_buf_str(&name), 0);
	want = shown.n ? loom_arena_buf(arena, &shown).p : UNNAMED;
	loom_buf_fini(&name);
	loom_buf_fini(&shown);
	return loom_tree_spare_title(store, want, arena, out, err);
}

/* "untitled", "untitled 2": what a tree is called before it has words. */
static bool is_unnamed(struct loom_str title)
{
	const struct loom_str rest = loom_str_sub(title, strlen(UNNAMED), title.n);
	uint64_t number;

	return loom_str_starts(title, LOOM_STR(UNNAMED)) &&
	       (!rest.n ||
		(rest.p[0] == ' ' && loom_str_to_u64(loom_str_sub(rest, 1, rest.n), &number)));
}

enum loom_status loom_tree_name_by(struct loom_store *store, int64_t tree, struct loom_str text,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree row;
	struct loom_str title;
	enum loom_status status = loom_tree_get(store, tree, arena, &row, err);

	if (status == LOOM_OK && is_unnamed(row.title)) {
		status = loom_tree_title_of(store, text, arena, &title, err);
		/* A name that looks like another's is refused; then it stays without one. */
		if (status == LOOM_OK && !is_unnamed(title))
			(void)!loom_tree_set(store, tree, LOOM_TREE_TITLE, title, NULL);
	}
	loom_arena_destroy(arena);
	return status;
}

int64_t loom_tree_branches(const struct loom_tree *tree)
{
	return tree->branches ? tree->branches : 1;
}

/* --- changing --- */

static enum loom_status require_tree(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	int64_t there = 0;
	struct query q = model_query(store,
				     "SELECT 1 FROM tree t JOIN op o ON o.id = t.op AND "
				     "(o.state = 1 OR o.id = ?2) WHERE t.id = ?1",
				     err);

	model_bind(&q, tree);
	model_bind(&q, store->held->write.op);
	if (model_one(&q, 0, &there) != LOOM_OK || there)
		return q.status;
	return loom_fail(err, LOOM_NOT_FOUND, "there is no such tree");
}

enum loom_status loom_tree_set(struct loom_store *store, int64_t tree, enum loom_tree_field field,
			       struct loom_str value, struct loom_err *err)
{
	static const enum model_field fields[] = {
		[LOOM_TREE_TITLE] = MODEL_TREE_TITLE,
		[LOOM_TREE_DESCRIPTION] = MODEL_TREE_DESCRIPTION,
		[LOOM_TREE_SUMMARY] = MODEL_TREE_SUMMARY,
		[LOOM_TREE_SYSTEM] = MODEL_TREE_SYSTEM,
	};
	bool changed = false;
	enum loom_status status = model_tree_state(store, tree, err);

	LOOM_ASSERT((size_t)field < LOOM_COUNT(fields));
	if (status == LOOM_OK)
		status = require_tree(store, tree, err);
	if (status == LOOM_OK && !loom_utf8_valid(value, NULL))
		status = loom_fail(err, LOOM_INVALID, "the text is not UTF-8");
	if (status == LOOM_OK && field == LOOM_TREE_TITLE)
		status = model_label_check(store, "a title", value, err);
	if (status == LOOM_OK)
		status = model_set(store, fields[field], tree, model_of_text(value), &changed, err);
	return status == LOOM_OK && changed
		       ? model_op_builds_on(store, store->held->write.tree.op, err)
		       : status;
}

enum loom_status loom_tree_set_subject(struct loom_store *store, int64_t tree, int64_t agent,
				       struct loom_err *err)
{
	struct model_value value =
		agent ? model_of_int(agent) : (struct model_value){MODEL_NULL, 0, {NULL, 0}};
	bool changed = false;
	enum loom_status status = model_tree_state(store, tree, err);

	if (status == LOOM_OK)
		status = require_tree(store, tree, err);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_TREE_SUBJECT, tree, value, &changed, err);
	if (status == LOOM_OK && changed)
		status = model_op_builds_on(store, store->held->write.tree.op, err);
	return status == LOOM_OK && changed && agent ? model_builds_on_agent(store, agent, err)
						     : status;
}
