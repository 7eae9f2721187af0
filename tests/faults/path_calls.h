/* The system calls of the file rooms, with some that fail: the linker puts these in place of the C
 * library's (--wrap in CMakeLists.txt). Nothing is synced for good, to be quick. */
#ifndef LOOM_TESTS_FAULTS_PATH_CALLS_H
#define LOOM_TESTS_FAULTS_PATH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Besides an errno: half of the bytes, or a name as long as there is room. */
enum { CALL_CUT = -1 };

/* The kind of file system, and which call fails how. */
struct call_plan {
	bool no_nameless; /* it knows no files without a name */
	bool no_kinds;    /* its folders do not say what a name stands for */
	bool no_flags;    /* its renames take none */
	bool no_links;    /* it knows one name a file */
	const char *only; /* only calls of this name count; NULL: all */
	int64_t at;       /* the one that fails, from 1; 0: none */
	bool sticky;      /* and many behind it */
	int error;
};

/* From now on; the plan is borrowed. */
void calls_arm(const struct call_plan *plan);
/* No longer; true when a call has failed. */
bool calls_disarm(void);

#endif
