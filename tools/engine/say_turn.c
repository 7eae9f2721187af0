/* Names a turn that comes from outside, from a pipe or a client, and keeps what it says beside its
 * calls as rows of its thread's log: the text as it arrived, and the message for later contexts. */
#include <loom/engine/turn_log.h>

#include <loom/base/jval.h>
#include <loom/language/parse.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>

enum loom_status loom_turn_name(struct loom_store *store, int64_t thread, const char *door,
				struct loom_arena *arena, struct loom_str *out,
				struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	int64_t head = LOOM_SEQ_NONE;
	enum loom_status status = LOOM_OK;

	if (thread)
		status = loom_thread_log_open(store, thread, NULL, &keeper, err);
	if (status == LOOM_OK && keeper) {
		const struct loom_log log = loom_thread_log_face(keeper);

		status = log.ops->head(log.ctx, &head, err);
	}
	loom_thread_log_close(keeper);
	*out = loom_arena_format(arena, "%s-%lld", door, (long long)head + 1);
	return status;
}

/* ---- its prose ---- */

/* Each row has the ids of its request, as the rows of a run have; a message has them as refs, too.
 */
static void put_ids(const struct loom_turn_said *said, struct loom_json *json)
{
	loom_json_put(json, "request_id", said->request);
	loom_json_put(json, "run_id", said->request);
}

static enum loom_status append(const struct loom_turn_said *said, const struct loom_log *log,
			       const char *kind, struct loom_json *json, struct loom_err *err)
{
	struct loom_buf refs = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = loom_str_of(kind)};
	struct loom_json ids;
	int64_t seq = 0;
	enum loom_status status = LOOM_OK;

	loom_json_end_object(json);
	row.payload = loom_buf_str(json->out);
	if (strcmp(kind, LOOM_KIND_MESSAGE) == 0) {
		loom_json_init(&ids, &refs);
		loom_json_object(&ids);
		put_ids(said, &ids);
		loom_json_end_object(&ids);
		row.refs = loom_buf_str(&refs);
	}
	status = loom_log_append(log, &row, &seq, err);
	loom_buf_fini(&refs);
	return status;
}

static void begin_row(const struct loom_turn_said *said, struct loom_buf *text,
		      struct loom_json *json)
{
	loom_json_init(json, text);
	loom_json_object(json);
	put_ids(said, json);
}

static enum loom_status append_text(const struct loom_turn_said *said, const struct loom_log *log,
				    struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = LOOM_OK;

	begin_row(said, &text, &json);
	loom_json_put(&json, "text", said->text);
	status = append(said, log, LOOM_KIND_OUTPUT, &json, err);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status append_message(const struct loom_turn_said *said,
				       const struct loom_log *log, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_derived derived;
	struct loom_json json;
	enum loom_status status = loom_derive(log, LOOM_SEQ_HEAD, arena, &derived, err);

	if (status == LOOM_OK) {
		begin_row(said, &text, &json);
		loom_json_put(&json, "context_ref", derived.lane);
		loom_json_put(&json, "role", LOOM_STR("assistant"));
		loom_json_put(&json, "content", loom_str_trim(loom_buf_str(&said->turn->prose)));
		if (said->turn->thinking.n)
			loom_json_put(&json, "thinking", loom_buf_str(&said->turn->thinking));
		status = append(said, log, LOOM_KIND_MESSAGE, &json, err);
	}
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	return status;
}

bool loom_turn_says(const struct loom_turn *turn)
{
	return turn->thinking.n || loom_str_trim(loom_buf_str(&turn->prose)).n;
}

/* Always keeps the text; while a run is open, its driver says what joins the conversation. */
enum loom_status loom_turn_said(struct loom_store *store, const struct loom_turn_said *said,
				struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_buf run = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log log;
	enum loom_status status = LOOM_OK;

	if (!loom_turn_says(said->turn))
		return LOOM_OK;
	status = loom_thread_log_open(store, said->thread, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = log.ops->slot_read(log.ctx, LOOM_SLOT_RUN, &run, err);
	if (status == LOOM_OK)
		status = append_text(said, &log, err);
	if (status == LOOM_OK && !run.n)
		status = append_message(said, &log, err);
	loom_buf_fini(&run);
	loom_thread_log_close(keeper);
	return status;
}
