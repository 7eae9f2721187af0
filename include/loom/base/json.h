/* JSON: strict reading and a small writer.
 *
 * A strict pass checks the bytes first (RFC 8259: no raw control bytes, exact numbers, no lone
 * surrogates, no duplicate keys, nothing after the value, limits on depth and size); only then does
 * cJSON build the document. U+0000 in a string is refused unless requested, because cJSON would cut
 * the string there. Only the pull reader keeps the text of numbers beyond 2^53. */
#ifndef LOOM_JSON_H
#define LOOM_JSON_H

#include <cjson/cJSON.h>

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/pages.h>
#include <loom/base/str.h>

#define LOOM_JSON_DEPTH_MAX 512

struct loom_json_limits {
	size_t bytes;  /* 0: 64 MiB */
	int depth;     /* 0: 128; at most LOOM_JSON_DEPTH_MAX */
	size_t values; /* 0: 2 million */
	bool nul;      /* accept U+0000, for text that is read in place and never by cJSON */
};

/* Checks all of `text`. LOOM_INVALID if it violates the format, LOOM_LIMIT if it exceeds a limit;
 * err.at is the offset. */
enum loom_status loom_json_check(struct loom_str text, const struct loom_json_limits *limits,
				 struct loom_err *err) LOOM_MUST;
/* Checks `text` and builds a document, which the caller frees with cJSON_Delete. NULL limits are
 * the defaults. Fails like loom_json_check. */
enum loom_status loom_json_parse(struct loom_str text, const struct loom_json_limits *limits,
				 cJSON **out, struct loom_err *err) LOOM_MUST;
/* Returns a borrowed member of an object by its exact key, or NULL. */
const cJSON *loom_json_get(const cJSON *object, const char *key);
/* Returns a member's string, borrowed; p is NULL if the member is absent or not a string. */
struct loom_str loom_json_str(const cJSON *object, const char *key);
/* Reads a whole number that a double holds exactly (below 2^53); false for anything else, including
 * NULL. */
bool loom_json_whole(const cJSON *value, int64_t *out);
/* Reads a member that is a whole number below 2^53; false if it is absent or anything else. */
bool loom_json_int(const cJSON *object, const char *key, int64_t *out);

/* The pull reader returns one token at a time from text that stays in place, without allocating. It
 * checks the grammar and the limits, but not duplicate keys; loom_json_keys does. */
enum loom_json_kind {
	LOOM_JSON_DONE, /* the value and the text are complete */
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
	struct loom_str
		raw;  /* a string without its quotes, still escaped; any other token as written */
	bool escaped; /* raw holds escapes and needs decoding */
	size_t at;    /* offset of the token in the text */
};

struct loom_json_reader {
	struct loom_str text;
	size_t at;
	struct loom_json_limits limits;
	/* Set these after loom_json_read_init. */
	bool loose; /* for text that cJSON never sees: accept U+0000, lone surrogates and numbers of
		       any length, as JavaScript does */
	bool forgiving; /* for output of careless programs: also accept strings with invalid UTF-8
			   or raw control characters, and NaN and Infinity as numbers */
	uint8_t *deep; /* the caller's bits, one per level that limits.depth allows; NULL uses those
			  below, up to LOOM_JSON_DEPTH_MAX */
	struct loom_pages *pages; /* where the text lies, told of what is touched; nullable */
	int state;
	int depth;
	size_t values;
	uint8_t in_object[LOOM_JSON_DEPTH_MAX / 8]; /* a bit per level */
};

/* Starts a reader. `text` is borrowed until the last read. NULL limits are the defaults. */
void loom_json_read_init(struct loom_json_reader *reader, struct loom_str text,
			 const struct loom_json_limits *limits);
/* Reads the next token. Fails like loom_json_check; after an error every further call fails too. */
enum loom_status loom_json_read(struct loom_json_reader *reader, struct loom_json_token *out,
				struct loom_err *err) LOOM_MUST;
/* Skips the rest of the value that `first` begins (for a key, its value); *out_raw (nullable) gets
 * the whole value's text. */
enum loom_status loom_json_skip(struct loom_json_reader *reader,
				const struct loom_json_token *first, struct loom_str *out_raw,
				struct loom_err *err) LOOM_MUST;
