/* Projection: its rules on odd rows, its laws on random logs, its cost. */
#include <greatest.h>

#include <loom/log/memlog.h>
#include <loom/log/projection.h>

#include "support/prop.h"

/* A log in memory, a context and what to compare them with. */
struct world {
	struct loom_memlog *memlog;
	struct loom_log log;
	struct loom_arena *arena;
	struct loom_context context;
};

static void world_init(struct world *world)
{
	*world = (struct world){.memlog = loom_memlog_create(), .arena = loom_arena_create()};
	world->log = loom_memlog_log(world->memlog);
}

static void world_fini(struct world *world)
{
	loom_memlog_destroy(world->memlog);
	loom_arena_destroy(world->arena);
}

static void put_row(struct world *world, const struct loom_log_row *row)
{
	if (loom_memlog_load(world->memlog, row, 1, NULL))
		abort();
}

static void put(struct world *world, int64_t seq, const char *kind, const char *payload)
{
	const struct loom_log_row row = {.seq = seq,
					 .at_ms = LOOM_TIME_NONE,
					 .kind = loom_str_of(kind),
					 .payload = loom_str_of(payload)};

	put_row(world, &row);
}

/* The last `limit` entries, below 0: all. */
static const char *last_entries_of(struct world *world, const char *lane, int64_t at, int limit)
{
	const struct loom_project_opts opts = {.thread = LOOM_STR("t"),
					       .lane = loom_str_of(lane),
					       .at = at,
					       .limited = limit >= 0,
					       .limit = (size_t)limit};
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	if (loom_project(&world->log, &opts, world->arena, &world->context, NULL))
		abort();
	loom_json_init(&json, &buf);
	loom_context_entries_json(&world->context, SIZE_MAX, &json);
	const char *text = loom_arena_cstr(world->arena, loom_buf_str(&buf));
	loom_buf_fini(&buf);
	return text;
}

static const char *entries_of(struct world *world, const char *lane, int64_t at)
{
	return last_entries_of(world, lane, at, -1);
}

static const char *messages_of(struct world *world, const struct loom_messages_opts *opts)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &buf);
	loom_context_messages_json(&world->context, opts, &json);
	const char *text = loom_arena_cstr(world->arena, loom_buf_str(&buf));
	loom_buf_fini(&buf);
	return text;
}

/* Projects one message row of lane a. */
static const char *one(struct world *world, const char *payload)
{
	put(world, (int64_t)loom_memlog_count(world->memlog), LOOM_KIND_MESSAGE, payload);
	return entries_of(world, "a", LOOM_SEQ_HEAD);
}

/* Projects a lane that a replace with this snapshot anchors. */
static const char *anchored(struct world *world, const char *snapshot)
{
	struct loom_str payload = loom_arena_format(
		world->arena,
		"{\"op_id\":\"o\",\"context_ref\":\"a\",\"operation\":{\"type\":\"replace\","
		"\"reason\":\"manual\",\"result_context\":%s}}",
		snapshot);

	put(world, (int64_t)loom_memlog_count(world->memlog), LOOM_KIND_OP,
	    loom_arena_cstr(world->arena, payload));
	return entries_of(world, "a", LOOM_SEQ_HEAD);
}

