/* Store files of threads as anybody may have written them: what the index takes for JSON is JSON,
 * its records can be walked, and what is spliced into it leaves JSON. */
#include <loom/base/json.h>

#include "model/leslie/inside.h"
#include "tests/fuzz/fuzz.h"

static void walk(struct loom_arena *arena, const struct model_leslie_doc *doc)
{
	for (size_t i = 0; i < doc->count; i++) {
		const struct model_leslie_branch *branch = &doc->branches[i];
		struct loom_jwalk items = loom_jval_walk(branch->value);
		struct loom_str key = {NULL, 0};
		struct loom_str value = {NULL, 0};
		size_t count = 0;

		while (loom_jwalk_next(&items, &key, &value)) {
			model_leslie_texts(arena, value, &(size_t){0});
			model_leslie_member_text(arena, value, "id");
			count++;
		}
		must(count == branch->count);
	}
}

static void edit(struct loom_arena *arena, struct model_leslie_doc *doc)
{
	struct model_leslie_edits edits;
	struct model_leslie_doc again;
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	model_leslie_edits_init(&edits, doc);
	model_leslie_edit_branch(&edits, "fuzz", LOOM_STR("{\"a\":[1,{}]}"));
	for (size_t i = 0; i < doc->count && i < 4; i++) {
		struct loom_str value = doc->branches[i].value;

		if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
			continue;
		model_leslie_edit_set(&edits, value, "new one", LOOM_STR("true"));
		model_leslie_edit_add_text(&edits, value, "new list", LOOM_STR("t\"x"));
	}
	model_leslie_edits_apply(&edits, &out);
	must(model_leslie_doc_read(arena, loom_buf_str(&out), &again, NULL) == LOOM_OK);
	must(again.count == doc->count + 1);
	loom_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of just this size, so that a look behind it is seen. */
	char *copy = loom_alloc(size ? size : 1);
	struct loom_str text = {copy, size};
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct model_leslie_doc doc;
	enum loom_status status = LOOM_OK;

	if (size)
		memcpy(copy, data, size);
	status = model_leslie_doc_read(arena, text, &doc, &err);
	must(status == LOOM_OK || (status == LOOM_INVALID && err.at <= size));
	if (loom_json_check(text, NULL, NULL) == LOOM_OK && size && text.p[0] == '{')
		must(status == LOOM_OK || strstr(err.text, "deep"));
	if (status == LOOM_OK) {
		walk(arena, &doc);
		edit(arena, &doc);
	}
	loom_arena_destroy(arena);
	free(copy);
	return 0;
}
