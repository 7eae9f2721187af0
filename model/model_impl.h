/* Inside the model: what its files share and nobody else needs. */
#ifndef LOOM_MODEL_IMPL_H
#define LOOM_MODEL_IMPL_H

#include <loom/err.h>
#include <loom/str.h>

/* Replaces a file of our own state durably: temporary name, fsync, rename, fsync of the folder. */
enum loom_status model_file_write(const char *path, struct loom_str text, struct loom_err *err);
/* Makes a folder and those above it, each for good before the next. */
enum loom_status model_make_dirs(struct loom_str path, unsigned mode, struct loom_err *err);
/* A name that was made, moved or removed is so for good; false and errno when that failed. */
bool model_sync_name(const char *path);
/* Appends its bytes to *out; *out_there is false, and no error, when there is none. */
enum loom_status model_file_read(const char *path, size_t most, struct loom_buf *out,
				 bool *out_there, struct loom_err *err);
struct loom_store;
/* Where a grove's state is kept: a name alone, for those who read what may not be there. */
enum loom_status model_state_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;
/* Where drafts are kept; made when it is missing. */
enum loom_status model_draft_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err) LOOM_MUST;

#endif
