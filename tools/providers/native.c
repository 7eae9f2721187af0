/* Calls of tools that a server sends beside the text, although none were offered to it. They are
 * kept as they come, a name and pieces of arguments, and given as one list at the end. */
#include "ask.h"
#include <loom/providers/generation.h>

#define NATIVE_MAX ((size_t)1 << 20)
/* Between a call's name and its arguments, and after them; neither is part of JSON. */
#define BEHIND_NAME '\x1f'
#define BEHIND_CALL '\x1e'

static void add_call(struct loom_generation *generation, size_t index, struct loom_str name,
		     struct loom_str arguments)
{
	struct provider_choice *choice = &generation->choices[index];
	struct loom_buf *native = &choice->native;

	if (choice->dropped || choice->ended || native->n + arguments.n > NATIVE_MAX)
		return;
	if (name.n) {
		if (native->n)
			loom_buf_addc(native, BEHIND_CALL);
		loom_buf_add(native, name);
		loom_buf_addc(native, BEHIND_NAME);
	}
	if (native->n)
		loom_buf_add(native, arguments);
}

void provider_choice_native_json(const struct provider_choice *choice, struct loom_buf *out)
{
	struct loom_str rest = loom_buf_str(&choice->native);
	struct loom_str call;
	struct loom_str name;
	struct loom_json json;

	if (!rest.n)
		return;
	loom_json_init(&json, out);
	loom_json_array(&json);
	while (loom_str_cut(&rest, BEHIND_CALL, &call) && loom_str_cut(&call, BEHIND_NAME, &name)) {
		loom_json_object(&json);
		loom_json_put(&json, "name", name);
		loom_json_put(&json, "arguments", call);
		loom_json_end_object(&json);
	}
	loom_json_end_array(&json);
}

void provider_ask_native(struct provider_ask *ask, size_t choice, struct loom_str name,
			 struct loom_str arguments)
{
	struct loom_arena *scratch = provider_ask_scratch(ask);
	struct loom_str text = arguments;

	if (choice >= provider_ask_count(ask))
		return;
	if (loom_jval_type(arguments) == LOOM_JTYPE_STRING)
		text = loom_jval_text(arguments, scratch);
	else if (loom_jval_type(arguments) != LOOM_JTYPE_OBJECT || !loom_jval_count(arguments))
		text = LOOM_STR("");
	add_call(provider_ask_generation(ask), ask->first + choice, loom_jval_text(name, scratch),
		 text);
}

void provider_ask_natives(struct provider_ask *ask, size_t choice, struct loom_str list)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str call;

	while (loom_jwalk_next(&walk, NULL, &call)) {
		struct loom_str function = loom_jval_get(call, "function");

		provider_ask_native(ask, choice, loom_jval_get(function, "name"),
				    loom_jval_get(function, "arguments"));
	}
}
