/* Explains what the rules decide about one path: which rule did, and which others match it. */
#include "inside.h"

struct explaining {
	struct model_ignore ignore;
	struct loom_arena *arena;
	struct loom_ignore_why *out;
	size_t cap;
};

/* The file that a rule is in, as it is called from the root. `folder` lies in it, or is it. */
static struct loom_str file_of(const struct explaining *explaining, size_t level,
			       struct loom_str folder)
{
	const struct model_ignore *ignore = &explaining->ignore;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t up = level == MODEL_OF_EXCLUDE ? ignore->above
		    : level < ignore->above   ? ignore->above - level
					      : 0;
	struct loom_str out;

	if (level == MODEL_OF_TEDDY)
		return LOOM_STR(".teddyignore");
	while (up--)
		loom_buf_adds(&text, "../");
	if (level == MODEL_OF_EXCLUDE)
		loom_buf_adds(&text, ".git/info/exclude");
	else if (level < ignore->above)
		loom_buf_adds(&text, ".gitignore");
	else
		loom_buf_addf(&text, "%.*s.gitignore",
			      (int)(ignore->bases[level] - ignore->prefix.n), folder.p);
	out = loom_arena_buf(explaining->arena, &text);
	loom_buf_fini(&text);
	return out;
}

/* Copies a verdict's explanation, and the path it applies to. */
static void explain_by(struct explaining *explaining, const struct model_verdict *verdict,
		       struct loom_str at)
{
	struct loom_ignore_why *out = explaining->out;

	out->hidden = verdict->hidden;
	out->at = loom_arena_str(explaining->arena, at);
	out->built_in = verdict->built_in;
	out->file = out->rule = LOOM_STR("");
	out->line = 0;
	if (!verdict->rule)
		return;
	out->line = verdict->rule->line;
	out->rule = loom_arena_str(explaining->arena, verdict->rule->written);
	out->file = file_of(explaining, verdict->level, at);
}

static void add_matches(struct explaining *explaining, const struct model_rules *rules,
			size_t level, const struct model_subject *subject, struct loom_str at)
{
	struct loom_ignore_why *out = explaining->out;

	for (size_t i = 0; rules && i < rules->count; i++) {
		if (!model_rule_matches(&rules->items[i], subject))
			continue;
		out->matches = loom_arena_grow(explaining->arena, out->matches, out->match_count,
					       &explaining->cap, sizeof *out->matches);
		out->matches[out->match_count++] =
			(struct loom_ignore_match){.at = loom_arena_str(explaining->arena, at),
						   .file = file_of(explaining, level, at),
						   .line = rules->items[i].line,
						   .rule = loom_arena_str(explaining->arena,
									  rules->items[i].written)};
	}
}

/* Notes the rules of all files that match a part of the path, the weakest file first. */
static void note_matches(struct explaining *explaining, struct loom_str part, size_t name_at,
			 bool folder)
{
	const struct model_ignore *ignore = &explaining->ignore;
	const struct model_subject plain = {.path = part,
					    .name = loom_str_sub(part, name_at, part.n),
					    .folder = folder};
	struct model_subject whole = plain;

	whole.path =
		loom_arena_format(explaining->arena, "%.*s%.*s",
				  LOOM_STR_ARG(loom_buf_str(&ignore->prefix)), LOOM_STR_ARG(part));
	add_matches(explaining, ignore->exclude, MODEL_OF_EXCLUDE, &whole, part);
	for (size_t i = 0; i < ignore->count; i++) {
		struct model_subject here = whole;

		LOOM_ASSERT(ignore->bases[i] <= whole.path.n);
		here.path = loom_str_sub(whole.path, ignore->bases[i], whole.path.n);
		add_matches(explaining, ignore->levels[i], i, &here, part);
	}
	add_matches(explaining, ignore->teddy, MODEL_OF_TEDDY, &plain, part);
}

static bool is_folder(const struct loom_root *root, struct loom_str path, bool asked)
{
	struct loom_file_info info;

	if (loom_path_info(root, path, false, &info, NULL) != LOOM_OK)
		return asked;
	return info.kind == LOOM_FILE_FOLDER;
}

/* Explains a path part by part. An inherited verdict keeps the explanation of the folder; below
 * one that nothing can show, rules only match. */
static void explain_parts(struct explaining *explaining, struct loom_str path, bool folder)
{
	struct model_ignore *ignore = &explaining->ignore;
	struct model_shade shade = ignore->shade;
	bool settled = false;
	size_t from = 0;

	if (shade.hidden)
		explain_by(explaining, &ignore->outside, LOOM_STR("."));
	while (from < path.n) {
		size_t end = loom_str_find_char(path, '/', from);
		bool last = end == SIZE_MAX;
		struct loom_str part = loom_str_sub(path, 0, last ? path.n : end);
		struct model_verdict verdict;

		model_ignore_enter(ignore, loom_str_sub(path, 0, from ? from - 1 : 0), true);
		verdict = model_ignore_decide(ignore, part, from, !last || folder, shade);
		if (!settled && !verdict.inherited)
			explain_by(explaining, &verdict, part);
		note_matches(explaining, part, from, !last || folder);
		if (last)
			return;
		settled = settled || !model_ignore_may_enter(ignore, part, &verdict);
		shade = (struct model_shade){verdict.hidden, verdict.guarded};
		from = end + 1;
	}
}

enum loom_status loom_ignore_explain(const struct loom_root *root, struct loom_str path,
				     struct loom_arena *arena, struct loom_ignore_why *out,
				     struct loom_err *err)
{
	struct loom_buf normal = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct explaining explaining = {.arena = arena, .out = out};
	bool asked = path.n && path.p[path.n - 1] == '/';
	enum loom_status status = loom_path_normal(path, &normal, err);

	if (status == LOOM_OK) {
		struct loom_str whole = loom_buf_str(&normal);

		*out = (struct loom_ignore_why){.at = loom_arena_str(arena, whole)};
		model_ignore_init(&explaining.ignore, root, NULL);
		explain_parts(&explaining, whole, is_folder(root, whole, asked));
		model_ignore_fini(&explaining.ignore);
	}
	loom_buf_fini(&normal);
	return status;
}
