/* The fault drivers, shown to find what they are for and to be content with what is right. */
#include <greatest.h>

#include "support/child.h"
#include "support/temp.h"

/* Runs a shell command with FOLDER set to the temporary folder; keeps what it said. */
static int run_in(const struct temp *temp, const char *command, struct loom_buf *said)
{
	struct loom_buf folder = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *env[] = {NULL, NULL};
	struct child_opts opts = {.env = env, .cwd = temp->path};
	struct child_result result;
	int status = 0;

	loom_buf_addf(&folder, "FOLDER=%s", temp->path);
	env[0] = loom_buf_cstr(&folder);
	child_shell(command, &opts, &result);
	status = result.status;
	loom_buf_init(said, LOOM_BUF_MAX);
	loom_buf_add(said, loom_buf_str(&result.out));
	loom_buf_add(said, loom_buf_str(&result.err));
	child_fini(&result);
	loom_buf_fini(&folder);
	return status;
}

#define CHECK_RUN(want, command)                                                                   \
	do {                                                                                       \
		struct temp temp;                                                                  \
		struct loom_buf said;                                                              \
		int status = 0;                                                                    \
		temp_init(&temp);                                                                  \
		status = run_in(&temp, (command), &said);                                          \
		if (status != (want))                                                              \
			printf("%s\n%s\n", (command), loom_buf_cstr(&said));                       \
		loom_buf_fini(&said);                                                              \
		temp_fini(&temp);                                                                  \
		ASSERT_EQ_FMT((want), status, "%d");                                               \
	} while (0)

#define PRELOADED "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" SHIM_WRITES " "

TEST an_honest_worker_survives_the_kill_loop(void)
{
	CHECK_RUN(0, KILL_LOOP " --rounds 6 --workers 2 --low 60 --high 300 --worker '" LEDGER
			       " work $FOLDER/l' --oracle '" LEDGER " check $FOLDER/l'");
	PASS();
}

TEST a_worker_that_acknowledges_too_early_is_caught(void)
{
	CHECK_RUN(1, KILL_LOOP " --rounds 200 --low 40 --high 200 --worker '" LEDGER
			       " work $FOLDER/l --early' --oracle '" LEDGER " check $FOLDER/l'");
	PASS();
}

TEST a_worker_that_forgets_now_and_then_is_caught(void)
{
	CHECK_RUN(1,
		  KILL_LOOP " --rounds 50 --low 60 --high 400 --worker '" LEDGER
			    " work $FOLDER/l --forgetful' --oracle '" LEDGER " check $FOLDER/l'");
	PASS();
}

TEST a_worker_that_fails_by_itself_is_no_kill(void)
{
	CHECK_RUN(1, KILL_LOOP " --rounds 3 --low 30000 --high 30000 --worker '" LEDGER
			       " work $FOLDER/l --quits' --oracle true");
	PASS();
}

TEST a_loop_in_which_nothing_is_acknowledged_proves_nothing(void)
{
	CHECK_RUN(3, KILL_LOOP " --rounds 2 --low 1 --high 2 --worker 'sleep 5' --oracle true");
	PASS();
}

TEST an_unfinished_line_was_never_acknowledged(void)
{
	CHECK_RUN(0, KILL_LOOP " --rounds 1 --low 1500 --high 1500 "
			       "--worker 'printf \"a\\nb\" >&3; sleep 5' "
			       "--oracle 'test \"$(cat $LOOM_ACKED)\" = a'");
	PASS();
}

TEST the_nth_write_fails_once_and_the_next_does_not(void)
{
	CHECK_RUN(0, PRELOADED "LOOM_FAULT_AT=2 LOOM_FAULT_ERROR=ENOSPC " LEDGER
			       " save $FOLDER/f 2>err; test $? = 1 && grep -q 'No space' err && "
			       "test ! -e $FOLDER/f && test ! -e $FOLDER/f.part");
	PASS();
}

TEST a_sticky_fault_fails_the_clean_up_as_well(void)
{
	CHECK_RUN(0,
		  PRELOADED "LOOM_FAULT_AT=2 LOOM_FAULT_STICKY=1 LOOM_FAULT_ERROR=EIO " LEDGER
			    " save $FOLDER/f 2>err; test $? = 1 && grep -q 'Input/output' err && "
			    "test -e $FOLDER/f.part");
	PASS();
}

