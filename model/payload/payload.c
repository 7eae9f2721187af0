/* The document: its sections in order, with their ranges of bytes.
 *
 * Numbers are part of the headings and never shift; section 3 is left out if there are no memos.
 * The format determines the blank lines: one before every second-level heading, none between a
 * heading and its list or fence except in sections 4 and 5. */
#include "inside.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <loom/base/utf8.h>
#include <loom/files/ignore.h>

#define DOCUMENT_MAX ((size_t)1 << 30)
#define MEMOS        ".teddy/memos.yaml"

struct build {
	const struct loom_payload_opts *opts;
	struct loom_arena *arena;
	struct loom_payload *out;
	size_t part_cap;
	struct model_notes notes;
	struct model_resources resources;
};

static bool has_teddy(struct loom_arena *arena, struct loom_str dir)
{
	struct stat st;
	struct loom_str path = loom_arena_format(arena, "%.*s/.teddy", LOOM_STR_ARG(dir));

	return stat(path.p, &st) == 0 && S_ISDIR(st.st_mode);
}

void loom_payload_root(struct loom_str cwd, struct loom_str grove, struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str dir = cwd;

	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	while (dir.n > 1 && !has_teddy(arena, dir)) {
		while (dir.n && dir.p[dir.n - 1] != '/')
			dir.n--;
		while (dir.n > 1 && dir.p[dir.n - 1] == '/')
			dir.n--;
	}
	if (dir.n > 1)
		loom_buf_add(out, dir);
	else if (grove.n)
		loom_buf_add(out, grove);
	else if (!loom_repository_find(cwd, out))
		loom_buf_add(out, cwd);
	loom_arena_destroy(arena);
}

static void begin_part(struct build *build, struct loom_str name, bool resource)
{
	struct loom_payload *out = build->out;

	out->parts = loom_arena_grow(build->arena, out->parts, out->part_count, &build->part_cap,
				     sizeof *out->parts);
	out->parts[out->part_count++] =
		(struct loom_payload_part){.name = name, .resource = resource, .from = out->text.n};
}

/* Ends the part at `index`, which may contain others. */
static void end_part(struct build *build, size_t index)
{
	struct loom_payload_part *part = &build->out->parts[index];

	LOOM_ASSERT(index < build->out->part_count);
	LOOM_ASSERT(part->from <= build->out->text.n);
	part->bytes = build->out->text.n - part->from;
	part->tokens = (part->bytes + 3) / 4;
}

/* Writes a section's heading; returns the index of its part. */
static size_t begin_section(struct build *build, const char *name)
{
	LOOM_ASSERT(name[0]);
	loom_buf_addc(&build->out->text, '\n');
	begin_part(build, loom_str_of(name), false);
	loom_buf_addf(&build->out->text, "## %s\n", name);
	return build->out->part_count - 1;
}

static void add_bullet(struct loom_buf *out, const char *label, const char *value)
{
	loom_buf_addf(out, "- **%s:** ", label);
	model_put_name(out, loom_str_of(value));
	loom_buf_addc(out, '\n');
}

static void put_system(struct build *build)
{
	size_t part = begin_section(build, "1. System Information");
	struct loom_str root = build->opts->place.root_path;
	const char *shell = build->opts->shell;
	struct loom_buf os = LOOM_BUF_INIT(1024);
	struct utsname name;

	if (build->opts->os)
		loom_buf_adds(&os, build->opts->os);
	else if (uname(&name) == 0)
		loom_buf_addf(&os, "%s %s", name.sysname, name.release);
	add_bullet(&build->out->text, "CWD", loom_arena_cstr(build->arena, root));
	add_bullet(&build->out->text, "OS", loom_buf_cstr(&os));
	add_bullet(&build->out->text, "Shell", shell && *shell ? shell : "unknown");
	loom_buf_fini(&os);
	end_part(build, part);
}

static enum loom_status put_structure(struct build *build, struct loom_err *err)
{
	size_t part = begin_section(build, "2. Project Structure");
	struct loom_buf tree = LOOM_BUF_INIT(DOCUMENT_MAX);
	enum loom_status status = model_payload_tree(build->opts, &tree, &build->notes, err);

	model_put_fence(&build->out->text, LOOM_STR(""), loom_buf_str(&tree));
	loom_buf_fini(&tree);
	end_part(build, part);
	return status;
}

