/* Prints a chat on a terminal, or as one JSON event per line:
 *
 *     {"event":"turn","thread","seq"}
 *     {"event":"state","state"}
 *     {"event":"text","text"}
 *     {"event":"warning","text"}
 *     {"event":"message","seq"}
 *     {"event":"call","cmd","params","line","said","status","code","text","op"}
 *     {"event":"waits","hash","calls"}
 *     {"event":"queued","text"}
 *     {"event":"heard","count"}
 *     {"event":"returned","text","draft"}
 *     {"event":"done","status","code","message","rounds","calls","limited",
 *      "waiting"} */
#include <loom/chat/face.h>
#include <loom/language/parse.h>
#include <loom/cli/results.h>
#include <loom/tree/say_node.h>

static struct loom_out *out_of(const struct chat_face *face)
{
	return face->grove->cli->out;
}

/* Everything is reported as soon as it is true. */
static void flush(const struct chat_face *face)
{
	(void)!loom_out_flush(out_of(face), NULL);
}

static struct loom_cli *event_begin(const struct chat_face *face, const char *event)
{
	struct loom_cli *cli = face->grove->cli;

	loom_answer_text(cli, "event", loom_str_of(event));
	return cli;
}

static void event_end(const struct chat_face *face)
{
	loom_answer_give(face->grove->cli);
	flush(face);
}

/* Writes an event with one text. */
static void put_event(struct chat_face *face, const char *event, const char *key,
		      struct loom_str text)
{
	loom_answer_text(event_begin(face, event), key, text);
	event_end(face);
}

static void end_line(struct chat_face *face)
{
	if (!face->at_begin)
		loom_answer_piece(face->grove->cli, LOOM_PLAIN, LOOM_STR("\n"));
	face->at_begin = true;
}

void chat_face_prompt(struct chat_face *face)
{
	if (!face->person || loom_answer_structured(face->grove->cli) || face->once)
		return;
	end_line(face);
	loom_answer_piece(face->grove->cli, LOOM_DIM, LOOM_STR("› "));
	flush(face);
}

static void on_state(void *ctx, enum loom_chat_state state)
{
	struct chat_face *face = ctx;

	if (state != LOOM_CHAT_WAITING)
		face->proposal = 0;
	put_event(face, "state", "state", loom_str_of(loom_chat_state_word(state)));
}

static void on_began(void *ctx, int64_t thread, int64_t seq)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = face->grove->cli;
	struct loom_thread row;

	if (!loom_answer_structured(cli))
		return;
	event_begin(face, "turn");
	if (loom_thread_get(face->grove->store, thread, face->grove->arena, &row, NULL) == LOOM_OK)
		loom_answer_text(cli, "thread", row.name);
	loom_answer_number(cli, "seq", seq);
	event_end(face);
}

static void on_warning(void *ctx, struct loom_str text)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "warning");

	loom_answer_text(cli, "text", text);
	end_line(face);
	flush(face);
	loom_answer_warn(cli, "%.*s", LOOM_STR_ARG(text));
	event_end(face);
}

static void on_said(void *ctx, struct loom_str text)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "text");

	loom_answer_text(cli, "text", text);
	loom_answer_piece(cli, LOOM_PLAIN, text);
	face->at_begin = text.p[text.n - 1] == '\n';
	event_end(face);
}

static void on_message(void *ctx, int64_t seq)
{
	struct chat_face *face = ctx;

	loom_answer_number(event_begin(face, "message"), "seq", seq);
	event_end(face);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "call");
	struct loom_json *json = loom_answer_writer(cli, NULL);

	if (json && act->call)
		loom_call_json(act->call, json);
	loom_answer_text(cli, "said", result->line);
	if (json)
		cli_json_result(json, result);
	loom_out_progress_clear(out_of(face));
	end_line(face);
	loom_answer_piece(cli, LOOM_STRONG, result->line);
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	loom_answer_piece(cli, LOOM_PLAIN, result->text);
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
	event_end(face);
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct chat_face *face = ctx;

	(void)choice;
	(void)text;
	loom_out_progress(out_of(face), LOOM_STR("generating · ^C stops it, ^C ^C stops the turn"));
}

/* ---- leave ---- */

