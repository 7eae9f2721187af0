/* What the files of `loom payload` share: the project and how it was found. */
#ifndef TOOL_PAYLOAD_IMPL_H
#define TOOL_PAYLOAD_IMPL_H

#include <loom/cli.h>
#include <loom/payload.h>

#define TOOL_STORE_FILES_MAX 8

struct tool_project {
	struct loom_buf path;
	struct loom_root root;
	struct loom_str cwd;
	struct loom_file_id store[TOOL_STORE_FILES_MAX];
	struct loom_payload_place place;
};

/* What a thread holds, as entries: its own assets are the turn, those it was given to read the
 * session, the global plan is global. Moves the project to the root that the paths are from. */
enum loom_status tool_payload_of_thread(struct loom_cli *cli, struct tool_project *project,
					struct loom_payload_opts *opts,
					struct loom_err *err) LOOM_MUST;
/* `--report`: needs a grove, and no project. */
enum loom_status tool_payload_report(struct loom_cli *cli, struct loom_err *err) LOOM_MUST;
/* Opens another root in place of the project's. */
enum loom_status tool_project_move(struct loom_cli *cli, struct tool_project *project,
				   struct loom_str path, struct loom_err *err) LOOM_MUST;

#endif
