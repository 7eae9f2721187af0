/* Weaves: what is written is read again, and nothing that a file says leads out of it. */
#include <greatest.h>

#include <loom/weave/write_weave.h>

#include "support/prop.h"

GREATEST_MAIN_DEFS();

enum { NODES = 60, TEXTS = 40 };

/* A random weave to write: a tree whose nodes are numbered in the order of their ids. */
struct tale {
	struct loom_arena *arena;
	struct loom_ulid ids[NODES];
	size_t parents[NODES]; /* + 1 */
	struct weave_said_node nodes[NODES];
	size_t count;
	struct loom_buf file;
};

static struct loom_str some_text(struct prop *prop, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct loom_str made;

	prop_text(prop, prop_size(prop, TEXTS), &text);
	made = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return made;
}

static struct weave_said_list some_facts(struct prop *prop, struct loom_arena *arena)
{
	const size_t count = prop_size(prop, 20);
	struct weave_said *facts = LOOM_ARENA_ARRAY(arena, count + 1, struct weave_said);

	for (size_t i = 0; i < count; i++)
		facts[i] = (struct weave_said){loom_arena_format(arena, "%zu%.*s", i,
								 (int)prop_below(prop, 20),
								 "............................"),
					       some_text(prop, arena)};
	return (struct weave_said_list){facts, count};
}

static void invent_node(struct prop *prop, struct tale *tale, size_t i)
{
	struct weave_said_node *node = &tale->nodes[i];
	struct loom_ulid *to = LOOM_ARENA_ARRAY(tale->arena, tale->count + 1, struct loom_ulid);

	*node = (struct weave_said_node){.to = to,
					 .active = i == 0,
					 .bookmarked = prop_once_in(prop, 3),
					 .text = some_text(prop, tale->arena),
					 .facts = some_facts(prop, tale->arena),
					 .by_model = prop_once_in(prop, 2)};
	if (tale->parents[i])
		node->from = &tale->ids[tale->parents[i] - 1];
	for (size_t k = 0; k < tale->count; k++)
		if (tale->parents[k] == i + 1)
			to[node->to_count++] = tale->ids[k];
	if (node->by_model) {
		node->label = some_text(prop, tale->arena);
		node->model_facts = some_facts(prop, tale->arena);
	}
	if (prop_once_in(prop, 2)) {
		const size_t count = prop_below(prop, 6) + 1;
		struct weave_said_token *tokens =
			LOOM_ARENA_ARRAY(tale->arena, count, struct weave_said_token);

		for (size_t k = 0; k < count; k++)
			tokens[k] = (struct weave_said_token){some_text(prop, tale->arena),
							      some_facts(prop, tale->arena)};
		node->tokens = tokens;
		node->token_count = count;
	}
}

static enum loom_status no_flow(void *ctx, struct loom_err *err)
{
	(void)ctx;
	(void)err;
	return LOOM_OK;
}

static bool invent(struct prop *prop, struct tale *tale)
{
	struct weave_out out;
	struct weave_said_about about = {.roots = tale->ids, .facts = {NULL, 0}};
	enum loom_status status = LOOM_OK;

	tale->count = prop_size(prop, NODES);
	for (size_t i = 0; i < tale->count; i++) {
		for (size_t k = 0; k < sizeof tale->ids[i].bytes; k++)
			tale->ids[i].bytes[k] = (uint8_t)prop_below(prop, 256);
		tale->ids[i].bytes[0] = (uint8_t)i;
		tale->parents[i] = i ? prop_below(prop, i) + 1 : 0;
	}
	for (size_t i = 0; i < tale->count; i++)
		invent_node(prop, tale, i);
	weave_begin(&out, &tale->file, tale->ids, tale->count, tale->arena);
	for (size_t slot = 0; slot < out.slot_count && status == LOOM_OK; slot++) {
		const size_t number = weave_node_at(&out, slot);

		if (number)
			status = weave_node(&out, number, &tale->ids[number - 1],
					    &tale->nodes[number - 1], NULL);
	}
	about.root_count = tale->count > 0;
	about.active = tale->count ? &tale->ids[0] : NULL;
	about.facts = some_facts(prop, tale->arena);
	return status == LOOM_OK && weave_end(&out, &about, no_flow, NULL, NULL) == LOOM_OK;
}

static void tale_init(struct tale *tale)
{
	*tale = (struct tale){.arena = loom_arena_create()};
	loom_buf_init(&tale->file, LOOM_BUF_MAX);
}

static void tale_fini(struct tale *tale)
{
	loom_arena_destroy(tale->arena);
	loom_buf_fini(&tale->file);
}

/* ---- reading ---- */

static bool is_id(struct loom_str id, const struct loom_ulid *ulid)
{
	for (size_t i = 0; i < id.n; i++)
		if ((uint8_t)id.p[i] != ulid->bytes[15 - i])
			return false;
	return id.n == 16;
}

static enum greatest_test_res same_facts(struct weave *weave, const struct weave_list *read,
					 const struct weave_said_list *said)
{
	struct loom_str name;
	struct loom_str value;

	ASSERT_EQ_FMT(said->count, read->count, "%zu");
	for (size_t i = 0; i < read->count; i++) {
		weave_fact_at(weave, read, i, &name, &value);
		ASSERT(loom_str_eq(name, said->items[i].name));
		ASSERT(loom_str_eq(value, said->items[i].value));
	}
	PASS();
}

