/* The rules in force in a folder, and their verdict on each name in it.
 *
 * Invariant: levels[i] belongs to the i-th folder from the root down to the one entered last, and
 * bases[i] is the length of that folder's path with its slash. Each ignore file is read once, when
 * its folder is entered. */
#include "inside.h"

#include <loom/files/beneath.h>

#define RULES_MAX ((size_t)16 << 20)

static void warn(const struct model_ignore *ignore, const struct loom_err *err)
{
	if (ignore->opts && ignore->opts->warn)
		ignore->opts->warn(ignore->opts->warn_ctx, loom_str_of(err->text));
}

struct model_rules *model_ignore_load(const struct model_ignore *ignore,
				      const struct loom_root *root, struct loom_str path,
				      bool links)
{
	struct loom_buf text = LOOM_BUF_INIT(RULES_MAX);
	struct model_rules *rules = NULL;
	struct loom_err err;
	enum loom_status status =
		loom_file_read(root, path,
			       &(struct loom_read_opts){.links = links, .max = RULES_MAX}, &text,
			       &err);

	if (status == LOOM_OK)
		rules = model_rules_parse(loom_buf_str(&text));
	else if (status != LOOM_NOT_FOUND)
		warn(ignore, &err);
	loom_buf_fini(&text);
	return rules;
}

void model_ignore_init(struct model_ignore *ignore, const struct loom_root *root,
		       const struct loom_walk_opts *opts)
{
	*ignore = (struct model_ignore){.root = root, .opts = opts};
	loom_buf_init(&ignore->prefix, LOOM_BUF_MAX);
	ignore->everything = opts && opts->everything;
	if (ignore->everything)
		return;
	ignore->teddy = model_ignore_load(ignore, root, LOOM_STR(".teddyignore"), true);
	model_ignore_look_above(ignore);
}

void model_ignore_fini(struct model_ignore *ignore)
{
	while (ignore->count)
		model_ignore_leave(ignore);
	model_rules_destroy(ignore->teddy);
	model_rules_destroy(ignore->exclude);
	if (ignore->whole)
		loom_buf_fini(ignore->whole);
	free(ignore->whole);
	loom_buf_fini(&ignore->prefix);
	LOOM_ASSERT(ignore->count == 0);
	free(ignore->levels);
	free(ignore->bases);
	*ignore = (struct model_ignore){0};
}

void model_ignore_add_level(struct model_ignore *ignore, const struct loom_root *root,
			    struct loom_str path, size_t base)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (ignore->count == ignore->cap) {
		ignore->cap = ignore->cap ? ignore->cap * 2 : 16;
		ignore->levels = loom_realloc(ignore->levels, ignore->cap, sizeof *ignore->levels);
		ignore->bases = loom_realloc(ignore->bases, ignore->cap, sizeof *ignore->bases);
	}
	LOOM_ASSERT(ignore->count < ignore->cap);
	loom_buf_addf(&name, "%.*s.gitignore", LOOM_STR_ARG(path));
	ignore->bases[ignore->count] = base;
	ignore->levels[ignore->count++] =
		root ? model_ignore_load(ignore, root, loom_buf_str(&name), false) : NULL;
	loom_buf_fini(&name);
}

void model_ignore_enter(struct model_ignore *ignore, struct loom_str path, bool may_have_rules)
{
	struct loom_buf folder = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_add(&folder, path);
	if (path.n)
		loom_buf_addc(&folder, '/');
	model_ignore_add_level(ignore, may_have_rules && !ignore->everything ? ignore->root : NULL,
			       loom_buf_str(&folder), ignore->prefix.n + folder.n);
	loom_buf_fini(&folder);
}

void model_ignore_leave(struct model_ignore *ignore)
{
	LOOM_ASSERT(ignore->count > 0);
	model_rules_destroy(ignore->levels[--ignore->count]);
}

static bool is_guarded_name(struct loom_str name)
{
	return loom_str_is(name, ".teddy") || loom_str_is(name, ".loom");
}

