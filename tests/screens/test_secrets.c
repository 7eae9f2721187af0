/* A key is in its file, or its variable, and goes to its own server. It is searched for everywhere
 * else: in all files, what is stored packed too, what is said, every screen, the arguments of all
 * programs, the environment of every child, and at another host. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/child.h"
#include "support/fake.h"

#include <dirent.h>
#include <ftw.h>
#include <unistd.h>

#define CANARY "canary-77e1-of-the-mine-04b2"
#define ON     "on POST /v1/completions\n"
#define TEXT(text)                                                                                 \
	ON "type text/event-stream\nsend data: {\"choices\":[{\"text\":\"" text                    \
	   "\",\"finish_reason\":\"stop\"}]}\\n\\n\n"
#define ROUNDS 8

/* Servers do their best to have the key written down; the last reply waits. */
static const char script[] = TEXT(" fine") ON
	"status 401\ntype application/json\nsend {\"error\":{\"message\":\"bad key \\A\"}}\n" ON
	"status 307\nheader Location: http://127.0.0.1:OTHER/v1/completions\n" ON
	"type text/event-stream\nsend data: {\"choices\":[{\"text\":\"half\"}]}\\n\\n\nsend data: "
	"{\"error\":{\"message\":\"\\A\"}}\\n\\n\n" TEXT("said: \\A") ON
	"type text/\\A\nsend x\n" ON
	"status 500\nheader X-Echo: \\A\nsend \\A\n" TEXT(" slowly") "sleep 400\n";

static const char config[] =
	"{\"providers\":{"
	"\"v\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:PORT/v1\","
	"\"key_env\":\"CANARY_KEY\"},"
	"\"f\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:PORT/v1\","
	"\"key_file\":\"KEYS/key\"},"
	"\"c\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:PORT/v1\","
	"\"key_cmd\":[\"sh\",\"-c\",\"env >>HOME/seen-key; cat KEYS/key\"]},"
	"\"p\":{\"api\":\"command\",\"command\":[\"sh\",\"-c\","
	"\"env >>HOME/seen-command; echo text\"]}},"
	"\"models\":{\"v\":{\"provider\":\"v\",\"endpoint\":\"completions\"},"
	"\"f\":{\"provider\":\"f\",\"endpoint\":\"completions\"},"
	"\"c\":{\"provider\":\"c\",\"endpoint\":\"completions\"},\"p\":{\"provider\":\"p\"}}}";

struct mine {
	struct desk desk;
	struct fake fake, other;
	const char *home;
	struct temp keys; /* no project's */
	bool leaked;
};

/* Replaces PORT, OTHER, KEYS and HOME in a text. */
static void fill_in(const struct mine *mine, const char *text, struct loom_buf *out)
{
	for (; *text; text++) {
		struct loom_str rest = loom_str_of(text);

		if (loom_str_starts(rest, LOOM_STR("PORT"))) {
			loom_buf_addf(out, "%d", mine->fake.port);
			text += 3;
		} else if (loom_str_starts(rest, LOOM_STR("OTHER"))) {
			loom_buf_addf(out, "%d", mine->other.port);
			text += 4;
		} else if (loom_str_starts(rest, LOOM_STR("KEYS"))) {
			loom_buf_adds(out, mine->keys.path);
			text += 3;
		} else if (loom_str_starts(rest, LOOM_STR("HOME"))) {
			loom_buf_adds(out, mine->home);
			text += 3;
		} else {
			loom_buf_addc(out, *text);
		}
	}
}

static void look_at(struct mine *mine, struct loom_str text, const char *where)
{
	if (loom_str_find(text, LOOM_STR(CANARY), 0) == SIZE_MAX)
		return;
	fprintf(stderr, "the key is in %s\n", where);
	mine->leaked = true;
}

static void write_private(const struct mine *mine, const char *name, const char *text)
{
	struct loom_buf filled = LOOM_BUF_INIT(1 << 16);

	fill_in(mine, text, &filled);
	temp_write_mode(&mine->desk.grove.temp, name, loom_buf_str(&filled), 0600);
	loom_buf_fini(&filled);
}

