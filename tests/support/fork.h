/* Other processes on the same grove. A connection must not cross a fork, so the store is closed
 * around it and opened again on both sides. */
#ifndef LOOM_TESTS_SUPPORT_FORK_H
#define LOOM_TESTS_SUPPORT_FORK_H

#include "support/grove.h"

struct grove_child {
	int pid;
	int go;   /* parent → child */
	int said; /* child → parent */
};

/* In the parent true, grove->store open again. In the child false, once grove_child_go was called,
 * with a store of its own; it ends by _exit. */
bool grove_fork(struct grove *grove, struct grove_child *child);
/* Lets the child begin. */
void grove_child_go(struct grove_child *child);
/* In the child: says one thing; in the parent: waits for it. False when the child has ended. */
void grove_child_say(const struct grove_child *child);
bool grove_child_hear(const struct grove_child *child);
/* Whether the child has ended. */
bool grove_child_ended(struct grove_child *child, int *out_status);
/* Waits for the end; the exit status, or 128 and the signal. */
int grove_child_wait(struct grove_child *child);
/* By signal 9. */
void grove_child_kill(struct grove_child *child);

#endif
