/* continue: who may be asked, from where, what is printed, what stays when a model fails; and the
 * actor that asks it from a loop. */
#include <greatest.h>

#include <loom/actor/act.h>
#include <loom/work/stream.h>

#include "support/marie_suite.h"

static void answer(const char *const *answers, size_t count)
{
	marie.answers = answers;
	marie.answer_count = count;
}

static size_t count_streams(void)
{
	struct loom_stream *streams = NULL;
	struct loom_err err;
	size_t count = 0;

	marie_must(loom_stream_list(marie.grove.store, 0, marie.grove.arena, &streams, &count,
				    &err),
		   &err);
	return count;
}

static const char *const three[] = {"Taking the trauma angle further, we see Marie turn.",
				    "She leaves.", "Rain."};

TEST continuations_are_printed_as_the_page_shows(void)
{
	answer(three, 3);
	SAYS("✓ generating 3 continuations from [a7x2]...\n"
	     "  [h2s3] \"Taking the trauma angle further, we see Marie turn.\"\n"
	     "  [j4t5] \"She leaves.\"\n"
	     "  [m6u7] \"Rain.\"",
	     "→ continue from a7x2 n:3");
	ASSERT_EQ(LOOM_OK, marie.last.status);
	ASSERT(marie.last.op != 0);
	SAYS("[m6u7] model · 0s ago · depth:8\n\"Rain.\"", "→ view m6u7");
	ASSERT_EQ(0, count_streams());
	PASS();
}

TEST the_defaults_are_the_position_and_one(void)
{
	(void)marie_result(&marie, "→ switch to b3k9");
	answer(three, 3);
	ASSERT(strstr(marie_result(&marie, "→ continue"),
		      "✓ generating 1 continuation from [b3k9]...\n  [h2s3] \"Taking"));
	ASSERT_EQ(1, marie.asked);
	PASS();
}

TEST who_goes_on_from_a_version_reads_on_from_it(void)
{
	marie_fini(&marie);
	marie_init(&marie, LOOM_BUFFER);
	answer(three, 3);
	(void)marie_result(&marie, "→ edit k5d6 \"Revised.\"");
	/* one stands below it, and reads the other one */
	SAYS("✓ generating 1 continuation from [k5d6]...\n"
	     "  [h2s3] \"Taking the trauma angle further, we see Marie turn.\"\n"
	     "  your path reads [k5d6] now, not [k5d6']",
	     "→ continue from k5d6");
	(void)marie_result(&marie, "→ switch to h2s3");
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Four.︱›Taking the trauma angle further, we see Marie "
	     "turn.",
	     "→ view branch:h2s3 as:prose");
	/* from elsewhere there is nothing to say */
	(void)marie_result(&marie, "→ switch to r001");
	SAYS("✓ generating 1 continuation from [k5d6']...\n"
	     "  [j4t5] \"Taking the trauma angle further, we see Marie turn.\"",
	     "→ continue from k5d6'");
	(void)marie_result(&marie, "→ switch to j4t5");
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Revised.︱›Taking the trauma angle further, we see "
	     "Marie "
	     "turn.",
	     "→ view branch:j4t5 as:prose");
	/* where one stands is what one reads */
	SAYS("✓ generating 1 continuation from [j4t5]...\n"
	     "  [m6u7] \"Taking the trauma angle further, we see Marie turn.\"",
	     "→ continue");
	PASS();
}

TEST a_named_agent_stands_in_the_answer(void)
{
	(void)marie_agent(&marie, "GPT-4o", false, NULL);
	answer(three, 3);
	ASSERT(strstr(marie_result(&marie, "→ continue from a7x2 using agent:\"GPT-4o\""),
		      "✓ generating 1 continuation from [a7x2] using \"GPT-4o\"...\n"));
	ASSERT(strstr(marie_result(&marie, "→ view h2s3"), "model \"GPT-4o\""));
	PASS();
}

TEST nobody_invokes_itself_or_another_who_is_aware(void)
{
	(void)marie_agent(&marie, "Opus", true, NULL);
	SAYS("✗ PERMISSION_DENIED: agent \"Claude\" cannot invoke itself\n"
	     "  hint: subjects: \"ngram\"",
	     "→ continue from a7x2 using agent:\"Claude\"");
	SAYS("✗ PERMISSION_DENIED: agent \"Opus\" is not a subject\n  hint: subjects: \"ngram\"",
	     "→ continue from a7x2 using agent:\"Opus\"");
	SAYS("✗ NOT_FOUND: agent \"nobody\" does not exist\n  hint: subjects: \"ngram\"",
	     "→ continue from a7x2 using agent:\"nobody\"");
	PASS();
}

