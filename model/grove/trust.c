/* Stores a person's consent on first contact, in a file of its own. Its contents are
 * {"projects": [{"path", "device", "inode", "born", "owner", "what": […], "since"}],
 *  "grants": [{"path", "device", "inode", "born", "owner", "grove", "agent"}]}
 *
 * Invariant: nothing is read from a file that somebody else could have written. */
#include <loom/grove/trust.h>

#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/grove/accounts.h>
#include <loom/grove/sql.h>

#include <loom/files/state_file.h>
#include <loom/base/system.h>

#define TRUST_MAX ((size_t)4 << 20)

/* ---- identifying a folder ---- */

struct place {
	char path[PATH_MAX];
	char device[24];
	char inode[24];
	char born[24];
	int64_t owner;
};

static enum loom_status find_place(struct loom_str dir, struct place *out, struct loom_err *err)
{
	char wanted[PATH_MAX];
	struct stat info;

	*out = (struct place){.owner = 0};
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(dir));
	if (dir.n >= sizeof wanted || !realpath(wanted, out->path) || stat(out->path, &info) != 0 ||
	    !S_ISDIR(info.st_mode))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %.*s", LOOM_STR_ARG(dir));
	snprintf(out->device, sizeof out->device, "%" PRIu64, (uint64_t)info.st_dev);
	snprintf(out->inode, sizeof out->inode, "%" PRIu64, (uint64_t)info.st_ino);
	snprintf(out->born, sizeof out->born, "%" PRId64, model_birth(out->path));
	out->owner = info.st_uid;
	return LOOM_OK;
}

static bool has(const cJSON *entry, const char *key, const char *value)
{
	return loom_str_is(loom_json_str(entry, key), value);
}

static bool is_same_folder(const cJSON *entry, const struct place *place)
{
	int64_t owner = -1;

	LOOM_ASSERT(place->device[0] && place->inode[0]);
	return has(entry, "device", place->device) && has(entry, "inode", place->inode) &&
	       has(entry, "born", place->born) && loom_json_int(entry, "owner", &owner) &&
	       owner == place->owner;
}

static bool is_place(const cJSON *entry, const struct place *place)
{
	return has(entry, "path", place->path) && is_same_folder(entry, place);
}

/* ---- what needs consent ---- */

/* Returns whether a writing group has only its one user: the private group that a umask of 002
 * relies on. Root has none. */
static bool is_group_safe(gid_t group)
{
	return geteuid() != 0 && loom_group_alone(group);
}

#define NEEDS_MAX 8

struct needs {
	struct loom_arena *arena;
	struct loom_trust_need *items;
	size_t count;
};

static void need(struct needs *needs, struct loom_trust_need what)
{
	for (size_t i = 0; i < needs->count; i++)
		if (loom_str_eq(needs->items[i].word, what.word))
			return;
	LOOM_ASSERT(needs->count < NEEDS_MAX);
	needs->items[needs->count++] = what;
}

static void judge_owner(struct needs *needs, const char *path, const struct stat *info)
{
	struct loom_arena *arena = needs->arena;
	struct loom_str name;

	if (info->st_uid == geteuid())
		return;
	name = loom_account_said(info->st_uid, arena);
	need(needs, (struct loom_trust_need){
			    .word = loom_arena_format(arena, "owner %u", (unsigned)info->st_uid),
			    .said = loom_arena_format(arena, "%s belongs to %.*s", path,
						      LOOM_STR_ARG(name)),
		    });
}

static void judge_writers(struct needs *needs, const char *path, const struct stat *info)
{
	const unsigned mode = (unsigned)info->st_mode & 07777u;
	struct loom_arena *arena = needs->arena;
	struct loom_trust_need what = {.word = LOOM_STR("others")};
	struct loom_str name = LOOM_STR("anybody");

	if (!(mode & S_IWOTH) && (!(mode & S_IWGRP) || is_group_safe(info->st_gid)))
		return;
	if (!(mode & S_IWOTH)) {
		name = loom_group_said(info->st_gid, arena);
		what.word = loom_arena_format(arena, "group %u", (unsigned)info->st_gid);
	}
	what.path = loom_arena_str(arena, loom_str_of(path));
	what.said = loom_arena_format(arena, "%.*s can write to %s (mode %04o)", LOOM_STR_ARG(name),
				      path, mode);
	need(needs, what);
}

