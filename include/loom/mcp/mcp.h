/* `loom mcp`'s inside: messages in and out, what is offered, the calls under way, what is watched.
 *
 * Everything lives in the loop's thread. Nothing of a grove is opened before a request needs it;
 * from then on it stays open. */
#ifndef TOOL_MCP_IMPL_H
#define TOOL_MCP_IMPL_H

#include <loom/actor/act.h>
#include <loom/context/context.h>
#include <loom/cli/cli.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/work/thread.h>
#include <loom/engine/turn_log.h>

#include <loom/cli/open_grove.h>

/* ---- messages (message.c) ---- */

/* What reads: to whom nothing was ever granted may do this much here. */
#define TOOL_MCP_UNGRANTED LOOM_MAY_ANALYST

#define TOOL_MCP_PARSE   (-32700)
#define TOOL_MCP_REQUEST (-32600)
#define TOOL_MCP_METHOD  (-32601)
#define TOOL_MCP_PARAMS  (-32602)
#define TOOL_MCP_NO_SUCH (-32002) /* a missing resource, as clients before 2026 know it */
#define TOOL_MCP_VERSION (-32022)
#define TOOL_MCP_OWN     1 /* ours: `data` holds what the command line would say */
#define TOOL_MCP_MODERN  "2026-07-28"

enum tool_mcp_kind {
	TOOL_MCP_ASKS,  /* wants an answer */
	TOOL_MCP_TELLS, /* a notification */
	TOOL_MCP_OTHER, /* an answer to something that was never asked */
	TOOL_MCP_BATCH, /* a list of messages: `batch` */
	TOOL_MCP_BAD,   /* none of these: `code` and `why` say what to answer */
};

struct tool_mcp_message {
	enum tool_mcp_kind kind;
	struct loom_str id; /* as JSON, always spelled the same; p NULL: not known */
	struct loom_str method;
	struct loom_str params; /* an object as JSON, "{}" when there was none */
	struct loom_str batch;  /* a list of at least one */
	int code;
	struct loom_str why;
};

/* Reads one line; texts are borrowed from it or live in the arena. Cannot fail: what is no message
 * is a bad one. */
void tool_mcp_read(struct loom_str line, struct loom_arena *arena, struct tool_mcp_message *out);
/* An id in its one spelling; p NULL for what is no id. */
struct loom_str tool_mcp_id(struct loom_str value, struct loom_arena *arena);

/* ---- the wire (wire.c) ---- */

#define TOOL_MCP_LINE_MAX ((size_t)16 << 20)
/* With so much not yet taken by the client no more of its lines are answered. */
#define TOOL_MCP_BACKLOG ((size_t)1 << 20)

enum tool_mcp_line { TOOL_MCP_NO_LINE, TOOL_MCP_A_LINE, TOOL_MCP_LONG_LINE };

struct tool_mcp_wire {
	struct loom_loop *loop;
	int in_fd;
	int out_fd;
	struct loom_buf in;
	size_t at;      /* the next line begins here */
	size_t scanned; /* no line feed before this */
	bool skipping;  /* inside a line that was too long */
	bool end;       /* the client says no more */
	bool reading;   /* in_fd is watched */
	struct loom_buf out;
	size_t sent;
	bool broken;   /* nobody takes what is said */
	bool terminal; /* a person reads it */
};

/* Nothing is watched before tool_mcp_wire_listen. Descriptors are borrowed. */
void tool_mcp_wire_init(struct tool_mcp_wire *wire, struct loom_loop *loop, int in_fd, int out_fd);
void tool_mcp_wire_fini(struct tool_mcp_wire *wire);
/* Watches, or leaves alone, what the client says. */
void tool_mcp_wire_listen(struct tool_mcp_wire *wire, bool on);
/* What was read from somewhere. */
void tool_mcp_wire_feed(struct tool_mcp_wire *wire, struct loom_str bytes);
/* Whether more may be read: not too much waits to be taken as lines. */
bool tool_mcp_wire_room(const struct tool_mcp_wire *wire);
/* The next line without its end, borrowed until the next feed or step of the loop. */
enum tool_mcp_line tool_mcp_wire_line(struct tool_mcp_wire *wire, struct loom_str *out);
/* Sends one line, now or as soon as the client takes it; never waits. */
void tool_mcp_wire_say(struct tool_mcp_wire *wire, struct loom_str message);
/* Bytes that the client has not taken. */
size_t tool_mcp_wire_backlog(const struct tool_mcp_wire *wire);

/* ---- lists of messages (batch.c) ---- */