TEST rows_give_entries_by_the_rules_of_their_role(void)
{
	static const struct {
		const char *payload;
		const char *entries;
	} cases[] = {
		{"{\"context_ref\":\"a\",\"role\":\"user\",\"content\":\"\"}",
		 "[{\"role\":\"user\",\"content\":\"\"}]"},
		{"{\"context_ref\":\"a\",\"role\":\"user\",\"content\":null}", "[]"},
		{"{\"context_ref\":\"a\",\"role\":\"user\"}", "[]"},
		{"{\"context_ref\":\"a\",\"role\":\"assistant\"}",
		 "[{\"role\":\"assistant\",\"content\":\"\"}]"},
		{"{\"context_ref\":\"a\",\"role\":\"assistant\",\"tool_calls\":[],\"content\":"
		 "\"x\"}",
		 "[{\"role\":\"assistant\",\"content\":\"x\"}]"},
		{"{\"context_ref\":\"a\",\"role\":\"tool\",\"tool_call_id\":\"c\",\"name\":\"n\"}",
		 "[{\"role\":\"tool\",\"content\":\"\",\"tool_call_id\":\"c\",\"name\":\"n\"}]"},
		{"{\"context_ref\":\"a\",\"role\":\"tool\",\"tool_call_id\":7,\"name\":\"n\"}",
		 "[]"},
		{"{\"context_ref\":\"a\",\"role\":\"system\",\"content\":\"x\"}", "[]"},
		{"{\"context_ref\":\"a\",\"role\":5,\"content\":\"x\"}", "[]"},
		{"{\"role\":\"user\",\"content\":\"no lane\"}", "[]"},
		{"{\"context_ref\":null,\"role\":\"user\",\"content\":\"no lane\"}", "[]"},
		{"{\"context_ref\":\"\\u0061\",\"\\u0072ole\":\"us\\u0065r\",\"content\":\"esc\"}",
		 "[{\"role\":\"us\\u0065r\",\"content\":\"esc\"}]"},
		{"{\"context_ref\":\"a\",\"role\":\"user\",\"content\":[{\"type\":\"text\","
		 "\"text\":"
		 "\"p\"}]}",
		 "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"p\"}]}]"},
		{"{\"context_ref\":\"a\",\"role\":\"assistant\",\"content\":\"n\",\"tool_calls\":[{"
		 "\"arguments\":{\"big\":12345678901234567890.10}}]}",
		 "[{\"role\":\"assistant\",\"content\":\"n\",\"tool_calls\":[{\"arguments\":{"
		 "\"big\":12345678901234567890.10}}]}]"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct world world;
		world_init(&world);
		ASSERT_STR_EQ(cases[i].entries, one(&world, cases[i].payload));
		world_fini(&world);
	}
	PASS();
}

TEST thoughts_leave_the_parts_and_stay_beside_them(void)
{
#define PARTS(parts) "{\"role\":\"assistant\",\"content\":[" parts "]}"
#define THOUGHT      "{\"type\":\"thinking\",\"thinking\":\"h\"}"
#define IMAGE        "{\"type\":\"image\",\"data\":\"x\"}"
#define TEXT         "{\"type\":\"text\",\"text\":\"t\"}"
	static const struct {
		const char *entry;
		const char *entries;
	} cases[] = {
		{PARTS(THOUGHT "," TEXT),
		 "[{\"role\":\"assistant\",\"content\":\"t\",\"thinking\":\"h\"}]"},
		{PARTS(THOUGHT "," IMAGE "," TEXT),
		 "[{\"role\":\"assistant\",\"content\":[" IMAGE "," TEXT "],\"thinking\":\"h\"}]"},
		{PARTS(IMAGE "," TEXT),
		 "[{\"role\":\"assistant\",\"content\":[" IMAGE "," TEXT "]}]"},
		{PARTS(TEXT "," TEXT), "[{\"role\":\"assistant\",\"content\":\"tt\"}]"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct world world;

		world_init(&world);
		ASSERT_STR_EQ(cases[i].entries,
			      anchored(&world, loom_arena_format(world.arena,
								 "{\"id\":\"x\",\"entries\":[%s]}",
								 cases[i].entry)
						       .p));
		world_fini(&world);
	}
	PASS();
}

TEST unreadable_snapshots_anchor_nothing(void)
{
	static const char *const snapshots[] = {
		"null",
		"\"text\"",
		"[]",
		"{}",
		"{\"entries\":[]}",
		"{\"id\":7,\"entries\":[]}",
		"{\"id\":\"x\"}",
		"{\"id\":\"x\",\"entries\":null}",
		"{\"id\":\"x\",\"entries\":{}}",
	};

	for (size_t i = 0; i < LOOM_COUNT(snapshots); i++) {
		struct world world;
		world_init(&world);
		one(&world, "{\"context_ref\":\"a\",\"role\":\"user\",\"content\":\"kept\"}");
		ASSERT_STR_EQ("[{\"role\":\"user\",\"content\":\"kept\"}]",
			      anchored(&world, snapshots[i]));
		ASSERT_EQ(LOOM_SEQ_NONE, world.context.anchor_seq);
		world_fini(&world);
	}
	PASS();
}

TEST a_null_prompt_of_a_snapshot_beats_the_default(void)
{
	struct world world;
	const struct loom_project_opts opts = {.lane = LOOM_STR("a"),
					       .at = LOOM_SEQ_HEAD,
					       .prompt = LOOM_STR("Base")};

	world_init(&world);
	anchored(&world, "{\"id\":\"x\",\"system_prompt\":null,\"entries\":[]}");
	ASSERT_EQ(LOOM_OK, loom_project(&world.log, &opts, world.arena, &world.context, NULL));
	ASSERT_FALSE(world.context.has_prompt);
	ASSERT_STR_EQ("[]", messages_of(&world, NULL));
	world_fini(&world);
	PASS();
}

TEST an_empty_prompt_is_still_a_prompt(void)
{
	struct world world;

	world_init(&world);
	anchored(&world, "{\"id\":\"x\",\"system_prompt\":\"\",\"entries\":[]}");
	ASSERT_STR_EQ("[{\"role\":\"system\",\"content\":\"\"}]", messages_of(&world, NULL));
	world_fini(&world);
	PASS();
}

TEST snapshot_entries_become_messages_as_providers_take_them(void)
{
	static const struct {
		const char *entry;
		const char *message;
	} cases[] = {
		{"{\"role\":\"assistant\",\"content\":null}",
		 "{\"role\":\"assistant\",\"content\":null}"},
		{"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\"}]}",
		 "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\"}]}"},
		{"{\"role\":\"assistant\",\"content\":\"t\",\"thinking\":\"h\"}",
		 "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\"},{"
		 "\"type\":\"text\",\"text\":\"t\"}]}"},
		{"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\"},{"
		 "\"type\":\"text\",\"text\":\"t\"}]}",
		 "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\"},{"
		 "\"type\":\"text\",\"text\":\"t\"}]}"},
		{"{\"role\":\"assistant\",\"thinking\":\"h\",\"content\":[{\"type\":\"image_url\","
		 "\"url\":\"u\"}]}",
		 "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"h\"},{"
		 "\"type\":\"image_url\",\"url\":\"u\"}]}"},
		{"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\\u00e9\"},{"
		 "\"type\":\"text\",\"text\":\"b\"}]}",
		 "{\"role\":\"assistant\",\"content\":\"a\\u00e9b\"}"},
		{"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}",
		 "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}"},
		{"{\"role\":\"tool\",\"content\":\"r\",\"name\":\"n\",\"tool_call_id\":\"c\"}",
		 "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"name\":\"n\",\"content\":\"r\"}"},
		{"{\"role\":\"developer\",\"content\":\"d\"}",
		 "{\"role\":\"developer\",\"content\":\"d\"}"},
		{"{\"role\":\"user\",\"content\":\"x\",\"refs\":{\"k\":1}}",
		 "{\"role\":\"user\",\"content\":\"x\"}"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct world world;
		world_init(&world);
		struct loom_str snapshot =
			loom_arena_format(world.arena, "{\"id\":\"x\",\"entries\":[%s]}",
					  cases[i].entry);
		struct loom_str want = loom_arena_format(world.arena, "[%s]", cases[i].message);
		anchored(&world, loom_arena_cstr(world.arena, snapshot));
		ASSERT_STR_EQ(want.p, messages_of(&world, NULL));
		world_fini(&world);
	}
	PASS();
}

static bool find_node(void *ctx, struct loom_str ulid, struct loom_node_text *out)
{
	(void)ctx;
	*out = (struct loom_node_text){.role = "user", .text = LOOM_STR("of the node")};
	return loom_str_is(ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
}

TEST a_reference_to_a_node_is_resolved_by_who_knows_nodes(void)
{
	struct world world;
	const struct loom_messages_opts opts = {.node = find_node};

	world_init(&world);
	ASSERT_STR_EQ("[{\"node\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"}]",
		      anchored(&world, "{\"id\":\"x\",\"entries\":[{\"node\":"
				       "\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"}]}"));
	ASSERT_STR_EQ("[{\"role\":\"user\",\"content\":\"of the node\"}]",
		      messages_of(&world, &opts));
	ASSERT_STR_EQ("[]", messages_of(&world, NULL));
	world_fini(&world);
	PASS();
}

TEST a_limit_keeps_the_prompt_of_the_anchor(void)
{
	struct world world;
	struct loom_project_opts opts = {.lane = LOOM_STR("a"),
					 .at = LOOM_SEQ_HEAD,
					 .limited = true,
					 .limit = 1};

	world_init(&world);
	anchored(&world, "{\"id\":\"x\",\"system_prompt\":\"P\",\"entries\":[{\"role\":\"user\","
			 "\"content\":\"1\"},{\"role\":\"user\",\"content\":\"2\"}]}");
	ASSERT_EQ(LOOM_OK, loom_project(&world.log, &opts, world.arena, &world.context, NULL));
	ASSERT_STR_EQ("[{\"role\":\"system\",\"content\":\"P\"},{\"role\":\"user\",\"content\":"
		      "\"2\"}]",
		      messages_of(&world, NULL));
	opts.limit = 0;
	ASSERT_EQ(LOOM_OK, loom_project(&world.log, &opts, world.arena, &world.context, NULL));
	ASSERT_STR_EQ("[{\"role\":\"system\",\"content\":\"P\"}]", messages_of(&world, NULL));
	world_fini(&world);
	PASS();
}

TEST messages_between_base_and_anchor_are_counted_as_hidden(void)
{
	struct world world;
	size_t hidden = 0;

	world_init(&world);
	for (int i = 0; i < 5; i++)
		one(&world, "{\"context_ref\":\"a\",\"role\":\"user\",\"content\":\"x\"}");
	put(&world, 5, LOOM_KIND_MESSAGE,
	    "{\"context_ref\":\"b\",\"role\":\"user\",\"content\":\"other\"}");
	put(&world, 6, LOOM_KIND_OP,
	    "{\"op_id\":\"o\",\"context_ref\":\"a\",\"operation\":{\"type\":\"replace\",\"base_"
	    "seq\":2,\"result_context\":{\"id\":\"x\",\"entries\":[]}}}");
	entries_of(&world, "a", LOOM_SEQ_HEAD);
	ASSERT_EQ(LOOM_OK, loom_context_hidden(&world.context, &world.log, &hidden, NULL));
	ASSERT_EQ(2, hidden);
	world_fini(&world);
	PASS();
}

TEST context_ids_come_from_thread_and_lane_alone(void)
{
	struct world one_log;
	struct world other_log;

	world_init(&one_log);
	world_init(&other_log);
	one(&one_log, "{\"context_ref\":\"a\",\"role\":\"user\",\"content\":\"x\"}");
	entries_of(&other_log, "a", LOOM_SEQ_HEAD);
	ASSERT_EQ(16, one_log.context.id.n);
	ASSERT(loom_str_eq(one_log.context.id, other_log.context.id));
	entries_of(&other_log, "b", LOOM_SEQ_HEAD);
	ASSERT_FALSE(loom_str_eq(one_log.context.id, other_log.context.id));
	world_fini(&one_log);
	world_fini(&other_log);
	PASS();
}

TEST rows_in_any_order_are_read_by_seq_and_a_seq_stands_once(void)
{
	static const char text[] =
		" [ {\"seq\": 2,\"kind\":\"ai_message\",\"payload\":{ "
		"\"context_ref\":\"a\",\"role\":\"user\",\"content\":\"2\"}},"
		"{\"seq\":0,\"kind\":\"ai_message\",\"payload\":{\"context_ref\":"
		"\"a\",\"role\":\"user\",\"content\":\"0 \\\" }\"},\"at\":"
		"\"2026-02-23T10:00:00Z\"}] ";
	struct world world;
	struct loom_log_row *rows = NULL;
	size_t count = 0;
	struct loom_err err = {0};

	world_init(&world);
	ASSERT_EQ(LOOM_OK, loom_log_rows_parse(LOOM_STR(text), world.arena, &rows, &count, &err));
	ASSERT_EQ(2, count);
	ASSERT_EQ(LOOM_OK, loom_memlog_load(world.memlog, rows, count, NULL));
	ASSERT_STR_EQ("[{\"role\":\"user\",\"content\":\"0 \\\" }\",\"timestamp\":"
		      "\"2026-02-23T10:00:00.000Z\"},{\"role\":\"user\",\"content\":\"2\"}]",
		      entries_of(&world, "a", LOOM_SEQ_HEAD));
	ASSERT_EQ(LOOM_INVALID,
		  loom_log_rows_parse(LOOM_STR("[{\"seq\":1,\"kind\":\"x\"},{\"seq\":1,\"kind\":"
					       "\"x\"}]"),
				      world.arena, &rows, &count, &err));
	ASSERT(strstr(err.text, "twice"));
	ASSERT_EQ(LOOM_INVALID, loom_log_rows_parse(LOOM_STR("[{\"kind\":\"x\"}]"), world.arena,
						    &rows, &count, &err));
	ASSERT_EQ(LOOM_INVALID,
		  loom_log_rows_parse(LOOM_STR("{}"), world.arena, &rows, &count, &err));
	world_fini(&world);
	PASS();
}

/* Random logs: what each row means is known beside it, so that a plain loop can say what the
 * projection must be. */
struct meaning {
	int lane;
	enum { SAYS, REPLACES, SWITCHES, BREAKS, OTHER } what;
	int number;
};

static const char *const lane_names[] = {"default", "b", "caf\xc3\xa9"};
#define LAW_ROWS 60

static struct loom_str payload_for(struct loom_arena *arena, const struct meaning *meaning)
{
	const char *lane = lane_names[meaning->lane];

	switch (meaning->what) {
	case SAYS:
		return loom_arena_format(
			arena, "{\"context_ref\":\"%s\",\"role\":\"user\",\"content\":\"%d\"}",
			lane, meaning->number);
	case REPLACES:
		return loom_arena_format(arena,
					 "{\"op_id\":\"o%d\",\"context_ref\":\"%s\",\"operation\":"
					 "{\"type\":\"replace\",\"result_context\":{\"id\":\"x\","
					 "\"entries\":[{\"role\":\"user\",\"content\":\"%d\"}]}}}",
					 meaning->number, lane, meaning->number);
	case SWITCHES:
		return loom_arena_format(arena,
					 "{\"op_id\":\"o%d\",\"context_ref\":\"%s\",\"operation\":"
					 "{\"type\":\"switch\"}}",
					 meaning->number, lane);
	case BREAKS:
		return loom_arena_format(arena,
					 "{\"op_id\":\"o%d\",\"context_ref\":\"%s\",\"operation\":"
					 "{\"type\":\"replace\",\"result_context\":7}}",
					 meaning->number, lane);
	case OTHER:
		break;
	}
	return LOOM_STR("{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"no\"}");
}

static void random_log(struct world *world, struct meaning *meanings, struct prop *prop)
{
	for (int i = 0; i < LAW_ROWS; i++) {
		uint64_t draw = prop_next(prop) % 12;
		meanings[i] =
			(struct meaning){.lane = (int)(prop_next(prop) % LOOM_COUNT(lane_names)),
					 .what = draw < 7    ? SAYS
						 : draw < 8  ? REPLACES
						 : draw < 9  ? SWITCHES
						 : draw < 10 ? BREAKS
							     : OTHER,
					 .number = i};
		bool operation = meanings[i].what != SAYS && meanings[i].what != OTHER;
		put(world, i,
		    meanings[i].what == OTHER ? "note"
		    : operation               ? LOOM_KIND_OP
					      : LOOM_KIND_MESSAGE,
		    loom_arena_cstr(world->arena, payload_for(world->arena, &meanings[i])));
	}
}

/* What a lane must hold at a boundary, as the numbers its entries say; of them the last `limit`,
 * below 0: all. */
static const char *expected(struct world *world, const struct meaning *meanings, int lane,
			    int64_t at, int limit)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int numbers[LAW_ROWS];
	int count = 0;

	for (int i = 0; i < LAW_ROWS && i <= at; i++) {
		if (meanings[i].lane != lane ||
		    (meanings[i].what != SAYS && meanings[i].what != REPLACES))
			continue;
		if (meanings[i].what == REPLACES)
			count = 0;
		numbers[count++] = meanings[i].number;
	}
	loom_buf_addc(&buf, '[');
	for (int i = limit >= 0 && limit < count ? count - limit : 0; i < count; i++)
		loom_buf_addf(&buf, "%s{\"role\":\"user\",\"content\":\"%d\"}",
			      buf.n > 1 ? "," : "", numbers[i]);
	loom_buf_addc(&buf, ']');
	const char *text = loom_arena_cstr(world->arena, loom_buf_str(&buf));
	loom_buf_fini(&buf);
	return text;
}

