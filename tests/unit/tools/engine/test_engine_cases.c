/* The cases of the language, run: what their `engine` members say, and that none of their calls
 * shakes the engine. And the walk: every row of the table says the same through both doors. */
#include <greatest.h>

#include <loom/base/json.h>
#include <loom/language/registry.h>

#include "support/marie_suite.h"
#include "support/raw.h"
#include "support/spawned.h"

static cJSON *read_cases(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	cJSON *document = NULL;

	if (!temp_read(LOOM_SHARED "/cases/tools.json", &text) ||
	    loom_json_parse(loom_buf_str(&text), NULL, &document, NULL) != LOOM_OK)
		document = NULL;
	loom_buf_fini(&text);
	return document;
}

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *value = loom_json_get(object, key);

	return cJSON_IsString(value) ? value->valuestring : NULL;
}

/* Runs the calls of a text one by one and gives the code of the one asked for. */
static const char *code_of(const char *input, size_t index)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);
	struct loom_buf real = LOOM_BUF_INIT(1 << 20);
	const char *code = "no such call";

	marie_translate(&marie, loom_str_of(input), true, &real);
	loom_turn_feed(turn, loom_buf_str(&real));
	loom_turn_end(turn);
	for (size_t i = 0; i < turn->call_count; i++) {
		marie_call(&marie, &turn->calls[i]);
		if (i == index)
			code = loom_status_code(marie.last.status);
	}
	loom_turn_destroy(turn);
	loom_buf_fini(&real);
	return code;
}

static bool holds(const cJSON *one)
{
	const cJSON *engine = loom_json_get(loom_json_get(one, "expect"), "engine");
	const char *input = text_of(one, "input");
	int64_t call = 0;
	int64_t max = 0;
	bool good = true;

	if (!engine)
		return true;
	(void)loom_json_int(engine, "call", &call);
	marie_grant(&marie, LOOM_MAY_ALL);
	if (text_of(engine, "code"))
		good = strcmp(code_of(input, (size_t)call), text_of(engine, "code")) == 0;
	if (good && loom_json_int(engine, "max", &max)) {
		char number[32];

		snprintf(number, sizeof number, "is %lld", (long long)max);
		good = strstr(marie.last.err.text, number) != NULL;
	}
	if (good && text_of(engine, "else"))
		good = strcmp(code_of(input, 0), text_of(engine, "else")) == 0;
	if (good && text_of(engine, "ok_if")) {
		marie_grant(&marie, LOOM_MAY_ANYTHING);
		good = strcmp(code_of(input, 0), "OK") == 0;
	}
	if (good && text_of(engine, "without_loom_generate")) {
		marie_grant(&marie, LOOM_MAY_ALL & ~(unsigned)LOOM_MAY_GENERATE);
		good = strcmp(code_of(input, (size_t)call),
			      text_of(engine, "without_loom_generate")) == 0;
	}
	return good;
}

TEST the_cases_hold_for_the_engine(void)
{
	cJSON *document = read_cases();
	const cJSON *cases = loom_json_get(document, "cases");
	const cJSON *one = NULL;
	size_t count = 0;

	if (!document)
		SKIPm("the shared cases are not here");
	cJSON_ArrayForEach(one, cases)
	{
		count += loom_json_get(loom_json_get(one, "expect"), "engine") != NULL;
		if (!holds(one)) {
			printf("%s: %s\n", text_of(one, "id"), marie.last.text.p);
			cJSON_Delete(document);
			FAIL();
		}
	}
	cJSON_Delete(document);
	ASSERT(count >= 3);
	PASS();
}

TEST no_case_shakes_the_engine(void)
{
	static const char *const answers[] = {"a", "b", "c"};
	cJSON *document = read_cases();
	const cJSON *one = NULL;

	if (!document)
		SKIPm("the shared cases are not here");
	marie.answers = answers;
	marie.answer_count = LOOM_COUNT(answers);
	cJSON_ArrayForEach(one, loom_json_get(document, "cases"))
	{
		const char *source = text_of(one, "source");

		if (source && strcmp(source, "model") == 0)
			(void)marie_say(&marie, text_of(one, "input"));
		ASSERT(marie.last.status != LOOM_FAULT);
	}
	cJSON_Delete(document);
	PASS();
}

/* ---- both doors ---- */

/* "→ stash "x y" content-of:a7x2" as a shell would hand it over: no arrow, no quotes. */
static int split(char *line, char **words)
{
	int count = 0;
	char *out = line;
	char *at = line;

	while (*at) {
		bool quoted = false;

		while (*at == ' ')
			at++;
		if (!*at)
			break;
		words[count++] = out;
		for (; *at && (quoted || *at != ' '); at++) {
			if (*at == '"')
				quoted = !quoted;
			else
				*out++ = *at;
		}
		if (*at)
			at++;
		*out++ = '\0';
	}
	return count;
}

