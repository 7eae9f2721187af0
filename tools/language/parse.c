/* A call line to a typed call.
 *
 * The verb's form says what may follow. Tokens are taken in any order, each fills one parameter
 * once, and a word that fills none must be meaningless. Nothing is guessed: an ambiguity becomes a
 * question, and anything without a meaning is refused with the form that would be right.
 *
 * Tokens belong to lex.c, verbs to parse_verb.c, values to parse_value.c, forms to form.c, missing
 * parts to parse_check.c. No effects: ids are not looked up, and limits of verbs not applied. */
#include "inside.h"

#include <loom/phrase/phrase.h>

/* ---- taking tokens ---- */

const struct lang_token *lang_peek(const struct lang_parse *parse, size_t ahead)
{
	size_t at = parse->next + ahead;

	return at < parse->tokens.count ? &parse->tokens.items[at] : NULL;
}

/* The word of a token that can be one, in a line or in arguments; otherwise empty. */
struct loom_str lang_word_ahead(const struct lang_parse *parse, size_t ahead)
{
	const struct lang_token *token = lang_peek(parse, ahead);

	if (!token || (token->kind != LANG_WORD && token->kind != LANG_ARG))
		return LOOM_STR("");
	return token->text;
}

static bool is_set(const struct lang_parse *parse, enum lang_param param)
{
	return lang_param_set(parse->call, param);
}

enum loom_status lang_fill(struct lang_parse *parse, enum lang_param param,
			   const struct lang_token *token)
{
	struct loom_str shown = lang_shown(token->raw);

	parse->err.at = token->at;
	if (param == LANG_P_REF && parse->form.verb->verb == LOOM_VERB_SPAWN &&
	    is_set(parse, param)) {
		parse->call->ref =
			loom_arena_format(parse->arena, "%.*s %.*s", LOOM_STR_ARG(parse->call->ref),
					  LOOM_STR_ARG(token->text));
		return LOOM_OK;
	}
	if (is_set(parse, param) && lang_param_info(param)->type == LANG_T_ID)
		return lang_ask(parse, "which node? %.*s is one too many", LOOM_STR_ARG(shown));
	if (is_set(parse, param))
		return lang_refuse(parse, "%.*s: given twice", LOOM_STR_ARG(shown));
	return lang_value(parse, param, token);
}

/* The next text without a key that is not set yet. */
static const struct lang_slot *free_text(const struct lang_parse *parse)
{
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct lang_slot *slot = &parse->form.slots[i];

		if (slot->bare && lang_param_info(slot->param)->type == LANG_T_TEXT &&
		    !is_set(parse, slot->param))
			return slot;
	}
	return NULL;
}

static const struct lang_slot *free_name(const struct lang_parse *parse)
{
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct lang_slot *slot = &parse->form.slots[i];

		if (slot->bare && (slot->param == LANG_P_REF || slot->param == LANG_P_DOC) &&
		    !is_set(parse, slot->param))
			return slot;
	}
	return NULL;
}

static enum loom_status take_text(struct lang_parse *parse, const struct lang_token *token)
{
	const struct lang_slot *slot = free_text(parse);

	slot = slot ? slot : free_name(parse);
	return slot ? lang_fill(parse, slot->param, token)
		    : lang_misplaced(parse, token, LANG_GIVEN_TEXT);
}

/* Whether a bare word is a file's name for sure: `plan.md`, `design/api.md`. */
static bool is_file_name(struct loom_str word)
{
	for (size_t i = 0; i + 1 < word.n; i++)
		if ((word.p[i] == '.' || word.p[i] == '/') && word.p[i + 1] > ' ')
			return true;
	return false;
}

/* Takes a word that names something without quotes: a thread, with or without its files, or a
 * file. `resume writing` is not about a thread. */
static bool take_name(struct lang_parse *parse, const struct lang_token *token,
		      enum loom_status *out_status)
{
	const struct lang_slot *slot = free_name(parse);
	const bool about_thread = slot && slot->param == LANG_P_REF;

