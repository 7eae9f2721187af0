/* What leaves for a pipe, a file and a terminal. */
#include <greatest.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <loom/cli/results.h>
#include <loom/cli/services.h>

/* Two places to read what was said: pipes, or one terminal for both. */
struct stage {
	struct loom_env env;
	struct loom_out *out;
	int results[2]; /* read, write */
	int notes[2];
	bool no_color;
	struct loom_buf got;
};

static const char *stage_var(void *ctx, const char *name)
{
	const struct stage *stage = ctx;

	if (strcmp(name, "TERM") == 0)
		return "xterm";
	return strcmp(name, "NO_COLOR") == 0 && stage->no_color ? "1" : NULL;
}

static void stage_create(struct stage *stage, bool json, bool raw)
{
	struct loom_out_opts opts = {
		.out_fd = stage->results[1],
		.err_fd = stage->notes[1],
		.json = json,
		.raw = raw,
		.env = &stage->env,
	};

	loom_env_init_fixed(&stage->env, 0, 0);
	stage->env.var = stage_var;
	stage->env.ctx = stage;
	loom_buf_init(&stage->got, LOOM_BUF_MAX);
	stage->out = loom_out_create(&opts);
}

static bool open_pipes(struct stage *stage, bool json, bool raw)
{
	*stage = (struct stage){.no_color = false};
	if (pipe(stage->results) || pipe(stage->notes))
		return false;
	stage_create(stage, json, raw);
	return true;
}

/* One terminal of 40 columns; false where there are none. */
static bool open_terminal(struct stage *stage, bool json, bool no_color)
{
	struct winsize size = {.ws_row = 10, .ws_col = 40};
	struct termios modes;
	int host = posix_openpt(O_RDWR | O_NOCTTY);
	int guest = -1;

	if (host < 0 || grantpt(host) || unlockpt(host))
		return false;
	guest = open(ptsname(host), O_RDWR | O_NOCTTY);
	if (guest < 0 || tcgetattr(guest, &modes))
		return false;
	modes.c_oflag &= ~(tcflag_t)OPOST;
	tcsetattr(guest, TCSANOW, &modes);
	ioctl(guest, TIOCSWINSZ, &size);
	*stage = (struct stage){.no_color = no_color};
	stage->results[0] = stage->notes[0] = host;
	stage->results[1] = stage->notes[1] = guest;
	stage_create(stage, json, false);
	return true;
}

/* What came out at that end so far, as a C string until the next call. */
static const char *heard(struct stage *stage, int fd)
{
	struct pollfd waiting = {.fd = fd, .events = POLLIN};
	char bytes[4096];

	loom_buf_clear(&stage->got);
	while (poll(&waiting, 1, 50) > 0 && (waiting.revents & POLLIN)) {
		ssize_t n = read(fd, bytes, sizeof bytes);

		if (n <= 0)
			break;
		loom_buf_add(&stage->got, loom_str_make(bytes, (size_t)n));
	}
	return loom_buf_cstr(&stage->got);
}

static const char *results(struct stage *stage)
{
	return loom_out_flush(stage->out, NULL) ? "(failed)" : heard(stage, stage->results[0]);
}

static void close_stage(struct stage *stage)
{
	loom_out_destroy(stage->out);
	loom_buf_fini(&stage->got);
	close(stage->results[0]);
	close(stage->results[1]);
	if (stage->notes[0] != stage->results[0]) {
		close(stage->notes[0]);
		close(stage->notes[1]);
	}
}

