/* `loom thread load`, `context`, `assets`, `parse`: what a thread is told, and what others tell. */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define MESSAGE_MAX ((size_t)8 << 20)

void tool_leslie_put_assets(struct loom_json *json, const struct loom_asset_list *list, bool where)
{
	loom_json_key(json, "assets");
	loom_json_array(json);
	for (size_t i = 0; i < list->count; i++) {
		loom_json_object(json);
		loom_json_put(json, "type", loom_str_of(loom_asset_type_name(list->items[i].type)));
		loom_json_put(json, "path", list->items[i].path);
		if (where)
			loom_json_put(json, "read_path", list->items[i].read_path);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void put_refs(struct loom_json *json, const struct loom_thread_context *context, bool where)
{
	loom_json_key(json, "refs");
	loom_json_array(json);
	for (size_t i = 0; i < context->ref_count; i++) {
		loom_json_object(json);
		loom_json_put(json, "thread", context->refs[i].thread);
		tool_leslie_put_assets(json, &context->refs[i].assets, where);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

/* ---- load, context ---- */

static void put_context(struct tool_leslie *call, const struct loom_thread_context *context,
			struct loom_str input, struct loom_str block,
			const struct loom_leslie_warnings *warnings)
{
	struct loom_buf message = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json *json = loom_out_json_begin(call->cli->out);

	loom_json_object(json);
	loom_json_put(json, "thread_context", block);
	loom_json_put(json, "thread", context->thread);
	loom_json_put(json, "objective", context->objective);
	tool_leslie_put_assets(json, &context->assets, true);
	put_refs(json, context, true);
	if (input.p) {
		loom_thread_context_message(block, input, &message);
		loom_json_put(json, "message", loom_buf_str(&message));
	}
	tool_leslie_put_warnings(json, warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
	loom_buf_fini(&message);
}

static void print_context(struct tool_leslie *call, struct loom_str input, struct loom_str block)
{
	struct loom_buf message = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (input.p) {
		loom_thread_context_message(block, input, &message);
	} else {
		loom_buf_add(&message, block);
		loom_buf_addc(&message, '\n');
	}
	loom_out_data(call->cli->out, loom_buf_str(&message));
	loom_buf_fini(&message);
}

/* What both take. */
struct asked {
	struct loom_str thread;
	struct loom_str thread_word;
	struct loom_str input;
	enum loom_context_mode mode;
	bool load; /* the thread is taken up again; else it is only looked at */
};

static enum loom_status tell(struct tool_leslie *call, const struct asked *asked)
{
	struct loom_thread_context context;
	struct loom_leslie_warnings warnings = {0};
	struct loom_buf block = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str id = {NULL, 0};
	enum loom_status status =
		tool_leslie_pick(call, asked->thread, asked->thread_word, "THREAD", &id);

	if (status == LOOM_OK && asked->load)
		status = tool_leslie_own(call, id);
	if (status == LOOM_OK)
		status = loom_leslie_context(call->leslie, id, asked->mode, call->cli->arena,
					     &context, &warnings, &call->err);
	if (status == LOOM_OK)
		status = loom_thread_context_emit(&context, &block, &call->err.err);
	if (status == LOOM_OK) {
		tool_leslie_warn_of(call, id, &warnings, asked->load);
		if (call->cli->json)
			put_context(call, &context, asked->input, loom_buf_str(&block), &warnings);
		else
			print_context(call, asked->input, loom_buf_str(&block));
	}
	loom_buf_fini(&block);
	return status;
}

static enum loom_status load(struct tool_leslie *call)
{
	const struct args_of_thread_load *args = args_of_thread_load(call->cli);

	return tell(call, &(struct asked){args->thread, args->thread_word, args->input,
					  LOOM_CONTEXT_LOAD, true});
}

enum loom_status tool_cmd_thread_load(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, load, err);
}

static enum loom_status context_now(struct tool_leslie *call)
{
	const struct args_of_thread_context *args = args_of_thread_context(call->cli);
	enum loom_context_mode mode = LOOM_CONTEXT_LOAD;

	if (args->mode.p && !loom_context_mode_parse(args->mode, &mode))
		return tool_leslie_misused(call, "--mode is spawn, load or reinject");
	return tell(call,
		    &(struct asked){args->thread, args->thread_word, args->input, mode, false});
}

enum loom_status tool_cmd_thread_context(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, context_now, err);
}

/* ---- assets ---- */

static enum loom_status assets(struct tool_leslie *call)
{
	struct loom_out *out = call->cli->out;
	struct loom_asset_list list = {0};
	struct loom_str id = {NULL, 0};
	const struct args_of_thread_assets *args = args_of_thread_assets(call->cli);
	enum loom_status status =
		tool_leslie_pick(call, args->thread, args->thread_word, "THREAD", &id);

	if (status == LOOM_OK)
		status = loom_leslie_assets(call->leslie, id, call->cli->arena, &list, &call->err);
	if (status != LOOM_OK)
		return status;
	if (call->cli->json) {
		struct loom_json *json = loom_out_json_begin(out);

		loom_json_array(json);
		for (size_t i = 0; i < list.count; i++) {
			loom_json_object(json);
			loom_json_put(json, "type",
				      loom_str_of(loom_asset_type_name(list.items[i].type)));
			loom_json_put(json, "path", list.items[i].path);
			loom_json_end_object(json);
		}
		loom_json_end_array(json);
		loom_out_json_end(out);
		return LOOM_OK;
	}
	for (size_t i = 0; i < list.count; i++)
		loom_out_textf(out, "%-10s %.*s\n", loom_asset_type_name(list.items[i].type),
			       LOOM_STR_ARG(list.items[i].path));
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_assets(struct loom_cli *cli, struct loom_err *err)
{
	return tool_leslie_run(cli, assets, err);
}

/* ---- parse ---- */

static void put_or_null(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.p)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

static void put_parsed(struct loom_out *out, const struct loom_thread_context *context,
		       const struct loom_context_problems *problems)
{
	struct loom_json *json = loom_out_json_begin(out);

	loom_json_object(json);
	put_or_null(json, "thread", context->thread);
	put_or_null(json, "objective", context->objective);
	put_or_null(json, "relations_file", context->relations_file);
	tool_leslie_put_assets(json, &context->assets, false);
	put_refs(json, context, false);
	loom_json_key(json, "problems");
	loom_json_array(json);
	for (size_t i = 0; i < problems->count; i++) {
		loom_json_object(json);
		loom_json_put_int(json, "line", (int64_t)problems->items[i].line);
		loom_json_put(json, "message", problems->items[i].message);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(out);
}

enum loom_status tool_cmd_thread_parse(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread_context context;
	struct loom_context_problems problems;
	enum loom_status status =
		loom_cli_read(cli, args_of_thread_parse(cli)->file.p, MESSAGE_MAX, &text, err);

	if (status == LOOM_OK)
		status = loom_thread_context_parse(loom_buf_str(&text), cli->arena, &context,
						   &problems, err);
	if (status == LOOM_OK) {
		put_parsed(cli->out, &context, &problems);
		cli->found = problems.count > 0;
	}
	loom_buf_fini(&text);
	return status;
}
