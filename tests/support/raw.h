/* A grove's database behind the store's back: what a test damages, dates back or counts itself. */
#ifndef LOOM_TESTS_SUPPORT_RAW_H
#define LOOM_TESTS_SUPPORT_RAW_H

#include <loom/base/str.h>

#include "support/grove.h"

/* Runs statements on a connection of its own without the store's settings: no foreign keys, nothing
 * defensive. The program ends with the error when one fails. */
void raw_exec(const struct grove *grove, const char *sql);
/* Runs SQL; true when SQLite refused it with a message that contains `why`. */
bool raw_refused(const struct grove *grove, const char *sql, const char *why);
/* The first column of the first row, 0 without one. */
int64_t raw_int(const struct grove *grove, const char *sql);
/* The first value of a query as text, in the grove's arena; empty when there is none. */
struct loom_str raw_text(struct grove *grove, const char *sql);
/* Every row of every table but one. */
void raw_dump(const struct grove *grove, const char *but, struct loom_buf *out);
/* Everything into the one file, the log emptied. */
void raw_settle(const struct grove *grove);
/* Back to what the tenth version had, which knew no logs. */
void raw_before_logs(const struct grove *grove);
void raw_before_seams(const struct grove *grove);
/* Back to the fifteenth version, which knew one root a tree. */
void raw_before_roots(const struct grove *grove);
/* Back to what the ninth version had, which knew no persons: the founder was called "you". */
void raw_before_persons(const struct grove *grove);
/* Back to what the first version of the schema made. */
void raw_age(const struct grove *grove);
/* The path of the grove's database; the caller frees it. */
char *raw_path(const struct grove *grove) LOOM_MUST;

#endif
