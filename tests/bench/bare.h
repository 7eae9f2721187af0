/* The store's peer: the engine it stands on, set as the store sets it, and a tree's rows written by
 * other hands into the same schema. */
#ifndef LOOM_TESTS_BENCH_BARE_H
#define LOOM_TESTS_BENCH_BARE_H

#include <sqlite3.h>

#include "support/grove.h"

/* How many nodes a transaction of an import has; the bytes that a node's text has room in. */
enum { BARE_SLICE = 2000, BARE_TEXT_MAX = 400 };

/* The text of the i-th node of a tree, from 40 bytes on, in `room`. */
struct loom_str bare_text(char room[BARE_TEXT_MAX], size_t i);
/* Which earlier node the i-th hangs on: long branches that fork now and then. */
size_t bare_parent(size_t i);

struct bare {
	sqlite3 *db;
	sqlite3_stmt *node;
	sqlite3_stmt *body;
	unsigned char ulid[16];
	unsigned char hash[32];
};

/* The program ends with the error when any of these fails. */
void bare_open(struct bare *bare, const struct grove *grove);
void bare_close(struct bare *bare);
void bare_run(struct bare *bare, const char *sql);
sqlite3_stmt *bare_prepare(struct bare *bare, const char *sql);
void bare_step(struct bare *bare, sqlite3_stmt *stmt);
/* The rows of the i-th node. */
void bare_insert(struct bare *bare, size_t i, struct loom_str text);
/* A tree of `size` nodes into a fresh grove; how long that took, in ms. */
double bare_import(size_t size);

#endif
