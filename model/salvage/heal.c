/* Heals a fork of a grove and its log.
 *
 * Invariants: the log's grove is complete beside the old one before anything is changed; the old
 * file is kept, so that what a crash prevents from becoming a draft is still in it. */
#include <loom/salvage/heal.h>

#include <limits.h>
#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/grove/sql.h>
#include <loom/remote/remote.h>
#include <loom/tree/node.h>
#include <loom/tree/open_store.h>
#include <loom/tree/op.h>

#define WHY "the shared log went another way"

struct healing {
	struct loom_arena *arena;
	struct loom_store *old;
	struct loom_store *new;
	struct loom_healed *out;
	size_t cap;
	struct loom_draft *drafts; /* to be saved at the end */
	size_t draft_count;
	size_t draft_cap;
};

/* --- what is beyond --- */

struct beyond {
	struct loom_event *items; /* newest first */
	size_t count;
	size_t cap;
};

static bool has_event(struct loom_store *store, const struct loom_event *event)
{
	struct query q =
		model_query(store,
			    "SELECT 1 FROM event e JOIN op o ON o.id = e.op WHERE e.seq = ? "
			    "AND e.act = ? AND e.at = ? AND o.uid = ?",
			    NULL);
	int64_t there = 0;

	model_bind(&q, event->seq);
	model_bind(&q, event->act);
	model_bind(&q, event->at);
	model_bind_blob(&q, event->op.uid.bytes, sizeof event->op.uid.bytes);
	return model_one(&q, 0, &there) == LOOM_OK && there;
}

/* Events are numbered without gaps, and all before the fork are in both. */
static enum loom_status find_beyond(struct healing *h, struct beyond *out, struct loom_err *err)
{
	struct query q = model_query(h->old,
				     "SELECT e.seq, e.act, e.at, o.uid, o.text, o.id FROM event e "
				     "JOIN op o ON o.id = e.op ORDER BY e.seq DESC",
				     err);
	bool met = false;

	while (!met && model_row(&q)) {
		struct loom_event event = {.seq = model_int(&q, 0),
					   .act = (enum loom_event_act)model_int(&q, 1),
					   .at = model_int(&q, 2),
					   .op = {.id = model_int(&q, 5),
						  .text = model_text(&q, 4, h->arena)}};
		const struct loom_str uid = model_borrow(&q, 3);

		if (uid.n == sizeof event.op.uid.bytes)
			memcpy(event.op.uid.bytes, uid.p, uid.n);
		met = has_event(h->new, &event);
		if (met)
			break;
		out->items = loom_arena_grow(h->arena, out->items, out->count, &out->cap,
					     sizeof *out->items);
		out->items[out->count++] = event;
	}
	return model_done(&q);
}

static void tell(struct healing *h, const struct loom_event *event)
{
	static const char *const acts[] = {[LOOM_EVENT_DONE] = "",
					   [LOOM_EVENT_UNDONE] = "undone: ",
					   [LOOM_EVENT_REDONE] = "redone: "};
	struct loom_healed *out = h->out;

	LOOM_ASSERT((size_t)event->act < LOOM_COUNT(acts));
	out->lines = loom_arena_grow(h->arena, out->lines, out->count, &h->cap, sizeof *out->lines);
	out->lines[out->count++] = loom_arena_format(h->arena, "%s%.*s", acts[event->act],
						     LOOM_STR_ARG(event->op.text));
}

/* --- drafts --- */

static void keep(struct healing *h, const struct loom_draft *draft)
{
	h->drafts = loom_arena_grow(h->arena, h->drafts, h->draft_count, &h->draft_cap,
				    sizeof *h->drafts);
	h->drafts[h->draft_count++] = *draft;
}

/* In the grove as it is now, by whose story a draft's anchor holds. */
static enum loom_status save_drafts(struct healing *h, struct loom_env *env, struct loom_str dir,
				    struct loom_err *err)
{
	struct loom_store *store = NULL;
	struct loom_str id;
	enum loom_status status = loom_store_open(env, dir, LOOM_READ, &store, err);

	for (size_t i = 0; status == LOOM_OK && i < h->draft_count; i++) {
		status = loom_draft_save(store, &h->drafts[i], h->arena, &id, err);
		h->out->drafts += status == LOOM_OK;
	}
	loom_store_close(store);
	return status;
}

static bool has_node(struct loom_store *store, const struct loom_ulid *ulid)
{
	struct query q = model_query(store, "SELECT 1 FROM node WHERE ulid = ?", NULL);
	int64_t there = 0;

	model_bind_blob(&q, ulid->bytes, sizeof ulid->bytes);
	return model_one(&q, 0, &there) == LOOM_OK && there;
}

static enum loom_status find_tree(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT ulid FROM tree WHERE id = ?", err);
	char text[LOOM_ULID_CHARS + 1] = "";
	struct loom_ulid ulid;

	model_bind(&q, tree);
	if (model_row(&q)) {
		model_ulid(&q, 0, &ulid);
		loom_ulid_text(&ulid, text);
	}
	*out = loom_arena_str(arena, loom_str_of(text));
	return model_done(&q);
}

