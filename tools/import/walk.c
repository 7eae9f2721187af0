/* Finds the files of an import, and reads them. Invariants: a file is examined before it is opened,
 * because closing a file of the store would drop its locks; links in folders are not followed; a
 * folder is as deep and as full as it may be, no more. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/path.h>

#include "take.h"

enum {
	PIECE = 1 << 16,
	WAIT_MS = 100,
	FOLDERS_DEEP = 32,
	FILES_MAX = 200000,
	MAGIC = 64,
	LOOK = 1 << 16,
};

/* ---- one file ---- */

static bool is_refused(const struct loom_root *refused, const struct stat *info)
{
	for (size_t i = 0; refused && i < refused->refused_count; i++)
		if (refused->refused[i].device == (uint64_t)info->st_dev &&
		    refused->refused[i].inode == (uint64_t)info->st_ino)
			return true;
	return false;
}

/* Opening a pipe without a writer does not block; the wait comes with the first bytes, where it can
 * be stopped. */
static enum loom_status open_file(struct import_walk *walk, const char *path, int *out_fd,
				  struct stat *out_info, struct loom_err *err)
{
	const int look = open(path, O_PATH | O_CLOEXEC);
	char held[40];
	enum loom_status status = LOOM_OK;

	*out_fd = -1;
	if (look < 0 || fstat(look, out_info) < 0) {
		status = loom_fail_file(err, path, errno);
	} else if (is_refused(walk->paths->refused, out_info)) {
		status = loom_fail(err, LOOM_REFUSED, "%s is a file of the grove itself", path);
	} else if (!S_ISREG(out_info->st_mode) && !S_ISFIFO(out_info->st_mode) &&
		   !S_ISDIR(out_info->st_mode)) {
		status = loom_fail_file(err, path, EISDIR);
	} else if (!S_ISDIR(out_info->st_mode)) {
		snprintf(held, sizeof held, "/proc/self/fd/%d", look);
		*out_fd = open(held, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (*out_fd < 0)
			status = loom_fail_file(err, path, errno);
	}
	if (look >= 0)
		close(look);
	return status;
}

/* A pipe may be silent for long, so the wait can be cancelled. */
static enum loom_status wait_for(struct loom_import *import, int fd, struct loom_err *err)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (poll(&ready, 1, WAIT_MS) == 0)
		if (loom_task_cancelled(import->opts.task))
			break;
	return loom_task_cancelled(import->opts.task)
		       ? loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written")
		       : LOOM_OK;
}

static enum loom_status refuse_larger(struct loom_str name, uint64_t most, struct loom_err *err)
{
	if (most == LOOM_IMPORT_BYTES_MAX)
		loom_fail(err, LOOM_LIMIT, "%.*s is larger than 2 GiB", LOOM_STR_ARG(name));
	else
		loom_fail(err, LOOM_LIMIT, "%.*s: text files can have at most %llu MiB",
			  LOOM_STR_ARG(name), (unsigned long long)(most >> 20));
	return loom_hint(err, LOOM_LIMIT, "import it in parts");
}

/* Unpacked or read bytes go into a spill, up to what their beginning allows. */
struct filling {
	struct loom_import *import;
	struct loom_str name;
	struct import_spill *spill;
	uint64_t most;
};

static enum loom_status fill(void *ctx, struct loom_str bytes, struct loom_err *err)
{
	struct filling *f = ctx;
	enum loom_status status;

	import_spill_add(f->spill, bytes.p, bytes.n);
	status = import_spill_settle(f->spill, err);
	if (f->spill->flushed == 0)
		f->most = import_source_most(
			import_spill_at(f->spill, 0, import_spill_end(f->spill)));
	if (status == LOOM_OK && import_spill_end(f->spill) > f->most)
		status = refuse_larger(f->name, f->most, err);
	loom_task_report(f->import->opts.task, import_spill_end(f->spill), 0);
	if (status == LOOM_OK && loom_task_cancelled(f->import->opts.task))
		status = loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	return status;
}

static enum loom_status fill_from(struct filling *f, int fd, struct loom_err *err)
{
	char *piece = loom_alloc(PIECE);
	enum loom_status status = LOOM_OK;
	ssize_t n = 1;

