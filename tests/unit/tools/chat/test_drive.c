/* The line protocol: one answer a line, whatever the line is. */
#include <greatest.h>

#include <loom/chat/drive.h>
#include <loom/log/memlog.h>

static FILE *input_of(struct loom_str text)
{
	FILE *in = tmpfile();

	if (!in || fwrite(text.p, 1, text.n, in) != text.n || fflush(in) != 0)
		abort();
	rewind(in);
	return in;
}

/* Feeds text to a drive over memory; the answers are the caller's to free. */
static enum loom_status feed(const char *rows, const char *input, char **out_answers,
			     struct loom_err *err)
{
	struct loom_env env;
	size_t size = 0;
	struct loom_buf copy = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_env_init_fixed(&env, 1700000000000, 1);
	loom_buf_adds(&copy, input);
	const struct loom_drive_memory memory = {.rows = loom_str_of(rows),
						 .prompt = LOOM_STR("Base"),
						 .env = &env};
	FILE *in = input_of(loom_buf_str(&copy));
	FILE *out = open_memstream(out_answers, &size);
	enum loom_status status = loom_drive_memory(&memory, fileno(in), out, err);
	fclose(in);
	fclose(out);
	loom_buf_fini(&copy);
	return status;
}

/* The answers to `input`, borrowed until the arena goes. */
static const char *answers(struct loom_arena *arena, const char *rows, const char *input)
{
	char *text = NULL;
	struct loom_err err = {0};

	if (feed(rows, input, &text, &err))
		return "failed";
	const char *copy = loom_arena_cstr(arena, loom_str_of(text));
	free(text);
	return copy;
}

TEST any_line_gets_one_answer(void)
{
	struct loom_arena *arena = loom_arena_create();
	const char *text = answers(arena, "",
				   "\n"
				   "not json\n"
				   "{\"do\":\"drain\"\n"
				   "[1]\n"
				   "{}\n"
				   "{\"do\":\"fly\"}\n"
				   "{\"do\":7}\n"
				   "{\"do\":\"drain\",\"op\":\"a\"}\n"
				   "{\"do\":\"run_end\"}\n"
				   "{\"do\":\"run_end\",\"outcome\":\"won\"}\n"
				   "{\"do\":\"state\",\"at\":\"x\"}\n"
				   "{\"do\":\"dr\\u0061in\"}");
	struct loom_str rest = loom_str_of(text);
	struct loom_str line;
	static const char *const want[] = {"rejected:json",
					   "rejected:json",
					   "rejected:json",
					   "rejected:unknown_command",
					   "rejected:unknown_command",
					   "rejected:unknown_command",
					   "rejected:unknown_command",
					   "rejected:op",
					   "rejected:outcome",
					   "rejected:outcome",
					   "rejected:at",
					   "rejected:idle"};
	size_t count = 0;

	while (loom_str_line(&rest, &line)) {
		ASSERT(count < LOOM_COUNT(want));
		ASSERT(loom_jval_says(loom_jval_get(line, "result"), loom_str_of(want[count])));
		ASSERT_FALSE(loom_jval_is_null(loom_jval_get(line, "message")));
		count++;
	}
	ASSERT_EQ(LOOM_COUNT(want), count);
	loom_arena_destroy(arena);
	PASS();
}

/* More than JSON may have is not kept either, and the line behind it is heard. */
TEST a_line_without_end_is_refused_once(void)
{
	struct loom_env env;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	const struct loom_drive_memory memory = {.env = &env};
	char *said = NULL;
	size_t size = 0;
	FILE *in = NULL;
	FILE *out = open_memstream(&said, &size);

	loom_env_init_fixed(&env, 1700000000000, 1);
	loom_buf_adds(&text, "{\"do\":\"");
	loom_buf_add_repeat(&text, 'x', (size_t)80 << 20);
	loom_buf_adds(&text, "\"}\n{\"do\":\"drain\"}\n");
	in = input_of(loom_buf_str(&text));
	ASSERT_EQ(LOOM_OK, loom_drive_memory(&memory, fileno(in), out, &err));
	fclose(in);
	fclose(out);
	ASSERT(strstr(said, "rejected:json") && strstr(said, "too long"));
	ASSERT(strchr(said, '\n') && strstr(strchr(said, '\n'), "rejected:idle"));
	loom_buf_fini(&text);
	free(said);
	PASS();
}

/* ---- groups ---- */

/* A log in memory that counts its commits, and fails to append what says so. */
struct counted {
	struct loom_memlog *memlog;
	struct loom_log_ops ops;
	int commits;
	int commits_fail; /* so many fail */
	int first_said;   /* commits before the first answer went out; -1: none went out */
};
static struct counted counted;

