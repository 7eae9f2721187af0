/* The memory block of a loom-aware agent: pins, recalled texts, last actions. Invariants: pins off
 * the path and recalled texts are in it in full; what cannot be shown is left out by name. Whether
 * it all fits is left to prune.c. */
#include "inside.h"

#include <loom/tree/document.h>
#include <loom/text/sanitise.h>
#include <loom/text/sections.h>
#include <loom/work/thread_log.h>

/* ---- reading ---- */

struct action_list {
	struct model_action items[MODEL_ACTIONS]; /* newest first */
	size_t count;
	int64_t after; /* only later rows */
	struct loom_arena *arena;
};

static struct loom_str field(struct loom_str payload, const char *key, struct loom_arena *arena)
{
	return loom_arena_str(arena, loom_jval_text(loom_jval_get(payload, key), arena));
}

static bool take_action(void *ctx, const struct loom_log_row *row)
{
	struct action_list *list = ctx;
	struct model_action *action = &list->items[list->count];

	LOOM_ASSERT(list->count < MODEL_ACTIONS);
	if (row->seq <= list->after)
		return false;
	if (!loom_str_is(row->kind, LOOM_KIND_ACTION))
		return true;
	*action = (struct model_action){
		.call = field(row->payload, "call", list->arena),
		.code = field(row->payload, "code", list->arena),
		.result = field(row->payload, "result", list->arena),
	};
	if (!action->call.n)
		action->call = field(row->payload, "line", list->arena);
	list->count += action->call.n > 0;
	return list->count < MODEL_ACTIONS;
}

enum loom_status model_actions_read(struct loom_store *store, int64_t thread, int64_t after,
				    int64_t at, struct loom_arena *arena, struct model_memory *out,
				    struct loom_err *err)
{
	struct action_list list = {.arena = arena, .after = after};
	struct loom_log_visitor visitor = {take_action, &list};
	enum loom_status status =
		loom_thread_log_newest(store, thread, LOOM_KIND_ACTION, at, &visitor, err);

	out->action_count = 0;
	if (status != LOOM_OK)
		return status;
	out->actions = LOOM_ARENA_ARRAY(arena, MODEL_ACTIONS, struct model_action);
	for (size_t i = list.count; i-- > 0;)
		out->actions[out->action_count++] = list.items[i];
	return status;
}

enum loom_status model_memory_read(struct loom_store *store, int64_t thread,
				   struct loom_arena *arena, struct model_memory *out,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = (struct model_memory){.action_count = 0};
	if (!thread)
		return LOOM_OK;
	status = loom_pin_list(store, thread, arena, &out->pins, &out->pin_count, err);
	if (status == LOOM_OK)
		status = loom_stash_list(store, thread, arena, &out->stashes, &out->stash_count,
					 err);
	return status;
}

/* ---- actions ---- */

