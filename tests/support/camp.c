/* Projects for tests of `.leslie/`. */
#include "support/camp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>

#include "support/xml.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "camp: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_it(struct camp *camp)
{
	struct loom_err err = {0};
	const struct loom_leslie_opts opts = {.start = camp->temp.path, .env = &camp->env};

	if (loom_leslie_open(&opts, &camp->leslie, &err) != LOOM_OK) {
		fprintf(stderr, "camp: %s\n", err.text);
		exit(1);
	}
}

void camp_init(struct camp *camp)
{
	*camp = (struct camp){.arena = loom_arena_create()};
	temp_init(&camp->temp);
	loom_env_init_fixed(&camp->env, 1771840800000, 1);
	open_it(camp);
}

void camp_fini(struct camp *camp)
{
	loom_leslie_close(camp->leslie);
	loom_arena_destroy(camp->arena);
	temp_fini(&camp->temp);
}

void camp_reopen(struct camp *camp)
{
	loom_leslie_close(camp->leslie);
	open_it(camp);
}

const char *camp_path(struct camp *camp, const char *path)
{
	return loom_arena_format(camp->arena, "%s/%s", camp->temp.path, path).p;
}

void camp_write(struct camp *camp, const char *path, const char *text)
{
	char *full = loom_arena_cstr(camp->arena, loom_str_of(camp_path(camp, path)));
	int fd = -1;

	for (char *slash = strchr(full + strlen(camp->temp.path) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		must(mkdir(full, 0755) == 0 || errno == EEXIST, full);
		*slash = '/';
	}
	if (full[strlen(full) - 1] == '/')
		return;
	fd = open(full, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), full);
	close(fd);
}

const char *camp_read(struct camp *camp, const char *path)
{
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *found = NULL;

	must(loom_root_open(camp->temp.path, &root, NULL) == LOOM_OK, "root");
	if (loom_file_read(&root, loom_str_of(path), NULL, &text, NULL) == LOOM_OK)
		found = loom_arena_cstr(camp->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	loom_root_close(&root);
	return found;
}

bool camp_has(struct camp *camp, const char *path)
{
	struct stat st;

	return lstat(camp_path(camp, path), &st) == 0;
}

static void remove_tree(const char *path)
{
	struct stat st;
	DIR *folder = NULL;
	struct dirent *entry = NULL;

	if (lstat(path, &st) < 0)
		return;
	if (!S_ISDIR(st.st_mode)) {
		must(unlink(path) == 0, path);
		return;
	}
	folder = opendir(path);
	must(folder != NULL, path);
	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		char below[4096];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		remove_tree(below);
	}
	closedir(folder);
	must(rmdir(path) == 0, path);
}

void camp_remove(struct camp *camp, const char *path)
{
	remove_tree(camp_path(camp, path));
}

struct picture {
	struct camp *camp;
	struct loom_root root;
	struct loom_str lines[4096];
	size_t count;
};

static void add_line(struct picture *picture, struct loom_str path,
		     const struct loom_file_info *info)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_hash hash = {{0}};

	if (info->kind == LOOM_FILE_PLAIN)
		(void)!loom_file_read(&picture->root, path, NULL, &text, NULL);
	hash = loom_sha256(loom_buf_str(&text));
	loom_hash_hex(&hash, &hex);
	must(picture->count < LOOM_COUNT(picture->lines), "too large a picture");
	picture->lines[picture->count++] =
		loom_arena_format(picture->camp->arena, "%.*s %d %o %s\n", LOOM_STR_ARG(path),
				  (int)info->kind, info->mode, loom_buf_cstr(&hex));
	loom_buf_fini(&hex);
	loom_buf_fini(&text);
}

static void look_into(struct picture *picture, struct loom_str folder)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(&picture->root, folder, picture->camp->arena, &items, &count, NULL) !=
	    LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		struct loom_file_info info = {0};
		struct loom_str path = items[i].name;

		if (folder.n)
			path = loom_arena_format(picture->camp->arena, "%.*s/%.*s",
						 LOOM_STR_ARG(folder), LOOM_STR_ARG(path));
		if (loom_path_info(&picture->root, path, false, &info, NULL) != LOOM_OK)
			continue;
		add_line(picture, path, &info);
		if (info.kind == LOOM_FILE_FOLDER)
			look_into(picture, path);
	}
}

