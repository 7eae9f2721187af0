/* What killed programs have left behind in a grove's folders. */
#include <loom/grove/leftovers.h>

#include <limits.h>

#include <loom/files/half_made.h>

void loom_leftover_list(const struct loom_store *store, loom_finding_fn finding, void *ctx)
{
	static const char *const places[] = {"", LOOM_GROVE_DIR "/", ".leslie/threads/"};
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	LOOM_ASSERT(finding);
	for (size_t i = 0; i < LOOM_COUNT(places); i++) {
		loom_buf_clear(&path);
		loom_buf_addf(&path, "%.*s/%s", LOOM_STR_ARG(loom_store_dir(store)), places[i]);
		model_part_list(loom_buf_cstr(&path), places[i], finding, ctx);
	}
	loom_buf_fini(&path);
}
