/* Any bytes as an archive: it is refused with its reason, or each file in it is as long as it says,
 * whatever was claimed; a beginning of it is read the same way as the whole. */
#include <loom/base/arena.h>

#include "tests/fuzz/fuzz.h"
#include "tools/import/take.h"

/* Files of an archive that are unpacked, and bytes of each, so that a case stays short. */
enum { FILES = 8, BYTES = 1 << 16, HEAD = 20 };

static enum loom_status add(void *ctx, struct loom_str bytes, struct loom_err *err)
{
	(void)err;
	loom_buf_add(ctx, bytes);
	return LOOM_OK;
}

static bool unpack(const struct import_zip *zip, size_t i, uint64_t most, struct loom_buf *out)
{
	struct loom_err err = {.status = LOOM_OK};
	const enum loom_status status = import_zip_read(zip, i, most, add, out, &err);

	must(status == LOOM_OK || err.text[0]);
	must(out->n <= most && out->n <= zip->members[i].size);
	return status == LOOM_OK;
}

static void read_member(const struct import_zip *zip, size_t i)
{
	struct loom_buf head = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (unpack(zip, i, BYTES, &whole)) {
		must(zip->members[i].size > BYTES || whole.n == zip->members[i].size);
		must(unpack(zip, i, HEAD, &head));
		must(loom_str_starts(loom_buf_str(&whole), loom_buf_str(&head)));
	}
	loom_buf_fini(&head);
	loom_buf_fini(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct import_zip zip;

	if (import_zip_open(LOOM_STR("file"), fuzz_text(data, size, 0), arena, &zip, &err) ==
	    LOOM_OK)
		for (size_t i = 0; i < zip.count && i < FILES; i++)
			read_member(&zip, i);
	else
		must(err.text[0]);
	loom_arena_destroy(arena);
	return 0;
}
