/* The lanes of a log as an answer, for the commands that show them. */
#ifndef COMMANDS_THREADS_LANES_OF_H
#define COMMANDS_THREADS_LANES_OF_H

#include "log_of.h"

/* Answers with the members lanes, waiting and run; for a person a line each. */
void threads_answer_lanes(struct loom_cli *cli, const struct loom_lane_list *list);

#endif
