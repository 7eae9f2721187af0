/* What a spawned thread's log adds to `.leslie/`: when its next user message starts with the block
 * (thread_context.h), notes about that, and its conversation as a file. */
#ifndef LOOM_BLOCK_H
#define LOOM_BLOCK_H

#include <loom/log/log.h>
#include <loom/shared/thread_context.h>

#define LOOM_KIND_NOTE    "note"
#define LOOM_KIND_WARNING "warning"

/* Sets *out_due to whether the lane's next user message is the first since the thread was
 * spawned, loaded or compacted, and *out_mode to which of these (a lane without messages counts
 * as loaded). */
enum loom_status loom_block_due(const struct loom_log *log, struct loom_str lane,
				struct loom_arena *arena, bool *out_due,
				enum loom_context_mode *out_mode, struct loom_err *err) LOOM_MUST;
/* Inside a write: notes that the thread was loaded; once is enough until the next message. */
enum loom_status loom_block_note_load(const struct loom_log *log, struct loom_arena *arena,
				      struct loom_err *err) LOOM_MUST;
/* Inside a write: stores a warning, unless it was stored since the last message. */
enum loom_status loom_block_warn(const struct loom_log *log, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

/* Options for a lane's conversation as Markdown: every message in order, compacted or not, each in
 * a fence it cannot close. */
struct loom_transcript_opts {
	struct loom_str thread;
	struct loom_str title;
	struct loom_str agent;
	struct loom_str lane;
};
/* Appends the conversation; *out_messages is the number of messages. Fails only if reading the log
 * fails. */
enum loom_status loom_transcript(const struct loom_log *log,
				 const struct loom_transcript_opts *opts, struct loom_arena *arena,
				 struct loom_buf *out, size_t *out_messages,
				 struct loom_err *err) LOOM_MUST;

#endif
