/* A context as JSON: its entries, a snapshot, a provider's messages. Invariants: slices go out as
 * they came in; same context, same bytes. projection.c decides which entries there are. */
#include <loom/log/projection.h>

#include <loom/base/env.h>

static void put_raw(struct loom_json *json, const char *key, struct loom_str value)
{
	if (value.n == 0)
		return;
	loom_json_key(json, key);
	loom_json_raw(json, value);
}

static void put_time(struct loom_json *json, int64_t at_ms)
{
	struct loom_buf buf = LOOM_BUF_INIT(64);

	if (at_ms != LOOM_TIME_NONE) {
		loom_time_iso(at_ms, &buf);
		loom_json_put(json, "timestamp", loom_buf_str(&buf));
	}
	loom_buf_fini(&buf);
}

void loom_entry_json(const struct loom_entry *entry, struct loom_json *json)
{
	loom_json_object(json);
	put_raw(json, "node", entry->node);
	put_raw(json, "role", entry->role_name);
	put_raw(json, "content", entry->content);
	put_raw(json, "thinking", entry->thinking);
	put_raw(json, "tool_calls", entry->tool_calls);
	put_raw(json, "tool_call_id", entry->tool_call_id);
	put_raw(json, "name", entry->name);
	put_raw(json, "reasoning_details", entry->reasoning);
	put_raw(json, "refs", entry->refs);
	if (entry->node.n == 0)
		put_time(json, entry->at_ms);
	loom_json_end_object(json);
}

static void add_text(struct loom_str literal, struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();

	loom_buf_add(out, loom_jval_text(literal, arena));
	loom_arena_destroy(arena);
}

void loom_entry_text(const struct loom_entry *entry, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(entry->content);
	struct loom_str part;

	if (loom_jval_type(entry->content) == LOOM_JTYPE_STRING)
		add_text(entry->content, out);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part)) {
		if (loom_jval_type(part) == LOOM_JTYPE_STRING)
			add_text(part, out);
		else if (loom_jval_says(loom_jval_get(part, "type"), LOOM_STR("text")))
			add_text(loom_jval_get(part, "text"), out);
	}
}

void loom_context_entries_json(const struct loom_context *context, size_t count,
			       struct loom_json *json)
{
	loom_json_array(json);
	for (size_t i = 0; i < count && i < context->count; i++)
		loom_entry_json(&context->entries[i], json);
	loom_json_end_array(json);
}

static void put_prompt(const struct loom_context *context, struct loom_json *json)
{
	loom_json_key(json, "system_prompt");
	if (context->has_prompt)
		loom_json_text(json, context->prompt);
	else
		loom_json_null(json);
}

void loom_context_snapshot_json(const struct loom_context *context, size_t count,
				struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "id", context->id);
	put_prompt(context, json);
	loom_json_key(json, "entries");
	loom_context_entries_json(context, count, json);
	loom_json_end_object(json);
}

/* Writes a text as a part; an absent one is empty. */
static void put_text_part(struct loom_str literal, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("text"));
	loom_json_key(json, "text");
	loom_json_raw(json, literal.n ? literal : LOOM_STR("\"\""));
	loom_json_end_object(json);
}

/* Writes the thinking block, then the content as parts, never one list inside another. */
static void put_thoughtful(const struct loom_entry *entry, struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(entry->content);
	struct loom_str part;

	LOOM_ASSERT(entry->thinking.n > 0);
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("thinking"));
	put_raw(json, "thinking", entry->thinking);
	loom_json_end_object(json);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		loom_json_raw(json, part);
	if (loom_jval_type(entry->content) != LOOM_JTYPE_ARRAY)
		put_text_part(entry->content, json);
	loom_json_end_array(json);
}

static void put_content(const struct loom_entry *entry, struct loom_json *json)
{
	loom_json_key(json, "content");
	if (entry->role == LOOM_ROLE_ASSISTANT && entry->thinking.n > 0)
		put_thoughtful(entry, json);
	else if (entry->content.n > 0)
		loom_json_raw(json, entry->content);
	else if (entry->tool_calls.n > 0)
		loom_json_text(json, LOOM_STR(""));
	else
		loom_json_null(json);
}

static void put_message(const struct loom_entry *entry, struct loom_json *json)
{
	bool tool = entry->role == LOOM_ROLE_TOOL || entry->role == LOOM_ROLE_OTHER;

	loom_json_object(json);
	put_raw(json, "role", entry->role_name);
	if (tool)
		put_raw(json, "tool_call_id", entry->tool_call_id);
	if (tool)
		put_raw(json, "name", entry->name);
	put_content(entry, json);
	if (entry->role == LOOM_ROLE_ASSISTANT || entry->role == LOOM_ROLE_OTHER) {
		put_raw(json, "tool_calls", entry->tool_calls);
		put_raw(json, "reasoning_details", entry->reasoning);
	}
	loom_json_end_object(json);
}

static void put_node(const struct loom_entry *entry, const struct loom_messages_opts *opts,
		     struct loom_json *json)
{
	struct loom_str ulid = loom_str_sub(entry->node, 1, entry->node.n - 2);
	struct loom_node_text text = {0};

	LOOM_ASSERT(entry->node.n >= 2);
	if (!opts || !opts->node || !opts->node(opts->ctx, ulid, &text))
		return;
	loom_json_object(json);
	loom_json_put(json, "role", loom_str_of(text.role));
	loom_json_put(json, "content", text.text);
	loom_json_end_object(json);
}

void loom_context_messages_json(const struct loom_context *context,
				const struct loom_messages_opts *opts, struct loom_json *json)
{
	loom_json_array(json);
	if (context->has_prompt) {
		loom_json_object(json);
		loom_json_put(json, "role", LOOM_STR("system"));
		loom_json_put(json, "content", context->prompt);
		loom_json_end_object(json);
	}
	for (size_t i = 0; i < context->count; i++) {
		if (context->entries[i].node.n > 0)
			put_node(&context->entries[i], opts, json);
		else
			put_message(&context->entries[i], json);
	}
	loom_json_end_array(json);
}