/* Tracks the keys of all open objects while a text is read, to find duplicates. */
struct loom_json_keys;
/* Creates a tracker with no open object. Free it with loom_json_keys_destroy. */
struct loom_json_keys *loom_json_keys_create(void) LOOM_MUST;
/* Frees the tracker; NULL is fine. */
void loom_json_keys_destroy(struct loom_json_keys *keys);
/* Takes every token in the order the reader returned it. LOOM_INVALID names a duplicate key. */
enum loom_status loom_json_keys_take(struct loom_json_keys *keys,
				     const struct loom_json_reader *reader,
				     const struct loom_json_token *token,
				     struct loom_err *err) LOOM_MUST;
/* Appends the decoded text of a key or string. A lone surrogate (loose mode only) becomes the three
 * bytes UTF-8 would use for it, which are not valid UTF-8. */
void loom_json_decode(struct loom_str raw, struct loom_buf *out);

/* The writer appends to a buffer and places the commas itself. Nesting is limited to 64 levels;
 * beyond that the buffer goes bad with LOOM_LIMIT. */
struct loom_json {
	struct loom_buf *out;
	int depth;
	uint64_t has_items; /* a bit per level */
	bool after_key;
};

/* Prepares a writer; writes nothing yet. `out` is borrowed, and its `bad` is the writer's only
 * error. */
void loom_json_init(struct loom_json *json, struct loom_buf *out);
/* Opens an object. Close it with loom_json_end_object, after everything opened inside it. */
void loom_json_object(struct loom_json *json);
/* Closes the innermost open container, which must be an object. */
void loom_json_end_object(struct loom_json *json);
/* Opens an array, whose values have no keys. Close it with loom_json_end_array, after everything
 * opened inside it. */
void loom_json_array(struct loom_json *json);
/* Closes the innermost open container, which must be an array. */
void loom_json_end_array(struct loom_json *json);
/* Writes the key of the next value in an object, escaped like a string. */
void loom_json_key(struct loom_json *json, const char *key);
/* Writes a string with JavaScript's escapes (short forms, \u00xx for other controls, everything
 * else raw); invalid UTF-8 becomes U+FFFD. */
void loom_json_text(struct loom_json *json, struct loom_str s);
/* Writes a whole number. */
void loom_json_number(struct loom_json *json, int64_t n);
/* Writes a number as JavaScript spells it; NaN and infinities become null. */
void loom_json_real(struct loom_json *json, double n);
/* Writes true or false. */
void loom_json_bool(struct loom_json *json, bool b);
/* Writes the value null. */
void loom_json_null(struct loom_json *json);
/* Writes `value`, which must already be JSON, unchanged. */
void loom_json_raw(struct loom_json *json, struct loom_str value);
/* Writes a cJSON value compactly, at any depth. */
void loom_json_value(struct loom_json *json, const cJSON *value);
/* Writes a key and a string. */
void loom_json_put(struct loom_json *json, const char *key, struct loom_str s);
/* Writes a key and a whole number. */
void loom_json_put_int(struct loom_json *json, const char *key, int64_t n);
/* Writes a key and true or false. */
void loom_json_put_bool(struct loom_json *json, const char *key, bool b);
/* Writes the member "retryable" of an error: true, false, or "maybe" for a model's failure. */
void loom_json_put_retry(struct loom_json *json, enum loom_status status);
/* Writes a key and an array of `count` strings. */
void loom_json_put_texts(struct loom_json *json, const char *key, const struct loom_str *texts,
			 size_t count);

/* Appends the canonical form for hashing: keys sorted by UTF-16 units, no blanks, JavaScript's
 * string escapes and number spelling. */
void loom_json_canonical(const cJSON *value, struct loom_buf *out);
/* Appends a string in canonical form; unlike loom_json_quote it writes lone surrogates (see
 * loom_json_decode) as \udxxx. */
void loom_json_canonical_text(struct loom_str s, struct loom_buf *out);
/* Appends `s` as a JSON string literal, quotes included. */
void loom_json_quote(struct loom_str s, struct loom_buf *out);
/* Returns `s` as a JSON string literal in the arena. */
struct loom_str loom_json_quoted(struct loom_str s, struct loom_arena *arena);

#endif
