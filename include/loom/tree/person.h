/* Persons: who acts by default. A person is a human agent; the table `member` binds accounts of
 * this machine to persons. "you" is only how persons are shown to themselves. */
#ifndef LOOM_PERSON_H
#define LOOM_PERSON_H

#include <loom/tree/agent.h>

/* A member's rights; stored by number. */
enum loom_member_may {
	LOOM_MEMBER_READER,
	LOOM_MEMBER_WRITER,
	LOOM_MEMBER_ADMIN, /* the founder */
};

/* Returns the number of the person who works here; 0 if they are not in the grove yet. */
int64_t loom_me(struct loom_store *store);
/* Loads the person who works here: the one LOOM_ME names, otherwise the account's one that the
 * configuration wishes for, otherwise its first. A person who is not in the grove yet has number 0
 * and the name they will get with their first write. LOOM_NOT_FOUND if LOOM_ME is nobody here,
 * LOOM_PERMISSION if it is another account's person. */
enum loom_status loom_person_me(struct loom_store *store, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* For reading where LOOM_ME cannot be used: loads the account's first person, who works here from
 * now on. */
enum loom_status loom_person_usual(struct loom_store *store, struct loom_arena *arena,
				   struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* Loads the person who created the grove. */
enum loom_status loom_person_founder(struct loom_store *store, struct loom_arena *arena,
				     struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* Loads the agent of that name or, if the name is empty, the person who works here. LOOM_PERMISSION
 * for another account's person in a shared grove. */
enum loom_status loom_person_or(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_agent *out,
				struct loom_err *err) LOOM_MUST;

/* One account that acts as one person. */
struct loom_member {
	int64_t id;
	struct loom_agent agent;
	struct loom_str role;    /* "uid:1000", or "role:marie" on a server */
	struct loom_str account; /* "marie (uid 1000)", or "marie" */
	enum loom_member_may may;
	int64_t by; /* who added them */
	int64_t since;
	bool mine; /* this account */
	bool me;   /* this account, acting as this person */
};
/* Lists all members in the order in which they came, in the arena. */
enum loom_status loom_member_list(struct loom_store *store, struct loom_arena *arena,
				  struct loom_member **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* Inside an operation: adds a person to this account; one that was dropped from it becomes the same
 * person again. LOOM_CONFLICT and LOOM_INVALID as in loom_agent_create. */
enum loom_status loom_member_add(struct loom_store *store, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: removes a person from this account; they stay the author of their texts.
 * LOOM_NOT_FOUND; LOOM_REFUSED for the last person, or the one who works here; LOOM_PERMISSION for
 * another account's. */
enum loom_status loom_member_drop(struct loom_store *store, struct loom_str name,
				  struct loom_err *err) LOOM_MUST;
/* Inside an operation: renames a person of this account. LOOM_PERMISSION for another account's
 * person; otherwise as loom_agent_rename. */
enum loom_status loom_member_rename(struct loom_store *store, struct loom_str name,
				    struct loom_str new_name, struct loom_err *err) LOOM_MUST;

/* Inside an operation: binds a role of the server that has the log to a person, who is a new one
 * unless the role was bound before, with these rights. */
enum loom_status loom_member_admit(struct loom_store *store, struct loom_str role,
				   enum loom_member_may may, struct loom_err *err) LOOM_MUST;
/* Inside an operation: ends the binding of a role. LOOM_NOT_FOUND. */
enum loom_status loom_member_dismiss(struct loom_store *store, struct loom_str role,
				     struct loom_err *err) LOOM_MUST;

/* Shares the grove with a group, or stops sharing it (LOOM_PRIVATE); a write of its own.
 * LOOM_REFUSED names the file in the way. */
enum loom_status loom_grove_share(struct loom_store *store, int64_t group,
				  struct loom_err *err) LOOM_MUST;

#endif
