/* Every cut is played from the beginning: the logs are small, and nothing is carried from one state
 * to the next that could be wrong in it. */
#include "faults/replay.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/record.h"
#include "faults/shim.h"
#include "support/temp.h"

enum { SECTOR = 512, NO_FILE = -1 };

struct entry {
	struct record_head head;
	struct loom_str path;
	struct loom_str to;
	struct loom_str bytes;
};

struct file {
	uint64_t number;
	struct loom_buf bytes; /* what is safe */
	size_t *pending;       /* entries since it was synced */
	size_t count;
	size_t cap;
};

/* A name: of a file, or of a folder. */
struct name {
	struct loom_buf path;
	long file;
};

struct world {
	struct file *files;
	size_t file_count;
	struct name *names;
	size_t name_count;
	size_t *pending; /* entries that made or removed names, whose folder was not synced */
	long *pending_files;
	size_t pending_count;
};

struct replay {
	struct world base;
	struct entry *entries;
	size_t count;
};

/* --- a world --- */

static long add_file(struct world *world, uint64_t number)
{
	struct file *file;

	world->files = loom_realloc(world->files, world->file_count + 1, sizeof *world->files);
	file = &world->files[world->file_count];
	*file = (struct file){.number = number};
	loom_buf_init(&file->bytes, LOOM_BUF_MAX);
	return (long)world->file_count++;
}

/* The newest of that number: a number is used again when a file is gone. */
static long find_file(const struct world *world, uint64_t number)
{
	for (size_t i = world->file_count; i-- > 0;)
		if (world->files[i].number == number)
			return (long)i;
	return NO_FILE;
}

/* NULL: none, a folder. */
static struct file *file_at(const struct world *world, long file)
{
	return file >= 0 && (size_t)file < world->file_count ? &world->files[file] : NULL;
}

static struct name *find_name(const struct world *world, struct loom_str path)
{
	for (size_t i = 0; i < world->name_count; i++)
		if (loom_str_eq(loom_buf_str(&world->names[i].path), path))
			return &world->names[i];
	return NULL;
}

static void set_name(struct world *world, struct loom_str path, long file)
{
	struct name *name = find_name(world, path);

	if (!name) {
		world->names =
			loom_realloc(world->names, world->name_count + 1, sizeof *world->names);
		name = &world->names[world->name_count++];
		loom_buf_init(&name->path, LOOM_BUF_MAX);
		loom_buf_add(&name->path, path);
	}
	name->file = file;
}

static void remove_name(struct world *world, struct loom_str path)
{
	for (size_t i = 0; i < world->name_count; i++) {
		if (!loom_str_eq(loom_buf_str(&world->names[i].path), path))
			continue;
		loom_buf_fini(&world->names[i].path);
		world->names[i] = world->names[--world->name_count];
		return;
	}
}

static bool is_below(struct loom_str path, struct loom_str folder)
{
	return path.n > folder.n && path.p[folder.n] == '/' && loom_str_starts(path, folder);
}

/* A folder takes along what is in it. */
static void move_name(struct world *world, struct loom_str from, struct loom_str to)
{
	struct name *name = find_name(world, from);
	long file = name ? name->file : NO_FILE;
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!name)
		return;
	remove_name(world, from);
	set_name(world, to, file);
	for (size_t i = 0; i < world->name_count; i++) {
		struct loom_buf *below = &world->names[i].path;

		if (!is_below(loom_buf_str(below), from))
			continue;
		loom_buf_clear(&path);
		loom_buf_add(&path, to);
		loom_buf_add(&path, loom_str_sub(loom_buf_str(below), from.n, below->n));
		loom_buf_clear(below);
		loom_buf_add(below, loom_buf_str(&path));
	}
	loom_buf_fini(&path);
}

static void end_world(struct world *world)
{
	for (size_t i = 0; i < world->file_count; i++) {
		loom_buf_fini(&world->files[i].bytes);
		free(world->files[i].pending);
	}
	for (size_t i = 0; i < world->name_count; i++)
		loom_buf_fini(&world->names[i].path);
	free(world->files);
	free(world->names);
	free(world->pending);
	free(world->pending_files);
}

static void copy_world(const struct world *from, struct world *to)
{
	memset(to, 0, sizeof *to);
	for (size_t i = 0; i < from->file_count; i++) {
		long file = add_file(to, from->files[i].number);

		loom_buf_add(&to->files[file].bytes, loom_buf_str(&from->files[i].bytes));
	}
	for (size_t i = 0; i < from->name_count; i++)
		set_name(to, loom_buf_str(&from->names[i].path), from->names[i].file);
}

/* --- the folder as it was --- */