static enum loom_status counted_commit(void *ctx, struct loom_err *err)
{
	if (counted.commits_fail-- > 0) {
		loom_memlog_log(counted.memlog).ops->rollback(ctx);
		return loom_fail(err, LOOM_FULL, "full");
	}
	counted.commits++;
	return loom_memlog_log(counted.memlog).ops->commit(ctx, err);
}

static enum loom_status counted_append(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
				       struct loom_err *err)
{
	if (loom_str_find(row->payload, LOOM_STR("unwritable"), 0) != SIZE_MAX)
		return loom_fail(err, LOOM_FULL, "full");
	return loom_memlog_log(counted.memlog).ops->append(ctx, row, out_seq, err);
}

static ssize_t counted_write(void *cookie, const char *bytes, size_t n)
{
	if (counted.first_said < 0)
		counted.first_said = counted.commits;
	loom_buf_add(cookie, loom_str_make(bytes, n));
	return (ssize_t)n;
}

/* Answers the input, all of which waits from the start. */
static void drive_counted(struct loom_str input, int commits_fail, struct loom_buf *out)
{
	static const cookie_io_functions_t writer = {.write = counted_write};
	struct loom_env env;
	struct loom_drive *drive = NULL;
	struct loom_run_opts opts = {.thread = LOOM_STR("t"), .env = &env};
	FILE *in = input_of(input);
	FILE *said = fopencookie(out, "w", writer);
	struct loom_log log;

	loom_env_init_fixed(&env, 1700000000000, 1);
	counted = (struct counted){.memlog = loom_memlog_create(), .first_said = -1};
	counted.ops = *loom_memlog_log(counted.memlog).ops;
	counted.ops.commit = counted_commit;
	counted.ops.append = counted_append;
	log = (struct loom_log){.ops = &counted.ops, .ctx = counted.memlog};
	if (!said || loom_drive_open(&log, &opts, &drive, NULL))
		abort();
	counted.commits = 0;
	counted.commits_fail = commits_fail;
	if (loom_drive_stream(drive, fileno(in), said, NULL))
		abort();
	loom_drive_close(drive);
	fclose(in);
	fclose(said);
}

/* A run of a hundred commands, one of which cannot be written if `bad` says which. */
static void hundred(int bad, struct loom_buf *out)
{
	loom_buf_adds(out, "{\"do\":\"run_start\",\"request_id\":\"r\",\"content\":\"0\"}\n");
	for (int i = 1; i < 99; i++)
		loom_buf_addf(out, "{\"do\":\"assistant\",\"content\":\"%s%d\"}\n",
			      i == bad ? "unwritable" : "", i);
	loom_buf_adds(out, "{\"do\":\"run_end\",\"outcome\":\"completed\"}");
}

static size_t times(const struct loom_buf *text, const char *word)
{
	size_t count = 0;
	size_t at = 0;

	while ((at = loom_str_find(loom_buf_str(text), loom_str_of(word), at)) != SIZE_MAX) {
		count++;
		at++;
	}
	return count;
}

TEST commands_that_wait_share_their_commits(void)
{
	struct loom_buf input = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	hundred(0, &input);
	drive_counted(loom_buf_str(&input), 0, &said);
	ASSERT_EQ(100, times(&said, "\n"));
	ASSERT_EQ(100, times(&said, "{\"result\":\"accepted\""));
	ASSERT(counted.commits <= 3);
	ASSERT(counted.first_said >= 1);
	ASSERT_EQ(99, loom_memlog_count(counted.memlog));
	loom_memlog_destroy(counted.memlog);
	loom_buf_fini(&input);
	loom_buf_fini(&said);
	PASS();
}

TEST one_that_fails_takes_none_of_its_group_with_it(void)
{
	struct loom_buf input = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	hundred(7, &input);
	drive_counted(loom_buf_str(&input), 0, &said);
	ASSERT_EQ(100, times(&said, "\n"));
	ASSERT_EQ(1, times(&said, "rejected:store"));
	ASSERT_EQ(99, times(&said, "{\"result\":\"accepted\""));
	ASSERT_EQ(98, loom_memlog_count(counted.memlog));
	loom_memlog_destroy(counted.memlog);
	loom_buf_fini(&input);
	loom_buf_fini(&said);
	PASS();
}

