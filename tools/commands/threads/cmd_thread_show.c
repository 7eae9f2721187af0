/* `loom thread show`: everything about a thread. From `.leslie/`: its state, assets and references;
 * and if it has an agent: the agent, its tree, its memory and the end of its log. */
#include <loom/cli/services.h>
#include "lanes_of.h"
#include "leslie_of.h"

#include <loom/tree/document.h>
#include <loom/work/memory.h>
#include <loom/tree/say_node.h>
#include <loom/work/thread_log.h>
#include <loom/base/utf8.h>

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define ROWS_SHOWN 5
#define ROW_WIDTH  100

/* The store's record of the thread. */
struct work {
	bool known; /* an agent works in it */
	struct loom_thread row;
	const struct loom_agent *agent;
	struct loom_tree tree;
	struct loom_str position;
	struct loom_str *pins;
	size_t pin_count;
	struct loom_stash *stashes;
	size_t stash_count;
	int64_t rows;
	struct loom_str *last;  /* the last rows as JSON */
	struct loom_str *lines; /* the last rows for people */
	struct loom_lane_list lanes;
	size_t last_count;
};

/* ---- reading the store ---- */

static enum loom_status read_place(struct cli_grove *grove, struct work *work, struct loom_err *err)
{
	struct loom_node node;
	int64_t at = 0;
	enum loom_status status = cli_grove_agent(grove, work->row.agent, &work->agent, err);

	if (status == LOOM_OK)
		status =
			loom_tree_get(grove->store, work->row.tree, grove->arena, &work->tree, err);
	if (status == LOOM_OK)
		status = loom_thread_stand(grove->store, &work->row, &at, err);
	if (status == LOOM_OK)
		status =
			loom_node_get(grove->store, at, LOOM_NODE_NARROW, grove->arena, &node, err);
	if (status == LOOM_OK)
		work->position = cli_node_name(grove, &node);
	return status;
}

