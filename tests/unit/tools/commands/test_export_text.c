/* The text of a path in a file is what the screen's reader says of it, in every format that people
 * or trainers read. */
#include <greatest.h>

#include <cjson/cJSON.h>

#include <loom/base/utf8.h>
#include <loom/reading/measure.h>
#include <loom/tree/document.h>
#include <loom/tree/job.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/packed.h>
#include <tests/support/read_tree.h>

GREATEST_MAIN_DEFS();

enum { ROUNDS = 60, WAYS = 4 * READ_NODES };

/* The ways from root to leaf that a file has, or that it should have. */
struct ways {
	struct grove *grove;
	struct loom_str items[WAYS];
	size_t count;
};

static void add_way(struct ways *ways, struct loom_str way)
{
	for (size_t i = 0; i < ways->count; i++)
		if (loom_str_eq(ways->items[i], way))
			return;
	if (way.n && ways->count < WAYS)
		ways->items[ways->count++] = loom_arena_str(ways->grove->arena, way);
}

/* Passages one after the other, cut back when a file goes back. */
struct trail {
	struct loom_buf text;
	size_t count;
};

static void go_on(struct trail *trail, struct loom_str passage)
{
	if (!passage.n)
		return;
	loom_buf_adds(&trail->text, trail->text.n ? "|" : "");
	loom_buf_add(&trail->text, passage);
}

static const char *const read_by[] = {"txt", "md", "html", "jsonl", "chatgpt", "pyloom"};
static const char *const trees_in[] = {"md", "html", "jsonl", "chatgpt", "pyloom"};

static bool keeps_excluded(const char *format)
{
	return strcmp(format, "jsonl") != 0;
}

/* Markdown parts passages by blank lines: where one begins and ends is not in it. */
static bool keeps_edges(const char *format)
{
	return strcmp(format, "md") != 0;
}

static struct loom_str edge(const char *format, struct loom_str passage)
{
	return keeps_edges(format) ? passage : loom_str_trim(passage);
}

static struct loom_str said(const struct read_tree *t, int64_t tip, const char *format)
{
	struct read_way way = read_way_to(t, tip, keeps_excluded(format));

	for (size_t i = 0; i < way.count; i++)
		way.items[i] = edge(format, way.items[i]);
	return read_joined(t, &way, "|");
}

/* ---- what a file says ---- */

static void ways_of_jsonl(struct ways *ways, struct loom_str file)
{
	struct loom_str line;

	while (file.n && loom_str_line(&file, &line)) {
		cJSON *json = cJSON_ParseWithLength(line.p, line.n);
		struct trail trail = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
		const cJSON *message;

		cJSON_ArrayForEach(message, cJSON_GetObjectItem(json, "messages"))
			go_on(&trail, loom_str_of(cJSON_GetStringValue(
					      cJSON_GetObjectItem(message, "content"))));
		add_way(ways, loom_buf_str(&trail.text));
		loom_buf_fini(&trail.text);
		cJSON_Delete(json);
	}
}

static void climb_chatgpt(const cJSON *mapping, const cJSON *entry, struct trail *trail)
{
	const cJSON *parent = cJSON_GetObjectItem(entry, "parent");
	const cJSON *content =
		cJSON_GetObjectItem(cJSON_GetObjectItem(entry, "message"), "content");

	if (cJSON_IsString(parent))
		climb_chatgpt(mapping, cJSON_GetObjectItem(mapping, parent->valuestring), trail);
	if (content)
		go_on(trail,
		      loom_str_of(cJSON_GetStringValue(
			      cJSON_GetArrayItem(cJSON_GetObjectItem(content, "parts"), 0))));
}

static void ways_of_chatgpt(struct ways *ways, struct loom_str file)
{
	cJSON *json = cJSON_ParseWithLength(file.p, file.n);
	const cJSON *mapping = cJSON_GetObjectItem(cJSON_GetArrayItem(json, 0), "mapping");
	const cJSON *entry;

	cJSON_ArrayForEach(entry, mapping)
	{
		struct trail trail = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};

		if (cJSON_GetArraySize(cJSON_GetObjectItem(entry, "children")) == 0) {
			climb_chatgpt(mapping, entry, &trail);
			add_way(ways, loom_buf_str(&trail.text));
		}
		loom_buf_fini(&trail.text);
	}
	cJSON_Delete(json);
}

static void walk_pyloom(struct ways *ways, const cJSON *node, struct trail *trail)
{
	const size_t before = trail->text.n;
	const cJSON *children = cJSON_GetObjectItem(node, "children");
	const cJSON *child;

	go_on(trail, loom_str_of(cJSON_GetStringValue(cJSON_GetObjectItem(node, "text"))));
	cJSON_ArrayForEach(child, children) walk_pyloom(ways, child, trail);
	if (cJSON_GetArraySize(children) == 0)
		add_way(ways, loom_buf_str(&trail->text));
	loom_buf_cut(&trail->text, before);
}

