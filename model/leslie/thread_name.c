/* Names of files in threads: which are refused, which are private, where they are.
 *
 * A name is relative to a thread's folder, with or without a leading `artifacts/`. Names are
 * refused by their characters alone; openat2 keeps paths inside their folder. */
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#include <fcntl.h>
#include <unistd.h>

#include "share.h"
#include <loom/files/beneath.h>

static const struct loom_str artifacts = LOOM_STR_INIT("artifacts/");

static const char *fault_of_part(struct loom_str part)
{
	if (part.n == 0)
		return "has an empty part";
	if (loom_str_is(part, ".") || loom_str_is(part, ".."))
		return "has a . or .. part";
	return part.n > 255 ? "has a part longer than 255 bytes" : NULL;
}

static struct loom_str without_slash(struct loom_str name)
{
	if (name.n > 1 && name.p[name.n - 1] == '/')
		name.n--;
	return name;
}

const char *model_leslie_name_fault(struct loom_str name)
{
	struct loom_str rest = without_slash(name);
	struct loom_str part = {NULL, 0};
	const char *fault = NULL;

	if (name.n == 0)
		return "is empty";
	if (name.p[0] == '/')
		return "is absolute";
	if (name.n > 4000)
		return "is too long";
	if (memchr(name.p, '\\', name.n))
		return "contains a backslash";
	if (!loom_utf8_valid(name, NULL))
		return "is not UTF-8";
	if (!loom_shown_plain(name) || memchr(name.p, '\n', name.n) ||
	    memchr(name.p, '\t', name.n) || memchr(name.p, '\0', name.n))
		return "contains an invisible character";
	while (!fault && loom_str_cut(&rest, '/', &part))
		fault = fault_of_part(part);
	return fault;
}

enum loom_status model_leslie_name_check(struct loom_leslie *leslie, struct loom_str name,
					 struct loom_leslie_err *err)
{
	const char *fault = model_leslie_name_fault(name);

	if (!fault)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, LOOM_PATH, LOOM_THREAD_BAD_PATH, "Path refused: %.*s",
			    LOOM_STR_ARG(name));
	model_leslie_because(leslie, err, "the name %s", fault);
	model_leslie_detail(leslie, err, "path", name);
	return loom_hint(err ? &err->err : NULL, LOOM_PATH,
			 "give a name within the thread, such as plan.md or design/api.md");
}

struct loom_str model_leslie_name_plain(struct loom_str name)
{
	name = without_slash(name);
	if (name.n > artifacts.n && loom_str_starts(name, artifacts))
		name = loom_str_sub(name, artifacts.n, SIZE_MAX);
	return name;
}

bool model_leslie_is_below(struct loom_str name, struct loom_str folder)
{
	return loom_str_eq(name, folder) ||
	       (name.n > folder.n && name.p[folder.n] == '/' && loom_str_starts(name, folder));
}

bool model_leslie_name_is_transcript(struct loom_str name)
{
	struct loom_str plain = model_leslie_name_plain(name);

	return loom_str_is(plain, "transcript.md") ||
	       model_leslie_is_below(plain, LOOM_STR("transcript")) ||
	       model_leslie_is_below(plain, LOOM_STR(".meta/transcripts"));
}

bool model_leslie_name_is_withheld(struct loom_str name)
{
	struct loom_str plain = model_leslie_name_plain(name);

	return (plain.n && plain.p[0] == '.') || model_leslie_name_is_private(name) ||
	       model_leslie_name_is_transcript(name);
}

bool model_leslie_name_is_private(struct loom_str name)
{
	name = model_leslie_name_plain(name);
	if (model_leslie_is_below(name, LOOM_STR(".meta")))
		return !model_leslie_is_below(name, LOOM_STR(".meta/transcripts"));
	return model_leslie_is_below(name, LOOM_STR("context")) ||
	       loom_str_is(name, MODEL_LESLIE_MANIFEST);
}

bool model_leslie_is_whole(struct loom_str scope)
{
	return loom_str_is(scope, MODEL_LESLIE_WHOLE);
}

static enum loom_status look_at(const struct loom_root *folder, struct loom_str path,
				struct model_leslie_place *out, struct loom_err *err)
{
	enum loom_status status = loom_path_info(folder, path, false, &out->info, err);

	if (status != LOOM_OK)
		return status;
	if (out->info.kind == LOOM_FILE_LINK)
		return loom_fail(err, LOOM_PATH, "%.*s is a symbolic link", LOOM_STR_ARG(path));
	if (out->info.kind == LOOM_FILE_OTHER)
		return loom_fail(err, LOOM_PATH, "%.*s is neither a file nor a folder",
				 LOOM_STR_ARG(path));
	out->path = path;
	return LOOM_OK;
}

enum loom_status model_leslie_locate(const struct loom_root *folder, struct loom_str name,
				     struct loom_arena *arena, struct model_leslie_place *out,
				     struct loom_err *err)
{
	struct loom_str plain = model_leslie_name_plain(name);
	struct loom_str first = without_slash(name);
	bool prefixed = first.n != plain.n;
	struct loom_str other =
		prefixed ? plain : loom_arena_format(arena, "artifacts/%.*s", LOOM_STR_ARG(plain));
	struct loom_err second = {.status = LOOM_OK};
	enum loom_status status = look_at(folder, first, out, err);
	enum loom_status elsewhere = LOOM_OK;

	if (status != LOOM_NOT_FOUND)
		return status;
	/* A missing file keeps the name it was given. */
	elsewhere = look_at(folder, other, out, &second);
	if (elsewhere == LOOM_NOT_FOUND)
		return status;
	if (err)
		*err = second;
	return elsewhere;
}

static void scope_of_artifacts(struct loom_arena *arena, const struct loom_root *folder,
			       struct loom_str prefix, struct loom_asset_list *list)
{
	struct loom_root below = *folder;

	below.fd = model_open_beneath(folder->fd, "artifacts", O_PATH | O_DIRECTORY, 0,
				      MODEL_NO_LINKS);
	if (below.fd >= 0)
		loom_asset_discover(arena, &below,
				    loom_arena_format(arena, "%.*sartifacts/",
						      LOOM_STR_ARG(prefix)),
				    false, list);
	loom_root_close(&below);
}

void model_leslie_scope_assets(struct loom_arena *arena, const struct loom_root *folder,
			       struct loom_str thread, struct loom_str scope,
			       struct loom_asset_list *list)
{
	struct loom_str prefix =
		loom_arena_format(arena, ".leslie/threads/%.*s/", LOOM_STR_ARG(thread));
	struct loom_asset asset = {.type = LOOM_ASSET_PLAN};
	struct model_leslie_place place;

	if (model_leslie_is_whole(scope)) {
		loom_asset_discover(arena, folder, prefix, false, list);
		return;
	}
	if (loom_str_is(without_slash(scope), "artifacts")) {
		scope_of_artifacts(arena, folder, prefix, list);
		return;
	}
	if (model_leslie_locate(folder, scope, arena, &place, NULL) != LOOM_OK ||
	    !loom_asset_type_of(place.path, &asset.type))
		return;
	asset.path = loom_arena_format(arena, "%.*s%.*s%s", LOOM_STR_ARG(prefix),
				       LOOM_STR_ARG(place.path),
				       place.info.kind == LOOM_FILE_FOLDER ? "/" : "");
	asset.read_path = asset.path;
	loom_asset_add(arena, list, asset);
}
