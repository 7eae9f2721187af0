/* What the model needs from the kernel beyond POSIX, in one place: porting means writing another
 * system.c.
 *
 * Other Linux features have files of their own: paths that cannot leave their root (path.c; without
 * openat2 nothing is opened), unnamed files (path_write.c; falls back to a hidden name), change
 * notices (watch.c returns -1 and callers poll; tui/project/leslie_watch.c does without), the
 * bounded wait for a lock (writer_lock.c polls), the event loop (tools/loop/loop.c), curses on a
 * memory buffer (tui/terminal/terminal.c), the program's own path (tui/desk/open.c). */
#ifndef MODEL_SYSTEM_H
#define MODEL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_RANDOM_MAX 256

/* Fills `out` with `n` unpredictable bytes; false if the system has none. */
bool model_random(void *out, size_t n);
/* Renames `from` to `to` beneath `folder` (or AT_FDCWD) without ever replacing anything. Returns -1
 * with errno, EEXIST if `to` exists. Where the file system cannot do this in one step (NFS, many
 * FUSE ones) it takes two: a file is linked to its new name or, if links fail, the name is first
 * claimed by an empty file; a folder replaces an empty one. */
int model_rename_new(int folder, const char *from, const char *to);
/* Swaps two names beneath `folder` in one step. Returns -1 with errno; EINVAL or ENOSYS if the file
 * system cannot. */
int model_rename_swap(int folder, const char *a, const char *b);
/* Returns a file's creation time in ns since 1970, which tells a folder from a later one with the
 * same inode number; 0 if the file system does not record it. */
int64_t model_birth(const char *path);

#endif
