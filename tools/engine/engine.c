/* The engine: the order of refusals, one transaction per call, one operation per batch, records of
 * what was done. The verb_*.c files know what a verb does; this file knows verbs only by name.
 *
 * A call that fails is rolled back whole. Its record is written in the call's own transaction, if
 * it has one, so a change and the memory of it are committed together. */
#include <loom/engine/handlers.h>

#include <loom/language/registry.h>
#include <loom/language/parse.h>
#include <loom/text/quoting.h>
#include <loom/tree/job.h>
#include <loom/tree/request.h>
#include <loom/engine/summary_prompt.h>

/* Handler and way of each verb, from verbs.def. */
static const struct {
	engine_handler *handler;
	enum engine_way way;
} verbs[LOOM_VERB_COUNT] = {
#define LOOM_VERB(id, name, deed, change, ...)                                                     \
	[LOOM_VERB_##id] = {engine_verb_##name, ENGINE_##change},
#include <loom/verbs.def>
};

/* ---- refusals before looking at anything ---- */

/* The hint's word for what a person could do instead. */
static const char *deed_of(enum loom_verb verb)
{
	return verb == LOOM_VERB_CONTINUE ? "generate" : loom_verb_name(verb);
}

/* Whether an agent needs leave for this call although it may do such things. */
static bool must_ask(const struct loom_engine *engine, const struct loom_call *call)
{
	return call->asks && !engine->human;
}

/* Fills *err for a call that waits for a person, with the reason if the agent may do such things
 * otherwise. */
static enum loom_status ask_first(const struct loom_engine *engine, const struct loom_call *call,
				  struct loom_err *err)
{
	const struct loom_str proposal = loom_buf_str(&engine->proposal);
	struct loom_err asked = {.status = LOOM_OK};
	const enum loom_status status = loom_gate_asked(proposal, &asked);

	*err = asked;
	if (!call->asks)
		return status;
	loom_fail(err, status, "not done: %s, so a person has to approve it",
		  engine->note.n ? "the line was only guessed to mean this"
				 : "the line stands in what you were given to read");
	return loom_hint(err, status, "%s", asked.hint);
}

/* Lets the call pass, or reports what the person who was asked has answered. */
static enum loom_status pass_gate(const struct loom_engine *engine, const struct loom_call *call,
				  bool *proposed, struct loom_err *err)
{
	const struct loom_need need = loom_call_need(call);
	const enum loom_gate gate = loom_gate(&engine->who, &need, deed_of(call->verb), err);

	if (gate == LOOM_GATE_REFUSE)
		return err->status;
	if ((gate == LOOM_GATE_RUN && !must_ask(engine, call)) || engine->leave == LOOM_LEAVE_GIVEN)
		return LOOM_OK;
	if (engine->leave == LOOM_LEAVE_REFUSED) {
		loom_fail(err, LOOM_PERMISSION, "the human refused it");
		return loom_hint(err, LOOM_PERMISSION, "go on without it, or ask what to do");
	}
	*proposed = true;
	return ask_first(engine, call, err);
}

void loom_engine_leave(struct loom_engine *engine, enum loom_leave leave, struct loom_str proposal)
{
	engine->leave = leave;
	loom_buf_clear(&engine->proposal);
	loom_buf_add(&engine->proposal, proposal);
}

static enum loom_status check_limits(const struct loom_call *call, struct loom_err *err)
{
	if (!call->past_limit)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "max calls per turn is %d", LOOM_CALLS_MAX);
	return loom_hint(err, LOOM_LIMIT, "make it in the next turn");
}

/* ---- one call ---- */

struct loom_str loom_engine_agent(const struct loom_engine *engine)
{
	return engine->agent.name;
}

bool loom_engine_wants_leave(const struct loom_engine *engine, const struct loom_call *call)
{
	const struct loom_need need = loom_call_need(call);

	const enum loom_gate gate = loom_gate(&engine->who, &need, NULL, NULL);

	return check_limits(call, NULL) == LOOM_OK &&
	       (gate == LOOM_GATE_ASK || (gate == LOOM_GATE_RUN && must_ask(engine, call)));
}

