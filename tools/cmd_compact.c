/* `loom thread compact`: a summary takes the place of a thread's oldest messages; the log keeps
 * them. Without a text of somebody's own it is the first sentence of each, and says so. */
#include "cli_impl.h"

#include <loom/run.h>
#include <loom/show.h>
#include <loom/thread_log.h>

#include "bound_impl.h"
#include "unheard_impl.h"

#define KEEP_DEFAULT 4

struct compacting {
	struct tool_grove *grove;
	struct loom_thread thread;
	struct loom_run *run;
	size_t gone;
	struct loom_run_result result;
	struct loom_str why;
};

/* What was said below the block that a message may begin with: the next one carries a new block. */
static struct loom_str below_block(struct loom_str text)
{
	static const struct loom_str end = LOOM_STR_INIT("</thread_context>\n\n");
	size_t at = loom_str_starts(text, LOOM_STR("<thread_context "))
			    ? loom_str_find(text, end, 0)
			    : SIZE_MAX;

	return at == SIZE_MAX ? text : loom_str_sub(text, at + end.n, SIZE_MAX);
}

/* "- user: I go." */
static void add_line(const struct loom_entry *entry, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_entry_text(entry, &text);
	if (text.n) {
		loom_buf_addf(out, "- %s: ", entry->role == LOOM_ROLE_ASSISTANT ? "you" : "user");
		loom_show_sentence(below_block(loom_buf_str(&text)), out);
		loom_buf_addc(out, '\n');
	}
	loom_buf_fini(&text);
}

static struct loom_str summary_of(struct compacting *compacting, const struct loom_context *context)
{
	struct loom_str given = loom_args_str(compacting->grove->cli->args, "--summary");
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	if (given.p)
		return given;
	loom_buf_addf(&text, "Summary of the %zu messages before (extract):\n", compacting->gone);
	for (size_t i = 0; i < compacting->gone; i++)
		add_line(&context->entries[i], &text);
	loom_buf_cut(&text, text.n - 1);
	out = loom_arena_buf(compacting->grove->arena, &text);
	loom_buf_fini(&text);
	return out;
}

static enum loom_status compact(struct compacting *compacting, struct loom_err *err)
{
	const int64_t keep = loom_args_number(compacting->grove->cli->args, "--keep", KEEP_DEFAULT);
	struct loom_run_state state;
	struct loom_compaction order = {.meta = LOOM_STR("{}")};
	enum loom_status status = loom_run_look(compacting->run, &state, err);

	if (status != LOOM_OK)
		return status;
	if ((int64_t)state.context->count <= keep)
		return loom_fail(err, LOOM_REFUSED, "there are only %zu messages in it",
				 state.context->count);
	compacting->gone = state.context->count - (size_t)keep;
	order.through_seq = state.context->entries[compacting->gone - 1].seq;
	order.summary = summary_of(compacting, state.context);
	if (!loom_args_has(compacting->grove->cli->args, "--summary"))
		order.meta = LOOM_STR("{\"extract\":true}");
	status = loom_run_compact(compacting->run, &order, &compacting->result, err);
	if (status == LOOM_OK && compacting->result.why)
		return loom_fail(err, LOOM_REFUSED, "not compacted: %s", compacting->result.why);
	return status;
}

static enum loom_status work_compact(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct compacting *compacting = ctx;
	struct loom_log log;
	const struct tool_run_place place = {.store = store,
					     .thread = &compacting->thread,
					     .log = &log};
	struct loom_thread_log *keeper = NULL;
	enum loom_status status =
		loom_thread_log_open(store, compacting->thread.id, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = tool_run_open(&place, &compacting->run, err);
	if (status == LOOM_OK)
		status = compact(compacting, err);
	loom_run_close(compacting->run);
	loom_thread_log_close(keeper);
	return status;
}

static enum loom_status find_thread(struct compacting *compacting, struct loom_err *err)
{
	struct tool_grove *grove = compacting->grove;
	struct loom_str thread = loom_args_str(grove->cli->args, "--thread");
	struct loom_str name = loom_args_str(grove->cli->args, "--agent");
	struct loom_agent agent = grove->actor;
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (thread.p)
		return tool_grove_thread(grove, thread, NULL, &compacting->thread, err);
	if (name.p)
		status = loom_agent_find(grove->store, name, grove->arena, &agent, err);
	if (status == LOOM_OK)
		status = tool_grove_tree(grove, loom_str_make(NULL, 0), &tree, err);
	return status == LOOM_OK ? loom_thread_implicit(grove->store, agent.id, tree.id,
							grove->arena, &compacting->thread, err)
				 : status;
}

static enum loom_status run_compact(struct tool_grove *grove, struct loom_err *err)
{
	struct compacting compacting = {.grove = grove};
	struct tool_work work = {.what = "compacting",
				 .access = LOOM_WRITE,
				 .run = work_compact,
				 .ctx = &compacting};
	struct loom_json *json = NULL;
	const char *word = NULL;
	enum loom_status status = find_thread(&compacting, err);

	if (status == LOOM_OK)
		status = tool_grove_work(grove, &work, err);
	if (status != LOOM_OK)
		return status;
	word = loom_answer_word(compacting.result.answer);
	tool_say_done(grove, "%zu message%s of %.*s summed up: %s", compacting.gone,
		      compacting.gone == 1 ? "" : "s", LOOM_STR_ARG(compacting.thread.name), word);
	if (!grove->cli->json)
		return LOOM_OK;
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_put(json, "result", loom_str_of(word));
	loom_json_put_int(json, "messages", (int64_t)compacting.gone);
	loom_json_put(json, "thread", compacting.thread.name);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_thread_compact(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.what = "compact a thread"};

	return tool_grove_run(cli, &need, run_compact, err);
}
