/* The registry: every thread with its title, objective, status, parent and times, for lists that do
 * not need the history.
 *
 * Derived from the relations. Its head identifies the relations it belongs to and has a checksum of
 * its lines; it is read for a list, or reused for the next registry, only while both match, so it
 * may be lost, damaged or deleted at any time. One thread per line: quick to write and easy to
 * search. A change that affects no line overwrites the head's first number in place; torn, it
 * matches no relations. */
#include "inside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>

#include <loom/files/beneath.h>

#define REGISTRY_PATH "threads/.global/registry.json"
#define REGISTRY_MAX  ((size_t)64 << 20)

static const char opening[] = ",\n  \"threads\": {";
static const char tail[] = "\n  }\n}\n";

/* Writes the head, which always has the same length. */
static void spell_head(const struct loom_file_info *info, struct loom_buf *out)
{
	loom_buf_addf(out, "{\n  \"version\": \"1.0\",\n  \"of\": \"%020llu-%012llu-%020lld\",\n",
		      (unsigned long long)info->id.inode, (unsigned long long)info->size,
		      (long long)info->modified_ns);
}

/* Writes the checksum that follows the head. */
static void spell_sum(uint64_t sum, struct loom_buf *out)
{
	loom_buf_addf(out, "  \"sum\": \"%016llx\",\n", (unsigned long long)sum);
}

/* Sums a line without its commas. A guard against accidents, not malice: whoever can write here can
 * write the relations as well. */
static uint64_t sum_line(struct loom_str line)
{
	const struct loom_hash hash = loom_sha256(loom_str_trim(line));
	uint64_t sum = 0;

	memcpy(&sum, hash.bytes, sizeof sum);
	return sum;
}

/* Sums all lines in any order, so that a line can be added to the sum or removed from it. */
static uint64_t sum_lines(struct loom_str lines)
{
	struct loom_str line;
	uint64_t sum = 0;

	while (loom_str_cut(&lines, '\n', &line)) {
		if (line.n && line.p[line.n - 1] == ',')
			line.n--;
		sum += line.n ? sum_line(line) : 0;
	}
	return sum;
}

/* A thread's members in the registry, in order, with their default texts. */
#define TOLD(name, otherwise)                                                                      \
	{                                                                                          \
		LOOM_STR_INIT("\"" name "\""), LOOM_STR_INIT(", \"" name "\": "),                  \
			LOOM_STR_INIT(otherwise)                                                   \
	}
static const struct told {
	struct loom_str key;  /* in the record */
	struct loom_str lead; /* in the registry */
	struct loom_str otherwise;
} told[] = {
	TOLD("title", "\"\""),         TOLD("objective", "\"\""),  TOLD("status", "\"active\""),
	TOLD("parent_id", "null"),     TOLD("created_at", "null"), TOLD("updated_at", "null"),
	TOLD("executor", "\"agent\""), TOLD("session_id", "null"),
};
#define STATUS 2

/* Finds the members as written in the record. */
static void find_members(struct loom_str record, struct loom_str values[LOOM_COUNT(told)])
{
	struct loom_jwalk walk = loom_jval_walk(record);
	struct loom_str key = {NULL, 0};
	struct loom_str value = {NULL, 0};

	for (size_t i = 0; i < LOOM_COUNT(told); i++)
		values[i] = told[i].otherwise;
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		for (size_t i = 0; value.p[0] == '"' && i < LOOM_COUNT(told); i++) {
			if (key.n == told[i].key.n && memcmp(key.p, told[i].key.p, key.n) == 0)
				values[i] = value;
		}
	}
	/* An older name of it. */
	if (loom_str_is(values[STATUS], "\"pending\""))
		values[STATUS] = told[STATUS].otherwise;
}

