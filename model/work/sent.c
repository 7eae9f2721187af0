/* Bodies of requests, with the texts of the tree taken out and put in again. Strings are handled as
 * they are escaped, so that what comes back is what was sent. Invariants: whatever is packed was
 * unpacked again and compared first; a body of which nothing is recognised is kept whole. */
#include <loom/work/sent.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/work/thread_log.h>

#define TEXT_LEAST 24  /* a shorter text is not worth a reference */
#define PART_LEAST 512 /* a longer literal is stored once */
#define AHEAD      8   /* texts that a prompt may leave out between two */
#define NODES_MAX  20000
#define DEPTH_MAX  64

struct texts {
	struct loom_store *store;
	struct loom_arena *arena;
	struct loom_str *items; /* escaped, the topmost first */
	size_t count;
	size_t at; /* the next */
	bool begun;
	bool lost; /* something is not there any more */
	enum loom_sent_fill fill;
	struct loom_err *err;
	enum loom_status status;
};

static struct loom_str escaped(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str result;

	loom_json_init(&json, &out);
	loom_json_text(&json, text);
	result = loom_arena_str(arena, loom_str_sub(loom_buf_str(&out), 1, out.n - 2));
	loom_buf_fini(&out);
	return result;
}

/* Reads the texts from a node upwards: `steps` of them, or as many as fit into `bytes`. */
static enum loom_status read_texts(struct texts *texts, int64_t node, size_t steps, size_t bytes,
				   struct loom_err *err)
{
	size_t cap = 0;
	size_t sum = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!texts->count && !texts->at && steps <= NODES_MAX);
	while (node && texts->count < steps && sum <= bytes && status == LOOM_OK) {
		struct loom_node row;

		status = loom_node_get(texts->store, node, LOOM_NODE_TEXT, texts->arena, &row, err);
		if (status != LOOM_OK)
			break;
		texts->items = loom_arena_grow(texts->arena, texts->items, texts->count, &cap,
					       sizeof *texts->items);
		texts->items[texts->count++] = escaped(row.text, texts->arena);
		sum += row.text.n;
		node = row.from_node;
	}
	for (size_t i = 0; i < texts->count / 2; i++) {
		const struct loom_str low = texts->items[i];

		texts->items[i] = texts->items[texts->count - 1 - i];
		texts->items[texts->count - 1 - i] = low;
	}
	return status;
}

/* ---- taking texts out ---- */

/* Items of one string, with runs of texts counted. */
struct items {
	struct loom_buf *out;
	int64_t run;
	bool any;
};

static void begin_item(struct items *items)
{
	if (items->any)
		loom_buf_addc(items->out, ',');
	items->any = true;
}

static void end_run(struct items *items)
{
	LOOM_ASSERT(items->run >= 0);
	if (!items->run)
		return;
	begin_item(items);
	loom_buf_add_int(items->out, items->run);
	items->run = 0;
}

static void add_literal(struct texts *texts, struct items *items, struct loom_str raw)
{
	struct loom_hash hash;
	struct loom_buf hex = LOOM_BUF_INIT(128);

	if (!raw.n)
		return;
	end_run(items);
	begin_item(items);
	if (raw.n < PART_LEAST) {
		loom_buf_addf(items->out, "\"%.*s\"", LOOM_STR_ARG(raw));
		return;
	}
	if (texts->status == LOOM_OK)
		texts->status = loom_part_put(texts->store, raw, &hash, texts->err);
	if (texts->status == LOOM_OK) {
		loom_hash_hex(&hash, &hex);
		loom_buf_addf(items->out, "{\"part\":\"%s\"}", loom_buf_cstr(&hex));
	}
	loom_buf_fini(&hex);
}

static void pass_over(struct items *items, size_t count)
{
	if (!count)
		return;
	end_run(items);
	begin_item(items);
	loom_buf_add_int(items->out, -(int64_t)count);
}

/* Finds the next text in a string, at or after `from`; only the first may be far down. */
static size_t find_next(const struct texts *texts, struct loom_str raw, size_t from, size_t *which)
{
	const size_t last =
		texts->begun && texts->at + AHEAD < texts->count ? texts->at + AHEAD : texts->count;

	LOOM_ASSERT(texts->at <= texts->count && from <= raw.n);
	for (*which = texts->at; *which < last; ++*which)
		if (texts->items[*which].n >= TEXT_LEAST) {
			const size_t at = loom_str_find(raw, texts->items[*which], from);

			if (at != SIZE_MAX)
				return at;
		}
	return SIZE_MAX;
}

