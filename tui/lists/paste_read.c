/* Parses a paste and writes its turns as nodes. Parsing has no effects; writing is one operation,
 * all or nothing, done by the worker as on the command line. Knows no view. */

#include <loom/lists/paste_view.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/workers.h>

/* ---- looking ---- */

/* Only a model's words, or a text without turns, are searched for calls. Of the rest only the line
 * breaks are passed on, so that lines keep their numbers. */
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
	struct loom_paste paste;
	int64_t actor;
	int64_t last;
};

/* Names it after the texts and the state of the grove they met. */
static enum loom_status name_it(struct loom_store *store, struct loom_paste *paste,
				struct loom_arena *arena, struct loom_err *err)
{
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t newest = 0;
	enum loom_status status = loom_node_newest(store, &newest, err);

	loom_buf_addf(&all, "paste %lld %lld\n", (long long)newest, (long long)paste->at);
	for (size_t i = 0; i < paste->count; i++)
		loom_buf_add(&all, paste->nodes[i].text);
	paste->text = loom_arena_buf(arena, &all);
	paste->hash = loom_sha256(paste->text);
	loom_buf_fini(&all);
	return status;
}

/* Writes only the turns; the calls are approved separately. */
static enum loom_status run_write(struct loom_store *store, struct tui_job *job,
				  struct loom_err *err)
{
	struct writing *writing = job->own;
	struct loom_buf name = LOOM_BUF_INIT(128);
	struct loom_paste_word word = {.person = writing->actor};
	int64_t op = 0;
	enum loom_status status = name_it(store, &writing->paste, job->arena, err);

	loom_paste_name(&writing->paste, &name);
	word.hash = loom_buf_str(&name);
	if (status == LOOM_OK)
		status = loom_paste_make(store, &writing->paste, &word, &op, &writing->last, err);
	loom_buf_fini(&name);
	return status;
}

static void written(struct tui_app *app, struct tui_job *job, enum loom_status status,
		    const struct loom_err *err)
{
	struct writing *writing = job->own;
	size_t made = writing->paste.fresh;

	tui_news_look(app);
	if (!tui_must(app, status, err))
		return;
	if (app->tree.id == writing->paste.tree && !app->writing)
		tui_go(app, tui_group_of(app, writing->last), TUI_GO_JUMP);
	tui_say(app, TUI_ROLE_OK, "made %zu %s of the paste · u undoes it", made,
		loom_plural((int64_t)made, "node", "nodes"));
}

void tui_pasted_write(struct tui_app *app, const struct loom_paste_node *nodes, size_t count)
{
	struct tui_job *job = tui_job_make(app);
	struct writing *writing = LOOM_ARENA_NEW(job->arena, struct writing);
	struct loom_paste *paste = &writing->paste;

	*writing = (struct writing){.actor = app->actor};
	*paste = (struct loom_paste){.nodes = LOOM_ARENA_ARRAY(job->arena, count,
							       struct loom_paste_node),
				     .count = count,
				     .tree = app->tree.id,
				     .at = app->member,
				     .agent = app->actor};
	for (size_t i = 0; i < count; i++) {
		paste->nodes[i] = nodes[i];
		paste->nodes[i].text = loom_arena_str(job->arena, nodes[i].text);
		paste->nodes[i].name = loom_arena_str(job->arena, nodes[i].name);
		paste->nodes[i].header = loom_arena_str(job->arena, nodes[i].header);
		paste->nodes[i].when = loom_arena_str(job->arena, nodes[i].when);
		paste->fresh += !nodes[i].known;
	}
	job->own = writing;
	job->run = run_write;
	job->done = written;
	tui_job_post(job);
}
