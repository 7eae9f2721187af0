/* Import: files of other looms and chat programs, and loom's own exports, become trees of a grove.
 *
 * The format is detected from the contents. A file is read whole before anything is written, its
 * records waiting in a spill file, so a broken file changes nothing. Then everything is written as
 * one operation, in slices. Memory is bounded, however large the file. A repeated import finds its
 * nodes: a node is identified by its tree, its id in the file and its content. */
#ifndef LOOM_IMPORT_H
#define LOOM_IMPORT_H

#include <loom/base/json.h>
#include <loom/text/passages.h>
#include <loom/grove/store.h>
#include <loom/base/task.h>

#define LOOM_IMPORT_BYTES_MAX ((size_t)2 << 30)
#define LOOM_IMPORT_DEPTH_MAX 100000
#define LOOM_IMPORT_NODES_MAX 10000000

struct loom_import;

struct loom_import_opts {
	struct loom_env *env;
	/* The directory for the unnamed spill file; NULL: the system's temporary directory. */
	const char *dir;
	/* The name of the only format to try; NULL: detect it. */
	const char *format;
	struct loom_split split; /* how a text without turns becomes passages */
	struct loom_task *task;  /* counts bytes while reading, nodes while writing; may be NULL */
};

/* Creates an empty import. LOOM_USAGE for an unknown format. */
enum loom_status loom_import_create(const struct loom_import_opts *opts, struct loom_import **out,
				    struct loom_err *err) LOOM_MUST;
/* Frees the import and its report; the store is not touched. NULL is fine. */
void loom_import_destroy(struct loom_import *import);

/* Reads one file's bytes into the import, without writing to a store. `name` appears in messages
 * and as the title of trees without one. LOOM_REFUSED, with the reason, for an unknown format;
 * LOOM_INVALID and LOOM_LIMIT for a file that cannot be read. After an error only the report can be
 * used. The bytes are not needed afterwards. */
enum loom_status loom_import_add(struct loom_import *import, struct loom_str name,
				 struct loom_str bytes, struct loom_err *err) LOOM_MUST;
/* Call after the last file: repairs orphans, cycles and missing roots. */
enum loom_status loom_import_settle(struct loom_import *import, struct loom_err *err) LOOM_MUST;

/* A list of files to import: also folders and archives, with all that is in them. */
struct loom_root;
struct loom_import_paths {
	const char *const *items; /* paths; "-" is standard input */
	size_t count;
	const struct loom_root *refused; /* files that must not be opened: the store's own */
	struct loom_import_sync *sync; /* files that it has seen unchanged are left out; or NULL */
};
/* Adds all files, those that others refer to first, and settles. Waits for disks and pipes, so run
 * it on a worker. LOOM_CANCELLED by the import's task; fails on the first file that cannot be read
 * or has an unknown format. */
enum loom_status loom_import_read(struct loom_import *import, const struct loom_import_paths *paths,
				  struct loom_err *err) LOOM_MUST;

/* ---- before an import ---- */

/* A file that could be imported. */
struct loom_import_listed {
	struct loom_str file;
	const char *format; /* "codex"; NULL: no format knows it */
	uint64_t size;
};
/* Tells of each file which program it comes from, looking only at its beginning. Fails on a path
 * that cannot be read. LOOM_CANCELLED. */
enum loom_status loom_import_list(struct loom_import *import, const struct loom_import_paths *paths,
				  void (*each)(void *ctx, const struct loom_import_listed *listed),
				  void *ctx, struct loom_err *err) LOOM_MUST;

/* A folder or file in which a known program keeps its own. */
struct loom_import_place {
	const char *format; /* "codex" */
	const char *title;
	const char *path;
};
/* The place at `index` of those that exist; its path is in the arena. False after the last. */
bool loom_import_place_at(const struct loom_env *env, size_t index, struct loom_arena *arena,
			  struct loom_import_place *out);

/* ---- again and again ---- */

struct loom_import_sync;
/* Loads what earlier imports with --sync have seen. Close *out with loom_import_sync_close, also
 * after a failure. */
enum loom_status loom_import_sync_open(struct loom_store *store, struct loom_import_sync **out,
				       struct loom_err *err) LOOM_MUST;
/* Frees what was loaded, without saving it; NULL is fine. */
void loom_import_sync_close(struct loom_import_sync *sync);
/* Adds these paths to those of earlier imports, and puts them all in their place; they live as long
 * as `sync`. LOOM_USAGE if there are none. */
enum loom_status loom_import_sync_paths(struct loom_import_sync *sync,
					struct loom_import_paths *paths,
					struct loom_err *err) LOOM_MUST;
/* Saves what this import has seen; call it once that is written. */
enum loom_status loom_import_sync_save(struct loom_import_sync *sync,
				       struct loom_err *err) LOOM_MUST;

/* How to write an import. */
struct loom_import_write {
	int64_t actor;
	bool dry;
};
/* Writes everything as one operation, in slices; call loom_import_settle first. *out_op is 0 if
 * everything was there already. After a failure nothing of it is visible. LOOM_CANCELLED by the
 * task. `dry` only finds out what would be written. */
enum loom_status loom_import_write(struct loom_import *import, struct loom_store *store,
				   const struct loom_import_write *how, int64_t *out_op,
				   struct loom_err *err) LOOM_MUST;

/* The report. Slices live as long as the import. */
struct loom_import_line {
	struct loom_str text; /* such as "node field \"multimedia\"" */
	int64_t count;
};
struct loom_import_lines {
	const struct loom_import_line *items;
	size_t count;
};
struct loom_import_made {
	struct loom_str file;
	struct loom_str format; /* "pyloom" */
	struct loom_str title;
	int64_t tree; /* 0: not written */
	struct loom_ulid ulid;
	int64_t nodes; /* nodes in the file */
	int64_t added;
	int64_t known;
};
struct loom_import_report {
	const struct loom_import_made *trees;
	size_t tree_count;
	int64_t nodes;
	int64_t added;
	int64_t known;
	int64_t documents;
	int64_t restored;                  /* undone operations that were redone */
	struct loom_import_lines unknown;  /* not understood; kept beside the node */
	struct loom_import_lines lost;     /* not kept */
	struct loom_import_lines repaired; /* what was broken, and its repair */
	struct loom_import_lines secrets;  /* dropped */
	struct loom_import_lines unseen;   /* kept, but hidden from a reader */
	int64_t claims;                    /* nodes by authors that nothing confirms here */
	struct loom_import_lines claimed;  /* their claimed authors */
	struct loom_import_lines split;    /* texts that became passages, and how */
};
/* The current report, borrowed until the next call or loom_import_destroy. A file may be all trees,
 * so from then on the calling thread gives memory back, until it destroys the import. */
const struct loom_import_report *loom_import_report(struct loom_import *import);
/* Appends the report's summary for people: what was imported. */
void loom_import_head(const struct loom_import_report *report, bool dry, struct loom_buf *out);
/* Appends the report's details for people: each tree, and what was repaired, left out or not
 * understood. */
void loom_import_tell(const struct loom_import_report *report, struct loom_buf *out);

/* A format that can be imported. */
struct loom_import_format {
	const char *name;  /* "pyloom" */
	const char *title; /* "Loom by socketteer (pyloom), three generations" */
};
/* The format at `index`, in the order of detection; false after the last. */
bool loom_import_format_at(size_t index, struct loom_import_format *out);

/* Whether other files refer to these bytes (pyloom's model responses), so that they should be added
 * first. Looks only at their beginning. */
bool loom_import_goes_first(struct loom_str bytes);

#endif
