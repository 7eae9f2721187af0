/* Plans: agents that are several voices, asked side by side. That its members exist is known only
 * in a grove, so it is checked there. */
#include "inside.h"

#include <loom/base/jval.h>

#define MEMBERS_MAX 26
#define COUNT_MAX   100
#define TOKENS_MAX  1000000

static enum loom_status read_member(struct config_reading *config, struct loom_str value,
				    struct loom_plan_member *out)
{
	static const struct config_field fields[] = {
		{"agent", CONFIG_FIELD_TEXT, offsetof(struct loom_plan_member, agent), 0, 0, NULL},
		{"n", CONFIG_FIELD_WHOLE, offsetof(struct loom_plan_member, n), 1, COUNT_MAX, NULL},
		{"tokens", CONFIG_FIELD_WHOLE, offsetof(struct loom_plan_member, tokens), 1,
		 TOKENS_MAX, NULL},
	};
	const struct config_object object = {.fields = fields,
					     .count = LOOM_COUNT(fields),
					     .into = out,
					     .what = LOOM_STR_INIT("plan")};
	enum loom_status status = LOOM_OK;

	*out = (struct loom_plan_member){.n = 0};
	if (loom_jval_type(value) == LOOM_JTYPE_STRING)
		out->agent = loom_jval_text(value, config->arena);
	else
		status = config_object(config, &object, value);
	if (status == LOOM_OK && !out->agent.n)
		return config_refuse(config, value,
				     "a member of a plan is a name, or an object with \"agent\"");
	return status;
}

enum loom_status config_plan(struct config_reading *config, struct loom_str value, void *into)
{
	const size_t count = loom_jval_type(value) == LOOM_JTYPE_ARRAY ? loom_jval_count(value) : 0;
	struct loom_plan_member *items =
		LOOM_ARENA_ARRAY(config->arena, count ? count : 1, struct loom_plan_member);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_plan *plan = into;
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	if (!count || count > MEMBERS_MAX)
		return config_refuse(config, value, "\"plan\" must be a list of 1 to %d agents",
				     MEMBERS_MAX);
	*plan = (struct loom_plan){.items = items};
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &item))
		status = read_member(config, item, &items[plan->count++]);
	return status;
}