	while (status == LOOM_OK && n != 0) {
		status = wait_for(f->import, fd, err);
		if (status != LOOM_OK)
			break;
		n = read(fd, piece, PIECE);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			status = loom_fail_errno(err, errno, "%.*s", LOOM_STR_ARG(f->name));
		else
			status = fill(f, loom_str_make(piece, (size_t)n), err);
	}
	free(piece);
	return status;
}

/* ---- finding ---- */

static struct import_taken *add(struct import_walk *walk, const struct import_taken *item)
{
	walk->items = loom_arena_grow(walk->arena, walk->items, walk->count, &walk->cap,
				      sizeof *walk->items);
	walk->items[walk->count] = *item;
	walk->items[walk->count].origin = walk->origin;
	return &walk->items[walk->count++];
}

static enum loom_status add_members(struct import_walk *walk, const struct import_taken *file,
				    struct loom_err *err)
{
	const struct import_zip *zip = &walk->archives[file->archive].zip;

	for (size_t i = 0; i < zip->count; i++) {
		const struct import_zip_member *member = &zip->members[i];
		struct import_taken item = *file;

		if (!member->size)
			continue;
		item.kind = IMPORT_MEMBER;
		item.given = false;
		item.member = i;
		item.size = member->size;
		item.name = loom_arena_format(walk->arena, "%.*s:%.*s", LOOM_STR_ARG(file->name),
					      LOOM_STR_ARG(member->name));
		(void)add(walk, &item);
	}
	if (zip->count)
		return LOOM_OK;
	return loom_fail(err, LOOM_REFUSED, "%.*s is an empty archive", LOOM_STR_ARG(file->name));
}

/* An archive's bytes are kept while its members are read. */
static enum loom_status add_archive(struct import_walk *walk, struct import_taken *file, int fd,
				    struct loom_err *err)
{
	struct loom_import *import = walk->import;
	struct filling f = {.import = import, .name = file->name, .most = LOOM_IMPORT_BYTES_MAX};
	struct import_archive *archive;
	enum loom_status status;

	walk->archives = loom_arena_grow(walk->arena, walk->archives, walk->archive_count,
					 &walk->archive_cap, sizeof *walk->archives);
	file->archive = walk->archive_count++;
	archive = &walk->archives[file->archive];
	*archive = (struct import_archive){.zip = {.count = 0}};
	import_spill_init(&archive->bytes, import->dir, import->pages);
	f.spill = &archive->bytes;
	status = fill_from(&f, fd, err);
	if (status == LOOM_OK)
		status = import_spill_seal(&archive->bytes, err);
	if (status == LOOM_OK)
		status = import_zip_open(file->name,
					 import_spill_at(&archive->bytes, 0,
							 import_spill_end(&archive->bytes)),
					 walk->arena, &archive->zip, err);
	return status == LOOM_OK ? add_members(walk, file, err) : status;
}

static enum loom_status add_file(struct import_walk *walk, struct import_taken item, int fd,
				 struct loom_err *err)
{
	char head[MAGIC];
	const ssize_t n = pread(fd, head, sizeof head, 0);
	struct loom_str magic = loom_str_make(head, n > 0 ? (size_t)n : 0);

	if (import_zip_is(magic) && item.kind == IMPORT_FILE)
		return add_archive(walk, &item, fd, err);
	if (loom_foreign_is(magic))
		item.kind = IMPORT_DATABASE;
	(void)add(walk, &item);
	return LOOM_OK;
}

static enum loom_status add_folder(struct import_walk *walk, const char *path, int depth,
				   struct loom_err *err);

static bool is_unchanged(struct import_walk *walk, const char *path, const struct stat *info)
{
	return walk->paths->sync && import_sync_seen(walk->paths->sync, path, info);
}

/* A file that nobody named and that cannot be read is noted, and the others go on. */
static enum loom_status add_path(struct import_walk *walk, const char *path, int depth,
				 struct loom_err *err)
{
	struct import_taken item = {.name = loom_str_of(path), .path = path, .given = depth == 0};
	struct loom_err why = {.status = LOOM_OK};
	struct stat info = {.st_size = 0};
	int fd = -1;
	enum loom_status status = open_file(walk, path, &fd, &info, &why);

