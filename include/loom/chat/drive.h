/* A thread's log for runtimes in any language: one JSON command per line in, one JSON result per
 * line out (`loom thread drive`), and the projection of a file of rows (`loom thread project`).
 * Works with any keeper of logs. */
#ifndef LOOM_DRIVE_H
#define LOOM_DRIVE_H

#include <loom/engine/told.h>
#include <loom/log/lifecycle.h>

struct loom_drive;

/* Opens a drive on a log, which must outlive it. Close it with loom_drive_close. A run whose
 * process died is ended first. Fails as the log's keeper does. */
enum loom_status loom_drive_open(const struct loom_log *log, const struct loom_run_opts *opts,
				 struct loom_drive **out, struct loom_err *err) LOOM_MUST;
/* Looks up what the thread is told of its files when a run starts. */
struct loom_drive_head {
	enum loom_status (*look)(void *ctx, struct loom_arena *arena, struct loom_told *out,
				 struct loom_err *err); /* NULL: never anything */
	void *ctx;
};
/* Sets what heads the first message of the runs that begin from now on: the block, if it is due,
 * and a note of what changed. */
void loom_drive_lead(struct loom_drive *drive, const struct loom_drive_head *head);
/* Returns what was queued for a run that was found dead when the drive opened: a JSON list of
 * {content, source?}, or an empty text. Lives as long as the drive. */
struct loom_str loom_drive_unheard(const struct loom_drive *drive);
/* Frees the drive; the log stays open. NULL is allowed. */
void loom_drive_close(struct loom_drive *drive);

/* Does one command and appends its result, one line with its LF. Trouble with the log's keeper is
 * answered too (`rejected:store`), and then nothing of the command was done. Durable when it
 * returns, but in a group of the run. */
void loom_drive_line(struct loom_drive *drive, struct loom_str line, struct loom_buf *out);
/* Answers every line of the file `in` on `out`, once what the answer says is durable. Commands that
 * wait already share a transaction; nobody waits for the next. Fails with LOOM_IO when reading or
 * writing fails. */
enum loom_status loom_drive_stream(struct loom_drive *drive, int in, FILE *out,
				   struct loom_err *err) LOOM_MUST;

struct loom_drive_memory {
	struct loom_str rows;   /* a JSON array of rows to start from; empty: none */
	struct loom_str prompt; /* p NULL: none */
	struct loom_env *env;
};
/* Does all of `loom thread drive --memory [--log FILE] [--system-prompt TEXT]`. Fails with
 * LOOM_INVALID for malformed rows and LOOM_IO when reading or writing fails. */
enum loom_status loom_drive_memory(const struct loom_drive_memory *memory, int in, FILE *out,
				   struct loom_err *err) LOOM_MUST;

struct loom_project_text {
	struct loom_str lane; /* empty: the lane active at the boundary */
	int64_t at;           /* LOOM_SEQ_HEAD: all rows */
	struct loom_str prompt;
	bool limited;
	size_t limit;
};
/* Does all of `loom thread project`: reads a JSON array of rows and appends
 * {"system_prompt","entries","messages","id","lane"}, without a line end. Fails with LOOM_INVALID
 * for malformed rows. */
enum loom_status loom_project_text(struct loom_str rows, const struct loom_project_text *opts,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* Writes the members of that document into an object open in `json`, from a log at hand. Fails as
 * the projection does. */
enum loom_status loom_project_json(const struct loom_log *log, const struct loom_project_opts *opts,
				   const struct loom_messages_opts *messages,
				   struct loom_json *json, struct loom_err *err) LOOM_MUST;

#endif
