/* A grove, and what models are told of it: short forms for the tests of contexts. */
#ifndef LOOM_TESTS_SUPPORT_TOLD_H
#define LOOM_TESTS_SUPPORT_TOLD_H

#include <loom/context/context.h>
#include <loom/tree/document.h>
#include <loom/grove/grant.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/work/thread_log.h>

#include "support/grove.h"
#include "support/ok.h"

#define MINUTE INT64_C(60000)

static struct grove g;
static struct loom_err err;
static struct loom_buf want;

static inline void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	loom_buf_init(&want, LOOM_BUF_MAX);
}

static inline void tear_down(void *unused)
{
	(void)unused;
	loom_buf_fini(&want);
	grove_fini(&g);
}

/* ---- a world ---- */

static inline int64_t add_as(int64_t from, int64_t author, enum loom_node_kind kind,
			     const char *text)
{
	struct loom_node_spec spec = {.from = from,
				      .kind = kind,
				      .text = loom_str_of(text),
				      .author = author,
				      .seq = -1,
				      .created = g.env.now_ms - 3 * MINUTE};
	int64_t node = 0;

	grove_begin(&g, "respond");
	grove_must(loom_node_create(g.store, &spec, &node, &err), &err, "node");
	grove_commit(&g);
	return node;
}

static inline int64_t add(int64_t from, int64_t author, const char *text)
{
	return add_as(from, author, LOOM_CONTINUATION, text);
}

static inline struct loom_agent claude(unsigned may)
{
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .aware = true};
	struct loom_grant grant = {.may = may};
	struct loom_agent row;
	int64_t agent = 0;

	grove_begin(&g, "agent");
	grove_must(loom_agent_create(g.store, &spec, &agent, &err), &err, "agent");
	grove_commit(&g);
	grove_must(loom_agent_get(g.store, agent, g.arena, &row, &err), &err, "agent");
	grove_must(loom_grant_set(g.store, &row.ulid, &grant, &err), &err, "grant");
	return row;
}

static inline int64_t thread_at(int64_t agent, int64_t tree, int64_t node)
{
	struct loom_thread thread;

	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(g.store, agent, tree, g.arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_thread_move(g.store, thread.id, node, &err), &err, "move");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	return thread.id;
}

static inline void pin(int64_t thread, struct loom_pin what)
{
	bool changed = false;

	grove_begin(&g, "pin");
	grove_must(loom_pin_set(g.store, thread, &what, true, &changed, &err), &err, "pin");
	grove_commit(&g);
}

static inline void stash(int64_t thread, const char *label, const char *text, bool recalled)
{
	struct loom_stash spec = {.label = loom_str_of(label), .text = loom_str_of(text)};
	struct loom_stash row;
	bool changed = false;

	grove_begin(&g, "stash");
	grove_must(loom_stash_create(g.store, thread, &spec, &err), &err, "stash");
	grove_must(loom_stash_find(g.store, thread, spec.label, g.arena, &row, &err), &err,
		   "stash");
	if (recalled)
		grove_must(loom_stash_recall(g.store, row.id, true, &changed, &err), &err,
			   "recall");
	grove_commit(&g);
}

static inline int64_t doc(const char *name, const char *text)
{
	int64_t made = 0;

	grove_begin(&g, "write");
	grove_must(loom_doc_create(g.store, loom_str_of(name), loom_str_of(text), g.owner, &made,
				   &err),
		   &err, "doc");
	grove_commit(&g);
	return made;
}

static inline void append(int64_t thread, const char *kind, const char *payload)
{
	struct loom_log_row row = {.kind = loom_str_of(kind), .payload = loom_str_of(payload)};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t seq = 0;

	grove_must(loom_thread_log_open(g.store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(log.ops->begin(log.ctx, &err), &err, "begin");
	grove_must(loom_log_append(&log, &row, &seq, &err), &err, "append");
	grove_must(log.ops->commit(log.ctx, &err), &err, "commit");
	loom_thread_log_close(keeper);
}

static inline int64_t head_of(int64_t thread)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t head = 0;

	grove_must(loom_thread_log_open(g.store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(log.ops->head(log.ctx, &head, &err), &err, "head");
	loom_thread_log_close(keeper);
	return head;
}

/* Records a prompt as sent. */
static inline void keep_input(int64_t thread, const struct loom_assembly *prompt)
{
	const struct loom_input input = {.request = LOOM_STR("r")};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;

	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_thread_log_open(g.store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	grove_must(loom_input_keep(g.store, &log, &input, prompt, &err), &err, "input");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	loom_thread_log_close(keeper);
}

static inline void act(int64_t thread, const char *call, const char *code, const char *result)
{
	char payload[400];

	snprintf(payload, sizeof payload, "{\"call\":\"%s\",\"code\":\"%s\",\"result\":\"%s\"}",
		 call, code, result);
	append(thread, LOOM_KIND_ACTION, payload);
}

static inline void mark_excluded(int64_t node)
{
	bool changed = false;

	grove_begin(&g, "exclude");
	grove_must(loom_exclude_set(g.store, node, true, &changed, &err), &err, "exclude");
	grove_commit(&g);
}

static inline void subject(int64_t tip, int64_t thread, int64_t budget, struct loom_assembly *out)
{
	struct loom_subject_opts opts = {.tip = tip, .thread = thread, .budget = budget};

	grove_must(loom_assemble_subject(g.store, &opts, g.arena, out, &err), &err, "subject");
}

static inline struct loom_aware_opts aware(const struct loom_agent *agent, int64_t thread)
{
	return (struct loom_aware_opts){.agent = agent,
					.thread = thread,
					.at = LOOM_SEQ_HEAD,
					.turn_seq = LOOM_SEQ_HEAD};
}

static inline const char *messages(const struct loom_assembly *assembly)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str copy;

	loom_json_init(&json, &text);
	loom_assembly_messages_json(assembly, &json);
	copy = loom_arena_buf(g.arena, &text);
	loom_buf_fini(&text);
	return copy.p;
}

static inline const char *part(const struct loom_assembly *assembly, enum loom_part which)
{
	struct loom_str text = loom_assembly_part(assembly, which, g.arena);

	return text.p ? text.p : "";
}

static inline const struct loom_left_out *left_out(const struct loom_assembly *assembly,
						   const char *what)
{
	for (size_t i = 0; i < assembly->left_out_count; i++)
		if (loom_str_is(assembly->left_out[i].what, what))
			return &assembly->left_out[i];
	return NULL;
}

static inline const char *label(int64_t node)
{
	return loom_arena_format(g.arena, "[%s]", grove_name(&g, node)).p;
}

#endif
