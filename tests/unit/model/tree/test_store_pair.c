/* Two processes on one grove, step by step in a random order, beside a model in memory: what each
 * of them sees is what was committed, and within its own write what it has done so far. Now and
 * then one of them is killed in the middle. */
#include <greatest.h>

#include <unistd.h>

#include <loom/tree/document.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/prop.h"

/* A run goes on until it has seen enough of each, which chance may take its time for. */
enum { NODES_MAX = 400, STEPS = 700, STEPS_MAX = 20 * STEPS };

enum order_kind { BEGIN, ADD, PRUNE, RESTORE, WRITE, COMMIT, ROLLBACK, LOOK };

struct order {
	enum order_kind kind;
	int64_t node;
	int64_t base;
	int label; /* text of what is made */
};

struct answer {
	enum loom_status status;
	int64_t value;
	size_t length; /* of the picture that follows */
};

/* What a grove holds. */
struct state {
	size_t count;
	struct {
		int64_t id;
		size_t parent;
		int label;
		bool pruned;
	} nodes[NODES_MAX];
	int64_t head;
	int doc_label;
};

struct party {
	struct grove_child child;
	int to;   /* orders */
	int from; /* answers */
	bool writes;
	int64_t base; /* the document's head when it looked last */
};

static struct grove g;
static int64_t tree;
static int64_t doc;

/* --- the child --- */

static void draw(const struct grove *grove, int64_t group, struct loom_buf *out)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_page page = {.limit = 10000, .parts = LOOM_NODE_TEXT};
	struct loom_nodes nodes;

	grove_must(loom_node_children(grove->store, group, &page, grove->arena, &nodes, &err), &err,
		   "children");
	for (size_t i = 0; i < nodes.count; i++) {
		loom_buf_addf(out, "%.*s(", LOOM_STR_ARG(nodes.items[i].text));
		if (nodes.items[i].children)
			draw(grove, nodes.items[i].group, out);
		loom_buf_addc(out, ')');
	}
}

static void draw_all(const struct grove *grove, struct loom_buf *out)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree row;
	struct loom_doc plan;

	grove_must(loom_tree_get(grove->store, tree, grove->arena, &row, &err), &err, "tree");
	grove_must(loom_doc_get(grove->store, doc, true, grove->arena, &plan, &err), &err, "doc");
	draw(grove, row.root, out);
	loom_buf_addf(out, " %lld %.*s", (long long)row.nodes, LOOM_STR_ARG(plan.text));
}

static enum loom_status obey_write(const struct order *order, struct answer *answer,
				   struct loom_err *err)
{
	struct loom_node_spec spec = {.from = order->node, .author = g.owner, .seq = -1};
	struct loom_doc now;
	char text[32];
	bool changed = false;
	enum loom_status status;

	snprintf(text, sizeof text, "%d", order->label);
	spec.text = loom_str_of(text);
	switch ((int)order->kind) {
	case ADD:
		return loom_node_create(g.store, &spec, &answer->value, err);
	case PRUNE:
		return loom_node_prune(g.store, order->node, &answer->value, &changed, err);
	case RESTORE:
		return loom_node_restore(g.store, order->node, &answer->value, &changed, err);
	default:
		status = loom_doc_write(g.store, doc, spec.text, g.owner, order->base, err);
		if (status == LOOM_OK)
			status = loom_doc_get(g.store, doc, false, g.arena, &now, err);
		answer->value = status == LOOM_OK ? now.head : 0;
		return status;
	}
}

