/* Every case of the two files projection.json, the shared one and ours, through the faces that the
 * command line has. */
#include <greatest.h>

#include <loom/chat/drive.h>
#include <loom/base/hash.h>
#include <loom/log/memlog.h>
#include <loom/log/checkpoint.h>

#include "support/temp.h"

#define SHARED_CASES LOOM_SHARED "/cases/projection.json"
#define OWN_CASES    LOOM_SOURCE "/tests/cases/projection.json"

struct world {
	struct loom_arena *arena;
	struct loom_env env;
	struct loom_str cases; /* empty: no file */
};

static void world_init(struct world *world, const char *file)
{
	world->arena = loom_arena_create();
	loom_env_init_fixed(&world->env, 1700000000000, 7);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool there = temp_read(file, &text);
	world->cases = loom_arena_buf(world->arena, &text);
	loom_buf_fini(&text);
	if (!there)
		fprintf(stderr, "skipped: %s is missing\n", file);
}

static struct loom_str get(struct loom_str object, const char *key)
{
	return loom_jval_get(object, key);
}

static struct loom_str say(struct world *world, struct loom_str value)
{
	return loom_jval_text(value, world->arena);
}

/* Whether `got` says all that `want` says: same lists, at least the same members; null and absent
 * are the same. */
static bool covers(struct world *world, struct loom_str got, struct loom_str want)
{
	enum loom_jtype type = loom_jval_type(want);
	struct loom_jwalk wants = loom_jval_walk(want);
	struct loom_jwalk gots = loom_jval_walk(got);
	struct loom_str key;
	struct loom_str value;
	struct loom_str other;

	if (loom_jval_is_null(want))
		return loom_jval_is_null(got);
	if (loom_jval_type(got) != type)
		return false;
	if (type == LOOM_JTYPE_STRING)
		return loom_str_eq(say(world, got), say(world, want));
	if (type == LOOM_JTYPE_ARRAY && loom_jval_count(got) != loom_jval_count(want))
		return false;
	while (loom_jwalk_next(&wants, &key, &value)) {
		if (type == LOOM_JTYPE_ARRAY)
			(void)loom_jwalk_next(&gots, NULL, &other);
		else
			other = get(got, loom_arena_cstr(world->arena, say(world, key)));
		if (!covers(world, other, value))
			return false;
	}
	return type == LOOM_JTYPE_OBJECT || type == LOOM_JTYPE_ARRAY || loom_str_eq(got, want);
}

static bool same(struct world *world, struct loom_str got, struct loom_str want)
{
	return covers(world, got, want) && covers(world, want, got);
}

static bool complain(struct loom_str name, const char *what, struct loom_str got,
		     struct loom_str want)
{
	fprintf(stderr, "%.*s: %s\n  got  %.*s\n  want %.*s\n", LOOM_STR_ARG(name), what,
		LOOM_STR_ARG(got), LOOM_STR_ARG(want));
	return false;
}

typedef bool case_fn(struct world *world, struct loom_str name, struct loom_str item);

/* Runs `run` over the cases of a group; returns how many there were, -1 when one failed. */
static int each_case(struct world *world, const char *group, case_fn *run)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_of(world->cases));
	struct loom_str item;
	int count = 0;
	bool good = true;

	while (loom_jwalk_next(&walk, NULL, &item)) {
		if (!loom_jval_says(get(item, "group"), loom_str_of(group)))
			continue;
		count++;
		good = run(world, say(world, get(item, "name")), item) && good;
	}
	return good ? count : -1;
}

static bool run_projection(struct world *world, struct loom_str name, struct loom_str item)
{
	struct loom_project_text opts = {.at = LOOM_SEQ_HEAD,
					 .lane = say(world, get(item, "lane")),
					 .prompt = say(world, get(item, "default_system_prompt"))};
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {0};
	struct loom_str expect = get(item, "expect");
	int64_t limit = 0;
	bool good = true;

	if (!loom_jval_int(get(item, "at_seq"), &opts.at))
		opts.at = LOOM_SEQ_HEAD;
	opts.limited = loom_jval_int(get(item, "limit"), &limit);
	opts.limit = (size_t)limit;
	if (loom_project_text(get(item, "log"), &opts, &out, &err))
		return complain(name, err.text, loom_str_of(""), expect);
	struct loom_str got = loom_jval_of(loom_arena_buf(world->arena, &out));
	loom_buf_fini(&out);
	if (!covers(world, got, expect))
		good = complain(name, "projection", got, expect);
	if (get(expect, "messages").n &&
	    !same(world, get(got, "messages"), get(expect, "messages")))
		good = complain(name, "messages exactly", get(got, "messages"), expect);
	return good;
}

