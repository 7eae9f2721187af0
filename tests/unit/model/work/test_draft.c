/* Drafts: unsent text outside the grove, and generations under way inside it. */
#include <greatest.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/work/stream.h>
#include <loom/grove/presence.h>
#include <loom/base/utf8.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/op_suite.h"
#include "support/prop.h"
#include "support/raw.h"

/* --- unsent text --- */

static struct loom_str save(const struct loom_draft *draft)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str id;

	grove_must(loom_draft_save(g.store, draft, g.arena, &id, &err), &err, "save");
	return id;
}

static size_t drafts(struct loom_draft **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_draft_list(g.store, g.arena, out, &count, &err), &err, "list");
	return count;
}

static char *draft_file(struct loom_str id)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	char *copy;

	grove_must(loom_store_state_dir(g.store, &path, &err), &err, "state");
	loom_buf_addf(&path, "/drafts/%.*s", LOOM_STR_ARG(id));
	copy = loom_arena_cstr(g.arena, loom_buf_str(&path));
	loom_buf_fini(&path);
	return copy;
}

TEST a_draft_is_there_after_a_restart_as_it_was_written(void)
{
	struct loom_err err;
	struct loom_draft draft = {.kind = LOOM_STR_INIT("conflict"),
				   .tree = LOOM_STR_INIT("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
				   .anchor = LOOM_STR_INIT("a \"plan\"\n"),
				   .text = LOOM_STR_INIT("what I wrote\r\n\t\xE2\x80\xAE"),
				   .why = LOOM_STR_INIT("ngram was first"),
				   .folds = LOOM_STR_INIT("2-6 8-9+")};
	struct loom_draft back;
	struct loom_str id = save(&draft);

	grove_reopen(&g);
	OK(loom_draft_get(g.store, id, g.arena, &back, &err));
	ASSERT(loom_str_eq(back.id, id));
	ASSERT(loom_str_eq(back.kind, draft.kind));
	ASSERT(loom_str_eq(back.tree, draft.tree));
	ASSERT(loom_str_eq(back.anchor, draft.anchor));
	ASSERT(loom_str_eq(back.text, draft.text));
	ASSERT(loom_str_eq(back.why, draft.why));
	ASSERT(loom_str_eq(back.folds, draft.folds));
	ASSERT_EQ(1771840800000, back.saved);
	PASS();
}

TEST text_of_any_bytes_is_kept(void)
{
	struct loom_err err;
	struct prop prop;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	prop_init(&prop, "drafts");
	for (int i = 0; i < 60; i++) {
		struct loom_draft back;
		struct loom_draft draft = {.kind = LOOM_STR_INIT("text")};

		loom_buf_clear(&text);
		if (i % 3 == 0)
			prop_text(&prop, prop_size(&prop, 2000), &text);
		else if (i % 3 == 1)
			prop_bent_text(&prop, prop_size(&prop, 300), &text);
		else
			prop_bytes(&prop, prop_size(&prop, 300), &text);
		draft.text = loom_buf_str(&text);
		OK(loom_draft_get(g.store, save(&draft), g.arena, &back, &err));
		ASSERT_EQ_FMT(draft.text.n, back.text.n, "%zu");
		ASSERT(loom_str_eq(back.text, draft.text));
	}
	loom_buf_fini(&text);
	PASS();
}

TEST saving_again_replaces_and_dropping_removes(void)
{
	struct loom_err err;
	struct loom_draft draft = {.kind = LOOM_STR_INIT("text"), .text = LOOM_STR_INIT("one")};
	struct loom_draft *list = NULL;

	draft.id = save(&draft);
	draft.text = LOOM_STR("two");
	ASSERT(loom_str_eq(save(&draft), draft.id));
	ASSERT_EQ(1, drafts(&list));
	ASSERT(loom_str_is(list[0].text, "two"));
	OK(loom_draft_drop(g.store, draft.id, &err));
	ASSERT_EQ(0, drafts(&list));
	STATUS_IS(LOOM_NOT_FOUND, loom_draft_drop(g.store, draft.id, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_draft_get(g.store, draft.id, g.arena, &draft, &err));
	PASS();
}

TEST the_newest_draft_comes_first(void)
{
	struct loom_draft *list = NULL;

	for (int i = 0; i < 5; i++) {
		char text[16];
		struct loom_draft draft = {.kind = LOOM_STR_INIT("text")};

		snprintf(text, sizeof text, "%d", i);
		draft.text = loom_str_of(text);
		g.env.now_ms += 1000;
		save(&draft);
	}
	ASSERT_EQ(5, drafts(&list));
	for (size_t i = 0; i < 5; i++)
		ASSERT_EQ('4' - (char)i, list[i].text.p[0]);
	PASS();
}

TEST an_id_is_never_a_path(void)
{
	static const char *const ids[] = {"",
					  "draft-",
					  "draft-1a2b3c4",
					  "draft-1A2B3C4D",
					  "../grants.json",
					  "draft-../../ab",
					  "draft-1a2b3c4d/x",
					  "draft-1a2b3c4dx"};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(ids); i++) {
		struct loom_draft draft = {.id = loom_str_of(ids[i]), .text = LOOM_STR_INIT("x")};
		struct loom_str id;

		STATUS_IS(LOOM_NOT_FOUND, loom_draft_get(g.store, draft.id, g.arena, &draft, &err));
		STATUS_IS(LOOM_NOT_FOUND, loom_draft_drop(g.store, loom_str_of(ids[i]), &err));
		draft.id = loom_str_of(ids[i]);
		if (draft.id.n)
			STATUS_IS(LOOM_NOT_FOUND,
				  loom_draft_save(g.store, &draft, g.arena, &id, &err));
	}
	PASS();
}

TEST drafts_are_private_and_a_broken_one_hides_no_other(void)
{
	struct loom_err err;
	struct loom_draft draft = {.kind = LOOM_STR_INIT("text"), .text = LOOM_STR_INIT("one")};
	struct loom_draft *list = NULL;
	struct stat info;
	struct loom_str bad = save(&draft);
	FILE *file = NULL;

	save(&draft);
	ASSERT_EQ(0, stat(draft_file(bad), &info));
	ASSERT_EQ_FMT(0600u, (unsigned)(info.st_mode & 0777), "%o");
	file = fopen(draft_file(bad), "we");
	ASSERT(file);
	fputs("{\"text\":", file);
	fclose(file);
	ASSERT_EQ(1, drafts(&list));
	ASSERT(loom_draft_get(g.store, bad, g.arena, &draft, &err) != LOOM_OK);
	PASS();
}

static bool is_state_there(void)
{
	char *path = temp_path(&g.temp, "loom");
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* A grove may lie where nothing can be written, and so may its reader's home. */
TEST who_only_looks_for_drafts_makes_nothing(void)
{
	struct loom_err err;
	struct loom_draft draft;
	struct loom_draft *list = NULL;

	ASSERT_FALSE(is_state_there());
	ASSERT_EQ(0, drafts(&list));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_draft_get(g.store, LOOM_STR("draft-00000000"), g.arena, &draft, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_draft_drop(g.store, LOOM_STR("draft-00000000"), &err));
	ASSERT_FALSE(is_state_there());
	PASS();
}

TEST drafts_that_cannot_be_looked_at_are_not_said_to_be_none(void)
{
	struct loom_err err;
	struct loom_draft draft = {.kind = LOOM_STR_INIT("text"), .text = LOOM_STR_INIT("x")};
	struct loom_draft *list = NULL;
	struct loom_buf folder = LOOM_BUF_INIT(4096);
	size_t count = 0;

	OK(loom_draft_drop(g.store, save(&draft), &err));
	OK(loom_store_state_dir(g.store, &folder, &err));
	loom_buf_adds(&folder, "/drafts");
	ASSERT_EQ(0, rmdir(loom_buf_cstr(&folder)));
	ASSERT_EQ(0, symlink(loom_buf_cstr(&folder), loom_buf_cstr(&folder)));
	STATUS_IS(LOOM_IO, loom_draft_list(g.store, g.arena, &list, &count, &err));
	ASSERT(strstr(err.text, "drafts"));
	loom_buf_fini(&folder);
	PASS();
}

TEST an_edit_that_lost_is_no_part_of_the_grove(void)
{
	struct loom_draft draft = {.kind = LOOM_STR_INIT("edit"), .text = LOOM_STR_INIT("x")};
	int64_t rows = loom_store_rows_written(g.store);

	save(&draft);
	ASSERT_EQ(rows, loom_store_rows_written(g.store));
	PASS();
}

/* --- streams --- */

static int64_t begin_stream(const char *session, int64_t from)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stream spec = {.tree = tree,
				   .from = from,
				   .agent = g.model,
				   .session = loom_str_of(session),
				   .record = LOOM_STR_INIT("{\"model\":\"ngram\"}")};
	int64_t stream = 0;

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_stream_begin(g.store, &spec, &stream, &err), &err, "stream");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "end");
	return stream;
}

