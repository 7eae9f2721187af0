/* What a seal covers: a list with a digest of each thing in an export, so that each can be
 * recognised on its own. */
#ifndef LOOM_GROVE_SEAL_LIST_H
#define LOOM_GROVE_SEAL_LIST_H

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/grove/seal.h>

/* Kinds of digests. A node's digest includes its tree. */
enum model_sealed {
	MODEL_SEALED_TREE,
	MODEL_SEALED_NODE,
	MODEL_SEALED_AGENT,
	MODEL_SEALED_DOCUMENT
};

/* Computes a digest of what the JSON means: blanks between tokens and the choice of escapes do not
 * matter; everything else does, including the order of members. `tree` is NULL for things outside
 * any tree. */
struct loom_hash model_sealed_digest(enum model_sealed kind, const struct loom_ulid *tree,
				     struct loom_str json);

struct model_seal_list {
	struct loom_buf digests; /* 32 bytes each */
	size_t count;
};
/* Initialises an empty list. Always free it with model_seal_list_fini. */
void model_seal_list_init(struct model_seal_list *list);
/* Frees the digests of a list. */
void model_seal_list_fini(struct model_seal_list *list);
/* Appends a copy of a digest; the order matters. */
void model_seal_list_add(struct model_seal_list *list, const struct loom_hash *digest);
/* Signs the list and appends the JSON object that goes into the export. */
enum loom_status model_seal_list_write(const struct model_seal_list *list, struct loom_store *store,
				       struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* A list read from a file, not yet verified: check the seal before trusting it. */
struct model_seal_read {
	struct model_seal_list list; /* sorted */
	struct loom_hash what;       /* what the seal signs */
	struct loom_seal seal;
};
/* Reads a seal from JSON. False, with an empty list, if it is malformed. Free with
 * model_seal_list_fini either way. */
bool model_seal_read(struct loom_str json, struct model_seal_read *out);
/* Returns whether the list contains a digest. */
bool model_seal_has(const struct model_seal_read *read, const struct loom_hash *digest);

#endif
