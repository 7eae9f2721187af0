/* The handle of a project's `.leslie/`: finding it, the wording of refusals, ids, times, statuses.
 *
 * look.c reads the store files; change.c and reference.c write them. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <loom/base/json.h>

#include <loom/files/beneath.h>

/* Returns whether this folder's `.leslie` is a project's: the reference also keeps a log folder of
 * that name in the home directory. */
static bool has_home(const char *folder, bool is_start)
{
	static const char *const marks[] = {"threads", MODEL_LESLIE_RELATIONS,
					    MODEL_LESLIE_OBJECTIVES};
	char path[PATH_MAX + 64];
	struct stat st;

	LOOM_ASSERT(folder);
	snprintf(path, sizeof(path), "%s/.leslie", folder);
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	for (size_t i = 0; !is_start && i < LOOM_COUNT(marks); i++) {
		snprintf(path, sizeof(path), "%s/.leslie/%s", folder, marks[i]);
		if (lstat(path, &st) == 0)
			return true;
	}
	return is_start;
}

/* Returns the nearest ancestor with a `.leslie`, or the start itself. The caller frees it; NULL on
 * failure. */
static char *find_root(const char *start)
{
	char *real = realpath(start, NULL);
	char *path = real ? strdup(real) : NULL;
	bool found = path && has_home(path, true);

	while (path && !found && path[0] && path[1]) {
		char *slash = strrchr(path, '/');

		slash[slash == path ? 1 : 0] = '\0';
		found = has_home(path, false);
	}
	if (found) {
		free(real);
		return path;
	}
	free(path);
	return real;
}

/* Files made beside the store of a shared grove belong to its group, as the store does. */
static void find_group(struct loom_root *project)
{
	struct stat info;

	if (fstatat(project->fd, ".loom", &info, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISDIR(info.st_mode) || (info.st_mode & 07777) != (S_ISGID | 0770))
		return;
	project->shared = true;
	project->group = info.st_gid;
}

enum loom_status loom_leslie_open(const struct loom_leslie_opts *opts, struct loom_leslie **out,
				  struct loom_err *err)
{
	struct loom_leslie *leslie = loom_alloc(sizeof(*leslie));
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts->start && out);
	*leslie = (struct loom_leslie){
		.project = LOOM_ROOT_INIT,
		.home = LOOM_ROOT_INIT,
		.root = find_root(opts->start),
		.env = opts->env,
		.operator_ = opts->operator_ ? opts->operator_ : "user",
		.arena = loom_arena_create(),
		.lock_file = -1,
	};
	model_leslie_file_init(&leslie->relations, MODEL_LESLIE_RELATIONS);
	model_leslie_file_init(&leslie->objectives, MODEL_LESLIE_OBJECTIVES);
	if (!leslie->root)
		status = model_path_fail(err, errno, opts->start);
	if (status == LOOM_OK)
		status = loom_root_open(leslie->root, &leslie->project, err);
	if (status == LOOM_OK)
		find_group(&leslie->project);
	leslie->project.refused = opts->refused;
	leslie->project.refused_count = opts->refused_count;
	if (status != LOOM_OK) {
		loom_leslie_close(leslie);
		leslie = NULL;
	}
	*out = leslie;
	return status;
}

void loom_leslie_close(struct loom_leslie *leslie)
{
	if (!leslie)
		return;
	LOOM_ASSERT(leslie->lock_file < 0);
	model_leslie_file_fini(&leslie->relations);
	model_leslie_file_fini(&leslie->objectives);
	loom_arena_destroy(leslie->arena);
	loom_root_close(&leslie->home);
	loom_root_close(&leslie->project);
	free(leslie->root);
	free(leslie);
}

const char *loom_leslie_root(const struct loom_leslie *leslie)
{
	return leslie->root;
}

const struct loom_leslie_warnings *loom_leslie_notices(const struct loom_leslie *leslie)
{
	return &leslie->notices;
}

bool loom_leslie_id_ok(struct loom_str id)
{
	if (id.n < 1 || id.n > 64)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-')
			return false;
	}
	return true;
}

const char *loom_thread_code(enum loom_thread_code code)
{
#define CODE(name, text, meaning) text,
	static const char *const codes[] = {NULL, LOOM_THREAD_CODES(CODE)};
#undef CODE

	LOOM_ASSERT((size_t)code < LOOM_COUNT(codes));
	return codes[code];
}

