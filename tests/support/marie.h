/* The grove that the language's examples speak of: a tree of Marie with a collaborator in it, and
 * calls said as a turn of hers. Tests write the examples' own ids; here they stand for the ids that
 * the store gives. For tests of the room tools. */
#ifndef LOOM_TESTS_SUPPORT_MARIE_H
#define LOOM_TESTS_SUPPORT_MARIE_H

#include <ctype.h>

#include <loom/tree/document.h>
#include <loom/grove/draft.h>
#include <loom/engine/engine.h>
#include <loom/grove/grant.h>
#include <loom/tree/mark.h>
#include <loom/language/parse.h>
#include <loom/work/thread.h>

#include "support/grove.h"

#define MARIE_MINUTE INT64_C(60000)

/* By number in the tree; what is made later goes on at h2s3. */
static const char *const marie_names[] = {"r001", "k2a3", "k3b4", "k4c5", "k5d6", "k6e7", "k7f8",
					  "a7x2", "b3k9", "c4m2", "d5n7", "e6p4", "f7q8", "g8r2",
					  "h2s3", "j4t5", "m6u7", "n8v9", "p2w3", "q4x5", "s6y7"};
static const char *const marie_draft_names[] = {"r001", "x9y3", "x8w7"};

#define MARIE_A7X2 7

struct marie {
	struct grove grove;
	int64_t tree;
	int64_t draft; /* the tree "earlier draft" */
	uint64_t key;
	uint64_t draft_key;
	int64_t nodes[14]; /* of marie_names */
	int64_t agent;     /* Claude, loom-aware */
	struct loom_ulid agent_ulid;
	struct loom_engine *engine;
	struct loom_engine_opts opts;
	struct loom_result last;
	struct loom_buf out;
	struct loom_buf text;
	/* what a model answers: a text each, NULL: nothing */
	const char *const *answers;
	size_t answer_count;
	size_t asked; /* choices asked for in the last generation */
	size_t batches;
};

static inline void marie_must(enum loom_status status, const struct loom_err *err)
{
	grove_must(status, err, "marie");
}

static inline const char *marie_real(const struct marie *marie, const char *name)
{
	static char out[LOOM_LOCAL_MAX];

	for (size_t i = 0; i < LOOM_COUNT(marie_names); i++)
		if (strcmp(name, marie_names[i]) == 0) {
			loom_local_text(marie->key, (struct loom_local){.num = (int64_t)i}, out);
			return out;
		}
	for (size_t i = 0; i < LOOM_COUNT(marie_draft_names); i++)
		if (strcmp(name, marie_draft_names[i]) == 0) {
			loom_local_text(marie->draft_key, (struct loom_local){.num = (int64_t)i},
					out);
			return out;
		}
	return NULL;
}

static inline const char *marie_fake(const struct marie *marie, const char *name)
{
	char real[LOOM_LOCAL_MAX];

	for (size_t i = 0; i < LOOM_COUNT(marie_names); i++) {
		loom_local_text(marie->key, (struct loom_local){.num = (int64_t)i}, real);
		if (strcmp(name, real) == 0)
			return marie_names[i];
	}
	for (size_t i = 0; i < LOOM_COUNT(marie_draft_names); i++) {
		loom_local_text(marie->draft_key, (struct loom_local){.num = (int64_t)i}, real);
		if (strcmp(name, real) == 0)
			return marie_draft_names[i];
	}
	return NULL;
}

/* Appends the text with each word that names a node put into the other naming. */
static inline void marie_translate(const struct marie *marie, struct loom_str text, bool to_real,
				   struct loom_buf *out)
{
	for (size_t at = 0; at < text.n;) {
		size_t end = at;
		char word[8] = "";
		const char *other = NULL;

		while (end < text.n && isalnum((unsigned char)text.p[end]))
			end++;
		if (end - at == 4) {
			memcpy(word, text.p + at, 4);
			other = to_real ? marie_real(marie, word) : marie_fake(marie, word);
		}
		if (other)
			loom_buf_adds(out, other);
		else
			loom_buf_add(out, loom_str_sub(text, at, end - at));
		if (end < text.n && end == at)
			loom_buf_addc(out, text.p[end]);
		at = end > at ? end : at + 1;
	}
}

static inline int64_t marie_node(struct marie *marie, int64_t from, int64_t author,
				 const char *text, int64_t minutes)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = author,
				      .seq = -1,
				      .created = marie->grove.env.now_ms - minutes * MARIE_MINUTE};
	int64_t node = 0;

	grove_begin(&marie->grove, "respond");
	marie_must(loom_node_create(marie->grove.store, &spec, &node, &err), &err);
	grove_commit(&marie->grove);
	return node;
}

