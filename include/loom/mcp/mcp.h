/* Inside `loom mcp`: messages in and out, what is offered, calls under way, what is watched.
 *
 * Everything lives in the loop's thread. A client comes through a pipe, one for each process, or
 * over HTTP, any number of them, each for the agent of its token. Over a pipe the grove is opened
 * by the first request that needs it. */
#ifndef LOOM_MCP_MCP_H
#define LOOM_MCP_MCP_H

#include <loom/actor/act.h>
#include <loom/context/context.h>
#include <loom/tree/document.h>
#include <loom/cli/cli.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/work/thread.h>
#include <loom/engine/turn_log.h>
#include <loom/follow/follow.h>
#include <loom/language/registry.h>

#include <loom/cli/open_grove.h>

/* ---- messages (message.c) ---- */

/* Permissions of a model that was never granted any: reading. */
#define MCP_UNGRANTED LOOM_MAY_ANALYST

#define MCP_PARSE   (-32700)
#define MCP_REQUEST (-32600)
#define MCP_METHOD  (-32601)
#define MCP_PARAMS  (-32602)
#define MCP_NO_SUCH (-32002) /* a missing resource, for clients before 2026 */
#define MCP_HEADERS (-32020) /* headers of HTTP that contradict the message */
#define MCP_VERSION (-32022)
#define MCP_OWN     1 /* ours: `data` holds what the command line would print */
#define MCP_MODERN  "2026-07-28"

enum mcp_kind {
	MCP_ASKS,  /* wants an answer */
	MCP_TELLS, /* a notification */
	MCP_OTHER, /* an answer to something we never asked */
	MCP_BATCH, /* a list of messages: `batch` */
	MCP_BAD,   /* no message: `code` and `why` are the answer */
};

struct mcp_message {
	enum mcp_kind kind;
	struct loom_str id; /* as JSON, always spelled the same; p NULL: unknown */
	struct loom_str method;
	struct loom_str params; /* a JSON object; "{}" when absent */
	struct loom_str batch;  /* a list of at least one */
	int code;
	struct loom_str why;
};

/* Reads one line into *out, whose texts are borrowed from the line or in the arena. Never fails: a
 * line that is not a message becomes MCP_BAD. */
void mcp_read(struct loom_str line, struct loom_arena *arena, struct mcp_message *out);
/* Returns an id in its canonical spelling, in the arena; p NULL when the value is not an id. */
struct loom_str mcp_id(struct loom_str value, struct loom_arena *arena);

/* ---- where answers go ---- */

/* The way back to a client: the pipe, or the answer to one request over HTTP. */
struct mcp_outlet {
	/* Sends one message. */
	void (*say)(struct mcp_outlet *outlet, struct loom_str message);
	/* Returns how many bytes the client has not taken yet. */
	size_t (*backlog)(const struct mcp_outlet *outlet);
	/* Nothing more comes for its request; NULL: it serves more than one. */
	void (*close)(struct mcp_outlet *outlet);
	int code; /* of the last error of the protocol it was given; 0: none */
};

/* ---- the wire (wire.c) ---- */

#define MCP_LINE_MAX ((size_t)16 << 20)
/* Stop answering lines while the client has this much left to take. */
#define MCP_BACKLOG ((size_t)1 << 20)

enum mcp_line { MCP_NO_LINE, MCP_A_LINE, MCP_LONG_LINE };

struct mcp_wire {
	struct mcp_outlet outlet; /* begins it */
	struct loom_loop *loop;
	int in_fd;
	int out_fd;
	struct loom_buf in;
	size_t at;      /* start of the next line */
	size_t scanned; /* no line feed before this */
	bool skipping;  /* inside a line that is too long */
	bool end;       /* the client has closed its side */
	bool reading;   /* in_fd is watched */
	struct loom_buf out;
	size_t sent;
	bool broken;   /* our output is not read any more */
	bool terminal; /* a person reads it */
};

