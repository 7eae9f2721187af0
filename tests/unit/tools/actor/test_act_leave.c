/* An actor whose agent needs a person's leave: it waits, and does exactly what was ticked. */
#include <greatest.h>

#include <loom/actor/act.h>

#include "support/marie.h"
#include "support/ok.h"

static struct marie marie;
static struct loom_session *session;

struct scene {
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct loom_actor *actor;
	struct loom_turn *turn;
	struct loom_arena *arena;
	struct loom_buf text;
	/* what the person does when asked; decided on another connection */
	struct loom_decision decision;
	bool cancel;
	bool leave; /* the asker goes away instead */
	size_t asked;
	struct loom_proposal proposal;
	bool done;
	enum loom_status status;
};

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};

	(void)unused;
	marie_init(&marie, LOOM_DIALOGUE);
	marie_must(loom_session_open(marie.grove.store, &session, &err), &err);
	loom_engine_close(marie.engine);
	marie.engine = NULL;
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_session_close(session);
	marie_fini(&marie);
}

static void approval(enum loom_approval approval)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = approval};

	marie_must(loom_grant_set(marie.grove.store, &marie.agent_ulid, &grant, &err), &err);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct scene *scene = ctx;
	struct loom_buf out = LOOM_BUF_INIT(1 << 20);

	(void)act;
	loom_buf_addf(&out, "%.*s: %s%s\n", LOOM_STR_ARG(result->line),
		      loom_status_code(result->status), result->proposed ? " proposed" : "");
	marie_translate(&marie, loom_buf_str(&out), false, &scene->text);
	loom_buf_fini(&out);
}

static void decide(struct scene *scene)
{
	struct loom_err err = {.status = LOOM_OK};

	marie_must(loom_quiet_begin(marie.grove.store, &err), &err);
	marie_must(loom_quiet_end(marie.grove.store,
				  loom_proposal_decide(marie.grove.store, scene->proposal.id,
						       &scene->decision, &err),
				  &err),
		   &err);
}

static void on_waits(void *ctx, const struct loom_proposal *proposal)
{
	struct scene *scene = ctx;

	scene->asked++;
	scene->proposal = *proposal;
	if (scene->cancel)
		loom_actor_cancel(scene->actor, LOOM_CHOICES_ALL);
	else if (!scene->leave)
		decide(scene);
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct scene *scene = ctx;

	(void)err;
	scene->done = true;
	scene->status = status;
}

static const char *play(struct scene *scene, const char *said)
{
	struct loom_worker_opts worker = {.open = grove_writer_open, .close = grove_writer_close};
	struct loom_actor_opts opts = {
		.waits = true,
		.sink = {.result = on_result, .waits = on_waits, .done = on_done, .ctx = scene}};
	struct loom_buf real = LOOM_BUF_INIT(4096);
	struct loom_act *acts = NULL;
	size_t count = 0;

	loom_buf_init(&scene->text, 1 << 20);
	scene->arena = loom_arena_create();
	scene->loop = worker.loop = opts.loop = loom_loop_create();
	worker.ctx = &marie.grove;
	scene->worker = opts.worker = loom_worker_create(&worker);
	opts.engine = marie.opts;
	opts.engine.store = NULL;
	opts.engine.session = session;
	scene->actor = loom_actor_create(&opts);
	scene->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	marie_translate(&marie, loom_str_of(said), true, &real);
	loom_turn_feed(scene->turn, loom_buf_str(&real));
	loom_turn_end(scene->turn);
	loom_acts_of(scene->turn, 0, 0, scene->arena, &acts, &count);
	loom_actor_act(scene->actor, acts, count);
	while (!scene->done && !(scene->leave && scene->asked))
		(void)loom_loop_step(scene->loop, 1000);
	loom_buf_fini(&real);
	return loom_buf_cstr(&scene->text);
}

static void end_scene(struct scene *scene)
{
	loom_actor_destroy(scene->actor);
	while (loom_worker_pending(scene->worker))
		(void)loom_loop_step(scene->loop, 100);
	loom_worker_destroy(scene->worker);
	loom_loop_destroy(scene->loop);
	loom_turn_destroy(scene->turn);
	loom_arena_destroy(scene->arena);
	loom_buf_fini(&scene->text);
}

static enum loom_proposal_state state_of(int64_t id)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_proposal row;

	marie_must(loom_proposal_get(marie.grove.store, id, marie.grove.arena, &row, &err), &err);
	return row.state;
}

