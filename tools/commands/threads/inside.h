/* What the files of `loom payload` share: the project and how it was found. */
#ifndef COMMANDS_THREADS_INSIDE_H
#define COMMANDS_THREADS_INSIDE_H

#include <loom/cli/cli.h>
#include <loom/http/fetch.h>
#include <loom/payload/payload.h>

struct threads_project {
	struct loom_buf path;
	struct loom_root root;
	struct loom_str cwd;
	struct loom_file_id store[2 * LOOM_STORE_FILES]; /* the project's, the grove's */
	struct loom_payload_place place;
};

/* What a thread holds, as entries: its own assets are the turn, those it was given to read the
 * session, the global plan is global. Moves the project to the root that the paths are from. */
enum loom_status threads_payload_of_thread(struct loom_cli *cli, struct threads_project *project,
					   struct loom_payload_opts *opts,
					   struct loom_err *err) LOOM_MUST;
/* What the lists of a session name, and what of its URLs is kept. */
struct threads_fetching {
	struct loom_fetch fetch;
	struct loom_payload_lists lists;
};
/* Begins with what the store has of them. */
void threads_payload_recall(struct loom_cli *cli, const struct threads_project *project,
			    struct threads_fetching *fetching);
/* Settles whether the rest may be fetched: asks the person, once for a project. */
void threads_payload_may_fetch(struct loom_cli *cli, const struct threads_project *project,
			       struct threads_fetching *fetching);
/* `--dry-run`: says what would be fetched, and fetches nothing. */
enum loom_status threads_payload_foresee(struct loom_cli *cli,
					 const struct threads_project *project,
					 const struct threads_fetching *fetching,
					 struct loom_err *err) LOOM_MUST;
/* Has the store keep what was fetched. Not being able to is no failure. */
void threads_payload_keep(struct loom_cli *cli, struct threads_fetching *fetching);
/* `--report`: needs a grove, and no project. */
enum loom_status threads_payload_report(struct loom_cli *cli, struct loom_err *err) LOOM_MUST;
/* `--why PATH`. */
enum loom_status threads_payload_why(struct loom_cli *cli, struct threads_project *project,
				     struct loom_err *err) LOOM_MUST;
/* A path as said on the command line, from the project's root: a relative one is taken from the
 * current directory when that is beneath the root. URLs and absolute ones stay, and so does what
 * leaves the root, to be refused as it was said. */
struct loom_str threads_payload_from_root(struct loom_cli *cli,
					  const struct threads_project *project,
					  struct loom_str said);
/* What names nothing, where something has to be named: "--why". */
enum loom_status threads_payload_empty(const char *what, struct loom_err *err) LOOM_MUST;
/* Opens another root in place of the project's. */
enum loom_status threads_project_move(struct loom_cli *cli, struct threads_project *project,
				      struct loom_str path, struct loom_err *err) LOOM_MUST;

#endif
