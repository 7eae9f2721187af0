/* Documents: list, show, export. cmd_doc_write.c writes them. */
#include <loom/cli/services.h>
#include <loom/text/sections.h>
#include <loom/tree/say_node.h>

#include <loom/text/deceiving_names.h>

#include <sys/stat.h>

#include "doc_put.h"

#include <loom/commands/args_of.def>
#include <loom/commands/documents.def>

/* --- list --- */

static void answer_doc(struct loom_cli *cli, const struct loom_doc *doc)
{
	loom_answer_text(cli, "name", doc->name);
	loom_answer_ulid(cli, "id", &doc->ulid);
	loom_answer_number(cli, "version", doc->version);
	loom_answer_number(cli, "head", doc->head);
	loom_answer_number(cli, "words", doc->words);
	loom_answer_time(cli, "updated", doc->updated);
	loom_answer_text(cli, "author", doc->author_name);
	loom_answer_maybe(cli, "from", doc->from);
}

static struct loom_str doubts_of(struct cli_grove *grove, const struct loom_doc *doc)
{
	struct loom_buf doubts = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;

	loom_show_doc_doubts(doc, &doubts);
	text = loom_arena_buf(grove->arena, &doubts);
	loom_buf_fini(&doubts);
	return text;
}

/* doc:"character notes" (1,247 words · updated 2h ago) */
static void say_head(struct cli_grove *grove, const struct loom_doc *doc, struct loom_str mark)
{
	loom_answer_line(grove->cli, "doc:\"%.*s\" (%s · updated %.*s%s%.*s%.*s)",
			 LOOM_STR_ARG(doc->name),
			 loom_answer_many(grove->cli, doc->words, "word", "words"),
			 LOOM_STR_ARG(cli_ago(grove, doc->updated)), mark.n ? " · " : "",
			 LOOM_STR_ARG(mark), LOOM_STR_ARG(doubts_of(grove, doc)));
}

static const struct loom_str *marks_of(struct cli_grove *grove, const struct loom_doc *docs,
				       size_t count)
{
	struct loom_str *names = LOOM_ARENA_ARRAY(grove->arena, count, struct loom_str);

	for (size_t i = 0; i < count; i++)
		names[i] = docs[i].name;
	return loom_name_marks(LOOM_NAMED_DOC, names, count, grove->arena);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_doc *docs = NULL;
	const struct loom_str *marks = NULL;
	struct loom_cli *cli = grove->cli;
	size_t count = 0;
	enum loom_status status = loom_doc_list(grove->store, grove->arena, &docs, &count, err);

	if (status)
		return status;
	marks = marks_of(grove, docs, count);
	loom_answer_list(cli, "documents");
	for (size_t i = 0; i < count; i++) {
		loom_answer_map(cli, NULL);
		answer_doc(cli, &docs[i]);
		loom_answer_maybe(cli, "mark", marks[i]);
		say_head(grove, &docs[i], marks[i]);
		loom_answer_end(cli);
	}
	if (!count)
		loom_answer_note(cli, "there are no documents");
	return LOOM_OK;
}

enum loom_status cmd_doc_list(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_list, err);
}

/* --- show --- */

static enum loom_status find(struct cli_grove *grove, struct loom_str name, struct loom_doc *out,
			     struct loom_err *err)
{
	enum loom_status status = loom_doc_find(grove->store, name, true, grove->arena, out, err);

	if (status == LOOM_NOT_FOUND)
		loom_hint(err, status, "`loom doc list` shows them");
	return status;
}

/* Replaces the text by that of another version, by the number that people see. */
static enum loom_status take_version(struct cli_grove *grove, const struct loom_doc *versions,
				     size_t count, struct loom_doc *doc, struct loom_err *err)
{
	const struct args_of_doc_show *args = args_of_doc_show(grove->cli);
	int64_t wanted = loom_number_or(args->at_version, doc->version);

	for (size_t i = 0; i < count; i++)
		if (versions[i].version == wanted)
			return loom_doc_version(grove->store, versions[i].head, grove->arena, doc,
						err);
	loom_fail(err, LOOM_NOT_FOUND, "doc:\"%.*s\" has no version %lld", LOOM_STR_ARG(doc->name),
		  (long long)wanted);
	return loom_hint(err, LOOM_NOT_FOUND, "`loom doc show --json` lists its versions");
}

static enum loom_status take_section(struct cli_grove *grove, struct loom_doc *doc,
				     struct loom_err *err)
{
	struct loom_str section = args_of_doc_show(grove->cli)->section;
	size_t from = 0;
	size_t to = 0;
	enum loom_status status = LOOM_OK;

	if (section.p)
		status = loom_doc_section(doc->text, section, &from, &to, err);
	if (!status && section.p)
		doc->text = loom_str_sub(doc->text, from, to - from);
	return status;
}

