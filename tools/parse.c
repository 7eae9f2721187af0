/* One call line to a typed call.
 *
 * The verb's form says what may follow; tokens are taken in any order, each fills one parameter
 * once, and a word that fills none must be one that carries nothing. Nothing is guessed: what could
 * mean two things is asked, what means nothing is refused with the form that would be right.
 *
 * Leaves tokens to lex.c, verbs to parse_verb.c, values to parse_value.c, forms to form.c and what
 * is missing to parse_check.c. No effects: ids are not looked up, limits of a verb not applied. */
#include "parse_impl.h"

/* ---- refusals ---- */

static enum loom_status refuse_with(struct tool_parse *parse, const char *format, va_list args)
{
	struct loom_refusal *refusal = parse->refusal;
	size_t at = refusal->err.at;
	char text[480];

	vsnprintf(text, sizeof text, format, args);
	(void)loom_fail(&refusal->err, LOOM_SYNTAX, "%s", text);
	refusal->err.at = at;
	if (parse->form.verb)
		(void)loom_hint(&refusal->err, LOOM_SYNTAX, TOOL_ARROW " %s %s",
				parse->form.verb->name, parse->form.verb->args);
	return LOOM_SYNTAX;
}

enum loom_status tool_refuse(struct tool_parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)refuse_with(parse, format, args);
	va_end(args);
	return LOOM_SYNTAX;
}

enum loom_status tool_ask(struct tool_parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)refuse_with(parse, format, args);
	va_end(args);
	parse->refusal->clarify = true;
	return LOOM_SYNTAX;
}

void tool_candidate(struct loom_refusal *refusal, enum loom_verb verb)
{
	refusal->not_understood = false;
	if (verb != LOOM_VERB_NONE && refusal->candidate_count < LOOM_CANDIDATES_MAX)
		refusal->candidates[refusal->candidate_count++] = verb;
}