static inline int64_t marie_tree(struct marie *marie, const char *title, enum loom_mode mode,
				 const char *root, uint64_t *key)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree_spec spec = {.mode = mode,
				      .title = loom_str_of(title),
				      .root_text = loom_str_of(root),
				      .author = marie->grove.owner};
	struct loom_tree row;
	int64_t tree = 0;

	grove_begin(&marie->grove, "new");
	marie_must(loom_tree_create(marie->grove.store, &spec, &tree, &err), &err);
	grove_commit(&marie->grove);
	marie_must(loom_tree_get(marie->grove.store, tree, marie->grove.arena, &row, &err), &err);
	*key = row.key;
	return tree;
}

static inline int64_t marie_agent(struct marie *marie, const char *name, bool aware,
				  struct loom_ulid *ulid)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent spec = {.name = loom_str_of(name),
				  .kind = LOOM_AGENT_MODEL,
				  .aware = aware};
	struct loom_agent row;
	int64_t agent = 0;

	grove_begin(&marie->grove, "agent");
	marie_must(loom_agent_create(marie->grove.store, &spec, &agent, &err), &err);
	grove_commit(&marie->grove);
	marie_must(loom_agent_get(marie->grove.store, agent, marie->grove.arena, &row, &err), &err);
	if (ulid)
		*ulid = row.ulid;
	return agent;
}

static inline void marie_doc(struct marie *marie, const char *name, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t doc = 0;

	grove_begin(&marie->grove, "write");
	marie_must(loom_doc_create(marie->grove.store, loom_str_of(name), loom_str_of(text),
				   marie->grove.owner, &doc, &err),
		   &err);
	grove_commit(&marie->grove);
}

/* A fresh engine for `agent`, as another process would have it. */
static inline void marie_engine(struct marie *marie, int64_t agent)
{
	struct loom_err err = {.status = LOOM_OK};

	loom_engine_close(marie->engine);
	marie->opts.store = marie->grove.store;
	marie->opts.agent = agent;
	if (!marie->opts.tree)
		marie->opts.tree = marie->tree;
	marie_must(loom_engine_open(&marie->opts, &marie->engine, &err), &err);
}

static inline void marie_grant(struct marie *marie, unsigned may)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = may};

	marie_must(loom_grant_set(marie->grove.store, &marie->agent_ulid, &grant, &err), &err);
	marie_must(loom_engine_turn(marie->engine, -1, &err), &err);
}

/* The tree of the examples, in a mode. Claude may do everything but cross trees. */
static inline void marie_init(struct marie *marie, enum loom_mode mode)
{
	static const struct {
		size_t num;
		size_t from;
		bool model;
		const char *text;
	} rows[] = {
		{1, 0, false, "One."},
		{2, 1, true, "Two."},
		{3, 2, false, "Three."},
		{4, 3, true, "Four."},
		{5, 4, false, "Five."},
		{6, 5, true, "Six."},
		{7, 6, false,
		 "Marie's reluctance stems from her childhood, not the immediate conflict."},
		{8, 7, true, "Building on the childhood trauma theme, she turns back."},
		{9, 7, true, "She says nothing."},
		{10, 7, true, "The letter burns."},
		{11, 8, true, "Then rain."},
		{12, 11, true, "Then nothing."},
		{13, 9, true, "Silence held."},
	};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = LOOM_MAY_ALL};
	int64_t draft_root = 0;

	memset(marie, 0, sizeof *marie);
	grove_init(&marie->grove);
	loom_buf_init(&marie->out, LOOM_BUF_MAX);
	loom_buf_init(&marie->text, LOOM_BUF_MAX);
	marie->tree = marie_tree(marie, "Marie Character Study", mode, "Begin.", &marie->key);
	marie->draft = marie_tree(marie, "earlier draft", mode, "Draft.", &marie->draft_key);
	marie->nodes[0] = grove_root(&marie->grove, marie->tree);
	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		marie->nodes[rows[i].num] =
			marie_node(marie, marie->nodes[rows[i].from],
				   rows[i].model ? marie->grove.model : marie->grove.owner,
				   rows[i].text, 3);
	draft_root = grove_root(&marie->grove, marie->draft);
	marie_node(marie, draft_root, marie->grove.owner, "Same scene, another way.", 3);
	marie_doc(marie, "character notes",
		  "# Marie\nTall.\n\n## motivation\nFear of loss.\n\n## voice\nLow and slow.\n");
	marie->agent = marie_agent(marie, "Claude", true, &marie->agent_ulid);
	marie_must(loom_grant_set(marie->grove.store, &marie->agent_ulid, &grant, &err), &err);
	marie_engine(marie, marie->agent);
	marie_must(loom_engine_stand(marie->engine, loom_str_of(marie_real(marie, "a7x2")), &err),
		   &err);
}

