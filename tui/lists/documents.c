/* Documents: the list, reading one, and editing it in the user's editor. Edited text is never lost:
 * if it cannot become a version it is kept as a draft. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/text/deceiving_names.h>
#include <loom/lists/list.h>
#include <loom/lists/previews.h>
#include <loom/lists/row_menu.h>
#include <loom/text/sections.h>
#include <loom/desk/others.h>
#include <loom/grove/draft.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/workers.h>
#include <loom/tree/document.h>
#include <loom/tree/say_node.h>
#include <loom/writing/command_line.h>
#include <loom/writing/external.h>

#include "inside.h"

static void open_documents(struct tui_app *app);

/* --- writing, on the worker: `a` by whom, `b` which (0: one more), `c` the version it began from,
 * `answer` its name --- */

/* Its strings belong to the job. */
struct writing {
	int64_t doc; /* 0 for a new one */
	int64_t head;
};

static enum loom_status put(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct loom_str name = loom_buf_str(&job->answer);
	struct loom_str text = loom_buf_str(&job->text);
	struct writing *writing = job->own;
	bool fresh = writing->doc == 0;
	enum loom_status status =
		fresh ? loom_doc_create(store, name, text, job->actor, &writing->doc, err)
		      : loom_doc_write(store, writing->doc, text, job->actor, writing->head, err);

	loom_op_say(store, "%s doc:\"%.*s\"", fresh ? "created" : "wrote", LOOM_STR_ARG(name));
	return status;
}

static void keep(struct loom_store *store, struct tui_job *job, enum loom_status status,
		 struct loom_err *err)
{
	struct loom_draft draft = {
		.kind = status == LOOM_CONFLICT ? LOOM_STR("conflict") : LOOM_STR("document"),
		.anchor = loom_buf_str(&job->answer),
		.text = loom_buf_str(&job->text),
		.why = loom_str_of(err->text),
	};
	struct loom_str id;

	if (loom_draft_save(store, &draft, job->arena, &id, NULL) == LOOM_OK)
		loom_hint(err, status, "your text is kept: `:drafts show %.*s`", LOOM_STR_ARG(id));
}

static enum loom_status write_document(struct loom_store *store, struct tui_job *job,
				       struct loom_err *err)
{
	struct loom_op_spec op = {.kind = "document", .actor = job->actor};
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status == LOOM_OK)
		status = loom_op_end(store, put(store, job, err), NULL, err);
	if (status != LOOM_OK)
		keep(store, job, status, err);
	return status;
}

static void document_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			     const struct loom_err *err)
{
	tui_news_look(app);
	if (tui_must(app, status, err))
		tui_say(app, TUI_ROLE_OK, "wrote doc:\"%.*s\" (%lld words) · u undoes it",
			LOOM_STR_ARG(loom_buf_str(&job->answer)),
			(long long)loom_word_count(loom_buf_str(&job->text)));
}

/* --- the editor --- */

/* Edits a document in the user's editor and writes the result as its next version, or its first. */
static void edit(struct tui_app *app, const struct loom_doc *doc)
{
	struct tui_job *job = tui_job_make(app);
	struct writing *writing = LOOM_ARENA_NEW(job->arena, struct writing);

	if (!tui_may(app, "doc write") || !tui_editor(app, doc->text, &job->text)) {
		tui_job_drop(job);
		return;
	}
	job->run = write_document;
	job->done = document_written;
	writing->doc = doc->id;
	writing->head = doc->head;
	job->own = writing;
	loom_buf_add(&job->answer, doc->name);
	tui_job_post(job);
}

static void make_document(struct tui_app *app, struct loom_str name)
{
	struct loom_doc doc = {.name = loom_arena_str(app->arena, name)};
	struct loom_doc other;

	if (loom_doc_find(app->store, name, false, app->arena, &other, NULL) == LOOM_OK)
		tui_stuck(app, "a document \"%.*s\" already exists", LOOM_STR_ARG(other.name));
	else
		edit(app, &doc);
}

static bool edit_by_id(struct tui_app *app, int64_t id)
{
	struct loom_doc doc;
	struct loom_err err;

	if (id && tui_must(app, loom_doc_get(app->store, id, true, app->arena, &doc, &err), &err))
		edit(app, &doc);
	return id != 0;
}

/* --- one of them --- */

struct shown {
	int64_t id;
};

static enum loom_status read_document(struct tui_app *app, struct tui_list *list,
				      struct loom_err *err)
{
	struct shown *shown = tui_list_own(list);
	struct loom_buf doubts = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_doc doc;
	enum loom_status status =
		loom_doc_get(app->store, shown->id, true, tui_list_arena(list), &doc, err);

