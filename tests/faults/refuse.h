/* SQLite as the store calls it, with one call that fails: the linker puts these in place of the
 * library's own (--wrap in CMakeLists.txt). ROLLBACK always works, as the library promises. */
#ifndef LOOM_TESTS_FAULTS_REFUSE_H
#define LOOM_TESTS_FAULTS_REFUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <loom/base/err.h>

/* The error of the failing call, and the status the store must make of it. */
struct refuse_how {
	int code;
	int system_error;
	enum loom_status status;
};

/* The n-th way of failing; they go round. */
const struct refuse_how *refuse_how(int64_t n);

/* From now on the `at`-th call fails (and with `sticky` all behind it), in the way `how`. */
void refuse_arm(int64_t at, const struct refuse_how *how, bool sticky);
/* No longer; true when a call has failed. */
bool refuse_disarm(void);

/* The machine does not say which boot this is; it has no locks to give. */
void refuse_boot(bool refused);
void refuse_locks(bool refused);
/* Every disk says that it is of this kind (linux/magic.h); 0: what it is. */
void refuse_disk(long kind);
/* How many ways of failing there are. */
int64_t refuse_ways(void);

#endif
