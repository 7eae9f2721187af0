/* Many writers and readers on one grove at once.
 *
 *   writers [--writers N] [--readers N] [--ops N] [--seed S]
 *
 * Each writer answers, edits and marks, and every third time writes the one document on the base
 * that it has just read. All of them write down what they were told; afterwards:
 *   - every answered operation is there, once, and nothing else;
 *   - of all attempts on one base exactly one went through, and every other was a CONFLICT;
 *   - each version of the document was written on the one before it;
 *   - nobody saw a raw error, nobody waited more than three seconds;
 *   - readers saw only whole moments: counters that fit, feeds without gaps.
 * Exit status: 0 all so; 1 not; 2 wrong usage. */
#include <getopt.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/tree/agent.h>
#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/text/sections.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/prop.h"
#include "support/temp.h"

enum { WRITERS_MAX = 32, WAIT_MAX_MS = 3000 };

enum kind { RESPOND, MARK, WRITE_DOC };

/* What one attempt came to. */
struct attempt {
	enum kind kind;
	enum loom_status status;
	int64_t base; /* of a document's write */
	int64_t made; /* node or version */
	int64_t op;
	int64_t wait_us;
};

struct shared {
	_Atomic int go;
	_Atomic int done; /* writers that have ended */
	_Atomic int wrong;
	_Atomic long reads;
	struct attempt attempts[];
};

struct run {
	struct loom_env env;
	const char *dir;
	long writers;
	long readers;
	long ops;
	struct prop prop; /* from which each writer has a seed of its own */
	struct shared *shared;
	struct loom_store *store;
	struct loom_arena *arena;
	struct loom_err err;
	int64_t root;
	int64_t tree;
	int64_t doc;
};

static const char *var(void *ctx, const char *name)
{
	const struct run *run = ctx;

	return !strncmp(name, "XDG_", 4) || !strcmp(name, "HOME") ? run->dir : NULL;
}

static void complain(struct run *run, const char *what)
{
	if (run->shared->wrong++ < 20)
		printf("writers: %s: %s\n", what, run->err.text);
}

static bool open_store(struct run *run, enum loom_access access)
{
	run->arena = loom_arena_create();
	return loom_store_open(&run->env, loom_str_of(run->dir), access, &run->store, &run->err) ==
	       LOOM_OK;
}

static bool prepare(struct run *run)
{
	struct loom_op_spec op = {.kind = "new", .actor = 1};
	struct loom_tree_spec spec = {.title = LOOM_STR_INIT("t"), .author = 1};
	struct loom_tree tree = {0};
	enum loom_status status = loom_grove_init(&run->env, loom_str_of(run->dir), &run->err);

	if (status != LOOM_OK || !open_store(run, LOOM_WRITE))
		return false;
	status = loom_op_begin(run->store, &op, &run->err);
	if (status == LOOM_OK)
		status = loom_tree_create(run->store, &spec, &run->tree, &run->err);
	if (status == LOOM_OK)
		status = loom_doc_create(run->store, LOOM_STR("plan"), LOOM_STR("0"), 1, &run->doc,
					 &run->err);
	status = loom_op_end(run->store, status, NULL, &run->err);
	if (status == LOOM_OK)
		status = loom_tree_get(run->store, run->tree, run->arena, &tree, &run->err);
	run->root = tree.root;
	loom_store_close(run->store);
	loom_arena_destroy(run->arena);
	return status == LOOM_OK;
}

/* --- writing --- */

static enum loom_status write_doc(struct run *run, struct attempt *attempt, long index)
{
	struct loom_doc now = {0};
	char text[64];
	enum loom_status status;

	snprintf(text, sizeof text, "by %ld on %lld", index, (long long)attempt->base);
	status = loom_doc_write(run->store, run->doc, loom_str_of(text), 1, attempt->base,
				&run->err);
	if (status == LOOM_OK)
		status = loom_doc_get(run->store, run->doc, false, run->arena, &now, &run->err);
	attempt->made = now.head;
	return status;
}

