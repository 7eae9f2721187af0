/* A generation as its sink heard it. Included by tests that link tools. */
#ifndef LOOM_TESTS_SUPPORT_ASKED_H
#define LOOM_TESTS_SUPPORT_ASKED_H

#include <loom/base/env.h>
#include <loom/loop/loop.h>
#include <loom/providers/voice.h>

#define ASKED_MAX 10

struct asked_choice {
	struct loom_buf chunks; /* joined */
	size_t chunk_count;
	struct loom_buf text;
	struct loom_buf raw;
	struct loom_buf record;
	struct loom_buf native;
	enum loom_finish finish;
	struct loom_err err;
	int ends;
	int64_t ended_at; /* boot clock */
};

struct asked {
	struct loom_loop *loop;
	const struct loom_generator *generator;
	struct loom_generation *generation;
	struct asked_choice choices[ASKED_MAX];
	int done;
	int wrong; /* callbacks out of order, half characters */
	/* cancels `cancel` (a choice or all) from within the chunk that brings the total to this */
	size_t cancel_at;
	size_t cancel;
	size_t chunks;
	bool inside; /* the call that asks: nothing may be heard */
	size_t waits;
	int64_t waits_ms; /* the last of them, and why */
	struct loom_err waits_why;
};

static inline void asked_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct asked *asked = ctx;
	struct asked_choice *one = &asked->choices[choice];

	asked->wrong += asked->inside || one->ends || asked->done || !text.n;
	loom_buf_add(&one->chunks, text);
	one->chunk_count++;
	if (++asked->chunks == asked->cancel_at)
		asked->generator->cancel(asked->generator->ctx, asked->generation, asked->cancel);
}

static inline void asked_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct asked *asked = ctx;
	struct asked_choice *one = &asked->choices[choice];

	asked->wrong += asked->inside || one->ends++ || asked->done;
	loom_buf_add(&one->text, result->text);
	loom_buf_add(&one->raw, result->raw);
	loom_buf_add(&one->record, result->record);
	loom_buf_add(&one->native, result->native);
	one->finish = result->finish;
	one->err = result->err;
	one->ended_at = loom_env_boot();
	asked->wrong += !loom_str_eq(result->text, loom_buf_str(&one->chunks));
}

static inline void asked_waits(void *ctx, int64_t ms, const struct loom_err *why)
{
	struct asked *asked = ctx;

	asked->wrong += asked->inside || asked->done;
	asked->waits++;
	asked->waits_ms = ms;
	asked->waits_why = *why;
}

static inline void asked_done(void *ctx)
{
	struct asked *asked = ctx;

	asked->wrong += asked->inside || asked->done++;
	asked->generation = NULL;
}

static inline void asked_init(struct asked *asked, struct loom_loop *loop,
			      const struct loom_generator *generator)
{
	*asked = (struct asked){.loop = loop, .generator = generator};
	for (size_t i = 0; i < ASKED_MAX; i++) {
		loom_buf_init(&asked->choices[i].chunks, LOOM_BUF_MAX);
		loom_buf_init(&asked->choices[i].text, LOOM_BUF_MAX);
		loom_buf_init(&asked->choices[i].raw, LOOM_BUF_MAX);
		loom_buf_init(&asked->choices[i].record, LOOM_BUF_MAX);
		loom_buf_init(&asked->choices[i].native, LOOM_BUF_MAX);
	}
}

static inline void asked_fini(struct asked *asked)
{
	for (size_t i = 0; i < ASKED_MAX; i++) {
		loom_buf_fini(&asked->choices[i].chunks);
		loom_buf_fini(&asked->choices[i].text);
		loom_buf_fini(&asked->choices[i].raw);
		loom_buf_fini(&asked->choices[i].record);
		loom_buf_fini(&asked->choices[i].native);
	}
}

static inline enum loom_status
asked_start(struct asked *asked, const struct loom_generate_request *request, struct loom_err *err)
{
	struct loom_generate_sink sink = {.chunk = asked_chunk,
					  .end = asked_end,
					  .done = asked_done,
					  .ctx = asked,
					  .waits = asked_waits};
	enum loom_status status = LOOM_OK;

	asked->inside = true;
	status = asked->generator->start(asked->generator->ctx, request, &sink, &asked->generation,
					 err);
	asked->inside = false;
	return status;
}

/* Runs the loop until the generation is over; false when that takes too long. */
static inline bool asked_wait(struct asked *asked, int64_t ms)
{
	int64_t until = loom_env_boot() + ms;

	while (!asked->done && loom_env_boot() < until)
		(void)loom_loop_step(asked->loop, 50);
	return asked->done && !asked->wrong;
}

static inline bool asked_run(struct asked *asked, const struct loom_generate_request *request,
			     struct loom_err *err)
{
	return asked_start(asked, request, err) == LOOM_OK && asked_wait(asked, 20000);
}

#endif
