/* One write of a store, for a sweep that fails each of its system calls; and the look afterwards.
 *
 *   fault_store prepare DIR        a grove with something of everything
 *   fault_store age DIR            makes it one that the first version of the schema made
 *   fault_store do KIND DIR        writes once; after a refusal looks whether it is in, else tries
 *                                  the same again; 0: it is done, 1: refused in words, 3: badly;
 *                                  with LOOM_FAULT_AGAIN it may be in from the start
 *   fault_store look KIND DIR      what was there is there; when LOOM_FAULT_EXIT is 0 the write is
 *                                  there, whole; nothing is left lying about; the next write works
 * KIND: respond edit doc batch import prune undo stream move draft grant backup session init
 *       migrate, which opening does */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/sql.h>
#include <loom/tree/agent.h>
#include <loom/tree/document.h>
#include <loom/grove/draft.h>
#include <loom/work/stream.h>
#include <loom/grove/grant.h>
#include <loom/grove/presence.h>
#include <loom/tree/mark.h>
#include <loom/work/thread.h>
#include <loom/tree/open_store.h>

#include "support/raw.h"

#define SPELL(number)   SPELLED(number)
#define SPELLED(number) #number
#define NEWEST          SPELL(MODEL_SCHEMA_VERSION) /* the version that a grove is migrated to */

struct run {
	struct loom_env env;
	const char *dir;
	const char *kind;
	struct loom_store *store;
	struct loom_arena *arena;
	struct loom_err err;
	struct loom_op_id id;
	int64_t trees[2];
	int64_t roots[2];
	int64_t node;
	int64_t doc;
	struct loom_agent model;
};

static const char long_text[] = "a text that is written again and again, ";

static const char *var(void *ctx, const char *name)
{
	const struct run *run = ctx;

	return !strncmp(name, "XDG_", 4) || !strcmp(name, "HOME") ? run->dir : NULL;
}

static enum loom_status open_store(struct run *run)
{
	struct loom_tree *trees = NULL;
	struct loom_nodes nodes;
	struct loom_page page = {.limit = 1};
	struct loom_doc doc;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_store_close(run->store);
	status = loom_store_open(&run->env, loom_str_of(run->dir), LOOM_WRITE, &run->store,
				 &run->err);
	if (status == LOOM_OK)
		status = loom_tree_list(run->store, run->arena, &trees, &count, &run->err);
	for (size_t i = 0; i < count && i < 2; i++) {
		run->trees[trees[i].mode] = trees[i].id;
		run->roots[trees[i].mode] = trees[i].root;
	}
	if (status == LOOM_OK)
		status = loom_doc_find(run->store, LOOM_STR("plan"), false, run->arena, &doc,
				       &run->err);
	run->doc = status == LOOM_OK ? doc.id : 0;
	if (status == LOOM_OK)
		status = loom_node_children(run->store, run->roots[LOOM_BUFFER], &page, run->arena,
					    &nodes, &run->err);
	if (status == LOOM_OK)
		status = loom_agent_find(run->store, LOOM_STR("ngram"), run->arena, &run->model,
					 &run->err);
	run->node = status == LOOM_OK && nodes.count ? nodes.items[0].group : 0;
	return status;
}

static void fill_text(struct loom_buf *out, size_t times)
{
	for (size_t i = 0; i < times; i++)
		loom_buf_adds(out, long_text);
}

static enum loom_status add_node(struct run *run, int64_t from, int64_t *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node_spec spec = {.from = from, .author = 1, .seq = -1};
	enum loom_status status;

	fill_text(&text, 300);
	spec.text = loom_buf_str(&text);
	status = loom_node_create(run->store, &spec, out, &run->err);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status begin(struct run *run, bool slices)
{
	struct loom_op_spec spec = {
		.kind = run->kind, .actor = 1, .has_id = true, .id = run->id, .slices = slices};

	return loom_op_begin(run->store, &spec, &run->err);
}

/* --- the writes --- */

static enum loom_status do_respond(struct run *run)
{
	int64_t node = 0;
	enum loom_status status = begin(run, false);

	return status == LOOM_OK
		       ? loom_op_end(run->store, add_node(run, run->roots[LOOM_DIALOGUE], &node),
				     NULL, &run->err)
		       : status;
}

static enum loom_status do_edit(struct run *run)
{
	struct loom_node_spec spec = {.from = run->node,
				      .text = LOOM_STR_INIT("edited"),
				      .author = 1,
				      .seq = -1};
	int64_t node = 0;
	enum loom_status status = begin(run, false);

	return status == LOOM_OK ? loom_op_end(run->store,
					       loom_node_edit(run->store, &spec, LOOM_EDIT_BY_MODE,
							      &node, &run->err),
					       NULL, &run->err)
				 : status;
}

static enum loom_status do_doc(struct run *run)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = begin(run, false);

	fill_text(&text, 2000);
	if (status == LOOM_OK)
		status = loom_op_end(run->store,
				     loom_doc_write(run->store, run->doc, loom_buf_str(&text), 1,
						    -1, &run->err),
				     NULL, &run->err);
	loom_buf_fini(&text);
	return status;
}

