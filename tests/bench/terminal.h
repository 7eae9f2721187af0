/* A program on a pseudo-terminal that measures how long it takes to paint. It answers nothing, as a
 * terminal that knows no queries; what counts as painted is the last byte before a silence. */
#ifndef LOOM_TESTS_BENCH_TERMINAL_H
#define LOOM_TESTS_BENCH_TERMINAL_H

#include <sys/types.h>

#include <loom/base/str.h>

struct terminal {
	pid_t pid;
	int fd;
	int64_t began; /* ns: when it was started */
	uint64_t bytes;
	struct loom_buf tail; /* the last of what it wrote */
};

/* Starts argv (NULL-ended) on 120x40 with `home` as every home folder. The program ends when that
 * fails. */
void terminal_open(struct terminal *terminal, const char *const argv[], const char *home);
/* Reads until nothing came for `quiet_ms`; ns when the last byte came (when none: the beginning of
 * the call). With `until`: not before that text has come. */
int64_t terminal_settle(struct terminal *terminal, int quiet_ms, const char *until);
/* Writes keys, settles; ms from the first byte written to the last read. */
double terminal_key(struct terminal *terminal, const char *keys, int quiet_ms);
/* MiB that its process has in memory. */
double terminal_resident(const struct terminal *terminal);
/* Kills and frees. */
void terminal_close(struct terminal *terminal);

#endif