TEST any_lane_at_any_seq_is_what_a_plain_fold_gives(void)
{
	struct prop prop;

	prop_init(&prop, "any_lane_at_any_seq_is_what_a_plain_fold_gives");
	for (int round = 0; round < 20; round++) {
		struct world world;
		struct meaning meanings[LAW_ROWS];
		world_init(&world);
		random_log(&world, meanings, &prop);
		for (int64_t at = -1; at <= LAW_ROWS; at++) {
			const int lane = (int)((uint64_t)at % LOOM_COUNT(lane_names));
			ASSERT_STR_EQm("projection at a boundary",
				       expected(&world, meanings, lane, at, -1),
				       entries_of(&world, lane_names[lane], at));
			for (int limit = 0; limit < 4; limit++)
				ASSERT_STR_EQ(expected(&world, meanings, lane, at, limit),
					      last_entries_of(&world, lane_names[lane], at, limit));
		}
		world_fini(&world);
	}
	PASS();
}

TEST rows_after_the_boundary_and_of_other_lanes_change_nothing(void)
{
	struct prop prop;

	prop_init(&prop, "rows_after_the_boundary_and_of_other_lanes_change_nothing");
	for (int round = 0; round < 20; round++) {
		struct world whole;
		struct world part;
		struct meaning meanings[LAW_ROWS];
		int64_t at = (int64_t)(prop_next(&prop) % LAW_ROWS);
		world_init(&whole);
		world_init(&part);
		random_log(&whole, meanings, &prop);
		for (int64_t i = 0; i <= at; i++) {
			if (meanings[i].lane == 1 && meanings[i].what != OTHER)
				put_row(&part, loom_memlog_at(whole.memlog, (size_t)i));
		}
		ASSERT_STR_EQ(entries_of(&part, "b", LOOM_SEQ_HEAD), entries_of(&whole, "b", at));
		world_fini(&whole);
		world_fini(&part);
	}
	PASS();
}

