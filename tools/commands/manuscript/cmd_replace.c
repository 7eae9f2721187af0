/* `loom replace`: replaces a text wherever it stands on a path. Each passage that changes gets
 * another version, all in one operation. */
#include <loom/cli/services.h>

#include <loom/base/utf8.h>
#include <loom/tree/lease.h>
#include <loom/tree/op.h>
#include <loom/work/thread.h>

#include "path_text.h"

#include <loom/commands/args_of.def>
#include <loom/commands/manuscript.def>

/* How much of the text is shown on either side of a place. */
enum { AROUND = 32 };

/* A place in the joined text of the path. */
struct place {
	size_t from;
	size_t to;
	size_t passage; /* the one in which it begins */
};

struct replacing {
	struct cli_grove *grove;
	struct cli_spot tip;
	struct loom_str old;
	struct loom_str new;
	struct path_text read;
	struct place *places;
	size_t count;
	size_t cap;
	size_t changed; /* passages */
};

/* ---- finding ---- */

static void add_place(struct replacing *re, size_t at, size_t passage)
{
	re->places = loom_arena_grow(re->grove->arena, re->places, re->count, &re->cap,
				     sizeof *re->places);
	re->places[re->count++] =
		(struct place){.from = at, .to = at + re->old.n, .passage = passage};
}

/* The turns of a dialogue do not run into each other. */
static void find_places(struct replacing *re)
{
	const struct path_text *read = &re->read;
	const bool joined = re->tip.tree.mode == LOOM_BUFFER;
	size_t passage = 0;
	size_t at = loom_str_find(read->text, re->old, 0);

	while (at != SIZE_MAX) {
		size_t next = at + re->old.n;

		passage = manuscript_passage(read, at, passage);
		if (joined ||
		    (at >= read->begins[passage] && next <= manuscript_end(read, passage)))
			add_place(re, at, passage);
		else
			next = at + 1;
		at = loom_str_find(read->text, re->old, next);
	}
}

static enum loom_status read_path(struct replacing *re, struct loom_store *store,
				  struct loom_err *err)
{
	enum loom_status status = manuscript_read(re->grove, store, &re->tip, &re->read, err);

	if (status)
		return status;
	find_places(re);
	if (re->count)
		return LOOM_OK;
	loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" does not occur on the path to [%s]",
		  LOOM_STR_ARG(re->old), re->tip.name);
	return loom_hint(err, LOOM_NOT_FOUND,
			 "it is sought letter by letter; `loom grep` ignores case and accents");
}

/* ---- writing ---- */

/* Writes a passage as it is afterwards, and whether it changes. *first is the first place that may
 * concern it. */
static bool rewrite(const struct replacing *re, size_t passage, size_t *first, struct loom_buf *out)
{
	const size_t end = manuscript_end(&re->read, passage);
	size_t at = re->read.begins[passage];
	bool changes = false;

	loom_buf_clear(out);
	while (*first < re->count && re->places[*first].to <= at)
		++*first;
	for (size_t i = *first; i < re->count && re->places[i].from < end; i++) {
		const struct place *place = &re->places[i];

		changes = true;
		if (place->passage == passage) {
			loom_buf_add(out, loom_str_sub(re->read.text, at, place->from - at));
			loom_buf_add(out, re->new);
		}
		at = place->to < end ? place->to : end;
	}
	loom_buf_add(out, loom_str_sub(re->read.text, at, end - at));
	return changes;
}

/* Gives a passage another version, which the thread reads from then on. */
static enum loom_status put_version(struct replacing *re, struct loom_store *store,
				    const struct loom_node *old, struct loom_str text,
				    struct loom_err *err)
{
	const struct loom_node_spec spec = {.from = old->id,
					    .text = text,
					    .author = re->grove->actor.id,
					    .thread = re->tip.thread,
					    .seq = -1};
	int64_t made = 0;
	enum loom_status status = loom_node_edit(store, &spec, LOOM_EDIT_VERSION, &made, err);

	if (status)
		return status;
	re->changed++;
	return old->group == re->tip.node.group
		       ? loom_thread_move(store, re->tip.thread, made, err)
		       : loom_thread_choose(store, re->tip.thread, old->group, made, err);
}

static enum loom_status put_versions(struct replacing *re, struct loom_store *store,
				     struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t first = 0;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; !status && i < re->read.path.count; i++) {
		if (!rewrite(re, i, &first, &text))
			continue;
		/* What holds a lease below the topmost change forbids all of them. */
		if (!re->changed)
			status =
				loom_lease_check(store, NULL, re->read.path.items[i].id, true, err);
		if (!status)
			status = put_version(re, store, &re->read.path.items[i],
					     loom_buf_str(&text), err);
	}
	loom_buf_fini(&text);
	return status;
}