	if (status != LOOM_OK)
		return status;
	loom_show_doc_doubts(&doc, &doubts);
	tui_text_rows(list,
		      loom_arena_format(tui_list_arena(list), "%.*s · version %lld%s",
					LOOM_STR_ARG(doc.name), (long long)doc.version,
					loom_buf_cstr(&doubts)),
		      doc.text);
	loom_buf_fini(&doubts);
	return LOOM_OK;
}

TUI_MEANS(edit_shown)
{
	const struct shown *shown = tui_list_own(app->list);

	return edit_by_id(app, shown->id);
}

static const struct tui_meaning document_means[] = {{TUI_ACTION_EXTERNAL, edit_shown, 0},
						    {.command = TUI_COMMAND_NONE}};

static bool document_offers(const struct tui_list *list, const struct tui_entry *entry,
			    enum tui_command command)
{
	(void)list;
	(void)entry;
	return command != TUI_ACTION_OPEN && command != TUI_ACTION_ADD;
}

static void leave_document(struct tui_app *app)
{
	const struct shown *shown = tui_list_own(app->list);
	const int64_t id = shown->id;

	open_documents(app);
	tui_list_to(app->list, id);
}

void tui_document_open(struct tui_app *app, int64_t id)
{
	static const struct tui_list_kind kind = {.title = "Document",
						  .unit = "line",
						  .empty = "(empty)",
						  .read = read_document,
						  .means = document_means,
						  .offers = document_offers,
						  .leave = leave_document,
						  .forget = free};
	struct shown *shown = loom_alloc(sizeof *shown);

	shown->id = id;
	tui_list_open_with(app, &kind, shown);
}

static void open_document(struct tui_app *app, const struct tui_entry *entry)
{
	tui_document_open(app, entry->id);
}

/* --- all of them --- */

static enum loom_status read_documents(struct tui_app *app, struct tui_list *list,
				       struct loom_err *err)
{
	struct loom_doc *docs = NULL;
	struct loom_str *names = NULL;
	struct loom_str *marks = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_doc_list(app->store, tui_list_arena(list), &docs, &count, err);

	names = LOOM_ARENA_ARRAY(tui_list_arena(list), count, struct loom_str);
	for (size_t i = 0; i < count; i++)
		names[i] = docs[i].name;
	marks = loom_name_marks(LOOM_NAMED_DOC, names, count, tui_list_arena(list));
	for (size_t i = 0; i < count; i++) {
		struct tui_entry entry = {.lead = loom_name_marked(docs[i].name, marks[i],
								   tui_list_arena(list)),
					  .lead_role = TUI_ROLE_TITLE,
					  .text = docs[i].summary,
					  .id = docs[i].id};
		struct loom_buf end = LOOM_BUF_INIT(256);

		loom_buf_add_count(&end, (uint64_t)docs[i].words);
		loom_buf_addf(&end, " words · v%lld", (long long)docs[i].version);
		if (docs[i].from.n)
			loom_show_doc_doubts(&docs[i], &end);
		else
			loom_buf_addf(&end, " · %.*s",
				      LOOM_STR_ARG(loom_agent_called(docs[i].author, app->people.me,
								     docs[i].author_name)));
		loom_buf_adds(&end, " · ");
		loom_time_ago(docs[i].updated, loom_env_now(app->env), true, &end);
		entry.end = loom_arena_buf(tui_list_arena(list), &end);
		tui_list_add(list, &entry);
		loom_buf_fini(&end);
	}
	return status;
}

TUI_MEANS(add_document)
{
	tui_prompt_line(app, "a new document: ", LOOM_STR(""), make_document);
	return true;
}

TUI_MEANS(edit_chosen)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	return edit_by_id(app, entry ? entry->id : 0);
}

static const struct tui_meaning documents_means[] = {{TUI_ACTION_ADD, add_document, 0},
						     {TUI_ACTION_EXTERNAL, edit_chosen, 0},
						     {.command = TUI_COMMAND_NONE}};

static bool documents_offer(const struct tui_list *list, const struct tui_entry *entry,
			    enum tui_command command)
{
	(void)list;
	return entry || (command != TUI_ACTION_OPEN && command != TUI_ACTION_EXTERNAL);
}

static enum tui_command document_noun(struct tui_app *app, const struct tui_entry *entry,
				      struct tui_noun *out)
{
	(void)app;
	*out = (struct tui_noun){TUI_NOUN_DOCUMENT, entry->lead};
	return TUI_ACTION_VIEW_DOCUMENTS;
}

static void open_documents(struct tui_app *app)
{
	static const struct tui_list_kind kind = {.title = "Documents",
						  .unit = "document",
						  .empty = "no documents: a makes one",
						  .read = read_documents,
						  .side = tui_preview_document,
						  .means = documents_means,
						  .offers = documents_offer,
						  .noun = document_noun,
						  .open = open_document};

	tui_list_open(app, &kind, LOOM_STR(""));
}

TUI_DO(VIEW_DOCUMENTS)
{
	open_documents(app);
}
