/* Groves made at random of whatever a grove can hold, sent out and taken in again: our own format
 * brings everything back byte for byte; the others come to rest after one way there and back. */
#include <greatest.h>
#include <unistd.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/base/jval.h>
#include <loom/tree/op.h>
#include <loom/tree/open_store.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/prop.h>
#include <tests/support/raw.h>

GREATEST_MAIN_DEFS();

enum { TREES = 3, STEPS = 90, NODES_MAX = STEPS + TREES, AGENTS = 5, ROUNDS = 8 };

struct forest {
	struct grove *grove;
	struct prop prop;
	struct loom_buf text;
	int64_t agents[AGENTS];
	int64_t trees[TREES];
	int64_t nodes[NODES_MAX];
	size_t count;
	struct loom_err err;
};

static struct loom_str any_text(struct forest *f)
{
	loom_buf_clear(&f->text);
	switch (prop_below(&f->prop, 6)) {
	case 0:
		break;
	case 1:
		loom_buf_add(&f->text, LOOM_STR("\0 \xF0\x9F\x98\x80\xE2\x80\xA8\r\n\x1B[31m\"\\"));
		break;
	case 2:
		loom_buf_adds(&f->text, "### [r001] you · 2026-01-01T00:00\n</script>\n");
		break;
	default:
		prop_text(&f->prop, prop_size(&f->prop, 300), &f->text);
	}
	return loom_arena_buf(f->grove->arena, &f->text);
}

/* A line: names, labels, tags. */
static struct loom_str any_line(struct forest *f)
{
	static const char *const lines[] = {"sea",       "a \"b\" \\ c", "  \xC3\xA9 ",
					    "rated:bad", "\xE7\x8C\xAB", "x\ny",
					    "…"};

	return loom_str_of(lines[prop_below(&f->prop, LOOM_COUNT(lines))]);
}

static int64_t any_node(struct forest *f)
{
	return f->nodes[prop_below(&f->prop, f->count)];
}

static int64_t any_agent(struct forest *f)
{
	return f->agents[prop_below(&f->prop, AGENTS)];
}

/* Whether it went in; what the store refuses (a root that is edited twice over, a line that is no
 * name) is not what this is about. */
static bool ended(struct forest *f, enum loom_status status)
{
	return loom_op_end(f->grove->store, status, NULL, &f->err) == LOOM_OK;
}

static void make_agents(struct forest *f)
{
	static const struct loom_agent specs[AGENTS - 1] = {
		{.name = LOOM_STR_INIT("Ada"), .kind = LOOM_AGENT_HUMAN},
		{.name = LOOM_STR_INIT("opus"),
		 .kind = LOOM_AGENT_MODEL,
		 .model = LOOM_STR_INIT("m-1"),
		 .aware = true},
		{.name = LOOM_STR_INIT("system"), .kind = LOOM_AGENT_MODEL},
		{.name = LOOM_STR_INIT("\xE7\x8C\xAB x"), .kind = LOOM_AGENT_MODEL},
	};

	f->agents[0] = f->grove->owner;
	for (size_t i = 1; i < AGENTS; i++) {
		grove_begin(f->grove, "agent");
		grove_must(loom_agent_create(f->grove->store, &specs[i - 1], &f->agents[i],
					     &f->err),
			   &f->err, "agent");
		grove_commit(f->grove);
	}
}

static void make_trees(struct forest *f)
{
	for (size_t i = 0; i < TREES; i++) {
		struct loom_tree_spec spec = {.mode = i % 2 ? LOOM_BUFFER : LOOM_DIALOGUE,
					      .title = any_line(f),
					      .author = any_agent(f)};

		spec.root_text = any_text(f);
		spec.system = i ? any_text(f) : LOOM_STR("");
		spec.subject = i ? f->agents[2] : 0;
		grove_begin(f->grove, "import"); /* whatever stands in a title */
		grove_must(loom_tree_create(f->grove->store, &spec, &f->trees[i], &f->err), &f->err,
			   "tree");
		grove_commit(f->grove);
		f->nodes[f->count++] = grove_root(f->grove, f->trees[i]);
	}
}

