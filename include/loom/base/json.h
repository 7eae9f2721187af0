/* JSON: strict reading and a small emitter.
 *
 * Reading checks the bytes with a strict pass first (RFC 8259: no raw control bytes, exact
 * numbers, no lone surrogates, no duplicate keys in an object, nothing behind the value, depth and
 * size limits) and only then lets cJSON build the document. U+0000 in a string is refused unless
 * asked for, for cJSON would cut there. Numbers beyond 2^53 keep their text only in the pull
 * reader. */
#ifndef LOOM_JSON_H
#define LOOM_JSON_H

#include <cjson/cJSON.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

#define LOOM_JSON_DEPTH_MAX 512

struct loom_json_limits {
	size_t bytes;  /* 0: 64 MiB */
	int depth;     /* 0: 128; at most LOOM_JSON_DEPTH_MAX */
	size_t values; /* 0: 2 million */
	bool nul;      /* lets U+0000 pass, for text that is read in place and never by cJSON */
};

/* Checks the whole of `text`: LOOM_INVALID where it breaks the format, LOOM_LIMIT where it is too
 * much; err.at is where. */
enum loom_status loom_json_check(struct loom_str text, const struct loom_json_limits *limits,
				 struct loom_err *err) LOOM_MUST;
/* Checks and builds. Caller frees with cJSON_Delete. limits NULL: the defaults. */
enum loom_status loom_json_parse(struct loom_str text, const struct loom_json_limits *limits,
				 cJSON **out, struct loom_err *err) LOOM_MUST;
/* Borrowed member of an object by exact key, or NULL. */
const cJSON *loom_json_get(const cJSON *object, const char *key);
/* The member's string, or the empty slice with p NULL when absent or no string. */
struct loom_str loom_json_str(const cJSON *object, const char *key);
/* A whole number that a double holds without loss (below 2^53); false for anything else, NULL too.
 */
bool loom_json_whole(const cJSON *value, int64_t *out);
/* The same of a member. */
bool loom_json_int(const cJSON *object, const char *key, int64_t *out);

/* The pull reader: one token at a time over text that stays where it is; no allocation. It knows
 * the grammar and the limits, but not duplicate keys: those are for loom_json_keys. */
enum loom_json_kind {
	LOOM_JSON_DONE, /* the value and the text have ended */
	LOOM_JSON_OBJECT,
	LOOM_JSON_END_OBJECT,
	LOOM_JSON_ARRAY,
	LOOM_JSON_END_ARRAY,
	LOOM_JSON_KEY,
	LOOM_JSON_TEXT,
	LOOM_JSON_NUMBER,
	LOOM_JSON_TRUE,
	LOOM_JSON_FALSE,
	LOOM_JSON_NULL,
};

struct loom_json_token {
	enum loom_json_kind kind;
	struct loom_str raw; /* a string between its quotes, escapes and all; else as spelled */
	bool escaped;        /* raw holds escapes: decode it */
	size_t at;           /* where the token begins in the text */
};

struct loom_json_reader {
	struct loom_str text;
	size_t at;
	struct loom_json_limits limits;
	/* Set these after init. */
	bool loose; /* for text that cJSON never sees: lets U+0000, lone surrogates and numbers of
		     * any length pass, as JavaScript does */
	bool forgiving; /* lets pass what programs have written that knew no better: also bytes in
			 * strings that are not UTF-8 or control characters, and NaN and Infinity,
			 * which are numbers then */
	uint8_t *deep;  /* the caller's own bits, one for each level that limits.depth allows;
			 * NULL: those below, and no more than LOOM_JSON_DEPTH_MAX */
	int state;
	int depth;
	size_t values;
	uint8_t in_object[LOOM_JSON_DEPTH_MAX / 8]; /* bit per depth */
};

/* `text` is borrowed while the reader is used. limits NULL: the defaults. */
void loom_json_read_init(struct loom_json_reader *reader, struct loom_str text,
			 const struct loom_json_limits *limits);
