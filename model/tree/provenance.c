/* The content hash. Plain text, nearly every node, takes a path without cJSON, because an import
 * hashes a million nodes. The store recomputes and reports. */
#include <loom/tree/provenance.h>

#include <loom/base/env.h>
#include <loom/base/json.h>

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
