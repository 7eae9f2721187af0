/* One message as a model is told it, the same from a log's entry to the request of a provider: who
 * speaks, the text or the parts, the calls of tools and what answers them, and signed thoughts. */
#ifndef LOOM_PROMPT_H
#define LOOM_PROMPT_H

#include <loom/log/projection.h>

/* A call of a tool that stands in a conversation. Plain text; never one of the loom's own calls. */
struct loom_tool_call {
	struct loom_str id;
	struct loom_str name;
	struct loom_str arguments; /* JSON as it came, an object as a rule */
};

struct loom_prompt_message {
	enum loom_role role;
	struct loom_str text; /* all of it; of what is no text, its type in brackets */
	/* JSON list in the shape of the chat API, if the content is more than text; else p NULL. */
	struct loom_str parts;
	const struct loom_tool_call *calls;
	size_t call_count;
	struct loom_str call_id; /* of a result: what it answers */
	struct loom_str name;    /* of a result: the tool's */
	struct loom_str
		reasoning; /* JSON list: thoughts that their provider signed; p NULL: none */
};

/* Returns "user", "assistant", "system" or "tool". Static. */
const char *loom_role_name(enum loom_role role);
/* Returns the role with that name; LOOM_ROLE_USER for any other word. */
enum loom_role loom_role_named(struct loom_str word);

/* Makes the message of an entry that is no reference to a node, in the arena. Thoughts without a
 * signature are not part of it. The voice of a user with a name stands before the text. */
void loom_entry_message(const struct loom_entry *entry, struct loom_arena *arena,
			struct loom_prompt_message *out);
/* Reads a list of calls, as the chat API has it or {id, name, arguments}, into the arena. Calls
 * without a name are left out. */
size_t loom_tool_calls(struct loom_str list, struct loom_arena *arena,
		       const struct loom_tool_call **out);
/* Quotes in the message what looks like a line of ours; the first `from` bytes of its text stay. */
void loom_prompt_quote(struct loom_prompt_message *message, size_t from, unsigned below,
		       struct loom_arena *arena);

/* Returns whether the message says nothing: no provider takes one. */
bool loom_prompt_empty(const struct loom_prompt_message *message);
/* Returns an estimate of its tokens; what is no text counts as much whatever its size. */
int64_t loom_prompt_tokens(const struct loom_prompt_message *message);
/* Copies the message with all its texts into the arena. */
struct loom_prompt_message loom_prompt_copy(const struct loom_prompt_message *message,
					    struct loom_arena *arena);

/* Writes the members of the message, in the shape of the chat API. */
void loom_prompt_json(const struct loom_prompt_message *message, struct loom_json *json);
/* Writes the members that it has besides role and text. */
void loom_prompt_rest_json(const struct loom_prompt_message *message, struct loom_json *json);
/* Reads those members back, into the arena. */
void loom_prompt_rest_read(struct loom_str object, struct loom_arena *arena,
			   struct loom_prompt_message *out);
/* Appends the message as text, after the label of its voice if that is not NULL: a result's tool,
 * what is said, and each call on a line of its own. Quotes what looks like the lines that `below`
 * names, and returns how many lines were quoted. */
size_t loom_prompt_text(const struct loom_prompt_message *message, const char *label,
			unsigned below, struct loom_buf *out);

#endif