/* A drive over the case's log. */
struct driven {
	struct loom_memlog *memlog;
	struct loom_drive *drive;
};

static bool driven_init(struct driven *driven, struct world *world, struct loom_str item)
{
	struct loom_log_row *rows = NULL;
	size_t count = 0;

	*driven = (struct driven){.memlog = loom_memlog_create()};
	const struct loom_log log = loom_memlog_log(driven->memlog);
	const struct loom_run_opts opts = {.thread = LOOM_STR("t"),
					   .prompt = say(world, get(item, "default_system_prompt")),
					   .env = &world->env};
	return !loom_log_rows_parse(get(item, "log"), world->arena, &rows, &count, NULL) &&
	       !loom_memlog_load(driven->memlog, rows, count, NULL) &&
	       !loom_drive_open(&log, &opts, &driven->drive, NULL);
}

static void driven_fini(struct driven *driven)
{
	loom_drive_close(driven->drive);
	loom_memlog_destroy(driven->memlog);
}

static struct loom_str ask(struct world *world, struct driven *driven, struct loom_str command)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_drive_line(driven->drive, command, &out);
	struct loom_str answer = loom_arena_buf(world->arena, &out);
	loom_buf_fini(&out);
	return loom_jval_of(answer);
}

/* The row as the cases flatten it: payload and operation beside kind and refs. */
static struct loom_str flat_row(struct world *world, struct loom_str row)
{
	const struct loom_str layers[] = {row, get(row, "payload"),
					  get(get(row, "payload"), "operation")};
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str key;
	struct loom_str value;

	for (size_t i = 0; i < LOOM_COUNT(layers); i++) {
		struct loom_jwalk walk = loom_jval_walk(layers[i]);
		while (loom_jwalk_next(&walk, &key, &value)) {
			loom_buf_addc(&buf, buf.n ? ',' : '{');
			loom_buf_add(&buf, key);
			loom_buf_addc(&buf, ':');
			loom_buf_add(&buf, value);
		}
	}
	loom_buf_addc(&buf, '}');
	struct loom_str flat = loom_arena_buf(world->arena, &buf);
	loom_buf_fini(&buf);
	return flat;
}

static bool check_log(struct world *world, struct loom_str name, struct driven *driven,
		      struct loom_str expect)
{
	struct loom_str got = get(ask(world, driven, LOOM_STR("{\"do\":\"log\"}")), "rows");
	struct loom_str want = get(expect, "log");
	struct loom_jwalk gots = loom_jval_walk(got);
	struct loom_jwalk wants = loom_jval_walk(want);
	struct loom_str row;
	struct loom_str wanted;
	int64_t count = 0;

	if (loom_jval_int(get(expect, "log_count"), &count) &&
	    (size_t)count != loom_jval_count(got))
		return complain(name, "row count", got, expect);
	if (want.n == 0)
		return true;
	if (loom_jval_count(got) != loom_jval_count(want))
		return complain(name, "log", got, want);
	while (loom_jwalk_next(&gots, NULL, &row) && loom_jwalk_next(&wants, NULL, &wanted)) {
		if (!covers(world, flat_row(world, row), wanted))
			return complain(name, "row", row, wanted);
		if (get(wanted, "refs").n && !same(world, get(row, "refs"), get(wanted, "refs")))
			return complain(name, "refs exactly", row, wanted);
	}
	return true;
}

static bool check_state(struct world *world, struct loom_str name, struct driven *driven,
			struct loom_str expect)
{
	struct loom_str got = ask(world, driven, LOOM_STR("{\"do\":\"state\"}"));
	struct loom_str context = get(got, "context");
	struct loom_jwalk walk = loom_jval_walk(get(expect, "state"));
	const char *parts[] = {"entries", "system_prompt"};
	struct loom_str key;
	struct loom_str want;
	int64_t cursor = 0;

	while (loom_jwalk_next(&walk, &key, &want)) {
		const char *plain = loom_arena_cstr(world->arena, say(world, key));
		bool last = loom_jval_says(want, LOOM_STR("last"));
		if (last && loom_jval_int(get(got, "cursor"), &cursor) &&
		    cursor == loom_memlog_at(driven->memlog, loom_memlog_count(driven->memlog) - 1)
				      ->seq)
			continue;
		if (!same(world, get(got, plain), want))
			return complain(name, plain, got, expect);
	}
	for (size_t i = 0; i < LOOM_COUNT(parts); i++) {
		if (get(expect, parts[i]).n &&
		    !covers(world, get(context, parts[i]), get(expect, parts[i])))
			return complain(name, parts[i], context, expect);
	}
	if (get(expect, "run_entries").n &&
	    !covers(world, get(got, "run_entries"), get(expect, "run_entries")))
		return complain(name, "run_entries", got, expect);
	return true;
}