static void on_waits(void *ctx, const struct loom_proposal *proposal)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "waits");
	struct loom_buf hash = LOOM_BUF_INIT(128);
	struct loom_buf name = LOOM_BUF_INIT(128);

	face->proposal = proposal->id;
	loom_hash_hex(&proposal->hash, &hash);
	loom_proposal_name(proposal, &name);
	loom_answer_text(cli, "hash", loom_buf_str(&hash));
	end_line(face);
	loom_answer_list(cli, "calls");
	for (size_t i = 0; i < proposal->count; i++) {
		const struct loom_proposed *call = &proposal->calls[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "call", call->call);
		loom_answer_text(cli, "target", call->target);
		loom_answer_text(cli, "permission", call->permission);
		loom_answer_note(cli, "→ %.*s%s%.*s", LOOM_STR_ARG(call->call),
				 call->target.n ? " · on " : "", LOOM_STR_ARG(call->target));
		loom_answer_end(cli);
	}
	loom_answer_note(cli, "%.*s is waiting for your approval: %s`loom approve %s`",
			 LOOM_STR_ARG(face->agent.name), face->person ? "y, n, or " : "",
			 loom_buf_cstr(&name));
	event_end(face);
	loom_buf_fini(&name);
	loom_buf_fini(&hash);
}

/* ---- what a person says during a turn ---- */

static void on_queued(void *ctx, struct loom_str text, enum loom_status status,
		      const struct loom_err *err)
{
	struct chat_face *face = ctx;

	if (status == LOOM_OK) {
		put_event(face, "queued", "text", text);
		return;
	}
	loom_answer_warn(face->grove->cli, "%s", err->text);
}

static void on_heard(void *ctx, size_t count)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "heard");

	loom_answer_number(cli, "count", (int64_t)count);
	end_line(face);
	loom_answer_note(cli, "%.*s now hears what you said meanwhile",
			 LOOM_STR_ARG(face->agent.name));
	event_end(face);
}

static void on_returned(void *ctx, struct loom_str text, struct loom_str draft)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "returned");

	loom_answer_text(cli, "text", text);
	loom_answer_text(cli, "draft", draft);
	end_line(face);
	loom_answer_note(cli, "not heard%s%.*s: %.*s", draft.n ? ", kept as " : "",
			 LOOM_STR_ARG(draft), LOOM_STR_ARG(text));
	event_end(face);
}

static void describe_end(struct loom_cli *cli, const struct loom_chat_end *end)
{
	struct loom_json *json = NULL;

	loom_answer_text(cli, "status",
			 loom_str_of(end->status == LOOM_OK          ? "ok"
				     : end->status == LOOM_CANCELLED ? "cancelled"
								     : "error"));
	loom_answer_maybe(cli, "code",
			  loom_str_of(end->status ? loom_status_code(end->status) : ""));
	loom_answer_text(cli, "message", loom_str_of(end->status ? end->err.text : ""));
	if (end->status) {
		loom_answer_text(cli, "hint", loom_str_of(end->err.hint));
		if (end->status == LOOM_MODEL)
			loom_answer_text(cli, "retryable", LOOM_STR("maybe"));
		else
			loom_answer_flag(cli, "retryable", loom_status_retryable(end->status));
	}
	loom_answer_number(cli, "rounds", end->rounds);
	loom_answer_number(cli, "calls", (int64_t)end->calls);
	loom_answer_flag(cli, "limited", end->limited);
	loom_answer_number(cli, "waiting", (int64_t)end->waiting);
	json = loom_answer_writer(cli, "usage");
	if (json)
		loom_usage_write(&end->usage, json);
}

static void on_done(void *ctx, const struct loom_chat_end *end)
{
	struct chat_face *face = ctx;
	struct loom_cli *cli = event_begin(face, "done");

	face->over = true;
	face->end = *end;
	describe_end(cli, end);
	loom_out_progress_clear(out_of(face));
	end_line(face);
	if (end->limited) {
		struct loom_buf text = LOOM_BUF_INIT(4096);

		loom_chat_limit_text(end, &text);
		loom_answer_note(cli, "%s", loom_buf_cstr(&text));
		loom_buf_fini(&text);
	}
	if (end->waiting) {
		struct loom_buf text = LOOM_BUF_INIT(4096);

		loom_show_many((int64_t)end->waiting, "call waits", "calls wait", &text);
		loom_answer_note(cli, "%s for a person: `loom approve` lists what waits",
				 loom_buf_cstr(&text));
		loom_buf_fini(&text);
	}
	event_end(face);
}

void chat_face_sink(struct chat_face *face, struct loom_chat_sink *out)
{
	*out = (struct loom_chat_sink){.state = on_state,
				       .began = on_began,
				       .warning = on_warning,
				       .said = on_said,
				       .message = on_message,
				       .result = on_result,
				       .chunk = on_chunk,
				       .waits = on_waits,
				       .queued = on_queued,
				       .heard = on_heard,
				       .returned = on_returned,
				       .done = on_done,
				       .ctx = face};
}
