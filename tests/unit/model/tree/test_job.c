/* Summaries that wait, who makes them, and what is kept of them. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>

#include "support/ok.h"
#include "support/raw.h"

static struct grove g;
static struct loom_session *mine;
static struct loom_session *yours;
static int64_t root;

static struct loom_session *open_session(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_session *session = NULL;

	grove_must(loom_session_open(g.store, &session, &err), &err, "session");
	return session;
}

#define QUIET(call)                                                                                \
	do {                                                                                       \
		struct loom_err err_ = {.status = LOOM_OK};                                        \
		grove_must(loom_quiet_begin(g.store, &err_), &err_, "begin");                      \
		grove_must(loom_quiet_end(g.store, (call), &err_), &err_, #call);                  \
	} while (0)

static size_t queued(struct loom_summary_job **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_job_list(g.store, 100, g.arena, out, &count, &err), &err, "list");
	return count;
}

/* Nothing waits any more. */
static void forget(void)
{
	struct loom_summary_job *jobs = NULL;
	size_t count = queued(&jobs);

	for (size_t i = 0; i < count; i++)
		QUIET(loom_job_end(g.store, jobs[i].id, false, &err_));
}

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "Begin. And more."));
	mine = open_session();
	yours = open_session();
	forget();
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_session_close(mine);
	loom_session_close(yours);
	grove_fini(&g);
}

static void put(int64_t target)
{
	QUIET(loom_job_put(g.store, LOOM_JOB_NODE, target, &err_));
}

static struct loom_summary_job claim(const struct loom_session *session)
{
	struct loom_summary_job job;

	QUIET(loom_job_claim(g.store, session, LOOM_JOB_NODE, 0, g.arena, &job, &err_));
	return job;
}

TEST a_job_is_queued_once_and_claimed_by_one(void)
{
	struct loom_summary_job *jobs = NULL;
	struct loom_summary_job job;

	put(root);
	put(root);
	ASSERT_EQ(1, queued(&jobs));
	job = claim(mine);
	ASSERT_EQ(root, job.target);
	ASSERT_EQ(0, claim(yours).id);
	ASSERT_EQ(0, claim(mine).id);
	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(LOOM_JOB_CLAIMED, jobs[0].state);
	QUIET(loom_job_end(g.store, job.id, false, &err_));
	ASSERT_EQ(0, queued(&jobs));
	PASS();
}

TEST the_oldest_comes_first(void)
{
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, root, "b");

	forget();
	put(b);
	put(a);
	ASSERT_EQ(b, claim(mine).target);
	ASSERT_EQ(a, claim(yours).target);
	PASS();
}

TEST what_somebody_left_waits_again(void)
{
	struct loom_summary_job *jobs = NULL;

	put(root);
	ASSERT(claim(yours).id);
	ASSERT_EQ(0, claim(mine).id);
	loom_session_close(yours);
	yours = NULL;
	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(LOOM_JOB_WAITS, jobs[0].state);
	ASSERT_EQ(root, claim(mine).target);
	PASS();
}

TEST what_failed_is_not_tried_until_it_is_queued_again(void)
{
	struct loom_summary_job *jobs = NULL;
	struct loom_summary_job job;

	put(root);
	job = claim(mine);
	QUIET(loom_job_end(g.store, job.id, true, &err_));
	ASSERT_EQ(0, claim(mine).id);
	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(LOOM_JOB_FAILED, jobs[0].state);
	put(root);
	ASSERT_EQ(root, claim(mine).target);
	PASS();
}

TEST what_is_made_waits_to_be_summed_up_whatever_made_it(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.text = LOOM_STR("Another beginning."), .author = g.owner};
	struct loom_summary_job *jobs = NULL;
	int64_t node = grove_node(&g, root, "x");
	int64_t version = 0;
	int64_t doc = 0;

	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(node, jobs[0].target);
	forget();
	spec.from = node;
	grove_begin(&g, "edit");
	OK(loom_node_edit(g.store, &spec, LOOM_EDIT_BY_MODE, &version, &err));
	OK(loom_doc_create(g.store, LOOM_STR("Notes"), LOOM_STR("Some."), g.owner, &doc, &err));
	grove_commit(&g);
	ASSERT_EQ(2, queued(&jobs));
	ASSERT_EQ(version, jobs[0].target);
	ASSERT_EQ(LOOM_JOB_DOC, jobs[1].kind);
	ASSERT_EQ(doc, jobs[1].target);
	forget();
	for (int i = 0; i < 10; i++)
		grove_node(&g, root, "y");
	ASSERT_EQ(11, queued(&jobs));
	PASS();
}

static struct loom_node kept(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node node;

	grove_must(loom_node_get(g.store, root, LOOM_NODE_ALL, g.arena, &node, &err), &err, "get");
	return node;
}

static void keep(const char *text, bool extract)
{
	QUIET(loom_summary_keep(g.store, LOOM_JOB_NODE, root, loom_str_of(text), extract, &err_));
}