/* Three transactions of one step. Tried again, it goes on with what is in. */
static enum loom_status do_batch(struct run *run)
{
	struct loom_op_spec join = {.kind = "batch", .actor = 1};
	struct loom_page page = {.limit = 100};
	struct loom_nodes nodes = {0};
	int64_t node = 0;
	enum loom_status status = loom_op_by_id(run->store, &run->id, &join.join, &run->err);

	if (status == LOOM_OK && join.join)
		status = loom_node_children(run->store, run->roots[LOOM_DIALOGUE], &page,
					    run->arena, &nodes, &run->err);
	/* one was there before */
	for (size_t i = nodes.count ? nodes.count - 1 : 0; i < 3 && status == LOOM_OK; i++) {
		status =
			join.join ? loom_op_begin(run->store, &join, &run->err) : begin(run, false);
		if (status == LOOM_OK)
			status = loom_op_end(run->store,
					     add_node(run, run->roots[LOOM_DIALOGUE], &node),
					     &join.join, &run->err);
	}
	return status;
}

static enum loom_status do_import(struct run *run)
{
	int64_t node = run->roots[LOOM_DIALOGUE];
	enum loom_status status = begin(run, true);

	for (int i = 0; i < 3 && status == LOOM_OK; i++) {
		if (i)
			status = loom_op_slice(run->store, &run->err);
		for (int k = 0; k < 5 && status == LOOM_OK; k++)
			status = add_node(run, node, &node);
	}
	if (status == LOOM_OK)
		return loom_op_finish(run->store, NULL, &run->err);
	loom_op_rollback(run->store);
	return status;
}

static enum loom_status do_prune(struct run *run)
{
	int64_t below = 0;
	bool changed = false;
	enum loom_status status = begin(run, false);

	return status == LOOM_OK ? loom_op_end(run->store,
					       loom_node_prune(run->store, run->node, &below,
							       &changed, &run->err),
					       NULL, &run->err)
				 : status;
}

static enum loom_status do_undo(struct run *run)
{
	enum loom_status status = loom_op_undo(run->store, 1, 0, NULL, &run->err);

	return status;
}

static enum loom_status do_stream(struct run *run)
{
	struct loom_stream spec = {.tree = run->trees[LOOM_DIALOGUE],
				   .from = run->roots[LOOM_DIALOGUE],
				   .agent = run->model.id,
				   .session = LOOM_STR_INIT("s-1-gone")};
	int64_t stream = 0;
	enum loom_status status = loom_quiet_begin(run->store, &run->err);

	if (status == LOOM_OK)
		status = loom_stream_begin(run->store, &spec, &stream, &run->err);
	if (status == LOOM_OK)
		status = loom_stream_add(run->store, stream, LOOM_STR("streamed"), &run->err);
	return loom_quiet_end(run->store, status, &run->err);
}

static enum loom_status do_move(struct run *run)
{
	struct loom_thread thread;
	enum loom_status status = loom_quiet_begin(run->store, &run->err);

	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(run->store, 1, run->trees[LOOM_BUFFER], run->arena, &thread,
				    &run->err);
	if (status == LOOM_OK)
		status = loom_thread_move(run->store, thread.id, run->node, &run->err);
	return loom_quiet_end(run->store, status, &run->err);
}

static enum loom_status do_draft(struct run *run)
{
	struct loom_draft draft = {.id = LOOM_STR_INIT("draft-00000001"),
				   .kind = LOOM_STR_INIT("text"),
				   .text = LOOM_STR_INIT("the new draft")};
	struct loom_str id;

