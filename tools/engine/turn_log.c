/* Writes the engine's records as rows of a thread's log, and answers the engine's questions about
 * them. A row is appended in the transaction of its call. */
#include <loom/engine/turn_log.h>

#include <loom/language/call.h>
#include <loom/context/context.h>
#include <loom/base/jval.h>
#include <loom/work/thread_log.h>

/* ---- writing ---- */

struct writer {
	const struct loom_turn_log *log;
	struct loom_store *store;
	const struct loom_engine_record *what;
	struct loom_thread_log *keeper;
	struct loom_str request; /* its rows belong to, and to no other's context */
	char own[32];            /* of a call outside any turn */
	struct loom_buf text;
	struct loom_json json;
};

static struct loom_str first_line(struct loom_str text)
{
	return loom_str_sub(text, 0, loom_str_find_char(text, '\n', 0));
}

static void begin_row(struct writer *writer)
{
	loom_buf_clear(&writer->text);
	loom_json_init(&writer->json, &writer->text);
	loom_json_object(&writer->json);
	loom_json_put(&writer->json, "request_id", writer->request);
	loom_json_put(&writer->json, "run_id", writer->request);
}

/* A call outside any turn is a request of its own, named by its first row. */
static enum loom_status find_request(struct writer *writer, struct loom_err *err)
{
	const struct loom_log log = loom_thread_log_face(writer->keeper);
	int64_t head = LOOM_SEQ_NONE;
	enum loom_status status = LOOM_OK;

	writer->request = writer->log->request;
	if (writer->request.n)
		return LOOM_OK;
	status = log.ops->head(log.ctx, &head, err);
	snprintf(writer->own, sizeof writer->own, "call-%lld", (long long)head + 1);
	writer->request = loom_str_of(writer->own);
	return status;
}

static enum loom_status end_row(struct writer *writer, const char *kind, struct loom_err *err)
{
	struct loom_log face = loom_thread_log_face(writer->keeper);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = loom_str_of(kind)};
	int64_t seq = 0;

	loom_json_end_object(&writer->json);
	row.payload = loom_buf_str(&writer->text);
	return loom_log_append(&face, &row, &seq, err);
}

static enum loom_status write_action(struct writer *writer, struct loom_err *err)
{
	const struct loom_result *result = writer->what->result;
	struct loom_buf call = LOOM_BUF_INIT(LOOM_BUF_MAX);

	begin_row(writer);
	loom_json_put(&writer->json, "line", result->line);
	if (writer->what->call) {
		loom_call_print(writer->what->call, &call);
		if (call.n <= LOOM_LINE_MAX)
			loom_json_put(&writer->json, "call", loom_buf_str(&call));
	}
	loom_json_put(&writer->json, "status", result->status ? LOOM_STR("error") : LOOM_STR("ok"));
	if (result->status)
		loom_json_put(&writer->json, "code", loom_str_of(loom_status_code(result->status)));
	loom_json_put(&writer->json, "result", first_line(result->text));
	loom_json_put_int(&writer->json, "number", result->number);
	if (result->op)
		loom_json_put_int(&writer->json, "op", result->op);
	if (result->doc) {
		loom_json_put_int(&writer->json, "doc", result->doc);
		loom_json_put_int(&writer->json, "head", result->head);
	}
	if (result->usage.calls) {
		loom_json_key(&writer->json, "usage");
		loom_usage_write(&result->usage, &writer->json);
	}
	loom_buf_fini(&call);
	return end_row(writer, LOOM_KIND_ACTION, err);
}

static enum loom_status write_result(struct writer *writer, struct loom_err *err)
{
	const struct loom_result *result = writer->what->result;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	begin_row(writer);
	loom_buf_addf(&text, "res-%lld", (long long)result->number);
	loom_json_put(&writer->json, "res", loom_buf_str(&text));
	loom_json_put_int(&writer->json, "number", result->number);
	loom_buf_clear(&text);
	loom_buf_addf(&text, "%.*s\n%.*s", LOOM_STR_ARG(result->line), LOOM_STR_ARG(result->text));
	loom_json_put(&writer->json, "text", loom_buf_str(&text));
	if (result->own.n)
		loom_json_put(&writer->json, "own", result->own);
	if (!loom_str_eq(result->text, result->whole)) {
		loom_buf_clear(&text);
		loom_buf_addf(&text, "%.*s\n%.*s", LOOM_STR_ARG(result->line),
			      LOOM_STR_ARG(result->whole));
		loom_json_put(&writer->json, "whole", loom_buf_str(&text));
	}
	status = end_row(writer, LOOM_KIND_RESULT, err);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_turn_log_step(struct loom_store *store, const struct loom_log *log,
				    struct loom_str request, int64_t place, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = LOOM_STR(LOOM_KIND_POSITION)};
	char id[LOOM_ULID_CHARS + 1];
	struct loom_node node;
	struct loom_tree tree;
	struct loom_json json;
	int64_t seq = 0;
	enum loom_status status = loom_node_get(store, place, LOOM_NODE_NARROW, arena, &node, err);