static void spell_thread(struct loom_buf *out, struct loom_str id, struct loom_str record)
{
	struct loom_str values[LOOM_COUNT(told)];
	struct loom_buf quoted = LOOM_BUF_INIT(LOOM_BUF_MAX);

	find_members(record, values);
	loom_json_quote(id, &quoted);
	loom_buf_add(out, LOOM_STR("    "));
	loom_buf_add(out, loom_buf_str(&quoted));
	loom_buf_add(out, LOOM_STR(": {\"id\": "));
	loom_buf_add(out, loom_buf_str(&quoted));
	for (size_t i = 0; i < LOOM_COUNT(told); i++) {
		loom_buf_add(out, told[i].lead);
		loom_buf_add(out, values[i]);
	}
	loom_buf_add(out, LOOM_STR(", \"path\": \".leslie/threads/"));
	loom_buf_add(out, loom_str_sub(loom_buf_str(&quoted), 1, quoted.n - 2));
	loom_buf_add(out, LOOM_STR("/\"}"));
	loom_buf_fini(&quoted);
}

/* The text of a registry, mostly taken from the previous one. */
struct spelled {
	struct loom_buf begin;     /* up to the first line */
	struct loom_buf own;       /* newly written lines */
	struct loom_str pieces[3]; /* between the beginning and the tail */
};

/* Writes the threads as read, with the one record changed since. */
static void spell_threads(struct loom_leslie *leslie, struct loom_buf *out)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "threads");
	const struct model_leslie_item *changed = &leslie->changed;
	bool pending = changed->key.p != NULL;
	const char *comma = "\n";

	for (size_t i = 0; branch && i < branch->count; i++) {
		const struct model_leslie_item *item = &branch->items[i];
		bool is_changed = pending && loom_str_eq(item->key, changed->key);

		if (loom_jval_type(item->value) != LOOM_JTYPE_OBJECT)
			continue;
		loom_buf_adds(out, comma);
		spell_thread(out, item->key, is_changed ? changed->value : item->value);
		pending = pending && !is_changed;
		comma = ",\n";
	}
	if (pending) {
		loom_buf_adds(out, comma);
		spell_thread(out, changed->key, changed->value);
	}
}

/* Writes the registry from what was read; sets the sum. */
static void spell_anew(struct loom_leslie *leslie, struct spelled *out, uint64_t *sum)
{
	loom_buf_reserve(&out->own, 512 + 384 * model_leslie_thread_count(leslie));
	spell_threads(leslie, &out->own);
	out->pieces[0] = loom_buf_str(&out->own);
	*sum = sum_lines(out->pieces[0]);
}

/* Writes the registry from the previous one's lines, whose sum is *sum: all but one are
 * unchanged. */
static void spell_after(struct loom_leslie *leslie, struct loom_str lines, struct spelled *out,
			uint64_t *sum)
{
	const struct model_leslie_item *changed = &leslie->changed;
	struct loom_buf begin = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t from = SIZE_MAX;
	size_t end = SIZE_MAX;

	LOOM_ASSERT(changed->key.p);
	if (model_leslie_record(leslie, changed->key).p) {
		loom_buf_adds(&begin, "\n    ");
		loom_json_quote(changed->key, &begin);
		loom_buf_adds(&begin, ": {\"id\": ");
		from = loom_str_find(lines, loom_buf_str(&begin), 0);
		end = from == SIZE_MAX ? SIZE_MAX : loom_str_find_char(lines, '\n', from + 1);
	}
	/* The comma at the end of a line stays. */
	end = end == SIZE_MAX ? lines.n : end - 1;
	if (from != SIZE_MAX)
		*sum -= sum_line(loom_str_sub(lines, from, end - from));
	loom_buf_adds(&out->own, from == SIZE_MAX && lines.n ? ",\n" : "\n");
	from = from == SIZE_MAX ? lines.n : from;
	spell_thread(&out->own, changed->key, changed->value);
	*sum += sum_lines(loom_buf_str(&out->own));
	LOOM_ASSERT(from <= end && end <= lines.n);
	out->pieces[0] = loom_str_sub(lines, 0, from);
	out->pieces[1] = loom_buf_str(&out->own);
	out->pieces[2] = loom_str_sub(lines, end, SIZE_MAX);
	loom_buf_fini(&begin);
}

