#include "support/grove.h"

#include <loom/tree/open_store.h>
#include <loom/tree/person.h>

static const char *var(void *ctx, const char *name)
{
	const struct grove *grove = ctx;

	if (strncmp(name, "XDG_", 4) == 0 || strcmp(name, "HOME") == 0)
		return grove->temp.path;
	return strcmp(name, "LOOM_ME") == 0 ? grove->me : NULL;
}

void grove_must(enum loom_status status, const struct loom_err *err, const char *what)
{
	if (status == LOOM_OK)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, loom_status_code(status), err->text);
	exit(99);
}

static void open_store(struct grove *grove)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_store_open(&grove->env, loom_str_of(grove->temp.path), LOOM_WRITE,
				   &grove->store, &err),
		   &err, "open");
}

void grove_init(struct grove *grove)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent agent;

	memset(grove, 0, sizeof *grove);
	temp_init(&grove->temp);
	loom_env_init_fixed(&grove->env, 1771840800000, 1);
	grove->env.var = var;
	grove->env.ctx = grove;
	grove->arena = loom_arena_create();
	grove->me = "Olga";
	grove_must(loom_grove_init(&grove->env, loom_str_of(grove->temp.path), &err), &err, "init");
	grove->me = NULL;
	open_store(grove);
	grove_must(loom_person_me(grove->store, grove->arena, &agent, &err), &err, "owner");
	grove->owner = agent.id;
	grove_must(loom_agent_find(grove->store, LOOM_STR("ngram"), grove->arena, &agent, &err),
		   &err, "ngram");
	grove->model = agent.id;
}

void grove_fini(struct grove *grove)
{
	loom_store_close(grove->store);
	loom_arena_destroy(grove->arena);
	temp_fini(&grove->temp);
}

void grove_reopen(struct grove *grove)
{
	loom_store_close(grove->store);
	open_store(grove);
}

struct loom_store *grove_connect(struct grove *grove, enum loom_access access)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *store = NULL;

	grove_must(loom_store_open(&grove->env, loom_str_of(grove->temp.path), access, &store,
				   &err),
		   &err, "connect");
	return store;
}

enum loom_status grove_writer_open(void *ctx, void **out, struct loom_err *err)
{
	struct grove *grove = ctx;
	struct loom_store *store = NULL;
	enum loom_status status = loom_store_open(&grove->env, loom_str_of(grove->temp.path),
						  LOOM_WRITE, &store, err);

	*out = store;
	return status;
}

void grove_writer_close(void *store)
{
	loom_store_close(store);
}

void grove_begin(struct grove *grove, const char *kind)
{
	grove_begin_by(grove, grove->owner, kind);
}

void grove_begin_by(struct grove *grove, int64_t actor, const char *kind)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op_spec spec = {.kind = kind, .text = loom_str_of(kind), .actor = actor};

	grove_must(loom_op_begin(grove->store, &spec, &err), &err, kind);
}

int64_t grove_commit(struct grove *grove)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t op = 0;

	grove_must(loom_op_commit(grove->store, &op, &err), &err, "commit");
	return op;
}

int64_t grove_tree(struct grove *grove, enum loom_mode mode, const char *root_text)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree_spec spec = {.mode = mode,
				      .title = LOOM_STR_INIT("tree"),
				      .root_text = loom_str_of(root_text),
				      .author = grove->owner};
	int64_t tree = 0;

	grove_begin(grove, "new");
	grove_must(loom_tree_create(grove->store, &spec, &tree, &err), &err, "tree");
	grove_commit(grove);
	return tree;
}

int64_t grove_node(struct grove *grove, int64_t from, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = grove->owner,
				      .seq = -1};
	int64_t node = 0;

	grove_begin(grove, "respond");
	grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
	grove_commit(grove);
	return node;
}

int64_t grove_edit(struct grove *grove, int64_t node, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = node,
				      .text = loom_str_of(text),
				      .author = grove->owner,
				      .seq = -1};
	int64_t made = 0;

	grove_begin(grove, "edit");
	grove_must(loom_node_edit(grove->store, &spec, LOOM_EDIT_BY_MODE, &made, &err), &err,
		   "edit");
	grove_commit(grove);
	return made;
}

int64_t grove_note(struct grove *grove, int64_t node, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = node,
				      .kind = LOOM_ANNOTATION,
				      .text = loom_str_of(text),
				      .author = grove->owner,
				      .seq = -1};
	int64_t made = 0;

	grove_begin(grove, "annotate");
	grove_must(loom_node_create(grove->store, &spec, &made, &err), &err, "annotate");
	grove_commit(grove);
	return made;
}

void grove_prune(struct grove *grove, int64_t node)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t below = 0;
	bool changed = false;

	grove_begin(grove, "prune");
	grove_must(loom_node_prune(grove->store, node, &below, &changed, &err), &err, "prune");
	grove_commit(grove);
}

void grove_restore(struct grove *grove, int64_t node)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t below = 0;
	bool changed = false;

	grove_begin(grove, "restore");
	grove_must(loom_node_restore(grove->store, node, &below, &changed, &err), &err, "restore");
	grove_commit(grove);
}

int64_t grove_root(struct grove *grove, int64_t tree)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree row;

	grove_must(loom_tree_get(grove->store, tree, grove->arena, &row, &err), &err, "tree");
	return row.root;
}

struct loom_node grove_get(struct grove *grove, int64_t node)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node out;

	grove_must(loom_node_get(grove->store, node, LOOM_NODE_ALL, grove->arena, &out, &err), &err,
		   "get");
	return out;
}

const char *grove_name(struct grove *grove, int64_t node)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node row = grove_get(grove, node);
	char name[LOOM_LOCAL_MAX];

	grove_must(loom_node_name(grove->store, &row, name, &err), &err, "name");
	return loom_arena_cstr(grove->arena, loom_str_of(name));
}
