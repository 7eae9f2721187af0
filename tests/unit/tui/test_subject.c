/* Who continues in a tree: the configuration as it is now, also when a person writes it while the
 * screen is open. */
#include "greatest.h"

#include <sys/stat.h>

#include "support/table.h"

/* A configuration whose only model is a program that says this. */
static void configure(const char *words)
{
	char text[1200];
	char *path = temp_path(&table.grove.temp, "loom/config.json");

	snprintf(text, sizeof text,
		 "{\"providers\": {\"p\": {\"api\": \"command\", \"command\": [\"/bin/sh\", "
		 "\"-c\", \"cat > /dev/null; echo %s\"]}},"
		 " \"models\": {\"ngram\": {\"provider\": \"p\"}}, \"subject_model\": \"ngram\"}",
		 words);
	temp_write(&table.grove.temp, "loom/config.json", loom_str_of(text));
	chmod(path, 0600);
	free(path);
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

SUITE(subject)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(the_next_word_is_that_of_the_model_that_is_set_up_now);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(subject);
	GREATEST_MAIN_END();
}
