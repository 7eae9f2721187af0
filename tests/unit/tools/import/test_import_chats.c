/* Chats from elsewhere. tests/imports/NAME.json (.jsonl, .md, .txt) is a file as its program writes
 * it, made from what is known of its fields, with the traps in it; NAME.said beside it is what it
 * becomes: trees, what is kept beside each node, and the loss report word for word. UPDATE=1 writes
 * these anew. */
#include <greatest.h>

#include <dirent.h>
#include <unistd.h>

#include <tests/support/imported.h>
#include <tests/support/raw.h>

GREATEST_MAIN_DEFS();

#define FOLDER LOOM_SOURCE "/tests/imports"

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_fixture(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       !loom_str_ends(loom_str_of(entry->d_name), LOOM_STR(".said"));
}

static void path_of(struct loom_buf *out, const char *name, const char *ending)
{
	const char *dot = strrchr(name, '.');

	loom_buf_clear(out);
	loom_buf_addf(out, FOLDER "/%.*s%s", dot && *ending ? (int)(dot - name) : (int)strlen(name),
		      name, ending);
}

static void must_read(const char *path, struct loom_buf *out)
{
	loom_buf_fini(out);
	if (!temp_read(path, out)) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
}

static void write_golden(const char *path, const char *said)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(said, file) < 0 || fclose(file))
		exit(1);
}

static enum greatest_test_res check_fixture(const char *name)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf wanted = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	struct imported in;
	enum loom_status status = LOOM_OK;

	imported_init(&in);
	in.with_extra = true;
	path_of(&path, name, "");
	must_read(loom_buf_cstr(&path), &bytes);
	status = imported_add(&in, name, loom_buf_str(&bytes), &err);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, status, "%d");
	path_of(&path, name, ".said");
	if (getenv("UPDATE"))
		write_golden(loom_buf_cstr(&path), imported_say(&in));
	must_read(loom_buf_cstr(&path), &wanted);
	ASSERT_STR_EQm(name, loom_buf_cstr(&wanted), imported_say(&in));
	/* Once more: everything is known, nothing is doubled. */
	status = imported_add(&in, name, loom_buf_str(&bytes), &err);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, status, "%d");
	ASSERT_EQ_FMTm(name, 0, (int)loom_import_report(in.import)->added, "%d");
	imported_fini(&in);
	loom_buf_fini(&path);
	loom_buf_fini(&bytes);
	loom_buf_fini(&wanted);
	PASS();
}

TEST every_fixture_becomes_what_stands_beside_it_and_only_once(void)
{
	struct dirent **entries = NULL;
	int count = scandir(FOLDER, &entries, is_fixture, by_name);

	ASSERT(count > 15);
	for (int i = 0; i < count; i++) {
		CHECK_CALL(check_fixture(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	PASS();
}

TEST no_secret_of_a_file_reaches_the_grove(void)
{
	static const char *const files[] = {"chatgpt-bytes.json", "librechat-flat.json",
					    "claude-code-session.jsonl"};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < LOOM_COUNT(files); i++) {
		struct loom_err err = {0};
		struct imported in;

		imported_init(&in);
		in.with_extra = true;
		path_of(&path, files[i], "");
		must_read(loom_buf_cstr(&path), &bytes);
		ASSERT_EQ(LOOM_OK, imported_add(&in, files[i], loom_buf_str(&bytes), &err));
		(void)imported_say(&in);
		ASSERT_EQm(files[i], NULL, strstr(loom_buf_cstr(&in.said), "sk-"));
		ASSERT_EQm(files[i], NULL, strstr(loom_buf_cstr(&in.said), "do-not-keep"));
		ASSERT(loom_import_report(in.import)->secrets.count > 0);
		imported_fini(&in);
	}
	loom_buf_fini(&path);
	loom_buf_fini(&bytes);
	PASS();
}

/* By their names, by their shapes, in lists, deep down, and in an address; what only looks like one
 * stays. */
TEST secrets_are_known_by_name_and_by_shape(void)
{
	static const char bytes[] =
		"[{\"title\":\"T\",\"mapping\":{\"r\":{\"message\":{\"author\":{\"role\":\"user\"},"
		"\"content\":{\"content_type\":\"text\",\"parts\":[\"hello\"]},\"metadata\":{"
		"\"apiKeys\":[\"HIDDEN-1\"],\"a\":{\"credentials\":{\"user\":\"HIDDEN-2\"}},"
		"\"b\":[{\"value\":\"sk-HIDDEN-3-0123456789\"}],\"c\":\"Bearer "
		"HIDDEN4HIDDEN4HIDDEN4\","
		"\"d\":\"http://me:HIDDEN-5@host.example/v1\",\"hf_token\":\"HIDDEN-6-HIDDEN-6-6\","
		"\"e\":\"http://host.example/a:b@c\",\"f\":\"sk-ip\",\"tokens\":[\"word\"],"
		"\"stop_token\":\"</s>\",\"g\":\"sk-a text that begins so\"}}}}}]";
	static const char *const kept[] = {"host.example/a:b@c", "sk-ip", "[\"word\"]", "</s>",
					   "sk-a text that begins so"};
	struct loom_err err = {0};
	struct imported in;

	imported_init(&in);
	in.with_extra = true;
	ASSERT_EQ(LOOM_OK, imported_add(&in, "x.json", loom_str_of(bytes), &err));
	(void)imported_say(&in);
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&in.said), "HIDDEN"));
	for (size_t i = 0; i < LOOM_COUNT(kept); i++)
		ASSERTm(kept[i], strstr(loom_buf_cstr(&in.said), kept[i]));
	imported_fini(&in);
	PASS();
}

