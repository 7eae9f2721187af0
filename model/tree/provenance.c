/* The content hash, and its verification from what is stored. Plain text, nearly every node, takes
 * a path without cJSON, because an import hashes a million nodes. */
#include <loom/tree/tree_rows.h>

#include <loom/base/env.h>
#include <loom/base/json.h>
#include <loom/tree/node.h>
#include <loom/tree/provenance.h>

static const char delimiter[] = "=|d|=";

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct loom_hash));
}

/* Digests sort like their hex. */
static void add_parents(const struct loom_provenance *node, struct loom_buf *out)
{
	struct loom_hash *sorted = NULL;

	LOOM_ASSERT(node->parents || !node->parent_count);
	if (node->parent_count == 0)
		return;
	if (node->parent_count == 1) {
		loom_hash_hex(node->parents, out);
		return;
	}
	sorted = loom_realloc(NULL, node->parent_count, sizeof *sorted);
	memcpy(sorted, node->parents, node->parent_count * sizeof *sorted);
	qsort(sorted, node->parent_count, sizeof *sorted, compare_hashes);
	for (size_t i = 0; i < node->parent_count; i++) {
		if (i)
			loom_buf_addc(out, ',');
		loom_hash_hex(&sorted[i], out);
	}
	free(sorted);
}

/* The size of everything around the content: delimiters, the time, the author, the hashes. */
static size_t frame_size(const struct loom_provenance *node)
{
	return 256 + node->author.n + 65 * node->parent_count;
}

void loom_content_payload(const struct loom_provenance *node, struct loom_buf *out)
{
	loom_buf_reserve(out, node->text.n + frame_size(node));
	if (node->json) {
		loom_json_canonical(node->json, out);
	} else {
		loom_buf_adds(out, "{\"text\":");
		loom_json_canonical_text(node->text, out);
		loom_buf_adds(out, ",\"type\":\"text\"}");
	}
	loom_buf_adds(out, delimiter);
	add_parents(node, out);
	loom_buf_adds(out, delimiter);
	loom_time_iso(node->created_ms, out);
	loom_buf_adds(out, delimiter);
	loom_buf_add(out, node->author);
	if (node->raw) {
		loom_buf_adds(out, delimiter);
		loom_hash_hex(node->raw, out);
	}
}

struct loom_hash loom_content_hash(const struct loom_provenance *node)
{
	/* No maximum: hashing a part would give a wrong hash. */
	struct loom_buf payload = LOOM_BUF_INIT(SIZE_MAX / 2);
	struct loom_hash hash;

	loom_content_payload(node, &payload);
	LOOM_ASSERT(payload.bad == LOOM_OK);
	hash = loom_sha256(loom_buf_str(&payload));
	loom_buf_fini(&payload);
	return hash;
}

/* --- verification --- */

#define VERIFY_SELECT                                                                              \
	"SELECT n.id, n.tree, n.num, n.prime, n.created, coalesce(a.said, a.ulid), b.text, "       \
	"b.hash, b.parents, "                                                                      \
	"b.raw_hash, " MODEL_BORN(                                                                 \
		"born_from",                                                                       \
		"n.from_node") ", n.edited_from, (SELECT hash FROM body WHERE id = "               \
			       " " MODEL_BORN(                                                     \
				       "born_from",                                                \
				       "n.from_node") "), "                                        \
						      "(SELECT parents FROM body WHERE id = "      \
						      "n.edited_from), g.id IS NOT NULL, "         \
						      "iif((SELECT state FROM op WHERE id = "      \
						      "n.op) = 1, a.claim, 0), a.id "              \
						      "FROM node n JOIN body b ON b.id = n.id "    \
						      "LEFT JOIN agent a ON a.id = n.author "      \
						      "LEFT JOIN generation g ON g.id = n.id "

/* The recorded parents must include the hash of the member it was written from; a version has the
 * same ones as the node it edits. */
static bool parents_fit(const struct query *q)
{
	struct loom_str parents = model_borrow(q, 8);
	struct loom_str from = model_borrow(q, 12);
	struct loom_str edited = model_borrow(q, 13);

	if (parents.n % 32)
		return false;
	if (!model_is_null(q, 11))
		return loom_str_eq(parents, edited);
	if (model_is_null(q, 10))
		return parents.n == 0;
	for (size_t at = 0; at < parents.n; at += 32)
		if (loom_str_eq(loom_str_sub(parents, at, 32), from))
			return true;
	return false;
}

