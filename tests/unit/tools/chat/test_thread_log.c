/* The log in the store against the log in memory: the same commands get the same answers, also
 * after the grove was closed and opened in between. */
#include <greatest.h>

#include <loom/chat/drive.h>
#include <loom/log/memlog.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include "support/grove.h"
#include "support/prop.h"

/* Every call here says what went wrong in `err`. */
#define OK(call) ASSERT_EQ_FMT(LOOM_OK, (int)(call), "%d")

static struct grove g;

static int64_t make_thread(void)
{
	struct loom_err err;
	struct loom_thread thread;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_thread_ensure(g.store, g.owner, tree, g.arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "end");
	return thread.id;
}

/* A command of any kind, often wrong in some way. */
static const char *draw(struct prop *prop, char *line, size_t size)
{
	static const char *const lanes[] = {"default", "side", "other"};
	static const char *const outcomes[] = {"completed", "failed", "cancelled", "worker_exit"};
	const char *lane = lanes[prop_below(prop, 3)];
	size_t n = prop_below(prop, 12);
	size_t r = prop_below(prop, 4);

	switch (prop_below(prop, 10)) {
	case 0:
	case 1:
		snprintf(line, size,
			 "{\"do\":\"run_start\",\"request_id\":\"r%zu\",\"content\":\"q%zu\"}", r,
			 n);
		break;
	case 2:
		snprintf(line, size, "{\"do\":\"assistant\",\"content\":\"a%zu\"}", n);
		break;
	case 3:
		snprintf(line, size,
			 "{\"do\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c%zu\","
			 "\"name\":"
			 "\"t\",\"arguments\":\"{}\"}]}",
			 n);
		break;
	case 4:
		snprintf(line, size,
			 "{\"do\":\"tool_result\",\"tool_call_id\":\"c%zu\",\"name\":\"t\","
			 "\"content\":"
			 "\"x\",\"request_id\":\"r%zu\"}",
			 n, r);
		break;
	case 5:
		snprintf(line, size, "{\"do\":\"steer\",\"content\":\"s%zu\"}", n);
		break;
	case 6:
		snprintf(line, size, "{\"do\":\"drain\"}");
		break;
	case 7:
		snprintf(line, size, "{\"do\":\"run_end\",\"outcome\":\"%s\"}", outcomes[r]);
		break;
	case 8:
		snprintf(line, size,
			 "{\"do\":\"modify\",\"op_id\":\"op%zu\",\"context_ref\":\"%s\","
			 "\"operation\":{"
			 "\"type\":\"%s\",\"reason\":\"manual\",\"result_context\":{\"id\":\"c\","
			 "\"system_prompt\":null,\"entries\":[{\"role\":\"user\",\"content\":\"k%"
			 "zu\"}]}}}",
			 prop_below(prop, 40), lane, prop_once_in(prop, 3) ? "switch" : "replace",
			 n);
		break;
	default:
		snprintf(line, size, "{\"do\":\"project\",\"lane\":\"%s\"}", lane);
		break;
	}
	return line;
}

static const char *compare(struct prop *prop, struct loom_drive *memory, struct loom_drive *stored,
			   int steps)
{
	static const char *const looks[] = {"{\"do\":\"state\"}", "{\"do\":\"log\"}"};
	struct loom_buf a = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf b = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *wrong = NULL;
	char line[512];

	for (int i = 0; i < steps && !wrong; i++) {
		struct loom_str command =
			loom_str_of(i % 7 == 6 ? looks[i / 7 % 2] : draw(prop, line, sizeof line));

		loom_buf_clear(&a);
		loom_buf_clear(&b);
		loom_drive_line(memory, command, &a);
		loom_drive_line(stored, command, &b);
		if (!loom_str_eq(loom_buf_str(&a), loom_buf_str(&b))) {
			fprintf(stderr, "%.*s\nmemory: %s\nstored: %s\n", LOOM_STR_ARG(command),
				loom_buf_cstr(&a), loom_buf_cstr(&b));
			wrong = "the answers differ";
		}
	}
	loom_buf_fini(&a);
	loom_buf_fini(&b);
	return wrong;
}

TEST the_store_answers_as_memory_does(uint64_t seed)
{
	struct loom_err err;
	struct prop prop;
	struct loom_memlog *memlog = loom_memlog_create();
	struct loom_log memory = loom_memlog_log(memlog);
	struct loom_run_opts opts = {.thread = LOOM_STR_INIT("t")};
	struct loom_drive *a = NULL;
	struct loom_drive *b = NULL;
	struct loom_thread_log *log = NULL;
	const char *wrong = NULL;
	int64_t thread;

	grove_init(&g);
	thread = make_thread();
	opts.env = &g.env;
	prop_init_seed(&prop, seed);
	for (int part = 0; part < 3 && !wrong; part++) {
		struct loom_log stored;

		OK(loom_thread_log_open(g.store, thread, NULL, &log, &err));
		stored = loom_thread_log_face(log);
		OK(loom_drive_open(&memory, &opts, &a, &err));
		OK(loom_drive_open(&stored, &opts, &b, &err));
		wrong = compare(&prop, a, b, 60);
		loom_drive_close(a);
		loom_drive_close(b);
		loom_thread_log_close(log);
		grove_reopen(&g);
	}
	loom_memlog_destroy(memlog);
	grove_fini(&g);
	if (wrong)
		FAILm(wrong);
	PASS();
}

TEST rows_can_neither_be_changed_nor_deleted(void)
{
	struct loom_err err;
	struct loom_thread_log *log = NULL;
	struct loom_log face;
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
				   .kind = LOOM_STR_INIT("note"),
				   .payload = LOOM_STR_INIT("{\"text\":\"kept\"}")};
	int64_t seq = -1;
	char command[600];

	grove_init(&g);
	OK(loom_thread_log_open(g.store, make_thread(), NULL, &log, &err));
	face = loom_thread_log_face(log);
	OK(face.ops->begin(face.ctx, &err));
	OK(loom_log_append(&face, &row, &seq, &err));
	OK(face.ops->commit(face.ctx, &err));
	ASSERT_EQ(0, seq);
	loom_thread_log_close(log);
	snprintf(command, sizeof command,
		 "command -v sqlite3 >/dev/null || exit 0; "
		 "! sqlite3 %s/.loom/grove.db \"update log set payload='x'\" 2>/dev/null && "
		 "! sqlite3 %s/.loom/grove.db 'delete from log' 2>/dev/null",
		 g.temp.path, g.temp.path);
	ASSERT_EQ(0, system(command));
	grove_fini(&g);
	PASS();
}

SUITE(thread_log)
{
	struct prop prop;

	prop_init(&prop, "thread log");
	for (int i = 0; i < 10; i++)
		RUN_TESTp(the_store_answers_as_memory_does, prop_next(&prop));
	RUN_TEST(rows_can_neither_be_changed_nor_deleted);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(thread_log);
	GREATEST_MAIN_END();
}
