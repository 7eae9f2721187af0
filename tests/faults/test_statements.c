/* Every call that the store makes of SQLite fails once (prop_every says which under a sanitizer),
 * in each way that SQLite knows: whoever asked is told in words, nothing is half done, and the next
 * try works. What is tried stands in acts.h. */
#include <greatest.h>

#include <linux/magic.h>

#include <loom/base/hash.h>
#include <loom/tree/open_store.h>

#include "faults/acts.h"
#include "faults/refuse.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

/* How many calls of one act at most; each has an end long before. */
#define CALLS_MAX 4000

static void say(const struct act *act, int64_t n, const char *what, const struct loom_err *err)
{
	fprintf(stderr, "%s, call %lld: %s: %s\n", act->name, (long long)n, what, err->text);
}

/* What is wrong with what an act said whose n-th call failed; NULL: nothing. */
static const char *fault_of(const struct act *act, enum loom_status status,
			    const struct refuse_how *how, const struct loom_err *err)
{
	if (status == LOOM_OK)
		return act->how & ACT_PASSES_OVER ? NULL : "failed and nobody was told";
	if (!err->text[0])
		return "was refused without a word";
	if (status != how->status && !(act->how & ACT_SAYS_OTHERWISE))
		return loom_status_code(status);
	return loom_op_current(act_grove()->store) ? "left a write open" : NULL;
}

static struct loom_hash contents(void)
{
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_hash hash;

	raw_dump(act_grove(), "epoch", &all);
	hash = loom_sha256(loom_buf_str(&all));
	loom_buf_fini(&all);
	return hash;
}

/* What a kill would leave now: the grove and its log, somewhere else. */
static bool opens_elsewhere(void)
{
	static const char *const names[] = {LOOM_GROVE_DIR "/" LOOM_GROVE_FILE,
					    LOOM_GROVE_DIR "/" LOOM_GROVE_FILE "-wal"};
	struct loom_store *store = NULL;
	struct loom_err err = {.status = LOOM_OK};
	struct temp elsewhere;
	bool opens;

	temp_init(&elsewhere);
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
		char *path = temp_path(&act_grove()->temp, names[i]);

		if (temp_read(path, &bytes))
			temp_write_mode(&elsewhere, names[i], loom_buf_str(&bytes), 0600);
		loom_buf_fini(&bytes);
		free(path);
	}
	opens = loom_store_open(&act_grove()->env, loom_str_of(elsewhere.path), LOOM_READ, &store,
				&err) == LOOM_OK;
	loom_store_close(store);
	temp_fini(&elsewhere);
	return opens;
}

/* A small commit may have taken the place of one that failed; it changes nothing that can be seen.
 */
static const char *fault_of_a_refused(struct loom_store *watch, const struct loom_hash *before)
{
	struct loom_hash now;

	if (!loom_store_changed(watch))
		return NULL;
	now = contents();
	if (!loom_hash_eq(before, &now))
		return "was refused and changed something";
	return opens_elsewhere() ? NULL : "was refused and left what could not be opened";
}

/* One try with the n-th call failing; *out_fired is false when there are fewer. */
static const char *try_once(const struct act *act, int64_t n, bool *out_fired, struct loom_err *err)
{
	const struct refuse_how *how = refuse_how(n);
	struct loom_store *watch = grove_connect(act_grove(), LOOM_READ);
	const struct loom_hash before = contents();
	const char *fault = NULL;
	enum loom_status status;

	*err = (struct loom_err){.status = LOOM_OK};
	refuse_arm(n, how, false);
	status = act->run(err);
	*out_fired = refuse_disarm();
	if (*out_fired)
		fault = fault_of(act, status, how, err);
	else if (status != LOOM_OK)
		fault = "did not work when nothing failed";
	if (!fault && *out_fired && status != LOOM_OK && !(act->how & ACT_IN_PARTS))
		fault = fault_of_a_refused(watch, &before);
	loom_store_close(watch);
	return fault;
}

/* A write that was refused is tried once more as it is, on the same connection. */
static const char *try_again(const struct act *act, struct loom_err *err)
{
	*err = (struct loom_err){.status = LOOM_OK};
	return act->run(err) == LOOM_OK ? NULL : "did not work when it was tried again";
}

static int64_t findings_of_a_deep_check(void)
{
	struct loom_check_opts opts = {.deep = true};
	struct loom_err err = {.status = LOOM_OK};
	int64_t findings = 0;

	grove_must(loom_store_check(act_grove()->store, &opts, &findings, &err), &err, "check");
	return findings;
}

TEST a_call_that_fails_is_told_of_and_leaves_nothing_half_done(const struct act *act)
{
	struct loom_err err = {.status = LOOM_OK};
	const char *fault = NULL;
	bool fired = true;
	int64_t n = 0;

	act_set_up(act);
	while (fired && !fault && n < CALLS_MAX) {
		act_fresh(act);
		n += prop_every(3);
		fault = try_once(act, n, &fired, &err);
		if (fired && !fault && act->how & ACT_AGAIN)
			fault = try_again(act, &err);
		if (fault)
			say(act, n, fault, &err);
	}
	if (!fault && findings_of_a_deep_check())
		fault = "the grove is not as it should be";
	act_tear_down();
	ASSERT_EQm(act->name, NULL, fault);
	ASSERTm(act->name, n > 1 && n < CALLS_MAX);
	PASS();
}

