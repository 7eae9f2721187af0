/* What the parts of the parser share: tokens, parameters, forms and the state of reading one call.
 * Nothing here is for other rooms. */
#ifndef LOOM_TOOLS_PARSE_IMPL_H
#define LOOM_TOOLS_PARSE_IMPL_H

#include <loom/language/call_id.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/base/utf8.h>

#include <loom/language/scan_lines.h>

/* ---- tokens (lex.c) ---- */

enum tool_token_kind {
	TOOL_WORD,  /* text: the bare word */
	TOOL_TEXT,  /* text: what stood between quotes, unescaped */
	TOOL_PARAM, /* key, text: the value; prefix when the value is doc:"…" */
	TOOL_ARG,   /* text: an argument of `loom do` whose part is not known yet */
};

struct tool_token {
	enum tool_token_kind kind;
	struct loom_str raw; /* as written, for messages */
	size_t at;           /* offset in the line */
	struct loom_str key;
	struct loom_str prefix; /* bare text between the key's colon and a quote: doc: */
	struct loom_str text;
	bool quoted; /* the value of a parameter stood in quotes */
};

/* Lives as long as its line is read; the texts in it may live on. */
struct tool_tokens {
	struct tool_token *items;
	size_t count;
	size_t cap;
};

void tool_tokens_fini(struct tool_tokens *tokens);

/* Cuts a line into tokens: comments and closing punctuation are gone. Caller finis *out, also on
 * failure. */
enum loom_status tool_lex(struct loom_arena *arena, struct loom_str line, struct tool_tokens *out,
			  struct loom_err *err) LOOM_MUST;
/* The arguments of a command as tokens of kind TOOL_ARG. */
void tool_lex_argv(struct loom_arena *arena, int argc, char *const *argv, struct tool_tokens *out);
/* An argument read as word or parameter. */
struct tool_token tool_lex_arg(const struct tool_token *arg);

/* ---- verbs (parse_verb.c) ---- */

struct tool_verb_match {
	enum loom_verb verb;    /* LOOM_VERB_NONE: none, or of several readings */
	size_t next;            /* the token behind it */
	bool unpin;             /* drop, said as unpin or drop pin */
	const char *readings;   /* of a phrase of several readings, else NULL */
	struct loom_str phrase; /* that phrase, or the first word that is no verb */
};

/* Polite and grammatical words that carry nothing. */
bool tool_is_filler(struct loom_str word);
/* Words that turn or join meanings: or, and, then, if, not, don't … */
bool tool_is_logic(struct loom_str word);
/* The verb at the head of the tokens from `from` on, fillers skipped; the longest phrase wins. */
struct tool_verb_match tool_verb_match(const struct tool_tokens *tokens, size_t from);
/* Whether `text` begins with the name or a synonym of a verb as its first word. */
bool tool_starts_with_verb(struct loom_str text);

/* ---- parameters (params.c) ---- */

enum tool_type {
	TOOL_T_ID,
	TOOL_T_IDS,  /* two ids: a path */
	TOOL_T_NAME, /* of a document, agent, section … */
	TOOL_T_TEXT, /* content: any bytes */
	TOOL_T_INT,
	TOOL_T_RANGE, /* of lines */
	TOOL_T_FLAG,
	TOOL_T_WORD,  /* an enum's word */
	TOOL_T_NAMES, /* comma-separated */
	TOOL_T_PLACE,
	TOOL_T_VERB,
};

