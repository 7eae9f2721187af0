/* Writes weaves. Invariants: everything is aligned as its program would align it, and lies in the
 * order in which that program checks it, so that no two values share a byte; tables have the slots
 * where a search for them begins. */
#include <loom/weave/write_weave.h>

#include <string.h>

#include "inside.h"

/* ---- bytes ---- */

static void put_number(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void add(struct weave_out *out, const void *bytes, size_t n)
{
	loom_buf_add(out->buf, loom_str_make(bytes, n));
	out->at += n;
}

static void align(struct weave_out *out, size_t to)
{
	static const uint8_t zeros[16];
	const size_t over = (size_t)(out->at % to);

	LOOM_ASSERT(to <= sizeof zeros);
	if (over)
		add(out, zeros, to - over);
}

/* Structures are built here: where one will lie, and its bytes. */
struct shape {
	uint64_t at;
	uint8_t *bytes;
};

/* A distance from a field of a shape to something written. */
static void put_distance(const struct shape *shape, size_t field, uint64_t to)
{
	put_number(shape->bytes + field, to - (shape->at + field), 4);
}

static void put_list(const struct shape *shape, size_t field, uint64_t to, size_t count)
{
	put_distance(shape, field, to);
	put_number(shape->bytes + field + 4, count, 4);
}

/* ---- texts ---- */

/* Writes a text that is too long to lie in its field, and returns where. */
static uint64_t add_text(struct weave_out *out, struct loom_str text)
{
	const uint64_t at = out->at;

	if (text.n > WEAVE_TEXT)
		add(out, text.p, text.n);
	return at;
}

static void put_text(const struct shape *shape, size_t field, struct loom_str text, uint64_t at)
{
	uint8_t *to = shape->bytes + field;

	if (text.n > WEAVE_TEXT) {
		put_number(to, (text.n & 0x3F) | 0x80 | (uint64_t)(text.n & ~(size_t)0x3F) << 2, 4);
		put_number(to + 4, at - (shape->at + field), 4);
		return;
	}
	memset(to, 0xFF, WEAVE_TEXT);
	if (text.n)
		memcpy(to, text.p, text.n);
}

/* ---- tables ---- */

/* How the program of the format hashes: words of eight bytes, then of four, two and one. */
static uint64_t hash_word(uint64_t hash, uint64_t word)
{
	return ((hash << 5 | hash >> 59) ^ word) * UINT64_C(0x517cc1b727220a95);
}

static uint64_t word_at(const char *bytes, size_t size)
{
	uint64_t word = 0;

	for (size_t i = 0; i < size; i++)
		word |= (uint64_t)(uint8_t)bytes[i] << 8 * i;
	return word;
}

static uint64_t hash_text(struct loom_str text)
{
	uint64_t hash = 0;
	size_t at = 0;

	for (; text.n - at >= 8; at += 8)
		hash = hash_word(hash, word_at(text.p + at, 8));
	for (size_t size = 4; size > 0; size /= 2)
		if (text.n & size) {
			hash = hash_word(hash, word_at(text.p + at, size));
			at += size;
		}
	/* The end of a text. */
	return hash_word(hash, 0xFF);
}

/* An id as it is in the file: the lowest byte first. */
static void put_id(uint8_t *to, const struct loom_ulid *id)
{
	for (size_t i = 0; i < WEAVE0_ID; i++)
		to[i] = id->bytes[WEAVE0_ID - 1 - i];
}

static uint64_t hash_id(const struct loom_ulid *id)
{
	char bytes[WEAVE0_ID];

	put_id((uint8_t *)bytes, id);
	return hash_word(hash_word(0, word_at(bytes, 8)), word_at(bytes + 8, 8));
}

static size_t slots_of(size_t count)
{
	const size_t roomy = count * 8 / 7;

	return !count ? 0 : roomy > count + 1 ? roomy : count + 1;
}

static size_t controls_of(size_t slots)
{
	return (slots + WEAVE_GROUP - 1) / WEAVE_GROUP * WEAVE_GROUP + WEAVE_GROUP - 1;
}

/* Puts an item into a table and returns its slot. The first control bytes are repeated behind the
 * last slot. */
static size_t take_slot(uint8_t *control, size_t slots, uint64_t hash)
{
	const size_t controls = controls_of(slots);
	const size_t probes = controls - (WEAVE_GROUP - 1);
	size_t mask = 1;
	size_t at = (size_t)(hash % slots);
	size_t step = 0;

	while (mask < controls)
		mask *= 2;
	mask--;
	for (;;) {
		for (size_t i = at; i < at + WEAVE_GROUP; i++) {
			const size_t slot = i % slots;

			if (control[i] != WEAVE_FREE)
				continue;
			control[slot] = (uint8_t)(hash >> 57);
			if (slot < controls - slots)
				control[slots + slot] = control[slot];
			return slot;
		}
		do {
			step += WEAVE_GROUP;
			at = (at + step) & mask;
		} while (at >= probes);
	}
}

/* A map in order that has been written: its table and its items. */
struct placed {
	uint64_t table;
	uint64_t items;
	size_t count;
};

/* Writes the table of a map: the numbers of the items in the slots of their hashes. */
static uint64_t add_table(struct weave_out *out, size_t count,
			  uint64_t (*hash)(const void *items, size_t index), const void *items)
{
	const size_t slots = slots_of(count);
	const size_t controls = count ? controls_of(slots) : 0;
	uint8_t *numbers = loom_alloc(slots * 4 + controls + 1);
	uint8_t *control = numbers + slots * 4;
	uint64_t at;

	memset(numbers, 0, slots * 4);
	memset(control, WEAVE_FREE, controls);
	for (size_t i = 0; i < count; i++)
		put_number(numbers + (slots - 1 - take_slot(control, slots, hash(items, i))) * 4, i,
			   4);
	align(out, 4);
	at = out->at + slots * 4;
	add(out, numbers, slots * 4 + controls);
	free(numbers);
	return at;
}

static void put_table(const struct shape *shape, size_t field, const struct placed *map)
{
	if (map->count)
		put_distance(shape, field, map->table);
	else
		put_number(shape->bytes + field, 1, 4);
	put_number(shape->bytes + field + WEAVE_TABLE_COUNT, map->count, 4);
	put_number(shape->bytes + field + WEAVE_TABLE_SLOTS, slots_of(map->count), 4);
}

static void put_map(const struct shape *shape, size_t field, const struct placed *map)
{
	put_table(shape, field, map);
	put_distance(shape, field + WEAVE_MAP_ITEMS, map->items);
}

static uint64_t hash_of_fact(const void *items, size_t index)
{
	const struct weave_said *facts = items;

	return hash_text(facts[index].name);
}

static struct placed add_facts(struct weave_out *out, const struct weave_said_list *facts)
{
	struct placed map = {.count = facts->count};
	uint64_t *texts = loom_realloc(NULL, facts->count * 2 + 1, sizeof *texts);

	if (facts->count)
		map.table = add_table(out, facts->count, hash_of_fact, facts->items);
	for (size_t i = 0; i < facts->count; i++) {
		texts[2 * i] = add_text(out, facts->items[i].name);
		texts[2 * i + 1] = add_text(out, facts->items[i].value);
	}
	align(out, 4);
	map.items = out->at;
	for (size_t i = 0; i < facts->count; i++) {
		uint8_t bytes[WEAVE_FACT];
		const struct shape fact = {out->at, bytes};

		put_text(&fact, 0, facts->items[i].name, texts[2 * i]);
		put_text(&fact, WEAVE_TEXT, facts->items[i].value, texts[2 * i + 1]);
		add(out, bytes, sizeof bytes);
	}
	free(texts);
	return map;
}

static uint64_t hash_of_id(const void *items, size_t index)
{
	const struct loom_ulid *ids = items;

	return hash_id(&ids[index]);
}

static struct placed add_ids(struct weave_out *out, const struct loom_ulid *ids, size_t count)
{
	struct placed map = {.count = count};

	if (count)
		map.table = add_table(out, count, hash_of_id, ids);
	align(out, 16);
	map.items = out->at;
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[WEAVE0_ID];

		put_id(bytes, &ids[i]);
		add(out, bytes, sizeof bytes);
	}
	return map;
}

