/* What was checked before: stretches of a long store file that need not be checked again.
 *
 * A file of a thousand threads changes in a few places from one command to the next, often by
 * hundreds of bytes in millions. So a file in the person's cache says of stretches of 32 KiB which
 * records stand in them and what the sum of their bytes is; a stretch whose bytes have that sum is
 * JSON again, wherever it stands now and whoever wrote it.
 *
 * Invariants: nothing is believed but by the bytes themselves, so that neither times nor names nor
 * who wrote last matter; it may be lost, damaged or of another file at any moment, and then all is
 * checked. It lies in the cache and not beside the store file because a project comes from
 * anywhere, and who writes both could make bytes pass that are no JSON. */
#include "inside.h"

#include <fcntl.h>
#include <unistd.h>

#include <loom/files/state_file.h>

#define MAGIC    UINT64_C(0x316e776f6e6b6c6c)
#define STRETCH  ((size_t)32 << 10)
#define TEXT_MIN ((size_t)64 << 10)
#define FILE_MAX ((size_t)64 << 20)

/* As it stands in the file: numbers of this machine. The stretches come first, then all items. */
struct head {
	uint64_t magic;
	uint64_t sum; /* of all that follows */
	uint32_t stretches;
	uint32_t items;
};

static inline uint64_t load8(const char *p)
{
	uint64_t word = 0;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint64_t mix(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return lane ^ lane >> 29;
}

/* Four lanes: a multiplication waits for the one before it. */
uint64_t model_leslie_sum(struct loom_str text)
{
	const char *p = text.p;
	const char *end = text.n ? text.p + text.n : p;
	uint64_t a = text.n;
	uint64_t b = 1;
	uint64_t c = 2;
	uint64_t d = 3;
	uint64_t word = 0;

	for (; end - p >= 32; p += 32) {
		a = mix(a, load8(p));
		b = mix(b, load8(p + 8));
		c = mix(c, load8(p + 16));
		d = mix(d, load8(p + 24));
	}
	for (; end - p >= 8; p += 8)
		a = mix(a, load8(p));
	if (p < end)
		memcpy(&word, p, (size_t)(end - p));
	word = mix(mix(mix(mix(a, word), b), c), d);
	return word ^ word >> 32;
}

/* The cache file of one store file of one project. */
static bool path_of(const struct loom_leslie *leslie, const struct model_leslie_file *file,
		    bool make, struct loom_buf *out)
{
	uint64_t name = mix(model_leslie_sum(loom_str_of(leslie->root)),
			    model_leslie_sum(loom_str_of(file->name)));

	LOOM_ASSERT(file->name);
	if (loom_env_dir(leslie->env, LOOM_DIR_CACHE, out, NULL) != LOOM_OK ||
	    (make && model_make_dirs(loom_buf_str(out), 0700, NULL) != LOOM_OK))
		return false;
	loom_buf_addf(out, "/leslie-%016llx.known", (unsigned long long)name);
	return true;
}

/* Whether the numbers lie within each other. */
static bool fits(const struct model_leslie_known *known)
{
	size_t next = 0;

	for (size_t i = 0; i < known->count; i++) {
		const struct model_leslie_stretch *stretch = &known->stretches[i];

		if (stretch->first != next || stretch->count == 0 ||
		    stretch->count > known->item_count - next)
			return false;
		for (; next < stretch->first + stretch->count; next++) {
			const struct model_leslie_known_item *item = &known->items[next];

			if (item->key_at + item->key_n > stretch->size ||
			    item->value_at + item->value_n > stretch->size)
				return false;
		}
	}
	return true;
}

static void read_bytes(const char *path, struct loom_buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return;
	if (model_leslie_read_whole(fd, FILE_MAX, path, out, NULL) != LOOM_OK)
		loom_buf_clear(out);
	close(fd);
}

/* Sets the stretches and the items when the bytes are what was written. */
static void take_bytes(struct model_leslie_known *known)
{
	struct loom_str rest =
		loom_str_sub(loom_buf_str(&known->bytes), sizeof(struct head), SIZE_MAX);
	struct head head = {0};

	LOOM_ASSERT(known->count == 0);
	if (known->bytes.n < sizeof(head))
		return;
	memcpy(&head, known->bytes.p, sizeof(head));
	if (head.magic != MAGIC || head.sum != model_leslie_sum(rest) ||
	    rest.n !=
		    head.stretches * sizeof(*known->stretches) + head.items * sizeof(*known->items))
		return;
	known->stretches = (const void *)rest.p;
	known->items = (const void *)(known->stretches + head.stretches);
	known->item_count = head.items;
	known->count = head.stretches;
	if (!fits(known))
		known->count = 0;
}

void model_leslie_known_init(struct model_leslie_known *known, const struct loom_leslie *leslie,
			     const struct model_leslie_file *file)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);

	*known = (struct model_leslie_known){.bytes = LOOM_BUF_INIT(FILE_MAX), .branch = SIZE_MAX};
	if (file->text.n >= TEXT_MIN && path_of(leslie, file, false, &path)) {
		read_bytes(loom_buf_cstr(&path), &known->bytes);
		take_bytes(known);
	}
	loom_buf_fini(&path);
}