void engine_say(struct engine_run *run, const char *format, ...)
{
	struct loom_buf *text = &run->text;
	va_list args;

	loom_buf_clear(text);
	va_start(args, format);
	loom_buf_addfv(text, format, args);
	va_end(args);
}

static enum loom_status run_reading(struct engine_run *run, engine_handler *handler,
				    struct loom_err *err)
{
	enum loom_status status = loom_store_view(run->store, err);

	if (status != LOOM_OK)
		return status;
	status = handler(run, err);
	loom_store_unview(run->store);
	return status;
}

/* The implicit thread is created before the first call that changes something, in a write of its
 * own, so it exists whatever becomes of the call. */
static enum loom_status make_thread(struct engine_run *run, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct loom_thread thread;
	enum loom_status status = LOOM_OK;

	if (engine->thread.id || engine->opts.dry_run)
		return LOOM_OK;
	status = loom_quiet_begin(run->store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(run->store, engine->agent.id, engine->tree.id, engine->arena,
				    &thread, err);
	status = loom_quiet_end(run->store, status, err);
	if (status == LOOM_OK)
		engine->thread = run->thread = thread;
	return status;
}

enum loom_status engine_begin_write(struct engine_run *run, enum engine_way way,
				    struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct loom_op_spec spec = {.kind = loom_verb_name(run->call->verb),
				    .actor = engine->agent.id,
				    .tree = engine->tree.id,
				    .join = engine->op,
				    .inverse = run->inverse};
	enum loom_status status = make_thread(run, err);

	engine_unsent_name(run, &spec);
	spec.thread = engine->thread.id;
	if (status == LOOM_OK)
		status = way == ENGINE_MOVES ? loom_quiet_begin(run->store, err)
					     : loom_op_begin(run->store, &spec, err);
	run->writing = status == LOOM_OK;
	if (status == LOOM_OK && !run->thread.id)
		status = loom_thread_ensure(run->store, engine->agent.id, engine->tree.id,
					    run->arena, &run->thread, err);
	return status;
}

static enum loom_status run_writing(struct engine_run *run, engine_handler *handler,
				    enum engine_way way, struct loom_err *err)
{
	enum loom_status status = engine_begin_write(run, way, err);

	return status == LOOM_OK ? handler(run, err) : status;
}

static enum loom_status perform(struct engine_run *run, struct loom_err *err)
{
	engine_handler *handler = verbs[run->call->verb].handler;
	enum engine_way way = verbs[run->call->verb].way;
	enum loom_status status = LOOM_OK;

	if (way >= ENGINE_CHANGES)
		engine_unsent_begin(run);
	switch (way) {
	case ENGINE_READS:
		status = run_reading(run, handler, err);
		break;
	case ENGINE_MOVES:
	case ENGINE_CHANGES:
		status = run_writing(run, handler, way, err);
		break;
	case ENGINE_ALONE:
		status = handler(run, err);
		break;
	}
	return status;
}

/* ---- results ---- */

/* Whether a line of a list says how to see more of it. What others wrote stands on lines that begin
 * with an id, or are indented. */
static bool is_more(enum loom_verb verb, struct loom_str line)
{
	const size_t at = loom_str_find(line, LOOM_STR("… "), 0);

	if (verb == LOOM_VERB_TREE)
		return at != SIZE_MAX && !loom_str_starts(line, LOOM_STR(LOOM_SAYS_TREE));
	return at == 0 && (verb == LOOM_VERB_LIST || verb == LOOM_VERB_SEARCH);
}

/* Notes what of a result the program itself suggests to call. */
static void note_own(struct engine_run *run, const struct loom_err *err)
{
	struct loom_buf *own = &run->engine->own;
	struct loom_str rest = loom_buf_str(run->out);
	const struct loom_call *call = run->call;
	struct loom_str line;

	loom_buf_clear(own);
	if (err->status != LOOM_OK) {
		loom_buf_adds(own, err->hint);
		return;
	}
	LOOM_ASSERT(call);
	if (call->verb == LOOM_VERB_HELP ||
	    (call->verb == LOOM_VERB_MEMORY && call->what == LOOM_WHAT_TRACE))
		loom_buf_add(own, rest);
	while (rest.n && loom_str_line(&rest, &line))
		if (is_more(call->verb, line))
			loom_buf_addf(own, "%.*s\n", LOOM_STR_ARG(line));
}

/* Fills the result from the output, or from the error. */
static void write_result(struct engine_run *run, enum loom_status status,
			 const struct loom_err *err, struct loom_result *out)
{
	struct loom_engine *engine = run->engine;

	out->status = status;
	if (status != LOOM_OK) {
		if (!run->partial)
			loom_buf_clear(run->out);
		else
			loom_buf_addc(run->out, '\n');
		loom_show_err(err, run->out);
		out->err = *err;
	}
	if (run->out->bad != LOOM_OK) {
		loom_buf_clear(run->out);
		loom_buf_adds(run->out, "✗ LIMIT_EXCEEDED: the result is too large to show");
		out->status = LOOM_LIMIT;
	}
	note_own(run, err);
	loom_buf_clear(&engine->shown);
	loom_buf_add(&engine->shown, loom_buf_str(&engine->note));
	if (!engine_shorten(run, out->number, &engine->shown))
		loom_buf_add(&engine->shown, loom_buf_str(run->out));
	out->text = loom_buf_str(&engine->shown);
	out->whole = loom_buf_str(run->out);
	out->own = loom_buf_str(&engine->own);
	out->line = loom_buf_str(&engine->line);
	out->read_as = engine->note.n > 0;
}

void engine_show_quoted(struct engine_run *run, const struct loom_node *node)
{
	loom_show_quoted(node, run->out);
	if (loom_node_bare(node) && node->kind == LOOM_CONTINUATION &&
	    run->bare_count < ENGINE_BARE)
		run->bare[run->bare_count++] = node->id;
}

static enum loom_status queue_bare(struct engine_run *run, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < run->bare_count && status == LOOM_OK; i++)
		status = loom_summary_due(run->store, LOOM_JOB_NODE, run->bare[i], err);
	return status;
}