/* ---- nodes ---- */

/* The part of a node that is left to write once the things it refers to are written. */
struct weave_placed_node {
	struct loom_ulid id;
	struct loom_ulid from;
	struct placed to;
	struct placed facts;
	struct placed model_facts;
	uint64_t content;
	size_t content_count;
	uint64_t label_at;
	uint64_t label_size;
	uint8_t label[WEAVE_TEXT]; /* a short one */
	bool has_from;
	bool active;
	bool bookmarked;
	bool tokens;
	bool by_model;
};

void weave_begin(struct weave_out *out, struct loom_buf *buf, const struct loom_ulid *ids,
		 size_t count, struct loom_arena *arena)
{
	uint8_t header[WEAVE_HEADER] = WEAVE_NAME;
	const size_t slots = slots_of(count);
	const size_t controls = count ? controls_of(slots) : 0;

	*out = (struct weave_out){.buf = buf, .count = count, .slot_count = slots};
	put_number(header + sizeof WEAVE_NAME - 1, 0, 8);
	loom_buf_add(buf, loom_str_make((const char *)header, sizeof header));
	out->nodes = LOOM_ARENA_ARRAY(arena, count + 1, struct weave_placed_node);
	out->slots = LOOM_ARENA_ARRAY(arena, slots + 1, uint32_t);
	out->control = LOOM_ARENA_ARRAY(arena, controls + 1, uint8_t);
	memset(out->slots, 0, (slots + 1) * sizeof *out->slots);
	memset(out->control, WEAVE_FREE, controls);
	for (size_t i = 0; i < count; i++)
		out->slots[take_slot(out->control, slots, hash_id(&ids[i]))] = (uint32_t)i + 1;
}

