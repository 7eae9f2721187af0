/* Keeps the passage of a note beside it, and finds it again. */
#include <loom/reading/anchor.h>

#include <loom/base/json.h>
#include <loom/base/utf8.h>
#include <loom/tree/carry.h>

#define KEY "passage"

void loom_anchor_keep(struct loom_str text, size_t at, struct loom_str passage,
		      struct loom_buf *out)
{
	struct loom_json json;

	LOOM_ASSERT(at <= text.n && passage.n);
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_key(&json, KEY);
	loom_json_object(&json);
	loom_json_put(&json, "text", passage);
	loom_json_put_int(&json, "at", (int64_t)loom_utf8_length(loom_str_sub(text, 0, at)));
	loom_json_end_object(&json);
	loom_json_end_object(&json);
}

/* The byte of a text at which so many characters precede; its end if it is shorter. */
static size_t byte_of(struct loom_str text, int64_t chars)
{
	size_t at = 0;

	while (chars-- > 0 && at < text.n)
		(void)loom_utf8_next(text, &at);
	return at;
}

static size_t nearest(struct loom_str text, struct loom_str passage, size_t wanted)
{
	size_t best = SIZE_MAX;

	for (size_t at = loom_str_find(text, passage, 0); at != SIZE_MAX;
	     at = loom_str_find(text, passage, at + 1)) {
		if (best == SIZE_MAX || at <= wanted || at - wanted < wanted - best)
			best = at;
		if (at >= wanted)
			break;
	}
	return best;
}

enum loom_status loom_anchor_find(struct loom_store *store, int64_t note, struct loom_str text,
				  struct loom_arena *arena, struct loom_anchor *out,
				  struct loom_err *err)
{
	struct loom_str original;
	struct loom_str extra;
	cJSON *json = NULL;
	const cJSON *kept;
	int64_t at = 0;
	enum loom_status status = loom_carry_kept(store, note, arena, &original, &extra, err);

	*out = (struct loom_anchor){.fits = true};
	/* An import keeps there whatever its file had. */
	if (status != LOOM_OK || !extra.n || loom_json_parse(extra, NULL, &json, NULL) != LOOM_OK)
		return status;
	kept = loom_json_get(json, KEY);
	out->passage = loom_arena_str(arena, loom_json_str(kept, "text"));
	(void)loom_json_int(kept, "at", &at);
	cJSON_Delete(json);
	if (!out->passage.n)
		return LOOM_OK;
	out->at = nearest(text, out->passage, byte_of(text, at));
	out->fits = out->at != SIZE_MAX;
	return LOOM_OK;
}
