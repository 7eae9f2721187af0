/* A spawned thread's log beside what `.leslie/` says of it: when its next user message begins with
 * the block (thread_context.h), what is to be noted in it, and its conversation as a file. */
#ifndef LOOM_BLOCK_H
#define LOOM_BLOCK_H

#include <loom/log/log.h>
#include <loom/shared/thread_context.h>

#define LOOM_KIND_NOTE    "note"
#define LOOM_KIND_WARNING "warning"

/* Whether the lane's next user message is the first since the thread was spawned, loaded or
 * compacted, and of which of the three (a lane that has nobody's message yet is loaded). */
enum loom_status loom_block_due(const struct loom_log *log, struct loom_str lane,
				struct loom_arena *arena, bool *out_due,
				enum loom_context_mode *out_mode, struct loom_err *err) LOOM_MUST;
/* Says that the thread was loaded; once is enough until somebody speaks. Inside a write. */
enum loom_status loom_block_note_load(const struct loom_log *log, struct loom_arena *arena,
				      struct loom_err *err) LOOM_MUST;
/* Keeps a warning, unless it was kept already since somebody spoke. Inside a write. */
enum loom_status loom_block_warn(const struct loom_log *log, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

/* The conversation of a lane as Markdown: every message in order, whatever was compacted since,
 * each in a fence that it cannot close. */
struct loom_transcript_opts {
	struct loom_str thread;
	struct loom_str title;
	struct loom_str agent;
	struct loom_str lane;
};
/* Appends it to `out`; *out_messages is how many there were. Fails only as reading the log
 * fails. */
enum loom_status loom_transcript(const struct loom_log *log,
				 const struct loom_transcript_opts *opts, struct loom_arena *arena,
				 struct loom_buf *out, size_t *out_messages,
				 struct loom_err *err) LOOM_MUST;

#endif
