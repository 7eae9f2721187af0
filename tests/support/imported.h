/* A file imported into a grove of the test's own, and what came of it as text, so that a fixture
 * and what it becomes stand side by side. For tests of the room tools. */
#ifndef LOOM_TESTS_SUPPORT_IMPORTED_H
#define LOOM_TESTS_SUPPORT_IMPORTED_H

#include <loom/tree/carry.h>
#include <loom/import/import.h>

#include "support/grove.h"

struct imported {
	struct grove grove;
	struct loom_import *import;
	struct loom_buf said;
	bool with_extra; /* show what was kept beside a node, and its record */
};

static inline void imported_init(struct imported *in)
{
	*in = (struct imported){.import = NULL};
	grove_init(&in->grove);
	loom_buf_init(&in->said, LOOM_BUF_MAX);
}

static inline void imported_fini(struct imported *in)
{
	loom_import_destroy(in->import);
	loom_buf_fini(&in->said);
	grove_fini(&in->grove);
}

static inline void imported_line(struct loom_buf *out, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i])
			loom_buf_addc(out, text.p[i] == '\n' ? '/' : text.p[i]);
		else
			loom_buf_adds(out, "^@");
}

/* Reads and writes one file. */
static inline enum loom_status imported_add(struct imported *in, const char *name,
					    struct loom_str bytes, struct loom_err *err)
{
	struct loom_import_opts opts = {.env = &in->grove.env, .dir = in->grove.temp.path};
	struct loom_import_write how = {.actor = in->grove.owner};
	enum loom_status status = LOOM_OK;
	int64_t op = 0;

	loom_import_destroy(in->import);
	in->import = NULL;
	status = loom_import_create(&opts, &in->import, err);
	if (status == LOOM_OK)
		status = loom_import_add(in->import, loom_str_of(name), bytes, err);
	if (status == LOOM_OK)
		status = loom_import_settle(in->import, err);
	if (status == LOOM_OK)
		status = loom_import_write(in->import, in->grove.store, &how, &op, err);
	return status;
}

static inline void imported_tags(struct imported *in, int64_t node)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	struct loom_err err = {0};

	grove_must(loom_tag_of(in->grove.store, node, in->grove.arena, &tags, &count, &err), &err,
		   "tags");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&in->said, " #%.*s", LOOM_STR_ARG(tags[i]));
}

static inline void imported_links(struct imported *in, int64_t node)
{
	struct loom_link *links = NULL;
	size_t count = 0;
	struct loom_err err = {0};

	grove_must(loom_link_list(in->grove.store, LOOM_LINK_NODE, node, in->grove.arena, &links,
				  &count, &err),
		   &err, "links");
	for (size_t i = 0; i < count; i++) {
		struct loom_node to;

		if (links[i].from != node || !links[i].to_node)
			continue;
		grove_must(loom_node_get(in->grove.store, links[i].to_node, LOOM_NODE_TEXT,
					 in->grove.arena, &to, &err),
			   &err, "link");
		loom_buf_adds(&in->said, " ->");
		imported_line(&in->said, to.text);
	}
}

static inline void imported_beside(struct imported *in, int64_t node, int64_t created)
{
	struct loom_str original;
	struct loom_str extra;
	struct loom_str record;
	struct loom_str raw;
	struct loom_err err = {0};

	if (!in->with_extra)
		return;
	grove_must(loom_carry_kept(in->grove.store, node, in->grove.arena, &original, &extra, &err),
		   &err, "extra");
	grove_must(loom_node_generation(in->grove.store, node, in->grove.arena, &record, &raw,
					&err),
		   &err, "generation");
	if (created != loom_env_now(&in->grove.env)) {
		loom_buf_adds(&in->said, " @");
		loom_time_iso(created, &in->said);
	}
	if (record.n)
		loom_buf_addf(&in->said, " <%.*s>", LOOM_STR_ARG(record));
	if (extra.n)
		loom_buf_addf(&in->said, " %.*s", LOOM_STR_ARG(extra));
}