/* Reads the path again: others may have written since the command began. The node that is stood on
 * goes last into re->tip, because a thread moves to it. */
static enum loom_status write_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct replacing *re = ctx;
	struct loom_thread thread;
	enum loom_status status = loom_thread_ensure(store, re->grove->actor.id, re->tip.tree.id,
						     re->grove->arena, &thread, err);

	if (!status) {
		re->tip.thread = thread.id;
		status = read_path(re, store, err);
	}
	if (!status)
		status = loom_node_get(store, thread.position, LOOM_NODE_NARROW, re->grove->arena,
				       &re->tip.node, err);
	if (!status)
		status = put_versions(re, store, err);
	loom_op_say(store, "replaced \"%.*s\" by \"%.*s\" in %zu %s", LOOM_STR_ARG(re->old),
		    LOOM_STR_ARG(re->new), re->count, re->count == 1 ? "place" : "places");
	return status;
}

/* ---- answering ---- */

/* The text before a place, or behind it, as far as it is shown. */
static struct loom_str before(const struct replacing *re, const struct place *place)
{
	size_t at = place->from;

	for (int i = 0; i < AROUND && at > 0; i++)
		loom_utf8_prev(re->read.text, &at);
	return loom_str_sub(re->read.text, at, place->from - at);
}

static struct loom_str behind(const struct replacing *re, const struct place *place)
{
	size_t at = place->to;

	for (int i = 0; i < AROUND && at < re->read.text.n; i++)
		loom_utf8_next(re->read.text, &at);
	return loom_str_sub(re->read.text, place->to, at - place->to);
}

static void answer_places(const struct replacing *re)
{
	struct loom_cli *cli = re->grove->cli;

	loom_answer_list(cli, "places");
	for (size_t i = 0; i < re->count; i++) {
		const struct place *place = &re->places[i];
		const struct loom_str start = before(re, place);
		const struct loom_str end = behind(re, place);
		const struct loom_str name =
			cli_node_name(re->grove, &re->read.path.items[place->passage]);

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "node", name);
		loom_answer_number(cli, "at",
				   manuscript_chars(&re->read, place->passage, place->from));
		loom_answer_text(cli, "before", start);
		loom_answer_text(cli, "behind", end);
		loom_answer_line(cli, "[%.*s] %.*s[-%.*s-]{+%.*s+}%.*s", LOOM_STR_ARG(name),
				 LOOM_STR_ARG(start), LOOM_STR_ARG(re->old), LOOM_STR_ARG(re->new),
				 LOOM_STR_ARG(end));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void answer(const struct replacing *re, bool dry, int64_t op)
{
	struct loom_cli *cli = re->grove->cli;
	const char *places = loom_answer_many(cli, (int64_t)re->count, "place", "places");

	answer_places(re);
	loom_answer_number(cli, "count", (int64_t)re->count);
	if (dry) {
		loom_answer_line(cli, "%s would change", places);
		return;
	}
	loom_answer_number(cli, "versions", (int64_t)re->changed);
	loom_answer_id(cli, "op", op);
	loom_answer_done(cli, "replaced %s in %s", places,
			 loom_answer_many(cli, (int64_t)re->changed, "passage", "passages"));
}

static enum loom_status run(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_replace *args = args_of_replace(grove->cli);
	struct replacing re = {.grove = grove, .old = args->old, .new = args->new};
	struct cli_write write = {.kind = "replace", .run = write_all, .ctx = &re};
	enum loom_status status = cli_grove_spot(grove, args->path, LOOM_NODE_NARROW, &re.tip, err);

	write.tree = re.tip.tree.id;
	if (!status)
		status = args->dry_run ? read_path(&re, grove->store, err)
				       : cli_grove_write(grove, &write, err);
	if (!status)
		answer(&re, args->dry_run, write.op);
	return status;
}

enum loom_status cmd_replace(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_replace *args = args_of_replace(cli);

	if (!args->old.n) {
		loom_fail(err, LOOM_USAGE, "loom replace: there is nothing to find");
		return loom_hint(err, LOOM_USAGE, "loom replace OLD NEW");
	}
	if (loom_str_eq(args->old, args->new)) {
		loom_fail(err, LOOM_USAGE, "loom replace: OLD and NEW are the same");
		return loom_hint(err, LOOM_USAGE, "`loom grep` finds a text");
	}
	return cli_grove_run(cli, NULL, run, err);
}
