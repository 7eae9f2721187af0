/* Agents: who acts. The grove holds identity; what an agent may do is a person's grant, kept
 * outside the grove (grant.h), so that a copied grove brings no authority with it. */
#ifndef LOOM_AGENT_H
#define LOOM_AGENT_H

#include <loom/tree/op.h>

enum loom_agent_kind { LOOM_AGENT_HUMAN, LOOM_AGENT_MODEL };

/* Why an author is a claim: a name that a file gives, which nothing of this grove confirms. A claim
 * never acts, has no grant, and its name takes none away. Stored by number. */
enum loom_claim {
	LOOM_CLAIM_NONE,     /* an agent of this grove */
	LOOM_CLAIM_HASH,     /* the file's hash is not that of what it says */
	LOOM_CLAIM_UNSIGNED, /* this grove did not sign it */
	LOOM_CLAIM_OLD,      /* imported before signatures were asked for */
};

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
	enum loom_claim claim;
	struct loom_str from;  /* of a claim: the file */
	struct loom_ulid said; /* of a claim: the ULID that the file gives, zeroed: none */
};

/* Whether an agent may act at all; what it may do is its grant's, or a person's right. */
bool loom_agent_acts(const struct loom_agent *agent);
/* LOOM_NOT_FOUND: it is a name from a file, whoever says it. */
enum loom_status loom_agent_refuse_claim(struct loom_str name, struct loom_str origin,
					 struct loom_err *err);
/* The ULID under which its texts are hashed and exported. */
const struct loom_ulid *loom_agent_hashed(const struct loom_agent *agent);
/* "hash", "unsigned", "old"; NULL for LOOM_CLAIM_NONE. */
const char *loom_claim_name(enum loom_claim claim);
/* What loom_claim_name says; LOOM_CLAIM_NONE for another word. */
enum loom_claim loom_claim_parse(struct loom_str name);
/* "its hash does not fit", for people. */
const char *loom_claim_why(enum loom_claim claim);

/* By row number; texts in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_agent_get(struct loom_store *store, int64_t agent, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err) LOOM_MUST;
/* By name, exact, else without case; or by ULID. Who cannot act is not found: the error says whose
 * name it is. */
enum loom_status loom_agent_find(struct loom_store *store, struct loom_str name,
				 struct loom_arena *arena, struct loom_agent *out,
				 struct loom_err *err) LOOM_MUST;
/* All agents that are visible now, claims too, in the order of their making; *out is NULL for
 * none. */
enum loom_status loom_agent_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_agent **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* For each of all agents, in the order of their making, the mark of a name that deceives
 * (deceiving_names.h). The founder, who is the first, has none: others look like the founder. NULL when
 * count is 0. */
struct loom_str *loom_agent_marks(const struct loom_agent *agents, size_t count,
				  struct loom_arena *arena);
/* Inside an operation. LOOM_CONFLICT when the name is taken or looks like one that is, LOOM_INVALID
 * for a name no agent may have (what an import brings keeps its name). A ULID or a time that the
 * spec has is kept, else both are new. */
enum loom_status loom_agent_create(struct loom_store *store, const struct loom_agent *spec,
				   int64_t *out_agent, struct loom_err *err) LOOM_MUST;
/* The claim of this very name, file, kind, reason and ULID, made when there is none. Inside an
 * operation. */
enum loom_status loom_agent_claim(struct loom_store *store, const struct loom_agent *spec,
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
