/* `→ spawn`: a thread for a task, with what it may read. It serves an objective: the one that is
 * named, that of the acting thread, the only one there is, or a new one of the same title. */
#include "inside.h"

#include <loom/sharing/turn_files.h>
#include <loom/text/sanitise.h>

/* ---- which objective ---- */

static enum loom_status refuse_objective(const struct loom_objective *all, size_t count,
					 struct loom_str wanted, struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(300);

	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&names, "%s%.*s", i ? ", " : "", LOOM_STR_ARG(all[i].id));
	if (wanted.n)
		loom_fail(err, LOOM_NOT_FOUND, "there is no objective \"%.*s\"",
			  LOOM_STR_ARG(wanted));
	else
		loom_fail(err, LOOM_CONFLICT, "there are several objectives");
	loom_hint(err, err->status, "say objective:O; there is %s",
		  names.n ? loom_buf_cstr(&names) : "none yet");
	loom_buf_fini(&names);
	return err->status;
}

static enum loom_status own_objective(struct sharing *sharing, struct loom_str *out)
{
	struct loom_leslie_thread own;

	*out = loom_str_make(NULL, 0);
	if (sharing->own.n && loom_leslie_thread(sharing->leslie, sharing->own, sharing->run->arena,
						 &own, NULL) == LOOM_OK)
		*out = own.objective;
	return LOOM_OK;
}

static bool named(const struct loom_objective *objective, struct loom_str name)
{
	return loom_str_eq(objective->id, name) || loom_str_eq_fold(objective->title, name);
}

static enum loom_status new_objective(struct sharing *sharing, struct loom_str *out,
				      struct loom_err *err)
{
	struct engine_run *run = sharing->run;

	if (run->engine->opts.dry_run)
		return LOOM_OK;
	if (loom_objective_new(sharing->leslie, run->call->label, loom_str_make(NULL, 0),
			       run->arena, out, &sharing->why) != LOOM_OK)
		return sharing_refuse(sharing, err);
	return LOOM_OK;
}

static enum loom_status find_objective(struct sharing *sharing, struct loom_str *out,
				       struct loom_err *err)
{
	struct loom_str wanted = sharing->run->call->objective;
	struct loom_objective *all = NULL;
	size_t count = 0;
	enum loom_status status = loom_objective_list(sharing->leslie, sharing->run->arena, &all,
						      &count, &sharing->why);

	if (status != LOOM_OK)
		return sharing_refuse(sharing, err);
	for (size_t i = 0; wanted.p && i < count; i++)
		if (named(&all[i], wanted))
			return *out = all[i].id, LOOM_OK;
	if (wanted.p)
		return refuse_objective(all, count, wanted, err);
	status = own_objective(sharing, out);
	if (status != LOOM_OK || out->n)
		return status;
	if (count > 1)
		return refuse_objective(all, count, wanted, err);
	if (!count)
		return new_objective(sharing, out, err);
	*out = all[0].id;
	return LOOM_OK;
}

/* ---- what it may read ---- */

struct targets {
	struct loom_leslie_target *items;
	size_t count;
	size_t cap;
};

static enum loom_status add_target(struct sharing *sharing, struct targets *targets,
				   struct loom_str text, struct loom_err *err)
{
	struct loom_arena *arena = sharing->run->arena;

	targets->items = loom_arena_grow(arena, targets->items, targets->count, &targets->cap,
					 sizeof *targets->items);
	if (loom_leslie_target_parse(text, arena, &targets->items[targets->count++],
				     &sharing->why) != LOOM_OK)
		return sharing_refuse(sharing, err);
	return LOOM_OK;
}

/* References stand apart by blanks; `A,B` without files names two threads. */
static enum loom_status read_targets(struct sharing *sharing, struct targets *targets,
				     struct loom_err *err)
{
	struct loom_str rest = sharing->run->call->ref;
	struct loom_str text;
	struct loom_str part;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && rest.p && loom_str_cut(&rest, ' ', &text)) {
		if (text.n && loom_str_find_char(text, ':', 0) != SIZE_MAX)
			status = add_target(sharing, targets, text, err);
		else
			while (status == LOOM_OK && text.p && loom_str_cut(&text, ',', &part))
				status = part.n ? add_target(sharing, targets, part, err) : LOOM_OK;
	}
	return status;
}

/* ---- doing it ---- */

static enum loom_status spawn(struct sharing *sharing, struct loom_err *err)
{
	struct engine_run *run = sharing->run;
	struct loom_leslie_spawn opts = {
		.intent = run->call->label,
		.parent = sharing->own.n ? sharing->own : loom_str_make(NULL, 0),
		.binding = run->call->live ? LOOM_LESLIE_BINDING_LIVE : LOOM_LESLIE_BINDING_FROZEN,
	};
	struct targets targets = {.items = NULL};
	struct loom_str id = {NULL, 0};
	struct loom_kept kept;
	enum loom_status status = read_targets(sharing, &targets, err);

	if (status == LOOM_OK)
		status = find_objective(sharing, &opts.objective, err);
	if (status != LOOM_OK)
		return status;
	opts.refs = targets.items;
	opts.ref_count = targets.count;
	if (run->engine->opts.dry_run) {
		loom_buf_adds(run->out, "✓ would spawn a thread");
		return LOOM_OK;
	}
	if (loom_leslie_spawn(sharing->leslie, &opts, run->arena, &id, &sharing->warnings,
			      &sharing->why) != LOOM_OK)
		return sharing_refuse(sharing, err);
	loom_buf_addf(run->out, "✓ spawned %.*s \"", LOOM_STR_ARG(id));
	loom_shown_line(run->out, opts.intent, 0);
	loom_buf_addf(run->out, "\" for objective %.*s; its files are in .leslie/threads/%.*s/",
		      LOOM_STR_ARG(opts.objective), LOOM_STR_ARG(id));
	sharing_warn(sharing);
	run->partial = true;
	kept = loom_outside_spawned(id);
	return sharing_list(sharing,
			    &(struct loom_outside){.act = LOOM_OUTSIDE_SPAWN,
						   .subject = id,
						   .kept = &kept,
						   .kept_count = 1},
			    err);
}

enum loom_status engine_verb_spawn(struct engine_run *run, struct loom_err *err)
{
	struct sharing sharing;
	enum loom_status status = sharing_begin(run, &sharing, err);

	if (status == LOOM_OK)
		status = spawn(&sharing, err);
	sharing_close(&sharing);
	return status;
}
