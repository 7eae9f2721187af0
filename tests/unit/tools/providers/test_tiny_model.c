/* The whole way from the command line to a real model and back: text, streams, siblings, seeds,
 * probabilities, cancelling. Needs the checkpoint in ../shared and is skipped without it. */
#include <greatest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/base/env.h>
#include <loom/base/jval.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/temp.h"
#include "support/tiny_server.h"

#define MODEL LOOM_SHARED "/models/stories260K.bin"
#define WORDS LOOM_SHARED "/models/tok512.bin"
#define LILY  ", there was a little girl named Lily. She loved to play outside in the park."

static struct tiny *tiny;

struct world {
	struct temp temp;
	struct tiny_server server;
	struct fake fake;
	struct child_result said;
	struct loom_arena *arena;
};

static const char config[] =
	"{\"providers\":{"
	"\"native\":{\"api\":\"llamacpp\",\"base_url\":\"http://127.0.0.1:PORT\"},"
	"\"open\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:PORT/v1\"}},"
	"\"models\":{"
	"\"native\":{\"provider\":\"native\"},"
	"\"open\":{\"provider\":\"open\",\"id\":\"s\",\"endpoint\":\"completions\"},"
	"\"native whole\":{\"provider\":\"native\",\"caps\":{\"stream\":false}},"
	"\"open whole\":{\"provider\":\"open\",\"id\":\"s\",\"endpoint\":\"completions\","
	"\"caps\":{\"stream\":false}}},"
	"\"agents\":{"
	"\"native\":{\"temperature\":0,\"logprobs\":3},"
	"\"open\":{\"temperature\":0,\"logprobs\":3},"
	"\"native whole\":{\"temperature\":0,\"logprobs\":3},"
	"\"open whole\":{\"temperature\":0,\"logprobs\":3},"
	"\"wild\":{\"model\":\"native\",\"temperature\":1.5,\"top_k\":0,\"seed\":7},"
	"\"other\":{\"model\":\"open\",\"temperature\":1.5,\"seed\":8},"
	"\"curt\":{\"model\":\"open\",\"temperature\":0,\"stop\":[\" Lily\"]}}}";

