/* Explains in words why a path is in a payload or not. */
#include <loom/payload/payload_why.h>

static bool stop_at_first(void *ctx, const struct loom_seen *seen)
{
	struct loom_buf *first = ctx;

	loom_buf_add(first, seen->path);
	return false;
}

/* A hidden folder still has a line in the tree if something is shown below it. */
static void look_below(const struct loom_root *root, struct loom_arena *arena,
		       struct loom_payload_why *why)
{
	struct loom_walk_opts opts = {.below = why->path};
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);

	(void)!loom_ignore_walk(root, &opts, stop_at_first, &first, NULL);
	why->below = loom_arena_buf(arena, &first);
	loom_buf_fini(&first);
}

enum loom_status loom_payload_explain(const struct loom_payload_place *place, struct loom_str said,
				      struct loom_arena *arena, struct loom_payload_why *out,
				      struct loom_err *err)
{
	struct loom_payload_entry entry =
		loom_payload_entry_make(place, LOOM_SCOPE_TURN, said, arena);
	bool folder = said.n && said.p[said.n - 1] == '/';
	struct loom_file_info info;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out);
	*out = (struct loom_payload_why){.path = entry.target,
					 .url = entry.url,
					 .there = true,
					 .rule.at = entry.target};
	if (entry.outside)
		return loom_fail(err, LOOM_PATH, "%.*s leaves the root", LOOM_STR_ARG(said));
	if (entry.url)
		return LOOM_OK;
	status = loom_ignore_explain(place->root,
				     loom_arena_format(arena, "%.*s%s", LOOM_STR_ARG(out->path),
						       folder ? "/" : ""),
				     arena, &out->rule, err);
	out->there = loom_path_info(place->root, out->path, false, &info, NULL) == LOOM_OK;
	if (status == LOOM_OK && out->there && out->rule.hidden && info.kind == LOOM_FILE_FOLDER)
		look_below(place->root, arena, out);
	if (!out->path.n)
		out->path = out->rule.at = LOOM_STR(".");
	return status;
}

void loom_payload_why_say(const struct loom_payload_why *why, struct loom_buf *out)
{
	const struct loom_ignore_why *rule = &why->rule;
	bool above = !loom_str_eq(rule->at, why->path);

	if (why->url) {
		loom_buf_adds(out, "a URL");
		return;
	}
	loom_buf_addf(out, "%s%s", why->there ? "" : "not there, would be ",
		      rule->hidden ? "hidden" : "shown");
	if (rule->file.n)
		loom_buf_addf(out, " by %.*s:%zu: %.*s", LOOM_STR_ARG(rule->file), rule->line,
			      LOOM_STR_ARG(rule->rule));
	else
		loom_buf_addf(out, ": %s", rule->built_in ? rule->built_in : "no rule matches");
	if (above && (rule->file.n || rule->built_in))
		loom_buf_addf(out, " (decided at %.*s)", LOOM_STR_ARG(rule->at));
	for (size_t i = 0; i < rule->match_count; i++) {
		const struct loom_ignore_match *match = &rule->matches[i];

		if (match->line == rule->line && loom_str_eq(match->file, rule->file) &&
		    loom_str_eq(match->at, rule->at))
			continue;
		loom_buf_addf(out, "; also matched by %.*s:%zu: %.*s", LOOM_STR_ARG(match->file),
			      match->line, LOOM_STR_ARG(match->rule));
		if (!loom_str_eq(match->at, why->path))
			loom_buf_addf(out, " (at %.*s)", LOOM_STR_ARG(match->at));
	}
	if (why->below.n)
		loom_buf_addf(out, "; listed because something below it is shown, such as %.*s",
			      LOOM_STR_ARG(why->below));
}

bool loom_payload_why_named(const struct loom_payload_why *why,
			    const struct loom_payload_entry *entry)
{
	struct loom_str path = loom_str_is(why->path, ".") ? LOOM_STR("") : why->path;
	struct loom_str target = entry->target;

	if (entry->url || entry->outside || loom_str_eq(target, path))
		return loom_str_eq(target, path);
	return !target.n || (loom_str_starts(path, target) && path.p[target.n] == '/');
}
