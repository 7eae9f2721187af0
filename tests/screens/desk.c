#include "screens/desk.h"

#include <loom/tree/mark.h>
#include <loom/work/thread.h>

int64_t desk_add(struct desk *desk, int64_t from, bool by_model, const char *text)
{
	struct grove *grove = &desk->grove;
	struct loom_err err;
	struct loom_node_spec spec = {
		.tree = desk->tree,
		.from = from,
		.kind = LOOM_CONTINUATION,
		.text = loom_str_of(text),
		.author = by_model ? grove->model : grove->owner,
		.seq = -1,
	};
	int64_t node = 0;

	grove_begin_by(grove, spec.author, "respond");
	grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
	grove_commit(grove);
	if (desk->count < LOOM_COUNT(desk->nodes))
		desk->nodes[desk->count++] = node;
	return node;
}

static void add_chain(struct desk *desk, int64_t from)
{
	char text[100];

	for (int i = 1; i <= 14; i++) {
		snprintf(text, sizeof text,
			 "Step %d of a talk in which nobody says what they mean.", i);
		from = desk_add(desk, from, i % 2 == 0, text);
	}
}

void desk_init(struct desk *desk, enum loom_mode mode)
{
	struct loom_tree_spec spec = {
		.mode = mode,
		.title = LOOM_STR("Marie"),
		.root_text =
			LOOM_STR("The house at the end of the lane had been empty for years. "),
	};
	struct grove *grove = &desk->grove;
	struct loom_err err;
	bool changed;
	int64_t second;

	*desk = (struct desk){.count = 0};
	grove_init(grove);
	spec.author = grove->owner;
	grove_begin(grove, "new");
	grove_must(loom_tree_create(grove->store, &spec, &desk->tree, &err), &err, "tree");
	grove_commit(grove);
	desk->nodes[desk->count++] = grove_root(grove, desk->tree);
	desk_add(desk, desk->nodes[0], true,
		 "Marie's reluctance to open the door was not fear. She had decided what she would "
		 "find there.\n\nIt was the smell: dust, and under it something *sweet*. ");
	desk_add(desk, desk->nodes[1], true, "Building on the childhood, she knocks twice. ");
	second =
		desk_add(desk, desk->nodes[1], false, "What if the neighbour has seen the light? ");
	desk_add(desk, desk->nodes[1], true,
		 "Slowing down: the paint, the handle, the cold of it.");
	add_chain(desk, second);
	grove_begin(grove, "bookmark");
	grove_must(loom_bookmark_set(grove->store, second, true, LOOM_STR("the neighbour"),
				     &changed, &err),
		   &err, "bookmark");
	grove_commit(grove);
}

void desk_fini(struct desk *desk)
{
	grove_fini(&desk->grove);
}

struct pty *desk_open(struct desk *desk, int w, int h, const char *term)
{
	static char home[600];
	static char state[600];
	const char *const argv[] = {SCREENS_LOOM, "-g", desk->grove.temp.path, NULL};
	const char *const env[] = {home, state, "EDITOR=true", NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .term = term, .w = w, .h = h};
	struct pty *pty;

	snprintf(home, sizeof home, "HOME=%s", desk->grove.temp.path);
	snprintf(state, sizeof state, "XDG_STATE_HOME=%s", desk->grove.temp.path);
	pty = pty_open(&opts);
	pty_settle(pty);
	return pty;
}
