/* The parameters of calls as data: their place in struct loom_call, their type, and the words for
 * choices. Parser, printer and JSON walk this table. */
#include "inside.h"

static const struct lang_param_info params[] = {
#define X(id_, key_, json_, type_, field_)                                                         \
	[LANG_P_##id_] = {.key = key_,                                                             \
			  .json = json_,                                                           \
			  .type = LANG_T_##type_,                                                  \
			  .offset = offsetof(struct loom_call, field_)},
	LANG_PARAMS(X)
#undef X
};

_Static_assert(LANG_P_COUNT < 128, "a mask has a bit for each parameter");

static const char *const whats[] = {
	[LOOM_WHAT_NONE] = "",
	[LOOM_WHAT_CONTINUATIONS] = "continuations",
	[LOOM_WHAT_ANNOTATIONS] = "annotations",
	[LOOM_WHAT_LINKS] = "links",
	[LOOM_WHAT_TRACE] = "trace",
	[LOOM_WHAT_STASHED] = "stashed",
	[LOOM_WHAT_DOCUMENTS] = "documents",
	[LOOM_WHAT_TREES] = "trees",
	[LOOM_WHAT_TAGS] = "tags",
	[LOOM_WHAT_BOOKMARKS] = "bookmarks",
	[LOOM_WHAT_PRUNED] = "pruned",
	[LOOM_WHAT_DRAFTS] = "drafts",
};

static const char *const ases[] = {
	[LOOM_AS_NONE] = "",           [LOOM_AS_PROSE] = "prose",
	[LOOM_AS_NODES] = "nodes",     [LOOM_AS_CONTINUATION] = "continuation",
	[LOOM_AS_CONTEXT] = "context", [LOOM_AS_INSTRUCTION] = "instruction",
	[LOOM_AS_BRANCH] = "branch",   [LOOM_AS_VERSION] = "version",
	[LOOM_AS_BEFORE] = "before",
};

static const char *const efforts[] = {
	[LOOM_EFFORT_NONE] = "",
	[LOOM_EFFORT_BASIC] = "basic",
	[LOOM_EFFORT_DEEP] = "deep",
};

/* Words that mean another. */
static const struct {
	const char *said;
	const char *meant;
} aliases[] = {{"children", "continuations"}};

struct word_list {
	const char *const *words;
	size_t count;
};

static struct word_list words_of(enum lang_param param)
{
	if (param == LANG_P_WHAT)
		return (struct word_list){whats, LOOM_COUNT(whats)};
	if (param == LANG_P_AS)
		return (struct word_list){ases, LOOM_COUNT(ases)};
	if (param == LANG_P_EFFORT)
		return (struct word_list){efforts, LOOM_COUNT(efforts)};
	return (struct word_list){NULL, 0};
}

const char *lang_word_of(enum lang_param param, int value)
{
	struct word_list list = words_of(param);

	return value >= 0 && (size_t)value < list.count ? list.words[value] : "";
}

int lang_word_value(enum lang_param param, struct loom_str word)
{
	struct word_list list = words_of(param);

	for (size_t i = 0; i < LOOM_COUNT(aliases); i++)
		if (loom_str_eq_fold(word, loom_str_of(aliases[i].said)))
			word = loom_str_of(aliases[i].meant);
	for (size_t i = 1; i < list.count; i++)
		if (loom_str_eq_fold(word, loom_str_of(list.words[i])))
			return (int)i;
	return 0;
}

const struct lang_param_info *lang_param_info(enum lang_param param)
{
	return &params[param];
}

void *lang_param_field(struct loom_call *call, enum lang_param param)
{
	return (char *)call + params[param].offset;
}

const void *lang_param_peek(const struct loom_call *call, enum lang_param param)
{
	return (const char *)call + params[param].offset;
}

int lang_param_word(const struct loom_call *call, enum lang_param param)
{
	return param == LANG_P_WHAT     ? (int)call->what
	       : param == LANG_P_AS     ? (int)call->as
	       : param == LANG_P_EFFORT ? (int)call->effort
					: 0;
}

void lang_param_set_word(struct loom_call *call, enum lang_param param, int value)
{
	if (param == LANG_P_WHAT)
		call->what = (enum loom_what)value;
	else if (param == LANG_P_AS)
		call->as = (enum loom_as)value;
	else if (param == LANG_P_EFFORT)
		call->effort = (enum loom_effort)value;
}

bool lang_param_set(const struct loom_call *call, enum lang_param param)
{
	const void *field = lang_param_peek(call, param);

	switch (params[param].type) {
	case LANG_T_ID:
	case LANG_T_IDS:
	case LANG_T_NAME:
	case LANG_T_TEXT:
		return ((const struct loom_str *)field)->p != NULL;
	case LANG_T_INT:
	case LANG_T_RANGE:
		return *(const int64_t *)field > 0;
	case LANG_T_FLAG:
		return *(const bool *)field;
	case LANG_T_WORD:
		return lang_param_word(call, param) != 0;
	case LANG_T_NAMES:
		return ((const struct loom_names *)field)->count > 0;
	case LANG_T_PLACE:
		return call->place.kind != LOOM_PLACE_NONE;
	case LANG_T_VERB:
		return call->tool != LOOM_VERB_NONE;
	}
	return false;
}

size_t loom_call_nodes(struct loom_call *call, struct loom_str **out)
{
	size_t count = 0;

	for (int param = 0; param < LANG_P_COUNT; param++) {
		const enum lang_type type = params[param].type;
		struct loom_str *field = lang_param_field(call, (enum lang_param)param);

		if ((type != LANG_T_ID && type != LANG_T_IDS) || !field->p)
			continue;
		out[count++] = field;
		if (type == LANG_T_IDS)
			out[count++] = field + 1;
	}
	LOOM_ASSERT(count <= LOOM_CALL_NODES_MAX);
	return count;
}
