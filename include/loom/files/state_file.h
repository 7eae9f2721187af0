/* Inside the model: what its files share and nobody else needs. */
#ifndef LOOM_MODEL_IMPL_H
#define LOOM_MODEL_IMPL_H

#include <cjson/cJSON.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

/* What is made, before the umask. What comes out of a grove or stands in .leslie is as private as
 * the grove is: to share it is for its owner, and git notes no modes. A project's own folder and
 * the lists of .teddy are everybody's to read. Nothing is ever made that others may write. */
#define MODEL_FILE_MODE    0600
#define MODEL_FOLDER_MODE  0700
#define MODEL_PROJECT_MODE 0755
#define MODEL_LIST_MODE    0644

/* Replaces a file of our own state durably: temporary name, fsync, rename, fsync of the folder. */
enum loom_status model_file_write(const char *path, struct loom_str text, struct loom_err *err);
/* Makes a folder and those above it, each for good before the next. */
enum loom_status model_make_dirs(struct loom_str path, unsigned mode, struct loom_err *err);
/* A name that was made, moved or removed is so for good; false and errno when that failed. */
bool model_sync_name(const char *path);
/* Appends its bytes to *out; *out_there is false, and no error, when there is none. */
enum loom_status model_file_read(const char *path, size_t most, struct loom_buf *out,
				 bool *out_there, struct loom_err *err);
/* Two persons at two terminals: the second waits for the first, or what it wrote would be lost.
 * The lock is a file beside `path`, held until the descriptor is closed. */
enum loom_status model_file_lock(const char *path, int *out_fd, struct loom_err *err) LOOM_MUST;
/* A file of our own state that holds one JSON object of at most so many bytes; an empty one where
 * there is no file. The caller frees it, after a failure too. */
enum loom_status model_json_load(const char *path, size_t most, cJSON **out,
				 struct loom_err *err) LOOM_MUST;
/* Replaces it, as model_file_write does. */
enum loom_status model_json_save(const char *path, const cJSON *all,
				 struct loom_err *err) LOOM_MUST;
/* What SQLite keeps beside a database, by the ends of the names. */
#define MODEL_BESIDE 3
extern const char *const model_beside[MODEL_BESIDE];
/* A secret in a file of its own. */
#define MODEL_SECRET_BYTES 32
struct model_secret {
	const char *name; /* of the file */
	const char *lost; /* what a new one brings with it: "older tokens will be refused" */
	bool make;        /* when there is none */
};
/* Appends the secret that `folder` holds, two hex digits a byte where it was made here: 0600, on
 * first need. Nothing when there is none and none is made. LOOM_REFUSED when the file is open to
 * others or no plain file of ours. */
enum loom_status model_secret(struct loom_str folder, const struct model_secret *secret,
			      struct loom_buf *out, struct loom_err *err) LOOM_MUST;
struct loom_store;
/* Where a grove's state is kept: a name alone, for those who read what may not be there. */
enum loom_status model_state_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;
/* The same for what is the person's who works there: that, or a folder in it for one of several whom
 * the account is. */
enum loom_status model_own_dir(struct loom_store *store, struct loom_buf *out,
			       struct loom_err *err) LOOM_MUST;
/* Where drafts are kept; made when it is missing. */
enum loom_status model_draft_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;

#endif