static inline void marie_fini(struct marie *marie)
{
	loom_engine_close(marie->engine);
	loom_buf_fini(&marie->out);
	loom_buf_fini(&marie->text);
	grove_fini(&marie->grove);
}

/* The models answer at once. */
static inline void marie_answer(struct marie *marie, struct loom_result *result)
{
	const size_t voice_count = loom_engine_voices(marie->engine);
	struct loom_voice_info *voices =
		LOOM_ARENA_ARRAY(marie->grove.arena, voice_count, struct loom_voice_info);
	struct loom_generated *choices = NULL;
	struct loom_err err = {.status = LOOM_OK};

	for (size_t i = 0; i < voice_count; i++)
		voices[i] = (struct loom_voice_info){.context = 4096, .tokens = 50};
	if (loom_engine_assemble(marie->engine, voices, NULL, &err) != LOOM_OK) {
		(void)loom_engine_generated(marie->engine, NULL, &err, result);
		return;
	}
	marie->asked = loom_engine_choices(marie->engine);
	choices = LOOM_ARENA_ARRAY(marie->grove.arena, marie->asked, struct loom_generated);
	for (size_t i = 0; i < marie->asked; i++) {
		const char *text = i < marie->answer_count ? marie->answers[i] : NULL;
		struct loom_chunk chunk = {i, loom_str_of(text)};
		struct loom_growth growth = {marie->engine, &chunk, 1};

		choices[i].text = choices[i].raw = loom_str_of(text);
		choices[i].record = LOOM_STR("{\"finish\":\"stop\"}");
		if (text) {
			marie_must(loom_engine_stream(marie->grove.store, &growth, 1, &err), &err);
			continue;
		}
		choices[i].finish = LOOM_FINISH_ERROR;
		(void)loom_fail(&choices[i].err, LOOM_MODEL, "server: HTTP 500, it is broken");
	}
	if (loom_engine_generated(marie->engine, choices, NULL, result) == LOOM_ENGINE_GENERATE)
		marie_answer(marie, result);
}

static inline void marie_call(struct marie *marie, const struct loom_call *call)
{
	if (loom_engine_call(marie->engine, call, &marie->last) == LOOM_ENGINE_GENERATE)
		marie_answer(marie, &marie->last);
}

/* Runs a turn of the engine's agent; `see` looks at each result, which is marie->last. */
static inline void marie_turn(struct marie *marie, const char *said, void (*see)(void *ctx),
			      void *ctx)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	struct loom_buf real = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	size_t error = 0;

	marie_must(loom_engine_turn(marie->engine, -1, &err), &err);
	marie_translate(marie, loom_str_of(said), true, &real);
	loom_turn_feed(turn, loom_buf_str(&real));
	loom_turn_end(turn);
	for (size_t i = 0; i < turn->call_count || error < turn->error_count;) {
		if (error < turn->error_count &&
		    (i == turn->call_count || turn->errors[error].line < turn->calls[i].line))
			loom_engine_refuse(marie->engine, &turn->errors[error++], &marie->last);
		else
			marie_call(marie, &turn->calls[i++]);
		see(ctx);
	}
	marie->batches = turn->batch_count;
	loom_engine_yield(marie->engine);
	loom_turn_destroy(turn);
	loom_buf_fini(&real);
}

static inline void marie_add_last(void *ctx)
{
	struct marie *marie = ctx;

	if (marie->text.n)
		loom_buf_adds(&marie->text, "\n\n");
	loom_buf_add(&marie->text, marie->last.line);
	loom_buf_addc(&marie->text, '\n');
	loom_buf_add(&marie->text, marie->last.text);
}

/* Such a turn; what is printed, in the examples' naming, is in marie->out and is returned. */
static inline const char *marie_say(struct marie *marie, const char *said)
{
	loom_buf_clear(&marie->text);
	marie_turn(marie, said, marie_add_last, marie);
	loom_buf_clear(&marie->out);
	marie_translate(marie, loom_buf_str(&marie->text), false, &marie->out);
	return loom_buf_cstr(&marie->out);
}

/* The result below the line of the last call, with the examples' ids. */
static inline const char *marie_result(struct marie *marie, const char *said)
{
	(void)marie_say(marie, said);
	loom_buf_clear(&marie->out);
	marie_translate(marie, marie->last.text, false, &marie->out);
	return loom_buf_cstr(&marie->out);
}

#endif