/* The next token; errors as for loom_json_check. After an error every further call fails. */
enum loom_status loom_json_read(struct loom_json_reader *reader, struct loom_json_token *out,
				struct loom_err *err) LOOM_MUST;
/* Passes over the rest of the value that `first` begins (for a key: of its value); *out_raw
 * (nullable) gets the whole value's text. */
enum loom_status loom_json_skip(struct loom_json_reader *reader,
				const struct loom_json_token *first, struct loom_str *out_raw,
				struct loom_err *err) LOOM_MUST;
/* The keys of all objects that are open while a text is read, so that none stands twice in one. */
struct loom_json_keys;
/* With nothing open. The caller destroys it. */
struct loom_json_keys *loom_json_keys_create(void) LOOM_MUST;
/* NULL is fine. */
void loom_json_keys_destroy(struct loom_json_keys *keys);
/* Takes each token that the reader gave, in its order. LOOM_INVALID names the key that stands
 * twice. */
enum loom_status loom_json_keys_take(struct loom_json_keys *keys,
				     const struct loom_json_reader *reader,
				     const struct loom_json_token *token,
				     struct loom_err *err) LOOM_MUST;
/* Appends what a key's or string's raw text means. A lone surrogate (loose only) comes out as the
 * three bytes that UTF-8 would give it, which are not UTF-8. */
void loom_json_decode(struct loom_str raw, struct loom_buf *out);

/* The emitter: writes into a buffer, keeps track of commas itself. Nesting at most 64: deeper
 * makes the buffer bad with LOOM_LIMIT. */
struct loom_json {
	struct loom_buf *out;
	int depth;
	uint64_t has_items; /* bit per depth */
	bool after_key;
};

/* Writes nothing. The buffer is borrowed, and its `bad` is the emitter's only error. */
void loom_json_init(struct loom_json *json, struct loom_buf *out);
/* Containers. Each is ended once, by the call of its own kind … */
void loom_json_object(struct loom_json *json);
/* … innermost first. */
void loom_json_end_object(struct loom_json *json);
/* As loom_json_object; its values are written without keys. */
void loom_json_array(struct loom_json *json);
/* As loom_json_end_object. */
void loom_json_end_array(struct loom_json *json);
/* Names the value that is written next, inside an object; escaped as a text is. */
void loom_json_key(struct loom_json *json, const char *key);
/* A string with JavaScript's escapes (short forms, \u00xx for other controls, all else raw); bytes
 * that are not UTF-8 become U+FFFD. */
void loom_json_text(struct loom_json *json, struct loom_str s);
/* A whole number. */
void loom_json_number(struct loom_json *json, int64_t n);
/* As JavaScript spells it; what is not finite becomes null. */
void loom_json_real(struct loom_json *json, double n);
/* true or false. */
void loom_json_bool(struct loom_json *json, bool b);
/* null. */
void loom_json_null(struct loom_json *json);
/* A value that is JSON already. */
void loom_json_raw(struct loom_json *json, struct loom_str value);
/* A cJSON value, compact, of any depth. */
void loom_json_value(struct loom_json *json, const cJSON *value);
/* key and value in one call. */
void loom_json_put(struct loom_json *json, const char *key, struct loom_str s);
/* As loom_json_put, of a whole number … */
void loom_json_put_int(struct loom_json *json, const char *key, int64_t n);
/* … of true or false … */
void loom_json_put_bool(struct loom_json *json, const char *key, bool b);
/* … and of a list of texts. */
void loom_json_put_texts(struct loom_json *json, const char *key, const struct loom_str *texts,
			 size_t count);

/* Canonical form for hashing: keys sorted by UTF-16 units, no blanks, JavaScript string escapes
 * and number spelling. */
void loom_json_canonical(const cJSON *value, struct loom_buf *out);
/* A string in that form; unlike loom_json_quote it spells lone surrogates (see loom_json_decode)
 * as \udxxx. */
void loom_json_canonical_text(struct loom_str s, struct loom_buf *out);
/* A JSON string literal of `s` alone, with quotes. */
void loom_json_quote(struct loom_str s, struct loom_buf *out);

#endif