/* Near misses in another kind: what was given, and the verb that may have been meant. */
static const struct misfit {
	enum loom_verb verb;
	enum { GIVEN_ID, GIVEN_TEXT, GIVEN_DOC } given;
	const char *question;
	enum loom_verb candidates[2];
} misfits[] = {
	{LOOM_VERB_READ, GIVEN_ID, "read is for documents; view the node in full?",
	 {LOOM_VERB_VIEW, LOOM_VERB_NONE}},
	{LOOM_VERB_VIEW, GIVEN_DOC, "view is for nodes; read the document?",
	 {LOOM_VERB_READ, LOOM_VERB_NONE}},
	{LOOM_VERB_WRITE, GIVEN_ID, "write is for documents; edit the node, or respond to it?",
	 {LOOM_VERB_EDIT, LOOM_VERB_RESPOND}},
	{LOOM_VERB_DROP, GIVEN_ID, "drop what of it? a pin is dropped with pin:ID",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
	{LOOM_VERB_DROP, GIVEN_TEXT, "drop what? stash:\"L\" deletes it, recall:\"L\" lets it go",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
	{LOOM_VERB_DROP, GIVEN_DOC, "drop what of it? a pin is dropped with pin:doc:\"D\"",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
};

/* A part that the verb does not take. */
static enum loom_status misplaced(struct tool_parse *parse, const struct tool_token *token,
				  int given)
{
	struct loom_str shown = tool_shown(token->raw);

	parse->refusal->err.at = token->at;
	for (size_t i = 0; i < LOOM_COUNT(misfits); i++) {
		if (misfits[i].verb != parse->form.verb->verb || (int)misfits[i].given != given)
			continue;
		(void)tool_ask(parse, "%s", misfits[i].question);
		tool_candidate(parse->refusal, misfits[i].candidates[0]);
		tool_candidate(parse->refusal, misfits[i].candidates[1]);
		return LOOM_SYNTAX;
	}
	parse->refusal->not_understood = true;
	return tool_refuse(parse, "%.*s is not part of %s", LOOM_STR_ARG(shown),
			   parse->form.verb->name);
}

/* A flag or key that a misspelt word is near to, NULL when none is. */
static const char *near_word(const struct tool_form *form, struct loom_str word)
{
	for (size_t i = 0; i < form->count; i++) {
		struct loom_str rest = form->slots[i].bare ? form->slots[i].values
							   : LOOM_STR("");
		struct loom_str value;

		while (loom_str_cut(&rest, '|', &value))
			if (word.n > 3 && loom_word_distance(word, value, 2) <= 2)
				return tool_param_info(form->slots[i].param)->key[0]
					       ? tool_param_info(form->slots[i].param)->key
					       : tool_word_of(TOOL_P_WHAT,
							      tool_word_value(TOOL_P_WHAT, value));
	}
	return NULL;
}

static enum loom_status left_over(struct tool_parse *parse, const struct tool_token *token)
{
	struct loom_str shown = tool_shown(token->raw);
	const char *meant = near_word(&parse->form, token->text);

	parse->refusal->err.at = token->at;
	parse->refusal->not_understood = true;
	if (meant)
		return tool_refuse(parse, "\"%.*s\" is not part of %s; %s?", LOOM_STR_ARG(shown),
				   parse->form.verb->name, meant);
	return tool_refuse(parse, "\"%.*s\" is not part of %s; a text stands in quotes",
			   LOOM_STR_ARG(shown), parse->form.verb->name);
}

/* ---- taking tokens ---- */

static const struct tool_token *peek(const struct tool_parse *parse, size_t ahead)
{
	size_t at = parse->next + ahead;

	return at < parse->tokens.count ? &parse->tokens.items[at] : NULL;
}

/* The word of a token that may be one, in a line or in arguments; empty otherwise. */
static struct loom_str word_ahead(const struct tool_parse *parse, size_t ahead)
{
	const struct tool_token *token = peek(parse, ahead);

	if (!token || (token->kind != TOOL_WORD && token->kind != TOOL_ARG))
		return LOOM_STR("");
	return token->text;
}

static bool is_set(const struct tool_parse *parse, enum tool_param param)
{
	return tool_param_set(parse->call, param);
}

static enum loom_status fill(struct tool_parse *parse, enum tool_param param,
			     const struct tool_token *token)
{
	struct loom_str shown = tool_shown(token->raw);

	parse->refusal->err.at = token->at;
	if (is_set(parse, param))
		return tool_refuse(parse, "%.*s: said twice", LOOM_STR_ARG(shown));
	return tool_value(parse, param, token);
}

/* The next text that stands by itself and is not there yet. */
static const struct tool_slot *free_text(const struct tool_parse *parse)
{
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct tool_slot *slot = &parse->form.slots[i];

		if (slot->bare && tool_param_info(slot->param)->type == TOOL_T_TEXT &&
		    !is_set(parse, slot->param))
			return slot;
	}
	return NULL;
}

static enum loom_status take_text(struct tool_parse *parse, const struct tool_token *token)
{
	const struct tool_slot *slot = free_text(parse);

	return slot ? fill(parse, slot->param, token) : misplaced(parse, token, GIVEN_TEXT);
}

/* The next node that stands by itself and is not there yet; TOOL_P_NONE when there is no room. */
static enum tool_param free_node(const struct tool_parse *parse, bool *out_any)
{
	*out_any = parse->unpin;
	if (parse->unpin)
		return is_set(parse, TOOL_P_PIN_NODE) ? TOOL_P_NONE : TOOL_P_PIN_NODE;
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct tool_slot *slot = &parse->form.slots[i];

		if (!slot->bare || tool_param_info(slot->param)->type != TOOL_T_ID)
			continue;
		*out_any = true;
		if (!is_set(parse, slot->param))
			return slot->param;
	}
	return TOOL_P_NONE;
}

static enum loom_status take_node(struct tool_parse *parse, const struct tool_token *token)
{
	bool any = false;
	enum tool_param param = free_node(parse, &any);
	struct loom_str shown = tool_shown(token->raw);

	if (param != TOOL_P_NONE)
		return fill(parse, param, token);
	parse->refusal->err.at = token->at;
	if (any)
		return tool_ask(parse, "which node? %.*s is one too many; one node, one command, "
				       "one line",
				LOOM_STR_ARG(shown));
	return misplaced(parse, token, GIVEN_ID);
}

/* A value that is a document: pin:doc:"D". */
static bool take_doc_prefix(struct tool_token *token)
{
	static const struct loom_str doc = LOOM_STR_INIT("doc:");

	if (token->prefix.n) {
		bool is_doc = loom_str_eq_fold(token->prefix, doc);

		token->prefix.n = is_doc ? 0 : token->prefix.n;
		return is_doc;
	}
	if (token->quoted || !loom_str_eq_fold(loom_str_sub(token->text, 0, doc.n), doc))
		return false;
	token->text = loom_str_sub(token->text, doc.n, token->text.n);
	return true;
}

static enum tool_param param_of(struct tool_parse *parse, struct tool_token *token, bool in)
{
	enum tool_param param = tool_form_key(&parse->form, token->key);

	if (parse->unpin && loom_str_eq_fold(token->key, LOOM_STR("doc")))
		return TOOL_P_PIN_DOC;
	if (param == TOOL_P_PIN_NODE && take_doc_prefix(token))
		return TOOL_P_PIN_DOC;
	if (param == TOOL_P_TARGET_TREE && in && !is_set(parse, TOOL_P_TARGET_NODE))
		return TOOL_P_TREE;
	return param;
}

static enum loom_status take_param(struct tool_parse *parse, const struct tool_token *given, bool in)
{
	struct tool_token token = *given;
	enum tool_param param = param_of(parse, &token, in);
	struct loom_str shown = tool_shown(token.raw);

	if (param != TOOL_P_NONE && !token.prefix.n)
		return fill(parse, param, &token);
	if (loom_str_eq_fold(token.key, LOOM_STR("doc")))
		return misplaced(parse, given, GIVEN_DOC);
	parse->refusal->err.at = token.at;
	parse->refusal->not_understood = true;
	return tool_refuse(parse, "%s takes no %.*s", parse->form.verb->name, LOOM_STR_ARG(shown));
}

/* The number that a word says, 0 for none. */
static int64_t counted(struct loom_str word)
{
	static const char *const numbers[] = {"one", "two",   "three", "four", "five",
					      "six", "seven", "eight", "nine", "ten"};
	int64_t n = 0;

	for (size_t i = 0; i < LOOM_COUNT(numbers); i++)
		if (loom_str_eq_fold(word, loom_str_of(numbers[i])))
			return (int64_t)i + 1;
	return loom_str_to_i64(word, &n) && n > 0 ? n : 0;
}

static bool is_noun(struct loom_str word)
{
	return loom_str_eq_fold(word, LOOM_STR("continuations")) ||
	       loom_str_eq_fold(word, LOOM_STR("continuation"));
}

/* `3 continuations`; true when the word was one of these. */
static bool take_count(struct tool_parse *parse, const struct tool_token *token,
		       enum loom_status *out_status)
{
	int64_t n = counted(token->text);

	*out_status = LOOM_OK;
	if (!tool_form_slot(&parse->form, TOOL_P_N))
		return false;
	if (is_noun(token->text))
		return true;
	if (!is_noun(word_ahead(parse, 1)) || !n)
		return false;
	parse->next++;
	if (is_set(parse, TOOL_P_N))
		*out_status = tool_refuse(parse, "the count is said twice");
	else
		parse->call->n = n;
	return true;
}

/* from, using, in: what each leads must follow. */
static bool take_connective(struct tool_parse *parse, const struct tool_token *token,
			    enum loom_status *out_status)
{
	const struct tool_token *next = peek(parse, 1);
	struct tool_token arg = next ? (next->kind == TOOL_ARG ? tool_lex_arg(next) : *next)
				     : (struct tool_token){.kind = TOOL_WORD};
	bool from = loom_str_eq_fold(token->text, LOOM_STR("from"));
	bool in = loom_str_eq_fold(token->text, LOOM_STR("in")) && parse->form.takes_id;
	bool using = loom_str_eq_fold(token->text, LOOM_STR("using"));
	struct loom_str id;

	from = from && tool_form_slot(&parse->form, TOOL_P_FROM);
	using = using && tool_form_slot(&parse->form, TOOL_P_AGENT);
	if (from && arg.kind == TOOL_WORD && tool_id_read(parse->arena, arg.text, &id))
		*out_status = fill(parse, TOOL_P_FROM, &arg);
	else if (from && loom_str_eq_fold(arg.key, LOOM_STR("from")))
		*out_status = take_param(parse, &arg, false);
	else if (in && loom_str_eq_fold(arg.key, LOOM_STR("tree")))
		*out_status = take_param(parse, &arg, true);
	else if (using && loom_str_eq_fold(arg.key, LOOM_STR("agent")))
		*out_status = take_param(parse, &arg, false);
	else
		return false;
	parse->next++;
	return true;
}

/* Words that carry nothing for this verb alone. */
static bool is_own_filler(const struct tool_parse *parse, struct loom_str word)
{
	enum loom_verb verb = parse->form.verb->verb;

	return loom_str_eq_fold(word, LOOM_STR("as")) &&
	       (verb == LOOM_VERB_BOOKMARK || verb == LOOM_VERB_TAG);
}

static enum loom_status take_word(struct tool_parse *parse, const struct tool_token *token)
{
	enum loom_status status = LOOM_OK;
	int value = 0;
	enum tool_param param = TOOL_P_NONE;
	struct loom_str id;

	if (take_count(parse, token, &status) || take_connective(parse, token, &status))
		return status;
	param = tool_form_word(&parse->form, token->text, &value);
	if (param == TOOL_P_WHAT && !is_set(parse, param)) {
		tool_param_set_word(parse->call, param, value);
		return LOOM_OK;
	}
	if (param != TOOL_P_NONE)
		return fill(parse, param, token);
	if (tool_id_read(parse->arena, token->text, &id))
		return take_node(parse, token);
	if (tool_is_filler(token->text) || is_own_filler(parse, token->text))
		return LOOM_OK;
	return left_over(parse, token);
}

/* ---- arguments of a command ---- */

/* Whether everything that a form wants before `slot` is there and nothing that it does not know. */
static bool is_due(const struct tool_parse *parse, const struct tool_slot *slot)
{
	uint64_t mask = tool_form_mask(&parse->form, parse->call);
	bool needed = false;

	for (unsigned char item = 0; item < slot->item; item++)
		if (tool_form_item(&parse->form, slot->form, item, mask, &needed) == 0 && needed)
			return false;
	return true;
}

static const struct tool_slot *text_due(const struct tool_parse *parse)
{
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct tool_slot *slot = &parse->form.slots[i];

		if (slot->bare && tool_param_info(slot->param)->type == TOOL_T_TEXT &&
		    !is_set(parse, slot->param) && is_due(parse, slot))
			return slot;
	}
	return NULL;
}