TEST what_arrived_is_kept_and_the_rest_is_one_error(void)
{
	answer(three, 1);
	SAYS("✓ generating 3 continuations from [a7x2]...\n"
	     "  [h2s3] \"Taking the trauma angle further, we see Marie turn.\"\n"
	     "✗ MODEL_ERROR: 2 of 3 did not arrive: server: HTTP 500, it is broken",
	     "→ continue from a7x2 n:3");
	ASSERT_EQ(LOOM_MODEL, marie.last.status);
	ASSERT(marie.last.op != 0);
	ASSERT_EQ(0, count_streams());
	SAYS("[h2s3] model · 0s ago · depth:8\n"
	     "\"Taking the trauma angle further, we see Marie turn.\"",
	     "→ view h2s3");
	PASS();
}

TEST a_model_that_says_nothing_leaves_nothing(void)
{
	answer(NULL, 0);
	SAYS("✗ MODEL_ERROR: server: HTTP 500, it is broken", "→ continue from a7x2 n:3");
	ASSERT_EQ(0, marie.last.op);
	ASSERT_EQ(0, count_streams());
	ASSERT(strstr(marie_result(&marie, "→ view a7x2"), "\n3 continuations"));
	/* The branch is free again. */
	answer(three, 3);
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ continue from a7x2"), "✓", strlen("✓")));
	PASS();
}

TEST what_was_stopped_is_said_to_be(void)
{
	static const struct loom_generated stopped[] = {
		{.text = LOOM_STR_INIT("Some."), .finish = LOOM_FINISH_CANCELLED},
		{.finish = LOOM_FINISH_CANCELLED},
	};
	struct loom_call call = loom_call_of(LOOM_VERB_CONTINUE);
	struct loom_voice_info voice = {.context = 4096};
	struct loom_result result;
	struct loom_err err = {.status = LOOM_OK};

	call.n = 2;
	call.from = loom_str_of(
		loom_arena_cstr(marie.grove.arena, loom_str_of(marie_real(&marie, "k4c5"))));
	ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
	marie_must(loom_engine_assemble(marie.engine, &voice, NULL, &err), &err);
	loom_engine_generated(marie.engine, stopped, &err, &result);
	ASSERT(loom_str_ends(result.text, LOOM_STR("✗ MODEL_ERROR: 1 of 2 did not arrive: "
						   "it was stopped")));
	PASS();
}

TEST generation_goes_on_from_inside_a_node(void)
{
	answer(three, 1);
	ASSERT(strstr(marie_result(&marie, "→ continue from a7x2 after:\"reluctance\""),
		      "✓ generating 1 continuation from [a7x2']...\n  [h2s3] \"Taking"));
	SAYS("[a7x2'] model · 0s ago · depth:7\nMarie's reluctance\n\n1 continuation",
	     "→ view a7x2' full");
	ASSERT(strstr(marie_result(&marie, "→ continue from a7x2 at:5"), "from [a7x2'']..."));
	SAYS("[a7x2''] model · 0s ago · depth:7\nMarie\n\n1 continuation", "→ view a7x2'' full");
	ASSERT_EQ(LOOM_OK, marie.last.status);
	(void)marie_result(&marie, "→ undo");
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ view a7x2''"), "✗ NOT_FOUND", 13));
	PASS();
}

TEST a_cut_that_is_none_is_refused(void)
{
	SAYS("✗ LIMIT_EXCEEDED: [b3k9] has 55 characters\n  hint: use at:55 or less",
	     "→ continue from b3k9 at:99");
	SAYS("✗ NOT_FOUND: \"nowhere\" does not occur in [a7x2]\n  hint: → view a7x2 full shows "
	     "its text",
	     "→ continue from a7x2 after:\"nowhere\"");
	SAYS("✗ INVALID_SYNTAX: \"he\" occurs 3 times in [b3k9]: after which one?\n"
	     "  hint: quote more of it, or use at:15",
	     "→ continue from b3k9 after:\"he\"");
	PASS();
}

TEST a_prefix_from_which_nothing_came_is_taken_back(void)
{
	answer(NULL, 0);
	ASSERT_EQ(0,
		  strncmp(marie_result(&marie, "→ continue from a7x2 at:5"), "✗ MODEL_ERROR", 15));
	SAYS("[k7f8] → 1 continuation:\n"
	     "  [a7x2] human · \"Marie's reluctance stems from her childhood, not the immediate "
	     "conflict.\"",
	     "→ list k7f8 continuations");
	(void)marie_say(&marie, "→ bookmark a7x2\n→ continue from a7x2 at:5");
	ASSERT(strstr(marie_result(&marie, "→ list k7f8 continuations"), "1 continuation:"));
	ASSERT(strstr(marie_result(&marie, "→ view a7x2"), "bookmarked"));
	PASS();
}

