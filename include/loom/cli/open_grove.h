/* The grove of one command: finding it, its actor, resolving names, and writing.
 *
 * The calling thread reads through `store`. Writes and long work run on a worker with its own
 * connection, which the first such request starts. The calling thread waits for each request, so
 * both may use its arena. */
#ifndef LOOM_CLI_OPEN_GROVE_H
#define LOOM_CLI_OPEN_GROVE_H

#include <loom/remote/shared_log.h>
#include <loom/tree/agent.h>
#include <loom/work/approval.h>
#include <loom/cli/cli.h>
#include <loom/tree/gate.h>
#include <loom/providers/generate.h>
#include <loom/grove/grant.h>
#include <loom/tree/mark.h>
#include <loom/tree/node.h>
#include <loom/files/path.h>
#include <loom/loop/worker.h>

struct loom_call;

struct cli_grove {
	struct loom_cli *cli;
	struct loom_arena *arena;  /* lives as long as the call */
	struct loom_store *store;  /* opened with LOOM_READ, for the calling thread */
	struct loom_agent actor;   /* the person who works here, or LOOM_AGENT */
	unsigned ungranted;        /* its permissions if none were ever granted */
	struct loom_agent *agents; /* those looked up so far */
	size_t agent_count;
	size_t agent_cap;
	void *ctx; /* from struct cli_need */
	struct loom_worker *worker;
	struct loom_env worker_env;
	bool worker_extracts; /* no model writes summaries */
	enum loom_access worker_access;
};

/* How a command needs its grove. Permissions are not its business: the gate reads them from the
 * row. */
struct cli_need {
	bool make;    /* create the personal grove if there is no grove at all */
	bool view;    /* read from a single snapshot; not for commands that wait or write */
	bool unasked; /* never ask a person to trust the grove: an agent is the caller */
	bool files;   /* what the command changes is in files beside the grove */
	void *ctx;    /* for `fn`, as grove->ctx */
};
typedef enum loom_status cli_grove_fn(struct cli_grove *grove, struct loom_err *err);
/* Opens the call's grove, runs `fn` and closes it. `need` NULL means no special needs. */
enum loom_status cli_grove_run(struct loom_cli *cli, const struct cli_need *need, cli_grove_fn *fn,
			       struct loom_err *err) LOOM_MUST;
/* A function that runs in a grove with a context of its own. */
typedef enum loom_status cli_grove_ctx_fn(struct cli_grove *grove, void *ctx, struct loom_err *err);
/* Opens the call's grove, runs `fn` with `ctx` and closes it. `need` NULL means no special
 * needs. */
enum loom_status cli_grove_with(struct loom_cli *cli, const struct cli_need *need,
				cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err) LOOM_MUST;

/* LOOM_OK if loom may open the grove in `dir`; LOOM_REFUSED if it belongs to somebody else or
 * others can write to it, and nobody has trusted it. With `ask`, a person at the terminal is asked.
 * Accepts a missing directory; later steps refuse that. */
enum loom_status cli_grove_trust(struct loom_cli *cli, struct loom_str dir, bool ask,
				 struct loom_err *err) LOOM_MUST;
/* The actor as the gate sees it, with its current grant. */
enum loom_status cli_grove_who(struct cli_grove *grove, struct loom_gate_who *out,
			       struct loom_err *err) LOOM_MUST;
/* How the files of the project come to other machines, in one sentence. */
#define CLI_SAYS_GIT                                                                               \
	"only the grove is in the log: .leslie, context lists and other files are git's to share"
/* Answers where the grove in `dir` stands since it was put into a log, and what that log promises.
 */
enum loom_status cli_say_log(struct loom_cli *cli, struct loom_str dir,
			     const struct model_log_facts *facts, struct loom_err *err) LOOM_MUST;
/* Whether the actor is a person. */
bool cli_grove_person(const struct cli_grove *grove);

/* A piece of work on the worker's thread, on a connection with `access`; the first request of a
 * call fixes the access. Shows progress and stops on ^C. `what` is, for example, "checking"; `unit`
 * may be NULL. */
struct cli_work {
	const char *what;
	const char *unit;
	enum loom_access access;
	enum loom_status (*run)(struct loom_store *store, void *ctx, struct loom_err *err);
	void *ctx;
};
/* Runs the work and returns its status; LOOM_CANCELLED after ^C. */
enum loom_status cli_grove_work(struct cli_grove *grove, const struct cli_work *work,
				struct loom_err *err) LOOM_MUST;

/* The worker itself, with a connection that can write, for callers with several requests. */
struct loom_worker *cli_grove_worker(struct cli_grove *grove);

