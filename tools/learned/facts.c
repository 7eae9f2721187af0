/* The file of what was learned: an object whose members are "BASE_URL MODEL". Read once, written
 * member by member under a lock, so that two processes do not lose each other's. Invariants: a
 * malformed file counts as an empty one; nothing here ever fails a request. */
#include <loom/learned/facts.h>

#include <limits.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/files/state_file.h>

#define FILE_MOST ((size_t)4 << 20)

struct known {
	struct known *next;
	struct loom_facts facts;
};

struct loom_learned {
	const struct loom_env *env;
	struct loom_arena *arena;
	struct known *first;
	cJSON *file; /* NULL: not read yet */
};

static const char *const kind_names[] = {
#define X(id, name, bytes) name,
	LOOM_TEXT_KINDS(X)
#undef X
};

struct loom_learned *loom_learned_open(const struct loom_env *env)
{
	struct loom_learned *learned = loom_alloc(sizeof *learned);

	*learned = (struct loom_learned){.env = env, .arena = loom_arena_create()};
	return learned;
}

void loom_learned_close(struct loom_learned *learned)
{
	if (!learned)
		return;
	cJSON_Delete(learned->file);
	loom_arena_destroy(learned->arena);
	free(learned);
}

static struct loom_str kept(struct loom_learned *learned, struct loom_str text)
{
	return loom_arena_str(learned->arena, text);
}

/* ---- the file ---- */

static bool find_path(const struct loom_learned *learned, bool make, struct loom_buf *out)
{
	if (!learned->env || loom_env_dir(learned->env, LOOM_DIR_STATE, out, NULL) != LOOM_OK)
		return false;
	if (make && model_make_dirs(loom_buf_str(out), MODEL_FOLDER_MODE, NULL) != LOOM_OK)
		return false;
	loom_buf_adds(out, "/models.json");
	return true;
}

static void load(struct loom_learned *learned)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	if (learned->file)
		return;
	if (!find_path(learned, false, &path) ||
	    model_json_load(loom_buf_cstr(&path), FILE_MOST, &learned->file, NULL) != LOOM_OK) {
		cJSON_Delete(learned->file);
		learned->file = cJSON_CreateObject();
	}
	loom_buf_fini(&path);
}

static const char *name_of(struct loom_arena *arena, const struct loom_facts *facts)
{
	return loom_arena_cstr(arena,
			       loom_arena_format(arena, "%.*s %.*s", LOOM_STR_ARG(facts->base_url),
						 LOOM_STR_ARG(facts->model)));
}

/* ---- one member ---- */

static void read_density(const cJSON *object, struct loom_density *out)
{
	const cJSON *density = loom_json_get(object, "density");

	for (int kind = 0; density && kind < LOOM_TEXT_KIND_COUNT; kind++) {
		const cJSON *pair = loom_json_get(density, kind_names[kind]);
		const cJSON *tokens = cJSON_GetArrayItem(pair, 0);
		const cJSON *seen = cJSON_GetArrayItem(pair, 1);

		if (!cJSON_IsNumber(tokens) || !cJSON_IsNumber(seen) ||
		    !(tokens->valuedouble > 0 && tokens->valuedouble <= 4) ||
		    !(seen->valuedouble >= 0))
			continue;
		out->tokens[kind] = tokens->valuedouble;
		out->seen[kind] = seen->valuedouble;
	}
}

static void read_facts(struct loom_learned *learned, const cJSON *object, struct loom_facts *out)
{
	const cJSON *item = NULL;
	int64_t adaptive = 0;

	cJSON_ArrayForEach(item, loom_json_get(object, "left_out"))
	{
		if (cJSON_IsString(item))
			(void)loom_facts_leave_out(learned, out, loom_str_of(item->valuestring));
	}
	out->tokens_key = kept(learned, loom_json_str(object, "tokens"));
	out->least = kept(learned, loom_json_str(object, "least_effort"));
	out->server = kept(learned, loom_json_str(object, "server"));
	out->thinks = cJSON_IsTrue(loom_json_get(object, "thinks"));
	out->stubborn = cJSON_IsTrue(loom_json_get(object, "thinks_always"));
	if (loom_json_int(object, "adaptive", &adaptive))
		out->adaptive = adaptive > 0 ? 1 : -1;
	out->way = kept(learned, loom_json_str(object, "strategy"));
	out->way_why = kept(learned, loom_json_str(object, "strategy_why"));
	(void)loom_json_int(object, "strategy_at", &out->way_at);
	(void)loom_json_int(object, "most", &out->most);
	(void)loom_json_int(object, "window", &out->window);
	(void)loom_json_int(object, "slots", &out->slots);
	read_density(object, &out->density);
}

