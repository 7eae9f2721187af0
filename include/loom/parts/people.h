/* The authors of a grove, and the role that each one's text is drawn in. */
#ifndef TUI_PEOPLE_H
#define TUI_PEOPLE_H

#include <loom/tree/agent.h>

#include <loom/keys/roles.h>

struct tui_person {
	struct loom_agent agent; /* texts in the arena below */
	enum tui_role role;
	struct loom_str shown; /* the name, marked when it is deceptive (deceiving_names.h) */
	struct loom_str claim; /* "said to be Anna, from f.json"; empty for those who act here */
};

struct tui_people {
	struct loom_arena *arena;
	struct tui_person *items;
	size_t count;
	size_t humans; /* persons of this grove among them */
	int64_t me;    /* who sits here */
};

/* Makes an empty table. */
void tui_people_init(struct tui_people *people);
/* Frees what the table holds. */
void tui_people_fini(struct tui_people *people);
/* Reads all agents of the store again. */
enum loom_status tui_people_read(struct tui_people *people, struct loom_store *store,
				 struct loom_err *err) LOOM_MUST;
/* The person with this number, or NULL. */
const struct tui_person *tui_people_get(const struct tui_people *people, int64_t agent);
/* The acting person of this name, or NULL; claimed names of imported authors do not count. */
const struct tui_person *tui_people_named(const struct tui_people *people, struct loom_str name);
/* The role that this agent's text is drawn in. */
enum tui_role tui_people_role(const struct tui_people *people, int64_t agent);
/* Whether the author is only claimed by a file and nothing here confirms it. */
bool tui_people_claimed(const struct tui_people *people, int64_t agent);
/* The name to show: "human", the agent's name, or the author that a file claims. */
struct loom_str tui_people_name(const struct tui_people *people, int64_t agent);

#endif