/* The disk stays full from some call on: what is given up cannot even be marked so, and its own
 * retry takes it over. */
TEST a_write_that_could_not_be_buried_is_taken_over_by_its_retry(const struct act *act)
{
	struct loom_err err = {.status = LOOM_OK};
	const char *fault = NULL;
	bool fired = true;
	int64_t n = 0;

	act_set_up(act);
	while (fired && !fault && n < CALLS_MAX) {
		act_fresh(act);
		n += 3;
		refuse_arm(n, refuse_how(0), true);
		fault = act->run(&err) == LOOM_OK ? NULL : "";
		fired = refuse_disarm();
		if (fired)
			fault = fault ? try_again(act, &err) : "failed and nobody was told";
		if (fault)
			say(act, n, fault, &err);
	}
	if (!fault && findings_of_a_deep_check())
		fault = "the grove is not as it should be";
	act_tear_down();
	ASSERT_EQm(act->name, NULL, fault);
	PASS();
}

/* From the very first call on, in each way; without memory there is not even a connection. */
TEST a_grove_that_cannot_be_opened_says_why(void)
{
	for (int64_t i = 0; i < refuse_ways(); i++) {
		struct loom_err err = {.status = LOOM_OK};
		struct loom_store *store = NULL;
		enum loom_status status;

		act_set_up(&acts[0]);
		refuse_arm(1, refuse_how(i), true);
		status = loom_store_open(&act_grove()->env, loom_str_of(act_grove()->temp.path),
					 LOOM_READ, &store, &err);
		ASSERT(refuse_disarm());
		ASSERT_EQ(refuse_how(i)->status, status);
		ASSERT(err.text[0]);
		ASSERT_EQ(NULL, store);
		act_tear_down();
	}
	PASS();
}

/* An old grove is brought up under the lock, and without one it is left alone. */
TEST without_locks_nothing_is_written(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *store = NULL;
	struct grove *grove = act_grove();

	act_set_up(&acts[0]);
	loom_store_close(grove->store);
	grove->store = NULL;
	raw_age(grove);
	refuse_locks(true);
	ASSERT_EQ(LOOM_BUSY, loom_store_open(&grove->env, loom_str_of(grove->temp.path), LOOM_WRITE,
					     &store, &err));
	refuse_locks(false);
	ASSERT(err.text[0]);
	ASSERT_EQ(1, raw_int(grove, "SELECT user_version FROM pragma_user_version"));
	grove_reopen(grove);
	refuse_locks(true);
	ASSERT_EQ(LOOM_BUSY, loom_quiet_begin(grove->store, &err));
	refuse_locks(false);
	ASSERT_EQ(LOOM_OK, loom_quiet_begin(grove->store, &err));
	loom_op_rollback(grove->store);
	act_tear_down();
	PASS();
}

/* A project may be moved, and a disk be mounted elsewhere: a grove is made here and opened there.
 */
TEST a_grove_on_a_network_is_neither_made_nor_opened(void)
{
	static const enum loom_access ways[] = {LOOM_READ, LOOM_WRITE};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *store = NULL;
	struct grove *grove = act_grove();
	struct loom_buf other = LOOM_BUF_INIT(LOOM_BUF_MAX);

	act_set_up(&acts[0]);
	loom_buf_addf(&other, "%s/other", grove->temp.path);
	refuse_disk(NFS_SUPER_MAGIC);
	ASSERT_EQ(LOOM_IO, loom_grove_init(&grove->env, loom_buf_str(&other), &err));
	for (size_t i = 0; i < LOOM_COUNT(ways); i++) {
		loom_err_clear(&err);
		ASSERT_EQ(LOOM_IO, loom_store_open(&grove->env, loom_str_of(grove->temp.path),
						   ways[i], &store, &err));
		ASSERT_EQ(NULL, store);
		ASSERTm(err.text, strstr(err.text, "network file system (NFS)"));
	}
	refuse_disk(0);
	ASSERT_EQ(LOOM_OK, loom_store_open(&grove->env, loom_str_of(grove->temp.path), LOOM_READ,
					   &store, &err));
	loom_store_close(store);
	loom_buf_fini(&other);
	act_tear_down();
	PASS();
}

/* Where nobody says which boot this is, turns are kept apart by their clock alone. */
TEST turns_are_taken_on_a_machine_that_does_not_tell_its_boot(void)
{
	struct loom_err err = {.status = LOOM_OK};
	const struct act *act = acts;

	while (strcmp(act->name, "take a turn") != 0)
		act++;
	act_set_up(act);
	act_fresh(act);
	refuse_boot(true);
	ASSERT_EQm(err.text, LOOM_OK, act->run(&err));
	refuse_boot(false);
	act_tear_down();
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(a_grove_that_cannot_be_opened_says_why);
	RUN_TEST(without_locks_nothing_is_written);
	RUN_TEST(a_grove_on_a_network_is_neither_made_nor_opened);
	RUN_TEST(turns_are_taken_on_a_machine_that_does_not_tell_its_boot);
	for (const struct act *act = acts; act->name; act++)
		RUN_TESTp(a_call_that_fails_is_told_of_and_leaves_nothing_half_done, act);
	for (const struct act *act = acts; act->name; act++)
		if (act->how & ACT_AGAIN)
			RUN_TESTp(a_write_that_could_not_be_buried_is_taken_over_by_its_retry, act);
	GREATEST_MAIN_END();
}