enum loom_status model_leslie_refuse(struct loom_leslie *leslie, struct loom_leslie_err *err,
				     enum loom_status status, enum loom_thread_code code,
				     const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	LOOM_ASSERT(format && status != LOOM_OK);
	(void)leslie;
	if (!err)
		return status;
	*err = (struct loom_leslie_err){.code = loom_thread_code(code)};
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	loom_fail(&err->err, status, "%s", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	return status;
}

enum loom_status model_leslie_because(struct loom_leslie *leslie, struct loom_leslie_err *err,
				      const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	if (!err)
		return LOOM_FAULT;
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	LOOM_ASSERT(err->err.status != LOOM_OK);
	err->reason = loom_arena_buf(leslie->arena, &text);
	loom_buf_fini(&text);
	return err->err.status;
}

void model_leslie_detail(struct loom_leslie *leslie, struct loom_leslie_err *err, const char *key,
			 struct loom_str value)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(key);
	if (!err)
		return;
	if (err->details.n > 2)
		loom_buf_addf(&text, "%.*s,", (int)err->details.n - 1, err->details.p);
	else
		loom_buf_addc(&text, '{');
	loom_json_quote(loom_str_of(key), &text);
	loom_buf_addc(&text, ':');
	loom_json_quote(value, &text);
	loom_buf_addc(&text, '}');
	err->details = loom_arena_buf(leslie->arena, &text);
	loom_buf_fini(&text);
}

void model_leslie_warn(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
		       const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	LOOM_ASSERT(format);
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	warnings->items = loom_arena_grow(arena, warnings->items, warnings->count, &warnings->cap,
					  sizeof(*warnings->items));
	warnings->items[warnings->count++] = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
}

void loom_leslie_warn_broken(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
			     struct loom_str thread)
{
	model_leslie_warn(arena, warnings, "Referenced Thread %.*s not found",
			  LOOM_STR_ARG(thread));
}

/* It is not a folder of the project, or the system cannot open it. */
static enum loom_status refuse_home(struct loom_leslie *leslie, int error,
				    struct loom_leslie_err *err)
{
	struct loom_err why = {0};

	LOOM_ASSERT(error != 0);
	if (error != ENOTDIR && error != ELOOP && error != EXDEV) {
		(void)!model_path_fail(&why, error, ".leslie");
		if (err)
			*err = (struct loom_leslie_err){.err = why};
		return why.status;
	}
	model_leslie_refuse(leslie, err, LOOM_PATH, LOOM_THREAD_BAD_PATH, "Path refused");
	return model_leslie_because(leslie, err, ".leslie: %s", strerror(error));
}

static enum loom_status open_home(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	int fd = model_open_beneath(leslie->project.fd, ".leslie", O_PATH | O_DIRECTORY, 0,
				    MODEL_NO_LINKS);

	if (fd < 0 && errno != ENOENT)
		return refuse_home(leslie, errno, err);
	leslie->home = leslie->project;
	leslie->home.fd = fd;
	return LOOM_OK;
}

enum loom_status model_leslie_enter(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	if (err)
		*err = (struct loom_leslie_err){0};
	loom_arena_reset(leslie->arena);
	leslie->notices = (struct loom_leslie_warnings){0};
	leslie->changed = (struct model_leslie_item){0};
	leslie->relations.was = (struct loom_file_info){0};
	return leslie->home.fd < 0 ? open_home(leslie, err) : LOOM_OK;
}

enum loom_status model_leslie_begin(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_enter(leslie, err);

	if (status == LOOM_OK)
		status = model_leslie_file_load(leslie, &leslie->relations, err);
	if (status == LOOM_OK)
		status = model_leslie_file_load(leslie, &leslie->objectives, err);
	return status;
}

enum loom_status model_leslie_look(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_begin(leslie, err);

	if (status == LOOM_OK)
		model_leslie_registry_update(leslie);
	return status;
}

enum loom_status model_leslie_make_home(struct loom_leslie *leslie, struct loom_err *err)
{
	static const char *const folders[] = {".leslie", ".leslie/threads",
					      ".leslie/threads/.global"};
	struct loom_leslie_err why = {0};
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(folders); i++)
		status = loom_folder_make(&leslie->project, loom_str_of(folders[i]), err);
	if (status == LOOM_OK && leslie->home.fd < 0) {
		status = open_home(leslie, &why);
		if (status != LOOM_OK && err)
			*err = why.err;
	}
	return status;
}

struct loom_str model_leslie_now(struct loom_leslie *leslie, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str now = {NULL, 0};

	loom_time_iso(loom_env_now(leslie->env), &text);
	now = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return now;
}

/* The number of operations is a counter that is unique under the lock; the environment's salt tells
 * apart the ids drawn in one call. */
