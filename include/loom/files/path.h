/* The files of a project, reached only beneath a folder that was opened once.
 *
 * Every open is one openat2 call that cannot leave the folder, whatever another process renames
 * meanwhile; there is no check first and open later. Symbolic links are followed only when the
 * caller says so, and then only as long as they stay beneath. A file is looked at (O_PATH) before
 * it is opened, so that no device, pipe or file of the store is ever opened by a name that text
 * supplied: opening and closing a store's file by hand would drop its locks.
 *
 * Errors: LOOM_NOT_FOUND; LOOM_PATH for what leaves the root, goes through a link that may not be
 * followed, or is no plain file; LOOM_REFUSED for a file of the store; LOOM_LIMIT for too large a
 * one; LOOM_FULL, LOOM_READ_ONLY and LOOM_IO as the machine says. */
#ifndef LOOM_PATH_H
#define LOOM_PATH_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/hash.h>
#include <loom/base/str.h>

/* A file's identity, whatever it is called. */
struct loom_file_id {
	uint64_t device;
	uint64_t inode;
};

/* An opened folder that bounds what is reached through it. */
struct loom_root {
	int fd;                             /* -1: none */
	const struct loom_file_id *refused; /* files never opened (the store's own); borrowed */
	size_t refused_count;
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

/* The files of the store of a grove in this folder, as far as they are there: what a root refuses.
 * Returns how many, at most LOOM_STORE_FILES. */
#define LOOM_STORE_FILES 5
/* Never fails: what is not there is left out. */
size_t loom_store_files(struct loom_str dir, struct loom_file_id out[LOOM_STORE_FILES]);

/* Opens the folder at `path` (a path of the person's or of ours, links followed). */
enum loom_status loom_root_open(const char *path, struct loom_root *out,
				struct loom_err *err) LOOM_MUST;
/* Closes it; a closed one is fine. */
void loom_root_close(struct loom_root *root);

/* Writes the lexical normal form, relative to the root: no leading slash, no `.`, no `..`, no empty
 * part; "" is the root itself. LOOM_PATH when `..` leaves the root or a NUL is in it. */
enum loom_status loom_path_normal(struct loom_str path, struct loom_buf *out,
				  struct loom_err *err) LOOM_MUST;
/* Whether one part of a path may be given to a file by text: 1–255 bytes of valid UTF-8, nothing
 * invisible, not `.` or `..`, no slash, no leading `-` or `~`, no trailing blank or dot. LOOM_PATH
 * when not. */
enum loom_status loom_path_check_name(struct loom_str name, struct loom_err *err) LOOM_MUST;
/* The same for every part of a relative path. */
enum loom_status loom_path_check(struct loom_str path, struct loom_err *err) LOOM_MUST;
/* Whether two names differ only in case or in how an accented letter is composed. */
bool loom_path_is_twin(struct loom_str a, struct loom_str b);

/* What stands at `path`. With `links` a symbolic link is followed, else it is what it is. */
enum loom_status loom_path_info(const struct loom_root *root, struct loom_str path, bool links,
				struct loom_file_info *out, struct loom_err *err) LOOM_MUST;
/* Where `path` leads when its links are followed, in normal form. */
enum loom_status loom_path_resolve(const struct loom_root *root, struct loom_str path,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_read_opts {
	bool links;  /* follow symbolic links beneath the root */
	bool single; /* refuse a file with more than one name */
	size_t max;  /* bytes; 0: 64 MiB */
};
/* Appends a plain file's bytes to *out. `opts` and `info` may be NULL. */
enum loom_status loom_file_read(const struct loom_root *root, struct loom_str path,
				const struct loom_read_opts *opts, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

/* The same for a file of the person's own, wherever it is: its path is from the current directory,
 * and `links` leads anywhere. LOOM_NOT_FOUND when there is none. */
enum loom_status loom_file_read_at(const char *path, const struct loom_read_opts *opts,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_write_opts {
	bool any_name; /* a person chose the name: no rules for it */
	bool fresh;    /* LOOM_CONFLICT when something is there already */
	bool folders;  /* make the folders on the way */
	bool derived;  /* can be made again: a crash may bring the old one back */
	unsigned mode; /* of a new file, before the umask; 0: 0600, its folders 0700, for what comes
			* out of a grove is as private as the grove. Never one that others may write
			*/
	const struct loom_hash *expected; /* LOOM_CONFLICT when the old bytes are not these */
	/* Writes what is too much for a slice into the descriptor, behind `bytes`. */
	enum loom_status (*fill)(void *ctx, int fd, struct loom_err *err);
	void *ctx;
};
/* Puts `bytes` at `path`, whole or not at all: a nameless temporary file in the same folder, fsync,
 * rename, fsync of the folder. An old file keeps its mode. No link is followed on the way, and a
 * link, a device or a file of the store is not replaced. `opts` may be NULL. */
enum loom_status loom_file_write(const struct loom_root *root, struct loom_str path,
				 struct loom_str bytes, const struct loom_write_opts *opts,
				 struct loom_err *err) LOOM_MUST;
/* The same for a path that a person gave on a command line (absolute, or from the current
 * directory); its folder must exist. `refused` as in struct loom_root. */
enum loom_status loom_file_write_at(const char *path, struct loom_str bytes,
				    const struct loom_root *refused,
				    struct loom_err *err) LOOM_MUST;
/* The same with options of the caller's, any_name among them. */
enum loom_status loom_file_write_with(const char *path, struct loom_str bytes,
				      const struct loom_root *refused,
				      const struct loom_write_opts *opts,
				      struct loom_err *err) LOOM_MUST;

/* Makes a folder and those on the way; one that is there already is fine. */
enum loom_status loom_folder_make(const struct loom_root *root, struct loom_str path,
				  struct loom_err *err) LOOM_MUST;

struct loom_folder_item {
	struct loom_str name;
	enum loom_file_kind kind; /* a link is a link here */
};
/* The names in a folder, sorted by bytes, copied into the arena. Links on the way are followed
 * beneath the root. */
enum loom_status loom_folder_list(const struct loom_root *root, struct loom_str path,
				  struct loom_arena *arena, struct loom_folder_item **out,
				  size_t *out_count, struct loom_err *err) LOOM_MUST;

#endif
