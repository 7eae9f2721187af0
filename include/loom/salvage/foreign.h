/* Databases of other programs (SQLite files), read without leaving a trace.
 *
 * The file and its neighbours stay as they are, byte for byte. A file with a log beside it is read
 * from a private copy, which has no name by the time it is read. What the file says of itself is
 * not trusted: no view, trigger or virtual table of it is used, and nothing but rows is read. */
#ifndef LOOM_FOREIGN_H
#define LOOM_FOREIGN_H

#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_foreign;

/* Whether bytes begin like such a file. */
bool loom_foreign_is(struct loom_str head);
/* Opens the file at `path`; `dir` is where a private copy is made (NULL: the system's temporary
 * directory). LOOM_INVALID if it is damaged, LOOM_BUSY if it changes while it is copied, LOOM_IO,
 * LOOM_CANCELLED. Close it with loom_foreign_close. */
enum loom_status loom_foreign_open(const char *path, const char *dir, struct loom_task *task,
				   struct loom_foreign **out, struct loom_err *err) LOOM_MUST;
/* Closes the file; NULL is fine. */
void loom_foreign_close(struct loom_foreign *foreign);
/* Whether the file has all these ordinary tables, or columns ("table.column"), separated by
 * blanks. */
bool loom_foreign_has(struct loom_foreign *foreign, const char *names);

/* A query whose rows are wanted. */
struct loom_foreign_query {
	const char *row;   /* what its rows are called */
	const char *needs; /* tables and columns without which it is left out; NULL: none */
	const char *sql;   /* ?1 is the column "id" of the row that it is under */
	const char *json;  /* columns that hold JSON, separated by blanks; NULL: none */
	size_t under; /* the query, by number from 1, for each of whose rows it runs; 0: none */
};
/* Gives each row as one line, an object with the member "row" and the columns; rows of a query that
 * is under another follow each of the other's rows. Stops with the status of `line`. LOOM_INVALID
 * for a damaged file, LOOM_LIMIT for a row that is too large, LOOM_CANCELLED. */
enum loom_status loom_foreign_rows(struct loom_foreign *foreign,
				   const struct loom_foreign_query *queries, size_t count,
				   enum loom_status (*line)(void *ctx, struct loom_str line,
							    struct loom_err *err),
				   void *ctx, struct loom_err *err) LOOM_MUST;

#endif
