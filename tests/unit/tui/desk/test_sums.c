/* Summaries beside the keys: what was written is summed up a moment later, by the model that is
 * set up for it, and the list of work shows what waits. */
#include <greatest.h>

#include <sys/stat.h>
#include <time.h>

#include <loom/tree/job.h>
#include <loom/tree/op.h>

#include "support/table.h"

static const char config[] =
	"{\"providers\": {\"own\": {\"api\": \"command\", \"command\": [\"%s/model.sh\"]}},\n"
	" \"models\": {\"m\": {\"provider\": \"own\"}}, \"summary_model\": \"m\"}\n";

/* `script` is what the model does with its prompt; empty: there is none. */
static void set_up(const char *script)
{
	char text[1200];

	table_init(&table);
	if (*script) {
		snprintf(text, sizeof text, config, table.grove.temp.path);
		temp_write_mode(&table.grove.temp, "loom/config.json", loom_str_of(text), 0600);
		snprintf(text, sizeof text, "#!/bin/sh\ncd '%s'\n%s\n", table.grove.temp.path,
			 script);
		temp_write_mode(&table.grove.temp, "model.sh", loom_str_of(text), 0700);
	}
	table_open(&table);
}

static size_t waiting(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_summary_job *jobs = NULL;
	size_t count = 0;

	grove_must(loom_job_list(table.grove.store, 100, table.grove.arena, &jobs, &count, &err),
		   &err, "jobs");
	return count;
}

/* Steps until so many summaries wait; false after a while. */
static bool comes_to(size_t count)
{
	struct timespec pause = {.tv_nsec = 5000000};

	for (int i = 0; i < 4000; i++) {
		tui_app_work(table.app, false);
		if (waiting() == count)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static struct loom_node root_of(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node node = {.id = 0};

	grove_must(loom_node_find(table.grove.store, 1, LOOM_STR("r001"), table.grove.arena, &node,
				  &err),
		   &err, "root");
	grove_must(loom_node_get(table.grove.store, node.id, LOOM_NODE_ALL, table.grove.arena,
				 &node, &err),
		   &err, "root");
	return node;
}

TEST what_waits_is_summed_up_by_the_model_a_moment_later(void)
{
	struct loom_node root;

	set_up("cat >asked; printf '\"What it is about.\"\\n'");
	ASSERT(waiting() > 0);
	table_type(&table, "oj");
	ASSERT(table_shows(&table, "[r001]"));
	ASSERT(table_shows(&table, "waits"));
	ASSERT(comes_to(0));
	ASSERT(table_shows(&table, "nothing is under way"));
	root = root_of();
	ASSERT(loom_str_is(root.summary, "What it is about."));
	ASSERT_FALSE(root.summary_extract);
	PASS();
}

TEST what_is_written_later_is_summed_up_as_well(void)
{
	set_up("cat >/dev/null; echo Short.");
	ASSERT(comes_to(0));
	table_type(&table, ":respond<Space>r001<Space>\"Doors.\"<Enter>");
	ASSERT(waiting() > 0);
	ASSERT(comes_to(0));
	PASS();
}

TEST without_a_model_an_extract_stands_in(void)
{
	struct loom_node root;

	set_up("");
	ASSERT(comes_to(0));
	root = root_of();
	ASSERT(root.summary.n > 0);
	ASSERT(root.summary_extract);
	PASS();
}

TEST a_model_that_fails_is_told_once_and_left_alone(void)
{
	struct timespec pause = {.tv_nsec = 5000000};

	set_up("echo x >>times; echo broken >&2; exit 3");
	for (int i = 0; i < 2000 && !table_shows(&table, "no summaries for now"); i++) {
		tui_app_work(table.app, false);
		nanosleep(&pause, NULL);
	}
	ASSERT(table_shows(&table, "no summaries for now"));
	ASSERT(waiting() > 0);
	table_type(&table, "oj");
	ASSERT(table_shows(&table, "failed"));
	PASS();
}

TEST the_end_waits_for_no_model(void)
{
	struct timespec begin;
	struct timespec end;

	set_up("cat >/dev/null; : >asked; exec sleep 60");
	for (int i = 0; i < 2000; i++) {
		char *asked = temp_path(&table.grove.temp, "asked");
		bool there = false;
		struct stat info;

		tui_app_work(table.app, false);
		there = stat(asked, &info) == 0;
		free(asked);
		if (there)
			break;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	table_fini(&table);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ASSERT(end.tv_sec - begin.tv_sec < 20);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_waits_is_summed_up_by_the_model_a_moment_later);
	RUN_TEST(what_is_written_later_is_summed_up_as_well);
	RUN_TEST(without_a_model_an_extract_stands_in);
	RUN_TEST(a_model_that_fails_is_told_once_and_left_alone);
	RUN_TEST(the_end_waits_for_no_model);
	GREATEST_MAIN_END();
}