static void read_folder(struct world *world, const char *folder, size_t root)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;
	char path[PATH_MAX];
	struct stat info;

	while (list && (entry = readdir(list)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_MAX ||
		    lstat(path, &info) != 0 || loom_str_ends(loom_str_of(path), LOOM_STR("-shm")))
			continue;
		if (S_ISDIR(info.st_mode)) {
			set_name(world, loom_str_of(path + root), NO_FILE);
			read_folder(world, path, root);
		} else if (S_ISREG(info.st_mode)) {
			long file = add_file(world, info.st_ino);

			set_name(world, loom_str_of(path + root), file);
			(void)!temp_read(path, &world->files[file].bytes);
		}
	}
	if (list)
		closedir(list);
}

struct replay *replay_begin(const char *folder)
{
	struct replay *replay = loom_alloc(sizeof *replay);

	read_folder(&replay->base, folder, strlen(folder) + 1);
	return replay;
}

void replay_end(struct replay *replay)
{
	if (!replay)
		return;
	end_world(&replay->base);
	free(replay->entries);
	free(replay);
}

/* --- the log --- */

bool replay_log(struct replay *replay, struct loom_str log)
{
	while (log.n) {
		struct entry entry = {.head = {.kind = 0}};
		size_t at = sizeof entry.head;

		if (log.n < at)
			return false;
		memcpy(&entry.head, log.p, at);
		if (log.n - at < (uint64_t)entry.head.path + entry.head.to + entry.head.bytes)
			return false;
		entry.path = loom_str_make(log.p + at, entry.head.path);
		at += entry.head.path;
		entry.to = loom_str_make(log.p + at, entry.head.to);
		at += entry.head.to;
		entry.bytes = loom_str_make(log.p + at, entry.head.bytes);
		log = loom_str_sub(log, at + entry.head.bytes, log.n);
		replay->entries = loom_realloc(replay->entries, replay->count + 1, sizeof entry);
		replay->entries[replay->count++] = entry;
	}
	return true;
}

size_t replay_count(const struct replay *replay)
{
	return replay->count;
}

/* --- doing what an entry says --- */

static void set_size(struct loom_buf *bytes, size_t size)
{
	if (size < bytes->n)
		loom_buf_cut(bytes, size);
	else
		loom_buf_add_repeat(bytes, '\0', size - bytes->n);
}

static void put(struct loom_buf *bytes, size_t at, struct loom_str piece)
{
	if (bytes->n < at + piece.n)
		set_size(bytes, at + piece.n);
	if (piece.n)
		memcpy(bytes->p + at, piece.p, piece.n);
}

static void do_to_file(struct file *file, const struct entry *entry)
{
	if (entry->head.kind == SHIM_SIZED)
		set_size(&file->bytes, (size_t)entry->head.at);
	else
		put(&file->bytes, (size_t)entry->head.at, entry->bytes);
}

/* Each sector of the disk that a write touches is there or is not. */
static void tear(struct file *file, const struct entry *entry, struct prop *prop)
{
	size_t at = (size_t)entry->head.at;
	size_t done = 0;

	while (entry->head.kind == SHIM_WROTE && done < entry->bytes.n) {
		size_t here = SECTOR - (at + done) % SECTOR;

		if (here > entry->bytes.n - done)
			here = entry->bytes.n - done;
		if (prop_once_in(prop, 2))
			put(&file->bytes, at + done, loom_str_sub(entry->bytes, done, done + here));
		done += here;
	}
}

static void do_to_names(struct world *world, const struct entry *entry, long file)
{
	switch (entry->head.kind) {
	case SHIM_OPENED:
		set_name(world, entry->path, file);
		break;
	case SHIM_LINKED:
		set_name(world, entry->to, file);
		break;
	case SHIM_MADE:
		set_name(world, entry->path, NO_FILE);
		break;
	case SHIM_UNLINKED:
		remove_name(world, entry->path);
		break;
	case SHIM_RENAMED:
		remove_name(world, entry->to);
		move_name(world, entry->path, entry->to);
		break;
	default:
		break;
	}
}

static struct loom_str folder_of(const struct entry *entry)
{
	struct loom_str path = entry->to.n ? entry->to : entry->path;

	while (path.n && path.p[path.n - 1] != '/')
		path.n--;
	return loom_str_sub(path, 0, path.n ? path.n - 1 : 0);
}

static void wait_for_file(struct file *file, size_t at)
{
	if (file->count == file->cap) {
		file->cap = file->cap ? 2 * file->cap : 16;
		file->pending = loom_realloc(file->pending, file->cap, sizeof *file->pending);
	}
	file->pending[file->count++] = at;
}

