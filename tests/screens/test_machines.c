/* Two machines on one shared log: what one writes the other shows without a key, and a log that
 * cannot be reached is said in the title until it is back. */
#include "greatest.h"

#include "screens/pty.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEEN_MS 300
#define WRITES  9

#ifdef LOOM_INSTRUMENTED
#define SLOWER 4
#else
#define SLOWER 1
#endif

static struct temp temp;
static char home[600];

/* A line for the shell, in a folder of its own; `loom` is the program. */
static bool shell(const char *line)
{
	const char *const env[] = {home, "LOOM=" SCREENS_LOOM, NULL};
	const struct child_opts opts = {.env = env, .cwd = temp.path};
	struct child_result said;
	struct loom_buf whole = LOOM_BUF_INIT(4096);
	bool good;

	loom_buf_addf(&whole, "loom() { \"$LOOM\" \"$@\"; }; set -e; %s", line);
	good = child_shell(loom_buf_cstr(&whole), &opts, &said) && said.status == 0;
	if (!good)
		fprintf(stderr, "%s: %s%s", line, loom_buf_cstr(&said.out),
			loom_buf_cstr(&said.err));
	child_fini(&said);
	loom_buf_fini(&whole);
	return good;
}

static struct pty *look_at(const char *grove)
{
	char *dir = temp_path(&temp, grove);
	const char *const argv[] = {SCREENS_LOOM, "-g", dir, NULL};
	const char *const env[] = {home, "EDITOR=true", NULL};
	struct pty *pty = pty_open(&(struct pty_opts){.argv = argv, .env = env, .w = 110, .h = 24});

	pty_settle(pty);
	free(dir);
	return pty;
}

static void set_up(void *unused)
{
	(void)unused;
	temp_init(&temp);
	snprintf(home, sizeof home, "HOME=%s", temp.path);
	if (!shell("loom init one --store file://$PWD/novel.loomlog; "
		   "loom -g one new --title Ours --root 'It stood empty.'; "
		   "loom clone file://$PWD/novel.loomlog two"))
		exit(99);
}

static void tear_down(void *unused)
{
	(void)unused;
	temp_fini(&temp);
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

TEST what_one_machine_writes_the_other_shows(void)
{
	struct pty *pty = look_at("two");
	int64_t waits[WRITES];
	char text[40];

	pty_until(pty, "@novel.loomlog");
	for (int i = 0; i < WRITES; i++) {
		int64_t since;

		/* the header of the node counts them */
		snprintf(text, sizeof text, "%d continuation", i + 1);
		ASSERT(shell("loom -g one do respond r001 'A door.'"));
		since = clock_ms();
		pty_until(pty, text);
		waits[i] = clock_ms() - since;
	}
	qsort(waits, WRITES, sizeof *waits, by_size);
	printf("seen after %lld ms, at most %lld\n", (long long)waits[WRITES / 2],
	       (long long)waits[WRITES - 1]);
	ASSERT(waits[WRITES / 2] <= SEEN_MS * SLOWER);
	pty_close(pty);
	PASS();
}

/* The first of two screens on a machine follows for both, and the second when it has gone. */
TEST another_screen_follows_when_the_first_has_gone(void)
{
	struct pty *first = look_at("two");
	struct pty *second = look_at("two");

	ASSERT(shell("loom -g one do respond r001 'For both.'"));
	pty_until(first, "For both.");
	pty_until(second, "For both.");
	pty_until(second, "@novel.loomlog \u00b7 2 here");
	pty_type(second, "oR");
	pty_until(second, "novel.loomlog");
	pty_until(second, "another program of this machine follows it");
	ASSERT(strstr(pty_text(second), "admin"));
	pty_type(second, "\x1b");
	pty_close(first);
	ASSERT(shell("loom -g one do respond r001 'For one.'"));
	pty_until(second, "For one.");
	pty_close(second);
	PASS();
}

/* Another program has the log's turn for two seconds, when this returns. */
static FILE *hold_turn(void)
{
	char line[2000];
	FILE *holder;

	snprintf(line, sizeof line,
		 "exec python3 -c 'import sqlite3, time\n"
		 "db = sqlite3.connect(\"%s/novel.loomlog\", isolation_level=None)\n"
		 "db.execute(\"BEGIN IMMEDIATE\")\n"
		 "print(\"held\", flush=True)\n"
		 "time.sleep(2)'",
		 temp.path);
	holder = popen(line, "r");
	if (!holder || !fgets(line, sizeof line, holder))
		exit(99);
	return holder;
}

/* Another machine has the log's turn: the text is a row with a mark until it is in. */
TEST what_waits_for_the_log_is_a_row_with_a_mark(void)
{
	struct pty *pty = look_at("two");
	FILE *holder;

	pty_until(pty, "@novel.loomlog");
	holder = hold_turn();
	pty_write(pty, LOOM_STR("iA window.\r"));
	pty_until(pty, "\u25cc sent  A window.");
	while (strstr(pty_text(pty), "\u25cc sent"))
		pty_wait(pty);
	pty_until(pty, "A window.");
	ASSERT(!strstr(pty_text(pty), "draft"));
	pclose(holder);
	pty_close(pty);
	PASS();
}

TEST without_the_log_one_reads_until_it_is_back(void)
{
	struct pty *pty;

	ASSERT(shell("mv novel.loomlog away"));
	pty = look_at("two");
	pty_until(pty, "offline since");
	pty_until(pty, "It stood empty.");
	ASSERT(shell("mv away novel.loomlog; loom -g one do respond r001 'It is back.'"));
	pty_until(pty, "It is back.");
	while (strstr(pty_text(pty), "offline"))
		pty_wait(pty);
	pty_close(pty);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_one_machine_writes_the_other_shows);
	RUN_TEST(another_screen_follows_when_the_first_has_gone);
	RUN_TEST(what_waits_for_the_log_is_a_row_with_a_mark);
	RUN_TEST(without_the_log_one_reads_until_it_is_back);
	GREATEST_MAIN_END();
}
