/* Section 5: the resources and their contents.
 *
 * A listed folder stands for its visible files, sorted by path. Anything that cannot be shown
 * becomes one line in a fence of its own: no entry makes a payload fail. A file is read once, into
 * one buffer, which determines the fence and fills it. */
#include "inside.h"

#include <stdarg.h>

#include <loom/files/ignore.h>
#include <loom/base/utf8.h>

#define CONTENT_MAX ((size_t)64 << 20)

static void add_resource(struct model_resources *list, const struct loom_payload_entry *entry,
			 struct loom_str target, struct loom_str source)
{
	LOOM_ASSERT((size_t)entry->scope < LOOM_SCOPES);
	list->items = loom_arena_grow(list->arena, list->items, list->count, &list->cap,
				      sizeof *list->items);
	list->items[list->count++] = (struct model_resource){
		.scope = entry->scope,
		.entry = entry,
		.target = target,
		.source = source,
	};
}

static struct loom_str source_of(const struct loom_payload_entry *entry)
{
	return entry->source.n ? entry->source : entry->target;
}

/* A folder's visible files, for sorting. */
struct collected {
	struct loom_arena *arena;
	const struct loom_root *root;
	struct model_notes *notes;
	struct loom_str *items;
	size_t count;
	size_t cap;
};

/* A link in a folder counts if it leads to a regular file beneath the root. */
static bool leads_to_file(struct collected *all, struct loom_str path)
{
	struct loom_file_info info;
	enum loom_status status = loom_path_info(all->root, path, true, &info, NULL);

	if (status == LOOM_PATH)
		model_note(all->notes, "%.*s: a link that is not followed", LOOM_STR_ARG(path));
	return status == LOOM_OK && info.kind == LOOM_FILE_PLAIN;
}

static bool collect(void *ctx, const struct loom_seen *seen)
{
	struct collected *all = ctx;

	if (seen->kind == LOOM_FILE_FOLDER ||
	    (seen->kind == LOOM_FILE_LINK && !leads_to_file(all, seen->path)))
		return true;
	all->items =
		loom_arena_grow(all->arena, all->items, all->count, &all->cap, sizeof *all->items);
	all->items[all->count++] = loom_arena_str(all->arena, seen->path);
	return true;
}

static void warn(void *ctx, struct loom_str text)
{
	model_note(ctx, "%.*s", LOOM_STR_ARG(text));
}

static int by_bytes(const void *a, const void *b)
{
	return loom_str_cmp(*(const struct loom_str *)a, *(const struct loom_str *)b);
}

/* Returns the listed name of a file below a folder that is read elsewhere. */
static struct loom_str target_below(const struct loom_payload_entry *entry, struct loom_str file,
				    struct loom_str folder, struct loom_arena *arena)
{
	struct loom_str rest = loom_str_sub(file, folder.n, file.n);

	LOOM_ASSERT(file.n >= folder.n);
	if (!entry->source.n)
		return file;
	return loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(entry->target),
				 LOOM_STR_ARG(rest));
}

static void expand_folder(const struct loom_payload_opts *how,
			  const struct loom_payload_entry *entry, struct model_resources *out,
			  struct model_notes *notes)
{
	const struct loom_root *root = how->place.root;
	struct collected all = {.arena = out->arena, .root = root, .notes = notes};
	struct loom_buf real = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_walk_opts opts = {.everything = entry->everything,
				      .skip = how->skip,
				      .warn = warn,
				      .warn_ctx = notes};
	struct loom_err err;
	enum loom_status status = loom_path_resolve(root, source_of(entry), &real, &err);

	opts.below = loom_buf_str(&real);
	if (status == LOOM_OK)
		status = loom_ignore_walk(root, &opts, collect, &all, &err);
	if (status != LOOM_OK)
		model_note(notes, "%s", err.text);
	if (all.count)
		qsort(all.items, all.count, sizeof *all.items, by_bytes);
	for (size_t i = 0; i < all.count; i++)
		add_resource(out, entry, target_below(entry, all.items[i], opts.below, out->arena),
			     all.items[i]);
	if (!all.count) {
		add_resource(out, entry, entry->target, source_of(entry));
		out->items[out->count - 1].empty_folder = true;
	}
	loom_buf_fini(&real);
}

