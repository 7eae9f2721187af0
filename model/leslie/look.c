/* Reads `.leslie/`: threads, objectives, and their relations.
 *
 * Lenient: a record may lack what the reference requires, times may have offsets, unknown words are
 * shown as they are. A folder without a record is not a thread. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "share.h"
#include <loom/files/beneath.h>

static struct loom_str find_value(const struct model_leslie_doc *doc, const char *branch,
				  struct loom_str key)
{
	const struct model_leslie_item *item =
		model_leslie_branch_find(model_leslie_doc_branch(doc, branch), key);

	return item && loom_jval_type(item->value) == LOOM_JTYPE_OBJECT
		       ? item->value
		       : (struct loom_str){NULL, 0};
}

struct loom_str model_leslie_record(const struct loom_leslie *leslie, struct loom_str id)
{
	return find_value(&leslie->relations.doc, "threads", id);
}

struct loom_str model_leslie_relation(const struct loom_leslie *leslie, struct loom_str id)
{
	return find_value(&leslie->relations.doc, "relations", id);
}

struct loom_str model_leslie_objective_record(const struct loom_leslie *leslie, struct loom_str id)
{
	return find_value(&leslie->objectives.doc, "objectives", id);
}

enum loom_status model_leslie_need_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_leslie_err *err)
{
	if (model_leslie_record(leslie, id).p)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, LOOM_NOT_FOUND, LOOM_THREAD_NO_THREAD,
			    "Thread '%.*s' not found", LOOM_STR_ARG(id));
	model_leslie_because(leslie, err, "%s has no such thread", MODEL_LESLIE_RELATIONS_PATH);
	model_leslie_detail(leslie, err, "threadId", id);
	return loom_hint(err ? &err->err : NULL, LOOM_NOT_FOUND, "loom thread list shows them");
}

enum loom_status model_leslie_open_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_root *out, struct loom_err *err)
{
	char path[96];

	*out = (struct loom_root)LOOM_ROOT_INIT;
	if (leslie->home.fd < 0 || !loom_leslie_id_ok(id))
		return loom_fail(err, LOOM_NOT_FOUND, "no folder of thread %.*s", LOOM_STR_ARG(id));
	snprintf(path, sizeof(path), "threads/%.*s", LOOM_STR_ARG(id));
	*out = leslie->home;
	out->fd =
		model_open_beneath(leslie->home.fd, path, O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	return out->fd < 0 ? model_path_fail(err, errno, path) : LOOM_OK;
}

bool model_leslie_stands(struct loom_leslie *leslie, struct loom_str id)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	bool stands = model_leslie_record(leslie, id).p &&
		      model_leslie_open_thread(leslie, id, &folder, NULL) == LOOM_OK;

	loom_root_close(&folder);
	return stands;
}

struct field {
	struct loom_str key; /* as written */
	size_t at;           /* offset of a struct loom_str in struct loom_leslie_thread */
};

#define FIELD(name, member)                                                                        \
	{                                                                                          \
		LOOM_STR_INIT("\"" name "\""), offsetof(struct loom_leslie_thread, member)         \
	}
static const struct field fields[] = {
	FIELD("title", title),           FIELD("objective", objective),
	FIELD("status", status_text),    FIELD("parent_id", parent_id),
	FIELD("created_at", created_at), FIELD("updated_at", updated_at),
	FIELD("executor", executor),     FIELD("session_id", session_id),
};

static void read_field(struct loom_arena *arena, struct loom_leslie_thread *out,
		       struct loom_str key, struct loom_str value)
{
	struct loom_str text = {NULL, 0};

	LOOM_ASSERT(value.n > 0);
	for (size_t i = 0; value.p[0] == '"' && i < LOOM_COUNT(fields); i++) {
		if (key.n != fields[i].key.n || memcmp(key.p, fields[i].key.p, key.n) != 0)
			continue;
		text = loom_arena_str(arena, loom_jval_text(value, arena));
		memcpy((char *)out + fields[i].at, &text, sizeof(text));
		return;
	}
}

static struct loom_str path_of(struct loom_arena *arena, struct loom_str id)
{
	static const struct loom_str folder = LOOM_STR_INIT(".leslie/threads/");
	const size_t n = folder.n + id.n + 1;
	char *path = LOOM_ARENA_ARRAY(arena, n + 1, char);

