/* Streams of one process: all of them are written down together, once a second, and what could
 * not be written comes with the next write. */
#include <greatest.h>

#include <signal.h>
#include <sys/resource.h>

#include <loom/actor/act.h>
#include <loom/language/parse.h>
#include <loom/work/stream.h>
#include <loom/grove/presence.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/ok.h"

#define HANDS 10

/* One model that talks until it is told to stop, and the actor that asked it. */
struct hand {
	struct hall *hall;
	struct loom_generator face;
	struct loom_generate_sink sink;
	struct loom_actor *actor;
	struct loom_session *session;
	struct loom_call call;
	struct loom_act act;
	struct loom_buf said;
	bool quiet; /* says nothing more, but has not ended */
	bool over;
	bool acted;
};

struct hall {
	struct grove grove;
	struct loom_store *reader;
	struct loom_loop *loop;
	struct loom_worker *worker;
	int64_t tree;
	int64_t root;
	struct hand hands[HANDS];
	size_t count;
	size_t commits;
};

static void talk(void *ctx)
{
	struct hand *hand = ctx;
	struct loom_generated result = {.record = LOOM_STR("{}"), .finish = LOOM_FINISH_STOP};

	if (hand->over) {
		result.text = loom_buf_str(&hand->said);
		hand->sink.end(hand->sink.ctx, 0, &result);
		hand->sink.done(hand->sink.ctx);
		return;
	}
	if (!hand->quiet) {
		loom_buf_adds(&hand->said, "word ");
		hand->sink.chunk(hand->sink.ctx, 0, LOOM_STR("word "));
	}
	loom_loop_timer(hand->hall->loop, 7, talk, hand);
}

static enum loom_status start(void *ctx, const struct loom_generate_request *request,
			      const struct loom_generate_sink *sink, struct loom_generation **out,
			      struct loom_err *err)
{
	struct hand *hand = ctx;

	(void)request;
	(void)err;
	hand->sink = *sink;
	*out = (struct loom_generation *)(void *)hand;
	loom_loop_timer(hand->hall->loop, 1, talk, hand);
	return LOOM_OK;
}

static void cancel(void *ctx, struct loom_generation *generation, size_t choice)
{
	(void)generation;
	(void)choice;
	((struct hand *)ctx)->over = true;
}

static enum loom_status describe(void *ctx, const struct loom_generate_voice *voice,
				 struct loom_voice_info *out, struct loom_err *err)
{
	(void)ctx;
	(void)err;
	*out = (struct loom_voice_info){.context = 4096, .tokens = 4096};
	return voice->use == LOOM_GENERATE_SUBJECT ? LOOM_OK : LOOM_MODEL;
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	(void)ctx;
	(void)act;
	grove_must(result->status, &result->err, "continue");
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	grove_must(status, err, "act");
	((struct hand *)ctx)->acted = true;
}

static void look(void *ctx)
{
	struct hall *hall = ctx;

	if (loom_store_changed(hall->reader))
		hall->commits++;
	loom_loop_timer(hall->loop, 5, look, hall);
}

static void step(struct hall *hall, int64_t ms)
{
	const int64_t until = loom_env_boot() + ms;

	while (loom_env_boot() < until)
		(void)loom_loop_step(hall->loop, 5);
}

/* Every model has a branch of its own. */
static void begin(struct hall *hall)
{
	struct hand *hand = &hall->hands[hall->count++];
	struct loom_err err = {.status = LOOM_OK};
	struct loom_refusal refusal;
	struct loom_actor_opts opts = {.engine = {.agent = hall->grove.owner, .tree = hall->tree},
				       .loop = hall->loop,
				       .worker = hall->worker,
				       .generator = &hand->face,
				       .sink = {.result = on_result, .done = on_done, .ctx = hand}};
	int64_t node = grove_node(&hall->grove, hall->root, "a branch");
	struct loom_str line =
		loom_arena_format(hall->grove.arena, "continue from %s using agent:\"ngram\"",
				  grove_name(&hall->grove, node));

	hand->hall = hall;
	hand->face = (struct loom_generator){.start = start,
					     .cancel = cancel,
					     .describe = describe,
					     .ctx = hand};
	loom_buf_init(&hand->said, LOOM_BUF_MAX);
	grove_must(loom_session_open(hall->grove.store, &hand->session, &err), &err, "session");
	opts.engine.session = hand->session;
	grove_must(loom_parse_line(hall->grove.arena, line, &hand->call, &refusal), NULL, "parse");
	hand->call.line = 1;
	hand->act = (struct loom_act){.call = &hand->call};
	hand->actor = loom_actor_create(&opts);
	loom_actor_act(hand->actor, &hand->act, 1);
}

static struct hall *open_hall(void)
{
	struct hall *hall = loom_alloc(sizeof *hall);