static void make_documents(struct forest *f)
{
	static const char *const names[] = {"plan", "notes (two)", "\xE7\x8C\xAB"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		int64_t doc = 0;

		grove_begin(f->grove, "doc");
		grove_must(loom_doc_create(f->grove->store, loom_str_of(names[i]), any_text(f),
					   f->grove->owner, &doc, &f->err),
			   &f->err, "document");
		grove_commit(f->grove);
	}
}

static void add_node(struct forest *f)
{
	static const enum loom_node_kind kinds[] = {LOOM_CONTINUATION,   LOOM_CONTINUATION,
						    LOOM_CONTINUATION,   LOOM_CONTINUATION,
						    LOOM_CONTINUATION,   LOOM_ANNOTATION,
						    LOOM_CONTEXT_SOURCE, LOOM_INSTRUCTION_SOURCE};
	struct loom_node_spec spec = {.from = any_node(f),
				      .kind = kinds[prop_below(&f->prop, LOOM_COUNT(kinds))],
				      .author = any_agent(f),
				      .seq = -1};
	int64_t node = 0;

	spec.text = any_text(f);
	if (prop_once_in(&f->prop, 4))
		spec.created = prop_between(&f->prop, 1, 1771840800000);
	if (prop_once_in(&f->prop, 4))
		spec.generation = LOOM_STR("{\"model\":\"m-1\",\"n\":[1,2.50,null],"
					   "\"seam\":{\"put\":\" \"}}");
	if (prop_once_in(&f->prop, 4))
		spec.raw = prop_once_in(&f->prop, 2) ? LOOM_STR("{\"a\":1}")
						     : LOOM_STR("\xFF\x00\x80");
	if (prop_once_in(&f->prop, 5))
		spec.extra = LOOM_STR("{\"wild\":{\"x\":\"\\u0000\"}}");
	if (prop_once_in(&f->prop, 6))
		spec.original = LOOM_STR("\xFE\xFF");
	grove_begin(f->grove, "respond");
	/* Nothing goes on from what hangs beside the story. */
	if (ended(f, loom_node_create(f->grove->store, &spec, &node, &f->err)) &&
	    spec.kind == LOOM_CONTINUATION)
		f->nodes[f->count++] = node;
}

static void edit_node(struct forest *f)
{
	struct loom_node_spec spec = {.from = any_node(f), .author = any_agent(f), .seq = -1};
	int64_t node = 0;

	spec.text = any_text(f);
	grove_begin(f->grove, "edit");
	if (ended(f, loom_node_edit(f->grove->store, &spec,
				    (enum loom_edit_as)prop_below(&f->prop, 3), &node, &f->err)))
		f->nodes[f->count++] = node;
}

static enum loom_status mark_node(struct forest *f)
{
	struct loom_store *store = f->grove->store;
	const int64_t node = any_node(f);
	struct loom_link link = {.from = node, .author = any_agent(f)};
	int64_t below = 0;
	bool changed = false;

	switch (prop_below(&f->prop, 8)) {
	case 7:
		return loom_seam_set(store, node, prop_once_in(&f->prop, 3), &changed, &f->err);
	case 0:
		return loom_node_prune(store, node, &below, &changed, &f->err);
	case 1:
		return loom_node_restore(store, node, &below, &changed, &f->err);
	case 2:
		return loom_bookmark_set(store, node, true,
					 prop_once_in(&f->prop, 2) ? any_line(f) : LOOM_STR(""),
					 &changed, &f->err);
	case 3:
		return loom_exclude_set(store, node, true, &changed, &f->err);
	case 4:
		return loom_summary_keep(store, LOOM_JOB_NODE, node, any_line(f),
					 prop_once_in(&f->prop, 2), &f->err);
	case 5:
		return loom_tag_set(store, node, any_line(f), true, &changed, &f->err);
	default:
		link.kind = (enum loom_link_kind)prop_below(&f->prop, 3);
		link.to_node = link.kind == LOOM_LINK_DOC ? 0 : any_node(f);
		link.to_doc = link.kind == LOOM_LINK_DOC ? 1 + (int64_t)prop_below(&f->prop, 3) : 0;
		link.to_tree =
			link.kind == LOOM_LINK_TREE ? f->trees[prop_below(&f->prop, TREES)] : 0;
		if (link.kind == LOOM_LINK_TREE)
			link.to_node = 0;
		link.note = any_line(f);
		return loom_link_create(store, &link, &below, &changed, &f->err);
	}
}

