/* Shared by path.c, path_write.c and the walk. */
#ifndef MODEL_PATH_IMPL_H
#define MODEL_PATH_IMPL_H

#include <loom/files/path.h>

#include <sys/stat.h>

#include <loom/files/state_file.h>

/* Which symbolic links an open may follow. */
enum model_reach {
	MODEL_NO_LINKS, /* none, anywhere in the path */
	MODEL_LINKS,    /* those that stay beneath the root */
};

/* Opens `path` with openat2 beneath `dir`; "" is the folder itself. Retries on EAGAIN and EINTR. -1
 * with errno on failure. */
int model_open_beneath(int dir, const char *path, int flags, unsigned mode, enum model_reach reach);

struct loom_root;
/* Gives a file or folder just made below `root` to the root's group, if it has one. */
void model_root_fit(const struct loom_root *root, int fd);
/* Like mkdirat in `root`, for what model_root_fit is for. */
int model_root_folder(const struct loom_root *root, const char *name);

/* Opens for reading a file held by O_PATH, so that the file examined is the file read. -1 with
 * errno on failure. */
int model_open_held(int held);

/* Sleeps a little longer each round, so that many waiters do not keep the machine busy. */
void model_pause(int round);
/* Takes the flock of an open file or folder; false if somebody else holds it throughout
 * `wait_ms`. */
bool model_flock(int fd, int wait_ms);

/* Fills *err from the errno of a call on `path` and returns the matching status. */
enum loom_status model_path_fail(struct loom_err *err, int error, const char *path);

/* Writes a path as a C string, "" for the root. LOOM_PATH if it contains a NUL. */
enum loom_status model_path_cstr(struct loom_str path, struct loom_buf *out, struct loom_err *err);

/* Converts a struct stat. */
void model_file_info(const struct stat *st, struct loom_file_info *out);
/* Returns whether the file is one that the root refuses, by device and inode. */
bool model_file_refused(const struct loom_root *root, const struct stat *st);

/* Receives one name in a folder; `type` is a DT_ value. */
typedef void (*model_name_fn)(void *ctx, const char *name, size_t length, unsigned char type);
/* Calls `each` for every name but `.` and `..` in an open folder, in directory order. Returns 0, or
 * an errno, possibly after some calls. */
int model_folder_each(int folder, model_name_fn each, void *ctx);

/* A list of folders, parents before their contents; iterative, so depth costs nothing. */
struct model_folders {
	struct loom_arena *arena;
	struct loom_str *folders;
	size_t count;
	size_t cap;
};
/* Appends a folder; `folder` is borrowed and must live as long as the arena. */
void model_folders_push(struct model_folders *tree, struct loom_str folder);
/* Returns "folder/name", or just the name if the folder is the root. In the arena. */
struct loom_str model_folder_join(struct loom_arena *arena, struct loom_str folder,
				  struct loom_str name);
/* Removes a folder and its contents, as far as possible. */
void model_remove_folder(const struct loom_root *parent, const char *name);

#endif