struct loom_facts *loom_learned_of(struct loom_learned *learned, struct loom_str base_url,
				   struct loom_str model)
{
	struct known *known = learned->first;

	while (known && !(loom_str_eq(known->facts.base_url, base_url) &&
			  loom_str_eq(known->facts.model, model)))
		known = known->next;
	if (known)
		return &known->facts;
	load(learned);
	known = LOOM_ARENA_NEW(learned->arena, struct known);
	*known = (struct known){.next = learned->first,
				.facts = {.base_url = kept(learned, base_url),
					  .model = kept(learned, model)}};
	learned->first = known;
	read_facts(learned, loom_json_get(learned->file, name_of(learned->arena, &known->facts)),
		   &known->facts);
	return &known->facts;
}

static void add_text(cJSON *object, const char *key, struct loom_str text, struct loom_arena *arena)
{
	if (text.n)
		cJSON_AddStringToObject(object, key, loom_arena_cstr(arena, text));
}

static void add_count(cJSON *object, const char *key, int64_t count)
{
	if (count)
		cJSON_AddNumberToObject(object, key, (double)count);
}

static cJSON *write_density(const struct loom_density *density)
{
	cJSON *object = cJSON_CreateObject();

	for (int kind = 0; object && kind < LOOM_TEXT_KIND_COUNT; kind++) {
		const double pair[] = {density->tokens[kind], density->seen[kind]};

		if (density->seen[kind] > 0)
			cJSON_AddItemToObject(object, kind_names[kind],
					      cJSON_CreateDoubleArray(pair, 2));
	}
	return object;
}

static cJSON *write_facts(const struct loom_facts *facts, struct loom_arena *arena)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *list = facts->gone_count ? cJSON_AddArrayToObject(object, "left_out") : NULL;

	for (size_t i = 0; list && i < facts->gone_count; i++)
		cJSON_AddItemToArray(list,
				     cJSON_CreateString(loom_arena_cstr(arena, facts->gone[i])));
	add_text(object, "tokens", facts->tokens_key, arena);
	add_text(object, "least_effort", facts->least, arena);
	add_text(object, "server", facts->server, arena);
	add_text(object, "strategy", facts->way, arena);
	add_text(object, "strategy_why", facts->way_why, arena);
	add_count(object, "strategy_at", facts->way_at);
	if (facts->thinks)
		cJSON_AddTrueToObject(object, "thinks");
	if (facts->stubborn)
		cJSON_AddTrueToObject(object, "thinks_always");
	add_count(object, "adaptive", facts->adaptive);
	add_count(object, "most", facts->most);
	add_count(object, "window", facts->window);
	add_count(object, "slots", facts->slots);
	if (!loom_density_empty(&facts->density))
		cJSON_AddItemToObject(object, "density", write_density(&facts->density));
	return object;
}

void loom_learned_keep(struct loom_learned *learned, const struct loom_facts *facts)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct loom_arena *arena = loom_arena_create();
	const char *name = name_of(arena, facts);
	cJSON *all = NULL;
	int lock = -1;

	if (find_path(learned, true, &path) &&
	    model_file_lock(loom_buf_cstr(&path), &lock, NULL) == LOOM_OK) {
		if (model_json_load(loom_buf_cstr(&path), FILE_MOST, &all, NULL) != LOOM_OK) {
			cJSON_Delete(all);
			all = cJSON_CreateObject();
		}
		cJSON_DeleteItemFromObjectCaseSensitive(all, name);
		cJSON_AddItemToObject(all, name, write_facts(facts, arena));
		(void)!model_json_save(loom_buf_cstr(&path), all, NULL);
		cJSON_Delete(all);
	}
	if (lock >= 0)
		close(lock);
	loom_buf_fini(&path);
	loom_arena_destroy(arena);
}

void loom_facts_pin(struct loom_learned *learned, struct loom_facts *facts, struct loom_str way,
		    struct loom_str why, int64_t at)
{
	facts->way = kept(learned, way);
	facts->way_why = kept(learned, why);
	facts->way_at = at;
	loom_learned_keep(learned, facts);
}

/* ---- members that are left out ---- */

bool loom_facts_gone(const struct loom_facts *facts, struct loom_str field)
{
	for (size_t i = 0; i < facts->gone_count; i++)
		if (loom_str_eq(facts->gone[i], field))
			return true;
	return false;
}

bool loom_facts_leave_out(struct loom_learned *learned, struct loom_facts *facts,
			  struct loom_str field)
{
	if (facts->gone_count == LOOM_GONE_MAX || loom_facts_gone(facts, field))
		return false;
	facts->gone[facts->gone_count++] = kept(learned, field);
	return true;
}
