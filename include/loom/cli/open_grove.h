/* The grove of one call of the command line: which it is, who acts, what names mean, and how
 * something is written.
 *
 * The calling thread reads through `store`; whatever writes or may take long runs on a worker,
 * which is started by the first such request and has a connection of its own. While a request
 * runs the calling thread waits, so its arena may be used by both. */
#ifndef LOOM_CLI_OPEN_GROVE_H
#define LOOM_CLI_OPEN_GROVE_H

#include <loom/tree/agent.h>
#include <loom/work/approval.h>
#include <loom/language/call.h>
#include <loom/cli/cli.h>
#include <loom/tree/gate.h>
#include <loom/providers/generate.h>
#include <loom/grove/grant.h>
#include <loom/tree/mark.h>
#include <loom/tree/node.h>
#include <loom/files/path.h>
#include <loom/loop/worker.h>

struct cli_grove {
	struct loom_cli *cli;
	struct loom_arena *arena;  /* the call's */
	struct loom_store *store;  /* LOOM_READ, the calling thread's */
	struct loom_agent actor;   /* the person who works here, or LOOM_AGENT */
	unsigned ungranted;        /* what it may when nothing was ever granted to it */
	struct loom_agent *agents; /* those looked up so far */
	size_t agent_count;
	size_t agent_cap;
	void *ctx; /* of the need */
	struct loom_worker *worker;
	struct loom_env worker_env;
	enum loom_access worker_access;
};

/* How a command wants its grove; what it takes to be let in is its row's business (gate.h). */
struct cli_need {
	bool make;    /* a personal grove is made when there is none at all */
	bool view;    /* all is read from one moment; not for what waits or writes */
	bool unasked; /* nobody is asked whether the grove is to be trusted: an agent's door */
	void *ctx;    /* for `fn`, in the grove */
};
typedef enum loom_status cli_grove_fn(struct cli_grove *grove, struct loom_err *err);
/* Opens the grove that the call means, runs `fn`, closes it. `need` NULL: nothing of it. */
enum loom_status cli_grove_run(struct loom_cli *cli, const struct cli_need *need, cli_grove_fn *fn,
			       struct loom_err *err) LOOM_MUST;
/* The same for what needs more than the grove. */
typedef enum loom_status cli_grove_ctx_fn(struct cli_grove *grove, void *ctx, struct loom_err *err);
enum loom_status cli_grove_with(struct loom_cli *cli, const struct cli_need *need,
				cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err) LOOM_MUST;

/* Whether a grove may be opened that is somebody else's, or that others may write into: `ask` asks
 * the person at the terminal. A directory that is not there is for others to refuse. */
enum loom_status cli_grove_trust(struct loom_cli *cli, struct loom_str dir, bool ask,
				 struct loom_err *err) LOOM_MUST;
/* Who acts, as the gate sees it; the grant as it is now. */
enum loom_status cli_grove_who(struct cli_grove *grove, struct loom_gate_who *out,
			       struct loom_err *err) LOOM_MUST;
/* Whether a person acts. */
bool cli_grove_person(const struct cli_grove *grove);

/* On the worker, in its thread, on a connection of `access` (the first request of a call settles
 * which): shows progress, stops on ^C. `what`: "checking"; `unit` may be NULL. */
struct cli_work {
	const char *what;
	const char *unit;
	enum loom_access access;
	enum loom_status (*run)(struct loom_store *store, void *ctx, struct loom_err *err);
	void *ctx;
};
enum loom_status cli_grove_work(struct cli_grove *grove, const struct cli_work *work,
				struct loom_err *err) LOOM_MUST;

/* The worker itself, its connection one that writes: for what is more than one request. */
struct loom_worker *cli_grove_worker(struct cli_grove *grove);

/* One write on the worker: an operation of the acting agent, or, with kind NULL, a quiet write. */
struct cli_write {
	const char *kind;     /* "new", "tag" … */
	const char *inverse;  /* see op.h */
	struct loom_str text; /* the operation's line; `run` may say a better one */
	int64_t tree;
	enum loom_status (*run)(struct loom_store *store, void *ctx, struct loom_err *err);
	void *ctx;
	int64_t op; /* out: its number, 0 when nothing was changed */
};
enum loom_status cli_grove_write(struct cli_grove *grove, struct cli_write *write,
				 struct loom_err *err) LOOM_MUST;

/* The store's own files, which no name that somebody gives may lead to: opening and closing one by
 * hand would drop the store's locks. */
void cli_grove_refused(struct cli_grove *grove, struct loom_root *out);
/* As loom_cli_read, but never a file of the store. */
enum loom_status cli_grove_read(struct cli_grove *grove, const char *path, size_t max,
				struct loom_buf *out, struct loom_err *err) LOOM_MUST;

struct loom_search;
/* Takes up into the index all that is new, in slices that ^C ends; for the worker. */
enum loom_status commands_search_feed(struct cli_grove *grove, struct loom_search *search,
				      int64_t *out_behind, struct loom_err *err) LOOM_MUST;

/* --- --op ID (request_once.c) --- */

struct loom_request_answer;
struct loom_op_id;
struct loom_request;
/* An id as it is said; LOOM_SYNTAX for anything else. */
enum loom_status cli_request_id(struct loom_str text, struct loom_op_id *out,
				struct loom_err *err) LOOM_MUST;
