/* Projects for tests of `.leslie/`. */
#include "support/project.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/hash.h>

#include "support/xml.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "project: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_it(struct project *project)
{
	struct loom_err err = {0};
	const struct loom_leslie_opts opts = {.start = project->temp.path, .env = &project->env};

	if (loom_leslie_open(&opts, &project->leslie, &err) != LOOM_OK) {
		fprintf(stderr, "project: %s\n", err.text);
		exit(1);
	}
}

void project_init(struct project *project)
{
	*project = (struct project){.arena = loom_arena_create()};
	temp_init(&project->temp);
	loom_env_init_fixed(&project->env, 1771840800000, 1);
	open_it(project);
}

void project_fini(struct project *project)
{
	loom_leslie_close(project->leslie);
	loom_arena_destroy(project->arena);
	temp_fini(&project->temp);
}

void project_reopen(struct project *project)
{
	loom_leslie_close(project->leslie);
	open_it(project);
}

const char *project_path(struct project *project, const char *path)
{
	return loom_arena_format(project->arena, "%s/%s", project->temp.path, path).p;
}

void project_write(struct project *project, const char *path, const char *text)
{
	char *full = loom_arena_cstr(project->arena, loom_str_of(project_path(project, path)));
	int fd = -1;

	for (char *slash = strchr(full + strlen(project->temp.path) + 1, '/'); slash;
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

const char *project_read(struct project *project, const char *path)
{
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *found = NULL;

	must(loom_root_open(project->temp.path, &root, NULL) == LOOM_OK, "root");
	if (loom_file_read(&root, loom_str_of(path), NULL, &text, NULL) == LOOM_OK)
		found = loom_arena_cstr(project->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	loom_root_close(&root);
	return found;
}

bool project_has(struct project *project, const char *path)
{
	struct stat st;

	return lstat(project_path(project, path), &st) == 0;
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

void project_remove(struct project *project, const char *path)
{
	remove_tree(project_path(project, path));
}

struct picture {
	struct project *project;
	struct loom_root root;
	struct loom_str lines[4096];
	size_t count;
};

static bool is_passing(struct loom_str path)
{
	return loom_str_is(path, ".leslie/.loom.lock") ||
	       loom_str_is(path, ".leslie/threads/.global/registry.json");
}

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
		loom_arena_format(picture->project->arena, "%.*s %d %o %s\n", LOOM_STR_ARG(path),
				  (int)info->kind, info->mode, loom_buf_cstr(&hex));
	loom_buf_fini(&hex);
	loom_buf_fini(&text);
}

static void look_into(struct picture *picture, struct loom_str folder)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(&picture->root, folder, picture->project->arena, &items, &count,
			     NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		struct loom_file_info info = {0};
		struct loom_str path = items[i].name;

		if (folder.n)
			path = loom_arena_format(picture->project->arena, "%.*s/%.*s",
						 LOOM_STR_ARG(folder), LOOM_STR_ARG(path));
		if (is_passing(path) ||
		    loom_path_info(&picture->root, path, false, &info, NULL) != LOOM_OK)
			continue;
		add_line(picture, path, &info);
		if (info.kind == LOOM_FILE_FOLDER)
			look_into(picture, path);
	}
}

const char *project_picture(struct project *project)
{
	struct picture *picture = loom_alloc(sizeof(*picture));
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *whole = NULL;

	*picture = (struct picture){.project = project, .root = LOOM_ROOT_INIT};
	must(loom_root_open(project->temp.path, &picture->root, NULL) == LOOM_OK, "root");
	look_into(picture, LOOM_STR(""));
	for (size_t i = 0; i < picture->count; i++)
		loom_buf_add(&text, picture->lines[i]);
	whole = loom_arena_cstr(project->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	loom_root_close(&picture->root);
	free(picture);
	return whole;
}

void project_objective(struct project *project)
{
	struct loom_objective found;
	struct loom_str id;

	if (loom_objective_find(project->leslie, LOOM_STR("obj"), project->arena, &found, NULL) !=
	    LOOM_NOT_FOUND)
		return;
	if (loom_objective_new(project->leslie, LOOM_STR("An objective"), LOOM_STR("obj"),
			       project->arena, &id, &project->err) != LOOM_OK) {
		fprintf(stderr, "project: objective: %s\n", project->err.err.text);
		exit(1);
	}
}

enum loom_status project_spawn(struct project *project, const char *id, const char *refs,
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

	project_objective(project);
	project->warnings = (struct loom_leslie_warnings){0};
	while (refs && loom_str_cut(&rest, ' ', &word)) {
		enum loom_status status =
			loom_leslie_target_parse(word, project->arena, &targets[spawn.ref_count++],
						 &project->err);

		if (status != LOOM_OK)
			return status;
	}
	return loom_leslie_spawn(project->leslie, &spawn, project->arena, &out, &project->warnings,
				 &project->err);
}

void project_threads(struct project *project, const char *ids)
{
	struct loom_str rest = loom_str_of(ids);
	struct loom_str id;

	while (loom_str_cut(&rest, ' ', &id)) {
		if (project_spawn(project, loom_arena_cstr(project->arena, id), NULL,
				  LOOM_LESLIE_BINDING_FROZEN) == LOOM_OK)
			continue;
		fprintf(stderr, "project: spawn: %s\n", project->err.err.text);
		exit(1);
	}
}

enum loom_status project_ref(struct project *project, const char *from, const char *target,
			     enum loom_leslie_binding binding)
{
	struct loom_leslie_ref ref = {.from = loom_str_of(from), .binding = binding};
	struct loom_leslie_ref_result result = {0};
	enum loom_status status = loom_leslie_target_parse(loom_str_of(target), project->arena,
							   &ref.target, &project->err);

	if (status == LOOM_OK)
		status = loom_leslie_ref(project->leslie, &ref, project->arena, &result,
					 &project->err);
	project->warnings = result.warnings;
	return status;
}

enum loom_status project_freeze(struct project *project, const char *from, const char *target)
{
	return project_ref(project, from, target, LOOM_LESLIE_BINDING_FROZEN);
}

enum loom_status project_live(struct project *project, const char *from, const char *target)
{
	return project_ref(project, from, target, LOOM_LESLIE_BINDING_LIVE);
}

const char *project_shared(struct project *project, const char *thread, const char *name,
			   const char *from)
{
	const struct loom_leslie_read read = {.thread = loom_str_of(thread),
					      .name = loom_str_of(name),
					      .from = loom_str_of(from)};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *found = NULL;

	if (loom_leslie_read(project->leslie, &read, &text, &project->err) == LOOM_OK)
		found = loom_arena_cstr(project->arena, loom_buf_str(&text));
	else
		must(text.n == 0, "a refused read gave bytes");
	loom_buf_fini(&text);
	return found;
}

static bool build(struct project *project, const char *id, enum loom_context_mode mode,
		  struct loom_thread_context *out)
{
	project->warnings = (struct loom_leslie_warnings){0};
	return loom_leslie_context(project->leslie, loom_str_of(id), mode, project->arena, out,
				   &project->warnings, &project->err) == LOOM_OK;
}

const char *project_context(struct project *project, const char *id, enum loom_context_mode mode)
{
	struct loom_thread_context context;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *block = "";

	if (build(project, id, mode, &context) &&
	    loom_thread_context_emit(&context, &text, &project->err.err) == LOOM_OK) {
		must(xml_is_valid(loom_buf_str(&text),
				  LOOM_SOURCE "/tests/cases/thread_context.rng"),
		     loom_buf_cstr(&text));
		block = loom_arena_cstr(project->arena, loom_buf_str(&text));
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

const char *project_assets(struct project *project, const char *id, enum loom_context_mode mode)
{
	struct loom_thread_context context;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *lines = NULL;

	project_context(project, id, mode);
	if (!build(project, id, mode, &context))
		return "refused";
	list_assets(&context.assets, "own", &text);
	for (size_t i = 0; i < context.ref_count; i++) {
		char whose[128];

		snprintf(whose, sizeof(whose), "ref %.*s", LOOM_STR_ARG(context.refs[i].thread));
		list_assets(&context.refs[i].assets, whose, &text);
	}
	lines = loom_arena_cstr(project->arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return lines;
}

bool project_warned(const struct project *project, const char *text)
{
	for (size_t i = 0; i < project->warnings.count; i++) {
		if (loom_str_is(project->warnings.items[i], text))
			return true;
	}
	return false;
}