	item.size = (uint64_t)info.st_size;
	if (status == LOOM_OK && S_ISDIR(info.st_mode))
		return add_folder(walk, path, depth, err);
	if (status == LOOM_OK && S_ISFIFO(info.st_mode))
		item.kind = IMPORT_STREAM;
	if (status == LOOM_OK && S_ISFIFO(info.st_mode))
		(void)add(walk, &item);
	else if (status == LOOM_OK && !is_unchanged(walk, path, &info))
		status = add_file(walk, item, fd, &why);
	if (fd >= 0)
		close(fd);
	if (status == LOOM_OK || status == LOOM_CANCELLED || item.given) {
		if (status != LOOM_OK && err)
			*err = why;
		return status;
	}
	import_note(walk->import, IMPORT_LOST, "a file that cannot be read: %s", why.text);
	return LOOM_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       (entry->d_type == DT_REG || entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* SQLite keeps these beside a database, and they are read with it. */
static bool is_beside(const char *name)
{
	static const char *const endings[] = {"-wal", "-shm", "-journal"};

	for (size_t i = 0; i < LOOM_COUNT(endings); i++)
		if (loom_str_ends(loom_str_of(name), loom_str_of(endings[i])))
			return true;
	return false;
}

static enum loom_status add_folder(struct import_walk *walk, const char *path, int depth,
				   struct loom_err *err)
{
	struct dirent **entries = NULL;
	const int count = scandir(path, &entries, is_entry, by_name);
	enum loom_status status = LOOM_OK;

	if (depth >= FOLDERS_DEEP)
		import_note(walk->import, IMPORT_LOST, "folders more than %d deep", FOLDERS_DEEP);
	else if (count < 0)
		import_note(walk->import, IMPORT_LOST, "a folder that cannot be read: %s",
			    strerror(errno));
	for (int i = 0; i < count; i++) {
		struct loom_str name =
			loom_arena_format(walk->arena, "%s/%s", path, entries[i]->d_name);

		if (status == LOOM_OK && walk->count >= FILES_MAX) {
			loom_fail(err, LOOM_LIMIT, "%s: more than %d files", path, FILES_MAX);
			status = loom_hint(err, LOOM_LIMIT, "import its folders one by one");
		}
		if (status == LOOM_OK && depth < FOLDERS_DEEP && !is_beside(entries[i]->d_name))
			status = add_path(walk, loom_arena_cstr(walk->arena, name), depth + 1, err);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* Only JSON is looked into for what goes first. */
static enum loom_status put_first(struct import_walk *walk, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < walk->count; i++) {
		struct import_taken *item = &walk->items[i];
		struct loom_buf head = LOOM_BUF_INIT(LOOK * 2);

		if (walk->count > 1 && item->kind != IMPORT_DATABASE &&
		    item->kind != IMPORT_STREAM) {
			status = import_walk_head(walk, item, LOOK, &head, err);
			item->first = loom_import_goes_first(loom_buf_str(&head));
			if (status != LOOM_OK && status != LOOM_CANCELLED && !item->given)
				status = LOOM_OK;
		}
		loom_buf_fini(&head);
	}
	return status;
}

/* The last name in a path; of "." and the like, that of the folder they stand for. */
static struct loom_str last_name(struct import_walk *walk, const char *path)
{
	struct loom_str text = loom_str_of(path);
	char *real = NULL;
	size_t at;

	while (text.n > 1 && text.p[text.n - 1] == '/')
		text.n--;
	if (loom_str_is(text, ".") || loom_str_ends(text, LOOM_STR("..")))
		real = realpath(path, NULL);
	if (real)
		text = loom_str_of(real);
	at = text.n;
	while (at > 0 && text.p[at - 1] != '/')
		at--;
	text = import_text_line(walk->arena, loom_str_sub(text, at, text.n), 100);
	free(real);
	return text;
}

static enum loom_status add_given(struct import_walk *walk, const char *path, struct loom_err *err)
{
	enum loom_status status;

	walk->origin = last_name(walk, path);
	status = add_path(walk, path, 0, err);
	walk->origin = LOOM_STR("");
	return status;
}

enum loom_status import_walk_open(struct import_walk *walk, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	walk->arena = loom_arena_create_on(walk->import->pages);
	for (size_t i = 0; status == LOOM_OK && i < walk->paths->count; i++) {
		const char *path = walk->paths->items[i];

		if (strcmp(path, "-") == 0)
			(void)add(walk, &(struct import_taken){.name = LOOM_STR("standard input"),
							       .path = path,
							       .kind = IMPORT_STREAM,
							       .given = true});
		else
			status = add_given(walk, path, err);
	}
	return status == LOOM_OK ? put_first(walk, err) : status;
}

void import_walk_fini(struct import_walk *walk)
{
	for (size_t i = 0; i < walk->archive_count; i++)
		import_spill_fini(&walk->archives[i].bytes);
	loom_arena_destroy(walk->arena);
	walk->arena = NULL;
}

/* ---- reading ---- */

static enum loom_status add_to(void *ctx, struct loom_str bytes, struct loom_err *err)
{
	(void)err;
	loom_buf_add(ctx, bytes);
	return LOOM_OK;
}

enum loom_status import_walk_head(struct import_walk *walk, const struct import_taken *item,
				  size_t most, struct loom_buf *out, struct loom_err *err)
{
	struct stat info;
	int fd = -1;
	enum loom_status status;

	if (item->kind == IMPORT_STREAM)
		return LOOM_OK;
	if (item->kind == IMPORT_MEMBER)
		return import_zip_read(&walk->archives[item->archive].zip, item->member, most,
				       add_to, out, err);
	status = open_file(walk, item->path, &fd, &info, err);
	if (status == LOOM_OK) {
		char *piece = loom_alloc(most);
		const ssize_t n = pread(fd, piece, most, 0);

		if (n < 0)
			status = loom_fail_errno(err, errno, "%s", item->path);
		else
			loom_buf_add(out, loom_str_make(piece, (size_t)n));
		free(piece);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

const struct import_reader *import_database_reader(struct loom_foreign *foreign)
{
	for (size_t i = 0; import_readers[i]; i++)
		if (import_readers[i]->database &&
		    loom_foreign_has(foreign, import_readers[i]->database->needs))
			return import_readers[i];
	return NULL;
}

static enum loom_status read_database(struct import_walk *walk, const struct import_taken *item,
				      struct filling *f, struct loom_err *err)
{
	struct loom_import *import = walk->import;
	struct loom_foreign *foreign = NULL;
	const struct import_reader *reader = NULL;
	char head[80];
	enum loom_status status =
		loom_foreign_open(item->path, import->dir, import->opts.task, &foreign, err);

	if (status == LOOM_OK)
		reader = import_database_reader(foreign);
	if (status == LOOM_OK && reader) {
		snprintf(head, sizeof head, "{\"database\":\"%s\"}\n", reader->name);
		status = fill(f, loom_str_of(head), err);
		if (status == LOOM_OK)
			status = loom_foreign_rows(foreign, reader->database->queries,
						   reader->database->count, fill, f, err);
	} else if (status == LOOM_OK) {
		loom_fail(err, LOOM_REFUSED, "%.*s: a database of an unknown program",
			  LOOM_STR_ARG(item->name));
		status = loom_hint(err, LOOM_REFUSED, "for a grove: loom restore, or loom salvage");
	}
	loom_foreign_close(foreign);
	return status;
}

enum loom_status import_walk_read(struct import_walk *walk, const struct import_taken *item,
				  struct import_spill *out, struct loom_err *err)
{
	struct filling f = {.import = walk->import,
			    .name = item->name,
			    .spill = out,
			    .most = LOOM_IMPORT_BYTES_MAX};
	const bool input = strcmp(item->path, "-") == 0;
	struct stat info;
	int fd = STDIN_FILENO;
	enum loom_status status = LOOM_OK;

	if (item->kind == IMPORT_MEMBER) {
		status = import_zip_read(&walk->archives[item->archive].zip, item->member,
					 UINT64_MAX, fill, &f, err);
	} else if (item->kind == IMPORT_DATABASE) {
		status = read_database(walk, item, &f, err);
	} else {
		if (!input)
			status = open_file(walk, item->path, &fd, &info, err);
		if (status == LOOM_OK)
			status = fill_from(&f, fd, err);
		if (!input && fd >= 0)
			close(fd);
	}
	return status == LOOM_OK ? import_spill_seal(out, err) : status;
}