static void add(int64_t stream, struct loom_str chunk)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_quiet_end(g.store, loom_stream_add(g.store, stream, chunk, &err), &err),
		   &err, "add");
}

static size_t streams(struct loom_stream **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_stream_list(g.store, tree, g.arena, out, &count, &err), &err, "list");
	return count;
}

static int64_t sweep(void)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t count = 0;

	grove_must(loom_stream_sweep(g.store, &count, &err), &err, "sweep");
	return count;
}

/* The last child of a node, text and all. */
static struct loom_node newest_below(int64_t group)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_page page = {.limit = 1000, .parts = LOOM_NODE_ALL};
	struct loom_nodes nodes;

	grove_must(loom_node_children(g.store, group, &page, g.arena, &nodes, &err), &err,
		   "children");
	return nodes.count ? nodes.items[nodes.count - 1] : (struct loom_node){.id = 0};
}

TEST a_stream_grows_by_chunks_and_becomes_a_node_with_its_reserved_id(void)
{
	struct loom_err err;
	struct loom_stream *list = NULL;
	struct loom_node_spec spec = {.from = root,
				      .text = LOOM_STR_INIT("once upon"),
				      .author = g.model,
				      .seq = -1,
				      .raw = LOOM_STR_INIT("{raw}"),
				      .generation = LOOM_STR_INIT("{}")};
	int64_t node = 0;
	int64_t stream = begin_stream("s-1-a", root);
	int64_t between = grove_node(&g, root, "between");

	add(stream, LOOM_STR("once"));
	add(stream, LOOM_STR(" upon"));
	ASSERT_EQ(1, streams(&list));
	ASSERT(loom_str_is(list[0].text, "once upon"));
	ASSERT_EQ(g.model, list[0].agent);
	ASSERT(loom_str_is(list[0].record, "{\"model\":\"ngram\"}"));
	/* the id was reserved: nobody else has got it */
	ASSERT(list[0].num > 0 && list[0].num != grove_get(&g, between).local.num);
	spec.num = list[0].num;
	grove_begin(&g, "continue");
	OK(loom_stream_finish(g.store, stream, &spec, &node, &err));
	grove_commit(&g);
	ASSERT_EQ(spec.num, grove_get(&g, node).local.num);
	ASSERT_EQ(0, streams(&list));
	PASS();
}