/* Initialises a wire; the descriptors are borrowed. Watches nothing before mcp_wire_listen. */
void mcp_wire_init(struct mcp_wire *wire, struct loom_loop *loop, int in_fd, int out_fd);
/* Stops watching the descriptors and frees the buffers. */
void mcp_wire_fini(struct mcp_wire *wire);
/* Starts or stops watching the client's side. */
void mcp_wire_listen(struct mcp_wire *wire, bool on);
/* Adds bytes that were read elsewhere. */
void mcp_wire_feed(struct mcp_wire *wire, struct loom_str bytes);
/* Returns whether there is room to read more, that is, not too much waits to be taken as lines. */
bool mcp_wire_room(const struct mcp_wire *wire);
/* Puts the next line without its end into *out, borrowed until the next feed or step of the
 * loop. */
enum mcp_line mcp_wire_line(struct mcp_wire *wire, struct loom_str *out);
/* Returns how many bytes the client has not taken yet. */
size_t mcp_wire_backlog(const struct mcp_wire *wire);

/* ---- lists of messages (batch.c) ---- */

/* A line that was a list: read message by message, and answered by one line when all its requests
 * have their answers. Every request that still owes one holds the batch, and so does its reader. */
struct mcp_batch {
	struct mcp_outlet *outlet; /* gets that line */
	struct loom_arena *arena;  /* the line */
	struct loom_jwalk rest;    /* messages not yet looked at */
	struct loom_buf answers;   /* separated by commas */
	size_t holders;
};

/* Creates a batch for a list, which is copied. The caller holds it. */
struct mcp_batch *mcp_batch_create(struct loom_str list, struct mcp_outlet *outlet);
/* Adds a holder and returns the batch. NULL is allowed. */
struct mcp_batch *mcp_batch_hold(struct mcp_batch *batch);
/* Removes a holder; the last one sends the answers, if there are any, and frees the batch. NULL is
 * allowed. */
void mcp_batch_let_go(struct mcp_batch *batch);
/* Returns whether an answer of that many bytes still fits into the common line. */
bool mcp_batch_room(const struct mcp_batch *batch, size_t bytes);
/* Adds an answer, a JSON object, to the common line. */
void mcp_batch_add(struct mcp_batch *batch, struct loom_str answer);

/* ---- clients (client.c) ---- */

struct loom_summarizer;
struct mcp_job;
struct mcp_listener;
struct mcp_request;
struct mcp;

/* Shared by the clients of one process. */
struct mcp_home {
	struct loom_cli *cli;
	struct loom_loop *loop;
	struct cli_grove *grove; /* NULL: not opened yet */
	struct loom_follow *log; /* that the grove stands in */
	struct cli_voices voices;
	struct mcp *clients;
	/* Calls of all clients, oldest first. */
	struct mcp_job *jobs;
	/* Notices of changes. */
	struct loom_watch *watch;
	uint64_t look; /* timer of the next look */
	/* Summaries. */
	struct loom_summarizer *sums; /* NULL until something waited */
	uint64_t quiet;               /* timer */
	int64_t seq;                  /* of the last event looked at */
};

/* One client, which acts for one agent. */
struct mcp {
	struct mcp_home *home;
	struct mcp *next;
	struct mcp_outlet *outlet; /* for what answers no request */
	struct loom_buf line;      /* the message being written */
	struct loom_json json;
	struct mcp_outlet *speaks;          /* where that message goes */
	const struct mcp_request *answered; /* by that message; NULL: no known request */
	struct mcp_batch *batch;            /* its messages are taken before the next line */
	bool greeted;                       /* a client of the old era has introduced itself */
	bool batches; /* and speaks the one version in which a line may be a list */
	bool primes;  /* or one in which a stream of events begins with one without a message */
	/* Valid once the agent is known. */
	struct cli_grove *grove;
	struct loom_agent agent;
	struct loom_session *session;   /* from its first turn on others see where it is */
	struct mcp_listener *listeners; /* watched resources */
};