static bool check_results(struct world *world, struct loom_str name, struct loom_str results,
			  struct loom_str expect)
{
	struct loom_str want = get(expect, "results");

	return want.n == 0 || same(world, results, want) ||
	       complain(name, "results", results, want);
}

/* What some of the answers say besides their word, by the number of the command. */
static bool check_answers(struct world *world, struct loom_str name, struct loom_str answers,
			  struct loom_str expect)
{
	struct loom_jwalk gots = loom_jval_walk(answers);
	struct loom_str got;

	for (int i = 0; loom_jwalk_next(&gots, NULL, &got); i++) {
		struct loom_str number = loom_arena_format(world->arena, "%d", i);
		struct loom_str want = get(get(expect, "answers"), number.p);

		if (want.n && !covers(world, got, want))
			return complain(name, "answer", got, want);
	}
	return true;
}

static bool run_lifecycle(struct world *world, struct loom_str name, struct loom_str item)
{
	struct loom_jwalk walk = loom_jval_walk(get(item, "commands"));
	struct loom_str expect = get(item, "expect");
	struct loom_buf results = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf answers = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct driven driven;
	struct loom_str command;

	if (!driven_init(&driven, world, item))
		return complain(name, "log", get(item, "log"), expect);
	while (loom_jwalk_next(&walk, NULL, &command)) {
		struct loom_str answer = ask(world, &driven, command);
		loom_buf_addc(&results, results.n ? ',' : '[');
		loom_buf_add(&results, get(answer, "result"));
		loom_buf_addc(&answers, answers.n ? ',' : '[');
		loom_buf_add(&answers, answer);
	}
	loom_buf_adds(&results, results.n ? "]" : "[]");
	loom_buf_adds(&answers, answers.n ? "]" : "[]");
	bool good = check_results(world, name, loom_arena_buf(world->arena, &results), expect) &&
		    check_answers(world, name, loom_arena_buf(world->arena, &answers), expect) &&
		    check_log(world, name, &driven, expect) &&
		    check_state(world, name, &driven, expect);
	struct loom_str want = get(expect, "projection_entries");
	struct loom_str got = ask(world, &driven, LOOM_STR("{\"do\":\"project\"}"));
	if (want.n && !covers(world, get(got, "entries"), want))
		good = complain(name, "projection_entries", got, want);
	loom_buf_fini(&results);
	loom_buf_fini(&answers);
	driven_fini(&driven);
	return good;
}

static bool run_derive(struct world *world, struct loom_str name, struct loom_str item)
{
	struct loom_str expect = get(item, "expect");
	struct driven driven;
	int64_t at = LOOM_SEQ_HEAD;

	if (!driven_init(&driven, world, item))
		return complain(name, "log", get(item, "log"), expect);
	if (!loom_jval_int(get(item, "at_seq"), &at))
		at = LOOM_SEQ_HEAD;
	struct loom_str got = ask(world, &driven,
				  loom_arena_format(world->arena, "{\"do\":\"state\",\"at\":%lld}",
						    (long long)at));
	driven_fini(&driven);
	return covers(world, got, expect) || complain(name, "state", got, expect);
}

/* The payload with the verifier's own fingerprint in it; `raw` is one of any bytes. */
static struct loom_str token_payload(struct world *world, struct loom_str token)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text = get(token, "payload");
	size_t at = loom_str_find(text, LOOM_STR("\"MATCH\""), 0);

	if (get(token, "raw").n > 0)
		return say(world, get(token, "raw"));

	loom_buf_add(&buf, loom_str_sub(text, 0, at));
	if (at != SIZE_MAX) {
		loom_buf_adds(&buf, "\"fp\"");
		loom_buf_add(&buf, loom_str_sub(text, at + 7, text.n));
	}
	struct loom_str payload = loom_arena_buf(world->arena, &buf);
	loom_buf_fini(&buf);
	return payload;
}

static void damage(struct loom_buf *text, size_t prefix, struct loom_str mutate)
{
	size_t dot = loom_str_find_char(loom_buf_str(text), '.', prefix);

	if (loom_str_is(mutate, "drop_signature"))
		loom_buf_cut(text, dot);
	else if (loom_str_is(mutate, "append_x"))
		loom_buf_addc(text, 'x');
	else if (loom_str_is(mutate, "flip_payload"))
		text->p[prefix + 4] = text->p[prefix + 4] == 'A' ? 'B' : 'A';
	else if (loom_str_is(mutate, "flip_signature"))
		text->p[dot + 4] = text->p[dot + 4] == 'A' ? 'B' : 'A';
}

