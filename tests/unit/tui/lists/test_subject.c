/* Who continues in a tree: the configuration as it is now, also when a person writes it while the
 * screen is open. */
#include "greatest.h"

#include "support/table.h"

/* A configuration whose only model is a program that says this. */
static void configure(const char *words)
{
	char text[1200];

	snprintf(text, sizeof text,
		 "{\"providers\": {\"p\": {\"api\": \"command\", \"command\": [\"/bin/sh\", "
		 "\"-c\", \"cat > /dev/null; echo %s\"]}},"
		 " \"models\": {\"ngram\": {\"provider\": \"p\"}}, \"subject_model\": \"ngram\"}",
		 words);
	temp_write_mode(&table.grove.temp, "loom/config.json", loom_str_of(text), 0600);
}

TEST the_next_word_is_that_of_the_model_that_is_set_up_now(void)
{
	table_init(&table);
	configure("First words.");
	table_open(&table);
	table_type(&table, "c");
	ASSERT(table_shows(&table, "First words."));
	configure("Other words, of another.");
	table_type(&table, "c");
	ASSERT(table_shows(&table, "Other words, of another."));
	PASS();
}

static void set_up_marie(void)
{
	temp_write_mode(&table.grove.temp, "loom/config.json",
			LOOM_STR("{\"providers\": {\"p\": {\"api\": \"command\", \"command\": "
				 "[\"/bin/cat\"]}}, \"models\": {\"base\": {\"provider\": \"p\"}}, "
				 "\"agents\": {\"marie\": {\"model\": \"base\", \"n\": 7, "
				 "\"tokens\": 40}}}"),
			0600);
}

TEST who_is_set_up_stands_among_the_ways_to_go_on(void)
{
	struct tui_app_opts opts = {.env = &table.grove.env, .program = "/proc/self/exe"};
	struct loom_err err;

	table_init(&table);
	set_up_marie();
	opts.dir = loom_str_of(table.grove.temp.path);
	grove_must(tui_app_open(&table.app, &opts, &err), &err, "app");
	table_type(&table, ":subject ");
	ASSERT(table_shows(&table, "\"marie\""));
	ASSERT(table_shows(&table, "\"base\""));
	PASS();
}

TEST the_line_to_be_changed_says_how_the_subject_writes(void)
{
	struct loom_agent marie = {.name = LOOM_STR("marie"), .kind = LOOM_AGENT_MODEL};
	struct loom_err err;
	int64_t tree;

	table_begin(&table, 150, 40);
	set_up_marie();
	tree = grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning.");
	grove_begin(&table.grove, "subject");
	grove_must(loom_agent_create(table.grove.store, &marie, &marie.id, &err), &err, "agent");
	grove_must(loom_tree_set_subject(table.grove.store, tree, marie.id, &err), &err, "subject");
	grove_commit(&table.grove);
	table_open(&table);
	table_type(&table, "C");
	ASSERT(table_shows(&table, "n:7 tokens:40 using agent:\"marie\""));
	PASS();
}

SUITE(subject)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(who_is_set_up_stands_among_the_ways_to_go_on);
	RUN_TEST(the_line_to_be_changed_says_how_the_subject_writes);
	RUN_TEST(the_next_word_is_that_of_the_model_that_is_set_up_now);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(subject);
	GREATEST_MAIN_END();
}
