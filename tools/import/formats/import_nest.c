/* Reads trees whose nodes contain their children, with one frame per level on the heap. A node's
 * parent is linked at the end of the parent, because only then its id is certain. */
#include <loom/import/reader_kit.h>

enum { KIDS_FIRST = 64 };
enum place { IN_LIST, IN_NODE };

struct frame {
	enum place place;
	bool masked; /* this node replaces its parent */
	struct import_nest_node node;
	struct loom_buf rest;
	struct import_member tail;
	size_t kids;              /* index of its first child in walk->kids */
	struct loom_str replaced; /* the id of the node that replaces it */
};

struct walk {
	struct loom_import *import;
	const struct import_nest *nest;
	struct import_pull *pull;
	struct frame *frames;
	size_t depth;
	size_t cap;
	uint32_t *kids; /* numbers of nodes whose parent has not ended */
	size_t kid_count;
	size_t kid_cap;
	uint64_t made_up;
};

/* The innermost open frame; every token that ends something or names a member has one. */
static struct frame *top(struct walk *walk)
{
	return &walk->frames[walk->depth - 1];
}

static struct frame *push(struct walk *walk, enum place place)
{
	if (walk->depth == walk->cap) {
		walk->cap = walk->cap ? walk->cap * 2 : 64;
		walk->frames = loom_realloc(walk->frames, walk->cap, sizeof *walk->frames);
	}
	walk->frames[walk->depth] = (struct frame){.place = place, .kids = walk->kid_count};
	loom_buf_init(&walk->frames[walk->depth].rest, SIZE_MAX / 4);
	return &walk->frames[walk->depth++];
}

static void add_kid(struct walk *walk, struct loom_str id)
{
	const size_t size = walk->kid_cap * sizeof *walk->kids;

	if (walk->kid_count == walk->kid_cap) {
		walk->kid_cap = walk->kid_cap ? walk->kid_cap * 2 : KIDS_FIRST;
		walk->kids = loom_pages_resize(import_pages(walk->import), walk->kids, size,
					       walk->kid_cap * sizeof *walk->kids);
	}
	walk->kids[walk->kid_count++] = import_number(walk->import, id);
}

/* Takes a member for the reader or for `rest`, or enters it if it holds nodes. */
static enum loom_status take_member(struct walk *walk, const struct loom_json_token *key,
				    struct loom_err *err)
{
	struct frame *frame = top(walk);
	struct import_member member = {.key = key->raw};
	enum loom_status status = loom_json_skip(&walk->pull->reader, key, &member.value, err);

	if (status != LOOM_OK)
		return status;
	if (walk->nest->tail && loom_str_is(member.key, walk->nest->tail) &&
	    loom_jval_type(member.value) == LOOM_JTYPE_STRING) {
		frame->tail = member;
		return LOOM_OK;
	}
	for (size_t i = 0; i < walk->nest->key_count; i++)
		if (loom_str_is(member.key, walk->nest->keys[i]) &&
		    !import_is_strange(&walk->nest->fields, &member)) {
			frame->node.values[i] = member.value;
			return LOOM_OK;
		}
	import_rest_member(walk->import, &member, &walk->nest->fields, &frame->rest);
	return LOOM_OK;
}

/* A member that should hold nodes and does not is kept like any other. */
static enum loom_status enter(struct walk *walk, struct loom_str key, bool masked,
			      struct loom_err *err)
{
	struct import_member member = {.key = key};
	struct loom_json_token token;
	enum loom_status status = loom_json_read(&walk->pull->reader, &token, err);

	if (status != LOOM_OK)
		return status;
	if (!masked && token.kind == LOOM_JSON_ARRAY)
		push(walk, IN_LIST);
	else if (masked && token.kind == LOOM_JSON_OBJECT)
		push(walk, IN_NODE)->masked = true;
	else
		status = loom_json_skip(&walk->pull->reader, &token, &member.value, err);
	if (member.value.p && status == LOOM_OK)
		import_rest_member(walk->import, &member, &walk->nest->fields, &top(walk)->rest);
	return status;
}

static enum loom_status on_key(struct walk *walk, const struct loom_json_token *key,
			       struct loom_err *err)
{
	if (loom_str_is(key->raw, walk->nest->children))
		return enter(walk, key->raw, false, err);
	if (walk->nest->masked && loom_str_is(key->raw, walk->nest->masked))
		return enter(walk, key->raw, true, err);
	return take_member(walk, key, err);
}

/* ---- the end of a node ---- */

static void name_node(struct walk *walk, struct frame *frame)
{
	struct import_nest_node *node = &frame->node;

	node->id = import_string(walk->import, node->values[0]);
	if (!node->id.n && loom_jval_type(node->values[0]) == LOOM_JTYPE_NUMBER)
		node->id = node->values[0];
	node->anonymous = !node->id.n;
	if (node->anonymous)
		node->id = loom_arena_format(import_scratch(walk->import), "#%llu",
					     (unsigned long long)++walk->made_up);
}