static void wait_for_name(struct world *world, size_t at, long file)
{
	size_t n = world->pending_count++;

	world->pending = loom_realloc(world->pending, n + 1, sizeof *world->pending);
	world->pending_files = loom_realloc(world->pending_files, n + 1, sizeof(long));
	world->pending[n] = at;
	world->pending_files[n] = file;
}

static void sync_file(const struct replay *replay, struct file *file)
{
	for (size_t i = 0; i < file->count; i++)
		do_to_file(file, &replay->entries[file->pending[i]]);
	file->count = 0;
}

static void sync_folder(const struct replay *replay, struct world *world, struct loom_str folder)
{
	size_t kept = 0;

	for (size_t i = 0; i < world->pending_count; i++) {
		const struct entry *entry = &replay->entries[world->pending[i]];

		if (loom_str_eq(folder_of(entry), folder)) {
			do_to_names(world, entry, world->pending_files[i]);
			continue;
		}
		world->pending[kept] = world->pending[i];
		world->pending_files[kept++] = world->pending_files[i];
	}
	world->pending_count = kept;
}

static void play(const struct replay *replay, struct world *world, size_t at,
		 struct loom_buf *acked)
{
	const struct entry *entry = &replay->entries[at];
	long number = entry->head.file ? find_file(world, entry->head.file) : NO_FILE;
	struct file *file = file_at(world, number);

	switch (entry->head.kind) {
	case RECORD_ACK:
		loom_buf_add(acked, entry->bytes);
		break;
	case SHIM_WROTE:
	case SHIM_SIZED:
		if (file)
			wait_for_file(file, at);
		break;
	case SHIM_SYNCED:
		if (file)
			sync_file(replay, file);
		else
			sync_folder(replay, world, entry->path);
		break;
	case SHIM_OPENED:
		number = add_file(world, entry->head.file);
		if (entry->path.n)
			wait_for_name(world, at, number);
		break;
	default:
		wait_for_name(world, at, number);
	}
}

/* --- the cut --- */

static void settle_file(const struct replay *replay, struct file *file, enum replay_mode mode,
			struct prop *prop)
{
	for (size_t i = 0; i < file->count && mode != REPLAY_LOSES; i++) {
		const struct entry *entry = &replay->entries[file->pending[i]];
		size_t die = mode == REPLAY_KEEPS ? 0 : prop_below(prop, 10);

		if (die < 4)
			do_to_file(file, entry);
		else if (die < 6)
			tear(file, entry, prop);
	}
}

/* A folder whose next change is lost keeps none that came after it. */
static void settle_names(const struct replay *replay, struct world *world, enum replay_mode mode,
			 struct prop *prop)
{
	bool *lost = loom_alloc(world->pending_count + 1);

	for (size_t i = 0; i < world->pending_count; i++) {
		const struct entry *entry = &replay->entries[world->pending[i]];

		for (size_t k = 0; k < i && !lost[i]; k++)
			lost[i] = lost[k] &&
				  loom_str_eq(folder_of(&replay->entries[world->pending[k]]),
					      folder_of(entry));
		if (!lost[i])
			lost[i] = mode == REPLAY_LOSES ||
				  (mode == REPLAY_TEARS && prop_once_in(prop, 4));
		if (!lost[i])
			do_to_names(world, entry, world->pending_files[i]);
	}
	free(lost);
}

static int by_path(const void *a, const void *b)
{
	const struct name *left = a;
	const struct name *right = b;

	return loom_str_cmp(loom_buf_str(&left->path), loom_buf_str(&right->path));
}

/* Folders come before what is in them; what has lost its folder is nowhere. */
static void write_world(struct world *world, const char *folder)
{
	char path[PATH_MAX];

	if (world->name_count)
		qsort(world->names, world->name_count, sizeof *world->names, by_path);
	for (size_t i = 0; i < world->name_count; i++) {
		const struct file *file = file_at(world, world->names[i].file);
		int fd = -1;

		(void)snprintf(path, sizeof path, "%s/%s", folder,
			       loom_buf_cstr(&world->names[i].path));
		if (!file) {
			(void)mkdir(path, 0700);
			continue;
		}
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0)
			continue;
		(void)!write(fd, file->bytes.p, file->bytes.n);
		close(fd);
	}
}

void replay_cut(const struct replay *replay, size_t cut, enum replay_mode mode, struct prop *prop,
		const char *folder, struct loom_buf *acked)
{
	struct world world;

	copy_world(&replay->base, &world);
	for (size_t i = 0; i < cut && i < replay->count; i++)
		play(replay, &world, i, acked);
	for (size_t i = 0; i < world.file_count; i++)
		settle_file(replay, &world.files[i], mode, prop);
	settle_names(replay, &world, mode, prop);
	write_world(&world, folder);
	end_world(&world);
}