TEST what_is_approved_is_done(void)
{
	struct scene scene = {.decision = {.by = marie.grove.owner, .approve = true}};

	approval(LOOM_APPROVE_ASK);
	ASSERT_STR_EQ("→ view a7x2: OK\n→ bookmark a7x2: OK\n→ tag a7x2 \"x\": OK\n",
		      play(&scene, "→ view a7x2\n→ bookmark a7x2\n→ tag a7x2 \"x\""));
	ASSERT_EQ(1, scene.asked);
	ASSERT_EQ(2, scene.proposal.count);
	ASSERT_EQ(LOOM_PROPOSAL_DONE, state_of(scene.proposal.id));
	end_scene(&scene);
	PASS();
}

TEST what_is_not_ticked_is_not_done(void)
{
	static const bool ticked[] = {false, true};
	struct scene scene = {
		.decision = {.by = marie.grove.owner, .approve = true, .ticked = ticked}};

	approval(LOOM_APPROVE_ASK);
	ASSERT_STR_EQ("→ bookmark a7x2: PERMISSION_DENIED\n→ tag a7x2 \"x\": OK\n",
		      play(&scene, "→ bookmark a7x2\n→ tag a7x2 \"x\""));
	end_scene(&scene);
	PASS();
}

TEST what_is_refused_is_told_as_refused(void)
{
	struct scene scene = {.decision = {.by = marie.grove.owner}};

	approval(LOOM_APPROVE_ASK);
	ASSERT_STR_EQ("→ view a7x2: OK\n→ bookmark a7x2: PERMISSION_DENIED\n",
		      play(&scene, "→ view a7x2\n→ bookmark a7x2"));
	ASSERT_EQ(LOOM_PROPOSAL_REFUSED, state_of(scene.proposal.id));
	end_scene(&scene);
	PASS();
}

TEST who_stops_waiting_leaves_it_void(void)
{
	struct scene scene = {.cancel = true};

	approval(LOOM_APPROVE_ASK);
	ASSERT_STR_EQ("", play(&scene, "→ bookmark a7x2"));
	ASSERT_EQ(LOOM_CANCELLED, scene.status);
	ASSERT_EQ(LOOM_PROPOSAL_VOID, state_of(scene.proposal.id));
	end_scene(&scene);
	PASS();
}

TEST an_actor_that_is_destroyed_while_it_waits_leaves_it_void(void)
{
	struct scene scene = {.leave = true};

	approval(LOOM_APPROVE_ASK);
	(void)play(&scene, "→ bookmark a7x2");
	end_scene(&scene);
	ASSERT_EQ(LOOM_PROPOSAL_VOID, state_of(scene.proposal.id));
	PASS();
}

TEST who_only_proposes_waits_for_nobody(void)
{
	struct loom_err err;
	struct scene scene = {.done = false};
	struct loom_proposal *rows = NULL;
	size_t count = 0;

	approval(LOOM_APPROVE_PROPOSE);
	ASSERT_STR_EQ("→ view a7x2: PERMISSION_DENIED proposed\n"
		      "→ bookmark a7x2: PERMISSION_DENIED proposed\n",
		      play(&scene, "→ view a7x2\n→ bookmark a7x2"));
	ASSERT_EQ(0, scene.asked);
	OK(loom_proposal_list(marie.grove.store, marie.grove.arena, &rows, &count, &err));
	ASSERT_EQ(1, count);
	ASSERT_EQ(2, rows[0].count);
	end_scene(&scene);
	PASS();
}

TEST who_needs_no_leave_is_not_asked_about(void)
{
	struct loom_err err;
	struct scene scene = {.done = false};
	struct loom_proposal *rows = NULL;
	size_t count = 0;

	approval(LOOM_APPROVE_AUTO);
	ASSERT_STR_EQ("→ bookmark a7x2: OK\n", play(&scene, "→ bookmark a7x2"));
	OK(loom_proposal_list(marie.grove.store, marie.grove.arena, &rows, &count, &err));
	ASSERT_EQ(0, count);
	end_scene(&scene);
	PASS();
}

SUITE(act_leave)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_is_approved_is_done);
	RUN_TEST(what_is_not_ticked_is_not_done);
	RUN_TEST(what_is_refused_is_told_as_refused);
	RUN_TEST(who_stops_waiting_leaves_it_void);
	RUN_TEST(an_actor_that_is_destroyed_while_it_waits_leaves_it_void);
	RUN_TEST(who_only_proposes_waits_for_nobody);
	RUN_TEST(who_needs_no_leave_is_not_asked_about);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(act_leave);
	GREATEST_MAIN_END();
}
