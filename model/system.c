/* What the model asks of Linux beyond POSIX. */
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/types.h>

#ifndef RENAME_NOREPLACE /* a C library that does not know the call */
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

static int renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

bool model_random(void *out, size_t n)
{
	ssize_t got;

	do
		got = getrandom(out, n, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)n;
}

int model_rename_new(int folder, const char *from, const char *to)
{
	return renameat2(folder, from, folder, to, RENAME_NOREPLACE);
}

int model_rename_swap(int folder, const char *a, const char *b)
{
	return renameat2(folder, a, folder, b, RENAME_EXCHANGE);
}
