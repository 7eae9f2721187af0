/* The unit tests once more, with each grove in a shared log: linked into a test program, this puts
 * a grove into a log of its own when it is made, and compares it with a clone when it is closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <loom/grove/sql.h>
#include <loom/remote/remote.h>
#include <loom/tree/open_store.h>

#include "support/raw.h"
#include "support/replica.h"

enum loom_status __real_loom_grove_init(struct loom_env *env, struct loom_str dir,
					struct loom_err *err);
enum loom_status __wrap_loom_grove_init(struct loom_env *env, struct loom_str dir,
					struct loom_err *err);
void __real_loom_store_close(struct loom_store *store);
void __wrap_loom_store_close(struct loom_store *store);
void __real_raw_exec(const struct grove *grove, const char *sql);
void __wrap_raw_exec(const struct grove *grove, const char *sql);

/* The logs of this process and its children, gone when it ends. */
static struct temp logs;
static pid_t owner;
static int count;
static bool spoiled; /* the test has written behind the store's back */

static void remove_logs(void)
{
	if (owner == getpid())
		temp_fini(&logs);
}

enum loom_status __wrap_loom_grove_init(struct loom_env *env, struct loom_str dir,
					struct loom_err *err)
{
	char url[300];
	char real[4096];
	char wanted[4096];
	enum loom_status status = __real_loom_grove_init(env, dir, err);

	if (status != LOOM_OK)
		return status;
	if (!owner) {
		temp_init(&logs);
		owner = getpid();
		atexit(remove_logs);
	}
	spoiled = false;
	snprintf(url, sizeof url, "file://%s/%d-%d.loomlog", logs.path, getpid(), count++);
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(dir));
	if (!realpath(wanted, real))
		exit(99);
	return loom_remote_add(env, loom_str_of(real), loom_str_of(url), NULL, err);
}

static const char *var(void *ctx, const char *name)
{
	return strncmp(name, "XDG_", 4) == 0 || strcmp(name, "HOME") == 0 ? ctx : NULL;
}

/* Nothing of the test's world is in the clone's. */
static void compare(struct loom_store *store, struct loom_str url)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_env env = *store->env;
	struct loom_store *clone = NULL;
	struct temp dir;

	temp_init(&dir);
	env.var = var;
	env.ctx = dir.path;
	grove_must(loom_remote_clone(&env, loom_str_of(dir.path), url, &err), &err, "clone");
	grove_must(loom_store_open(&env, loom_str_of(dir.path), LOOM_WRITE, &clone, &err), &err,
		   "open the clone");
	grove_must(loom_remote_follow(clone, &err), &err, "follow");
	if (!replica_same(store, clone)) {
		fprintf(stderr, "the clone of a grove is not what it is\n");
		_exit(98);
	}
	__real_loom_store_close(clone);
	temp_fini(&dir);
}

void __wrap_loom_store_close(struct loom_store *store)
{
	struct loom_arena *arena = NULL;
	struct loom_remote_place place;
	struct loom_err err;

	if (store && store->remote && !spoiled && !store->writing && !store->strange &&
	    !store->views) {
		arena = loom_arena_create();
		if (loom_quiet_begin(store, &err) == LOOM_OK) {
			model_remote_flush(store);
			if (loom_quiet_end(store, LOOM_OK, &err) == LOOM_OK &&
			    loom_remote_where(store, arena, &place, &err) == LOOM_OK && place.url.n)
				compare(store, place.url);
		}
		loom_arena_destroy(arena);
	}
	__real_loom_store_close(store);
}

void __wrap_raw_exec(const struct grove *grove, const char *sql)
{
	spoiled = true;
	__real_raw_exec(grove, sql);
}
