/* A worker that writes everything a store can be written, and the oracle that looks what is left.
 *
 *   worker_store init DIR     a grove in DIR with what the others write to
 *   worker_store work DIR     writes until it is killed; acknowledges on fd 3
 *   worker_store steps DIR N [SEED]   writes N things and ends; 1 when one of them was refused
 *   worker_store check DIR    every line of $LOOM_ACKED is true; sweeps, and checks the grove
 *
 * What is acknowledged, a line each, U being an operation's 128-bit id:
 *   n U ID,ID,…    it made these nodes, whole
 *   d U            it wrote a version of the document
 *   m U            it changed marks
 *   ? U            it may be undone from now on; u U: it is
 *   s TREE NUM N U this many bytes of a stream, which becomes that local number
 *   f ID N         a draft of this many bytes
 *   p THREAD ID    the thread stands on this node or a later one
 * Who looks whether it is so is in worker_oracle.c. */
#include "worker.h"

#include <unistd.h>

#include <loom/tree/person.h>
#include <loom/base/hash.h>
#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>
#include <loom/work/stream.h>

static const char *var(void *ctx, const char *name)
{
	const struct bench *bench = ctx;

	return !strncmp(name, "XDG_", 4) || !strcmp(name, "HOME") ? bench->dir : NULL;
}

static void say(struct bench *bench, const char *format, ...) LOOM_PRINTF(2, 3);

/* One write, so that a line is there whole or not at all. */
static void say(struct bench *bench, const char *format, ...)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&line, format, args);
	va_end(args);
	loom_buf_addc(&line, '\n');
	if (bench->acks && write(3, line.p, line.n) != (ssize_t)line.n)
		_exit(0); /* nobody listens any more */
	loom_buf_fini(&line);
}

bool worker_open(struct bench *bench, const char *dir, enum loom_access access)
{
	struct loom_agent agent;
	struct loom_tree *trees = NULL;
	struct loom_doc doc;
	size_t count = 0;

	memset(bench, 0, sizeof *bench);
	bench->dir = dir;
	bench->arena = loom_arena_create();
	bench->env.var = var;
	bench->env.ctx = bench;
	if (loom_store_open(&bench->env, loom_str_of(dir), access, &bench->store, &bench->err))
		return false;
	if (loom_person_me(bench->store, bench->arena, &agent, &bench->err))
		return false;
	bench->owner = agent.id;
	if (loom_agent_find(bench->store, LOOM_STR("ngram"), bench->arena, &agent, &bench->err))
		return false;
	bench->model = agent.id;
	if (loom_tree_list(bench->store, bench->arena, &trees, &count, &bench->err) || count != 2)
		return false;
	for (size_t i = 0; i < 2; i++) {
		bench->trees[i] = trees[i].id;
		bench->recent[bench->recents++] = trees[i].root;
	}
	if (loom_doc_find(bench->store, LOOM_STR("plan"), false, bench->arena, &doc, &bench->err))
		return false;
	bench->doc = doc.id;
	return true;
}

void worker_close(struct bench *bench)
{
	loom_session_close(bench->session);
	loom_store_close(bench->store);
	loom_arena_destroy(bench->arena);
}

/* --- working --- */

static enum loom_status begin(struct bench *bench, const char *kind, bool slices)
{
	struct loom_op_spec spec = {.kind = kind,
				    .actor = bench->owner,
				    .has_id = true,
				    .slices = slices};
	struct loom_buf hex = LOOM_BUF_INIT(64);
	struct loom_env world = {.seeded = false};

	loom_env_random(&world, 0, bench->id.bytes, sizeof bench->id.bytes);
	loom_hex(bench->id.bytes, sizeof bench->id.bytes, &hex);
	snprintf(bench->hex, sizeof bench->hex, "%s", loom_buf_cstr(&hex));
	loom_buf_fini(&hex);
	spec.id = bench->id;
	return loom_op_begin(bench->store, &spec, &bench->err);
}

static void remember(struct bench *bench, int64_t node)
{
	size_t at = bench->recents < LOOM_COUNT(bench->recent)
			    ? bench->recents++
			    : 2 + prop_below(&bench->prop, LOOM_COUNT(bench->recent) - 2);

	bench->recent[at] = node;
}

static int64_t some_node(struct bench *bench)
{
	return bench->recent[prop_below(&bench->prop, bench->recents)];
}

