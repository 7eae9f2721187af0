/* Stores what models have said so far: once a second, in one commit for all generations of a
 * worker, so ten streams cost the disk no more than one.
 *
 * Text is dropped here only when the store has it. After a failed write (disk full) the next one
 * brings it again, so what a crash leaves never has a gap. At most one write is under way. What
 * remains at the end of a generation comes with its end. */
#include <loom/actor/asking.h>

#define FLUSH_MS 1000

/* The text of one choice on its way to the store. */
struct part {
	struct actor_growing *of; /* NULL: it has ended meanwhile */
	size_t choice;
	size_t bytes;
};

struct flush {
	struct actor_flusher *flusher;
	struct loom_arena *arena;
	struct loom_growth *growths;
	size_t count;
	struct part *parts;
	size_t part_count;
};

struct actor_flusher {
	struct loom_worker *worker;
	struct actor_growing *first;
	uint64_t timer;
	struct flush *out; /* being written */
};

static enum loom_status run_flush(void *context, void *payload, struct loom_task *task,
				  struct loom_err *err)
{
	const struct flush *flush = payload;

	(void)task;
	return loom_engine_stream(context, flush->growths, flush->count, err);
}

static void forget(struct loom_buf *fresh, size_t bytes)
{
	memmove(fresh->p, fresh->p + bytes, fresh->n - bytes);
	loom_buf_cut(fresh, fresh->n - bytes);
}

static void on_flushed(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct flush *flush = payload;

	(void)err;
	flush->flusher->out = NULL;
	for (size_t i = 0; i < flush->part_count && status == LOOM_OK; i++)
		if (flush->parts[i].of)
			forget(&flush->parts[i].of->fresh[flush->parts[i].choice],
			       flush->parts[i].bytes);
	loom_arena_destroy(flush->arena);
	free(flush);
}

static void gather(struct flush *flush, struct actor_growing *of)
{
	struct loom_chunk *chunks = LOOM_ARENA_ARRAY(flush->arena, of->count, struct loom_chunk);
	size_t count = 0;

	for (size_t i = 0; i < of->count; i++) {
		if (!of->fresh[i].n)
			continue;
		chunks[count++] =
			(struct loom_chunk){i, loom_arena_buf(flush->arena, &of->fresh[i])};
		flush->parts[flush->part_count++] = (struct part){of, i, of->fresh[i].n};
	}
	flush->growths[flush->count++] = (struct loom_growth){of->engine, chunks, count};
}

static void post(struct actor_flusher *flusher)
{
	struct flush *flush = loom_alloc(sizeof *flush);
	struct loom_job job = {.run = run_flush, .done = on_flushed, .payload = flush};
	size_t growths = 0;
	size_t parts = 0;

	for (const struct actor_growing *of = flusher->first; of; of = of->next, growths++)
		parts += of->count;
	flush->flusher = flusher;
	flush->arena = loom_arena_create();
	flush->growths = LOOM_ARENA_ARRAY(flush->arena, growths, struct loom_growth);
	flush->parts = LOOM_ARENA_ARRAY(flush->arena, parts, struct part);
	for (struct actor_growing *of = flusher->first; of; of = of->next)
		gather(flush, of);
	flusher->out = flush;
	loom_worker_post(flusher->worker, &job);
}

static void on_tick(void *ctx)
{
	struct actor_flusher *flusher = ctx;

	if (!flusher->out)
		post(flusher);
	flusher->timer =
		loom_loop_timer(loom_worker_loop(flusher->worker), FLUSH_MS, on_tick, flusher);
}

static struct actor_flusher *flusher_of(struct loom_worker *worker)
{
	struct loom_worker_common *common = loom_worker_common(worker);
	struct actor_flusher *flusher = common->thing;

	if (flusher)
		return flusher;
	flusher = loom_alloc(sizeof *flusher);
	flusher->worker = worker;
	*common = (struct loom_worker_common){flusher, free};
	return flusher;
}

void actor_growing_begin(struct actor_growing *growing, struct loom_worker *worker,
			 struct loom_engine *engine, size_t count)
{
	struct actor_flusher *flusher = flusher_of(worker);

	*growing = (struct actor_growing){.next = flusher->first,
					  .flusher = flusher,
					  .engine = engine,
					  .fresh = loom_alloc(count * sizeof *growing->fresh),
					  .count = count};
	for (size_t i = 0; i < count; i++)
		loom_buf_init(&growing->fresh[i], LOOM_BUF_MAX);
	if (!flusher->first)
		flusher->timer =
			loom_loop_timer(loom_worker_loop(worker), FLUSH_MS, on_tick, flusher);
	flusher->first = growing;
}

void actor_growing_say(struct actor_growing *growing, size_t choice, struct loom_str text)
{
	loom_buf_add(&growing->fresh[choice], text);
}

static void leave(struct actor_flusher *flusher, const struct actor_growing *growing)
{
	struct actor_growing **at = &flusher->first;

	while (*at != growing)
		at = &(*at)->next;
	*at = growing->next;
	for (size_t i = 0; flusher->out && i < flusher->out->part_count; i++)
		if (flusher->out->parts[i].of == growing)
			flusher->out->parts[i].of = NULL;
	if (!flusher->first)
		loom_loop_timer_cancel(loom_worker_loop(flusher->worker), flusher->timer);
}

void actor_growing_end(struct actor_growing *growing)
{
	if (!growing->flusher)
		return;
	leave(growing->flusher, growing);
	for (size_t i = 0; i < growing->count; i++)
		loom_buf_fini(&growing->fresh[i]);
	free(growing->fresh);
	*growing = (struct actor_growing){.count = 0};
}