TEST files_outside_the_named_folder_are_left_alone(void)
{
	CHECK_RUN(0, "mkdir in out; " PRELOADED
		     "LOOM_FAULT_UNDER=$FOLDER/in LOOM_FAULT_AT=1 LOOM_FAULT_STICKY=1 " LEDGER
		     " save $FOLDER/out/f && "
		     "! ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" SHIM_WRITES
		     " LOOM_FAULT_UNDER=$FOLDER/in LOOM_FAULT_AT=1 " LEDGER " save $FOLDER/in/f");
	PASS();
}

TEST a_folder_whose_name_only_begins_alike_is_outside(void)
{
	CHECK_RUN(0, "mkdir in in2; " PRELOADED
		     "LOOM_FAULT_UNDER=$FOLDER/in LOOM_FAULT_AT=1 " LEDGER " save $FOLDER/in2/f");
	PASS();
}

TEST a_short_write_writes_half_and_says_so(void)
{
	CHECK_RUN(0, PRELOADED "LOOM_FAULT_AT=3 LOOM_FAULT_ERROR=SHORT LOOM_FAULT_STICKY=0 " LEDGER
			       " save $FOLDER/f; test $? = 1 && test ! -e $FOLDER/f");
	PASS();
}

TEST kill_ends_the_process_before_the_call_is_made(void)
{
	/* open, two writes, fsync; the fifth call is the rename */
	CHECK_RUN(0, "sh -c '" PRELOADED "LOOM_FAULT_AT=5 LOOM_FAULT_ERROR=KILL exec " LEDGER
		     " save $FOLDER/f'; test $? = 137 && test ! -e $FOLDER/f && "
		     "grep -q whole $FOLDER/f.part");
	PASS();
}

/* The careful replacement is never half there; when it says yes, the new text is. */
#define CAREFUL                                                                                    \
	" --prepare 'printf old >$FOLDER/f; rm -f $FOLDER/f.part' "                                \
	"--check 'c=$(cat $FOLDER/f); case $LOOM_FAULT_EXIT:$c in "                                \
	"0:\"new, whole\") ;; [1-9]*:old | -1:old) ;; *) exit 1 ;; esac' -- " LEDGER               \
	" save $FOLDER/f"

TEST a_sweep_is_content_with_a_careful_writer(void)
{
	CHECK_RUN(0, SWEEP " --shim " SHIM_WRITES " --under $FOLDER" CAREFUL
			   " >out && cat out && grep -q '^sweep: 5 calls' out");
	CHECK_RUN(0, SWEEP " --shim " SHIM_WRITES " --error EIO --sticky --under $FOLDER" CAREFUL);
	CHECK_RUN(0, SWEEP " --shim " SHIM_WRITES " --error KILL --under $FOLDER" CAREFUL);
	PASS();
}

TEST a_sweep_finds_a_writer_that_overwrites_in_place(void)
{
	CHECK_RUN(1,
		  SWEEP " --shim " SHIM_WRITES " --under $FOLDER --prepare 'printf old >$FOLDER/f' "
			"--check 'test $LOOM_FAULT_EXIT = 0 || grep -q old $FOLDER/f' "
			"-- cp /etc/passwd $FOLDER/f");
	PASS();
}

TEST a_sweep_that_fails_no_call_proves_nothing(void)
{
	CHECK_RUN(3, SWEEP " --shim " SHIM_WRITES " --check true -- true");
	PASS();
}

TEST every_allocation_of_a_run_is_failed_in_turn(void)
{
#if defined(LOOM_INSTRUMENTED)
	SKIPm("the instrumented build allocates for itself");
#endif
	CHECK_RUN(0, "printf old >f; printf old >acked; LOOM_ACKED=$FOLDER/acked " SWEEP
		     " --shim " SHIM_ALLOCS " --check 'grep -q old $FOLDER/f' -- " LEDGER
		     " check $FOLDER/f >out "
		     "&& ! grep -q '^sweep: 0' out");
	PASS();
}

TEST a_run_that_crashes_without_memory_is_found(void)
{
#if defined(LOOM_INSTRUMENTED)
	SKIPm("the instrumented build allocates for itself");
#endif
	CHECK_RUN(1, SWEEP " --shim " SHIM_ALLOCS " --check true -- " LEDGER " careless $FOLDER/f");
	PASS();
}

/* `c` is what the file holds after the cut. */
#define CUT(run, verdict)                                                                          \
	"mkdir d; printf old >d/f; " POWER_CUT " --shim " SHIM_RECORD                              \
	" --under $FOLDER/d --states 200 --oracle 'c=$(cat $FOLDER/d/f 2>&1); " verdict            \
	"' -- " run