TEST a_generation_joins_the_operation_of_its_batch(void)
{
	struct loom_op *ops = NULL;
	struct loom_err err;
	size_t count = 0;

	answer(three, 3);
	(void)marie_say(&marie, "→ bookmark a7x2\n→ continue from a7x2 n:3\n→ tag a7x2 \"t\"");
	marie_must(loom_op_list(marie.grove.store,
				&(struct loom_op_page){.actor = marie.agent, .limit = 10},
				marie.grove.arena, &ops, &count, &err),
		   &err);
	ASSERT_EQ(1, count);
	(void)marie_result(&marie, "→ undo");
	SAYS("[a7x2] human · 3m ago · depth:7\n"
	     "\"Marie's reluctance stems from her childhood, not the immediate conflict.\"\n\n"
	     "3 continuations",
	     "→ view a7x2");
	PASS();
}

/* ---- what the model is given ---- */

TEST a_buffer_is_given_as_text_and_a_dialogue_as_messages(void)
{
	struct loom_call call = loom_call_of(LOOM_VERB_CONTINUE);
	const struct loom_generate_request *request = NULL;
	struct loom_voice_info voice = {.context = 4096, .tokens = 50};
	struct loom_result result;
	struct loom_err err;
	size_t count = 0;

	call.from = loom_str_of(
		loom_arena_cstr(marie.grove.arena, loom_str_of(marie_real(&marie, "k4c5"))));
	ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
	marie_must(loom_engine_assemble(marie.engine, &voice, NULL, &err), &err);
	request = &loom_engine_asks(marie.engine, &count)->request;
	ASSERT_EQ(3, request->message_count);
	ASSERT(loom_str_is(request->messages[0].text, "Begin.\n\nOne."));
	ASSERT_EQ(LOOM_ROLE_ASSISTANT, request->messages[1].role);
	ASSERT(loom_str_is(request->messages[2].text, "Three."));
	ASSERT(loom_str_is(request->voice.agent, "ngram"));
	loom_engine_generated(marie.engine, NULL, &(struct loom_err){.status = LOOM_MODEL},
			      &result);
	ASSERT_EQ(LOOM_MODEL, result.status);
	marie_fini(&marie);
	marie_init(&marie, LOOM_BUFFER);
	call.from = loom_str_of(
		loom_arena_cstr(marie.grove.arena, loom_str_of(marie_real(&marie, "k4c5"))));
	ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
	marie_must(loom_engine_assemble(marie.engine, &voice, NULL, &err), &err);
	ASSERT(loom_str_is(loom_engine_asks(marie.engine, &count)->request.text,
			   "Begin.One.Two.Three."));
	loom_engine_generated(marie.engine, NULL, &(struct loom_err){.status = LOOM_MODEL},
			      &result);
	PASS();
}

TEST more_than_a_model_gives_is_refused_and_nothing_stays(void)
{
	struct loom_call call = loom_call_of(LOOM_VERB_CONTINUE);
	struct loom_voice_info voice = {.model = LOOM_STR_INIT("base"), .most = 4096};
	struct loom_result result;
	struct loom_err err;

	call.from = loom_str_of(
		loom_arena_cstr(marie.grove.arena, loom_str_of(marie_real(&marie, "k4c5"))));
	for (int known = 0; known < 2; known++) {
		voice.most = known ? 4096 : 0;
		call.tokens = known ? 4097 : 100001;
		ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
		ASSERT_EQ(LOOM_LIMIT, loom_engine_assemble(marie.engine, &voice, NULL, &err));
		ASSERT_STR_EQ(known ? "max tokens per continuation is 4,096 for base"
				    : "max tokens per continuation is 100,000 for base",
			      err.text);
		loom_engine_generated(marie.engine, NULL, &err, &result);
		ASSERT_EQ(LOOM_LIMIT, result.status);
		call.tokens--;
		ASSERT_EQ(LOOM_ENGINE_GENERATE, loom_engine_call(marie.engine, &call, &result));
		marie_must(loom_engine_assemble(marie.engine, &voice, NULL, &err), &err);
		loom_engine_generated(marie.engine, NULL, &(struct loom_err){.status = LOOM_MODEL},
				      &result);
	}
	PASS();
}

