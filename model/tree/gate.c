/* The gate. Pure except for reading a grant: it knows no command and no verb, only what their rows
 * say. Proposals are stored and run elsewhere. */
#include <loom/tree/gate.h>

#include <limits.h>

/* The deeds that a person who wants to be asked is asked about. An agent's own thread is its own
 * affair. */
#define WEIGHTY                                                                                    \
	(LOOM_DEED_WRITES | LOOM_DEED_GENERATES | LOOM_DEED_READS | LOOM_DEED_EXPORTS |            \
	 LOOM_DEED_SHARES | LOOM_DEED_TALKS)

static const struct {
	enum loom_deed deed;
	const char *name;
} names[] = {
	{LOOM_DEED_PERSON, "person"}, {LOOM_DEED_TALKS, "talks"},
	{LOOM_DEED_SHARES, "shares"}, {LOOM_DEED_EXPORTS, "exports"},
	{LOOM_DEED_READS, "reads"},   {LOOM_DEED_GENERATES, "generates"},
	{LOOM_DEED_WRITES, "writes"}, {LOOM_DEED_REMEMBERS, "remembers"},
};

const char *loom_deed_name(unsigned deed)
{
	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (deed == (unsigned)names[i].deed)
			return names[i].name;
	return "looks";
}

enum loom_status loom_gate_who(struct loom_store *store, const struct loom_agent *agent,
			       unsigned ungranted, struct loom_gate_who *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(agent && out);
	*out = (struct loom_gate_who){.kind = LOOM_WHO_PERSON,
				      .name = agent->name,
				      .grant = {.may = LOOM_MAY_ANYTHING},
				      .store = store,
				      .agent = agent};
	if (loom_agent_acts(agent) && agent->kind == LOOM_AGENT_HUMAN)
		return LOOM_OK;
	out->kind = loom_agent_acts(agent) ? LOOM_WHO_AGENT : LOOM_WHO_CLAIM;
	out->grant = (struct loom_grant){.may = 0};
	if (out->kind == LOOM_WHO_AGENT)
		status = loom_grant_get(store, &agent->ulid, &out->grant, err);
	if (status == LOOM_OK && out->kind == LOOM_WHO_AGENT && !out->grant.given)
		out->grant.may = ungranted;
	return status;
}

/* If the grants were made elsewhere, adds that to the refusal, and how to grant them here. */
static enum loom_status say_elsewhere(const struct loom_gate_who *who, enum loom_status status,
				      struct loom_err *err)
{
	const struct loom_agent *agent = who->agent;
	struct loom_buf where = LOOM_BUF_INIT(PATH_MAX);
	char text[sizeof err->text];

	LOOM_ASSERT(status != LOOM_OK);
	if (!err || !who->grant.elsewhere ||
	    loom_grant_elsewhere(who->store, &agent->ulid, &where, NULL) != LOOM_OK)
		return status;
	snprintf(text, sizeof text, "%s", err->text);
	loom_fail(err, status, "%s: %.*s got its permissions in %s, and this grove is a copy", text,
		  LOOM_STR_ARG(agent->name), loom_buf_cstr(&where));
	loom_hint(err, status,
		  "a person can grant it here: loom agent set \"%.*s\" --permissions P",
		  LOOM_STR_ARG(agent->name));
	loom_buf_fini(&where);
	return status;
}

enum loom_status loom_gate_may(const struct loom_gate_who *who, unsigned may, const char *deed,
			       struct loom_err *err)
{
	const unsigned lacks = loom_grant_closure(may) & ~who->grant.may;
	/* Name its own missing permissions before their prerequisites: granting it includes those,
	 * and says so. */
	const unsigned own = lacks & may ? lacks & may : lacks;
	const unsigned first = own & (0u - own);
	const enum loom_status status =
		first == LOOM_MAY_CROSS_TREE ? LOOM_CROSS_TREE : LOOM_PERMISSION;

	if (who->kind == LOOM_WHO_ME || who->kind == LOOM_WHO_PERSON || !lacks)
		return LOOM_OK;
	LOOM_ASSERT(first != 0 && (first & (first - 1)) == 0);
	loom_fail(err, status, "%s not enabled", loom_permission_name((enum loom_permission)first));
	loom_hint(err, status, "request elevated permissions or ask the human to %s",
		  deed ? deed : "run it");
	if (!who->store)
		return status;
	return say_elsewhere(who, status, err);
}

static enum loom_gate refuse_claim(const struct loom_gate_who *who, struct loom_err *err)
{
	loom_agent_refuse_claim(who->name, who->agent ? who->agent->from : LOOM_STR("a file"), err);
	return LOOM_GATE_REFUSE;
}

static enum loom_gate refuse_agent(const struct loom_gate_who *who, struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION, "that is for a person, not for the agent \"%.*s\"",
		  LOOM_STR_ARG(who->name));
	(void)!loom_hint(err, LOOM_PERMISSION, "ask the human to run it");
	return LOOM_GATE_REFUSE;
}

static enum loom_gate refuse_talk(struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION,
		  "not done: a person has to approve it, but could not read it beforehand");
	(void)!loom_hint(err, LOOM_PERMISSION, "ask the human to run it");
	return LOOM_GATE_REFUSE;
}

static bool wants_leave(enum loom_approval approval, unsigned deeds)
{
	LOOM_ASSERT((int)approval >= LOOM_APPROVE_AUTO && approval <= LOOM_APPROVE_PROPOSE);
	return approval == LOOM_APPROVE_PROPOSE ||
	       (approval == LOOM_APPROVE_ASK && (deeds & WEIGHTY));
}

enum loom_gate loom_gate(const struct loom_gate_who *who, const struct loom_need *need,
			 const char *deed, struct loom_err *err)
{
	LOOM_ASSERT(who && need);
	/* Harmless for everybody, whoever it is: help, the version. */
	if (who->kind == LOOM_WHO_ME || (!need->deeds && !need->may))
		return LOOM_GATE_RUN;
	if (need->deeds & LOOM_DEED_PERSON)
		return refuse_agent(who, err);
	if (who->kind == LOOM_WHO_CLAIM)
		return refuse_claim(who, err);
	if (who->kind == LOOM_WHO_PERSON)
		return LOOM_GATE_RUN;
	if (loom_gate_may(who, need->may, deed, err) != LOOM_OK)
		return LOOM_GATE_REFUSE;
	if (!wants_leave(who->grant.approval, need->deeds))
		return LOOM_GATE_RUN;
	return need->deeds & LOOM_DEED_TALKS ? refuse_talk(err) : LOOM_GATE_ASK;
}

enum loom_status loom_gate_asked(struct loom_str proposal, struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION, "not done: a person has to approve it");
	if (proposal.n)
		return loom_hint(err, LOOM_PERMISSION, "it waits: `loom approve %.*s`",
				 LOOM_STR_ARG(proposal));
	return loom_hint(err, LOOM_PERMISSION, "`loom approve` lists what waits");
}