/* Below .teddy and .loom an inclusion counts only if it has a slash. */
static bool names_guarded(const struct model_rule *rule)
{
	return rule->anchored || (rule->folders && rule->literal == rule->pattern.n);
}

static const struct model_rule *last_of_teddy(const struct model_ignore *ignore,
					      const struct model_subject *subject, bool guarded)
{
	const struct model_rules *teddy = ignore->teddy;

	if (!guarded)
		return model_rules_last(teddy, subject);
	for (size_t i = teddy ? teddy->count : 0; i-- > 0;) {
		const struct model_rule *rule = &teddy->items[i];

		if ((!rule->include || names_guarded(rule)) && model_rule_matches(rule, subject))
			return rule;
	}
	return NULL;
}

void model_ignore_by_git(const struct model_ignore *ignore, const struct model_subject *subject,
			 struct model_verdict *verdict)
{
	for (size_t i = ignore->count; i-- > 0 && !verdict->rule;) {
		struct model_subject here = *subject;

		if (!ignore->levels[i])
			continue;
		LOOM_ASSERT(ignore->bases[i] <= subject->path.n);
		here.path = loom_str_sub(subject->path, ignore->bases[i], subject->path.n);
		verdict->rule = model_rules_last(ignore->levels[i], &here);
		verdict->level = i;
	}
	if (!verdict->rule) {
		verdict->rule = model_rules_last(ignore->exclude, subject);
		verdict->level = MODEL_OF_EXCLUDE;
	}
	verdict->hidden = verdict->rule && !verdict->rule->include;
}

/* The path in the repository of a path in the project. */
static struct model_subject in_repository(const struct model_ignore *ignore,
					  const struct model_subject *subject)
{
	struct model_subject whole = *subject;

	if (!ignore->prefix.n)
		return whole;
	loom_buf_cut(ignore->whole, ignore->prefix.n);
	loom_buf_add(ignore->whole, subject->path);
	whole.path = loom_buf_str(ignore->whole);
	return whole;
}

/* Returns why a name is hidden regardless of any rule, or NULL. */
static const char *never_shown(struct loom_str name, bool folder)
{
	LOOM_ASSERT(name.n > 0);
	if (name.p[0] != '.')
		return NULL;
	if (loom_str_is(name, ".git"))
		return ".git is never shown";
	if (!folder && (loom_str_is(name, ".gitignore") || loom_str_is(name, ".teddyignore")))
		return "ignore files are never shown";
	return NULL;
}

struct model_verdict model_ignore_decide(const struct model_ignore *ignore, struct loom_str path,
					 size_t name_at, bool folder, struct model_shade shade)
{
	struct model_subject subject = {
		.path = path,
		.name = loom_str_sub(path, name_at, path.n),
		.folder = folder,
	};
	bool guard = folder && !ignore->everything && is_guarded_name(subject.name);
	struct model_verdict verdict = {.level = MODEL_OF_TEDDY};

	LOOM_ASSERT(name_at < path.n);
	verdict.built_in = never_shown(subject.name, folder || ignore->everything);
	if (verdict.built_in) {
		verdict.hidden = verdict.final = true;
		return verdict;
	}
	verdict.rule = last_of_teddy(ignore, &subject, guard || shade.guarded);
	if (verdict.rule) {
		verdict.hidden = verdict.final = !verdict.rule->include;
	} else if (guard) {
		verdict.hidden = true;
		verdict.built_in =
			"only what a .teddyignore line with a slash names is shown in it";
	} else if (shade.hidden) {
		verdict.hidden = verdict.inherited = true;
	} else {
		subject = in_repository(ignore, &subject);
		model_ignore_by_git(ignore, &subject, &verdict);
	}
	verdict.guarded = verdict.hidden && (guard || shade.guarded);
	LOOM_ASSERT(verdict.hidden || (!verdict.guarded && !verdict.inherited));
	return verdict;
}

bool model_ignore_may_enter(const struct model_ignore *ignore, struct loom_str path,
			    const struct model_verdict *verdict)
{
	if (!verdict->hidden)
		return true;
	return !verdict->final && model_rules_reach_below(ignore->teddy, path, verdict->guarded);
}
