/* What is in a paste, and its turns as nodes. Looking has no effects; writing is one operation that
 * is done whole, by the worker. Knows no view. */

#include "paste.h"

/* ---- looking ---- */

/* Only what a model said is looked through for calls, or a text without turns; of the rest its line
 * ends, so that lines keep their numbers. */
static void feed_turn(const struct tui_pasted *pasted, const struct loom_spoken *turn)
{
	struct loom_str text =
		loom_str_sub(pasted->turns.text, turn->begin, turn->end - turn->begin);
	struct loom_str line;

	if (turn->speaker == LOOM_SPEAKER_MODEL || pasted->turns.form == LOOM_TURNS_PLAIN) {
		loom_turn_feed(pasted->found, text);
		return;
	}
	while (text.n && loom_str_line(&text, &line))
		loom_turn_feed(pasted->found, LOOM_STR("\n"));
}

struct tui_pasted *tui_pasted_read(struct loom_str text)
{
	struct tui_pasted *pasted = loom_alloc(sizeof *pasted);

	pasted->arena = loom_arena_create();
	pasted->text = loom_arena_str(pasted->arena, text);
	loom_turns_read(pasted->text, pasted->arena, &pasted->turns);
	pasted->found = loom_turn_create(LOOM_SOURCE_PASTE, LOOM_TURN_CALLS);
	for (size_t i = 0; i < pasted->turns.count; i++)
		feed_turn(pasted, &pasted->turns.items[i]);
	loom_turn_end(pasted->found);
	pasted->left_out = LOOM_ARENA_ARRAY(pasted->arena, pasted->turns.count, bool);
	return pasted;
}

void tui_pasted_free(struct tui_pasted *pasted)
{
	if (!pasted)
		return;
	loom_turn_destroy(pasted->found);
	loom_arena_destroy(pasted->arena);
	free(pasted);
}

bool tui_pasted_asks(const struct tui_pasted *pasted)
{
	return pasted->turns.form != LOOM_TURNS_PLAIN || pasted->found->call_count ||
	       pasted->turns.unseen_count;
}

struct look {
	struct tui_pasted *pasted;
	void (*done)(struct tui_app *app, struct tui_pasted *pasted);
};

static enum loom_status run_look(struct loom_store *store, struct tui_job *job,
				 struct loom_err *err)
{
	struct look *look = job->own;

	(void)store;
	(void)err;
	look->pasted = tui_pasted_read(loom_buf_str(&job->text));
	return LOOM_OK;
}

static void looked(struct tui_app *app, struct tui_job *job, enum loom_status status,
		   const struct loom_err *err)
{
	struct look *look = job->own;

	(void)status;
	(void)err;
	look->done(app, look->pasted);
}

void tui_pasted_look(struct tui_app *app, struct loom_str text,
		     void (*done)(struct tui_app *app, struct tui_pasted *pasted))
{
	struct tui_job *job = tui_job_make(app);
	struct look *look = LOOM_ARENA_NEW(job->arena, struct look);

	look->done = done;
	job->own = look;
	job->run = run_look;
	job->done = looked;
	loom_buf_add(&job->text, text);
	tui_job_look(job);
}

/* ---- writing ---- */

struct writing {
	struct tui_pasted_node *nodes;
	size_t count;
	int64_t actor;
	int64_t tree;
	int64_t from;
	int64_t last;
	size_t made;
};

static enum loom_status author_of(struct loom_store *store, const struct tui_pasted_node *node,
				  struct loom_arena *arena, int64_t *out, struct loom_err *err)
{
	struct loom_agent agent;
	struct loom_agent spec = {.name = node->name, .kind = LOOM_AGENT_MODEL};
	enum loom_status status;

	*out = node->author;
	if (node->author)
		return LOOM_OK;
	status = loom_agent_find(store, node->name, arena, &agent, NULL);
	if (status != LOOM_OK)
		return loom_agent_create(store, &spec, out, err);
	*out = agent.id;
	return LOOM_OK;
}

static enum loom_status write_node(struct loom_store *store, struct writing *writing,
				   const struct tui_pasted_node *node, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_node_spec spec = {.tree = writing->tree,
				      .from = writing->last,
				      .kind = LOOM_CONTINUATION,
				      .text = node->text,
				      .seq = -1,
				      .extra = node->extra};
	enum loom_status status = author_of(store, node, arena, &spec.author, err);

	if (status == LOOM_OK)
		status = loom_node_create(store, &spec, &writing->last, err);
	writing->made += status == LOOM_OK;
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status run_write(struct loom_store *store, struct tui_job *job,
				  struct loom_err *err)
{
	struct writing *writing = job->own;
	struct loom_op_spec op = {.kind = "paste", .actor = writing->actor, .tree = writing->tree};
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status != LOOM_OK)
		return status;
	writing->last = writing->from;
	for (size_t i = 0; i < writing->count && status == LOOM_OK; i++) {
		if (writing->nodes[i].here)
			writing->last = writing->nodes[i].here;
		else
			status = write_node(store, writing, &writing->nodes[i], err);
	}
	loom_op_say(store, "paste of %zu turn%s", writing->made, writing->made == 1 ? "" : "s");
	return loom_op_end(store, status, NULL, err);
}

static void written(struct tui_app *app, struct tui_job *job, enum loom_status status,
		    const struct loom_err *err)
{
	struct writing *writing = job->own;

	tui_news_look(app);
	if (!tui_must(app, status, err))
		return;
	if (app->tree.id == writing->tree && !app->writing)
		tui_go(app, tui_group_of(app, writing->last), TUI_GO_JUMP);
	tui_say(app, TUI_ROLE_OK, "%zu node%s made of the paste · u takes them back", writing->made,
		writing->made == 1 ? "" : "s");
}

void tui_pasted_write(struct tui_app *app, const struct tui_pasted_node *nodes, size_t count)
{
	struct tui_job *job = tui_job_make(app);
	struct writing *writing = LOOM_ARENA_NEW(job->arena, struct writing);

	*writing = (struct writing){.nodes = LOOM_ARENA_ARRAY(job->arena, count,
							      struct tui_pasted_node),
				    .count = count,
				    .actor = app->actor,
				    .tree = app->tree.id,
				    .from = app->member};
	for (size_t i = 0; i < count; i++) {
		writing->nodes[i] = nodes[i];
		writing->nodes[i].text = loom_arena_str(job->arena, nodes[i].text);
		writing->nodes[i].name = loom_arena_str(job->arena, nodes[i].name);
		writing->nodes[i].extra = loom_arena_str(job->arena, nodes[i].extra);
	}
	job->own = writing;
	job->run = run_write;
	job->done = written;
	tui_job_post(job);
}
