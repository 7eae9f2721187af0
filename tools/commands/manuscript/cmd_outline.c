/* `loom outline`: the headings and scenes of a path, with their lengths; `loom goal`: how long its
 * text shall get. */
#include <loom/cli/services.h>

#include <loom/grove/goal.h>
#include <loom/text/sections.h>
#include <loom/tree/say_node.h>

#include "path_text.h"

#include <loom/commands/args_of.def>
#include <loom/commands/manuscript.def>

/* A heading, or a scene: what a break between scenes begins. */
struct part {
	int level; /* of a heading; 0: a scene */
	int depth; /* how far it is indented */
	struct loom_str name;
	size_t from;
	size_t to; /* up to the next one of its level or above */
};

struct outline {
	struct loom_arena *arena;
	struct part *parts;
	size_t count;
	size_t cap;
};

static void add_part(struct outline *outline, const struct part *part)
{
	outline->parts = loom_arena_grow(outline->arena, outline->parts, outline->count,
					 &outline->cap, sizeof *outline->parts);
	outline->parts[outline->count++] = *part;
}

/* A scene is named by how it begins. */
static void name_scene(struct outline *outline, struct part *part, struct loom_str text)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (part->level || part->name.n)
		return;
	loom_show_sentence(loom_str_trim(loom_str_sub(text, part->from, part->to - part->from)),
			   &name);
	part->name = loom_arena_buf(outline->arena, &name);
	loom_buf_fini(&name);
}

static void find_parts(struct outline *outline, struct loom_str text)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line;
	enum loom_line kind;
	int depth = 0; /* below the last heading */

	while ((kind = loom_lines_next(&walk, &line, &heading)) != LOOM_LINE_END) {
		const size_t at = (size_t)(line.p - text.p);

		if (kind == LOOM_LINE_HEADING)
			add_part(outline, &(struct part){.level = heading.level,
							 .depth = heading.level - 1,
							 .name = heading.name,
							 .from = at});
		else if (kind == LOOM_LINE_TEXT && loom_line_is_break(line))
			add_part(outline, &(struct part){.from = text.n - walk.rest.n});
	}
	for (size_t i = 0; i < outline->count; i++) {
		struct part *part = &outline->parts[i];
		size_t next = i + 1;

		if (!part->level)
			part->depth = depth;
		else
			depth = part->level;

		/* A scene ends with whatever comes next. */
		while (next < outline->count && part->level &&
		       (!outline->parts[next].level || outline->parts[next].level > part->level))
			next++;
		part->to = next < outline->count ? outline->parts[next].from : text.n;
		name_scene(outline, part, text);
	}
}

static void answer_part(struct cli_grove *grove, const struct path_text *path,
			const struct part *part, size_t passage)
{
	struct loom_cli *cli = grove->cli;
	struct loom_text_size size = {.words = 0};
	const struct loom_str name = cli_node_name(grove, &path->path.items[passage]);

	loom_text_measure(&size, loom_str_sub(path->text, part->from, part->to - part->from));
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "kind", part->level ? LOOM_STR("heading") : LOOM_STR("scene"));
	loom_answer_number(cli, "level", part->level);
	loom_answer_text(cli, "name", part->name);
	loom_answer_text(cli, "node", name);
	loom_answer_number(cli, "at", manuscript_chars(path, passage, part->from));
	loom_answer_number(cli, "words", size.words);
	loom_answer_number(cli, "chars", size.chars);
	loom_answer_line(cli, "%*s%s%.*s · %s · [%.*s]", part->level ? 2 * (part->level - 1) : 12,
			 "", part->level ? "" : "* ", LOOM_STR_ARG(part->name),
			 loom_answer_many(cli, size.words, "word", "words"), LOOM_STR_ARG(name));
	loom_answer_end(cli);
}

static enum loom_status run_outline(struct cli_grove *grove, struct loom_err *err)
{
	struct outline outline = {.arena = grove->arena};
	struct path_text path;
	struct cli_spot tip;
	size_t passage = 0;
	enum loom_status status = cli_grove_spot(grove, args_of_outline(grove->cli)->node,
						 LOOM_NODE_NARROW, &tip, err);

	if (!status)
		status = manuscript_read(grove, grove->store, &tip, &path, err);
	if (status)
		return status;
	find_parts(&outline, path.text);
	loom_answer_list(grove->cli, "parts");
	for (size_t i = 0; i < outline.count; i++) {
		passage = manuscript_passage(&path, outline.parts[i].from, passage);
		answer_part(grove, &path, &outline.parts[i], passage);
	}
	loom_answer_end(grove->cli);
	if (!outline.count)
		loom_answer_note(grove->cli, "the path to [%s] has no headings and no scene breaks",
				 tip.name);
	return LOOM_OK;
}

enum loom_status cmd_outline(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_outline, err);
}

/* ---- goals ---- */

static void answer_goal(struct loom_cli *cli, const struct loom_goal *goal)
{
	loom_answer_number(cli, "text", goal->text);
	loom_answer_number(cli, "session", goal->session);
	if (goal->text)
		loom_answer_line(cli, "the text: %s",
				 loom_answer_many(cli, goal->text, "word", "words"));
	if (goal->session)
		loom_answer_line(cli, "a session: %s",
				 loom_answer_many(cli, goal->session, "word", "words"));
	if (!goal->text && !goal->session)
		loom_answer_line(cli, "no goal is set");
}

static enum loom_status run_goal(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_goal *args = args_of_goal(grove->cli);
	struct loom_tree tree;
	struct loom_goal goal;
	enum loom_status status = cli_grove_tree(grove, args->tree, &tree, err);

	if (!status)
		status = loom_goal_get(grove->store, &tree.ulid, &goal, err);
	if (status)
		return status;
	goal.text = loom_number_or(args->n, goal.text);
	goal.session = loom_number_or(args->session, goal.session);
	if (args->n.given || args->session.given)
		status = loom_goal_set(grove->store, &tree.ulid, &goal, err);
	if (!status)
		answer_goal(grove->cli, &goal);
	return status;
}

enum loom_status cmd_goal(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.files = true};

	return cli_grove_run(cli, &need, run_goal, err);
}
