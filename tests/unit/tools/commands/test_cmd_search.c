/* Taking up what is new before a search: how far it is, and that it can be stopped. */
#include <greatest.h>

#include <loom/search/search.h>

#include "support/grove.h"
#include "support/ok.h"
#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

enum { NODES = 1500 }; /* more than one slice takes up */

static struct grove g;
static struct loom_search *search;

static void set_up(void *unused)
{
	struct loom_err err;
	int64_t node = 0;

	(void)unused;
	grove_init(&g);
	node = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "root"));
	grove_begin(&g, "many");
	for (int i = 0; i < NODES; i++) {
		struct loom_node_spec spec = {.from = node,
					      .text = LOOM_STR_INIT("a text"),
					      .author = g.owner,
					      .seq = -1};

		grove_must(loom_node_create(g.store, &spec, &node, &err), &err, "node");
	}
	grove_commit(&g);
	grove_must(loom_search_open(g.store, &search, &err), &err, "search");
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_search_close(search);
	grove_fini(&g);
}

TEST what_is_new_is_taken_up_and_counted(void)
{
	struct loom_err err;
	struct loom_cli cli = {.grove = NULL};
	struct cli_grove grove = {.cli = &cli, .store = g.store};
	uint64_t done = 0;
	uint64_t total = 0;
	int64_t behind = -1;

	OK(commands_search_feed(&grove, search, &behind, &err));
	ASSERT_EQ(0, behind);
	loom_task_progress(&cli.task, &done, &total);
	ASSERT(total > 0 && total < NODES);
	ASSERT_EQ(total, done);
	PASS();
}

TEST who_stops_it_finds_the_rest_still_to_be_taken_up(void)
{
	struct loom_err err;
	struct loom_cli cli = {.grove = NULL};
	struct cli_grove grove = {.cli = &cli, .store = g.store};
	uint64_t done = 0;
	uint64_t total = 0;
	int64_t behind = -1;

	loom_task_cancel(&cli.task);
	STATUS_IS(LOOM_CANCELLED, commands_search_feed(&grove, search, &behind, &err));
	loom_task_progress(&cli.task, &done, &total);
	ASSERT(behind > 0 && total == (uint64_t)behind && done == 0);
	PASS();
}

SUITE(cmd_search)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_is_new_is_taken_up_and_counted);
	RUN_TEST(who_stops_it_finds_the_rest_still_to_be_taken_up);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cmd_search);
	GREATEST_MAIN_END();
}
