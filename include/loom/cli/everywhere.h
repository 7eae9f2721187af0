/* What was said that may be said anywhere on a command line. */
#ifndef TOOL_EVERYWHERE_H
#define TOOL_EVERYWHERE_H

#include <loom/cli/cli.h>

struct tool_everywhere {
#define LOOM_ITEM(type, field, ...) LOOM_FIELD_##type field;
#include <loom/cli/everywhere.def>
};

#endif
