/* Finds who is asked: the subjects that a call names, the members of a plan, or the tree's own
 * subject. A loom-aware agent is never among them. */
#include "inside.h"

#include <loom/base/jval.h>

static enum loom_status name_subjects(struct engine_run *run, enum loom_status status,
				      struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);

	for (size_t i = 0; i < run->show->agent_count && names.n < 150; i++) {
		const struct loom_agent *agent = &run->show->agents[i];

		if (loom_author_type(agent) == LOOM_AUTHOR_SUBJECT)
			loom_buf_addf(&names, "%s\"%.*s\"", names.n ? ", " : "",
				      LOOM_STR_ARG(agent->name));
	}
	if (names.n)
		loom_hint(err, status, "subjects: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return status;
}

/* A loom-aware agent is never made to write by this verb: no loops, no mixed roles. */
static enum loom_status check_subject(struct engine_run *run, const struct loom_agent *agent,
				      struct loom_err *err)
{
	const bool self = agent->id == run->engine->agent.id;

	if (!self && loom_author_type(agent) == LOOM_AUTHOR_SUBJECT)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "agent \"%.*s\" %s", LOOM_STR_ARG(agent->name),
		  self ? "cannot invoke itself" : "is not a subject");
	return name_subjects(run, LOOM_PERMISSION, err);
}

enum loom_status continue_check_count(const struct loom_engine *engine, int64_t n,
				      struct loom_err *err)
{
	const int most = engine->human ? ENGINE_CONTINUE_PERSON_MAX : ENGINE_CONTINUE_MAX;

	if (n <= most)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "max continuations per request is %d", most);
	return loom_hint(err, LOOM_LIMIT, "use n:%d or less", most);
}

static struct engine_voice voice_of(struct engine_generation *now, const struct loom_agent *agent)
{
	struct engine_voice voice = {.subject = *agent};

	voice.subject.name = loom_arena_str(now->arena, agent->name);
	voice.subject.model = loom_arena_str(now->arena, agent->model);
	voice.subject.sampling = loom_arena_str(now->arena, agent->sampling);
	return voice;
}

/* Finds one subject. A name that nobody bears is kept in *missing, for the refusals come in an
 * order. */
static enum loom_status add_named(struct engine_run *run, struct loom_str name,
				  struct engine_voice *out, struct loom_str *missing,
				  struct loom_err *err)
{
	struct loom_agent agent = {.id = 0};
	enum loom_status status = loom_agent_find(run->store, name, run->arena, &agent, err);

	if (status == LOOM_NOT_FOUND && !missing->p)
		*missing = name;
	if (status != LOOM_OK)
		return status == LOOM_NOT_FOUND ? LOOM_OK : status;
	*out = voice_of(&run->engine->generation, &agent);
	return check_subject(run, &agent, err);
}

static enum loom_status refuse_missing(struct engine_run *run, struct loom_str missing,
				       struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "agent \"%.*s\" does not exist", LOOM_STR_ARG(missing));
	return name_subjects(run, LOOM_NOT_FOUND, err);
}

/* One name, or several with commas between them. An agent may bear a comma itself. */
static enum loom_status find_names(struct engine_run *run, struct engine_voice *voices,
				   size_t *out_count, struct loom_str *missing,
				   struct loom_err *err)
{
	struct loom_str rest = run->call->agent;
	struct loom_str name;
	enum loom_status status = add_named(run, rest, &voices[0], missing, err);

	*out_count = 1;
	if (!missing->p || loom_str_find_char(rest, ',', 0) == SIZE_MAX)
		return status;
	*missing = (struct loom_str){NULL, 0};
	*out_count = 0;
	while (status == LOOM_OK && loom_str_cut(&rest, ',', &name))
		status = add_named(run, loom_str_trim(name), &voices[(*out_count)++], missing, err);
	return status;
}

