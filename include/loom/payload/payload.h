/* `input.md`: the state of a project as one Markdown document for an agent.
 *
 * Five numbered sections: the machine, the project's tree, memos, a summary of the context by
 * scope, and the contents. Entries come from context lists (one path or URL per line) or from the
 * caller. No entry can make the document fail: a missing, binary, foreign or unreadable resource
 * becomes one line that says so. The document is always UTF-8. */
#ifndef LOOM_PAYLOAD_H
#define LOOM_PAYLOAD_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

enum loom_scope { LOOM_SCOPE_TURN, LOOM_SCOPE_SESSION, LOOM_SCOPE_GLOBAL };
#define LOOM_SCOPES 3

/* Returns "turn", "session" or "global". Static. */
const char *loom_scope_name(enum loom_scope scope);
/* Parses an exact word; false, leaving *out alone, for anything else. */
bool loom_scope_parse(struct loom_str name, enum loom_scope *out);

/* Writes the project's root for a working directory: the nearest ancestor with a `.teddy` folder,
 * otherwise `grove` (if not empty), otherwise its git repository, otherwise the directory itself.
 */
void loom_payload_root(struct loom_str cwd, struct loom_str grove, struct loom_buf *out);

/* Which session and turn to use. */
struct loom_payload_place {
	const struct loom_root *root;
	struct loom_str root_path; /* absolute; listed paths below it count as relative */
	struct loom_str session;   /* empty: the newest */
	struct loom_str turn;      /* "7" or "07"; empty: the newest of the session */
};

/* A line of a list. */
struct loom_payload_entry {
	enum loom_scope scope;
	struct loom_str target; /* a URL, or a path in normal form; unchanged if outside */
	bool url;
	bool outside;           /* the path leaves the root */
	bool everything;        /* a folder stands for all its files, ignoring the rules */
	struct loom_str source; /* where to read the bytes, if not at the target; else empty */
	struct loom_str file;   /* the list it is in; empty if the caller gave the entry */
	size_t line;
};

struct loom_payload_lists {
	struct loom_str session; /* the session found; empty: none */
	struct loom_str turn;    /* the turn found; empty: none */
	struct loom_str
		files[LOOM_SCOPES]; /* the list to edit, existing or not; empty: no place for one */
	struct loom_payload_entry *entries; /* by scope, then in list order */
	size_t count;
	struct loom_str *warnings;
	size_t warning_count;
};

/* Reads the lists, in the arena. A missing or unreadable one is empty (the latter with a warning).
 * LOOM_NOT_FOUND if a session or turn was named but does not exist. */
enum loom_status loom_payload_lists_read(const struct loom_payload_place *place,
					 struct loom_arena *arena, struct loom_payload_lists *out,
					 struct loom_err *err) LOOM_MUST;
/* Makes an entry for a path or URL as if a list contained it; in the arena. */
struct loom_payload_entry loom_payload_entry_make(const struct loom_payload_place *place,
						  enum loom_scope scope, struct loom_str text,
						  struct loom_arena *arena);

enum loom_payload_edit { LOOM_PAYLOAD_ADD, LOOM_PAYLOAD_REMOVE, LOOM_PAYLOAD_MOVE };
struct loom_payload_change {
	enum loom_payload_edit edit;
	enum loom_scope scope;
	const struct loom_str *targets;
	size_t count;
	size_t line; /* insert before this line, counted from 1; 0: at the end */
};
/* The lists that an edit wrote, first to last; in the arena. */
struct loom_payload_edits {
	struct loom_arena *arena;
	struct loom_payload_edited {
		struct loom_str file;   /* from the root */
		struct loom_str before; /* p NULL: there was none */
		struct loom_str now;
	} lists[LOOM_SCOPES];
	size_t count;
};
/* Adds targets to a scope's list, removes them, or moves them to it from the other scopes.
 * Comments, order and bytes of other lines stay. Adding an existing target is fine. LOOM_NOT_FOUND,
 * with nothing changed, if a target to remove or move is not listed. `out`, which may be NULL, has
 * its arena set. */
enum loom_status loom_payload_edit(const struct loom_payload_place *place,
				   const struct loom_payload_change *change,
				   struct loom_payload_edits *out, struct loom_err *err) LOOM_MUST;

/* A turn of a session: one just made, or the one whose lists were read. */
struct loom_payload_made {
	struct loom_str session;
	struct loom_str turn;
	struct loom_str folder; /* of the turn, relative to the root; empty: there is no turn */
};
/* Makes a session with its first turn, each with an empty list. Without a name in `place` it is
 * called by the date and the time. LOOM_CONFLICT if there is one of that name. In the arena. */
enum loom_status loom_payload_session_new(const struct loom_payload_place *place, int64_t now_ms,
					  struct loom_arena *arena, struct loom_payload_made *out,
					  struct loom_err *err) LOOM_MUST;
/* Makes the turn after the session's last one, whose list it takes over. LOOM_NOT_FOUND without a
 * session. In the arena. */
enum loom_status loom_payload_turn_new(const struct loom_payload_place *place,
				       struct loom_arena *arena, struct loom_payload_made *out,
				       struct loom_err *err) LOOM_MUST;
/* Finds the folder of the turn whose lists were read. In the arena. */
void loom_payload_turn_of(const struct loom_payload_lists *lists, struct loom_arena *arena,
			  struct loom_payload_made *out);
/* Leaves `text`, of what happened in a turn, as report.md in the turn's folder; without one does
 * nothing. */
enum loom_status loom_payload_report_put(const struct loom_root *root,
					 const struct loom_payload_made *turn, struct loom_str text,
					 struct loom_err *err) LOOM_MUST;

/* Fetches a URL: appends the body and its content type. A failure becomes a placeholder with
 * err.text. */
typedef enum loom_status (*loom_fetch_fn)(void *ctx, struct loom_str url, struct loom_buf *body,
					  struct loom_buf *type, struct loom_err *err);

struct loom_payload_opts {
	struct loom_payload_place place;
	/* Use these entries, those of a thread, instead of lists, if `given` is set. */
	bool given;
	const struct loom_payload_entry *entries;
	size_t entry_count;
	struct loom_str
		skip;      /* the file it is written to, relative to the root: no part of itself */
	const char *os;    /* NULL: ask the system */
	const char *shell; /* NULL: "unknown" */
	loom_fetch_fn fetch; /* NULL: do not fetch URLs */
	void *fetch_ctx;
};

/* A section or resource, and its range of bytes in the text. */
struct loom_payload_part {
	struct loom_str name; /* "2. Project Structure", or a resource's path or URL */
	bool resource;
	size_t from;
	size_t bytes;
	size_t tokens; /* estimate: bytes / 4, rounded up */
};

struct loom_payload {
	struct loom_buf text; /* the caller frees it with loom_payload_fini */
	struct loom_str session;
	struct loom_str turn;
	struct loom_payload_part *parts;
	size_t part_count;
	struct loom_str *warnings;
	size_t warning_count;
};

/* Builds the document; everything but its text is in the arena. Fails only if the root cannot be
 * read, a session or turn does not exist, or the document exceeds 1 GiB. */
enum loom_status loom_payload_build(const struct loom_payload_opts *opts, struct loom_arena *arena,
				    struct loom_payload *out, struct loom_err *err) LOOM_MUST;
/* Frees the text; the rest belongs to the arena. NULL is fine. */
void loom_payload_fini(struct loom_payload *payload);

#endif