	memcpy(path, folder.p, folder.n);
	memcpy(path + folder.n, id.p, id.n);
	path[n - 1] = '/';
	return loom_str_make(path, n);
}

static void read_thread(struct loom_arena *arena, const struct model_leslie_item *item,
			struct loom_leslie_thread *out)
{
	struct loom_jwalk walk = loom_jval_walk(item->value);
	struct loom_str key = {NULL, 0};
	struct loom_str value = {NULL, 0};

	*out = (struct loom_leslie_thread){.id = loom_arena_str(arena, item->key),
					   .status_text = LOOM_STR("active"),
					   .executor = LOOM_STR("agent")};
	while (walk.object && loom_jwalk_next(&walk, &key, &value))
		read_field(arena, out, key, value);
	loom_leslie_status_parse(out->status_text, &out->status);
	if (out->updated_at.n == 0)
		out->updated_at = out->created_at;
	out->path = path_of(arena, out->id);
}

/* The order of a list: time of creation, then position in the file. */
struct place {
	int64_t made;
	size_t index;
};

static int by_time(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	if (a->made != b->made)
		return a->made < b->made ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Files are in order of creation unless somebody moved records; then nothing needs copying. */
static struct loom_leslie_thread *in_order(struct loom_arena *arena,
					   struct loom_leslie_thread *threads, size_t count)
{
	struct place *places = LOOM_ARENA_ARRAY(arena, count, struct place);
	struct loom_leslie_thread *sorted = NULL;
	bool ordered = true;

	LOOM_ASSERT(threads || !count);
	for (size_t i = 0; i < count; i++) {
		places[i].index = i;
		if (!loom_time_parse(threads[i].created_at, &places[i].made))
			places[i].made = INT64_MIN;
		ordered = ordered && (i == 0 || places[i].made >= places[i - 1].made);
	}
	if (ordered)
		return threads;
	qsort(places, count, sizeof(*places), by_time);
	sorted = LOOM_ARENA_ARRAY(arena, count, struct loom_leslie_thread);
	for (size_t i = 0; i < count; i++)
		sorted[i] = threads[places[i].index];
	return sorted;
}

static bool passes(const struct loom_leslie_filter *filter, const struct loom_leslie_thread *thread)
{
	enum loom_leslie_status status = LOOM_LESLIE_STATUSES;

	if (!filter)
		return true;
	if (filter->objective.p && !loom_str_eq(filter->objective, thread->objective))
		return false;
	if (!filter->status.p)
		return true;
	return loom_leslie_status_parse(filter->status, &status) ? status == thread->status : false;
}

void model_leslie_list(const struct model_leslie_doc *doc, const struct loom_leslie_filter *filter,
		       struct loom_arena *arena, struct loom_leslie_thread **out, size_t *out_count)
{
	const struct model_leslie_branch *branch = model_leslie_doc_branch(doc, "threads");
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;

	threads = LOOM_ARENA_ARRAY(arena, branch ? branch->count : 0, struct loom_leslie_thread);
	for (size_t i = 0; branch && i < branch->count; i++) {
		if (loom_jval_type(branch->items[i].value) != LOOM_JTYPE_OBJECT)
			continue;
		read_thread(arena, &branch->items[i], &threads[count]);
		if (passes(filter, &threads[count]))
			count++;
	}
	*out = in_order(arena, threads, count);
	*out_count = count;
}

/* The relations contain the whole history. For a list, read the registry instead, which has all a
 * list needs, unless the relations are loaded anyway. */
static bool list_registry(struct loom_leslie *leslie, const struct loom_leslie_filter *filter,
			  struct loom_arena *arena, struct loom_leslie_thread **out,
			  size_t *out_count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct model_leslie_doc doc;
	bool sound = !leslie->relations.loaded && model_leslie_registry_read(leslie, &text, &doc);

	if (sound)
		model_leslie_list(&doc, filter, arena, out, out_count);
	loom_buf_fini(&text);
	return sound;
}

enum loom_status loom_leslie_threads(struct loom_leslie *leslie,
				     const struct loom_leslie_filter *filter,
				     struct loom_arena *arena, struct loom_leslie_thread **out,
				     size_t *out_count, struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_enter(leslie, err);

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	if (status == LOOM_OK && list_registry(leslie, filter, arena, out, out_count))
		return model_leslie_file_load(leslie, &leslie->objectives, err);
	if (status == LOOM_OK)
		status = model_leslie_look(leslie, err);
	if (status == LOOM_OK)
		model_leslie_list(&leslie->relations.doc, filter, arena, out, out_count);
	return status;
}

static struct loom_str *copied_texts(struct loom_arena *arena, struct loom_str object,
				     const char *key, size_t *count)
{
	struct loom_str *texts = model_leslie_texts(arena, model_leslie_member(object, key), count);

	for (size_t i = 0; i < *count; i++)
		texts[i] = loom_arena_str(arena, texts[i]);
	return texts;
}

/* How the copies from a thread are, by the worst of them. */
static void judge_copies(struct loom_leslie *leslie, struct loom_str id,
			 const struct model_leslie_share *share, struct loom_leslie_edge *edge)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	struct loom_root source = LOOM_ROOT_INIT;
	const struct model_leslie_compare compare = {.folder = &folder,
						     .source = &source,
						     .arena = leslie->arena};

	if (!share->copy_count || model_leslie_open_thread(leslie, id, &folder, NULL) != LOOM_OK)
		return;
	if (edge->broken ||
	    model_leslie_open_thread(leslie, edge->thread, &source, NULL) != LOOM_OK)
		source = (struct loom_root)LOOM_ROOT_INIT;
	for (size_t i = 0; i < share->copy_count; i++) {
		enum loom_copy_state state = LOOM_COPY_SOUND;

		if (!loom_str_eq(share->copies[i].thread, edge->thread))
			continue;
		edge->copies++;
		state = model_leslie_copy_state(&compare, &share->copies[i]);
		if (edge->state != LOOM_COPY_FORGED && state != LOOM_COPY_SOUND)
			edge->state = state;
	}
	loom_root_close(&source);
	loom_root_close(&folder);
}

