/* Who wrote the nodes of an import: agents of the grove by the name that the file gives, made when
 * there are none. What is attributed to somebody brings no authority with it. */
#include <loom/carry.h>
#include <loom/utf8.h>

#include "import_write.h"

enum { AUTHORS_MAX = 1000 };

/* What a file calls an author, and what he is. */
struct who {
	struct loom_str name;
	struct loom_str model;
	bool is_model;
	const struct tool_import_agent *known; /* of whom the file says more */
};

static const struct tool_import_agent *declared(const struct loom_import *import,
						struct loom_str key)
{
	for (size_t i = 0; key.n && i < import->agent_count; i++)
		if (loom_str_eq(import->agents[i].key, key))
			return &import->agents[i];
	return NULL;
}

static struct who who_is(const struct loom_import *import, const struct tool_read *read)
{
	static const char *const names[] = {
		[TOOL_IMPORT_UNKNOWN] = "unknown", [TOOL_IMPORT_HUMAN] = "",
		[TOOL_IMPORT_MODEL] = "model",     [TOOL_IMPORT_SYSTEM] = "system",
		[TOOL_IMPORT_TOOL] = "tool",
	};
	const struct tool_import_agent *known = declared(import, read->text[TOOL_TEXT_AUTHOR]);
	struct loom_str name = read->text[TOOL_TEXT_AUTHOR];
	struct loom_str model = read->text[TOOL_TEXT_MODEL];
	bool is_model = read->head.role == TOOL_IMPORT_MODEL;

	if (known) {
		name = known->name;
		model = known->model;
		is_model = known->is_model;
	}
	if (!name.n && is_model)
		name = model;
	if (!name.n)
		name = loom_str_of(names[read->head.role % LOOM_COUNT(names)]);
	return (struct who){.name = name, .model = model, .is_model = is_model, .known = known};
}

static void remember(struct tool_writing *w, const struct who *who, int64_t agent)
{
	w->authors = loom_arena_grow(w->import->arena, w->authors, w->author_count, &w->author_cap,
				     sizeof *w->authors);
	w->authors[w->author_count] = (struct tool_author){
		.name = loom_arena_str(w->import->arena, who->name),
		.is_model = who->is_model,
		.known = who->known,
		.agent = agent,
	};
	w->last_author = w->author_count++;
}

static bool is_he(const struct tool_author *author, const struct who *who)
{
	return author->is_model == who->is_model && author->known == who->known &&
	       loom_str_eq_fold(author->name, who->name);
}

static int64_t recall(struct tool_writing *w, const struct who *who)
{
	if (w->author_count && is_he(&w->authors[w->last_author], who))
		return w->authors[w->last_author].agent;
	for (size_t i = 0; i < w->author_count; i++)
		if (is_he(&w->authors[i], who)) {
			w->last_author = i;
			return w->authors[i].agent;
		}
	return 0;
}

/* The agent that has the ULID of one of ours, if it is what the file says. */
static enum loom_status find_by_ulid(struct tool_writing *w, const struct who *who,
				     int64_t *out_agent, bool *out_taken, struct loom_err *err)
{
	struct loom_holder holder;
	struct loom_agent agent;
	enum loom_status status = loom_carry_agent(w->store, &who->known->ulid, &holder, err);

	*out_agent = 0;
	*out_taken = holder.id != 0;
	if (status != LOOM_OK || holder.state != LOOM_OP_DONE || !holder.id)
		return status;
	status = loom_agent_get(w->store, holder.id, w->arena, &agent, err);
	if (status == LOOM_OK && (agent.kind == LOOM_AGENT_MODEL) == who->is_model)
		*out_agent = holder.id;
	return status;
}

static enum loom_status find_by_name(struct tool_writing *w, const struct who *who,
				     int64_t *out_agent, bool *out_taken, struct loom_err *err)
{
	struct loom_agent agent;
	enum loom_status status = loom_agent_find(w->store, who->name, w->arena, &agent, NULL);

	*out_agent = 0;
	*out_taken = status == LOOM_OK;
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status != LOOM_OK)
		return loom_fail(err, status, "the grove's agents cannot be read");
	if ((agent.kind == LOOM_AGENT_MODEL) == who->is_model && !who->known)
		*out_agent = agent.id;
	return LOOM_OK;
}

static bool is_taken(struct tool_writing *w, struct loom_str name)
{
	struct loom_agent agent;

	for (size_t i = 0; i < w->author_count; i++)
		if (loom_str_eq_fold(w->authors[i].name, name))
			return true;
	return loom_agent_find(w->store, name, w->arena, &agent, NULL) == LOOM_OK;
}

/* A name that nobody has: one from another grove gets the end of its ULID, so that an export can
 * give it back. */
static struct loom_str free_name(struct tool_writing *w, const struct who *who)
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

static enum loom_status make(struct tool_writing *w, struct who *who, bool ulid_taken,
			     int64_t *out_agent, struct loom_err *err)
{
	struct loom_agent agent = {
		.kind = who->is_model ? LOOM_AGENT_MODEL : LOOM_AGENT_HUMAN,
		.model = who->is_model ? who->model : LOOM_STR(""),
		.sampling = LOOM_STR(""),
	};

	if (who->known) {
		agent.sampling = who->known->sampling;
		agent.aware = who->known->aware;
		agent.created = who->known->created;
		if (!ulid_taken)
			agent.ulid = who->known->ulid;
	}
	agent.name = free_name(w, who);
	return loom_agent_create(w->store, &agent, out_agent, err);
}

/* What an agent's name may not have. */
static struct loom_str without_quotes(struct loom_arena *arena, struct loom_str name)
{
	char *text = loom_arena_cstr(arena, name);

	for (size_t i = 0; i < name.n; i++)
		if (text[i] == '"')
			text[i] = '\'';
	return loom_str_make(text, name.n);
}

enum loom_status tool_import_author(struct tool_writing *w, const struct tool_read *read,
				    int64_t *out_agent, struct loom_err *err)
{
	struct who who = who_is(w->import, read);
	bool taken = false;
	enum loom_status status = LOOM_OK;

	*out_agent = w->actor;
	if (!who.name.n)
		return LOOM_OK;
	if (who.name.n && memchr(who.name.p, '"', who.name.n))
		who.name = without_quotes(w->arena, who.name);
	if (w->author_count >= AUTHORS_MAX && !recall(w, &who)) {
		who = (struct who){.name = LOOM_STR("others"), .is_model = who.is_model};
		tool_import_note(w->import, TOOL_IMPORT_LOST,
				 "the author, of a thousand and more, of a node");
	}
	*out_agent = recall(w, &who);
	if (*out_agent)
		return LOOM_OK;
	status = who.known ? find_by_ulid(w, &who, out_agent, &taken, err)
			   : find_by_name(w, &who, out_agent, &taken, err);
	if (status == LOOM_OK && !*out_agent)
		status = make(w, &who, taken, out_agent, err);
	if (status == LOOM_OK)
		remember(w, &who, *out_agent);
	return status;
}

enum loom_status tool_import_subject(struct tool_writing *w, struct loom_str key,
				     int64_t *out_agent, struct loom_err *err)
{
	struct tool_read read = {.text = {{NULL, 0}}};

	*out_agent = 0;
	if (!key.n)
		return LOOM_OK;
	if (!declared(w->import, key)) {
		tool_import_note(w->import, TOOL_IMPORT_LOST,
				 "who goes on with a tree: nobody whom the file names");
		return LOOM_OK;
	}
	read.text[TOOL_TEXT_AUTHOR] = key;
	return tool_import_author(w, &read, out_agent, err);
}