static enum loom_status record(struct engine_run *run, const struct loom_refusal *refusal,
			       const struct loom_result *result, struct loom_err *err)
{
	const struct loom_engine_log *log = run->engine->opts.log;
	struct loom_engine_record what = {.call = refusal ? NULL : run->call,
					  .refusal = refusal,
					  .result = result,
					  .thread = run->thread.id,
					  .tree = run->tree.id};

	return log && log->record ? log->record(log->ctx, run->store, &what, err) : LOOM_OK;
}

/* Keeps an error, or a call that changed nothing, in a write of its own. */
static enum loom_status record_apart(struct engine_run *run, const struct loom_refusal *refusal,
				     const struct loom_result *result, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	enum loom_status status = LOOM_OK;

	if (!engine->opts.log || !engine->opts.log->record || engine->opts.dry_run)
		return LOOM_OK;
	status = make_thread(run, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(run->store, err);
	if (status != LOOM_OK)
		return status;
	run->thread = engine->thread;
	run->tree = engine->tree;
	status = queue_bare(run, err);
	if (status == LOOM_OK)
		status = record(run, refusal, result, err);
	return loom_quiet_end(run->store, status, err);
}

/* Updates the engine's state after the commit. */
static void take_over(struct engine_run *run, int64_t op)
{
	struct loom_engine *engine = run->engine;

	engine->thread = run->thread;
	engine->tree = run->tree;
	if (run->lease)
		engine_turn_taken(engine, run->lease, run->lease_at);
	if (run->base.doc)
		engine_base_set(engine, run->base);
	if (!run->changed || !op)
		return;
	if (engine->op != op)
		engine->op_calls = 0;
	engine->op = op;
	if (!engine->op_calls) {
		loom_buf_clear(&engine->op_text);
		loom_buf_add(&engine->op_text, loom_buf_str(&run->text));
	}
	engine->op_calls++;
}

/* Whether to keep the transaction: it changed something and is not a dry run. */
static bool stays(const struct engine_run *run, const struct loom_result *out)
{
	return run->writing && !run->engine->opts.dry_run && (run->changed || run->moved) &&
	       (out->status == LOOM_OK || run->partial);
}

/* The line in the list of operations: the first call of a batch and how many followed. A joined
 * operation has described itself already. */
static void describe(struct engine_run *run)
{
	const struct loom_engine *engine = run->engine;

	if (engine->op && engine->op == engine->opts.join)
		loom_op_say(run->store, "%s", loom_buf_cstr(&engine->op_text));
	else if (engine->op_calls && engine->op)
		loom_op_say(run->store, "%s and %zu more", loom_buf_cstr(&engine->op_text),
			    engine->op_calls);
	else if (run->text.n)
		loom_op_say(run->store, "%s", loom_buf_cstr(&run->text));
}

/* Ends the call's transaction. */
static enum loom_status settle_write(struct engine_run *run, struct loom_result *out,
				     struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	int64_t op = 0;

	if (!stays(run, out)) {
		loom_op_rollback(run->store);
		return LOOM_OK;
	}
	out->op = run->changed ? loom_op_current(run->store) : 0;
	out->moved = run->moved;
	if (run->changed)
		describe(run);
	status = record(run, NULL, out, err);
	status = loom_op_end(run->store, status, &op, err);
	if (status == LOOM_OK)
		take_over(run, run->changed ? op : 0);
	else
		out->op = out->moved = 0;
	return status;
}

static void keep_result(struct loom_engine *engine, const struct loom_result *out)
{
	struct loom_result *kept = NULL;

	engine->kept = loom_arena_grow(engine->turn, engine->kept, engine->kept_count,
				       &engine->kept_cap, sizeof *kept);
	kept = &engine->kept[engine->kept_count++];
	*kept = *out;
	kept->line = loom_arena_str(engine->turn, out->line);
	kept->whole = loom_arena_str(engine->turn, out->whole);
	kept->text = kept->whole;
}

/* Translates refusals from below into the language's own codes. Trouble with the machine keeps its
 * code, because no other wording of the call would help. */
static enum loom_status in_language(enum loom_status status, struct loom_err *err)
{
	static const struct {
		enum loom_status said;
		enum loom_status meant;
	} codes[] = {
		{LOOM_INVALID, LOOM_SYNTAX},
		{LOOM_PATH, LOOM_PERMISSION},
		{LOOM_REFUSED, LOOM_CONFLICT},
	};

	for (size_t i = 0; i < LOOM_COUNT(codes); i++)
		if (status == codes[i].said)
			status = err->status = codes[i].meant;
	return status;
}

/* Turns the handler's outcome into a result that is durable, displayed and remembered. */
static void settle(struct engine_run *run, enum loom_status status, struct loom_err *err,
		   struct loom_result *out)
{
	struct loom_engine *engine = run->engine;
	const bool failed = status != LOOM_OK;
	bool recorded = false;

	if (status == LOOM_CONFLICT && engine_unsent_is_in(run)) {
		status = LOOM_OK;
		loom_err_clear(err);
	}
	status = in_language(status, err);
	out->number = ++engine->results;
	if (status == LOOM_OK && engine->opts.dry_run &&
	    loom_verb_info(run->call->verb)->deed != LOOM_DEED_LOOKS)
		loom_buf_adds(run->out, "\n  dry run: nothing was done");
	write_result(run, status, err, out);
	out->doc = status == LOOM_OK ? run->base.doc : 0;
	out->head = status == LOOM_OK ? run->base.head : 0;
	recorded = stays(run, out);
	if (run->writing) {
		status = settle_write(run, out, err);
		if (status != LOOM_OK) {
			recorded = run->partial = false;
			out->doc = out->head = 0;
			write_result(run, status, err, out);
		}
	} else {
		out->op = run->changed ? run->op : 0;
	}
	if (run->intended && failed)
		loom_request_forget_here(run->store);
	if (!recorded && record_apart(run, NULL, out, err) != LOOM_OK)
		write_result(run, err->status, err, out);
	if (out->status == LOOM_OFFLINE && engine_keep_unsent(run, err))
		write_result(run, err->status, err, out);
	else if (out->status == LOOM_OK)
		engine_unsent_drop(run);
	loom_buf_clear(&engine->note);
	keep_result(engine, out);
	if (run->moved && out->status == LOOM_OK && !engine->works_at)
		engine_presence(engine, "reading");
	loom_buf_fini(&run->text);
}

void engine_begin_run(struct loom_engine *engine, const struct loom_call *call,
		      struct engine_run *run)
{
	*run = (struct engine_run){.engine = engine,
				   .store = engine->store,
				   .arena = engine->scratch,
				   .show = &engine->show,
				   .call = call,
				   .out = &engine->out,
				   .text = LOOM_BUF_INIT(4096),
				   .inverse = ""};
	loom_buf_clear(&engine->out);
	run->thread = engine->thread;
	run->tree = engine->tree;
}

/* A model repeats a text as it was shown to it, with its quoting; undo that. A person's words stay
 * as they are. */
static const struct loom_call *as_said(struct loom_engine *engine, const struct loom_call *call)
{
	struct loom_call *said = NULL;

	if (engine->human)
		return call;
	said = LOOM_ARENA_NEW(engine->turn, struct loom_call);
	*said = *call;
	said->content = loom_body_plain(call->content, LOOM_BELOW_HEADERS, engine->turn);
	said->after = loom_body_plain(call->after, LOOM_BELOW_HEADERS, engine->turn);
	return said;
}

static void begin_call(struct loom_engine *engine, const struct loom_call *call,
		       struct engine_run *run, struct loom_result *out)
{
	*out = (struct loom_result){.status = LOOM_OK};
	loom_arena_reset(engine->scratch);
	engine->show.arena = engine->scratch;
	engine->show.now = loom_env_now(loom_store_env(engine->store));
	if (engine->batch != call->batch)
		engine_batch_close(engine);
	engine->batch = call->batch;
	loom_buf_clear(&engine->line);
	call = loom_engine_placed(engine, call, engine->turn);
	engine_line(call, &engine->line);
	engine_begin_run(engine, as_said(engine, call), run);
}

/* Keeps the call until a model has answered. */
static enum loom_engine_next hold(const struct engine_run *run)
{
	struct loom_engine *engine = run->engine;

	engine->held = LOOM_ARENA_NEW(engine->scratch, struct engine_run);
	*engine->held = *run;
	return LOOM_ENGINE_SUM_UP;
}

enum loom_engine_next loom_engine_call(struct loom_engine *engine, const struct loom_call *call,
				       struct loom_result *out)
{
	struct engine_run run;
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	begin_call(engine, call, &run, out);
	status = check_limits(call, &err);
	if (status == LOOM_OK)
		status = pass_gate(engine, call, &out->proposed, &err);
	if (status == LOOM_OK && engine->sums)
		engine->question = engine_stash_question(&run);
	if (engine->question.n)
		return hold(&run);
	if (status == LOOM_OK)
		status = perform(&run, &err);
	if (status == LOOM_OK && engine->generation.active) {
		loom_buf_fini(&run.text);
		return LOOM_ENGINE_GENERATE;
	}
	/* Only results of looking are summarised; a write is committed at once. */
	if (status == LOOM_OK && engine->sums && !run.writing && engine_is_long(&run))
		return hold(&run);
	settle(&run, status, &err, out);
	return LOOM_ENGINE_DONE;
}

void loom_engine_sums(struct loom_engine *engine, bool sums)
{
	engine->sums = sums && !engine->opts.dry_run;
}

struct loom_str loom_engine_long(struct loom_engine *engine, struct loom_arena *arena,
				 int64_t *out_tokens)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	*out_tokens = engine->question.n ? LOOM_SUMMARY_PATH_TOKENS : LOOM_SUMMARY_TOKENS;
	if (engine->question.n)
		return loom_arena_str(arena, engine->question);
	loom_summary_message(engine->tree.title, loom_buf_str(&engine->line),
			     loom_buf_str(&engine->out), &text);
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

void loom_engine_summed(struct loom_engine *engine, struct loom_str summary,
			struct loom_result *out)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	*out = (struct loom_result){.status = LOOM_OK};
	engine->summary = summary;
	if (engine->question.n)
		status = perform(engine->held, &err);
	engine->question = LOOM_STR("");
	settle(engine->held, status, &err, out);
	engine->summary = (struct loom_str){NULL, 0};
	engine->held = NULL;
}

