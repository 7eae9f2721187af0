/* The gate decides whether somebody may carry out a row of commands.def: at once, after a person's
 * approval, or not at all. It is the same for verbs, commands, MCP and the screen, and depends on
 * data alone: who acts, what was granted, what the row says. */
#ifndef LOOM_GATE_H
#define LOOM_GATE_H

#include <loom/tree/agent.h>
#include <loom/grove/grant.h>

/* The effects of a row, as bits. commands.def explains each word. */
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

/* The effects of a row, and the permissions an agent needs for it. */
struct loom_need {
	unsigned deeds;
	unsigned may; /* the row's own permissions, without their prerequisites */
};

enum loom_who {
	LOOM_WHO_ME,     /* the person at the keyboard, by default */
	LOOM_WHO_PERSON, /* a person by name: may do anything but grant authority */
	LOOM_WHO_AGENT,
	LOOM_WHO_CLAIM, /* a name from a file; cannot act */
};
struct loom_gate_who {
	enum loom_who kind;
	struct loom_str name;
	struct loom_grant grant; /* of an agent */
	/* Borrowed, to look up grants made elsewhere; NULL: do not. */
	struct loom_store *store;
	const struct loom_agent *agent;
};

enum loom_gate { LOOM_GATE_RUN, LOOM_GATE_ASK, LOOM_GATE_REFUSE };

/* Describes an agent for the gate; reads its grant. `ungranted` are the permissions of a model that
 * was never granted any. */
enum loom_status loom_gate_who(struct loom_store *store, const struct loom_agent *agent,
			       unsigned ungranted, struct loom_gate_who *out,
			       struct loom_err *err) LOOM_MUST;
/* Decides. For LOOM_GATE_REFUSE *err (nullable) gets the reason and what to do instead; `deed` is
 * what a person could do instead ("annotate"), NULL: run it. */
enum loom_gate loom_gate(const struct loom_gate_who *who, const struct loom_need *need,
			 const char *deed, struct loom_err *err);
/* Checks permissions only, for things that turn up during the work. LOOM_OK, LOOM_PERMISSION, or
 * LOOM_CROSS_TREE if the actor may not leave the tree. */
enum loom_status loom_gate_may(const struct loom_gate_who *who, unsigned may, const char *deed,
			       struct loom_err *err) LOOM_MUST;
/* Fills *err for an actor who got LOOM_GATE_ASK: LOOM_PERMISSION, not done, and where it waits
 * (`proposal`: its hash as displayed; empty: it has no list entry). */
enum loom_status loom_gate_asked(struct loom_str proposal, struct loom_err *err) LOOM_MUST;

/* Returns "writes", "reads", … for one deed, "looks" for none. Static. */
const char *loom_deed_name(unsigned deed);

#endif
