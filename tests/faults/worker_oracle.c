/* The oracle over what worker_store.c acknowledged. It remembers in DIR/looked-at how far it has
 * read, and looks at all of it again every 100th round. */
#include "worker.h"

#include <loom/base/hash.h>
#include <loom/tree/open_store.h>
#include <loom/work/stream.h>

#include "support/temp.h"

#define VERSION_NAME 32 /* bytes: the operation's id, as digits */

struct oracle {
	struct bench bench;
	struct loom_str acked;
	struct loom_arena *kept; /* while it looks: a line's own arena is emptied behind it */
	struct loom_str
		*versions; /* how each of the document's begins, sorted; NULL: not read yet */
	size_t version_count;
	int wrong;
};

static void complain(struct oracle *oracle, struct loom_str line, const char *why)
{
	if (oracle->wrong++ < 20)
		printf("not so: %.*s: %s\n", (int)(line.n < 200 ? line.n : 200), line.p, why);
}

static int64_t number_of(struct loom_str word)
{
	int64_t n = -1;

	return loom_str_to_i64(word, &n) ? n : -1;
}

/* The operation, 0 when it is not there or not done; it may be undone where that was announced. */
static int64_t find_op(struct oracle *oracle, struct loom_str hex, struct loom_str line)
{
	struct bench *bench = &oracle->bench;
	struct loom_op_id id;
	struct loom_op row;
	char wanted[48];
	int64_t op = 0;

	if (!loom_unhex(hex, id.bytes, sizeof id.bytes) ||
	    loom_op_by_id(bench->store, &id, &op, &bench->err) || !op) {
		complain(oracle, line, "the operation is not there");
		return 0;
	}
	if (loom_op_get(bench->store, op, bench->arena, &row, &bench->err)) {
		complain(oracle, line, bench->err.text);
		return 0;
	}
	if (row.state == LOOM_OP_DONE)
		return op;
	snprintf(wanted, sizeof wanted, "? %.*s", LOOM_STR_ARG(hex));
	if (row.state != LOOM_OP_UNDONE ||
	    loom_str_find(oracle->acked, loom_str_of(wanted), 0) == SIZE_MAX)
		complain(oracle, line, "the operation is not done");
	return 0;
}

static void look_at_nodes(struct oracle *oracle, struct loom_str line, struct loom_str rest)
{
	struct bench *bench = &oracle->bench;
	struct loom_str hex;
	struct loom_str word;
	int64_t op;

	(void)loom_str_cut(&rest, ' ', &hex);
	op = find_op(oracle, hex, line);
	while (op && loom_str_cut(&rest, ',', &word)) {
		struct loom_node node;

		if (loom_node_get(bench->store, number_of(word), LOOM_NODE_TEXT, bench->arena,
				  &node, &bench->err))
			complain(oracle, line, "a node is not there");
		else if (node.op != op || node.text.n != node.bytes ||
			 !loom_str_starts(node.text, hex))
			complain(oracle, line, "a node is not whole");
	}
}

static int by_text(const void *a, const void *b)
{
	return loom_str_cmp(*(const struct loom_str *)a, *(const struct loom_str *)b);
}

/* Once a look: a history for each line would take the square of them. */
static bool read_versions(struct oracle *oracle)
{
	struct bench *bench = &oracle->bench;
	struct loom_doc *history = NULL;
	struct loom_doc one;
	size_t count = 0;

	if (oracle->versions)
		return true;
	if (loom_doc_history(bench->store, bench->doc, oracle->kept, &history, &count, &bench->err))
		return false;
	oracle->versions = LOOM_ARENA_ARRAY(oracle->kept, count + 1, struct loom_str);
	for (size_t i = 0; i < count; i++)
		if (!loom_doc_version(bench->store, history[i].head, bench->arena, &one,
				      &bench->err))
			oracle->versions[oracle->version_count++] =
				loom_arena_str(oracle->kept,
					       loom_str_sub(one.text, 2, VERSION_NAME));
	qsort(oracle->versions, oracle->version_count, sizeof *oracle->versions, by_text);
	return true;
}

static void look_at_doc(struct oracle *oracle, struct loom_str line, struct loom_str hex)
{
	if (!find_op(oracle, hex, line))
		return;
	if (!read_versions(oracle))
		complain(oracle, line, oracle->bench.err.text);
	else if (hex.n != VERSION_NAME ||
		 !bsearch(&hex, oracle->versions, oracle->version_count, sizeof hex, by_text))
		complain(oracle, line, "the document has no such version");
}

static void look_at_undo(struct oracle *oracle, struct loom_str line, struct loom_str hex)
{
	struct bench *bench = &oracle->bench;
	struct loom_op_id id;
	struct loom_op row;
	int64_t op = 0;

	if (!loom_unhex(hex, id.bytes, sizeof id.bytes) ||
	    loom_op_by_id(bench->store, &id, &op, &bench->err) ||
	    loom_op_get(bench->store, op, bench->arena, &row, &bench->err) ||
	    row.state != LOOM_OP_UNDONE)
		complain(oracle, line, "the operation is not undone");
}