/* id, key in the language, name in JSON, type, field of struct loom_call */
#define TOOL_PARAMS(X)                                                                             \
	X(ID, "", "id", ID, id)                                                                    \
	X(BRANCH, "branch", "branch", ID, branch)                                                  \
	X(N, "n", "n", INT, n)                                                                     \
	X(FROM, "from", "from", ID, from)                                                          \
	X(AT, "at", "at", INT, at)                                                                 \
	X(AFTER, "after", "after", TEXT, after)                                                    \
	X(TOKENS, "tokens", "tokens", INT, tokens)                                                 \
	X(AGENT, "agent", "agent", NAME, agent)                                                    \
	X(DOC, "doc", "doc", NAME, doc)                                                            \
	X(APPEND, "append", "append", FLAG, append)                                                \
	X(PLACE, "at", "at", PLACE, place)                                                         \
	X(REPLACE, "replace", "replace", NAME, replace)                                            \
	X(QUERY, "", "query", TEXT, query)                                                         \
	X(LABEL, "", "label", TEXT, label)                                                         \
	X(CONTENT, "", "content", TEXT, content)                                                   \
	X(CONTENT_OF, "content-of", "content_of", ID, content_of)                                  \
	X(SUMMARY_OF, "summary-of", "summary_of", IDS, summary_of)                                 \
	X(AS, "as", "as", WORD, as)                                                                \
	X(WHAT, "", "what", WORD, what)                                                            \
	X(PAGE, "page", "page", INT, page)                                                         \
	X(DEPTH, "depth", "depth", INT, depth)                                                     \
	X(EFFORT, "depth", "depth", WORD, effort)                                                  \
	X(FULL, "full", "full", FLAG, full)                                                        \
	X(SUMMARY, "summary", "summary", FLAG, summary)                                            \
	X(WITH_ANNOTATIONS, "with-annotations", "with_annotations", FLAG, with_annotations)        \
	X(LINES, "lines", "lines", RANGE, lines)                                                   \
	X(SECTION, "section", "section", NAME, section)                                            \
	X(TREE, "tree", "tree", NAME, tree)                                                        \
	X(TARGET_NODE, "node", NULL, ID, target.node)                                              \
	X(TARGET_DOC, "doc", NULL, NAME, target.doc)                                               \
	X(TARGET_SECTION, "section", NULL, NAME, target.section)                                   \
	X(TARGET_TREE, "tree", NULL, NAME, target.tree)                                            \
	X(NOTE, "note", "note", TEXT, note)                                                        \
	X(WEB, "web", "web", FLAG, web)                                                            \
	X(IN, "in", "in", ID, in)                                                                  \
	X(AUTHOR, "author", "author", NAME, author)                                                \
	X(MAX, "max", "max", INT, max)                                                             \
	X(TOPIC, "topic", "topic", NAME, topic)                                                    \
	X(INCLUDE, "include", "include", NAMES, include)                                           \
	X(EXCLUDE, "exclude", "exclude", NAMES, exclude)                                           \
	X(PIN_NODE, "pin", NULL, ID, pin.node)                                                     \
	X(PIN_DOC, "pin:doc", NULL, NAME, pin.doc)                                                 \
	X(PIN_SECTION, "section", NULL, NAME, pin.section)                                         \
	X(STASH, "stash", "stash", NAME, stash)                                                    \
	X(RECALL, "recall", "recall", NAME, recall)                                                \
	X(TOOL, "", "tool", VERB, tool)                                                            \
	X(UNTERMINATED, "", "unterminated", FLAG, unterminated)

enum tool_param {
#define X(id, key, json, type, field) TOOL_P_##id,
	TOOL_PARAMS(X)
#undef X
		TOOL_P_COUNT,
	TOOL_P_NONE = TOOL_P_COUNT
};
#define TOOL_BIT(param) (UINT64_C(1) << (param))

struct tool_param_info {
	const char *key;  /* "" for what stands by itself */
	const char *json; /* NULL: part of an object of its own */
	enum tool_type type;
	size_t offset; /* in struct loom_call */
};

const struct tool_param_info *tool_param_info(enum tool_param param);
/* Where a parameter lives in a call. */
void *tool_param_field(struct loom_call *call, enum tool_param param);
const void *tool_param_peek(const struct loom_call *call, enum tool_param param);
/* Whether it is there. */
bool tool_param_set(const struct loom_call *call, enum tool_param param);
/* The value of a WORD parameter. */
int tool_param_word(const struct loom_call *call, enum tool_param param);
void tool_param_set_word(struct loom_call *call, enum tool_param param, int value);
/* The word of a WORD parameter's value, "" for none; and back, 0 for no such word. */
const char *tool_word_of(enum tool_param param, int value);
int tool_word_value(enum tool_param param, struct loom_str word);

/* ---- forms: the args notation of a verb (form.c) ---- */

#define TOOL_SLOTS_MAX 16

/* One thing that may follow a verb. Slots of one item are alternatives of each other. */
struct tool_slot {
	enum tool_param param;
	struct loom_str values; /* of a key: what may follow it, e.g. prose|nodes */
	const char *leads;      /* connective before it ("from"), or NULL */
	struct loom_str piece;  /* as it stands in the notation, for messages */
	unsigned char item;
	unsigned char form;
	bool optional;
	bool bare; /* stands by itself, without a key */
};

struct tool_form {
	const struct loom_verb_info *verb;
	struct tool_slot slots[TOOL_SLOTS_MAX];
	size_t count;
	unsigned char forms; /* how many whole forms */
	unsigned char items; /* of the longest */
	bool takes_id;       /* so `in tree:"T"` may stand too */
};

/* Reads the notation of a verb's row. */
void tool_form_read(enum loom_verb verb, struct tool_form *out);
/* The slot of a parameter, NULL when the verb does not take it. */
const struct tool_slot *tool_form_slot(const struct tool_form *form, enum tool_param param);
/* The parameter that a key means for this verb, TOOL_P_NONE when it takes no such key. */
enum tool_param tool_form_key(const struct tool_form *form, struct loom_str key);
/* Whether a WORD slot lists this value. */
bool tool_slot_allows(const struct tool_slot *slot, int value);
/* The flag or choice that a bare word means; *out_value for a WORD. */
enum tool_param tool_form_word(const struct tool_form *form, struct loom_str word, int *out_value);
/* What is set, as bits. */
uint64_t tool_form_mask(const struct tool_form *form, const struct loom_call *call);
/* The whole form that fits best what is set: nothing outside it, the least missing. *out_fits is
 * false when every form leaves something outside. */
