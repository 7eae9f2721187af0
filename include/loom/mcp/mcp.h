/* `loom mcp`'s inside: messages in and out, what is offered, the calls under way, what is watched.
 *
 * Everything lives in the loop's thread. Nothing of a grove is opened before a request needs it;
 * from then on it stays open. */
#ifndef LOOM_MCP_MCP_H
#define LOOM_MCP_MCP_H

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
#define MCP_UNGRANTED LOOM_MAY_ANALYST

#define MCP_PARSE   (-32700)
#define MCP_REQUEST (-32600)
#define MCP_METHOD  (-32601)
#define MCP_PARAMS  (-32602)
#define MCP_NO_SUCH (-32002) /* a missing resource, as clients before 2026 know it */
#define MCP_VERSION (-32022)
#define MCP_OWN     1 /* ours: `data` holds what the command line would say */
#define MCP_MODERN  "2026-07-28"

enum mcp_kind {
	MCP_ASKS,  /* wants an answer */
	MCP_TELLS, /* a notification */
	MCP_OTHER, /* an answer to something that was never asked */
	MCP_BATCH, /* a list of messages: `batch` */
	MCP_BAD,   /* none of these: `code` and `why` say what to answer */
};

struct mcp_message {
	enum mcp_kind kind;
	struct loom_str id; /* as JSON, always spelled the same; p NULL: not known */
	struct loom_str method;
	struct loom_str params; /* an object as JSON, "{}" when there was none */
	struct loom_str batch;  /* a list of at least one */
	int code;
	struct loom_str why;
};

/* Reads one line; texts are borrowed from it or live in the arena. Cannot fail: what is no message
 * is a bad one. */
void mcp_read(struct loom_str line, struct loom_arena *arena, struct mcp_message *out);
/* An id in its one spelling; p NULL for what is no id. */
struct loom_str mcp_id(struct loom_str value, struct loom_arena *arena);

/* ---- the wire (wire.c) ---- */

#define MCP_LINE_MAX ((size_t)16 << 20)
/* With so much not yet taken by the client no more of its lines are answered. */
#define MCP_BACKLOG ((size_t)1 << 20)

enum mcp_line { MCP_NO_LINE, MCP_A_LINE, MCP_LONG_LINE };