/* Opens the registry if it is complete and begins with `head`; otherwise -1. */
static int open_current(const struct loom_leslie *leslie, struct loom_str head, int flags)
{
	char begin[160];
	char end[sizeof(tail)];
	struct stat st;
	int fd = model_open_beneath(leslie->home.fd, REGISTRY_PATH,
				    flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, MODEL_NO_LINKS);

	LOOM_ASSERT(head.n > 0);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(tail) &&
	    head.n <= sizeof(begin) && pread(fd, begin, head.n, 0) == (ssize_t)head.n &&
	    pread(fd, end, sizeof(tail) - 1, st.st_size - (off_t)sizeof(tail) + 1) ==
		    (ssize_t)sizeof(tail) - 1 &&
	    memcmp(begin, head.p, head.n) == 0 && memcmp(end, tail, sizeof(tail) - 1) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool is_current(const struct loom_leslie *leslie, struct loom_str head)
{
	int fd = open_current(leslie, head, O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* No line has changed: a registry that matched the previous relations matches these. */
static bool restamp(const struct loom_leslie *leslie, struct loom_str head)
{
	struct loom_buf was = LOOM_BUF_INIT(256);
	bool done = false;
	int fd = -1;

	if (leslie->changed.key.p || !leslie->relations.was.size)
		return false;
	spell_head(&leslie->relations.was, &was);
	fd = open_current(leslie, loom_buf_str(&was), O_RDWR);
	if (fd >= 0) {
		done = was.n == head.n && pwrite(fd, head.p, head.n, 0) == (ssize_t)head.n;
		close(fd);
	}
	loom_buf_fini(&was);
	return done;
}

/* Returns whether the relations on disk are still those we read. */
static bool still_ours(const struct loom_leslie *leslie)
{
	const struct loom_file_info *seen = &leslie->relations.seen;
	struct loom_file_info now;

	return loom_path_info(&leslie->home, LOOM_STR(MODEL_LESLIE_RELATIONS), false, &now, NULL) ==
		       LOOM_OK &&
	       now.id.inode == seen->id.inode && now.size == seen->size &&
	       now.modified_ns == seen->modified_ns;
}

/* Returns the lines of a registry that is complete and matches its head; otherwise p is NULL. */
static struct loom_str sound_lines(struct loom_str text, struct loom_str head, uint64_t *sum)
{
	struct loom_buf told_sum = LOOM_BUF_INIT(64);
	const struct loom_str none = {NULL, 0};
	struct loom_str lines = none;
	size_t at = loom_str_find(loom_str_sub(text, 0, head.n + 256), loom_str_of(opening), 0);

	LOOM_ASSERT(sum);
	if (at != SIZE_MAX && loom_str_starts(text, head) &&
	    loom_str_ends(text, loom_str_of(tail))) {
		at += sizeof(opening) - 1;
		lines = loom_str_sub(text, at, text.n - at - (sizeof(tail) - 1));
		*sum = sum_lines(lines);
		spell_sum(*sum, &told_sum);
		if (!loom_str_starts(loom_str_sub(text, head.n, SIZE_MAX), loom_buf_str(&told_sum)))
			lines = none;
	}
	loom_buf_fini(&told_sum);
	return lines;
}

/* Reads the registry if it is sound and belongs to the relations with this identity. */
static struct loom_str read_sound(const struct loom_leslie *leslie,
				  const struct loom_file_info *info, struct loom_buf *text,
				  uint64_t *sum)
{
	struct loom_buf head = LOOM_BUF_INIT(256);
	struct loom_str lines = {NULL, 0};
	int fd = -1;

	spell_head(info, &head);
	fd = open_current(leslie, loom_buf_str(&head), O_RDONLY);
	if (fd >= 0) {
		if (model_leslie_read_whole(fd, REGISTRY_MAX, "the registry", text, NULL) ==
		    LOOM_OK)
			lines = sound_lines(loom_buf_str(text), loom_buf_str(&head), sum);
		close(fd);
	}
	loom_buf_fini(&head);
	return lines;
}

bool model_leslie_registry_read(struct loom_leslie *leslie, struct loom_buf *text,
				struct model_leslie_doc *out)
{
	struct loom_file_info info = {0};
	uint64_t sum = 0;

	return leslie->home.fd >= 0 &&
	       loom_path_info(&leslie->home, LOOM_STR(MODEL_LESLIE_RELATIONS), false, &info,
			      NULL) == LOOM_OK &&
	       read_sound(leslie, &info, text, &sum).p &&
	       model_leslie_doc_read(leslie->arena, loom_buf_str(text), out, NULL) == LOOM_OK;
}

bool model_leslie_registry_damaged(const struct loom_leslie *leslie)
{
	const struct loom_read_opts opts = {.max = REGISTRY_MAX};
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf head = LOOM_BUF_INIT(256);
	struct loom_buf text = LOOM_BUF_INIT(REGISTRY_MAX);
	struct model_leslie_doc doc;
	uint64_t sum = 0;
	bool damaged = false;

	if (leslie->home.fd >= 0 &&
	    loom_file_read(&leslie->home, LOOM_STR(REGISTRY_PATH), &opts, &text, NULL) == LOOM_OK) {
		spell_head(&leslie->relations.seen, &head);
		damaged =
			model_leslie_doc_read(arena, loom_buf_str(&text), &doc, NULL) != LOOM_OK ||
			(loom_str_starts(loom_buf_str(&text), loom_buf_str(&head)) &&
			 !sound_lines(loom_buf_str(&text), loom_buf_str(&head), &sum).p);
	}
	loom_buf_fini(&text);
	loom_buf_fini(&head);
	loom_arena_destroy(arena);
	return damaged;
}

bool model_leslie_registry_renew(struct loom_leslie *leslie)
{
	LOOM_ASSERT(leslie->home.fd >= 0);
	(void)unlinkat(leslie->home.fd, REGISTRY_PATH, 0);
	model_leslie_registry_update(leslie);
	return !model_leslie_registry_damaged(leslie);
}

static enum loom_status write_pieces(void *ctx, int fd, struct loom_err *err)
{
	const struct spelled *spelled = ctx;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(fd >= 0);
	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(spelled->pieces); i++)
		status = model_leslie_write_all(fd, spelled->pieces[i], REGISTRY_PATH, err);
	return status == LOOM_OK ? model_leslie_write_all(fd, loom_str_of(tail), REGISTRY_PATH, err)
				 : status;
}

/* Writes the registry from that of the relations this call replaced, if it is sound; otherwise from
 * what was read. */
static void write_registry(struct loom_leslie *leslie, struct loom_str head)
{
	struct spelled spelled = {.begin = LOOM_BUF_INIT(512), .own = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	const struct loom_write_opts opts = {.any_name = true,
					     .folders = true,
					     .derived = true,
					     .fill = write_pieces,
					     .ctx = &spelled};
	struct loom_buf old = LOOM_BUF_INIT(REGISTRY_MAX);
	struct loom_str lines = {NULL, 0};
	uint64_t sum = 0;

	LOOM_ASSERT(head.n > 0);
	if (leslie->relations.was.size && leslie->changed.key.p)
		lines = read_sound(leslie, &leslie->relations.was, &old, &sum);
	if (lines.p)
		spell_after(leslie, lines, &spelled, &sum);
	else
		spell_anew(leslie, &spelled, &sum);
	loom_buf_add(&spelled.begin, head);
	spell_sum(sum, &spelled.begin);
	loom_buf_addf(&spelled.begin, "  \"updated_at\": \"%.*s\"%s",
		      LOOM_STR_ARG(model_leslie_now(leslie, leslie->arena)), opening);
	/* If it cannot be written now, the next reader does it. */
	if (still_ours(leslie))
		(void)!loom_file_write(&leslie->home, LOOM_STR(REGISTRY_PATH),
				       loom_buf_str(&spelled.begin), &opts, NULL);
	loom_buf_fini(&old);
	loom_buf_fini(&spelled.own);
	loom_buf_fini(&spelled.begin);
}

void model_leslie_registry_update(struct loom_leslie *leslie)
{
	struct loom_buf head = LOOM_BUF_INIT(256);

	if (leslie->home.fd < 0 || !leslie->relations.there)
		return;
	spell_head(&leslie->relations.seen, &head);
	if (!is_current(leslie, loom_buf_str(&head)) && !restamp(leslie, loom_buf_str(&head)))
		write_registry(leslie, loom_buf_str(&head));
	loom_buf_fini(&head);
}