/* With an empty `parent` they are roots. */
static void link_kids(struct walk *walk, const struct frame *frame, struct loom_str parent)
{
	const uint32_t above = import_number(walk->import, parent);

	for (size_t i = frame->kids; i < walk->kid_count; i++)
		import_hang(walk->import, walk->kids[i], above, i - frame->kids);
	walk->kid_count = frame->kids;
}

static size_t node_depth(const struct walk *walk)
{
	size_t depth = 0;

	for (size_t i = 0; i + 1 < walk->depth && depth < 2; i++)
		depth += walk->frames[i].place == IN_NODE;
	return depth;
}

static enum loom_status give_node(struct walk *walk, struct frame *frame, struct loom_str id,
				  struct loom_err *err)
{
	const struct import_nest *nest = walk->nest;

	if (!frame->replaced.n)
		return nest->node(walk->import, &frame->node, nest->ctx, err);
	if (!nest->masking)
		return LOOM_OK;
	frame->node.id = id;
	return nest->masking(walk->import, &frame->node, nest->ctx, err);
}

/* Only a replaced node needs the end of its replacement. */
static void keep_tail(struct walk *walk, struct frame *frame)
{
	const struct import_fields unused = {.where = walk->nest->fields.where};

	if (frame->tail.key.p && !frame->replaced.n)
		import_rest_member(walk->import, &frame->tail, &unused, &frame->rest);
}

/* A replaced node does not become a node: its text repeats the text of those below. */
static enum loom_status end_node(struct walk *walk, struct loom_err *err)
{
	struct frame *frame = top(walk);
	struct frame *above = walk->depth > 1 ? frame - 1 : NULL;
	struct loom_str id;
	struct loom_str parent;
	enum loom_status status = LOOM_OK;

	name_node(walk, frame);
	keep_tail(walk, frame);
	frame->node.rest = loom_buf_str(&frame->rest);
	frame->node.depth = node_depth(walk);
	id = frame->replaced.n ? frame->replaced : frame->node.id;
	parent = frame->replaced.n ? import_string(walk->import, frame->tail.value) : id;
	status = give_node(walk, frame, id, err);
	if (status == LOOM_OK)
		link_kids(walk, frame, parent.n ? parent : id);
	if (frame->masked && above)
		above->replaced = loom_arena_str(import_kept(walk->import), id);
	loom_buf_fini(&frame->rest);
	walk->depth--;
	if (above && above->place == IN_LIST)
		add_kid(walk, id);
	return status;
}

static void end_list(struct walk *walk)
{
	struct frame frame = *top(walk);

	walk->depth--;
	loom_buf_fini(&frame.rest);
	/* The ids in a node's list belong to its children. */
	if (!walk->depth)
		link_kids(walk, &frame, LOOM_STR(""));
}

static enum loom_status step(struct walk *walk, const struct loom_json_token *token,
			     struct loom_err *err)
{
	const struct frame *frame = walk->depth ? top(walk) : NULL;
	const bool in_node = frame && frame->place == IN_NODE;

	switch (token->kind) {
	case LOOM_JSON_KEY:
		return on_key(walk, token, err);
	case LOOM_JSON_OBJECT:
		push(walk, IN_NODE);
		return LOOM_OK;
	case LOOM_JSON_END_OBJECT:
		return end_node(walk, err);
	case LOOM_JSON_ARRAY:
		if (frame)
			return loom_json_skip(&walk->pull->reader, token, NULL, err);
		push(walk, IN_LIST);
		return LOOM_OK;
	case LOOM_JSON_END_ARRAY:
		end_list(walk);
		return LOOM_OK;
	case LOOM_JSON_DONE:
	case LOOM_JSON_TEXT:
	case LOOM_JSON_NUMBER:
	case LOOM_JSON_TRUE:
	case LOOM_JSON_FALSE:
	case LOOM_JSON_NULL:
		break;
	}
	if (!in_node && token->kind != LOOM_JSON_DONE)
		import_note(walk->import, IMPORT_LOST,
			    "something other than a node, where a node was expected");
	return LOOM_OK;
}

static void walk_fini(struct walk *walk)
{
	while (walk->depth)
		loom_buf_fini(&walk->frames[--walk->depth].rest);
	free(walk->frames);
	loom_pages_return(import_pages(walk->import), walk->kids,
			  walk->kid_cap * sizeof *walk->kids);
	free(walk->pull);
}

enum loom_status import_nest(struct loom_import *import, struct loom_str value,
			     const struct import_nest *nest, struct loom_err *err)
{
	struct walk walk = {.import = import, .nest = nest, .pull = loom_alloc(sizeof *walk.pull)};
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	import_pull_init(walk.pull, import, value);
	while (status == LOOM_OK && token.kind != LOOM_JSON_DONE) {
		status = loom_json_read(&walk.pull->reader, &token, err);
		if (status == LOOM_OK)
			status = step(&walk, &token, err);
		if (status == LOOM_OK && token.kind == LOOM_JSON_END_OBJECT) {
			loom_arena_reset(import_scratch(import));
			status = import_at(import, walk.pull->reader.at, err);
		}
	}
	walk_fini(&walk);
	return status;
}
