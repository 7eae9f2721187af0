/* A grove of a test's own: a folder, a fixed world, an open store; asserting short forms. */
#ifndef LOOM_TESTS_SUPPORT_GROVE_H
#define LOOM_TESTS_SUPPORT_GROVE_H

#include <loom/tree/agent.h>
#include <loom/tree/node.h>

#include "support/temp.h"

struct grove {
	struct temp temp;
	struct loom_env env; /* fixed clock, seed 1, XDG homes inside the folder */
	struct loom_store *store;
	struct loom_arena *arena;
	int64_t owner;
	int64_t model;  /* the agent "ngram" */
	const char *me; /* LOOM_ME; NULL: unset */
};

/* Makes and opens, founded by Olga; the program ends with the error when that fails. */
void grove_init(struct grove *grove);
void grove_fini(struct grove *grove);
/* Closes and opens again, as another process would find it. */
void grove_reopen(struct grove *grove);
/* A second connection on the same grove. */
struct loom_store *grove_connect(struct grove *grove, enum loom_access access);
/* Opens a writing worker's store; the context is the grove. */
enum loom_status grove_writer_open(void *grove, void **out, struct loom_err *err);
void grove_writer_close(void *store);

/* One operation each; an error ends the program. */
int64_t grove_tree(struct grove *grove, enum loom_mode mode, const char *root_text);
int64_t grove_node(struct grove *grove, int64_t from, const char *text);
int64_t grove_edit(struct grove *grove, int64_t node, const char *text);
int64_t grove_note(struct grove *grove, int64_t node, const char *text);
void grove_prune(struct grove *grove, int64_t node);
void grove_restore(struct grove *grove, int64_t node);
/* The root of a tree. */
int64_t grove_root(struct grove *grove, int64_t tree);
struct loom_node grove_get(struct grove *grove, int64_t node);
/* The local id, in the grove's arena. */
const char *grove_name(struct grove *grove, int64_t node);
/* An operation of the owner's that has begun. */
void grove_begin(struct grove *grove, const char *kind);
/* Begins an operation in the name of any actor. */
void grove_begin_by(struct grove *grove, int64_t actor, const char *kind);
int64_t grove_commit(struct grove *grove);
/* Ends the program with the error when `status` is one. */
void grove_must(enum loom_status status, const struct loom_err *err, const char *what);

#endif
