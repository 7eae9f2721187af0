/* Seams: reading, writing and applying them. Invariant: a seam that was read lies within its text,
 * between characters. */
#include <loom/text/seam.h>

#include <loom/base/jval.h>
#include <loom/base/utf8.h>

bool loom_seam_any(const struct loom_seam *seam)
{
	return seam->skip || seam->cut || seam->put.n;
}

static bool is_blank(struct loom_str put)
{
	return !put.n || loom_str_is(put, " ") || loom_str_is(put, "\n") ||
	       loom_str_is(put, "\n\n");
}

/* Only blanks are ever put before a text, so a record from a file can add no words of its own. */
static struct loom_str put_of(struct loom_str value)
{
	static const struct {
		const char *json;
		const char *text;
	} puts[] = {{"\" \"", " "}, {"\"\\n\"", "\n"}, {"\"\\n\\n\"", "\n\n"}};

	for (size_t i = 0; i < LOOM_COUNT(puts); i++)
		if (loom_str_is(value, puts[i].json))
			return loom_str_of(puts[i].text);
	return LOOM_STR("");
}

static bool is_boundary(struct loom_str text, size_t at)
{
	return at == text.n || (text.p[at] & 0xC0) != 0x80;
}

bool loom_seam_of(struct loom_str record, struct loom_str came, struct loom_seam *out)
{
	const struct loom_str value = loom_jval_get(record, "seam");
	int64_t skip = 0;
	int64_t cut = 0;

	*out = (struct loom_seam){.put = LOOM_STR("")};
	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return false;
	(void)loom_jval_int(loom_jval_get(value, "skip"), &skip);
	(void)loom_jval_int(loom_jval_get(value, "cut"), &cut);
	if (skip < 0 || cut < 0 || (uint64_t)skip > came.n ||
	    (uint64_t)cut > came.n - (size_t)skip || !is_boundary(came, (size_t)skip) ||
	    !is_boundary(came, came.n - (size_t)cut))
		return false;
	*out = (struct loom_seam){.skip = (size_t)skip,
				  .cut = (size_t)cut,
				  .put = put_of(loom_jval_get(value, "put"))};
	LOOM_ASSERT(is_blank(out->put));
	return loom_seam_any(out);
}

void loom_seam_json(const struct loom_seam *seam, struct loom_json *json)
{
	LOOM_ASSERT(is_blank(seam->put));
	loom_json_key(json, "seam");
	loom_json_object(json);
	if (seam->skip)
		loom_json_put_int(json, "skip", (int64_t)seam->skip);
	if (seam->put.n)
		loom_json_put(json, "put", seam->put);
	if (seam->cut)
		loom_json_put_int(json, "cut", (int64_t)seam->cut);
	loom_json_end_object(json);
}

void loom_seam_apply(const struct loom_seam *seam, struct loom_str came, struct loom_buf *out)
{
	LOOM_ASSERT(seam->skip + seam->cut <= came.n);
	loom_buf_add(out, seam->put);
	loom_buf_add(out, loom_str_sub(came, seam->skip, came.n - seam->cut - seam->skip));
}

size_t loom_seam_to_read(const struct loom_seam *seam, size_t bytes, size_t came)
{
	const size_t end = bytes - seam->cut;
	const size_t at = came > end ? end : came;

	LOOM_ASSERT(seam->skip + seam->cut <= bytes && came <= bytes);
	return at < seam->skip ? 0 : seam->put.n + at - seam->skip;
}

size_t loom_seam_to_came(const struct loom_seam *seam, size_t bytes, size_t read)
{
	LOOM_ASSERT(seam->skip + seam->cut <= bytes);
	if (read <= seam->put.n)
		return seam->skip;
	read += seam->skip - seam->put.n;
	return read >= bytes - seam->cut ? bytes : read;
}