/* Returns whether a group shares the folder and the file: then any member may have put the file
 * there with a restore, and consent to the group covers that. */
static bool is_shared(const struct stat *folder, const struct stat *file)
{
	return (folder->st_mode & S_ISGID) && (folder->st_mode & S_IWGRP) &&
	       folder->st_gid == file->st_gid;
}

/* The store itself refuses a grove file that others can write, or a link; consent does not help
 * there. */
static void judge_grove(struct needs *needs, const char *dir)
{
	char path[PATH_MAX + 32];
	struct stat info;
	struct stat inner = {.st_mode = 0};

	if (stat(dir, &info) == 0) {
		if (info.st_uid != 0)
			judge_owner(needs, dir, &info);
		if (!(info.st_mode & S_ISVTX))
			judge_writers(needs, dir, &info);
	}
	snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR, dir);
	if (lstat(path, &inner) == 0 && S_ISDIR(inner.st_mode)) {
		judge_owner(needs, path, &inner);
		judge_writers(needs, path, &inner);
	}
	snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, dir);
	if (lstat(path, &info) == 0 && !is_shared(&inner, &info))
		judge_owner(needs, path, &info);
}

static void find_needs(const struct place *place, unsigned about, struct loom_arena *arena,
		       struct loom_trust_needs *out)
{
	struct needs needs = {.arena = arena};

	needs.items = LOOM_ARENA_ARRAY(arena, NEEDS_MAX, struct loom_trust_need);
	if (about & LOOM_TRUST_GROVE)
		judge_grove(&needs, place->path);
	if (about & LOOM_TRUST_FETCH)
		need(&needs, (struct loom_trust_need){
				     .word = LOOM_STR("fetch"),
				     .said = loom_arena_format(arena,
							       "URLs that the lists of %s name are "
							       "fetched",
							       place->path),
			     });
	*out = (struct loom_trust_needs){needs.items, needs.count};
}

enum loom_status loom_trust_needs(struct loom_str dir, unsigned about, struct loom_arena *arena,
				  struct loom_trust_needs *out, struct loom_err *err)
{
	struct place place;
	enum loom_status status = find_place(dir, &place, err);

	*out = (struct loom_trust_needs){NULL, 0};
	if (status == LOOM_OK)
		find_needs(&place, about, arena, out);
	return status;
}

/* ---- the file ---- */

/* Becoming root with somebody else's HOME is a common mistake. */
static enum loom_status refuse_foreign(const char *path, struct loom_err *err)
{
	struct stat info;

	if (lstat(path, &info) != 0 ||
	    (info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH))))
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "%s %s, so its contents are ignored", path,
		  info.st_uid == geteuid() ? "can be written by others" : "is not yours");
	return loom_hint(err, LOOM_REFUSED,
			 info.st_uid == geteuid() ? "chmod go-w %s"
						  : "use your own HOME; this one is %s",
			 path);
}

static enum loom_status name_file(const struct loom_env *env, struct loom_buf *path,
				  struct loom_err *err)
{
	enum loom_status status = loom_env_dir(env, LOOM_DIR_STATE, path, err);

	if (status == LOOM_OK)
		status = refuse_foreign(loom_buf_cstr(path), err);
	loom_buf_adds(path, "/trust.json");
	return status == LOOM_OK ? refuse_foreign(loom_buf_cstr(path), err) : status;
}

/* Without a home directory there is no consent: *out is empty. */
static enum loom_status load(const struct loom_env *env, cJSON **out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = name_file(env, &path, err);

	*out = NULL;
	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&path), TRUST_MAX, out, err);
	if (status == LOOM_NOT_FOUND) {
		loom_err_clear(err);
		status = LOOM_OK;
	}
	loom_buf_fini(&path);
	return status;
}

/* Changes the file's contents; false if memory runs out. */
typedef bool change_fn(cJSON *all, void *ctx);

