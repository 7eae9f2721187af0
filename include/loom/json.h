/* JSON: strict reading and a small emitter.
 *
 * Reading checks the bytes with a strict pass first (RFC 8259: no raw control bytes, exact
 * numbers, no lone surrogates, no duplicate keys in an object, nothing behind the value, depth and
 * size limits) and only then lets cJSON build the document. U+0000 in a string is refused, for
 * cJSON would cut there. Numbers beyond 2^53 keep their text only in the pull reader. */
#ifndef LOOM_JSON_H
#define LOOM_JSON_H

#include <cjson/cJSON.h>

#include <loom/err.h>
#include <loom/str.h>

struct loom_json_limits {
	size_t bytes;  /* 0: 64 MiB */
	int depth;     /* 0: 128 */
	size_t values; /* 0: 2 million */
};

/* Checks the whole of `text`; err.at is where it breaks. */
enum loom_status loom_json_check(struct loom_str text, const struct loom_json_limits *limits,
				 struct loom_err *err) LOOM_MUST;
/* Checks and builds. Caller frees with cJSON_Delete. limits NULL: the defaults. */
enum loom_status loom_json_parse(struct loom_str text, const struct loom_json_limits *limits,
				 cJSON **out, struct loom_err *err) LOOM_MUST;
/* Borrowed member of an object by exact key, or NULL. */
const cJSON *loom_json_get(const cJSON *object, const char *key);
/* The member's string, or the empty slice with p NULL when absent or no string. */
struct loom_str loom_json_str(const cJSON *object, const char *key);
/* The member as a whole number in int64 range without loss; false otherwise. */
bool loom_json_int(const cJSON *object, const char *key, int64_t *out);

/* The emitter: writes into a buffer, keeps track of commas itself. Nesting at most 64. */
struct loom_json {
	struct loom_buf *out;
	int depth;
	uint64_t has_items; /* bit per depth */
	bool after_key;
};

void loom_json_init(struct loom_json *json, struct loom_buf *out);
void loom_json_object(struct loom_json *json);
void loom_json_end_object(struct loom_json *json);
void loom_json_array(struct loom_json *json);
void loom_json_end_array(struct loom_json *json);
void loom_json_key(struct loom_json *json, const char *key);
/* A string with JavaScript's escapes (short forms, \u00XX for other controls, all else raw); bytes
 * that are not UTF-8 become U+FFFD. */
void loom_json_text(struct loom_json *json, struct loom_str s);
void loom_json_number(struct loom_json *json, int64_t n);
void loom_json_real(struct loom_json *json, double n);
void loom_json_bool(struct loom_json *json, bool b);
void loom_json_null(struct loom_json *json);
/* A value that is JSON already. */
void loom_json_raw(struct loom_json *json, struct loom_str value);
/* A cJSON value, compact, iteratively bounded by the checked depth. */
void loom_json_value(struct loom_json *json, const cJSON *value);
/* key and value in one call. */
void loom_json_put(struct loom_json *json, const char *key, struct loom_str s);
void loom_json_put_int(struct loom_json *json, const char *key, int64_t n);
void loom_json_put_bool(struct loom_json *json, const char *key, bool b);

/* Canonical form for hashing: keys sorted by UTF-16 units, no blanks, JavaScript string escapes
 * and number spelling. */
void loom_json_canonical(const cJSON *value, struct loom_buf *out);
/* A JSON string literal of `s` alone, with quotes. */
void loom_json_quote(struct loom_str s, struct loom_buf *out);

#endif