static void say_broken(const struct loom_leslie_edge *edge, struct loom_buf *out)
{
	if (edge->copies)
		loom_buf_addf(out, "not found, but %zu %s still here", edge->copies,
			      loom_plural((int64_t)edge->copies, "copy is", "copies are"));
	else
		loom_buf_addf(out, "Referenced Thread %.*s not found", LOOM_STR_ARG(edge->thread));
}

void loom_leslie_edge_say(const struct loom_leslie_edge *edge, int64_t now_ms, struct loom_buf *out)
{
	int64_t since = 0;

	if (edge->broken) {
		say_broken(edge, out);
		return;
	}
	loom_buf_adds(out, edge->frozen && edge->live ? "frozen copies, and live"
			   : edge->live               ? "live"
						      : "frozen copies");
	if (edge->copies && edge->state != LOOM_COPY_SOUND)
		loom_buf_addf(out, ", %s", loom_copy_state_name(edge->state));
	if (edge->scope.n)
		loom_buf_addf(out, " · %.*s", LOOM_STR_ARG(edge->scope));
	if (loom_time_parse(edge->since, &since)) {
		loom_buf_adds(out, " · ");
		loom_time_ago(since, now_ms, true, out);
	}
}

static void add_name(struct loom_buf *names, struct loom_str name)
{
	if (!loom_str_is(name, MODEL_LESLIE_WHOLE) && !loom_str_ends(name, LOOM_STR("/")))
		loom_buf_addf(names, "%s%.*s", names->n ? "," : "", LOOM_STR_ARG(name));
}

/* Says which files it gives, and since when. */
static void describe_edge(const struct model_leslie_share *share, struct loom_leslie_edge *edge)
{
	const struct model_leslie_source *source = model_leslie_share_source(share, edge->thread);
	struct loom_buf names = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; source && i < source->scope_count; i++)
		add_name(&names, source->scopes[i]);
	if (source)
		edge->since = source->copied_at.n ? source->copied_at : source->created_at;
	for (size_t i = 0; i < share->pointer_count; i++) {
		if (!loom_str_eq(share->pointers[i].thread, edge->thread))
			continue;
		add_name(&names, share->pointers[i].name);
		if (!edge->since.n)
			edge->since = share->pointers[i].created_at;
	}
	edge->scope = loom_arena_buf(share->arena, &names);
	loom_buf_fini(&names);
}