static inline void imported_notes(struct imported *in, int64_t group, int depth)
{
	struct loom_page page = {.kind = LOOM_ANNOTATION, .limit = 100, .parts = LOOM_NODE_TEXT};
	struct loom_nodes notes;
	struct loom_err err = {0};

	grove_must(loom_node_children(in->grove.store, group, &page, in->grove.arena, &notes, &err),
		   &err, "notes");
	for (size_t i = 0; i < notes.count; i++) {
		loom_buf_add_repeat(&in->said, ' ', (size_t)depth);
		loom_buf_adds(&in->said, "note: ");
		imported_line(&in->said, notes.items[i].text);
		if (in->with_extra && notes.items[i].created != loom_env_now(&in->grove.env)) {
			loom_buf_adds(&in->said, " @");
			loom_time_iso(notes.items[i].created, &in->said);
		}
		loom_buf_addc(&in->said, '\n');
	}
}

static inline void imported_node(struct imported *in, const struct loom_node *node, int depth)
{
	struct loom_agent agent;
	struct loom_page page = {.limit = 100,
				 .pruned_too = true,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_nodes below;
	struct loom_err err = {0};

	grove_must(loom_agent_get(in->grove.store, node->author, in->grove.arena, &agent, &err),
		   &err, "author");
	loom_buf_add_repeat(&in->said, ' ', (size_t)depth);
	/* A name with a mark is a claim; without one it is an agent of the grove. */
	loom_buf_addf(&in->said, "%.*s%s: ", LOOM_STR_ARG(agent.name),
		      loom_agent_acts(&agent) ? "" : "?");
	imported_line(&in->said, node->text);
	if (node->bookmarked)
		loom_buf_addf(&in->said, " *%.*s", LOOM_STR_ARG(node->label));
	if (node->excluded)
		loom_buf_adds(&in->said, " (excluded)");
	if (node->pruned)
		loom_buf_adds(&in->said, " (pruned)");
	if (node->summary.n)
		loom_buf_addf(&in->said, " (%.*s)", LOOM_STR_ARG(node->summary));
	imported_links(in, node->id);
	imported_tags(in, node->id);
	imported_beside(in, node->id, node->created);
	loom_buf_addc(&in->said, '\n');
	imported_notes(in, node->group, depth + 1);
	grove_must(loom_node_children(in->grove.store, node->group, &page, in->grove.arena, &below,
				      &err),
		   &err, "children");
	for (size_t i = 0; i < below.count; i++)
		imported_node(in, &below.items[i], depth + 1);
}

static inline void imported_lines(struct imported *in, const char *what,
				  const struct loom_import_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		loom_buf_addf(&in->said, "%s %lld %.*s\n", what, (long long)lines->items[i].count,
			      LOOM_STR_ARG(lines->items[i].text));
}

/* All trees that this import has written, then its report. */
static inline const char *imported_say(struct imported *in)
{
	const struct loom_import_report *report = loom_import_report(in->import);
	struct loom_tree tree;
	struct loom_err err = {0};

	loom_buf_clear(&in->said);
	for (size_t i = 0; i < report->tree_count; i++) {
		struct loom_node root;

		if (!report->trees[i].tree)
			continue;
		grove_must(loom_tree_get(in->grove.store, report->trees[i].tree, in->grove.arena,
					 &tree, &err),
			   &err, "tree");
		loom_buf_addf(&in->said, "= %.*s%s\n", LOOM_STR_ARG(tree.title),
			      tree.mode == LOOM_BUFFER ? " (buffer)" : "");
		if (tree.system.n)
			loom_buf_addf(&in->said, "! %.*s\n", LOOM_STR_ARG(tree.system));
		root = grove_get(&in->grove, tree.root);
		grove_must(loom_node_get(in->grove.store, tree.root,
					 LOOM_NODE_TEXT | LOOM_NODE_MARKS, in->grove.arena, &root,
					 &err),
			   &err, "root");
		imported_node(in, &root, 0);
	}
	imported_lines(in, "unknown", &report->unknown);
	imported_lines(in, "lost", &report->lost);
	imported_lines(in, "repaired", &report->repaired);
	imported_lines(in, "secret", &report->secrets);
	imported_lines(in, "unseen", &report->unseen);
	return loom_buf_cstr(&in->said);
}

#endif
