/* What a spawned thread's log adds to `.leslie/`: which messages start with its block
 * (thread_context.h), what it was told of changes, and its conversation as a file. */
#ifndef LOOM_BLOCK_H
#define LOOM_BLOCK_H

#include <loom/log/projection.h>
#include <loom/shared/thread_context.h>

#define LOOM_KIND_NOTE    "note"
#define LOOM_KIND_WARNING "warning"
#define LOOM_KIND_KNOWN   "thread_state" /* what the agent knows of its files */

/* Returns the length of the block at the start of an entry's text; 0: the entry has none. */
size_t loom_block_length(const struct loom_entry *entry, struct loom_str text);
/* Returns the newest block in a context, in the arena; empty if there is none. */
struct loom_str loom_block_newest(const struct loom_context *context, struct loom_arena *arena);
/* Sets *out to whether the thread was loaded after its last user message. */
enum loom_status loom_block_loaded(const struct loom_log *log, struct loom_arena *arena, bool *out,
				   struct loom_err *err) LOOM_MUST;
/* Reads into the arena what the agent knew of its files when its last run began, a JSON object; p
 * NULL: never told. */
enum loom_status loom_block_known(const struct loom_log *log, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err) LOOM_MUST;
/* Inside a write: keeps that object (empty: it stays), and tells the turn of `request` what
 * changed, a line each (empty: nothing). A run of lifecycle.h is told with its first message. */
enum loom_status loom_block_tell(const struct loom_log *log, struct loom_str request,
				 struct loom_str known, struct loom_str changes,
				 struct loom_err *err) LOOM_MUST;
/* Inside a write: notes that the thread was loaded; once is enough until the next message. */
enum loom_status loom_block_note_load(const struct loom_log *log, struct loom_arena *arena,
				      struct loom_err *err) LOOM_MUST;
/* Inside a write: stores a warning, unless it was stored since the last message. */
enum loom_status loom_block_warn(const struct loom_log *log, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err) LOOM_MUST;
/* Inside a write: stores such a warning for the run of `request`, which is about to begin. */
enum loom_status loom_block_warn_run(const struct loom_log *log, struct loom_str request,
				     struct loom_str text, struct loom_arena *arena,
				     struct loom_err *err) LOOM_MUST;

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
