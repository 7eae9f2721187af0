/* The log that shim_record.c writes and power_cut.c replays: a header, then its path, the second
 * path and its bytes, each as long as the header says. Paths are relative to LOOM_FAULT_UNDER, the
 * folder itself is the empty one. */
#ifndef LOOM_TESTS_FAULTS_RECORD_H
#define LOOM_TESTS_FAULTS_RECORD_H

#include <stdint.h>

/* Besides enum shim_kind: bytes on the descriptor of acknowledgements. */
enum { RECORD_ACK = 100 };

struct record_head {
	uint32_t kind;
	uint32_t path;
	uint32_t to;
	uint32_t bytes;
	uint64_t file; /* its inode number, 0 where a name alone is meant */
	int64_t at;
};

#endif
