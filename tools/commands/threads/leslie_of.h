/* What the commands about objectives and threads share: the project's `.leslie/` of a call, and the
 * forms in which those commands answer and refuse. */
#ifndef COMMANDS_THREADS_LESLIE_OF_H
#define COMMANDS_THREADS_LESLIE_OF_H

#include <loom/cli/cli.h>
#include <loom/leslie/leslie.h>
#include <loom/actor/file_ops.h>

#include <loom/chat/ties.h>

struct threads_leslie {
	struct loom_cli *cli;
	struct loom_leslie *leslie;
	struct loom_leslie_err err; /* of what was refused */
	struct cli_grove *grove;    /* for those that asked for one; else NULL */
	struct chat_tie tie;
};

typedef enum loom_status threads_leslie_fn(struct threads_leslie *call);

/* Opens the `.leslie/` that the call means, runs `fn`, says what was noticed. A refusal is printed
 * as `Error: …` and `Reason: … (T…)`, or as {"success":false,"error":{…}}; then *err is empty. */
enum loom_status threads_leslie_run(struct loom_cli *cli, threads_leslie_fn *fn,
				    struct loom_err *err) LOOM_MUST;
/* The same with the project's grove at hand, for what is only there; without one call->grove is
 * NULL. A personal grove is no project's. */
enum loom_status threads_leslie_run_in(struct loom_cli *cli, threads_leslie_fn *fn,
				       struct loom_err *err) LOOM_MUST;
/* The same in a grove that is open. */
enum loom_status threads_leslie_run_on(struct cli_grove *grove, const struct chat_tie *tie,
				       threads_leslie_fn *fn, struct loom_err *err) LOOM_MUST;
/* Runs `fn` in the project's grove, which remembers what is done once (--op); LOOM_NOT_FOUND when
 * it has none. */
enum loom_status threads_project_once(struct loom_cli *cli, cli_grove_ctx_fn *fn, void *ctx,
				      struct loom_err *err) LOOM_MUST;
/* Lists what was done to the project's files among the operations of its grove, where it has one
 * (`grove` NULL: it is opened for this). What was done stands: of a failure here a note tells. */
void threads_list_outside(struct loom_cli *cli, struct cli_grove *grove,
			  const struct loom_outside *what);
/* For commands that need no `.leslie/`: prints the refusal. */
enum loom_status threads_leslie_refused(struct loom_cli *cli, const struct loom_leslie_err *why,
					struct loom_err *err);
/* Whether the call may change what a thread has, or read what is in it: a person always, an agent
 * only where the project's grove does not say that another holds it. PERMISSION_DENIED. */
enum loom_status threads_leslie_own(struct threads_leslie *call, struct loom_str thread) LOOM_MUST;
/* A wrong use that the usage cannot say. */
enum loom_status threads_leslie_misused(struct threads_leslie *call, const char *what);

/* What an option says, or a positional; LOOM_USAGE when both do or neither, with the positional's
 * name. */
enum loom_status threads_leslie_pick(struct threads_leslie *call, struct loom_str option,
				     struct loom_str positional, const char *name,
				     struct loom_str *out) LOOM_MUST;
/* On notes, one a line; what is described has them too. */
void threads_leslie_warn(struct threads_leslie *call, const struct loom_leslie_warnings *warnings);
/* Says warnings and keeps them in the log of the thread, where the project has a grove. */
void threads_leslie_warn_of(struct threads_leslie *call, struct loom_str thread,
			    const struct loom_leslie_warnings *warnings, bool loaded);
/* Describes "warnings":[…]. */
void threads_leslie_answer_warnings(struct loom_cli *cli,
				    const struct loom_leslie_warnings *warnings);
/* Describes the members that every listing has; the words of its status. */
void threads_leslie_answer_thread(struct loom_cli *cli, const struct loom_leslie_thread *thread);
struct loom_str threads_leslie_status(const struct loom_leslie_thread *thread);
/* Describes [{type, path}] as the value of `key`, with `where` read_path too. */
void threads_leslie_answer_assets(struct loom_cli *cli, const char *key,
				  const struct loom_asset_list *list, bool where);

#endif