	return loom_draft_save(run->store, &draft, run->arena, &id, &run->err);
}

static enum loom_status do_grant(struct run *run)
{
	struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = LOOM_APPROVE_ASK};

	return loom_grant_set(run->store, &run->model.ulid, &grant, &run->err);
}

static enum loom_status do_backup(struct run *run)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	enum loom_status status;

	loom_buf_addf(&path, "%s/copy.db", run->dir);
	status = loom_store_backup(run->store, loom_buf_str(&path), &run->err);
	loom_buf_fini(&path);
	return status;
}

static enum loom_status do_session(struct run *run)
{
	struct loom_presence what = {.agent = LOOM_STR_INIT("Ada"), .doing = LOOM_STR_INIT("x")};
	struct loom_session *session = NULL;
	enum loom_status status = loom_session_open(run->store, &session, &run->err);

	if (status == LOOM_OK)
		status = loom_session_say(session, &what, &run->err);
	loom_session_close(session);
	return status;
}

static enum loom_status do_init(struct run *run)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	enum loom_status status;

	loom_buf_addf(&path, "%s/fresh/deep", run->dir);
	status = loom_grove_init(&run->env, loom_buf_str(&path), &run->err);
	loom_buf_fini(&path);
	return status;
}

/* --- what is there --- */

static bool op_is_done(struct run *run, size_t nodes)
{
	struct loom_op row;
	struct loom_tree tree;
	int64_t op = 0;

	if (loom_op_by_id(run->store, &run->id, &op, &run->err) || !op ||
	    loom_op_get(run->store, op, run->arena, &row, &run->err) || row.state != LOOM_OP_DONE)
		return false;
	return loom_tree_get(run->store, run->trees[LOOM_DIALOGUE], run->arena, &tree, &run->err) ==
		       LOOM_OK &&
	       tree.nodes == (int64_t)(2 + nodes);
}

static bool is_respond(struct run *run)
{
	return op_is_done(run, 1);
}

static bool is_op(struct run *run)
{
	return op_is_done(run, 0);
}

static bool is_batch(struct run *run)
{
	return op_is_done(run, 3);
}

static bool is_import(struct run *run)
{
	return op_is_done(run, 15);
}

static bool is_undo(struct run *run)
{
	struct loom_tree tree;

	return loom_tree_get(run->store, run->trees[LOOM_DIALOGUE], run->arena, &tree, &run->err) ==
		       LOOM_OK &&
	       tree.nodes == 1;
}

static bool is_stream(struct run *run)
{
	struct loom_stream *list = NULL;
	size_t count = 0;

	return loom_stream_list(run->store, 0, run->arena, &list, &count, &run->err) == LOOM_OK &&
	       count == 1 && loom_str_is(list[0].text, "streamed");
}

static bool is_move(struct run *run)
{
	struct loom_thread thread;

	return loom_thread_implicit(run->store, 1, run->trees[LOOM_BUFFER], run->arena, &thread,
				    &run->err) == LOOM_OK &&
	       thread.position == run->node;
}

static bool is_draft(struct run *run)
{
	struct loom_draft draft;

	return loom_draft_get(run->store, LOOM_STR("draft-00000001"), run->arena, &draft,
			      &run->err) == LOOM_OK &&
	       loom_str_is(draft.text, "the new draft");
}

static bool is_grant(struct run *run)
{
	struct loom_grant grant;

	return loom_grant_get(run->store, &run->model.ulid, &grant, &run->err) == LOOM_OK &&
	       grant.may == LOOM_MAY_ALL && grant.approval == LOOM_APPROVE_ASK;
}

static bool is_backup(struct run *run)
{
	char *path = NULL;
	struct temp here = {{0}};
	struct stat info;
	bool there;

	snprintf(here.path, sizeof here.path, "%s", run->dir);
	path = temp_path(&here, "copy.db");
	there = stat(path, &info) == 0 && info.st_size > 50000;
	free(path);
	return there;
}

static bool is_session(struct run *run)
{
	(void)run;
	return true;
}

