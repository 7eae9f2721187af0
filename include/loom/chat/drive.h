/* A thread's log for runtimes in any language: one JSON command a line in, one JSON result a line
 * out (`loom thread drive`), and the projection of a file of rows (`loom thread project`). Works
 * over any keeper of logs. */
#ifndef LOOM_DRIVE_H
#define LOOM_DRIVE_H

#include <loom/log/lifecycle.h>

struct loom_drive;

/* The log is the caller's and must outlive the drive. */
enum loom_status loom_drive_open(const struct loom_log *log, const struct loom_run_opts *opts,
				 struct loom_drive **out, struct loom_err *err) LOOM_MUST;
/* What was queued for a run whose process had died when the log was opened: a JSON list of
 * {content, source?}, or empty. Lives as long as the drive. */
struct loom_str loom_drive_unheard(const struct loom_drive *drive);
/* NULL is fine. */
void loom_drive_close(struct loom_drive *drive);

/* Does one command and appends its result, one line with its LF. Trouble of the log's keeper is an
 * answer too (`rejected:store`), and nothing of that command was done. */
void loom_drive_line(struct loom_drive *drive, struct loom_str line, struct loom_buf *out);
/* Answers every line of `in` on `out`, each flushed before the next is read. LOOM_IO when reading
 * or writing fails. */
enum loom_status loom_drive_stream(struct loom_drive *drive, FILE *in, FILE *out,
				   struct loom_err *err) LOOM_MUST;

struct loom_drive_memory {
	struct loom_str rows;   /* a JSON array of rows to start from; empty: none */
	struct loom_str prompt; /* p NULL: none */
	struct loom_env *env;
};
/* The whole of `loom thread drive --memory [--log FILE] [--system-prompt TEXT]`. */
enum loom_status loom_drive_memory(const struct loom_drive_memory *memory, FILE *in, FILE *out,
				   struct loom_err *err) LOOM_MUST;

struct loom_project_text {
	struct loom_str lane; /* empty: the one that is active at the boundary */
	int64_t at;           /* LOOM_SEQ_HEAD: all */
	struct loom_str prompt;
	bool limited;
	size_t limit;
};
/* The whole of `loom thread project`: from a JSON array of rows to {"system_prompt","entries",
 * "messages","id","lane"}, without a line end. */
enum loom_status loom_project_text(struct loom_str rows, const struct loom_project_text *opts,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* The members of the document above, for whoever has a log at hand. */
enum loom_status loom_project_json(const struct loom_log *log, const struct loom_project_opts *opts,
				   const struct loom_messages_opts *messages,
				   struct loom_json *json, struct loom_err *err) LOOM_MUST;

#endif
