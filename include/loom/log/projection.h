/* Projects a lane of a log to a context, what a model is told, as a pure function of the rows up to
 * a boundary. Same rows, same bytes. */
#ifndef LOOM_PROJECTION_H
#define LOOM_PROJECTION_H

#include <loom/base/json.h>
#include <loom/log/log.h>

enum loom_role {
	LOOM_ROLE_OTHER,
	LOOM_ROLE_USER,
	LOOM_ROLE_ASSISTANT,
	LOOM_ROLE_TOOL,
	LOOM_ROLE_SYSTEM
};

/* One message, or a reference to a node. The slices are JSON values; absent ones have p NULL. */
struct loom_entry {
	enum loom_role role;
	int64_t seq;          /* its row; an anchor's for all entries of the anchor */
	int64_t at_ms;        /* LOOM_TIME_NONE if unknown */
	struct loom_str node; /* a ULID as a string; if set, nothing else is */
	struct loom_str role_name;
	struct loom_str content; /* a string or a list of parts; absent: null */
	struct loom_str thinking;
	struct loom_str tool_calls;
	struct loom_str tool_call_id;
	struct loom_str name;
	struct loom_str reasoning; /* the provider's own signatures */
	struct loom_str refs;
};

/* In the refs of a user's message that begins with the thread's block: nothing else is one. */
#define LOOM_REF_BLOCK "thread_context"
/* In the refs of a user's message that is a document handed over, not what somebody says. */
#define LOOM_REF_GIVEN "given"
/* In the refs of a message that is a summary of others: how many. */
#define LOOM_REF_SUMMARY "summary"

struct loom_context {
	struct loom_str thread;
	struct loom_str lane;
	struct loom_str id; /* the snapshot's, else derived from thread and lane */
	bool has_prompt;
	struct loom_str prompt; /* plain text */
	struct loom_entry *entries;
	size_t count;
	size_t cap;
	int64_t anchor_seq; /* LOOM_SEQ_NONE: none */
	bool has_base;
	int64_t base_seq; /* of the anchor's operation */
};

struct loom_project_opts {
	struct loom_str thread;
	struct loom_str lane;
	int64_t at;             /* inclusive; LOOM_SEQ_HEAD for all, LOOM_SEQ_NONE for nothing */
	struct loom_str prompt; /* the default prompt; p NULL: none */
	bool limited;
	size_t limit; /* only the last n entries; the prompt always stays */
};

/* Starts from the lane's last readable replace at or before the boundary, or from nothing and the
 * default prompt, and folds in the lane's messages after it. With an anchor index the cost is that
 * of the rows after the anchor, with a limit that of the rows it lets in. The context is in `arena`
 * and, if the log's rows are lasting, in the log. */
enum loom_status loom_project(const struct loom_log *log, const struct loom_project_opts *opts,
			      struct loom_arena *arena, struct loom_context *out,
			      struct loom_err *err) LOOM_MUST;
/* Folds one more row into a context and returns whether it added an entry; rows of other lanes or
 * kinds and unreadable ones add nothing. `lasting`: the row's text outlives the arena. */
bool loom_context_fold(struct loom_context *context, const struct loom_log_row *row, bool lasting,
		       struct loom_arena *arena);

/* Counts the lane's messages between the anchor's base_seq and the anchor: they are hidden,
 * although the anchor's creator never saw them. */
enum loom_status loom_context_hidden(const struct loom_context *context, const struct loom_log *log,
				     size_t *out, struct loom_err *err) LOOM_MUST;

/* Returns the largest number of first entries, at most `count`, that parts no call from its
 * results. */
size_t loom_context_cut(const struct loom_context *context, size_t count);

/* Writes an entry as an object: without null fields, with a timestamp if known. */
void loom_entry_json(const struct loom_entry *entry, struct loom_json *json);
/* Appends an entry's text: the string, or the joined text parts. */
void loom_entry_text(const struct loom_entry *entry, struct loom_buf *out);
/* Writes the first `count` entries as an array. */
void loom_context_entries_json(const struct loom_context *context, size_t count,
			       struct loom_json *json);
/* Writes {id, system_prompt, entries} with the first `count` entries, as a replace takes it in
 * result_context. */
void loom_context_snapshot_json(const struct loom_context *context, size_t count,
				struct loom_json *json);

/* The text that a reference to a node stands for. */
struct loom_node_text {
	const char *role;
	struct loom_str text;
};
struct loom_messages_opts {
	/* Nullable. Loads a node's text. False if there is no such node; the entry then gives no
	 * message. */
	bool (*node)(void *ctx, struct loom_str ulid, struct loom_node_text *out);
	void *ctx;
};
/* Writes the array of messages as providers take it. `opts` may be NULL. */
void loom_context_messages_json(const struct loom_context *context,
				const struct loom_messages_opts *opts, struct loom_json *json);

#endif
