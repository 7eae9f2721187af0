/* A grove to look at, and the program upon it. */
#ifndef SCREENS_DESK_H
#define SCREENS_DESK_H

#include "screens/pty.h"
#include "support/grove.h"

struct desk {
	struct grove grove;
	int64_t tree;
	int64_t nodes[64]; /* in the order in which they were made */
	size_t count;
};

/* A tree "Marie": a root, a child, three children of it, of which the second leads through a chain
 * of fourteen. A bookmark on that second. */
void desk_init(struct desk *desk, enum loom_mode mode);
void desk_fini(struct desk *desk);
int64_t desk_add(struct desk *desk, int64_t from, bool by_model, const char *text);
/* The program on the desk's grove, drawn and idle. */
struct pty *desk_open(struct desk *desk, int w, int h, const char *term);

#endif