static void write_config(const struct world *world)
{
	struct loom_buf text = LOOM_BUF_INIT(8192);
	struct loom_str rest = LOOM_STR(config);

	for (size_t at; (at = loom_str_find(rest, LOOM_STR("PORT"), 0)) != SIZE_MAX;) {
		loom_buf_add(&text, loom_str_sub(rest, 0, at));
		loom_buf_addf(&text, "%d", world->fake.port);
		rest = loom_str_sub(rest, at + 4, SIZE_MAX);
	}
	loom_buf_add(&text, rest);
	temp_write(&world->temp, "config/loom/config.json", loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* Runs a shell line in the grove, with $LOOM the program; its exit status. */
static int say(struct world *world, const char *line)
{
	char home[300], settings[300];
	const char *const env[] = {home, settings, "LOOM=" LOOM_PROGRAM, "LOOM_SEED=1", NULL};
	struct child_opts opts = {.env = env, .cwd = world->temp.path};

	snprintf(home, sizeof home, "HOME=%s", world->temp.path);
	snprintf(settings, sizeof settings, "XDG_CONFIG_HOME=%s/config", world->temp.path);
	child_fini(&world->said);
	if (!child_shell(line, &opts, &world->said))
		return -1;
	if (world->said.status != 0 && getenv("SHOW"))
		fprintf(stderr, "%s\n%s%s", line, loom_buf_cstr(&world->said.out),
			loom_buf_cstr(&world->said.err));
	return world->said.status;
}

static const char *out(const struct world *world)
{
	return loom_buf_cstr(&world->said.out);
}

static bool world_open(struct world *world, int pace_ms)
{
	*world = (struct world){.server = {tiny, pace_ms}, .arena = loom_arena_create()};
	temp_init(&world->temp);
	fake_start_with(&world->fake, tiny_serve, &world->server);
	write_config(world);
	return say(world, "\"$LOOM\" init && \"$LOOM\" new --mode buffer --root 'Once upon a time' "
			  "&& for a in native open 'native whole' 'open whole' wild other curt; do "
			  "case $a in wild) m=native;; other|curt) m=open;; *) m=$a;; esac; "
			  "\"$LOOM\" agent add \"$a\" --model \"$m\" || exit 9; done") == 0;
}

static void world_close(struct world *world)
{
	child_fini(&world->said);
	fake_stop(&world->fake);
	loom_arena_destroy(world->arena);
	temp_fini(&world->temp);
}

/* A node as JSON. */
static struct loom_str node_of(struct world *world, struct loom_str id)
{
	struct loom_str line =
		loom_arena_format(world->arena, "\"$LOOM\" show %.*s --json", LOOM_STR_ARG(id));

	if (say(world, line.p) != 0)
		return LOOM_STR("null");
	return loom_jval_of(loom_arena_buf(world->arena, &world->said.out));
}

static struct loom_str text_at(struct world *world, struct loom_str object, const char *key)
{
	return loom_jval_text(loom_jval_get(object, key), world->arena);
}

/* Generates from the root; the new nodes as JSON, in order. The answer is their number. */
static size_t go_on(struct world *world, const char *agent, const char *how, struct loom_str *made)
{
	struct loom_str line =
		loom_arena_format(world->arena, "\"$LOOM\" do continue r001 %s using \"agent:%s\"",
				  how, agent);
	struct loom_str rest;
	struct loom_str one;
	size_t n = 0;

	if (say(world, line.p) != 0)
		return 0;
	rest = loom_arena_buf(world->arena, &world->said.out);
	while (loom_str_line(&rest, &one)) {
		if (loom_str_starts(one, LOOM_STR("  [")))
			made[n++] =
				node_of(world,
					loom_str_sub(one, 3, loom_str_find_char(one, ']', 0) - 3));
	}
	return n;
}

static bool tells_of_lily(struct world *world, struct loom_str node)
{
	return loom_str_starts(text_at(world, node, "content"), LOOM_STR(LILY));
}

/* ---- the model by itself ---- */

TEST what_it_reads_it_can_say_again(void)
{
	static const char *const texts[] = {"Once upon a time",
					    "Lily's caf\xc3\xa9\n\xf0\x9f\x8c\xb2", "",
					    " two  blanks "};
	int tokens[100];

	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		struct loom_buf said = LOOM_BUF_INIT(1000);
		size_t n = tiny_split(tiny, loom_str_of(texts[i]), tokens, LOOM_COUNT(tokens));

		ASSERT_EQ(TINY_BEGIN, tokens[0]);
		for (size_t j = 1; j < n; j++)
			loom_buf_add(&said, tiny_piece(tiny, tokens[j]));
		ASSERT_STR_EQ(texts[i], loom_buf_cstr(&said) + (n > 1));
		loom_buf_fini(&said);
	}
	PASS();
}

TEST a_file_that_is_cut_is_no_model(void)
{
	struct temp temp;
	struct loom_buf bytes = LOOM_BUF_INIT((size_t)4 << 20);
	char *path;

	temp_init(&temp);
	path = temp_path(&temp, "cut.bin");
	ASSERT(temp_read(MODEL, &bytes));
	temp_write(&temp, "cut.bin", loom_str_sub(loom_buf_str(&bytes), 0, bytes.n - 40000));
	ASSERT_EQ(NULL, tiny_open(path, WORDS));
	temp_write(&temp, "cut.bin", loom_str_sub(loom_buf_str(&bytes), 0, 20));
	ASSERT_EQ(NULL, tiny_open(path, WORDS));
	ASSERT_EQ(NULL, tiny_open(MODEL, path));
	free(path);
	loom_buf_fini(&bytes);
	temp_fini(&temp);
	PASS();
}

/* ---- from the command line ---- */

TEST greedily_every_format_tells_of_lily(void)
{
	static const char *const agents[] = {"native", "open", "native whole", "open whole"};
	struct loom_str made[10];
	struct loom_str first;
	struct world world;

	ASSERT(world_open(&world, 0));
	for (size_t i = 0; i < LOOM_COUNT(agents); i++) {
		ASSERT_EQm(agents[i], 1, go_on(&world, agents[i], "tokens:40", made));
		ASSERTm(agents[i], tells_of_lily(&world, made[0]));
		if (i == 0)
			first = text_at(&world, made[0], "content");
		ASSERT(loom_str_eq(first, text_at(&world, made[0], "content")));
	}
	world_close(&world);
	PASS();
}

/* Sums of what is told must be what is said: the pieces make the text, the alternatives are in
 * order, and greedily the one drawn is the first of them. */
static const char *wrong_tokens(struct world *world, struct loom_str node, int64_t count)
{
	struct loom_str record = loom_jval_get(node, "generation");
	struct loom_str list = loom_jval_get(record, "logprobs");
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_buf said = LOOM_BUF_INIT(10000);
	struct loom_str token, part;
	const char *wrong = NULL;

	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY || loom_jval_count(list) != (size_t)count)
		return "not one for each token";
	while (!wrong && loom_jwalk_next(&walk, NULL, &token)) {
		struct loom_jwalk inner = loom_jval_walk(token);
		double logprob = 1, best = 1;

		(void)loom_jwalk_next(&inner, NULL, &part);
		loom_buf_add(&said, loom_jval_text(part, world->arena));
		if (!loom_jwalk_next(&inner, NULL, &part) || !loom_jval_real(part, &logprob) ||
		    logprob > 0 || logprob < -3)
			wrong = "no probability of a greedy token";
		if (!loom_jwalk_next(&inner, NULL, &part) || loom_jval_count(part) != 3)
			return "not three alternatives";
		inner = loom_jval_walk(part);
		(void)loom_jwalk_next(&inner, NULL, &part);
		inner = loom_jval_walk(part);
		(void)loom_jwalk_next(&inner, NULL, &part);
		(void)loom_jwalk_next(&inner, NULL, &part);
		if (!loom_jval_real(part, &best) || best != logprob)
			wrong = "the likeliest was not drawn";
	}
	if (!loom_str_eq(loom_buf_str(&said), text_at(world, node, "content")))
		wrong = "the tokens do not make the text";
	loom_buf_fini(&said);
	return wrong;
}