static enum loom_status read_edges(struct loom_leslie *leslie, struct loom_arena *arena,
				   struct loom_leslie_thread *out, struct loom_leslie_err *err)
{
	struct model_leslie_share share;
	enum loom_status status = model_leslie_share_load(leslie, out->id, arena, &share, err);
	struct loom_str relation = model_leslie_relation(leslie, out->id);
	struct loom_str *targets =
		copied_texts(arena, relation, "references_to", &out->reference_count);

	out->references = LOOM_ARENA_ARRAY(arena, out->reference_count, struct loom_leslie_edge);
	for (size_t i = 0; i < out->reference_count; i++) {
		struct model_leslie_bond bond =
			model_leslie_share_bond(leslie, &share, out->id, targets[i], arena);

		out->references[i] = (struct loom_leslie_edge){
			.thread = targets[i],
			.frozen = bond.frozen,
			.live = bond.live,
			.broken = !model_leslie_stands(leslie, targets[i]),
		};
		judge_copies(leslie, out->id, &share, &out->references[i]);
		describe_edge(&share, &out->references[i]);
	}
	return status;
}

enum loom_status loom_leslie_thread(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_leslie_thread *out,
				    struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_look(leslie, err);
	struct loom_str relation = {NULL, 0};

	*out = (struct loom_leslie_thread){0};
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, id, err);
	if (status != LOOM_OK)
		return status;
	read_thread(arena,
		    model_leslie_branch_find(model_leslie_doc_branch(&leslie->relations.doc,
								     "threads"),
					     id),
		    out);
	relation = model_leslie_relation(leslie, id);
	out->record = loom_arena_str(arena, model_leslie_record(leslie, id));
	out->gone = !model_leslie_stands(leslie, id);
	out->children = copied_texts(arena, relation, "children", &out->child_count);
	out->referenced_by =
		copied_texts(arena, relation, "referenced_by", &out->referenced_by_count);
	return read_edges(leslie, arena, out, err);
}

static bool is_over(enum loom_leslie_status status)
{
	return status == LOOM_LESLIE_COMPLETED || status == LOOM_LESLIE_CANCELLED ||
	       status == LOOM_LESLIE_ARCHIVED;
}

/* The facts about a thread that its objective needs. */
struct brief {
	struct loom_str objective;
	enum loom_leslie_status status;
};

static struct brief brief_of(struct loom_leslie *leslie, struct loom_str record)
{
	struct brief brief = {.status = LOOM_LESLIE_ACTIVE};
	struct loom_jwalk walk = loom_jval_walk(record);
	struct loom_str key = {NULL, 0};
	struct loom_str value = {NULL, 0};

	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		if (loom_str_is(key, "\"objective\""))
			brief.objective = loom_jval_text(value, leslie->arena);
		else if (loom_str_is(key, "\"status\""))
			loom_leslie_status_parse(loom_jval_text(value, leslie->arena),
						 &brief.status);
	}
	return brief;
}

bool model_leslie_objective_complete(struct loom_leslie *leslie, struct loom_str objective,
				     struct loom_str changed, enum loom_leslie_status status)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "threads");
	bool over = is_over(status);

	for (size_t i = 0; over && branch && i < branch->count; i++) {
		const struct model_leslie_item *item = &branch->items[i];
		struct brief brief = brief_of(leslie, item->value);

		over = loom_str_eq(item->key, changed) ||
		       !loom_str_eq(brief.objective, objective) || is_over(brief.status);
	}
	return over;
}

/* Objectives being read, with the status of their threads. */
struct tally {
	struct loom_arena *arena;
	struct loom_objective *objectives;
	size_t *caps;
	size_t *open; /* unfinished threads */
	size_t count;
	struct model_leslie_map map;
};

static void begin_objective(struct tally *tally, struct loom_leslie *leslie,
			    const struct model_leslie_item *item)
{
	struct loom_objective *out = &tally->objectives[tally->count];
	struct loom_arena *arena = tally->arena;

	*out = (struct loom_objective){
		.id = loom_arena_str(arena, item->key),
		.title = loom_arena_str(arena, model_leslie_member_text(leslie->arena, item->value,
									"title")),
		.created_at =
			loom_arena_str(arena, model_leslie_member_text(leslie->arena, item->value,
								       "created_at")),
		.updated_at =
			loom_arena_str(arena, model_leslie_member_text(leslie->arena, item->value,
								       "updated_at")),
	};
	model_leslie_map_set(leslie->arena, &tally->map, out->id, tally->count++);
}