struct mcp_wire {
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

/* Nothing is watched before mcp_wire_listen. Descriptors are borrowed. */
void mcp_wire_init(struct mcp_wire *wire, struct loom_loop *loop, int in_fd, int out_fd);
void mcp_wire_fini(struct mcp_wire *wire);
/* Watches, or leaves alone, what the client says. */
void mcp_wire_listen(struct mcp_wire *wire, bool on);
/* What was read from somewhere. */
void mcp_wire_feed(struct mcp_wire *wire, struct loom_str bytes);
/* Whether more may be read: not too much waits to be taken as lines. */
bool mcp_wire_room(const struct mcp_wire *wire);
/* The next line without its end, borrowed until the next feed or step of the loop. */
enum mcp_line mcp_wire_line(struct mcp_wire *wire, struct loom_str *out);
/* Sends one line, now or as soon as the client takes it; never waits. */
void mcp_wire_say(struct mcp_wire *wire, struct loom_str message);
/* Bytes that the client has not taken. */
size_t mcp_wire_backlog(const struct mcp_wire *wire);

/* ---- lists of messages (batch.c) ---- */

/* One line that was a list: read message by message, answered by one line when the last of them has
 * its answer. Those who still owe one hold it, and so does who reads it. */
struct mcp_batch {
	struct loom_arena *arena; /* the line */
	struct loom_jwalk rest;   /* messages that nobody has looked at */
	struct loom_buf answers;  /* with commas between them */
	size_t holders;
};

/* Held by who made it. */
struct mcp_batch *mcp_batch_create(struct loom_str list);
/* NULL is held too. */
struct mcp_batch *mcp_batch_hold(struct mcp_batch *batch);
/* The last one sends the answers, if there are any. NULL is let go of too. */
void mcp_batch_let_go(struct mcp_batch *batch, struct mcp_wire *wire);
/* Whether an answer of so many bytes is still to go with the others. */
bool mcp_batch_room(const struct mcp_batch *batch, size_t bytes);
void mcp_batch_add(struct mcp_batch *batch, struct loom_str answer);

/* ---- the server (serve.c) ---- */

struct mcp_job;
struct mcp_listener;
struct mcp_request;

struct mcp {
	struct loom_cli *cli;
	struct loom_str agent_name;
	struct mcp_wire wire;
	struct loom_buf line; /* the message that is being written */
	struct loom_json json;
	const struct mcp_request *answered; /* by it; NULL: it answers nothing that is known */
	struct mcp_batch *batch;            /* whose messages are taken before the next line */
	bool greeted;                       /* a client of the old way has said who it is */
	bool batches;   /* and speaks the one version in which a line may be a list of messages */
	bool stopping;  /* the program is told to end, or nobody listens */
	uint64_t grace; /* the timer after the client's last word */
	/* From the first request that needs it. */
	struct cli_grove *grove;
	struct loom_agent agent;
	struct cli_voices voices;
	struct loom_arena *waiting; /* holds the request below; NULL: none waits for the grove */
	struct mcp_request *asked;
	/* Calls, oldest first. */
	struct mcp_job *jobs;
	/* What is watched. */
	struct mcp_listener *listeners;
	struct loom_watch *watch;
	uint64_t look; /* the timer of the next look */
	int64_t seq;   /* of the last event that was looked at */
};

/* One request while it is answered. */
struct mcp_request {
	struct loom_arena *arena;
	struct loom_str id;
	struct loom_str method;
	struct loom_str params;
	struct mcp_batch *batch; /* NULL: a line of its own */
	bool modern;             /* of the stateless way */
};

void mcp_init(struct mcp *mcp, struct loom_cli *cli, struct loom_str agent);
void mcp_fini(struct mcp *mcp);
/* Until the client is gone, or the program is told to end. */
void mcp_serve(struct mcp *mcp);

/* ---- saying (answer.c) ---- */

/* The result of a request: its object is open between the two. */
struct loom_json *mcp_begin(struct mcp *mcp, const struct mcp_request *request);
/* Closes the object and sends the line. */
void mcp_end(struct mcp *mcp);
/* What a result must say of how long it may be kept, where the era asks for that. */
void mcp_cache(struct mcp *mcp, const struct mcp_request *request);
/* A notification: its params are open until mcp_end. */
struct loom_json *mcp_notice(struct mcp *mcp, const char *method);
/* An error of the protocol; NULL: of a line that is no request. */
void mcp_error(struct mcp *mcp, const struct mcp_request *request, int code, struct loom_str why);
/* What failed of a request, by its status, with code and hint as data. */
void mcp_refuse(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err);
/* The version asked for is none of ours. */
void mcp_refuse_version(struct mcp *mcp, const struct mcp_request *request, struct loom_str asked);
/* The whole result of a tool. */
void mcp_text(struct mcp *mcp, const struct mcp_request *request, struct loom_str text,
	      bool failed);
/* The same for what failed: its ✗ and hint lines. */
void mcp_text_err(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err);

/* ---- what is offered (offer.c) ---- */

/* One function a method: each answers its request. */
void mcp_initialize(struct mcp *mcp, const struct mcp_request *request);
void mcp_discover(struct mcp *mcp, const struct mcp_request *request);
void mcp_tools(struct mcp *mcp, const struct mcp_request *request);
void mcp_prompts(struct mcp *mcp, const struct mcp_request *request);
void mcp_prompt(struct mcp *mcp, const struct mcp_request *request);
void mcp_templates(struct mcp *mcp, const struct mcp_request *request);

/* ---- arguments and places (place.c) ---- */

/* What the tools are given; what is absent has p NULL or is 0. */
struct mcp_args {
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
enum loom_status mcp_args_read(struct loom_str arguments, const char *const *takes,
			       struct loom_arena *arena, struct mcp_args *out,
			       struct loom_err *err) LOOM_MUST;

/* Where a call or a context is. */
struct mcp_place {
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: the agent was never in that tree */
	struct loom_str node;      /* as it was said; p NULL: where the thread stands */
};
/* LOOM_PERMISSION for a thread that is another's; LOOM_CROSS_TREE. Lives in the grove's arena. */
enum loom_status mcp_place(struct mcp *mcp, const struct mcp_args *args, struct mcp_place *out,
			   struct loom_err *err) LOOM_MUST;
/* What the agent may; to whom nothing was ever granted may read. */
enum loom_status mcp_may(struct mcp *mcp, unsigned *out, struct loom_err *err) LOOM_MUST;
/* LOOM_PERMISSION for who may not even look. */
enum loom_status mcp_may_look(struct mcp *mcp, struct loom_err *err) LOOM_MUST;
/* What a model would be given there. `still`: without what passes (who is here, how long ago). */
struct mcp_wish {
	int64_t budget;
	bool still;
};
enum loom_status mcp_assemble(struct mcp *mcp, const struct mcp_place *place,
			      const struct mcp_wish *wish, struct loom_assembly *out,
			      struct loom_err *err) LOOM_MUST;
/* As it is read: a line above each message, what was left out at the end. */
void mcp_assembly_text(const struct loom_assembly *assembly, struct loom_buf *out);
/* What every engine of the server's begins with: the agent, and the connection that reads. */
void mcp_engine(const struct mcp *mcp, struct loom_engine_opts *out);
/* The models that may be asked, opened by the first question about them. */
const struct cli_voices *mcp_voices(struct mcp *mcp);
/* The tool loom_context. */
void mcp_context(struct mcp *mcp, const struct mcp_request *request, struct loom_str arguments);
/* From here on what the grove's helpers make lives in `arena`; NULL: in the call's again. */
void mcp_scratch(struct mcp *mcp, struct loom_arena *arena);

/* ---- the tool `loom` (call.c) ---- */

/* Answers a call of a tool: `loom` when its lines are done, `loom_context` at once. */
void mcp_call(struct mcp *mcp, const struct mcp_request *request);
/* The client does not wait for this one any more; false: it is no call. */
bool mcp_call_cancel(struct mcp *mcp, struct loom_str id);
/* Ends what is generated and what waits; their answers follow. */
void mcp_calls_stop(struct mcp *mcp);

/* ---- resources (resource.c) ---- */

enum mcp_what { MCP_TREE, MCP_NODE, MCP_THREAD };
struct mcp_uri {
	enum mcp_what what;
	struct loom_str id;
};
/* False for what is no loom: URI. */
bool mcp_uri_read(struct loom_str text, struct loom_arena *arena, struct mcp_uri *out);
void mcp_resources(struct mcp *mcp, const struct mcp_request *request);
void mcp_resource(struct mcp *mcp, const struct mcp_request *request);
/* What of a resource stays the same until it changes, and in which tree it is. */
enum loom_status mcp_resource_print(struct mcp *mcp, const struct mcp_uri *uri,
				    struct loom_hash *out, int64_t *out_tree,
				    struct loom_err *err) LOOM_MUST;

/* ---- watching (notify.c) ---- */

void mcp_subscribe(struct mcp *mcp, const struct mcp_request *request);
void mcp_unsubscribe(struct mcp *mcp, const struct mcp_request *request);
void mcp_listen(struct mcp *mcp, const struct mcp_request *request);
/* False: nobody listens by that id. */
bool mcp_listen_end(struct mcp *mcp, struct loom_str id);
void mcp_watch_close(struct mcp *mcp);

#endif