static void set_up(struct mine *mine)
{
	struct loom_buf filled = LOOM_BUF_INIT(1 << 16);

	*mine = (struct mine){.leaked = false};
	fake_start(&mine->other, "on POST /v1/completions\nsend x\n");
	fill_in(mine, script, &filled);
	fake_start(&mine->fake, loom_buf_cstr(&filled));
	desk_init(&mine->desk, LOOM_DIALOGUE);
	temp_init(&mine->keys);
	mine->home = mine->desk.grove.temp.path;
	write_private(mine, ".config/loom/config.json", config);
	temp_write_mode(&mine->keys, "key", LOOM_STR(CANARY "\n"), 0600);
	loom_buf_fini(&filled);
}

static void tear_down(struct mine *mine)
{
	fake_stop(&mine->fake);
	fake_stop(&mine->other);
	temp_fini(&mine->keys);
	desk_fini(&mine->desk);
}

/* Runs the program, and looks at what it says. */
static void say(struct mine *mine, const char *words)
{
	char home[300], command[1000];
	const char *const env[] = {home, "CANARY_KEY=" CANARY, "LOOM=" SCREENS_LOOM,
				   "EDITOR=env >>\"$HOME/seen-editor\"; true", NULL};
	struct child_opts opts = {.env = env, .cwd = mine->home};
	struct child_result said;

	snprintf(home, sizeof home, "HOME=%s", mine->home);
	snprintf(command, sizeof command,
		 "unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME; exec \"$LOOM\" %s", words);
	if (child_shell(command, &opts, &said)) {
		look_at(mine, loom_buf_str(&said.out), words);
		look_at(mine, loom_buf_str(&said.err), words);
	}
	child_fini(&said);
}

/* --- searching --- */

static struct mine *searched; /* nftw hands nothing through */

static int look_at_file(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)64 << 20);

	(void)info;
	if (kind == FTW_F && strcmp(path + ftw->base, "key") != 0 && temp_read(path, &text))
		look_at(searched, loom_buf_str(&text), path);
	loom_buf_fini(&text);
	return 0;
}

/* Raw answers are packed: they are read as the program reads them. */
static size_t look_at_nodes(struct mine *mine)
{
	struct grove *grove = &mine->desk.grove;
	struct loom_nodes nodes = {NULL, 0};
	struct loom_str record, raw;
	bool more = false;
	size_t with_raw = 0;
	struct loom_err err;

	loom_arena_reset(grove->arena);
	grove_must(loom_node_since(grove->store,
				   &(struct loom_since){.tree = mine->desk.tree, .limit = 1000},
				   grove->arena, &nodes, &more, &err),
		   &err, "nodes");
	for (size_t i = 0; i < nodes.count; i++) {
		if (loom_node_generation(grove->store, nodes.items[i].id, grove->arena, &record,
					 &raw, &err) != LOOM_OK)
			continue;
		look_at(mine, record, "a record");
		look_at(mine, raw, "a raw answer");
		with_raw += raw.n > 0;
	}
	return with_raw;
}

/* The arguments of all programs that are running now. */
static void look_at_arguments(struct mine *mine)
{
	DIR *all = opendir("/proc");
	struct dirent *one;

	while (all && (one = readdir(all))) {
		struct loom_buf text = LOOM_BUF_INIT(1 << 22);
		char path[300];

		snprintf(path, sizeof path, "/proc/%.20s/cmdline", one->d_name);
		if (one->d_name[0] >= '0' && one->d_name[0] <= '9' && temp_read(path, &text))
			look_at(mine, loom_buf_str(&text), path);
		loom_buf_fini(&text);
	}
	if (all)
		closedir(all);
}

static void look_everywhere(struct mine *mine)
{
	searched = mine;
	nftw(mine->home, look_at_file, 20, FTW_PHYS);
	look_at(mine, fake_log(&mine->other), "what another host was sent");
	for (int i = 0; i < fake_requests(&mine->fake); i++)
		look_at(mine, fake_body(&mine->fake, i), "the body of a request");
}

static bool was_seen(const struct mine *mine, const char *name, const char *text)
{
	char *path = temp_path(&mine->desk.grove.temp, name);
	struct loom_buf seen = LOOM_BUF_INIT(1 << 20);
	bool found = temp_read(path, &seen) &&
		     loom_str_find(loom_buf_str(&seen), loom_str_of(text), 0) != SIZE_MAX;

	free(path);
	loom_buf_fini(&seen);
	return found;
}

