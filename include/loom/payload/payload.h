/* `input.md`: the state of the world, as one Markdown document for an agent.
 *
 * Five numbered sections: the machine, the tree of the project, memos, the summary of what is in
 * the context by scope, and the contents. What is listed comes from context lists (one path or URL
 * a line) or from the caller. Nothing that is listed can make the document fail: a missing, binary,
 * foreign or unreadable resource becomes one line that says so. The document is always UTF-8. */
#ifndef LOOM_PAYLOAD_H
#define LOOM_PAYLOAD_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

enum loom_scope { LOOM_SCOPE_TURN, LOOM_SCOPE_SESSION, LOOM_SCOPE_GLOBAL };
#define LOOM_SCOPES 3

/* "turn", "session", "global"; lives for ever. */
const char *loom_scope_name(enum loom_scope scope);
/* Exact; false, and *out untouched, for another word. */
bool loom_scope_parse(struct loom_str name, enum loom_scope *out);

/* Writes the project's root for a working directory: the nearest ancestor that has a `.teddy`
 * folder, else `grove` (when not empty), else the directory itself. */
void loom_payload_root(struct loom_str cwd, struct loom_str grove, struct loom_buf *out);

/* Which session and turn are meant. */
struct loom_payload_place {
	const struct loom_root *root;
	struct loom_str root_path; /* absolute; listed paths below it are taken as relative */
	struct loom_str session;   /* empty: the newest */
	struct loom_str turn;      /* "7" or "07"; empty: the newest of the session */
};

/* One line of a list. */
struct loom_payload_entry {
	enum loom_scope scope;
	struct loom_str target; /* a URL, or a path in normal form; as written when outside */
	bool url;
	bool outside;           /* the path leaves the root */
	bool everything;        /* a folder stands for all its files, whatever the rules say */
	struct loom_str source; /* where the bytes are read, when not at the target; else empty */
	struct loom_str file;   /* whose line; empty when the caller gave the entry */
	size_t line;
};

struct loom_payload_lists {
	struct loom_str session;            /* found; empty: there is none */
	struct loom_str turn;               /* found; empty: there is none */
	struct loom_str files[LOOM_SCOPES]; /* the list to edit, there or not; empty: no place */
	struct loom_payload_entry *entries; /* by scope, then in the order of the lists */
	size_t count;
	struct loom_str *warnings;
	size_t warning_count;
};

/* Reads the lists. A missing or unreadable one is empty (the latter with a warning); a session or
 * turn that was named and is not there is LOOM_NOT_FOUND. */
enum loom_status loom_payload_lists_read(const struct loom_payload_place *place,
					 struct loom_arena *arena, struct loom_payload_lists *out,
					 struct loom_err *err) LOOM_MUST;
/* An entry for a path or URL as a list would hold it. */
struct loom_payload_entry loom_payload_entry_make(const struct loom_payload_place *place,
						  enum loom_scope scope, struct loom_str text,
						  struct loom_arena *arena);

enum loom_payload_edit { LOOM_PAYLOAD_ADD, LOOM_PAYLOAD_REMOVE, LOOM_PAYLOAD_MOVE };
struct loom_payload_change {
	enum loom_payload_edit edit;
	enum loom_scope scope;
	const struct loom_str *targets;
	size_t count;
	size_t line; /* what is new stands there, the first line being 1; 0: at the end */
};
/* Adds targets to a scope's list, removes them from it, or moves them to it from the other scopes.
 * Comments, order and bytes of other lines stay. Adding what is there already is fine; removing or
 * moving what is nowhere is LOOM_NOT_FOUND and changes nothing. */
enum loom_status loom_payload_edit(const struct loom_payload_place *place,
				   const struct loom_payload_change *change,
				   struct loom_err *err) LOOM_MUST;

/* Where the contents of URLs come from. Appends the body and its content type. A failure becomes a
 * placeholder with err.text. */
typedef enum loom_status (*loom_fetch_fn)(void *ctx, struct loom_str url, struct loom_buf *body,
					  struct loom_buf *type, struct loom_err *err);

struct loom_payload_opts {
	struct loom_payload_place place;
	/* Instead of lists: what a thread holds. Used when `given` is set. */
	bool given;
	const struct loom_payload_entry *entries;
	size_t entry_count;
	const char *os;      /* NULL: asked of the machine */
	const char *shell;   /* NULL: "unknown" */
	loom_fetch_fn fetch; /* NULL: URLs are not fetched */
	void *fetch_ctx;
};

/* A section or resource and where its bytes are in the text. */
struct loom_payload_part {
	struct loom_str name; /* "2. Project Structure", or a resource's path or URL */
	bool resource;
	size_t from;
	size_t bytes;
	size_t tokens; /* estimated: bytes / 4, rounded up */
};

struct loom_payload {
	struct loom_buf text; /* caller frees with loom_payload_fini */
	struct loom_str session;
	struct loom_str turn;
	struct loom_payload_part *parts;
	size_t part_count;
	struct loom_str *warnings;
	size_t warning_count;
};

/* Builds the document; everything but its text is in the arena. Fails only for a root that cannot
 * be read, a session or turn that is not there, or a document beyond 1 GiB. */
enum loom_status loom_payload_build(const struct loom_payload_opts *opts, struct loom_arena *arena,
				    struct loom_payload *out, struct loom_err *err) LOOM_MUST;
/* Frees the text; the rest is the arena's. NULL is fine. */
void loom_payload_fini(struct loom_payload *payload);

#endif