/* ---- the actor ---- */

/* A generator that says one chunk a timer, and stops when it is told to. */
struct slow {
	struct loom_generator face;
	struct loom_loop *loop;
	struct loom_generate_sink sink;
	size_t n;
	size_t said;
	bool cancelled;
	struct loom_str answer; /* of a classifier */
	enum loom_generate_use use;
};

static void slow_end(struct slow *slow)
{
	struct loom_generated result = {.text = slow->use == LOOM_GENERATE_CLASSIFIER
							? slow->answer
							: LOOM_STR("one two three "),
					.record = LOOM_STR("{}"),
					.finish = slow->cancelled ? LOOM_FINISH_CANCELLED
								  : LOOM_FINISH_STOP};

	for (size_t i = 0; i < slow->n; i++)
		slow->sink.end(slow->sink.ctx, i, &result);
	slow->sink.done(slow->sink.ctx);
}

static void slow_tick(void *ctx)
{
	struct slow *slow = ctx;

	if (slow->cancelled || slow->said == 3 || slow->use == LOOM_GENERATE_CLASSIFIER) {
		slow_end(slow);
		return;
	}
	slow->said++;
	for (size_t i = 0; i < slow->n; i++)
		slow->sink.chunk(slow->sink.ctx, i, LOOM_STR("one "));
	loom_loop_timer(slow->loop, 2, slow_tick, slow);
}

static enum loom_status slow_start(void *ctx, const struct loom_generate_request *request,
				   const struct loom_generate_sink *sink,
				   struct loom_generation **out, struct loom_err *err)
{
	struct slow *slow = ctx;

	(void)err;
	slow->sink = *sink;
	slow->n = request->n;
	slow->said = 0;
	slow->use = request->voice.use;
	*out = (struct loom_generation *)(void *)slow;
	loom_loop_timer(slow->loop, 2, slow_tick, slow);
	return LOOM_OK;
}

static void slow_cancel(void *ctx, struct loom_generation *generation, size_t choice)
{
	(void)generation;
	(void)choice;
	((struct slow *)ctx)->cancelled = true;
}

static enum loom_status slow_describe(void *ctx, const struct loom_generate_voice *voice,
				      struct loom_voice_info *out, struct loom_err *err)
{
	(void)ctx;
	(void)voice;
	(void)err;
	*out = (struct loom_voice_info){.context = 100, .tokens = 10, .configured = true};
	return LOOM_OK;
}

struct scene {
	struct slow slow;
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct loom_actor *actor;
	struct loom_turn *turn;
	struct loom_arena *arena;
	struct loom_buf text;
	size_t chunks;
	bool stop_at_chunk;
	bool done;
	enum loom_status status;
};

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct scene *scene = ctx;
	struct loom_buf out = LOOM_BUF_INIT(1 << 20);

	(void)act;
	loom_buf_add(&out, result->line);
	loom_buf_addc(&out, '\n');
	loom_buf_add(&out, result->text);
	loom_buf_addc(&out, '\n');
	marie_translate(&marie, loom_buf_str(&out), false, &scene->text);
	loom_buf_fini(&out);
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct scene *scene = ctx;

	(void)choice;
	(void)text;
	scene->chunks++;
	if (scene->stop_at_chunk)
		loom_actor_cancel(scene->actor, LOOM_CHOICES_ALL);
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct scene *scene = ctx;

	(void)err;
	scene->done = true;
	scene->status = status;
}

static void play(struct scene *scene, const char *said)
{
	struct loom_worker_opts worker = {.open = grove_writer_open, .close = grove_writer_close};
	struct loom_actor_opts opts = {
		.classify = true,
		.sink = {.result = on_result, .chunk = on_chunk, .done = on_done, .ctx = scene}};
	struct loom_buf real = LOOM_BUF_INIT(4096);
	struct loom_act *acts = NULL;
	size_t count = 0;

	loom_engine_close(marie.engine);
	marie.engine = NULL;
	loom_buf_init(&scene->text, 1 << 20);
	scene->arena = loom_arena_create();
	scene->loop = scene->slow.loop = worker.loop = opts.loop = loom_loop_create();
	worker.ctx = &marie.grove;
	scene->worker = opts.worker = loom_worker_create(&worker);
	scene->slow.face = (struct loom_generator){.start = slow_start,
						   .cancel = slow_cancel,
						   .describe = slow_describe,
						   .ctx = &scene->slow};
	opts.generator = &scene->slow.face;
	opts.engine = marie.opts;
	opts.engine.store = NULL;
	scene->actor = loom_actor_create(&opts);
	scene->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	marie_translate(&marie, loom_str_of(said), true, &real);
	loom_turn_feed(scene->turn, loom_buf_str(&real));
	loom_turn_end(scene->turn);
	loom_acts_of(scene->turn, 0, 0, scene->arena, &acts, &count);
	loom_actor_act(scene->actor, acts, count);
	while (!scene->done)
		(void)loom_loop_step(scene->loop, 1000);
	loom_buf_fini(&real);
}