static enum loom_status change(struct run *run, struct attempt *attempt, long index,
			       struct prop *prop)
{
	struct loom_node_spec spec = {.from = run->root, .author = 1, .seq = -1};
	char text[64];
	bool changed = false;

	snprintf(text, sizeof text, "%ld-%llu", index, (unsigned long long)prop_next(prop));
	spec.text = loom_str_of(text);
	switch (attempt->kind) {
	case RESPOND:
		return loom_node_create(run->store, &spec, &attempt->made, &run->err);
	case MARK:
		return loom_tag_set(run->store, run->root, loom_str_of(text), true, &changed,
				    &run->err);
	case WRITE_DOC:
		break;
	}
	return write_doc(run, attempt, index);
}

static void attempt_once(struct run *run, struct attempt *attempt, long index, struct prop *prop)
{
	struct loom_op_spec spec = {.kind = "x", .actor = 1};
	struct loom_doc now;
	int64_t start;

	attempt->kind = (enum kind)prop_below(prop, 3);
	if (attempt->kind == WRITE_DOC) {
		if (loom_doc_get(run->store, run->doc, false, run->arena, &now, &run->err))
			complain(run, "reading the document");
		attempt->base = now.head;
		/* somebody else may come between */
		if (prop_once_in(prop, 2))
			usleep((useconds_t)prop_below(prop, 2000));
	}
	start = clock_ns();
	attempt->status = loom_op_begin(run->store, &spec, &run->err);
	attempt->wait_us = (clock_ns() - start) / 1000;
	if (attempt->status == LOOM_OK)
		attempt->status = loom_op_end(run->store, change(run, attempt, index, prop),
					      &attempt->op, &run->err);
	if (attempt->status != LOOM_OK &&
	    (attempt->status != LOOM_CONFLICT || attempt->kind != WRITE_DOC))
		complain(run, "a write was refused");
	loom_arena_reset(run->arena);
}

static int writer(struct run *run, long index, uint64_t seed)
{
	struct prop prop;

	prop_init_seed(&prop, seed);
	if (!open_store(run, LOOM_WRITE)) {
		complain(run, "opening");
		return 1;
	}
	while (!run->shared->go)
		usleep(500);
	for (long i = 0; i < run->ops; i++)
		attempt_once(run, &run->shared->attempts[index * run->ops + i], index, &prop);
	loom_store_close(run->store);
	loom_arena_destroy(run->arena);
	run->shared->done++;
	return 0;
}

/* --- reading --- */

/* One moment: what hangs below the root is what the counters say, and the feed goes on. */
static bool look_once(struct run *run, int64_t *last)
{
	struct loom_tree tree;
	struct loom_count count;
	struct loom_doc doc;
	struct loom_event *events = NULL;
	size_t heard = 0;
	int64_t newest = 0;
	enum loom_status status = loom_store_view(run->store, &run->err);

	if (status == LOOM_OK)
		status = loom_tree_get(run->store, run->tree, run->arena, &tree, &run->err);
	if (status == LOOM_OK)
		status = loom_node_subtree(run->store, run->root, &count, &run->err);
	if (status == LOOM_OK)
		status = loom_doc_get(run->store, run->doc, true, run->arena, &doc, &run->err);
	if (status == LOOM_OK)
		status = loom_events_last(run->store, &newest, &run->err);
	if (status == LOOM_OK)
		status = loom_events_since(run->store, *last, 1000000, run->arena, &events, &heard,
					   &run->err);
	loom_store_unview(run->store);
	if (status != LOOM_OK)
		return false;
	for (size_t i = 0; i < heard; i++)
		if (events[i].seq != *last + 1 + (int64_t)i)
			return false;
	*last += (int64_t)heard;
	return *last == newest && tree.nodes == count.nodes && tree.leaves == count.leaves &&
	       tree.branches == count.branches && doc.head == doc.version &&
	       doc.words == loom_word_count(doc.text);
}