/* One line that was a list: read message by message, answered by one line when the last of them has
 * its answer. Those who still owe one hold it, and so does who reads it. */
struct tool_mcp_batch {
	struct loom_arena *arena; /* the line */
	struct loom_jwalk rest;   /* messages that nobody has looked at */
	struct loom_buf answers;  /* with commas between them */
	size_t holders;
};

/* Held by who made it. */
struct tool_mcp_batch *tool_mcp_batch_create(struct loom_str list);
/* NULL is held too. */
struct tool_mcp_batch *tool_mcp_batch_hold(struct tool_mcp_batch *batch);
/* The last one sends the answers, if there are any. NULL is let go of too. */
void tool_mcp_batch_let_go(struct tool_mcp_batch *batch, struct tool_mcp_wire *wire);
/* Whether an answer of so many bytes is still to go with the others. */
bool tool_mcp_batch_room(const struct tool_mcp_batch *batch, size_t bytes);
void tool_mcp_batch_add(struct tool_mcp_batch *batch, struct loom_str answer);

/* ---- the server (serve.c) ---- */

struct tool_mcp_job;
struct tool_mcp_listener;
struct tool_mcp_request;

struct tool_mcp {
	struct loom_cli *cli;
	struct loom_str agent_name;
	struct tool_mcp_wire wire;
	struct loom_buf line; /* the message that is being written */
	struct loom_json json;
	const struct tool_mcp_request *answered; /* by it; NULL: it answers nothing that is known */
	struct tool_mcp_batch *batch;            /* whose messages are taken before the next line */
	bool greeted;                            /* a client of the old way has said who it is */
	bool batches;   /* and speaks the one version in which a line may be a list of messages */
	bool stopping;  /* the program is told to end, or nobody listens */
	uint64_t grace; /* the timer after the client's last word */
	/* From the first request that needs it. */
	struct tool_grove *grove;
	struct loom_agent agent;
	struct tool_voices voices;
	struct loom_arena *waiting; /* holds the request below; NULL: none waits for the grove */
	struct tool_mcp_request *asked;
	/* Calls, oldest first. */
	struct tool_mcp_job *jobs;
	/* What is watched. */
	struct tool_mcp_listener *listeners;
	struct loom_watch *watch;
	uint64_t look; /* the timer of the next look */
	int64_t seq;   /* of the last event that was looked at */
};

/* One request while it is answered. */
struct tool_mcp_request {
	struct loom_arena *arena;
	struct loom_str id;
	struct loom_str method;
	struct loom_str params;
	struct tool_mcp_batch *batch; /* NULL: a line of its own */
	bool modern;                  /* of the stateless way */
};

void tool_mcp_init(struct tool_mcp *mcp, struct loom_cli *cli, struct loom_str agent);
void tool_mcp_fini(struct tool_mcp *mcp);
/* Until the client is gone, or the program is told to end. */
void tool_mcp_serve(struct tool_mcp *mcp);

/* ---- saying (answer.c) ---- */

/* The result of a request: its object is open between the two. */
struct loom_json *tool_mcp_begin(struct tool_mcp *mcp, const struct tool_mcp_request *request);
/* Closes the object and sends the line. */
void tool_mcp_end(struct tool_mcp *mcp);
/* What a result must say of how long it may be kept, where the era asks for that. */
void tool_mcp_cache(struct tool_mcp *mcp, const struct tool_mcp_request *request);
/* A notification: its params are open until tool_mcp_end. */
struct loom_json *tool_mcp_notice(struct tool_mcp *mcp, const char *method);
/* An error of the protocol; NULL: of a line that is no request. */
void tool_mcp_error(struct tool_mcp *mcp, const struct tool_mcp_request *request, int code,
		    struct loom_str why);
/* What failed of a request, by its status, with code and hint as data. */
void tool_mcp_refuse(struct tool_mcp *mcp, const struct tool_mcp_request *request,
		     const struct loom_err *err);
/* The version asked for is none of ours. */
void tool_mcp_refuse_version(struct tool_mcp *mcp, const struct tool_mcp_request *request,
			     struct loom_str asked);
/* The whole result of a tool. */
void tool_mcp_text(struct tool_mcp *mcp, const struct tool_mcp_request *request,
		   struct loom_str text, bool failed);
/* The same for what failed: its ✗ and hint lines. */
void tool_mcp_text_err(struct tool_mcp *mcp, const struct tool_mcp_request *request,
		       const struct loom_err *err);

/* ---- what is offered (offer.c) ---- */

