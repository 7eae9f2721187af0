/* Lists of messages, as in 2025-03-26: a line with a list is answered by one line with a list,
 * whatever the order in which the answers came. A list of notifications alone gets no answer. */
#include <loom/mcp/mcp.h>

#define ANSWERS_MAX ((size_t)64 << 20)

struct mcp_batch *mcp_batch_create(struct loom_str list, struct mcp_outlet *outlet)
{
	struct mcp_batch *batch = loom_alloc(sizeof *batch);

	batch->outlet = outlet;
	batch->arena = loom_arena_create();
	batch->rest = loom_jval_walk(loom_arena_str(batch->arena, list));
	batch->holders = 1;
	loom_buf_init(&batch->answers, LOOM_BUF_MAX);
	return batch;
}

struct mcp_batch *mcp_batch_hold(struct mcp_batch *batch)
{
	if (batch)
		batch->holders++;
	return batch;
}

static void send_answers(struct mcp_batch *batch)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addc(&line, '[');
	loom_buf_add(&line, loom_buf_str(&batch->answers));
	loom_buf_addc(&line, ']');
	batch->outlet->say(batch->outlet, loom_buf_str(&line));
	loom_buf_fini(&line);
}

void mcp_batch_let_go(struct mcp_batch *batch)
{
	struct mcp_outlet *outlet = batch ? batch->outlet : NULL;

	if (!batch || --batch->holders)
		return;
	if (batch->answers.n)
		send_answers(batch);
	loom_buf_fini(&batch->answers);
	loom_arena_destroy(batch->arena);
	free(batch);
	if (outlet->close)
		outlet->close(outlet);
}

bool mcp_batch_room(const struct mcp_batch *batch, size_t bytes)
{
	return batch->answers.n + bytes <= ANSWERS_MAX;
}

void mcp_batch_add(struct mcp_batch *batch, struct loom_str answer)
{
	if (batch->answers.n)
		loom_buf_addc(&batch->answers, ',');
	loom_buf_add(&batch->answers, answer);
}
