/* Grants: {"<agent ULID>": {"may": "loom_aware, …", "approval": "auto"}} in the state directory. */
#include <loom/grant.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

#include <loom/json.h>

#include "model_impl.h"

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

const char *loom_approval_name(enum loom_approval approval)
{
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

	while (loom_str_cut(&text, ',', &word)) {
		word = loom_str_trim(word);
		if (!word.n || read_word(word, &may))
			continue;
		loom_fail(err, LOOM_SYNTAX, "\"%.*s\" is no permission", LOOM_STR_ARG(word));
		return loom_hint(err, LOOM_SYNTAX,
				 "loom_aware, loom_write, loom_generate, doc_read, doc_write, "
				 "cross_tree, or all, analyst, none");
	}
	*out = may;
	return refuse_unmet(may, err);
}

/* --- the file --- */

static enum loom_status grants_path(struct loom_store *store, struct loom_buf *out,
				    struct loom_err *err)
{
	enum loom_status status = model_state_dir(store, out, err);

	loom_buf_adds(out, "/grants.json");
	return status;
}

/* cJSON's own allocations do fail, unlike the house's. */
static enum loom_status refuse_for_memory(struct loom_err *err)
{
	return loom_fail(err, LOOM_FAULT, "out of memory; no grant was changed");
}

static enum loom_status load(const char *path, cJSON **out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(GRANTS_MAX + 8192);
	bool there = false;
	enum loom_status status = model_file_read(path, GRANTS_MAX, &text, &there, err);

	*out = NULL;
	if (status == LOOM_OK && there)
		status = loom_json_parse(loom_str_trim(loom_buf_str(&text)), NULL, out, err);
	if (status == LOOM_OK && !there) {
		*out = cJSON_CreateObject();
		if (!*out)
			status = refuse_for_memory(err);
	}
	if (status == LOOM_OK && !cJSON_IsObject(*out))
		status = loom_fail(err, LOOM_INVALID, "%s is not what loom wrote", path);
	loom_buf_fini(&text);
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
		/* A file that was tampered with gives less, never more. */
		if (loom_grant_parse(loom_json_str(one, "may"), &out->may, err) != LOOM_OK)
			out->may = 0;
		if (!loom_approval_parse(loom_json_str(one, "approval"), &out->approval))
			out->approval = LOOM_APPROVE_ASK;
	}
	cJSON_Delete(all);
	loom_buf_fini(&path);
	return status;
}

static enum loom_status save(const char *path, const cJSON *all, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(GRANTS_MAX);
	struct loom_json json;
	enum loom_status status;

	loom_json_init(&json, &text);
	loom_json_value(&json, all);
	loom_buf_addc(&text, '\n');
	status = model_file_write(path, loom_buf_str(&text), err);
	loom_buf_fini(&text);
	return status;
}

/* Two persons at two terminals: the second waits for the first, or what it wrote would be lost. */
static enum loom_status lock_grants(const struct loom_buf *path, int *out_fd, struct loom_err *err)
{
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%s.lock", loom_buf_cstr(path));
	*out_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return *out_fd >= 0 && flock(*out_fd, LOCK_EX) == 0
		       ? LOOM_OK
		       : loom_fail_errno(err, errno, "cannot lock %s", name);
}

static bool put(cJSON *all, const char *key, const char *may, const char *approval)
{
	cJSON *one;

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
	char key[LOOM_ULID_CHARS + 1];
	cJSON *all = NULL;
	int lock = -1;
	enum loom_status status = loom_store_state_dir(store, &path, err);

	loom_buf_clear(&path);
	if (status == LOOM_OK)
		status = grants_path(store, &path, err);
	if (status == LOOM_OK)
		status = lock_grants(&path, &lock, err);
	if (status == LOOM_OK)
		status = load(loom_buf_cstr(&path), &all, err);
	if (status == LOOM_OK) {
		loom_ulid_text(agent, key);
		loom_grant_text(grant->may, &may);
		status = put(all, key, loom_buf_cstr(&may), approvals[grant->approval])
				 ? save(loom_buf_cstr(&path), all, err)
				 : refuse_for_memory(err);
	}
	if (lock >= 0)
		close(lock);
	cJSON_Delete(all);
	loom_buf_fini(&may);
	loom_buf_fini(&path);
	return status;
}
