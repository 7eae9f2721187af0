/* Shared by the parts of the parser: tokens, parameters, forms, and the state of reading one
 * call. */
#ifndef LOOM_TOOLS_PARSE_IMPL_H
#define LOOM_TOOLS_PARSE_IMPL_H

#include <loom/language/call_id.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/base/utf8.h>

#include <loom/language/scan_lines.h>

/* ---- tokens (lex.c) ---- */

enum lang_token_kind {
	LANG_WORD,  /* text: the bare word */
	LANG_TEXT,  /* text: the contents of the quotes, unescaped */
	LANG_PARAM, /* key; text: the value; prefix for a value like doc:"…" */
	LANG_ARG,   /* text: an argument of `loom do`, not yet classified */
};

struct lang_token {
	enum lang_token_kind kind;
	struct loom_str raw; /* as written, for messages */
	size_t at;           /* offset in the line */
	struct loom_str key;
	struct loom_str prefix; /* bare text between a key's colon and a quote: doc: */
	struct loom_str text;
	bool quoted; /* the value was in quotes */
};

/* The tokens of a line, valid while it is being read; their texts may live on. */
struct lang_tokens {
	struct lang_token *items;
	size_t count;
	size_t cap;
};

/* Frees the list; the texts live in the arena. */
void lang_tokens_fini(struct lang_tokens *tokens);

/* Cuts a line into tokens, without comments and closing punctuation. Call lang_tokens_fini on *out,
 * after a failure too. Fails with LOOM_SYNTAX and err->at. */
enum loom_status lang_lex(struct loom_arena *arena, struct loom_str line, struct lang_tokens *out,
			  struct loom_err *err) LOOM_MUST;
/* Turns the arguments of a command into tokens of kind LANG_ARG. */
void lang_lex_argv(struct loom_arena *arena, int argc, char *const *argv, struct lang_tokens *out);
/* Returns an argument read as a word or a parameter. */
struct lang_token lang_lex_arg(const struct lang_token *arg);

/* ---- verbs (parse_verb.c) ---- */

struct lang_verb_match {
	enum loom_verb verb;    /* LOOM_VERB_NONE: none, or an ambiguous phrase */
	size_t next;            /* the token after it */
	bool unpin;             /* drop, written as unpin or drop pin */
	const char *readings;   /* of an ambiguous phrase, else NULL */
	struct loom_str phrase; /* that phrase, or the first word when it is not a verb */
};

/* Returns whether a polite or grammatical word means nothing here. */
bool lang_is_filler(struct loom_str word);
/* Returns whether a word turns or joins meanings: or, and, then, if, not, don't … */
bool lang_is_logic(struct loom_str word);
/* Finds the verb at the head of the tokens, starting at `from` and skipping fillers. The longest
 * phrase wins. */
struct lang_verb_match lang_verb_match(const struct lang_tokens *tokens, size_t from);
/* Returns whether the first word of `text` is the name or a synonym of a verb. */
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
	LANG_T_WORD,  /* a word of an enum */
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
	X(ON, "on", "on", TEXT, on)                                                                \
	X(TOKENS, "tokens", "tokens", INT, tokens)                                                 \
	X(THINKING, "effort", "effort", NAME, sampling[LOOM_SAMPLER_EFFORT])                       \
	X(TEMPERATURE, "temperature", "temperature", NAME, sampling[LOOM_SAMPLER_TEMPERATURE])     \
	X(TOP_P, "top_p", "top_p", NAME, sampling[LOOM_SAMPLER_TOP_P])                             \
	X(TOP_K, "top_k", "top_k", NAME, sampling[LOOM_SAMPLER_TOP_K])                             \
	X(MIN_P, "min_p", "min_p", NAME, sampling[LOOM_SAMPLER_MIN_P])                             \
	X(SEED, "seed", "seed", NAME, sampling[LOOM_SAMPLER_SEED])                                 \
	X(DRY, "dry", "dry", NAME, sampling[LOOM_SAMPLER_DRY])                                     \
	X(XTC, "xtc", "xtc", NAME, sampling[LOOM_SAMPLER_XTC])                                     \
	X(TOP_N_SIGMA, "top_n_sigma", "top_n_sigma", NAME, sampling[LOOM_SAMPLER_TOP_N_SIGMA])     \
	X(BAN, "ban", "ban", TEXT, sampling[LOOM_SAMPLER_BAN])                                     \
	X(LOGIT_BIAS, "logit_bias", "logit_bias", TEXT, sampling[LOOM_SAMPLER_LOGIT_BIAS])         \
	X(GRAMMAR, "grammar", "grammar", TEXT, sampling[LOOM_SAMPLER_GRAMMAR])                     \
	X(AGENT, "agent", "agent", NAME, agent)                                                    \
	X(DOC, "doc", "doc", NAME, doc)                                                            \
	X(APPEND, "append", "append", FLAG, append)                                                \
	X(PLACE, "at", "at", PLACE, place)                                                         \
	X(REPLACE, "replace", "replace", NAME, replace)                                            \
	X(QUERY, "", "query", TEXT, query)                                                         \
	X(LABEL, "", "label", TEXT, label)                                                         \
	X(CONTENT, "", "content", TEXT, content)                                                   \
	X(CONTENT_OF, "content-of", "content_of", ID, content_of)                                  \
	X(SIBLINGS_OF, "siblings-of", "siblings_of", ID, siblings_of)                              \
	X(BEFORE, "before", "before", ID, before)                                                  \
	X(SUMMARY_OF, "summary-of", "summary_of", IDS, summary_of)                                 \
	X(AS, "as", "as", WORD, as)                                                                \
	X(WHAT, "", "what", WORD, what)                                                            \
	X(PAGE, "page", "page", INT, page)                                                         \
	X(DEPTH, "depth", "depth", INT, depth)                                                     \
	X(WORDS, "words", "words", INT, words)                                                     \
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
	X(REF, "ref", "ref", TEXT, ref)                                                            \
	X(OBJECTIVE, "objective", "objective", NAME, objective)                                    \
	X(LIVE, "live", "live", FLAG, live)                                                        \
	X(TOOL, "", "tool", VERB, tool)                                                            \
	X(UNTERMINATED, "", "unterminated", FLAG, unterminated)

