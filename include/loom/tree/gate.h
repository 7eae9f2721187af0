/* The gate: whether somebody may do what a row of commands.def does, at once, once a person has
 * said yes, or not at all. It is asked for verbs, for commands, over MCP and on the screen, and
 * decides from data alone: who acts, what was granted, what the row says. */
#ifndef LOOM_GATE_H
#define LOOM_GATE_H

#include <loom/tree/agent.h>
#include <loom/grove/grant.h>

/* What a row does; one may do several. commands.def says what each word means. */
enum loom_deed {
	LOOM_DEED_LOOKS = 0,
	LOOM_DEED_REMEMBERS = 1,
	LOOM_DEED_WRITES = 2,
	LOOM_DEED_GENERATES = 4,
	LOOM_DEED_READS = 8,
	LOOM_DEED_EXPORTS = 16,
	LOOM_DEED_SHARES = 32,
	LOOM_DEED_TALKS = 64,
	LOOM_DEED_PERSON = 128,
};

/* What a row does and what an agent must have for it. */
struct loom_need {
	unsigned deeds;
	unsigned may; /* the row's own permissions, without those that they need */
};

enum loom_who {
	LOOM_WHO_ME,  /* whoever sits here and says nothing else */
	LOOM_WHO_PERSON, /* a person by name: may anything but what carries authority */
	LOOM_WHO_AGENT,
	LOOM_WHO_CLAIM, /* a name from a file; it is nobody */
};
struct loom_gate_who {
	enum loom_who kind;
	struct loom_str name;
	struct loom_grant grant; /* an agent's */
	/* Borrowed, to say where else something was granted; NULL: nowhere. */
	struct loom_store *store;
	const struct loom_agent *agent;
};

enum loom_gate { LOOM_GATE_RUN, LOOM_GATE_ASK, LOOM_GATE_REFUSE };

/* Who an agent's row is at the gate; its grant is read. `ungranted` is what a model may to whom
 * nothing was ever granted. */
enum loom_status loom_gate_who(struct loom_store *store, const struct loom_agent *agent,
			       unsigned ungranted, struct loom_gate_who *out,
			       struct loom_err *err) LOOM_MUST;
/* The decision. For LOOM_GATE_REFUSE *err (nullable) has the reason and what to do instead; `deed`
 * is what a person is to be asked to do ("annotate"), NULL: to run it. */
enum loom_gate loom_gate(const struct loom_gate_who *who, const struct loom_need *need,
			 const char *deed, struct loom_err *err);
/* The part of it that is about permissions alone, for what shows only while something is done:
 * LOOM_OK, LOOM_PERMISSION, or LOOM_CROSS_TREE for who may not leave the tree. */
enum loom_status loom_gate_may(const struct loom_gate_who *who, unsigned may, const char *deed,
			       struct loom_err *err) LOOM_MUST;
/* What is said to whom LOOM_GATE_ASK was the answer: LOOM_PERMISSION, not done, and where it waits
 * (`proposal`: its hash as it is shown; empty: it is in no list of its own). */
enum loom_status loom_gate_asked(struct loom_str proposal, struct loom_err *err) LOOM_MUST;

/* "writes", "reads", … of one deed; "looks" of none. */
const char *loom_deed_name(unsigned deed);

#endif