TEST controls_in_results_are_made_visible(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, false));
	loom_out_text(stage.out, LOOM_STR("a\033[31mb\r\xe2\x80\xae\n"));
	loom_out_line(stage.out, LOOM_STR("\x07"));
	ASSERT_STR_EQ("a^[[31mb^M<RLO>\n^G\n", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST raw_results_leave_as_they_are(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, true));
	loom_out_text(stage.out, LOOM_STR("a\033[31mb\r"));
	ASSERT_STR_EQ("a\033[31mb\r", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST data_leaves_untouched_for_a_pipe_and_visible_for_a_terminal(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, false));
	loom_out_data(stage.out, LOOM_STR("\033c"));
	ASSERT_STR_EQ("\033c", results(&stage));
	close_stage(&stage);
	if (!open_terminal(&stage, false, false))
		SKIPm("no terminals here");
	loom_out_data(stage.out, LOOM_STR("\033c"));
	ASSERT_STR_EQ("^[c", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST json_on_a_terminal_stays_json_and_shows_nothing_raw(void)
{
	struct stage stage;
	struct loom_json *json = NULL;

	if (!open_terminal(&stage, true, false))
		SKIPm("no terminals here");
	json = loom_out_json_begin(stage.out);
	loom_json_object(json);
	loom_json_put(json, "t", LOOM_STR("\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81 é 日"));
	loom_json_end_object(json);
	loom_out_json_end(stage.out);
	ASSERT_STR_EQ("{\"t\":\"\\u009b\\u202e\\udb40\\udc01 é 日\"}\n", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST json_for_a_pipe_keeps_its_characters(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, true, false));
	loom_out_json_text(stage.out, LOOM_STR("{\"t\":\"\xe2\x80\xae\"}"));
	ASSERT_STR_EQ("{\"t\":\"\xe2\x80\xae\"}\n", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST colour_is_for_terminals_without_no_color(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, false));
	loom_out_styled(stage.out, LOOM_STRONG, LOOM_STR("x"));
	ASSERT_STR_EQ("x", results(&stage));
	close_stage(&stage);
	if (!open_terminal(&stage, false, false))
		SKIPm("no terminals here");
	loom_out_styled(stage.out, LOOM_STRONG, LOOM_STR("x\033"));
	ASSERT_STR_EQ("\033[1mx^[\033[0m", results(&stage));
	ASSERT_EQ(40, loom_out_columns(stage.out));
	close_stage(&stage);
	ASSERT(open_terminal(&stage, false, true));
	loom_out_styled(stage.out, LOOM_STRONG, LOOM_STR("x"));
	ASSERT_STR_EQ("x", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST errors_have_two_lines_on_the_stream_of_notes(void)
{
	struct stage stage;
	struct loom_err err;

	ASSERT(open_pipes(&stage, false, false));
	loom_fail(&err, LOOM_NOT_FOUND, "no\nnode \033[2J");
	loom_hint(&err, LOOM_NOT_FOUND, "look\raround");
	loom_out_texts(stage.out, "result\n");
	loom_out_error(stage.out, NULL, &err);
	ASSERT_STR_EQ("✗ NOT_FOUND: no⏎node ^[[2J\n  hint: look^Maround\n",
		      heard(&stage, stage.notes[0]));
	ASSERT_STR_EQ("result\n", heard(&stage, stage.results[0]));
	loom_fail(&err, LOOM_REFUSED, "too late");
	loom_out_error(stage.out, "token_expired", &err);
	ASSERT_STR_EQ("✗ token_expired: too late\n", heard(&stage, stage.notes[0]));
	close_stage(&stage);
	PASS();
}

TEST errors_are_one_line_of_json_when_asked_for(void)
{
	struct stage stage;
	struct loom_err err;

	ASSERT(open_pipes(&stage, true, false));
	loom_fail(&err, LOOM_CONFLICT, "a \"b\"\n");
	loom_out_error(stage.out, NULL, &err);
	ASSERT_STR_EQ("{\"error\":{\"code\":\"CONFLICT\",\"text\":\"a \\\"b\\\"\\n\",\"hint\":\"\","
		      "\"retryable\":true}}\n",
		      heard(&stage, stage.notes[0]));
	ASSERT_STR_EQ("", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST notes_and_warnings_are_single_lines(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, false));
	loom_out_note(stage.out, "%s and %d", "a\nb", 7);
	loom_out_warn(stage.out, "c");
	ASSERT_STR_EQ("note: a⏎b and 7\nwarning: c\n", heard(&stage, stage.notes[0]));
	close_stage(&stage);
	PASS();
}

TEST progress_stands_on_a_terminal_until_something_is_said(void)
{
	struct stage stage;

	ASSERT(open_pipes(&stage, false, false));
	loom_out_progress(stage.out, LOOM_STR("working"));
	ASSERT_STR_EQ("", heard(&stage, stage.notes[0]));
	close_stage(&stage);
	if (!open_terminal(&stage, false, true))
		SKIPm("no terminals here");
	loom_out_progress(stage.out, LOOM_STR("one\033"));
	loom_out_progress(stage.out, LOOM_STR("two"));
	loom_out_texts(stage.out, "result\n");
	ASSERT_STR_EQ("\r\033[Kone^[\r\033[Ktwo\r\033[Kresult\n", results(&stage));
	close_stage(&stage);
	PASS();
}

TEST a_line_of_progress_never_wraps(void)
{
	struct stage stage;
	struct loom_buf line = LOOM_BUF_INIT(1000);
	const char *got = NULL;

	if (!open_terminal(&stage, false, true))
		SKIPm("no terminals here");
	loom_buf_add_repeat(&line, 'x', 200);
	loom_out_progress(stage.out, loom_buf_str(&line));
	got = heard(&stage, stage.notes[0]);
	ASSERT_EQ_FMT((size_t)4 + 38 + strlen("…"), strlen(got), "%zu");
	loom_buf_fini(&line);
	close_stage(&stage);
	PASS();
}

TEST a_full_disk_is_told_once_and_with_its_name(void)
{
	struct stage stage;
	struct loom_err err = {.status = LOOM_OK};
	int full = open("/dev/full", O_WRONLY);

	if (full < 0)
		SKIPm("no /dev/full here");
	ASSERT(open_pipes(&stage, false, false));
	close(stage.results[1]);
	stage.results[1] = full;
	loom_out_destroy(stage.out);
	stage_create(&stage, false, false);
	loom_out_texts(stage.out, "x");
	ASSERT_EQ(LOOM_FULL, loom_out_flush(stage.out, &err));
	ASSERT(strstr(err.text, "standard output: No space left"));
	loom_out_texts(stage.out, "y");
	ASSERT_EQ(LOOM_FULL, loom_out_flush(stage.out, NULL));
	ASSERT(!loom_out_closed(stage.out));
	close_stage(&stage);
	PASS();
}

TEST a_reader_that_went_away_is_no_error(void)
{
	struct stage stage;

	signal(SIGPIPE, SIG_IGN);
	ASSERT(open_pipes(&stage, false, false));
	close(stage.results[0]);
	loom_out_texts(stage.out, "x");
	ASSERT_EQ(LOOM_OK, loom_out_flush(stage.out, NULL));
	ASSERT(loom_out_closed(stage.out));
	stage.results[0] = dup(stage.notes[0]);
	close_stage(&stage);
	PASS();
}

static void *read_slowly(void *ctx)
{
	struct stage *stage = ctx;
	char bytes[1000];
	size_t total = 0;
	ssize_t n = 0;

	while (total < 3000000 && (n = read(stage->results[0], bytes, sizeof bytes)) > 0)
		total += (size_t)n;
	return (void *)(uintptr_t)total;
}

TEST a_slow_reader_on_a_nonblocking_pipe_gets_everything(void)
{
	struct stage stage;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	pthread_t thread;
	void *total = NULL;

	ASSERT(open_pipes(&stage, false, false));
	fcntl(stage.results[1], F_SETFL, O_NONBLOCK);
	loom_buf_add_repeat(&text, 'x', 3000000);
	pthread_create(&thread, NULL, read_slowly, &stage);
	loom_out_text(stage.out, loom_buf_str(&text));
	ASSERT_EQ(LOOM_OK, loom_out_flush(stage.out, NULL));
	pthread_join(thread, &total);
	ASSERT_EQ(3000000, (uintptr_t)total);
	loom_buf_fini(&text);
	close_stage(&stage);
	PASS();
}

static struct loom_str file_text(FILE *file, struct loom_buf *buf)
{
	char bytes[4096];
	size_t n = 0;

	rewind(file);
	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
		loom_buf_add(buf, loom_str_make(bytes, n));
	return loom_buf_str(buf);
}

TEST long_texts_are_cut_for_showing_only_where_a_character_ends(void)
{
	struct stage stage;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf back = LOOM_BUF_INIT(LOOM_BUF_MAX);
	FILE *file = tmpfile();

	ASSERT(file && open_pipes(&stage, false, false));
	close(stage.results[1]);
	stage.results[1] = dup(fileno(file));
	loom_out_destroy(stage.out);
	stage_create(&stage, false, false);
	for (int i = 0; i < 70000; i++)
		loom_buf_adds(&text, i % 1000 ? "日" : "\n");
	loom_out_text(stage.out, loom_buf_str(&text));
	ASSERT_EQ(LOOM_OK, loom_out_flush(stage.out, NULL));
	ASSERT(loom_str_eq(loom_buf_str(&text), file_text(file, &back)));
	loom_buf_fini(&text);
	loom_buf_fini(&back);
	fclose(file);
	close_stage(&stage);
	PASS();
}

TEST progress_says_what_how_much_how_long_and_how_to_stop(void)
{
	struct loom_cli_work work = {.what = "importing", .unit = "nodes"};
	struct loom_task task = {.cancelled = false};
	struct loom_buf line = LOOM_BUF_INIT(1000);

	cli_progress_line(&line, &work, &task, 2500);
	ASSERT_STR_EQ("importing · 2s · ^C stops", loom_buf_cstr(&line));
	loom_buf_clear(&line);
	loom_task_report(&task, 24000, 1000000);
	cli_progress_line(&line, &work, &task, 2000);
	ASSERT_STR_EQ("importing 24,000 of 1,000,000 nodes · 12,000/s · 1m 22s left · ^C stops",
		      loom_buf_cstr(&line));
	loom_buf_clear(&line);
	loom_task_report(&task, 7000, 0);
	loom_task_cancel(&task);
	cli_progress_line(&line, &work, &task, 7300000);
	ASSERT_STR_EQ("importing 7,000 nodes · 2h 1m · stopping", loom_buf_cstr(&line));
	loom_buf_fini(&line);
	PASS();
}

SUITE(out)
{
	RUN_TEST(controls_in_results_are_made_visible);
	RUN_TEST(raw_results_leave_as_they_are);
	RUN_TEST(data_leaves_untouched_for_a_pipe_and_visible_for_a_terminal);
	RUN_TEST(json_on_a_terminal_stays_json_and_shows_nothing_raw);
	RUN_TEST(json_for_a_pipe_keeps_its_characters);
	RUN_TEST(colour_is_for_terminals_without_no_color);
	RUN_TEST(errors_have_two_lines_on_the_stream_of_notes);
	RUN_TEST(errors_are_one_line_of_json_when_asked_for);
	RUN_TEST(notes_and_warnings_are_single_lines);
	RUN_TEST(progress_stands_on_a_terminal_until_something_is_said);
	RUN_TEST(a_line_of_progress_never_wraps);
	RUN_TEST(a_full_disk_is_told_once_and_with_its_name);
	RUN_TEST(a_reader_that_went_away_is_no_error);
	RUN_TEST(a_slow_reader_on_a_nonblocking_pipe_gets_everything);
	RUN_TEST(long_texts_are_cut_for_showing_only_where_a_character_ends);
	RUN_TEST(progress_says_what_how_much_how_long_and_how_to_stop);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(out);
	GREATEST_MAIN_END();
}