/* Whether an argument says in words what could also be said as this text: content-of:ID. */
static bool is_alternative(const struct tool_parse *parse, const struct tool_slot *text,
			   const struct tool_token *arg)
{
	enum tool_param param = tool_form_key(&parse->form, arg->key);

	for (size_t i = 0; i < parse->form.count; i++) {
		const struct tool_slot *slot = &parse->form.slots[i];

		if (slot != text && slot->param == param && slot->form == text->form &&
		    slot->item == text->item)
			return true;
	}
	return false;
}

/* `in tree:T` where a text may follow or be missing. */
static bool is_in_tree(const struct tool_parse *parse, const struct tool_slot *text)
{
	const struct tool_token *next = peek(parse, 1);

	return loom_str_is(word_ahead(parse, 0), "in") && next &&
	       loom_str_starts(next->raw, LOOM_STR("tree:")) && (text->optional || peek(parse, 2));
}

/* On the second try: whether the argument reads as something else than a text. */
static bool reads_otherwise(const struct tool_parse *parse, const struct tool_token *arg)
{
	int value = 0;

	if (arg->kind == TOOL_PARAM)
		return tool_form_key(&parse->form, arg->key) != TOOL_P_NONE;
	return tool_is_filler(arg->text) || is_own_filler(parse, arg->text) ||
	       tool_form_word(&parse->form, arg->text, &value) != TOOL_P_NONE;
}