/* One request while it is being answered. */
struct mcp_request {
	struct loom_arena *arena;
	struct mcp_outlet *outlet;
	struct loom_str id;
	struct loom_str method;
	struct loom_str params;
	struct mcp_batch *batch; /* NULL: a line of its own */
	bool modern;             /* of the stateless era */
};

#define MCP_META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

/* Initialises a home without clients; `cli` is borrowed. Opens nothing. */
void mcp_home_init(struct mcp_home *home, struct loom_cli *cli);
/* Gives the clients their grove, and follows the log it stands in. */
void mcp_home_enter_grove(struct mcp_home *home, struct cli_grove *grove);
/* Ends everything that needs the grove: watches, the worker with what it still does, the models. */
void mcp_home_leave_grove(struct mcp_home *home);
/* Initialises a client and adds it to its home. */
void mcp_client_init(struct mcp *mcp, struct mcp_home *home, struct mcp_outlet *outlet);
/* Removes a client that has no calls, and frees what it holds. */
void mcp_client_fini(struct mcp *mcp);
/* Makes a client act for `agent` in its grove. LOOM_REFUSED for a person, LOOM_PERMISSION if the
 * grove's actor may not act as that agent. */
enum loom_status mcp_client_act(struct mcp *mcp, const struct loom_agent *agent,
				struct loom_err *err) LOOM_MUST;
/* Handles one message. False: it needs the grove, which is not open; *out_asked gets the request,
 * which took over the arena that the message lies in. Otherwise the arena is destroyed. */
bool mcp_take(struct mcp *mcp, struct mcp_outlet *outlet, const struct mcp_message *message,
	      struct loom_arena *arena, struct mcp_request **out_asked);
/* Answers a request that is known to be in order. */
void mcp_do(struct mcp *mcp, const struct mcp_request *request);
/* Closes the open batch, if there is one: nothing more of it is taken, but its calls go on. */
void mcp_batch_leave(struct mcp *mcp);
/* Nothing more comes for a request. */
void mcp_request_over(struct mcp_request *request);

/* ---- the pipe (serve.c) ---- */

/* Serves `agent` on standard input and output until the client is gone or the program is asked to
 * end. */
void mcp_serve(struct loom_cli *cli, struct loom_str agent);

/* ---- answers (answer.c) ---- */

/* Begins the result of a request and returns the writer, with the result object open until
 * mcp_end. */
struct loom_json *mcp_begin(struct mcp *mcp, const struct mcp_request *request);
/* Closes the object and sends the line. */
void mcp_end(struct mcp *mcp);
/* Writes how long the result may be cached, if the request's era asks for that. */
void mcp_cache(struct mcp *mcp, const struct mcp_request *request);
/* Begins a notification and returns the writer, with its params open until mcp_end. */
struct loom_json *mcp_notice(struct mcp *mcp, struct mcp_outlet *outlet, const char *method);
/* Sends an error of the protocol. A NULL request answers a line that is no request. */
void mcp_error(struct mcp *mcp, const struct mcp_request *request, int code, struct loom_str why);
/* Sends a failure as an error of the protocol, with code and hint as data. */
void mcp_refuse(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err);
/* Sends the error for a version we do not speak, with those we do. */
void mcp_refuse_version(struct mcp *mcp, const struct mcp_request *request, struct loom_str asked);
/* The whole result of a tool. */
struct mcp_said {
	struct loom_str text;
	struct loom_str data; /* the same for programs, a JSON object; empty: none */
	bool failed;
};
/* Sends the whole result of a tool. */
void mcp_text(struct mcp *mcp, const struct mcp_request *request, const struct mcp_said *said);
/* Sends a failure as the result of a tool: its ✗ and hint lines. */
void mcp_text_err(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err);

/* ---- summaries (sums.c) ---- */