TEST a_commit_that_fails_is_tried_for_each_alone(void)
{
	struct loom_buf input = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	hundred(0, &input);
	drive_counted(loom_buf_str(&input), 1, &said);
	ASSERT_EQ(100, times(&said, "{\"result\":\"accepted\""));
	ASSERT_EQ(99, loom_memlog_count(counted.memlog));
	loom_memlog_destroy(counted.memlog);
	loom_buf_fini(&input);
	loom_buf_fini(&said);
	PASS();
}

TEST a_run_goes_over_lines(void)
{
	struct loom_arena *arena = loom_arena_create();

	ASSERT_STR_EQ(
		"{\"result\":\"accepted\",\"seq\":0}\n"
		"{\"result\":\"queued\"}\n"
		"{\"result\":\"accepted\",\"seq\":1,\"drained\":1}\n"
		"{\"result\":\"queued\"}\n"
		"{\"result\":\"deferred\",\"op_id\":\"o\"}\n"
		"{\"result\":\"accepted\",\"op_id\":\"o\",\"seq\":2,\"returned\":[{\"content\":"
		"\"late\",\"source\":\"steer\"}]}\n"
		"{\"result\":\"noop\",\"op_id\":\"o\"}\n"
		"{\"result\":\"noop\",\"error\":\"invalid_type\"}\n"
		"{\"result\":\"ok\",\"system_prompt\":\"Base\",\"entries\":[],\"messages\":[{"
		"\"role\":\"system\",\"content\":\"Base\"}],\"id\":\"d62cced77eb85287\","
		"\"lane\":\"b\"}\n",
		answers(arena, "",
			"{\"do\":\"run_start\",\"request_id\":\"r\",\"content\":\"Q\"}\n"
			"{\"do\":\"steer\",\"content\":\"faster\",\"source\":\"/ui\"}\n"
			"{\"do\":\"drain\"}\n"
			"{\"do\":\"steer\",\"content\":\"late\"}\n"
			"{\"do\":\"modify\",\"op_id\":\"o\",\"context_ref\":\"b\",\"operation\":{"
			"\"type\":\"switch\"}}\n"
			"{\"do\":\"run_end\",\"outcome\":\"failed\"}\n"
			"{\"do\":\"modify\",\"op_id\":\"o\",\"operation\":{\"type\":\"switch\"}}\n"
			"{\"do\":\"modify\"}\n"
			"{\"do\":\"project\"}\n"));
	loom_arena_destroy(arena);
	PASS();
}

#define ROWS                                                                                       \
	"[{\"seq\":3,\"kind\":\"ai_context_operation\",\"payload\":{\"op_id\":\"s\","              \
	"\"context_ref\":\"b\",\"operation\":{\"type\":\"switch\"}}},"                             \
	"{\"seq\":0,\"kind\":\"ai_message\",\"payload\":{\"context_ref\":\"default\",\"role\":"    \
	"\"user\",\"content\":\"Q\"},\"refs\":{\"k\":\"v\"}}]"

TEST the_state_of_an_earlier_seq_is_what_the_log_then_said(void)
{
	struct loom_arena *arena = loom_arena_create();

	ASSERT_STR_EQ(
		"{\"result\":\"ok\",\"status\":\"idle\",\"run_active\":false,\"request_id\":null,"
		"\"run_id\":null,\"active_context_ref\":\"default\",\"pending_op_id\":null,"
		"\"applied_op_ids\":[],\"applied_count\":0,\"cursor\":0,\"queued\":0,\"lanes\":["
		"\"default\"],\"context\":{\"id\":\"6880a8bd0590bce9\",\"system_prompt\":\"Base\","
		"\"entries\":[{"
		"\"role\":\"user\",\"content\":\"Q\",\"refs\":{\"k\":\"v\"}}]},\"run_context\":"
		"null,\"run_entries\":null}\n",
		answers(arena, ROWS, "{\"do\":\"state\",\"at\":2}\n"));
	loom_arena_destroy(arena);
	PASS();
}

TEST the_log_goes_out_as_it_came_in_and_goes_on_behind_its_last_seq(void)
{
	struct loom_arena *arena = loom_arena_create();
	const char *text = answers(arena, ROWS,
				   "{\"do\":\"log\"}\n"
				   "{\"do\":\"run_start\",\"request_id\":\"r\",\"content\":\"x\"}\n"
				   "{\"do\":\"log\",\"after\":3}\n");

	ASSERT(strstr(text, "{\"result\":\"ok\",\"rows\":[{\"seq\":0,\"kind\":\"ai_message\","
			    "\"payload\":{\"context_ref\":\"default\",\"role\":\"user\","
			    "\"content\":\"Q\"},\"refs\":{\"k\":\"v\"}},{\"seq\":3,"));
	ASSERT(strstr(text, "{\"result\":\"ok\",\"rows\":[{\"seq\":4,\"kind\":\"ai_message\","
			    "\"payload\":{\"context_ref\":\"b\",\"role\":\"user\",\"content\":"
			    "\"x\",\"request_id\":\"r\",\"run_id\":\"r\"},\"refs\":{\"request_id\":"
			    "\"r\",\"run_id\":\"r\"},\"at\":1700000000000}]}\n"));
	loom_arena_destroy(arena);
	PASS();
}

