/* The user's programs: those that texts go through, and those that hear of events. */
#include "inside.h"

#include <loom/base/jval.h>

#define PROGRAM_MS   30000
#define HOOK_MS      10000
#define LONGEST_MS   600000
#define PROGRAMS_MAX 200
#define NAME_MOST    32

#define AT(type, field) offsetof(struct type, field)

const char *loom_hook_name(enum loom_hook hook)
{
	static const char *const names[] = {
#define X(id, name) [LOOM_HOOK_##id] = (name),
		LOOM_HOOK_LIST(X)
#undef X
	};

	LOOM_ASSERT((size_t)hook < LOOM_COUNT(names));
	return names[hook];
}

/* A name that can be typed as a command: small letters, digits and dashes. */
static bool is_name(struct loom_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		const char c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && (i == 0 || (c != '-' && !(c >= '0' && c <= '9'))))
			return false;
	}
	return name.n > 1 && name.n <= NAME_MOST;
}

static enum loom_status read_agents(struct config_reading *config, struct loom_str value,
				    void *into)
{
	struct loom_program *program =
		(struct loom_program *)(void *)((char *)into - AT(loom_program, agents));
	struct loom_str *names =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value) + 1, struct loom_str);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item;

	if (loom_jval_type(value) != LOOM_JTYPE_ARRAY)
		return config_refuse(config, value, "\"agents\" must be a list of names");
	while (loom_jwalk_next(&walk, NULL, &item)) {
		const struct loom_str name = loom_jval_text(item, config->arena);

		if (!name.n)
			return config_refuse(config, item, "this is not the name of an agent");
		names[program->agent_count++] = name;
	}
	program->agents = names;
	return LOOM_OK;
}

static enum loom_status read_program(struct config_reading *config, struct loom_str name,
				     struct loom_str value, struct loom_program *out)
{
	static const struct config_field fields[] = {
		{"command", CONFIG_FIELD_WORDS, AT(loom_program, command), 0, 0, NULL},
		{"about", CONFIG_FIELD_TEXT, AT(loom_program, about), 0, 0, NULL},
		{"timeout", CONFIG_FIELD_SECONDS, AT(loom_program, ms), 100, LONGEST_MS, NULL},
		{"agents", CONFIG_FIELD_OWN, AT(loom_program, agents), 0, 0, read_agents},
	};
	const struct config_object object = {
		.fields = fields,
		.count = LOOM_COUNT(fields),
		.into = out,
		.what = loom_arena_format(config->arena, "programs.%.*s", LOOM_STR_ARG(name)),
	};
	enum loom_status status = LOOM_OK;

	*out = (struct loom_program){.name = name, .ms = PROGRAM_MS};
	if (!is_name(name))
		return config_refuse(
			config, value,
			"a program's name has 2 to %d small letters, digits and dashes", NAME_MOST);
	status = config_object(config, &object, value);
	if (status == LOOM_OK && !out->command)
		status = config_refuse(config, value, "program \"%.*s\" has no \"command\"",
				       LOOM_STR_ARG(name));
	return status;
}

enum loom_status config_programs(struct config_reading *config, struct loom_str value, void *into)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	const size_t count = loom_jval_count(value);
	struct loom_program *items =
		LOOM_ARENA_ARRAY(config->arena, count + 1, struct loom_program);
	struct loom_str key;
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	(void)into;
	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT || count > PROGRAMS_MAX)
		return config_refuse(config, value,
				     "\"programs\" must be an object that maps at most %d names to "
				     "programs",
				     PROGRAMS_MAX);
	config->out->programs = items;
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &item)) {
		status = read_program(config, loom_jval_text(key, config->arena), item,
				      &items[config->out->program_count]);
		config->out->program_count += status == LOOM_OK;
	}
	return status;
}

enum loom_status config_hooks(struct config_reading *config, struct loom_str value, void *into)
{
	static const struct config_field fields[] = {
#define X(id, name)                                                                                \
	{(name), CONFIG_FIELD_WORDS, AT(loom_config, hooks[LOOM_HOOK_##id]), 0, 0, NULL},
		LOOM_HOOK_LIST(X)
#undef X
			{"timeout", CONFIG_FIELD_SECONDS, AT(loom_config, hook_ms), 100, LONGEST_MS,
			 NULL},
	};
	const struct config_object object = {.fields = fields,
					     .count = LOOM_COUNT(fields),
					     .into = config->out,
					     .what = LOOM_STR_INIT("hooks")};

	(void)into;
	config->out->hook_ms = HOOK_MS;
	return config_object(config, &object, value);
}
