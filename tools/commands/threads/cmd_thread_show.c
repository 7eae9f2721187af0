/* `loom thread show`: a thread as one thing. What `.leslie/` says of it, its assets, whom it
 * references; and, where somebody works in it, who and where, its memory and the end of its log. */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/tree/document.h>
#include <loom/work/memory.h>
#include <loom/tree/say_node.h>
#include <loom/text/sanitise.h>
#include <loom/work/thread_log.h>
#include <loom/base/utf8.h>

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define ROWS_SHOWN 5
#define ROW_WIDTH  100

/* What the store knows of it. */
struct work {
	bool known; /* somebody works in it */
	struct loom_thread row;
	const struct loom_agent *agent;
	struct loom_tree tree;
	struct loom_str position;
	struct loom_str *pins;
	size_t pin_count;
	struct loom_stash *stashes;
	size_t stash_count;
	int64_t rows;
	struct loom_str *last;  /* the last rows, as JSON */
	struct loom_str *lines; /* the same for people */
	size_t last_count;
};

/* ---- reading the store ---- */

static enum loom_status read_place(struct tool_grove *grove, struct work *work,
				   struct loom_err *err)
{
	struct loom_node node;
	int64_t at = 0;
	enum loom_status status = tool_grove_agent(grove, work->row.agent, &work->agent, err);

	if (status == LOOM_OK)
		status =
			loom_tree_get(grove->store, work->row.tree, grove->arena, &work->tree, err);
	if (status == LOOM_OK)
		status = loom_thread_stand(grove->store, &work->row, &at, err);
	if (status == LOOM_OK)
		status =
			loom_node_get(grove->store, at, LOOM_NODE_NARROW, grove->arena, &node, err);
	if (status == LOOM_OK)
		work->position = tool_node_name(grove, &node);
	return status;
}