	if (!slot || !token->text.n || (!about_thread && !is_file_name(token->text)) ||
	    (parse->form.verb->verb == LOOM_VERB_RESUME &&
	     loom_str_ends(token->text, LOOM_STR("ing"))))
		return false;
	*out_status = lang_fill(parse, slot->param, token);
	return true;
}

/* `thread-b:plan.md` looks like a key with its value. */
static enum loom_status take_reference(struct lang_parse *parse, const struct lang_token *given)
{
	struct lang_token token = *given;

	if (!loom_str_eq_fold(token.key, LOOM_STR("thread")) &&
	    !loom_str_eq_fold(token.key, LOOM_STR("target")))
		token.text = loom_arena_format(parse->arena, "%.*s:%.*s", LOOM_STR_ARG(token.key),
					       LOOM_STR_ARG(token.text));
	return lang_fill(parse, LANG_P_REF, &token);
}

/* The next node without a key that is not set yet; LANG_P_NONE when all are set. */
static enum lang_param free_node(const struct lang_parse *parse, bool *out_any)
{
	*out_any = parse->unpin;
	if (parse->unpin)
		return is_set(parse, LANG_P_PIN_NODE) ? LANG_P_NONE : LANG_P_PIN_NODE;
	for (size_t i = 0; i < parse->form.count; i++) {
		const struct lang_slot *slot = &parse->form.slots[i];

		if (!slot->bare || lang_param_info(slot->param)->type != LANG_T_ID)
			continue;
		*out_any = true;
		if (!is_set(parse, slot->param))
			return slot->param;
	}
	return LANG_P_NONE;
}

static enum loom_status take_node(struct lang_parse *parse, const struct lang_token *token)
{
	bool any = false;
	enum lang_param param = free_node(parse, &any);
	struct loom_str shown = lang_shown(token->raw);

	if (param != LANG_P_NONE)
		return lang_fill(parse, param, token);
	parse->err.at = token->at;
	if (any)
		return lang_ask(parse,
				"which node? %.*s is one too many; one node, one command, "
				"one line",
				LOOM_STR_ARG(shown));
	return lang_misplaced(parse, token, LANG_GIVEN_ID);
}

/* Takes a value that is a document: pin:doc:"D". */
static bool take_doc_prefix(struct lang_token *token)
{
	static const struct loom_str doc = LOOM_STR_INIT("doc:");

	if (token->prefix.n) {
		bool is_doc = loom_str_eq_fold(token->prefix, doc);

		if (is_doc)
			token->prefix.n = 0;
		return is_doc;
	}
	if (token->quoted || !loom_str_eq_fold(loom_str_sub(token->text, 0, doc.n), doc))
		return false;
	token->text = loom_str_sub(token->text, doc.n, token->text.n);
	return true;
}

static enum lang_param param_of(struct lang_parse *parse, struct lang_token *token, bool in)
{
	enum lang_param param = lang_form_key(&parse->form, token->key);

	if (parse->unpin && loom_str_eq_fold(token->key, LOOM_STR("doc")))
		return LANG_P_PIN_DOC;
	if (param == LANG_P_PIN_NODE && take_doc_prefix(token))
		return LANG_P_PIN_DOC;
	if (param == LANG_P_TARGET_TREE && in && !is_set(parse, LANG_P_TARGET_NODE))
		return LANG_P_TREE;
	return param;
}

enum loom_status lang_take_param(struct lang_parse *parse, const struct lang_token *given, bool in)
{
	struct lang_token token = *given;
	enum lang_param param = param_of(parse, &token, in);
	struct loom_str shown = lang_shown(token.raw);
	const struct lang_slot *name = NULL;