/* Everything a node's hash is computed from, and the hash. */
struct said {
	struct loom_str text;
	struct loom_str parents; /* 32 bytes each */
	struct loom_str raw;     /* 32 bytes or none */
	struct loom_str hash;
	struct loom_ulid author;
	int64_t created;
};

static bool does_hash_fit(const struct said *said)
{
	char author[LOOM_ULID_CHARS + 1];
	struct loom_hash raw;
	struct loom_hash hash;
	struct loom_provenance what = {
		.text = said->text,
		.parents = (const struct loom_hash *)(const void *)said->parents.p,
		.parent_count = said->parents.n / sizeof(struct loom_hash),
		.created_ms = said->created,
		.raw = said->raw.n == sizeof raw.bytes ? &raw : NULL,
	};

	if (said->parents.n % sizeof(struct loom_hash) || said->hash.n != sizeof hash.bytes)
		return false;
	loom_ulid_text(&said->author, author);
	what.author = loom_str_of(author);
	if (what.raw)
		memcpy(raw.bytes, said->raw.p, sizeof raw.bytes);
	hash = loom_content_hash(&what);
	return memcmp(said->hash.p, hash.bytes, sizeof hash.bytes) == 0;
}

static const char *judge(const struct query *q)
{
	struct said said = {
		.text = model_borrow(q, 6),
		.parents = model_borrow(q, 8),
		.raw = model_borrow(q, 9),
		.hash = model_borrow(q, 7),
		.created = model_int(q, 4),
	};

	LOOM_ASSERT(q->stmt);
	if (model_is_null(q, 5))
		return "its author is missing";
	if (!parents_fit(q))
		return "its recorded parents do not match";
	model_ulid(q, 5, &said.author);
	return does_hash_fit(&said) ? NULL : "its content hash does not match";
}

/* --- checking what is displayed --- */

/* The ULID that the hashes use. A committed row never changes it. */
static bool find_author(struct loom_store *store, int64_t agent, struct loom_ulid *out)
{
	struct model_author *slot = &store->held->authors[(uint64_t)agent % MODEL_AUTHORS];
	struct query q;
	bool there = slot->agent == agent;

	*out = slot->ulid;
	if (there)
		return true;
	q = model_query(store, "SELECT coalesce(said, ulid) FROM agent WHERE id = ?", NULL);
	model_bind(&q, agent);
	there = model_row(&q);
	if (there)
		model_ulid(&q, 0, out);
	there = model_done(&q) == LOOM_OK && there;
	if (there && !store->writing)
		*slot = (struct model_author){.agent = agent, .ulid = *out};
	return there;
}

/* The hash is that of the text as it came. */
static bool does_came_fit(struct loom_store *store, int64_t node, struct said *said)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_seam seam;
	const bool fits = loom_node_came(store, node, arena, &said->text, &seam, NULL) == LOOM_OK &&
			  loom_seam_any(&seam) && does_hash_fit(said);

	loom_arena_destroy(arena);
	return fits;
}

/* Checks a node that was read with text and hash; false if its author cannot be read. */
static bool judge_read(struct loom_store *store, const struct loom_node *node, bool *out_damaged)
{
	struct said said = {
		.text = node->text,
		.parents = node->parent_hashes,
		.raw = node->raw_hash,
		.hash = loom_str_make((const char *)node->hash.bytes, sizeof node->hash.bytes),
		.created = node->created,
	};

	LOOM_ASSERT(node->hashed);
	if (!find_author(store, node->author, &said.author))
		return false;
	*out_damaged = !does_hash_fit(&said) && !does_came_fit(store, node->id, &said);
	return true;
}

/* Checks a node that was read without them. */
static bool judge_stored(struct loom_store *store, int64_t id, bool *out_damaged)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_node node;
	const bool read = loom_node_get(store, id, LOOM_NODE_TEXT | LOOM_NODE_HASH, arena, &node,
					NULL) == LOOM_OK &&
			  judge_read(store, &node, out_damaged);

	loom_arena_destroy(arena);
	return read;
}

