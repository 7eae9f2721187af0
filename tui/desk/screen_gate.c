/* Permissions at the screen. A person may do whatever the keys do. An agent with a screen of its
 * own may do with keys what it may do with a command, and no more. (The gate in the engine checks
 * its → lines, here or in a conversation.) */
#include <loom/desk/desk.h>

#include <loom/cli/cli.h>
#include <loom/tree/gate.h>
#include <loom/desk/screen_gate.h>

static enum loom_status check_gate(struct tui_app *app, const char *name, struct loom_err *err)
{
	const struct loom_need need = loom_command_need(loom_command_find(loom_str_of(name)), NULL);
	struct loom_gate_who who;
	struct loom_agent agent;
	enum loom_gate gate = LOOM_GATE_RUN;
	enum loom_status status = loom_agent_get(app->store, app->actor, app->arena, &agent, err);

	if (status == LOOM_OK)
		status = loom_gate_who(app->store, &agent, 0, &who, err);
	/* A person at the screen may do everything. */
	if (status != LOOM_OK || who.kind == LOOM_WHO_PERSON)
		return status;
	gate = loom_gate(&who, &need, NULL, err);
	if (gate == LOOM_GATE_ASK) {
		status = loom_gate_asked(LOOM_STR(""), err);
		return loom_hint(err, status, "run `loom %s …`; it will wait for approval", name);
	}
	return gate == LOOM_GATE_REFUSE ? err->status : LOOM_OK;
}

bool tui_may(struct tui_app *app, const char *command)
{
	struct loom_err err = {.status = LOOM_OK};

	return tui_must(app, check_gate(app, command, &err), &err);
}
