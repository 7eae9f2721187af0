/* Documents: read and write. A text is found by name; the page knows where it lives (in the grove
 * or in a thread's folder). An edit in the middle is based on what this thread last read. */
#include <loom/engine/handlers.h>
#include <loom/language/call.h>
#include <loom/text/sections.h>
#include <loom/tree/request.h>

#include <loom/text/sanitise.h>
#include <loom/text/quoting.h>

/* ---- finding ---- */

/* A document wins over a file of the same name, and the result says so. */
static void take_doc(struct engine_run *run, const struct loom_doc *doc, struct engine_page *out)
{
	struct loom_str path = engine_asset_path(run, doc->name);
	struct loom_buf doubts = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_show_doc_doubts(doc, &doubts);
	*out = (struct engine_page){.kind = ENGINE_PAGE_DOC,
				    .name = doc->name,
				    .text = doc->text,
				    .summary = doc->summary,
				    .updated = doc->updated,
				    .doubts = loom_arena_buf(run->arena, &doubts),
				    .doc = doc->id,
				    .head = doc->head,
				    .exists = true,
				    .own = true};
	loom_buf_fini(&doubts);
	if (path.n)
		out->hint = loom_arena_format(run->arena,
					      "this is the grove's document; the thread's own is "
					      "doc:\"%.*s\"",
					      LOOM_STR_ARG(path));
}

static enum loom_status find_page(struct engine_run *run, struct loom_str name, bool write,
				  struct engine_page *out, struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status = loom_doc_find(run->store, name, true, run->arena, &doc, err);

	if (status == LOOM_OK)
		take_doc(run, &doc, out);
	if (status == LOOM_NOT_FOUND)
		status = engine_asset_find(run, name, write, out, err);
	if (status != LOOM_NOT_FOUND)
		return status;
	*out = (struct engine_page){.name = name, .own = true};
	return LOOM_OK;
}

/* ---- what the thread has read ---- */

void engine_base_set(struct loom_engine *engine, struct engine_base base)
{
	for (size_t i = 0; i < engine->base_count; i++) {
		if (engine->bases[i].doc == base.doc) {
			engine->bases[i].head = base.head;
			return;
		}
	}
	engine->bases = loom_arena_grow(engine->arena, engine->bases, engine->base_count,
					&engine->base_cap, sizeof *engine->bases);
	engine->bases[engine->base_count++] = base;
}

/* Sets *out to -1 when this thread has not read the document, so nothing is stale. What it read in
 * another process is in its log. */
static enum loom_status find_base(struct engine_run *run, int64_t doc, int64_t *out,
				  struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	const struct loom_engine_log *log = engine->opts.log;
	enum loom_status status = LOOM_OK;

	*out = 0;
	for (size_t i = 0; i < engine->base_count && !*out; i++)
		if (engine->bases[i].doc == doc)
			*out = engine->bases[i].head;
	if (!*out && doc && log && log->known && run->thread.id)
		status = log->known(log->ctx, run->store, run->thread.id, doc, out, err);
	if (!*out)
		*out = -1;
	return status;
}

/* ---- read ---- */

static void add_head(struct engine_run *run, const struct engine_page *page, int64_t lines)
{
	const int64_t *asked = run->call->lines;

	loom_show_doc(page->name, run->call->section, run->out);
	loom_buf_add(run->out, page->doubts);
	if (run->call->section.p && !asked[0])
		return;
	loom_buf_adds(run->out, " (");
	loom_show_many(loom_word_count(page->text), "word", "words", run->out);
	loom_buf_adds(run->out, " · updated ");
	loom_show_ago(run->show, page->updated, run->out);
	if (asked[0])
		loom_buf_addf(run->out, " · lines %lld-%lld of %lld", (long long)asked[0],
			      (long long)(asked[1] < lines ? asked[1] : lines), (long long)lines);
	loom_buf_addc(run->out, ')');
}

static void add_body(struct engine_run *run, const struct engine_page *page, struct loom_str text)
{
	struct loom_buf again = LOOM_BUF_INIT(4096);

	loom_buf_adds(&again, "read ");
	loom_show_doc(page->name, LOOM_STR(""), &again);
	if (run->call->section.p)
		loom_buf_addf(&again, " section:\"%.*s\"", LOOM_STR_ARG(run->call->section));
	loom_buf_addc(run->out, '\n');
	run->body_at = run->out->n;
	(void)loom_body_add(run->out, text, LOOM_BELOW_HEADERS);
	run->body_end = run->out->n;
	run->body_line = 1;
	run->body_again = loom_arena_buf(run->arena, &again);
	loom_buf_fini(&again);
}

