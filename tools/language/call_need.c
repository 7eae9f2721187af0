/* Derives a call's needs from its row of verbs.def, as data for the gate. Knows no verb by name. */
#include <loom/language/call.h>

#include <loom/language/registry.h>

enum part { PART_DOC, PART_DOCUMENTS };

static bool has_part(const struct loom_call *call, enum part part)
{
	return part == PART_DOC ? call->doc.p != NULL : call->what == LOOM_WHAT_DOCUMENTS;
}

static void add(struct loom_need *need, unsigned deeds, unsigned may)
{
	need->deeds |= deeds;
	need->may |= may;
}

struct loom_need loom_call_need(const struct loom_call *call)
{
	static const struct {
		enum loom_verb verb;
		enum part part;
		unsigned deed;
		unsigned may;
	} rows[] = {
#define LOOM_VERB_ALSO(id, part, deed, permission)                                                 \
	{LOOM_VERB_##id, PART_##part, LOOM_DEED_##deed, LOOM_MAY_##permission},
#include <loom/verbs.def>
	};
	const struct loom_verb_info *info = loom_verb_info(call->verb);
	struct loom_need need = {.deeds = info->deed, .may = info->permission};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		if (rows[i].verb == call->verb && has_part(call, rows[i].part))
			add(&need, rows[i].deed, rows[i].may);
	return need;
}