TEST rows_that_are_no_log_are_refused_before_anything_is_read(void)
{
	static const char *const bad[] = {"{}",
					  "[{\"seq\":-1}]",
					  "[{\"seq\":0},{\"seq\":0}]",
					  "[{\"seq\":0,\"payload\":[]}]",
					  "nonsense",
					  "[5]"};

	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		char *text = NULL;
		struct loom_err err = {0};
		ASSERT(feed(bad[i], "{\"do\":\"state\"}\n", &text, &err) != LOOM_OK);
		ASSERT(err.text[0]);
		ASSERT_STR_EQ("", text);
		free(text);
	}
	PASS();
}

static const char *projected(struct loom_arena *arena, const char *rows,
			     const struct loom_project_text *opts)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (loom_project_text(loom_str_of(rows), opts, &out, NULL))
		return "failed";
	const char *text = loom_arena_cstr(arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return text;
}

TEST a_file_of_rows_is_projected_without_a_grove(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_project_text opts = {.at = LOOM_SEQ_HEAD, .lane = LOOM_STR("default")};

	ASSERT(strstr(projected(arena, ROWS, &opts),
		      "{\"system_prompt\":null,\"entries\":[{\"role\":\"user\",\"content\":\"Q\","
		      "\"refs\":{\"k\":\"v\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}"
		      "],"));
	opts.lane = loom_str_make(NULL, 0);
	ASSERT(strstr(projected(arena, ROWS, &opts), "\"lane\":\"b\"}"));
	opts.at = 2;
	ASSERT(strstr(projected(arena, ROWS, &opts), "\"lane\":\"default\"}"));
	opts.at = -1;
	opts.prompt = LOOM_STR("P");
	ASSERT(strstr(projected(arena, ROWS, &opts), "{\"system_prompt\":\"P\",\"entries\":[],"));
	opts = (struct loom_project_text){.at = LOOM_SEQ_HEAD,
					  .lane = LOOM_STR("default"),
					  .limited = true};
	ASSERT(strstr(projected(arena, ROWS, &opts), "\"messages\":[]"));
	ASSERT_STR_EQ("failed", projected(arena, "{}", &opts));
	loom_arena_destroy(arena);
	PASS();
}

TEST a_restart_over_lines_tells_what_it_ended(void)
{
	struct loom_arena *arena = loom_arena_create();
	const char *text = answers(arena, "",
				   "{\"do\":\"run_start\",\"request_id\":\"r\",\"content\":\"Q\"}\n"
				   "{\"do\":\"modify\",\"op_id\":\"o\",\"context_ref\":\"b\","
				   "\"operation\":{\"type\":\"switch\"}}\n"
				   "{\"do\":\"restart\"}\n"
				   "{\"do\":\"restart\"}\n"
				   "{\"do\":\"assistant\",\"request_id\":\"r\"}\n");

	ASSERT(strstr(text, "\"ended\":{\"request_id\":\"r\""));
	ASSERT(strstr(text, "\"late_op_id\":\"o\"}\n{\"result\":\"accepted\"}\n{\"result\":"
			    "\"rejected:request_mismatch\",\"message\":\"another run is open, "
			    "or none: state says which\"}\n"));
	loom_arena_destroy(arena);
	PASS();
}

SUITE(drive)
{
	RUN_TEST(any_line_gets_one_answer);
	RUN_TEST(a_line_without_end_is_refused_once);
	RUN_TEST(commands_that_wait_share_their_commits);
	RUN_TEST(one_that_fails_takes_none_of_its_group_with_it);
	RUN_TEST(a_commit_that_fails_is_tried_for_each_alone);
	RUN_TEST(a_run_goes_over_lines);
	RUN_TEST(the_state_of_an_earlier_seq_is_what_the_log_then_said);
	RUN_TEST(the_log_goes_out_as_it_came_in_and_goes_on_behind_its_last_seq);
	RUN_TEST(rows_that_are_no_log_are_refused_before_anything_is_read);
	RUN_TEST(a_file_of_rows_is_projected_without_a_grove);
	RUN_TEST(a_restart_over_lines_tells_what_it_ended);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(drive);
	GREATEST_MAIN_END();
}
