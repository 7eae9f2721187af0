/* Import: files of other looms and chats, and our own exports, become trees of a grove.
 *
 * A file is recognised by what is in it. It is read whole before anything is written, its records
 * waiting in a spill file, so that a broken file changes nothing; then everything is written as one
 * operation, in slices. What it takes of memory is bounded, however large the file is. Who imports
 * a file again finds his nodes: a node is known by its tree, its id in the file and its content. */
#ifndef LOOM_IMPORT_H
#define LOOM_IMPORT_H

#include <loom/base/json.h>
#include <loom/grove/store.h>
#include <loom/base/task.h>

#define LOOM_IMPORT_BYTES_MAX ((size_t)2 << 30)
#define LOOM_IMPORT_DEPTH_MAX 100000
#define LOOM_IMPORT_NODES_MAX 10000000

struct loom_import;

struct loom_import_opts {
	struct loom_env *env;
	/* Where the spill file is made, without a name in it; NULL: the system's place for
	 * temporary files. */
	const char *dir;
	/* The only format to be tried, by its name; NULL: whatever is recognised. */
	const char *format;
	struct loom_task *task; /* bytes while reading, nodes while writing; may be NULL */
};

/* An import that holds nothing yet. LOOM_USAGE for a format that does not exist. */
enum loom_status loom_import_create(const struct loom_import_opts *opts, struct loom_import **out,
				    struct loom_err *err) LOOM_MUST;
/* Frees it with its report; a store is not touched. NULL is fine. */
void loom_import_destroy(struct loom_import *import);

/* Reads one file's bytes into the import; nothing is written to a store. `name` stands in messages
 * and gives titles to trees that have none. LOOM_REFUSED for what is no format of ours, with the
 * reason; LOOM_INVALID and LOOM_LIMIT for what cannot be read. After an error the import is good
 * for nothing but its report. The bytes are not needed any more afterwards. */
enum loom_status loom_import_add(struct loom_import *import, struct loom_str name,
				 struct loom_str bytes, struct loom_err *err) LOOM_MUST;
/* Behind the last file: orphans, circles and missing roots are repaired. */
enum loom_status loom_import_settle(struct loom_import *import, struct loom_err *err) LOOM_MUST;

/* Files by their paths: all of them added, those first that others refer to, and settled. Waits for
 * disks and pipes: on a worker. */
struct loom_root;
struct loom_import_paths {
	const char *const *items; /* "-": standard input */
	size_t count;
	const struct loom_root *refused; /* whose refused files are not opened: the store's own */
};
/* LOOM_CANCELLED by the import's task; a file that cannot be read, or is no format, ends it. */
enum loom_status loom_import_read(struct loom_import *import, const struct loom_import_paths *paths,
				  struct loom_err *err) LOOM_MUST;

/* Writes it all as one operation of `actor`, in slices; *out_op is 0 when everything was there.
 * Needs loom_import_settle before. `dry`: finds out what would be written and writes nothing. */
struct loom_import_write {
	int64_t actor;
	bool dry;
};
/* Fails whole: after a failure nothing of it is visible. LOOM_CANCELLED by the task. */
enum loom_status loom_import_write(struct loom_import *import, struct loom_store *store,
				   const struct loom_import_write *how, int64_t *out_op,
				   struct loom_err *err) LOOM_MUST;

/* What came of it. Slices live as long as the import. */
struct loom_import_line {
	struct loom_str text; /* "node field \"multimedia\"" */
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
	int64_t tree;  /* 0: not written */
	int64_t nodes; /* that the file has */
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
	int64_t restored;                  /* operations repeated, that had been undone */
	struct loom_import_lines unknown;  /* not understood, and kept beside the node */
	struct loom_import_lines lost;     /* has no place and is not kept */
	struct loom_import_lines repaired; /* what was broken, and what was made of it */
	struct loom_import_lines secrets;  /* dropped */
	struct loom_import_lines unseen;   /* kept, though a reader does not see it */
	int64_t claims;                    /* nodes by authors whom nothing here confirms … */
	struct loom_import_lines claimed;  /* … and who they are said to be */
};
/* What stands in it now; borrowed until the next call or loom_import_destroy. */
const struct loom_import_report *loom_import_report(struct loom_import *import);
/* Appends it for people, in lines: what was done … */
void loom_import_head(const struct loom_import_report *report, bool dry, struct loom_buf *out);
/* … and what came of each tree, and what did not come of the files. */
void loom_import_tell(const struct loom_import_report *report, struct loom_buf *out);

/* The formats, in the order in which they are tried; false behind the last. */
struct loom_import_format {
	const char *name;  /* "pyloom" */
	const char *title; /* "Loom by socketteer (pyloom), three generations" */
};
/* The format at `index`. */
bool loom_import_format_at(size_t index, struct loom_import_format *out);

/* Whether these bytes are something that other files refer to (pyloom's model responses), so that
 * they should be added first. Looks at their beginning only. */
bool loom_import_goes_first(struct loom_str bytes);

#endif
