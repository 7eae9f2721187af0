/* What a log alone says, asked of a keeper that answers by itself and of one that only reads rows.
 */
#include <greatest.h>

#include <loom/log/projection.h>
#include <loom/log/lifecycle.h>

#include "support/logged.h"
#include "support/prop.h"

/* The same log without the answers that a keeper need not have. */
static struct loom_log bare(struct loom_log_ops *ops)
{
	*ops = *logged.ops;
	ops->anchor = NULL;
	ops->operations = NULL;
	ops->lanes = NULL;
	return (struct loom_log){.ops = ops, .ctx = logged.ctx};
}

static const char *derived(const struct loom_log *log, int64_t at)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_derived what;
	struct loom_lanes lanes;
	struct loom_str copy;

	if (loom_derive(log, at, arena, &what, NULL) || loom_lanes(log, at, arena, &lanes, NULL))
		abort();
	loom_buf_addf(&text, "%.*s at %lld |", LOOM_STR_ARG(what.lane), (long long)what.cursor);
	for (size_t i = 0; i < what.applied_count; i++)
		loom_buf_addf(&text, " %.*s", LOOM_STR_ARG(what.applied[i]));
	loom_buf_adds(&text, " |");
	for (size_t i = 0; i < lanes.count; i++)
		loom_buf_addf(&text, " %.*s", LOOM_STR_ARG(lanes.names[i]));
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy.p;
}

static const char *entries(const struct loom_log *log, const char *lane, int64_t at)
{
	const struct loom_project_opts opts = {.thread = LOOM_STR("t"),
					       .lane = loom_str_of(lane),
					       .at = at};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_context context;
	struct loom_json json;
	struct loom_str copy;

	if (loom_project(log, &opts, arena, &context, NULL))
		abort();
	loom_json_init(&json, &text);
	loom_context_entries_json(&context, SIZE_MAX, &json);
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy.p;
}

#define SAY(lane, text)                                                                            \
	add(LOOM_KIND_MESSAGE,                                                                     \
	    "{\"context_ref\":\"" lane "\",\"role\":\"user\",\"content\":\"" text "\"}")
#define SWITCH(lane, id)                                                                           \
	add(LOOM_KIND_OP, "{\"op_id\":\"" id "\",\"context_ref\":\"" lane                          \
			  "\",\"operation\":{\"type\":\"switch\"}}")
#define REPLACE(lane, id)                                                                          \
	add(LOOM_KIND_OP,                                                                          \
	    "{\"op_id\":\"" id "\",\"context_ref\":\"" lane "\",\"operation\":{\"type\":"          \
	    "\"replace\",\"reason\":\"manual\",\"result_context\":{\"id\":\"s\",\"entries\":["     \
	    "{\"role\":\"user\",\"content\":\"" id "\"}]}}}")

TEST an_empty_log_is_in_the_default_lane(void)
{
	struct loom_log_ops ops;
	const struct loom_log log = bare(&ops);

	ASSERT_STR_EQ("default at -1 | |", derived(&logged, LOOM_SEQ_HEAD));
	ASSERT_STR_EQ("default at -1 | |", derived(&log, LOOM_SEQ_HEAD));
	PASS();
}

TEST the_last_valid_operation_says_the_lane_and_rows_say_the_lanes(void)
{
	struct loom_log_ops ops;
	const struct loom_log log = bare(&ops);

	SAY("a", "one");
	SWITCH("b", "op-1");
	SAY("c", "two");
	REPLACE("a", "op-2");
	add("note", "{\"context_ref\":\"never\"}");
	ASSERT_STR_EQ("a at 4 | op-2 op-1 | a b c", derived(&logged, LOOM_SEQ_HEAD));
	ASSERT_STR_EQ("b at 2 | op-1 | a b c", derived(&logged, 2));
	ASSERT_STR_EQ("default at 0 | | a", derived(&logged, 0));
	for (int64_t at = -1; at < 6; at++)
		ASSERT_STR_EQ(derived(&logged, at), derived(&log, at));
	PASS();
}

/* A message, a switch or a replace, in one of three lanes. */
static void add_any(struct prop *prop, int number)
{
	static const char *const forms[] = {
		"{\"context_ref\":\"%c\",\"role\":\"user\",\"content\":\"%d\"}",
		"{\"context_ref\":\"%c\",\"op_id\":\"op-%d\",\"operation\":{\"type\":\"switch\"}}",
		("{\"context_ref\":\"%c\",\"op_id\":\"op-%d\",\"operation\":{\"type\":\"replace\","
		 "\"reason\":\"manual\",\"result_context\":{\"id\":\"s\",\"entries\":[]}}}"),
	};
	const size_t form = prop_below(prop, LOOM_COUNT(forms));
	const char lane = (char)('a' + (char)prop_below(prop, 3));
	struct loom_buf payload = LOOM_BUF_INIT(400);
	struct loom_str rest = loom_str_of(forms[form]);
	struct loom_str part;

	(void)loom_str_cut(&rest, '%', &part);
	loom_buf_add(&payload, part);
	loom_buf_addc(&payload, lane);
	rest = loom_str_sub(rest, 1, SIZE_MAX);
	(void)loom_str_cut(&rest, '%', &part);
	loom_buf_add(&payload, part);
	loom_buf_addf(&payload, "%d", number);
	loom_buf_add(&payload, loom_str_sub(rest, 1, SIZE_MAX));
	add(form ? LOOM_KIND_OP : LOOM_KIND_MESSAGE, loom_buf_cstr(&payload));
	loom_buf_fini(&payload);
}

TEST a_keeper_that_only_reads_rows_says_the_same_of_any_log(void)
{
	struct prop prop;

	prop_init(&prop, "derive");
	for (int run = 0; run < 30; run++) {
		struct loom_log_ops ops;
		struct loom_log log;

		tear_down(NULL);
		set_up(NULL);
		log = bare(&ops);
		for (int i = 0; i < 40; i++)
			add_any(&prop, i);
		for (int64_t at = 0; at < 40; at += 3) {
			ASSERT_STR_EQ(derived(&logged, at), derived(&log, at));
			ASSERT_STR_EQ(entries(&logged, "a", at), entries(&log, "a", at));
		}
	}
	PASS();
}

SUITE(derive)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(an_empty_log_is_in_the_default_lane);
	RUN_TEST(the_last_valid_operation_says_the_lane_and_rows_say_the_lanes);
	RUN_TEST(a_keeper_that_only_reads_rows_says_the_same_of_any_log);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(derive);
	GREATEST_MAIN_END();
}