TEST probabilities_are_kept_with_the_node(void)
{
	static const char *const agents[] = {"native", "open", "native whole", "open whole"};
	struct loom_str made[10];
	struct world world;

	ASSERT(world_open(&world, 0));
	for (size_t i = 0; i < LOOM_COUNT(agents); i++) {
		const char *wrong;

		ASSERT_EQ(1, go_on(&world, agents[i], "tokens:40", made));
		wrong = wrong_tokens(&world, made[0], 40);
		ASSERT_EQm(wrong, NULL, wrong);
	}
	world_close(&world);
	PASS();
}

TEST siblings_are_drawn_apart_and_again_alike(void)
{
	static const char *const agents[] = {"wild", "other"};
	struct loom_str made[10], again[10];
	struct world world;

	ASSERT(world_open(&world, 0));
	for (size_t i = 0; i < LOOM_COUNT(agents); i++) {
		ASSERT_EQ(4, go_on(&world, agents[i], "n:4 tokens:30", made));
		ASSERT_EQ(4, go_on(&world, agents[i], "n:4 tokens:30", again));
		for (size_t a = 0; a < 4; a++) {
			struct loom_str text = text_at(&world, made[a], "content");

			ASSERT(text.n > 10);
			ASSERT(loom_str_eq(text, text_at(&world, again[a], "content")));
			for (size_t b = 0; b < a; b++)
				ASSERT_FALSE(
					loom_str_eq(text, text_at(&world, made[b], "content")));
		}
	}
	world_close(&world);
	PASS();
}

TEST a_stop_ends_the_text_before_it(void)
{
	struct loom_str made[10];
	struct world world;

	ASSERT(world_open(&world, 0));
	ASSERT_EQ(1, go_on(&world, "curt", "tokens:40", made));
	ASSERT(loom_str_is(text_at(&world, made[0], "content"), ", there was a little girl named"));
	world_close(&world);
	PASS();
}

/* Sends a signal to a generation of 200 tokens, which take 5 s and more, once some of it is kept;
 * its exit status. */
static int interrupt(struct world *world, const char *signal)
{
	char line[600];

	snprintf(line, sizeof line,
		 "(for i in $(seq 300); do\n"
		 "\"$LOOM\" jobs --json 2>/dev/null | grep -q '\"bytes\":[1-9]' && break\n"
		 "sleep 0.05; done; kill -%s $(cat pid)) &\n"
		 "sh -c 'echo $$ >pid; exec \"$LOOM\" do continue r001 tokens:200 "
		 "using agent:native'; status=$?; wait; exit $status",
		 signal);
	return say(world, line);
}

