/* help and think. Help is the table of verbs, as it applies to the agent who asks. */
#include <loom/engine/handlers.h>
#include <loom/language/call.h>
#include <loom/language/registry.h>

static bool is_permitted(const struct engine_run *run, const struct loom_verb_info *verb)
{
	return (verb->permission & ~run->engine->who.grant.may) == 0;
}

/* A group of commands only has nothing to say here. */
static void add_group(struct engine_run *run, enum loom_group group)
{
	bool any = false;

	for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);

		if (verb->group != group)
			continue;
		if (!any)
			loom_buf_addf(run->out, "\n%s:\n", loom_group_title(group));
		any = true;
		loom_buf_adds(run->out, is_permitted(run, verb) ? "  " : "* ");
		loom_verb_line(verb, run->out);
	}
}

/* "* not permitted: continue takes loom_generate · read takes doc_read" */
static void add_lacking(struct engine_run *run)
{
	bool any = false;

	for (unsigned bit = 1; bit <= LOOM_MAY_THREADS; bit <<= 1) {
		bool first = true;

		for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
			const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);

			if (verb->permission != (enum loom_permission)bit ||
			    is_permitted(run, verb))
				continue;
			if (first)
				loom_buf_adds(run->out, any ? " · " : "\n* not permitted: ");
			else
				loom_buf_adds(run->out, ", ");
			loom_buf_adds(run->out, verb->name);
			any = true;
			first = false;
		}
		if (!first)
			loom_buf_addf(run->out, " (needs %s)",
				      loom_permission_name((enum loom_permission)bit));
	}
}

static void help_all(struct engine_run *run)
{
	loom_buf_adds(run->out, "Permissions: ");
	loom_grant_text(run->engine->who.grant.may, run->out);
	loom_buf_addc(run->out, '\n');
	for (enum loom_group group = 0; group < LOOM_GROUP_COUNT; group++)
		add_group(run, group);
	add_lacking(run);
	loom_buf_adds(run->out, "\n" LANG_ARROW " help VERB explains one of them");
	run->exact = true;
}

static void help_one(struct engine_run *run, const struct loom_verb_info *verb)
{
	struct loom_str name = loom_arena_format(run->arena, LANG_ARROW " %s", verb->name);
	const char *note = loom_verb_note(name);

	loom_buf_addf(run->out, "%s: %s\n", verb->name, verb->summary);
	loom_verb_forms(verb, run->out);
	if (verb->synonyms[0])
		loom_buf_adds(run->out, "also: ");
	loom_verb_also(verb, run->out);
	loom_buf_addf(run->out, "%s%s%s", verb->synonyms[0] ? "\n" : "", note, note[0] ? "\n" : "");
	loom_buf_addf(run->out, "example: %s\nneeds %s%s", verb->example,
		      loom_permission_name(verb->permission),
		      is_permitted(run, verb) ? "" : ", which is not enabled");
}

enum loom_status engine_verb_help(struct engine_run *run, struct loom_err *err)
{
	const struct loom_verb_info *verb = loom_verb_info(run->call->tool);

	(void)err;
	if (verb)
		help_one(run, verb);
	else
		help_all(run);
	return LOOM_OK;
}

enum loom_status engine_verb_think(struct engine_run *run, struct loom_err *err)
{
	(void)err;
	loom_buf_adds(run->out, "✓ thought kept");
	if (run->call->unterminated)
		loom_buf_adds(run->out, "\n  hint: no line was ← alone, so everything that "
					"followed was taken as the thought");
	return LOOM_OK;
}
