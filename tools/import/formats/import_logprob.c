/* Converts log probabilities of other programs into our records: a list of tokens, each with its
 * own log probability and those of its alternatives. Numbers stay as spelled in the file; a format
 * that has probabilities keeps those as well. */
#include <math.h>

#include <loom/base/hash.h>
#include <loom/base/utf8.h>

#include <loom/import/reader_kit.h>

static void put_pair(struct loom_import *import, struct loom_str token, struct loom_str logprob,
		     struct loom_buf *out)
{
	double number = 0;

	loom_buf_addc(out, '[');
	if (loom_jval_type(token) == LOOM_JTYPE_STRING)
		import_keep(import, token, out);
	else
		loom_buf_adds(out, "\"\"");
	loom_buf_addc(out, ',');
	if (loom_jval_real(logprob, &number) && isfinite(number))
		loom_buf_add(out, logprob);
	else
		loom_buf_adds(out, "null");
}

void import_token(struct loom_import *import, struct loom_str token, struct loom_str logprob,
		  struct loom_buf *out)
{
	if (out->n)
		loom_buf_addc(out, ',');
	put_pair(import, token, logprob, out);
	loom_buf_adds(out, ",[");
}

void import_token_other(struct loom_import *import, struct loom_str token, struct loom_str logprob,
			struct loom_buf *out)
{
	if (out->p[out->n - 1] == ']')
		loom_buf_addc(out, ',');
	put_pair(import, token, logprob, out);
	loom_buf_addc(out, ']');
}

void import_token_end(struct loom_buf *out)
{
	loom_buf_adds(out, "]]");
}

/* The text of bytes as JSON, in the scratch arena. */
static struct loom_str quoted(struct loom_import *import, struct loom_str bytes)
{
	struct loom_buf text = IMPORT_BUF(import);
	struct loom_str made;

	loom_json_quote(bytes, &text);
	made = loom_arena_buf(import_scratch(import), &text);
	loom_buf_fini(&text);
	return made;
}

void import_token_raw(struct loom_import *import, struct loom_str bytes, struct loom_str logprob,
		      struct loom_buf *out)
{
	import_token(import, quoted(import, bytes), logprob, out);
}

void import_token_other_raw(struct loom_import *import, struct loom_str bytes,
			    struct loom_str logprob, struct loom_buf *out)
{
	import_token_other(import, quoted(import, bytes), logprob, out);
}

void import_token_raw_end(struct loom_str bytes, struct loom_buf *out)
{
	size_t bad = 0;

	if (loom_utf8_valid(bytes, &bad)) {
		import_token_end(out);
		return;
	}
	loom_buf_adds(out, "],\"");
	loom_hex(bytes.p, bytes.n, out);
	loom_buf_adds(out, "\"]");
}

void import_token_others(struct loom_import *import, struct loom_str object, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str token;
	struct loom_str logprob;

	while (walk.object && loom_jwalk_next(&walk, &token, &logprob))
		import_token_other(import, token, logprob, out);
}

struct loom_str import_log(struct loom_import *import, struct loom_str prob)
{
	double p = 0;

	if (!loom_jval_real(prob, &p) || !(p > 0))
		return loom_str_make(NULL, 0);
	return loom_arena_format(import_scratch(import), "%.6f", p < 1 ? log(p) : 0.0);
}
