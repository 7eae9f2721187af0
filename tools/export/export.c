/* The frame of exports: the formats, the output buffer, authors. */
#include "inside.h"

#include <loom/base/task.h>

enum { FULL = 64 << 10 };

/* The formats in the order of listing. A row is the export_<name> of its export_<format>.c; without
 * that it does not link. */
static const struct loom_export_format *const formats[] = {
#define FORMAT(name) &export_##name,
	EXPORT_FORMATS(FORMAT)
#undef FORMAT
};

const struct loom_export_format *loom_export_at(size_t index)
{
	return index < LOOM_COUNT(formats) ? formats[index] : NULL;
}

enum loom_status loom_export_find(struct loom_str name, const struct loom_export_format **out,
				  struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(1 << 12);

	for (size_t i = 0; i < LOOM_COUNT(formats); i++) {
		if (loom_str_is(name, formats[i]->name)) {
			*out = formats[i];
			loom_buf_fini(&names);
			return LOOM_OK;
		}
		loom_buf_addf(&names, "%s%s", names.n ? ", " : "", formats[i]->name);
	}
	loom_fail(err, LOOM_USAGE, "unknown export format \"%.*s\"", LOOM_STR_ARG(name));
	loom_hint(err, LOOM_USAGE, "the formats are %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_USAGE;
}

void exporter_init(struct exporter *ex, const struct loom_export *what)
{
	*ex = (struct exporter){
		.what = what,
		.store = what->store,
		.arena = loom_arena_create(),
		.step = loom_arena_create(),
	};
	loom_buf_init(&ex->buf, SIZE_MAX / 4);
	loom_buf_init(&ex->prose, SIZE_MAX / 4);
}

static enum loom_status give(struct exporter *ex, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (ex->buf.bad)
		return loom_fail(err, ex->buf.bad, "one node is too large to be exported");
	if (ex->buf.n)
		status = ex->what->put(ex->what->ctx, loom_buf_str(&ex->buf), err);
	loom_buf_clear(&ex->buf);
	return status;
}

enum loom_status exporter_fini(struct exporter *ex, enum loom_status status, struct loom_err *err)
{
	if (status == LOOM_OK)
		status = give(ex, err);
	loom_buf_fini(&ex->buf);
	loom_buf_fini(&ex->prose);
	loom_arena_destroy(ex->arena);
	loom_arena_destroy(ex->step);
	return status;
}

enum loom_status export_flow(struct exporter *ex, struct loom_err *err)
{
	loom_arena_reset(ex->step);
	loom_task_report(ex->what->task, ++ex->done, 0);
	if (loom_task_cancelled(ex->what->task))
		return loom_fail(err, LOOM_CANCELLED, "stopped");
	return ex->buf.n < FULL && !ex->buf.bad ? LOOM_OK : give(ex, err);
}

enum loom_status export_author(struct exporter *ex, int64_t agent, const struct loom_agent **out,
			       struct loom_err *err)
{
	size_t at = 0;
	struct loom_agent row;
	enum loom_status status;

	while (at < ex->agent_count && ex->agents[at].id < agent)
		at++;
	if (at == ex->agent_count || ex->agents[at].id != agent) {
		status = loom_agent_get(ex->store, agent, ex->arena, &row, err);
		if (status != LOOM_OK)
			return status;
		ex->agents = loom_arena_grow(ex->arena, ex->agents, ex->agent_count, &ex->agent_cap,
					     sizeof *ex->agents);
		memmove(ex->agents + at + 1, ex->agents + at,
			(ex->agent_count - at) * sizeof *ex->agents);
		ex->agents[at] = row;
		ex->agent_count++;
	}
	*out = &ex->agents[at];
	return LOOM_OK;
}

struct loom_str export_name(const struct loom_agent *agent)
{
	char ulid[LOOM_ULID_CHARS + 1];
	char mark[16];
	struct loom_str name = agent->name;

	loom_ulid_text(&agent->ulid, ulid);
	snprintf(mark, sizeof mark, " (%s)", ulid + LOOM_ULID_CHARS - 6);
	if (loom_str_ends(name, loom_str_of(mark)) && name.n > strlen(mark))
		name.n -= strlen(mark);
	return name;
}

struct loom_str export_model(const struct loom_agent *author)
{
	if (author->kind != LOOM_AGENT_MODEL)
		return LOOM_STR("");
	return author->model.n ? author->model : export_name(author);
}
