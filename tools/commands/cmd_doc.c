/* Documents: list, show, export. Writing them is cmd_doc_write.c. */
#include <loom/cli/services.h>
#include <loom/text/sections.h>

#include <loom/text/deceiving_names.h>

#include <sys/stat.h>

#include "doc_put.h"

#include <loom/commands/args_of.def>
#include <loom/commands/documents.def>

/* --- list --- */

static void doc_json(struct loom_json *json, const struct loom_doc *doc)
{
	loom_json_put(json, "name", doc->name);
	tool_json_ulid(json, "id", &doc->ulid);
	loom_json_put_int(json, "version", doc->version);
	loom_json_put_int(json, "head", doc->head);
	loom_json_put_int(json, "words", doc->words);
	tool_json_time(json, "updated", doc->updated);
	loom_json_put(json, "author", doc->author_name);
}

/* `marks` NULL: of their names nothing is said. */
static void docs_json(struct loom_json *json, const struct loom_doc *docs,
		      const struct loom_str *marks, size_t count)
{
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		loom_json_object(json);
		doc_json(json, &docs[i]);
		if (marks)
			tool_json_mark(json, marks[i]);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

/* doc:"character notes" (1,247 words · updated 2h ago) */
static void say_head(struct tool_grove *grove, const struct loom_doc *doc, struct loom_str mark)
{
	tool_say_line(grove, "doc:\"%.*s\" (%.*s word%s · updated %.*s%s%.*s)",
		      LOOM_STR_ARG(doc->name), LOOM_STR_ARG(tool_count(grove, doc->words)),
		      doc->words == 1 ? "" : "s", LOOM_STR_ARG(tool_ago(grove, doc->updated)),
		      mark.n ? " · " : "", LOOM_STR_ARG(mark));
}

static const struct loom_str *marks_of(struct tool_grove *grove, const struct loom_doc *docs,
				       size_t count)
{
	struct loom_str *names = LOOM_ARENA_ARRAY(grove->arena, count, struct loom_str);

	for (size_t i = 0; i < count; i++)
		names[i] = docs[i].name;
	return loom_name_marks(LOOM_NAMED_DOC, names, count, grove->arena);
}

static enum loom_status run_list(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_doc *docs = NULL;
	const struct loom_str *marks = NULL;
	struct loom_json *json = NULL;
	size_t count = 0;
	enum loom_status status = loom_doc_list(grove->store, grove->arena, &docs, &count, err);

	if (status)
		return status;
	marks = marks_of(grove, docs, count);
	if (!grove->cli->json) {
		for (size_t i = 0; i < count; i++)
			say_head(grove, &docs[i], marks[i]);
		if (!count)
			loom_out_note(grove->cli->out, "there are no documents");
		return LOOM_OK;
	}
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_key(json, "documents");
	docs_json(json, docs, marks, count);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_doc_list(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.view = true};

	return tool_grove_run(cli, &need, run_list, err);
}

/* --- show --- */

static enum loom_status find(struct tool_grove *grove, struct loom_str name, struct loom_doc *out,
			     struct loom_err *err)
{
	enum loom_status status = loom_doc_find(grove->store, name, true, grove->arena, out, err);

	if (status == LOOM_NOT_FOUND)
		loom_hint(err, status, "`loom doc list` shows them");
	return status;
}

/* Another version of it, by the number that people count. */
static enum loom_status take_version(struct tool_grove *grove, const struct loom_doc *versions,
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
	return loom_hint(err, LOOM_NOT_FOUND, "its versions: loom doc show --json");
}

static enum loom_status take_section(struct tool_grove *grove, struct loom_doc *doc,
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

static void show_text(struct tool_grove *grove, const struct loom_doc *doc)
{
	struct loom_str section = args_of_doc_show(grove->cli)->section;
	struct loom_out *out = grove->cli->out;

	if (section.p)
		tool_say_line(grove, "doc:\"%.*s\" §%.*s", LOOM_STR_ARG(doc->name),
			      LOOM_STR_ARG(section));
	else
		say_head(grove, doc, LOOM_STR(""));
	loom_out_text(out, doc->text);
	if (doc->text.n && doc->text.p[doc->text.n - 1] != '\n')
		loom_out_texts(out, "\n");
}

static void show_json(struct loom_out *out, const struct loom_doc *doc,
		      const struct loom_doc *versions, size_t count)
{
	struct loom_json *json = loom_out_json_begin(out);

	loom_json_object(json);
	doc_json(json, doc);
	loom_json_put(json, "text", doc->text);
	loom_json_key(json, "versions");
	docs_json(json, versions, NULL, count);
	loom_json_end_object(json);
	loom_out_json_end(out);
}

static enum loom_status run_show(struct tool_grove *grove, struct loom_err *err)
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
	if (status)
		return status;
	if (grove->cli->json)
		show_json(grove->cli->out, &doc, versions, count);
	else
		show_text(grove, &doc);
	return LOOM_OK;
}

enum loom_status tool_cmd_doc_show(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.view = true};

	return tool_grove_run(cli, &need, run_show, err);
}