static bool is_init(struct run *run)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_store *store = NULL;
	struct loom_check_opts opts = {.deep = true};
	int64_t findings = 1;

	loom_buf_addf(&path, "%s/fresh/deep", run->dir);
	if (loom_store_open(&run->env, loom_buf_str(&path), LOOM_WRITE, &store, &run->err) ||
	    loom_store_check(store, &opts, &findings, &run->err))
		findings = 1;
	loom_store_close(store);
	loom_buf_fini(&path);
	return findings == 0;
}

static struct grove behind(const struct run *run)
{
	struct grove grove = {0};

	snprintf(grove.temp.path, sizeof grove.temp.path, "%s", run->dir);
	return grove;
}

static enum loom_status do_migrate(struct run *run)
{
	return open_store(run);
}

/* The grove's earlier state stands beside it, complete. */
static bool is_past_kept(const struct run *run)
{
	struct grove past = {0};
	char *path = NULL;
	struct stat info;
	bool there = false;

	snprintf(past.temp.path, sizeof past.temp.path, "%s/past", run->dir);
	(void)mkdir(past.temp.path, 0700);
	temp_write(&past.temp, LOOM_GROVE_DIR "/made", LOOM_STR(""));
	path = raw_path(&past);
	unlink(path);
	there = symlink("../../.loom/grove.db.before-" NEWEST, path) == 0 && stat(path, &info) == 0;
	free(path);
	return there && raw_int(&past, "SELECT user_version FROM pragma_user_version") == 1 &&
	       raw_int(&past, "SELECT count(*) FROM pragma_integrity_check WHERE "
			      "integrity_check = 'ok'") == 1;
}

static bool is_migrated(struct run *run)
{
	struct grove grove = behind(run);

	return is_past_kept(run) &&
	       raw_int(&grove, "SELECT user_version = " NEWEST " FROM pragma_user_version") == 1 &&
	       raw_int(&grove, "SELECT count(*) FROM sqlite_schema WHERE name IN "
			       "('proposal_waiting', 'proposal_hash', 'job_state', 'summed', "
			       "'fetched', 'request', 'epoch', 'member')") == 8;
}

static const struct {
	const char *name;
	enum loom_status (*run)(struct run *);
	bool (*is)(struct run *);
} kinds[] = {
	{"respond", do_respond, is_respond},
	{"edit", do_edit, is_op},
	{"doc", do_doc, is_op},
	{"batch", do_batch, is_batch},
	{"import", do_import, is_import},
	{"prune", do_prune, is_op},
	{"undo", do_undo, is_undo},
	{"stream", do_stream, is_stream},
	{"move", do_move, is_move},
	{"draft", do_draft, is_draft},
	{"grant", do_grant, is_grant},
	{"backup", do_backup, is_backup},
	{"session", do_session, is_session},
	{"init", do_init, is_init},
	{"migrate", do_migrate, is_migrated},
};

static size_t kind_of(const char *name)
{
	size_t at = 0;

	while (at < LOOM_COUNT(kinds) && strcmp(kinds[at].name, name) != 0)
		at++;
	return at;
}

/* --- the commands --- */

static int prepare(struct run *run)
{
	struct loom_op_spec op = {.kind = "new", .actor = 1};
	struct loom_tree_spec spec = {.title = LOOM_STR_INIT("t"), .author = 1};
	struct loom_draft draft = {.id = LOOM_STR_INIT("draft-00000001"),
				   .kind = LOOM_STR_INIT("text"),
				   .text = LOOM_STR_INIT("the old draft")};
	struct loom_grant grant = {.may = LOOM_MAY_ANALYST};
	struct loom_str id;
	int64_t node = 0;
	enum loom_status status = loom_grove_init(&run->env, loom_str_of(run->dir), &run->err);

	if (status == LOOM_OK)
		status = loom_store_open(&run->env, loom_str_of(run->dir), LOOM_WRITE, &run->store,
					 &run->err);
	if (status == LOOM_OK)
		status = loom_op_begin(run->store, &op, &run->err);
	for (int mode = 0; mode < 2 && status == LOOM_OK; mode++) {
		spec.mode = (enum loom_mode)mode;
		status = loom_tree_create(run->store, &spec, &run->trees[mode], &run->err);
	}
	if (status == LOOM_OK)
		status = loom_doc_create(run->store, LOOM_STR("plan"), LOOM_STR("old"), 1,
					 &run->doc, &run->err);
	status = loom_op_end(run->store, status, NULL, &run->err);
	for (int mode = 1; mode >= 0 && status == LOOM_OK; mode--) {
		struct loom_tree tree;

		status = loom_tree_get(run->store, run->trees[mode], run->arena, &tree, &run->err);
		if (status == LOOM_OK)
			status = loom_op_begin(run->store, &op, &run->err);
		if (status == LOOM_OK)
			status = loom_op_end(run->store, add_node(run, tree.root, &node), NULL,
					     &run->err);
	}
	if (status == LOOM_OK)
		status = loom_draft_save(run->store, &draft, run->arena, &id, &run->err);
	if (status == LOOM_OK)
		status = loom_agent_find(run->store, LOOM_STR("ngram"), run->arena, &run->model,
					 &run->err);
	if (status == LOOM_OK)
		status = loom_grant_set(run->store, &run->model.ulid, &grant, &run->err);
	if (status != LOOM_OK)
		fprintf(stderr, "prepare: %s\n", run->err.text);
	return status == LOOM_OK ? 0 : 3;
}

