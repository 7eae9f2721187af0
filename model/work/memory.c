/* Pins and stashes as rows of a thread. */
#include <loom/tree/tree_rows.h>

#include <loom/work/memory.h>
#include <loom/base/utf8.h>

/* --- pins --- */

/* The columns that identify a pin within a thread. */
static void bind_pin(struct query *q, int64_t thread, const struct loom_pin *pin)
{
	model_bind(q, thread);
	model_bind(q, pin->kind);
	model_bind(q, pin->node);
	model_bind(q, pin->doc);
	model_bind_text(q, pin->section);
	model_bind_text(q, pin->result);
}

static enum loom_status pin_row(struct loom_store *store, int64_t thread,
				const struct loom_pin *pin, int64_t *out, bool *out_live,
				struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, live FROM pin WHERE thread = ? AND kind = ? AND "
				     "node = ? AND doc = ? AND section = ? AND result = ?",
				     err);

	LOOM_ASSERT(out && out_live);
	*out = 0;
	*out_live = false;
	bind_pin(&q, thread, pin);
	if (model_row(&q)) {
		*out = model_int(&q, 0);
		*out_live = model_int(&q, 1) != 0;
	}
	return model_done(&q);
}

static enum loom_status insert_pin(struct loom_store *store, int64_t thread,
				   const struct loom_pin *pin, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO pin(thread, kind, node, doc, section, result, "
				     "text, live) VALUES(?,?,?,?,?,?,?,0) RETURNING id",
				     err);

	LOOM_ASSERT(model_in_op(store));
	bind_pin(&q, thread, pin);
	if (pin->text.n)
		model_bind_blob(&q, pin->text.p, pin->text.n);
	else
		model_bind_null(&q);
	return model_insert(&q, out);
}

/* The pinned thing must exist, and undo must not remove it from under the pin. */
static enum loom_status builds_on_pinned(struct loom_store *store, const struct loom_pin *pin,
					 struct loom_err *err)
{
	static const char node_op[] =
		"SELECT n.op FROM node n JOIN op o ON o.id = n.op AND (o.state = 1 OR o.id = ?2) "
		"WHERE n.id = ?1";
	static const char doc_op[] =
		"SELECT d.op FROM doc d JOIN op o ON o.id = d.op AND (o.state = 1 OR o.id = ?2) "
		"WHERE d.id = ?1";
	int64_t op = 0;
	struct query q;

	LOOM_ASSERT(model_in_op(store));
	if (pin->kind == LOOM_PIN_RESULT)
		return LOOM_OK;
	q = model_query(store, pin->kind == LOOM_PIN_NODE ? node_op : doc_op, err);
	model_bind(&q, pin->kind == LOOM_PIN_NODE ? pin->node : pin->doc);
	model_bind(&q, store->held->write.op);
	if (model_one(&q, 0, &op) != LOOM_OK)
		return q.status;
	return op ? model_op_builds_on(store, op, err)
		  : loom_fail(err, LOOM_NOT_FOUND, "the thing to pin does not exist");
}

enum loom_status loom_pin_set(struct loom_store *store, int64_t thread, const struct loom_pin *pin,
			      bool on, bool *out_changed, struct loom_err *err)
{
	int64_t row = 0;
	bool live = false;
	enum loom_status status = pin_row(store, thread, pin, &row, &live, err);

	LOOM_ASSERT(pin && out_changed);
	*out_changed = false;
	if (status != LOOM_OK || live == on)
		return status;
	status = model_op_need(store, NULL, err);
	if (status == LOOM_OK && !row)
		status = insert_pin(store, thread, pin, &row, err);
	if (status == LOOM_OK && on)
		status = builds_on_pinned(store, pin, err);
	return status == LOOM_OK
		       ? model_set(store, MODEL_PIN_LIVE, row, model_of_int(on), out_changed, err)
		       : status;
}