void loom_engine_refuse(struct loom_engine *engine, const struct loom_refusal *refusal,
			struct loom_result *out)
{
	struct engine_run run;
	struct loom_err err = {.status = LOOM_OK};

	*out = (struct loom_result){.status = refusal->status};
	loom_arena_reset(engine->scratch);
	engine_batch_close(engine);
	loom_buf_clear(&engine->line);
	engine_line_text(refusal->text, &engine->line);
	engine_begin_run(engine, NULL, &run);
	loom_refusal_err(refusal, &err);
	out->number = ++engine->results;
	write_result(&run, err.status, &err, out);
	if (record_apart(&run, refusal, out, &err) != LOOM_OK)
		write_result(&run, err.status, &err, out);
	keep_result(engine, out);
	loom_buf_fini(&run.text);
}

void loom_engine_read_as(struct loom_engine *engine, const struct loom_call *call)
{
	loom_buf_clear(&engine->note);
	loom_buf_adds(&engine->note, LOOM_SAYS_READ_AS);
	loom_call_print(call, &engine->note);
	loom_buf_adds(&engine->note, ")\n");
}

/* ---- generations ---- */

const struct loom_engine_ask *loom_engine_asks(const struct loom_engine *engine, size_t *out_count)
{
	*out_count = engine->generation.ask_count;
	return engine->generation.asks;
}

