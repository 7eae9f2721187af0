/* Lists changes to files beside the grove among its operations.
 *
 * One table says how each is listed and which command reverses it; the command line and the screen
 * both read it. The callers write the files and handle failures. */
#include <loom/sharing/file_ops.h>

#include <loom/engine/told.h>
#include <loom/tree/op.h>

/* In these texts %1 is the subject and %2 the object. */
struct form {
	const char *kind;
	const char *text;
	const char *inverse;
};

static const struct form forms[] = {
	[LOOM_OUTSIDE_OBJECTIVE] =
		{"objective new", "new objective \"%1\"",
		 "no command removes an objective; without threads it does nothing"},
	[LOOM_OUTSIDE_SPAWN] = {"thread spawn", "spawned %1", "loom thread lifecycle %1 cancel"},
	[LOOM_OUTSIDE_REF] = {"thread ref", "let %1 read %2",
			      "loom thread unref --from %1 --target %2"},
	[LOOM_OUTSIDE_UNREF] = {"thread unref", "stopped letting %1 read %2",
				"loom thread ref --from %1 --target %2"},
	[LOOM_OUTSIDE_REFRESH] = {"thread refresh", "copied again what %1 was given",
				  "older copies are not kept; loom thread refresh %1 copies again"},
	[LOOM_OUTSIDE_SUSPEND] = {"thread lifecycle", "%1 is %2",
				  "loom thread lifecycle %1 resume"},
	[LOOM_OUTSIDE_RESUME] = {"thread lifecycle", "%1 is %2",
				 "loom thread lifecycle %1 suspend"},
	[LOOM_OUTSIDE_FINISH] = {"thread lifecycle", "%1 is %2",
				 "this is final; loom thread spawn --parent %1 continues from it"},
	[LOOM_OUTSIDE_TRANSCRIPT] = {"thread transcript", "wrote the transcript of %1",
				     "loom thread transcript %1 writes it again"},
	[LOOM_OUTSIDE_PLAN] = {"thread plan", "wrote the global plan",
			       "loom thread plan --write FILE, with the earlier text"},
	[LOOM_OUTSIDE_ADD] = {"payload add", "added %2 to the %1 scope",
			      "loom payload remove %1 %2"},
	[LOOM_OUTSIDE_REMOVE] = {"payload remove", "removed %2 from the %1 scope",
				 "loom payload add %1 %2"},
	[LOOM_OUTSIDE_MOVE] = {"payload move", "moved %2 to the %1 scope",
			       "loom payload move SCOPE %2, with the scope it was in"},
	[LOOM_OUTSIDE_SESSION] = {"payload session new", "began session %1 of payloads",
				  "no command removes a session; its folder below .teddy can go"},
	[LOOM_OUTSIDE_TURN] = {"payload turn new", "began turn %2 of session %1",
			       "no command removes a turn; its folder below .teddy can go"},
};

enum loom_outside_act loom_outside_step(enum loom_leslie_action action)
{
	return action == LOOM_LESLIE_SUSPEND  ? LOOM_OUTSIDE_SUSPEND
	       : action == LOOM_LESLIE_RESUME ? LOOM_OUTSIDE_RESUME
					      : LOOM_OUTSIDE_FINISH;
}

enum loom_outside_act loom_outside_edit(enum loom_payload_edit edit)
{
	return edit == LOOM_PAYLOAD_ADD      ? LOOM_OUTSIDE_ADD
	       : edit == LOOM_PAYLOAD_REMOVE ? LOOM_OUTSIDE_REMOVE
					     : LOOM_OUTSIDE_MOVE;
}

static void fill(const char *form, const struct loom_outside *what, struct loom_buf *out)
{
	for (; *form; form++) {
		if (*form != '%') {
			loom_buf_addc(out, *form);
			continue;
		}
		form++;
		loom_buf_add(out, *form == '1' ? what->subject : what->object);
	}
}

static struct loom_str filled(const char *form, const struct loom_outside *what,
			      struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	fill(form, what, &text);
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy;
}

struct loom_str loom_outside_text(const struct loom_outside *what, struct loom_arena *arena)
{
	return filled(forms[what->act].text, what, arena);
}

const char *loom_outside_inverse(const struct loom_outside *what, struct loom_arena *arena)
{
	return loom_arena_cstr(arena, filled(forms[what->act].inverse, what, arena));
}

/* Finds how names below `what->root` go on from the project's root; false if it is not below. */
static bool find_prefix(struct loom_store *store, const struct loom_outside *what,
			struct loom_arena *arena, struct loom_str *out)
{
	struct loom_leslie *leslie = NULL;
	struct loom_str project;
	bool below = !what->root.n;

	*out = LOOM_STR("");
	if (below || loom_told_leslie(store, "user", arena, &leslie, NULL) != LOOM_OK)
		return below;
	project = loom_str_of(loom_leslie_root(leslie));
	below = loom_str_starts(what->root, project);
	if (below && what->root.n > project.n) {
		below = what->root.p[project.n] == '/';
		*out = loom_arena_format(arena, "%.*s/",
					 LOOM_STR_ARG(loom_str_sub(what->root, project.n + 1,
								   what->root.n)));
	}
	loom_leslie_close(leslie);
	return below;
}

enum loom_status loom_outside_keep(struct loom_store *store, const struct loom_outside *what,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	enum loom_status status = loom_op_list_anyway(store, err);
	struct loom_str prefix;
	size_t count = find_prefix(store, what, arena, &prefix) ? what->kept_count : 0;

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct loom_kept kept = what->kept[i];

		kept.name = loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(prefix),
					      LOOM_STR_ARG(kept.name));
		if (kept.bytes.p || kept.is_now)
			status = loom_kept_add(store, loom_op_current(store), &kept, err);
	}
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_outside_list(struct loom_store *store, int64_t actor,
				   const struct loom_outside *what, struct loom_err *err)
{
	const struct form *form = &forms[what->act];
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf inverse = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_op_spec spec = {.kind = form->kind, .actor = actor};
	enum loom_status status;

	fill(form->text, what, &text);
	fill(form->inverse, what, &inverse);
	spec.text = loom_buf_str(&text);
	spec.inverse = loom_buf_cstr(&inverse);
	status = loom_op_begin(store, &spec, err);
	if (status == LOOM_OK)
		status = loom_op_end(store, loom_outside_keep(store, what, err), NULL, err);
	loom_buf_fini(&text);
	loom_buf_fini(&inverse);
	return status;
}
