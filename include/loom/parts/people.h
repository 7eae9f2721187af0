/* Who writes in a grove, and in which role each one's text is drawn. */
#ifndef TUI_PEOPLE_H
#define TUI_PEOPLE_H

#include <loom/tree/agent.h>

#include <loom/keys/roles.h>

struct tui_person {
	struct loom_agent agent; /* texts in the arena below */
	enum tui_role role;
	struct loom_str shown; /* the name, marked when it deceives (deceiving_names.h) */
	struct loom_str claim; /* "said to be Anna, from f.json"; empty for who acts */
};

struct tui_people {
	struct loom_arena *arena;
	struct tui_person *items;
	size_t count;
	size_t humans; /* persons of this grove among them */
	int64_t me;    /* who sits here */
};

void tui_people_init(struct tui_people *people);
void tui_people_fini(struct tui_people *people);
enum loom_status tui_people_read(struct tui_people *people, struct loom_store *store,
				 struct loom_err *err) LOOM_MUST;
/* NULL when there is none of that number, or nobody who acts by that name. */
const struct tui_person *tui_people_get(const struct tui_people *people, int64_t agent);
const struct tui_person *tui_people_named(const struct tui_people *people, struct loom_str name);
enum tui_role tui_people_role(const struct tui_people *people, int64_t agent);
/* Whether nothing here confirms that author. */
bool tui_people_claimed(const struct tui_people *people, int64_t agent);
/* "human", or the name, or whom a file says it is. */
struct loom_str tui_people_name(const struct tui_people *people, int64_t agent);

#endif