static void look_at_stream(struct oracle *oracle, struct loom_str line, struct loom_str rest)
{
	struct bench *bench = &oracle->bench;
	struct loom_str words[3];
	struct loom_tree tree;
	struct loom_node node;
	struct loom_local local = {0};
	char name[LOOM_LOCAL_MAX];

	for (size_t i = 0; i < 3; i++)
		(void)loom_str_cut(&rest, ' ', &words[i]);
	local.num = number_of(words[1]);
	if (loom_tree_get(bench->store, number_of(words[0]), bench->arena, &tree, &bench->err)) {
		complain(oracle, line, bench->err.text);
		return;
	}
	loom_local_text(tree.key, local, name);
	if (loom_node_find(bench->store, tree.id, loom_str_of(name), bench->arena, &node,
			   &bench->err))
		complain(oracle, line, "the stream became no node");
	else if ((int64_t)node.text.n < number_of(words[2]) || !loom_str_starts(node.text, rest))
		complain(oracle, line, "the stream lost text");
}

static void look_at_draft(struct oracle *oracle, struct loom_str line, struct loom_str rest)
{
	struct bench *bench = &oracle->bench;
	struct loom_str id;
	struct loom_draft row;

	(void)loom_str_cut(&rest, ' ', &id);
	if (loom_draft_get(bench->store, id, bench->arena, &row, &bench->err) ||
	    (int64_t)row.text.n != number_of(rest))
		complain(oracle, line, "the draft is not there whole");
}

static void look_at_position(struct oracle *oracle, struct loom_str line, struct loom_str rest)
{
	struct bench *bench = &oracle->bench;
	struct loom_str id;
	struct loom_thread row;

	(void)loom_str_cut(&rest, ' ', &id);
	if (loom_thread_get(bench->store, number_of(id), bench->arena, &row, &bench->err) ||
	    row.position < number_of(rest))
		complain(oracle, line, "the thread does not stand there");
}

static void look_at(struct oracle *oracle, struct loom_str line)
{
	struct loom_str rest = loom_str_sub(line, 2, line.n);

	switch (line.n ? line.p[0] : 0) {
	case 'n':
		look_at_nodes(oracle, line, rest);
		break;
	case 'd':
		look_at_doc(oracle, line, rest);
		break;
	case 'm':
		(void)find_op(oracle, rest, line);
		break;
	case 'u':
		look_at_undo(oracle, line, rest);
		break;
	case 's':
		look_at_stream(oracle, line, rest);
		break;
	case 'f':
		look_at_draft(oracle, line, rest);
		break;
	case 'p':
		look_at_position(oracle, line, rest);
		break;
	default:
		break;
	}
	loom_arena_reset(oracle->bench.arena);
}

static void print_finding(void *ctx, struct loom_str finding)
{
	(void)ctx;
	printf("check: %.*s\n", LOOM_STR_ARG(finding));
}

static void check_grove(struct oracle *oracle, bool deep)
{
	struct bench *bench = &oracle->bench;
	struct loom_check_opts opts = {.deep = deep, .finding = print_finding};
	int64_t swept = 0;
	int64_t findings = 0;

	if (loom_stream_sweep(bench->store, &swept, &bench->err) ||
	    loom_store_check(bench->store, &opts, &findings, &bench->err)) {
		printf("check: %s\n", bench->err.text);
		oracle->wrong++;
	}
	oracle->wrong += findings != 0;
}

/* Where the last look ended; 0 when all is to be looked at. */
static size_t read_mark(const char *path, bool all)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	uint64_t at = 0;

	if (!all && temp_read(path, &text))
		(void)loom_str_to_u64(loom_buf_str(&text), &at);
	loom_buf_fini(&text);
	return (size_t)at;
}

static void write_mark(const char *path, size_t at)
{
	FILE *file = fopen(path, "we");

	if (file) {
		fprintf(file, "%zu", at);
		(void)fclose(file);
	}
}

int worker_check(const char *dir)
{
	struct oracle oracle = {0};
	struct loom_buf acked = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest = {0};
	struct loom_str line;
	const char *list = getenv("LOOM_ACKED");
	const char *round = getenv("LOOM_ROUND");
	long number = round ? strtol(round, NULL, 10) : 0;
	char path[4096];

	snprintf(path, sizeof path, "%s/looked-at", dir);
	if (!worker_open(&oracle.bench, dir, LOOM_WRITE)) {
		printf("open: %s\n", oracle.bench.err.text);
		return 1;
	}
	oracle.kept = loom_arena_create();
	check_grove(&oracle, number % 25 == 0);
	if (list && temp_read(list, &acked)) {
		oracle.acked = loom_buf_str(&acked);
		rest = loom_str_sub(oracle.acked, read_mark(path, number % 100 == 99), acked.n);
	}
	while (loom_str_line(&rest, &line))
		look_at(&oracle, line);
	write_mark(path, acked.n);
	loom_arena_destroy(oracle.kept);
	worker_close(&oracle.bench);
	loom_buf_fini(&acked);
	return oracle.wrong ? 1 : 0;
}