/* A window that rolled on begins in the middle of a text: the string begins with its end. */
static size_t take_cut(struct texts *texts, struct items *items, struct loom_str raw)
{
	for (size_t i = texts->at; !texts->begun && i < texts->count; i++) {
		const struct loom_str text = texts->items[i];
		const size_t n = raw.n < TEXT_LEAST ? raw.n : TEXT_LEAST;
		size_t at =
			n < TEXT_LEAST ? SIZE_MAX : loom_str_find(text, loom_str_sub(raw, 0, n), 1);

		for (; at != SIZE_MAX; at = loom_str_find(text, loom_str_sub(raw, 0, n), at + 1)) {
			if (!loom_str_starts(raw, loom_str_sub(text, at, SIZE_MAX)))
				continue;
			pass_over(items, i - texts->at);
			begin_item(items);
			loom_buf_addf(items->out, "{\"skip\":%zu}", at);
			texts->at = i + 1;
			texts->begun = true;
			return text.n - at;
		}
	}
	return 0;
}

static void pack_string(struct texts *texts, struct loom_str value, struct loom_buf *out)
{
	const struct loom_str raw = loom_str_sub(value, 1, value.n - 2);
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct items items = {.out = &list};
	const size_t began = texts->at;
	size_t at = take_cut(texts, &items, raw);
	size_t which = 0;
	size_t found = 0;

	LOOM_ASSERT(value.n >= 2 && at <= raw.n);
	while ((found = find_next(texts, raw, at, &which)) != SIZE_MAX) {
		add_literal(texts, &items, loom_str_sub(raw, at, found - at));
		pass_over(&items, which - texts->at);
		items.run++;
		texts->begun = true;
		texts->at = which + 1;
		at = found + texts->items[which].n;
	}
	if (texts->at == began && raw.n < PART_LEAST) {
		loom_buf_add(out, value);
	} else {
		add_literal(texts, &items, loom_str_sub(raw, at, SIZE_MAX));
		end_run(&items);
		loom_buf_addf(out, "{\"$text\":[%s]}", loom_buf_cstr(&list));
	}
	loom_buf_fini(&list);
}

static void pack(struct texts *texts, struct loom_str value, int depth, struct loom_buf *out);

/* Items in turn, as the messages of a conversation are once their texts are out: told once. */
static void add_list(const struct loom_str *items, size_t count, struct loom_buf *out)
{
	bool first = true;

	LOOM_ASSERT(items);
	for (size_t i = 0; i < count;) {
		size_t same = 2;

		while (i + same < count && loom_str_eq(items[i + same], items[i + same - 2]))
			same++;
		if (!first)
			loom_buf_addc(out, ',');
		first = false;
		if (same < 4) {
			loom_buf_add(out, items[i++]);
			continue;
		}
		loom_buf_addf(out, "{\"$again\":[%zu,%.*s,%.*s]}", same, LOOM_STR_ARG(items[i]),
			      LOOM_STR_ARG(items[i + 1]));
		i += same;
	}
}

static void pack_list(struct texts *texts, struct loom_str value, int depth, struct loom_buf *out)
{
	struct loom_str *items =
		LOOM_ARENA_ARRAY(texts->arena, loom_jval_count(value) + 1, struct loom_str);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item;
	size_t count = 0;

	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_buf one = LOOM_BUF_INIT(LOOM_BUF_MAX);

		pack(texts, item, depth + 1, &one);
		items[count++] = loom_arena_buf(texts->arena, &one);
		loom_buf_fini(&one);
	}
	loom_buf_addc(out, '[');
	add_list(items, count, out);
	loom_buf_addc(out, ']');
}

static void pack(struct texts *texts, struct loom_str value, int depth, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str key;
	struct loom_str item;
	bool first = true;

	switch (depth < DEPTH_MAX ? loom_jval_type(value) : LOOM_JTYPE_NONE) {
	case LOOM_JTYPE_STRING:
		pack_string(texts, value, out);
		break;
	case LOOM_JTYPE_ARRAY:
		pack_list(texts, value, depth, out);
		break;
	case LOOM_JTYPE_OBJECT:
		loom_buf_addc(out, '{');
		while (loom_jwalk_next(&walk, &key, &item)) {
			loom_buf_addf(out, "%s%.*s:", first ? "" : ",", LOOM_STR_ARG(key));
			first = false;
			pack(texts, item, depth + 1, out);
		}
		loom_buf_addc(out, '}');
		break;
	case LOOM_JTYPE_NONE:
	case LOOM_JTYPE_NULL:
	case LOOM_JTYPE_BOOL:
	case LOOM_JTYPE_NUMBER:
		loom_buf_add(out, value);
		break;
	}
}

/* ---- putting them in ---- */

