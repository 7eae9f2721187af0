/* keys.json: lays the user's keys over the default ones, all of them or none. Errors name their
 * place; bindings that hide other keys are accepted and reported by tui_keymap_clash. */
#include <loom/keys/keymap.h>

#include <loom/base/json.h>
#include <loom/cli/themes.h>

#define NAMED 3 /* keys that a clash message names */

/* --- reading --- */

static bool binding_make(struct loom_str target, struct tui_binding *out)
{
	if (loom_str_starts(target, LOOM_STR(":"))) {
		out->line = loom_realloc(NULL, target.n, 1);
		memcpy(out->line, target.p + 1, target.n - 1);
		out->line[target.n - 1] = '\0';
		return true;
	}
	out->command = tui_command_find(target);
	return target.n == 0 || out->command != TUI_COMMAND_NONE;
}

static enum loom_status no_view(struct loom_str name, struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);
	enum loom_status status;

	for (int i = 0; i < TUI_KEYVIEWS; i++)
		loom_buf_addf(&names, " %s", tui_keyview_name((enum tui_keyview)i));
	loom_fail(err, LOOM_INVALID, "keys.json: no view of keys is named \"%.*s\"",
		  LOOM_STR_ARG(name));
	status = loom_hint(err, LOOM_INVALID, "known views:%s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return status;
}

/* Binds `keys` of a view to a command's name or, after a ":", to a command line. An empty target
 * unbinds them. */
static enum loom_status bind_keys(struct tui_keymap *map, enum tui_keyview view, const char *keys,
				  struct loom_str target, struct loom_err *err)
{
	struct tui_binding binding = {.view = view};

	if (!tui_keys_parse(loom_str_of(keys), &binding)) {
		loom_fail(err, LOOM_INVALID, "keys.json, %s: \"%s\" is not a sequence of keys",
			  tui_keyview_name(view), keys);
		return loom_hint(err, LOOM_INVALID, "examples of keys: %s", "<C-x>, <Tab>, gg");
	}
	if (!binding_make(target, &binding)) {
		loom_fail(err, LOOM_INVALID, "keys.json, %s, %s: no command is named \"%.*s\"",
			  tui_keyview_name(view), keys, LOOM_STR_ARG(target));
		return loom_hint(err, LOOM_INVALID,
				 "`loom keys` lists the names; a command line begins with a colon");
	}
	tui_keymap_add(map, &binding);
	return LOOM_OK;
}

/* Loads the bindings of one view. */
static enum loom_status load_view(struct tui_keymap *map, const cJSON *json, struct loom_err *err)
{
	const cJSON *row;
	enum tui_keyview view;
	enum loom_status status = LOOM_OK;

	if (!tui_keyview_find(loom_str_of(json->string), &view))
		return no_view(loom_str_of(json->string), err);
	if (!cJSON_IsObject(json))
		return loom_fail(err, LOOM_INVALID, "keys.json, %s: not an object of keys",
				 json->string);
	cJSON_ArrayForEach(row, json)
	{
		if (status == LOOM_OK && !cJSON_IsString(row) && !cJSON_IsNull(row))
			status = loom_fail(err, LOOM_INVALID,
					   "keys.json, %s, %s: neither a command nor null",
					   json->string, row->string);
		if (status == LOOM_OK)
			status = bind_keys(map, view, row->string,
					   cJSON_IsString(row) ? loom_str_of(row->valuestring)
							       : LOOM_STR(""),
					   err);
	}
	return status;
}

static enum loom_status parse(struct loom_str text, cJSON **root, struct loom_err *err)
{
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status = loom_json_parse(text, NULL, root, &why);

	if (status != LOOM_OK)
		return loom_fail(err, status, "keys.json: %s", why.text);
	if (cJSON_IsObject(*root))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "keys.json is not an object");
	return loom_hint(err, LOOM_INVALID, "it should look like %s",
			 "{\"nav\": {\"<C-x>\": \"prune\"}}");
}

static enum loom_status load_views(struct tui_keymap *map, struct loom_str json,
				   struct loom_err *err);

