/* Walks everything that is shown, in the order of a tree listing.
 *
 * A stack of frames, one per open folder, over two shared arrays (entries and their names), so
 * depth costs only memory. A folder is opened by its path beneath the root, read completely and
 * closed: any depth needs just two descriptors, and a folder replaced by a link fails to open.
 * Hidden folders are entered only if .teddyignore may show something below, and reported only if it
 * does. */
#include "inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <loom/text/lower.h>
#include <loom/files/beneath.h>

struct entry {
	uint32_t name; /* offset in names */
	uint32_t name_n;
	uint32_t key; /* lower-cased; equals the name if that is lower case already */
	uint32_t key_n;
	enum loom_file_kind kind;
	bool hidden;
	bool guarded;
};

struct frame {
	size_t first; /* index of its first entry */
	size_t next;
	size_t end;
	size_t names;   /* offset of its first name */
	size_t path_n;  /* length of its path */
	size_t name_at; /* offset of its last part */
	struct model_shade shade;
	bool given; /* already reported */
};

struct walk {
	const struct loom_root *root;
	const struct loom_walk_opts *opts;
	loom_seen_fn seen;
	void *ctx;
	struct model_ignore ignore;
	struct model_lower lower;
	struct entry *entries;
	size_t count;
	size_t cap;
	struct loom_buf names;
	struct frame *frames;
	size_t depth;
	size_t frame_cap;
	struct loom_buf path; /* of the current entry */
	int folder;           /* the folder being read */
	bool has_rules;       /* it has a .gitignore */
	bool stopped;
};

static bool has_capital(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((name[i] >= 'A' && name[i] <= 'Z') || (unsigned char)name[i] >= 0x80)
			return true;
	return false;
}

static enum loom_file_kind kind_of(int folder, const char *name, unsigned char type)
{
	struct stat st;

	if (type == DT_UNKNOWN)
		type = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0
			       ? DT_UNKNOWN
			       : (unsigned char)IFTODT(st.st_mode);
	return type == DT_REG   ? LOOM_FILE_PLAIN
	       : type == DT_DIR ? LOOM_FILE_FOLDER
	       : type == DT_LNK ? LOOM_FILE_LINK
				: LOOM_FILE_OTHER;
}

static void add_entry(void *ctx, const char *name, size_t length, unsigned char type)
{
	struct walk *walk = ctx;
	struct entry entry = {
		.name = (uint32_t)walk->names.n,
		.name_n = (uint32_t)length,
		.kind = kind_of(walk->folder, name, type),
	};

	if (entry.kind == LOOM_FILE_OTHER)
		return;
	if (length == 10 && memcmp(name, ".gitignore", 10) == 0)
		walk->has_rules = true;
	if (walk->count == walk->cap) {
		walk->cap = walk->cap ? walk->cap * 2 : 256;
		walk->entries = loom_realloc(walk->entries, walk->cap, sizeof entry);
	}
	loom_buf_add(&walk->names, loom_str_make(name, length));
	LOOM_ASSERT(walk->count < walk->cap);
	walk->entries[walk->count++] = entry;
}

/* Sets the path to the frame's current entry and returns the offset of its name. */
static size_t set_path(struct walk *walk, const struct frame *frame, const struct entry *entry)
{
	LOOM_ASSERT(frame->path_n <= walk->path.n);
	LOOM_ASSERT((size_t)entry->name + entry->name_n <= walk->names.n);
	loom_buf_cut(&walk->path, frame->path_n);
	if (walk->path.n)
		loom_buf_addc(&walk->path, '/');
	loom_buf_add(&walk->path, loom_str_make(walk->names.p + entry->name, entry->name_n));
	return walk->path.n - entry->name_n;
}

/* Keeps the entries that are shown, and hidden folders that must be entered. */
static void keep_visible(struct walk *walk, struct frame *frame)
{
	size_t kept = frame->first;

	LOOM_ASSERT(frame->first <= walk->count);
	for (size_t i = frame->first; i < walk->count; i++) {
		struct entry *entry = &walk->entries[i];
		bool folder = entry->kind == LOOM_FILE_FOLDER;
		size_t name_at = set_path(walk, frame, entry);
		struct loom_str path = loom_buf_str(&walk->path);
		struct model_verdict verdict =
			model_ignore_decide(&walk->ignore, path, name_at, folder, frame->shade);

		if (loom_str_eq(path, walk->opts->skip) && path.n)
			continue;
		if (verdict.hidden &&
		    !(folder && model_ignore_may_enter(&walk->ignore, path, &verdict)))
			continue;
		entry->hidden = verdict.hidden;
		entry->guarded = verdict.guarded;
		walk->entries[kept++] = *entry;
	}
	LOOM_ASSERT(kept <= walk->count);
	walk->count = kept;
}