/* LOOM_CONFLICT: the id was used, and not for this. */
enum loom_status cli_request_other(const char *why, struct loom_err *err);
/* What is known of one whose answer is not: lines, without a feed behind the last. */
enum loom_status cli_request_done(struct cli_grove *grove, const struct loom_request_answer *answer,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* What the call is done for; NULL: it has no id. */
struct loom_request *cli_request_asked(const struct loom_cli *cli);
/* Says what was answered when the same was asked before; LOOM_CONFLICT when it was something else.
 * Without an id nothing was. */
enum loom_status cli_request_answer(struct cli_grove *grove, bool *out_answered,
				    struct loom_err *err) LOOM_MUST;
/* From here to the end what is said is the answer. It is kept when all went well, and gives way to
 * the first one when somebody was quicker; output is held. */
void cli_request_begin(struct loom_cli *cli);
enum loom_status cli_request_end(struct cli_grove *grove, enum loom_status status,
				 struct loom_err *err) LOOM_MUST;

/* --- names (find_by_name.c) --- */

/* TREE: an id, its unique prefix, or a title; p NULL: the current tree. Agents without cross_tree
 * have the current one only. */
enum loom_status cli_grove_tree(struct cli_grove *grove, struct loom_str name,
				struct loom_tree *out, struct loom_err *err) LOOM_MUST;
/* Where a NODE is. */
struct cli_spot {
	struct loom_tree tree;
	struct loom_node node;
	int64_t thread; /* the acting agent's own in that tree, 0: it was never there */
	char name[LOOM_LOCAL_MAX];
};
/* NODE: a local id in the current tree, TREE/ID, or a ULID. */
enum loom_status cli_grove_node(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err) LOOM_MUST;
/* NODE, or for p NULL where the acting agent stands in the current tree. */
enum loom_status cli_grove_spot(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err) LOOM_MUST;
/* Where the acting agent stands in a tree: at its root where it never was. */
enum loom_status cli_grove_stand(struct cli_grove *grove, const struct loom_tree *tree,
				 unsigned parts, struct cli_spot *out,
				 struct loom_err *err) LOOM_MUST;
/* An agent by number, looked up once a call. */
enum loom_status cli_grove_agent(struct cli_grove *grove, int64_t id, const struct loom_agent **out,
				 struct loom_err *err) LOOM_MUST;
/* "human", "model" or "collaborator". */
const char *cli_author_type(const struct loom_agent *agent);
/* A node's local id, in the arena; "?" when that cannot be read. */
struct loom_str cli_node_name(struct cli_grove *grove, const struct loom_node *node);

/* --- saying (say.c) --- */

/* What the language answers to a call that only looks, printed as results are. */
enum loom_status cli_grove_look(struct cli_grove *grove, int64_t tree, const struct loom_call *call,
				struct loom_err *err) LOOM_MUST;

/* A ULID as a value of JSON. */
void cli_json_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid);
/* A time as RFC 3339 with milliseconds. */
void cli_json_time(struct loom_json *json, const char *key, int64_t ms);
/* The mark of an agent's name beside those of the others; empty: none. */
enum loom_status cli_agent_mark(struct cli_grove *grove, int64_t agent, struct loom_str *out,
				struct loom_err *err) LOOM_MUST;
/* The member "list": calls that wait for a person's word. */
void cli_proposed_json(struct loom_json *json, const struct loom_proposal *proposal);
/* A number, or null for 0. */
struct loom_result;
/* What came of a call, as members: status, code, text, op. */
void cli_json_result(struct loom_json *json, const struct loom_result *result);
/* "3m ago" for a line on a screen, in the arena. */
struct loom_str cli_ago(struct cli_grove *grove, int64_t then_ms);
/* "12,847", in the arena. */
struct loom_str cli_count(struct cli_grove *grove, int64_t count);

/* --- voices (agent_voice.c) --- */
struct cli_voices {
	struct loom_voices *voices;
	const struct loom_generator *generator; /* of them */
};
/* The models that may be asked. A configuration that cannot be read is said, and leaves the
 * embedded one: looking and writing do not depend on it. */
void cli_voices_open(struct cli_grove *grove, struct cli_voices *out);
/* How long a result an agent is told unshortened, as it is configured; 0: it is not. */
size_t cli_result_tokens(struct cli_grove *grove);
/* A zeroed one is fine. */
void cli_voices_close(struct cli_voices *voices);
/* What of an agent its context depends on. */
struct cli_asked {
	struct loom_generate_voice voice;
	struct loom_str prompt; /* empty: none */
	int64_t budget;         /* tokens that it may be told; 0: not known */
	enum loom_strategy truncation;
};
/* Fills all of it, from the configuration and the agent's own settings. */
void cli_voice_of(const struct cli_voices *voices, const struct loom_agent *agent,
		  struct cli_asked *out);

/* --- differences (cmd_diff.c) --- */
struct loom_diff;
/* The member "parts"; for a person what is gone in [-…-] and what is new in {+…+}, or in colours,
 * which ends a line. */
void cli_answer_diff(struct loom_cli *cli, const struct loom_diff *diff);

/* --- a node as JSON (json_node.c) --- */

/* The members of a node's object; the node was read with LOOM_NODE_ALL. */
enum loom_status cli_node_json(struct cli_grove *grove, struct loom_json *json,
			       const struct cli_spot *spot, struct loom_err *err) LOOM_MUST;
/* The members that say what hangs on it: children, annotations, links, tags, generation. */
enum loom_status cli_node_around_json(struct cli_grove *grove, struct loom_json *json,
				      const struct cli_spot *spot, struct loom_err *err) LOOM_MUST;
/* The links of a node as an array, both ends named. */
/* Where links have an end: a node, a document, a tree. */
struct cli_link_end {
	enum loom_link_kind kind;
	int64_t id;
};
enum loom_status cli_links_json(struct cli_grove *grove, struct loom_json *json,
				const struct cli_link_end *end, struct loom_err *err) LOOM_MUST;
/* What an operation's object has everywhere (say_op.c). */
void cli_answer_op(struct loom_cli *cli, const struct loom_op *op);

#endif
