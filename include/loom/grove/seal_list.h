/* What a seal of ours covers: a list with a digest for each thing in an export, so that each is
 * known or not by itself. */
#ifndef LOOM_GROVE_SEAL_LIST_H
#define LOOM_GROVE_SEAL_LIST_H

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/grove/seal.h>

/* What a digest is of. A node's is one of its tree's. */
enum model_sealed {
	MODEL_SEALED_TREE,
	MODEL_SEALED_NODE,
	MODEL_SEALED_AGENT,
	MODEL_SEALED_DOCUMENT
};

/* Over what the JSON says: blanks between its tokens and ways to escape a string do not count, all
 * else does, the order of its members too. `tree` is NULL for what stands in none. */
struct loom_hash model_sealed_digest(enum model_sealed kind, const struct loom_ulid *tree,
				     struct loom_str json);

struct model_seal_list {
	struct loom_buf digests; /* 32 bytes each */
	size_t count;
};
/* An empty one; free it with model_seal_list_fini, whatever happened. */
void model_seal_list_init(struct model_seal_list *list);
/* Frees what was added. */
void model_seal_list_fini(struct model_seal_list *list);
/* Copies the digest; their order counts. */
void model_seal_list_add(struct model_seal_list *list, const struct loom_hash *digest);
/* Signs the list and appends the object that goes into the file. */
enum loom_status model_seal_list_write(const struct model_seal_list *list, struct loom_store *store,
				       struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* A list as a file gives it. Whoever has read it still has to ask whose it is. */
struct model_seal_read {
	struct model_seal_list list; /* sorted */
	struct loom_hash what;       /* that is signed */
	struct loom_seal seal;
};
/* False, and nothing listed, for what is no seal. Freed by model_seal_list_fini either way. */
bool model_seal_read(struct loom_str json, struct model_seal_read *out);
/* Whether a digest is in it. */
bool model_seal_has(const struct model_seal_read *read, const struct loom_hash *digest);

#endif