static void add_keys(struct walk *walk, const struct frame *frame)
{
	struct loom_buf key = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = frame->first; i < walk->count; i++) {
		struct entry *entry = &walk->entries[i];

		entry->key = entry->name;
		entry->key_n = entry->name_n;
		if (!has_capital(walk->names.p + entry->name, entry->name_n))
			continue;
		loom_buf_clear(&key);
		model_lower_text(&walk->lower,
				 loom_str_make(walk->names.p + entry->name, entry->name_n), &key);
		entry->key = (uint32_t)walk->names.n;
		entry->key_n = (uint32_t)key.n;
		loom_buf_add(&walk->names, loom_buf_str(&key));
	}
	loom_buf_fini(&key);
}

static int by_shown_order(const void *a, const void *b, void *names)
{
	const struct entry *left = a;
	const struct entry *right = b;
	const char *text = names;
	bool folder = left->kind == LOOM_FILE_FOLDER;
	int order = 0;

	if (folder != (right->kind == LOOM_FILE_FOLDER))
		return folder ? -1 : 1;
	order = loom_str_cmp(loom_str_make(text + left->key, left->key_n),
			     loom_str_make(text + right->key, right->key_n));
	if (order)
		return order;
	return loom_str_cmp(loom_str_make(text + left->name, left->name_n),
			    loom_str_make(text + right->name, right->name_n));
}

static void warn_unread(const struct walk *walk, int error)
{
	struct loom_err err;

	if (!walk->opts->warn)
		return;
	model_path_fail(&err, error, loom_buf_cstr(&walk->path));
	walk->opts->warn(walk->opts->warn_ctx, loom_str_of(err.text));
}