enum loom_status continue_voices_named(struct engine_run *run, struct engine_voice **out,
				       size_t *out_count, struct loom_err *err)
{
	const struct loom_call *call = run->call;
	struct loom_str missing = {NULL, 0};
	size_t most = 1;
	enum loom_status status = LOOM_OK;

	*out_count = 0;
	for (size_t i = 0; i < call->agent.n; i++)
		most += call->agent.p[i] == ',';
	*out = LOOM_ARENA_ARRAY(run->engine->generation.arena, most, struct engine_voice);
	if (call->agent.p)
		status = find_names(run, *out, out_count, &missing, err);
	if (status == LOOM_OK)
		status = continue_check_count(run->engine, call->n, err);
	return status == LOOM_OK && missing.p ? refuse_missing(run, missing, err) : status;
}

enum loom_status loom_engine_plan(struct loom_engine *engine, const struct loom_plan *plan,
				  struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	struct engine_voice *voices =
		LOOM_ARENA_ARRAY(now->arena, plan->count, struct engine_voice);
	struct loom_str missing = {NULL, 0};
	struct engine_run run;
	enum loom_status status = LOOM_OK;

	engine_begin_run(engine, now->call, &run);
	for (size_t i = 0; i < plan->count && status == LOOM_OK; i++) {
		status = add_named(&run, plan->items[i].agent, &voices[i], &missing, err);
		voices[i].n = plan->items[i].n;
		voices[i].tokens = plan->items[i].tokens;
	}
	if (status == LOOM_OK && missing.p)
		status = refuse_missing(&run, missing, err);
	loom_buf_fini(&run.text);
	if (status != LOOM_OK)
		return status;
	now->voices = voices;
	now->voice_count = plan->count;
	continue_level(now, &now->from, &(size_t){SIZE_MAX}, 1);
	return LOOM_OK;
}

static enum loom_status find_default(struct engine_run *run, int64_t tree, struct loom_agent *out,
				     struct loom_err *err)
{
	const struct loom_agent *found;
	struct loom_tree row;
	enum loom_status status = loom_tree_get(run->store, tree, run->arena, &row, err);

	if (status == LOOM_OK && row.subject) {
		status = loom_agent_get(run->store, row.subject, run->arena, out, err);
		return status == LOOM_OK ? check_subject(run, out, err) : status;
	}
	if (status != LOOM_OK)
		return status;
	found = loom_subject_default(run->show->agents, run->show->agent_count,
				     run->engine->agent.id);
	if (found) {
		*out = *found;
		return LOOM_OK;
	}
	loom_fail(err, LOOM_MODEL, "the grove has no subject model");
	return loom_hint(err, LOOM_MODEL, "`loom agent add NAME --model M` makes one");
}

enum loom_status continue_voice_default(struct engine_run *run, int64_t tree,
					struct engine_voice **out, struct loom_err *err)
{
	struct loom_agent agent = {.id = 0};
	enum loom_status status = find_default(run, tree, &agent, err);

	*out = LOOM_ARENA_NEW(run->engine->generation.arena, struct engine_voice);
	if (status == LOOM_OK)
		**out = voice_of(&run->engine->generation, &agent);
	return status;
}

/* ---- what the line says ---- */

struct loom_str continue_line_sampling(const struct loom_call *call, struct loom_arena *arena)
{
	static const char *const keys[] = {
#define X(id, key) key,
		LOOM_SAMPLERS(X)
#undef X
	};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str result;
	double number = 0;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		const struct loom_str value = call->sampling[i];

		if (!value.p)
			continue;
		loom_json_key(&json, keys[i]);
		if (i < LOOM_SAMPLER_BAN && loom_json_check(value, NULL, NULL) == LOOM_OK &&
		    loom_jval_real(value, &number))
			loom_json_raw(&json, value);
		else
			loom_json_text(&json, value);
	}
	loom_json_end_object(&json);
	result = text.n > 2 ? loom_arena_buf(arena, &text) : loom_str_make("", 0);
	loom_buf_fini(&text);
	return result;
}