size_t weave_node_at(const struct weave_out *out, size_t slot)
{
	LOOM_ASSERT(slot < out->slot_count);
	return out->slots[slot];
}

static enum loom_status check_size(const struct weave_out *out, struct loom_err *err)
{
	if (out->at < INT32_MAX)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "a weave can have at most 2 GiB");
	return loom_hint(err, LOOM_LIMIT, "export a part of the tree, or as json");
}

/* Writes tokens with their facts, and returns where their list is. */
static uint64_t add_tokens(struct weave_out *out, const struct weave_said_node *node)
{
	struct placed *facts = loom_realloc(NULL, node->token_count + 1, sizeof *facts);
	uint64_t *texts = loom_realloc(NULL, node->token_count + 1, sizeof *texts);
	uint64_t at;

	for (size_t i = 0; i < node->token_count; i++) {
		texts[i] = out->at;
		add(out, node->tokens[i].bytes.p, node->tokens[i].bytes.n);
		facts[i] = add_facts(out, &node->tokens[i].facts);
	}
	align(out, 4);
	at = out->at;
	for (size_t i = 0; i < node->token_count; i++) {
		uint8_t bytes[WEAVE0_TOKEN];
		const struct shape token = {out->at, bytes};

		put_list(&token, 0, texts[i], node->tokens[i].bytes.n);
		put_map(&token, WEAVE0_TOKEN_FACTS, &facts[i]);
		add(out, bytes, sizeof bytes);
	}
	free(facts);
	free(texts);
	return at;
}

enum loom_status weave_node(struct weave_out *out, size_t number, const struct loom_ulid *id,
			    const struct weave_said_node *node, struct loom_err *err)
{
	struct weave_placed_node *placed = &out->nodes[number - 1];

	LOOM_ASSERT(number > 0 && number <= out->count);
	*placed = (struct weave_placed_node){.id = *id,
					     .has_from = node->from != NULL,
					     .active = node->active,
					     .bookmarked = node->bookmarked,
					     .tokens = node->token_count > 0,
					     .by_model = node->by_model};
	if (node->from)
		placed->from = *node->from;
	placed->to = add_ids(out, node->to, node->to_count);
	placed->content_count = placed->tokens ? node->token_count : node->text.n;
	if (placed->tokens) {
		placed->content = add_tokens(out, node);
	} else {
		placed->content = out->at;
		add(out, node->text.p, node->text.n);
	}
	placed->facts = add_facts(out, &node->facts);
	if (!node->by_model)
		return check_size(out, err);
	placed->label_at = add_text(out, node->label);
	placed->label_size = node->label.n;
	if (node->label.n && node->label.n <= WEAVE_TEXT)
		memcpy(placed->label, node->label.p, node->label.n);
	placed->model_facts = add_facts(out, &node->model_facts);
	return check_size(out, err);
}

