/* A command line as a person reads it who is asked to approve it: the words, and what they would
 * act on. */
#ifndef TOOL_CLI_TARGET_H
#define TOOL_CLI_TARGET_H

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

/* Whether its value is where something is written to. */
bool tool_item_is_output(const struct tool_item *item);
/* "loom tag a7x2 'a motive'": every word as a shell would take it, on one line. In the arena. */
struct loom_str tool_line_of(struct loom_arena *arena, const struct loom_str *words, size_t count);
/* What the call would act on, on one line: nodes with their texts, trees, documents with their
 * versions, files as they are now. The same again unless something has changed. In the arena. */
struct loom_str tool_command_target(struct tool_grove *grove);

#endif
