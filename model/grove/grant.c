/* Grants: {"<agent ULID>": {"may": "loom_aware, …", "approval": "auto"}} in the state directory. */
#include <loom/grove/grant.h>

#include <limits.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/grove/trust.h>

#include <loom/files/state_file.h>

#define GRANTS_MAX ((size_t)1 << 20)

static const struct {
	enum loom_permission bit;
	const char *name;
	unsigned needs;
} permissions[] = {
	{LOOM_MAY_AWARE, "loom_aware", 0},
	{LOOM_MAY_WRITE, "loom_write", LOOM_MAY_AWARE},
	{LOOM_MAY_GENERATE, "loom_generate", LOOM_MAY_AWARE},
	{LOOM_MAY_DOC_READ, "doc_read", 0},
	{LOOM_MAY_DOC_WRITE, "doc_write", LOOM_MAY_DOC_READ},
	{LOOM_MAY_CROSS_TREE, "cross_tree", 0},
	{LOOM_MAY_THREADS, "threads", 0},
};

static const struct {
	const char *name;
	unsigned may;
} presets[] = {
	{"all", LOOM_MAY_ALL},
	{"analyst", LOOM_MAY_ANALYST},
	{"subject", 0},
	{"none", 0},
};

static const char *const approvals[] = {
	[LOOM_APPROVE_AUTO] = "auto",
	[LOOM_APPROVE_ASK] = "ask",
	[LOOM_APPROVE_PROPOSE] = "propose",
};

const char *loom_permission_name(enum loom_permission permission)
{
	for (size_t i = 0; i < LOOM_COUNT(permissions); i++)
		if (permissions[i].bit == permission)
			return permissions[i].name;
	return "";
}

unsigned loom_grant_closure(unsigned may)
{
	unsigned all = may;

	for (size_t i = 0; i < LOOM_COUNT(permissions); i++)
		if (may & permissions[i].bit)
			all |= permissions[i].needs;
	LOOM_ASSERT((all & may) == may);
	return all;
}

enum loom_approval loom_grant_approval(const struct loom_grant *before, unsigned may)
{
	const bool first = !(before->may & LOOM_MAY_CHANGE) && (may & LOOM_MAY_CHANGE);

	LOOM_ASSERT(before);
	return first && before->approval == LOOM_APPROVE_AUTO ? LOOM_APPROVE_ASK : before->approval;
}

const char *loom_approval_name(enum loom_approval approval)
{
	LOOM_ASSERT((size_t)approval < LOOM_COUNT(approvals));
	return approvals[approval];
}

bool loom_approval_parse(struct loom_str text, enum loom_approval *out)
{
	for (size_t i = 0; i < LOOM_COUNT(approvals); i++) {
		if (!loom_str_is(text, approvals[i]))
			continue;
		*out = (enum loom_approval)i;
		return true;
	}
	return false;
}

void loom_grant_text(unsigned may, struct loom_buf *out)
{
	bool any = false;

	for (size_t i = 0; i < LOOM_COUNT(permissions); i++) {
		if (!(may & permissions[i].bit))
			continue;
		loom_buf_addf(out, "%s%s", any ? ", " : "", permissions[i].name);
		any = true;
	}
	if (!any)
		loom_buf_adds(out, "none");
}

static bool read_word(struct loom_str word, unsigned *may)
{
	for (size_t i = 0; i < LOOM_COUNT(presets); i++) {
		if (loom_str_is(word, presets[i].name)) {
			*may |= presets[i].may;
			return true;
		}
	}
	for (size_t i = 0; i < LOOM_COUNT(permissions); i++) {
		if (loom_str_is(word, permissions[i].name)) {
			*may |= permissions[i].bit;
			return true;
		}
	}
	return false;
}

static enum loom_status refuse_unmet(unsigned may, struct loom_err *err)
{
	for (size_t i = 0; i < LOOM_COUNT(permissions); i++) {
		const char *needed =
			loom_permission_name((enum loom_permission)permissions[i].needs);

		if (!(may & permissions[i].bit) ||
		    (may & permissions[i].needs) == permissions[i].needs)
			continue;
		loom_fail(err, LOOM_REFUSED, "%s needs %s too", permissions[i].name, needed);
		return loom_hint(err, LOOM_REFUSED, "%s,%s", needed, permissions[i].name);
	}
	return LOOM_OK;
}

enum loom_status loom_grant_parse(struct loom_str text, unsigned *out, struct loom_err *err)
{
	struct loom_str word;
	unsigned may = 0;

	LOOM_ASSERT(out);
	while (loom_str_cut(&text, ',', &word)) {
		word = loom_str_trim(word);
		if (!word.n || read_word(word, &may))
			continue;
		loom_fail(err, LOOM_SYNTAX, "\"%.*s\" is not a permission", LOOM_STR_ARG(word));
		return loom_hint(err, LOOM_SYNTAX,
				 "loom_aware, loom_write, loom_generate, doc_read, doc_write, "
				 "threads, cross_tree, or all, analyst, none");
	}
	*out = may;
	return refuse_unmet(may, err);
}