/* The token behind its prefix, in the shape that the case asks for: P is the payload as it is
 * written, S the signature, s the signature less four letters, and all else itself. */
static void put_shape(struct world *world, struct loom_str token, struct loom_str good,
		      struct loom_buf *out)
{
	struct loom_str shape = say(world, get(token, "shape"));
	size_t dot = loom_str_find_char(good, '.', 0);
	struct loom_str payload = loom_str_sub(good, 0, dot);
	struct loom_str mac = loom_str_sub(good, dot + 1, good.n);

	if (!get(token, "shape").n)
		loom_buf_add(out, good);
	for (size_t i = 0; i < shape.n; i++) {
		if (shape.p[i] == 'P')
			loom_buf_add(out, payload);
		else if (shape.p[i] == 'S')
			loom_buf_add(out, mac);
		else if (shape.p[i] == 's')
			loom_buf_add(out, loom_str_sub(mac, 0, mac.n - 4));
		else
			loom_buf_addc(out, shape.p[i]);
	}
}

/* A case may leave open which of several names a refusal has. */
static bool names_refusal(struct loom_str expect, struct loom_str got)
{
	struct loom_jwalk walk = loom_jval_walk(get(expect, "accept"));
	struct loom_str other;

	while (get(expect, "accept").n && loom_jwalk_next(&walk, NULL, &other)) {
		if (loom_jval_says(other, got))
			return true;
	}
	return loom_jval_says(get(expect, "error"), got);
}

static bool run_token(struct world *world, struct loom_str name, struct loom_str item)
{
	struct loom_str token = get(item, "token");
	struct loom_str expect = get(item, "expect");
	struct loom_buf signed_text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str prefix = say(world, get(token, "prefix"));
	struct loom_token_holder holder = {.secret = say(world, get(token, "verify_secret")),
					   .fingerprint = LOOM_STR("fp")};
	struct loom_token out;
	int64_t offset = 0;

	if (loom_jval_int(get(token, "now_ms_offset"), &offset))
		holder.now_ms = offset;
	loom_token_sign(token_payload(world, token), say(world, get(token, "sign_secret")),
			&signed_text);
	loom_buf_add(&text, prefix);
	put_shape(world, token, loom_str_sub(loom_buf_str(&signed_text), 4, signed_text.n), &text);
	damage(&text, prefix.n, say(world, get(token, "mutate")));
	const char *wrong = loom_token_check(loom_buf_str(&text), &holder, world->arena, &out);
	struct loom_str got = loom_str_of(wrong ? wrong : "ok");
	bool good = wrong ? names_refusal(expect, got) : loom_str_is(get(expect, "ok"), "true");
	if (!wrong && get(expect, "status").n)
		good = good && loom_jval_says(get(expect, "status"), out.status);
	loom_buf_fini(&signed_text);
	loom_buf_fini(&text);
	return good || complain(name, "token", got, expect);
}

static int run_group(const char *file, const char *group, case_fn *run)
{
	struct world world;

	world_init(&world, file);
	int count = world.cases.n ? each_case(&world, group, run) : 0;
	loom_arena_destroy(world.arena);
	return count;
}

#define GROUP_TEST(name, group, run)                                                               \
	TEST name(void)                                                                            \
	{                                                                                          \
		ASSERT(run_group(OWN_CASES, group, run) > 0);                                      \
		int count = run_group(SHARED_CASES, group, run);                                   \
		if (count == 0)                                                                    \
			SKIPm("no shared cases");                                                  \
		ASSERT(count > 0);                                                                 \
		PASS();                                                                            \
	}

GROUP_TEST(projection_cases_give_what_they_say, "projection", run_projection)
GROUP_TEST(provider_cases_give_what_they_say, "provider", run_projection)
GROUP_TEST(lifecycle_cases_give_what_they_say, "lifecycle", run_lifecycle)
GROUP_TEST(token_cases_give_what_they_say, "token", run_token)
GROUP_TEST(derive_cases_give_what_they_say, "derive", run_derive)

SUITE(cases)
{
	RUN_TEST(projection_cases_give_what_they_say);
	RUN_TEST(provider_cases_give_what_they_say);
	RUN_TEST(lifecycle_cases_give_what_they_say);
	RUN_TEST(token_cases_give_what_they_say);
	RUN_TEST(derive_cases_give_what_they_say);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cases);
	GREATEST_MAIN_END();
}