static enum loom_status refuse_lines(struct engine_run *run, const struct engine_page *page,
				     int64_t lines, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(1024);
	struct loom_str many;

	loom_show_doc(page->name, run->call->section, &name);
	many = engine_many(run, lines, "line", "lines");
	loom_fail(err, LOOM_NOT_FOUND, "%s has %.*s", loom_buf_cstr(&name), LOOM_STR_ARG(many));
	loom_buf_fini(&name);
	return LOOM_NOT_FOUND;
}

/* The text after the headings at its beginning; the whole text when there is nothing else. */
static struct loom_str behind_title(struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str line;

	while (rest.n) {
		struct loom_str from = rest;

		(void)loom_str_line(&rest, &line);
		if (loom_str_trim(line).n && !loom_doc_is_heading(line))
			return from;
	}
	return text;
}

/* A section without the blank lines that separate it from the next. */
static struct loom_str without_gap(struct loom_str section)
{
	while (section.n && memchr(" \t\r\n", section.p[section.n - 1], 4))
		section.n--;
	return section;
}

static enum loom_status read_page(struct engine_run *run, const struct engine_page *page,
				  struct loom_err *err)
{
	const struct loom_call *call = run->call;
	struct loom_str text = page->text;
	struct loom_str part = {NULL, 0};
	int64_t lines = 0;
	size_t from = 0;
	size_t to = 0;

	if (call->section.p) {
		enum loom_status status = loom_doc_section(text, call->section, &from, &to, err);

		if (status != LOOM_OK)
			return status;
		text = without_gap(loom_str_sub(text, from, to - from));
	}
	if (call->lines[0] && !engine_lines(text, call->lines, &part, &lines))
		return refuse_lines(run, page, lines, err);
	run->exact = call->lines[0] > 0;
	add_head(run, page, lines);
	if (!call->summary) {
		add_body(run, page, call->lines[0] ? part : text);
		return LOOM_OK;
	}
	loom_buf_adds(run->out, "\n\"");
	if (page->summary.n && !call->section.p)
		loom_shown_line(run->out, page->summary, 0);
	else
		loom_show_sentence(behind_title(text), run->out);
	loom_buf_addc(run->out, '"');
	return LOOM_OK;
}

enum loom_status engine_verb_read(struct engine_run *run, struct loom_err *err)
{
	struct engine_page page;
	enum loom_status status = find_page(run, run->call->doc, false, &page, err);

	if (status == LOOM_OK && !page.exists)
		status = engine_asset_refuse(run, run->call->doc, err);
	if (status == LOOM_OK)
		status = read_page(run, &page, err);
	if (status != LOOM_OK)
		return status;
	if (page.kind == ENGINE_PAGE_DOC)
		engine_base_set(run->engine, run->base = (struct engine_base){page.doc, page.head});
	if (page.hint.n)
		loom_buf_addf(run->out, "\n  hint: %.*s", LOOM_STR_ARG(page.hint));
	return LOOM_OK;
}

/* ---- write: the new text ---- */

/* Puts a piece between two others, each on lines of its own. */
static void put_between(struct loom_str before, struct loom_str piece, struct loom_str after,
			struct loom_buf *out)
{
	loom_buf_add(out, before);
	if (before.n && before.p[before.n - 1] != '\n')
		loom_buf_addc(out, '\n');
	loom_buf_add(out, piece);
	if (after.n && piece.n && piece.p[piece.n - 1] != '\n')
		loom_buf_addc(out, '\n');
	loom_buf_add(out, after);
}

static enum loom_status offset_of_line(struct engine_run *run, const struct engine_page *page,
				       int64_t line, size_t *out, struct loom_err *err)
{
	const int64_t from_here[2] = {line, line};
	struct loom_str many;
	struct loom_str at;
	int64_t lines = 0;

	*out = page->text.n;
	if (engine_lines(page->text, from_here, &at, &lines)) {
		*out = (size_t)(at.p - page->text.p);
		return LOOM_OK;
	}
	if (line == lines + 1)
		return LOOM_OK;
	many = engine_many(run, lines, "line", "lines");
	loom_fail(err, LOOM_NOT_FOUND, "doc:\"%.*s\" has %.*s", LOOM_STR_ARG(page->name),
		  LOOM_STR_ARG(many));
	return loom_hint(err, LOOM_NOT_FOUND, "use at:%lld or less, or append",
			 (long long)lines + 1);
}