	if (status == LOOM_OK)
		status = loom_tree_get(store, node.tree, arena, &tree, err);
	if (status != LOOM_OK)
		goto done;
	loom_json_init(&json, &text);
	loom_json_object(&json);
	if (request.n) {
		loom_json_put(&json, "request_id", request);
		loom_json_put(&json, "run_id", request);
	}
	loom_ulid_text(&tree.ulid, id);
	loom_json_put(&json, "tree", loom_str_of(id));
	loom_ulid_text(&node.ulid, id);
	loom_json_put(&json, "node", loom_str_of(id));
	loom_json_end_object(&json);
	row.payload = loom_buf_str(&text);
	status = loom_log_append(log, &row, &seq, err);
done:
	loom_buf_fini(&text);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status write_position(struct writer *writer, struct loom_err *err)
{
	const struct loom_log log = loom_thread_log_face(writer->keeper);

	return loom_turn_log_step(writer->store, &log, writer->request, writer->what->result->moved,
				  err);
}

static enum loom_status record(void *ctx, struct loom_store *store,
			       const struct loom_engine_record *what, struct loom_err *err)
{
	struct writer writer = {.log = ctx,
				.store = store,
				.what = what,
				.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status =
		loom_thread_log_open(store, what->thread, NULL, &writer.keeper, err);

	if (status == LOOM_OK)
		status = find_request(&writer, err);
	if (status == LOOM_OK)
		status = write_action(&writer, err);
	if (status == LOOM_OK)
		status = write_result(&writer, err);
	if (status == LOOM_OK && what->result->moved)
		status = write_position(&writer, err);
	loom_thread_log_close(writer.keeper);
	loom_buf_fini(&writer.text);
	return status;
}

/* ---- reading ---- */

static bool take_number(void *ctx, const struct loom_log_row *row)
{
	return !loom_jval_int(loom_jval_get(row->payload, "number"), ctx);
}

static enum loom_status last(void *ctx, struct loom_store *store, int64_t thread, int64_t *out,
			     struct loom_err *err)
{
	struct loom_log_visitor visitor = {take_number, out};

	(void)ctx;
	*out = 0;
	return loom_thread_log_newest(store, thread, LOOM_KIND_RESULT, LOOM_SEQ_HEAD, &visitor,
				      err);
}

struct wanted {
	int64_t number;
	struct loom_arena *arena;
	struct loom_str text;
};

static bool take_text(void *ctx, const struct loom_log_row *row)
{
	struct wanted *wanted = ctx;
	struct loom_str text = loom_jval_get(row->payload, "whole");
	int64_t number = 0;

	if (!loom_jval_int(loom_jval_get(row->payload, "number"), &number) ||
	    number != wanted->number)
		return true;
	if (!text.p)
		text = loom_jval_get(row->payload, "text");
	wanted->text = loom_arena_str(wanted->arena, loom_jval_text(text, wanted->arena));
	return false;
}

static enum loom_status result_text(void *ctx, struct loom_store *store, int64_t thread,
				    int64_t number, struct loom_arena *arena, struct loom_str *out,
				    struct loom_err *err)
{
	struct wanted wanted = {.number = number, .arena = arena};
	struct loom_log_visitor visitor = {take_text, &wanted};
	enum loom_status status = loom_thread_log_newest(store, thread, LOOM_KIND_RESULT,
							 LOOM_SEQ_HEAD, &visitor, err);

	(void)ctx;
	*out = wanted.text;
	if (status != LOOM_OK || wanted.text.p)
		return status;
	return loom_fail(err, LOOM_NOT_FOUND, "there is no result res-%lld", (long long)number);
}

struct known {
	int64_t doc;
	int64_t head;
};

static bool take_head(void *ctx, const struct loom_log_row *row)
{
	struct known *known = ctx;
	int64_t doc = 0;

	return !loom_jval_int(loom_jval_get(row->payload, "doc"), &doc) || doc != known->doc ||
	       !loom_jval_int(loom_jval_get(row->payload, "head"), &known->head);
}

static enum loom_status known(void *ctx, struct loom_store *store, int64_t thread, int64_t doc,
			      int64_t *out_head, struct loom_err *err)
{
	struct known wanted = {.doc = doc};
	struct loom_log_visitor visitor = {take_head, &wanted};
	enum loom_status status = loom_thread_log_newest(store, thread, LOOM_KIND_ACTION,
							 LOOM_SEQ_HEAD, &visitor, err);

	(void)ctx;
	*out_head = wanted.head;
	return status;
}

struct tracing {
	struct loom_arena *arena;
	struct loom_str *lines; /* filled from the end */
	size_t room;
};

static bool take_line(void *ctx, const struct loom_log_row *row)
{
	struct tracing *found = ctx;
	struct loom_str line = loom_jval_text(loom_jval_get(row->payload, "line"), found->arena);
	struct loom_str code = loom_jval_text(loom_jval_get(row->payload, "code"), found->arena);
	int64_t number = 0;

	if (!loom_str_is(row->kind, LOOM_KIND_ACTION))
		return true;
	(void)loom_jval_int(loom_jval_get(row->payload, "number"), &number);
	found->lines[--found->room] =
		loom_arena_format(found->arena, "%.*s%s%.*s · res-%lld", LOOM_STR_ARG(line),
				  code.n ? " ✗ " : "", LOOM_STR_ARG(code), (long long)number);
	return found->room > 0;
}

static enum loom_status trace(void *ctx, struct loom_store *store, int64_t thread, size_t limit,
			      struct loom_arena *arena, struct loom_trace *out,
			      struct loom_err *err)
{
	struct tracing found = {.arena = arena,
				.lines = LOOM_ARENA_ARRAY(arena, limit, struct loom_str),
				.room = limit};
	struct loom_log_visitor visitor = {take_line, &found};
	enum loom_status status = LOOM_OK;

	(void)ctx;
	if (limit)
		status = loom_thread_log_newest(store, thread, LOOM_KIND_ACTION, LOOM_SEQ_HEAD,
						&visitor, err);
	*out = (struct loom_trace){found.lines + found.room, limit - found.room};
	return status;
}

void loom_turn_log_init(struct loom_turn_log *out, struct loom_str request)
{
	*out = (struct loom_turn_log){
		.face = {.record = record,
			 .last = last,
			 .result = result_text,
			 .known = known,
			 .trace = trace,
			 .ctx = out},
		.request = request,
	};
}
