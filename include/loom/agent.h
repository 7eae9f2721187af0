/* Agents: who acts. The grove holds identity; what an agent may do is a person's grant, kept
 * outside the grove (grant.h), so that a copied grove brings no authority with it. */
#ifndef LOOM_AGENT_H
#define LOOM_AGENT_H

#include <loom/op.h>

enum loom_agent_kind { LOOM_AGENT_HUMAN, LOOM_AGENT_MODEL };

struct loom_agent {
	int64_t id;
	struct loom_ulid ulid;
	struct loom_str name;
	enum loom_agent_kind kind;
	struct loom_str model;
	struct loom_str sampling; /* JSON or empty */
	bool aware;               /* loom-aware: a collaborator, never a subject */
	int64_t created;
	bool met; /* came with a text that was brought in, and nobody has set it up since */
};

/* Whether this row acts at all. A person that only a file tells of is a name: whoever wrote it
 * could be anybody. (What a model may do is its grant's business.) */
bool loom_agent_acts(const struct loom_agent *agent);

/* The person whose grove it is: made with the grove. */
enum loom_status loom_agent_owner(struct loom_store *store, struct loom_arena *arena,
				  struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* By row number; texts in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_agent_get(struct loom_store *store, int64_t agent, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* By name, exact, else without case; or by ULID. */
enum loom_status loom_agent_find(struct loom_store *store, struct loom_str name,
				 struct loom_arena *arena, struct loom_agent *out,
				 struct loom_err *err) LOOM_MUST;
/* All agents that are visible now, in the order of their making; *out is NULL for none. */
enum loom_status loom_agent_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_agent **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* For each of all agents, in the order of their making, the mark of a name that deceives (name.h).
 * The owner, who is the first, has none: others look like the owner. NULL when count is 0. */
struct loom_str *loom_agent_marks(const struct loom_agent *agents, size_t count,
				  struct loom_arena *arena);
/* Inside an operation. LOOM_CONFLICT when the name is taken or looks like one that is, LOOM_INVALID
 * for a name no agent may have (what an import brings keeps its name). A ULID or a time that the
 * spec has is kept, else both are new. */
enum loom_status loom_agent_create(struct loom_store *store, const struct loom_agent *spec,
				   int64_t *out_agent, struct loom_err *err) LOOM_MUST;
/* The model its turns are given to, empty: none. Inside an operation, as are the three below,
 * which say LOOM_NOT_FOUND too. */
enum loom_status loom_agent_set_model(struct loom_store *store, int64_t agent,
				      struct loom_str model, struct loom_err *err) LOOM_MUST;
/* How it draws: a JSON object as the configuration spells it; not checked here. */
enum loom_status loom_agent_set_sampling(struct loom_store *store, int64_t agent,
					 struct loom_str sampling, struct loom_err *err) LOOM_MUST;
/* A loom-aware agent (true) collaborates, another is a subject. */
enum loom_status loom_agent_set_aware(struct loom_store *store, int64_t agent, bool aware,
				      struct loom_err *err) LOOM_MUST;
/* LOOM_CONFLICT when another has the name, LOOM_INVALID for a name no agent may have. */
enum loom_status loom_agent_rename(struct loom_store *store, int64_t agent, struct loom_str name,
				   struct loom_err *err) LOOM_MUST;

#endif
