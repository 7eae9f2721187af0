/* The arguments of `loom do`. Each is one token; where a text is expected, the argument is that
 * text byte for byte, whatever it looks like.
 *
 * Texts are expected in the order of the verb's form. If that reading fails, a second try takes
 * parameters and flags first, so that `respond a7x2 as:context TEXT` works too. */
#include "inside.h"

/* Whether everything that a form needs before `slot` is set, and nothing outside the form. */
static bool is_due(const struct lang_parse *parse, const struct lang_slot *slot)
{
	lang_mask mask = lang_form_mask(&parse->form, parse->call);
	bool needed = false;

	for (unsigned char item = 0; item < slot->item; item++)
		if (lang_form_item(&parse->form, slot->form, item, mask, &needed) == 0 && needed)
			return false;
	return true;
}

static const struct lang_slot *text_due(const struct lang_parse *parse)
{
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct lang_slot *slot = &parse->form.slots[i];

		if (slot->bare && lang_param_info(slot->param)->type == LANG_T_TEXT &&
		    !lang_param_set(parse->call, slot->param) && is_due(parse, slot))
			return slot;
	}
	return NULL;
}

/* Whether an argument is an alternative to this text: content-of:ID. */
static bool is_alternative(const struct lang_parse *parse, const struct lang_slot *text,
			   const struct lang_token *arg)
{
	enum lang_param param = lang_form_key(&parse->form, arg->key);

	for (size_t i = 0; i < parse->form.count; i++) {
		const struct lang_slot *slot = &parse->form.slots[i];

		if (slot != text && slot->param == param && slot->form == text->form &&
		    slot->item == text->item)
			return true;
	}
	return false;
}

/* `in tree:T` where an optional text may follow. */
static bool is_in_tree(const struct lang_parse *parse, const struct lang_slot *text)
{
	const struct lang_token *next = lang_peek(parse, 1);

	return loom_str_is(lang_word_ahead(parse, 0), "in") && next &&
	       loom_str_starts(next->raw, LOOM_STR("tree:")) &&
	       (text->optional || lang_peek(parse, 2));
}

/* On the second try: whether the argument can be read as something other than a text. */
static bool reads_otherwise(const struct lang_parse *parse, const struct lang_token *arg)
{
	int value = 0;

	if (arg->kind == LANG_PARAM)
		return lang_form_key(&parse->form, arg->key) != LANG_P_NONE;
	return lang_is_filler(arg->text) || lang_is_own_filler(parse, arg->text) ||
	       lang_form_word(&parse->form, arg->text, &value) != LANG_P_NONE;
}

enum loom_status lang_take_arg(struct lang_parse *parse, const struct lang_token *given)
{
	const struct lang_slot *text = text_due(parse);
	struct lang_token arg = lang_lex_arg(given);

	if (text && !is_alternative(parse, text, &arg) && !is_in_tree(parse, text) &&
	    !(parse->argv_loose && reads_otherwise(parse, &arg))) {
		arg = *given;
		arg.quoted = true;
		return lang_fill(parse, text->param, &arg);
	}
	if (arg.kind == LANG_PARAM)
		return lang_take_param(parse, &arg, false);
	if (lang_is_logic(arg.text))
		return lang_ask(parse, "which one? one node, one command, one line");
	return lang_take_word(parse, &arg);
}

/* The arguments from `from` on, joined by blanks. */
static struct loom_str joined(struct loom_arena *arena, const struct lang_tokens *tokens,
			      size_t from)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	for (size_t i = from; i < tokens->count; i++) {
		if (i > from)
			loom_buf_addc(&text, ' ');
		loom_buf_add(&text, tokens->items[i].raw);
	}
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy;
}

/* Tries one way of reading the arguments. */
static enum loom_status read_as(struct loom_arena *arena, const struct lang_tokens *tokens,
				bool loose, struct loom_call *out, struct loom_refusal *refusal)
{
	struct lang_parse parse = {.arena = arena,
				   .tokens = *tokens,
				   .call = out,
				   .refusal = refusal,
				   .argv = true,
				   .argv_loose = loose};
	enum loom_status status = LOOM_OK;

	*refusal = (struct loom_refusal){.status = LOOM_OK};
	*out = loom_call_of(LOOM_VERB_NONE);
	status = lang_parse_tokens(&parse);
	if (status != LOOM_OK)
		lang_refusal_of(arena, &parse.err, refusal);
	return status;
}

static enum loom_status read_thought(struct loom_arena *arena, struct loom_str text,
				     struct loom_call *out, struct loom_refusal *refusal)
{
	struct loom_err err = {0};
	enum loom_status status = lang_parse_thought(text, out, &err);

	*refusal = (struct loom_refusal){.verb = LOOM_VERB_THINK};
	if (status != LOOM_OK)
		lang_refusal_of(arena, &err, refusal);
	return status;
}

/* Whether the only argument is a whole line: it begins with the arrow, or contains a blank, which
 * no verb does. */
static bool is_line(int argc, char *const *argv, struct loom_str *out)
{
	size_t arrow = 0;

	if (argc != 1)
		return false;
	*out = loom_str_trim(loom_str_of(argv[0]));
	arrow = lang_arrow(*out);
	*out = loom_str_sub(*out, arrow, out->n);
	return arrow || loom_str_find_char(*out, ' ', 0) != SIZE_MAX;
}

enum loom_status loom_parse_argv(struct loom_arena *arena, int argc, char *const *argv,
				 struct loom_call *out, struct loom_refusal *refusal)
{
	struct lang_tokens tokens = {0};
	struct loom_refusal loose;
	struct lang_verb_match match;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	if (is_line(argc, argv, &line))
		return loom_parse_line(arena, line, out, refusal);
	lang_lex_argv(arena, argc, argv, &tokens);
	match = lang_verb_match(&tokens, 0);
	if (match.verb == LOOM_VERB_THINK) {
		status = read_thought(arena, joined(arena, &tokens, match.next), out, refusal);
	} else {
		status = read_as(arena, &tokens, false, out, refusal);
		if (status != LOOM_OK)
			status = read_as(arena, &tokens, true, out, &loose);
	}
	refusal->text = out->text = joined(arena, &tokens, 0);
	lang_tokens_fini(&tokens);
	return status;
}