enum loom_status loom_pin_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
			       struct loom_pin **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, kind, node, doc, section, result, text FROM pin "
				     "WHERE thread = ? AND live = 1 ORDER BY id",
				     err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, thread);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = (struct loom_pin){
			.id = model_int(&q, 0),
			.kind = (enum loom_pin_kind)model_int(&q, 1),
			.node = model_int(&q, 2),
			.doc = model_int(&q, 3),
			.section = model_text(&q, 4, arena),
			.result = model_text(&q, 5, arena),
			.text = model_text(&q, 6, arena),
		};
	}
	return model_done(&q);
}

/* --- stashes --- */

#define STASH_SELECT                                                                               \
	"SELECT id, label, text, summary, recalled, created FROM stash "                           \
	"WHERE thread = ? AND live = 1 "

static void read_stash(const struct query *q, struct loom_arena *arena, struct loom_stash *out)
{
	*out = (struct loom_stash){
		.id = model_int(q, 0),
		.label = model_text(q, 1, arena),
		.text = model_text(q, 2, arena),
		.summary = model_int(q, 3) != 0,
		.recalled = model_int(q, 4) != 0,
		.created = model_int(q, 5),
	};
}

enum loom_status loom_stash_find(struct loom_store *store, int64_t thread, struct loom_str label,
				 struct loom_arena *arena, struct loom_stash *out,
				 struct loom_err *err)
{
	struct query q = model_query(store, STASH_SELECT "AND label = ? ORDER BY id LIMIT 1", err);
	bool there;

	model_bind(&q, thread);
	model_bind_text(&q, label);
	there = model_row(&q);
	if (there)
		read_stash(&q, arena, out);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK
		     : loom_fail(err, LOOM_NOT_FOUND, "there is no stash \"%.*s\"",
				 LOOM_STR_ARG(label));
}

enum loom_status loom_stash_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_stash **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store, STASH_SELECT "ORDER BY id", err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, thread);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_stash(&q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

static enum loom_status insert_stash(struct loom_store *store, int64_t thread,
				     const struct loom_stash *spec, int64_t *out,
				     struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT INTO stash(thread, label, text, summary, live, created) "
			    "VALUES(?,?,?,?,0,?) RETURNING id",
			    err);

	LOOM_ASSERT(model_in_op(store));
	model_bind(&q, thread);
	model_bind_text(&q, spec->label);
	model_bind_blob(&q, spec->text.p, spec->text.n);
	model_bind(&q, spec->summary);
	model_bind(&q, loom_env_now(store->env));
	return model_insert(&q, out);
}

enum loom_status loom_stash_create(struct loom_store *store, int64_t thread,
				   const struct loom_stash *spec, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT id FROM stash WHERE thread = ? AND label = ? AND live = 1",
			    err);
	int64_t row = 0;
	enum loom_status status;

	model_bind(&q, thread);
	model_bind_text(&q, spec->label);
	status = model_one(&q, 0, &row);
	if (status == LOOM_OK && row)
		status = loom_fail(err, LOOM_CONFLICT, "a stash \"%.*s\" already exists",
				   LOOM_STR_ARG(spec->label));
	if (status == LOOM_CONFLICT)
		loom_hint(err, status, "drop stash:\"%.*s\" first, or use another label",
			  LOOM_STR_ARG(spec->label));
	if (status == LOOM_OK && !loom_utf8_valid(spec->label, NULL))
		status = loom_fail(err, LOOM_INVALID, "the label is not UTF-8");
	if (status == LOOM_OK)
		status = model_label_check(store, "a stash's label", spec->label, err);
	if (status == LOOM_OK)
		status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = insert_stash(store, thread, spec, &row, err);
	return status == LOOM_OK
		       ? model_set(store, MODEL_STASH_LIVE, row, model_of_int(1), NULL, err)
		       : status;
}

enum loom_status loom_stash_recall(struct loom_store *store, int64_t stash, bool on,
				   bool *out_changed, struct loom_err *err)
{
	return model_set(store, MODEL_STASH_RECALLED, stash, model_of_int(on), out_changed, err);
}

enum loom_status loom_stash_drop(struct loom_store *store, int64_t stash, struct loom_err *err)
{
	return model_set(store, MODEL_STASH_LIVE, stash, model_of_int(0), NULL, err);
}