static void expand(const struct loom_payload_opts *how, const struct loom_payload_entry *entry,
		   struct model_resources *out, struct model_notes *notes)
{
	struct loom_file_info info;

	if (!entry->url && !entry->outside &&
	    loom_path_info(how->place.root, source_of(entry), true, &info, NULL) == LOOM_OK &&
	    info.kind == LOOM_FILE_FOLDER)
		expand_folder(how, entry, out, notes);
	else
		add_resource(out, entry, entry->target, source_of(entry));
}

/* Drops repeated targets within a scope. */
static void drop_repeats(struct model_resources *list)
{
	struct model_set seen[LOOM_SCOPES];
	size_t kept = 0;

	for (size_t i = 0; i < LOOM_SCOPES; i++)
		seen[i] = (struct model_set){.arena = list->arena};
	for (size_t i = 0; i < list->count; i++)
		if (model_set_add(&seen[list->items[i].scope], list->items[i].target))
			list->items[kept++] = list->items[i];
	LOOM_ASSERT(kept <= list->count);
	list->count = kept;
}

void model_payload_expand(const struct loom_payload_opts *opts,
			  const struct loom_payload_entry *entries, size_t count,
			  struct model_resources *out, struct model_notes *notes)
{
	for (int scope = 0; scope < LOOM_SCOPES; scope++)
		for (size_t i = 0; i < count; i++)
			if ((int)entries[i].scope == scope)
				expand(opts, &entries[i], out, notes);
	drop_repeats(out);
}

static void put_line(struct loom_buf *out, const char *format, ...) LOOM_PRINTF(2, 3);

/* Writes one line in a fence without info string. */
static void put_line(struct loom_buf *out, const char *format, ...)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);
	va_list args;

	LOOM_ASSERT(format);
	va_start(args, format);
	loom_buf_adds(&line, "--- ");
	loom_buf_addfv(&line, format, args);
	loom_buf_adds(&line, " ---");
	va_end(args);
	model_put_name(&shown, loom_buf_str(&line));
	model_put_fence(out, LOOM_STR(""), loom_buf_str(&shown));
	loom_buf_fini(&line);
	loom_buf_fini(&shown);
}

static bool is_text(struct loom_str content)
{
	return !(content.n && memchr(content.p, '\0', content.n)) && loom_utf8_valid(content, NULL);
}

/* `type`: the content type of a page; empty for a file. */
static void put_content(struct loom_buf *out, struct loom_str info, struct loom_str content,
			struct loom_str type)
{
	struct loom_buf text = LOOM_BUF_INIT(CONTENT_MAX * 2);

	if (is_text(content))
		model_put_fence(out, info, content);
	else if (model_decode(content, type, &text) && is_text(loom_buf_str(&text)))
		model_put_fence(out, info, loom_buf_str(&text));
	else
		put_line(out, "NOT SHOWN: %s, %zu %s", model_binary_kind(content), content.n,
			 loom_plural((int64_t)content.n, "byte", "bytes"));
	loom_buf_fini(&text);
}

static bool is_glob(struct loom_str target)
{
	return target.n && (memchr(target.p, '*', target.n) || memchr(target.p, '?', target.n));
}

/* Recognises a line that was meant as something else than a path; NULL for a plain one. */
static const char *oddity(struct loom_str target)
{
	const char first = target.n ? target.p[0] : '\0';
	const char last = target.n ? target.p[target.n - 1] : '\0';

	if (target.n > 1 && strchr("-*+", first) && target.p[1] == ' ')
		return "a line is a path alone, without a bullet";
	if (target.n > 1 && first == last && strchr("\"'`", first))
		return "a line is a path alone, without quotes";
	if (target.n && memchr(target.p, '{', target.n) && memchr(target.p, '}', target.n))
		return "braces are not expanded; list each file";
	return NULL;
}

static void note_missing(const struct model_resource *resource, struct model_notes *notes)
{
	const struct loom_payload_entry *entry = resource->entry;
	const char *odd = oddity(entry->target);
	struct loom_buf where = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (entry->file.n)
		loom_buf_addf(&where, " (%.*s:%zu)", LOOM_STR_ARG(entry->file), entry->line);
	model_note(notes, "%.*s: no such file%s%s%s", LOOM_STR_ARG(resource->target),
		   loom_buf_cstr(&where), odd ? "; " : "", odd ? odd : "");
	loom_buf_fini(&where);
}