/* --- export --- */

static void say_file(struct tool_grove *grove, struct loom_json *json, const struct loom_doc *doc,
		     struct loom_str file)
{
	if (!json) {
		tool_say_done(grove, "wrote doc:\"%.*s\" to %.*s", LOOM_STR_ARG(doc->name),
			      LOOM_STR_ARG(file));
		return;
	}
	loom_json_object(json);
	loom_json_put(json, "name", doc->name);
	loom_json_put(json, "file", file);
	loom_json_put_int(json, "bytes", (int64_t)doc->text.n);
	loom_json_end_object(json);
}

static struct loom_json *begin_files(struct tool_grove *grove)
{
	struct loom_json *json = NULL;

	if (!grove->cli->json)
		return NULL;
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_key(json, "files");
	loom_json_array(json);
	return json;
}

static void end_files(struct tool_grove *grove, struct loom_json *json)
{
	if (!json)
		return;
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
}

static enum loom_status export_one(struct tool_grove *grove, struct loom_err *err)
{
	const char *path = args_of_doc_export(grove->cli)->output.p;
	struct loom_root store = LOOM_ROOT_INIT;
	struct loom_json *json = NULL;
	struct loom_doc doc;
	enum loom_status status = find(grove, args_of_doc_export(grove->cli)->name, &doc, err);

	if (status)
		return status;
	if (!path || strcmp(path, "-") == 0) {
		loom_out_data(grove->cli->out, doc.text);
		return LOOM_OK;
	}
	tool_grove_refused(grove, &store);
	status = loom_file_write_at(path, doc.text, &store, err);
	if (status)
		return status;
	json = begin_files(grove);
	say_file(grove, json, &doc, loom_str_of(path));
	end_files(grove, json);
	return LOOM_OK;
}

/* Names become files: none may lead out of the directory. */
static enum loom_status export_into(struct tool_grove *grove, const struct loom_root *root,
				    struct loom_json *json, int64_t id, struct loom_err *err)
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
		say_file(grove, json, &doc, file);
	return status;
}

static enum loom_status export_all(struct tool_grove *grove, struct loom_err *err)
{
	const char *path = args_of_doc_export(grove->cli)->output.p;
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_json *json = NULL;
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = loom_doc_list(grove->store, grove->arena, &docs, &count, err);

	/* As unzip -d does: the folder itself is made, those above it are the person's. What
	 * hinders that is told by the opening. */
	if (!status)
		(void)mkdir(path, 0700);
	if (!status)
		status = loom_root_open(path, &root, err);
	if (status)
		return status;
	tool_grove_refused(grove, &root);
	json = begin_files(grove);
	for (size_t i = 0; !status && i < count; i++)
		status = export_into(grove, &root, json, docs[i].id, err);
	if (!status)
		end_files(grove, json);
	loom_root_close(&root);
	return status;
}

static enum loom_status run_export(struct tool_grove *grove, struct loom_err *err)
{
	return args_of_doc_export(grove->cli)->all ? export_all(grove, err)
						   : export_one(grove, err);
}

enum loom_status tool_cmd_doc_export(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_doc_export *args = args_of_doc_export(cli);
	static const struct tool_need need = {.view = true};

	if (args->all && !args->output.p) {
		loom_fail(err, LOOM_USAGE, "loom doc export: --all needs a directory");
		return loom_hint(err, LOOM_USAGE, "loom doc export --all -o DIR");
	}
	return tool_grove_run(cli, &need, run_export, err);
}