static void ways_of_pyloom(struct ways *ways, struct loom_str file)
{
	cJSON *json = cJSON_ParseWithLength(file.p, file.n);
	struct trail trail = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};

	walk_pyloom(ways, cJSON_GetObjectItem(json, "root"), &trail);
	loom_buf_fini(&trail.text);
	cJSON_Delete(json);
}

/* A branch is a details element; the other versions of a node are in one of their own. */
static void ways_of_html(struct ways *ways, struct loom_str file)
{
	static const struct loom_str open = LOOM_STR_INIT("<details");
	static const struct loom_str versions = LOOM_STR_INIT("<details class=\"versions\"");
	static const struct loom_str close = LOOM_STR_INIT("</details>");
	static const struct loom_str passage = LOOM_STR_INIT("<div class=\"n");
	static const struct loom_str note = LOOM_STR_INIT("<div class=\"n note\"");
	struct trail trail = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	size_t depth[READ_NODES];
	size_t count = 0;
	bool fresh = false;

	file = loom_str_sub(file, loom_str_find(file, LOOM_STR("<body>"), 0), file.n);
	for (size_t at = 0; at < file.n; at++) {
		const struct loom_str rest = loom_str_sub(file, at, file.n);

		if (loom_str_starts(rest, versions)) {
			at = loom_str_find(file, close, at) + close.n - 1;
		} else if (loom_str_starts(rest, open)) {
			fresh = false;
			depth[count++] = trail.text.n;
		} else if (loom_str_starts(rest, close) || at + 1 == file.n) {
			if (fresh)
				add_way(ways, loom_buf_str(&trail.text));
			fresh = false;
			if (count)
				loom_buf_cut(&trail.text, depth[--count]);
		} else if (loom_str_starts(rest, passage) && !loom_str_starts(rest, note)) {
			const size_t from = loom_str_find_char(file, '>', at) + 1;

			go_on(&trail,
			      loom_str_sub(file, from,
					   loom_str_find(file, LOOM_STR("</div>"), at) - from));
			fresh = true;
		}
	}
	loom_buf_fini(&trail.text);
}

/* The way to each node that a heading names; one that nothing hangs on is a leaf. */
struct named {
	struct loom_str id;
	struct loom_str way;
	bool leaf;
};

static struct named *find_named(struct named *all, size_t count, struct loom_str id)
{
	for (size_t i = 0; i < count; i++)
		if (loom_str_eq(all[i].id, id))
			return &all[i];
	return NULL;
}

/* What stands below a heading, without the notes. */
static struct loom_str body_of(struct grove *grove, struct loom_str *rest)
{
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str line;
	struct loom_str out;

	while (rest->n && !loom_str_starts(*rest, LOOM_STR("#")) && loom_str_line(rest, &line))
		if (!loom_str_starts(line, LOOM_STR("> ")))
			loom_buf_addf(&body, "%.*s\n", LOOM_STR_ARG(line));
	out = loom_arena_str(grove->arena, loom_str_trim(loom_buf_str(&body)));
	loom_buf_fini(&body);
	return out;
}

static size_t read_md(struct grove *grove, struct loom_str rest, struct named *out)
{
	static const struct loom_str branch = LOOM_STR_INIT("## A branch at [");
	static const struct loom_str node = LOOM_STR_INIT("### [");
	struct named *parent = NULL;
	struct loom_str line;
	size_t count = 0;

	while (rest.n && loom_str_line(&rest, &line)) {
		const size_t from = loom_str_find_char(line, '[', 0) + 1;
		const struct loom_str id =
			loom_str_sub(line, from, loom_str_find_char(line, ']', 0) - from);
		struct trail trail = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};

		if (loom_str_starts(line, branch))
			parent = find_named(out, count, id);
		if (!loom_str_starts(line, node))
			continue;
		if (parent) {
			parent->leaf = false;
			loom_buf_add(&trail.text, parent->way);
		}
		go_on(&trail, body_of(grove, &rest));
		parent = &out[count++];
		*parent = (struct named){.id = id,
					 .way = loom_arena_str(grove->arena,
							       loom_buf_str(&trail.text)),
					 .leaf = true};
		loom_buf_fini(&trail.text);
	}
	return count;
}

/* A version that is not read stands there too, and leads to what its reader would read. */
static enum greatest_test_res ways_of_md(const struct read_tree *t, struct ways *ways,
					 struct loom_str file)
{
	struct named all[2 * READ_NODES];
	const size_t count = read_md(t->grove, file, all);

