/* What hangs beside the text that is read, by kind and count: what a copy of the bare text would
 * lose. */
#ifndef LOOM_READING_BESIDE_H
#define LOOM_READING_BESIDE_H

#include <loom/reading/reading.h>

/* Id, singular, plural. The plural is also the kind's name in JSON. */
#define LOOM_BESIDE_LIST(X)                                                                        \
	X(VERSIONS, "version", "versions") /* that are not read */                                 \
	X(NOTES, "note", "notes")                                                                  \
	X(SOURCES, "source", "sources") /* context and instructions */                             \
	X(LINKS, "link", "links")       /* from what is read */                                    \
	X(TAGS, "tag", "tags")                                                                     \
	X(BOOKMARKS, "bookmark", "bookmarks")                                                      \
	X(LABELS, "bookmark label", "bookmark labels") /* of bookmarks that are not lost */        \
	X(SUMMARIES, "summary", "summaries")           /* that were written */                     \
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
/* A kind as a bit of a set. */
#define LOOM_BESIDE(id) (1u << LOOM_BESIDE_##id)

/* Returns the name of one thing of a kind, such as "link". Static. */
const char *loom_beside_one(enum loom_beside kind);
/* Returns the name of several, such as "links". Static. */
const char *loom_beside_several(enum loom_beside kind);

/* Adds up what hangs beside a reading, for the kinds in `wanted`. Documents belong to no tree and
 * are not counted. An excluded node counts as one and as having its mark, and a bookmark with a
 * label as both. */
enum loom_status loom_reading_beside(struct loom_store *store, const struct loom_reading *reading,
				     unsigned wanted, int64_t counts[LOOM_BESIDE_COUNT],
				     struct loom_err *err) LOOM_MUST;

#endif