	if (param != LANG_P_NONE && !token.prefix.n)
		return lang_fill(parse, param, &token);
	if (loom_str_eq_fold(token.key, LOOM_STR("doc")))
		return lang_misplaced(parse, given, LANG_GIVEN_DOC);
	name = free_name(parse);
	if (name && name->param == LANG_P_REF && !token.prefix.n)
		return take_reference(parse, &token);
	parse->err.at = token.at;
	parse->refusal->not_understood = true;
	return lang_refuse(parse, "%s takes no %.*s", parse->form.verb->name, LOOM_STR_ARG(shown));
}

/* The number that a word means, 0 for none. */
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

/* Words that may follow a count without meaning anything. */
static bool is_more(struct loom_str word)
{
	return loom_str_eq_fold(word, LOOM_STR("more")) ||
	       loom_str_eq_fold(word, LOOM_STR("new")) ||
	       loom_str_eq_fold(word, LOOM_STR("another"));
}

/* Takes `3 continuations` or `three more continuations`; true when the word was part of one. */
static bool take_count(struct lang_parse *parse, const struct lang_token *token,
		       enum loom_status *out_status)
{
	const int64_t n = counted(token->text);
	const size_t noun = is_more(lang_word_ahead(parse, 1)) ? 2 : 1;

	*out_status = LOOM_OK;
	if (!lang_form_slot(&parse->form, LANG_P_N))
		return false;
	if (is_noun(token->text))
		return true;
	if (!is_noun(lang_word_ahead(parse, noun)))
		return false;
	if (noun == 1 && is_more(token->text))
		return true;
	if (!n)
		return false;
	parse->next += noun;
	if (is_set(parse, LANG_P_N))
		*out_status = lang_refuse(parse, "the count is given twice");
	else
		parse->call->n = n;
	return true;
}

/* Skips meaningless words: `from the node a7x2`. */
static size_t past_fillers(const struct lang_parse *parse)
{
	size_t ahead = 1;

	while (lang_word_ahead(parse, ahead).n && lang_is_filler(lang_word_ahead(parse, ahead)))
		ahead++;
	return ahead;
}

/* Takes from, using or in, together with what must follow it. */
static bool take_connective(struct lang_parse *parse, const struct lang_token *token,
			    enum loom_status *out_status)
{
	const size_t ahead = past_fillers(parse);
	const struct lang_token *next = lang_peek(parse, ahead);
	struct lang_token arg = next ? (next->kind == LANG_ARG ? lang_lex_arg(next) : *next)
				     : (struct lang_token){.kind = LANG_WORD};
	bool from = loom_str_eq_fold(token->text, LOOM_STR("from"));
	bool in = loom_str_eq_fold(token->text, LOOM_STR("in")) && parse->form.takes_id;
	bool by = loom_str_eq_fold(token->text, LOOM_STR("using"));
	struct loom_str id;

	from = from && lang_form_slot(&parse->form, LANG_P_FROM);
	by = by && lang_form_slot(&parse->form, LANG_P_AGENT);
	if (from && arg.kind == LANG_WORD && lang_node_read(parse->arena, arg.text, &id))
		*out_status = lang_fill(parse, LANG_P_FROM, &arg);
	else if (from && loom_str_eq_fold(arg.key, LOOM_STR("from")))
		*out_status = lang_take_param(parse, &arg, false);
	else if (in && loom_str_eq_fold(arg.key, LOOM_STR("tree")))
		*out_status = lang_take_param(parse, &arg, true);
	else if (by && loom_str_eq_fold(arg.key, LOOM_STR("agent")))
		*out_status = lang_take_param(parse, &arg, false);
	else if (by && arg.kind == LANG_TEXT)
		*out_status = lang_fill(parse, LANG_P_AGENT, &arg);
	else
		return false;
	parse->next += ahead;
	return true;
}

/* Takes a flag with a hyphen written as two words: `with annotations`. */
static bool take_joined(struct lang_parse *parse, const struct lang_token *token,
			enum loom_status *out_status)
{
	const size_t ahead = past_fillers(parse);
	struct loom_str next = lang_word_ahead(parse, ahead);
	enum lang_param param = LANG_P_NONE;
	int value = 0;