	for (size_t i = 0; i < count; i++) {
		struct loom_node node;
		struct loom_err err;

		if (!all[i].leaf)
			continue;
		grove_must(loom_node_find(t->grove->store, t->tree, all[i].id, t->grove->arena,
					  &node, &err),
			   &err, "find");
		ASSERT(loom_str_eq(all[i].way, said(t, node.id, "md")));
		for (size_t k = 0; k < t->tip_count; k++)
			if (t->tips[k] == node.id)
				add_way(ways, all[i].way);
	}
	PASS();
}

/* ---- the laws ---- */

static enum greatest_test_res same_ways(const struct ways *wanted, const struct ways *found,
					const char *format, uint64_t seed)
{
	bool same = wanted->count == found->count;

	for (size_t i = 0; i < wanted->count; i++) {
		bool there = false;

		for (size_t k = 0; k < found->count; k++)
			there |= loom_str_eq(wanted->items[i], found->items[k]);
		same &= there;
	}
	if (same)
		PASS();
	for (size_t i = 0; i < wanted->count; i++)
		fprintf(stderr, "seed %llu, %s: wanted \"%.*s\"\n", (unsigned long long)seed,
			format, LOOM_STR_ARG(wanted->items[i]));
	for (size_t i = 0; i < found->count; i++)
		fprintf(stderr, "  found \"%.*s\"\n", LOOM_STR_ARG(found->items[i]));
	FAILm("a file does not say what the reader says");
}

static enum greatest_test_res ways_of(const struct read_tree *t, const char *format,
				      struct loom_str file, struct ways *out)
{
	*out = (struct ways){.grove = t->grove};
	if (strcmp(format, "md") == 0)
		return ways_of_md(t, out, file);
	if (strcmp(format, "html") == 0)
		ways_of_html(out, file);
	else if (strcmp(format, "jsonl") == 0)
		ways_of_jsonl(out, file);
	else if (strcmp(format, "chatgpt") == 0)
		ways_of_chatgpt(out, file);
	else
		ways_of_pyloom(out, file);
	PASS();
}

static void write_out(const struct read_tree *t, int64_t tip, const char *format,
		      struct loom_buf *out)
{
	struct loom_export what = {.store = t->grove->store,
				   .trees = &t->tree,
				   .tree_count = 1,
				   .tip = tip,
				   .reader = t->grove->owner};

	exported_run(format, &what, out);
}

static enum greatest_test_res whole_trees(const struct read_tree *t, uint64_t seed)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t f = 0; f < LOOM_COUNT(trees_in); f++) {
		struct ways wanted = {.grove = t->grove};
		struct ways found;

		for (size_t i = 0; i < t->tip_count; i++)
			add_way(&wanted, said(t, t->tips[i], trees_in[f]));
		write_out(t, 0, trees_in[f], &file);
		CHECK_CALL(ways_of(t, trees_in[f], loom_buf_str(&file), &found));
		CHECK_CALL(same_ways(&wanted, &found, trees_in[f], seed));
	}
	loom_buf_fini(&file);
	PASS();
}

static enum greatest_test_res one_path(const struct read_tree *t, int64_t tip, const char *format,
				       uint64_t seed)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct ways wanted = {.grove = t->grove};
	struct ways found;
	const bool bytes = strcmp(format, "txt") == 0 || strcmp(format, "md") == 0;

	write_out(t, tip, format, &file);
	if (bytes && t->mode == LOOM_BUFFER) {
		const struct read_way way = read_way_to(t, tip, true);

		ASSERT(loom_str_eq(read_joined(t, &way, ""), loom_buf_str(&file)));
	} else if (strcmp(format, "txt") != 0) {
		add_way(&wanted, said(t, tip, format));
		CHECK_CALL(ways_of(t, format, loom_buf_str(&file), &found));
		CHECK_CALL(same_ways(&wanted, &found, format, seed));
	} else {
		struct loom_str at = loom_buf_str(&file);
		const struct read_way way = read_way_to(t, tip, true);

		for (size_t i = 0; i < way.count; i++) {
			const size_t begin = loom_str_find(at, way.items[i], 0);

			ASSERT(begin != SIZE_MAX);
			at = loom_str_sub(at, begin + way.items[i].n, at.n);
		}
		ASSERT_EQ(SIZE_MAX, loom_str_find_char(at, 'w', 0)); /* who said nothing */
	}
	loom_buf_fini(&file);
	PASS();
}

static enum greatest_test_res all_paths(const struct read_tree *t, uint64_t seed)
{
	for (size_t i = 0; i < t->tip_count; i++)
		for (size_t f = 0; f < LOOM_COUNT(read_by); f++)
			CHECK_CALL(one_path(t, t->tips[i], read_by[f], seed));
	PASS();
}