/* A node whose text begins with its operation's id; its number is appended to *made. */
static enum loom_status add_node(struct bench *bench, int64_t from, bool edit,
				 struct loom_buf *made, int64_t *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node_spec spec = {.from = from, .author = bench->owner, .seq = -1};
	enum loom_status status;

	loom_buf_addf(&text, "%s ", bench->hex);
	loom_buf_add_repeat(&text, 'x', prop_size(&bench->prop, 9000));
	spec.text = loom_buf_str(&text);
	if (prop_once_in(&bench->prop, 4)) {
		spec.raw = spec.text;
		spec.generation = LOOM_STR("{}");
	}
	status = edit ? loom_node_edit(bench->store, &spec, LOOM_EDIT_BY_MODE, out, &bench->err)
		      : loom_node_create(bench->store, &spec, out, &bench->err);
	loom_buf_addf(made, "%s%lld", made->n ? "," : "", (long long)*out);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status respond(struct bench *bench)
{
	struct loom_buf made = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t node = 0;
	int64_t from = some_node(bench);
	bool edit = from != bench->recent[0] && from != bench->recent[1] &&
		    prop_once_in(&bench->prop, 3);
	enum loom_status status = begin(bench, "respond", false);

	if (status == LOOM_OK)
		status = loom_op_end(bench->store, add_node(bench, from, edit, &made, &node), NULL,
				     &bench->err);
	if (status == LOOM_OK) {
		say(bench, "n %s %s", bench->hex, loom_buf_cstr(&made));
		remember(bench, node);
	}
	loom_buf_fini(&made);
	return status;
}

/* Several transactions of one operation, each acknowledged. */
static enum loom_status batch(struct bench *bench)
{
	struct loom_op_spec join = {.kind = "batch", .actor = bench->owner};
	struct loom_buf made = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t node = some_node(bench);
	enum loom_status status = begin(bench, "batch", false);

	for (int i = 0; i < 4 && status == LOOM_OK; i++) {
		if (i)
			status = loom_op_begin(bench->store, &join, &bench->err);
		if (status == LOOM_OK)
			status = loom_op_end(bench->store,
					     add_node(bench, node, false, &made, &node), &join.join,
					     &bench->err);
		if (status == LOOM_OK)
			say(bench, "n %s %s", bench->hex, loom_buf_cstr(&made));
	}
	if (status == LOOM_OK)
		remember(bench, node);
	loom_buf_fini(&made);
	return status;
}

static enum loom_status import(struct bench *bench)
{
	struct loom_buf made = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t node = some_node(bench);
	enum loom_status status = begin(bench, "import", true);

	for (int i = 0; i < 5 && status == LOOM_OK; i++) {
		if (i)
			status = loom_op_slice(bench->store, &bench->err);
		for (int k = 0; k < 6 && status == LOOM_OK; k++)
			status = add_node(bench, node, false, &made, &node);
	}
	if (status == LOOM_OK)
		status = loom_op_finish(bench->store, NULL, &bench->err);
	else
		loom_op_rollback(bench->store);
	if (status == LOOM_OK)
		say(bench, "n %s %s", bench->hex, loom_buf_cstr(&made));
	loom_buf_fini(&made);
	return status;
}

static enum loom_status write_doc(struct bench *bench)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = begin(bench, "write", false);

	loom_buf_addf(&text, "# %s\n", bench->hex);
	loom_buf_add_repeat(&text, 'w', prop_size(&bench->prop, 20000));
	if (status == LOOM_OK)
		status = loom_op_end(bench->store,
				     loom_doc_write(bench->store, bench->doc, loom_buf_str(&text),
						    bench->owner, -1, &bench->err),
				     NULL, &bench->err);
	if (status == LOOM_OK)
		say(bench, "d %s", bench->hex);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status change_marks(struct bench *bench, int64_t node)
{
	struct loom_store *store = bench->store;
	int64_t below = 0;
	bool changed = false;

	switch (prop_below(&bench->prop, 4)) {
	case 0:
		return loom_bookmark_set(store, node, prop_once_in(&bench->prop, 2),
					 loom_str_of(bench->hex), &changed, &bench->err);
	case 1:
		return loom_tag_set(store, node, loom_str_of(bench->hex), true, &changed,
				    &bench->err);
	case 2:
		return loom_node_prune(store, node, &below, &changed, &bench->err);
	default:
		return loom_node_restore(store, node, &below, &changed, &bench->err);
	}
}

static enum loom_status mark(struct bench *bench)
{
	int64_t node = some_node(bench);
	int64_t op = 0;
	enum loom_status status;

	if (node == bench->recent[0] || node == bench->recent[1])
		return LOOM_OK;
	status = begin(bench, "mark", false);
	if (status == LOOM_OK)
		status = loom_op_end(bench->store, change_marks(bench, node), &op, &bench->err);
	if (status == LOOM_OK && op)
		say(bench, "m %s", bench->hex);
	return status;
}

/* Of what was just made, so that nothing else has been built on it. */
static enum loom_status undo(struct bench *bench)
{
	struct loom_buf made = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t node = 0;
	int64_t op = 0;
	enum loom_status status = begin(bench, "respond", false);

	if (status == LOOM_OK)
		status = loom_op_end(bench->store,
				     add_node(bench, some_node(bench), false, &made, &node), &op,
				     &bench->err);
	if (status == LOOM_OK) {
		say(bench, "n %s %s", bench->hex, loom_buf_cstr(&made));
		say(bench, "? %s", bench->hex);
		status = loom_op_undo(bench->store, bench->owner, op, NULL, &bench->err);
	}
	if (status == LOOM_OK)
		say(bench, "u %s", bench->hex);
	loom_buf_fini(&made);
	return status;
}

static enum loom_status stream_chunks(struct bench *bench, int64_t stream, int64_t tree,
				      int64_t num)
{
	struct loom_buf chunk = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;
	size_t total = 0;

	for (int i = 0; i < 5 && status == LOOM_OK; i++) {
		loom_buf_clear(&chunk);
		loom_buf_addf(&chunk, "%s%d ", i ? "" : bench->hex, i);
		loom_buf_add_repeat(&chunk, 's', prop_size(&bench->prop, 3000));
		status = loom_quiet_begin(bench->store, &bench->err);
		if (status == LOOM_OK)
			status = loom_quiet_end(bench->store,
						loom_stream_add(bench->store, stream,
								loom_buf_str(&chunk), &bench->err),
						&bench->err);
		total += chunk.n;
		if (status == LOOM_OK)
			say(bench, "s %lld %lld %zu %s", (long long)tree, (long long)num, total,
			    bench->hex);
	}
	loom_buf_fini(&chunk);
	return status;
}

static enum loom_status find_stream(struct bench *bench, int64_t id, struct loom_stream *out)
{
	struct loom_stream *list = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_stream_list(bench->store, 0, bench->arena, &list, &count, &bench->err);

	for (size_t i = 0; i < count; i++)
		if (list[i].id == id)
			*out = list[i];
	return status;
}

static enum loom_status generate(struct bench *bench)
{
	struct loom_stream spec = {.tree = bench->trees[0],
				   .from = bench->recent[0],
				   .agent = bench->model,
				   .session = loom_str_of(loom_session_name(bench->session)),
				   .record = LOOM_STR_INIT("{}")};
	struct loom_node_spec node = {.from = bench->recent[0], .author = bench->model, .seq = -1};
	struct loom_stream whole = {0};
	int64_t made = 0;
	enum loom_status status = begin(bench, "reserve", false);

	loom_op_rollback(bench->store);
	if (status == LOOM_OK)
		status = loom_quiet_begin(bench->store, &bench->err);
	if (status == LOOM_OK)
		status = loom_quiet_end(bench->store,
					loom_stream_begin(bench->store, &spec, &spec.id,
							  &bench->err),
					&bench->err);
	if (status == LOOM_OK)
		status = find_stream(bench, spec.id, &whole);
	if (status == LOOM_OK)
		status = stream_chunks(bench, spec.id, spec.tree, whole.num);
	if (status == LOOM_OK)
		status = find_stream(bench, spec.id, &whole);
	if (status == LOOM_OK)
		status = begin(bench, "continue", false);
	node.text = node.raw = whole.text;
	node.num = whole.num;
	node.generation = LOOM_STR("{}");
	if (status == LOOM_OK)
		status = loom_op_end(bench->store,
				     loom_stream_finish(bench->store, spec.id, &node, &made,
							&bench->err),
				     NULL, &bench->err);
	return status;
}

static enum loom_status draft(struct bench *bench)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_draft spec = {.kind = LOOM_STR_INIT("text")};
	struct loom_str id = {0};
	enum loom_status status;

	loom_buf_add_repeat(&text, 'd', prop_size(&bench->prop, 20000));
	spec.text = loom_buf_str(&text);
	status = loom_draft_save(bench->store, &spec, bench->arena, &id, &bench->err);
	if (status == LOOM_OK)
		say(bench, "f %.*s %zu", LOOM_STR_ARG(id), text.n);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status move(struct bench *bench)
{
	int64_t node = some_node(bench);
	enum loom_status status;

	if (node <= bench->position)
		return LOOM_OK;
	status = loom_quiet_begin(bench->store, &bench->err);
	if (status == LOOM_OK)
		status = loom_quiet_end(bench->store,
					loom_thread_move(bench->store, bench->thread, node,
							 &bench->err),
					&bench->err);
	/* from the other tree, or taken back meanwhile: a refusal is an answer */
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status == LOOM_OK) {
		bench->position = node;
		say(bench, "p %lld %lld", (long long)bench->thread, (long long)node);
	}
	return status;
}