enum lang_param {
#define X(id, key, json, type, field) LANG_P_##id,
	LANG_PARAMS(X)
#undef X
		LANG_P_COUNT,
	LANG_P_NONE = LANG_P_COUNT
};
/* Parameters as bits; there are more than a word of the machine has. */
__extension__ typedef unsigned __int128 lang_mask;
#define LANG_BIT(param) ((lang_mask)1 << (param))

struct lang_param_info {
	const char *key;  /* "" for a parameter without a key */
	const char *json; /* NULL: part of a nested object */
	enum lang_type type;
	size_t offset; /* in struct loom_call */
};

/* Returns the record of a parameter. Static. */
const struct lang_param_info *lang_param_info(enum lang_param param);
/* Returns the address of a parameter's field in a call. */
void *lang_param_field(struct loom_call *call, enum lang_param param);
/* Returns the address of a parameter's field in a call that is not to be changed. */
const void *lang_param_peek(const struct loom_call *call, enum lang_param param);
/* Returns whether the call has the parameter. */
bool lang_param_set(const struct loom_call *call, enum lang_param param);
/* Returns the value of a WORD parameter; 0: absent. */
int lang_param_word(const struct loom_call *call, enum lang_param param);
/* Sets the value of a WORD parameter. */
void lang_param_set_word(struct loom_call *call, enum lang_param param, int value);
/* Returns the word for a WORD parameter's value, "" for none. Static. */
const char *lang_word_of(enum lang_param param, int value);
/* Returns the value for a word of a WORD parameter, 0 when it has no such word. */
int lang_word_value(enum lang_param param, struct loom_str word);

/* ---- forms: the args notation of a verb (form.c) ---- */

#define LANG_SLOTS_MAX 32

/* Something that may follow a verb. The slots of one item are alternatives. */
struct lang_slot {
	enum lang_param param;
	struct loom_str values; /* of a key: its possible values, e.g. prose|nodes */
	const char *leads;      /* the connective before it ("from"), or NULL */
	struct loom_str piece;  /* as in the notation, for messages */
	unsigned char item;
	unsigned char form;
	bool optional;
	bool bare; /* has no key */
};

struct lang_form {
	const struct loom_verb_info *verb;
	struct lang_slot slots[LANG_SLOTS_MAX];
	size_t count;
	unsigned char forms; /* number of complete forms */
	unsigned char items; /* of the longest form */
	bool takes_id;       /* so `in tree:"T"` is allowed too */
};

/* Reads the notation of a verb's row into *out. */
void lang_form_read(enum loom_verb verb, struct lang_form *out);
/* Returns the slot of a parameter, NULL when the verb does not take it. */
const struct lang_slot *lang_form_slot(const struct lang_form *form, enum lang_param param);
/* Returns the parameter that a key means for this verb, LANG_P_NONE when it has no such key. */
enum lang_param lang_form_key(const struct lang_form *form, struct loom_str key);
/* Returns whether a WORD slot lists this value. */
bool lang_slot_allows(const struct lang_slot *slot, int value);
/* Returns whether a slot's notation lists this word as a value. */
bool lang_slot_lists(const struct lang_slot *slot, struct loom_str word);
/* Returns the flag or choice that a bare word means, with *out_value for a choice; LANG_P_NONE when
 * it means none. */
enum lang_param lang_form_word(const struct lang_form *form, struct loom_str word, int *out_value);
/* Returns the parameters that are set, as bits. */
lang_mask lang_form_mask(const struct lang_form *form, const struct loom_call *call);
/* Returns the form that best fits the set parameters: with nothing outside it and the least
 * missing. *out_fits is false when every form leaves something outside. */
unsigned char lang_form_choose(const struct lang_form *form, lang_mask mask, bool *out_fits);
/* Returns whether no set parameter is outside a form. */
bool lang_form_fits(const struct lang_form *form, unsigned char which, lang_mask mask);
/* Returns how many slots of an item are set; *out_needed says whether one must be. */
size_t lang_form_item(const struct lang_form *form, unsigned char which, unsigned char item,
		      lang_mask mask, bool *out_needed);

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
	bool argv_loose; /* second try: parameters before texts */
};

