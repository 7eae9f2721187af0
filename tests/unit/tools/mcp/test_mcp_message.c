/* Messages and lines of MCP, read without a program around them. */
#include <greatest.h>

#include <unistd.h>

#include <loom/mcp/mcp.h>

static struct loom_arena *arena;
static struct mcp_message message;

static void set_up(void *ctx)
{
	(void)ctx;
	arena = loom_arena_create();
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_arena_destroy(arena);
}

static const struct mcp_message *reads(const char *line)
{
	mcp_read(loom_str_of(line), arena, &message);
	return &message;
}

static const char *text(struct loom_str s)
{
	return s.p ? loom_arena_cstr(arena, s) : "(none)";
}

TEST a_request_has_an_id_in_one_spelling(void)
{
	ASSERT_EQ(MCP_ASKS, reads("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a/b\"}")->kind);
	ASSERT_STR_EQ("7", text(message.id));
	ASSERT_STR_EQ("a/b", text(message.method));
	ASSERT_STR_EQ("{}", text(message.params));
	(void)reads("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\\/\",\"method\":\"x\"}");
	ASSERT_STR_EQ("\"a/\"", text(message.id));
	(void)reads("{\"jsonrpc\":\"2.0\",\"id\":-0,\"method\":\"x\"}");
	ASSERT_EQ(MCP_ASKS, message.kind);
	ASSERT_STR_EQ("0", text(message.id));
	PASS();
}

