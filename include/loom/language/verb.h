/* The verbs of the → language, by name; registry.h has the table's other columns. */
#ifndef LOOM_VERB_H
#define LOOM_VERB_H

enum loom_verb {
	LOOM_VERB_NONE,
#define LOOM_VERB(id, name) LOOM_VERB_##id,
#include <loom/verb_ids.def>
	LOOM_VERB_COUNT
};

/* Returns the verb's name, as "view", or "" for LOOM_VERB_NONE. Static. */
const char *loom_verb_name(enum loom_verb verb);

#endif
