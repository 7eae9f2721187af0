/* What threads share under fire: names and bytes at random, and folders that are exchanged for
 * links to the outside while they are read, frozen and written. LOOM_NIGHTLY=1 makes both long. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include "support/camp_suite.h"
#include "support/prop.h"

static size_t how_many(size_t usually, size_t at_night)
{
	return getenv("LOOM_NIGHTLY") ? at_night : usually;
}

/* ---- any name, any bytes ---- */

/* A part of a name; *plain stays true when every file system and person could write it. */
static void add_part(struct prop *prop, struct loom_buf *out, bool *plain)
{
	static const char *const words[] = {"api",
					    "a b",
					    "x & y <z>",
					    "it's \"q\"",
					    "\xc3\xa9t\xc3\xa9",
					    "\xe6\x97\xa5\xe6\x9c\xac",
					    "100%",
					    "a,b",
					    "#1",
					    "-x",
					    "v1.2.md",
					    "\xf0\x9f\x8c\xb1",
					    "[a](b)",
					    "a=b;c",
					    "~tmp",
					    "$HOME",
					    "*",
					    "a:b"};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!prop_once_in(prop, 3)) {
		loom_buf_adds(out, words[prop_below(prop, LOOM_COUNT(words))]);
		loom_buf_addf(out, "%zu", prop_below(prop, 1000));
		return;
	}
	*plain = false;
	prop_bent_text(prop, 1 + prop_below(prop, 8), &text);
	for (size_t i = 0; i < text.n && i < 200; i++)
		if (text.p[i] != '/' && text.p[i] != '\0')
			loom_buf_addc(out, text.p[i]);
	loom_buf_adds(out, "_");
	loom_buf_fini(&text);
}

static struct loom_str any_name(struct prop *prop, bool *plain)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;
	size_t depth = prop_below(prop, 4);

	*plain = true;
	loom_buf_adds(&name, "design");
	for (size_t i = 0; i <= depth; i++) {
		loom_buf_addc(&name, '/');
		add_part(prop, &name, plain);
	}
	out = loom_arena_buf(camp.arena, &name);
	loom_buf_fini(&name);
	return out;
}

static bool reads(struct loom_str name, bool own, struct loom_str bytes)
{
	const struct loom_leslie_read opts = {.thread = own ? LOOM_STR("A") : LOOM_STR("B"),
					      .name = name,
					      .own = own};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool same = loom_leslie_read(camp.leslie, &opts, &text, &camp.err) == LOOM_OK &&
		    loom_str_eq(loom_buf_str(&text), bytes);

	loom_buf_fini(&text);
	return same;
}

static enum loom_status refer(struct loom_str name, enum loom_leslie_binding binding)
{
	const struct loom_leslie_ref opts = {.from = LOOM_STR("B"),
					     .target = {.thread = LOOM_STR("A"),
							.scopes = &name,
							.scope_count = 1},
					     .binding = binding};
	struct loom_leslie_ref_result result;

	return loom_leslie_ref(camp.leslie, &opts, camp.arena, &result, &camp.err);
}

/* Live, frozen, and as its own; then changed at the source, and refreshed. */
static bool comes_back(struct loom_str name, struct loom_str bytes, struct loom_str later)
{
	struct loom_leslie_refresh again = {.from = LOOM_STR("B"), .name = name};
	struct loom_leslie_refreshed done;

	return refer(name, LOOM_LESLIE_BINDING_LIVE) == LOOM_OK && reads(name, false, bytes) &&
	       refer(name, LOOM_LESLIE_BINDING_FROZEN) == LOOM_OK &&
	       loom_leslie_write(camp.leslie, LOOM_STR("A"), name, later, &camp.err) == LOOM_OK &&
	       reads(name, true, later) && reads(name, false, bytes) &&
	       loom_leslie_refresh(camp.leslie, &again, camp.arena, &done, &camp.err) == LOOM_OK &&
	       reads(name, false, later) && *camp_context(&camp, "B", LOOM_CONTEXT_LOAD) &&
	       loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"), &camp.err) == LOOM_OK;
}