/* In a moment, sums up what waits. */
void mcp_sums_soon(struct mcp_home *home);
/* Drops the summary under way, which waits again. */
void mcp_sums_end(struct mcp_home *home);

/* ---- what is offered (offer.c) ---- */

/* Answers initialize: the version and capabilities of the old era's handshake. */
void mcp_initialize(struct mcp *mcp, const struct mcp_request *request);
/* Returns whether a version is one of those with a handshake. */
bool mcp_is_legacy(struct loom_str version);
/* Answers server/discover: what the server is and offers, for the stateless era. */
void mcp_discover(struct mcp *mcp, const struct mcp_request *request);
/* Answers tools/list with both tools and the language that `loom` runs. */
void mcp_tools(struct mcp *mcp, const struct mcp_request *request);
/* Answers prompts/list with the one prompt. */
void mcp_prompts(struct mcp *mcp, const struct mcp_request *request);
/* Answers prompts/get with the addendum for the agent. */
void mcp_prompt(struct mcp *mcp, const struct mcp_request *request);
/* Returns whether a JSON value is the name of the one prompt. */
bool mcp_is_prompt(struct loom_str name);

/* ---- arguments and places (place.c) ---- */

/* The arguments of the tools; absent ones have p NULL or are 0. */
struct mcp_args {
	struct loom_str text;
	struct loom_str thread;
	struct loom_str tree;
	struct loom_str node;
	struct loom_str format;
	struct loom_str op;
	int64_t budget;
};
/* Reads arguments into *out, in the arena. `takes` lists the names that the tool knows,
 * NULL-terminated. Fails with LOOM_SYNTAX and names what is missing, unknown or of the wrong
 * type. */
enum loom_status mcp_args_read(struct loom_str arguments, const char *const *takes,
			       struct loom_arena *arena, struct mcp_args *out,
			       struct loom_err *err) LOOM_MUST;

/* The tree, thread and node of a call or a context. */
struct mcp_place {
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: the agent was never in that tree */
	struct loom_str node;      /* as given; p NULL: where the thread stands */
};
/* Resolves thread, tree and node of the arguments into *out, in the grove's arena. Fails with
 * LOOM_NOT_FOUND, LOOM_PERMISSION for another agent's thread, LOOM_CROSS_TREE for a tree the agent
 * may not enter and LOOM_CONFLICT for a thread in another tree. */
enum loom_status mcp_place(struct mcp *mcp, const struct mcp_args *args, struct mcp_place *out,
			   struct loom_err *err) LOOM_MUST;
/* Puts the agent's permissions into *out; a model that was never granted any may read. Fails as the
 * store does. */
enum loom_status mcp_may(struct mcp *mcp, unsigned *out, struct loom_err *err) LOOM_MUST;
/* Fails with LOOM_PERMISSION when the agent may not look by this verb: at nodes by `view`, at
 * documents by `read`. */
enum loom_status mcp_may_look(struct mcp *mcp, enum loom_verb verb, struct loom_err *err) LOOM_MUST;
/* How to assemble a context. `still` leaves out what passes by itself: who is here, how long
 * ago. */
struct mcp_wish {
	int64_t budget;
	bool still;
};
/* Assembles what a model would be given at a place, in the grove's arena. Fails as the assembly
 * does. */
enum loom_status mcp_assemble(struct mcp *mcp, const struct mcp_place *place,
			      const struct mcp_wish *wish, struct loom_assembly *out,
			      struct loom_err *err) LOOM_MUST;
/* Appends an assembly for people: a line above each message, what was left out at the end. */
void mcp_assembly_text(const struct loom_assembly *assembly, struct loom_buf *out);
/* Fills in the options that every engine of the server shares: the agent, and the connection for
 * reading. */