static void put_missing(const struct model_resource *resource, struct loom_buf *out,
			struct model_notes *notes)
{
	if (!is_glob(resource->target)) {
		put_line(out, "FILE NOT FOUND");
		note_missing(resource, notes);
		return;
	}
	put_line(out, "UNRESOLVED: patterns are not expanded");
	model_note(notes, "%.*s: patterns are not expanded; list the folder or each file",
		   LOOM_STR_ARG(resource->target));
}

/* Writes why a path could not be read, in the document's words. */
static void put_refused(const struct loom_payload_opts *opts, const struct model_resource *resource,
			enum loom_status status, struct loom_buf *out)
{
	struct loom_file_info info;

	if (status == LOOM_REFUSED)
		put_line(out, "NOT SHOWN: a file of the store");
	else if (status == LOOM_LIMIT)
		put_line(out, "NOT SHOWN: larger than %zu bytes", CONTENT_MAX);
	else if (status != LOOM_PATH)
		put_line(out, "NOT SHOWN: cannot be read");
	else if (loom_path_info(opts->place.root, resource->source, true, &info, NULL) != LOOM_OK)
		put_line(out, "NOT SHOWN: outside the root");
	else if (info.kind == LOOM_FILE_PLAIN && info.links > 1)
		put_line(out,
			 "NOT SHOWN: a file with %llu names (hard links), which may belong to "
			 "another place",
			 (unsigned long long)info.links);
	else
		put_line(out, "NOT SHOWN: a device, pipe or socket");
}

static void put_file(const struct loom_payload_opts *opts, const struct model_resource *resource,
		     struct loom_buf *out, struct model_notes *notes)
{
	struct loom_buf content = LOOM_BUF_INIT(CONTENT_MAX);
	struct loom_read_opts how = {.links = true, .single = true, .max = CONTENT_MAX};
	struct loom_err err;
	enum loom_status status =
		loom_file_read(opts->place.root, resource->source, &how, &content, &err);

	if (status == LOOM_OK) {
		put_content(out, model_info_of_path(resource->target, notes->arena),
			    loom_buf_str(&content), LOOM_STR(""));
	} else if (status == LOOM_NOT_FOUND) {
		put_missing(resource, out, notes);
	} else {
		put_refused(opts, resource, status, out);
		model_note(notes, "%s", err.text);
	}
	loom_buf_fini(&content);
}

static void put_url(const struct loom_payload_opts *opts, const struct model_resource *resource,
		    struct loom_buf *out, struct model_notes *notes)
{
	struct loom_buf body = LOOM_BUF_INIT(CONTENT_MAX);
	struct loom_buf type = LOOM_BUF_INIT(256);
	struct loom_err err = {0};

	LOOM_ASSERT(resource->entry->url);
	if (!opts->fetch) {
		put_line(out, "NOT FETCHED");
	} else if (opts->fetch(opts->fetch_ctx, resource->target, &body, &type, &err) == LOOM_OK) {
		put_content(out, model_info_of_type(loom_buf_str(&type), notes->arena),
			    loom_buf_str(&body), loom_buf_str(&type));
	} else {
		put_line(out, "NOT FETCHED: %s", err.text);
		model_note(notes, "%.*s: %s", LOOM_STR_ARG(resource->target), err.text);
	}
	loom_buf_fini(&body);
	loom_buf_fini(&type);
}

void model_payload_contents(const struct loom_payload_opts *opts,
			    const struct model_resource *resource, struct loom_buf *out,
			    struct model_notes *notes)
{
	if (resource->entry->url) {
		put_url(opts, resource, out, notes);
	} else if (opts->skip.n && loom_str_eq(resource->source, opts->skip)) {
		put_line(out, "NOT SHOWN: this document itself");
	} else if (resource->empty_folder) {
		put_line(out, "FOLDER WITHOUT VISIBLE FILES");
	} else if (resource->entry->outside) {
		put_line(out, "NOT SHOWN: outside the root");
		model_note(notes, "%.*s leaves the root", LOOM_STR_ARG(resource->target));
	} else {
		put_file(opts, resource, out, notes);
	}
}