void model_leslie_known_fini(struct model_leslie_known *known)
{
	loom_buf_fini(&known->bytes);
}

const struct model_leslie_stretch *model_leslie_known_next(struct model_leslie_known *known,
							   size_t branch, bool object,
							   struct loom_str rest)
{
	const struct model_leslie_stretch *stretch = NULL;

	LOOM_ASSERT(known->next <= known->count);
	if (known->branch != branch) {
		known->branch = branch;
		known->wait = 0;
		while (known->next < known->count && known->stretches[known->next].branch < branch)
			known->next++;
	}
	if (known->wait > 0) {
		known->wait--;
		return NULL;
	}
	if (known->next == known->count || known->stretches[known->next].branch != branch)
		return NULL;
	stretch = &known->stretches[known->next++];
	if (stretch->object == object && stretch->size <= rest.n &&
	    model_leslie_sum(loom_str_sub(rest, 0, stretch->size)) == stretch->sum)
		return stretch;
	/* Something was changed in it: its records are passed one by one, of which this is one. */
	known->wait = stretch->count - 1;
	return NULL;
}

/* ---- what a text was found to be ---- */

struct keeper {
	const struct model_leslie_doc *doc;
	struct loom_arena *arena;
	struct model_leslie_stretch *stretches;
	size_t count;
	size_t cap;
	struct model_leslie_known_item *items;
	size_t item_count;
	size_t item_cap;
	size_t begin; /* of the stretch under way, in the text */
	bool open;    /* there is one */
};

static void add_item(struct keeper *keeper, size_t at, size_t key_n, size_t value_at,
		     size_t value_n)
{
	struct model_leslie_stretch *last = &keeper->stretches[keeper->count - 1];

	LOOM_ASSERT(keeper->open && value_at + value_n - keeper->begin <= UINT16_MAX);
	keeper->items = loom_arena_grow(keeper->arena, keeper->items, keeper->item_count,
					&keeper->item_cap, sizeof(*keeper->items));
	keeper->items[keeper->item_count++] = (struct model_leslie_known_item){
		.key_at = (uint16_t)(at + (key_n ? 1 : 0) - keeper->begin),
		.key_n = (uint16_t)key_n,
		.value_at = (uint16_t)(value_at - keeper->begin),
		.value_n = (uint16_t)value_n,
	};
	last->count++;
}

/* Begins a stretch where a record begins. */
static void open_stretch(struct keeper *keeper, size_t at, size_t branch, bool object)
{
	LOOM_ASSERT(!keeper->open);
	keeper->stretches = loom_arena_grow(keeper->arena, keeper->stretches, keeper->count,
					    &keeper->cap, sizeof(*keeper->stretches));
	keeper->stretches[keeper->count++] = (struct model_leslie_stretch){
		.first = (uint32_t)keeper->item_count,
		.branch = (uint32_t)branch,
		.object = object,
	};
	keeper->begin = at;
	keeper->open = true;
}