static void fill_part(struct texts *texts, struct loom_str item, struct loom_buf *out)
{
	struct loom_str hex = loom_jval_text(loom_jval_get(item, "part"), texts->arena);
	struct loom_str body = {NULL, 0};
	struct loom_hash hash;
	enum loom_status status = LOOM_NOT_FOUND;

	if (loom_unhex(hex, hash.bytes, sizeof hash.bytes))
		status = loom_part_get(texts->store, &hash, texts->arena, &body, NULL);
	texts->lost |= status != LOOM_OK;
	loom_buf_add(out, body);
}

static void fill_texts(struct texts *texts, int64_t count, size_t skip, struct loom_buf *out)
{
	LOOM_ASSERT(count >= 0);
	for (; count > 0; count--, skip = 0) {
		if (texts->at >= texts->count) {
			texts->lost = true;
			return;
		}
		loom_buf_add(out, loom_str_sub(texts->items[texts->at++], skip, SIZE_MAX));
	}
}

static void fill_string(struct texts *texts, struct loom_str list, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	int64_t number = 0;

	loom_buf_addc(out, '"');
	while (loom_jwalk_next(&walk, NULL, &item)) {
		if (loom_jval_type(item) == LOOM_JTYPE_STRING)
			loom_buf_add(out, loom_str_sub(item, 1, item.n - 2));
		else if (loom_jval_int(item, &number) && number > 0)
			fill_texts(texts, number, 0, out);
		else if (loom_jval_int(item, &number))
			texts->at += (size_t)-number;
		else if (loom_jval_int(loom_jval_get(item, "skip"), &number) && number >= 0)
			fill_texts(texts, 1, (size_t)number, out);
		else
			fill_part(texts, item, out);
	}
	loom_buf_addc(out, '"');
}

/* Fills in parts alone, and leaves the texts of the tree to be referred to. */
static void fill_parts(struct texts *texts, struct loom_str list, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	bool first = true;

	loom_buf_adds(out, "{\"$text\":[");
	while (loom_jwalk_next(&walk, NULL, &item)) {
		loom_buf_adds(out, first ? "" : ",");
		first = false;
		if (!loom_jval_get(item, "part").p) {
			loom_buf_add(out, item);
			continue;
		}
		loom_buf_addc(out, '"');
		fill_part(texts, item, out);
		loom_buf_addc(out, '"');
	}
	loom_buf_adds(out, "]}");
}

static void fill(struct texts *texts, struct loom_str value, int depth, struct loom_buf *out);

static void fill_again(struct texts *texts, struct loom_str list, int depth, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str count = {NULL, 0};
	struct loom_str two[2] = {{NULL, 0}, {NULL, 0}};
	int64_t times = 0;

	if (!loom_jwalk_next(&walk, NULL, &count) || !loom_jval_int(count, &times) ||
	    !loom_jwalk_next(&walk, NULL, &two[0]) || !loom_jwalk_next(&walk, NULL, &two[1]) ||
	    times > NODES_MAX) {
		texts->lost = true;
		return;
	}
	for (int64_t i = 0; i < times && !texts->lost; i++) {
		loom_buf_adds(out, i ? "," : "");
		fill(texts, two[i % 2], depth, out);
	}
}

static void fill(struct texts *texts, struct loom_str value, int depth, struct loom_buf *out)
{
	const bool whole = texts->fill == LOOM_SENT_WHOLE;
	const bool object = loom_jval_type(value) == LOOM_JTYPE_OBJECT;
	const struct loom_str text = object ? loom_jval_get(value, "$text") : loom_str_make("", 0);
	const struct loom_str again =
		object && whole ? loom_jval_get(value, "$again") : loom_str_make("", 0);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str key;
	struct loom_str item;
	bool first = true;

	if (depth >= DEPTH_MAX || (!object && loom_jval_type(value) != LOOM_JTYPE_ARRAY)) {
		loom_buf_add(out, value);
	} else if (text.n) {
		if (whole)
			fill_string(texts, text, out);
		else
			fill_parts(texts, text, out);
	} else if (again.n) {
		fill_again(texts, again, depth + 1, out);
	} else {
		loom_buf_addc(out, object ? '{' : '[');
		while (loom_jwalk_next(&walk, &key, &item)) {
			loom_buf_adds(out, first ? "" : ",");
			first = false;
			if (object)
				loom_buf_addf(out, "%.*s:", LOOM_STR_ARG(key));
			fill(texts, item, depth + 1, out);
		}
		loom_buf_addc(out, object ? '}' : ']');
	}
}

/* ---- the member ---- */

static void add_member(struct loom_str body, const struct loom_hash *hash, size_t bytes, size_t top,
		       struct loom_buf *out)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);

	loom_hash_hex(hash, &hex);
	loom_buf_addf(out,
		      "{\"sha256\":\"%s\",\"bytes\":%zu,\"top\":%zu,\"body\":", loom_buf_cstr(&hex),
		      bytes, top);
	loom_buf_add(out, body);
	loom_buf_addc(out, '}');
	loom_buf_fini(&hex);
}