const char *camp_picture(struct camp *camp)
{
	struct picture *picture = loom_alloc(sizeof(*picture));
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *whole = NULL;

	*picture = (struct picture){.camp = camp, .root = LOOM_ROOT_INIT};
	must(loom_root_open(camp->temp.path, &picture->root, NULL) == LOOM_OK, "root");
	look_into(picture, LOOM_STR(""));
	for (size_t i = 0; i < picture->count; i++)
		loom_buf_add(&text, picture->lines[i]);
	whole = loom_arena_cstr(camp->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	loom_root_close(&picture->root);
	free(picture);
	return whole;
}

void camp_objective(struct camp *camp)
{
	struct loom_objective found;
	struct loom_str id;

	if (loom_objective_find(camp->leslie, LOOM_STR("obj"), camp->arena, &found, NULL) !=
	    LOOM_NOT_FOUND)
		return;
	if (loom_objective_new(camp->leslie, LOOM_STR("An objective"), LOOM_STR("obj"), camp->arena,
			       &id, &camp->err) != LOOM_OK) {
		fprintf(stderr, "camp: objective: %s\n", camp->err.err.text);
		exit(1);
	}
}

enum loom_status camp_spawn(struct camp *camp, const char *id, const char *refs,
			    enum loom_leslie_binding binding)
{
	struct loom_leslie_target targets[16];
	struct loom_leslie_spawn spawn = {.objective = LOOM_STR("obj"),
					  .id = id ? loom_str_of(id) : (struct loom_str){NULL, 0},
					  .intent = LOOM_STR("An intent"),
					  .binding = binding,
					  .refs = targets};
	struct loom_str rest = loom_str_of(refs);
	struct loom_str word;
	struct loom_str out;

	camp_objective(camp);
	camp->warnings = (struct loom_leslie_warnings){0};
	while (refs && loom_str_cut(&rest, ' ', &word)) {
		enum loom_status status =
			loom_leslie_target_parse(word, camp->arena, &targets[spawn.ref_count++],
						 &camp->err);

		if (status != LOOM_OK)
			return status;
	}
	return loom_leslie_spawn(camp->leslie, &spawn, camp->arena, &out, &camp->warnings,
				 &camp->err);
}

void camp_threads(struct camp *camp, const char *ids)
{
	struct loom_str rest = loom_str_of(ids);
	struct loom_str id;

	while (loom_str_cut(&rest, ' ', &id)) {
		if (camp_spawn(camp, loom_arena_cstr(camp->arena, id), NULL,
			       LOOM_LESLIE_BINDING_FROZEN) == LOOM_OK)
			continue;
		fprintf(stderr, "camp: spawn: %s\n", camp->err.err.text);
		exit(1);
	}
}

enum loom_status camp_ref(struct camp *camp, const char *from, const char *target,
			  enum loom_leslie_binding binding)
{
	struct loom_leslie_ref ref = {.from = loom_str_of(from), .binding = binding};
	struct loom_leslie_ref_result result = {0};
	enum loom_status status =
		loom_leslie_target_parse(loom_str_of(target), camp->arena, &ref.target, &camp->err);

	if (status == LOOM_OK)
		status = loom_leslie_ref(camp->leslie, &ref, camp->arena, &result, &camp->err);
	camp->warnings = result.warnings;
	return status;
}

enum loom_status camp_freeze(struct camp *camp, const char *from, const char *target)
{
	return camp_ref(camp, from, target, LOOM_LESLIE_BINDING_FROZEN);
}

enum loom_status camp_live(struct camp *camp, const char *from, const char *target)
{
	return camp_ref(camp, from, target, LOOM_LESLIE_BINDING_LIVE);
}

const char *camp_shared(struct camp *camp, const char *thread, const char *name, const char *from)
{
	const struct loom_leslie_read read = {.thread = loom_str_of(thread),
					      .name = loom_str_of(name),
					      .from = loom_str_of(from)};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *found = NULL;

	if (loom_leslie_read(camp->leslie, &read, &text, &camp->err) == LOOM_OK)
		found = loom_arena_cstr(camp->arena, loom_buf_str(&text));
	else
		must(text.n == 0, "a refused read gave bytes");
	loom_buf_fini(&text);
	return found;
}

static bool build(struct camp *camp, const char *id, enum loom_context_mode mode,
		  struct loom_thread_context *out)
{
	camp->warnings = (struct loom_leslie_warnings){0};
	return loom_leslie_context(camp->leslie, loom_str_of(id), mode, camp->arena, out,
				   &camp->warnings, &camp->err) == LOOM_OK;
}

const char *camp_context(struct camp *camp, const char *id, enum loom_context_mode mode)
{
	struct loom_thread_context context;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *block = "";

	if (build(camp, id, mode, &context) &&
	    loom_thread_context_emit(&context, &text, &camp->err.err) == LOOM_OK) {
		must(xml_is_valid(loom_buf_str(&text),
				  LOOM_SOURCE "/tests/cases/thread_context.rng"),
		     loom_buf_cstr(&text));
		block = loom_arena_cstr(camp->arena, loom_buf_str(&text));
	}
	loom_buf_fini(&text);
	return block;
}

static void list_assets(const struct loom_asset_list *list, const char *whose, struct loom_buf *out)
{
	static const struct loom_str threads = LOOM_STR_INIT(".leslie/threads/");

	for (size_t i = 0; i < list->count; i++) {
		struct loom_str path = list->items[i].path;

		if (loom_str_starts(path, threads))
			path = loom_str_sub(path, threads.n, SIZE_MAX);
		loom_buf_addf(out, "%s%s %s %.*s", out->n ? "|" : "", whose,
			      loom_asset_type_name(list->items[i].type), LOOM_STR_ARG(path));
	}
}

const char *camp_assets(struct camp *camp, const char *id, enum loom_context_mode mode)
{
	struct loom_thread_context context;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *lines = NULL;

	camp_context(camp, id, mode);
	if (!build(camp, id, mode, &context))
		return "refused";
	list_assets(&context.assets, "own", &text);
	for (size_t i = 0; i < context.ref_count; i++) {
		char whose[128];

		snprintf(whose, sizeof(whose), "ref %.*s", LOOM_STR_ARG(context.refs[i].thread));
		list_assets(&context.refs[i].assets, whose, &text);
	}
	lines = loom_arena_cstr(camp->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return lines;
}

bool camp_warned(const struct camp *camp, const char *text)
{
	for (size_t i = 0; i < camp->warnings.count; i++) {
		if (loom_str_is(camp->warnings.items[i], text))
			return true;
	}
	return false;
}