unsigned char tool_form_choose(const struct tool_form *form, uint64_t mask, bool *out_fits);
/* Whether nothing that is set stands outside a form. */
bool tool_form_fits(const struct tool_form *form, unsigned char which, uint64_t mask);
/* How many slots of an item are set, and whether one must be. */
size_t tool_form_item(const struct tool_form *form, unsigned char which, unsigned char item,
		      uint64_t mask, bool *out_needed);

/* ---- reading one call (parse.c, parse_value.c, parse_check.c) ---- */

struct tool_parse {
	struct loom_arena *arena;
	struct tool_tokens tokens;
	size_t next;
	struct tool_form form;
	struct loom_call *call;
	struct loom_refusal *refusal;
	struct loom_err err; /* becomes the refusal's message and hint */
	bool unpin;
	bool argv;
	bool argv_loose; /* parameters before texts: the second try */
};

/* Fills the refusal: what is wrong, and the verb's form as the hint. */
enum loom_status tool_refuse(struct tool_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* As above, as a question. */
enum loom_status tool_ask(struct tool_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* The form of a verb as the hint. */
enum loom_status tool_hint_form(struct loom_err *err, const char *before, enum loom_verb verb);
/* Puts what was found wrong into the refusal, texts in the arena. */
void tool_refusal_of(struct loom_arena *arena, const struct loom_err *err,
		     struct loom_refusal *refusal);
/* Adds a candidate to the refusal just filled. */
void tool_candidate(struct loom_refusal *refusal, enum loom_verb verb);
/* A token's text for a message: short, one line. */
struct loom_str tool_shown(struct loom_str text);

/* What a verb was given and does not take. */
enum tool_given { TOOL_GIVEN_ID, TOOL_GIVEN_TEXT, TOOL_GIVEN_DOC };
/* Refuses a part that has no place with this verb, or asks whether another verb was meant. */
enum loom_status tool_misplaced(struct tool_parse *parse, const struct tool_token *token,
				enum tool_given given);
/* Refuses a word that says nothing. */
enum loom_status tool_left_over(struct tool_parse *parse, const struct tool_token *token);

/* The token `ahead` behind the one being taken, NULL at the end; its word, empty when it is none.
 */
const struct tool_token *tool_peek(const struct tool_parse *parse, size_t ahead);
struct loom_str tool_word_ahead(const struct tool_parse *parse, size_t ahead);
/* Puts a token into a parameter that must not be there yet. */
enum loom_status tool_fill(struct tool_parse *parse, enum tool_param param,
			   const struct tool_token *token) LOOM_MUST;
/* Each takes one token; `in` when the word in stood before it. */
enum loom_status tool_take_param(struct tool_parse *parse, const struct tool_token *given,
				 bool in) LOOM_MUST;
enum loom_status tool_take_word(struct tool_parse *parse, const struct tool_token *token) LOOM_MUST;
enum loom_status tool_take_arg(struct tool_parse *parse, const struct tool_token *given) LOOM_MUST;
/* Whether a word carries nothing for this verb alone. */
bool tool_is_own_filler(const struct tool_parse *parse, struct loom_str word);
/* All of parse->tokens to parse->call. */
enum loom_status tool_parse_tokens(struct tool_parse *parse) LOOM_MUST;

/* Puts a token's value into a parameter; refuses what is of another type. */
enum loom_status tool_value(struct tool_parse *parse, enum tool_param param,
			    const struct tool_token *token) LOOM_MUST;
/* A thought whose text is known. */
enum loom_status tool_parse_thought(struct loom_str text, struct loom_call *out,
				    struct loom_err *err) LOOM_MUST;
/* Whether `in tree:"T"` says of something where it is: of a node, or of what tree, search and
 * continue take when they name none. */
bool tool_tree_has_use(const struct tool_form *form, const struct loom_call *call);
/* Whether the call is whole and nothing in it contradicts. */
enum loom_status tool_check(struct tool_parse *parse) LOOM_MUST;

/* ---- what stands in a text, one by one (turn.c) ---- */

/* What is given lives until the receiver returns. */
struct tool_turn_sink {
	void (*call)(void *ctx, const struct loom_call *call);
	void (*refusal)(void *ctx, const struct loom_refusal *refusal);
	void (*hint)(void *ctx, const struct loom_turn_hint *hint);
	void *ctx;
};
/* A turn that keeps nothing but counts: what it finds goes to the sink, so that its memory does not
 * follow how much there is. */
struct loom_turn *tool_turn_pass(enum loom_source source,
				 const struct tool_turn_sink *sink) LOOM_MUST;

#endif
