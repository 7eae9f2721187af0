/* Starts a server for a model's file. */
#ifndef AGENTS_SERVE_H
#define AGENTS_SERVE_H

#include <loom/cli/cli.h>

/* Has `llama-server` serve this file, unless one does already; *out is the file's absolute name,
 * which is the name of the model too. LOOM_NOT_FOUND when there is no such file, LOOM_MODEL when no
 * llama-server is installed, or when it ended at once. */
enum loom_status agents_serve(struct loom_cli *cli, struct loom_str file, struct loom_str *out,
			      struct loom_err *err) LOOM_MUST;

#endif
