/* The tree as a whole: new, title, describe, summarize; and diff, which sets two nodes side by
 * side. */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/language/worddiff.h>
#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>
#include <loom/tree/job.h>

enum loom_status engine_verb_new(struct engine_run *run, struct loom_err *err)
{
	struct loom_tree_spec spec = {.mode = run->tree.mode,
				      .title = run->call->label,
				      .system = LOOM_STR_INIT(""),
				      .root_text = LOOM_STR_INIT(""),
				      .author = run->engine->agent.id,
				      .subject = run->tree.subject};
	struct loom_tree other;
	int64_t made = 0;
	enum loom_status status = loom_tree_find(run->store, spec.title, run->arena, &other, NULL);

	if (status == LOOM_OK) {
		loom_fail(err, LOOM_CONFLICT, "there is a tree of that title already");
		return loom_hint(err, LOOM_CONFLICT,
				 "give it another: " LANG_ARROW " new tree \"%.*s 2\"",
				 LOOM_STR_ARG(spec.title));
	}
	status = loom_tree_create(run->store, &spec, &made, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "created the tree \"%.*s\"", LOOM_STR_ARG(spec.title));
	loom_buf_adds(run->out, "✓ created ");
	loom_show_tree(spec.title, run->out);
	loom_buf_adds(run->out, "\n  " LANG_ARROW " switch to r001 in tree:");
	loom_call_quote(spec.title, run->out);
	return LOOM_OK;
}

static enum loom_status set_field(struct engine_run *run, enum loom_tree_field field,
				  struct loom_str value, const char *did, struct loom_err *err)
{
	const struct loom_str before =
		field == LOOM_TREE_TITLE ? run->tree.title : run->tree.description;
	enum loom_status status = LOOM_OK;

	run->changed = !loom_str_eq(before, value);
	if (run->changed)
		status = loom_tree_set(run->store, run->tree.id, field, value, err);
	if (status != LOOM_OK)
		return status;
	engine_say(run, "%s \"%.*s\"", did, LOOM_STR_ARG(loom_shown_label(run->arena, value)));
	loom_buf_addf(run->out, "✓ %s", did);
	if (run->changed)
		loom_buf_addf(run->out, " \"%.*s\"",
			      LOOM_STR_ARG(loom_shown_label(run->arena, value)));
	else
		loom_buf_adds(run->out, " unchanged");
	return LOOM_OK;
}

enum loom_status engine_verb_title(struct engine_run *run, struct loom_err *err)
{
	return set_field(run, LOOM_TREE_TITLE, run->call->label, "titled the tree", err);
}

enum loom_status engine_verb_describe(struct engine_run *run, struct loom_err *err)
{
	return set_field(run, LOOM_TREE_DESCRIPTION, run->call->content, "described the tree", err);
}

/* A summary is derived, so asking for one is no operation. */
static enum loom_status queue_summary(struct engine_run *run, int64_t node, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(run->store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_summary_due(run->store, node ? LOOM_JOB_NODE : LOOM_JOB_TREE,
				  node ? node : run->tree.id, err);
	return loom_quiet_end(run->store, status, err);
}

/* Nobody has a model for summaries, so a beginning stands for one, at once. */
static enum loom_status say_extract(struct engine_run *run, const struct loom_node *node,
				    struct loom_err *err)
{
	struct loom_node now = {.id = 0};
	enum loom_status status = LOOM_OK;

	if (!node->id) {
		loom_buf_adds(run->out,
			      "✓ the first words of this tree are its summary, since no "
			      "small model is set up\n  " LANG_ARROW " tree summary shows it");
		return LOOM_OK;
	}
	status = loom_node_get(run->store, node->id, LOOM_NODE_ALL, run->arena, &now, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_addf(run->out,
		      "✓ the first words of [%.*s] are its summary, since no small model is set "
		      "up\n  ",
		      LOOM_STR_ARG(engine_name(run, node)));
	engine_show_quoted(run, &now);
	return LOOM_OK;
}

enum loom_status engine_verb_summarize(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node = {.id = 0};
	enum loom_status status = LOOM_OK;

	if (run->call->id.p)
		status = engine_find(run, run->call->id, &node, err);
	if (status == LOOM_OK && !run->engine->opts.dry_run)
		status = queue_summary(run, node.id, err);
	if (status != LOOM_OK)
		return status;
	if (loom_summary_at_once(run->store))
		return say_extract(run, &node, err);
	if (node.id) {
		loom_buf_addf(run->out, "✓ a summary of [%.*s] is being made",
			      LOOM_STR_ARG(engine_name(run, &node)));
		loom_buf_addf(run->out, "\n  so far: ");
		engine_show_quoted(run, &node);
	} else {
		loom_buf_adds(run->out, "✓ a summary of this tree is being made\n  " LANG_ARROW
					" tree summary shows it");
	}
	return LOOM_OK;
}

/* ---- diff ---- */

enum loom_status engine_verb_diff(struct engine_run *run, struct loom_err *err)
{
	static const char *const opens[] = {"", "[-", "{+"};
	static const char *const closes[] = {"", "-]", "+}"};
	struct loom_buf text = LOOM_BUF_INIT(ENGINE_RESULT_MAX);
	struct loom_node a;
	struct loom_node b;
	struct loom_diff diff;
	enum loom_status status = engine_find(run, run->call->id, &a, err);

	if (status == LOOM_OK)
		status = engine_find(run, run->call->target.node, &b, err);
	if (status != LOOM_OK)
		return status;
	loom_word_diff(a.text, b.text, run->arena, &diff);
	for (size_t i = 0; i < diff.count; i++) {
		const enum loom_diff_kind kind = diff.parts[i].kind;

		loom_buf_adds(&text, opens[kind]);
		loom_buf_add(&text, diff.parts[i].text);
		loom_buf_adds(&text, closes[kind]);
	}
	loom_buf_addf(run->out, "[%.*s] → [%.*s] · [-gone-] {+new+}\n",
		      LOOM_STR_ARG(engine_name(run, &a)), LOOM_STR_ARG(engine_name(run, &b)));
	(void)loom_body_add(run->out, loom_buf_str(&text), LOOM_BELOW_HEADERS);
	loom_buf_fini(&text);
	return LOOM_OK;
}