static enum loom_status take_arg(struct tool_parse *parse, const struct tool_token *given)
{
	const struct tool_slot *text = text_due(parse);
	struct tool_token arg = tool_lex_arg(given);

	if (text && !is_alternative(parse, text, &arg) && !is_in_tree(parse, text) &&
	    !(parse->argv_loose && reads_otherwise(parse, &arg))) {
		arg = *given;
		arg.quoted = true;
		return fill(parse, text->param, &arg);
	}
	if (arg.kind == TOOL_PARAM)
		return take_param(parse, &arg, false);
	if (tool_is_logic(arg.text))
		return tool_ask(parse, "which one? one node, one command, one line");
	return take_word(parse, &arg);
}

static enum loom_status take_tokens(struct tool_parse *parse)
{
	enum loom_status status = LOOM_OK;

	for (; status == LOOM_OK && parse->next < parse->tokens.count; parse->next++) {
		const struct tool_token *token = &parse->tokens.items[parse->next];

		switch (token->kind) {
		case TOOL_WORD:
			status = take_word(parse, token);
			break;
		case TOOL_TEXT:
			status = take_text(parse, token);
			break;
		case TOOL_PARAM:
			status = take_param(parse, token, false);
			break;
		case TOOL_ARG:
			status = take_arg(parse, token);
			break;
		}
	}
	return status;
}

