/* `<thread_context>`: what a thread is told about its own assets and those it was given to read.
 *
 * Own assets may be written, everything below a ref is for reading only. One level: what a
 * referenced thread references is never in it. */
#ifndef LOOM_THREAD_CONTEXT_H
#define LOOM_THREAD_CONTEXT_H

#include <loom/shared/asset.h>

enum loom_context_mode {
	LOOM_CONTEXT_SPAWN,    /* no own assets: the thread will make them */
	LOOM_CONTEXT_LOAD,     /* all that exist */
	LOOM_CONTEXT_REINJECT, /* as load, after a compaction */
};

/* "spawn", "load", "reinject"; false, and *out untouched, for another word. */
bool loom_context_mode_parse(struct loom_str name, enum loom_context_mode *out);

struct loom_context_ref {
	struct loom_str thread;
	struct loom_asset_list assets;
};

struct loom_thread_context {
	struct loom_str thread;
	struct loom_str objective;
	struct loom_str relations_file; /* p NULL: not said */
	struct loom_asset_list assets;
	struct loom_context_ref *refs;
	size_t ref_count;
	size_t ref_cap;
};

/* The ref of that thread, made at the end when there is none; borrowed until the next one. */
struct loom_context_ref *loom_context_ref_of(struct loom_arena *arena,
					     struct loom_thread_context *context,
					     struct loom_str thread);

/* Whether XML 1.0 can say it: UTF-8 without the characters it forbids. */
bool loom_xml_can_say(struct loom_str text);

/* Appends the block, from `<` to `>`, no line feed behind. Refs without assets are left out.
 * LOOM_INVALID, and nothing appended, when XML cannot say one of its texts. */
enum loom_status loom_thread_context_emit(const struct loom_thread_context *context,
					  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends the first user message: the block, one blank line, the task as it is. */
void loom_thread_context_message(struct loom_str block, struct loom_str task, struct loom_buf *out);

/* Something in a block that was read and does not belong there. */
struct loom_context_problem {
	size_t line; /* from 1, in the text that was given */
	struct loom_str message;
};

struct loom_context_problems {
	struct loom_context_problem *items;
	size_t count;
	size_t cap;
};

/* Reads the first block in `text`, wherever it stands in it (a pasted transcript holds more than
 * the block). What can be read is read and goes into *out; what cannot is a problem with its line.
 * At most 1 MiB, start tags at most 64 KiB, UTF-8, no DOCTYPE. The text is never trusted: it is
 * parsed in a process of its own that can open nothing. Only a failing machine is an error. */
enum loom_status loom_thread_context_parse(struct loom_str text, struct loom_arena *arena,
					   struct loom_thread_context *out,
					   struct loom_context_problems *problems,
					   struct loom_err *err) LOOM_MUST;

#endif