static int age(struct run *run)
{
	struct grove grove = behind(run);
	struct loom_buf state = LOOM_BUF_INIT(4096);
	struct loom_buf older = LOOM_BUF_INIT(4096);
	struct loom_ulid ulid;
	char name[LOOM_ULID_CHARS + 1];

	/* Its state was kept under its own name then. */
	if (open_store(run) != LOOM_OK ||
	    loom_store_state_dir(run->store, &state, &run->err) != LOOM_OK)
		return 1;
	ulid = loom_store_ulid(run->store);
	loom_store_close(run->store);
	run->store = NULL;
	loom_ulid_text(&ulid, name);
	loom_buf_addf(&older, "%.*s/%s", (int)(strrchr(loom_buf_cstr(&state), '/') - state.p),
		      state.p, name);
	if (rename(loom_buf_cstr(&state), loom_buf_cstr(&older)) != 0)
		return 1;
	loom_buf_fini(&state);
	loom_buf_fini(&older);
	raw_age(&grove);
	return 0;
}

/* The refusal must be one that a person can do something with. */
static bool in_words(const struct loom_err *err)
{
	return err->text[0] && (err->status == LOOM_FULL || err->status == LOOM_IO ||
				err->status == LOOM_READ_ONLY || err->status == LOOM_BUSY);
}

/* Behind a crash it may be in; whoever comes next looks before he does it. */
static bool is_in_already(struct run *run, size_t kind)
{
	return getenv("LOOM_FAULT_AGAIN") && kinds[kind].is(run);
}

static int do_it(struct run *run, size_t kind)
{
	bool bad = false;
	enum loom_status status = LOOM_OK;

	for (int attempt = 0; attempt < 2; attempt++) {
		if (!run->node)
			status = open_store(run);
		if (run->node)
			status = is_in_already(run, kind) ? LOOM_OK : kinds[kind].run(run);
		/* a retry that finds the first result, or a file that is there by now */
		if (attempt && (status == LOOM_CONFLICT || status == LOOM_NOT_FOUND) &&
		    kinds[kind].is(run))
			status = LOOM_OK;
		if (status == LOOM_OK)
			break;
		fprintf(stderr, "%s: %s: %s\n", run->kind, loom_status_code(status), run->err.text);
		bad = bad || !in_words(&run->err);
	}
	return bad ? 3 : status == LOOM_OK ? 0 : 1;
}

static int complain(const char *what, const char *why)
{
	printf("look: %s: %s\n", what, why);
	return 1;
}

/* Temporary files that outlived their write. What a removal that itself was made to fail leaves of
 * a new grove's log holds nothing and is passed over. */
static int left_over(const char *dir)
{
	DIR *list = opendir(dir);
	const struct dirent *entry;
	int count = 0;

	while (list && (entry = readdir(list)) != NULL)
		if ((strstr(entry->d_name, ".new-") && !strstr(entry->d_name, "-wal") &&
		     !strstr(entry->d_name, "-shm")) ||
		    strstr(entry->d_name, ".part") || strstr(entry->d_name, "copy.db-"))
			count += complain(entry->d_name, "was left lying about");
	if (list)
		closedir(list);
	return count;
}

