/* Reads weaves where they lie. Invariants: no byte outside of the file is looked at, whatever the
 * file says; a distance that leads outside gives an empty value and marks the weave as broken; a
 * walk ends, for it counts slots. */
#include <string.h>

#include "inside.h"

static uint64_t number(struct weave *weave, size_t at, size_t size)
{
	uint64_t value = 0;

	if (at > weave->bytes.n || weave->bytes.n - at < size) {
		weave->broken = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)(uint8_t)weave->bytes.p[at + i] << 8 * i;
	return value;
}

static float real(struct weave *weave, size_t at)
{
	const uint32_t bits = (uint32_t)number(weave, at, 4);
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Returns the n bytes that are `distance` behind `at`. */
static struct loom_str bytes_at(struct weave *weave, size_t at, int32_t distance, uint64_t n)
{
	const int64_t from = (int64_t)at + distance;

	if (from < 0 || (uint64_t)from > weave->bytes.n || weave->bytes.n - (uint64_t)from < n) {
		weave->broken = true;
		return LOOM_STR("");
	}
	return loom_str_sub(weave->bytes, (size_t)from, (size_t)n);
}

static int32_t distance_at(struct weave *weave, size_t at)
{
	return (int32_t)(uint32_t)number(weave, at, 4);
}

/* Items behind a distance; none if they would not fit into the file. */
static struct weave_list items_at(struct weave *weave, size_t at, uint64_t count, size_t size)
{
	const struct loom_str items = bytes_at(weave, at, distance_at(weave, at),
					       count < UINT32_MAX ? count * size : UINT64_MAX);

	if (!items.n)
		return (struct weave_list){0, 0};
	return (struct weave_list){(size_t)(items.p - weave->bytes.p), (size_t)count};
}

static struct weave_list list_at(struct weave *weave, size_t at, size_t size)
{
	return items_at(weave, at, number(weave, at + 4, 4), size);
}

static struct weave_list map_at(struct weave *weave, size_t at, size_t size)
{
	return items_at(weave, at + WEAVE_MAP_ITEMS, number(weave, at + WEAVE_TABLE_COUNT, 4),
			size);
}

static struct loom_str raw_at(struct weave *weave, size_t at)
{
	const struct weave_list list = list_at(weave, at, 1);

	return loom_str_sub(weave->bytes, list.at, list.count);
}

static struct loom_str text_at(struct weave *weave, size_t at)
{
	const struct loom_str here = bytes_at(weave, at, 0, WEAVE_TEXT);
	uint32_t length;

	if (!here.n)
		return here;
	if (((uint8_t)here.p[0] & 0xC0) != 0x80)
		return loom_str_sub(here, 0, loom_str_find_char(here, (char)0xFF, 0));
	/* Six bits, two that say that it lies elsewhere, and the others. */
	length = (uint32_t)number(weave, at, 4);
	length = (length & 0x3F) | (length & ~UINT32_C(0xFF)) >> 2;
	return bytes_at(weave, at, distance_at(weave, at + 4), length);
}

static bool is_there(struct weave *weave, size_t at)
{
	return number(weave, at, 1) == WEAVE_THERE;
}

static struct loom_str text_if_there(struct weave *weave, size_t at)
{
	return is_there(weave, at) ? text_at(weave, at + 4) : LOOM_STR("");
}

/* An id of sixteen bytes, of which zero means none. */
static struct loom_str id_if_any(struct weave *weave, size_t at)
{
	static const char none[WEAVE_ID_MAX] = "";
	const struct loom_str id = bytes_at(weave, at, 0, WEAVE_ID_MAX);

	return id.n && memcmp(id.p, none, WEAVE_ID_MAX) != 0 ? id : LOOM_STR("");
}

/* ---- the file ---- */

bool weave_is(struct loom_str head)
{
	return loom_str_starts(head, LOOM_STR(WEAVE_NAME));
}

enum loom_status weave_open(struct loom_str file, struct weave *out, struct loom_err *err)
{
	struct weave header = {.bytes = file};
	const size_t root = WEAVE0_ROOT;

	_Static_assert((int)WEAVE0_ROOT == (int)WEAVE1_ROOT,
		       "both versions end with as many bytes");
	*out = header;
	if (!weave_is(file) || file.n < WEAVE_HEADER + root)
		return loom_fail(err, LOOM_INVALID, "a Tapestry weave that is cut off");
	out->version = number(&header, sizeof WEAVE_NAME - 1, 8);
	out->bytes = loom_str_sub(file, WEAVE_HEADER, file.n);
	out->root = out->bytes.n - root;
	if (out->version > 1)
		return loom_fail(err, LOOM_REFUSED, "a weave of version %llu; loom reads 0 and 1",
				 (unsigned long long)out->version);
	return LOOM_OK;
}

void weave_about(struct weave *weave, struct weave_about *out)
{
	const size_t root = weave->root;

	*out = (struct weave_about){.count = (size_t)number(weave, root + WEAVE_TABLE_COUNT, 4)};
	if (weave->version == 0) {
		out->roots = map_at(weave, root + WEAVE0_ROOT_ROOTS, WEAVE0_ID);
		out->facts = map_at(weave, root + WEAVE0_ROOT_FACTS, WEAVE_FACT);
		if (is_there(weave, root + WEAVE0_ROOT_ACTIVE))
			out->active =
				bytes_at(weave, root + WEAVE0_ROOT_ACTIVE, WEAVE0_ID, WEAVE0_ID);
		return;
	}
	out->roots = map_at(weave, root + WEAVE1_ROOT_ROOTS, WEAVE1_ID);
	out->title = text_if_there(weave, root + WEAVE1_ROOT_TITLE);
	out->description = text_if_there(weave, root + WEAVE1_ROOT_DESCRIPTION);
	out->created = text_at(weave, root + WEAVE1_ROOT_CREATED);
	out->sources = list_at(weave, root + WEAVE1_ROOT_SOURCES, WEAVE1_SOURCE);
	out->facts = map_at(weave, root + WEAVE1_ROOT_FACTS, WEAVE_FACT);
}

/* ---- nodes ---- */

/* Reads a node's content at `at`. */
static void read_content(struct weave *weave, size_t at, struct weave_node *out)
{
	const uint64_t kind = number(weave, at, 1);
	const size_t token = weave->version == 0 ? WEAVE0_TOKEN : WEAVE1_TOKEN;

	if (kind == WEAVE_SNIPPET)
		out->snippet = raw_at(weave, at + WEAVE_KIND_LIST);
	else if (kind == WEAVE_TOKENS)
		out->tokens = list_at(weave, at + WEAVE_KIND_LIST, token);
	else if (kind != WEAVE_NOTHING)
		weave->broken = true;
}

static void read_node_0(struct weave *weave, size_t at, struct weave_node *out)
{
	const size_t from = at + WEAVE0_NODE_FROM;

	out->id = bytes_at(weave, at, WEAVE0_NODE_ID, WEAVE0_ID);
	if (is_there(weave, from))
		out->from = (struct weave_list){from + WEAVE0_ID, 1};
	out->to = map_at(weave, at + WEAVE0_NODE_TO, WEAVE0_ID);
	out->active = is_there(weave, at + WEAVE0_NODE_ACTIVE);
	out->bookmarked = is_there(weave, at + WEAVE0_NODE_BOOKMARKED);
	read_content(weave, at + WEAVE0_NODE_CONTENT, out);
	out->facts = map_at(weave, at + WEAVE0_NODE_FACTS, WEAVE_FACT);
	if (!is_there(weave, at + WEAVE0_NODE_MODEL))
		return;
	out->maker = WEAVE_MODEL;
	out->label = text_at(weave, at + WEAVE0_NODE_LABEL);
	out->maker_facts = map_at(weave, at + WEAVE0_NODE_MODEL_FACTS, WEAVE_FACT);
}

static void read_maker_1(struct weave *weave, size_t at, struct weave_node *out)
{
	static const enum weave_maker makers[] = {WEAVE_MODEL, WEAVE_HUMAN, WEAVE_UNKNOWN};
	const uint64_t maker = number(weave, at + WEAVE1_NODE_MAKER, 1);

	if (maker >= LOOM_COUNT(makers)) {
		weave->broken = true;
		return;
	}
	out->maker = makers[maker];
	if (out->maker == WEAVE_UNKNOWN || !is_there(weave, at + WEAVE1_NODE_NAMED))
		return;
	out->label = text_at(weave, at + WEAVE1_NODE_LABEL);
	if (out->maker == WEAVE_HUMAN) {
		out->maker_id = id_if_any(weave, at + WEAVE1_NODE_HUMAN_ID);
		return;
	}
	out->maker_id = id_if_any(weave, at + WEAVE1_NODE_MODEL_ID);
	out->color = text_if_there(weave, at + WEAVE1_NODE_COLOR);
	out->has_seed = is_there(weave, at + WEAVE1_NODE_SEED);
	out->seed = (uint32_t)number(weave, at + WEAVE1_NODE_SEED + 4, 4);
	out->maker_facts = map_at(weave, at + WEAVE1_NODE_MODEL_FACTS, WEAVE_FACT);
}

static void read_node_1(struct weave *weave, size_t at, struct weave_node *out)
{
	out->id = bytes_at(weave, at, WEAVE1_NODE_ID, WEAVE1_ID);
	out->from = map_at(weave, at + WEAVE1_NODE_FROM, WEAVE1_ID);
	out->to = map_at(weave, at + WEAVE1_NODE_TO, WEAVE1_ID);
	out->active = is_there(weave, at + WEAVE1_NODE_ACTIVE);
	out->bookmarked = is_there(weave, at + WEAVE1_NODE_BOOKMARKED);
	out->time = text_at(weave, at + WEAVE1_NODE_TIME);
	out->modified = is_there(weave, at + WEAVE1_NODE_MODIFIED);
	read_content(weave, at + WEAVE1_NODE_CONTENT, out);
	out->facts = map_at(weave, at + WEAVE1_NODE_FACTS, WEAVE_FACT);
	read_maker_1(weave, at, out);
}

bool weave_next(struct weave *weave, struct weave_walk *walk, struct weave_node *out)
{
	const size_t size = weave->version == 0 ? WEAVE0_NODE : WEAVE1_NODE;
	const uint64_t count = number(weave, weave->root + WEAVE_TABLE_COUNT, 4);
	const uint64_t slots = number(weave, weave->root + WEAVE_TABLE_SLOTS, 4);
	const struct loom_str control =
		bytes_at(weave, weave->root, distance_at(weave, weave->root), slots);
	const size_t end = control.n ? (size_t)(control.p - weave->bytes.p) : 0;

	*out = (struct weave_node){.maker = WEAVE_UNKNOWN};
	for (; walk->given < count && walk->slot < control.n; walk->slot++) {
		const size_t above = (walk->slot + 1) * size;

		if ((uint8_t)control.p[walk->slot] & WEAVE_USED)
			continue;
		if (above > end) {
			weave->broken = true;
			return false;
		}
		if (weave->version == 0)
			read_node_0(weave, end - above, out);
		else
			read_node_1(weave, end - above, out);
		walk->slot++;
		walk->given++;
		return true;
	}
	weave->broken |= walk->given != count;
	return false;
}

/* ---- lists ---- */

struct loom_str weave_id_at(struct weave *weave, const struct weave_list *ids, size_t index)
{
	const size_t size = weave->version == 0 ? WEAVE0_ID : WEAVE1_ID;

	LOOM_ASSERT(index < ids->count);
	return bytes_at(weave, ids->at + index * size, 0, size);
}

void weave_fact_at(struct weave *weave, const struct weave_list *facts, size_t index,
		   struct loom_str *out_name, struct loom_str *out_value)
{
	const size_t at = facts->at + index * WEAVE_FACT;

	LOOM_ASSERT(index < facts->count);
	*out_name = text_at(weave, at);
	*out_value = text_at(weave, at + WEAVE_TEXT);
}

struct loom_str weave_fact(struct weave *weave, const struct weave_list *facts, const char *name)
{
	struct loom_str key;
	struct loom_str value;

	for (size_t i = 0; i < facts->count; i++) {
		weave_fact_at(weave, facts, i, &key, &value);
		if (loom_str_is(key, name))
			return value;
	}
	return LOOM_STR("");
}

/* Reads what a token and another one in its place have in common in version 1. */
static void read_token_1(struct weave *weave, size_t at, struct weave_token *out)
{
	out->bytes = raw_at(weave, at);
	out->logprob = (double)real(weave, at + WEAVE1_TOKEN_LOGPROB);
	out->has_logprob = out->logprob == out->logprob;
	out->has_id = is_there(weave, at + WEAVE1_TOKEN_ID);
	out->id = out->has_id ? number(weave, at + WEAVE1_TOKEN_ID + 8, 8) : 0;
	out->facts = map_at(weave, at + WEAVE1_TOKEN_FACTS, WEAVE_FACT);
}

void weave_token_at(struct weave *weave, const struct weave_list *tokens, size_t index,
		    struct weave_token *out)
{
	const size_t size = weave->version == 0 ? WEAVE0_TOKEN : WEAVE1_TOKEN;
	const size_t at = tokens->at + index * size;
	const size_t original = at + WEAVE1_TOKEN_ORIGINAL;
	int32_t others;

	LOOM_ASSERT(index < tokens->count);
	*out = (struct weave_token){.bytes = {NULL, 0}};
	if (weave->version == 0) {
		out->bytes = raw_at(weave, at);
		out->facts = map_at(weave, at + WEAVE0_TOKEN_FACTS, WEAVE_FACT);
		return;
	}
	read_token_1(weave, at, out);
	out->entropy = (double)real(weave, at + WEAVE1_TOKEN_ENTROPY);
	out->has_entropy = out->entropy == out->entropy;
	others = distance_at(weave, at + WEAVE1_TOKEN_OTHERS);
	if (bytes_at(weave, at + WEAVE1_TOKEN_OTHERS, others, WEAVE_LIST).n)
		out->others = list_at(weave, (size_t)((int64_t)(at + WEAVE1_TOKEN_OTHERS) + others),
				      WEAVE1_OTHER);
	out->modified = number(weave, original, 1) != 0;
	if (number(weave, original, 1) == 1)
		out->original = raw_at(weave, original + WEAVE_KIND_LIST);
}

void weave_other_at(struct weave *weave, const struct weave_list *others, size_t index,
		    struct weave_token *out)
{
	LOOM_ASSERT(index < others->count);
	*out = (struct weave_token){.bytes = {NULL, 0}};
	read_token_1(weave, others->at + index * WEAVE1_OTHER, out);
}

void weave_source_at(struct weave *weave, const struct weave_list *sources, size_t index,
		     struct weave_source *out)
{
	const size_t at = sources->at + index * WEAVE1_SOURCE;

	LOOM_ASSERT(index < sources->count);
	out->name = text_at(weave, at);
	out->version = text_if_there(weave, at + WEAVE1_SOURCE_VERSION);
	out->time = text_at(weave, at + WEAVE1_SOURCE_TIME);
}
