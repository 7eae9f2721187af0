/* A grove's state is stored outside it, in a folder named after the store's id and location, so
 * that neither a copy nor another file in its place finds or inherits what was granted.
 *
 * The folder's `place` file records which grove it belongs to and where that was. When a grove is
 * moved, its folder follows; a folder of an earlier loom, named by the grove's id alone, goes to
 * the first store that asks. */
#include <loom/grove/sql.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/state_file.h>

#define PLACE_FILE "place"
#define PLACE_MAX  ((size_t)PATH_MAX + 64)
#define HEX_ID     ((size_t)2 * MODEL_ID_BYTES)
#define HEX_PATH   ((size_t)16)

static void add_path_hash(const struct loom_store *store, struct loom_buf *out)
{
	const struct loom_hash hash = loom_sha256(loom_store_dir(store));

	loom_hex(hash.bytes, HEX_PATH / 2, out);
}

void model_state_key(struct loom_store *store, struct loom_buf *out)
{
	char ulid[LOOM_ULID_CHARS + 1];

	if (!store->epoch_page && model_epoch_learn(store, NULL) != LOOM_OK)
		store->epoch_page = 0;
	if (!store->epoch_page) { /* of an earlier loom, opened read-only */
		loom_ulid_text(&store->ulid, ulid);
		loom_buf_adds(out, ulid);
		return;
	}
	loom_hex(store->marker.store, MODEL_ID_BYTES, out);
	loom_buf_addc(out, '-');
	add_path_hash(store, out);
}

/* --- the place --- */

static void place_path(const char *folder, struct loom_buf *out)
{
	loom_buf_addf(out, "%s/" PLACE_FILE, folder);
}

static enum loom_status write_place(const struct loom_store *store, const char *folder,
				    struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf text = LOOM_BUF_INIT(PLACE_MAX);
	char ulid[LOOM_ULID_CHARS + 1];
	enum loom_status status;

	LOOM_ASSERT(folder[0] == '/');
	loom_ulid_text(&store->ulid, ulid);
	loom_buf_addf(&text, "%s\n%.*s", ulid, LOOM_STR_ARG(loom_store_dir(store)));
	place_path(folder, &path);
	status = model_file_write(loom_buf_cstr(&path), loom_buf_str(&text), err);
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	return status;
}

/* Returns whether the folder belongs to this grove; sets *out_gone if nothing is left at its
 * recorded location. */
static bool is_of_grove(const struct loom_store *store, const char *folder, bool *out_gone)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf text = LOOM_BUF_INIT(PLACE_MAX + 8192);
	char ulid[LOOM_ULID_CHARS + 1];
	bool there = false;
	bool ours = false;

	loom_ulid_text(&store->ulid, ulid);
	place_path(folder, &path);
	if (model_file_read(loom_buf_cstr(&path), PLACE_MAX, &text, &there, NULL) == LOOM_OK &&
	    there && text.n > LOOM_ULID_CHARS + 1) {
		struct stat info;

		ours = loom_str_starts(loom_buf_str(&text), loom_str_of(ulid));
		loom_buf_clear(&path);
		loom_buf_addf(&path, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE,
			      loom_buf_cstr(&text) + LOOM_ULID_CHARS + 1);
		*out_gone = lstat(loom_buf_cstr(&path), &info) != 0 && errno == ENOENT;
	}
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	return ours;
}

/* --- taking over --- */

/* Finds another folder this one should take over: this store's at an earlier location or, with
 * `here`, that of the store that was here before. */
static bool find_other(const struct loom_store *store, const char *base, bool here,
		       struct loom_buf *out)
{
	struct loom_buf part = LOOM_BUF_INIT(128);
	const struct dirent *entry;
	DIR *dir = opendir(base);
	bool found = false;

	LOOM_ASSERT(base[0] == '/');
	if (here)
		add_path_hash(store, &part);
	else
		loom_hex(store->marker.store, MODEL_ID_BYTES, &part);
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		const struct loom_str name = loom_str_of(entry->d_name);
		bool gone = false;

		if (name.n != HEX_ID + 1 + HEX_PATH || name.p[HEX_ID] != '-' ||
		    !(here ? loom_str_ends(name, loom_buf_str(&part))
			   : loom_str_starts(name, loom_buf_str(&part))))
			continue;
		loom_buf_clear(out);
		loom_buf_addf(out, "%s/%s", base, entry->d_name);
		found = is_of_grove(store, loom_buf_cstr(out), &gone) && (here || gone);
	}
	if (dir)
		closedir(dir);
	loom_buf_fini(&part);
	return found;
}