/* A text that hung on a node that the log has is anchored there again. */
static enum loom_status keep_node(struct healing *h, int64_t id, struct loom_err *err)
{
	struct loom_draft draft = {.kind = LOOM_STR("text"), .why = LOOM_STR(WHY)};
	char name[LOOM_LOCAL_MAX];
	struct loom_node node;
	struct loom_node parent;
	enum loom_status status = loom_node_get(h->old, id, LOOM_NODE_ALL, h->arena, &node, err);

	if (status == LOOM_NOT_FOUND) /* undone since */
		return LOOM_OK;
	if (status == LOOM_OK)
		status = find_tree(h->old, node.tree, h->arena, &draft.tree, err);
	if (status == LOOM_OK && node.from_node &&
	    loom_node_get(h->old, node.from_node, LOOM_NODE_NARROW, h->arena, &parent, NULL) ==
		    LOOM_OK &&
	    has_node(h->new, &parent.ulid) &&
	    loom_node_name(h->old, &parent, name, NULL) == LOOM_OK)
		draft.anchor = loom_arena_str(h->arena, loom_str_of(name));
	draft.text = node.text;
	if (status == LOOM_OK && node.text.n)
		keep(h, &draft);
	return status;
}

static enum loom_status keep_nodes(struct healing *h, int64_t op, struct loom_err *err)
{
	struct query q =
		model_query(h->old,
			    "SELECT target FROM op_change WHERE op = ? AND field = -1 ORDER BY seq",
			    err);
	int64_t *made = NULL;
	size_t count = 0;
	size_t cap = 0;
	enum loom_status status;

	model_bind(&q, op);
	while (model_row(&q)) {
		made = loom_arena_grow(h->arena, made, count, &cap, sizeof *made);
		made[count++] = model_int(&q, 0);
	}
	status = model_done(&q);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		status = keep_node(h, made[i], err);
	return status;
}

static enum loom_status keep_documents(struct healing *h, int64_t op, struct loom_err *err)
{
	struct query q = model_query(
		h->old,
		"SELECT d.name, v.text FROM docver v JOIN doc d ON d.id = v.doc WHERE v.op = ?",
		err);

	model_bind(&q, op);
	while (model_row(&q)) {
		const struct loom_draft draft = {.kind = LOOM_STR("document"),
						 .anchor = model_text(&q, 0, h->arena),
						 .text = model_text(&q, 1, h->arena),
						 .why = LOOM_STR(WHY)};

		keep(h, &draft);
	}
	return model_done(&q);
}

static enum loom_status keep_beyond(struct healing *h, struct loom_err *err)
{
	struct beyond beyond = {.count = 0};
	enum loom_status status = find_beyond(h, &beyond, err);

	for (size_t i = beyond.count; status == LOOM_OK && i-- > 0;) {
		tell(h, &beyond.items[i]);
		if (beyond.items[i].act == LOOM_EVENT_UNDONE)
			continue;
		status = keep_nodes(h, beyond.items[i].op.id, err);
		if (status == LOOM_OK)
			status = keep_documents(h, beyond.items[i].op.id, err);
	}
	return status;
}

/* --- the log's grove --- */

static enum loom_status fetch(struct loom_env *env, struct loom_str dir, struct loom_str url,
			      struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status = loom_remote_clone(env, dir, url, err);

	if (status == LOOM_OK)
		status = loom_store_open(env, dir, LOOM_WRITE, &store, err);
	if (status == LOOM_OK)
		status = loom_remote_follow(store, err);
	loom_store_close(store);
	return status;
}

static enum loom_status put_in_place(struct loom_env *env, struct loom_str dir, const char *from,
				     struct loom_healed *out, struct loom_err *err)
{
	const struct loom_restore_opts opts = {.env = env, .file = from, .dir = dir};
	struct loom_restore_report report;
	struct loom_restore *restore = NULL;
	enum loom_status status = loom_restore_begin(&opts, NULL, &restore, &report, err);

	if (status == LOOM_OK && report.findings)
		status = loom_fail(err, LOOM_DAMAGED, "the log's grove is damaged");
	if (status == LOOM_OK)
		status = loom_restore_finish(restore, NULL, &report, err);
	loom_restore_close(restore);
	snprintf(out->kept, sizeof out->kept, "%s", report.kept);
	return status;
}

enum loom_status loom_heal_fork(struct loom_env *env, struct loom_str dir, struct loom_str url,
				struct loom_arena *arena, struct loom_healed *out,
				struct loom_err *err)
{
	struct healing h = {.arena = arena, .out = out};
	char part[PATH_MAX];
	struct loom_str fresh;
	enum loom_status status;

	*out = (struct loom_healed){.count = 0};
	snprintf(part, sizeof part, "%.*s/" LOOM_GROVE_DIR "/healing-%d", LOOM_STR_ARG(dir),
		 getpid());
	model_remove_tree(part);
	fresh = loom_str_of(part);
	status = fetch(env, fresh, url, err);
	if (status == LOOM_OK)
		status = loom_store_open(env, dir, LOOM_READ, &h.old, err);
	if (status == LOOM_OK)
		status = loom_store_open(env, fresh, LOOM_READ, &h.new, err);
	if (status == LOOM_OK)
		status = keep_beyond(&h, err);
	loom_store_close(h.new);
	loom_store_close(h.old);
	if (status == LOOM_OK)
		status = put_in_place(env, dir, part, out, err);
	if (status == LOOM_OK)
		status = save_drafts(&h, env, dir, err);
	model_remove_tree(part);
	return status;
}