static enum greatest_test_res same_node(struct weave *weave, const struct weave_node *read,
					const struct tale *tale)
{
	const struct weave_said_node *said = NULL;
	struct weave_token token;

	for (size_t i = 0; i < tale->count; i++)
		if (is_id(read->id, &tale->ids[i]))
			said = &tale->nodes[i];
	ASSERT(said);
	ASSERT_EQ(said->from != NULL, read->from.count == 1);
	if (said->from)
		ASSERT(is_id(weave_id_at(weave, &read->from, 0), said->from));
	ASSERT_EQ(said->to_count, read->to.count);
	for (size_t i = 0; i < read->to.count; i++)
		ASSERT(is_id(weave_id_at(weave, &read->to, i), &said->to[i]));
	ASSERT_EQ(said->active, read->active);
	ASSERT_EQ(said->bookmarked, read->bookmarked);
	CHECK_CALL(same_facts(weave, &read->facts, &said->facts));
	ASSERT_EQ(said->by_model, read->maker == WEAVE_MODEL);
	ASSERT(loom_str_eq(said->label, read->label));
	CHECK_CALL(same_facts(weave, &read->maker_facts, &said->model_facts));
	ASSERT_EQ(said->token_count, read->tokens.count);
	if (!said->token_count)
		ASSERT(loom_str_eq(said->text, read->snippet));
	for (size_t i = 0; i < read->tokens.count; i++) {
		weave_token_at(weave, &read->tokens, i, &token);
		ASSERT(loom_str_eq(said->tokens[i].bytes, token.bytes));
		CHECK_CALL(same_facts(weave, &token.facts, &said->tokens[i].facts));
	}
	PASS();
}

TEST what_is_written_is_read_again(void)
{
	struct prop prop;

	prop_init(&prop, "weaves");
	for (int round = 0; round < prop_times(60); round++) {
		struct tale tale;
		struct weave weave;
		struct weave_walk walk = {0};
		struct weave_node node;
		struct weave_about about;
		size_t count = 0;

		tale_init(&tale);
		ASSERT(invent(&prop, &tale));
		ASSERT(weave_is(loom_buf_str(&tale.file)));
		ASSERT_EQ(LOOM_OK, weave_open(loom_buf_str(&tale.file), &weave, NULL));
		weave_about(&weave, &about);
		ASSERT_EQ(tale.count, about.count);
		ASSERT(!tale.count || is_id(about.active, &tale.ids[0]));
		for (; weave_next(&weave, &walk, &node); count++)
			CHECK_CALL(same_node(&weave, &node, &tale));
		ASSERT_EQ(tale.count, count);
		ASSERT_FALSE(weave.broken);
		tale_fini(&tale);
	}
	PASS();
}

/* Looks at all that a weave says; the sanitizers see what it must not look at. */
static size_t look_at_all(struct weave *weave)
{
	struct weave_walk walk = {0};
	struct weave_node node;
	struct weave_token token;
	struct weave_token other;
	struct weave_about about;
	struct loom_str name;
	struct loom_str value;
	size_t seen = 0;

	weave_about(weave, &about);
	for (size_t i = 0; i < about.facts.count && i < 100; i++) {
		weave_fact_at(weave, &about.facts, i, &name, &value);
		seen += value.n;
	}
	while (weave_next(weave, &walk, &node)) {
		seen += node.id.n + node.snippet.n;
		for (size_t i = 0; i < node.to.count && i < 100; i++)
			seen += weave_id_at(weave, &node.to, i).n;
		for (size_t i = 0; i < node.facts.count && i < 100; i++) {
			weave_fact_at(weave, &node.facts, i, &name, &value);
			seen += name.n;
		}
		for (size_t i = 0; i < node.tokens.count && i < 100; i++) {
			weave_token_at(weave, &node.tokens, i, &token);
			seen += token.bytes.n;
			for (size_t k = 0; k < token.others.count && k < 10; k++) {
				weave_other_at(weave, &token.others, k, &other);
				seen += other.bytes.n;
			}
		}
	}
	return seen;
}

TEST a_damaged_weave_leads_nowhere(void)
{
	struct prop prop;
	struct loom_err err = {.status = LOOM_OK};

	prop_init(&prop, "damaged weaves");
	for (int round = 0; round < prop_times(200); round++) {
		struct tale tale;
		struct weave weave;
		struct loom_str file;

		tale_init(&tale);
		ASSERT(invent(&prop, &tale));
		for (size_t i = prop_below(&prop, 12); i < 12; i++)
			tale.file
				.p[prop_once_in(&prop, 2) ? tale.file.n - 1 - prop_below(&prop, 112)
							  : prop_below(&prop, tale.file.n)] =
				(char)prop_below(&prop, 256);
		if (prop_once_in(&prop, 2))
			tale.file.p[24] = 1;
		file = loom_str_sub(loom_buf_str(&tale.file), 0,
				    prop_once_in(&prop, 3) ? prop_below(&prop, tale.file.n + 1)
							   : tale.file.n);
		if (weave_open(file, &weave, &err) == LOOM_OK)
			(void)look_at_all(&weave);
		tale_fini(&tale);
	}
	PASS();
}

TEST what_is_no_weave_is_refused(void)
{
	static const char later[200] = WEAVE_NAME "\2";
	struct weave weave;
	struct loom_err err = {.status = LOOM_OK};

	ASSERT_FALSE(weave_is(LOOM_STR("{}")));
	ASSERT_EQ(LOOM_INVALID, weave_open(LOOM_STR(WEAVE_NAME "1234567"), &weave, &err));
	ASSERT_EQ(LOOM_REFUSED, weave_open(loom_str_make(later, sizeof later), &weave, &err));
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(what_is_written_is_read_again);
	RUN_TEST(a_damaged_weave_leads_nowhere);
	RUN_TEST(what_is_no_weave_is_refused);
	GREATEST_MAIN_END();
}