	if (!loom_str_eq_fold(token->text, LOOM_STR("with")) || !next.n)
		return false;
	param = lang_form_word(&parse->form,
			       loom_arena_format(parse->arena, "with-%.*s", LOOM_STR_ARG(next)),
			       &value);
	if (param == LANG_P_NONE)
		return false;
	*out_status = lang_fill(parse, param, token);
	parse->next += ahead;
	return true;
}

/* Words that mean nothing with one verb: `bookmark a7x2 as "key"`, `pin a7x2 to working memory`. */
bool lang_is_own_filler(const struct lang_parse *parse, struct loom_str word)
{
	static const struct {
		enum loom_verb verb;
		const char *word;
	} fillers[] = {
		{LOOM_VERB_BOOKMARK, "as"},    {LOOM_VERB_TAG, "as"},
		{LOOM_VERB_LIST, "all"},       {LOOM_VERB_PIN, "working"},
		{LOOM_VERB_PIN, "memory"},     {LOOM_VERB_UNLINK, "from"},
		{LOOM_VERB_NEW, "tree"},       {LOOM_VERB_SUSPEND, "thread"},
		{LOOM_VERB_RESUME, "thread"},  {LOOM_VERB_REF, "thread"},
		{LOOM_VERB_UNREF, "thread"},   {LOOM_VERB_SPAWN, "thread"},
		{LOOM_VERB_REFRESH, "thread"},
	};

	for (size_t i = 0; i < LOOM_COUNT(fillers); i++)
		if (fillers[i].verb == parse->form.verb->verb &&
		    loom_str_eq_fold(word, loom_str_of(fillers[i].word)))
			return true;
	return false;
}

/* Whether the word begins `in full`. */
static bool leads_full(const struct lang_parse *parse, struct loom_str word)
{
	return loom_str_eq_fold(word, LOOM_STR("in")) &&
	       loom_str_eq_fold(lang_word_ahead(parse, 1), LOOM_STR("full")) &&
	       lang_form_slot(&parse->form, LANG_P_FULL);
}

static enum loom_status take_what(struct lang_parse *parse, const struct lang_token *token,
				  int value)
{
	struct loom_str shown = lang_shown(token->raw);

	parse->err.at = token->at;
	if (is_set(parse, LANG_P_WHAT))
		return lang_ask(parse, "which of them? %.*s is one too many", LOOM_STR_ARG(shown));
	lang_param_set_word(parse->call, LANG_P_WHAT, value);
	return LOOM_OK;
}

/* "continue to a7x2" may go there, or go on from there. */
static bool leads_there(const struct lang_parse *parse, struct loom_str word)
{
	return parse->form.verb->verb == LOOM_VERB_CONTINUE &&
	       loom_str_eq_fold(word, LOOM_STR("to"));
}

enum loom_status lang_take_word(struct lang_parse *parse, const struct lang_token *token)
{
	enum loom_status status = LOOM_OK;
	int value = 0;
	enum lang_param param = LANG_P_NONE;
	struct loom_str id;

	if (take_count(parse, token, &status) || take_connective(parse, token, &status) ||
	    take_joined(parse, token, &status))
		return status;
	param = lang_form_word(&parse->form, token->text, &value);
	if (param == LANG_P_WHAT)
		return take_what(parse, token, value);
	if (param != LANG_P_NONE)
		return lang_fill(parse, param, token);
	if (lang_node_read(parse->arena, token->text, &id))
		return take_node(parse, token);
	/* A thread may be called A. */
	if (token->text.n == 1 && token->text.p[0] == 'A' && take_name(parse, token, &status))
		return status;
	if ((lang_is_filler(token->text) && !leads_there(parse, token->text)) ||
	    lang_is_own_filler(parse, token->text) || leads_full(parse, token->text) ||
	    take_name(parse, token, &status))
		return status;
	return lang_left_over(parse, token);
}

static enum loom_status take_tokens(struct lang_parse *parse)
{
	enum loom_status status = LOOM_OK;