TEST a_replace_by_the_snapshot_of_a_context_changes_nothing(void)
{
	struct world world;
	struct loom_buf snapshot = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	world_init(&world);
	one(&world, "{\"context_ref\":\"a\",\"role\":\"user\",\"content\":[{\"type\":\"text\","
		    "\"text\":\"p\"}]}");
	one(&world, "{\"context_ref\":\"a\",\"role\":\"assistant\",\"thinking\":\"h\","
		    "\"tool_calls\":[{\"id\":\"c\"}]}");
	const char *before =
		one(&world, "{\"context_ref\":\"a\",\"role\":\"tool\",\"content\":"
			    "\"\\ud83d\\ude00\",\"tool_call_id\":\"c\",\"name\":\"n\"}");
	loom_json_init(&json, &snapshot);
	loom_context_snapshot_json(&world.context, SIZE_MAX, &json);
	ASSERT_STR_EQ(before, anchored(&world, loom_buf_cstr(&snapshot)));
	ASSERT_EQ(3, world.context.anchor_seq);
	loom_buf_fini(&snapshot);
	world_fini(&world);
	PASS();
}

/* A keeper whose rows die after each visit. */
struct fleeting {
	struct loom_log inner;
	const struct loom_log_visitor *visitor;
};

static bool visit_copy(void *ctx, const struct loom_log_row *row)
{
	const struct fleeting *fleeting = ctx;
	struct loom_arena *arena = loom_arena_create();
	const struct loom_log_row copy = {.seq = row->seq,
					  .at_ms = row->at_ms,
					  .kind = loom_arena_str(arena, row->kind),
					  .payload = loom_arena_str(arena, row->payload),
					  .refs = loom_arena_str(arena, row->refs)};
	bool more = fleeting->visitor->visit(fleeting->visitor->ctx, &copy);

	loom_arena_destroy(arena);
	return more;
}