static void answer_show(struct cli_grove *grove, const struct loom_doc *doc,
			const struct loom_doc *versions, size_t count)
{
	struct loom_str section = args_of_doc_show(grove->cli)->section;
	struct loom_cli *cli = grove->cli;

	if (section.p)
		loom_answer_line(cli, "doc:\"%.*s\" §%.*s%.*s", LOOM_STR_ARG(doc->name),
				 LOOM_STR_ARG(section), LOOM_STR_ARG(doubts_of(grove, doc)));
	else
		say_head(grove, doc, LOOM_STR(""));
	loom_answer_page(cli, doc->text);
	answer_doc(cli, doc);
	loom_answer_flag(cli, "damaged", doc->damaged);
	loom_answer_text(cli, "text", doc->text);
	loom_answer_list(cli, "versions");
	for (size_t i = 0; i < count; i++) {
		loom_answer_map(cli, NULL);
		answer_doc(cli, &versions[i]);
		loom_answer_end(cli);
	}
}

static enum loom_status run_show(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_doc *versions = NULL;
	struct loom_doc doc;
	size_t count = 0;
	enum loom_status status = find(grove, args_of_doc_show(grove->cli)->name, &doc, err);

	if (!status)
		status = loom_doc_history(grove->store, doc.id, grove->arena, &versions, &count,
					  err);
	if (!status && args_of_doc_show(grove->cli)->at_version.given)
		status = take_version(grove, versions, count, &doc, err);
	if (!status)
		status = take_section(grove, &doc, err);
	if (!status)
		answer_show(grove, &doc, versions, count);
	return status;
}

enum loom_status cmd_doc_show(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_show, err);
}

/* --- export --- */

static void note_doubts(struct cli_grove *grove, const struct loom_doc *doc)
{
	if (doc->damaged || doc->from.n)
		loom_answer_note(grove->cli, "doc:\"%.*s\"%.*s", LOOM_STR_ARG(doc->name),
				 LOOM_STR_ARG(doubts_of(grove, doc)));
}

static void say_file(struct cli_grove *grove, const struct loom_doc *doc, struct loom_str file)
{
	struct loom_cli *cli = grove->cli;

	note_doubts(grove, doc);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "name", doc->name);
	loom_answer_text(cli, "file", file);
	loom_answer_number(cli, "bytes", (int64_t)doc->text.n);
	loom_answer_done(cli, "wrote doc:\"%.*s\" to %.*s", LOOM_STR_ARG(doc->name),
			 LOOM_STR_ARG(file));
	loom_answer_end(cli);
}

static enum loom_status export_one(struct cli_grove *grove, struct loom_err *err)
{
	const char *path = args_of_doc_export(grove->cli)->output.p;
	struct loom_root store = LOOM_ROOT_INIT;
	struct loom_doc doc;
	enum loom_status status = find(grove, args_of_doc_export(grove->cli)->name, &doc, err);

	if (status)
		return status;
	if (!path || strcmp(path, "-") == 0) {
		note_doubts(grove, &doc);
		loom_answer_bytes(grove->cli, doc.text);
		return LOOM_OK;
	}
	cli_grove_refused(grove, &store);
	status = loom_file_write_at(path, doc.text, &store, err);
	if (status)
		return status;
	loom_answer_list(grove->cli, "files");
	say_file(grove, &doc, loom_str_of(path));
	return LOOM_OK;
}

/* Names become file names: none may lead out of the directory. */
static enum loom_status export_into(struct cli_grove *grove, const struct loom_root *root,
				    int64_t id, struct loom_err *err)
{
	struct loom_doc doc;
	struct loom_str file;
	enum loom_status status = loom_doc_get(grove->store, id, true, grove->arena, &doc, err);

	if (status)
		return status;
	file = loom_arena_format(grove->arena, "%.*s.md", LOOM_STR_ARG(doc.name));
	status = loom_path_check_name(file, err);
	if (!status)
		status = loom_file_write(root, file, doc.text, NULL, err);
	if (!status)
		say_file(grove, &doc, file);
	return status;
}

static enum loom_status export_all(struct cli_grove *grove, struct loom_err *err)
{
	const char *path = args_of_doc_export(grove->cli)->output.p;
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = loom_doc_list(grove->store, grove->arena, &docs, &count, err);

	/* Like unzip -d, creates the directory itself but not its parents. Opening it reports any
	 * failure. */
	if (!status)
		(void)mkdir(path, 0700);
	if (!status)
		status = loom_root_open(path, &root, err);
	if (status)
		return status;
	cli_grove_refused(grove, &root);
	loom_answer_list(grove->cli, "files");
	for (size_t i = 0; !status && i < count; i++)
		status = export_into(grove, &root, docs[i].id, err);
	loom_root_close(&root);
	return status;
}

static enum loom_status run_export(struct cli_grove *grove, struct loom_err *err)
{
	return args_of_doc_export(grove->cli)->all ? export_all(grove, err)
						   : export_one(grove, err);
}

enum loom_status cmd_doc_export(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_doc_export *args = args_of_doc_export(cli);
	static const struct cli_need need = {.view = true};

	if (args->all && !args->output.p) {
		loom_fail(err, LOOM_USAGE, "loom doc export: --all needs a directory");
		return loom_hint(err, LOOM_USAGE, "loom doc export --all -o DIR");
	}
	return cli_grove_run(cli, &need, run_export, err);
}
