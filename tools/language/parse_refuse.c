/* Refusals that teach: what is wrong, what would be right, and what may have been meant.
 *
 * A refusal is filled once, where the mistake is found. Ambiguous or incomplete lines get a
 * question (clarify); candidates are the verbs that may have been meant. */
#include "inside.h"

#include <loom/phrase/phrase.h>

enum loom_status lang_hint_form(struct loom_err *err, const char *before, enum loom_verb verb)
{
	const struct loom_verb_info *info = loom_verb_info(verb);

	return loom_hint(err, LOOM_SYNTAX, "%s" LANG_ARROW " %s%s%s", before, info->name,
			 *info->args ? " " : "", info->args);
}

static void refuse_with(struct lang_parse *parse, const char *format, va_list args)
	LOOM_PRINTF(2, 0);

static void refuse_with(struct lang_parse *parse, const char *format, va_list args)
{
	char text[sizeof parse->err.text];
	size_t at = parse->err.at;

	vsnprintf(text, sizeof text, format, args);
	(void)loom_fail(&parse->err, LOOM_SYNTAX, "%s", text);
	parse->err.at = at;
	if (parse->form.verb)
		(void)lang_hint_form(&parse->err, "", parse->form.verb->verb);
}

enum loom_status lang_refuse(struct lang_parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse_with(parse, format, args);
	va_end(args);
	return LOOM_SYNTAX;
}

enum loom_status lang_ask(struct lang_parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse_with(parse, format, args);
	va_end(args);
	parse->refusal->clarify = true;
	return LOOM_SYNTAX;
}

void lang_refusal_of(struct loom_arena *arena, const struct loom_err *err,
		     struct loom_refusal *refusal)
{
	refusal->status = err->status;
	refusal->at = err->at;
	refusal->message = loom_arena_str(arena, loom_str_of(err->text));
	refusal->hint = loom_arena_str(arena, loom_str_of(err->hint));
}

void loom_refusal_err(const struct loom_refusal *refusal, struct loom_err *out)
{
	(void)loom_fail(out, refusal->status, "%.*s", LOOM_STR_ARG(refusal->message));
	(void)loom_hint(out, refusal->status, "%.*s", LOOM_STR_ARG(refusal->hint));
	out->at = refusal->at;
}

void lang_candidate(struct loom_refusal *refusal, enum loom_verb verb)
{
	refusal->not_understood = false;
	if (verb != LOOM_VERB_NONE && refusal->candidate_count < LOOM_CANDIDATES_MAX)
		refusal->candidates[refusal->candidate_count++] = verb;
}