/* The name of a pin, as people write it. */
static enum loom_status name_pin(struct cli_grove *grove, const struct loom_pin *pin,
				 struct loom_str *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node node;
	struct loom_doc doc;
	enum loom_status status = LOOM_OK;

	if (pin->kind == LOOM_PIN_NODE) {
		status = loom_node_get(grove->store, pin->node, LOOM_NODE_NARROW, grove->arena,
				       &node, err);
		if (status == LOOM_OK)
			loom_buf_add(&text, cli_node_name(grove, &node));
	} else if (pin->kind == LOOM_PIN_DOC) {
		status = loom_doc_get(grove->store, pin->doc, false, grove->arena, &doc, err);
		if (status == LOOM_OK)
			loom_show_doc(doc.name, pin->section, &text);
	} else {
		loom_buf_add(&text, pin->result);
	}
	*out = loom_arena_buf(grove->arena, &text);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status read_memory(struct cli_grove *grove, struct work *work,
				    struct loom_err *err)
{
	struct loom_pin *pins = NULL;
	enum loom_status status = loom_pin_list(grove->store, work->row.id, grove->arena, &pins,
						&work->pin_count, err);

	work->pins = LOOM_ARENA_ARRAY(grove->arena, work->pin_count, struct loom_str);
	for (size_t i = 0; status == LOOM_OK && i < work->pin_count; i++)
		status = name_pin(grove, &pins[i], &work->pins[i], err);
	if (status == LOOM_OK)
		status = loom_stash_list(grove->store, work->row.id, grove->arena, &work->stashes,
					 &work->stash_count, err);
	return status;
}

struct last_rows {
	struct loom_arena *arena;
	struct work *work;
};

static bool keep_row(void *ctx, const struct loom_log_row *row)
{
	struct last_rows *rows = ctx;
	struct work *work = rows->work;
	struct loom_str clipped = loom_utf8_clip(row->payload, ROW_WIDTH);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_log_row_json(row, &json);
	work->last[work->last_count] = loom_arena_buf(rows->arena, &text);
	work->lines[work->last_count++] =
		loom_arena_format(rows->arena, "%lld %.*s %.*s%s", (long long)row->seq,
				  LOOM_STR_ARG(row->kind), LOOM_STR_ARG(clipped),
				  clipped.n < row->payload.n ? "…" : "");
	loom_buf_fini(&text);
	return work->last_count < ROWS_SHOWN;
}

static enum loom_status read_log(struct cli_grove *grove, struct work *work, struct loom_err *err)
{
	struct last_rows rows = {grove->arena, work};
	const struct loom_log_visitor visitor = {keep_row, &rows};
	struct loom_log_range range = {.through = LOOM_SEQ_HEAD};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status =
		loom_thread_log_open(grove->store, work->row.id, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	work->last = LOOM_ARENA_ARRAY(grove->arena, ROWS_SHOWN, struct loom_str);
	work->lines = LOOM_ARENA_ARRAY(grove->arena, ROWS_SHOWN, struct loom_str);
	status = log.ops->head(log.ctx, &work->rows, err);
	range.after = work->rows - ROWS_SHOWN;
	work->rows++;
	if (status == LOOM_OK)
		status = log.ops->read(log.ctx, &range, &visitor, err);
	if (status == LOOM_OK)
		status = loom_lane_list(&log, LOOM_SEQ_HEAD, grove->arena, &work->lanes, err);
	loom_thread_log_close(keeper);
	return status;
}

/* Another agent's session is private, but its existence is not. */
static enum loom_status read_work(struct threads_leslie *call, struct loom_str id,
				  struct work *work, struct loom_err *err)
{
	struct cli_grove *grove = call->grove;
	enum loom_status status = LOOM_NOT_FOUND;

	*work = (struct work){.known = false};
	if (grove)
		status = loom_thread_find(grove->store, id, grove->arena, &work->row, NULL);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	work->known = status == LOOM_OK;
	if (status == LOOM_OK)
		status = read_place(grove, work, err);
	if (status == LOOM_OK && (cli_grove_person(grove) || work->row.agent == grove->actor.id)) {
		status = read_memory(grove, work, err);
		if (status == LOOM_OK)
			status = read_log(grove, work, err);
	}
	return status;
}

/* ---- printing ---- */

/* Prints a line with a name and a value. */
static void say(struct loom_cli *cli, const char *name, struct loom_str value)
{
	if (value.n)
		loom_answer_line(cli, "%-11s %.*s", name, LOOM_STR_ARG(value));
}

/* Answers with a list, whose first line begins with the name. */
static void answer_texts(struct loom_cli *cli, const char *key, const char *name,
			 const struct loom_str *texts, size_t count)
{
	loom_answer_texts(cli, key, texts, count);
	for (size_t i = 0; i < count; i++)
		say(cli, i ? "" : name, texts[i]);
}

static void answer_memory(struct loom_cli *cli, const struct work *work)
{
	loom_answer_map(cli, "memory");
	answer_texts(cli, "pins", "pinned", work->pins, work->pin_count);
	loom_answer_list(cli, "stashes");
	for (size_t i = 0; i < work->stash_count; i++) {
		const struct loom_stash *stash = &work->stashes[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "label", stash->label);
		loom_answer_flag(cli, "recalled", stash->recalled);
		say(cli, i ? "" : "stashed",
		    loom_arena_format(cli->arena, "\"%.*s\"%s", LOOM_STR_ARG(stash->label),
				      stash->recalled ? " (recalled)" : ""));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_answer_end(cli);
}

static void answer_log(struct loom_cli *cli, const struct work *work)
{
	loom_answer_map(cli, "log");
	loom_answer_number(cli, "rows", work->rows);
	if (work->rows)
		loom_answer_line(cli, "%-11s %s", "log",
				 loom_answer_many(cli, work->rows, "row", "rows"));
	threads_answer_lanes(cli, &work->lanes);
	loom_answer_list(cli, "last");
	for (size_t i = 0; i < work->last_count; i++) {
		loom_answer_json(cli, NULL, work->last[i]);
		loom_answer_line(cli, "  %.*s", LOOM_STR_ARG(work->lines[i]));
	}
	loom_answer_end(cli);
	loom_answer_end(cli);
}

/* Everything here is null or empty if nobody works in the thread. */
static void answer_work(struct loom_cli *cli, const struct work *work)
{
	loom_answer_maybe(cli, "agent", work->known ? work->agent->name : LOOM_STR(""));
	if (work->known)
		loom_answer_ulid(cli, "tree", &work->tree.ulid);
	else
		loom_answer_null(cli, "tree");
	loom_answer_maybe(cli, "position", work->position);
	if (work->known) {
		say(cli, "agent", work->agent->name);
		say(cli, "position",
		    loom_arena_format(cli->arena, "[%.*s] in \"%.*s\"",
				      LOOM_STR_ARG(work->position),
				      LOOM_STR_ARG(work->tree.title)));
	}
	answer_memory(cli, work);
	answer_log(cli, work);
}

struct shown {
	struct loom_leslie_thread thread;
	struct loom_asset_list assets;
	struct work work;
};

static void say_reference(struct loom_cli *cli, const char *name,
			  const struct loom_leslie_edge *edge)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_leslie_edge_say(edge, loom_env_now(&cli->env), &text);
	loom_answer_line(cli, "%-11s %.*s (%.*s)", name, LOOM_STR_ARG(edge->thread),
			 LOOM_STR_ARG(loom_buf_str(&text)));
	loom_buf_fini(&text);
}

static void answer_references(struct loom_cli *cli, const struct loom_leslie_thread *thread)
{
	loom_answer_list(cli, "references_to");
	for (size_t i = 0; i < thread->reference_count; i++) {
		const struct loom_leslie_edge *edge = &thread->references[i];

		loom_answer_text(cli, NULL, edge->thread);
		say_reference(cli, i ? "" : "references", edge);
	}
	loom_answer_end(cli);
	answer_texts(cli, "referenced_by", "read by", thread->referenced_by,
		     thread->referenced_by_count);
	loom_answer_list(cli, "references");
	for (size_t i = 0; i < thread->reference_count; i++) {
		const struct loom_leslie_edge *edge = &thread->references[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "thread", edge->thread);
		loom_answer_flag(cli, "frozen", edge->frozen);
		loom_answer_flag(cli, "live", edge->live);
		loom_answer_flag(cli, "broken", edge->broken);
		loom_answer_text(cli, "state", loom_str_of(loom_copy_state_name(edge->state)));
		loom_answer_maybe(cli, "scope", edge->scope);
		loom_answer_maybe(cli, "since", edge->since);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void answer_thread(struct loom_cli *cli, const struct loom_leslie_thread *thread)
{
	threads_leslie_answer_thread(cli, thread);
	loom_answer_text(cli, "path", thread->path);
	loom_answer_maybe(cli, "session_id", thread->session_id);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(thread->id));
	say(cli, "title", thread->title);
	say(cli, "objective", thread->objective);
	say(cli, "status", threads_leslie_status(thread));
	say(cli, "parent", thread->parent_id);
	say(cli, "executor", thread->executor);
	say(cli, "created", thread->created_at);
	say(cli, "updated", thread->updated_at);
	say(cli, "path", thread->path);
	answer_texts(cli, "children", "children", thread->children, thread->child_count);
	answer_references(cli, thread);
}

static void answer_shown(struct loom_cli *cli, const struct shown *shown)
{
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);

	answer_thread(cli, &shown->thread);
	threads_leslie_answer_assets(cli, "assets", &shown->assets, false);
	for (size_t i = 0; i < shown->assets.count; i++)
		say(cli, i ? "" : "assets", shown->assets.items[i].path);
	answer_work(cli, &shown->work);
	loom_jval_compact(shown->thread.record, &record);
	loom_answer_json(cli, "record", loom_buf_str(&record));
	loom_buf_fini(&record);
}

/* A thread that the grove of several machines knows, and this machine's files do not. */
static void hint_elsewhere(struct threads_leslie *call, struct loom_str id)
{
	struct loom_thread row;

	if (!call->grove || !loom_store_shared_log(call->grove->store) ||
	    loom_thread_find(call->grove->store, id, call->grove->arena, &row, NULL) != LOOM_OK)
		return;
	(void)!loom_hint(&call->err.err, call->err.err.status,
			 "the grove knows it, and its files are on another machine: bring .leslie "
			 "here with git; `loom doc list` lists what was kept in the grove");
}

static enum loom_status read_shown(struct threads_leslie *call, struct shown *shown,
				   struct loom_leslie_warnings *warnings)
{
	struct loom_arena *arena = call->cli->arena;
	struct loom_str id = {NULL, 0};
	const struct args_of_thread_show *args = args_of_thread_show(call->cli);
	enum loom_status status =
		threads_leslie_pick(call, args->thread, args->thread_word, "THREAD", &id);

	if (status == LOOM_OK)
		status = loom_leslie_thread(call->leslie, id, arena, &shown->thread, &call->err);
	if (status == LOOM_REFUSED || status == LOOM_NOT_FOUND)
		hint_elsewhere(call, id);
	if (status == LOOM_OK)
		status = loom_leslie_assets(call->leslie, id, arena, &shown->assets, &call->err);
	for (size_t i = 0; status == LOOM_OK && i < shown->thread.reference_count; i++)
		if (shown->thread.references[i].broken)
			loom_leslie_warn_broken(arena, warnings,
						shown->thread.references[i].thread);
	return status == LOOM_OK ? read_work(call, id, &shown->work, &call->err.err) : status;
}

static enum loom_status show(struct threads_leslie *call)
{
	struct loom_leslie_warnings warnings = {0};
	struct shown shown = {.assets = {0}};
	enum loom_status status = read_shown(call, &shown, &warnings);

	if (status != LOOM_OK)
		return status;
	threads_leslie_warn(call, &warnings);
	answer_shown(call->cli, &shown);
	threads_leslie_answer_warnings(call->cli, &warnings);
	return LOOM_OK;
}

enum loom_status cmd_thread_show(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run_in(cli, show, err);
}