static enum loom_status fleeting_read(void *ctx, const struct loom_log_range *range,
				      const struct loom_log_visitor *visitor, struct loom_err *err)
{
	struct fleeting *fleeting = ctx;
	const struct loom_log_visitor copying = {visit_copy, fleeting};

	fleeting->visitor = visitor;
	return fleeting->inner.ops->read(fleeting->inner.ctx, range, &copying, err);
}

TEST rows_that_die_after_their_visit_give_the_same_context(void)
{
	struct world world;
	struct world other;
	struct prop prop;
	struct meaning meanings[LAW_ROWS];

	prop_init(&prop, "rows_that_die_after_their_visit_give_the_same_context");
	world_init(&world);
	world_init(&other);
	random_log(&world, meanings, &prop);
	struct fleeting fleeting = {.inner = world.log};
	struct loom_log_ops ops = *world.log.ops;
	ops.lasting = false;
	ops.anchor = NULL;
	ops.read = fleeting_read;
	other.log = (struct loom_log){.ops = &ops, .ctx = &fleeting};
	ASSERT_STR_EQ(entries_of(&world, "b", LOOM_SEQ_HEAD),
		      entries_of(&other, "b", LOOM_SEQ_HEAD));
	world_fini(&world);
	world_fini(&other);
	PASS();
}

