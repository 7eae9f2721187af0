/* What a thread does about others: spawn one, reference its files, end that, copy them again,
 * suspend and resume. Files are changed first, under the locks of `.leslie/`; the operation that
 * lists the change is written after, so that no copy is made while the grove waits. */
#include "inside.h"

#include <loom/sharing/turn_files.h>
#include <loom/text/sanitise.h>

static const char *binding_name(const struct loom_call *call)
{
	return call->live ? "live" : "frozen";
}

static enum loom_leslie_binding binding_of(const struct loom_call *call)
{
	return call->live ? LOOM_LESLIE_BINDING_LIVE : LOOM_LESLIE_BINDING_FROZEN;
}

/* ---- whose thread ---- */

/* A thread may be worked on by its own agent, and by any while nobody works in it. */
static enum loom_status check_holder(const struct sharing *sharing, struct loom_str thread,
				     struct loom_err *err)
{
	const struct engine_run *run = sharing->run;
	struct loom_thread row;
	struct loom_err ignored;

	if (run->engine->human || loom_str_eq(thread, sharing->own) ||
	    loom_thread_find(run->store, thread, run->arena, &row, &ignored) != LOOM_OK ||
	    row.agent == run->engine->agent.id)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread", LOOM_STR_ARG(thread));
	return loom_hint(err, LOOM_PERMISSION,
			 LANG_ARROW " ref %.*s lets this thread read its files",
			 LOOM_STR_ARG(thread));
}

/* ---- ref, unref ---- */

static void say_names(const struct sharing *sharing, const struct loom_str *names, size_t count)
{
	for (size_t i = 0; i < count && i < ENGINE_PAGE; i++) {
		loom_buf_adds(sharing->run->out, i ? ", " : ": ");
		loom_shown_line(sharing->run->out, names[i], 0);
	}
	if (count > ENGINE_PAGE)
		loom_buf_addf(sharing->run->out, " … %zu more", count - ENGINE_PAGE);
}

static void say_ref(const struct sharing *sharing, const struct loom_leslie_ref *ref,
		    const struct loom_leslie_ref_result *result)
{
	struct loom_buf *out = sharing->run->out;

	loom_buf_addf(out, "✓ %.*s reads %.*s (%s", LOOM_STR_ARG(ref->from),
		      LOOM_STR_ARG(ref->target.thread), binding_name(sharing->run->call));
	if (!sharing->run->call->live) {
		loom_buf_adds(out, ", ");
		loom_show_many((int64_t)result->copied_count, "file", "files", out);
		loom_buf_adds(out, " copied");
	}
	loom_buf_addc(out, ')');
	say_names(sharing, result->copied, result->copied_count);
	sharing_warn(sharing);
	if (result->copied_count || sharing->run->call->live)
		loom_buf_adds(out, "\n  hint: " LANG_ARROW " read NAME reads one of its files");
}

static enum loom_status refer(struct sharing *sharing, struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	struct loom_leslie_ref ref = {.from = sharing->own, .binding = binding_of(run->call)};
	struct loom_leslie_ref_result result = {0};
	struct loom_thread_context context;
	struct loom_kept kept;
	struct loom_str before = loom_outside_given(sharing->leslie, sharing->own, run->arena);
	enum loom_status status =
		loom_leslie_target_parse(run->call->ref, run->arena, &ref.target, &sharing->why);

	if (status == LOOM_OK && run->engine->opts.dry_run)
		status = loom_leslie_foresee(sharing->leslie, &ref, run->arena, &context,
					     &sharing->warnings, &sharing->why);
	else if (status == LOOM_OK)
		status = loom_leslie_ref(sharing->leslie, &ref, run->arena, &result, &sharing->why);
	if (status != LOOM_OK)
		return sharing_refuse(sharing, err);
	if (!run->engine->opts.dry_run)
		sharing->warnings = result.warnings;
	say_ref(sharing, &ref, &result);
	run->partial = true;
	kept = loom_outside_share(sharing->leslie, sharing->own, before, run->arena);
	return sharing_list(sharing,
			    &(struct loom_outside){.act = LOOM_OUTSIDE_REF,
						   .subject = ref.from,
						   .object = ref.target.thread,
						   .kept = &kept,
						   .kept_count = 1},
			    err);
}

/* Runs one of the changes below in the acting thread. */
static enum loom_status
in_own(struct engine_run *run,
       enum loom_status (*fn)(struct sharing *sharing, struct loom_err *err), struct loom_err *err)
{
	struct sharing sharing;
	enum loom_status status = sharing_begin(run, &sharing, err);

	if (status == LOOM_OK)
		status = sharing_need_own(&sharing, err);
	if (status == LOOM_OK)
		status = fn(&sharing, err);
	sharing_close(&sharing);
	return status;
}

enum loom_status engine_verb_ref(struct engine_run *run, struct loom_err *err)
{
	return in_own(run, refer, err);
}

