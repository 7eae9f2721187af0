/* What the parts of the parser share: tokens, parameters, forms and the state of reading one call.
 * Nothing here is for other rooms. */
#ifndef LOOM_TOOLS_PARSE_IMPL_H
#define LOOM_TOOLS_PARSE_IMPL_H

#include <loom/language/call_id.h>
#include <loom/language/parse.h>
#include <loom/base/utf8.h>

#include <loom/language/scan_lines.h>

/* ---- tokens (lex.c) ---- */

enum lang_token_kind {
	LANG_WORD,  /* text: the bare word */
	LANG_TEXT,  /* text: what stood between quotes, unescaped */
	LANG_PARAM, /* key, text: the value; prefix when the value is doc:"…" */
	LANG_ARG,   /* text: an argument of `loom do` whose part is not known yet */
};

struct lang_token {
	enum lang_token_kind kind;
	struct loom_str raw; /* as written, for messages */
	size_t at;           /* offset in the line */
	struct loom_str key;
	struct loom_str prefix; /* bare text between the key's colon and a quote: doc: */
	struct loom_str text;
	bool quoted; /* the value of a parameter stood in quotes */
};

/* Lives as long as its line is read; the texts in it may live on. */
struct lang_tokens {
	struct lang_token *items;
	size_t count;
	size_t cap;
};

void lang_tokens_fini(struct lang_tokens *tokens);

/* Cuts a line into tokens: comments and closing punctuation are gone. Caller finis *out, also on
 * failure. */
enum loom_status lang_lex(struct loom_arena *arena, struct loom_str line, struct lang_tokens *out,
			  struct loom_err *err) LOOM_MUST;
/* The arguments of a command as tokens of kind LANG_ARG. */
void lang_lex_argv(struct loom_arena *arena, int argc, char *const *argv, struct lang_tokens *out);
/* An argument read as word or parameter. */
struct lang_token lang_lex_arg(const struct lang_token *arg);

/* ---- verbs (parse_verb.c) ---- */

struct lang_verb_match {
	enum loom_verb verb;    /* LOOM_VERB_NONE: none, or of several readings */
	size_t next;            /* the token behind it */
	bool unpin;             /* drop, said as unpin or drop pin */
	const char *readings;   /* of a phrase of several readings, else NULL */
	struct loom_str phrase; /* that phrase, or the first word that is no verb */
};

/* Polite and grammatical words that carry nothing. */
bool lang_is_filler(struct loom_str word);
/* Words that turn or join meanings: or, and, then, if, not, don't … */
bool lang_is_logic(struct loom_str word);
/* The verb at the head of the tokens from `from` on, fillers skipped; the longest phrase wins. */
struct lang_verb_match lang_verb_match(const struct lang_tokens *tokens, size_t from);
/* Whether `text` begins with the name or a synonym of a verb as its first word. */
bool lang_starts_with_verb(struct loom_str text);

/* ---- parameters (params.c) ---- */

enum lang_type {
	LANG_T_ID,
	LANG_T_IDS,  /* two ids: a path */
	LANG_T_NAME, /* of a document, agent, section … */
	LANG_T_TEXT, /* content: any bytes */
	LANG_T_INT,
	LANG_T_RANGE, /* of lines */
	LANG_T_FLAG,
	LANG_T_WORD,  /* an enum's word */
	LANG_T_NAMES, /* comma-separated */
	LANG_T_PLACE,
	LANG_T_VERB,
};

/* id, key in the language, name in JSON, type, field of struct loom_call */
#define LANG_PARAMS(X)                                                                             \
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

enum lang_param {
#define X(id, key, json, type, field) LANG_P_##id,
	LANG_PARAMS(X)
#undef X
		LANG_P_COUNT,
	LANG_P_NONE = LANG_P_COUNT
};
#define LANG_BIT(param) (UINT64_C(1) << (param))

struct lang_param_info {
	const char *key;  /* "" for what stands by itself */
	const char *json; /* NULL: part of an object of its own */
	enum lang_type type;
	size_t offset; /* in struct loom_call */
};

const struct lang_param_info *lang_param_info(enum lang_param param);
/* Where a parameter lives in a call. */
void *lang_param_field(struct loom_call *call, enum lang_param param);
const void *lang_param_peek(const struct loom_call *call, enum lang_param param);
/* Whether it is there. */
bool lang_param_set(const struct loom_call *call, enum lang_param param);
/* The value of a WORD parameter. */
int lang_param_word(const struct loom_call *call, enum lang_param param);
void lang_param_set_word(struct loom_call *call, enum lang_param param, int value);
/* The word of a WORD parameter's value, "" for none; and back, 0 for no such word. */
const char *lang_word_of(enum lang_param param, int value);
int lang_word_value(enum lang_param param, struct loom_str word);

/* ---- forms: the args notation of a verb (form.c) ---- */

#define LANG_SLOTS_MAX 16

/* One thing that may follow a verb. Slots of one item are alternatives of each other. */
struct lang_slot {
	enum lang_param param;
	struct loom_str values; /* of a key: what may follow it, e.g. prose|nodes */
	const char *leads;      /* connective before it ("from"), or NULL */
	struct loom_str piece;  /* as it stands in the notation, for messages */
	unsigned char item;
	unsigned char form;
	bool optional;
	bool bare; /* stands by itself, without a key */
};

struct lang_form {
	const struct loom_verb_info *verb;
	struct lang_slot slots[LANG_SLOTS_MAX];
	size_t count;
	unsigned char forms; /* how many whole forms */
	unsigned char items; /* of the longest */
	bool takes_id;       /* so `in tree:"T"` may stand too */
};

