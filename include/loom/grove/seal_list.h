/* What a seal of ours covers: a list with a digest for each thing in an export, so that each is
 * known or not by itself. */
#ifndef TOOL_SEAL_LIST_H
#define TOOL_SEAL_LIST_H

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/grove/seal.h>

/* What a digest is of. A node's is one of its tree's. */
enum tool_sealed { TOOL_SEALED_TREE, TOOL_SEALED_NODE, TOOL_SEALED_AGENT, TOOL_SEALED_DOCUMENT };

/* Over what the JSON says: blanks between its tokens and ways to escape a string do not count, all
 * else does, the order of its members too. `tree` is NULL for what stands in none. */
struct loom_hash tool_sealed_digest(enum tool_sealed kind, const struct loom_ulid *tree,
				    struct loom_str json);

struct tool_seal_list {
	struct loom_buf digests; /* 32 bytes each */
	size_t count;
};
/* An empty one; free it with tool_seal_list_fini, whatever happened. */
void tool_seal_list_init(struct tool_seal_list *list);
/* Frees what was added. */
void tool_seal_list_fini(struct tool_seal_list *list);
/* Copies the digest; their order counts. */
void tool_seal_list_add(struct tool_seal_list *list, const struct loom_hash *digest);
/* Signs the list and appends the object that goes into the file. */
enum loom_status tool_seal_list_write(const struct tool_seal_list *list, struct loom_store *store,
				      struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* A list as a file gives it. Whoever has read it still has to ask whose it is. */
struct tool_seal_read {
	struct tool_seal_list list; /* sorted */
	struct loom_hash what;      /* that is signed */
	struct loom_seal seal;
};
/* False, and nothing listed, for what is no seal. Freed by tool_seal_list_fini either way. */
bool tool_seal_read(struct loom_str json, struct tool_seal_read *out);
/* Whether a digest is in it. */
bool tool_seal_has(const struct tool_seal_read *read, const struct loom_hash *digest);

#endif
