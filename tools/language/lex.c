/* A call line to tokens: words, quoted texts, key:value parameters.
 *
 * Values are slices of the line, or copies in the arena when they contained an escape. Quotes and
 * comments follow the rules of quote.c, so the scanner and the lexer agree on where a line ends. */
#include "inside.h"

struct lexer {
	struct loom_arena *arena;
	struct loom_str line;
	size_t at;
	struct lang_tokens *tokens;
	struct loom_err *err;
};

struct loom_str lang_shown(struct loom_str text)
{
	size_t end = 0;

	while (end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
		end++;
	return loom_utf8_clip(loom_str_sub(text, 0, end), 60);
}

static enum loom_status refuse(struct lexer *lexer, size_t at, const char *text, const char *hint)
{
	(void)loom_fail(lexer->err, LOOM_SYNTAX, "%s", text);
	lexer->err->at = at;
	return loom_hint(lexer->err, LOOM_SYNTAX, "%s", hint);
}

static void add(struct lang_tokens *tokens, struct lang_token token)
{
	if (tokens->count == tokens->cap) {
		tokens->cap = tokens->cap ? tokens->cap * 2 : 8;
		tokens->items = loom_realloc(tokens->items, tokens->cap, sizeof token);
	}
	tokens->items[tokens->count++] = token;
}

void lang_tokens_fini(struct lang_tokens *tokens)
{
	free(tokens->items);
	*tokens = (struct lang_tokens){NULL, 0, 0};
}

/* Reads the quoted text at lexer->at and advances past its closing sign. */
static enum loom_status read_quoted(struct lexer *lexer, struct loom_str *out)
{
	struct loom_str line = lexer->line;
	unsigned char curly = 0;
	size_t from = lexer->at + lang_quote_sign(line, lexer->at, &curly);
	size_t at = from;
	size_t sign = 0;

	while (at < line.n) {
		if (line.p[at] == '\\' && at + 1 < line.n &&
		    (line.p[at + 1] == '"' || line.p[at + 1] == '\\')) {
			at += 2;
			continue;
		}
		sign = lang_quote_closes(line, at, curly);
		if (sign)
			break;
		at++;
	}
	if (at >= line.n)
		return refuse(lexer, lexer->at, "the quote that opens here is never closed",
			      "close it with \"; write a quote inside the text as \\\"");
	*out = loom_str_sub(line, from, at - from);
	*out = lang_unescape(lexer->arena, *out);
	lexer->at = at + sign;
	return LOOM_OK;
}

/* Skips what may follow a closing quote before the next blank: meaningless punctuation. */
static enum loom_status read_behind_quote(struct lexer *lexer)
{
	while (lexer->at < lexer->line.n && !lang_blank(lexer->line, lexer->at)) {
		if (!lang_is_closing(lexer->line.p[lexer->at]))
			return refuse(lexer, lexer->at,
				      "a closing quote must be followed by a space or the end of "
				      "the line",
				      "write a quote inside a text as \\\"");
		lexer->at++;
	}
	return LOOM_OK;
}

static bool is_key(struct loom_str key)
{
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i] | 0x20;

		if (!(c >= 'a' && c <= 'z') && key.p[i] != '-' && key.p[i] != '_')
			return false;
	}
	return key.n > 0;
}

/* Splits a bare text at its first colon if a key precedes it. */
static bool split_key(struct loom_str bare, struct lang_token *token)
{
	size_t colon = loom_str_find_char(bare, ':', 0);

	if (colon == SIZE_MAX || !is_key(loom_str_sub(bare, 0, colon)))
		return false;
	token->kind = LANG_PARAM;
	token->key = loom_str_sub(bare, 0, colon);
	token->text = loom_str_sub(bare, colon + 1, bare.n);
	return true;
}

/* Reads a token that contains a quote: `from` is its first byte, lexer->at the quote. */
static enum loom_status read_with_quote(struct lexer *lexer, size_t from)
{
	struct loom_str head = loom_str_sub(lexer->line, from, lexer->at - from);
	struct lang_token token = {.kind = LANG_TEXT, .at = from, .quoted = true};
	enum loom_status status = LOOM_OK;

	if (head.n && (!split_key(head, &token) || head.p[head.n - 1] != ':'))
		return refuse(lexer, lexer->at, "a quote opens in the middle of a word",
			      "put a space before it, or write key:\"text\"");
	token.prefix = token.text;
	status = read_quoted(lexer, &token.text);
	if (status == LOOM_OK)
		status = read_behind_quote(lexer);
	token.raw = loom_str_sub(lexer->line, from, lexer->at - from);
	if (status == LOOM_OK)
		add(lexer->tokens, token);
	return status;
}

static enum loom_status read_token(struct lexer *lexer)
{
	struct loom_str line = lexer->line;
	size_t from = lexer->at;
	unsigned char curly = 0;

