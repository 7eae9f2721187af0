/* The calls that change files, as a preloaded library meets them (shim_calls.c), and what it does
 * about them: shim_writes.c refuses some, shim_record.c notes all. */
#ifndef LOOM_TESTS_FAULTS_SHIM_H
#define LOOM_TESTS_FAULTS_SHIM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Besides an errno, what a call may be told to do. */
enum { SHIM_GO_ON = 0, SHIM_HALF = -1 };

enum shim_kind {
	SHIM_OPENED, /* fd; created: there was nothing of that name */
	SHIM_WROTE,  /* fd, bytes, n, at */
	SHIM_SIZED,  /* fd, at */
	SHIM_SYNCED, /* fd */
	SHIM_RENAMED,
	SHIM_EXCHANGED,
	SHIM_LINKED,
	SHIM_UNLINKED, /* a file or an empty folder */
	SHIM_MADE      /* a folder */
};

/* A call that worked. */
struct shim_call {
	enum shim_kind kind;
	int fd;
	bool created;
	const void *bytes;
	size_t n;
	int64_t at; /* -1: n bytes before where the descriptor stands */
	int dir;
	const char *name;
	int to_dir;
	const char *to;
};

/* --- what each library says --- */

/* Before a call on a descriptor, or one that makes or removes a name: GO_ON, HALF or an errno. */
int shim_due_fd(int fd);
int shim_due_path(int dir, const char *name);
/* After one that worked. */
void shim_done(const struct shim_call *call);

/* --- what they may ask --- */

/* Finds the path of a descriptor. False when it is not a file of a folder. */
bool shim_path_of_fd(int fd, char path[PATH_MAX]);
/* The folder that a name stands in, links resolved; false when it is not there. */
bool shim_folder_of(int dir, const char *name, char folder[PATH_MAX]);
/* Whether a path is LOOM_FAULT_UNDER or beneath it; everything is when that is unset. */
bool shim_is_beneath(const char *path);

#endif