/* Reads the current folder into the entries; returns 0 or an errno. */
static int read_folder(struct walk *walk)
{
	int error = 0;

	LOOM_ASSERT(walk->folder < 0);
	walk->has_rules = false;
	walk->folder = model_open_beneath(walk->root->fd, loom_buf_cstr(&walk->path),
					  O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (walk->folder < 0)
		return errno;
	error = model_folder_each(walk->folder, add_entry, walk);
	close(walk->folder);
	walk->folder = -1;
	return error;
}

/* Enters the current folder, whose last part begins at name_at. */
static int push(struct walk *walk, size_t name_at, struct model_shade shade, bool given)
{
	struct frame *frame = NULL;
	int error = 0;

	if (walk->depth == walk->frame_cap) {
		walk->frame_cap = walk->frame_cap ? walk->frame_cap * 2 : 32;
		walk->frames = loom_realloc(walk->frames, walk->frame_cap, sizeof *frame);
	}
	LOOM_ASSERT(walk->depth < walk->frame_cap);
	frame = &walk->frames[walk->depth++];
	*frame = (struct frame){
		.first = walk->count,
		.names = walk->names.n,
		.path_n = walk->path.n,
		.name_at = name_at,
		.shade = shade,
		.given = given,
	};
	error = read_folder(walk);
	model_ignore_enter(&walk->ignore, loom_buf_str(&walk->path), walk->has_rules);
	keep_visible(walk, frame);
	add_keys(walk, frame);
	if (walk->count > frame->first)
		qsort_r(walk->entries + frame->first, walk->count - frame->first,
			sizeof *walk->entries, by_shown_order, walk->names.p);
	frame->next = frame->first;
	frame->end = walk->count;
	loom_buf_cut(&walk->path, frame->path_n);
	return error;
}

static void pop(struct walk *walk)
{
	struct frame *frame = &walk->frames[--walk->depth];

	LOOM_ASSERT(frame->first <= walk->count && frame->next == frame->end);
	walk->count = frame->first;
	loom_buf_cut(&walk->names, frame->names);
	model_ignore_leave(&walk->ignore);
}

static void give(struct walk *walk, size_t path_n, size_t name_at, size_t depth,
		 enum loom_file_kind kind)
{
	struct loom_seen seen = {
		.path = loom_str_make(walk->path.p, path_n),
		.name = loom_str_make(walk->path.p + name_at, path_n - name_at),
		.depth = depth,
		.kind = kind,
	};

	LOOM_ASSERT(name_at <= path_n && path_n <= walk->path.n);
	if (!walk->stopped)
		walk->stopped = !walk->seen(walk->ctx, &seen);
}

/* Reports the current path, after any parent folders not reported yet. */
static void give_with_folders(struct walk *walk, size_t name_at, enum loom_file_kind kind)
{
	for (size_t i = 1; i < walk->depth; i++) {
		struct frame *frame = &walk->frames[i];

		if (!frame->given)
			give(walk, frame->path_n, frame->name_at, i - 1, LOOM_FILE_FOLDER);
		frame->given = true;
	}
	give(walk, walk->path.n, name_at, walk->depth - 1, kind);
}

static void visit(struct walk *walk, struct frame *frame)
{
	struct entry entry = walk->entries[frame->next++];
	size_t name_at = set_path(walk, frame, &entry);
	int error = 0;

	LOOM_ASSERT(frame->next > frame->first && frame->next <= frame->end);
	if (!entry.hidden)
		give_with_folders(walk, name_at, entry.kind);
	if (entry.kind != LOOM_FILE_FOLDER || walk->stopped)
		return;
	error = push(walk, name_at, (struct model_shade){entry.hidden, entry.guarded},
		     !entry.hidden);
	if (error)
		warn_unread(walk, error);
}

/* Evaluates the folders leading to the start of the walk; false if nothing there can show. */
static bool go_below(struct walk *walk, struct loom_str below, struct model_shade *shade)
{
	size_t from = 0;

	while (from < below.n) {
		size_t slash = loom_str_find_char(below, '/', from);
		struct loom_str part = loom_str_sub(below, 0, slash);
		struct model_verdict verdict;

		model_ignore_enter(&walk->ignore, loom_str_sub(below, 0, from ? from - 1 : 0),
				   true);
		verdict = model_ignore_decide(&walk->ignore, part, from, true, *shade);
		if (!model_ignore_may_enter(&walk->ignore, part, &verdict))
			return false;
		*shade = (struct model_shade){verdict.hidden, verdict.guarded};
		from = part.n + 1;
	}
	loom_buf_add(&walk->path, below);
	return true;
}

/* Says why nothing of the project is shown but what .teddyignore brings back. */
static void warn_outside(const struct walk *walk)
{
	const struct model_rule *rule = walk->ignore.outside.rule;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(rule);
	loom_buf_addf(&text,
		      "git ignores this folder (%.*s, above it), so it lists nothing in it; a "
		      ".teddyignore here can include files",
		      LOOM_STR_ARG(rule->written));
	if (walk->opts->warn)
		walk->opts->warn(walk->opts->warn_ctx, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void walk_init(struct walk *walk)
{
	loom_buf_init(&walk->names, UINT32_MAX);
	loom_buf_init(&walk->path, LOOM_BUF_MAX);
	model_lower_init(&walk->lower);
	model_ignore_init(&walk->ignore, walk->root, walk->opts);
}

static void walk_fini(struct walk *walk)
{
	LOOM_ASSERT(walk->folder < 0);
	model_ignore_fini(&walk->ignore);
	model_lower_fini(&walk->lower);
	loom_buf_fini(&walk->names);
	loom_buf_fini(&walk->path);
	free(walk->entries);
	free(walk->frames);
}

enum loom_status loom_ignore_walk(const struct loom_root *root, const struct loom_walk_opts *opts,
				  loom_seen_fn seen, void *ctx, struct loom_err *err)
{
	static const struct loom_walk_opts usual = {0};
	struct walk walk = {
		.root = root, .opts = opts ? opts : &usual, .seen = seen, .ctx = ctx, .folder = -1};
	struct model_shade shade = {0};
	enum loom_status status = LOOM_OK;
	int error = 0;

	LOOM_ASSERT(root && seen);
	walk_init(&walk);
	shade = walk.ignore.shade;
	if (shade.hidden && !walk.opts->below.n)
		warn_outside(&walk);
	if (go_below(&walk, walk.opts->below, &shade))
		error = push(&walk, 0, shade, true);
	if (error)
		status = model_path_fail(err, error, loom_buf_cstr(&walk.path));
	while (walk.depth && !walk.stopped) {
		struct frame *top = &walk.frames[walk.depth - 1];

		if (top->next == top->end)
			pop(&walk);
		else
			visit(&walk, top);
	}
	if (walk.stopped)
		status = loom_fail(err, LOOM_CANCELLED, "the walk was stopped");
	walk_fini(&walk);
	return status;
}
