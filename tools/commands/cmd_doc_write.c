/* Documents: edit, write, import, rename. */
#include <loom/cli/services.h>

#include <loom/cli/editor.h>

#include "doc_put.h"

#include <loom/commands/args_of.def>
#include <loom/commands/documents.def>

/* --- edit --- */

/* The text the editor starts with, and the version it is based on. */
static enum loom_status begin_edit(struct cli_grove *grove, struct commands_doc_put *put,
				   struct loom_str *text, struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status =
		loom_doc_find(grove->store, put->name, true, grove->arena, &doc, err);

	*text = loom_str_make("", 0);
	put->base = COMMANDS_DOC_NONE;
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status)
		return status;
	*text = doc.text;
	put->name = doc.name;
	put->base = COMMANDS_DOC_HEAD;
	put->head = doc.head;
	put->doc = doc;
	return LOOM_OK;
}

/* If anything fails after the editor, keeps the text. */
static enum loom_status finish_edit(struct cli_grove *grove, struct commands_doc_put *put,
				    struct loom_err *err)
{
	int64_t op = 0;
	enum loom_status status = commands_doc_put(grove, put, 1, &op, err);

	if (status == LOOM_OK)
		commands_doc_say(grove, put, 1, op);
	else if (status != LOOM_OFFLINE &&
		 (status != LOOM_CONFLICT || put->base != COMMANDS_DOC_HEAD))
		return commands_doc_keep(grove, put, status, err);
	return status;
}

/* From the editor until the text is safe, ^C may cancel the write but must not end the program. */
static enum loom_status edit(struct cli_grove *grove, struct commands_doc_put *put,
			     struct loom_str text, struct loom_err *err)
{
	struct loom_buf edited = LOOM_BUF_INIT(COMMANDS_DOC_MAX);
	bool same = false;
	enum loom_status status = LOOM_OK;

	loom_cli_listen(grove->cli);
	status = loom_editor_run(&grove->cli->env, text, &edited, err);
	put->text = loom_buf_str(&edited);
	same = loom_str_eq(put->text, text);
	if (status == LOOM_REFUSED && !same)
		status = commands_doc_keep(grove, put, status, err);
	else if (!status && same)
		loom_answer_done(grove->cli, "doc:\"%.*s\" %s", LOOM_STR_ARG(put->name),
				 put->base == COMMANDS_DOC_NONE ? "not created: the text is empty"
								: "unchanged");
	else if (!status)
		status = finish_edit(grove, put, err);
	loom_cli_unlisten(grove->cli);
	loom_buf_fini(&edited);
	return status;
}

static enum loom_status run_edit(struct cli_grove *grove, struct loom_err *err)
{
	struct commands_doc_put put = {.name = args_of_doc_edit(grove->cli)->name};
	struct loom_str text;
	enum loom_status status = begin_edit(grove, &put, &text, err);

	return status ? status : edit(grove, &put, text, err);
}

enum loom_status cmd_doc_edit(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};

	return cli_grove_run(cli, &need, run_edit, err);
}

/* --- write --- */

static enum loom_status run_write(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_doc_write *args = args_of_doc_write(grove->cli);
	bool based = args->base.given;
	struct commands_doc_put put = {
		.name = args->name,
		.base = based ? COMMANDS_DOC_HEAD : COMMANDS_DOC_ANY,
		.head = loom_number_or(args->base, 0),
		.append = args->append,
	};
	struct loom_buf text = LOOM_BUF_INIT(COMMANDS_DOC_MAX);
	int64_t op = 0;
	enum loom_status status = cli_grove_read(grove, args->file.p, COMMANDS_DOC_MAX, &text, err);

	put.text = loom_buf_str(&text);
	if (!status)
		status = commands_doc_put(grove, &put, 1, &op, err);
	if (!status)
		commands_doc_say(grove, &put, 1, op);
	loom_buf_fini(&text);
	return status;
}

enum loom_status cmd_doc_write(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};

	return cli_grove_run(cli, &need, run_write, err);
}

/* --- import --- */

