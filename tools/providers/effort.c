/* How much a model is to think, and how many tokens that may cost. The text that is wanted and the
 * tokens that are allowed are two numbers: a model that thinks gets room for it beyond the text,
 * and the text is cut where it was to end. Unless somebody sets an effort, whatever continues a
 * text or sums one up is told to think as little as it can; an agent's turn is left to its model.
 */
#include <loom/providers/dialect.h>

#define ROOM_LOW    2048
#define ROOM_MEDIUM 8192
#define ROOM_HIGH   24576

static bool thinks_by_name(const struct loom_generation *generation,
			   const struct provider_mind *mind)
{
	return mind->thinks && mind->thinks(generation->voice.model.id);
}

/* The effort that nobody set. */
static enum loom_thinking usual(const struct loom_generation *generation,
				const struct provider_mind *mind)
{
	const bool known = generation->facts->thinks || thinks_by_name(generation, mind);

	return known && generation->voice.use != LOOM_GENERATE_COLLABORATOR ? LOOM_THINKING_NONE
									    : LOOM_THINKING_UNSAID;
}

/* Tokens for thoughts. One that was seen to think where nothing says that it can be told not to
 * needs some even then. */
static int64_t room(const struct loom_generation *generation, const struct provider_mind *mind)
{
	const bool surely = thinks_by_name(generation, mind) && !generation->facts->stubborn &&
			    loom_str_is(provider_effort_word(generation), "none");

	switch (generation->effort) {
	case LOOM_THINKING_UNSAID:
		return 0;
	case LOOM_THINKING_NONE:
		return surely || !(generation->facts->thinks || thinks_by_name(generation, mind))
			       ? 0
			       : ROOM_LOW;
	case LOOM_THINKING_LOW:
		return ROOM_LOW;
	case LOOM_THINKING_MEDIUM:
		return ROOM_MEDIUM;
	case LOOM_THINKING_HIGH:
		return ROOM_HIGH;
	}
	return 0;
}

void provider_effort_plan(struct loom_generation *generation,
			  const struct provider_dialect *dialect)
{
	const struct provider_voice *voice = &generation->voice;
	const int64_t wanted = voice->sampling.tokens;
	const int64_t most = voice->model.max_out ? voice->model.max_out : generation->facts->most;

	generation->allowed = wanted;
	generation->effort = LOOM_THINKING_UNSAID;
	if (!dialect->mind)
		return;
	generation->effort = voice->sampling.set & LOOM_SAMPLING_EFFORT
				     ? voice->sampling.effort
				     : usual(generation, dialect->mind);
	generation->allowed = wanted + room(generation, dialect->mind);
	if (most && generation->allowed > most)
		generation->allowed = most > wanted ? most : wanted;
}

struct loom_str provider_effort_word(const struct loom_generation *generation)
{
	const struct provider_dialect *dialect = provider_dialect_of(&generation->voice.model);
	const struct provider_mind *mind = dialect->mind;

	/* somebody's wish is sent as it is */
	if (generation->effort != LOOM_THINKING_NONE ||
	    generation->voice.said & LOOM_SAMPLING_EFFORT)
		return loom_str_of(loom_thinking_name(generation->effort));
	if (generation->facts->least.n)
		return generation->facts->least;
	return mind && mind->least ? mind->least(generation->voice.model.id) : LOOM_STR("none");
}

bool provider_is_to_think(const struct loom_generation *generation)
{
	return generation->effort > LOOM_THINKING_NONE;
}
