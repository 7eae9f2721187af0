/* The registry: every thread with its title, objective, status, parent and times, for those who
 * want the list without the history.
 *
 * Derived from the relations and never read by us but for its two ends, which say of which
 * relations it is and that it is whole; so it may be lost, damaged or deleted at any time. One
 * thread a line: quick to write and easy to search. */
#include "leslie_impl.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/json.h>

#include "path_impl.h"

#define REGISTRY_PATH "threads/.global/registry.json"

static const char tail[] = "\n  }\n}\n";

static void spell_head(const struct loom_file_info *info, struct loom_buf *out)
{
	loom_buf_addf(out, "{\n  \"version\": \"1.0\",\n  \"of\": \"%llu-%llu-%lld\",\n",
		      (unsigned long long)info->id.inode, (unsigned long long)info->size,
		      (long long)info->modified_ns);
}

/* A member as it is written in the record, when it is a text. */
static void spell_member(struct loom_buf *out, const char *name, struct loom_str value,
			 const char *otherwise)
{
	loom_buf_addf(out, ", \"%s\": ", name);
	if (value.p && value.p[0] == '"')
		loom_buf_add(out, value);
	else
		loom_buf_adds(out, otherwise);
}

static void spell_thread(struct loom_buf *out, const struct model_leslie_item *item)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(out, "    ");
	loom_json_quote(item->key, out);
	loom_buf_adds(out, ": {\"id\": ");
	loom_json_quote(item->key, out);
	spell_member(out, "title", model_leslie_member(item->value, "title"), "\"\"");
	spell_member(out, "objective", model_leslie_member(item->value, "objective"), "\"\"");
	spell_member(out, "status", model_leslie_member(item->value, "status"), "\"active\"");
	spell_member(out, "parent_id", model_leslie_member(item->value, "parent_id"), "null");
	spell_member(out, "created_at", model_leslie_member(item->value, "created_at"), "null");
	spell_member(out, "updated_at", model_leslie_member(item->value, "updated_at"), "null");
	loom_buf_adds(out, ", \"path\": ");
	loom_buf_addf(&path, ".leslie/threads/%.*s/", LOOM_STR_ARG(item->key));
	loom_json_quote(loom_buf_str(&path), out);
	loom_buf_addc(out, '}');
	loom_buf_fini(&path);
}

static void spell(struct loom_leslie *leslie, struct loom_buf *out)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "threads");
	struct loom_str now = model_leslie_now(leslie, leslie->arena);
	bool first = true;

	loom_buf_addf(out, "  \"updated_at\": \"%.*s\",\n  \"threads\": {", LOOM_STR_ARG(now));
	for (size_t i = 0; branch && i < branch->count; i++) {
		if (!model_leslie_is_object(branch->items[i].value))
			continue;
		loom_buf_adds(out, first ? "\n" : ",\n");
		spell_thread(out, &branch->items[i]);
		first = false;
	}
	loom_buf_adds(out, tail);
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

void model_leslie_registry_update(struct loom_leslie *leslie)
{
	const struct loom_write_opts opts = {.any_name = true, .folders = true};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (leslie->home.fd < 0 || !leslie->relations.there)
		return;
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