/* As Windows writes it, either way round; a half of a pair and a last odd byte are repaired. */
TEST files_in_utf_16_are_read(void)
{
	static const char little[] = "\xFF\xFE"
				     "H\0u\0m\0a\0n\0:\0 \0\x3D\xD8\x00\xDE\x00\xDC!";
	static const char big[] = "\xFE\xFF"
				  "\0H\0u\0m\0a\0n\0:\0 \xD8\x3D\xDE\x00";
	const struct loom_str files[] = {{little, sizeof little - 1}, {big, sizeof big - 1}};
	static const char *const said[] = {"😀\xEF\xBF\xBD\xEF\xBF\xBD", "😀"};

	for (size_t i = 0; i < LOOM_COUNT(files); i++) {
		struct loom_err err = {0};
		struct imported in;

		imported_init(&in);
		ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x.txt", files[i], &err), "%d");
		ASSERTm(imported_say(&in), strstr(imported_say(&in), said[i]));
		ASSERT_EQ(1, loom_import_report(in.import)->repaired.items[0].count);
		imported_fini(&in);
	}
	PASS();
}

TEST answers_of_models_without_their_tree_are_refused(void)
{
	static const char bytes[] = "{\"r\":{\"id\":\"r\",\"completions\":[{\"text\":\"x\"}]}}";
	struct loom_err err = {0};
	struct imported in;

	imported_init(&in);
	ASSERT_EQ(LOOM_REFUSED, imported_add(&in, "x.json", loom_str_of(bytes), &err));
	ASSERT(strstr(err.hint, "TREE"));
	imported_fini(&in);
	PASS();
}

static enum greatest_test_res check_refused(const char *text)
{
	struct loom_err err = {0};
	struct imported in;

	imported_init(&in);
	ASSERT_EQ_FMTm(text, LOOM_REFUSED, imported_add(&in, "x.json", loom_str_of(text), &err),
		       "%d");
	ASSERT(err.text[0] && err.hint[0]);
	imported_fini(&in);
	PASS();
}

TEST what_only_looks_like_a_chat_is_refused(void)
{
	static const char *const texts[] = {
		"{\"mapping\":[1,2]}",
		"{\"chat_messages\":{}}",
		"{\"messages\":[{\"role\":\"user\"}]}",
		"{\"type\":\"session\"}\n{\"type\":\"x\"}\n",
		"{\"type\":\"user\"}\n{\"type\":\"user\"}\n",
		"{\"history\":{\"messages\":[]}}",
		"{\"conv\":{}}",
		"<?xml version=\"1.0\"?><a/>",
		"\177ELF\002\001\001",
	};

	for (size_t i = 0; i < LOOM_COUNT(texts); i++)
		CHECK_CALL(check_refused(texts[i]));
	PASS();
}

/* A branch is a file of its own that names its chat: both become one tree. */
TEST a_tavern_branch_meets_its_chat_where_they_are_the_same(void)
{
	static const char main_chat[] =
		"{\"user_name\":\"A\",\"character_name\":\"B\",\"create_date\":1720000000000}\n"
		"{\"name\":\"B\",\"is_user\":false,\"mes\":\"one\"}\n"
		"{\"name\":\"A\",\"is_user\":true,\"mes\":\"two\"}\n";
	static const char branch[] =
		"{\"user_name\":\"A\",\"character_name\":\"B\",\"chat_metadata\":"
		"{\"main_chat\":\"talk\"},\"create_date\":\"2024-07-13@01h31m37s\"}\n"
		"{\"name\":\"B\",\"is_user\":false,\"mes\":\"one\"}\n"
		"{\"name\":\"A\",\"is_user\":true,\"mes\":\"other\"}\n";
	struct loom_err err = {0};
	struct imported in;

	imported_init(&in);
	ASSERT_EQ(LOOM_OK, imported_add(&in, "talk.jsonl", loom_str_of(main_chat), &err));
	ASSERT_EQ(LOOM_OK, imported_add(&in, "talk - Branch.jsonl", loom_str_of(branch), &err));
	ASSERT_STR_EQ("= talk\nsystem?: \n B: one\n  A?: two\n  A?: other\n", imported_say(&in));
	imported_fini(&in);
	PASS();
}

