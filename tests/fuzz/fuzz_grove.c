/* Any bytes imported into a grove: it stays whole, the same file once more adds nothing, and the
 * import is one step that can be taken back. */
#include <loom/tree/op.h>
#include <loom/tree/open_store.h>

#include "support/imported.h"
#include "tests/fuzz/fuzz.h"

static void must_be_whole(struct imported *in)
{
	struct loom_check_opts opts = {.deep = true};
	struct loom_err err = {.status = LOOM_OK};
	int64_t findings = 0;

	must(loom_store_check(in->grove.store, &opts, &findings, &err) == LOOM_OK);
	must(findings == 0);
}

static size_t trees(struct imported *in)
{
	struct loom_tree *items = NULL;
	size_t count = 0;

	must(loom_tree_list(in->grove.store, in->grove.arena, &items, &count, NULL) == LOOM_OK);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str bytes = fuzz_text(data, size, 0);
	struct loom_err err = {.status = LOOM_OK};
	struct imported in;
	int64_t nodes = 0;
	int64_t op = 0;

	imported_init(&in);
	if (imported_add(&in, "file", bytes, &err) != LOOM_OK) {
		must(err.text[0] && trees(&in) == 0);
	} else {
		nodes = loom_import_report(in.import)->nodes;
		must(loom_import_report(in.import)->added <= nodes);
		must_be_whole(&in);
		must(imported_add(&in, "file", bytes, &err) == LOOM_OK);
		must(loom_import_report(in.import)->nodes == nodes);
		must(loom_import_report(in.import)->added == 0);
		if (nodes)
			must(loom_op_undo(in.grove.store, in.grove.owner, 0, &op, &err) == LOOM_OK);
		must(trees(&in) == 0);
		must_be_whole(&in);
	}
	imported_fini(&in);
	return 0;
}