static enum loom_status change(const struct loom_env *env, change_fn *fn, void *ctx,
			       struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	cJSON *all = NULL;
	int lock = -1;
	enum loom_status status = loom_env_dir(env, LOOM_DIR_STATE, &path, err);

	LOOM_ASSERT(fn);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_buf_str(&path), 0700, err);
	loom_buf_clear(&path);
	if (status == LOOM_OK)
		status = name_file(env, &path, err);
	if (status == LOOM_OK)
		status = model_file_lock(loom_buf_cstr(&path), &lock, err);
	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&path), TRUST_MAX, &all, err);
	if (status == LOOM_OK)
		status = fn(all, ctx) ? model_json_save(loom_buf_cstr(&path), all, err)
				      : loom_fail(err, LOOM_FAULT, "out of memory");
	if (lock >= 0)
		close(lock);
	cJSON_Delete(all);
	loom_buf_fini(&path);
	return status;
}

/* Returns the list of that name; creates a missing one if `make` is set. */
static cJSON *list_of(cJSON *all, const char *name, bool make)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(all, name);

	LOOM_ASSERT(all || !make);
	if (cJSON_IsArray(list) || !make)
		return list;
	cJSON_DeleteItemFromObjectCaseSensitive(all, name);
	return cJSON_AddArrayToObject(all, name);
}

static cJSON *add_place(cJSON *list, const struct place *place)
{
	cJSON *entry = cJSON_CreateObject();

	if (entry && cJSON_AddStringToObject(entry, "path", place->path) &&
	    cJSON_AddStringToObject(entry, "device", place->device) &&
	    cJSON_AddStringToObject(entry, "inode", place->inode) &&
	    cJSON_AddStringToObject(entry, "born", place->born) &&
	    cJSON_AddNumberToObject(entry, "owner", (double)place->owner) &&
	    cJSON_AddItemToArray(list, entry))
		return entry;
	cJSON_Delete(entry);
	return NULL;
}

static bool holds(const cJSON *words, struct loom_str word)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, words)
	{
		if (cJSON_IsString(one) && loom_str_is(word, one->valuestring))
			return true;
	}
	return false;
}

/* ---- consenting ---- */

static const cJSON *find_project(cJSON *all, const struct place *place)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, list_of(all, "projects", false))
	{
		if (is_place(one, place))
			return one;
	}
	return NULL;
}

/* Quotes the folder for a shell. */
static void put_word(struct loom_buf *out, const char *path)
{
	LOOM_ASSERT(path[0]);
	if (path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789/._+,@%:-")] == '\0') {
		loom_buf_adds(out, path);
		return;
	}
	loom_buf_addc(out, '\'');
	for (; *path; path++)
		if (*path == '\'')
			loom_buf_adds(out, "'\\''");
		else
			loom_buf_addc(out, *path);
	loom_buf_addc(out, '\'');
}

static enum loom_status refuse(const struct place *place, const struct loom_trust_need *what,
			       struct loom_err *err)
{
	struct loom_buf hint = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(what->said.n > 0);
	if (what->path.n) {
		loom_buf_adds(&hint, "chmod go-w ");
		put_word(&hint, what->path.p);
		loom_buf_adds(&hint, ", or, if that is intended, ");
	}
	loom_buf_adds(&hint, "loom trust ");
	put_word(&hint, place->path);
	loom_fail(err, LOOM_REFUSED, "%.*s; it is not used until a person trusts it",
		  LOOM_STR_ARG(what->said));
	loom_hint(err, LOOM_REFUSED, "%s", loom_buf_cstr(&hint));
	loom_buf_fini(&hint);
	return LOOM_REFUSED;
}

static enum loom_status check_needs(const struct loom_env *env, const struct place *place,
				    const struct loom_trust_needs *needs, struct loom_err *err)
{
	cJSON *all = NULL;
	const cJSON *project;
	enum loom_status status = load(env, &all, err);

	LOOM_ASSERT(needs->count > 0);
	if (status == LOOM_OK && model_is_shut(place->path)) /* a yes would not help */
		status = model_refuse_shut(place->path, err);
	project = status == LOOM_OK ? find_project(all, place) : NULL;
	for (size_t i = 0; status == LOOM_OK && i < needs->count; i++)
		if (!holds(loom_json_get(project, "what"), needs->items[i].word))
			status = refuse(place, &needs->items[i], err);
	cJSON_Delete(all);
	return status;
}

enum loom_status loom_trust_check(const struct loom_env *env, struct loom_str dir, unsigned about,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_trust_needs needs = {NULL, 0};
	struct place place;
	enum loom_status status = find_place(dir, &place, err);

	if (status == LOOM_OK)
		find_needs(&place, about, arena, &needs);
	if (status == LOOM_OK && needs.count)
		status = check_needs(env, &place, &needs, err);
	loom_arena_destroy(arena);
	return status;
}

