/* Where a text came from, as a hash that anybody can compute again. */
#ifndef LOOM_PROVENANCE_H
#define LOOM_PROVENANCE_H

#include <cjson/cJSON.h>

#include <loom/base/hash.h>
#include <loom/base/str.h>

/* What a node's content hash covers. */
struct loom_provenance {
	struct loom_str text;            /* plain text, hashed as {"text":…,"type":"text"} */
	const cJSON *json;               /* when not NULL: this instead of `text` */
	const struct loom_hash *parents; /* in any order; they are sorted for hashing */
	size_t parent_count;
	int64_t created_ms;
	struct loom_str author;      /* the agent's ULID as text */
	const struct loom_hash *raw; /* of the raw response; NULL for none */
};

/* Appends the bytes that are hashed: canonical content, parents, time, author and, when there is
 * one, the raw response's hash, joined by =|d|=. */
void loom_content_payload(const struct loom_provenance *node, struct loom_buf *out);
/* SHA-256 over that payload. */
struct loom_hash loom_content_hash(const struct loom_provenance *node);

#endif
