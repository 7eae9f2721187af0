/* `loom thread load`, `context`, `assets`, `parse`: writing and parsing the `<thread_context>`
 * block. */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define MESSAGE_MAX ((size_t)8 << 20)

void threads_leslie_answer_assets(struct loom_cli *cli, const char *key,
				  const struct loom_asset_list *list, bool where)
{
	loom_answer_list(cli, key);
	for (size_t i = 0; i < list->count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "type",
				 loom_str_of(loom_asset_type_name(list->items[i].type)));
		loom_answer_text(cli, "path", list->items[i].path);
		if (where)
			loom_answer_text(cli, "read_path", list->items[i].read_path);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void describe_files(struct loom_cli *cli, const struct loom_thread_context *context,
			   bool where)
{
	threads_leslie_answer_assets(cli, "assets", &context->assets, where);
	loom_answer_list(cli, "refs");
	for (size_t i = 0; i < context->ref_count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "thread", context->refs[i].thread);
		threads_leslie_answer_assets(cli, "assets", &context->refs[i].assets, where);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

/* ---- load, context ---- */

static void answer_context(struct loom_cli *cli, const struct loom_thread_context *context,
			   struct loom_str input, struct loom_str block)
{
	struct loom_buf message = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_answer_text(cli, "thread_context", block);
	loom_answer_text(cli, "thread", context->thread);
	loom_answer_text(cli, "objective", context->objective);
	describe_files(cli, context, true);
	if (input.p) {
		loom_thread_context_message(block, input, &message);
		loom_answer_text(cli, "message", loom_buf_str(&message));
	} else {
		loom_buf_add(&message, block);
		loom_buf_addc(&message, '\n');
	}
	loom_answer_untouched(cli, loom_buf_str(&message));
	loom_buf_fini(&message);
}

/* The arguments of both. */
struct asked {
	struct loom_str thread;
	struct loom_str thread_word;
	struct loom_str input;
	enum loom_context_mode mode;
	bool load; /* the thread resumes; otherwise the block is only shown */
};

static enum loom_status tell(struct threads_leslie *call, const struct asked *asked)
{
	struct loom_thread_context context;
	struct loom_leslie_warnings warnings = {0};
	struct loom_buf block = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str id = {NULL, 0};
	enum loom_status status =
		threads_leslie_pick(call, asked->thread, asked->thread_word, "THREAD", &id);

	if (status == LOOM_OK && asked->load)
		status = threads_leslie_own(call, id);
	if (status == LOOM_OK)
		status = loom_leslie_context(call->leslie, id, asked->mode, call->cli->arena,
					     &context, &warnings, &call->err);
	if (status == LOOM_OK)
		status = loom_thread_context_emit(&context, &block, &call->err.err);
	if (status == LOOM_OK) {
		threads_leslie_warn_of(call, id, &warnings, asked->load);
		answer_context(call->cli, &context, asked->input, loom_buf_str(&block));
		threads_leslie_answer_warnings(call->cli, &warnings);
	}
	loom_buf_fini(&block);
	return status;
}

static enum loom_status load(struct threads_leslie *call)
{
	const struct args_of_thread_load *args = args_of_thread_load(call->cli);

	return tell(call, &(struct asked){args->thread, args->thread_word, args->input,
					  LOOM_CONTEXT_LOAD, true});
}

enum loom_status cmd_thread_load(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, load, err);
}

static enum loom_status context_now(struct threads_leslie *call)
{
	const struct args_of_thread_context *args = args_of_thread_context(call->cli);
	enum loom_context_mode mode = LOOM_CONTEXT_LOAD;

	if (args->mode.p && !loom_context_mode_parse(args->mode, &mode))
		return threads_leslie_misused(call, "--mode is spawn, load or reinject");
	return tell(call,
		    &(struct asked){args->thread, args->thread_word, args->input, mode, false});
}

enum loom_status cmd_thread_context(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, context_now, err);
}

/* ---- assets ---- */

static enum loom_status assets(struct threads_leslie *call)
{
	struct loom_cli *cli = call->cli;
	struct loom_asset_list list = {0};
	struct loom_str id = {NULL, 0};
	const struct args_of_thread_assets *args = args_of_thread_assets(cli);
	enum loom_status status =
		threads_leslie_pick(call, args->thread, args->thread_word, "THREAD", &id);

	if (status == LOOM_OK)
		status = loom_leslie_assets(call->leslie, id, cli->arena, &list, &call->err);
	if (status != LOOM_OK)
		return status;
	threads_leslie_answer_assets(cli, NULL, &list, false);
	for (size_t i = 0; i < list.count; i++)
		loom_answer_line(cli, "%-10s %.*s", loom_asset_type_name(list.items[i].type),
				 LOOM_STR_ARG(list.items[i].path));
	return LOOM_OK;
}

enum loom_status cmd_thread_assets(struct loom_cli *cli, struct loom_err *err)
{
	return threads_leslie_run(cli, assets, err);
}

/* ---- parse ---- */

static void text_or_null(struct loom_cli *cli, const char *key, struct loom_str text)
{
	if (text.p)
		loom_answer_text(cli, key, text);
	else
		loom_answer_null(cli, key);
}

static void describe_parsed(struct loom_cli *cli, const struct loom_thread_context *context,
			    const struct loom_context_problems *problems)
{
	loom_answer_as_json(cli);
	text_or_null(cli, "thread", context->thread);
	text_or_null(cli, "objective", context->objective);
	text_or_null(cli, "relations_file", context->relations_file);
	describe_files(cli, context, false);
	loom_answer_list(cli, "problems");
	for (size_t i = 0; i < problems->count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_number(cli, "line", (int64_t)problems->items[i].line);
		loom_answer_text(cli, "message", problems->items[i].message);
		loom_answer_end(cli);
	}
}

enum loom_status cmd_thread_parse(struct loom_cli *cli, struct loom_err *err)
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
		describe_parsed(cli, &context, &problems);
		cli->found = problems.count > 0;
	}
	loom_buf_fini(&text);
	return status;
}
