/* A log of Inspect (version 2, JSON): each leaf of the tree, or the path, is a sample with the
 * messages from the root to it. What a person or a judge decided about the leaf is its score. */
#include <loom/reading/decision.h>

#include "inside.h"

struct log {
	struct exporter *ex;
	const struct export_tree *tree;
	struct loom_arena *arena; /* lives as long as the tree */
	struct loom_decision *decisions;
	size_t decision_count;
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_str model; /* that says something in the tree; "none/none" without one */
	struct loom_json json;
};

static struct loom_str time_of(const struct log *log, int64_t ms)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str made;

	loom_time_iso(ms, &text);
	made = loom_arena_buf(log->arena, &text);
	loom_buf_fini(&text);
	return made;
}

/* ---- a sample ---- */

/* A sample, with the parts of its messages that it repeats outside of them. */
struct sample {
	uint32_t leaf;
	struct loom_str input;  /* the first thing that is said */
	struct loom_str answer; /* the last thing that a model says */
	struct loom_str model;
	char ulid[LOOM_ULID_CHARS + 1];
	char name[LOOM_LOCAL_MAX];
};

static void put_message(struct log *log, const struct export_text *text, struct sample *sample)
{
	struct loom_json *json = &log->json;
	const char *role = export_role(text->author);
	const bool answer = strcmp(role, "assistant") == 0;
	char ulid[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&text->node.ulid, ulid);
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(ulid));
	loom_json_put(json, "content", text->node.text);
	loom_json_put(json, "source", answer ? LOOM_STR("generate") : LOOM_STR("input"));
	loom_json_put(json, "role", loom_str_of(role));
	loom_json_key(json, "metadata");
	loom_json_object(json);
	loom_json_put(json, "author", export_name(text->author));
	loom_json_put(json, "created", time_of(log, text->node.created));
	loom_json_end_object(json);
	if (answer)
		loom_json_put(json, "model", export_model(text->author));
	loom_json_end_object(json);
	if (!sample->input.n)
		sample->input = loom_arena_str(log->arena, text->node.text);
	if (!answer)
		return;
	sample->answer = loom_arena_str(log->arena, text->node.text);
	sample->model = loom_arena_str(log->arena, export_model(text->author));
}

static enum loom_status put_messages(struct log *log, struct sample *sample, struct loom_err *err)
{
	struct export_text text;
	uint32_t *path = NULL;
	const size_t count = export_path_to(log->tree, sample->leaf, &path);
	enum loom_status status = LOOM_OK;

	loom_json_key(&log->json, "messages");
	loom_json_array(&log->json);
	if (log->tree->row.system.n) {
		loom_json_object(&log->json);
		loom_json_put(&log->json, "content", log->tree->row.system);
		loom_json_put(&log->json, "source", LOOM_STR("input"));
		loom_json_put(&log->json, "role", LOOM_STR("system"));
		loom_json_end_object(&log->json);
	}
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		status = export_read(log->ex, log->tree, log->tree->read.nodes[path[i] - 1].id,
				     &text, err);
		if (status == LOOM_OK && text.node.text.n && !text.node.excluded)
			put_message(log, &text, sample);
		if (path[i] == sample->leaf && status == LOOM_OK) {
			loom_ulid_text(&text.node.ulid, sample->ulid);
			memcpy(sample->name, text.name, sizeof sample->name);
		}
	}
	loom_json_end_array(&log->json);
	free(path);
	return status;
}

