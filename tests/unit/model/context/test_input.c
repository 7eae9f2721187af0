/* What was sent to a model is read again as it was, and costs what is new in it. */
#include <greatest.h>

#include <loom/context/context.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include "support/grove.h"
#include "support/ok.h"
#include "support/prop.h"

GREATEST_MAIN_DEFS();

enum { ROUNDS = 30, CALLS = 40, LONG = 5000 };

static struct grove g;
static struct loom_err err;
static struct loom_thread_log *keeper;
static struct loom_log talk;

/* The pieces of a call, as numbers that stand for texts. */
struct told {
	int64_t items[2 * LONG];
	size_t count;
};

static void set_up(void *ctx)
{
	struct loom_thread thread;
	int64_t tree = 0;

	(void)ctx;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "Root.");
	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(g.store, g.owner, tree, g.arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	grove_must(loom_thread_log_open(g.store, thread.id, NULL, &keeper, &err), &err, "log");
	talk = loom_thread_log_face(keeper);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_thread_log_close(keeper);
	grove_fini(&g);
}

static struct loom_str text_of(struct loom_arena *arena, int64_t number)
{
	return loom_arena_format(arena, "Message \"%lld\".\n", (long long)number);
}

/* Keeps the pieces as one call's input; returns its row. */
static int64_t keep(const struct told *told)
{
	const struct loom_input input = {.request = LOOM_STR("r-1")};
	struct loom_arena *arena = loom_arena_create();
	struct loom_assembly sent = {.budget = 700};
	int64_t seq = 0;

	sent.pieces = LOOM_ARENA_ARRAY(arena, told->count + 1, struct loom_context_piece);
	sent.count = told->count;
	for (size_t i = 0; i < told->count; i++)
		sent.pieces[i] = (struct loom_context_piece){
			.part = i ? LOOM_PART_MESSAGES : LOOM_PART_SYSTEM,
			.said = {.role = i ? LOOM_ROLE_USER : LOOM_ROLE_SYSTEM,
				 .text = text_of(arena, told->items[i])}};
	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_input_keep(g.store, &talk, &input, &sent, &err), &err, "keep");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	grove_must(talk.ops->head(talk.ctx, &seq, &err), &err, "head");
	loom_arena_destroy(arena);
	return seq;
}

/* Appends a row as it stands. */
static int64_t append(const char *kind, const char *payload)
{
	const struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					 .kind = loom_str_of(kind),
					 .payload = loom_str_of(payload)};
	int64_t seq = 0;

	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_log_append(&talk, &row, &seq, &err), &err, "append");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	return seq;
}

static bool take_payload(void *ctx, const struct loom_log_row *row)
{
	loom_buf_add(ctx, row->payload);
	return false;
}

static void payload_of(int64_t seq, struct loom_buf *out)
{
	const struct loom_log_range range = {.after = seq - 1, .through = seq};
	const struct loom_log_visitor visitor = {take_payload, out};

	loom_buf_clear(out);
	grove_must(talk.ops->read(talk.ctx, &range, &visitor, &err), &err, "read");
}

static enum greatest_test_res reads_as(int64_t seq, const struct told *told)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_assembly kept;

	grove_must(loom_input_read(g.store, &talk, seq, arena, &kept, &err), &err, "input");
	ASSERT_EQ(told->count, kept.count);
	ASSERT_EQ(700, kept.budget);
	for (size_t i = 0; i < kept.count; i++) {
		ASSERT(loom_str_eq(text_of(arena, told->items[i]), kept.pieces[i].said.text));
		ASSERT_EQ(i ? LOOM_ROLE_USER : LOOM_ROLE_SYSTEM, kept.pieces[i].said.role);
	}
	loom_arena_destroy(arena);
	PASS();
}

/* What happens to a context between two calls: it grows, forgets, repeats, swaps, begins anew. */
static void change(struct told *told, struct prop *prop)
{
	const size_t steps = 1 + prop_below(prop, 4);

	for (size_t step = 0; step < steps; step++) {
		const size_t at = prop_below(prop, told->count + 1);
		const size_t gone = prop_below(prop, told->count - at + 1);

		switch (prop_below(prop, 4)) {
		case 0:
			told->items[told->count++] = prop_between(prop, 0, 40);
			break;
		case 1:
			if (at < told->count)
				told->items[at] = prop_between(prop, 0, 1000);
			break;
		case 2:
			memmove(told->items + at, told->items + at + gone,
				(told->count - at - gone) * sizeof *told->items);
			told->count -= gone;
			break;
		default:
			memcpy(told->items + told->count, told->items + at,
			       (told->count - at) / 2 * sizeof *told->items);
			told->count += (told->count - at) / 2;
			break;
		}
		if (told->count > 200)
			told->count = 0;
	}
}