/* --- the file --- */

static enum loom_status grants_path(struct loom_store *store, struct loom_buf *out,
				    struct loom_err *err)
{
	enum loom_status status = model_own_dir(store, out, err);

	loom_buf_adds(out, "/grants.json");
	return status;
}

static enum loom_status load(const char *path, cJSON **out, struct loom_err *err)
{
	return model_json_load(path, GRANTS_MAX, out, err);
}

static struct loom_trust_grants grants_of(const struct loom_store *store,
					  const struct loom_ulid *agent)
{
	return (struct loom_trust_grants){.grove = loom_store_ulid(store),
					  .agent = *agent,
					  .dir = loom_store_dir(store)};
}

enum loom_status loom_grant_elsewhere(struct loom_store *store, const struct loom_ulid *agent,
				      struct loom_buf *out, struct loom_err *err)
{
	const struct loom_trust_grants grants = grants_of(store, agent);

	return loom_trust_grants_elsewhere(loom_store_env(store), &grants, out, err);
}

/* A copied grove brings no authority. */
static enum loom_status void_elsewhere(struct loom_store *store, const struct loom_ulid *agent,
				       struct loom_grant *grant, struct loom_err *err)
{
	struct loom_buf where = LOOM_BUF_INIT(PATH_MAX);
	const enum loom_status status = loom_grant_elsewhere(store, agent, &where, err);

	if (status == LOOM_OK && where.n)
		*grant = (struct loom_grant){.approval = LOOM_APPROVE_ASK,
					     .given = true,
					     .elsewhere = true};
	loom_buf_fini(&where);
	return status;
}

enum loom_status loom_grant_get(struct loom_store *store, const struct loom_ulid *agent,
				struct loom_grant *out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	char key[LOOM_ULID_CHARS + 1];
	cJSON *all = NULL;
	const cJSON *one;
	enum loom_status status = grants_path(store, &path, err);

	*out = (struct loom_grant){.may = 0, .approval = LOOM_APPROVE_AUTO};
	if (status == LOOM_OK)
		status = load(loom_buf_cstr(&path), &all, err);
	loom_ulid_text(agent, key);
	one = status == LOOM_OK ? loom_json_get(all, key) : NULL;
	if (one) {
		out->given = true;
		/* A tampered file grants less, never more. */
		if (loom_grant_parse(loom_json_str(one, "may"), &out->may, err) != LOOM_OK)
			out->may = 0;
		if (!loom_approval_parse(loom_json_str(one, "approval"), &out->approval))
			out->approval = LOOM_APPROVE_ASK;
	}
	cJSON_Delete(all);
	loom_buf_fini(&path);
	LOOM_ASSERT(out->given || !out->may);
	return status == LOOM_OK ? void_elsewhere(store, agent, out, err) : status;
}

static bool put(cJSON *all, const char *key, const char *may, const char *approval)
{
	cJSON *one;

	LOOM_ASSERT(all && key);
	cJSON_DeleteItemFromObjectCaseSensitive(all, key);
	one = cJSON_AddObjectToObject(all, key);
	return one && cJSON_AddStringToObject(one, "may", may) &&
	       cJSON_AddStringToObject(one, "approval", approval);
}

enum loom_status loom_grant_set(struct loom_store *store, const struct loom_ulid *agent,
				const struct loom_grant *grant, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf may = LOOM_BUF_INIT(256);
	const struct loom_trust_grants grants = grants_of(store, agent);
	char key[LOOM_ULID_CHARS + 1];
	cJSON *all = NULL;
	int lock = -1;
	enum loom_status status = loom_store_own_dir(store, &path, err);

	LOOM_ASSERT((size_t)grant->approval < LOOM_COUNT(approvals));
	loom_buf_clear(&path);
	if (status == LOOM_OK)
		status = grants_path(store, &path, err);
	if (status == LOOM_OK)
		status = model_file_lock(loom_buf_cstr(&path), &lock, err);
	if (status == LOOM_OK)
		status = loom_trust_note_grants(loom_store_env(store), &grants, err);
	if (status == LOOM_OK)
		status = load(loom_buf_cstr(&path), &all, err);
	if (status == LOOM_OK) {
		loom_ulid_text(agent, key);
		loom_grant_text(grant->may, &may);
		status =
			put(all, key, loom_buf_cstr(&may), approvals[grant->approval])
				? model_json_save(loom_buf_cstr(&path), all, err)
				: loom_fail(err, LOOM_FAULT, "out of memory; no grant was changed");
	}
	if (lock >= 0)
		close(lock);
	cJSON_Delete(all);
	loom_buf_fini(&may);
	loom_buf_fini(&path);
	return status;
}