/* A body never changes, so a cached verdict stays valid. */
bool loom_node_damaged(struct loom_store *store, const struct loom_node *node)
{
	struct model_judged *slot = &store->held->judged[(uint64_t)node->id % MODEL_JUDGED];
	bool damaged = false;

	LOOM_ASSERT(store->held && node->id > 0);
	if (slot->node == node->id)
		return slot->damaged;
	if (node->hashed ? judge_read(store, node, &damaged)
			 : judge_stored(store, node->id, &damaged))
		*slot = (struct model_judged){.node = node->id, .damaged = damaged};
	return damaged;
}

/* The stored raw response must be the one that was hashed. */
static enum loom_status judge_raw(struct loom_store *store, int64_t node, struct loom_str raw_hash,
				  const char **out_why, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str record;
	struct loom_str raw;
	enum loom_status status = loom_node_generation(store, node, arena, &record, &raw, err);

	if (status == LOOM_DAMAGED) {
		*out_why = "its raw response cannot be read";
		status = LOOM_OK;
	} else if (status == LOOM_OK && raw_hash.n == 32) {
		struct loom_hash hash = loom_sha256(raw);

		if (memcmp(hash.bytes, raw_hash.p, 32) != 0)
			*out_why = "its raw response is not the one that was hashed";
	}
	loom_arena_destroy(arena);
	return status;
}

/* `last` is the highest number to expect; 0: unknown. */
static enum loom_status run(struct query *q, const struct loom_verify_opts *opts, int64_t last,
			    int64_t *out_checked, int64_t *out_bad)
{
	struct loom_task *task = q->store->task;
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	LOOM_ASSERT(out_checked && out_bad);
	while (status == LOOM_OK && model_row(q)) {
		struct loom_node node = {
			.id = model_int(q, 0),
			.tree = model_int(q, 1),
			.local = {.num = model_int(q, 2), .prime = (int32_t)model_int(q, 3)},
		};
		const char *why = judge(q);

		loom_task_report(task, (uint64_t)node.id, (uint64_t)last);
		if (loom_task_cancelled(task))
			status = loom_fail(q->err, LOOM_CANCELLED, "stopped");
		if (status == LOOM_OK && !why && (model_int(q, 14) || !model_is_null(q, 9)))
			status = judge_raw(q->store, node.id, model_borrow(q, 9), &why, q->err);
		++*out_checked;
		*out_bad += why != NULL;
		if (why && opts->bad)
			opts->bad(opts->ctx, &node, why);
		if (model_int(q, 15) && opts->claim)
			opts->claim(opts->ctx, model_int(q, 16));
	}
	ended = model_done(q);
	return status == LOOM_OK ? ended : status;
}

static enum loom_status verify_one(struct loom_store *store, const struct loom_verify_opts *opts,
				   int64_t node, int64_t *out_checked, int64_t *out_bad,
				   struct loom_err *err)
{
	struct query q = model_query(store, VERIFY_SELECT "WHERE n.id = ?", err);

	model_bind(&q, node);
	return run(&q, opts, 0, out_checked, out_bad);
}

static enum loom_status verify_path(struct loom_store *store, const struct loom_verify_opts *opts,
				    int64_t *out_checked, int64_t *out_bad, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_nodes path;
	enum loom_status status =
		loom_node_path(store, opts->node, 0, LOOM_NODE_NARROW, arena, &path, err);

	LOOM_ASSERT(opts->node);
	for (size_t i = 0; i < path.count && status == LOOM_OK; i++)
		status = verify_one(store, opts, path.items[i].id, out_checked, out_bad, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_node_verify(struct loom_store *store, const struct loom_verify_opts *opts,
				  int64_t *out_checked, int64_t *out_bad, struct loom_err *err)
{
	struct query q;
	int64_t last = 0;

	LOOM_ASSERT(opts && out_checked && out_bad);
	*out_checked = *out_bad = 0;
	if (opts->node && opts->path)
		return verify_path(store, opts, out_checked, out_bad, err);
	if (opts->node)
		return verify_one(store, opts, opts->node, out_checked, out_bad, err);
	q = model_query(store, "SELECT max(id) FROM node", err);
	if (model_one(&q, 0, &last) != LOOM_OK)
		return q.status;
	q = model_query(store, VERIFY_SELECT "ORDER BY n.id", err);
	return run(&q, opts, last, out_checked, out_bad);
}