	for (; status == LOOM_OK && parse->next < parse->tokens.count; parse->next++) {
		const struct lang_token *token = &parse->tokens.items[parse->next];

		switch (token->kind) {
		case LANG_WORD:
			status = lang_take_word(parse, token);
			break;
		case LANG_TEXT:
			status = take_text(parse, token);
			break;
		case LANG_PARAM:
			status = lang_take_param(parse, token, false);
			break;
		case LANG_ARG:
			status = lang_take_arg(parse, token);
			break;
		}
	}
	return status;
}

/* ---- verbs with a syntax of their own ---- */

static size_t skip_fillers(const struct lang_tokens *tokens, size_t at)
{
	while (at < tokens->count && lang_is_filler(tokens->items[at].text))
		at++;
	return at;
}

/* `help [VERB]`: a verb under any of its names. */
static enum loom_status take_help(struct lang_parse *parse)
{
	size_t count = parse->tokens.count;
	struct lang_verb_match match = lang_verb_match(&parse->tokens, parse->next);
	bool named = match.verb != LOOM_VERB_NONE;
	size_t odd = skip_fillers(&parse->tokens, named ? match.next : parse->next);

	if (odd == count) {
		if (named)
			parse->call->tool = match.verb;
		return LOOM_OK;
	}
	(void)lang_ask(parse, "no help for \"%.*s\": which command?",
		       LOOM_STR_ARG(lang_shown(parse->tokens.items[odd].raw)));
	lang_candidate(parse->refusal, LOOM_VERB_HELP);
	return LOOM_SYNTAX;
}

enum loom_status lang_parse_thought(struct loom_str text, struct loom_call *out,
				    struct loom_err *err)
{
	*out = loom_call_of(LOOM_VERB_THINK);
	out->content = text;
	if (text.n)
		return LOOM_OK;
	(void)loom_fail(err, LOOM_SYNTAX, "the thought is empty");
	return loom_hint(err, LOOM_SYNTAX, LANG_ARROW " think TEXT " LANG_BACK_ARROW);
}

/* ---- one line ---- */

/* A word that turns or joins meanings refuses the line, wherever it is. */
static enum loom_status check_logic(struct lang_parse *parse)
{
	for (size_t i = 0; i < parse->tokens.count; i++) {
		const struct lang_token *token = &parse->tokens.items[i];
		struct loom_str shown = lang_shown(token->raw);

		if (token->kind != LANG_WORD || !lang_is_logic(token->text))
			continue;
		parse->err.at = token->at;
		(void)lang_ask(
			parse,
			"what exactly? \"%.*s\" is ambiguous; one node, one command, one line",
			LOOM_STR_ARG(shown));
		return loom_hint(&parse->err, LOOM_SYNTAX,
				 "give one command, each on a line of its own");
	}
	return LOOM_OK;
}

static enum loom_status ask_readings(struct lang_parse *parse, const struct lang_verb_match *match)
{
	struct loom_str rest = loom_str_of(match->readings);
	struct loom_buf list = LOOM_BUF_INIT(200);
	struct loom_str name;

	while (loom_str_cut(&rest, '|', &name)) {
		loom_buf_adds(&list,
			      parse->refusal->candidate_count ? (rest.p ? ", " : " or ") : "");
		loom_buf_add(&list, name);
		lang_candidate(parse->refusal, loom_verb_find(name));
	}
	(void)lang_ask(parse, "\"%.*s\" is unclear: %s?", LOOM_STR_ARG(match->phrase),
		       loom_buf_cstr(&list));
	loom_buf_fini(&list);
	if (parse->refusal->candidate_count == 1)
		return lang_hint_form(&parse->err, "say where: ", parse->refusal->candidates[0]);
	return loom_hint(&parse->err, LOOM_SYNTAX, "say which: " LANG_ARROW " %s …",
			 loom_verb_name(parse->refusal->candidates[0]));
}

/* How far into a line to look for a verb that is not at its head. */
#define VERB_WITHIN 8