TEST a_stream_without_text_leaves_nothing(void)
{
	struct loom_err err;
	struct loom_stream *list = NULL;
	struct loom_node_spec spec = {.from = root, .author = g.model, .seq = -1};
	int64_t node = 1;
	int64_t stream = begin_stream("s-1-a", root);

	grove_begin(&g, "continue");
	OK(loom_stream_finish(g.store, stream, &spec, &node, &err));
	ASSERT_EQ(0, grove_commit(&g));
	ASSERT_EQ(0, node);
	ASSERT_EQ(0, streams(&list));
	PASS();
}

TEST streaming_is_no_operation_and_no_node_yet(void)
{
	int64_t events = raw_int(&g, "SELECT count(*) FROM event");
	int64_t stream = begin_stream("s-1-a", root);

	add(stream, LOOM_STR("text"));
	ASSERT_EQ(events, raw_int(&g, "SELECT count(*) FROM event"));
	ASSERT_EQ(0, newest_below(root).id);
	PASS();
}

TEST the_number_of_a_finished_stream_is_not_given_again(void)
{
	struct loom_err err;
	struct loom_node_spec spec = {.from = root, .author = g.model, .seq = -1};
	int64_t node = 0;
	int64_t first = begin_stream("s-1-a", root);

	grove_begin(&g, "continue");
	OK(loom_stream_finish(g.store, first, &spec, &node, &err));
	grove_commit(&g);
	ASSERT(begin_stream("s-1-b", root) != first);
	/* a late chunk of the first is nobody's */
	OK(loom_quiet_begin(g.store, &err));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_quiet_end(g.store, loom_stream_add(g.store, first, LOOM_STR("late"), &err),
				 &err));
	PASS();
}

