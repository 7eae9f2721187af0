/* The life of an import: created, fed with files, settled, written (write_tree.c), reported. */
#include <loom/import/frame.h>

/* Above this size, pages are released. A reader's working set for one node is small compared to
 * it. */

/* The row that recognises refused files is not a format to ask for. */
static bool is_format(const struct import_reader *reader)
{
	return reader != &import_refused;
}

static enum loom_status hint_formats(struct loom_err *err, enum loom_status status)
{
	struct loom_buf names = LOOM_BUF_INIT(1 << 12);

	for (size_t i = 0; import_readers[i]; i++)
		if (is_format(import_readers[i]))
			loom_buf_addf(&names, "%s%s", names.n ? ", " : "", import_readers[i]->name);
	loom_hint(err, status, "the formats are %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return status;
}

enum loom_status loom_import_create(const struct loom_import_opts *opts, struct loom_import **out,
				    struct loom_err *err)
{
	const struct import_reader *only = NULL;
	struct loom_import *import;

	for (size_t i = 0; opts->format && import_readers[i]; i++)
		if (is_format(import_readers[i]) && !strcmp(import_readers[i]->name, opts->format))
			only = import_readers[i];
	if (opts->format && !only) {
		loom_fail(err, LOOM_USAGE, "unknown import format \"%s\"", opts->format);
		return hint_formats(err, LOOM_USAGE);
	}
	import = loom_alloc(sizeof *import);
	import->opts = *opts;
	import->only = only;
	import->dir = opts->dir ? opts->dir : loom_env_var(opts->env, "TMPDIR");
	import->pages = loom_pages_create(import->dir, LOOM_PAGES_RESIDENT);
	import->arena = loom_arena_create_on(import->pages);
	import->scratch = loom_arena_create_on(import->pages);
	import->own = loom_arena_create_on(import->pages);
	loom_buf_init(&import->last_id, 1 << 10);
	loom_buf_init_on(&import->open_beside, SIZE_MAX / 4, import->pages);
	import_spill_init(&import->spill, import->dir, import->pages);
	loom_env_random(opts->env, 0x696D706F7274, &import->table_key, sizeof import->table_key);
	import_entry_table(import, 1);
	*out = import;
	return LOOM_OK;
}

void loom_import_destroy(struct loom_import *import)
{
	if (!import)
		return;
	import_spill_fini(&import->spill);
	import_locals_fini(&import->locals, import->pages);
	loom_buf_fini(&import->last_id);
	loom_buf_fini(&import->open_beside);
	loom_pages_return(import->pages, import->entries,
			  import->entry_cap * sizeof *import->entries);
	loom_pages_return(import->pages, import->trees, import->tree_cap * sizeof *import->trees);
	loom_pages_return(import->pages, import->made, import->made_count * sizeof *import->made);
	free(import->table);
	loom_arena_destroy(import->arena);
	loom_arena_destroy(import->scratch);
	loom_arena_destroy(import->own);
	loom_pages_destroy(import->pages);
	free(import);
}

static const struct import_reader *recognise(const struct loom_import *import,
					     const struct import_source *source)
{
	if (import->only)
		return import->only;
	for (size_t i = 0; import_readers[i]; i++)
		if (import_readers[i]->recognise(source))
			return import_readers[i];
	return NULL;
}

static enum loom_status refuse_unknown(const struct import_source *source, struct loom_str name,
				       struct loom_err *err)
{
	if (!source->json && memchr(source->text.p, '\0', source->text.n)) {
		loom_fail(err, LOOM_REFUSED,
			  "%.*s: unknown format, and not text, as it contains zero bytes",
			  LOOM_STR_ARG(name));
		return loom_hint(err, LOOM_REFUSED,
				 "if it is text after all: loom import --format transcript");
	}
	if (source->json && source->member_count)
		loom_fail(err, LOOM_REFUSED,
			  "%.*s: JSON in an unknown format (it begins with \"%.*s\")",
			  LOOM_STR_ARG(name), LOOM_STR_ARG(source->members[0].key));
	else
		loom_fail(err, LOOM_REFUSED, "%.*s: unknown format", LOOM_STR_ARG(name));
	return hint_formats(err, LOOM_REFUSED);
}

/* The person may choose the format if it is in doubt. A reader of JSON refuses the JSON of another
 * format. Any file can be read as text. */
static enum loom_status refuse_other(const struct import_reader *only,
				     const struct import_source *source, struct loom_str name,
				     struct loom_err *err)
{
	if (only == &import_transcript || !(source->json || source->lines) ||
	    only->recognise(source))
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "%.*s: not in the format %s", LOOM_STR_ARG(name), only->title);
	for (size_t i = 0; import_readers[i]; i++)
		if (is_format(import_readers[i]) && import_readers[i]->recognise(source))
			return loom_hint(err, LOOM_REFUSED, "it looks like %s: leave out --format",
					 import_readers[i]->title);
	return hint_formats(err, LOOM_REFUSED);
}

