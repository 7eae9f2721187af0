/* What a chat tells, on the terminal or as a line of JSON an event:
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
 *     {"event":"done","status","code","message","rounds","calls","limited"} */
#include <loom/chat/face.h>
#include <loom/cli/results.h>

static struct loom_out *out_of(const struct tool_face *face)
{
	return face->grove->cli->out;
}

/* Everything is said as soon as it is true. */
static void flush(const struct tool_face *face)
{
	(void)!loom_out_flush(out_of(face), NULL);
}

static struct loom_json *event_begin(const struct tool_face *face, const char *event)
{
	struct loom_json *json = loom_out_json_begin(out_of(face));

	loom_json_object(json);
	loom_json_put(json, "event", loom_str_of(event));
	return json;
}

static void event_end(const struct tool_face *face, struct loom_json *json)
{
	loom_json_end_object(json);
	loom_out_json_end(out_of(face));
	flush(face);
}

/* One event as a line of JSON, with one text; nothing otherwise. */
static void put_event(struct tool_face *face, const char *event, const char *key,
		      struct loom_str text)
{
	struct loom_json *json = NULL;

	if (!face->grove->cli->json)
		return;
	json = event_begin(face, event);
	if (key)
		loom_json_put(json, key, text);
	event_end(face, json);
}

static void end_line(struct tool_face *face)
{
	if (!face->at_begin)
		loom_out_texts(out_of(face), "\n");
	face->at_begin = true;
}

void tool_face_prompt(struct tool_face *face)
{
	if (!face->person || face->grove->cli->json || face->once)
		return;
	end_line(face);
	loom_out_styled(out_of(face), LOOM_DIM, LOOM_STR("› "));
	flush(face);
}

static void on_state(void *ctx, enum loom_chat_state state)
{
	struct tool_face *face = ctx;

	if (state != LOOM_CHAT_WAITING)
		face->proposal = 0;
	put_event(face, "state", "state", loom_str_of(loom_chat_state_word(state)));
}

static void on_began(void *ctx, int64_t thread, int64_t seq)
{
	struct tool_face *face = ctx;
	struct loom_json *json = NULL;
	struct loom_thread row;

	if (!face->grove->cli->json)
		return;
	json = event_begin(face, "turn");
	if (loom_thread_get(face->grove->store, thread, face->grove->arena, &row, NULL) == LOOM_OK)
		loom_json_put(json, "thread", row.name);
	loom_json_put_int(json, "seq", seq);
	event_end(face, json);
}

static void on_warning(void *ctx, struct loom_str text)
{
	struct tool_face *face = ctx;

	put_event(face, "warning", "text", text);
	if (face->grove->cli->json)
		return;
	end_line(face);
	flush(face);
	loom_out_warn(out_of(face), "%.*s", LOOM_STR_ARG(text));
}

static void on_said(void *ctx, struct loom_str text)
{
	struct tool_face *face = ctx;

	put_event(face, "text", "text", text);
	if (face->grove->cli->json)
		return;
	loom_out_text(out_of(face), text);
	face->at_begin = text.p[text.n - 1] == '\n';
	flush(face);
}

static void on_message(void *ctx, int64_t seq)
{
	struct tool_face *face = ctx;
	struct loom_json *json = NULL;

	if (!face->grove->cli->json)
		return;
	json = event_begin(face, "message");
	loom_json_put_int(json, "seq", seq);
	event_end(face, json);
}

static void result_json(const struct tool_face *face, const struct loom_act *act,
			const struct loom_result *result)
{
	struct loom_json *json = event_begin(face, "call");

	if (act->call)
		loom_call_json(act->call, json);
	loom_json_put(json, "said", result->line);
	tool_json_result(json, result);
	event_end(face, json);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct tool_face *face = ctx;

	if (face->grove->cli->json) {
		result_json(face, act, result);
		return;
	}
	loom_out_progress_clear(out_of(face));
	end_line(face);
	loom_out_styled(out_of(face), LOOM_STRONG, result->line);
	loom_out_texts(out_of(face), "\n");
	loom_out_line(out_of(face), result->text);
	flush(face);
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct tool_face *face = ctx;

	(void)choice;
	(void)text;
	loom_out_progress(out_of(face), LOOM_STR("generating · ^C stops it, twice the turn"));
}

/* ---- leave ---- */

