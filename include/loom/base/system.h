/* What the model asks of a kernel beyond POSIX, said once: another system needs another system.c.
 *
 * What else is Linux's own has a file to itself: paths that cannot leave their root (path.c:
 * without openat2 nothing is opened), files without a name (path_write.c: a hidden name in their
 * place), notices of changes (watch.c: -1, and who looks asks again; tui/project/leslie_watch.c:
 * none), the bounded wait for a lock (writer_lock.c: looks again and again), the event loop
 * (tools/loop/loop.c), curses upon memory (tui/terminal/terminal.c), the program's own name
 * (tui/desk/open.c). */
#ifndef MODEL_SYSTEM_H
#define MODEL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_RANDOM_MAX 256

/* Fills up to so many bytes that nobody can guess; false when there are none. */
bool model_random(void *out, size_t n);
/* Gives `from` another name beneath the same folder, or AT_FDCWD, and never replaces what stands
 * there: -1 and errno, EEXIST for that. A file system whose renames cannot promise it (NFS, many of
 * FUSE) does it in two steps: a file is linked to its new name, or that is taken by an empty file
 * first where nothing can be linked; a folder takes the place of an empty one. */
int model_rename_new(int folder, const char *from, const char *to);
/* Swaps two names beneath a folder in one step. -1 and errno; EINVAL or ENOSYS where that cannot be
 * done. */
int model_rename_swap(int folder, const char *a, const char *b);
/* When what stands there was made, ns since 1970: it tells a folder from another one that was given
 * the same number later. 0 where the file system does not keep it. */
int64_t model_birth(const char *path);

#endif