/* ---- books ---- */

/* A book has all passages of its path in their order, and nobody else's. */
static enum greatest_test_res one_book(const struct read_tree *t, int64_t tip, const char *format)
{
	const struct read_way way = read_way_to(t, tip, true);
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str at;
	struct loom_export what = {.store = t->grove->store,
				   .trees = &t->tree,
				   .tree_count = 1,
				   .tip = tip,
				   .book = true,
				   .by = LOOM_STR_INIT("A. N. Other"),
				   .reader = t->grove->owner};

	exported_run(format, &what, &file);
	if (strcmp(format, "epub") == 0)
		packed_read(loom_buf_str(&file), &text);
	else
		loom_buf_add(&text, loom_buf_str(&file));
	at = loom_buf_str(&text);
	at = loom_str_sub(at,
			  strcmp(format, "html") == 0 ? loom_str_find(at, LOOM_STR("<section"), 0)
						      : 0,
			  at.n);
	for (size_t i = 0; i < way.count; i++) {
		const struct loom_str passage = loom_str_trim(way.items[i]);
		const size_t begin = loom_str_find(at, passage, 0);

		ASSERT(begin != SIZE_MAX);
		ASSERT_EQ(SIZE_MAX,
			  loom_str_find(loom_str_sub(at, 0, begin), LOOM_STR("beside"), 0));
		at = loom_str_sub(at, begin + passage.n, at.n);
	}
	loom_buf_fini(&file);
	loom_buf_fini(&text);
	PASS();
}

static enum greatest_test_res all_books(const struct read_tree *t)
{
	static const char *const formats[] = {"md", "html", "epub"};

	for (size_t i = 0; i < t->tip_count; i++)
		for (size_t f = 0; f < LOOM_COUNT(formats); f++)
			CHECK_CALL(one_book(t, t->tips[i], formats[f]));
	PASS();
}

/* Words are counted over the path as it is read, and over a tree each passage once. */
static enum greatest_test_res lengths(const struct read_tree *t)
{
	int64_t longest = 0;
	struct loom_reading_size size;
	struct loom_err err;

	for (size_t i = 0; i < t->tip_count; i++) {
		const struct read_way way = read_way_to(t, t->tips[i], true);
		const struct loom_str text =
			read_joined(t, &way, t->mode == LOOM_BUFFER ? "" : "\n");
		const struct loom_reading_of of = {.tree = t->tree,
						   .tip = t->tips[i],
						   .thread = t->thread};

		grove_must(loom_reading_measure(t->grove->store, &of, &size, &err), &err, "size");
		ASSERT_EQ((int)loom_word_count(text), (int)size.text.words);
		ASSERT_EQ((int)way.count, (int)size.passages);
		longest = size.text.words > longest ? size.text.words : longest;
	}
	grove_must(loom_reading_measure(t->grove->store,
					&(struct loom_reading_of){.tree = t->tree,
								  .thread = t->thread},
					&size, &err),
		   &err, "size");
	ASSERT(size.text.words >= longest);
	if (t->tip_count == 1)
		ASSERT_EQ((int)longest, (int)size.text.words);
	PASS();
}

/* Our own file brings the reading along: what is trained with afterwards is what was before. */
static enum greatest_test_res comes_along(const struct read_tree *t)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf after = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported in;
	struct loom_err err;

	imported_init(&in);
	write_out(t, 0, "json", &file);
	write_out(t, 0, "jsonl", &before);
	grove_must(imported_add(&in, "x.json", loom_buf_str(&file), &err), &err, "import");
	exported_all(&in.grove, "jsonl", &after);
	ASSERT(loom_str_eq(loom_buf_str(&before), loom_buf_str(&after)));
	imported_fini(&in);
	loom_buf_fini(&file);
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	PASS();
}

TEST every_file_says_what_the_reader_says(void)
{
	struct prop prop;
	const int times = prop_times(ROUNDS);

	prop_init(&prop, "files and the reader");
	for (int i = 0; i < times; i++) {
		const uint64_t seed = prop_next(&prop);
		struct read_tree t;
		struct grove grove;

		grove_init(&grove);
		read_tree_grow(&t, &grove, seed);
		CHECK_CALL(whole_trees(&t, seed));
		CHECK_CALL(all_paths(&t, seed));
		CHECK_CALL(all_books(&t));
		CHECK_CALL(lengths(&t));
		CHECK_CALL(comes_along(&t));
		grove_fini(&grove);
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(every_file_says_what_the_reader_says);
	GREATEST_MAIN_END();
}
