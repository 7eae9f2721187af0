/* Finds what a command line would act on, from the names of values in its usage. */
#include "command_target.h"

#include <errno.h>
#include <sys/stat.h>

#include <loom/tree/document.h>
#include <loom/tree/say_node.h>

/* --- words --- */

struct loom_str cli_line_of(struct loom_arena *arena, const struct loom_str *words, size_t count)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_buf_adds(&line, "loom");
	for (size_t i = 0; i < count; i++) {
		loom_buf_addc(&line, ' ');
		cli_add_word(&line, words[i]);
	}
	out = loom_arena_buf(arena, &line);
	loom_buf_fini(&line);
	return out;
}

/* --- targets --- */

struct target {
	struct cli_grove *grove;
	struct loom_buf text;
};

/* The buffer, with a separator after earlier targets. */
static struct loom_buf *next(struct target *target)
{
	if (target->text.n)
		loom_buf_adds(&target->text, " · ");
	return &target->text;
}

static void say_tree(struct target *target, struct loom_str name)
{
	struct loom_buf *out = next(target);
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_tree tree;
	struct loom_err err = {.status = LOOM_OK};

	if (cli_grove_tree(target->grove, name, &tree, &err) != LOOM_OK) {
		loom_buf_addf(out, "✗ %s: %s", loom_status_code(err.status), err.text);
		return;
	}
	loom_ulid_text(&tree.ulid, ulid);
	loom_buf_addf(out, "tree:\"%.*s\" (%s)", LOOM_STR_ARG(tree.title), ulid);
}

static void say_node(struct target *target, struct loom_str name)
{
	struct loom_buf *out = next(target);
	char ulid[LOOM_ULID_CHARS + 1];
	struct cli_spot spot;
	struct loom_err err = {.status = LOOM_OK};

	if (cli_grove_node(target->grove, name, LOOM_NODE_ALL, &spot, &err) != LOOM_OK) {
		loom_buf_addf(out, "✗ %s: %s", loom_status_code(err.status), err.text);
		return;
	}
	loom_ulid_text(&spot.node.ulid, ulid);
	loom_buf_addf(out, "[%s] \"", spot.name);
	loom_show_sentence(spot.node.text, out);
	loom_buf_addf(out, "\" (%s)", ulid);
}

static void say_doc(struct target *target, struct loom_str name)
{
	struct loom_buf *out = next(target);
	struct loom_doc doc;

	loom_show_doc(name, LOOM_STR(""), out);
	if (loom_doc_find(target->grove->store, name, false, target->grove->arena, &doc, NULL) ==
	    LOOM_OK)
		loom_buf_addf(out, " (version %lld, %lld words)", (long long)doc.version,
			      (long long)doc.words);
	else
		loom_buf_adds(out, " (new)");
}

/* Describes the file by its attributes, not its contents. The time of its last status change is set
 * by the system and cannot be forged. */
static void say_file(struct target *target, struct loom_str name)
{
	const char *path = loom_arena_cstr(target->grove->arena, name);
	struct loom_buf *out = next(target);
	struct stat info;

	loom_buf_addf(out, "file %s (", path);
	if (stat(path, &info) != 0) {
		loom_buf_adds(out, errno == ENOENT ? "does not exist)" : "cannot be read)");
		return;
	}
	loom_buf_addf(out, "%lld bytes, number %llu, changed ", (long long)info.st_size,
		      (unsigned long long)info.st_ino);
	loom_time_iso((int64_t)info.st_ctim.tv_sec * 1000 + info.st_ctim.tv_nsec / 1000000, out);
	loom_buf_addc(out, ')');
}

/* The target of `undo` and `redo` without an ID. */
static void say_last_op(struct target *target)
{
	struct cli_grove *grove = target->grove;
	struct loom_op *ops = NULL;
	size_t count = 0;

	if (loom_op_list(grove->store, &(struct loom_op_page){.actor = grove->actor.id, .limit = 1},
			 grove->arena, &ops, &count, NULL) == LOOM_OK &&
	    count)
		loom_buf_addf(next(target), "operation %lld: %.*s%s", (long long)ops[0].id,
			      LOOM_STR_ARG(ops[0].text),
			      ops[0].state == LOOM_OP_UNDONE ? " (undone)" : "");
}

static bool says(const struct cli_item *item, const char *what)
{
	return loom_str_is(item->kind == CLI_POSITIONAL ? item->name : item->value, what);
}

bool cli_item_is_output(const struct cli_item *item)
{
	return loom_str_is(item->name, "--output") || loom_str_is(item->name, "-o");
}

static void say_value(struct target *target, const struct cli_item *item, struct loom_str value)
{
	const bool doc = target->grove->cli->command->group == LOOM_GROUP_DOCUMENTS;

	if (says(item, "NODE") || says(item, "TO"))
		say_node(target, value);
	else if (says(item, "TREE"))
		say_tree(target, value.n ? value : loom_str_make(NULL, 0));
	else if (says(item, "D") || (doc && (says(item, "NAME") || says(item, "NEW"))))
		say_doc(target, value);
	else if ((says(item, "FILE") || says(item, "PATH")) && !loom_str_is(value, "-"))
		say_file(target, value);
}

static void say_item(struct target *target, const struct cli_item *item)
{
	const struct loom_cli *cli = target->grove->cli;
	const size_t count = cli_args_count(cli->args, item);

	for (size_t i = 0; i < count; i++)
		say_value(target, item, loom_str_of(cli_args_at(cli->args, item, i)));
	if (!count && says(item, "TREE"))
		say_tree(target, loom_str_make(NULL, 0));
	if (!count && says(item, "ID") && cli->command->group == LOOM_GROUP_HISTORY)
		say_last_op(target);
}

struct loom_str cli_command_target(struct cli_grove *grove)
{
	const struct cli_spec *spec = cli_args_spec(grove->cli->args);
	struct target target = {.grove = grove, .text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	for (size_t i = 0; i < spec->count; i++)
		say_item(&target, &spec->items[i]);
	if (!spec->count && grove->cli->command->group == LOOM_GROUP_HISTORY)
		say_last_op(&target);
	for (size_t i = 0; i < target.text.n; i++)
		loom_buf_addc(&line, target.text.p[i] == '\n' ? ' ' : target.text.p[i]);
	out = loom_arena_buf(grove->arena, &line);
	loom_buf_fini(&target.text);
	loom_buf_fini(&line);
	return out;
}
