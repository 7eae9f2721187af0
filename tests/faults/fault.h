/* How the shims are told what to fail, and where they count: environment variables and one small
 * file that every process of the run maps, so that the count survives kill -9 and spans children.
 *
 *   LOOM_FAULT_AT      which call fails, counted from 1; 0 or unset: none, count only
 *   LOOM_FAULT_STICKY  1: every call from that one on fails
 *   LOOM_FAULT_STATE   the file of counters (struct fault_state); unset: counted per process
 * and for the writes alone
 *   LOOM_FAULT_ERROR   ENOSPC (default) EIO EDQUOT EROFS EMFILE EINTR; SHORT writes the first half
 *                      and says so; KILL ends the process by SIGKILL instead of making the call
 *   LOOM_FAULT_UNDER   only calls on files beneath this folder (its real path) count; unset: all
 *                      regular files
 */
#ifndef LOOM_TESTS_FAULTS_FAULT_H
#define LOOM_TESTS_FAULTS_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fault_state {
	_Atomic uint64_t calls;  /* how many calls counted */
	_Atomic uint64_t failed; /* how many of them failed by the shim's doing */
};

/* Orders for one shim. */
struct fault_plan {
	struct fault_state own; /* where it counts without a file */
	struct fault_state *state;
	uint64_t at;
	bool sticky;
};

/* Reads the orders from the environment; allocates nothing. */
void fault_plan_init(struct fault_plan *plan);
/* Counts one call; true when it is one to fail. */
bool fault_due(struct fault_plan *plan);

#endif
