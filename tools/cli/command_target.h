/* A command line as shown to the person who approves it: its words, and what they would act on. */
#ifndef CLI_COMMAND_TARGET_H
#define CLI_COMMAND_TARGET_H

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

/* Whether the item's value names an output. */
bool cli_item_is_output(const struct cli_item *item);
/* The words as a shell command on one line, such as "loom tag a7x2 'a motive'". In the arena. */
struct loom_str cli_line_of(struct loom_arena *arena, const struct loom_str *words, size_t count);
/* Names everything the call would act on, on one line: nodes with their texts, trees, documents
 * with their versions, files in their present state. Changes if and only if one of these changes.
 * In the arena. */
struct loom_str cli_command_target(struct cli_grove *grove);

#endif
