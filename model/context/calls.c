/* Sets calls of tools and their results in the order that providers demand. Invariants: pure; no
 * entry but a result moves, and none vanishes without being named. */
#include "inside.h"

/* A text of the loom's in the place of a result that never came. */
#define UNANSWERED "\"(no result: the run ended before it came)\""

/* A result is looked for among this many calls before it: many more than one message makes. */
#define OPEN_CALLS 256

struct settled_call {
	struct loom_tool_call call;
	size_t result; /* index of the entry that answers it; SIZE_MAX: none */
};

struct settling {
	const struct loom_context *from;
	struct loom_context *to;
	struct loom_arena *arena;
	struct settled_call *calls; /* of all entries, in order */
	size_t count;
	size_t cap;
};

static void open_calls(struct settling *settling, const struct loom_entry *entry)
{
	const struct loom_tool_call *calls = NULL;
	const size_t count = loom_tool_calls(entry->tool_calls, settling->arena, &calls);

	for (size_t i = 0; i < count; i++) {
		settling->calls = loom_arena_grow(settling->arena, settling->calls, settling->count,
						  &settling->cap, sizeof *settling->calls);
		settling->calls[settling->count++] = (struct settled_call){calls[i], SIZE_MAX};
	}
}

/* Gives the result at `at` to the last call with its id, and returns whether that was open. */
static bool close_call(struct settling *settling, size_t at)
{
	const struct loom_str id = settling->from->entries[at].tool_call_id;
	const size_t least = settling->count > OPEN_CALLS ? settling->count - OPEN_CALLS : 0;

	for (size_t i = settling->count; i > least; i--) {
		struct settled_call *one = &settling->calls[i - 1];

		if (!loom_jval_says(id, one->call.id))
			continue;
		if (one->result != SIZE_MAX)
			return false;
		one->result = at;
		return true;
	}
	return false;
}

static struct loom_entry *add(struct settling *settling)
{
	struct loom_context *to = settling->to;

	to->entries = loom_arena_grow(settling->arena, to->entries, to->count, &to->cap,
				      sizeof *to->entries);
	return &to->entries[to->count++];
}

static void add_result(struct settling *settling, const struct settled_call *one,
		       const struct loom_entry *caller)
{
	struct loom_entry *entry = add(settling);

	*entry = (struct loom_entry){
		.role = LOOM_ROLE_TOOL,
		.seq = caller->seq,
		.at_ms = caller->at_ms,
		.role_name = LOOM_STR("\"tool\""),
		.content = LOOM_STR(UNANSWERED),
		.tool_call_id = loom_json_quoted(one->call.id, settling->arena),
		.name = loom_json_quoted(one->call.name, settling->arena),
	};
	if (one->result != SIZE_MAX)
		*entry = settling->from->entries[one->result];
}

static size_t count_calls(const struct loom_entry *entry, struct loom_arena *arena)
{
	const struct loom_tool_call *calls = NULL;

	return loom_tool_calls(entry->tool_calls, arena, &calls);
}

void model_settle_calls(const struct loom_context *context, struct loom_assembly *assembly,
			struct loom_arena *arena, struct loom_context *out)
{
	struct settling settling = {.from = context, .to = out, .arena = arena};
	size_t next = 0;

	*out = *context;
	out->entries = NULL;
	out->count = out->cap = 0;
	for (size_t i = 0; i < context->count; i++) {
		const struct loom_entry *entry = &context->entries[i];

		if (entry->role == LOOM_ROLE_ASSISTANT)
			open_calls(&settling, entry);
		else if (entry->role == LOOM_ROLE_TOOL && !close_call(&settling, i))
			model_left_out(assembly, arena,
				       loom_arena_format(arena, "message %lld",
							 (long long)entry->seq),
				       "a result without its call", 0);
	}
	for (size_t i = 0; i < context->count; i++) {
		const struct loom_entry *entry = &context->entries[i];
		size_t calls = 0;

		if (entry->role == LOOM_ROLE_TOOL)
			continue;
		*add(&settling) = *entry;
		if (entry->role == LOOM_ROLE_ASSISTANT)
			calls = count_calls(entry, arena);
		for (; calls; calls--)
			add_result(&settling, &settling.calls[next++], entry);
	}
	LOOM_ASSERT(next == settling.count);
}