static void put_memos(struct build *build)
{
	struct loom_buf memos = LOOM_BUF_INIT(DOCUMENT_MAX);
	struct loom_err err;
	enum loom_status status =
		loom_file_read(build->opts->place.root, LOOM_STR(MEMOS),
			       &(struct loom_read_opts){.links = true, .single = true}, &memos,
			       &err);
	struct loom_str text = loom_buf_str(&memos);
	size_t part = 0;

	if (status == LOOM_NOT_FOUND)
		goto done;
	part = begin_section(build, "3. Memos");
	if (status != LOOM_OK) {
		model_note(&build->notes, "%s", err.text);
		text = LOOM_STR("--- NOT SHOWN: cannot be read ---");
	} else if (!loom_utf8_valid(text, NULL) || (text.n && memchr(text.p, '\0', text.n))) {
		model_note(&build->notes, MEMOS " is not UTF-8");
		text = LOOM_STR("--- NOT SHOWN: not UTF-8 ---");
	}
	model_put_fence(&build->out->text, LOOM_STR(""), text);
	end_part(build, part);
done:
	loom_buf_fini(&memos);
}

static void put_summary(struct build *build)
{
	static const char *const titles[LOOM_SCOPES] = {"Turn", "Session", "Global"};
	size_t part = begin_section(build, "4. Context Summary");
	struct loom_buf *out = &build->out->text;
	int scope = -1;

	for (size_t i = 0; i < build->resources.count; i++) {
		const struct model_resource *resource = &build->resources.items[i];

		LOOM_ASSERT((size_t)resource->scope < LOOM_SCOPES && (int)resource->scope >= scope);
		if ((int)resource->scope != scope) {
			scope = (int)resource->scope;
			loom_buf_addf(out, "\n### %s\n", titles[scope]);
		}
		loom_buf_adds(out, "- ");
		model_put_link(out, resource->target, resource->entry->url);
		loom_buf_addc(out, '\n');
	}
	end_part(build, part);
}

static void put_resource(struct build *build, const struct model_resource *resource)
{
	struct loom_buf *out = &build->out->text;
	struct loom_buf link = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t part = build->out->part_count;

	begin_part(build, resource->target, true);
	model_put_link(&link, resource->target, resource->entry->url);
	loom_buf_adds(out, "---\n**Resource:** ");
	model_put_span(out, loom_buf_str(&link));
	loom_buf_addc(out, '\n');
	model_payload_contents(build->opts, resource, out, &build->notes);
	end_part(build, part);
	loom_buf_fini(&link);
}

static void put_resources(struct build *build)
{
	size_t part = begin_section(build, "5. Resource Contents");
	struct model_set seen = {.arena = build->arena};
	struct loom_buf *out = &build->out->text;

	if (build->resources.count)
		loom_buf_addc(out, '\n');
	for (size_t i = 0; i < build->resources.count; i++)
		if (model_set_add(&seen, build->resources.items[i].target))
			put_resource(build, &build->resources.items[i]);
	if (build->resources.count)
		loom_buf_adds(out, "---\n");
	end_part(build, part);
}

/* Takes the entries that the caller gave, or those of the lists. */
static enum loom_status gather(struct build *build, struct loom_err *err)
{
	const struct loom_payload_opts *opts = build->opts;
	struct loom_payload_lists lists = {0};
	enum loom_status status = LOOM_OK;

	if (opts->given) {
		model_payload_expand(opts, opts->entries, opts->entry_count, &build->resources,
				     &build->notes);
		return LOOM_OK;
	}
	status = loom_payload_lists_read(&opts->place, build->arena, &lists, err);
	if (status != LOOM_OK)
		return status;
	build->out->session = lists.session;
	build->out->turn = lists.turn;
	for (size_t i = 0; i < lists.warning_count; i++)
		model_note(&build->notes, "%.*s", LOOM_STR_ARG(lists.warnings[i]));
	model_payload_expand(opts, lists.entries, lists.count, &build->resources, &build->notes);
	return LOOM_OK;
}

enum loom_status loom_payload_build(const struct loom_payload_opts *opts, struct loom_arena *arena,
				    struct loom_payload *out, struct loom_err *err)
{
	struct build build = {
		.opts = opts,
		.arena = arena,
		.out = out,
		.notes = {.arena = arena},
		.resources = {.arena = arena},
	};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts && out);
	*out = (struct loom_payload){0};
	loom_buf_init(&out->text, DOCUMENT_MAX);
	status = gather(&build, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(&out->text, "# Agent Invocation Payload\n");
	put_system(&build);
	status = put_structure(&build, err);
	put_memos(&build);
	put_summary(&build);
	put_resources(&build);
	out->warnings = build.notes.items;
	out->warning_count = build.notes.count;
	if (status == LOOM_OK && out->text.bad != LOOM_OK)
		status = loom_fail(err, LOOM_LIMIT, "the payload is larger than %zu bytes",
				   DOCUMENT_MAX);
	return status;
}

void loom_payload_fini(struct loom_payload *payload)
{
	if (payload)
		loom_buf_fini(&payload->text);
}
