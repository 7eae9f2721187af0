/* The table of what is shared, mine and passing. A test holds it against the schema: every column
 * of every table stands here once. */
#include <loom/remote/classes.h>

#define ADD    MODEL_MAY_ADD
#define CHANGE MODEL_MAY_CHANGE
#define REMOVE MODEL_MAY_REMOVE
#define ALL    (ADD | CHANGE | REMOVE)

/* Only what a long write that died has left behind may be removed. */
#define DEAD_OP(from)                                                                              \
	"SELECT 1 FROM " from " JOIN op o ON o.id = x.op AND o.state = 3 WHERE x.id = ?1"
#define DEAD_NODE "SELECT 1 FROM node n JOIN op o ON o.id = n.op AND o.state = 3 WHERE n.id = "
#define ALWAYS    "SELECT 1"

/* clang-format off */
const struct model_class model_classes[] = {
	{"grove", CHANGE, MODEL_FREE, 1,
	 "id owner *last_node *last_tree *gone_nodes *gone_trees", "current_tree",
	 "ulid created shared", NULL},
	{"op", ADD | CHANGE, MODEL_ABOVE, 1,
	 "id *uid *state kind *text inverse actor thread tree at *applied", NULL, "session", NULL},
	{"agent", ALL, MODEL_ABOVE, 1,
	 "id op ulid *name kind *model *sampling *aware created *ver claim origin said", NULL, NULL,
	 DEAD_OP("agent x")},
	{"tree", ALL, MODEL_ABOVE, 1,
	 "id op ulid mode key *root *title *description *summary *system *subject *nodes *leaves "
	 "*branches *next_num *next_note created *active *ver", NULL, NULL, DEAD_OP("tree x")},
	{"node", ALL, MODEL_ABOVE, 1,
	 "id ulid tree num prime kind grp ^parent ^ord depth jump ^from_node edited_from op author "
	 "thread seq created *children bytes", NULL, NULL, DEAD_OP("node x")},
	{"body", ADD | REMOVE, MODEL_FREE, 1, "id text hash parents raw_hash original extra",
	 NULL, NULL, DEAD_NODE "?1"},
	{"generation", ADD | REMOVE, MODEL_FREE, 1, "id record raw raw_bytes", NULL, NULL,
	 DEAD_NODE "?1"},
	{"source", ADD | REMOVE, MODEL_FREE, 2, "node ord source", NULL, NULL, DEAD_NODE "?1"},
	{"mark", ALL, MODEL_FREE, 1,
	 "id tree *bookmark *label *pruned *excluded *summary *summary_extract *ver", NULL, NULL,
	 DEAD_NODE "?1"},
	{"tag", ALL, MODEL_ABOVE, 1, "id node name *live *ver", NULL, NULL,
	 DEAD_NODE "(SELECT node FROM tag WHERE id = ?1)"},
	{"link", ADD | CHANGE, MODEL_ABOVE, 1,
	 "id op from_node kind to_node to_doc to_tree section note author created *live *ver",
	 NULL, NULL, NULL},
	{"doc", ADD | CHANGE, MODEL_ABOVE, 1, "id op ulid *name *head *summary created *ver", NULL,
	 NULL, NULL},
	{"docver", ADD, MODEL_ABOVE, 1, "id doc n op author at words text hash", NULL, NULL, NULL},
	{"op_change", ADD | CHANGE, MODEL_NEXT, 2, "op seq field target *before *after", NULL, NULL,
	 NULL},
	{"op_needs", ADD, MODEL_FREE, 2, "needs op", NULL, NULL, NULL},
	{"event", ADD, MODEL_NEXT, 1, "seq op act actor at", NULL, NULL, NULL},
	{"thread", ADD | CHANGE, MODEL_ABOVE, 1, "id name *agent implicit created",
	 "tree position active ver", NULL, NULL},
	{"choice", MODEL_OWN, MODEL_FREE, 2, "thread grp", "member", NULL, NULL},
	{"visited", MODEL_OWN, MODEL_FREE, 2, "thread grp", "child", NULL, NULL},
	{"place", MODEL_OWN, MODEL_FREE, 1, "agent", "tree", NULL, NULL},
	{"pin", ADD | CHANGE, MODEL_ABOVE, 1,
	 "id thread kind node doc section result text *live *ver", NULL, NULL, NULL},
	{"stash", ADD | CHANGE, MODEL_ABOVE, 1,
	 "id thread label text summary *recalled *live created *ver", NULL, NULL, NULL},
	{"log", ADD, MODEL_NEXT, 2,
	 "thread seq kind lane operation anchor op_uid at payload refs", NULL, NULL, NULL},
	{"part", ADD, MODEL_FREE, 1, "hash body", NULL, NULL, NULL},
	{"run", ADD | CHANGE, MODEL_FREE, 1, "thread *pending *run *queue", NULL, "session", NULL},
	{"run_record", ADD, MODEL_ABOVE, 1, "id thread at record", NULL, NULL, NULL},
	{"job", ADD | REMOVE, MODEL_ABOVE, 1, "id kind target at", NULL, "state=0 session", ALWAYS},
	{"proposal", ADD | CHANGE, MODEL_ABOVE, 1,
	 "id hash agent *list *state *decided_by at person", NULL, "session=''", NULL},
	{"summed", ADD | REMOVE, MODEL_ABOVE, 1, "seq kind target extract", NULL, NULL, ALWAYS},
	{"member", ADD | CHANGE, MODEL_ABOVE, 1, "id op role agent may by since *live *key *ver",
	 NULL, NULL, NULL},
	{"lease", 0, MODEL_FREE, 1, NULL, NULL, "id tree grp last_node agent session", NULL},
	{"stream", 0, MODEL_FREE, 1, NULL, NULL,
	 "id tree from_node num agent thread session record started", NULL},
	{"stream_chunk", 0, MODEL_FREE, 2, NULL, NULL, "stream n text", NULL},
	{"fetched", 0, MODEL_FREE, 1, NULL, NULL, "id project session url at type body", NULL},
	{"request", 0, MODEL_FREE, 1, NULL, NULL, "uid words inputs op at answer json found", NULL},
	{"kept", 0, MODEL_FREE, 1, NULL, NULL, "id op kind name bytes now", NULL},
	{"epoch", 0, MODEL_FREE, 1, NULL, NULL, "id mark", NULL},
	{"remote", 0, MODEL_FREE, 1, NULL, NULL, "id url seq chain", NULL},
	{"remote_mine", 0, MODEL_FREE, 2, NULL, NULL, "class row", NULL},
	{"remote_void", 0, MODEL_FREE, 1, NULL, NULL, "seq at why", NULL},
	{"hung", ALL, MODEL_FREE, 1, "id tree depth born born_from *place *ver", NULL, NULL,
	 DEAD_NODE "?1"},
	{"seam", ALL, MODEL_FREE, 1, "id skip put cut *live *ver", NULL, NULL, DEAD_NODE "?1"},
};
/* clang-format on */

const size_t model_class_count = LOOM_COUNT(model_classes);

static size_t read_columns(const char *list, size_t from, struct model_shape *out)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str word;

	while (rest.n && loom_str_cut(&rest, ' ', &word)) {
		LOOM_ASSERT(from < MODEL_COLUMNS_MAX && word.n);
		if (word.p[0] == '*' || word.p[0] == '^') {
			out->changing |= UINT64_C(1) << from;
			out->late |= word.p[0] == '^' ? UINT64_C(1) << from : 0;
			word = loom_str_sub(word, 1, word.n);
		}
		out->column[from++] = word;
		if (!rest.p)
			break;
	}
	return from;
}

void model_shape_of(const struct model_class *class, struct model_shape *out)
{
	*out = (struct model_shape){.class = class};
	out->shared = read_columns(class->shared, 0, out);
	out->all = read_columns(class->mine, out->shared, out);
	LOOM_ASSERT(out->shared >= class->keys || !class->shared);
}