/* Hangs a branch below another node, at the top, or elsewhere among its siblings. */
static enum loom_status move_node(struct forest *f)
{
	const struct loom_node node = grove_get(f->grove, any_node(f));
	struct loom_hang where = {.node = node.id};
	bool changed = false;

	switch (prop_below(&f->prop, 4)) {
	case 0:
		break;
	case 1:
		where.below = node.from_node;
		where.last = true;
		break;
	default:
		where.below = any_node(f);
	}
	return loom_node_hang(f->grove->store, &where, &changed, &f->err);
}

/* What is undone is not there: neither are its nodes among those that are built upon. */
static void undo_last(struct forest *f)
{
	size_t kept = 0;

	if (loom_op_undo(f->grove->store, f->grove->owner, 0, NULL, &f->err) != LOOM_OK)
		return;
	for (size_t i = 0; i < f->count; i++) {
		struct loom_node node;

		if (loom_node_get(f->grove->store, f->nodes[i], LOOM_NODE_NARROW, f->grove->arena,
				  &node, NULL) == LOOM_OK)
			f->nodes[kept++] = f->nodes[i];
	}
	f->count = kept;
}

/* Behind make_agents. */
static void grow_on(struct forest *f, uint64_t seed)
{
	struct grove *grove = f->grove;

	loom_buf_init(&f->text, 1 << 20);
	prop_init_seed(&f->prop, seed);
	make_documents(f);
	make_trees(f);
	for (int i = 0; i < STEPS; i++) {
		size_t what = prop_below(&f->prop, 13);

		if (what < 6) {
			add_node(f);
		} else if (what < 8) {
			edit_node(f);
		} else if (what < 11) {
			grove_begin(grove, "import"); /* whatever stands in a label */
			(void)ended(f, mark_node(f));
		} else if (what < 12) {
			grove_begin(grove, "move");
			(void)ended(f, move_node(f));
		} else if (i > 10 && prop_once_in(&f->prop, 3)) {
			undo_last(f);
		}
	}
	loom_buf_fini(&f->text);
}

static void grow(struct forest *f, struct grove *grove, uint64_t seed)
{
	*f = (struct forest){.grove = grove};
	make_agents(f);
	grow_on(f, seed);
}

static void say_finding(void *ctx, struct loom_str what)
{
	(void)ctx;
	fprintf(stderr, "%.*s\n", LOOM_STR_ARG(what));
}

static enum greatest_test_res is_sound(struct grove *grove)
{
	struct loom_check_opts deep = {.deep = true, .finding = say_finding};
	struct loom_err err = {.status = LOOM_OK};
	int64_t found = 0;

	ASSERT_EQ(LOOM_OK, loom_store_check(grove->store, &deep, &found, &err));
	ASSERT_EQ(0, (int)found);
	PASS();
}

static enum greatest_test_res brings_in(struct imported *in, const struct loom_buf *text,
					uint64_t seed)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = imported_add(in, "x.json", loom_buf_str(text), &err);

	if (status != LOOM_OK)
		fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, err.text);
	ASSERT_EQ(LOOM_OK, status);
	CHECK_CALL(is_sound(&in->grove));
	PASS();
}