/* ---- the end ---- */

static void add_node(struct weave_out *out, const struct weave_placed_node *node)
{
	uint8_t bytes[WEAVE0_NODE] = {0};
	const struct shape shape = {out->at, bytes};
	const struct loom_str label =
		loom_str_make((const char *)node->label, (size_t)node->label_size);

	put_id(bytes, &node->id);
	put_id(bytes + WEAVE0_NODE_ID, &node->id);
	bytes[WEAVE0_NODE_FROM] = node->has_from;
	if (node->has_from)
		put_id(bytes + WEAVE0_NODE_FROM + WEAVE0_ID, &node->from);
	put_map(&shape, WEAVE0_NODE_TO, &node->to);
	bytes[WEAVE0_NODE_ACTIVE] = node->active;
	bytes[WEAVE0_NODE_BOOKMARKED] = node->bookmarked;
	bytes[WEAVE0_NODE_CONTENT] = node->tokens ? WEAVE_TOKENS : WEAVE_SNIPPET;
	put_list(&shape, WEAVE0_NODE_CONTENT + WEAVE_KIND_LIST, node->content, node->content_count);
	put_map(&shape, WEAVE0_NODE_FACTS, &node->facts);
	bytes[WEAVE0_NODE_MODEL] = node->by_model;
	if (node->by_model) {
		put_text(&shape, WEAVE0_NODE_LABEL, label, node->label_at);
		put_map(&shape, WEAVE0_NODE_MODEL_FACTS, &node->model_facts);
	}
	add(out, bytes, sizeof bytes);
}

/* Writes the table of the nodes, the last slot first, and returns where its control bytes are. */
static enum loom_status add_nodes(struct weave_out *out, uint64_t *out_at,
				  enum loom_status (*flow)(void *ctx, struct loom_err *err),
				  void *ctx, struct loom_err *err)
{
	static const uint8_t nothing[WEAVE0_NODE];
	enum loom_status status = LOOM_OK;

	align(out, 16);
	for (size_t slot = out->slot_count; slot > 0 && status == LOOM_OK; slot--) {
		const uint32_t number = out->slots[slot - 1];

		if (number)
			add_node(out, &out->nodes[number - 1]);
		else
			add(out, nothing, sizeof nothing);
		status = flow(ctx, err);
	}
	*out_at = out->at;
	if (out->count)
		add(out, out->control, controls_of(out->slot_count));
	return status == LOOM_OK ? check_size(out, err) : status;
}

enum loom_status weave_end(struct weave_out *out, const struct weave_said_about *about,
			   enum loom_status (*flow)(void *ctx, struct loom_err *err), void *ctx,
			   struct loom_err *err)
{
	uint8_t bytes[WEAVE0_ROOT] = {0};
	struct shape shape = {0, bytes};
	struct placed nodes = {.count = out->count};
	struct placed roots;
	struct placed bookmarks;
	struct placed facts;
	uint64_t thread;
	enum loom_status status = add_nodes(out, &nodes.table, flow, ctx, err);

	roots = add_ids(out, about->roots, about->root_count);
	bookmarks = add_ids(out, about->bookmarks, about->bookmark_count);
	align(out, 16);
	thread = out->at;
	facts = add_facts(out, &about->facts);
	align(out, 16);
	shape.at = out->at;
	put_table(&shape, 0, &nodes);
	put_map(&shape, WEAVE0_ROOT_ROOTS, &roots);
	bytes[WEAVE0_ROOT_ACTIVE] = about->active != NULL;
	if (about->active)
		put_id(bytes + WEAVE0_ROOT_ACTIVE + WEAVE0_ID, about->active);
	put_map(&shape, WEAVE0_ROOT_BOOKMARKS, &bookmarks);
	put_list(&shape, WEAVE0_ROOT_THREAD, thread, 0);
	put_map(&shape, WEAVE0_ROOT_FACTS, &facts);
	add(out, bytes, sizeof bytes);
	return status;
}