static void obey(const struct order *order, struct answer *answer, struct loom_buf *picture)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op_spec spec = {.kind = "x", .actor = g.owner};
	struct loom_doc now;

	*answer = (struct answer){.status = LOOM_OK};
	switch (order->kind) {
	case BEGIN:
		answer->status = loom_op_begin(g.store, &spec, &err);
		break;
	case COMMIT:
		answer->status = loom_op_commit(g.store, NULL, &err);
		break;
	case ROLLBACK:
		loom_op_rollback(g.store);
		break;
	case LOOK:
		draw_all(&g, picture);
		answer->status = loom_doc_get(g.store, doc, false, g.arena, &now, &err);
		answer->value = now.head;
		answer->length = picture->n;
		break;
	case ADD:
	case PRUNE:
	case RESTORE:
	case WRITE:
		answer->status = obey_write(order, answer, &err);
		break;
	}
}

static void serve(int orders, int answers)
{
	struct loom_buf picture = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct order order;
	struct answer answer;

	alarm(100);
	while (read(orders, &order, sizeof order) == (ssize_t)sizeof order) {
		loom_buf_clear(&picture);
		obey(&order, &answer, &picture);
		loom_arena_reset(g.arena);
		if (write(answers, &answer, sizeof answer) != (ssize_t)sizeof answer ||
		    write(answers, picture.p, picture.n) != (ssize_t)picture.n)
			_exit(1);
	}
	_exit(0);
}

/* --- the parent --- */

static void hire(struct party *party)
{
	int orders[2];
	int answers[2];

	if (pipe(orders) != 0 || pipe(answers) != 0)
		exit(99);
	if (!grove_fork(&g, &party->child)) {
		close(orders[1]);
		close(answers[0]);
		serve(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	party->to = orders[1];
	party->from = answers[0];
	party->writes = false;
	party->base = 0;
	grove_child_go(&party->child);
}

static void dismiss(struct party *party)
{
	close(party->to);
	close(party->from);
	grove_child_kill(&party->child);
}

static void read_all(int fd, char *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		if (got <= 0)
			exit(99);
		to += got;
		n -= (size_t)got;
	}
}

static struct answer tell(const struct party *party, const struct order *order,
			  struct loom_buf *picture)
{
	struct answer answer;
	char *bytes = NULL;

	if (write(party->to, order, sizeof *order) != (ssize_t)sizeof *order)
		exit(99);
	read_all(party->from, (char *)&answer, sizeof answer);
	bytes = loom_alloc(answer.length + 1);
	read_all(party->from, bytes, answer.length);
	loom_buf_clear(picture);
	loom_buf_add(picture, loom_str_make(bytes, answer.length));
	free(bytes);
	return answer;
}

static size_t draw_model(const struct state *state, size_t parent, struct loom_buf *out)
{
	size_t nodes = 1;

	for (size_t i = parent + 1; i < state->count; i++) {
		if (state->nodes[i].parent != parent || state->nodes[i].pruned)
			continue;
		loom_buf_addf(out, "%d(", state->nodes[i].label);
		nodes += draw_model(state, i, out);
		loom_buf_addc(out, ')');
	}
	return nodes;
}

static void draw_model_all(const struct state *state, struct loom_buf *out)
{
	size_t nodes;

	loom_buf_clear(out);
	nodes = draw_model(state, 0, out);
	loom_buf_addf(out, " %zu %d", nodes, state->doc_label);
}

static struct order draw_order(struct prop *prop, const struct party *party,
			       const struct state *state, int label)
{
	static const enum order_kind inside[] = {ADD,  ADD,   ADD,    PRUNE,  RESTORE,
						 LOOK, WRITE, COMMIT, COMMIT, ROLLBACK};
	struct order order = {.kind = party->writes           ? inside[prop_below(prop, 10)]
				      : prop_once_in(prop, 3) ? LOOK
							      : BEGIN,
			      .label = label,
			      .base = party->base};
	size_t node = prop_below(prop, state->count);

	if (order.kind == ADD && state->count == NODES_MAX)
		order.kind = LOOK;
	if ((order.kind == PRUNE || order.kind == RESTORE) && node == 0)
		order.kind = LOOK;
	order.node = state->nodes[node].id;
	return order;
}

static size_t index_of(const struct state *state, int64_t id)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->nodes[i].id == id)
			return i;
	return 0;
}