#define MANY 100000

static void fill_many(struct world *world, int anchor_at)
{
	static const char filler[] =
		"two hundred bytes or so of what people and models say to each other when they "
		"work: a sentence, another one, a line\\nbreak, and then some more words to the "
		"end of it, which comes here at last.";

	for (int i = 0; i < MANY; i++) {
		struct loom_buf buf = LOOM_BUF_INIT(4096);
		if (i == anchor_at)
			loom_buf_adds(&buf, "{\"op_id\":\"o\",\"context_ref\":\"a\",\"operation\":{"
					    "\"type\":\"replace\",\"result_context\":{\"id\":\"x\","
					    "\"entries\":[]}}}");
		else
			loom_buf_addf(&buf,
				      "{\"context_ref\":\"a\",\"role\":\"%s\",\"content\":\"%s\","
				      "\"request_id\":\"r%d\",\"run_id\":\"r%d\"}",
				      i % 2 ? "assistant" : "user", filler, i / 2, i / 2);
		put(world, i, i == anchor_at ? LOOM_KIND_OP : LOOM_KIND_MESSAGE,
		    loom_buf_cstr(&buf));
		loom_buf_fini(&buf);
	}
}

/* Milliseconds of this process's CPU for one projection. */
static double project_ms(struct world *world)
{
	const struct loom_project_opts opts = {.lane = LOOM_STR("a"), .at = LOOM_SEQ_HEAD};
	struct loom_arena *arena = loom_arena_create();
	clock_t start = clock();

	if (loom_project(&world->log, &opts, arena, &world->context, NULL))
		abort();
	double ms = (double)(clock() - start) * 1000 / CLOCKS_PER_SEC;
	loom_arena_destroy(arena);
	return ms;
}

