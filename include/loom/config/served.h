/* Servers that loom starts for a model's file on this machine: one for each file, for all looms of
 * this account, watched by a process of its own. What it is reached by lies in the state directory:
 * a key that only this account can read, the port, and two locks. The watcher holds one of them as
 * long as it lives; whoever uses the server holds the other. */
#ifndef LOOM_SERVED_H
#define LOOM_SERVED_H

#include <loom/base/arena.h>
#include <loom/base/env.h>

struct loom_served {
	struct loom_str file; /* absolute */
	struct loom_str key, port_file, log;
	struct loom_str guard, use; /* the locks */
	bool running;
	int port; /* 0 when it is not running */
};

/* Whether the name of a model is that of a file to serve. */
bool loom_served_is_file(struct loom_str alias);
/* The directory of the servers, in the arena; empty without a home directory. */
struct loom_str loom_served_dir(const struct loom_env *env, struct loom_arena *arena);
/* Finds the server of a file; everything in the arena. */
void loom_served_find(struct loom_str dir, struct loom_str file, struct loom_arena *arena,
		      struct loom_served *out);
/* Holds the server until the descriptor is closed; -1 when it cannot. */
int loom_served_hold(const struct loom_served *served);
/* Lets the server stay for a while after a single command. */
void loom_served_touch(const struct loom_served *served);

#endif
