/* The content hash of a node, which anybody can recompute. */
#ifndef LOOM_PROVENANCE_H
#define LOOM_PROVENANCE_H

#include <cjson/cJSON.h>

#include <loom/base/hash.h>
#include <loom/base/str.h>

/* The data that a node's content hash covers. */
struct loom_provenance {
	struct loom_str text;            /* plain text, hashed as {"text":…,"type":"text"} */
	const cJSON *json;               /* if not NULL: used instead of `text` */
	const struct loom_hash *parents; /* in any order; sorted for hashing */
	size_t parent_count;
	int64_t created_ms;
	struct loom_str author;      /* the agent's ULID as text */
	const struct loom_hash *raw; /* of the raw response; NULL for none */
};

/* Appends the hashed bytes: canonical content, parents, time, author and, if there is one, the raw
 * response's hash, joined by =|d|=. */
void loom_content_payload(const struct loom_provenance *node, struct loom_buf *out);
/* Returns the SHA-256 of the payload. */
struct loom_hash loom_content_hash(const struct loom_provenance *node);

#endif
