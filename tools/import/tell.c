/* Reports an import to people: a headline, the trees, and by kind and count what was repaired, not
 * understood, not kept or dropped. */
#include <loom/import/import.h>
#include <loom/tree/say_node.h>

enum { TREES_SHOWN = 20 };

void loom_import_head(const struct loom_import_report *report, bool dry, struct loom_buf *out)
{
	if (report->restored) {
		loom_buf_adds(out, "restored what had been undone (");
		loom_show_many(report->restored, "operation", "operations", out);
		loom_buf_adds(out, ")\n");
	}
	if (!report->added && !report->known && !report->tree_count && !report->restored) {
		loom_buf_adds(out, "nothing new\n");
		return;
	}
	if (!report->added && report->known) {
		loom_buf_adds(out, "nothing new: all ");
		loom_buf_add_count(out, (uint64_t)report->known);
		loom_buf_addf(out, " nodes %s there\n", report->restored ? "are" : "were");
		return;
	}
	loom_buf_adds(out, dry ? "would import " : "imported ");
	loom_show_many(report->added, "node", "nodes", out);
	loom_buf_addf(out, " in %zu %s\n", report->tree_count,
		      loom_plural((int64_t)report->tree_count, "tree", "trees"));
}

static void tell_tree(const struct loom_import_made *made, struct loom_buf *out)
{
	loom_buf_adds(out, "  ");
	loom_show_tree(made->title, out);
	loom_buf_adds(out, " · ");
	loom_show_many(made->nodes, "node", "nodes", out);
	if (made->known) {
		loom_buf_adds(out, ", ");
		loom_buf_add_count(out, (uint64_t)made->added);
		loom_buf_adds(out, made->added ? " new, the others exist already" : " new");
	}
	loom_buf_addf(out, " · %.*s\n", LOOM_STR_ARG(made->format));
}

static void tell_lines(const char *title, const struct loom_import_lines *lines,
		       struct loom_buf *out)
{
	if (lines->count)
		loom_buf_addf(out, "%s:\n", title);
	for (size_t i = 0; i < lines->count; i++) {
		loom_buf_adds(out, "  ");
		loom_buf_add_count(out, (uint64_t)lines->items[i].count);
		loom_buf_addf(out, " × %.*s\n", LOOM_STR_ARG(lines->items[i].text));
	}
}

void loom_import_tell(const struct loom_import_report *report, struct loom_buf *out)
{
	for (size_t i = 0; i < report->tree_count && i < TREES_SHOWN; i++)
		tell_tree(&report->trees[i], out);
	if (report->tree_count > TREES_SHOWN) {
		loom_buf_adds(out, "  and ");
		loom_buf_add_count(out, report->tree_count - TREES_SHOWN);
		loom_buf_adds(out, " more trees\n");
	}
	if (report->documents) {
		loom_buf_adds(out, "  ");
		loom_show_many(report->documents, "document", "documents", out);
		loom_buf_addc(out, '\n');
	}
	tell_lines("repaired", &report->repaired, out);
	tell_lines("not understood, kept beside the nodes", &report->unknown, out);
	tell_lines("not kept", &report->lost, out);
	tell_lines("secrets dropped", &report->secrets, out);
	tell_lines("kept, and shown by name", &report->unseen, out);
	tell_lines("split", &report->split, out);
	tell_lines("not confirmed by this grove", &report->claimed, out);
}