TEST on_the_command_line_a_key_goes_nowhere_else(void)
{
	static const char *const models[] = {"v", "f", "c"};
	struct mine mine;
	char words[200];

	set_up(&mine);
	for (size_t i = 0; i < LOOM_COUNT(models) * ROUNDS; i++) {
		const char *model = models[i % LOOM_COUNT(models)];

		snprintf(words, sizeof words, "agent add %s --model %s", model, model);
		say(&mine, words);
		snprintf(words, sizeof words, "do continue from r001 using agent:%s", model);
		say(&mine, words);
	}
	say(&mine, "agent add p --model p");
	say(&mine, "do continue from r001 using agent:p");
	say(&mine, "models --check --json");
	say(&mine, "ops --json");
	say(&mine, "agent list --json");
	ASSERT(loom_str_find(fake_log(&mine.fake), LOOM_STR("Bearer " CANARY "\r\n"), 0) !=
	       SIZE_MAX);
	ASSERT(was_seen(&mine, "seen-key", "HOME="));
	ASSERT(was_seen(&mine, "seen-command", "HOME="));
	ASSERT(look_at_nodes(&mine) > 2);
	look_everywhere(&mine);
	ASSERT_FALSE(mine.leaked);
	tear_down(&mine);
	PASS();
}

static struct pty *open_screen(const struct mine *mine)
{
	static char home[300];
	const char *const argv[] = {SCREENS_LOOM, "-g", mine->home, NULL};
	const char *const env[] = {home, "CANARY_KEY=" CANARY,
				   "EDITOR=env >>\"$HOME/seen-editor\"; true", NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .w = 120, .h = 40};
	struct pty *pty;

	snprintf(home, sizeof home, "HOME=%s", mine->home);
	pty = pty_open(&opts);
	pty_settle(pty);
	return pty;
}

static void type_and_look(struct mine *mine, struct pty *pty, const char *keys)
{
	pty_type(pty, keys);
	look_at(mine, loom_str_of(pty_text(pty)), "a screen");
}

TEST on_the_screen_a_key_goes_nowhere_else(void)
{
	struct mine mine;
	struct pty *pty;

	set_up(&mine);
	say(&mine, "agent add v --model v");
	pty = open_screen(&mine);
	for (int i = 0; i < ROUNDS; i++) {
		int before = fake_requests(&mine.fake);

		type_and_look(&mine, pty, ":continue from r001 using agent:\"v\"");
		pty_write(pty, LOOM_STR("\r"));
		while (fake_requests(&mine.fake) == before)
			pty_take(pty);
		look_at_arguments(&mine);
		type_and_look(&mine, pty, "");
		type_and_look(&mine, pty, "\x1b");
		type_and_look(&mine, pty, "q");
	}
	type_and_look(&mine, pty, "zR");
	type_and_look(&mine, pty, "oe");
	type_and_look(&mine, pty, "q");
	type_and_look(&mine, pty, "oo");
	type_and_look(&mine, pty, "q");
	type_and_look(&mine, pty, "gg");
	type_and_look(&mine, pty, "E");
	type_and_look(&mine, pty, "\x1b");
	ASSERT(was_seen(&mine, "seen-editor", "HOME="));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	look_at(&mine, loom_str_of(pty_text(pty)), "the terminal afterwards");
	look_everywhere(&mine);
	ASSERT(look_at_nodes(&mine) > 0);
	ASSERT_FALSE(mine.leaked);
	pty_close(pty);
	tear_down(&mine);
	PASS();
}

/* A search that finds nothing proves nothing unless it can find. */
TEST the_search_finds_a_key(void)
{
	struct mine mine;

	set_up(&mine);
	temp_write(&mine.desk.grove.temp, "deep/in/a/file", LOOM_STR("x " CANARY " y"));
	look_everywhere(&mine);
	ASSERT(mine.leaked);
	mine.leaked = false;
	say(&mine, "show " CANARY);
	ASSERT(mine.leaked);
	tear_down(&mine);
	PASS();
}

SUITE(secrets)
{
	RUN_TEST(on_the_command_line_a_key_goes_nowhere_else);
	RUN_TEST(on_the_screen_a_key_goes_nowhere_else);
	RUN_TEST(the_search_finds_a_key);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(secrets);
	GREATEST_MAIN_END();
}