/* Guesses the verb that a line without one needs: a verb further on ("let me view a7x2"), or the
 * one that has the first word in its form ("append …"). */
static enum loom_verb verb_wanted(const struct lang_parse *parse, struct loom_str word)
{
	enum loom_verb found = LOOM_VERB_NONE;
	int value = lang_word_value(LANG_P_WHAT, word);
	struct loom_str said = value ? loom_str_of(lang_word_of(LANG_P_WHAT, value)) : word;
	struct lang_form form;

	for (size_t i = 1; i < parse->tokens.count && i < VERB_WITHIN && !found; i++)
		found = lang_verb_match(&parse->tokens, i).verb;
	for (int verb = 1; verb < LOOM_VERB_COUNT && found == LOOM_VERB_NONE; verb++) {
		/* Reading a form costs more than the rest of the line. */
		if (!loom_text_mentions(loom_str_of(loom_verb_info((enum loom_verb)verb)->args),
					said))
			continue;
		lang_form_read((enum loom_verb)verb, &form);
		if (lang_form_word(&form, word, &value) != LANG_P_NONE)
			found = (enum loom_verb)verb;
	}
	return found;
}

/* The verb that reverses another, for a word such as "unprune" that is not a verb itself. */
static enum loom_verb verb_against(struct loom_str word)
{
	static const struct {
		const char *word;
		enum loom_verb verb;
	} takers[] = {
		{"unprune", LOOM_VERB_RESTORE},   {"unhide", LOOM_VERB_RESTORE},
		{"unexclude", LOOM_VERB_INCLUDE}, {"uninclude", LOOM_VERB_EXCLUDE},
		{"unstash", LOOM_VERB_DROP},      {"unrecall", LOOM_VERB_DROP},
		{"unedit", LOOM_VERB_UNDO},
	};

	for (size_t i = 0; i < LOOM_COUNT(takers); i++)
		if (loom_str_eq_fold(word, loom_str_of(takers[i].word)))
			return takers[i].verb;
	return LOOM_VERB_NONE;
}

static enum loom_status unknown_verb(struct lang_parse *parse, struct loom_str word)
{
	const struct lang_token *first = &parse->tokens.items[0];
	/* `view: a7x2` parses as a parameter without a value, but was meant as a verb. */
	bool colon = !word.n && first->kind == LANG_PARAM && !first->text.n;
	struct loom_str shown = lang_shown(colon ? first->raw : word);
	enum loom_verb nearest = verb_against(word);
	struct loom_str id;

	parse->refusal->not_understood = true;
	if (!shown.n)
		(void)lang_refuse(parse, "a call begins with a verb");
	else
		(void)lang_refuse(parse, "there is no command \"%.*s\"", LOOM_STR_ARG(shown));
	if (nearest == LOOM_VERB_NONE)
		nearest = loom_verb_nearest(colon ? first->key : word);
	if (lang_id_read(parse->arena, word, &id))
		nearest = LOOM_VERB_VIEW;
	if (nearest == LOOM_VERB_NONE)
		nearest = verb_wanted(parse, word);
	if (nearest != LOOM_VERB_NONE)
		return lang_hint_form(&parse->err, "perhaps: ", nearest);
	return loom_hint(&parse->err, LOOM_SYNTAX, LANG_ARROW " help lists the commands");
}

/* Whether the line says what something is for instead of asking for it: `to prune a7x2`. */
static bool is_purpose(const struct lang_parse *parse)
{
	const struct lang_token *first = &parse->tokens.items[0];

	return first->kind == LANG_WORD && (loom_str_eq_fold(first->text, LOOM_STR("to")) ||
					    loom_str_eq_fold(first->text, LOOM_STR("for")));
}

enum loom_status lang_parse_tokens(struct lang_parse *parse)
{
	struct lang_verb_match match = lang_verb_match(&parse->tokens, 0);
	enum loom_status status = LOOM_OK;