TEST a_living_stream_is_not_swept(void)
{
	struct loom_err err;
	struct loom_session *session = NULL;
	struct loom_stream *list = NULL;

	OK(loom_session_open(g.store, &session, &err));
	add(begin_stream(loom_session_name(session), root), LOOM_STR("text"));
	ASSERT_EQ(0, sweep());
	ASSERT_EQ(1, streams(&list));
	loom_session_close(session);
	ASSERT_EQ(1, sweep());
	ASSERT_EQ(0, streams(&list));
	PASS();
}

TEST what_a_killed_process_had_streamed_becomes_a_partial_node(void)
{
	struct loom_err err;
	struct grove_child child;
	struct loom_str record;
	struct loom_str raw;
	struct loom_node node;
	struct loom_stream *list = NULL;
	int64_t num;

	if (!grove_fork(&g, &child)) {
		struct loom_session *session = NULL;
		int64_t stream;

		if (loom_session_open(g.store, &session, &err) != LOOM_OK)
			_exit(1);
		stream = begin_stream(loom_session_name(session), root);
		add(stream, LOOM_STR("it was a dark and stormy n\xC3"));
		kill(getpid(), SIGKILL);
	}
	grove_child_go(&child);
	ASSERT_EQ(128 + SIGKILL, grove_child_wait(&child));
	ASSERT_EQ(1, streams(&list));
	num = list[0].num;
	ASSERT_EQ(1, sweep());
	node = newest_below(root);
	/* half a character stays in the raw response only */
	ASSERT(loom_str_is(node.text, "it was a dark and stormy n"));
	ASSERT_EQ(num, node.local.num);
	ASSERT_EQ(g.model, node.author);
	OK(loom_node_generation(g.store, node.id, g.arena, &record, &raw, &err));
	ASSERT(loom_str_is(raw, "it was a dark and stormy n\xC3"));
	ASSERT(strstr(record.p, "partial"));
	ASSERT_EQ(0, sweep());
	/* a step of its own, to be undone */
	OK(loom_op_undo(g.store, g.model, 0, NULL, &err));
	ASSERT_EQ(0, newest_below(root).id);
	PASS();
}

TEST a_dead_stream_whose_place_was_undone_waits_and_hinders_no_other(void)
{
	struct loom_err err;
	struct loom_stream *list = NULL;
	int64_t gone = grove_node(&g, root, "gone");

	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	add(begin_stream("s-1-a", gone), LOOM_STR("below what was undone"));
	add(begin_stream("s-1-b", root), LOOM_STR("elsewhere"));
	ASSERT_EQ(1, sweep());
	ASSERT(loom_str_is(newest_below(root).text, "elsewhere"));
	ASSERT_EQ(1, streams(&list));
	ASSERT_EQ(0, sweep());
	/* its text comes back with its place */
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(1, sweep());
	ASSERT(loom_str_is(newest_below(gone).text, "below what was undone"));
	PASS();
}

TEST bytes_that_are_no_text_do_not_lose_the_text_around_them(void)
{
	struct loom_err err;
	struct loom_str record;
	struct loom_str raw;
	struct loom_node node;

	add(begin_stream("s-1-a", root), LOOM_STR("before \xFF after"));
	ASSERT_EQ(1, sweep());
	node = newest_below(root);
	ASSERT(loom_utf8_valid(node.text, NULL));
	ASSERT(loom_str_starts(node.text, LOOM_STR("before ")));
	ASSERT(loom_str_ends(node.text, LOOM_STR(" after")));
	OK(loom_node_generation(g.store, node.id, g.arena, &record, &raw, &err));
	ASSERT(loom_str_is(raw, "before \xFF after"));
	PASS();
}

