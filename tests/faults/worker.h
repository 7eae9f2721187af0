/* A store at work: what the worker and the oracle of the kill loop and the power cuts share. */
#ifndef LOOM_TESTS_FAULTS_WORKER_H
#define LOOM_TESTS_FAULTS_WORKER_H

#include <loom/tree/document.h>
#include <loom/grove/draft.h>
#include <loom/grove/presence.h>
#include <loom/work/thread.h>

#include "support/prop.h"

struct bench {
	struct loom_env env;
	const char *dir;
	struct loom_store *store;
	struct loom_arena *arena;
	struct prop prop;
	struct loom_session *session;
	struct loom_err err;
	int64_t owner;
	int64_t model;
	int64_t trees[2];
	int64_t doc;
	int64_t thread;
	int64_t position;
	int64_t recent[16]; /* nodes to write below, of either tree */
	size_t recents;
	struct loom_op_id id; /* of the operation under way */
	char hex[33];
	bool acks;
};

/* Opens the grove that `worker_store init` made; false: `err` says why. Closed in both cases. */
bool worker_open(struct bench *bench, const char *dir, enum loom_access access);
void worker_close(struct bench *bench);

/* Whether every line of $LOOM_ACKED is so and the grove is sound: 0, else 1 and what is not. */
int worker_check(const char *dir);

#endif