static void close_stretch(struct keeper *keeper)
{
	struct model_leslie_stretch *last = &keeper->stretches[keeper->count - 1];
	const struct model_leslie_known_item *item = &keeper->items[keeper->item_count - 1];

	LOOM_ASSERT(keeper->open && keeper->item_count > 0);
	last->size = (uint32_t)item->value_at + item->value_n;
	last->sum = model_leslie_sum(loom_str_sub(keeper->doc->text, keeper->begin, last->size));
	keeper->open = false;
}

/* Where a record begins, its key included; SIZE_MAX when its key is not in the text as it is. */
static size_t record_at(const struct keeper *keeper, const struct model_leslie_branch *branch,
			size_t i)
{
	const char *text = keeper->doc->text.p;
	const struct model_leslie_item *item = NULL;

	LOOM_ASSERT(i < branch->count);
	if (branch->starts)
		return branch->starts[i];
	item = &branch->items[i];
	if (item->key.n == 0 || item->key.p <= branch->value.p || item->key.p >= item->value.p)
		return SIZE_MAX;
	return (size_t)(item->key.p - text) - 1;
}

/* One record, whose value is as given: into the stretch under way, or into a new one. False when it
 * is too long for any. */
static bool keep_record(struct keeper *keeper, size_t branch, size_t at, size_t key_n,
			struct loom_str value)
{
	const size_t value_at = (size_t)(value.p - keeper->doc->text.p);
	const size_t end = value_at + value.n;

	LOOM_ASSERT(value_at >= at);
	if (end - at > UINT16_MAX)
		return false;
	if (keeper->open && end - keeper->begin > STRETCH)
		close_stretch(keeper);
	if (!keeper->open)
		open_stretch(keeper, at, branch, key_n > 0);
	add_item(keeper, at, key_n, value_at, value.n);
	return true;
}

static void keep_branch(struct keeper *keeper, size_t at)
{
	const struct model_leslie_branch *branch = &keeper->doc->branches[at];
	const struct loom_str text = keeper->doc->text;
	bool more = branch->starts || branch->items;

	for (size_t i = 0; more && i < branch->count; i++) {
		size_t from = record_at(keeper, branch, i);

		if (from == SIZE_MAX || (branch->starts && !strchr("{[\"", text.p[from])))
			more = false;
		else if (branch->items)
			more = keep_record(keeper, at, from, branch->items[i].key.n,
					   branch->items[i].value);
		else
			more = keep_record(keeper, at, from, 0, model_leslie_value_at(text, from));
	}
	if (keeper->open)
		close_stretch(keeper);
}

void model_leslie_known_keep(const struct loom_leslie *leslie, const struct model_leslie_file *file)
{
	struct keeper keeper = {.doc = &file->doc, .arena = NULL};
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(FILE_MAX);
	struct head head = {.magic = MAGIC};

	/* While nearly all of it was known, there is nothing to be gained. */
	if (file->text.n < TEXT_MIN ||
	    file->doc.known + file->text.n / 16 + STRETCH >= file->text.n ||
	    !path_of(leslie, file, true, &path))
		goto done;
	keeper.arena = loom_arena_create();
	for (size_t i = 0; i < file->doc.count; i++)
		keep_branch(&keeper, i);
	head.stretches = (uint32_t)keeper.count;
	head.items = (uint32_t)keeper.item_count;
	loom_buf_add(&out, loom_str_make((const char *)&head, sizeof(head)));
	loom_buf_add(&out, loom_str_make((const char *)keeper.stretches,
					 keeper.count * sizeof(*keeper.stretches)));
	loom_buf_add(&out, loom_str_make((const char *)keeper.items,
					 keeper.item_count * sizeof(*keeper.items)));
	head.sum = model_leslie_sum(loom_str_sub(loom_buf_str(&out), sizeof(head), SIZE_MAX));
	if (out.bad == LOOM_OK) {
		memcpy(out.p, &head, sizeof(head));
		/* What cannot be kept is checked again. */
		(void)!model_file_write(loom_buf_cstr(&path), loom_buf_str(&out), NULL);
	}
	loom_arena_destroy(keeper.arena);
done:
	loom_buf_fini(&out);
	loom_buf_fini(&path);
}