static void do_line(const char *example)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf real = LOOM_BUF_INIT(4096);
	struct loom_refusal refusal;
	struct loom_call call;
	char *words[32];
	char *line = NULL;

	marie_translate(&marie, loom_str_of(example + strlen("→ ")), true, &real);
	line = loom_arena_cstr(arena, loom_buf_str(&real));
	if (loom_parse_argv(arena, split(line, words), words, &call, &refusal) == LOOM_OK) {
		marie_must(loom_engine_turn(marie.engine, -1, &(struct loom_err){.at = 0}), NULL);
		marie_call(&marie, &call);
		loom_engine_yield(marie.engine);
	} else {
		loom_engine_refuse(marie.engine, &refusal, &marie.last);
	}
	loom_buf_fini(&real);
	loom_arena_destroy(arena);
}

static void add_result(struct loom_buf *state)
{
	marie_translate(&marie, marie.last.text, false, state);
	loom_buf_addc(state, '\n');
}

/* All that can be seen of the store, as the examples name it. */
static void add_state(struct loom_buf *state)
{
	static const char *const looks[] = {"→ tree from:r001 depth:20",
					    "→ memory",
					    "→ memory stashed",
					    "→ view a7x2 with-annotations",
					    "→ list a7x2 links",
					    "→ list a7x2 continuations",
					    "→ view b3k9",
					    "→ read doc:\"character notes\"",
					    "→ tree"};
	struct loom_op *ops = NULL;
	struct loom_err err;
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(looks); i++) {
		(void)marie_say(&marie, looks[i]);
		add_result(state);
	}
	marie_must(loom_op_list(marie.grove.store, &(struct loom_op_page){.limit = 100},
				marie.grove.arena, &ops, &count, &err),
		   &err);
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(state, "%.*s %.*s %d\n", LOOM_STR_ARG(ops[i].kind),
			      LOOM_STR_ARG(ops[i].text), ops[i].state);
}

/* As if a chat model had written a7x2. */
static void add_seam(void)
{
	char sql[100];

	snprintf(sql, sizeof sql, "INSERT INTO seam(id, skip, put, cut) VALUES(%lld, 2, '', 0)",
		 (long long)marie.nodes[7]);
	raw_exec(&marie.grove, sql);
}

/* What an example needs to find. */
static void prepare(enum loom_verb verb)
{
	static const char *const answers[] = {"One.", "Two.", "Three."};

	marie.answers = answers;
	marie.answer_count = LOOM_COUNT(answers);
	if (verb == LOOM_VERB_RECALL)
		(void)marie_say(&marie, "→ stash \"marie insight\" \"She lied.\"");
	if (verb == LOOM_VERB_DROP)
		(void)marie_say(&marie, "→ pin a7x2");
	if (verb == LOOM_VERB_UNDO)
		(void)marie_say(&marie, "→ bookmark a7x2");
	if (verb == LOOM_VERB_UNTAG)
		(void)marie_say(&marie, "→ tag a7x2 \"motive\"");
	if (verb == LOOM_VERB_UNLINK)
		(void)marie_say(&marie, "→ link a7x2 to b3k9");
	if (verb == LOOM_VERB_REDO)
		(void)marie_say(&marie, "→ bookmark a7x2\n→ undo");
	if (verb == LOOM_VERB_RESTORE)
		(void)marie_say(&marie, "→ prune a7x2");
	if (loom_verb_info(verb)->permission == LOOM_MAY_THREADS)
		spawned_init(&marie);
	if (verb == LOOM_VERB_UNREF || verb == LOOM_VERB_REFRESH)
		(void)marie_say(&marie, "→ ref thread-backend");
	if (verb == LOOM_VERB_RESUME)
		(void)marie_say(&marie, "→ suspend");
	if (verb == LOOM_VERB_SEAM || verb == LOOM_VERB_UNSEAM)
		add_seam();
}

static void play(const struct loom_verb_info *verb, bool through_do, struct loom_buf *state)
{
	marie_fini(&marie);
	marie_init(&marie, LOOM_DIALOGUE);
	prepare(verb->verb);
	if (through_do)
		do_line(verb->example);
	else
		(void)marie_say(&marie, verb->example);
	add_result(state);
	add_state(state);
}

TEST every_row_does_the_same_through_both_doors(void)
{
	for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);
		struct loom_buf line = LOOM_BUF_INIT(1 << 20);
		struct loom_buf argv = LOOM_BUF_INIT(1 << 20);

		play(verb, false, &line);
		play(verb, true, &argv);
		ASSERT_STR_EQ(loom_buf_cstr(&line), loom_buf_cstr(&argv));
		/* Searching is somebody else's; everything else works as it is. */
		if (v != LOOM_VERB_SEARCH && line.p[0] == '\xE2' && line.p[1] == '\x9C' &&
		    line.p[2] == '\x97') {
			printf("%s: %s\n", verb->example, loom_buf_cstr(&line));
			FAIL();
		}
		loom_buf_fini(&line);
		loom_buf_fini(&argv);
	}
	PASS();
}

SUITE(engine_cases)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(the_cases_hold_for_the_engine);
	RUN_TEST(no_case_shakes_the_engine);
	RUN_TEST(every_row_does_the_same_through_both_doors);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_cases);
	GREATEST_MAIN_END();
}
