/* A command line as a person reads it who is asked to approve it: the words, and what they would
 * act on. */
#ifndef CLI_COMMAND_TARGET_H
#define CLI_COMMAND_TARGET_H

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

/* Whether its value is where something is written to. */
bool cli_item_is_output(const struct cli_item *item);
/* "loom tag a7x2 'a motive'": every word as a shell would take it, on one line. In the arena. */
struct loom_str cli_line_of(struct loom_arena *arena, const struct loom_str *words, size_t count);
/* What the call would act on, on one line: nodes with their texts, trees, documents with their
 * versions, files as they are now. The same again unless something has changed. In the arena. */
struct loom_str cli_command_target(struct cli_grove *grove);

#endif