static void take_over(const struct loom_store *store, const char *base, const char *folder)
{
	struct loom_buf other = LOOM_BUF_INIT(PATH_MAX);
	char ulid[LOOM_ULID_CHARS + 1];
	struct stat info;

	LOOM_ASSERT(store->epoch_page > 0);
	if (lstat(folder, &info) == 0)
		return;
	if (!find_other(store, base, false, &other)) {
		loom_ulid_text(&store->ulid, ulid);
		loom_buf_clear(&other);
		loom_buf_addf(&other, "%s/%s", base, ulid);
	}
	if (rename(loom_buf_cstr(&other), folder) == 0)
		(void)!write_place(store, folder, NULL);
	loom_buf_fini(&other);
}

static enum loom_status find_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err)
{
	struct loom_buf base = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = loom_env_dir(store->env, LOOM_DIR_STATE, &base, err);

	LOOM_ASSERT(out->n == 0);
	loom_buf_add(out, loom_buf_str(&base));
	loom_buf_addc(out, '/');
	model_state_key(store, out);
	if (status == LOOM_OK && store->epoch_page && !store->state_found) {
		take_over(store, loom_buf_cstr(&base), loom_buf_cstr(out));
		store->state_found = true;
	}
	loom_buf_fini(&base);
	return status;
}

enum loom_status model_state_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err)
{
	struct loom_buf folder = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = find_dir(store, &folder, err);

	loom_buf_add(out, loom_buf_str(&folder));
	loom_buf_fini(&folder);
	return status;
}

enum loom_status loom_store_state_dir(struct loom_store *store, struct loom_buf *out,
				      struct loom_err *err)
{
	struct loom_buf folder = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf place = LOOM_BUF_INIT(PATH_MAX);
	struct stat info;
	enum loom_status status = find_dir(store, &folder, err);

	place_path(loom_buf_cstr(&folder), &place);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_buf_str(&folder), 0700, err);
	if (status == LOOM_OK && store->epoch_page && lstat(loom_buf_cstr(&place), &info) != 0)
		status = write_place(store, loom_buf_cstr(&folder), err);
	loom_buf_add(out, loom_buf_str(&folder));
	loom_buf_fini(&folder);
	loom_buf_fini(&place);
	return status;
}

/* The secret that signed checkpoint tokens belongs to the other store. */
void model_state_carry(struct loom_store *store)
{
	struct loom_buf base = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf other = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf folder = LOOM_BUF_INIT(PATH_MAX);

	if (loom_env_dir(store->env, LOOM_DIR_STATE, &base, NULL) == LOOM_OK &&
	    find_other(store, loom_buf_cstr(&base), true, &other)) {
		loom_buf_addf(&folder, "%s/", loom_buf_cstr(&base));
		model_state_key(store, &folder);
		if (rename(loom_buf_cstr(&other), loom_buf_cstr(&folder)) == 0) {
			loom_buf_clear(&other);
			loom_buf_addf(&other, "%s/token.secret", loom_buf_cstr(&folder));
			unlink(loom_buf_cstr(&other));
			(void)!write_place(store, loom_buf_cstr(&folder), NULL);
		}
	}
	loom_buf_fini(&base);
	loom_buf_fini(&other);
	loom_buf_fini(&folder);
}

/* --- the story --- */

/* Data kept outside records the last event it knows of. Operation ids are random, so another
 * history has a different id at that event. */
void loom_story_mark(struct loom_store *store, struct loom_buf *out)
{
	struct query q = model_query(store,
				     "SELECT e.seq, o.uid FROM event e JOIN op o ON o.id = e.op "
				     "ORDER BY e.seq DESC LIMIT 1",
				     NULL);

	if (model_row(&q)) {
		const struct loom_str uid = model_borrow(&q, 1);

		loom_buf_addf(out, "%lld:", (long long)model_int(&q, 0));
		loom_hex(uid.p, uid.n, out);
	}
	(void)model_done(&q);
}

bool loom_story_holds(struct loom_store *store, struct loom_str mark)
{
	struct loom_buf here = LOOM_BUF_INIT(128);
	struct loom_str number;
	struct query q;
	uint64_t seq = 0;
	bool holds = true;

	if (!mark.n) /* stored before the first event, or by an earlier loom */
		return true;
	number = loom_str_sub(mark, 0, loom_str_find_char(mark, ':', 0));
	if (!loom_str_to_u64(number, &seq))
		return false;
	q = model_query(store, "SELECT o.uid FROM event e JOIN op o ON o.id = e.op WHERE e.seq = ?",
			NULL);
	model_bind(&q, (int64_t)seq);
	if (model_row(&q)) {
		const struct loom_str uid = model_borrow(&q, 0);

		loom_buf_addf(&here, "%llu:", (unsigned long long)seq);
		loom_hex(uid.p, uid.n, &here);
	}
	holds = model_done(&q) == LOOM_OK && loom_str_eq(loom_buf_str(&here), mark);
	loom_buf_fini(&here);
	return holds;
}