static enum loom_status step(struct bench *bench)
{
	static enum loom_status (*const steps[])(struct bench *) = {
		respond, respond, respond, batch,    import, write_doc,
		mark,    mark,    undo,    generate, draft,  move,
	};
	enum loom_status status = steps[prop_below(&bench->prop, LOOM_COUNT(steps))](bench);

	loom_arena_reset(bench->arena);
	/* others prune and undo too: what is said in words is no failure */
	return status == LOOM_CONFLICT || status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static enum loom_status take_thread(struct bench *bench)
{
	const char *index = getenv("LOOM_WORKER");
	struct loom_thread thread;
	char name[64];
	enum loom_status status;

	snprintf(name, sizeof name, "worker-%s", index ? index : "0");
	status = loom_thread_find(bench->store, loom_str_of(name), bench->arena, &thread,
				  &bench->err);
	bench->thread = thread.id;
	bench->position = thread.position;
	if (status != LOOM_NOT_FOUND)
		return status;
	status = begin(bench, "spawn", false);
	if (status == LOOM_OK)
		status = loom_op_end(bench->store,
				     loom_thread_create(bench->store, loom_str_of(name),
							bench->model, bench->trees[0],
							&bench->thread, &bench->err),
				     NULL, &bench->err);
	bench->position = 0;
	return status;
}

static int work(const char *dir, long steps, uint64_t seed)
{
	struct bench bench;
	struct loom_env world = {.seeded = false};
	enum loom_status status;

	if (!worker_open(&bench, dir, LOOM_WRITE)) {
		fprintf(stderr, "open: %s\n", bench.err.text);
		return 1;
	}
	bench.acks = steps < 0 || getenv("LOOM_RECORD");
	if (!seed)
		loom_env_random(&world, 0, &seed, sizeof seed);
	prop_init_seed(&bench.prop, seed);
	status = loom_session_open(bench.store, &bench.session, &bench.err);
	if (status == LOOM_OK)
		status = take_thread(&bench);
	while (status == LOOM_OK && steps != 0) {
		status = step(&bench);
		steps -= steps > 0;
	}
	if (status != LOOM_OK)
		fprintf(stderr, "work: %s: %s\n", loom_status_code(status), bench.err.text);
	worker_close(&bench);
	return status == LOOM_OK ? 0 : 1;
}

static int init(const char *dir)
{
	struct bench bench = {.dir = dir};
	struct loom_tree_spec spec = {.title = LOOM_STR_INIT("dialogue"), .author = 1};
	struct loom_op_spec op = {.kind = "new", .actor = 1};
	int64_t made = 0;
	enum loom_status status;

	bench.env.var = var;
	bench.env.ctx = &bench;
	status = loom_grove_init(&bench.env, loom_str_of(dir), &bench.err);
	if (status == LOOM_OK)
		status = loom_store_open(&bench.env, loom_str_of(dir), LOOM_WRITE, &bench.store,
					 &bench.err);
	if (status == LOOM_OK)
		status = loom_op_begin(bench.store, &op, &bench.err);
	if (status == LOOM_OK)
		status = loom_tree_create(bench.store, &spec, &made, &bench.err);
	spec.mode = LOOM_BUFFER;
	spec.title = LOOM_STR("buffer");
	if (status == LOOM_OK)
		status = loom_tree_create(bench.store, &spec, &made, &bench.err);
	if (status == LOOM_OK)
		status = loom_doc_create(bench.store, LOOM_STR("plan"), LOOM_STR("# Plan\n"), 1,
					 &made, &bench.err);
	if (bench.store)
		status = loom_op_end(bench.store, status, NULL, &bench.err);
	if (status != LOOM_OK)
		fprintf(stderr, "init: %s\n", bench.err.text);
	loom_store_close(bench.store);
	return status == LOOM_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "init"))
		return init(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "work"))
		return work(argv[2], -1, 0);
	if (argc >= 4 && !strcmp(argv[1], "steps"))
		return work(argv[2], strtol(argv[3], NULL, 10),
			    argc > 4 ? strtoull(argv[4], NULL, 0) : 1);
	if (argc == 3 && !strcmp(argv[1], "check"))
		return worker_check(argv[2]);
	fputs("usage: worker_store init|work|check DIR, worker_store steps DIR N [SEED]\n", stderr);
	return 2;
}