static struct loom_str file_name(struct loom_import *import, struct loom_str path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return import_text_line(import->arena, loom_str_sub(path, at, path.n), 100);
}

static enum loom_status read_source(struct loom_import *import, struct loom_str name,
				    const struct import_source *source, struct loom_err *err)
{
	const struct import_reader *reader = recognise(import, source);
	const size_t before = import->entry_count;
	struct import_file *file;
	enum loom_status status;

	if (!reader)
		return refuse_unknown(source, name, err);
	if (import->only && refuse_other(reader, source, name, err) != LOOM_OK)
		return LOOM_REFUSED;
	import->files = loom_arena_grow(import->arena, import->files, import->file_count,
					&import->file_cap, sizeof *import->files);
	file = &import->files[import->file_count++];
	*file = (struct import_file){.name = loom_arena_str(import->arena, name),
				     .title = loom_arena_str(import->arena, source->name),
				     .reader = reader,
				     .from = import->origin.n
						     ? loom_arena_str(import->arena, import->origin)
						     : file_name(import, name)};
	import->open = false;
	status = reader->read(import, source, err);
	if (status != LOOM_OK || !import->only || import->entry_count > before)
		return status;
	return loom_fail(err, LOOM_REFUSED, "%.*s: not in the format %s", LOOM_STR_ARG(name),
			 reader->title);
}

static enum loom_status hint_broken(const struct loom_err *why, struct loom_err *err)
{
	if (why->hint[0])
		return loom_hint(err, why->status, "%s", why->hint);
	if (why->status == LOOM_LIMIT)
		return loom_hint(err, why->status, "at most %d nested levels can be read",
				 LOOM_IMPORT_DEPTH_MAX);
	return loom_hint(err, why->status,
			 "it is damaged or truncated; nothing was written: export it again");
}

static enum loom_status add_text(struct loom_import *import, struct loom_str name,
				 struct loom_str bytes, struct loom_err *err)
{
	struct import_source source;
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status;

	import->checked = false;
	status = import_source_look(import, name, bytes, &source, &why);
	import->checked = true;
	import->base = source.text.p;
	if (status == LOOM_OK)
		return read_source(import, name, &source, err);
	loom_fail(err, status, "%.*s: %s", LOOM_STR_ARG(name), why.text);
	return hint_broken(&why, err);
}

enum loom_status loom_import_add(struct loom_import *import, struct loom_str name,
				 struct loom_str bytes, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT_ON(LOOM_IMPORT_BYTES_MAX, import->pages);
	enum loom_status status = LOOM_OK;

	if (bytes.n > LOOM_IMPORT_BYTES_MAX) {
		loom_fail(err, LOOM_LIMIT, "%.*s is larger than 2 GiB", LOOM_STR_ARG(name));
		return loom_hint(err, LOOM_LIMIT, "import it in parts");
	}
	if (!loom_str_trim(bytes).n)
		return loom_fail(err, LOOM_REFUSED, "%.*s is empty", LOOM_STR_ARG(name));
	loom_arena_reset(import->scratch);
	if (import_source_widen(bytes, &text)) {
		bytes = loom_buf_str(&text);
		import_note(import, IMPORT_REPAIRED, "a UTF-16 file, converted to UTF-8");
	}
	import->file_size = bytes.n;
	loom_pages_work(import->pages);
	status = text.bad ? loom_fail(err, LOOM_LIMIT, "%.*s is larger than 2 GiB",
				      LOOM_STR_ARG(name))
			  : add_text(import, name, bytes, err);
	loom_buf_fini(&text);
	loom_pages_rest(import->pages);
	return status;
}