static int reader(struct run *run)
{
	int64_t last = 0;

	if (!open_store(run, LOOM_READ)) {
		complain(run, "opening to read");
		return 1;
	}
	while (run->shared->done < run->writers) {
		if (!look_once(run, &last))
			complain(run, "a reader saw half a moment");
		loom_arena_reset(run->arena);
		run->shared->reads++;
		usleep(2000);
	}
	loom_store_close(run->store);
	loom_arena_destroy(run->arena);
	return 0;
}

/* --- the oracle --- */

static int by_base(const void *a, const void *b)
{
	const struct attempt *x = a;
	const struct attempt *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

static int by_wait(const void *a, const void *b)
{
	const struct attempt *x = a;
	const struct attempt *y = b;

	return (x->wait_us > y->wait_us) - (x->wait_us < y->wait_us);
}

/* Of all attempts on one base one is done; the version it made is the next one. */
static void judge_conflicts(struct run *run, struct attempt *docs, size_t count)
{
	long conflicts = 0;
	long expected = 0;
	int64_t versions = 1;

	qsort(docs, count, sizeof *docs, by_base);
	for (size_t i = 0; i < count;) {
		size_t end = i;
		long done = 0;

		for (; end < count && docs[end].base == docs[i].base; end++) {
			done += docs[end].status == LOOM_OK;
			conflicts += docs[end].status == LOOM_CONFLICT;
			if (docs[end].status == LOOM_OK && docs[end].made != docs[end].base + 1)
				complain(run, "a version was not written on the one before it");
		}
		expected += (long)(end - i) - 1;
		versions += done;
		if (done != 1)
			complain(run, "not exactly one write on one base went through");
		i = end;
	}
	if (conflicts != expected)
		complain(run, "there are not as many conflicts as there should be");
	printf("writers: %zu document writes, %ld conflicts, as many as the oracle says: %s\n",
	       count, conflicts, conflicts == expected ? "yes" : "NO");
	{
		struct loom_doc now;

		if (loom_doc_get(run->store, run->doc, false, run->arena, &now, &run->err) ||
		    now.version != versions)
			complain(run, "the document has another number of versions");
	}
}

static void judge_work(struct run *run, const struct attempt *attempts, size_t count)
{
	struct loom_tree tree;
	int64_t newest = 0;
	int64_t nodes = 1;
	int64_t events = 1; /* the first made tree and document */

	for (size_t i = 0; i < count; i++) {
		struct loom_node node;

		events += attempts[i].op != 0;
		if (attempts[i].kind != RESPOND || attempts[i].status != LOOM_OK)
			continue;
		nodes++;
		if (loom_node_get(run->store, attempts[i].made, LOOM_NODE_TEXT, run->arena, &node,
				  &run->err) ||
		    node.op != attempts[i].op)
			complain(run, "an answer is lost");
	}
	if (loom_tree_get(run->store, run->tree, run->arena, &tree, &run->err) ||
	    tree.nodes != nodes)
		complain(run, "the tree has another number of nodes");
	if (loom_events_last(run->store, &newest, &run->err) || newest != events)
		complain(run, "the feed has another number of events");
}

static double milliseconds(const struct attempt *attempt)
{
	return (double)attempt->wait_us / 1000;
}

static void judge_waits(struct run *run, struct attempt *attempts, size_t count)
{
	double p99;
	double worst;

	qsort(attempts, count, sizeof *attempts, by_wait);
	p99 = milliseconds(&attempts[count * 99 / 100]);
	worst = milliseconds(&attempts[count - 1]);
	printf("writers: wait p50 %.1f ms, p99 %.1f ms, worst %.1f ms of %d\n",
	       milliseconds(&attempts[count / 2]), p99, worst, WAIT_MAX_MS);
	if (worst > WAIT_MAX_MS)
		complain(run, "somebody waited too long");
}

static void judge(struct run *run)
{
	size_t count = (size_t)(run->writers * run->ops);
	struct attempt *docs = loom_alloc(count * sizeof *docs);
	struct loom_check_opts deep = {.deep = true};
	int64_t findings = 0;
	size_t written = 0;

	for (size_t i = 0; i < count; i++)
		if (run->shared->attempts[i].kind == WRITE_DOC)
			docs[written++] = run->shared->attempts[i];
	if (!open_store(run, LOOM_WRITE)) {
		complain(run, "opening again");
		free(docs);
		return;
	}
	judge_conflicts(run, docs, written);
	judge_work(run, run->shared->attempts, count);
	judge_waits(run, run->shared->attempts, count);
	if (loom_store_check(run->store, &deep, &findings, &run->err) || findings)
		complain(run, "the check finds something");
	loom_store_close(run->store);
	loom_arena_destroy(run->arena);
	free(docs);
}

static bool parse_options(int argc, char **argv, struct run *run)
{
	static const struct option OPTIONS[] = {
		{"writers", required_argument, NULL, 'w'},
		{"readers", required_argument, NULL, 'r'},
		{"ops", required_argument, NULL, 'o'},
		{"seed", required_argument, NULL, 'x'},
		{NULL, 0, NULL, 0},
	};
	int option = 0;

	while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
		long n = optarg ? strtol(optarg, NULL, 10) : 0;

		if (option == 'w')
			run->writers = n;
		else if (option == 'r')
			run->readers = n;
		else if (option == 'o')
			run->ops = n;
		else if (option == 'x')
			(void)setenv("LOOM_TEST_SEED", optarg, 1);
		else
			return false;
	}
	return run->writers > 0 && run->writers + run->readers <= WRITERS_MAX && run->ops > 0;
}

