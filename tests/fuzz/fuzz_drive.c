/* Any lines as commands of `thread drive`: each is answered with one line of JSON that says what
 * came of it, and the log that they leave can be taken up again and says the same. */
#include <loom/chat/drive.h>
#include <loom/base/jval.h>
#include <loom/log/memlog.h>

#include "tests/fuzz/fuzz.h"

static void check_answer(struct loom_str answer)
{
	struct loom_str result;

	must(answer.n > 1 && loom_str_find_char(answer, '\n', 0) == answer.n - 1);
	must(loom_log_json_check(loom_str_sub(answer, 0, answer.n - 1), NULL) == LOOM_OK);
	result = loom_jval_get(loom_jval_of(answer), "result");
	must(loom_jval_type(result) == LOOM_JTYPE_STRING);
}

static void ask(struct loom_drive *drive, struct loom_str line, struct loom_buf *out)
{
	loom_buf_clear(out);
	loom_drive_line(drive, line, out);
	check_answer(loom_buf_str(out));
}

static struct loom_drive *take_up(struct loom_memlog *memlog, struct loom_env *env)
{
	const struct loom_log log = loom_memlog_log(memlog);
	const struct loom_run_opts opts = {.thread = LOOM_STR("t"), .env = env};
	struct loom_drive *drive = NULL;

	must(loom_drive_open(&log, &opts, &drive, NULL) == LOOM_OK);
	return drive;
}

/* A restart changes nothing in what was said; a run that was open is ended by it. */
static void check_restart(struct loom_memlog *memlog, struct loom_env *env,
			  struct loom_drive *drive)
{
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf after = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_drive *again;

	ask(drive, LOOM_STR("{\"do\":\"run_end\",\"outcome\":\"completed\"}"), &before);
	ask(drive, LOOM_STR("{\"do\":\"project\"}"), &before);
	again = take_up(memlog, env);
	ask(again, LOOM_STR("{\"do\":\"project\"}"), &after);
	must(loom_str_eq(loom_buf_str(&before), loom_buf_str(&after)));
	ask(again, LOOM_STR("{\"do\":\"state\"}"), &after);
	loom_drive_close(again);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str rest = fuzz_text(data, size, 0);
	struct loom_memlog *memlog = loom_memlog_create();
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_drive *drive = NULL;
	struct loom_str line;
	struct loom_env env;

	loom_env_init_fixed(&env, 1000, 1);
	drive = take_up(memlog, &env);
	while (loom_str_line(&rest, &line))
		ask(drive, line, &out);
	check_restart(memlog, &env, drive);
	loom_drive_close(drive);
	loom_memlog_destroy(memlog);
	loom_buf_fini(&out);
	return 0;
}