/* Reads the notation of a verb's row. */
void lang_form_read(enum loom_verb verb, struct lang_form *out);
/* The slot of a parameter, NULL when the verb does not take it. */
const struct lang_slot *lang_form_slot(const struct lang_form *form, enum lang_param param);
/* The parameter that a key means for this verb, LANG_P_NONE when it takes no such key. */
enum lang_param lang_form_key(const struct lang_form *form, struct loom_str key);
/* Whether a WORD slot lists this value. */
bool lang_slot_allows(const struct lang_slot *slot, int value);
/* The flag or choice that a bare word means; *out_value for a WORD. */
enum lang_param lang_form_word(const struct lang_form *form, struct loom_str word, int *out_value);
/* What is set, as bits. */
uint64_t lang_form_mask(const struct lang_form *form, const struct loom_call *call);
/* The whole form that fits best what is set: nothing outside it, the least missing. *out_fits is
 * false when every form leaves something outside. */
unsigned char lang_form_choose(const struct lang_form *form, uint64_t mask, bool *out_fits);
/* Whether nothing that is set stands outside a form. */
bool lang_form_fits(const struct lang_form *form, unsigned char which, uint64_t mask);
/* How many slots of an item are set, and whether one must be. */
size_t lang_form_item(const struct lang_form *form, unsigned char which, unsigned char item,
		      uint64_t mask, bool *out_needed);

/* ---- reading one call (parse.c, parse_value.c, parse_check.c) ---- */

struct lang_parse {
	struct loom_arena *arena;
	struct lang_tokens tokens;
	size_t next;
	struct lang_form form;
	struct loom_call *call;
	struct loom_refusal *refusal;
	struct loom_err err; /* becomes the refusal's message and hint */
	bool unpin;
	bool argv;
	bool argv_loose; /* parameters before texts: the second try */
};

/* Fills the refusal: what is wrong, and the verb's form as the hint. */
enum loom_status lang_refuse(struct lang_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* As above, as a question. */
enum loom_status lang_ask(struct lang_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* The form of a verb as the hint. */
enum loom_status lang_hint_form(struct loom_err *err, const char *before, enum loom_verb verb);
/* Puts what was found wrong into the refusal, texts in the arena. */
void lang_refusal_of(struct loom_arena *arena, const struct loom_err *err,
		     struct loom_refusal *refusal);
/* Adds a candidate to the refusal just filled. */
void lang_candidate(struct loom_refusal *refusal, enum loom_verb verb);
/* A token's text for a message: short, one line. */
struct loom_str lang_shown(struct loom_str text);

/* What a verb was given and does not take. */
enum lang_given { LANG_GIVEN_ID, LANG_GIVEN_TEXT, LANG_GIVEN_DOC };
/* Refuses a part that has no place with this verb, or asks whether another verb was meant. */
enum loom_status lang_misplaced(struct lang_parse *parse, const struct lang_token *token,
				enum lang_given given);
/* Refuses a word that says nothing. */
enum loom_status lang_left_over(struct lang_parse *parse, const struct lang_token *token);

/* The token `ahead` behind the one being taken, NULL at the end; its word, empty when it is none.
 */
const struct lang_token *lang_peek(const struct lang_parse *parse, size_t ahead);
struct loom_str lang_word_ahead(const struct lang_parse *parse, size_t ahead);
/* Puts a token into a parameter that must not be there yet. */
enum loom_status lang_fill(struct lang_parse *parse, enum lang_param param,
			   const struct lang_token *token) LOOM_MUST;
/* Each takes one token; `in` when the word in stood before it. */
enum loom_status lang_take_param(struct lang_parse *parse, const struct lang_token *given,
				 bool in) LOOM_MUST;
enum loom_status lang_take_word(struct lang_parse *parse, const struct lang_token *token) LOOM_MUST;
enum loom_status lang_take_arg(struct lang_parse *parse, const struct lang_token *given) LOOM_MUST;
/* Whether a word carries nothing for this verb alone. */
bool lang_is_own_filler(const struct lang_parse *parse, struct loom_str word);
/* All of parse->tokens to parse->call. */
enum loom_status lang_parse_tokens(struct lang_parse *parse) LOOM_MUST;

/* Puts a token's value into a parameter; refuses what is of another type. */
enum loom_status lang_value(struct lang_parse *parse, enum lang_param param,
			    const struct lang_token *token) LOOM_MUST;
/* A thought whose text is known. */
enum loom_status lang_parse_thought(struct loom_str text, struct loom_call *out,
				    struct loom_err *err) LOOM_MUST;
/* Whether `in tree:"T"` says of something where it is: of a node, or of what tree, search and
 * continue take when they name none. */
bool lang_tree_has_use(const struct lang_form *form, const struct loom_call *call);
/* Whether the call is whole and nothing in it contradicts. */
enum loom_status lang_check(struct lang_parse *parse) LOOM_MUST;

/* ---- what stands in a text, one by one (turn.c) ---- */

/* What is given lives until the receiver returns. */
struct lang_turn_sink {
	void (*call)(void *ctx, const struct loom_call *call);
	void (*refusal)(void *ctx, const struct loom_refusal *refusal);
	void (*hint)(void *ctx, const struct loom_turn_hint *hint);
	void *ctx;
};
/* A turn that keeps nothing but counts: what it finds goes to the sink, so that its memory does not
 * follow how much there is. */
struct loom_turn *lang_turn_pass(enum loom_source source,
				 const struct lang_turn_sink *sink) LOOM_MUST;

#endif