static enum loom_status unrefer(struct sharing *sharing, struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	struct loom_str target = run->call->ref;
	struct loom_str before = loom_outside_given(sharing->leslie, sharing->own, run->arena);
	struct loom_kept kept;
	enum loom_status status = LOOM_OK;

	if (!run->engine->opts.dry_run)
		status = loom_leslie_unref(sharing->leslie, sharing->own, target, &sharing->why);
	if (status != LOOM_OK)
		return sharing_refuse(sharing, err);
	loom_buf_addf(run->out, "✓ %.*s no longer reads %.*s", LOOM_STR_ARG(sharing->own),
		      LOOM_STR_ARG(target));
	run->partial = true;
	kept = loom_outside_share(sharing->leslie, sharing->own, before, run->arena);
	return sharing_list(sharing,
			    &(struct loom_outside){.act = LOOM_OUTSIDE_UNREF,
						   .subject = sharing->own,
						   .object = target,
						   .kept = &kept,
						   .kept_count = 1},
			    err);
}

enum loom_status engine_verb_unref(struct engine_run *run, struct loom_err *err)
{
	return in_own(run, unrefer, err);
}

/* ---- refresh ---- */

static void say_refreshed(const struct sharing *sharing, const struct loom_leslie_refreshed *done)
{
	struct loom_buf *out = sharing->run->out;

	loom_buf_adds(out, "✓ copied again: ");
	loom_show_many((int64_t)done->copied_count, "file", "files", out);
	say_names(sharing, done->copied, done->copied_count);
	sharing_warn(sharing);
}

/* THREAD, or THREAD:NAME for one file of it. */
static enum loom_status read_what(struct sharing *sharing, struct loom_leslie_refresh *out)
{
	struct loom_leslie_target target;
	struct engine_run *run = sharing->run;
	enum loom_status status = LOOM_OK;

	if (!run->call->ref.p)
		return LOOM_OK;
	status = loom_leslie_target_parse(run->call->ref, run->arena, &target, &sharing->why);
	out->target = target.thread;
	if (status == LOOM_OK && target.scope_count)
		out->name = target.scopes[0];
	return status;
}

static enum loom_status refresh(struct sharing *sharing, struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	struct loom_leslie_refresh opts = {.from = sharing->own};
	struct loom_leslie_refreshed done = {0};
	struct loom_str before = loom_outside_given(sharing->leslie, sharing->own, run->arena);
	struct loom_kept kept;
	enum loom_status status = read_what(sharing, &opts);

	if (status == LOOM_OK && !run->engine->opts.dry_run)
		status = loom_leslie_refresh(sharing->leslie, &opts, run->arena, &done,
					     &sharing->why);
	if (status != LOOM_OK)
		return sharing_refuse(sharing, err);
	sharing->warnings = done.warnings;
	say_refreshed(sharing, &done);
	if (!done.copied_count)
		return LOOM_OK;
	run->partial = true;
	kept = loom_outside_share(sharing->leslie, sharing->own, before, run->arena);
	return sharing_list(sharing,
			    &(struct loom_outside){.act = LOOM_OUTSIDE_REFRESH,
						   .subject = sharing->own,
						   .kept = &kept,
						   .kept_count = 1},
			    err);
}

enum loom_status engine_verb_refresh(struct engine_run *run, struct loom_err *err)
{
	return in_own(run, refresh, err);
}

/* ---- suspend, resume ---- */

static enum loom_status step(struct sharing *sharing, struct loom_str thread,
			     enum loom_leslie_action action, struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	enum loom_leslie_status now = LOOM_LESLIE_ACTIVE;
	enum loom_status status = check_holder(sharing, thread, err);
	const char *word = NULL;
	struct loom_kept kept;

	if (status != LOOM_OK)
		return status;
	if (run->engine->opts.dry_run) {
		loom_buf_addf(run->out, "✓ would %s %.*s", loom_leslie_action_name(action),
			      LOOM_STR_ARG(thread));
		return LOOM_OK;
	}
	status = loom_leslie_lifecycle(sharing->leslie, thread, action, LOOM_STR(""), &now,
				       &sharing->why);
	if (status != LOOM_OK)
		return sharing_refuse(sharing, err);
	word = loom_leslie_status_name(now);
	loom_buf_addf(run->out, "✓ %.*s is %s", LOOM_STR_ARG(thread), word);
	run->partial = true;
	kept = loom_outside_stepped(thread, action, now);
	return sharing_list(sharing,
			    &(struct loom_outside){.act = loom_outside_step(action),
						   .subject = thread,
						   .object = loom_str_of(word),
						   .kept = &kept,
						   .kept_count = 1},
			    err);
}

static enum loom_status take_step(struct engine_run *run, enum loom_leslie_action action,
				  struct loom_err *err)
{
	struct sharing sharing;
	struct loom_str thread = run->call->ref;
	enum loom_status status = sharing_begin(run, &sharing, err);

	if (status == LOOM_OK && !thread.p) {
		status = sharing_need_own(&sharing, err);
		thread = sharing.own;
	}
	if (status == LOOM_OK)
		status = step(&sharing, thread, action, err);
	sharing_close(&sharing);
	return status;
}

enum loom_status engine_verb_suspend(struct engine_run *run, struct loom_err *err)
{
	return take_step(run, LOOM_LESLIE_SUSPEND, err);
}

enum loom_status engine_verb_resume(struct engine_run *run, struct loom_err *err)
{
	return take_step(run, LOOM_LESLIE_RESUME, err);
}