	for (; lexer->at < line.n && !lang_blank(line, lexer->at); lexer->at++) {
		if (lang_quote_sign(line, lexer->at, &curly))
			return read_with_quote(lexer, from);
		if (line.p[lexer->at] == '\n' || line.p[lexer->at] == '\r')
			return refuse(lexer, lexer->at, "a call outside quotes must be one line",
				      "give each call a line of its own");
		if (loom_str_starts(loom_str_sub(line, lexer->at, 3), LOOM_STR(LANG_ARROW)))
			return refuse(lexer, lexer->at, "two arrows on one line",
				      "give each call a line of its own");
	}
	add(lexer->tokens, (struct lang_token){.kind = LANG_WORD,
					       .at = from,
					       .raw = loom_str_sub(line, from, lexer->at - from)});
	return LOOM_OK;
}

static enum loom_status read_tokens(struct lexer *lexer)
{
	enum loom_status status = LOOM_OK;
	int blanks = 0;

	while (status == LOOM_OK && lexer->at < lexer->line.n) {
		char c = lexer->line.p[lexer->at];
		size_t n = lang_blank(lexer->line, lexer->at);

		if (n) {
			blanks++;
			lexer->at += n;
			continue;
		}
		if (blanks >= 2 && (c == '#' || c == '('))
			break;
		blanks = 0;
		status = read_token(lexer);
	}
	return status;
}

/* Drops the punctuation that closes the line, and commas after words. */
static void drop_punctuation(struct lang_tokens *tokens)
{
	size_t kept = 0;
	bool last = true;

	for (size_t i = tokens->count; i--;) {
		struct lang_token *token = &tokens->items[i];

		while (token->kind == LANG_WORD && token->raw.n &&
		       (last ? lang_is_closing(token->raw.p[token->raw.n - 1])
			     : token->raw.p[token->raw.n - 1] == ','))
			token->raw.n--;
		last = last && token->kind == LANG_WORD && !token->raw.n;
	}
	for (size_t i = 0; i < tokens->count; i++)
		if (tokens->items[i].raw.n)
			tokens->items[kept++] = tokens->items[i];
	tokens->count = kept;
}

/* Drops the colon that leads from an id into a text: `note on a7x2: "…"`. */
static void drop_colons(struct loom_arena *arena, struct lang_tokens *tokens)
{
	for (size_t i = 0; i + 1 < tokens->count; i++) {
		struct loom_str *raw = &tokens->items[i].raw;
		struct loom_str head = loom_str_sub(*raw, 0, raw->n - 1);
		struct loom_str id;

		if (tokens->items[i].kind == LANG_WORD && tokens->items[i + 1].kind == LANG_TEXT &&
		    raw->p[head.n] == ':' && lang_id_read(arena, head, &id))
			*raw = head;
	}
}

enum loom_status lang_lex(struct loom_arena *arena, struct loom_str line, struct lang_tokens *out,
			  struct loom_err *err)
{
	struct lexer lexer = {.arena = arena, .line = line, .tokens = out, .err = err};
	enum loom_status status = read_tokens(&lexer);

	if (status != LOOM_OK)
		return status;
	drop_colons(arena, out);
	drop_punctuation(out);
	for (size_t i = 0; i < out->count; i++) {
		struct lang_token *token = &out->items[i];

		if (token->kind == LANG_WORD && !split_key(token->raw, token))
			token->text = token->raw;
	}
	return LOOM_OK;
}

void lang_lex_argv(struct loom_arena *arena, int argc, char *const *argv, struct lang_tokens *out)
{
	for (int i = 0; i < argc; i++) {
		struct loom_str arg = loom_arena_str(arena, loom_str_of(argv[i]));

		add(out, (struct lang_token){
				 .kind = LANG_ARG, .raw = arg, .text = arg, .at = (size_t)i});
	}
}

/* Whether a shell passed the value on with its quotes. */
static bool is_quoted(struct loom_str text)
{
	return text.n >= 2 && text.p[0] == '"' && loom_str_find_char(text, '"', 1) == text.n - 1;
}

struct lang_token lang_lex_arg(const struct lang_token *arg)
{
	struct lang_token token = *arg;
	size_t colon = 0;

	token.kind = LANG_WORD;
	if (!split_key(arg->raw, &token))
		return token;
	colon = loom_str_find_char(token.text, ':', 0);
	if (colon != SIZE_MAX && is_quoted(loom_str_sub(token.text, colon + 1, token.text.n))) {
		token.prefix = loom_str_sub(token.text, 0, colon + 1);
		token.text = loom_str_sub(token.text, colon + 1, token.text.n);
	}
	token.quoted = is_quoted(token.text);
	if (token.quoted)
		token.text = loom_str_sub(token.text, 1, token.text.n - 2);
	return token;
}
