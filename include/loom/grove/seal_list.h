/* What a seal covers: a list with a digest of each thing in an export, so that each can be
 * recognised on its own. */
#ifndef TOOL_SEAL_LIST_H
#define TOOL_SEAL_LIST_H

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/grove/seal.h>

/* Kinds of digests. A node's digest includes its tree. */
enum tool_sealed { TOOL_SEALED_TREE, TOOL_SEALED_NODE, TOOL_SEALED_AGENT, TOOL_SEALED_DOCUMENT };

/* Computes a digest of what the JSON means: blanks between tokens and the choice of escapes do not
 * matter; everything else does, including the order of members. `tree` is NULL for things outside
 * any tree. */
struct loom_hash tool_sealed_digest(enum tool_sealed kind, const struct loom_ulid *tree,
				    struct loom_str json);

struct tool_seal_list {
	struct loom_buf digests; /* 32 bytes each */
	size_t count;
};
/* Initialises an empty list. Always free it with tool_seal_list_fini. */
void tool_seal_list_init(struct tool_seal_list *list);
/* Frees the digests of a list. */
void tool_seal_list_fini(struct tool_seal_list *list);
/* Appends a copy of a digest; the order matters. */
void tool_seal_list_add(struct tool_seal_list *list, const struct loom_hash *digest);
/* Signs the list and appends the JSON object that goes into the export. */
enum loom_status tool_seal_list_write(const struct tool_seal_list *list, struct loom_store *store,
				      struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* A list read from a file, not yet verified: check the seal before trusting it. */
struct tool_seal_read {
	struct tool_seal_list list; /* sorted */
	struct loom_hash what;      /* what the seal signs */
	struct loom_seal seal;
};
/* Reads a seal from JSON. False, with an empty list, if it is malformed. Free with
 * tool_seal_list_fini either way. */
bool tool_seal_read(struct loom_str json, struct tool_seal_read *out);
/* Returns whether the list contains a digest. */
bool tool_seal_has(const struct tool_seal_read *read, const struct loom_hash *digest);

#endif