/* "notes" for "texts/notes.md". */
static struct loom_str name_of_file(const char *path)
{
	static const char *const endings[] = {".md", ".markdown", ".txt"};
	struct loom_str name = loom_str_of(path);

	for (size_t i = name.n; i > 0; i--) {
		if (path[i - 1] != '/')
			continue;
		name = loom_str_of(path + i);
		break;
	}
	for (size_t i = 0; i < LOOM_COUNT(endings); i++)
		if (name.n > strlen(endings[i]) && loom_str_ends(name, loom_str_of(endings[i])))
			return loom_str_sub(name, 0, name.n - strlen(endings[i]));
	return name;
}

static enum loom_status read_file(struct cli_grove *grove, size_t i, struct commands_doc_put *put,
				  struct loom_err *err)
{
	const struct args_of_doc_import *args = args_of_doc_import(grove->cli);
	const char *path = args->file.p[i].p;
	struct loom_buf text = LOOM_BUF_INIT(COMMANDS_DOC_MAX);
	enum loom_status status = cli_grove_read(grove, path, COMMANDS_DOC_MAX, &text, err);

	put->name = args->name.p ? args->name : name_of_file(path);
	put->base = args->replace ? COMMANDS_DOC_ANY : COMMANDS_DOC_NONE;
	put->text = loom_arena_buf(grove->arena, &text);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status run_import(struct cli_grove *grove, struct loom_err *err)
{
	size_t count = args_of_doc_import(grove->cli)->file.n;
	struct commands_doc_put *puts =
		LOOM_ARENA_ARRAY(grove->arena, count, struct commands_doc_put);
	int64_t op = 0;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = read_file(grove, i, &puts[i], err);
	if (!status)
		status = commands_doc_put(grove, puts, count, &op, err);
	if (!status)
		commands_doc_say(grove, puts, count, op);
	return status;
}

static enum loom_status check_import(const struct args_of_doc_import *args, struct loom_err *err)
{
	size_t count = args->file.n;
	bool named = args->name.p;

	if (named && count > 1) {
		loom_fail(err, LOOM_USAGE, "loom doc import: --name is for one file");
		return loom_hint(err, LOOM_USAGE, "loom doc import --name NAME FILE");
	}
	for (size_t i = 0; i < count && !named; i++) {
		if (strcmp(args->file.p[i].p, "-") != 0)
			continue;
		loom_fail(err, LOOM_USAGE, "loom doc import: standard input needs a --name");
		return loom_hint(err, LOOM_USAGE, "loom doc import --name NAME -");
	}
	return LOOM_OK;
}

enum loom_status cmd_doc_import(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};
	enum loom_status status = check_import(args_of_doc_import(cli), err);

	return status ? status : cli_grove_run(cli, &need, run_import, err);
}

/* --- rename --- */

struct renaming {
	struct loom_doc doc;
	struct loom_str name;
};

static enum loom_status rename_doc(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct renaming *renaming = ctx;

	loom_op_say(store, "renamed doc:\"%.*s\" to \"%.*s\"", LOOM_STR_ARG(renaming->doc.name),
		    LOOM_STR_ARG(renaming->name));
	return loom_doc_rename(store, renaming->doc.id, renaming->name, err);
}

static enum loom_status run_rename(struct cli_grove *grove, struct loom_err *err)
{
	struct renaming renaming = {.name = args_of_doc_rename(grove->cli)->new};
	struct commands_doc_put put = {.name = renaming.name};
	struct cli_write write = {.kind = "document", .run = rename_doc, .ctx = &renaming};
	enum loom_status status = loom_doc_find(grove->store, args_of_doc_rename(grove->cli)->name,
						false, grove->arena, &renaming.doc, err);

	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (!status)
		status = loom_doc_get(grove->store, renaming.doc.id, false, grove->arena, &put.doc,
				      err);
	put.renamed = put.changed = write.op != 0;
	if (!status)
		commands_doc_say(grove, &put, 1, write.op);
	return status;
}

enum loom_status cmd_doc_rename(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_rename, err);
}