/* Who asks in a way that we do not read is answered, under the id that was given. */
TEST what_only_javascript_reads_is_refused_with_its_id(void)
{
	(void)reads("{\"id\":\"a\\u0000b\",\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
	ASSERT_EQ(MCP_BAD, message.kind);
	ASSERT_EQ(-32600, message.code);
	ASSERT_STR_EQ("\"a\\u0000b\"", text(message.id));
	(void)reads("{\"id\":\"a\",\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\"}");
	ASSERT_EQ(MCP_BAD, message.kind);
	ASSERT_STR_EQ("\"a\"", text(message.id));
	(void)reads("{\"id\":\"\\ud800\",\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
	ASSERT_EQ(MCP_BAD, message.kind);
	ASSERT_STR_EQ("(none)", text(message.id));
	(void)reads("{\"id\":\"a\",");
	ASSERT_EQ(-32700, message.code);
	ASSERT_STR_EQ("(none)", text(message.id));
	PASS();
}

TEST a_notification_has_none(void)
{
	(void)reads("{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"k\":[1]}}");
	ASSERT_EQ(MCP_TELLS, message.kind);
	ASSERT_STR_EQ("(none)", text(message.id));
	ASSERT_STR_EQ("{\"k\":[1]}", text(message.params));
	PASS();
}

TEST an_answer_to_nothing_is_no_error(void)
{
	ASSERT_EQ(MCP_OTHER, reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")->kind);
	ASSERT_EQ(MCP_OTHER, reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}")->kind);
	PASS();
}

TEST deep_and_wide_messages_are_refused(void)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":");
	loom_buf_add_repeat(&line, '[', 200);
	loom_buf_add_repeat(&line, ']', 200);
	loom_buf_adds(&line, "}}");
	ASSERT_EQ(MCP_BAD, reads(loom_buf_cstr(&line))->kind);
	ASSERT_EQ(MCP_REQUEST, message.code);
	loom_buf_clear(&line);
	loom_buf_adds(&line, "[0");
	for (int i = 0; i < 200000; i++)
		loom_buf_adds(&line, ",0");
	loom_buf_adds(&line, "]");
	ASSERT_EQ(MCP_BAD, reads(loom_buf_cstr(&line))->kind);
	loom_buf_fini(&line);
	PASS();
}

static struct mcp_uri uri;

static bool uri_reads(const char *name)
{
	return mcp_uri_read(loom_str_of(name), arena, &uri);
}

TEST a_uri_names_a_tree_a_node_or_a_context(void)
{
	ASSERT(uri_reads("loom://tree/The%20house"));
	ASSERT_EQ(MCP_TREE, uri.what);
	ASSERT_STR_EQ("The house", text(uri.id));
	ASSERT(uri_reads("loom://node/a7x2%27"));
	ASSERT_EQ(MCP_NODE, uri.what);
	ASSERT_STR_EQ("a7x2'", text(uri.id));
	ASSERT(uri_reads("loom://thread/thread-1a/context"));
	ASSERT_EQ(MCP_THREAD, uri.what);
	ASSERT_STR_EQ("thread-1a", text(uri.id));
	ASSERT_FALSE(uri_reads("loom://thread//context"));
	ASSERT_FALSE(uri_reads("loom://thread/context"));
	ASSERT_FALSE(uri_reads("loom://node/"));
	ASSERT_FALSE(uri_reads("loom://node/%2"));
	ASSERT_FALSE(uri_reads("loom://node/%g0"));
	ASSERT_FALSE(uri_reads("LOOM://node/a7x2"));
	PASS();
}

/* ---- lines ---- */

struct reader {
	struct loom_loop *loop;
	struct mcp_wire wire;
	struct loom_str line;
};

static void reader_open(struct reader *reader)
{
	reader->loop = loom_loop_create();
	mcp_wire_init(&reader->wire, reader->loop, STDIN_FILENO, STDOUT_FILENO);
}

static void reader_close(struct reader *reader)
{
	mcp_wire_fini(&reader->wire);
	loom_loop_destroy(reader->loop);
}

static enum mcp_line next(struct reader *reader)
{
	return mcp_wire_line(&reader->wire, &reader->line);
}

TEST lines_are_whole_however_they_come(void)
{
	struct reader reader;

	reader_open(&reader);
	mcp_wire_feed(&reader.wire, LOOM_STR("on"));
	ASSERT_EQ(MCP_NO_LINE, next(&reader));
	mcp_wire_feed(&reader.wire, LOOM_STR("e\ntwo\n\nthr"));
	ASSERT_EQ(MCP_A_LINE, next(&reader));
	ASSERT_STR_EQ("one", text(reader.line));
	ASSERT_EQ(MCP_A_LINE, next(&reader));
	ASSERT_STR_EQ("two", text(reader.line));
	ASSERT_EQ(MCP_A_LINE, next(&reader));
	ASSERT_EQ(0, (int)reader.line.n);
	ASSERT_EQ(MCP_NO_LINE, next(&reader));
	reader.wire.end = true;
	ASSERT_EQ(MCP_A_LINE, next(&reader));
	ASSERT_STR_EQ("thr", text(reader.line));
	ASSERT_EQ(MCP_NO_LINE, next(&reader));
	reader_close(&reader);
	PASS();
}

TEST a_line_too_long_is_told_once_and_takes_no_room(void)
{
	struct loom_buf much = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct reader reader;
	int told = 0;

	reader_open(&reader);
	loom_buf_add_repeat(&much, 'x', (size_t)1 << 20);
	for (int i = 0; i < 40; i++) {
		mcp_wire_feed(&reader.wire, loom_buf_str(&much));
		told += next(&reader) == MCP_LONG_LINE;
		ASSERT(reader.wire.in.n <= MCP_LINE_MAX + ((size_t)2 << 20));
	}
	ASSERT_EQ(1, told);
	mcp_wire_feed(&reader.wire, LOOM_STR("x\nshort\n"));
	ASSERT_EQ(MCP_A_LINE, next(&reader));
	ASSERT_STR_EQ("short", text(reader.line));
	loom_buf_fini(&much);
	reader_close(&reader);
	PASS();
}

SUITE(suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_request_has_an_id_in_one_spelling);
	RUN_TEST(what_only_javascript_reads_is_refused_with_its_id);
	RUN_TEST(a_notification_has_none);
	RUN_TEST(an_answer_to_nothing_is_no_error);
	RUN_TEST(deep_and_wide_messages_are_refused);
	RUN_TEST(a_uri_names_a_tree_a_node_or_a_context);
	RUN_TEST(lines_are_whole_however_they_come);
	RUN_TEST(a_line_too_long_is_told_once_and_takes_no_room);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