/* ---- verbs that read otherwise ---- */

/* `help [VERB]`: one verb, said in any of its ways. */
static enum loom_status take_help(struct tool_parse *parse)
{
	struct tool_verb_match match = tool_verb_match(&parse->tokens, parse->next);
	size_t next = parse->next;

	for (; next < parse->tokens.count; next++)
		if (!tool_is_filler(parse->tokens.items[next].text))
			break;
	if (next == parse->tokens.count)
		return LOOM_OK;
	if (match.verb != LOOM_VERB_NONE && match.next == parse->tokens.count) {
		parse->call->tool = match.verb;
		return LOOM_OK;
	}
	(void)tool_ask(parse, "help shows the commands, or one of them: which one?");
	tool_candidate(parse->refusal, LOOM_VERB_HELP);
	return LOOM_SYNTAX;
}

static enum loom_status no_thought(struct loom_refusal *refusal)
{
	refusal->verb = LOOM_VERB_THINK;
	(void)loom_fail(&refusal->err, LOOM_SYNTAX, "there is no thought");
	return loom_hint(&refusal->err, LOOM_SYNTAX,
			 TOOL_ARROW " think TEXT " TOOL_BACK_ARROW);
}

enum loom_status tool_parse_thought(struct loom_str text, struct loom_call *out,
				    struct loom_refusal *refusal)
{
	*out = loom_call_of(LOOM_VERB_THINK);
	out->content = text;
	return text.n ? LOOM_OK : no_thought(refusal);
}

/* ---- one line ---- */

/* A word that turns or joins meanings refuses the line, wherever it stands. */
static enum loom_status check_logic(struct tool_parse *parse)
{
	for (size_t i = 0; i < parse->tokens.count; i++) {
		const struct tool_token *token = &parse->tokens.items[i];
		struct loom_str shown = tool_shown(token->raw);

		if (token->kind != TOOL_WORD || !tool_is_logic(token->text))
			continue;
		parse->refusal->err.at = token->at;
		(void)tool_ask(parse,
			       "what exactly? \"%.*s\" leaves it open; one node, one command, one "
			       "line",
			       LOOM_STR_ARG(shown));
		return loom_hint(&parse->refusal->err, LOOM_SYNTAX,
				 "say the one thing to do, each on a line of its own");
	}
	return LOOM_OK;
}

static enum loom_status ask_readings(struct tool_parse *parse, const struct tool_verb_match *match)
{
	struct loom_str rest = loom_str_of(match->readings);
	struct loom_buf list = LOOM_BUF_INIT(200);
	struct loom_str name;

	while (loom_str_cut(&rest, '|', &name)) {
		loom_buf_adds(&list, parse->refusal->candidate_count ? (rest.p ? ", " : " or ") : "");
		loom_buf_add(&list, name);
		tool_candidate(parse->refusal, loom_verb_find(name));
	}
	(void)tool_ask(parse, "\"%.*s\" can mean several things: %s?", LOOM_STR_ARG(match->phrase),
		       loom_buf_cstr(&list));
	loom_buf_fini(&list);
	return loom_hint(&parse->refusal->err, LOOM_SYNTAX, "say which: " TOOL_ARROW " %s …",
			 loom_verb_name(parse->refusal->candidates[0]));
}