TEST several_that_sweep_at_once_keep_each_text_once(void)
{
	enum { STREAMS = 12, CHILDREN = 4 };
	struct loom_err err;
	struct grove_child children[CHILDREN];
	struct loom_page page = {.limit = 1000, .parts = LOOM_NODE_TEXT};
	struct loom_stream *list = NULL;
	struct loom_nodes nodes;

	for (int i = 0; i < STREAMS; i++)
		add(begin_stream("s-1-a", root), LOOM_STR("text"));
	for (int i = 0; i < CHILDREN; i++) {
		int64_t count = 0;

		if (grove_fork(&g, &children[i]))
			continue;
		_exit(loom_stream_sweep(g.store, &count, &err) == LOOM_OK ? 0 : 1);
	}
	for (int i = 0; i < CHILDREN; i++)
		grove_child_go(&children[i]);
	for (int i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, grove_child_wait(&children[i]));
	ASSERT_EQ(0, streams(&list));
	OK(loom_node_children(g.store, root, &page, g.arena, &nodes, &err));
	ASSERT_EQ_FMT((size_t)STREAMS, nodes.count, "%zu");
	PASS();
}

/* However often it is sent, it is one operation; another text, or another draft, is another. */
TEST a_draft_is_one_operation(void)
{
	struct loom_draft draft = {.kind = LOOM_STR_INIT("text"),
				   .anchor = LOOM_STR_INIT("r001"),
				   .text = LOOM_STR_INIT("Yes.")};
	struct loom_draft back;
	struct loom_err err;
	uint8_t first[LOOM_DRAFT_OP];
	uint8_t again[LOOM_DRAFT_OP];

	draft.id = loom_draft_name(g.arena);
	loom_draft_op(&draft, first);
	OK(loom_draft_get(g.store, save(&draft), g.arena, &back, &err));
	loom_draft_op(&back, again);
	ASSERT_MEM_EQ(first, again, sizeof first);
	back.text = LOOM_STR("Yes!");
	loom_draft_op(&back, again);
	ASSERT(memcmp(first, again, sizeof first) != 0);
	back.text = draft.text;
	back.id = loom_draft_name(g.arena);
	loom_draft_op(&back, again);
	ASSERT(memcmp(first, again, sizeof first) != 0);
	back.op = LOOM_STR("000102030405060708090a0b0c0d0e0f");
	OK(loom_draft_get(g.store, save(&back), g.arena, &back, &err));
	loom_draft_op(&back, again);
	ASSERT_EQ(15, again[15]);
	PASS();
}

SUITE(draft)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_draft_is_there_after_a_restart_as_it_was_written);
	RUN_TEST(text_of_any_bytes_is_kept);
	RUN_TEST(saving_again_replaces_and_dropping_removes);
	RUN_TEST(the_newest_draft_comes_first);
	RUN_TEST(an_id_is_never_a_path);
	RUN_TEST(drafts_are_private_and_a_broken_one_hides_no_other);
	RUN_TEST(who_only_looks_for_drafts_makes_nothing);
	RUN_TEST(drafts_that_cannot_be_looked_at_are_not_said_to_be_none);
	RUN_TEST(an_edit_that_lost_is_no_part_of_the_grove);
	RUN_TEST(a_stream_grows_by_chunks_and_becomes_a_node_with_its_reserved_id);
	RUN_TEST(a_stream_without_text_leaves_nothing);
	RUN_TEST(streaming_is_no_operation_and_no_node_yet);
	RUN_TEST(the_number_of_a_finished_stream_is_not_given_again);
	RUN_TEST(a_living_stream_is_not_swept);
	RUN_TEST(what_a_killed_process_had_streamed_becomes_a_partial_node);
	RUN_TEST(a_dead_stream_whose_place_was_undone_waits_and_hinders_no_other);
	RUN_TEST(bytes_that_are_no_text_do_not_lose_the_text_around_them);
	RUN_TEST(several_that_sweep_at_once_keep_each_text_once);
	RUN_TEST(a_draft_is_one_operation);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(draft);
	GREATEST_MAIN_END();
}