struct giving {
	const struct loom_env *env;
	const struct place *place;
	struct loom_trust_needs needs;
};

static bool add_needs(cJSON *all, void *ctx)
{
	const struct giving *giving = ctx;
	cJSON *list = list_of(all, "projects", true);
	cJSON *project = (cJSON *)(uintptr_t)find_project(all, giving->place);
	cJSON *words = NULL;

	if (list && !project) {
		project = add_place(list, giving->place);
		if (!project || !cJSON_AddArrayToObject(project, "what") ||
		    !cJSON_AddNumberToObject(project, "since", (double)loom_env_now(giving->env)))
			return false;
	}
	words = cJSON_GetObjectItemCaseSensitive(project, "what");
	for (size_t i = 0; words && i < giving->needs.count; i++) {
		struct loom_str word = giving->needs.items[i].word;

		if (!holds(words, word) && !cJSON_AddItemToArray(words, cJSON_CreateString(word.p)))
			return false;
	}
	return words != NULL;
}

enum loom_status loom_trust_give(const struct loom_env *env, struct loom_str dir, unsigned about,
				 struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct place place;
	struct giving giving = {.env = env, .place = &place};
	enum loom_status status = find_place(dir, &place, err);

	if (status == LOOM_OK)
		find_needs(&place, about, arena, &giving.needs);
	if (status == LOOM_OK && giving.needs.count)
		status = change(env, add_needs, &giving, err);
	loom_arena_destroy(arena);
	return status;
}

/* ---- questions that are asked once ---- */

static struct loom_str no_word(struct loom_str word, struct loom_arena *arena)
{
	return loom_arena_format(arena, "no %.*s", LOOM_STR_ARG(word));
}

enum loom_status loom_trust_answered(const struct loom_env *env, struct loom_str dir,
				     struct loom_str word, bool *out_asked, bool *out_yes,
				     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct place place;
	cJSON *all = NULL;
	const cJSON *words = NULL;
	enum loom_status status = find_place(dir, &place, err);

	if (status == LOOM_OK)
		status = load(env, &all, err);
	if (status == LOOM_OK)
		words = loom_json_get(find_project(all, &place), "what");
	*out_yes = holds(words, word);
	*out_asked = *out_yes || holds(words, no_word(word, arena));
	cJSON_Delete(all);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_trust_answer(const struct loom_env *env, struct loom_str dir,
				   struct loom_str word, bool yes, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct place place;
	const struct loom_trust_need said = {.word = yes ? loom_arena_str(arena, word)
							 : no_word(word, arena)};
	struct giving giving = {.env = env, .place = &place, .needs = {&said, 1}};
	enum loom_status status = find_place(dir, &place, err);

	LOOM_ASSERT(word.n > 0);
	if (status == LOOM_OK)
		status = change(env, add_needs, &giving, err);
	loom_arena_destroy(arena);
	return status;
}

/* ---- listing and withdrawing consent ---- */

static void read_project(const cJSON *entry, struct loom_arena *arena, struct loom_trusted *out)
{
	const cJSON *words = loom_json_get(entry, "what");
	const size_t most = (size_t)cJSON_GetArraySize(words);
	struct loom_str *copies = LOOM_ARENA_ARRAY(arena, most, struct loom_str);
	struct place place;
	const cJSON *one;

	*out = (struct loom_trusted){.path = loom_arena_str(arena, loom_json_str(entry, "path")),
				     .words = copies};
	cJSON_ArrayForEach(one, words)
	{
		if (cJSON_IsString(one))
			copies[out->word_count++] =
				loom_arena_str(arena, loom_str_of(one->valuestring));
	}
	(void)loom_json_int(entry, "since", &out->since);
	out->stands = find_place(out->path, &place, NULL) == LOOM_OK && is_place(entry, &place);
}

enum loom_status loom_trust_list(const struct loom_env *env, struct loom_arena *arena,
				 struct loom_trusted **out, size_t *out_count, struct loom_err *err)
{
	cJSON *all = NULL;
	const cJSON *list;
	const cJSON *one;
	enum loom_status status = load(env, &all, err);

	list = status == LOOM_OK ? list_of(all, "projects", false) : NULL;
	*out = LOOM_ARENA_ARRAY(arena, (size_t)cJSON_GetArraySize(list), struct loom_trusted);
	*out_count = 0;
	cJSON_ArrayForEach(one, list) read_project(one, arena, &(*out)[(*out_count)++]);
	cJSON_Delete(all);
	return status;
}

struct dropping {
	char path[PATH_MAX];
	bool found;
};

static bool drop(cJSON *all, void *ctx)
{
	struct dropping *dropping = ctx;
	cJSON *list = list_of(all, "projects", true);

	LOOM_ASSERT(dropping->path[0]);
	for (int i = cJSON_GetArraySize(list); i-- > 0;) {
		if (!has(cJSON_GetArrayItem(list, i), "path", dropping->path))
			continue;
		cJSON_DeleteItemFromArray(list, i);
		dropping->found = true;
	}
	return list != NULL;
}

enum loom_status loom_trust_drop(const struct loom_env *env, struct loom_str dir,
				 struct loom_err *err)
{
	struct dropping dropping = {.found = false};
	char wanted[PATH_MAX];
	enum loom_status status;

	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(dir));
	/* a folder that is gone has no real path, but its record does */
	if (!realpath(wanted, dropping.path))
		snprintf(dropping.path, sizeof dropping.path, "%s", wanted);
	status = change(env, drop, &dropping, err);
	if (status != LOOM_OK || dropping.found)
		return status;
	loom_fail(err, LOOM_NOT_FOUND, "%s is not a trusted folder", dropping.path);
	return loom_hint(err, LOOM_NOT_FOUND, "loom trust --list");
}