TEST a_hundred_thousand_rows_fold_in_time(void)
{
	struct world whole;
	struct world anchored_late;

	world_init(&whole);
	world_init(&anchored_late);
	fill_many(&whole, -1);
	fill_many(&anchored_late, MANY - 100);
	double full = project_ms(&whole);
	ASSERT_EQ(MANY, whole.context.count);
	double late = project_ms(&anchored_late);
	ASSERT_EQ(99, anchored_late.context.count);
	printf("full fold %.1f ms, anchor 100 rows before the end %.2f ms\n", full, late);
	ASSERT(late * 10 < full);
#if defined(__OPTIMIZE__) && !defined(LOOM_INSTRUMENTED)
	ASSERT(full < 300);
	ASSERT(late < 3);
#endif
	world_fini(&whole);
	world_fini(&anchored_late);
	PASS();
}

SUITE(projection)
{
	RUN_TEST(rows_give_entries_by_the_rules_of_their_role);
	RUN_TEST(thoughts_leave_the_parts_and_stay_beside_them);
	RUN_TEST(unreadable_snapshots_anchor_nothing);
	RUN_TEST(a_null_prompt_of_a_snapshot_beats_the_default);
	RUN_TEST(an_empty_prompt_is_still_a_prompt);
	RUN_TEST(snapshot_entries_become_messages_as_providers_take_them);
	RUN_TEST(a_reference_to_a_node_is_resolved_by_who_knows_nodes);
	RUN_TEST(a_limit_keeps_the_prompt_of_the_anchor);
	RUN_TEST(messages_between_base_and_anchor_are_counted_as_hidden);
	RUN_TEST(context_ids_come_from_thread_and_lane_alone);
	RUN_TEST(rows_in_any_order_are_read_by_seq_and_a_seq_stands_once);
	RUN_TEST(any_lane_at_any_seq_is_what_a_plain_fold_gives);
	RUN_TEST(rows_after_the_boundary_and_of_other_lanes_change_nothing);
	RUN_TEST(a_replace_by_the_snapshot_of_a_context_changes_nothing);
	RUN_TEST(rows_that_die_after_their_visit_give_the_same_context);
	RUN_TEST(a_hundred_thousand_rows_fold_in_time);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(projection);
	GREATEST_MAIN_END();
}
