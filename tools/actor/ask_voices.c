/* Requests to several voices at once, answered as one: a voice that fails leaves the others. */
#include <loom/actor/asking.h>

struct actor_request {
	struct actor_requests *of;
	struct loom_generation *generation; /* NULL: it has ended, or could not begin */
	const size_t *slots;
	size_t n;
};

void actor_requests_expect(struct actor_requests *requests, size_t count, size_t choices)
{
	LOOM_ASSERT(!requests->running);
	requests->items = LOOM_ARENA_ARRAY(requests->arena, count, struct actor_request);
	requests->choices = LOOM_ARENA_ARRAY(requests->arena, choices, struct loom_generated);
	requests->count = 0;
	requests->most = count;
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	const struct actor_request *request = ctx;

	LOOM_ASSERT(choice < request->n);
	request->of->sink.chunk(request->of->sink.ctx, request->slots[choice], text);
}

static void on_thought(void *ctx, size_t choice, struct loom_str text)
{
	const struct actor_request *request = ctx;

	LOOM_ASSERT(choice < request->n);
	request->of->sink.thinks(request->of->sink.ctx, request->slots[choice], text);
}

static void on_wait(void *ctx, int64_t ms, const struct loom_err *why)
{
	const struct actor_request *request = ctx;

	request->of->sink.waits(request->of->sink.ctx, ms, why);
}

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	const struct actor_request *request = ctx;
	struct loom_arena *arena = request->of->arena;
	struct loom_generated *kept = NULL;

	LOOM_ASSERT(choice < request->n);
	kept = &request->of->choices[request->slots[choice]];
	*kept = *result;
	kept->text = loom_arena_str(arena, result->text);
	kept->raw = loom_arena_str(arena, result->raw);
	kept->record = loom_arena_str(arena, result->record);
	kept->thinking = loom_arena_str(arena, result->thinking);
	kept->body = loom_arena_str(arena, result->body);
	kept->native = kept->reasoning = LOOM_STR("");
}

static void on_done(void *ctx)
{
	struct actor_request *request = ctx;

	request->generation = NULL;
	if (!--request->of->running)
		request->of->sink.done(request->of->sink.ctx);
}

enum loom_status actor_requests_start(struct actor_requests *requests,
				      const struct loom_generate_request *request,
				      const size_t *slots, struct loom_err *err)
{
	const struct loom_generator *generator = requests->generator;
	struct actor_request *item = &requests->items[requests->count++];
	const struct loom_generate_sink sink = {.chunk = on_chunk,
						.end = on_end,
						.done = on_done,
						.ctx = item,
						.waits = on_wait,
						.thinks = on_thought};
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(requests->count <= requests->most);
	*item = (struct actor_request){.of = requests, .slots = slots, .n = request->n};
	status = generator->start(generator->ctx, request, &sink, &item->generation, &why);
	requests->running += status == LOOM_OK;
	for (size_t i = 0; status != LOOM_OK && i < item->n; i++)
		requests->choices[slots[i]] = (struct loom_generated){.text = LOOM_STR_INIT(""),
								      .finish = LOOM_FINISH_ERROR,
								      .err = why};
	if (status != LOOM_OK && err)
		*err = why;
	return status;
}

static void cancel(const struct actor_request *request, size_t slot)
{
	const struct loom_generator *generator = request->of->generator;

	if (!request->generation)
		return;
	if (slot == LOOM_CHOICES_ALL)
		generator->cancel(generator->ctx, request->generation, slot);
	for (size_t i = 0; slot != LOOM_CHOICES_ALL && i < request->n; i++)
		if (request->slots[i] == slot)
			generator->cancel(generator->ctx, request->generation, i);
}

void actor_requests_cancel(struct actor_requests *requests, size_t slot)
{
	for (size_t i = 0; requests->running && i < requests->count; i++)
		cancel(&requests->items[i], slot);
}

bool actor_requests_overflowed(const struct actor_requests *requests, size_t choices)
{
	bool all = choices > 0;

	for (size_t i = 0; i < choices; i++)
		all = all && requests->choices[i].overflow && !requests->choices[i].text.n;
	return all;
}
