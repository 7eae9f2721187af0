/* Decides who wrote the nodes of an import. A file's authors are only claims, unless this grove's
 * own seal covers them: then they are its agents or a person. Models with a new name become agents
 * without permissions; everyone else stays a name. */
#include <loom/tree/carry.h>
#include <loom/grove/grant.h>
#include <loom/base/utf8.h>

#include "write_tree.h"

enum { AUTHORS_MAX = 1000 };

static struct import_agent *declared(const struct loom_import *import, struct loom_str key)
{
	for (size_t i = 0; key.n && i < import->agent_count; i++)
		if (loom_str_eq(import->agents[i].key, key))
			return &import->agents[i];
	return NULL;
}

/* Removes characters that an agent's name may not contain. */
static struct loom_str without_quotes(struct loom_arena *arena, struct loom_str name)
{
	char *text = loom_arena_cstr(arena, name);

	for (size_t i = 0; i < name.n; i++)
		if (text[i] == '"')
			text[i] = '\'';
	return loom_str_make(text, name.n);
}

static struct import_author who_is(struct import_writing *w, const struct import_said *said)
{
	static const char *const names[] = {
		[IMPORT_UNKNOWN] = "unknown", [IMPORT_HUMAN] = "human", [IMPORT_MODEL] = "model",
		[IMPORT_SYSTEM] = "system",   [IMPORT_TOOL] = "tool",
	};
	struct import_author who = {
		.known = declared(w->import, said->author),
		.name = said->author,
		.model = said->model,
		.is_model = said->role == IMPORT_MODEL,
		.is_other = said->role == IMPORT_SYSTEM || said->role == IMPORT_TOOL,
	};

	if (who.known) {
		who.name = who.known->name;
		who.model = who.known->model;
		who.is_model = who.known->is_model;
		who.is_other = who.known->is_other;
	}
	if (!who.name.n && who.is_model)
		who.name = who.model;
	if (!who.name.n)
		who.name = loom_str_of(names[said->role % LOOM_COUNT(names)]);
	if (memchr(who.name.p, '"', who.name.n))
		who.name = without_quotes(w->arena, who.name);
	return who;
}

/* ---- earlier answers ---- */

/* Whether two files answer alike for the names in them. Those of a loom export are its own. */
static bool is_same_origin(const struct import_file *a, const struct import_file *b)
{
	return a == b || (a->reader != &import_loom && b->reader != &import_loom &&
			  loom_str_eq(a->from, b->from));
}

static bool is_same(const struct import_judged *judged, const struct import_said *said,
		    const struct import_author *who)
{
	return is_same_origin(judged->file, said->file) && judged->genuine == said->genuine &&
	       judged->fits == said->fits && judged->author.known == who->known &&
	       judged->is_model == who->is_model && judged->is_other == who->is_other &&
	       loom_str_eq_fold(judged->name, who->name) && loom_str_eq(judged->claim, said->claim);
}

/* Finds an earlier answer; checks the last one first. */
static struct import_judged *recall(struct import_writing *w, const struct import_said *said,
				    const struct import_author *who)
{
	if (w->author_count && is_same(&w->authors[w->last_author], said, who))
		return &w->authors[w->last_author];
	for (size_t i = 0; i < w->author_count; i++)
		if (is_same(&w->authors[i], said, who)) {
			w->last_author = i;
			return &w->authors[i];
		}
	return NULL;
}

static struct import_judged *remember(struct import_writing *w, const struct import_said *said,
				      const struct import_author *who)
{
	struct loom_arena *arena = w->import->arena;
	struct import_judged *judged;

	w->authors = loom_arena_grow(arena, w->authors, w->author_count, &w->author_cap,
				     sizeof *w->authors);
	judged = &w->authors[w->author_count];
	*judged = (struct import_judged){
		.file = said->file,
		.genuine = said->genuine,
		.fits = said->fits,
		.is_model = who->is_model,
		.is_other = who->is_other,
		.name = loom_arena_str(arena, who->name),
		.claim = loom_arena_str(arena, said->claim),
		.author = *who,
	};
	judged->author.name = judged->name;
	judged->author.model = loom_arena_str(arena, who->model);
	w->last_author = w->author_count++;
	return judged;
}

/* ---- judging ---- */

/* Whether the agent is more than a name: created here, configured here, or with a grant. */
static enum loom_status is_ours(struct import_writing *w, const struct loom_agent *agent, bool *out,
				struct loom_err *err)
{
	struct loom_grant grant;
	enum loom_status status = loom_grant_get(w->store, &agent->ulid, &grant, err);

	*out = !agent->met || (status == LOOM_OK && grant.given);
	return status;
}