/* Loads the preset that the file names, below its own keys. */
static enum loom_status load_preset(struct tui_keymap *map, const cJSON *named,
				    struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(1 << 12);
	const char *name = NULL;
	const char *about = NULL;
	struct loom_str json;

	for (size_t i = 0; loom_preset_at(i, &name, &about, &json); i++) {
		if (cJSON_IsString(named) && strcmp(named->valuestring, name) == 0) {
			loom_buf_fini(&names);
			return load_views(map, json, err);
		}
		loom_buf_addf(&names, "%s%s", i ? ", " : "", name);
	}
	loom_fail(err, LOOM_INVALID, "keys.json: there is no such preset");
	loom_hint(err, LOOM_INVALID, "presets: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_INVALID;
}

static enum loom_status load_views(struct tui_keymap *map, struct loom_str json,
				   struct loom_err *err)
{
	cJSON *root = NULL;
	const cJSON *view;
	enum loom_status status = parse(json, &root, err);
	const cJSON *preset = root ? loom_json_get(root, "preset") : NULL;

	if (status == LOOM_OK && preset)
		status = load_preset(map, preset, err);
	if (status == LOOM_OK) {
		cJSON_ArrayForEach(view, root)
		{
			if (status == LOOM_OK && view != preset)
				status = load_view(map, view, err);
		}
	}
	cJSON_Delete(root);
	return status;
}

enum loom_status tui_keymap_load(struct tui_keymap *map, struct loom_str json, struct loom_err *err)
{
	size_t before = map->count;
	enum loom_status status = load_views(map, json, err);

	while (status != LOOM_OK && map->count > before)
		free(map->bindings[--map->count].line);
	return status;
}

/* --- what hides what --- */

static bool begins_with(const struct tui_binding *longer, const struct tui_binding *start)
{
	return longer->n > start->n &&
	       memcmp(longer->keys, start->keys, start->n * sizeof start->keys[0]) == 0;
}

/* Whether `binding` is in force for its own keys in `view`, and is not an unbinding. */
static bool is_meant(const struct tui_keymap *map, enum tui_keyview view,
		     const struct tui_binding *binding)
{
	const struct tui_binding *found = tui_keymap_exact(map, view, binding->keys, binding->n);

	return found == binding || (found && binding->keys[binding->n - 1].code == TUI_KEY_ANY &&
				    found->view == binding->view);
}

/* Whether in some view the shorter sequence runs before the longer one can be typed. */
static bool hides(const struct tui_keymap *map, const struct tui_binding *binding,
		  const struct tui_binding *longer)
{
	if (!begins_with(longer, binding))
		return false;
	for (int i = 0; i < TUI_KEYVIEWS; i++)
		if (is_meant(map, (enum tui_keyview)i, binding) &&
		    is_meant(map, (enum tui_keyview)i, longer))
			return true;
	return false;
}

static void add_keys(const struct tui_binding *binding, struct loom_buf *out)
{
	for (size_t i = 0; i < binding->n; i++)
		tui_key_spell(binding->keys[i], out);
}

/* How many sequences `binding` makes unreachable; appends the names of the first few. */
static size_t hidden_by(const struct tui_keymap *map, const struct tui_binding *binding,
			struct loom_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < map->count; i++) {
		const struct tui_binding *other = &map->bindings[i];
		if (!hides(map, binding, other))
			continue;
		if (n++ >= NAMED)
			continue;
		loom_buf_adds(out, n > 1 ? ", " : "");
		add_keys(other, out);
	}
	return n;
}

bool tui_keymap_clash(const struct tui_keymap *map, struct loom_buf *out)
{
	struct loom_buf hidden = LOOM_BUF_INIT(400);
	size_t before = out->n;

	for (size_t i = 0; i < map->count && out->n == before; i++) {
		const struct tui_binding *binding = &map->bindings[i];
		size_t n;

		loom_buf_clear(&hidden);
		n = hidden_by(map, binding, &hidden);
		if (n == 0)
			continue;
		loom_buf_addf(out, "keys.json: in %s ", tui_keyview_name(binding->view));
		add_keys(binding, out);
		loom_buf_addf(out, " comes first, so that nothing reaches %s",
			      loom_buf_cstr(&hidden));
		if (n > NAMED)
			loom_buf_addf(out, " and %zu more", n - NAMED);
	}
	loom_buf_fini(&hidden);
	return out->n > before;
}
