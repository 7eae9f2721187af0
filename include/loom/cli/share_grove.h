/* Sharing a grove with a group, as `loom share` and `loom init --shared` do it. */
#ifndef LOOM_CLI_SHARE_GROVE_H
#define LOOM_CLI_SHARE_GROVE_H

#include <loom/cli/open_grove.h>

/* Shares the call's grove (LOOM_PRIVATE: stops sharing it), trusts it for this account, and says
 * what that means. */
enum loom_status cli_grove_share(struct cli_grove *grove, int64_t group,
				 struct loom_err *err) LOOM_MUST;
/* Describes "group" and "gid", null if the grove is not shared. */
void cli_answer_shared(struct loom_cli *cli, int64_t group);

#endif