TEST a_careful_replacement_is_whole_after_a_power_cut(void)
{
	CHECK_RUN(0, CUT(LEDGER " save $FOLDER/d/f",
			 "test \"$c\" = old || test \"$c\" = \"new, whole\""));
	PASS();
}

TEST a_name_whose_folder_was_not_synced_may_be_lost(void)
{
	CHECK_RUN(1, CUT(LEDGER " save $FOLDER/d/f",
			 "test $LOOM_FAULT_EXIT = -1 || test \"$c\" = \"new, whole\""));
	PASS();
}

TEST what_was_not_synced_may_be_torn(void)
{
	CHECK_RUN(1, CUT("cp /etc/passwd $FOLDER/d/f",
			 "test \"$c\" = old || test -z \"$c\" || cmp -s /etc/passwd $FOLDER/d/f"));
	PASS();
}

TEST what_was_acknowledged_before_the_cut_is_known(void)
{
	CHECK_RUN(0, CUT(LEDGER " save $FOLDER/d/f",
			 "test ! -s $LOOM_ACKED || test \"$(cat $LOOM_ACKED)\" = saved"));
	CHECK_RUN(1, CUT(LEDGER " save $FOLDER/d/f", "test ! -s $LOOM_ACKED"));
	PASS();
}

TEST a_run_that_changes_nothing_proves_nothing(void)
{
	CHECK_RUN(3, CUT("true", "true"));
	PASS();
}

#define LOCKED "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" SHIM_CHECKPOINT " "

TEST a_checkpoint_without_the_lock_is_caught(void)
{
	CHECK_RUN(0, "command -v sqlite3 >/dev/null || exit 0; touch lock; " LOCKED
		     "sqlite3 grove.db 'PRAGMA journal_mode = wal; CREATE TABLE t(x);' "
		     ">/dev/null 2>err; test $? -ge 128 && grep -q 'without its lock' err");
	PASS();
}

TEST no_checkpoint_of_ours_runs_without_the_lock(void)
{
	/* it grows by checkpoints alone: there were some */
	CHECK_RUN(0,
		  WORKER_STORE " init $FOLDER/g; cp g/.loom/grove.db before; " LOCKED WORKER_STORE
			       " steps $FOLDER/g 400 && " LOCKED WORKER_STORE " check $FOLDER/g && "
			       "test $(wc -c <g/.loom/grove.db) -gt $(wc -c <before)");
	CHECK_RUN(0, LOCKED WRITERS " --writers 4 --readers 2 --ops 60");
	PASS();
}

SUITE(drivers)
{
	RUN_TEST(an_honest_worker_survives_the_kill_loop);
	RUN_TEST(a_worker_that_acknowledges_too_early_is_caught);
	RUN_TEST(a_worker_that_forgets_now_and_then_is_caught);
	RUN_TEST(a_worker_that_fails_by_itself_is_no_kill);
	RUN_TEST(a_loop_in_which_nothing_is_acknowledged_proves_nothing);
	RUN_TEST(an_unfinished_line_was_never_acknowledged);
	RUN_TEST(the_nth_write_fails_once_and_the_next_does_not);
	RUN_TEST(a_sticky_fault_fails_the_clean_up_as_well);
	RUN_TEST(files_outside_the_named_folder_are_left_alone);
	RUN_TEST(a_folder_whose_name_only_begins_alike_is_outside);
	RUN_TEST(a_short_write_writes_half_and_says_so);
	RUN_TEST(kill_ends_the_process_before_the_call_is_made);
	RUN_TEST(a_sweep_is_content_with_a_careful_writer);
	RUN_TEST(a_sweep_finds_a_writer_that_overwrites_in_place);
	RUN_TEST(a_sweep_that_fails_no_call_proves_nothing);
	RUN_TEST(every_allocation_of_a_run_is_failed_in_turn);
	RUN_TEST(a_run_that_crashes_without_memory_is_found);
	RUN_TEST(a_careful_replacement_is_whole_after_a_power_cut);
	RUN_TEST(a_name_whose_folder_was_not_synced_may_be_lost);
	RUN_TEST(what_was_not_synced_may_be_torn);
	RUN_TEST(what_was_acknowledged_before_the_cut_is_known);
	RUN_TEST(a_run_that_changes_nothing_proves_nothing);
	RUN_TEST(a_checkpoint_without_the_lock_is_caught);
	RUN_TEST(no_checkpoint_of_ours_runs_without_the_lock);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(drivers);
	GREATEST_MAIN_END();
}