/* ---- where grants were given ---- */

struct granting {
	struct place place;
	char grove[LOOM_ULID_CHARS + 1];
	char agent[LOOM_ULID_CHARS + 1];
};

static enum loom_status find_grants(const struct loom_trust_grants *grants, struct granting *out,
				    struct loom_err *err)
{
	loom_ulid_text(&grants->grove, out->grove);
	loom_ulid_text(&grants->agent, out->agent);
	return find_place(grants->dir, &out->place, err);
}

static bool is_about(const cJSON *entry, const struct granting *granting)
{
	return has(entry, "grove", granting->grove) && has(entry, "agent", granting->agent);
}

static bool add_grants(cJSON *all, void *ctx)
{
	const struct granting *granting = ctx;
	cJSON *list = list_of(all, "grants", true);
	const cJSON *one;
	cJSON *entry;

	cJSON_ArrayForEach(one, list)
	{
		if (is_about(one, granting) && is_place(one, &granting->place))
			return true;
	}
	entry = list ? add_place(list, &granting->place) : NULL;
	return entry && cJSON_AddStringToObject(entry, "grove", granting->grove) &&
	       cJSON_AddStringToObject(entry, "agent", granting->agent);
}

enum loom_status loom_trust_note_grants(const struct loom_env *env,
					const struct loom_trust_grants *grants,
					struct loom_err *err)
{
	struct granting granting;
	enum loom_status status = find_grants(grants, &granting, err);

	return status == LOOM_OK ? change(env, add_grants, &granting, err) : status;
}

enum loom_status loom_trust_grants_elsewhere(const struct loom_env *env,
					     const struct loom_trust_grants *grants,
					     struct loom_buf *out_where, struct loom_err *err)
{
	struct granting granting;
	cJSON *all = NULL;
	const cJSON *other = NULL;
	const cJSON *one;
	const cJSON *list = NULL;
	bool here = false;
	enum loom_status status = find_grants(grants, &granting, err);

	if (status == LOOM_OK)
		status = load(env, &all, err);
	/* The grants are beside this file; that others can write it is no reason to void them. */
	if (status == LOOM_REFUSED) {
		loom_err_clear(err);
		status = LOOM_OK;
	}
	if (status == LOOM_OK)
		list = list_of(all, "grants", false);
	cJSON_ArrayForEach(one, list)
	{
		if (!is_about(one, &granting))
			continue;
		here |= has(one, "path", granting.place.path) ||
			is_same_folder(one, &granting.place);
		other = one;
	}
	if (other && !here)
		loom_buf_add(out_where, loom_json_str(other, "path"));
	cJSON_Delete(all);
	return status;
}