TEST every_call_is_read_again_as_it_was(void)
{
	struct prop prop;
	const int times = prop_times(ROUNDS);
	struct told *said = loom_alloc(CALLS * sizeof *said);
	int64_t rows[CALLS];

	prop_init(&prop, "inputs kept");
	for (int round = 0; round < times; round++) {
		for (size_t i = 0; i < CALLS; i++) {
			if (i)
				said[i] = said[i - 1];
			change(&said[i], &prop);
			rows[i] = keep(&said[i]);
			if (prop_once_in(&prop, 5))
				append("model_output", "{\"text\":\"an answer\"}");
		}
		for (size_t i = 0; i < CALLS; i++)
			CHECK_CALL(reads_as(rows[i], &said[i]));
	}
	free(said);
	PASS();
}

TEST a_call_of_a_long_thread_costs_what_is_new(void)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct told *told = loom_alloc(sizeof *told);
	int64_t first = 0;
	int64_t last = 0;

	while (told->count < LONG) {
		told->items[told->count] = (int64_t)told->count;
		told->count++;
	}
	first = keep(told);
	for (int64_t i = 0; i < 60; i++) {
		/* A turn: the memory and the block about the loom are told anew, two messages are
		 * new. */
		told->items[1] = LONG + 4 * i;
		told->items[told->count - 1] = LONG + 4 * i + 1;
		told->items[told->count++] = LONG + 4 * i + 2;
		told->items[told->count++] = LONG + 4 * i + 3;
		last = keep(told);
		payload_of(last, &payload);
		ASSERT(payload.n < 1000);
	}
	CHECK_CALL(reads_as(last, told));
	payload_of(first, &payload);
	ASSERT(payload.n > (size_t)LONG * 64);
	loom_buf_fini(&payload);
	free(told);
	PASS();
}

/* The row of an earlier version names every piece. */
TEST a_row_of_an_earlier_version_is_read_and_built_upon(void)
{
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct told told = {.items = {1, 2, 3}, .count = 3};
	int64_t old = 0;
	int64_t next = 0;

	payload_of(keep(&told), &whole);
	ASSERT_EQ(SIZE_MAX, loom_str_find(loom_buf_str(&whole), LOOM_STR("\"base\""), 0));
	old = append(LOOM_KIND_INPUT, loom_buf_cstr(&whole));
	CHECK_CALL(reads_as(old, &told));
	told.items[told.count++] = 4;
	next = keep(&told);
	payload_of(next, &whole);
	ASSERT(loom_str_find(loom_buf_str(&whole), LOOM_STR("[0,3]"), 0) != SIZE_MAX);
	CHECK_CALL(reads_as(next, &told));
	loom_buf_fini(&whole);
	PASS();
}

TEST a_row_that_makes_no_sense_is_refused_and_hinders_no_other(void)
{
	static const char *const senseless[] = {
		"{\"parts\":[\"xyz\"]}",
		"{\"parts\":[[0,1]]}",
		"{\"parts\":7}",
		"{}",
		"{\"base\":0,\"parts\":[[0,900]]}",
		"{\"base\":0,\"parts\":[[2,2]]}",
		"{\"base\":0,\"parts\":[[0,9223372036854775807],[0,9223372036854775807]]}",
		"{\"base\":99,\"parts\":[[0,1]]}",
		"{\"base\":-5,\"parts\":[[0,1]]}",
		"{\"base\":0,\"parts\":[[0,0]]}",
		"{\"base\":0,\"parts\":[[0]]}",
		"{\"base\":0,\"parts\":[{\"0\":1}]}",
	};
	const struct told told = {.items = {1, 2, 3}, .count = 3};
	struct loom_assembly kept;

	ASSERT_EQ(0, keep(&told));
	for (size_t i = 0; i < LOOM_COUNT(senseless); i++) {
		int64_t seq = append(LOOM_KIND_INPUT, senseless[i]);

		STATUS_IS(LOOM_DAMAGED, loom_input_read(g.store, &talk, seq, g.arena, &kept, &err));
		CHECK_CALL(reads_as(keep(&told), &told));
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(every_call_is_read_again_as_it_was);
	RUN_TEST(a_call_of_a_long_thread_costs_what_is_new);
	RUN_TEST(a_row_of_an_earlier_version_is_read_and_built_upon);
	RUN_TEST(a_row_that_makes_no_sense_is_refused_and_hinders_no_other);
	GREATEST_MAIN_END();
}