enum loom_status import_at(struct loom_import *import, size_t at, struct loom_err *err)
{
	if (import->checked)
		loom_pages_touch(import->pages, import->base + at, 1);
	/* Each file is read twice, and the progress must not go backwards. */
	at = at / 2 + (import->checked ? import->file_size / 2 : 0);
	loom_task_report(import->opts.task, at, import->file_size);
	return loom_task_cancelled(import->opts.task)
		       ? loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written")
		       : LOOM_OK;
}

enum loom_status import_here(struct loom_import *import, struct loom_str value,
			     struct loom_err *err)
{
	const uintptr_t at = (uintptr_t)value.p - (uintptr_t)import->base;

	return at < import->file_size ? import_at(import, at, err) : LOOM_OK;
}

struct loom_str import_beside(struct loom_import *import, const char *key)
{
	for (size_t i = 0; i < import->beside_count; i++)
		if (loom_str_is(import->beside[i].key, key))
			return import->beside[i].value;
	return loom_str_make(NULL, 0);
}

void import_put_beside(struct loom_import *import, const char *key, struct loom_str value)
{
	for (size_t i = 0; i < import->beside_count; i++)
		if (loom_str_is(import->beside[i].key, key)) {
			import->beside[i].value = loom_arena_str(import->arena, value);
			return;
		}
	import->beside = loom_arena_grow(import->arena, import->beside, import->beside_count,
					 &import->beside_cap, sizeof *import->beside);
	import->beside[import->beside_count++] = (struct import_member){
		.key = loom_arena_str(import->arena, loom_str_of(key)),
		.value = loom_arena_str(import->arena, value),
	};
}

/* ---- the report ---- */

static void report_tree(struct loom_import *import, const struct import_tree_state *tree,
			struct loom_import_made *out)
{
	const struct import_file *file = &import->files[tree->file];

	*out = (struct loom_import_made){
		.file = file->name,
		.format = loom_str_of(file->reader->name),
		.title = tree->called.n       ? tree->called
			 : tree->spec.title.n ? tree->spec.title
					      : file->title,
		.tree = tree->undone ? 0 : tree->tree,
		.ulid = tree->ulid,
		.nodes = tree->nodes,
		.added = tree->added,
		.known = tree->known,
	};
	import->report.nodes += tree->nodes;
	import->report.added += tree->added;
	import->report.known += tree->known;
}

static struct loom_import_lines lines_of(const struct loom_import *import, enum import_note note)
{
	return (struct loom_import_lines){import->lines[note].items, import->lines[note].count};
}

const struct loom_import_report *loom_import_report(struct loom_import *import)
{
	struct loom_import_report *report = &import->report;

	loom_pages_work(import->pages);
	loom_pages_return(import->pages, import->made, import->made_count * sizeof *import->made);
	import->made_count = import->tree_count + 1;
	import->made = loom_pages_take(import->pages, import->made_count * sizeof *import->made);
	report->trees = import->made;
	report->tree_count = 0;
	report->nodes = report->added = report->known = 0;
	for (size_t i = 0; i < import->tree_count; i++)
		if (import_tree_at(import, i)->nodes)
			report_tree(import, import_tree_at(import, i),
				    &import->made[report->tree_count++]);
	report->unknown = lines_of(import, IMPORT_NOT_UNDERSTOOD);
	report->lost = lines_of(import, IMPORT_LOST);
	report->repaired = lines_of(import, IMPORT_REPAIRED);
	report->secrets = lines_of(import, IMPORT_SECRET);
	report->unseen = lines_of(import, IMPORT_UNSEEN);
	report->claimed = lines_of(import, IMPORT_CLAIM);
	report->split = lines_of(import, IMPORT_SPLIT);
	return report;
}

bool loom_import_format_at(size_t index, struct loom_import_format *out)
{
	for (size_t i = 0; import_readers[i]; i++) {
		const struct import_reader *reader = import_readers[i];

		if (!is_format(reader) || index-- > 0)
			continue;
		*out = (struct loom_import_format){reader->name, reader->title};
		return true;
	}
	return false;
}

/* Only asks readers that have a quick check for this. */
bool loom_import_goes_first(struct loom_str bytes)
{
	struct loom_str head = loom_str_sub(bytes, 0, 1 << 16);

	return loom_str_find(head, LOOM_STR("\"completions\""), 0) != SIZE_MAX &&
	       loom_str_find(head, LOOM_STR("\"children\""), 0) == SIZE_MAX;
}