static void waits_json(const struct tool_face *face, const struct loom_proposal *proposal)
{
	struct loom_json *json = event_begin(face, "waits");
	struct loom_buf hash = LOOM_BUF_INIT(128);

	loom_hash_hex(&proposal->hash, &hash);
	loom_json_put(json, "hash", loom_buf_str(&hash));
	loom_json_key(json, "calls");
	loom_json_array(json);
	for (size_t i = 0; i < proposal->count; i++) {
		loom_json_object(json);
		loom_json_put(json, "call", proposal->calls[i].call);
		loom_json_put(json, "target", proposal->calls[i].target);
		loom_json_put(json, "permission", proposal->calls[i].permission);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	event_end(face, json);
	loom_buf_fini(&hash);
}

static void on_waits(void *ctx, const struct loom_proposal *proposal)
{
	struct tool_face *face = ctx;
	struct loom_buf name = LOOM_BUF_INIT(128);

	face->proposal = proposal->id;
	if (face->grove->cli->json) {
		waits_json(face, proposal);
		return;
	}
	end_line(face);
	loom_proposal_name(proposal, &name);
	for (size_t i = 0; i < proposal->count; i++)
		loom_out_note(out_of(face), "→ %.*s%s%.*s", LOOM_STR_ARG(proposal->calls[i].call),
			      proposal->calls[i].target.n ? " · on " : "",
			      LOOM_STR_ARG(proposal->calls[i].target));
	loom_out_note(out_of(face), "%.*s waits for your leave: %s`loom approve %s`",
		      LOOM_STR_ARG(face->agent.name), face->person ? "y, n, or " : "",
		      loom_buf_cstr(&name));
	flush(face);
	loom_buf_fini(&name);
}

/* ---- what is said meanwhile ---- */

static void on_queued(void *ctx, struct loom_str text, enum loom_status status,
		      const struct loom_err *err)
{
	struct tool_face *face = ctx;

	if (status == LOOM_OK) {
		put_event(face, "queued", "text", text);
		return;
	}
	if (!face->grove->cli->json)
		loom_out_warn(out_of(face), "%s", err->text);
}

static void on_heard(void *ctx, size_t count)
{
	struct tool_face *face = ctx;
	struct loom_json *json = NULL;

	if (!face->grove->cli->json) {
		end_line(face);
		loom_out_note(out_of(face), "%.*s is told what you said meanwhile",
			      LOOM_STR_ARG(face->agent.name));
		return;
	}
	json = event_begin(face, "heard");
	loom_json_put_int(json, "count", (int64_t)count);
	event_end(face, json);
}

static void on_returned(void *ctx, struct loom_str text, struct loom_str draft)
{
	struct tool_face *face = ctx;
	struct loom_json *json = NULL;

	if (!face->grove->cli->json) {
		end_line(face);
		if (draft.n)
			loom_out_note(out_of(face), "not heard, kept as %.*s: %.*s",
				      LOOM_STR_ARG(draft), LOOM_STR_ARG(text));
		else
			loom_out_note(out_of(face), "not heard: %.*s", LOOM_STR_ARG(text));
		return;
	}
	json = event_begin(face, "returned");
	loom_json_put(json, "text", text);
	loom_json_put(json, "draft", draft);
	event_end(face, json);
}

static void done_json(const struct tool_face *face, const struct loom_chat_end *end)
{
	struct loom_json *json = event_begin(face, "done");

	loom_json_put(json, "status",
		      loom_str_of(end->status == LOOM_OK          ? "ok"
				  : end->status == LOOM_CANCELLED ? "cancelled"
								  : "error"));
	loom_json_key(json, "code");
	if (end->status)
		loom_json_text(json, loom_str_of(loom_status_code(end->status)));
	else
		loom_json_null(json);
	loom_json_put(json, "message", loom_str_of(end->status ? end->err.text : ""));
	loom_json_put_int(json, "rounds", end->rounds);
	loom_json_put_int(json, "calls", (int64_t)end->calls);
	loom_json_put_bool(json, "limited", end->limited);
	loom_json_key(json, "usage");
	loom_usage_write(&end->usage, json);
	event_end(face, json);
}

static void on_done(void *ctx, const struct loom_chat_end *end)
{
	struct tool_face *face = ctx;

	face->over = true;
	face->end = *end;
	if (face->grove->cli->json) {
		done_json(face, end);
		return;
	}
	loom_out_progress_clear(out_of(face));
	end_line(face);
	if (end->limited) {
		struct loom_buf text = LOOM_BUF_INIT(4096);

		loom_chat_limit_text(end, &text);
		loom_out_note(out_of(face), "%s", loom_buf_cstr(&text));
		loom_buf_fini(&text);
	}
	flush(face);
}

void tool_face_sink(struct tool_face *face, struct loom_chat_sink *out)
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