TEST a_models_summary_replaces_an_extract_and_not_the_other_way(void)
{
	keep("Begin.", true);
	ASSERT(loom_str_is(kept().summary, "Begin."));
	ASSERT(kept().summary_extract);
	keep("It begins.", false);
	ASSERT(loom_str_is(kept().summary, "It begins."));
	ASSERT_FALSE(kept().summary_extract);
	keep("Begin.", true);
	ASSERT(loom_str_is(kept().summary, "It begins."));
	PASS();
}

TEST a_summary_is_no_operation_and_in_no_ones_way(void)
{
	struct loom_err err;
	struct loom_op *ops = NULL;
	size_t before = 0;
	size_t after = 0;
	int64_t node = grove_node(&g, root, "x");
	int64_t op = 0;

	OK(loom_op_list(g.store, &(struct loom_op_page){.limit = 100}, g.arena, &ops, &before,
			&err));
	QUIET(loom_summary_keep(g.store, LOOM_JOB_NODE, node, LOOM_STR("X."), false, &err_));
	OK(loom_op_list(g.store, &(struct loom_op_page){.limit = 100}, g.arena, &ops, &after,
			&err));
	ASSERT_EQ(before, after);
	OK(loom_op_undo(g.store, g.owner, 0, &op, &err));
	ASSERT(loom_node_get(g.store, node, LOOM_NODE_NARROW, g.arena, &(struct loom_node){.id = 0},
			     &err) == LOOM_NOT_FOUND);
	PASS();
}

static int64_t make_doc(const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t doc = 0;

	grove_begin(&g, "doc");
	grove_must(loom_doc_create(g.store, LOOM_STR("Notes"), loom_str_of(text), g.owner, &doc,
				   &err),
		   &err, "doc");
	grove_commit(&g);
	return doc;
}

static void write_doc(int64_t doc, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_begin(&g, "doc");
	grove_must(loom_doc_write(g.store, doc, loom_str_of(text), g.owner, -1, &err), &err,
		   "write");
	grove_commit(&g);
}

static struct loom_str doc_summary(int64_t doc)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_doc row;

	grove_must(loom_doc_get(g.store, doc, false, g.arena, &row, &err), &err, "get");
	return row.summary;
}

static void keep_doc(int64_t doc, const char *text, bool extract)
{
	QUIET(loom_summary_keep(g.store, LOOM_JOB_DOC, doc, loom_str_of(text), extract, &err_));
}

TEST an_extract_of_a_document_gives_way_to_the_next_and_to_a_models(void)
{
	int64_t doc = make_doc("One.");

	keep_doc(doc, "One.", true);
	write_doc(doc, "Two.");
	keep_doc(doc, "Two.", true);
	ASSERT(loom_str_is(doc_summary(doc), "Two."));
	keep_doc(doc, "It counts.", false);
	ASSERT(loom_str_is(doc_summary(doc), "It counts."));
	keep_doc(doc, "Two.", true);
	ASSERT(loom_str_is(doc_summary(doc), "It counts."));
	PASS();
}

TEST a_document_that_changes_while_it_is_summed_up_is_summed_up_again(void)
{
	int64_t doc = make_doc("One.");
	struct loom_summary_job first = claim(mine);
	struct loom_summary_job *jobs = NULL;

	ASSERT_EQ(doc, first.target);
	ASSERT_EQ(0, claim(mine).id);
	write_doc(doc, "Two.");
	QUIET(loom_job_end(g.store, first.id, false, &err_));
	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(LOOM_JOB_WAITS, jobs[0].state);
	ASSERT_EQ(doc, claim(yours).target);
	ASSERT_EQ(0, claim(mine).id);
	PASS();
}

TEST what_a_text_was_summed_up_as_is_taken_back_with_it(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_summary_job *jobs = NULL;
	int64_t doc = make_doc("One.");

	keep_doc(doc, "It begins.", false);
	write_doc(doc, "A secret.");
	keep_doc(doc, "It tells a secret.", false);
	forget();
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(0, doc_summary(doc).n);
	ASSERT_EQ(1, queued(&jobs));
	ASSERT_EQ(LOOM_JOB_DOC, jobs[0].kind);
	keep_doc(doc, "One.", true);
	ASSERT(loom_str_is(doc_summary(doc), "One."));
	PASS();
}

SUITE(job)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_job_is_queued_once_and_claimed_by_one);
	RUN_TEST(the_oldest_comes_first);
	RUN_TEST(what_somebody_left_waits_again);
	RUN_TEST(what_failed_is_not_tried_until_it_is_queued_again);
	RUN_TEST(what_is_made_waits_to_be_summed_up_whatever_made_it);
	RUN_TEST(a_models_summary_replaces_an_extract_and_not_the_other_way);
	RUN_TEST(a_summary_is_no_operation_and_in_no_ones_way);
	RUN_TEST(an_extract_of_a_document_gives_way_to_the_next_and_to_a_models);
	RUN_TEST(a_document_that_changes_while_it_is_summed_up_is_summed_up_again);
	RUN_TEST(what_a_text_was_summed_up_as_is_taken_back_with_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(job);
	GREATEST_MAIN_END();
}