/* A pin as people write it. */
static enum loom_status name_pin(struct tool_grove *grove, const struct loom_pin *pin,
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
			loom_buf_add(&text, tool_node_name(grove, &node));
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

static enum loom_status read_memory(struct tool_grove *grove, struct work *work,
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

static enum loom_status read_log(struct tool_grove *grove, struct work *work, struct loom_err *err)
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
	loom_thread_log_close(keeper);
	return status;
}

/* Another agent's session is its own; that it is there is no secret. */
static enum loom_status read_work(struct tool_leslie *call, struct loom_str id, struct work *work,
				  struct loom_err *err)
{
	struct tool_grove *grove = call->grove;
	enum loom_status status = LOOM_NOT_FOUND;

	*work = (struct work){.known = false};
	if (grove)
		status = loom_thread_find(grove->store, id, grove->arena, &work->row, NULL);
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	work->known = status == LOOM_OK;
	if (status == LOOM_OK)
		status = read_place(grove, work, err);
	if (status == LOOM_OK && (tool_grove_person(grove) || work->row.agent == grove->actor.id)) {
		status = read_memory(grove, work, err);
		if (status == LOOM_OK)
			status = read_log(grove, work, err);
	}
	return status;
}

/* ---- showing ---- */

static void put_work(struct loom_json *json, const struct work *work)
{
	tool_leslie_put(json, "agent", work->known ? work->agent->name : LOOM_STR(""));
	if (work->known)
		tool_json_ulid(json, "tree", &work->tree.ulid);
	else
		tool_leslie_put(json, "tree", LOOM_STR(""));
	tool_leslie_put(json, "position", work->position);
	loom_json_key(json, "memory");
	loom_json_object(json);
	loom_json_put_texts(json, "pins", work->pins, work->pin_count);
	loom_json_key(json, "stashes");
	loom_json_array(json);
	for (size_t i = 0; i < work->stash_count; i++) {
		loom_json_object(json);
		loom_json_put(json, "label", work->stashes[i].label);
		loom_json_put_bool(json, "recalled", work->stashes[i].recalled);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_json_key(json, "log");
	loom_json_object(json);
	loom_json_put_int(json, "rows", work->rows);
	loom_json_key(json, "last");
	loom_json_array(json);
	for (size_t i = 0; i < work->last_count; i++)
		loom_json_raw(json, work->last[i]);
	loom_json_end_array(json);
	loom_json_end_object(json);
}

struct shown {
	struct loom_leslie_thread thread;
	struct loom_asset_list assets;
	struct work work;
};

static const char *binding_of(const struct loom_leslie_edge *edge)
{
	if (edge->frozen && edge->live)
		return "frozen, live";
	return edge->frozen ? "frozen" : "live";
}

static void put_edges(struct loom_json *json, const struct loom_leslie_thread *thread)
{
	loom_json_key(json, "references");
	loom_json_array(json);
	for (size_t i = 0; i < thread->reference_count; i++) {
		loom_json_object(json);
		loom_json_put(json, "thread", thread->references[i].thread);
		loom_json_put_bool(json, "frozen", thread->references[i].frozen);
		loom_json_put_bool(json, "live", thread->references[i].live);
		loom_json_put_bool(json, "broken", thread->references[i].broken);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void put_shown(struct tool_leslie *call, const struct shown *shown,
		      const struct loom_leslie_warnings *warnings)
{
	const struct loom_leslie_thread *thread = &shown->thread;
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json *json = loom_out_json_begin(call->cli->out);

	loom_json_object(json);
	tool_leslie_put_thread(json, thread);
	loom_json_put(json, "path", thread->path);
	tool_leslie_put(json, "session_id", thread->session_id);
	loom_json_put_texts(json, "children", thread->children, thread->child_count);
	loom_json_key(json, "references_to");
	loom_json_array(json);
	for (size_t i = 0; i < thread->reference_count; i++)
		loom_json_text(json, thread->references[i].thread);
	loom_json_end_array(json);
	loom_json_put_texts(json, "referenced_by", thread->referenced_by,
			    thread->referenced_by_count);
	put_edges(json, thread);
	tool_leslie_put_assets(json, &shown->assets, false);
	put_work(json, &shown->work);
	loom_json_key(json, "record");
	loom_jval_compact(thread->record, &record);
	loom_json_raw(json, loom_buf_str(&record));
	loom_buf_fini(&record);
	tool_leslie_put_warnings(json, warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static void print_line(struct loom_out *out, const char *name, struct loom_str value)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!value.n)
		return;
	loom_shown_line(&line, value, 0);
	loom_out_textf(out, "%-11s %s\n", name, loom_buf_cstr(&line));
	loom_buf_fini(&line);
}

static void print_work(struct loom_out *out, const struct work *work, struct loom_arena *arena)
{
	if (!work->known)
		return;
	print_line(out, "agent", work->agent->name);
	print_line(out, "position",
		   loom_arena_format(arena, "[%.*s] in \"%.*s\"", LOOM_STR_ARG(work->position),
				     LOOM_STR_ARG(work->tree.title)));
	for (size_t i = 0; i < work->pin_count; i++)
		print_line(out, i ? "" : "pinned", work->pins[i]);
	for (size_t i = 0; i < work->stash_count; i++)
		print_line(out, i ? "" : "stashed",
			   loom_arena_format(arena, "\"%.*s\"%s",
					     LOOM_STR_ARG(work->stashes[i].label),
					     work->stashes[i].recalled ? " (recalled)" : ""));
	if (work->rows)
		loom_out_textf(out, "%-11s %lld row%s\n", "log", (long long)work->rows,
			       work->rows == 1 ? "" : "s");
	for (size_t i = 0; i < work->last_count; i++)
		loom_out_textf(out, "  %.*s\n", LOOM_STR_ARG(work->lines[i]));
}

static void print_shown(struct loom_out *out, const struct shown *shown, struct loom_arena *arena)
{
	const struct loom_leslie_thread *thread = &shown->thread;

	loom_out_textf(out, "%.*s\n", LOOM_STR_ARG(thread->id));
	print_line(out, "title", thread->title);
	print_line(out, "objective", thread->objective);
	print_line(out, "status", tool_leslie_status(thread));
	print_line(out, "parent", thread->parent_id);
	print_line(out, "executor", thread->executor);
	print_line(out, "created", thread->created_at);
	print_line(out, "updated", thread->updated_at);
	print_line(out, "path", thread->path);
	for (size_t i = 0; i < thread->child_count; i++)
		print_line(out, i ? "" : "children", thread->children[i]);
	for (size_t i = 0; i < thread->reference_count; i++)
		loom_out_textf(out, "%-11s %.*s (%s%s)\n", i ? "" : "references",
			       LOOM_STR_ARG(thread->references[i].thread),
			       binding_of(&thread->references[i]),
			       thread->references[i].broken ? ", broken" : "");
	for (size_t i = 0; i < thread->referenced_by_count; i++)
		print_line(out, i ? "" : "read by", thread->referenced_by[i]);
	for (size_t i = 0; i < shown->assets.count; i++)
		print_line(out, i ? "" : "assets", shown->assets.items[i].path);
	print_work(out, &shown->work, arena);
}

static enum loom_status read_shown(struct tool_leslie *call, struct shown *shown,
				   struct loom_leslie_warnings *warnings)
{
	struct loom_arena *arena = call->cli->arena;
	struct loom_str id = {NULL, 0};
	const struct args_of_thread_show *args = args_of_thread_show(call->cli);
	enum loom_status status =
		tool_leslie_pick(call, args->thread, args->thread_word, "THREAD", &id);

	if (status == LOOM_OK)
		status = loom_leslie_thread(call->leslie, id, arena, &shown->thread, &call->err);
	if (status == LOOM_OK)
		status = loom_leslie_assets(call->leslie, id, arena, &shown->assets, &call->err);
	for (size_t i = 0; status == LOOM_OK && i < shown->thread.reference_count; i++)
		if (shown->thread.references[i].broken)
			loom_leslie_warn_broken(arena, warnings,
						shown->thread.references[i].thread);
	return status == LOOM_OK ? read_work(call, id, &shown->work, &call->err.err) : status;
}

static enum loom_status show(struct tool_leslie *call)
{
	struct loom_leslie_warnings warnings = {0};
	struct shown shown = {.assets = {0}};
	enum loom_status status = read_shown(call, &shown, &warnings);

	if (status != LOOM_OK)
		return status;
	tool_leslie_warn(call, &warnings);
	if (call->cli->json)
		put_shown(call, &shown, &warnings);
	else
		print_shown(call->cli->out, &shown, call->cli->arena);
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_show(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run_in(cli, show, err);
}