static enum loom_status unknown_verb(struct tool_parse *parse, struct loom_str word)
{
	struct loom_str shown = tool_shown(word);
	enum loom_verb nearest = loom_verb_nearest(word);

	parse->refusal->not_understood = true;
	if (!word.n)
		return tool_refuse(parse, "a call begins with a verb");
	(void)tool_refuse(parse, "there is no command \"%.*s\"", LOOM_STR_ARG(shown));
	if (nearest != LOOM_VERB_NONE)
		return loom_hint(&parse->refusal->err, LOOM_SYNTAX, TOOL_ARROW " %s %s?",
				 loom_verb_name(nearest), loom_verb_info(nearest)->args);
	return loom_hint(&parse->refusal->err, LOOM_SYNTAX,
			 TOOL_ARROW " help lists the commands");
}

static enum loom_status parse_tokens(struct tool_parse *parse)
{
	struct tool_verb_match match = tool_verb_match(&parse->tokens, 0);
	enum loom_status status = LOOM_OK;

	if (!parse->tokens.count) {
		(void)tool_refuse(parse, "the line has no command");
		return loom_hint(&parse->refusal->err, LOOM_SYNTAX,
				 TOOL_ARROW " help lists the commands");
	}
	if (!parse->argv && check_logic(parse) != LOOM_OK)
		return LOOM_SYNTAX;
	if (match.readings)
		return ask_readings(parse, &match);
	if (match.verb == LOOM_VERB_NONE)
		return unknown_verb(parse, match.phrase);
	parse->refusal->verb = match.verb;
	parse->unpin = match.unpin;
	parse->next = match.next;
	*parse->call = loom_call_of(match.verb);
	tool_form_read(match.verb, &parse->form);
	if (match.verb == LOOM_VERB_HELP)
		return take_help(parse);
	status = take_tokens(parse);
	return status == LOOM_OK ? tool_check(parse) : status;
}

enum loom_status loom_parse_line(struct loom_arena *arena, struct loom_str line,
				 struct loom_call *out, struct loom_refusal *refusal)
{
	struct tool_parse parse = {.arena = arena, .call = out, .refusal = refusal};
	struct loom_str copy = loom_arena_str(arena, tool_trim(line));
	struct loom_str thought;
	enum loom_status status = LOOM_OK;

	*refusal = (struct loom_refusal){.text = copy};
	*out = loom_call_of(LOOM_VERB_NONE);
	if (tool_is_think(copy, &thought)) {
		(void)tool_cut_back_arrow(thought, &thought);
		status = tool_parse_thought(tool_trim(thought), out, refusal);
	} else {
		status = tool_lex(arena, copy, &parse.tokens, refusal);
		if (status == LOOM_OK)
			status = parse_tokens(&parse);
	}
	out->text = copy;
	return status;
}

/* ---- arguments ---- */

/* The arguments from `from` on, blanks between, as one text. */
static struct loom_str joined(struct loom_arena *arena, const struct tool_tokens *tokens,
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

enum loom_status loom_parse_argv(struct loom_arena *arena, int argc, char *const *argv,
				 struct loom_call *out, struct loom_refusal *refusal)
{
	struct tool_tokens tokens = {0};
	struct loom_refusal first = {0};
	struct tool_verb_match match;
	enum loom_status status = LOOM_SYNTAX;

	tool_lex_argv(arena, argc, argv, &tokens);
	first.text = joined(arena, &tokens, 0);
	match = tool_verb_match(&tokens, 0);
	if (match.verb == LOOM_VERB_THINK) {
		*refusal = first;
		status = tool_parse_thought(joined(arena, &tokens, match.next), out, refusal);
		out->text = first.text;
		return status;
	}
	for (int loose = 0; status != LOOM_OK && loose < 2; loose++) {
		struct tool_parse parse = {.arena = arena,
					   .tokens = tokens,
					   .call = out,
					   .refusal = refusal,
					   .argv = true,
					   .argv_loose = loose};

		*refusal = (struct loom_refusal){.text = first.text};
		*out = loom_call_of(LOOM_VERB_NONE);
		status = parse_tokens(&parse);
		if (!loose)
			first = *refusal;
	}
	if (status != LOOM_OK)
		*refusal = first;
	out->text = first.text;
	return status;
}
