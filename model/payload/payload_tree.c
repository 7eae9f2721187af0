/* Section 2: the project as an indented tree, folders with a slash. */
#include "inside.h"

#include <loom/files/ignore.h>

static bool add_line(void *ctx, const struct loom_seen *seen)
{
	struct loom_buf *out = ctx;

	loom_buf_add_repeat(out, ' ', seen->depth * 2);
	model_put_name(out, seen->name);
	loom_buf_adds(out, seen->kind == LOOM_FILE_FOLDER ? "/\n" : "\n");
	return out->bad == LOOM_OK;
}

static void warn(void *ctx, struct loom_str text)
{
	model_note(ctx, "%.*s", LOOM_STR_ARG(text));
}

enum loom_status model_payload_tree(const struct loom_payload_opts *opts, struct loom_buf *out,
				    struct model_notes *notes, struct loom_err *err)
{
	struct loom_walk_opts walk = {.warn = warn, .warn_ctx = notes, .skip = opts->skip};

	return loom_ignore_walk(opts->place.root, &walk, add_line, out, err);
}