/* Finds an agent created by this import, which is not visible until its end. */
static int64_t find_made(const struct import_writing *w, const struct import_author *who)
{
	if (who->known)
		return who->known->made;
	for (size_t i = 0; i < w->author_count; i++) {
		const struct import_author *author = &w->authors[i].author;

		if (author->agent && !author->claim && !author->known && author->is_model &&
		    loom_str_eq_fold(author->name, who->name))
			return author->agent;
	}
	return 0;
}

/* Finds the agent with the ULID of a declared one; *out_id is 0 if that ULID cannot be used
 * here. */
static enum loom_status find_by_ulid(struct import_writing *w, const struct import_author *who,
				     struct loom_agent *out, bool *out_taken, struct loom_err *err)
{
	struct loom_holder holder;
	enum loom_status status = loom_carry_agent(w->store, &who->known->ulid, &holder, err);

	*out = (struct loom_agent){.id = 0};
	*out_taken = holder.id != 0;
	if (status != LOOM_OK || holder.state != LOOM_OP_DONE || !holder.id)
		return status;
	status = loom_agent_get(w->store, holder.id, w->arena, out, err);
	if (status == LOOM_OK && !loom_agent_acts(out))
		out->id = 0;
	return status;
}

static enum loom_status find_by_name(struct import_writing *w, struct loom_str name,
				     struct loom_agent *out, struct loom_err *err)
{
	enum loom_status status = loom_agent_find(w->store, name, w->arena, out, NULL);

	if (status == LOOM_OK)
		return LOOM_OK;
	*out = (struct loom_agent){.id = 0};
	return status == LOOM_NOT_FOUND
		       ? LOOM_OK
		       : loom_fail(err, status, "the grove's agents cannot be read");
}

/* Judges a model: it matches an agent that is only a name here, or becomes a new one. A name or
 * ULID of one of this grove's own agents is a claim. */
static enum loom_status judge_model(struct import_writing *w, const struct import_said *said,
				    struct import_author *who, struct loom_err *err)
{
	struct loom_agent row;
	struct loom_grant grant = {.given = false};
	bool ours = false;
	enum loom_status status;

	who->agent = find_made(w, who);
	if (who->agent)
		return LOOM_OK;
	status = who->known ? find_by_ulid(w, who, &row, &who->taken, err)
			    : find_by_name(w, who->name, &row, err);

	if (status == LOOM_OK && row.id)
		status = is_ours(w, &row, &ours, err);
	if (status == LOOM_OK && !row.id && who->known && !(said->genuine && who->known->listed))
		status = loom_grant_get(w->store, &who->known->ulid, &grant, err);
	if (ours || grant.given)
		who->claim = LOOM_CLAIM_UNSIGNED;
	else
		who->agent = row.id;
	return status;
}

/* Covered by the grove's own seal: as it was. */
static enum loom_status judge_genuine(struct import_writing *w, const struct import_said *said,
				      struct import_author *who, struct loom_err *err)
{
	struct loom_agent row = {.id = 0};
	enum loom_status status = LOOM_OK;

	if (said->claim.n) {
		who->name = import_text_line(w->arena, import_text(w->import, said->claim, "name"),
					     100);
		who->from = import_text(w->import, said->claim, "from");
		who->claim = loom_claim_parse(import_text(w->import, said->claim, "why"));
	} else if (who->known) {
		status = find_by_ulid(w, who, &row, &who->taken, err);
		who->agent = row.id;
	}
	if (status != LOOM_OK || who->agent || who->claim)
		return status;
	if (who->known && who->is_model)
		return judge_model(w, said, who, err);
	who->claim = LOOM_CLAIM_UNSIGNED;
	return LOOM_OK;
}

static enum loom_status judge(struct import_writing *w, const struct import_said *said,
			      struct import_author *who, struct loom_err *err)
{
	const bool ours = said->file->reader == &import_loom;
	struct loom_str name = import_text(w->import, said->claim, "name");

	who->from = said->file->from;
	if (said->genuine && said->fits)
		return judge_genuine(w, said, who, err);
	if (name.n)
		who->name = without_quotes(w->arena, import_text_line(w->arena, name, 100));
	if (!said->fits)
		who->claim = LOOM_CLAIM_HASH;
	else if (said->claim.n || !who->is_model || (ours && !who->known))
		who->claim = LOOM_CLAIM_UNSIGNED;
	return who->claim ? LOOM_OK : judge_model(w, said, who, err);
}

enum loom_status import_judge(struct import_writing *w, const struct import_said *said,
			      struct import_author **out, struct loom_err *err)
{
	struct import_author who = who_is(w, said);
	struct import_judged *judged = recall(w, said, &who);
	enum loom_status status = LOOM_OK;