void mcp_engine(const struct mcp *mcp, struct loom_engine_opts *out);
/* Returns the models that can be asked; the first call opens them. */
const struct cli_voices *mcp_voices(struct mcp_home *home);
/* Answers a call of the tool loom_context. */
void mcp_context(struct mcp *mcp, const struct mcp_request *request, struct loom_str arguments);
/* Makes the grove's helpers allocate from `arena`; NULL: from the command's own arena again. */
void mcp_scratch(struct mcp *mcp, struct loom_arena *arena);

/* ---- the tool `loom` (call.c) ---- */

/* Answers tools/call: `loom` when its lines are done, `loom_context` at once. */
void mcp_call(struct mcp *mcp, const struct mcp_request *request);
/* Cancels a call that its client no longer waits for. Returns false when no call has that id. */
bool mcp_call_cancel(struct mcp *mcp, struct loom_str id);
/* Stops a client's generations and everything of its that waits; their answers follow. */
void mcp_calls_stop(struct mcp *mcp);
/* Returns whether a client has calls that are not over. */
bool mcp_calls_any(const struct mcp *mcp);

/* ---- resources (resource.c) ---- */

enum mcp_what { MCP_TREE, MCP_NODE, MCP_THREAD, MCP_DOC };
struct mcp_uri {
	enum mcp_what what;
	struct loom_str id;
};
/* Reads a loom: URI into *out, in the arena. Returns false when the text is none. */
bool mcp_uri_read(struct loom_str text, struct loom_arena *arena, struct mcp_uri *out);
/* Finds what a template of resources/templates/list stands for; false for another text. */
bool mcp_template_find(struct loom_str uri, enum mcp_what *out);
/* Answers resources/templates/list with the forms of our URIs. */
void mcp_templates(struct mcp *mcp, const struct mcp_request *request);
/* Lists the trees that the agent may read, in the grove's arena. */
enum loom_status mcp_trees(struct mcp *mcp, struct loom_tree **out, size_t *out_count,
			   struct loom_err *err) LOOM_MUST;
/* Lists the agent's own threads, in the grove's arena. */
enum loom_status mcp_threads(struct mcp *mcp, struct loom_thread **out, size_t *out_count,
			     struct loom_err *err) LOOM_MUST;
/* Lists the documents, none if the agent may not read any, in the grove's arena. */
enum loom_status mcp_docs(struct mcp *mcp, struct loom_doc **out, size_t *out_count,
			  struct loom_err *err) LOOM_MUST;
/* Answers completion/complete with ids, titles and names that fit. */
void mcp_complete(struct mcp *mcp, const struct mcp_request *request);
/* Answers resources/list, one page at a time. */
void mcp_resources(struct mcp *mcp, const struct mcp_request *request);
/* Answers resources/read with the text of a tree, a node or a context. */
void mcp_resource(struct mcp *mcp, const struct mcp_request *request);
/* Puts a hash of the resource into *out that stays the same until the resource changes, and its
 * tree into *out_tree. Fails as reading the resource does. */
enum loom_status mcp_resource_print(struct mcp *mcp, const struct mcp_uri *uri,
				    struct loom_hash *out, int64_t *out_tree,
				    struct loom_err *err) LOOM_MUST;

/* ---- watching (notify.c) ---- */

/* Answers resources/subscribe and watches the resource from then on. */
void mcp_subscribe(struct mcp *mcp, const struct mcp_request *request);
/* Answers resources/unsubscribe and ends the watch of the resource. */
void mcp_unsubscribe(struct mcp *mcp, const struct mcp_request *request);
/* Answers subscriptions/listen; the request stays open and its notifications follow. */
void mcp_listen(struct mcp *mcp, const struct mcp_request *request);
/* Ends a subscription by the id of its request. Returns false when there is none. */
bool mcp_listen_end(struct mcp *mcp, struct loom_str id);
/* Ends all subscriptions of a client. */
void mcp_listen_stop(struct mcp *mcp);
/* Closes the watch; subscriptions get no more notices. */
void mcp_watch_close(struct mcp_home *home);

#endif