static void start_all(struct run *run, pid_t *pids)
{
	fflush(NULL);
	for (long i = 0; i < run->writers + run->readers; i++) {
		uint64_t seed = prop_next(&run->prop);

		pids[i] = fork();
		if (pids[i] == 0) {
			int status = i < run->writers ? writer(run, i, seed) : reader(run);

			fflush(NULL);
			_exit(status);
		}
	}
	run->shared->go = 1;
}

static void await_all(struct run *run, const pid_t *pids)
{
	for (long i = 0; i < run->writers + run->readers; i++) {
		int status = 0;

		(void)waitpid(pids[i], &status, 0);
		if (status == 0)
			continue;
		run->shared->wrong++;
		run->shared->done += i < run->writers;
		printf("writers: a process ended with wait status 0x%x\n", (unsigned)status);
	}
}

int main(int argc, char **argv)
{
	struct run run = {.writers = 8, .readers = 4, .ops = 150};
	pid_t pids[WRITERS_MAX];
	struct temp temp;
	int64_t start;
	int wrong;

	if (!parse_options(argc, argv, &run)) {
		fputs("usage: writers [--writers N] [--readers N] [--ops N] [--seed S]\n", stderr);
		return 2;
	}
	prop_init(&run.prop, "writers");
	temp_init(&temp);
	run.dir = temp.path;
	run.env.var = var;
	run.env.ctx = &run;
	run.shared =
		mmap(NULL,
		     sizeof *run.shared + (size_t)(run.writers * run.ops) * sizeof(struct attempt),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.shared == MAP_FAILED || !prepare(&run)) {
		fprintf(stderr, "writers: %s\n", run.err.text);
		return 2;
	}
	start = clock_ms();
	start_all(&run, pids);
	await_all(&run, pids);
	printf("writers: %ld writers x %ld, %ld readers looked %ld times, %.1f s\n", run.writers,
	       run.ops, run.readers, run.shared->reads, (double)(clock_ms() - start) / 1000);
	judge(&run);
	wrong = run.shared->wrong;
	printf("writers: %s\n", wrong ? "NOT FINE" : "nothing lost");
	temp_fini(&temp);
	return wrong ? 1 : 0;
}
