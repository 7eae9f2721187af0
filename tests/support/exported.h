/* A grove as text in a format, for tests of the room tools. */
#ifndef LOOM_TESTS_SUPPORT_EXPORTED_H
#define LOOM_TESTS_SUPPORT_EXPORTED_H

#include <loom/export/export.h>
#include <loom/tree/tree.h>

#include "support/grove.h"

static inline enum loom_status exported_put(void *ctx, struct loom_str text, struct loom_err *err)
{
	(void)err;
	loom_buf_add(ctx, text);
	return LOOM_OK;
}

static inline void exported_run(const char *format, struct loom_export *what, struct loom_buf *out)
{
	const struct loom_export_format *row = NULL;
	struct loom_err err = {.status = LOOM_OK};

	what->put = exported_put;
	what->ctx = out;
	loom_buf_clear(out);
	grove_must(loom_export_find(loom_str_of(format), &row, &err), &err, "format");
	grove_must(row->run(what, &err), &err, "export");
}

/* An export without what says whose word it is: claims, and the seal at its end. */
static inline void exported_bare(struct loom_buf *text)
{
	const struct loom_str claim = LOOM_STR(",\"claim\":{");
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest = loom_buf_str(text);
	size_t at;

	rest.n = loom_str_find(rest, LOOM_STR(",\n\"seal\":"), 0);
	while ((at = loom_str_find(rest, claim, 0)) != SIZE_MAX) {
		loom_buf_add(&out, loom_str_sub(rest, 0, at));
		rest = loom_str_sub(rest, loom_str_find_char(rest, '}', at) + 1, rest.n);
	}
	loom_buf_add(&out, rest);
	loom_buf_clear(text);
	loom_buf_add(text, loom_buf_str(&out));
	loom_buf_fini(&out);
}

/* All trees in the order of their making, and the documents. */
static inline void exported_all(struct grove *grove, const char *format, struct loom_buf *out)
{
	struct loom_tree *trees = NULL;
	struct loom_err err = {.status = LOOM_OK};
	struct loom_export what = {.store = grove->store, .reader = grove->owner, .grove = true};
	int64_t *ids;

	grove_must(loom_tree_list(grove->store, grove->arena, &trees, &what.tree_count, &err), &err,
		   "trees");
	ids = LOOM_ARENA_ARRAY(grove->arena, what.tree_count, int64_t);
	for (size_t i = 0; i < what.tree_count; i++) {
		size_t k = i;

		for (; k > 0 && ids[k - 1] > trees[i].id; k--)
			ids[k] = ids[k - 1];
		ids[k] = trees[i].id;
	}
	what.trees = ids;
	exported_run(format, &what, out);
}

/* Exports one tree, or the path to a node of it. */
static inline void exported_tree(struct grove *grove, int64_t tree, int64_t tip, const char *format,
				 struct loom_buf *out)
{
	struct loom_export what = {.store = grove->store,
				   .trees = &tree,
				   .tree_count = 1,
				   .tip = tip};

	exported_run(format, &what, out);
}

#endif