/* A conversation of `depth` messages nested in one another. */
static void nest(struct loom_buf *out, int depth)
{
	loom_buf_adds(out, "{\"conversationId\":\"deep\",\"recursive\":true,\"messages\":[");
	for (int i = 0; i < depth; i++)
		loom_buf_addf(out,
			      "{\"messageId\":\"m%d\",\"text\":\"t\",\"isCreatedByUser\":%s,"
			      "\"children\":[",
			      i, i % 2 ? "false" : "true");
	for (int i = 0; i < depth; i++)
		loom_buf_adds(out, "]}");
	loom_buf_adds(out, "]}");
}

/* How deep the person stands in what a file became. */
static int64_t stands_at(const char *name, const char *bytes)
{
	struct loom_err err = {0};
	struct imported in;
	int64_t depth;

	imported_init(&in);
	grove_must(imported_add(&in, name, loom_str_of(bytes), &err), &err, name);
	depth = raw_int(&in.grove, "SELECT n.depth FROM thread t JOIN node n ON n.id = t.position");
	imported_fini(&in);
	return depth;
}

TEST a_talk_that_does_not_say_where_it_stood_is_gone_on_with_at_its_end(void)
{
	ASSERT_EQ(2, stands_at("x.txt", "Human: a\n\nAssistant: b\n\nHuman: c\n"));
	ASSERT_EQ(2, stands_at("x.json", "[{\"uuid\":\"c\",\"chat_messages\":[{\"uuid\":\"1\","
					 "\"sender\":\"human\",\"text\":\"q\"},{\"uuid\":\"2\","
					 "\"sender\":\"assistant\",\"text\":\"a\"}]}]"));
	/* the swipe that was shown, not the last one */
	ASSERT_EQ(3, stands_at("x.jsonl",
			       "{\"name\":\"A\",\"is_user\":true,\"mes\":\"q\"}\n"
			       "{\"name\":\"B\",\"is_user\":false,\"mes\":\"x\",\"swipes\":[\"x\","
			       "\"y\"],\"swipe_id\":0}\n"
			       "{\"name\":\"A\",\"is_user\":true,\"mes\":\"r\"}\n"));
	ASSERT_EQ(2, stands_at("x.json", "{\"gamestarted\":true,\"prompt\":\"P\",\"actions\":"
					 "[\"a\",\"b\"],\"actions_metadata\":{}}"));
	PASS();
}

TEST a_file_that_is_called_what_it_is_not_is_refused(void)
{
	struct loom_err err = {0};
	struct imported in;
	struct loom_import_opts opts = {.format = "pyloom"};
	static const char chat[] = "{\"type\":\"user\",\"uuid\":\"1\",\"parentUuid\":null,"
				   "\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n"
				   "{\"type\":\"user\",\"uuid\":\"2\",\"parentUuid\":\"1\","
				   "\"message\":{\"role\":\"user\",\"content\":\"ho\"}}\n";

	imported_init(&in);
	opts.env = &in.grove.env;
	opts.dir = in.grove.temp.path;
	ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &in.import, &err));
	ASSERT_EQ(LOOM_REFUSED, loom_import_add(in.import, LOOM_STR("x"), LOOM_STR(chat), &err));
	ASSERT(strstr(err.hint, "Claude Code"));
	loom_import_destroy(in.import);
	/* whatever it is, it may be read as text */
	opts.format = "transcript";
	ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &in.import, &err));
	ASSERT_EQ(LOOM_OK, loom_import_add(in.import, LOOM_STR("x"), LOOM_STR(chat), &err));
	imported_fini(&in);
	PASS();
}

TEST depth_is_no_matter(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	struct imported in;

	imported_init(&in);
	nest(&text, 20000);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "deep.json", loom_buf_str(&text), &err),
		       "%d");
	ASSERT_EQ(20001, loom_import_report(in.import)->added);
	imported_fini(&in);
	loom_buf_fini(&text);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(every_fixture_becomes_what_stands_beside_it_and_only_once);
	RUN_TEST(no_secret_of_a_file_reaches_the_grove);
	RUN_TEST(secrets_are_known_by_name_and_by_shape);
	RUN_TEST(files_in_utf_16_are_read);
	RUN_TEST(answers_of_models_without_their_tree_are_refused);
	RUN_TEST(what_only_looks_like_a_chat_is_refused);
	RUN_TEST(a_tavern_branch_meets_its_chat_where_they_are_the_same);
	RUN_TEST(a_talk_that_does_not_say_where_it_stood_is_gone_on_with_at_its_end);
	RUN_TEST(a_file_that_is_called_what_it_is_not_is_refused);
	RUN_TEST(depth_is_no_matter);
	GREATEST_MAIN_END();
}
