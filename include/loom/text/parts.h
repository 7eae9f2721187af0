/* The names of a context's parts, wherever one is shown. */
#ifndef LOOM_PARTS_H
#define LOOM_PARTS_H

/* name, word */
#define LOOM_PART_LIST(X)                                                                          \
	X(SYSTEM, "system")                                                                        \
	X(MEMORY, "memory")                                                                        \
	X(PATH, "path")                                                                            \
	X(MESSAGES, "messages")                                                                    \
	X(LOOM, "loom")                                                                            \
	X(TURN, "turn")
enum loom_part {
#define X(name, word) LOOM_PART_##name,
	LOOM_PART_LIST(X)
#undef X
		LOOM_PARTS,
};
/* Returns a part's name, such as "memory". Static. */
const char *loom_part_name(enum loom_part part);

#endif