/* A replaced section keeps its heading unless the new text has one. */
static size_t behind_heading(struct loom_str text, size_t from, size_t to, struct loom_str content)
{
	size_t feed = loom_str_find_char(text, '\n', from);
	struct loom_str first;

	if (loom_str_line(&content, &first) && loom_doc_is_heading(first))
		return from;
	return feed == SIZE_MAX || feed >= to ? to : feed + 1;
}

static enum loom_status replace_section(const struct engine_page *page,
					const struct loom_call *call, struct loom_buf *out,
					struct loom_err *err)
{
	size_t from = 0;
	size_t to = 0;
	enum loom_status status = loom_doc_section(page->text, call->replace, &from, &to, err);

	if (status != LOOM_OK)
		return status;
	from = behind_heading(page->text, from, to, call->content);
	put_between(loom_str_sub(page->text, 0, from), call->content,
		    loom_str_sub(page->text, to, page->text.n), out);
	return LOOM_OK;
}

/* The end of a section, before the blank lines that separate it from the next. */
static enum loom_status section_end(const struct engine_page *page, struct loom_str section,
				    size_t *out, struct loom_err *err)
{
	size_t from = 0;
	size_t to = 0;
	enum loom_status status = loom_doc_section(page->text, section, &from, &to, err);

	while (status == LOOM_OK &&
	       loom_str_ends(loom_str_sub(page->text, from, to - from), LOOM_STR("\n\n")))
		to--;
	*out = to;
	return status;
}

static enum loom_status compose(struct engine_run *run, const struct engine_page *page,
				struct loom_buf *out, struct loom_err *err)
{
	const struct loom_call *call = run->call;
	size_t at = page->text.n;
	enum loom_status status = LOOM_OK;

	if (call->replace.p)
		return replace_section(page, call, out, err);
	if (call->place.kind == LOOM_PLACE_START)
		at = 0;
	else if (call->place.kind == LOOM_PLACE_LINE)
		status = offset_of_line(run, page, run->call->place.line, &at, err);
	else if (call->place.kind == LOOM_PLACE_SECTION)
		status = section_end(page, call->place.section, &at, err);
	if (status == LOOM_OK)
		put_between(loom_str_sub(page->text, 0, at), call->content,
			    loom_str_sub(page->text, at, page->text.n), out);
	return status;
}

/* ---- write: doing it ---- */

static bool is_append(const struct loom_call *call)
{
	return !call->replace.p &&
	       (call->place.kind == LOOM_PLACE_NONE || call->place.kind == LOOM_PLACE_END);
}

/* Keeps the losing side's text as a draft: no words are lost in a conflict. */
static void keep_draft(struct engine_run *run, const struct engine_page *page, struct loom_str text,
		       const struct loom_err *err)
{
	struct loom_draft draft = {.kind = LOOM_STR_INIT("conflict"),
				   .anchor = page->name,
				   .text = text,
				   .why = loom_str_of(err->text)};
	struct loom_str id;

	(void)!loom_draft_save(run->store, &draft, run->arena, &id, NULL);
}

static enum loom_status write_doc(struct engine_run *run, const struct engine_page *page,
				  struct loom_str text, struct loom_err *err)
{
	const int64_t author = run->engine->agent.id;
	struct loom_doc doc;
	int64_t known = -1;
	int64_t made = page->doc;
	enum loom_status status = find_base(run, page->doc, &known, err);

	if (status == LOOM_OK && page->exists)
		status = loom_doc_write(run->store, page->doc, text, author,
					is_append(run->call) ? -1 : known, err);
	else if (status == LOOM_OK)
		status = loom_doc_create(run->store, page->name, text, author, &made, err);
	if (status == LOOM_CONFLICT && page->exists && !run->engine->opts.dry_run)
		keep_draft(run, page, text, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	status = loom_doc_get(run->store, made, false, run->arena, &doc, err);
	/* An agent's own text is not news to it, but what others wrote before still is. */
	if (status == LOOM_OK && known == page->head)
		run->base = (struct engine_base){made, doc.head};
	return status;
}

static void say_written(struct engine_run *run, const struct engine_page *page,
			struct loom_str text)
{
	const struct loom_call *call = run->call;
	struct loom_str section = call->replace.p                          ? call->replace
				  : call->place.kind == LOOM_PLACE_SECTION ? call->place.section
									   : LOOM_STR("");
	const char *did = !page->exists                          ? "created"
			  : call->replace.p                      ? "replaced"
			  : is_append(call) || section.n         ? "appended to"
			  : call->place.kind == LOOM_PLACE_START ? "put at the start of"
								 : "inserted into";
	struct loom_buf name = LOOM_BUF_INIT(1024);