TEST any_name_and_any_bytes_come_back_as_they_were(void)
{
	struct prop prop;
	size_t rounds = how_many(60, 5000);
	size_t shared = 0;
	size_t refused = 0;

	prop_init(&prop, "any_name_and_any_bytes_come_back_as_they_were");
	camp_threads(&camp, "A B");
	for (size_t i = 0; i < rounds; i++) {
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf later = LOOM_BUF_INIT(LOOM_BUF_MAX);
		bool plain = true;
		struct loom_str name = any_name(&prop, &plain);
		char *path = loom_arena_cstr(camp.arena, loom_arena_format(camp.arena, T "A/%.*s",
									   LOOM_STR_ARG(name)));
		const char *before = NULL;

		prop_bytes(&prop, prop_size(&prop, 70000), &bytes);
		prop_bytes(&prop, prop_size(&prop, 3000), &later);
		temp_write(&camp.temp, path, loom_buf_str(&bytes));
		before = camp_picture(&camp);
		if (comes_back(name, loom_buf_str(&bytes), loom_buf_str(&later))) {
			shared++;
		} else {
			ASSERT_FALSEm(path, plain);
			ASSERT_EQm(path, LOOM_PATH, camp.err.err.status);
			ASSERT_STR_EQm(path, before, camp_picture(&camp));
			refused++;
		}
		loom_buf_fini(&bytes);
		loom_buf_fini(&later);
		camp_remove(&camp, T "A/design");
		loom_arena_reset(camp.arena);
	}
	ASSERT(shared > rounds / 4);
	ASSERT(refused > 0);
	PASS();
}

/* ---- folders that change places ---- */

static void keep_exchanging(void)
{
	const char *folder = camp_path(&camp, T "A/design");
	const char *context = camp_path(&camp, T "B/context");
	const char *to_design = camp_path(&camp, "trap");
	const char *to_context = camp_path(&camp, "trap2");

	for (;;) {
		renameat2(AT_FDCWD, folder, AT_FDCWD, to_design, RENAME_EXCHANGE);
		renameat2(AT_FDCWD, context, AT_FDCWD, to_context, RENAME_EXCHANGE);
		renameat2(AT_FDCWD, folder, AT_FDCWD, to_design, RENAME_EXCHANGE);
		renameat2(AT_FDCWD, context, AT_FDCWD, to_context, RENAME_EXCHANGE);
	}
}

static pid_t start_exchanging(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep_exchanging();
	}
	return child;
}

/* Everything that reads or writes, in turn; what it says does not matter, only what it touches. */
static void do_something(size_t step)
{
	struct loom_leslie_refresh again = {.from = LOOM_STR("B")};
	struct loom_leslie_refreshed done;

	switch (step % 50) {
	case 0:
		(void)!camp_freeze(&camp, "B", "A:design");
		break;
	case 10:
		(void)!loom_leslie_refresh(camp.leslie, &again, camp.arena, &done, &camp.err);
		break;
	case 20:
		(void)!loom_leslie_write(camp.leslie, LOOM_STR("A"), LOOM_STR("design/new.md"),
					 LOOM_STR("written"), &camp.err);
		break;
	case 30:
		(void)!camp_live(&camp, "B", "A:design/x.md");
		break;
	default:
		(void)camp_context(&camp, "B", LOOM_CONTEXT_LOAD);
		break;
	}
}

static bool is_clean(const char *text)
{
	return !text || !strstr(text, "secret");
}

TEST no_exchange_of_folders_leads_outside(void)
{
	char *outside = NULL;
	size_t steps = how_many(2000, 100000);
	size_t good = 0;
	pid_t child = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/design/x.md", "fine");
	camp_write(&camp, "outside/x.md", "secret");
	camp_write(&camp, "outside/inherited/design/x.md", "secret");
	camp_write(&camp, "outside/live/.refs.json",
		   "{\"refs\":{\"design/x.md\":{\"thread\":\"A\",\"path\":\"secret\"}}}");
	ASSERT_EQ(0, symlink("../../../outside", camp_path(&camp, "trap")));
	ASSERT_EQ(0, symlink(camp_path(&camp, "outside"), camp_path(&camp, "trap2")));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:design"));
	outside = strdup(camp_read(&camp, "outside/live/.refs.json"));
	child = start_exchanging();
	for (size_t i = 0; i < steps; i++) {
		const char *text = NULL;

		do_something(i);
		text = camp_shared(&camp, "B", "design/x.md", NULL);
		good += text != NULL;
		ASSERT(is_clean(text));
		loom_arena_reset(camp.arena);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ASSERT(good > 0);
	ASSERT(!camp_has(&camp, "outside/new.md"));
	ASSERT(!camp_has(&camp, "outside/inherited/.refs.json"));
	ASSERT_STR_EQ("secret", camp_read(&camp, "outside/x.md"));
	ASSERT_STR_EQ("secret", camp_read(&camp, "outside/inherited/design/x.md"));
	ASSERT_STR_EQ(outside, camp_read(&camp, "outside/live/.refs.json"));
	free(outside);
	PASS();
}

SUITE(leslie_storm)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(any_name_and_any_bytes_come_back_as_they_were);
	RUN_TEST(no_exchange_of_folders_leads_outside);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_storm);
	GREATEST_MAIN_END();
}
