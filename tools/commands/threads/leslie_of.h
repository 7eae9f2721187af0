/* Shared by the commands about objectives and threads: the project's `.leslie/`, and how these
 * commands answer and refuse. */
#ifndef COMMANDS_THREADS_LESLIE_OF_H
#define COMMANDS_THREADS_LESLIE_OF_H

#include <loom/cli/cli.h>
#include <loom/leslie/leslie.h>
#include <loom/sharing/file_ops.h>

#include <loom/chat/ties.h>

struct threads_leslie {
	struct loom_cli *cli;
	struct loom_leslie *leslie;
	struct loom_leslie_err err; /* the refusal */
	struct cli_grove *grove;    /* the project's grove, if requested; else NULL */
	struct chat_tie tie;
};

typedef enum loom_status threads_leslie_fn(struct threads_leslie *call);

/* Opens the call's `.leslie/`, runs `fn` and prints its warnings. A refusal is printed as `Error:
 * …` and `Reason: … (T…)`, or as {"success":false,"error":{…}}; then *err is empty. */
enum loom_status threads_leslie_run(struct loom_cli *cli, threads_leslie_fn *fn,
				    struct loom_err *err) LOOM_MUST;
/* Runs `fn` with the call's `.leslie/` and, if the project has a grove, that grove, for reading;
 * otherwise call->grove is NULL. The personal grove does not count. Refusals as in
 * threads_leslie_run. */
enum loom_status threads_leslie_run_in(struct loom_cli *cli, threads_leslie_fn *fn,
				       struct loom_err *err) LOOM_MUST;
/* Runs `fn` with the call's `.leslie/` in a grove that is already open. Refusals as in
 * threads_leslie_run. */
enum loom_status threads_leslie_run_on(struct cli_grove *grove, const struct chat_tie *tie,
				       threads_leslie_fn *fn, struct loom_err *err) LOOM_MUST;
/* Runs `fn` in the project's grove, which remembers requests (--op); LOOM_NOT_FOUND if it has
 * none. */
enum loom_status threads_project_once(struct loom_cli *cli, cli_grove_ctx_fn *fn, void *ctx,
				      struct loom_err *err) LOOM_MUST;
/* Lists a change of the project's files among the operations of its grove, if it has one (`grove`
 * NULL: opens it). The change stands even if this fails; then a note says so. */
void threads_list_outside(struct loom_cli *cli, struct cli_grove *grove,
			  const struct loom_outside *what);
/* Prints a refusal, for commands that need no `.leslie/`. */
enum loom_status threads_leslie_refused(struct loom_cli *cli, const struct loom_leslie_err *why,
					struct loom_err *err);
/* Checks that the call may change or read a thread's work: a person always may; an agent may not if
 * another agent works in the thread. PERMISSION_DENIED. */
enum loom_status threads_leslie_own(struct threads_leslie *call, struct loom_str thread) LOOM_MUST;
/* Refuses a misuse that the usage cannot express. */
enum loom_status threads_leslie_misused(struct threads_leslie *call, const char *what);

/* The value of an option or a positional; LOOM_USAGE, naming the positional, if both or neither are
 * given. */
enum loom_status threads_leslie_pick(struct threads_leslie *call, struct loom_str option,
				     struct loom_str positional, const char *name,
				     struct loom_str *out) LOOM_MUST;
/* Prints warnings as notes, one per line, and adds them to what is described. */
void threads_leslie_warn(struct threads_leslie *call, const struct loom_leslie_warnings *warnings);
/* Prints warnings and, if the project has a grove, keeps them in the thread's log. */
void threads_leslie_warn_of(struct threads_leslie *call, struct loom_str thread,
			    const struct loom_leslie_warnings *warnings, bool loaded);
/* Answers with the member "warnings", a list. */
void threads_leslie_answer_warnings(struct loom_cli *cli,
				    const struct loom_leslie_warnings *warnings);
/* Answers with the members that every listing of threads has. */
void threads_leslie_answer_thread(struct loom_cli *cli, const struct loom_leslie_thread *thread);
/* The wording of a thread's status. */
struct loom_str threads_leslie_status(const struct loom_leslie_thread *thread);
/* Answers with [{type, path}] as the value of `key`; `where` adds read_path. */
void threads_leslie_answer_assets(struct loom_cli *cli, const char *key,
				  const struct loom_asset_list *list, bool where);

#endif