static enum greatest_test_res same(const struct loom_buf *a, const struct loom_buf *b,
				   uint64_t seed)
{
	struct loom_str rest[2] = {loom_buf_str(a), loom_buf_str(b)};
	struct loom_str line[2];

	while (rest[0].n && loom_str_line(&rest[0], &line[0])) {
		if (loom_str_line(&rest[1], &line[1]) && loom_str_eq(line[0], line[1]))
			continue;
		fprintf(stderr, "seed %llu:\n  %.*s\n  %.*s\n", (unsigned long long)seed,
			LOOM_STR_ARG(line[0]), LOOM_STR_ARG(line[1]));
		FAILm("what came back is not what went out");
	}
	ASSERT_EQ(a->n, b->n);
	PASS();
}

/* An import can be undone and done again, and nothing is left over in between. */
static enum greatest_test_res comes_and_goes(struct grove *grove)
{
	struct loom_err err = {.status = LOOM_OK};

	ASSERT_EQ_FMTm(err.text, LOOM_OK, loom_op_undo(grove->store, grove->owner, 0, NULL, &err),
		       "%d");
	CHECK_CALL(is_sound(grove));
	ASSERT_EQ_FMTm(err.text, LOOM_OK, loom_op_redo(grove->store, grove->owner, NULL, &err),
		       "%d");
	CHECK_CALL(is_sound(grove));
	PASS();
}

/* Also into the grove that it is from, where everything is there. */
static enum greatest_test_res our_own(uint64_t seed)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported from;
	struct imported to;
	struct forest forest;

	imported_init(&from);
	imported_init(&to);
	grow(&forest, &from.grove, seed);
	CHECK_CALL(is_sound(&from.grove));
	exported_all(&from.grove, "json", &first);
	CHECK_CALL(brings_in(&to, &first, seed));
	ASSERT_EQ(0, (int)loom_import_report(to.import)->lost.count);
	ASSERT_EQ(0, (int)loom_import_report(to.import)->unknown.count);
	CHECK_CALL(brings_in(&from, &first, seed));
	ASSERT_EQ(0, (int)loom_import_report(from.import)->added);
	exported_all(&from.grove, "json", &second);
	CHECK_CALL(same(&first, &second, seed));
	CHECK_CALL(comes_and_goes(&to.grove));
	exported_all(&to.grove, "json", &second);
	exported_bare(&first);
	exported_bare(&second);
	CHECK_CALL(same(&first, &second, seed));
	imported_fini(&from);
	imported_fini(&to);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	PASS();
}

/* The grove's file as it is now, and as it was. */
static void keep_file(struct grove *grove, struct loom_buf *out)
{
	char *path = raw_path(grove);

	loom_store_close(grove->store);
	grove->store = NULL;
	raw_settle(grove);
	loom_buf_clear(out);
	if (!temp_read(path, out))
		exit(1);
	grove_reopen(grove);
	free(path);
}

static void bring_file_back(struct grove *grove, const struct loom_buf *bytes)
{
	char *path = raw_path(grove);
	struct loom_buf beside = LOOM_BUF_INIT(4096);
	FILE *file;

	loom_store_close(grove->store);
	grove->store = NULL;
	raw_settle(grove);
	file = fopen(path, "w");
	if (!file || fwrite(bytes->p, 1, bytes->n, file) != bytes->n || fclose(file))
		exit(1);
	loom_buf_addf(&beside, "%s-wal", path);
	(void)unlink(loom_buf_cstr(&beside));
	grove_reopen(grove);
	loom_buf_fini(&beside);
	free(path);
}

/* What a grove exported is what it is again when it has lost everything since: whose words they
 * are, what was claimed before, each byte. */
static enum greatest_test_res our_own_again(uint64_t seed)
{
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf foreign = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported from;
	struct imported other;
	struct forest forest;

	imported_init(&from);
	imported_init(&other);
	grow(&forest, &other.grove, seed + 1);
	exported_all(&other.grove, "json", &foreign);
	forest = (struct forest){.grove = &from.grove};
	make_agents(&forest);
	keep_file(&from.grove, &before);
	grow_on(&forest, seed);
	CHECK_CALL(brings_in(&from, &foreign, seed));
	exported_all(&from.grove, "json", &first);
	bring_file_back(&from.grove, &before);
	CHECK_CALL(brings_in(&from, &first, seed));
	exported_all(&from.grove, "json", &second);
	CHECK_CALL(same(&first, &second, seed));
	imported_fini(&from);
	imported_fini(&other);
	loom_buf_fini(&before);
	loom_buf_fini(&foreign);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	PASS();
}