	loom_show_doc(page->name, section, &name);
	engine_say(run, "%s %s", did, loom_buf_cstr(&name));
	loom_buf_addf(run->out, "✓ %s %s (%s", did, loom_buf_cstr(&name),
		      page->exists ? "now " : "");
	loom_show_many(loom_word_count(text), "word", "words", run->out);
	loom_buf_addc(run->out, ')');
	if (page->hint.n)
		loom_buf_addf(run->out, "\n  hint: %.*s", LOOM_STR_ARG(page->hint));
	loom_buf_fini(&name);
}

/* A text that does not exist yet begins with what is put at its start or end. */
static enum loom_status check_new(struct engine_run *run, const struct engine_page *page,
				  struct loom_err *err)
{
	const struct loom_call *call = run->call;

	/* Such a path means a file; a document of that name would only look like one. */
	if (!page->exists && page->kind == ENGINE_PAGE_DOC &&
	    (loom_str_starts(engine_asset_name(call->doc), LOOM_STR(".leslie/")) ||
	     (!run->thread.implicit && loom_str_starts(call->doc, LOOM_STR("artifacts/"))))) {
		loom_fail(err, LOOM_PERMISSION, "this thread may not write doc:\"%.*s\"",
			  LOOM_STR_ARG(call->doc));
		return loom_hint(
			err, LOOM_PERMISSION,
			"write doc:\"plan\", doc:\"progress\", doc:\"artifacts/NAME\" or a "
			"path of this thread's own files, or give a document another name");
	}
	if (page->exists || (!call->replace.p && call->place.kind != LOOM_PLACE_SECTION &&
			     (call->place.kind != LOOM_PLACE_LINE || call->place.line == 1)))
		return LOOM_OK;
	loom_fail(err, LOOM_NOT_FOUND, "document \"%.*s\" does not exist", LOOM_STR_ARG(call->doc));
	return loom_hint(err, LOOM_NOT_FOUND,
			 LANG_ARROW " write doc:\"%.*s\" append \"…\" creates it",
			 LOOM_STR_ARG(call->doc));
}

static enum loom_status write_page(struct engine_run *run, const struct engine_page *page,
				   struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(ENGINE_RESULT_MAX);
	enum loom_status status = compose(run, page, &text, err);

	if (status == LOOM_OK && text.bad)
		status = loom_fail(err, LOOM_LIMIT, "the document would be larger than 64 MiB");
	if (status == LOOM_OK)
		status = page->kind == ENGINE_PAGE_DOC
				 ? write_doc(run, page, loom_buf_str(&text), err)
				 : engine_asset_write(run, page, loom_buf_str(&text), err);
	if (status == LOOM_OK)
		say_written(run, page, loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

/* A file outside the store is an operation of its own; otherwise the batch could not be undone
 * whole. */
enum loom_status engine_verb_write(struct engine_run *run, struct loom_err *err)
{
	struct engine_page page;
	enum loom_status status = loom_store_view(run->store, err);

	if (status != LOOM_OK)
		return status;
	status = find_page(run, run->call->doc, true, &page, err);
	loom_store_unview(run->store);
	if (status == LOOM_OK)
		status = check_new(run, &page, err);
	if (status != LOOM_OK)
		return status;
	if (page.kind != ENGINE_PAGE_DOC) {
		engine_batch_close(run->engine);
		run->inverse = "loom undo, as long as nobody changed the file since";
		if (!run->engine->opts.dry_run)
			status = loom_request_intend_here(run->store, &run->intended, err);
	}
	if (status == LOOM_OK)
		status = engine_begin_write(run, ENGINE_CHANGES, err);
	/* Others may have written since; the change applies to what is there now. */
	if (status == LOOM_OK)
		status = find_page(run, run->call->doc, true, &page, err);
	return status == LOOM_OK ? write_page(run, &page, err) : status;
}