static void end_scene(struct scene *scene)
{
	loom_actor_destroy(scene->actor);
	loom_worker_destroy(scene->worker);
	loom_loop_destroy(scene->loop);
	loom_turn_destroy(scene->turn);
	loom_arena_destroy(scene->arena);
	loom_buf_fini(&scene->text);
}

TEST an_actor_asks_a_model_between_calls(void)
{
	struct scene scene = {.done = false};

	play(&scene, "→ bookmark a7x2\n→ frobnicate\n→ continue from a7x2 n:2\n→ view h2s3");
	ASSERT_STR_EQ("→ bookmark a7x2\n✓ bookmarked [a7x2]\n"
		      "→ frobnicate\n✗ INVALID_SYNTAX: there is no command \"frobnicate\"\n"
		      "  hint: → help lists the commands\n"
		      "→ continue from a7x2 n:2\n✓ generating 2 continuations from [a7x2]...\n"
		      "  [h2s3] \"one two three\"\n  [j4t5] \"one two three\"\n"
		      "→ view h2s3\n[h2s3] model · 0s ago · depth:8\n\"one two three\"\n",
		      loom_buf_cstr(&scene.text));
	ASSERT_EQ(LOOM_OK, scene.status);
	ASSERT_EQ(6, scene.chunks);
	end_scene(&scene);
	PASS();
}

TEST an_actor_that_is_stopped_keeps_what_arrived(void)
{
	struct scene scene = {.stop_at_chunk = true};

	play(&scene, "→ continue from a7x2\n→ bookmark a7x2");
	ASSERT_EQ(LOOM_CANCELLED, scene.status);
	ASSERT(strstr(loom_buf_cstr(&scene.text), "[h2s3] \"one two three\""));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&scene.text), "bookmarked"));
	end_scene(&scene);
	PASS();
}

TEST a_classifier_reads_a_line_only_from_what_stands_in_it(void)
{
	struct scene scene = {.done = false};
	char answer_line[64];

	snprintf(answer_line, sizeof answer_line, "→ view %s", marie_real(&marie, "a7x2"));
	scene.slow.answer = loom_str_of(answer_line);
	play(&scene, "→ peruse a7x2 at leisure");
	ASSERT(strstr(loom_buf_cstr(&scene.text),
		      "→ peruse a7x2 at leisure\n(read as: view a7x2)\n[a7x2] human"));
	end_scene(&scene);
	scene = (struct scene){.done = false};
	scene.slow.answer = LOOM_STR("prune r001");
	play(&scene, "→ peruse a7x2 at leisure");
	ASSERT(strstr(loom_buf_cstr(&scene.text), "✗ INVALID_SYNTAX"));
	end_scene(&scene);
	PASS();
}

SUITE(engine_continue)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(continuations_are_printed_as_the_page_shows);
	RUN_TEST(the_defaults_are_the_position_and_one);
	RUN_TEST(who_goes_on_from_a_version_reads_on_from_it);
	RUN_TEST(a_named_agent_stands_in_the_answer);
	RUN_TEST(nobody_invokes_itself_or_another_who_is_aware);
	RUN_TEST(what_arrived_is_kept_and_the_rest_is_one_error);
	RUN_TEST(a_model_that_says_nothing_leaves_nothing);
	RUN_TEST(what_was_stopped_is_said_to_be);
	RUN_TEST(generation_goes_on_from_inside_a_node);
	RUN_TEST(a_cut_that_is_none_is_refused);
	RUN_TEST(a_prefix_from_which_nothing_came_is_taken_back);
	RUN_TEST(a_generation_joins_the_operation_of_its_batch);
	RUN_TEST(a_buffer_is_given_as_text_and_a_dialogue_as_messages);
	RUN_TEST(more_than_a_model_gives_is_refused_and_nothing_stays);
	RUN_TEST(an_actor_asks_a_model_between_calls);
	RUN_TEST(an_actor_that_is_stopped_keeps_what_arrived);
	RUN_TEST(a_classifier_reads_a_line_only_from_what_stands_in_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_continue);
	GREATEST_MAIN_END();
}
