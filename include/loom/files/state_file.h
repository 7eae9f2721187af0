/* Internal to the model: small state files, secrets, and the modes of new files. */
#ifndef LOOM_MODEL_IMPL_H
#define LOOM_MODEL_IMPL_H

#include <cjson/cJSON.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

/* Modes of new files, before the umask. Files taken from a grove or kept in .leslie are as private
 * as the grove: sharing them is up to the owner, and git records no modes. A project's own folder
 * and the lists in .teddy are readable by everyone. Nothing is ever created writable by others. */
#define MODEL_FILE_MODE    0600
#define MODEL_FOLDER_MODE  0700
#define MODEL_PROJECT_MODE 0755
#define MODEL_LIST_MODE    0644

/* Replaces a state file of ours durably: temporary name, fsync, rename, fsync of the folder. */
enum loom_status model_file_write(const char *path, struct loom_str text, struct loom_err *err);
/* Creates a folder and its missing parents, syncing each before the next. */
enum loom_status model_make_dirs(struct loom_str path, unsigned mode, struct loom_err *err);
/* Makes the creation, renaming or removal of a name durable; false with errno on failure. */
bool model_sync_name(const char *path);
/* Appends a file's bytes, at most `most`, to *out. A missing file is no error: *out_there is
 * false. */
enum loom_status model_file_read(const char *path, size_t most, struct loom_buf *out,
				 bool *out_there, struct loom_err *err);
/* Locks a state file, waiting for the other holder, so that two processes do not overwrite each
 * other's changes. The lock is a file beside `path`, held until the descriptor is closed. */
enum loom_status model_file_lock(const char *path, int *out_fd, struct loom_err *err) LOOM_MUST;
/* Loads a state file that holds one JSON object of at most `most` bytes; an empty object if the
 * file is missing. The caller frees *out, even after a failure. */
enum loom_status model_json_load(const char *path, size_t most, cJSON **out,
				 struct loom_err *err) LOOM_MUST;
/* Replaces a state file durably with the JSON object `all`. */
enum loom_status model_json_save(const char *path, const cJSON *all,
				 struct loom_err *err) LOOM_MUST;
/* The suffixes of the files SQLite keeps beside a database. */
#define MODEL_BESIDE 3
extern const char *const model_beside[MODEL_BESIDE];
/* A secret with a file of its own. */
#define MODEL_SECRET_BYTES 32
struct model_secret {
	const char *name; /* of the file, for messages */
	const char *lost; /* the consequence of a new one: "older tokens will be refused" */
	bool make;        /* create it if missing */
};
/* Appends the secret stored in `folder`, in hex if it was made here; made on first use, with mode
 * 0600, if `make` is set, else nothing is appended. LOOM_REFUSED if others can read the file or it
 * is not a regular file of ours. */
enum loom_status model_secret(struct loom_str folder, const struct model_secret *secret,
			      struct loom_buf *out, struct loom_err *err) LOOM_MUST;
struct loom_store;
/* Writes the path of a grove's state folder, without creating it. */
enum loom_status model_state_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;
/* Writes the path of the current person's own state: the state folder, or a folder in it if the
 * account is several persons. Creates nothing. */
enum loom_status model_own_dir(struct loom_store *store, struct loom_buf *out,
			       struct loom_err *err) LOOM_MUST;
/* Writes the path of the grove's draft folder, creating it if missing. */
enum loom_status model_draft_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;

#endif
