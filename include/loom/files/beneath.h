/* What path.c, path_write.c and the walk share. */
#ifndef MODEL_PATH_IMPL_H
#define MODEL_PATH_IMPL_H

#include <loom/files/path.h>

#include <sys/stat.h>

#include <loom/files/state_file.h>

/* How far an open may go. */
enum model_reach {
	MODEL_NO_LINKS, /* no symbolic link anywhere on the way */
	MODEL_LINKS,    /* links that stay beneath the root */
};

/* openat2 beneath `dir`; "" is the folder itself. EAGAIN and EINTR are tried again. -1 and errno
 * on failure. */
int model_open_beneath(int dir, const char *path, int flags, unsigned mode, enum model_reach reach);

/* Opens the bytes of a file that is held by O_PATH: what was looked at is what is read. -1 and
 * errno on failure. */
int model_open_held(int held);

/* A little longer each round, so that many who wait do not keep the machine busy. */
void model_pause(int round);
/* Takes the flock of an open file or folder; false when somebody holds it for all of `wait_ms`. */
bool model_flock(int fd, int wait_ms);

/* Fills *err from an errno of a call on `path` and returns the status that belongs to it. */
enum loom_status model_path_fail(struct loom_err *err, int error, const char *path);

/* A path as a C string in `out`, "" when it is the root; LOOM_PATH for a NUL in it. */
enum loom_status model_path_cstr(struct loom_str path, struct loom_buf *out, struct loom_err *err);

/* What stat says, in our words. */
void model_file_info(const struct stat *st, struct loom_file_info *out);
/* Whether it is one of the root's refused files, by device and inode. */
bool model_file_refused(const struct loom_root *root, const struct stat *st);

/* One name in a folder; `type` is a DT_ value. */
typedef void (*model_name_fn)(void *ctx, const char *name, size_t length, unsigned char type);
/* Calls `each` for every name but `.` and `..` in an open folder, in the order of the disk. 0 or an
 * errno; what was called until then is not called back. */
int model_folder_each(int folder, model_name_fn each, void *ctx);

/* Folder by folder, each before what is in it; iterative, so that depth costs nothing. */
struct model_folders {
	struct loom_arena *arena;
	struct loom_str *folders;
	size_t count;
	size_t cap;
};
/* Adds one at the end; `folder` is borrowed, from the arena or longer. */
void model_folders_push(struct model_folders *tree, struct loom_str folder);
/* "folder/name"; the name alone where the folder is the root itself. */
struct loom_str model_folder_join(struct loom_arena *arena, struct loom_str folder,
				  struct loom_str name);
/* Removes a folder with all that is in it, as far as that goes. */
void model_remove_folder(const struct loom_root *parent, const char *name);

#endif