struct loom_str model_leslie_draw_id(struct loom_leslie *leslie, struct loom_arena *arena,
				     const char *prefix)
{
	const struct model_leslie_branch *operations =
		model_leslie_doc_branch(&leslie->relations.doc, "operations");
	uint64_t count = operations ? operations->count : 0;
	uint64_t salt = (count << 24) ^ loom_env_next_salt(leslie->env) ^
			((uint64_t)(unsigned char)prefix[0] << 56);
	uint32_t random = 0;

	LOOM_ASSERT(prefix[0]);
	loom_env_random(leslie->env, salt, &random, sizeof(random));
	return loom_arena_format(arena, "%s-%08x", prefix, (unsigned)random);
}

static const char *const status_names[LOOM_LESLIE_STATUSES] = {
	[LOOM_LESLIE_ACTIVE] = "active",
	[LOOM_LESLIE_SUSPENDED] = "suspended",
	[LOOM_LESLIE_COMPLETED] = "completed",
	[LOOM_LESLIE_CANCELLED] = "cancelled",
	[LOOM_LESLIE_ARCHIVED] = "archived",
	[LOOM_LESLIE_FROZEN] = "frozen",
	[LOOM_LESLIE_WAITING_HUMAN] = "waiting_human",
};

static const char *const action_names[LOOM_LESLIE_ACTIONS] = {
	[LOOM_LESLIE_SUSPEND] = "suspend", [LOOM_LESLIE_RESUME] = "resume",
	[LOOM_LESLIE_DONE] = "done",       [LOOM_LESLIE_CANCEL] = "cancel",
	[LOOM_LESLIE_ARCHIVE] = "archive",
};

const char *loom_leslie_status_name(enum loom_leslie_status status)
{
	return status < LOOM_LESLIE_STATUSES ? status_names[status] : "unknown";
}

bool loom_leslie_status_parse(struct loom_str name, enum loom_leslie_status *out)
{
	if (loom_str_is(name, "pending")) {
		*out = LOOM_LESLIE_ACTIVE;
		return true;
	}
	for (size_t i = 0; i < LOOM_LESLIE_STATUSES; i++) {
		if (loom_str_is(name, status_names[i])) {
			*out = (enum loom_leslie_status)i;
			return true;
		}
	}
	*out = LOOM_LESLIE_STATUSES;
	return false;
}

const char *loom_leslie_action_name(enum loom_leslie_action action)
{
	LOOM_ASSERT((size_t)action < LOOM_LESLIE_ACTIONS);
	return action_names[action];
}

bool loom_leslie_action_parse(struct loom_str name, enum loom_leslie_action *out)
{
	for (size_t i = 0; i < LOOM_LESLIE_ACTIONS; i++) {
		if (loom_str_is(name, action_names[i])) {
			*out = (enum loom_leslie_action)i;
			return true;
		}
	}
	return false;
}

bool loom_leslie_next(enum loom_leslie_status from, enum loom_leslie_action action,
		      enum loom_leslie_status *out)
{
	static const struct {
		enum loom_leslie_status from;
		enum loom_leslie_action action;
		enum loom_leslie_status to;
	} ways[] = {
		{LOOM_LESLIE_ACTIVE, LOOM_LESLIE_SUSPEND, LOOM_LESLIE_SUSPENDED},
		{LOOM_LESLIE_ACTIVE, LOOM_LESLIE_DONE, LOOM_LESLIE_COMPLETED},
		{LOOM_LESLIE_ACTIVE, LOOM_LESLIE_CANCEL, LOOM_LESLIE_CANCELLED},
		{LOOM_LESLIE_SUSPENDED, LOOM_LESLIE_RESUME, LOOM_LESLIE_ACTIVE},
		{LOOM_LESLIE_SUSPENDED, LOOM_LESLIE_DONE, LOOM_LESLIE_COMPLETED},
		{LOOM_LESLIE_SUSPENDED, LOOM_LESLIE_CANCEL, LOOM_LESLIE_CANCELLED},
		{LOOM_LESLIE_COMPLETED, LOOM_LESLIE_ARCHIVE, LOOM_LESLIE_ARCHIVED},
		{LOOM_LESLIE_CANCELLED, LOOM_LESLIE_ARCHIVE, LOOM_LESLIE_ARCHIVED},
		{LOOM_LESLIE_FROZEN, LOOM_LESLIE_ARCHIVE, LOOM_LESLIE_ARCHIVED},
		{LOOM_LESLIE_WAITING_HUMAN, LOOM_LESLIE_RESUME, LOOM_LESLIE_ACTIVE},
		{LOOM_LESLIE_WAITING_HUMAN, LOOM_LESLIE_CANCEL, LOOM_LESLIE_CANCELLED},
	};

	LOOM_ASSERT(out);
	for (size_t i = 0; i < LOOM_COUNT(ways); i++) {
		if (ways[i].from == from && ways[i].action == action) {
			*out = ways[i].to;
			return true;
		}
	}
	return false;
}
