/* Persons: who acts here without saying so. A person is a human agent's row, and speaks through the
 * accounts that the table `member` binds to it. "you" is only how a person is shown to himself. */
#ifndef LOOM_PERSON_H
#define LOOM_PERSON_H

#include <loom/tree/agent.h>

/* What somebody may do who speaks for a person; stored by number. */
enum loom_member_may {
	LOOM_MEMBER_READER,
	LOOM_MEMBER_WRITER,
	LOOM_MEMBER_ADMIN, /* founded it */
};

/* The number of the person who works here; 0 for one who is not in the grove yet. */
int64_t loom_me(struct loom_store *store);
/* The person who works here: whom LOOM_ME names of those that this account may be, else whom the
 * account is. Who is not in the grove yet has number 0 and the name that he will be given with his
 * first write. LOOM_NOT_FOUND, LOOM_PERMISSION for a LOOM_ME that is nobody here, or another's. */
enum loom_status loom_person_me(struct loom_store *store, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* The person who made the grove. */
enum loom_status loom_person_founder(struct loom_store *store, struct loom_arena *arena,
				     struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* Who acts: the agent of that name, or, for an empty one, the person who works here. In a grove
 * that is shared LOOM_PERMISSION for a person who is another account's. */
enum loom_status loom_person_or(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_agent *out,
				struct loom_err *err) LOOM_MUST;

/* One account that speaks for one person. */
struct loom_member {
	int64_t id;
	struct loom_agent agent;
	struct loom_str role;    /* "uid:1000" */
	struct loom_str account; /* "marie (uid 1000)" */
	enum loom_member_may may;
	int64_t by; /* who let them in */
	int64_t since;
	bool mine; /* it is this account */
	bool me;   /* and this is whom it acts for */
};
/* All of them in the order in which they came, in the arena. */
enum loom_status loom_member_list(struct loom_store *store, struct loom_arena *arena,
				  struct loom_member **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* One more person whom this account may be, and whom LOOM_ME chooses; one whom it was before is
 * that one again. Inside an operation, as is what follows. LOOM_CONFLICT, LOOM_INVALID as for
 * agents. */
enum loom_status loom_member_add(struct loom_store *store, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;
/* This account is no longer that person, who stays the author of what he wrote. LOOM_NOT_FOUND;
 * LOOM_REFUSED for the last one, or who acts now; LOOM_PERMISSION for another's. */
enum loom_status loom_member_drop(struct loom_store *store, struct loom_str name,
				  struct loom_err *err) LOOM_MUST;
/* LOOM_PERMISSION for a person who is another account's; else as loom_agent_rename. */
enum loom_status loom_member_rename(struct loom_store *store, struct loom_str name,
				    struct loom_str new_name, struct loom_err *err) LOOM_MUST;

/* The accounts of a group may write into the grove from now on, or none but its owner
 * (LOOM_PRIVATE). A write of its own. LOOM_REFUSED names what is in the way. */
enum loom_status loom_grove_share(struct loom_store *store, int64_t group,
				  struct loom_err *err) LOOM_MUST;

#endif
