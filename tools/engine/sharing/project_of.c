/* From a call to the project's `.leslie/` and back. A refusal keeps its words and its code. */
#include "inside.h"

#include <loom/engine/told.h>
#include <loom/text/sanitise.h>
#include <loom/tree/request.h>

enum loom_status sharing_open(struct engine_run *run, struct sharing *out, struct loom_err *err)
{
	const char *who = run->engine->human ? "user" : "agent";

	*out = (struct sharing){.run = run, .own = LOOM_STR("")};
	if (!run->thread.implicit && run->thread.id)
		out->own = run->thread.name;
	return loom_told_leslie(run->store, who, run->arena, &out->leslie, err);
}

void sharing_close(struct sharing *sharing)
{
	loom_leslie_close(sharing->leslie);
}

enum loom_status sharing_refuse(const struct sharing *sharing, struct loom_err *err)
{
	const struct loom_leslie_err *why = &sharing->why;
	const enum loom_status status = why->err.status;

	loom_fail(err, status, "%s%s%.*s%s%s%s", why->err.text, why->reason.n ? ": " : "",
		  LOOM_STR_ARG(why->reason), why->code ? " (" : "", why->code ? why->code : "",
		  why->code ? ")" : "");
	return why->err.hint[0] ? loom_hint(err, status, "%s", why->err.hint) : status;
}

enum loom_status sharing_need_own(const struct sharing *sharing, struct loom_err *err)
{
	if (sharing->own.n)
		return LOOM_OK;
	loom_fail(err, LOOM_CONFLICT, "this thread was not spawned, so it has no files to share");
	return loom_hint(err, LOOM_CONFLICT,
			 LANG_ARROW " spawn \"TITLE\" ref:THREAD creates one that reads another's "
				    "files");
}

void sharing_warn(const struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->warnings.count; i++) {
		loom_buf_adds(sharing->run->out, "\n  warning: ");
		loom_shown_line(sharing->run->out, sharing->warnings.items[i], 0);
	}
}

enum loom_status sharing_begin(struct engine_run *run, struct sharing *out, struct loom_err *err)
{
	enum loom_status status = sharing_open(run, out, err);

	if (status == LOOM_OK && !run->engine->opts.dry_run)
		status = loom_request_intend_here(run->store, &run->intended, err);
	return status;
}

enum loom_status sharing_list(struct sharing *sharing, const struct loom_outside *what,
			      struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	enum loom_status status = LOOM_OK;

	engine_batch_close(run->engine);
	run->inverse = loom_outside_inverse(what, run->arena);
	status = engine_begin_write(run, ENGINE_CHANGES, err);
	if (status == LOOM_OK)
		status = loom_outside_keep(run->store, what, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "%.*s", LOOM_STR_ARG(loom_outside_text(what, run->arena)));
	return LOOM_OK;
}