/* Near misses of the wrong kind: what was given, and the verb that may have been meant. */
static const struct misfit {
	enum loom_verb verb;
	enum lang_given given;
	const char *question;
	enum loom_verb candidates[2];
} misfits[] = {
	{LOOM_VERB_READ,
	 LANG_GIVEN_ID,
	 "read is for documents; view the node in full?",
	 {LOOM_VERB_VIEW, LOOM_VERB_NONE}},
	{LOOM_VERB_VIEW,
	 LANG_GIVEN_DOC,
	 "view is for nodes; read the document?",
	 {LOOM_VERB_READ, LOOM_VERB_NONE}},
	{LOOM_VERB_WRITE,
	 LANG_GIVEN_ID,
	 "write is for documents; edit the node, or respond to it?",
	 {LOOM_VERB_EDIT, LOOM_VERB_RESPOND}},
	{LOOM_VERB_DROP,
	 LANG_GIVEN_ID,
	 "drop what? to drop a pin, write pin:ID",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
	{LOOM_VERB_DROP,
	 LANG_GIVEN_TEXT,
	 "drop what? stash:\"L\" deletes it, recall:\"L\" lets it go",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
	{LOOM_VERB_DROP,
	 LANG_GIVEN_DOC,
	 "drop what? to drop a pin, write pin:doc:\"D\"",
	 {LOOM_VERB_DROP, LOOM_VERB_NONE}},
};

/* Refuses a part that the verb does not take. */
enum loom_status lang_misplaced(struct lang_parse *parse, const struct lang_token *token,
				enum lang_given given)
{
	struct loom_str shown = lang_shown(token->raw);

	parse->err.at = token->at;
	for (size_t i = 0; i < LOOM_COUNT(misfits); i++) {
		if (misfits[i].verb != parse->form.verb->verb || misfits[i].given != given)
			continue;
		(void)lang_ask(parse, "%s", misfits[i].question);
		lang_candidate(parse->refusal, misfits[i].candidates[0]);
		lang_candidate(parse->refusal, misfits[i].candidates[1]);
		return lang_hint_form(&parse->err, "", misfits[i].candidates[0]);
	}
	parse->refusal->not_understood = true;
	return lang_refuse(parse, "%.*s is not part of %s", LOOM_STR_ARG(shown),
			   parse->form.verb->name);
}

/* Finds a bare word of the form that a misspelt one is close to; false when there is none. */
static bool near_word(const struct lang_form *form, struct loom_str word, struct loom_str *out)
{
	for (size_t i = 0; i < form->count; i++) {
		struct loom_str rest = form->slots[i].bare ? form->slots[i].values : LOOM_STR("");

		while (loom_str_cut(&rest, '|', out)) {
			size_t far = loom_word_distance(word, *out, 2);

			/* Words in capitals are placeholders. */
			if (far <= 2 && far * 2 < word.n && out->p[0] >= 'a')
				return true;
		}
	}
	return false;
}

/* Whether the word is `a7x2:`, as before a text without quotes. */
static bool is_led_in(const struct lang_parse *parse, struct loom_str word)
{
	struct loom_str id;

	return !parse->argv && loom_str_ends(word, LOOM_STR(":")) &&
	       lang_id_read(parse->arena, loom_str_sub(word, 0, word.n - 1), &id);
}

/* Advice about an unknown word: what it may have been meant as. */
static const char *advice(const struct lang_parse *parse, struct loom_str word)
{
	const struct lang_slot *id = lang_form_slot(&parse->form, LANG_P_ID);

	if (id && !lang_param_set(parse->call, LANG_P_ID) && !is_led_in(parse, word))
		return loom_str_eq_fold(word, LOOM_STR("root"))
			       ? "; the root's id is r001"
			       : "; an id consists of letters and digits, like a7x2";
	for (size_t i = 0; i < parse->form.count; i++)
		if (parse->form.slots[i].bare &&
		    lang_param_info(parse->form.slots[i].param)->type == LANG_T_TEXT)
			return "; put the text in quotes";
	return "";
}

/* Whether the word is §S, as results print a section, where section:S is meant. */
static bool is_section(const struct lang_parse *parse, struct loom_str word)
{
	return loom_str_starts(word, LOOM_STR("§")) &&
	       lang_form_key(&parse->form, LOOM_STR("section")) != LANG_P_NONE;
}

/* Refuses a key without its colon: `depth 3`, `n=3`, `from` without an id. */
static enum loom_status bare_key(struct lang_parse *parse, struct loom_str word)
{
	struct loom_str key = loom_str_sub(word, 0, loom_str_find_char(word, '=', 0));
	enum lang_param param = lang_form_key(&parse->form, key);
	const struct lang_slot *slot = lang_form_slot(&parse->form, param);
	struct loom_str shown = lang_shown(word);

	if (param == LANG_P_NONE || (!slot && key.n == word.n))
		return LOOM_OK;
	if (slot && slot->leads && loom_str_eq_fold(key, loom_str_of(slot->leads)))
		return lang_refuse(parse, "\"%.*s\" needs an id, like a7x2", LOOM_STR_ARG(key));
	return lang_refuse(parse, "write \"%.*s\" as %s:VALUE, without spaces", LOOM_STR_ARG(shown),
			   lang_param_info(param)->key);
}

enum loom_status lang_left_over(struct lang_parse *parse, const struct lang_token *token)
{
	struct loom_str shown = lang_shown(token->raw);
	struct loom_str meant;
	enum loom_verb other = loom_verb_find(token->text);

	parse->err.at = token->at;
	parse->refusal->not_understood = true;
	if (is_section(parse, token->text))
		return lang_refuse(parse, "write a section as section:S, not \"%.*s\"",
				   LOOM_STR_ARG(shown));
	if (bare_key(parse, token->text) != LOOM_OK)
		return LOOM_SYNTAX;
	if (other != LOOM_VERB_NONE && other != parse->form.verb->verb) {
		(void)lang_refuse(parse, "\"%.*s\" is not part of %s: it is a command of its own",
				  LOOM_STR_ARG(shown), parse->form.verb->name);
		return lang_hint_form(&parse->err, "", other);
	}
	if (near_word(&parse->form, token->text, &meant))
		return lang_refuse(parse, "\"%.*s\" is not part of %s; \"%.*s\" is",
				   LOOM_STR_ARG(shown), parse->form.verb->name,
				   LOOM_STR_ARG(meant));
	return lang_refuse(parse, "\"%.*s\" is not part of %s%s", LOOM_STR_ARG(shown),
			   parse->form.verb->name, advice(parse, token->text));
}

/* ---- lines that can be copied ---- */

static bool has_line(struct loom_str hint, struct loom_str line)
{
	struct loom_str one;

	while (loom_str_line(&hint, &one))
		if (loom_str_ends(one, line) && one.n > line.n &&
		    one.p[one.n - line.n - 1] == ' ' &&
		    loom_str_ends(loom_str_sub(one, 0, one.n - line.n), LOOM_STR(LANG_ARROW " ")))
			return true;
	return false;
}

/* Appends the line of a call that may have been meant, if it parses; returns its verb. */
static enum loom_verb suggest(struct loom_arena *arena, struct loom_str line, struct loom_buf *out)
{
	struct loom_buf printed = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_call call;
	struct loom_refusal refusal;
	bool again = false;

	if (!line.n || lang_read_strictly(arena, line, &call, &refusal) != LOOM_OK)
		return LOOM_VERB_NONE;
	loom_call_print(&call, &printed);
	again = has_line(loom_buf_str(out), loom_buf_str(&printed));
	if (!again) {
		loom_buf_adds(out, out->n ? "\n" LANG_ARROW " " : "did you mean " LANG_ARROW " ");
		loom_buf_add(out, loom_buf_str(&printed));
	}
	loom_buf_fini(&printed);
	return again ? LOOM_VERB_NONE : call.verb;
}

/* The same when all that it lacks is a text, which a look at it does not replace. */
static enum loom_verb suggest_text(struct loom_arena *arena, struct loom_str line,
				   struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(400);
	const struct loom_str more = loom_arena_format(arena, "%.*s \"…\"", LOOM_STR_ARG(line));
	const enum loom_verb verb = suggest(arena, more, &text);
	const bool offered = verb != LOOM_VERB_NONE && !lang_phrase_takes(verb);

	if (offered)
		loom_buf_add(out, loom_buf_str(&text));
	loom_buf_fini(&text);
	return offered ? verb : LOOM_VERB_NONE;
}

/* Asks which of several verbs is meant. */
static void ask_which(struct loom_arena *arena, const enum loom_verb *verbs, size_t count,
		      struct loom_refusal *refusal)
{
	struct loom_buf list = LOOM_BUF_INIT(200);

	if (count < 2 || verbs[0] == verbs[1] || refusal->candidate_count)
		return;
	for (size_t i = 0; i < count; i++) {
		loom_buf_addf(&list, "%s%s",
			      i == 0          ? ""
			      : i + 1 < count ? ", "
					      : " or ",
			      loom_verb_name(verbs[i]));
		lang_candidate(refusal, verbs[i]);
	}
	refusal->clarify = true;
	refusal->message =
		loom_arena_format(arena, "\"%.*s\" is unclear: %s?",
				  LOOM_STR_ARG(lang_shown(refusal->text)), loom_buf_cstr(&list));
	loom_buf_fini(&list);
}

static const char *const moods[] = {
	[LANG_MOOD_NEGATED] = "takes it back: nothing was done",
	[LANG_MOOD_OPEN] = "leaves it open: nothing was done",
	[LANG_MOOD_JOINED] = "is ambiguous: one node, one command, one line",
	[LANG_MOOD_QUESTION] = "a question, or a wish? nothing was done",
	[LANG_MOOD_REPORTED] = "a quotation does nothing",
};

/* More lines than that teach nothing. */
#define LINES_SHOWN 3

/* Nothing can be filled in: the form stays, and where to read more of it. */
static void show_form(const struct loom_refusal *refusal, struct loom_buf *out)
{
	static const struct loom_str arrow = LOOM_STR_INIT(LANG_ARROW " ");
	struct loom_str form = refusal->hint;
	const size_t at = loom_str_find(form, arrow, 0);

	if (at != SIZE_MAX) {
		loom_buf_add(out, loom_str_sub(form, 0, at));
		form = loom_str_sub(form, at + arrow.n, form.n);
	}
	loom_buf_add(out, form);
	loom_buf_addf(out, "%s" LANG_ARROW " help %s", form.n ? "\n" : "",
		      loom_verb_name(refusal->verb));
}

void lang_teach(struct loom_arena *arena, const struct lang_phrase *phrase,
		struct loom_refusal *refusal)
{
	struct loom_buf hint = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_verb verbs[LINES_SHOWN];
	size_t count = 0;
	size_t meant = 0;

	for (size_t i = 0; i < phrase->count && count < LINES_SHOWN; i++) {
		if (i >= phrase->meant && phrase->sure && count)
			break;
		verbs[count] = suggest(arena, phrase->lines[i], &hint);
		count += verbs[count] != LOOM_VERB_NONE ? 1 : 0;
		meant = i < phrase->meant ? count : meant;
	}
	ask_which(arena, verbs, meant, refusal);
	for (size_t i = 0; i < phrase->count && !hint.n; i++)
		(void)suggest_text(arena, phrase->lines[i], &hint);
	if (!hint.n)
		(void)suggest(arena, phrase->look, &hint);
	if (!hint.n && refusal->verb != LOOM_VERB_NONE)
		show_form(refusal, &hint);
	if (hint.n)
		refusal->hint = loom_arena_buf(arena, &hint);
	loom_buf_fini(&hint);
	if (phrase->mood == LANG_MOOD_PLAIN)
		return;
	refusal->clarify = true;
	refusal->not_understood = false;
	refusal->message = phrase->mood >= LANG_MOOD_QUESTION ? loom_str_of(moods[phrase->mood])
			   : !phrase->why.n
				   ? loom_str_of(moods[LANG_MOOD_QUESTION])
				   : loom_arena_format(arena, "\"%.*s\" %s",
						       LOOM_STR_ARG(lang_shown(phrase->why)),
						       moods[phrase->mood]);
}