	grove_init(&hall->grove);
	hall->tree = grove_tree(&hall->grove, LOOM_BUFFER, "Once.");
	hall->root = grove_root(&hall->grove, hall->tree);
	hall->reader = grove_connect(&hall->grove, LOOM_READ);
	hall->loop = loom_loop_create();
	hall->worker =
		loom_worker_create(&(struct loom_worker_opts){hall->loop, grove_writer_open,
							      grove_writer_close, &hall->grove});
	return hall;
}

static void end_all(struct hall *hall)
{
	for (size_t i = 0; i < hall->count; i++)
		hall->hands[i].over = true;
	for (size_t i = 0; i < hall->count; i++)
		while (!hall->hands[i].acted)
			(void)loom_loop_step(hall->loop, 100);
}

static void close_hall(struct hall *hall)
{
	for (size_t i = 0; i < hall->count; i++) {
		loom_actor_destroy(hall->hands[i].actor);
		loom_buf_fini(&hall->hands[i].said);
	}
	loom_worker_destroy(hall->worker);
	loom_loop_destroy(hall->loop);
	for (size_t i = 0; i < hall->count; i++)
		loom_session_close(hall->hands[i].session);
	loom_store_close(hall->reader);
	grove_fini(&hall->grove);
	free(hall);
}

/* What of the i-th stream begun would be left by a crash now. */
static struct loom_str kept(struct hall *hall, size_t i)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stream *streams = NULL;
	size_t count = 0;

	grove_must(loom_stream_list(hall->reader, 0, hall->grove.arena, &streams, &count, &err),
		   &err, "list");
	return i < count ? streams[i].text : LOOM_STR("");
}

/* No file of this process grows, until it may again. */
static void fill_disk(bool full)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = full ? 0 : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Waits until something of it is kept, or all; a slow disk is waited for. */
static bool is_kept(struct hall *hall, size_t hand, size_t stream, bool all)
{
	for (int i = 0; i < 400; i++) {
		struct loom_str text = kept(hall, stream);

		if (all ? loom_str_eq(loom_buf_str(&hall->hands[hand].said), text) : text.n > 0)
			return true;
		step(hall, 50);
	}
	return false;
}

TEST ten_streams_of_a_process_are_one_commit_a_second(void)
{
	struct hall *hall = open_hall();

	/* out of step with each other, as real ones are */
	for (size_t i = 0; i < HANDS; i++) {
		begin(hall);
		step(hall, 60);
	}
	(void)loom_store_changed(hall->reader);
	look(hall);
	step(hall, 3500);
	ASSERT(hall->commits <= 5);
	for (size_t i = 0; i < HANDS; i++)
		ASSERT(is_kept(hall, i, i, false));
	end_all(hall);
	close_hall(hall);
	PASS();
}

TEST what_was_said_is_kept_while_the_stream_is_open(void)
{
	struct hall *hall = open_hall();

	begin(hall);
	step(hall, 500);
	hall->hands[0].quiet = true;
	ASSERT(hall->hands[0].said.n);
	ASSERT(is_kept(hall, 0, 0, true));
	end_all(hall);
	close_hall(hall);
	PASS();
}

TEST a_write_that_failed_is_made_up_for_by_the_next(void)
{
	struct hall *hall = open_hall();

	begin(hall);
	ASSERT(is_kept(hall, 0, 0, false));
	fill_disk(true);
	step(hall, 2200);
	fill_disk(false);
	hall->hands[0].quiet = true;
	ASSERT(is_kept(hall, 0, 0, true));
	end_all(hall);
	close_hall(hall);
	PASS();
}

TEST a_stream_that_somebody_ended_does_not_hold_up_the_others(void)
{
	struct hall *hall = open_hall();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_stream *streams = NULL;
	struct loom_node_spec none = {.from = hall->root, .author = hall->grove.model, .seq = -1};
	size_t count = 0;
	int64_t node = 0;

	begin(hall);
	begin(hall);
	ASSERT(is_kept(hall, 1, 1, false));
	grove_must(loom_stream_list(hall->reader, 0, hall->grove.arena, &streams, &count, &err),
		   &err, "list");
	ASSERT_EQ(2, count);
	grove_begin(&hall->grove, "continue");
	OK(loom_stream_finish(hall->grove.store, streams[0].id, &none, &node, &err));
	grove_commit(&hall->grove);
	step(hall, 1000);
	hall->hands[1].quiet = true;
	ASSERT(is_kept(hall, 1, 0, true));
	end_all(hall);
	close_hall(hall);
	PASS();
}

SUITE(act_flush)
{
	RUN_TEST(ten_streams_of_a_process_are_one_commit_a_second);
	RUN_TEST(what_was_said_is_kept_while_the_stream_is_open);
	RUN_TEST(a_write_that_failed_is_made_up_for_by_the_next);
	RUN_TEST(a_stream_that_somebody_ended_does_not_hold_up_the_others);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(act_flush);
	GREATEST_MAIN_END();
}