static void count_thread(struct tally *tally, struct loom_leslie *leslie,
			 const struct model_leslie_item *item)
{
	struct brief brief = brief_of(leslie, item->value);
	size_t at =
		brief.objective.p ? model_leslie_map_find(&tally->map, brief.objective) : SIZE_MAX;
	struct loom_objective *objective = NULL;

	if (at == SIZE_MAX)
		return;
	objective = &tally->objectives[at];
	objective->thread_ids =
		loom_arena_grow(tally->arena, objective->thread_ids, objective->thread_count,
				&tally->caps[at], sizeof(*objective->thread_ids));
	objective->thread_ids[objective->thread_count++] = loom_arena_str(tally->arena, item->key);
	tally->open[at] += !is_over(brief.status);
}

static void begin_tally(struct tally *tally, struct loom_leslie *leslie, struct loom_arena *arena,
			size_t count)
{
	*tally = (struct tally){
		.arena = arena,
		.objectives = LOOM_ARENA_ARRAY(arena, count, struct loom_objective),
		.caps = LOOM_ARENA_ARRAY(leslie->arena, count, size_t),
		.open = LOOM_ARENA_ARRAY(leslie->arena, count, size_t),
	};
}

static void end_tally(struct tally *tally, struct loom_leslie *leslie)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "threads");

	for (size_t i = 0; branch && i < branch->count; i++)
		count_thread(tally, leslie, &branch->items[i]);
	for (size_t i = 0; i < tally->count; i++) {
		struct loom_objective *objective = &tally->objectives[i];

		objective->status = objective->thread_count && !tally->open[i]
					    ? LOOM_STR("completed")
					    : LOOM_STR("active");
	}
}

enum loom_status loom_objective_list(struct loom_leslie *leslie, struct loom_arena *arena,
				     struct loom_objective **out, size_t *out_count,
				     struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_look(leslie, err);
	const struct model_leslie_branch *branch = NULL;
	struct tally tally;

	*out = NULL;
	*out_count = 0;
	if (status != LOOM_OK)
		return status;
	branch = model_leslie_doc_branch(&leslie->objectives.doc, "objectives");
	begin_tally(&tally, leslie, arena, branch ? branch->count : 0);
	for (size_t i = 0; branch && i < branch->count; i++) {
		if (loom_jval_type(branch->items[i].value) == LOOM_JTYPE_OBJECT)
			begin_objective(&tally, leslie, &branch->items[i]);
	}
	end_tally(&tally, leslie);
	*out = tally.objectives;
	*out_count = tally.count;
	return LOOM_OK;
}

enum loom_status loom_objective_find(struct loom_leslie *leslie, struct loom_str id,
				     struct loom_arena *arena, struct loom_objective *out,
				     struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_look(leslie, err);
	struct tally tally;

	*out = (struct loom_objective){0};
	if (status == LOOM_OK)
		status = model_leslie_need_objective(leslie, id, err);
	if (status != LOOM_OK)
		return status;
	begin_tally(&tally, leslie, arena, 1);
	begin_objective(&tally, leslie,
			model_leslie_branch_find(model_leslie_doc_branch(&leslie->objectives.doc,
									 "objectives"),
						 id));
	end_tally(&tally, leslie);
	*out = tally.objectives[0];
	return LOOM_OK;
}

enum loom_status model_leslie_need_objective(struct loom_leslie *leslie, struct loom_str id,
					     struct loom_leslie_err *err)
{
	if (model_leslie_objective_record(leslie, id).p)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, LOOM_NOT_FOUND, LOOM_THREAD_NO_OBJECTIVE,
			    "Objective '%.*s' not found", LOOM_STR_ARG(id));
	model_leslie_because(leslie, err, ".leslie/%s has no such objective",
			     MODEL_LESLIE_OBJECTIVES);
	model_leslie_detail(leslie, err, "objectiveId", id);
	return loom_hint(err ? &err->err : NULL, LOOM_NOT_FOUND, "loom objective list shows them");
}
