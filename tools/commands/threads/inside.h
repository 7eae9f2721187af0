/* Shared by the files of `loom payload`: the project and how it was found. */
#ifndef COMMANDS_THREADS_INSIDE_H
#define COMMANDS_THREADS_INSIDE_H

#include <loom/cli/cli.h>
#include <loom/http/fetch.h>
#include <loom/payload/payload.h>

struct threads_project {
	struct loom_buf path;
	struct loom_root root;
	struct loom_str cwd;
	struct loom_file_id store[2 * LOOM_STORE_FILES]; /* the project's, then the grove's */
	struct loom_payload_place place;
};

/* Finds the project that the call is in, and opens its root. Close it with threads_project_close,
 * whatever this returns. */
enum loom_status threads_project_open(struct loom_cli *cli, struct threads_project *project,
				      struct loom_str session, struct loom_str turn,
				      struct loom_err *err) LOOM_MUST;
/* Frees what threads_project_open made, even if that failed. */
void threads_project_close(struct threads_project *project);
/* Prints the warnings of a payload as notes. */
void threads_payload_warn(struct loom_cli *cli, const struct loom_payload *payload);

/* Gathers the files of a thread as entries: its own assets in scope turn, those it may read in
 * scope session, the global plan in scope global. Moves the project's root to the one that the
 * paths refer to. */
enum loom_status threads_payload_of_thread(struct loom_cli *cli, struct threads_project *project,
					   struct loom_payload_opts *opts,
					   struct loom_err *err) LOOM_MUST;
/* The entries of a payload, and the stored copies of their URLs. */
struct threads_fetching {
	struct loom_fetch fetch;
	struct loom_payload_lists lists;
	bool offline; /* --no-fetch */
};
/* Starts with the copies that the store has. */
void threads_payload_recall(struct loom_cli *cli, const struct threads_project *project,
			    struct threads_fetching *fetching);
/* Decides whether the other URLs may be fetched, asking the person once per project. */
void threads_payload_may_fetch(struct loom_cli *cli, const struct threads_project *project,
			       struct threads_fetching *fetching);
/* `--dry-run`: prints what would be fetched. */
enum loom_status threads_payload_foresee(struct loom_cli *cli,
					 const struct threads_project *project,
					 const struct threads_fetching *fetching,
					 struct loom_err *err) LOOM_MUST;
/* Stores the fetched copies. A failure is only noted. */
void threads_payload_keep(struct loom_cli *cli, struct threads_fetching *fetching);
/* `--report`: needs a grove, but no project. */
enum loom_status threads_payload_report(struct loom_cli *cli, struct loom_err *err) LOOM_MUST;
/* `--why PATH`: explains which rule hides or shows a path, and which scope lists it. */
enum loom_status threads_payload_why(struct loom_cli *cli, struct threads_project *project,
				     struct loom_err *err) LOOM_MUST;
/* A path from the command line, relative to the project's root if the current directory is below
 * that. URLs, absolute paths and paths that leave the root stay unchanged, so that a refusal quotes
 * them as typed. */
struct loom_str threads_payload_from_root(struct loom_cli *cli,
					  const struct threads_project *project,
					  struct loom_str said);
/* Refuses an empty value of an option such as "--why". */
enum loom_status threads_payload_empty(const char *what, struct loom_err *err) LOOM_MUST;
/* Replaces the project's root with another one. */
enum loom_status threads_project_move(struct loom_cli *cli, struct threads_project *project,
				      struct loom_str path, struct loom_err *err) LOOM_MUST;

#endif