static int count_left_over(struct run *run)
{
	static const char *const below[] = {"", "/.loom", "/fresh/deep/.loom"};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	int count = 0;

	for (size_t i = 0; i < LOOM_COUNT(below); i++) {
		loom_buf_clear(&path);
		loom_buf_addf(&path, "%s%s", run->dir, below[i]);
		count += left_over(loom_buf_cstr(&path));
	}
	loom_buf_clear(&path);
	if (run->store && loom_store_state_dir(run->store, &path, NULL) == LOOM_OK) {
		count += left_over(loom_buf_cstr(&path));
		loom_buf_adds(&path, "/drafts");
		count += left_over(loom_buf_cstr(&path));
	}
	loom_buf_fini(&path);
	return count;
}

/* Everything that prepare made is still there. */
static int look_at_old(struct run *run)
{
	struct loom_draft draft;
	struct loom_grant grant;
	struct loom_doc doc;
	struct loom_doc *versions = NULL;
	size_t count = 0;
	int wrong = 0;

	if (loom_draft_get(run->store, LOOM_STR("draft-00000001"), run->arena, &draft, &run->err) ||
	    !loom_str_ends(draft.text, LOOM_STR("draft")))
		wrong += complain("draft", run->err.text);
	if (loom_grant_get(run->store, &run->model.ulid, &grant, &run->err) || !grant.may)
		wrong += complain("grant", run->err.text);
	if (loom_doc_history(run->store, run->doc, run->arena, &versions, &count, &run->err) ||
	    loom_doc_version(run->store, versions[count - 1].head, run->arena, &doc, &run->err) ||
	    !loom_str_is(doc.text, "old"))
		wrong += complain("document", run->err.text);
	return wrong;
}

static void print_finding(void *ctx, struct loom_str finding)
{
	(void)ctx;
	printf("check: %.*s\n", LOOM_STR_ARG(finding));
}

/* Opening brings an old grove up, so what was said of that is looked at before. */
static int look_at_age(struct run *run, const char *ended)
{
	return kinds[kind_of(run->kind)].is == is_migrated && ended && !strcmp(ended, "0") &&
			       !is_migrated(run)
		       ? complain(run->kind, "was said to be done and is not")
		       : 0;
}

static int look(struct run *run, size_t kind)
{
	struct loom_check_opts opts = {.deep = true, .finding = print_finding};
	const char *ended = getenv("LOOM_FAULT_EXIT");
	bool sticky = getenv("LOOM_FAULT_WAS_STICKY") != NULL;
	int64_t findings = 0;
	int wrong = 0;

	if (ended && !strcmp(ended, "3"))
		return complain(run->kind, "was not refused in words");
	wrong += look_at_age(run, ended);
	if (open_store(run) != LOOM_OK)
		return complain("open", run->err.text);
	if (loom_store_check(run->store, &opts, &findings, &run->err) || findings)
		wrong += complain("check", run->err.text);
	wrong += look_at_old(run);
	if (ended && !strcmp(ended, "0") && !kinds[kind].is(run))
		wrong += complain(run->kind, "was said to be done and is not");
	if (!sticky)
		wrong += count_left_over(run);
	/* once the machine says yes again, so does the store */
	if (!kinds[kind].is(run) && (kinds[kind].run(run) != LOOM_OK || !kinds[kind].is(run)))
		wrong += complain("the next write", run->err.text);
	return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct run run = {.dir = argc > 1 ? argv[argc - 1] : "", .id = {{7, 7, 7}}};
	size_t kind = argc == 4 ? kind_of(argv[2]) : LOOM_COUNT(kinds);
	int status = 2;

	run.env.var = var;
	run.env.ctx = &run;
	run.arena = loom_arena_create();
	run.kind = argc == 4 ? argv[2] : "new";
	if (argc == 3 && !strcmp(argv[1], "prepare"))
		status = prepare(&run);
	else if (argc == 3 && !strcmp(argv[1], "age"))
		status = age(&run);
	else if (kind < LOOM_COUNT(kinds) && !strcmp(argv[1], "do"))
		status = do_it(&run, kind);
	else if (kind < LOOM_COUNT(kinds) && !strcmp(argv[1], "look"))
		status = look(&run, kind);
	else
		fputs("usage: fault_store prepare|age|do KIND|look KIND DIR\n", stderr);
	loom_store_close(run.store);
	loom_arena_destroy(run.arena);
	return status;
}