/* One function a method: each answers its request. */
void tool_mcp_initialize(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_discover(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_tools(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_prompts(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_prompt(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_templates(struct tool_mcp *mcp, const struct tool_mcp_request *request);

/* ---- arguments and places (place.c) ---- */

/* What the tools are given; what is absent has p NULL or is 0. */
struct tool_mcp_args {
	struct loom_str text;
	struct loom_str thread;
	struct loom_str tree;
	struct loom_str node;
	struct loom_str format;
	struct loom_str op;
	int64_t budget;
};
/* LOOM_SYNTAX names what is missing, unknown or of another type. `takes` are the names that this
 * tool knows, NULL-ended. */
enum loom_status tool_mcp_args_read(struct loom_str arguments, const char *const *takes,
				    struct loom_arena *arena, struct tool_mcp_args *out,
				    struct loom_err *err) LOOM_MUST;

/* Where a call or a context is. */
struct tool_mcp_place {
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: the agent was never in that tree */
	struct loom_str node;      /* as it was said; p NULL: where the thread stands */
};
/* LOOM_PERMISSION for a thread that is another's; LOOM_CROSS_TREE. Lives in the grove's arena. */
enum loom_status tool_mcp_place(struct tool_mcp *mcp, const struct tool_mcp_args *args,
				struct tool_mcp_place *out, struct loom_err *err) LOOM_MUST;
/* What the agent may; to whom nothing was ever granted may read. */
enum loom_status tool_mcp_may(struct tool_mcp *mcp, unsigned *out, struct loom_err *err) LOOM_MUST;
/* LOOM_PERMISSION for who may not even look. */
enum loom_status tool_mcp_may_look(struct tool_mcp *mcp, struct loom_err *err) LOOM_MUST;
/* What a model would be given there. `still`: without what passes (who is here, how long ago). */
struct tool_mcp_wish {
	int64_t budget;
	bool still;
};
enum loom_status tool_mcp_assemble(struct tool_mcp *mcp, const struct tool_mcp_place *place,
				   const struct tool_mcp_wish *wish, struct loom_assembly *out,
				   struct loom_err *err) LOOM_MUST;
/* As it is read: a line above each message, what was left out at the end. */
void tool_mcp_assembly_text(const struct loom_assembly *assembly, struct loom_buf *out);
/* What every engine of the server's begins with: the agent, and the connection that reads. */
void tool_mcp_engine(const struct tool_mcp *mcp, struct loom_engine_opts *out);
/* The models that may be asked, opened by the first question about them. */
const struct tool_voices *tool_mcp_voices(struct tool_mcp *mcp);
/* The tool loom_context. */
void tool_mcp_context(struct tool_mcp *mcp, const struct tool_mcp_request *request,
		      struct loom_str arguments);
/* From here on what the grove's helpers make lives in `arena`; NULL: in the call's again. */
void tool_mcp_scratch(struct tool_mcp *mcp, struct loom_arena *arena);

/* ---- the tool `loom` (call.c) ---- */

/* Answers a call of a tool: `loom` when its lines are done, `loom_context` at once. */
void tool_mcp_call(struct tool_mcp *mcp, const struct tool_mcp_request *request);
/* The client does not wait for this one any more; false: it is no call. */
bool tool_mcp_call_cancel(struct tool_mcp *mcp, struct loom_str id);
/* Ends what is generated and what waits; their answers follow. */
void tool_mcp_calls_stop(struct tool_mcp *mcp);

/* ---- resources (resource.c) ---- */

enum tool_mcp_what { TOOL_MCP_TREE, TOOL_MCP_NODE, TOOL_MCP_THREAD };
struct tool_mcp_uri {
	enum tool_mcp_what what;
	struct loom_str id;
};
/* False for what is no loom: URI. */
bool tool_mcp_uri_read(struct loom_str text, struct loom_arena *arena, struct tool_mcp_uri *out);
void tool_mcp_resources(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_resource(struct tool_mcp *mcp, const struct tool_mcp_request *request);
/* What of a resource stays the same until it changes, and in which tree it is. */
enum loom_status tool_mcp_resource_print(struct tool_mcp *mcp, const struct tool_mcp_uri *uri,
					 struct loom_hash *out, int64_t *out_tree,
					 struct loom_err *err) LOOM_MUST;

/* ---- watching (notify.c) ---- */

void tool_mcp_subscribe(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_unsubscribe(struct tool_mcp *mcp, const struct tool_mcp_request *request);
void tool_mcp_listen(struct tool_mcp *mcp, const struct tool_mcp_request *request);
/* False: nobody listens by that id. */
bool tool_mcp_listen_end(struct tool_mcp *mcp, struct loom_str id);
void tool_mcp_watch_close(struct tool_mcp *mcp);

#endif
