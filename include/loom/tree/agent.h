/* Agents: who acts. The grove stores their identity; what an agent may do is a person's grant, kept
 * outside the grove (grant.h), so that a copied grove brings no authority. */
#ifndef LOOM_AGENT_H
#define LOOM_AGENT_H

#include <loom/tree/op.h>

/* Stored by number. Neither a person nor a model are the tools and systems of imported sessions,
 * which are only names. */
enum loom_agent_kind { LOOM_AGENT_HUMAN, LOOM_AGENT_MODEL, LOOM_AGENT_OTHER };

/* Returns "human", "model" or "other". Static. */
const char *loom_agent_kind_name(enum loom_agent_kind kind);

/* Why an author is only a claim: a name from a file that nothing in this grove confirms. A claim
 * cannot act, has no grant, and does not reserve its name. Stored by number. */
enum loom_claim {
	LOOM_CLAIM_NONE,     /* an agent of this grove */
	LOOM_CLAIM_HASH,     /* the file's hash does not match its contents */
	LOOM_CLAIM_UNSIGNED, /* this grove did not sign it */
	LOOM_CLAIM_OLD,      /* imported before signatures existed */
};

struct loom_agent {
	int64_t id;
	struct loom_ulid ulid;
	struct loom_str name;
	enum loom_agent_kind kind;
	struct loom_str model;
	struct loom_str sampling; /* JSON or empty */
	bool aware;               /* loom-aware: a collaborator, not a subject */
	int64_t created;
	bool met; /* came with an imported text and has not been set up since */
	enum loom_claim claim;
	struct loom_str from;  /* of a claim: its file */
	struct loom_ulid said; /* of a claim: the ULID in the file, zero if none */
};

/* Returns what a text calls an agent to its reader, an agent as well: "you" or the name. Data
 * (JSON, exports) and contexts always have the name. */
struct loom_str loom_agent_called(int64_t agent, int64_t reader, struct loom_str name);
/* Returns whether an agent may act at all; what it may do depends on its grant, or on a person's
 * rights. */
bool loom_agent_acts(const struct loom_agent *agent);
/* Fails with LOOM_NOT_FOUND: the name comes from a file and is nobody here. `origin` is the
 * file. */
enum loom_status loom_agent_refuse_claim(struct loom_str name, struct loom_str origin,
					 struct loom_err *err);
/* Returns the ULID under which the agent's texts are hashed and exported. */
const struct loom_ulid *loom_agent_hashed(const struct loom_agent *agent);
/* Returns "hash", "unsigned" or "old"; NULL for LOOM_CLAIM_NONE. Static. */
const char *loom_claim_name(enum loom_claim claim);
/* Parses a word of loom_claim_name; LOOM_CLAIM_NONE for any other. */
enum loom_claim loom_claim_parse(struct loom_str name);
/* Returns the reason for people, such as "its hash does not match". Static. */
const char *loom_claim_why(enum loom_claim claim);

/* Loads an agent by row number; texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_agent_get(struct loom_store *store, int64_t agent, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* Finds an agent by name (exact, otherwise ignoring case) or by ULID; texts go to the arena.
 * LOOM_NOT_FOUND, also for a claim, which the error then mentions. */
enum loom_status loom_agent_find(struct loom_store *store, struct loom_str name,
				 struct loom_arena *arena, struct loom_agent *out,
				 struct loom_err *err) LOOM_MUST;
/* Lists all visible agents, claims included, in order of creation, in the arena; *out is NULL if
 * there are none. */
enum loom_status loom_agent_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_agent **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Returns for each agent, given in order of creation, the mark of a deceptive name
 * (deceiving_names.h). The founder comes first and has none: others look like the founder. In the
 * arena; NULL if count is 0. */
struct loom_str *loom_agent_marks(const struct loom_agent *agents, size_t count,
				  struct loom_arena *arena);
/* Inside an operation: creates an agent. LOOM_CONFLICT if the name is taken or looks like one that
 * is, LOOM_INVALID for a name no agent may have (an import keeps its names). A ULID or time in the
 * spec is kept, otherwise both are new. */
enum loom_status loom_agent_create(struct loom_store *store, const struct loom_agent *spec,
				   int64_t *out_agent, struct loom_err *err) LOOM_MUST;
/* Inside an operation: finds the claim with this very name, file, kind, reason and ULID, or creates
 * it. */
enum loom_status loom_agent_claim(struct loom_store *store, const struct loom_agent *spec,
				  int64_t *out_agent, struct loom_err *err) LOOM_MUST;
/* Inside an operation: sets the model that the agent's turns go to; empty for none.
 * LOOM_NOT_FOUND. */
enum loom_status loom_agent_set_model(struct loom_store *store, int64_t agent,
				      struct loom_str model, struct loom_err *err) LOOM_MUST;
/* Inside an operation: sets the sampling parameters, a JSON object in the configuration's spelling,
 * not checked here. LOOM_NOT_FOUND. */
enum loom_status loom_agent_set_sampling(struct loom_store *store, int64_t agent,
					 struct loom_str sampling, struct loom_err *err) LOOM_MUST;
/* Inside an operation: makes the agent loom-aware, a collaborator, or otherwise a subject.
 * LOOM_NOT_FOUND. */
enum loom_status loom_agent_set_aware(struct loom_store *store, int64_t agent, bool aware,
				      struct loom_err *err) LOOM_MUST;
/* Inside an operation: renames the agent. LOOM_CONFLICT if another has the name, LOOM_INVALID for a
 * name no agent may have, LOOM_NOT_FOUND. */
enum loom_status loom_agent_rename(struct loom_store *store, int64_t agent, struct loom_str name,
				   struct loom_err *err) LOOM_MUST;

#endif
