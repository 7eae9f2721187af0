/* One colour for all people, one for all subject models, and one of four in turn for each
 * collaborator. */
#include <loom/parts/people.h>

#include <loom/text/deceiving_names.h>

#include <loom/tree/person.h>
#include <loom/tree/say_node.h>

void tui_people_init(struct tui_people *people)
{
	*people = (struct tui_people){.arena = loom_arena_create()};
}

void tui_people_fini(struct tui_people *people)
{
	loom_arena_destroy(people->arena);
	*people = (struct tui_people){.arena = NULL};
}

static struct loom_str claim_of(struct tui_people *people, const struct loom_agent *agent)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str claim;

	if (!loom_agent_acts(agent))
		loom_show_claim(agent, &text);
	claim = loom_arena_buf(people->arena, &text);
	loom_buf_fini(&text);
	return claim;
}

enum loom_status tui_people_read(struct tui_people *people, struct loom_store *store,
				 struct loom_err *err)
{
	struct loom_agent *agents = NULL;
	struct loom_str *marks = NULL;
	unsigned aware = 0;
	size_t count = 0;
	enum loom_status status;

	loom_arena_reset(people->arena);
	people->count = 0;
	people->humans = 0;
	status = loom_agent_list(store, people->arena, &agents, &count, err);
	if (status != LOOM_OK)
		return status;
	people->me = loom_me(store);
	marks = loom_agent_marks(agents, count, people->arena);
	people->items = LOOM_ARENA_ARRAY(people->arena, count, struct tui_person);
	for (size_t i = 0; i < count; i++) {
		enum tui_role role = TUI_ROLE_MODEL;
		people->humans += loom_author_type(&agents[i]) == LOOM_AUTHOR_HUMAN;
		if (agents[i].kind == LOOM_AGENT_HUMAN)
			role = loom_agent_acts(&agents[i]) ? TUI_ROLE_HUMAN : TUI_ROLE_TEXT;
		else if (loom_agent_acts(&agents[i]) && agents[i].aware)
			role = (enum tui_role)(TUI_ROLE_AGENT_1 + aware++ % 4);
		people->items[i] = (struct tui_person){
			.agent = agents[i],
			.role = role,
			.shown = loom_name_marked(agents[i].name, marks[i], people->arena),
			.claim = claim_of(people, &agents[i]),
		};
	}
	people->count = count;
	return LOOM_OK;
}

const struct tui_person *tui_people_get(const struct tui_people *people, int64_t agent)
{
	for (size_t i = 0; i < people->count; i++) {
		if (people->items[i].agent.id == agent)
			return &people->items[i];
	}
	return NULL;
}

const struct tui_person *tui_people_named(const struct tui_people *people, struct loom_str name)
{
	for (size_t i = 0; i < people->count; i++) {
		if (!people->items[i].claim.n &&
		    loom_str_eq_fold(people->items[i].agent.name, name))
			return &people->items[i];
	}
	return NULL;
}

enum tui_role tui_people_role(const struct tui_people *people, int64_t agent)
{
	const struct tui_person *person = tui_people_get(people, agent);

	return person ? person->role : TUI_ROLE_TEXT;
}

bool tui_people_claimed(const struct tui_people *people, int64_t agent)
{
	const struct tui_person *person = tui_people_get(people, agent);

	return person && person->claim.n > 0;
}

struct loom_str tui_people_name(const struct tui_people *people, int64_t agent)
{
	const struct tui_person *person = tui_people_get(people, agent);

	if (!person)
		return LOOM_STR("somebody");
	if (person->claim.n)
		return person->claim;
	if (person->agent.kind == LOOM_AGENT_HUMAN && people->humans < 2)
		return LOOM_STR("human");
	return loom_agent_called(agent, people->me, person->shown);
}
