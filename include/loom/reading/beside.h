/* What stands beside the text that is read, by kind and count: what a copy of the text alone would
 * lose. */
#ifndef LOOM_READING_BESIDE_H
#define LOOM_READING_BESIDE_H

#include <loom/reading/reading.h>

/* id, one, several. */
#define LOOM_BESIDE_LIST(X)                                                                        \
	X(VERSIONS, "version", "versions") /* that are not read */                                 \
	X(NOTES, "note", "notes")                                                                  \
	X(SOURCES, "source", "sources") /* context and instructions */                             \
	X(LINKS, "link", "links")       /* from what is read */                                    \
	X(TAGS, "tag", "tags")                                                                     \
	X(BOOKMARKS, "bookmark", "bookmarks")                                                      \
	X(SUMMARIES, "summary", "summaries") /* that were written */                               \
	X(PRUNED, "pruned node", "pruned")                                                         \
	X(EXCLUDED, "excluded node", "excluded")                                                   \
	X(EXCLUSIONS, "mark of exclusion", "exclusions")                                           \
	X(DOCUMENTS, "document", "documents") /* of the grove */                                   \
	X(IDS, "id", "ids")

enum loom_beside {
#define X(id, one, several) LOOM_BESIDE_##id,
	LOOM_BESIDE_LIST(X)
#undef X
		LOOM_BESIDE_COUNT
};
/* In a set of kinds. */
#define LOOM_BESIDE(id) (1u << LOOM_BESIDE_##id)

/* "version", "versions" */
const char *loom_beside_one(enum loom_beside kind);
const char *loom_beside_several(enum loom_beside kind);

/* Adds what stands beside a reading, of the kinds in `wanted`; documents are nobody's here. A node
 * that is excluded counts as such and has its mark. */
enum loom_status loom_reading_beside(struct loom_store *store, const struct loom_reading *reading,
				     unsigned wanted, int64_t counts[LOOM_BESIDE_COUNT],
				     struct loom_err *err) LOOM_MUST;

#endif