	if (!judged && w->author_count >= AUTHORS_MAX) {
		who.known = NULL;
		who.name = LOOM_STR("others");
		who.model = LOOM_STR("");
		import_note(w->import, IMPORT_LOST,
			    "the author of a node, beyond the first thousand");
		judged = recall(w, said, &who);
	}
	if (!judged) {
		judged = remember(w, said, &who);
		status = judge(w, said, &judged->author, err);
		judged->author.name = loom_arena_str(w->import->arena, judged->author.name);
		judged->author.from = loom_arena_str(w->import->arena, judged->author.from);
	}
	*out = &judged->author;
	return status;
}

void import_count_claim(struct import_writing *w, const struct import_author *author)
{
	if (!author->claim)
		return;
	w->import->report.claims++;
	import_note(w->import, IMPORT_CLAIM, "said to be %.*s, from %.*s: %s",
		    LOOM_STR_ARG(author->name), LOOM_STR_ARG(author->from),
		    loom_claim_why(author->claim));
}

/* ---- creating ---- */

static bool is_taken(struct import_writing *w, struct loom_str name)
{
	struct loom_agent agent;

	for (size_t i = 0; i < w->author_count; i++)
		if (w->authors[i].author.agent && !w->authors[i].author.claim &&
		    loom_str_eq_fold(w->authors[i].author.name, name))
			return true;
	return loom_agent_find(w->store, name, w->arena, &agent, NULL) == LOOM_OK;
}

/* A free name. An agent from another grove gets the end of its ULID appended, which an export
 * removes again. */
static struct loom_str free_name(struct import_writing *w, const struct import_author *who)
{
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_str name = loom_utf8_clip(who->name, 80);
	struct loom_str tried = who->name;

	if (who->known && is_taken(w, tried)) {
		loom_ulid_text(&who->known->ulid, ulid);
		tried = loom_arena_format(w->import->arena, "%.*s (%s)", LOOM_STR_ARG(name),
					  ulid + LOOM_ULID_CHARS - 6);
	}
	for (int i = 2; i < 10000 && is_taken(w, tried); i++)
		tried = loom_arena_format(w->import->arena, "%.*s (%d)", LOOM_STR_ARG(name), i);
	return tried;
}

static enum loom_status make_model(struct import_writing *w, struct import_author *who,
				   struct loom_err *err)
{
	struct loom_agent agent = {
		.kind = LOOM_AGENT_MODEL,
		.model = who->model,
		.sampling = LOOM_STR(""),
	};
	enum loom_status status;

	if (who->known) {
		agent.sampling = who->known->sampling;
		agent.aware = who->known->aware;
		agent.created = who->known->created;
		if (!who->taken)
			agent.ulid = who->known->ulid;
	}
	agent.name = free_name(w, who);
	status = loom_agent_create(w->store, &agent, &who->agent, err);
	if (who->known)
		who->known->made = who->agent;
	return status;
}

static enum loom_status make_claim(struct import_writing *w, const struct import_said *said,
				   struct import_author *who, struct loom_err *err)
{
	struct loom_agent agent = {
		.kind = who->is_model   ? LOOM_AGENT_MODEL
			: who->is_other ? LOOM_AGENT_OTHER
					: LOOM_AGENT_HUMAN,
		.name = who->name,
		.model = who->is_model ? who->model : LOOM_STR(""),
		.sampling = LOOM_STR(""),
		.claim = who->claim,
		.from = who->from,
	};

	if (said->file->reader == &import_loom)
		(void)loom_ulid_parse(said->author, &agent.said);
	if (who->known)
		agent.created = who->known->created;
	return loom_agent_claim(w->store, &agent, &who->agent, err);
}

enum loom_status import_author(struct import_writing *w, const struct import_said *said,
			       struct import_author **out, struct loom_err *err)
{
	enum loom_status status = import_judge(w, said, out, err);
	struct import_author *who = *out;

	if (status != LOOM_OK || who->agent)
		return status;
	return who->claim ? make_claim(w, said, who, err) : make_model(w, who, err);
}

/* Finds the subject of a tree. A file cannot appoint one of this grove's own agents; only the
 * person can. */
enum loom_status import_subject(struct import_writing *w, struct loom_str key, int64_t *out_agent,
				struct loom_err *err)
{
	struct import_author who = {.known = declared(w->import, key)};
	struct loom_agent row;
	enum loom_status status;

	*out_agent = 0;
	if (!key.n)
		return LOOM_OK;
	if (!who.known || !who.known->is_model) {
		import_note(w->import, IMPORT_LOST, "a tree's subject: not a model in the file");
		return LOOM_OK;
	}
	who.name = who.known->name;
	who.model = who.known->model;
	*out_agent = who.known->made;
	if (*out_agent)
		return LOOM_OK;
	status = find_by_ulid(w, &who, &row, &who.taken, err);
	*out_agent = row.kind == LOOM_AGENT_MODEL ? row.id : 0;
	if (status != LOOM_OK || *out_agent)
		return status;
	status = make_model(w, &who, err);
	*out_agent = who.agent;
	return status;
}