size_t loom_engine_voices(const struct loom_engine *engine)
{
	return engine->generation.voice_count;
}

size_t loom_engine_choices(const struct loom_engine *engine)
{
	return engine->generation.choice_count;
}

const char *loom_engine_choice(const struct loom_engine *engine, size_t choice)
{
	return engine->generation.names[choice];
}

enum loom_engine_next loom_engine_generated(struct loom_engine *engine,
					    const struct loom_generated *choices,
					    const struct loom_err *why, struct loom_result *out)
{
	struct engine_generation *now = &engine->generation;
	struct engine_run run;
	struct loom_err err = {.status = LOOM_OK};
	bool deeper = false;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_result){.status = LOOM_OK};
	loom_arena_reset(engine->scratch);
	engine->show.arena = engine->scratch;
	engine_begin_run(engine, now->call, &run);
	if (choices)
		engine_continue_usage(now, choices, &now->usage);
	status = engine_continue_end(&run, choices, why, &deeper, &err);
	if (deeper) {
		loom_buf_fini(&run.text);
		return LOOM_ENGINE_GENERATE;
	}
	out->usage = now->usage;
	settle(&run, status, &err, out);
	engine_continue_forget(engine);
	return LOOM_ENGINE_DONE;
}

enum loom_status loom_engine_stand(struct loom_engine *engine, struct loom_str node,
				   struct loom_err *err)
{
	struct loom_call call = loom_call_of(LOOM_VERB_SWITCH);
	struct loom_node row;
	struct engine_run run;
	enum loom_status status = LOOM_OK;

	call.id = node;
	loom_arena_reset(engine->scratch);
	engine->show.arena = engine->scratch;
	engine_begin_run(engine, &call, &run);
	status = engine_find_story(&run, node, &row, err);
	if (status == LOOM_OK)
		status = engine_begin_write(&run, ENGINE_MOVES, err);
	if (status == LOOM_OK)
		status = engine_move(&run, &row, err);
	if (run.writing && engine->opts.dry_run)
		loom_op_rollback(engine->store);
	else if (run.writing)
		status = loom_quiet_end(engine->store, status, err);
	if (status == LOOM_OK && engine->opts.dry_run)
		engine->dry_position = row.id;
	else if (status == LOOM_OK)
		take_over(&run, 0);
	loom_buf_fini(&run.text);
	return status;
}
