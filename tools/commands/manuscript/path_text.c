/* Reads the text of a path as one: as its reader reads it, with the versions chosen. */
#include "path_text.h"

#include <loom/base/utf8.h>
#include <loom/reading/measure.h>

enum loom_status manuscript_read(struct cli_grove *grove, struct loom_store *store,
				 const struct cli_spot *tip, struct path_text *out,
				 struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t at = 0;
	enum loom_status status =
		loom_node_path(store, tip->node.id, tip->thread, LOOM_NODE_TEXT | LOOM_NODE_MARKS,
			       grove->arena, &out->path, err);

	if (status)
		return status;
	for (size_t i = 0; i < out->path.count; i++)
		if (out->path.items[i].pruned)
			out->path.count = i;
	loom_reading_join(&out->path, tip->tree.mode, &text);
	out->text = loom_arena_buf(grove->arena, &text);
	out->begins = LOOM_ARENA_ARRAY(grove->arena, out->path.count + 1, size_t);
	/* What a dialogue has between its turns belongs to none of them. */
	for (size_t i = out->path.count, end = text.n; i-- > 0; end = at) {
		at = end - out->path.items[i].text.n;
		out->begins[i] = at;
		at -= i && tip->tree.mode == LOOM_DIALOGUE ? 2 : 0;
	}
	if (text.bad)
		status = loom_fail(err, text.bad, "the text of the path is too long");
	loom_buf_fini(&text);
	return status;
}

size_t manuscript_end(const struct path_text *path, size_t passage)
{
	LOOM_ASSERT(passage < path->path.count);
	return path->begins[passage] + path->path.items[passage].text.n;
}

size_t manuscript_passage(const struct path_text *path, size_t at, size_t passage)
{
	while (passage + 1 < path->path.count && manuscript_end(path, passage) <= at)
		passage++;
	return passage;
}

int64_t manuscript_chars(const struct path_text *path, size_t passage, size_t at)
{
	const size_t from = path->begins[passage];

	return at > from ? (int64_t)loom_utf8_length(loom_str_sub(path->text, from, at - from)) : 0;
}
