/* The global options of a call (everywhere.def). */
#ifndef LOOM_CLI_EVERYWHERE_H
#define LOOM_CLI_EVERYWHERE_H

#include <loom/cli/cli.h>

struct cli_everywhere {
#define LOOM_ITEM(type, field, ...) LOOM_FIELD_##type field;
#include <loom/cli/everywhere.def>
};

#endif
