/* Access to a project's files, only beneath a folder opened once.
 *
 * Every open is a single openat2 call that cannot leave the folder, whatever other processes rename
 * meanwhile; nothing is checked first and opened later. Symbolic links are followed only on
 * request, and only while they stay beneath the folder. A file is examined (O_PATH) before it is
 * opened, so no device, pipe or store file is ever opened by a name taken from text: opening and
 * closing a store's file by hand would drop its locks.
 *
 * Errors: LOOM_NOT_FOUND; LOOM_PATH if the path leaves the root, goes through a forbidden link, or
 * is not a regular file; LOOM_REFUSED for a file of the store; LOOM_LIMIT for a file that is too
 * large; LOOM_FULL, LOOM_READ_ONLY and LOOM_IO from the system. */
#ifndef LOOM_PATH_H
#define LOOM_PATH_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/hash.h>
#include <loom/base/str.h>

/* Identifies a file regardless of its name. */
struct loom_file_id {
	uint64_t device;
	uint64_t inode;
};

/* An opened folder that bounds everything reached through it. */
struct loom_root {
	int fd;                             /* -1: none */
	const struct loom_file_id *refused; /* files never opened (those of the store); borrowed */
	size_t refused_count;
	bool shared;    /* what is made in it belongs to a group … */
	unsigned group; /* … this one */
};
#define LOOM_ROOT_INIT                                                                             \
	{                                                                                          \
		.fd = -1                                                                           \
	}

enum loom_file_kind { LOOM_FILE_PLAIN, LOOM_FILE_FOLDER, LOOM_FILE_LINK, LOOM_FILE_OTHER };

struct loom_file_info {
	struct loom_file_id id;
	enum loom_file_kind kind;
	unsigned mode; /* permission bits */
	uint64_t links;
	uint64_t size;
	int64_t modified_ns;
	int64_t changed_ns;
};

/* How many files of a store a root has to refuse. */
#define LOOM_STORE_FILES 5
/* Finds the existing store files of a grove in `dir`, which a root must refuse, and returns how
 * many. Never fails: missing files are left out. */
size_t loom_store_files(struct loom_str dir, struct loom_file_id out[LOOM_STORE_FILES]);

/* Opens the folder at `path` (chosen by a person or by us; links are followed). Close it with
 * loom_root_close. */
enum loom_status loom_root_open(const char *path, struct loom_root *out,
				struct loom_err *err) LOOM_MUST;
/* Closes the root; a closed one is fine. */
void loom_root_close(struct loom_root *root);

/* Writes the lexical normal form relative to the root: no leading slash, no `.` or `..`, no empty
 * part; "" is the root itself. LOOM_PATH if `..` leaves the root or the path contains a NUL. */
enum loom_status loom_path_normal(struct loom_str path, struct loom_buf *out,
				  struct loom_err *err) LOOM_MUST;
/* Checks one part of a path for a file named by text: 1–255 bytes of valid UTF-8, nothing
 * invisible, not `.` or `..`, no slash, no leading `-` or `~`, no trailing blank or dot. LOOM_PATH
 * otherwise. */
enum loom_status loom_path_check_name(struct loom_str name, struct loom_err *err) LOOM_MUST;
/* Checks every part of a relative path with loom_path_check_name. */
enum loom_status loom_path_check(struct loom_str path, struct loom_err *err) LOOM_MUST;
/* Returns whether two names differ only in case or in the composition of accented letters. */
bool loom_path_is_twin(struct loom_str a, struct loom_str b);

/* Describes the file at `path`. With `links` a symbolic link is followed, otherwise described
 * itself. */
enum loom_status loom_path_info(const struct loom_root *root, struct loom_str path, bool links,
				struct loom_file_info *out, struct loom_err *err) LOOM_MUST;
/* Writes where `path` leads once its links are followed, in normal form. */
enum loom_status loom_path_resolve(const struct loom_root *root, struct loom_str path,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_read_opts {
	bool links;  /* follow symbolic links beneath the root */
	bool single; /* refuse a file with several hard links */
	size_t max;  /* bytes; 0: 64 MiB */
};
/* Appends a regular file's bytes to *out. `opts` and `info` may be NULL. */
enum loom_status loom_file_read(const struct loom_root *root, struct loom_str path,
				const struct loom_read_opts *opts, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

/* Appends the bytes of a person's own file, anywhere: `path` starts at the current directory, and
 * with `links` may lead anywhere. LOOM_NOT_FOUND if it does not exist. */
enum loom_status loom_file_read_at(const char *path, const struct loom_read_opts *opts,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_write_opts {
	bool any_name; /* chosen by a person: any name is allowed */
	bool fresh;    /* LOOM_CONFLICT if the file exists */
	bool folders;  /* create missing parent folders */
	bool derived;  /* reproducible: after a crash the old version may reappear */
	unsigned mode; /* of a new file, before the umask; 0: 0600 with folders 0700, because what
			  comes out of a grove is as private as the grove. Never writable by others
			*/
	const struct loom_hash *expected; /* LOOM_CONFLICT unless the old bytes have this hash */
	/* Writes contents too large for a slice to the descriptor, after `bytes`. */
	enum loom_status (*fill)(void *ctx, int fd, struct loom_err *err);
	void *ctx;
};
/* Writes `bytes` to `path` atomically: an unnamed temporary file in the same folder, fsync, rename,
 * fsync of the folder. An existing file keeps its mode. Links in the path are not followed, and a
 * link, a device or a store file is not replaced. `opts` may be NULL. */
enum loom_status loom_file_write(const struct loom_root *root, struct loom_str path,
				 struct loom_str bytes, const struct loom_write_opts *opts,
				 struct loom_err *err) LOOM_MUST;
/* Writes a file atomically at a path from the command line (absolute or relative to the current
 * directory); its folder must exist. `refused` is a root whose refused files are not replaced. */
enum loom_status loom_file_write_at(const char *path, struct loom_str bytes,
				    const struct loom_root *refused,
				    struct loom_err *err) LOOM_MUST;
/* Like loom_file_write_at, with the caller's options (any_name among them). */
enum loom_status loom_file_write_with(const char *path, struct loom_str bytes,
				      const struct loom_root *refused,
				      const struct loom_write_opts *opts,
				      struct loom_err *err) LOOM_MUST;

/* Removes a file, or a link itself. */
enum loom_status loom_file_remove(const struct loom_root *root, struct loom_str path,
				  struct loom_err *err) LOOM_MUST;

/* Creates a folder and its missing parents; an existing one is fine. */
enum loom_status loom_folder_make(const struct loom_root *root, struct loom_str path,
				  struct loom_err *err) LOOM_MUST;

struct loom_folder_item {
	struct loom_str name;
	enum loom_file_kind kind; /* links are not followed */
};
/* Lists the names in a folder, sorted by bytes, copied into the arena. Links in the path are
 * followed beneath the root. */
enum loom_status loom_folder_list(const struct loom_root *root, struct loom_str path,
				  struct loom_arena *arena, struct loom_folder_item **out,
				  size_t *out_count, struct loom_err *err) LOOM_MUST;

#endif