/* What the order does to the writer's own state. */
static enum loom_status follow(struct state *own, const struct order *order,
			       const struct answer *answer)
{
	size_t at = index_of(own, order->node);

	switch ((int)order->kind) {
	case ADD:
		own->nodes[own->count].id = answer->value;
		own->nodes[own->count].parent = at;
		own->nodes[own->count].label = order->label;
		own->nodes[own->count++].pruned = false;
		return LOOM_OK;
	case PRUNE:
		own->nodes[at].pruned = true;
		return LOOM_OK;
	case RESTORE:
		own->nodes[at].pruned = false;
		return LOOM_OK;
	case WRITE:
		if (order->base != own->head)
			return LOOM_CONFLICT;
		own->head = answer->value;
		own->doc_label = order->label;
		return LOOM_OK;
	default:
		return LOOM_OK;
	}
}

TEST each_of_two_processes_sees_what_the_model_says(void)
{
	struct prop prop;
	struct party parties[2];
	static struct state committed;
	static struct state own;
	struct loom_buf seen = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf want = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int killed = 0;
	int conflicts = 0;

	prop_init(&prop, "pair");
	memset(&committed, 0, sizeof committed);
	committed.count = 1;
	committed.nodes[0].id = grove_root(&g, tree);
	committed.head = 1;
	hire(&parties[0]);
	hire(&parties[1]);
	for (int step = 0; step < STEPS || (step < STEPS_MAX && (conflicts <= 3 || killed <= 3));
	     step++) {
		struct party *party = &parties[prop_below(&prop, 2)];
		const struct party *other = &parties[party == &parties[0]];
		const struct state *state = party->writes ? &own : &committed;
		struct order order = draw_order(&prop, party, state, step + 1);
		struct answer answer;

		if (order.kind == BEGIN && other->writes)
			order.kind = LOOK;
		if (prop_once_in(&prop, 60)) {
			/* whatever it had not committed is as if it had never been */
			dismiss(party);
			hire(party);
			killed++;
			continue;
		}
		answer = tell(party, &order, &seen);
		if (order.kind == LOOK) {
			draw_model_all(state, &want);
			ASSERT_STR_EQ(loom_buf_cstr(&want), loom_buf_cstr(&seen));
			party->base = answer.value;
		} else if (order.kind == BEGIN) {
			own = committed;
			party->writes = true;
		} else if (order.kind == COMMIT || order.kind == ROLLBACK) {
			if (order.kind == COMMIT)
				committed = own;
			party->writes = false;
		} else {
			enum loom_status expected = follow(&own, &order, &answer);

			conflicts += expected == LOOM_CONFLICT;
			ASSERT_STR_EQ(loom_status_code(expected), loom_status_code(answer.status));
			continue;
		}
		ASSERT_STR_EQ("OK", loom_status_code(answer.status));
	}
	dismiss(&parties[0]);
	dismiss(&parties[1]);
	loom_buf_clear(&seen);
	draw_all(&g, &seen);
	draw_model_all(&committed, &want);
	ASSERT_STR_EQ(loom_buf_cstr(&want), loom_buf_cstr(&seen));
	printf("%zu nodes, %d conflicts, %d killed\n", committed.count, conflicts, killed);
	ASSERT(committed.count > 20 && conflicts > 3 && killed > 3);
	loom_buf_fini(&seen);
	loom_buf_fini(&want);
	PASS();
}

SUITE(store_pair)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	grove_begin(&g, "doc");
	grove_must(loom_doc_create(g.store, LOOM_STR("plan"), LOOM_STR("0"), g.owner, &doc, &err),
		   &err, "doc");
	grove_commit(&g);
	RUN_TEST(each_of_two_processes_sees_what_the_model_says);
	grove_fini(&g);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(store_pair);
	GREATEST_MAIN_END();
}
