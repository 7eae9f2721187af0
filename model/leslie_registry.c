/* The registry: every thread with its title, objective, status, parent and times, for those who
 * want the list without the history.
 *
 * Derived from the relations. Its head says of which relations it is and what the sum of all the
 * rest of it is: only while both are right is it read, for a list, and taken over into the next
 * one; so it may be lost, damaged or deleted at any time. One thread a line: quick to write and
 * easy to search. */
#include "leslie_impl.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/json.h>

#include "path_impl.h"

#define REGISTRY_PATH "threads/.global/registry.json"
#define REGISTRY_MAX  ((size_t)64 << 20)

static const char opening[] = "\n  \"threads\": {";
static const char tail[] = "\n  }\n}\n";

#define SUM_DIGITS 16
#define SUM_LEAD   "  \"sum\": \""
#define SUM_END    "\",\n"

static void spell_head(const struct loom_file_info *info, struct loom_buf *out)
{
	loom_buf_addf(out, "{\n  \"version\": \"1.0\",\n  \"of\": \"%llu-%llu-%lld\",\n" SUM_LEAD,
		      (unsigned long long)info->id.inode, (unsigned long long)info->size,
		      (long long)info->modified_ns);
}

/* Against accidents, not against malice: who may write here may write the relations as well. */
static uint64_t sum_of(struct loom_str text)
{
	uint64_t sum = text.n;
	uint64_t word = 0;

	for (; text.n >= sizeof word; text = loom_str_make(text.p + 8, text.n - 8)) {
		memcpy(&word, text.p, sizeof word);
		sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		sum ^= sum >> 29;
	}
	word = 0;
	if (text.n)
		memcpy(&word, text.p, text.n);
	sum = (sum ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
	return sum ^ sum >> 32;
}

static void spell_sum(uint64_t sum, char out[SUM_DIGITS + 1])
{
	snprintf(out, SUM_DIGITS + 1, "%016llx", (unsigned long long)sum);
}

/* What is told of a thread, in this order, and what stands for a text that is not there. */
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

/* The members as they are written in the record. */
static void find_members(struct loom_str record, struct loom_str values[LOOM_COUNT(told)])
{
	struct loom_str key = {NULL, 0};
	struct loom_str value = {NULL, 0};

	for (size_t i = 0; i < LOOM_COUNT(told); i++)
		values[i] = told[i].otherwise;
	while (model_leslie_next(&record, &key, &value)) {
		for (size_t i = 0; value.p[0] == '"' && i < LOOM_COUNT(told); i++) {
			if (key.n == told[i].key.n && memcmp(key.p, told[i].key.p, key.n) == 0)
				values[i] = value;
		}
	}
	/* The name that others once had for it. */
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

/* Where the sum stands is where `out` ends before. */
static void spell_begin(struct loom_leslie *leslie, struct loom_buf *out)
{
	loom_buf_add_repeat(out, '0', SUM_DIGITS);
	loom_buf_adds(out, SUM_END "  \"updated_at\": \"");
	loom_buf_add(out, model_leslie_now(leslie, leslie->arena));
	loom_buf_adds(out, "\",");
	loom_buf_adds(out, opening);
}

static void spell_end(struct loom_buf *out, size_t head)
{
	const size_t body = head + SUM_DIGITS + sizeof(SUM_END) - 1;
	char sum[SUM_DIGITS + 1];

	loom_buf_adds(out, tail);
	spell_sum(sum_of(loom_str_sub(loom_buf_str(out), body, SIZE_MAX)), sum);
	if (out->bad == LOOM_OK)
		memcpy(out->p + head, sum, SUM_DIGITS);
}

/* What was read, with the one record that was changed since. */
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

		if (!model_leslie_is_object(item->value))
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

/* The same from the lines of the registry before: but for one they are what they were. */
static void spell_lines(struct loom_leslie *leslie, struct loom_str lines, struct loom_buf *out)
{
	const struct model_leslie_item *changed = &leslie->changed;
	struct loom_buf begin = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t from = lines.n;
	size_t end = lines.n;

	if (changed->key.p) {
		loom_buf_adds(&begin, "\n    ");
		loom_json_quote(changed->key, &begin);
		loom_buf_adds(&begin, ": {\"id\": ");
		from = loom_str_find(lines, loom_buf_str(&begin), 0);
		end = from == SIZE_MAX ? SIZE_MAX : loom_str_find_char(lines, '\n', from + 1);
		/* The comma at the end of a line stays. */
		end = end == SIZE_MAX ? lines.n : end - 1;
	}
	loom_buf_add(out, loom_str_sub(lines, 0, from));
	if (changed->key.p) {
		loom_buf_adds(out, from == SIZE_MAX && lines.n ? ",\n" : "\n");
		spell_thread(out, changed->key, changed->value);
	}
	loom_buf_add(out, loom_str_sub(lines, end, SIZE_MAX));
	loom_buf_fini(&begin);
}

/* Whether the registry that is there begins with `head` and is whole. */
static bool is_current(const struct loom_leslie *leslie, struct loom_str head)
{
	char begin[160];
	char end[sizeof(tail)];
	struct stat st;
	bool same = false;
	int fd = model_open_beneath(leslie->home.fd, REGISTRY_PATH,
				    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0,
				    MODEL_NO_LINKS);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(tail) &&
	    head.n <= sizeof(begin) && pread(fd, begin, head.n, 0) == (ssize_t)head.n &&
	    pread(fd, end, sizeof(tail) - 1, st.st_size - (off_t)sizeof(tail) + 1) ==
		    (ssize_t)sizeof(tail) - 1)
		same = memcmp(begin, head.p, head.n) == 0 &&
		       memcmp(end, tail, sizeof(tail) - 1) == 0;
	close(fd);
	return same;
}

/* Whether the relations on the disk are still those that we read. */
static bool still_ours(const struct loom_leslie *leslie)
{
	const struct loom_file_info *seen = &leslie->relations.seen;
	struct loom_file_info now;

	return loom_path_info(&leslie->home, LOOM_STR(MODEL_LESLIE_RELATIONS), false, &now, NULL) ==
		       LOOM_OK &&
	       now.id.inode == seen->id.inode && now.size == seen->size &&
	       now.modified_ns == seen->modified_ns;
}

/* Whether the text is whole and what its head says it is. */
static bool is_sound(struct loom_str text, struct loom_str head)
{
	const size_t body = head.n + SUM_DIGITS + sizeof(SUM_END) - 1;
	char sum[SUM_DIGITS + 1];

	if (text.n < body || memcmp(text.p, head.p, head.n) != 0)
		return false;
	spell_sum(sum_of(loom_str_sub(text, body, SIZE_MAX)), sum);
	return memcmp(text.p + head.n, sum, SUM_DIGITS) == 0;
}

/* Reads the registry when it is sound and that of relations with this identity. */
static bool read_sound(const struct loom_leslie *leslie, const struct loom_file_info *info,
		       struct loom_buf *text)
{
	const struct loom_read_opts opts = {.max = REGISTRY_MAX};
	struct loom_buf head = LOOM_BUF_INIT(256);
	bool sound = false;

	spell_head(info, &head);
	sound = loom_file_read(&leslie->home, LOOM_STR(REGISTRY_PATH), &opts, text, NULL) ==
			LOOM_OK &&
		is_sound(loom_buf_str(text), loom_buf_str(&head));
	loom_buf_fini(&head);
	return sound;
}

bool model_leslie_registry_read(struct loom_leslie *leslie, struct loom_buf *text,
				struct model_leslie_doc *out)
{
	struct loom_file_info info = {0};

	return leslie->home.fd >= 0 &&
	       loom_path_info(&leslie->home, LOOM_STR(MODEL_LESLIE_RELATIONS), false, &info,
			      NULL) == LOOM_OK &&
	       read_sound(leslie, &info, text) &&
	       model_leslie_doc_read(leslie->arena, loom_buf_str(text), out, NULL) == LOOM_OK;
}

/* From the registry of the relations that this call has replaced, when it is there and sound; else
 * from what was read. */
static void spell(struct loom_leslie *leslie, struct loom_buf *out)
{
	struct loom_buf old = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str lines = {NULL, 0};
	const size_t head = out->n;
	size_t at = SIZE_MAX;

	if (leslie->relations.was.size && read_sound(leslie, &leslie->relations.was, &old)) {
		lines = loom_buf_str(&old);
		at = loom_str_find(lines, loom_str_of(opening), 0);
	}
	spell_begin(leslie, out);
	if (at == SIZE_MAX) {
		spell_threads(leslie, out);
	} else {
		at += sizeof(opening) - 1;
		lines = loom_str_sub(lines, at, lines.n - at - (sizeof(tail) - 1));
		spell_lines(leslie, lines, out);
	}
	spell_end(out, head);
	loom_buf_fini(&old);
}

void model_leslie_registry_update(struct loom_leslie *leslie)
{
	const struct loom_write_opts opts = {.any_name = true, .folders = true, .derived = true};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (leslie->home.fd < 0 || !leslie->relations.there)
		return;
	model_leslie_reserve(&text, 512 + 384 * model_leslie_thread_count(leslie));
	spell_head(&leslie->relations.seen, &text);
	if (!is_current(leslie, loom_buf_str(&text))) {
		spell(leslie, &text);
		if (still_ours(leslie) &&
		    loom_file_write(&leslie->home, LOOM_STR(REGISTRY_PATH), loom_buf_str(&text),
				    &opts, NULL) != LOOM_OK)
			loom_buf_clear(&text);
	}
	loom_buf_fini(&text);
}