static void put_output(struct log *log, const struct sample *sample)
{
	struct loom_json *json = &log->json;

	loom_json_key(json, "output");
	loom_json_object(json);
	loom_json_put(json, "model", sample->model);
	loom_json_key(json, "choices");
	loom_json_array(json);
	if (sample->answer.n) {
		loom_json_object(json);
		loom_json_key(json, "message");
		loom_json_object(json);
		loom_json_put(json, "content", sample->answer);
		loom_json_put(json, "role", LOOM_STR("assistant"));
		loom_json_end_object(json);
		loom_json_put(json, "stop_reason", LOOM_STR("stop"));
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_put(json, "completion", sample->answer);
	loom_json_end_object(json);
}

/* A decision about the leaf as a score: correct or incorrect, as Inspect says it. */
static enum loom_status put_score(struct log *log, const struct sample *sample,
				  struct loom_err *err)
{
	const int64_t id = log->tree->read.nodes[sample->leaf - 1].id;
	const struct loom_decision *decision =
		loom_decision_of(log->decisions, log->decision_count, id);
	const struct loom_agent *judge = NULL;
	struct loom_json *json = &log->json;
	enum loom_status status = LOOM_OK;

	if (!decision)
		return LOOM_OK;
	if (decision->by)
		status = export_author(log->ex, decision->by, &judge, err);
	loom_json_key(json, "scores");
	loom_json_object(json);
	loom_json_key(json, "decision");
	loom_json_object(json);
	loom_json_put(json, "value",
		      loom_decision_is_good(decision->kind) ? LOOM_STR("C") : LOOM_STR("I"));
	loom_json_put(json, "answer", sample->answer);
	loom_json_put(json, "explanation", loom_str_of(loom_decision_name(decision->kind)));
	loom_json_key(json, "metadata");
	loom_json_object(json);
	loom_json_put(json, "by", judge ? judge->name : LOOM_STR(""));
	loom_json_put(json, "at", time_of(log, decision->at));
	loom_json_end_object(json);
	loom_json_end_object(json);
	loom_json_end_object(json);
	return status;
}

static enum loom_status put_sample(struct log *log, uint32_t leaf, struct loom_err *err)
{
	struct sample sample = {.leaf = leaf, .model = LOOM_STR_INIT("")};
	struct loom_json *json = &log->json;
	enum loom_status status;

	loom_buf_addc(&log->ex->buf, '\n');
	loom_json_object(json);
	status = put_messages(log, &sample, err);
	if (status != LOOM_OK)
		return status;
	loom_json_put(json, "id", loom_str_of(sample.name));
	loom_json_key(json, "epoch");
	loom_json_number(json, 1);
	loom_json_put(json, "input", sample.input);
	loom_json_put(json, "target", LOOM_STR(""));
	loom_json_put(json, "uuid", loom_str_of(sample.ulid));
	put_output(log, &sample);
	status = put_score(log, &sample, err);
	loom_json_key(json, "metadata");
	loom_json_object(json);
	loom_json_put(json, "tree", loom_str_of(log->ulid));
	loom_json_end_object(json);
	loom_json_end_object(json);
	return status == LOOM_OK ? export_flow(log->ex, err) : status;
}

/* ---- the log ---- */

static enum loom_status find_model(struct log *log, struct loom_err *err)
{
	const struct loom_reading *read = &log->tree->read;
	struct loom_node node;
	const struct loom_agent *author = NULL;
	enum loom_status status = LOOM_OK;

	log->model = LOOM_STR("none/none");
	for (uint32_t n = read->root; n && status == LOOM_OK; n = loom_reading_next(read, n)) {
		status = loom_node_get(log->ex->store, read->nodes[n - 1].id, LOOM_NODE_NARROW,
				       log->ex->step, &node, err);
		if (status == LOOM_OK)
			status = export_author(log->ex, node.author, &author, err);
		loom_arena_reset(log->ex->step);
		if (status == LOOM_OK && export_model(author).n) {
			log->model = loom_arena_str(log->arena, export_model(author));
			break;
		}
	}
	return status;
}

static void put_head(struct log *log)
{
	const struct loom_tree *row = &log->tree->row;
	struct loom_json *json = &log->json;

	loom_json_key(json, "version");
	loom_json_number(json, 2);
	loom_json_put(json, "status", LOOM_STR("success"));
	loom_json_key(json, "eval");
	loom_json_object(json);
	loom_json_put(json, "eval_id", loom_str_of(log->ulid));
	loom_json_put(json, "run_id", loom_str_of(log->ulid));
	loom_json_put(json, "created", time_of(log, row->created));
	loom_json_put(json, "task", row->title.n ? row->title : LOOM_STR("tree"));
	loom_json_put(json, "task_id", loom_str_of(log->ulid));
	loom_json_key(json, "dataset");
	loom_json_object(json);
	loom_json_put(json, "name", row->title);
	loom_json_end_object(json);
	loom_json_put(json, "model", log->model);
	loom_json_key(json, "config");
	loom_json_object(json);
	loom_json_end_object(json);
	loom_json_key(json, "packages");
	loom_json_object(json);
	loom_json_put(json, "loom", LOOM_STR(LOOM_VERSION));
	loom_json_end_object(json);
	loom_json_end_object(json);
}

static enum loom_status put_log(struct exporter *ex, const struct export_tree *tree,
				struct loom_err *err)
{
	struct log log = {.ex = ex, .tree = tree, .arena = loom_arena_create()};
	enum loom_status status = find_model(&log, err);

	if (status == LOOM_OK)
		status = loom_decisions(ex->store, tree->row.id, ex->arena, &log.decisions,
					&log.decision_count, err);
	loom_ulid_text(&tree->row.ulid, log.ulid);
	loom_json_init(&log.json, &ex->buf);
	loom_json_object(&log.json);
	put_head(&log);
	loom_json_key(&log.json, "samples");
	loom_json_array(&log.json);
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n))
		if (!loom_reading_child(&tree->read, n)) {
			status = put_sample(&log, n, err);
			loom_arena_reset(log.arena);
		}
	loom_json_end_array(&log.json);
	loom_json_end_object(&log.json);
	loom_buf_addc(&ex->buf, '\n');
	loom_arena_destroy(log.arena);
	return status;
}

static enum loom_status run_inspect(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_inspect, .put = put_log};

	return export_each(what, &way, err);
}

const struct loom_export_format export_inspect = {
	.name = "inspect",
	.title = "a log of Inspect, a sample per leaf",
	.one_tree = true,
	.holds = {[LOOM_EXPORT_TREE] = LOOM_BESIDE(IDS),
		  [LOOM_EXPORT_TALK] = LOOM_BESIDE(IDS),
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(IDS)},
	.run = run_inspect,
};