/* Fills the refusal with what is wrong, and the verb's form as the hint. Always returns
 * LOOM_SYNTAX. */
enum loom_status lang_refuse(struct lang_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* Fills the refusal with a question, and the verb's form as the hint. Always returns
 * LOOM_SYNTAX. */
enum loom_status lang_ask(struct lang_parse *parse, const char *format, ...) LOOM_PRINTF(2, 3);
/* Sets the hint to `before` and the form of a verb. Always returns LOOM_SYNTAX. */
enum loom_status lang_hint_form(struct loom_err *err, const char *before, enum loom_verb verb);
/* Copies an error into the refusal, with texts in the arena. */
void lang_refusal_of(struct loom_arena *arena, const struct loom_err *err,
		     struct loom_refusal *refusal);
/* Adds a candidate to the refusal just filled. */
void lang_candidate(struct loom_refusal *refusal, enum loom_verb verb);
/* Returns a token's text for a message, shortened and on one line. */
struct loom_str lang_shown(struct loom_str text);

/* Reads a line in the language's own spelling alone. */
enum loom_status lang_read_strictly(struct loom_arena *arena, struct loom_str line,
				    struct loom_call *out, struct loom_refusal *refusal) LOOM_MUST;
struct lang_phrase;
/* Completes a refusal with what the line may have meant, in lines that can be copied. */
void lang_teach(struct loom_arena *arena, const struct lang_phrase *phrase,
		struct loom_refusal *refusal);

/* A part that a verb was given but does not take. */
enum lang_given { LANG_GIVEN_ID, LANG_GIVEN_TEXT, LANG_GIVEN_DOC };
/* Refuses a part that does not belong to this verb, or asks whether another verb was meant. Always
 * returns LOOM_SYNTAX. */
enum loom_status lang_misplaced(struct lang_parse *parse, const struct lang_token *token,
				enum lang_given given);
/* Refuses a word that nobody understands. Always returns LOOM_SYNTAX. */
enum loom_status lang_left_over(struct lang_parse *parse, const struct lang_token *token);

/* Returns the token `ahead` places after the next one, NULL past the end. */
const struct lang_token *lang_peek(const struct lang_parse *parse, size_t ahead);
/* Returns the word of the token `ahead` places after the next one; empty past the end or when it is
 * not a word. */
struct loom_str lang_word_ahead(const struct lang_parse *parse, size_t ahead);
/* Stores a token in a parameter; refuses it when the parameter is set already. */
enum loom_status lang_fill(struct lang_parse *parse, enum lang_param param,
			   const struct lang_token *token) LOOM_MUST;
/* Takes a key:value token; `in` says that the word "in" preceded it. Fills the refusal on
 * failure. */
enum loom_status lang_take_param(struct lang_parse *parse, const struct lang_token *given,
				 bool in) LOOM_MUST;
/* Takes a bare word. Fills the refusal on failure. */
enum loom_status lang_take_word(struct lang_parse *parse, const struct lang_token *token) LOOM_MUST;
/* Takes an argument of `loom do`. Fills the refusal on failure. */
enum loom_status lang_take_arg(struct lang_parse *parse, const struct lang_token *given) LOOM_MUST;
/* Returns whether a word means nothing with this particular verb. */
bool lang_is_own_filler(const struct lang_parse *parse, struct loom_str word);
/* Parses all of parse->tokens into parse->call. Fills the refusal on failure. */
enum loom_status lang_parse_tokens(struct lang_parse *parse) LOOM_MUST;

/* Converts a token's value and stores it in a parameter. Refuses a value of the wrong type. */
enum loom_status lang_value(struct lang_parse *parse, enum lang_param param,
			    const struct lang_token *token) LOOM_MUST;
/* Fills *out with a think call. Fails with LOOM_SYNTAX for an empty thought. */
enum loom_status lang_parse_thought(struct loom_str text, struct loom_call *out,
				    struct loom_err *err) LOOM_MUST;
/* Returns whether `in tree:"T"` says where something is: a named node, or the default of tree,
 * search and continue. */
bool lang_tree_has_use(const struct lang_form *form, const struct loom_call *call);
/* Checks that the call is complete and consistent. Fills the refusal on failure. */
enum loom_status lang_check(struct lang_parse *parse) LOOM_MUST;

/* ---- the contents of a text, one by one (turn.c) ---- */

/* The arguments live until the callback returns. */
struct lang_turn_sink {
	void (*call)(void *ctx, const struct loom_call *call);
	void (*refusal)(void *ctx, const struct loom_refusal *refusal);
	void (*hint)(void *ctx, const struct loom_turn_hint *hint);
	void *ctx;
};
/* Creates a turn that only counts and passes everything to the sink, so that its memory does not
 * grow with the text. Free it with loom_turn_destroy. */
struct loom_turn *lang_turn_pass(enum loom_source source,
				 const struct lang_turn_sink *sink) LOOM_MUST;

#endif
