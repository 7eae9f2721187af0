/* `<thread_context>`: tells a thread about its own assets and those it was given to read.
 *
 * It may write its own assets; everything below a ref is read-only. It has one level: references of
 * a referenced thread are not included. */
#ifndef LOOM_THREAD_CONTEXT_H
#define LOOM_THREAD_CONTEXT_H

#include <loom/shared/asset.h>

enum loom_context_mode {
	LOOM_CONTEXT_SPAWN,    /* no own assets: the thread will create them */
	LOOM_CONTEXT_LOAD,     /* all existing assets */
	LOOM_CONTEXT_REINJECT, /* like load, after a compaction */
};

/* Parses "spawn", "load" or "reinject"; false, leaving *out alone, for anything else. */
bool loom_context_mode_parse(struct loom_str name, enum loom_context_mode *out);

struct loom_context_ref {
	struct loom_str thread;
	struct loom_asset_list assets;
	/* not part of the block: */
	struct loom_str copies;  /* changes with what was copied from it */
	struct loom_str *inside; /* the files in its live folders, with their paths, sorted */
	size_t inside_count;
	size_t inside_cap;
	bool inside_whole; /* false: there are more than can be listed */
};

struct loom_thread_context {
	struct loom_str thread;
	struct loom_str objective;
	struct loom_str relations_file; /* p NULL: not given */
	struct loom_asset_list assets;
	struct loom_context_ref *refs;
	size_t ref_count;
	size_t ref_cap;
	struct loom_asset_list kept; /* copies whose thread is gone: told in comments */
};

/* Returns the ref of a thread, appending one if there is none; borrowed until the next call. */
struct loom_context_ref *loom_context_ref_of(struct loom_arena *arena,
					     struct loom_thread_context *context,
					     struct loom_str thread);

/* Returns whether a text is valid in XML 1.0: UTF-8 without the characters it forbids. */
bool loom_xml_can_say(struct loom_str text);

/* Returns a text with the references that XML may write in it, `&quot;` or `&#45;`, as what they
 * stand for; borrowed if it has none, else in the arena. */
struct loom_str loom_xml_unescape(struct loom_str text, struct loom_arena *arena);

/* Appends the block, from `<` to `>`, without a final line feed. Refs without assets are left out.
 * LOOM_INVALID, with nothing appended, if XML cannot represent one of its texts. */
enum loom_status loom_thread_context_emit(const struct loom_thread_context *context,
					  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends the first user message: the block, a blank line, the task unchanged. */
void loom_thread_context_message(struct loom_str block, struct loom_str task, struct loom_buf *out);

/* Something in a parsed block that does not belong there. */
struct loom_context_problem {
	size_t line; /* line in the given text, from 1 */
	struct loom_str message;
};

struct loom_context_problems {
	struct loom_context_problem *items;
	size_t count;
	size_t cap;
};

/* Reads the first block anywhere in `text` (a pasted transcript contains more than the block). The
 * readable parts go into *out; anything else is a problem with its line. A block of at most 1 MiB,
 * start tags at most 64 KiB, UTF-8, no DOCTYPE. The text is never trusted: a separate process that
 * can open nothing parses it. Fails only if the system does. */
enum loom_status loom_thread_context_parse(struct loom_str text, struct loom_arena *arena,
					   struct loom_thread_context *out,
					   struct loom_context_problems *problems,
					   struct loom_err *err) LOOM_MUST;

#endif
