/* Inside the commands about doors. */
#ifndef DOORS_INSIDE_H
#define DOORS_INSIDE_H

#include <loom/cli/open_grove.h>

/* Serves over HTTP, as the arguments of `loom mcp` say, until the program is asked to end. */
enum loom_status doors_serve(struct cli_grove *grove, struct loom_err *err);

#endif
