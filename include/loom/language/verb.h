/* The verbs of the → language, by name; what the table says of them is in registry.h. */
#ifndef LOOM_VERB_H
#define LOOM_VERB_H

enum loom_verb {
	LOOM_VERB_NONE,
#define LOOM_VERB(id, name) LOOM_VERB_##id,
#include <loom/verb_ids.def>
	LOOM_VERB_COUNT
};

/* "view"; "" for LOOM_VERB_NONE. */
const char *loom_verb_name(enum loom_verb verb);

#endif
