/* The groups of verbs and commands in the help. */
#ifndef LOOM_GROUP_H
#define LOOM_GROUP_H

enum loom_group {
#define LOOM_GROUP(id, title) LOOM_GROUP_##id,
#include <loom/groups.def>
	LOOM_GROUP_COUNT
};

/* Returns a group's title as help prints it. Static. */
const char *loom_group_title(enum loom_group group);

#endif