	if (!parse->tokens.count) {
		(void)lang_refuse(parse, "the line has no command");
		return loom_hint(&parse->err, LOOM_SYNTAX, LANG_ARROW " help lists the commands");
	}
	if (!parse->argv && check_logic(parse) != LOOM_OK)
		return LOOM_SYNTAX;
	if (match.readings)
		return ask_readings(parse, &match);
	if (match.verb == LOOM_VERB_NONE || (!parse->argv && is_purpose(parse)))
		return unknown_verb(parse, match.phrase);
	parse->refusal->verb = match.verb;
	parse->unpin = match.unpin;
	parse->next = match.next;
	*parse->call = loom_call_of(match.verb);
	lang_form_read(match.verb, &parse->form);
	if (match.verb == LOOM_VERB_HELP)
		return take_help(parse);
	status = take_tokens(parse);
	return status == LOOM_OK ? lang_check(parse) : status;
}

enum loom_status lang_read_strictly(struct loom_arena *arena, struct loom_str line,
				    struct loom_call *out, struct loom_refusal *refusal)
{
	struct lang_parse parse = {.arena = arena, .call = out, .refusal = refusal};
	enum loom_status status = LOOM_OK;

	*refusal = (struct loom_refusal){.text = line};
	*out = loom_call_of(LOOM_VERB_NONE);
	status = lang_lex(arena, line, &parse.tokens, &parse.err);
	if (status == LOOM_OK)
		status = lang_parse_tokens(&parse);
	lang_tokens_fini(&parse.tokens);
	if (status != LOOM_OK)
		lang_refusal_of(arena, &parse.err, refusal);
	return status;
}

/* Reads "could you view a7x2": a question about a look is a wish for it. */
static bool looks_when_asked(struct loom_arena *arena, struct loom_str line, struct loom_call *out)
{
	const struct loom_str asked = lang_phrase_asked(line);
	struct loom_refusal second;

	return asked.n && lang_read_strictly(arena, asked, out, &second) == LOOM_OK &&
	       lang_phrase_looks(out->verb);
}

/* Reads a line as models say it: first in the language's spelling, then as a phrase. */
static enum loom_status read_loosely(struct loom_arena *arena, struct loom_str line,
				     struct loom_call *out, struct loom_refusal *refusal)
{
	struct lang_phrase phrase = {.count = 0};
	struct loom_refusal second;

	if (lang_read_strictly(arena, line, out, refusal) == LOOM_OK ||
	    looks_when_asked(arena, line, out)) {
		phrase.mood = lang_phrase_mood(arena, line, out->verb, &phrase.why);
		if (phrase.mood == LANG_MOOD_PLAIN)
			return LOOM_OK;
		*refusal = (struct loom_refusal){.text = line, .status = LOOM_SYNTAX};
	} else if (lang_phrase_read(arena, line, &phrase) &&
		   lang_read_strictly(arena, phrase.lines[0], out, &second) == LOOM_OK) {
		return LOOM_OK;
	}
	phrase.count = 0;
	lang_phrase_guess(arena, line, &phrase);
	*out = loom_call_of(LOOM_VERB_NONE);
	lang_teach(arena, &phrase, refusal);
	return LOOM_SYNTAX;
}

enum loom_status loom_parse_line(struct loom_arena *arena, struct loom_str line,
				 struct loom_call *out, struct loom_refusal *refusal)
{
	struct lang_parse parse = {.arena = arena, .call = out, .refusal = refusal};
	struct loom_str copy = loom_arena_str(arena, lang_trim(line));
	struct loom_str thought;
	enum loom_status status = LOOM_OK;

	*refusal = (struct loom_refusal){.text = copy};
	*out = loom_call_of(LOOM_VERB_NONE);
	if (lang_is_think(copy, &thought)) {
		refusal->verb = LOOM_VERB_THINK;
		status = lang_parse_thought(lang_thought(thought), out, &parse.err);
		if (status != LOOM_OK)
			lang_refusal_of(arena, &parse.err, refusal);
	} else {
		status = read_loosely(arena, copy, out, refusal);
	}
	out->text = copy;
	return status;
}