/* ---- a file that was changed ---- */

/* One change: a byte, or the value of a member becomes that of another. */
static void change(struct prop *prop, const struct loom_buf *text, struct loom_buf *out)
{
	static const char *const keys[] = {"\"author\":\"", "\"created\":\"", "\"parent\":\"",
					   "\"text\":\"",   "\"hash\":\"",    "\"ulid\":\""};
	const struct loom_str key = loom_str_of(keys[prop_below(prop, LOOM_COUNT(keys))]);
	const size_t end = loom_str_find(loom_buf_str(text), LOOM_STR(",\n\"seal\":"), 0);
	const struct loom_str whole = loom_buf_str(text);
	size_t at = prop_below(prop, end);
	size_t other;

	loom_buf_clear(out);
	if (prop_once_in(prop, 2)) {
		loom_buf_add(out, whole);
		out->p[at] = (char)prop_between(prop, ' ', '~');
		return;
	}
	at = loom_str_find(whole, key, at);
	other = loom_str_find(whole, key, prop_below(prop, end));
	if (at == SIZE_MAX || other == SIZE_MAX) {
		loom_buf_add(out, whole);
		return;
	}
	at += key.n;
	other += key.n;
	loom_buf_add(out, loom_str_sub(whole, 0, at));
	loom_buf_add(out,
		     loom_str_sub(whole, other, loom_str_find_char(whole, '"', other) - other));
	loom_buf_add(out, loom_str_sub(whole, loom_str_find_char(whole, '"', at), whole.n));
}

/* What a line of an export says in a member, with its quotes. */
static struct loom_str member(struct loom_str line, const char *key)
{
	return loom_jval_get(line, key);
}

/* Whether a node stands in an export as it stands in this line. */
static bool stands_in(const struct loom_buf *text, struct loom_str line)
{
	static const char *const keys[] = {"author", "created", "text", "kind"};
	struct loom_str rest = loom_buf_str(text);
	struct loom_str other;

	while (rest.n && loom_str_line(&rest, &other)) {
		bool like = loom_str_starts(other, LOOM_STR("{\"ulid\""));

		for (size_t i = 0; i < LOOM_COUNT(keys) && like; i++)
			like = loom_str_eq(member(line, keys[i]), member(other, keys[i]));
		if (like)
			return true;
	}
	return false;
}

/* Nobody of this grove is the author of anything but what was written here. */
static enum greatest_test_res has_no_word_more(const struct loom_buf *text,
					       const struct loom_buf *honest, uint64_t seed)
{
	struct loom_str rest = loom_buf_str(text);
	struct loom_str line;

	while (rest.n && loom_str_line(&rest, &line)) {
		if (loom_str_ends(line, LOOM_STR(",")))
			line.n--;
		if (!loom_str_starts(line, LOOM_STR("{\"ulid\"")) || !member(line, "hash").n ||
		    member(line, "claim").n || stands_in(honest, line))
			continue;
		fprintf(stderr, "seed %llu: %.*s\n", (unsigned long long)seed, LOOM_STR_ARG(line));
		FAILm("a changed file has put words into somebody's mouth");
	}
	PASS();
}

static enum greatest_test_res changed(uint64_t seed)
{
	enum { CHANGES = 12 };
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf honest = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf forged = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf now = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	struct imported in;
	struct forest forest = {.grove = &in.grove};