/* Whether what was packed comes back as it was. */
static bool comes_back(struct texts *texts, struct loom_str packed, struct loom_str body)
{
	struct loom_buf again = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool same = false;

	LOOM_ASSERT(packed.n && body.n);
	texts->at = 0;
	texts->lost = false;
	texts->fill = LOOM_SENT_WHOLE;
	fill(texts, packed, 0, &again);
	same = !texts->lost && loom_str_eq(loom_buf_str(&again), body);
	loom_buf_fini(&again);
	return same;
}

enum loom_status loom_sent_pack(struct loom_store *store, int64_t from, struct loom_str body,
				struct loom_arena *arena, struct loom_str *out,
				struct loom_err *err)
{
	struct texts texts = {.store = store, .arena = arena, .err = err};
	struct loom_buf packed = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf member = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_hash hash = loom_sha256(body);
	enum loom_status status = read_texts(&texts, from, NODES_MAX, body.n, err);

	if (status == LOOM_OK) {
		pack(&texts, body, 0, &packed);
		status = texts.status;
	}
	if (status == LOOM_OK)
		add_member(comes_back(&texts, loom_buf_str(&packed), body) ? loom_buf_str(&packed)
									   : body,
			   &hash, body.n, texts.count, &member);
	*out = loom_arena_buf(arena, &member);
	loom_buf_fini(&packed);
	loom_buf_fini(&member);
	return status;
}

/* Writes the record with another request. */
static struct loom_str with_request(struct loom_str record, struct loom_str request,
				    struct loom_arena *arena)
{
	struct loom_jwalk walk = loom_jval_walk(record);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str key;
	struct loom_str item;
	struct loom_str result;
	bool first = true;

	LOOM_ASSERT(request.n);
	loom_buf_addc(&out, '{');
	while (loom_jwalk_next(&walk, &key, &item)) {
		loom_buf_addf(&out, "%s%.*s:", first ? "" : ",", LOOM_STR_ARG(key));
		first = false;
		loom_buf_add(&out, loom_str_is(key, "\"request\"") ? request : item);
	}
	loom_buf_addc(&out, '}');
	result = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return result;
}

/* Fills in the body; whether it is the one that was sent. */
static bool fill_body(struct texts *texts, struct loom_str request, struct loom_buf *out)
{
	const struct loom_str told = loom_jval_text(loom_jval_get(request, "sha256"), texts->arena);
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_hash hash;
	bool same = false;

	fill(texts, loom_jval_get(request, "body"), 0, out);
	hash = loom_sha256(loom_buf_str(out));
	loom_hash_hex(&hash, &hex);
	same = !texts->lost &&
	       (texts->fill == LOOM_SENT_PARTS || loom_str_eq(told, loom_buf_str(&hex)));
	loom_buf_fini(&hex);
	return same;
}

enum loom_status loom_sent_fill(struct loom_store *store, int64_t node, struct loom_str record,
				enum loom_sent_fill fill_in, struct loom_arena *arena,
				struct loom_str *out, struct loom_err *err)
{
	const struct loom_str request = record.n ? loom_jval_get(record, "request") : record;
	struct texts texts = {.store = store, .arena = arena, .fill = fill_in};
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf member = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node row;
	int64_t top = 0;
	int64_t bytes = 0;
	enum loom_status status = LOOM_OK;

	*out = record;
	if (loom_jval_type(request) != LOOM_JTYPE_OBJECT || !loom_jval_get(request, "body").p)
		return LOOM_OK;
	(void)loom_jval_int(loom_jval_get(request, "top"), &top);
	(void)loom_jval_int(loom_jval_get(request, "bytes"), &bytes);
	status = loom_node_get(store, node, LOOM_NODE_NARROW, arena, &row, err);
	if (status == LOOM_OK && top > 0 && top <= NODES_MAX && fill_in == LOOM_SENT_WHOLE)
		status = read_texts(&texts, row.from_node, (size_t)top, SIZE_MAX - 1, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&member, "{\"sha256\":%.*s,\"bytes\":%lld,\"top\":%lld",
		      LOOM_STR_ARG(loom_jval_get(request, "sha256")), (long long)bytes,
		      (long long)top);
	if (fill_body(&texts, request, &body)) {
		loom_buf_adds(&member, ",\"body\":");
		loom_buf_add(&member, loom_buf_str(&body));
	} else {
		loom_buf_adds(&member, ",\"lost\":true");
	}
	loom_buf_addc(&member, '}');
	*out = with_request(record, loom_buf_str(&member), arena);
	loom_buf_fini(&body);
	loom_buf_fini(&member);
	return LOOM_OK;
}
