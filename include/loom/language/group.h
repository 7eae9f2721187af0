/* What verbs and commands are grouped by, in the help. */
#ifndef LOOM_GROUP_H
#define LOOM_GROUP_H

enum loom_group {
#define LOOM_GROUP(id, title) LOOM_GROUP_##id,
#include <loom/groups.def>
	LOOM_GROUP_COUNT
};

/* Title of a group as help prints it. */
const char *loom_group_title(enum loom_group group);

#endif