	imported_init(&in);
	make_agents(&forest);
	keep_file(&in.grove, &before);
	grow_on(&forest, seed);
	exported_all(&in.grove, "json", &honest);
	for (int i = 0; i < CHANGES; i++) {
		bring_file_back(&in.grove, &before);
		change(&forest.prop, &honest, &forged);
		if (imported_add(&in, "x.json", loom_buf_str(&forged), &err) != LOOM_OK)
			continue;
		exported_all(&in.grove, "json", &now);
		CHECK_CALL(has_no_word_more(&now, &honest, seed));
	}
	imported_fini(&in);
	loom_buf_fini(&before);
	loom_buf_fini(&honest);
	loom_buf_fini(&forged);
	loom_buf_fini(&now);
	PASS();
}

/* The trees that an import has made, without its report. */
static void trees_of(struct imported *in, struct loom_buf *out)
{
	static const char *const reports[] = {"unknown ", "lost ", "repaired ", "secret ",
					      "unseen "};
	struct loom_str rest = loom_str_of(imported_say(in));
	struct loom_str line;

	while (rest.n && loom_str_line(&rest, &line)) {
		bool tree = true;

		for (size_t i = 0; i < LOOM_COUNT(reports); i++)
			tree &= !loom_str_starts(line, loom_str_of(reports[i]));
		if (tree)
			loom_buf_addf(out, "%.*s\n", LOOM_STR_ARG(line));
	}
}

/* Theirs hold less: what came of the first way is what comes of the second. */
static enum greatest_test_res theirs(const char *format, uint64_t seed)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said[2] = {LOOM_BUF_INIT(LOOM_BUF_MAX), LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct imported from;
	struct imported to[2] = {{.import = NULL}, {.import = NULL}};
	struct forest forest;

	imported_init(&from);
	grow(&forest, &from.grove, seed);
	exported_tree(&from.grove, forest.trees[seed % TREES], 0, format, &text);
	for (int i = 0; i < 2; i++)
		imported_init(&to[i]);
	for (int i = 0; i < 2; i++) {
		if (!text.n) /* a tree in which nothing is said */
			break;
		CHECK_CALL(brings_in(&to[i], &text, seed));
		trees_of(&to[i], &said[i]);
		exported_all(&to[i].grove, format, &text);
	}
	CHECK_CALL(same(&said[0], &said[1], seed));
	imported_fini(&from);
	loom_buf_fini(&text);
	for (int i = 0; i < 2; i++) {
		imported_fini(&to[i]);
		loom_buf_fini(&said[i]);
	}
	PASS();
}

TEST any_grove_comes_back_from_our_own_export_as_it_was(void)
{
	struct prop prop;

	prop_init(&prop, "our own export");
	for (int left = prop_times(ROUNDS); left > 0; left--)
		CHECK_CALL(our_own(prop_next(&prop)));
	PASS();
}

TEST any_grove_is_itself_again_when_its_export_comes_back(void)
{
	struct prop prop;

	prop_init(&prop, "our own export, again");
	for (int left = prop_times(ROUNDS); left > 0; left--)
		CHECK_CALL(our_own_again(prop_next(&prop)));
	PASS();
}

TEST no_changed_export_says_that_anybody_here_wrote_what_he_did_not(void)
{
	struct prop prop;
	const int times = prop_times(4);

	prop_init(&prop, "changed exports");
	for (int i = 0; i < times; i++)
		CHECK_CALL(changed(prop_next(&prop)));
	PASS();
}

TEST any_tree_comes_to_rest_in_the_formats_of_others(void)
{
	static const char *const formats[] = {"chatgpt", "pyloom", "jsonl", "loomsidian",
					      "exoloom"};
	struct prop prop;

	prop_init(&prop, "exports for others");
	for (int left = prop_times(ROUNDS); left > 0; left--)
		for (size_t k = 0; k < LOOM_COUNT(formats); k++)
			CHECK_CALL(theirs(formats[k], prop_next(&prop)));
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(any_grove_comes_back_from_our_own_export_as_it_was);
	RUN_TEST(any_grove_is_itself_again_when_its_export_comes_back);
	RUN_TEST(no_changed_export_says_that_anybody_here_wrote_what_he_did_not);
	RUN_TEST(any_tree_comes_to_rest_in_the_formats_of_others);
	GREATEST_MAIN_END();
}