TEST what_came_before_an_interrupt_is_kept(void)
{
	struct loom_str root, text;
	struct loom_jwalk walk;
	struct loom_str id;
	struct world world;
	int64_t until;

	ASSERT(world_open(&world, 25));
	ASSERT_EQ(130, interrupt(&world, "INT"));
	root = node_of(&world, LOOM_STR("r001"));
	walk = loom_jval_walk(loom_jval_get(root, "children"));
	ASSERT(loom_jwalk_next(&walk, NULL, &id));
	root = node_of(&world, loom_jval_text(id, world.arena));
	text = text_at(&world, root, "content");
	ASSERT(loom_str_starts(text, LOOM_STR(", there was")));
	ASSERT(text.n < 400);
	ASSERT(loom_jval_says(loom_jval_get(loom_jval_get(root, "generation"), "finish"),
			      LOOM_STR("cancelled")));
	/* its server meets the closed line with the next token */
	until = clock_ms() + 20000;
	while (!fake_hangups(&world.fake) && clock_ms() < until)
		poll(NULL, 0, 10);
	ASSERT_EQ(1, fake_hangups(&world.fake));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" check --deep"));
	world_close(&world);
	PASS();
}

TEST what_a_killed_process_was_writing_is_said_to_have_broken_off(void)
{
	struct world world;

	ASSERT(world_open(&world, 25));
	(void)interrupt(&world, "KILL");
	ASSERT_EQ(0, say(&world, "\"$LOOM\" jobs"));
	ASSERT(strstr(out(&world), "native was cut off (the next write keeps it) from [r001]"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" jobs --json"));
	ASSERT(strstr(out(&world), "\"state\":\"broken off\""));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" do bookmark r001"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" jobs"));
	ASSERT_FALSE(strstr(out(&world), "broke off"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" tree"));
	ASSERT(strstr(out(&world), "(2 nodes"));
	world_close(&world);
	PASS();
}

TEST a_prompt_beyond_the_window_is_refused_and_leaves_nothing(void)
{
	struct loom_str made[10];
	struct loom_str root;
	struct world world;

	ASSERT(world_open(&world, 0));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" new --mode buffer --root \"$(yes 'Once upon' | "
				 "head -n 600 | tr '\\n' ' ')\""));
	ASSERT_EQ(0, go_on(&world, "native", "tokens:10", made));
	ASSERT(strstr(out(&world), "longer than the context"));
	root = node_of(&world, LOOM_STR("r001"));
	ASSERT_EQ(0, loom_jval_count(loom_jval_get(root, "children")));
	world_close(&world);
	PASS();
}

/* A model of the configuration becomes an agent by being chosen; it goes on in the next tree too,
 * and choosing can be taken back. */
TEST a_chosen_model_continues_where_nobody_is_named(void)
{
	struct world world;

	ASSERT(world_open(&world, 0));
	ASSERT_EQ(0,
		  say(&world, "\"$LOOM\" new --root 'Once upon a time' && \"$LOOM\" subject ngram"
			      " && \"$LOOM\" do continue r001 | grep -v Lily"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" subject native/s && \"$LOOM\" subject --json | "
				 "grep -q '\"subject\":\"native/s\"'"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" undo && \"$LOOM\" subject | grep -q ^ngram"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" agent add Aware --permissions all --approval auto"));
	ASSERT_EQ(1, say(&world, "\"$LOOM\" subject Aware"));
	ASSERT_EQ(1, say(&world, "\"$LOOM\" subject nobody"));
	ASSERT_EQ(0, say(&world, "\"$LOOM\" new --root 'Once upon a time' && \"$LOOM\" subject | "
				 "grep -q ^native"));
	world_close(&world);
	PASS();
}

SUITE(tiny_model)
{
	RUN_TEST(what_it_reads_it_can_say_again);
	RUN_TEST(a_file_that_is_cut_is_no_model);
	RUN_TEST(greedily_every_format_tells_of_lily);
	RUN_TEST(probabilities_are_kept_with_the_node);
	RUN_TEST(siblings_are_drawn_apart_and_again_alike);
	RUN_TEST(a_stop_ends_the_text_before_it);
	RUN_TEST(what_came_before_an_interrupt_is_kept);
	RUN_TEST(a_chosen_model_continues_where_nobody_is_named);
	RUN_TEST(what_a_killed_process_was_writing_is_said_to_have_broken_off);
	RUN_TEST(a_prompt_beyond_the_window_is_refused_and_leaves_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	if (access(MODEL, R_OK) != 0 || access(WORDS, R_OK) != 0) {
		puts("SKIP: there is no checkpoint in " LOOM_SHARED "/models");
		return 77;
	}
	tiny = tiny_open(MODEL, WORDS);
	if (!tiny) {
		puts("the checkpoint is not what it says");
		return 1;
	}
	RUN_SUITE(tiny_model);
	tiny_close(tiny);
	GREATEST_MAIN_END();
}