struct verb {
	const char *name;
	const char *past;
};
static const struct verb verbs[] = {
#define LOOM_VERB(id, name, deed, change, permission, group, synonyms, args, keys, past, ...)      \
	{#name, past},
#include <loom/verbs.def>
#undef LOOM_VERB
};

/* Takes the next word of a call; blanks inside quotes do not end it. */
static struct loom_str next_word(struct loom_str *rest)
{
	struct loom_str word;
	bool quoted = false;
	size_t end = 0;

	*rest = loom_str_trim(*rest);
	for (; end < rest->n && (quoted || !memchr(" \t\r\n", rest->p[end], 4)); end++) {
		if (rest->p[end] == '\\' && end + 1 < rest->n)
			end++;
		else if (rest->p[end] == '"')
			quoted = !quoted;
	}
	word = loom_str_sub(*rest, 0, end);
	LOOM_ASSERT(end <= rest->n);
	*rest = loom_str_sub(*rest, end, rest->n);
	return word;
}

static const struct verb *verb_of(struct loom_str word)
{
	for (size_t i = 0; i < LOOM_COUNT(verbs); i++)
		if (loom_str_is(word, verbs[i].name))
			return &verbs[i];
	return NULL;
}

/* Returns the object of a call: its first word that is not a keyword, cut if it is long. */
static struct loom_str object_of(const struct verb *verb, struct loom_str rest)
{
	static const char *const leads[] = {"from", "to", "using", "in"};
	struct loom_str word = next_word(&rest);

	if (strcmp(verb->name, "think") == 0 || strcmp(verb->name, "help") == 0)
		return LOOM_STR("");
	for (size_t i = 0; i < LOOM_COUNT(leads); i++)
		if (loom_str_is(word, leads[i]))
			word = next_word(&rest);
	return word.n > 60 ? LOOM_STR("") : word;
}

/* Reads the count from "✓ generating 2 continuations from …". */
static int64_t made(struct loom_str result)
{
	static const struct loom_str lead = LOOM_STR_INIT("✓ generating ");
	uint64_t count = 0;
	size_t end = 0;

	if (!loom_str_starts(result, lead))
		return 0;
	result = loom_str_sub(result, lead.n, result.n);
	end = loom_str_find_char(result, ' ', 0);
	if (end == SIZE_MAX || !loom_str_to_u64(loom_str_sub(result, 0, end), &count))
		return 0;
	return (int64_t)count;
}

/* Appends "viewed a7x2, b3k9 · annotated b3k9"; pure. */
static void put_actions(const struct model_action *actions, size_t count, struct loom_buf *out)
{
	const struct verb *before = NULL;
	bool bare_before = false;

	LOOM_ASSERT(actions || !count);
	for (size_t i = 0; i < count; i++) {
		struct loom_str rest = actions[i].call;
		struct loom_str word = next_word(&rest);
		const struct verb *verb = NULL;
		struct loom_str object;
		bool bare = false;

		if (loom_str_is(word, "→"))
			word = next_word(&rest);
		verb = verb_of(word);
		object = verb ? object_of(verb, rest) : word;
		bare = !object.n && !actions[i].code.n && made(actions[i].result) == 0;
		/* Skip a repeated look at the tree. */
		if (verb && verb == before && bare && bare_before)
			continue;
		if (verb && verb == before && object.n)
			loom_buf_adds(out, ", ");
		else
			loom_buf_addf(out, "%s%s%s", i ? " · " : "", verb ? verb->past : "tried",
				      object.n ? " " : "");
		loom_shown_line(out, object, 0);
		if (actions[i].code.n)
			loom_buf_addf(out, " ✗ %.*s", LOOM_STR_ARG(actions[i].code));
		if (made(actions[i].result) > 0) {
			loom_buf_adds(out, " (");
			loom_show_many(made(actions[i].result), "result", "results", out);
			loom_buf_addc(out, ')');
		}
		before = verb;
		bare_before = bare;
	}
}

void model_actions_put(const struct model_memory *memory, struct loom_buf *out)
{
	if (!memory->action_count)
		return;
	loom_buf_adds(out, LOOM_SAYS_DONE);
	put_actions(memory->actions, memory->action_count, out);
	loom_buf_addc(out, '\n');
}

/* ---- the block ---- */

struct block {
	struct loom_show *show;
	struct model_memory *memory;
	const struct loom_nodes *path;
	struct loom_assembly *assembly;
	struct loom_buf text;
	struct loom_buf full; /* pinned texts, in full */
	bool any;
};

static void begin_section(struct block *block, const char *title)
{
	LOOM_ASSERT(title[0]);
	loom_buf_addf(&block->text, "%s%s\n", block->any ? "\n" : "", title);
	block->any = true;
}

static void keep(struct block *block, struct loom_str what, size_t bytes)
{
	const int64_t tokens = loom_token_estimate(bytes);

	LOOM_ASSERT(tokens >= 0);
	block->memory->kept_tokens += tokens;
	if (tokens <= block->memory->largest_tokens)
		return;
	block->memory->largest_tokens = tokens;
	block->memory->largest = loom_arena_str(block->show->arena, what);
}

/* Adds a label and the text under it. Text composed of our own lines stays as it is: foreign text
 * in it is quoted already. */
static void add_below(struct loom_buf *out, struct loom_str label, struct loom_str text, bool ours)
{
	loom_buf_addf(out, "  %.*s\n  " LOOM_RULE "\n", LOOM_STR_ARG(label));
	if (ours)
		loom_buf_add(out, text);
	else
		(void)loom_body_add(out, text, LOOM_BELOW_HEADERS);
	loom_buf_addc(out, '\n');
}

static void add_full(struct block *block, struct loom_str label, struct loom_str text, bool ours)
{
	add_below(&block->full, label, text, ours);
	keep(block, label, text.n);
}

static bool on_path(const struct block *block, int64_t node)
{
	for (size_t i = 0; i < block->path->count; i++)
		if (block->path->items[i].id == node)
			return true;
	return false;
}

static enum loom_status add_node_pin(struct block *block, const struct loom_pin *pin,
				     struct loom_err *err)
{
	struct loom_node node;
	struct loom_str label;
	enum loom_status status = loom_node_get(block->show->store, pin->node, LOOM_NODE_ALL,
						block->show->arena, &node, err);
	int64_t visible = pin->node;
	const char *why = NULL;

	if (status == LOOM_OK)
		status = model_label(block->show, &node, &label, err);
	if (status == LOOM_OK && !on_path(block, node.id))
		status = loom_node_visible(block->show->store, node.id, &visible, NULL, err);
	if (status != LOOM_OK)
		return status;
	why = model_node_out(&node, visible != pin->node);
	if (why) {
		model_left_out(block->assembly, block->show->arena,
			       loom_arena_format(block->show->arena, "pin %.*s",
						 LOOM_STR_ARG(label)),
			       why, loom_token_estimate(node.text.n));
		return LOOM_OK;
	}
	loom_buf_addf(&block->text, "  %.*s ", LOOM_STR_ARG(label));
	loom_show_quoted(&node, &block->text);
	if (loom_node_damaged(block->show->store, &node)) {
		loom_buf_adds(&block->text, " · " LOOM_SHOW_DAMAGED);
		loom_buf_add(&block->text, loom_str_sub(label, 1, label.n - 2));
	}
	loom_buf_addc(&block->text, '\n');
	if (on_path(block, node.id))
		keep(block, label, node.text.n);
	else
		add_full(block, label, node.text, false);
	return LOOM_OK;
}

static enum loom_status add_doc_pin(struct block *block, const struct loom_pin *pin,
				    struct loom_err *err)
{
	struct loom_buf label = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_doc doc;
	struct loom_str text;
	size_t from = 0;
	size_t to = 0;
	enum loom_status status =
		loom_doc_get(block->show->store, pin->doc, true, block->show->arena, &doc, err);

	to = doc.text.n;
	if (status == LOOM_OK && pin->section.n)
		status = loom_doc_section(doc.text, pin->section, &from, &to, err);
	if (status == LOOM_OK) {
		text = loom_str_sub(doc.text, from, to - from);
		loom_show_doc(doc.name, pin->section, &label);
		loom_buf_addf(&block->text, "  %s (", loom_buf_cstr(&label));
		loom_show_many(loom_word_count(text), "word", "words", &block->text);
		loom_show_doc_doubts(&doc, &block->text);
		loom_buf_adds(&block->text, ")\n");
		add_full(block, loom_buf_str(&label), text, false);
	}
	loom_buf_fini(&label);
	return status;
}

static void add_result_pin(struct block *block, const struct loom_pin *pin)
{
	struct loom_str label =
		loom_arena_format(block->show->arena, "[%.*s]",
				  LOOM_STR_ARG(loom_shown_label(block->show->arena, pin->result)));
	struct loom_str line = pin->text;

	line.n = loom_str_find_char(line, '\n', 0) < line.n ? loom_str_find_char(line, '\n', 0)
							    : line.n;
	loom_buf_addf(&block->text, "  %.*s ", LOOM_STR_ARG(label));
	loom_show_sentence(line, &block->text);
	loom_buf_addc(&block->text, '\n');
	add_full(block, label, pin->text, true);
}

/* Names a pin whose target was undone, or whose section is gone, as such. */
static enum loom_status add_pin(struct block *block, const struct loom_pin *pin,
				struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (pin->kind == LOOM_PIN_RESULT) {
		add_result_pin(block, pin);
		return LOOM_OK;
	}
	status = pin->kind == LOOM_PIN_NODE ? add_node_pin(block, pin, err)
					    : add_doc_pin(block, pin, err);
	if (status != LOOM_NOT_FOUND && status != LOOM_SYNTAX)
		return status;
	model_left_out(block->assembly, block->show->arena,
		       pin->kind == LOOM_PIN_NODE
			       ? LOOM_STR("a pinned node")
			       : loom_arena_format(block->show->arena, "a pinned document %s%.*s",
						   pin->section.n ? "§" : "",
						   LOOM_STR_ARG(loom_shown_label(block->show->arena,
										 pin->section))),
		       "it is no longer there", 0);
	return LOOM_OK;
}

static enum loom_status add_pins(struct block *block, struct loom_err *err)
{
	const size_t begin = block->text.n;
	size_t head = 0;
	enum loom_status status = LOOM_OK;

	begin_section(block, LOOM_SAYS_PINNED);
	head = block->text.n;
	for (size_t i = 0; i < block->memory->pin_count && status == LOOM_OK; i++)
		status = add_pin(block, &block->memory->pins[i], err);
	LOOM_ASSERT(block->text.n >= head);
	if (block->text.n == head) {
		loom_buf_cut(&block->text, begin);
		block->any = false;
	}
	if (block->full.n) {
		begin_section(block, LOOM_SAYS_PINNED_TEXT);
		loom_buf_add(&block->text, loom_buf_str(&block->full));
	}
	return status;
}

static struct loom_str quoted_label(struct loom_str label, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_buf_addc(&text, '"');
	loom_shown_line(&text, label, 0);
	loom_buf_addc(&text, '"');
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static void add_recalled(struct block *block)
{
	bool any = false;

	for (size_t i = 0; i < block->memory->stash_count; i++) {
		const struct loom_stash *stash = &block->memory->stashes[i];
		struct loom_str label;

		if (!stash->recalled)
			continue;
		if (!any)
			begin_section(block, LOOM_SAYS_RECALLED);
		any = true;
		label = quoted_label(stash->label, block->show->arena);
		add_below(&block->text, label, stash->text, stash->summary);
		keep(block, label, stash->text.n);
	}
}

static void add_actions(struct block *block, size_t most)
{
	const size_t all = block->memory->action_count;
	const size_t cut = all > most ? all - most : 0;

	LOOM_ASSERT(cut <= all);
	if (!all)
		return;
	begin_section(block, LOOM_SAYS_ACTIONS);
	loom_buf_adds(&block->text, "  ");
	if (cut) {
		loom_show_many((int64_t)cut, "earlier action", "earlier actions", &block->text);
		loom_buf_adds(&block->text, " · ");
	}
	put_actions(block->memory->actions + cut, all - cut, &block->text);
	loom_buf_addc(&block->text, '\n');
}

static void add_stashed(struct block *block)
{
	bool any = false;

	for (size_t i = 0; i < block->memory->stash_count; i++) {
		const struct loom_stash *stash = &block->memory->stashes[i];

		if (stash->recalled)
			continue;
		if (any)
			loom_buf_adds(&block->text, ", ");
		else
			loom_buf_addf(&block->text, "%s" LOOM_SAYS_STASHED, block->any ? "\n" : "");
		loom_buf_add(&block->text, quoted_label(stash->label, block->show->arena));
		any = block->any = true;
	}
	if (any)
		loom_buf_addc(&block->text, '\n');
}

enum loom_status model_memory_write(struct loom_show *show, struct model_memory *memory,
				    const struct loom_nodes *path, size_t actions,
				    struct loom_assembly *assembly, struct loom_str *out,
				    struct loom_err *err)
{
	struct block block = {.show = show,
			      .memory = memory,
			      .path = path,
			      .assembly = assembly,
			      .text = LOOM_BUF_INIT(LOOM_BUF_MAX),
			      .full = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(memory && path && out);
	memory->kept_tokens = memory->largest_tokens = 0;
	loom_buf_adds(&block.text, LOOM_FRAME_MEMORY "\n");
	status = add_pins(&block, err);
	add_recalled(&block);
	add_actions(&block, actions);
	add_stashed(&block);
	loom_buf_adds(&block.text, LOOM_FRAME_END);
	*out = block.any ? loom_arena_buf(show->arena, &block.text) : LOOM_STR("");
	loom_buf_fini(&block.text);
	loom_buf_fini(&block.full);
	return status;
}