/* One write on the worker: an operation of the actor, or with kind NULL a write that is no
 * operation. */
struct cli_write {
	const char *kind;     /* "new", "tag" … */
	const char *inverse;  /* see op.h */
	struct loom_str text; /* the operation's line; `run` may replace it */
	int64_t tree;
	enum loom_status (*run)(struct loom_store *store, void *ctx, struct loom_err *err);
	void *ctx;
	int64_t op; /* out: its number, 0 if nothing changed */
};
/* Runs the write and returns its status; write->op is the operation's number. */
enum loom_status cli_grove_write(struct cli_grove *grove, struct cli_write *write,
				 struct loom_err *err) LOOM_MUST;

/* The store's own files, which no path given by a user may open: closing such a descriptor would
 * drop the store's locks. */
void cli_grove_refused(struct cli_grove *grove, struct loom_root *out);
/* Reads a whole file or standard input, like loom_cli_read, but refuses files of the store. */
enum loom_status cli_grove_read(struct cli_grove *grove, const char *path, size_t max,
				struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_search;
/* Adds everything new to the search index, in slices that ^C can end. For the worker. */
enum loom_status commands_search_feed(struct cli_grove *grove, struct loom_search *search,
				      int64_t *out_behind, struct loom_err *err) LOOM_MUST;

/* --- what the store does besides (work.c) --- */

/* Shows on the progress line what the store does in between, in work that has a cancel of its own:
 * give `task` to that work, and do not cancel it. */
struct cli_aside {
	struct loom_cli *cli;
	struct loom_task task;
	uint64_t timer;
	bool shown;
};
/* Begins showing. `aside` must not move until cli_aside_end. */
void cli_aside_begin(struct cli_aside *aside, struct loom_cli *cli);
/* Ends showing, once the work is done. */
void cli_aside_end(struct cli_aside *aside);

/* --- --op ID (request_once.c) --- */

struct loom_request_answer;
struct loom_op_id;
struct loom_request;
/* Parses an id given by a user; LOOM_SYNTAX if it is none. */
enum loom_status cli_request_id(struct loom_str text, struct loom_op_id *out,
				struct loom_err *err) LOOM_MUST;
/* Fails with LOOM_CONFLICT: the id was used before, for something else. */
enum loom_status cli_request_other(const char *why, struct loom_err *err);
/* Fails with LOOM_CONFLICT: the id belongs to a request that was begun. */
enum loom_status cli_request_begun(const struct loom_request_answer *answer, struct loom_err *err);
/* Describes a finished request whose answer was not kept, in lines, without a final line feed. */
enum loom_status cli_request_done(struct cli_grove *grove, const struct loom_request_answer *answer,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* The request that the call is for; NULL without --op. */
struct loom_request *cli_request_asked(const struct loom_cli *cli);
/* Repeats the kept answer if the same request was answered before; LOOM_CONFLICT if the id was used
 * for something else. Without an id *out_answered is false. */
enum loom_status cli_request_answer(struct cli_grove *grove, bool *out_answered,
				    struct loom_err *err) LOOM_MUST;
/* Starts recording the answer. Output is held until cli_request_end. With `files` the effect is not
 * in the grove, so the grove first notes that the request has begun. */
enum loom_status cli_request_begin(struct cli_grove *grove, bool files,
				   struct loom_err *err) LOOM_MUST;
/* Ends the recording and releases the output. The answer is kept if `status` is LOOM_OK; if the
 * same request was answered meanwhile, that answer is printed instead. */
enum loom_status cli_request_end(struct cli_grove *grove, enum loom_status status,
				 struct loom_err *err) LOOM_MUST;

/* --- names (find_by_name.c) --- */

/* Resolves TREE: an id, a unique prefix of one, or a title; p NULL is the current tree. Agents
 * without cross_tree may only name the current tree. */
enum loom_status cli_grove_tree(struct cli_grove *grove, struct loom_str name,
				struct loom_tree *out, struct loom_err *err) LOOM_MUST;
/* A node and where it is. */
struct cli_spot {
	struct loom_tree tree;
	struct loom_node node;
	int64_t thread; /* the actor's own thread in that tree; 0: none yet */
	char name[LOOM_LOCAL_MAX];
};
/* Resolves NODE: a local id in the current tree, TREE/ID, or a ULID. */
enum loom_status cli_grove_node(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err) LOOM_MUST;
/* Resolves NODE; p NULL is the actor's position in the current tree. */
enum loom_status cli_grove_spot(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err) LOOM_MUST;
/* The actor's position in a tree: the root, if it was never there. */
enum loom_status cli_grove_stand(struct cli_grove *grove, const struct loom_tree *tree,
				 unsigned parts, struct cli_spot *out,
				 struct loom_err *err) LOOM_MUST;
/* An agent by number, cached for the call. */
enum loom_status cli_grove_agent(struct cli_grove *grove, int64_t id, const struct loom_agent **out,
				 struct loom_err *err) LOOM_MUST;
/* "human", "model" or "collaborator". */
const char *cli_author_type(const struct loom_agent *agent);
/* A node's local id, in the arena; "?" if it cannot be read. */
struct loom_str cli_node_name(struct cli_grove *grove, const struct loom_node *node);

/* --- printing (say.c) --- */

/* Runs a call that only reads and prints the language's answer as a result. */
enum loom_status cli_grove_look(struct cli_grove *grove, int64_t tree, const struct loom_call *call,
				struct loom_err *err) LOOM_MUST;

/* Adds a ULID to JSON. */
void cli_json_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid);
/* Adds a time to JSON, as RFC 3339 with milliseconds. */
void cli_json_time(struct loom_json *json, const char *key, int64_t ms);
/* The mark that distinguishes an agent's name from similar ones; empty if it needs none. */
enum loom_status cli_agent_mark(struct cli_grove *grove, int64_t agent, struct loom_str *out,
				struct loom_err *err) LOOM_MUST;
/* Adds the member "list": the proposed calls. */
void cli_proposed_json(struct loom_json *json, const struct loom_proposal *proposal);
struct loom_result;
/* Adds the members of a call's result: status, code, text, op. */
void cli_json_result(struct loom_json *json, const struct loom_result *result);
/* "3m ago", in the arena. */
struct loom_str cli_ago(struct cli_grove *grove, int64_t then_ms);
/* "12,847", in the arena. */
struct loom_str cli_count(struct cli_grove *grove, int64_t count);

/* --- voices (agent_voice.c) --- */
struct cli_voices {
	struct loom_voices *voices;
	const struct loom_generator *generator; /* owned by `voices` */
};
/* Asks the person at the terminal, once a grove, whether a vendor may write its summaries, if only
 * that is missing. Call it before the first write. */
void cli_small_ask(struct cli_grove *grove);
/* Returns whether any model may write this grove's summaries. */
bool cli_small_there(struct cli_grove *grove);
/* Opens the available models. If the configuration cannot be read, it prints a warning and offers
 * only the built-in model, so that commands still work. */
void cli_voices_open(struct cli_grove *grove, struct cli_voices *out);
/* The configured length up to which an agent gets results unshortened; 0 if not configured. */
size_t cli_result_tokens(struct cli_grove *grove);
/* Closes the models; a zeroed struct is fine. */
void cli_voices_close(struct cli_voices *voices);
/* The settings of an agent on which its context depends. */
struct cli_asked {
	struct loom_generate_voice voice;
	struct loom_str prompt; /* empty: none */
	int64_t budget;         /* tokens its context may have; 0: unknown */
	int64_t window;         /* with the answer's; 0: unknown */
	enum loom_strategy truncation;
	bool thoughts; /* it takes signed thoughts back */
};
/* Fills *out from the configuration and the agent's own settings. */
void cli_voice_of(const struct cli_voices *voices, const struct loom_agent *agent,
		  struct cli_asked *out);

/* --- differences (say_diff.c) --- */
struct loom_diff;
/* Answers with a diff: the member "parts", or for a person [-removed-] and {+added+} or colours,
 * and ends the line. */
void cli_answer_diff(struct loom_cli *cli, const struct loom_diff *diff);

/* --- a node as JSON (json_node.c) --- */

/* Adds the members of a node's object. The node must have been read with LOOM_NODE_ALL. */
enum loom_status cli_node_json(struct cli_grove *grove, struct loom_json *json,
			       const struct cli_spot *spot, struct loom_err *err) LOOM_MUST;
/* Adds the members around a node: children, annotations, links, tags, generation. */
enum loom_status cli_node_around_json(struct cli_grove *grove, struct loom_json *json,
				      const struct cli_spot *spot, struct loom_err *err) LOOM_MUST;
/* One end of a link: a node, a document or a tree. */
struct cli_link_end {
	enum loom_link_kind kind;
	int64_t id;
};
/* Adds the links of an end as an array, with both ends named. */
enum loom_status cli_links_json(struct cli_grove *grove, struct loom_json *json,
				const struct cli_link_end *end, struct loom_err *err) LOOM_MUST;
/* Answers with the members that every operation has (say_op.c). */
void cli_answer_op(struct loom_cli *cli, const struct loom_op *op);

#endif
