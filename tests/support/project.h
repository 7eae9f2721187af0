/* A project of a test's own, its context lists, and the payload built of it. */
#ifndef LOOM_TESTS_SUPPORT_PROJECT_H
#define LOOM_TESTS_SUPPORT_PROJECT_H

#include <loom/payload/payload.h>

#include "support/temp.h"

struct project {
	struct temp temp;
	struct loom_root root;
	struct loom_arena *arena;
	struct loom_payload_opts opts; /* os and shell are fixed; a test may change any */
	struct loom_payload payload;
};

/* An empty project; the program ends when it cannot be had. */
void project_init(struct project *project);
void project_fini(struct project *project);

/* Writes a file, or the list of turn 01 of session s. */
void project_put(const struct project *project, const char *name, const char *text);
void project_put_turn(const struct project *project, const char *text);

/* Builds the payload anew. */
enum loom_status project_build(struct project *project);
const char *project_text_of(const struct project *project);
bool project_has(const struct project *project, const char *part);
/* How often a part stands in the document, or in a text. */
size_t project_times(const struct project *project, const char *part);
size_t text_occurrences(struct loom_str text, const char *part);
/* Whether some warning holds this. */
bool project_warned(const struct project *project, const char *part);
/* The document as cmark's XML; false when cmark is not there. */
bool project_parse(const struct project *project, struct loom_buf *out);

#define ASSERT_BUILT(project)       ASSERT_EQ(LOOM_OK, project_build(project))
#define ASSERT_HAS(project, part)   ASSERTm(part, project_has(project, part))
#define ASSERT_LACKS(project, part) ASSERT_FALSEm(part, project_has(project, part))

#endif
