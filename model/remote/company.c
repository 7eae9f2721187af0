/* The company of a machine: each says one word to the log, what its sessions do and which branches
 * they hold. It is no entry: it passes when it is not said again.
 *
 * Invariants: a word is said under the writer lock, so it is never older than the one it replaces;
 * the sessions of other machines are files here like our own, which the process that follows keeps
 * locked, so there is one thing to look at. */
#include "inside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/grove/presence.h>

enum {
	AGAIN_MS = 15000,   /* a word is said again */
	GONE_MS = 45000,    /* its sessions are not here any more */
	LAPSED_MS = 120000, /* its leases do not hold any more */
	SESSIONS = 64,
	LEASES = 256
};

/* --- our own --- */

void remote_name_machine(const struct loom_store *store, char out[REMOTE_MACHINE + 1])
{
	char boot[64] = "";
	char host[256] = "";
	struct stat info = {.st_ino = 0};
	struct loom_buf hex = LOOM_BUF_INIT(128);
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct loom_hash hash;

	if (fd >= 0) {
		(void)!read(fd, boot, sizeof boot - 1);
		close(fd);
	}
	(void)gethostname(host, sizeof host - 1);
	(void)stat(loom_buf_cstr(&store->file), &info);
	hash = loom_sha256_parts(
		(const struct loom_str[]){loom_str_of(boot),
					  loom_str_of(host),
					  loom_buf_str(&store->dir),
					  {(const char *)&info.st_dev, sizeof info.st_dev},
					  {(const char *)&info.st_ino, sizeof info.st_ino}},
		5);
	loom_hex(hash.bytes, REMOTE_MACHINE / 2, &hex);
	snprintf(out, REMOTE_MACHINE + 1, "%s", loom_buf_cstr(&hex));
	loom_buf_fini(&hex);
}

static void put_session(const struct loom_presence *who, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "session", who->session);
	loom_json_put(json, "agent", who->agent);
	loom_json_put_bool(json, "human", who->human);
	loom_json_put(json, "thread", who->thread);
	loom_json_put(json, "tree", who->tree);
	loom_json_put(json, "node", who->node);
	loom_json_put_int(json, "depth", who->depth);
	loom_json_put(json, "doing", who->doing);
	loom_json_put_int(json, "since", who->since);
	loom_json_end_object(json);
}

static size_t put_sessions(struct loom_store *store, struct loom_arena *arena,
			   struct loom_json *json)
{
	struct loom_presence *all = NULL;
	size_t count = 0;
	size_t ours = 0;

	loom_json_key(json, "sessions");
	loom_json_array(json);
	if (loom_presence_list(store, NULL, arena, &all, &count, NULL) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count && ours < SESSIONS; i++) {
		if (all[i].machine.n)
			continue;
		put_session(&all[i], json);
		ours++;
	}
	loom_json_end_array(json);
	return ours;
}

static size_t put_leases(struct loom_store *store, struct loom_json *json)
{
	struct query q =
		model_query(store,
			    "SELECT tree, grp, last_node, agent, session FROM lease ORDER BY id",
			    NULL);
	size_t ours = 0;

	loom_json_key(json, "leases");
	loom_json_array(json);
	while (model_row(&q)) {
		if (ours == LEASES || !loom_session_holds(store, model_borrow(&q, 4)))
			continue;
		loom_json_object(json);
		loom_json_put_int(json, "tree", model_int(&q, 0));
		loom_json_put_int(json, "group", model_int(&q, 1));
		loom_json_put_int(json, "last", model_int(&q, 2));
		loom_json_put_int(json, "agent", model_int(&q, 3));
		loom_json_put(json, "session", model_borrow(&q, 4));
		loom_json_end_object(json);
		ours++;
	}
	loom_json_end_array(json);
	return model_done(&q) == LOOM_OK ? ours : 0;
}

/* Nobody here: an empty word. */
static void find_word(struct loom_store *store, struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_json json;
	size_t count = 0;

	LOOM_ASSERT(out->n == 0);
	loom_json_init(&json, out);
	loom_json_object(&json);
	count = put_sessions(store, arena, &json);
	count += put_leases(store, &json);
	loom_json_end_object(&json);
	if (!count || out->bad)
		loom_buf_clear(out);
	loom_arena_destroy(arena);
}

static enum loom_status say(struct loom_store *store, bool anyway, struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct loom_buf word = LOOM_BUF_INIT(MODEL_WORD_MAX);
	const int64_t now = loom_env_boot();
	enum loom_status status = LOOM_OK;
	struct loom_hash hash;

	LOOM_ASSERT(remote && remote->log->say);
	find_word(store, &word);
	hash = loom_sha256(loom_buf_str(&word));
	if (anyway || !loom_hash_eq(&hash, &remote->said) ||
	    (word.n && now - remote->said_at >= AGAIN_MS)) {
		status = remote->log->say(remote->ctx, loom_buf_str(&word), err);
		remote->said = hash;
		remote->said_at = now;
	}
	loom_buf_fini(&word);
	return status;
}

void model_remote_held(struct loom_store *store)
{
	LOOM_ASSERT(store->remote && store->writing);
	store->remote->says = true;
}

enum loom_status remote_say_held(struct loom_store *store, struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	const bool again = remote->said_at && loom_env_boot() - remote->said_at >= AGAIN_MS;
	const bool says = remote->says;

	remote->says = false;
	if (!remote->turned || !remote->log->say || (!says && !again))
		return LOOM_OK;
	return say(store, says, err);
}

/* --- those of others --- */

struct company {
	struct loom_arena *arena;
	struct loom_presence *here;
	size_t here_count, here_cap;
	struct model_far_lease *leases;
	size_t lease_count, lease_cap;
	struct loom_str machine;
	int64_t age;
};

static struct loom_str copy(const cJSON *json, const char *key, struct company *company)
{
	enum { LONGEST = 200 };

	return loom_arena_str(company->arena, loom_str_sub(loom_json_str(json, key), 0, LONGEST));
}

static void read_session(const cJSON *json, struct company *company)
{
	struct loom_presence *out = NULL;

	company->here = loom_arena_grow(company->arena, company->here, company->here_count,
					&company->here_cap, sizeof *company->here);
	out = &company->here[company->here_count++];
	*out = (struct loom_presence){.session = copy(json, "session", company),
				      .machine = company->machine,
				      .agent = copy(json, "agent", company),
				      .human = cJSON_IsTrue(loom_json_get(json, "human")),
				      .thread = copy(json, "thread", company),
				      .tree = copy(json, "tree", company),
				      .node = copy(json, "node", company),
				      .doing = copy(json, "doing", company)};
	(void)loom_json_int(json, "depth", &out->depth);
	(void)loom_json_int(json, "since", &out->since);
}

static void read_lease(const cJSON *json, struct company *company)
{
	struct model_far_lease lease = {.session = copy(json, "session", company)};

	if (!loom_json_int(json, "tree", &lease.tree) ||
	    !loom_json_int(json, "group", &lease.group) ||
	    !loom_json_int(json, "last", &lease.last) ||
	    !loom_json_int(json, "agent", &lease.agent))
		return;
	company->leases = loom_arena_grow(company->arena, company->leases, company->lease_count,
					  &company->lease_cap, sizeof *company->leases);
	company->leases[company->lease_count++] = lease;
}

/* It comes from others, who may have said anything. */
static void hear_word(void *ctx, const struct model_word *word)
{
	struct company *company = ctx;
	const cJSON *item;
	cJSON *json = NULL;
	size_t left = SESSIONS;

	LOOM_ASSERT(word->age >= 0);
	if (word->says.n > MODEL_WORD_MAX ||
	    loom_json_parse(word->says, NULL, &json, NULL) != LOOM_OK)
		return;
	company->machine = loom_arena_str(company->arena, word->machine);
	item = loom_json_get(json, "sessions");
	for (item = item ? item->child : NULL; item && left && word->age < GONE_MS; left--) {
		read_session(item, company);
		item = item->next;
	}
	left = LEASES;
	item = loom_json_get(json, "leases");
	for (item = item ? item->child : NULL; item && left && word->age < LAPSED_MS; left--) {
		read_lease(item, company);
		item = item->next;
	}
	cJSON_Delete(json);
}

static enum loom_status listen(struct model_remote *remote, struct company *out,
			       struct loom_err *err)
{
	enum loom_status status;

	loom_arena_reset(remote->far_arena);
	remote->far = NULL;
	remote->far_count = 0;
	*out = (struct company){.arena = remote->far_arena};
	status = remote->log->others(remote->ctx, hear_word, out, err);
	if (status == LOOM_OK) {
		remote->far = out->leases;
		remote->far_count = out->lease_count;
	}
	return status;
}

enum loom_status remote_hear_others(struct loom_store *store, struct loom_err *err)
{
	struct company company;

	return store->remote->log->others ? listen(store->remote, &company, err) : LOOM_OK;
}

const struct model_far_lease *model_remote_leases(const struct loom_store *store, size_t *out_count)
{
	LOOM_ASSERT(store->remote);
	*out_count = store->remote->far_count;
	return store->remote->far;
}

/* --- as files of this machine --- */

/* Sessions of other machines that this process shows. */
struct remote_mirror {
	struct remote_mirror *next;
	struct loom_session *session;
	struct loom_hash said; /* what it shows: who watches it is told of changes only */
	bool there;
};

static struct remote_mirror *find_mirror(struct loom_store *store, struct loom_str name)
{
	struct remote_mirror *mirror = store->remote->mirrors;

	while (mirror && !loom_str_is(name, loom_session_name(mirror->session)))
		mirror = mirror->next;
	if (mirror || loom_session_alive(store, name))
		return mirror;
	mirror = loom_alloc(sizeof *mirror);
	if (loom_session_mirror(store, name, &mirror->session, NULL) != LOOM_OK) {
		free(mirror);
		return NULL;
	}
	mirror->next = store->remote->mirrors;
	store->remote->mirrors = mirror;
	return mirror;
}

static void drop_mirrors(struct model_remote *remote, bool all)
{
	struct remote_mirror **at = &remote->mirrors;

	LOOM_ASSERT(!remote->mirrors || remote->claim >= 0);
	while (*at) {
		struct remote_mirror *mirror = *at;

		if (!all && mirror->there) {
			mirror->there = false;
			at = &mirror->next;
			continue;
		}
		*at = mirror->next;
		loom_session_close(mirror->session);
		free(mirror);
	}
}

static void show_one(struct remote_mirror *mirror, const struct loom_presence *who)
{
	struct loom_buf text = LOOM_BUF_INIT(MODEL_WORD_MAX);
	struct loom_json json;
	struct loom_hash hash;

	loom_json_init(&json, &text);
	put_session(who, &json);
	hash = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	if (loom_hash_eq(&hash, &mirror->said))
		return;
	mirror->said = hash;
	(void)!loom_session_say(mirror->session, who, NULL);
}

static void show(struct loom_store *store, const struct company *company)
{
	for (size_t i = 0; i < company->here_count; i++) {
		struct remote_mirror *mirror = find_mirror(store, company->here[i].session);

		if (!mirror)
			continue;
		mirror->there = true;
		show_one(mirror, &company->here[i]);
	}
	drop_mirrors(store->remote, false);
}

enum loom_status loom_remote_meet(struct loom_store *store, int64_t *out_again,
				  struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct company company;
	enum loom_status status;

	LOOM_ASSERT(remote && remote->claim >= 0 && !store->writing);
	*out_again = AGAIN_MS;
	if (!remote->log->say)
		return LOOM_OK;
	status = model_lock(store, err);
	if (status == LOOM_OK) {
		status = say(store, false, err);
		model_unlock(store);
	}
	if (status == LOOM_OK)
		status = listen(remote, &company, err);
	if (status == LOOM_OK)
		show(store, &company);
	return status;
}

void remote_part(struct loom_store *store)
{
	struct model_remote *remote = store->remote;

	drop_mirrors(remote, true);
	if (remote->claim >= 0 && remote->said_at)
		(void)!say(store, true, NULL);
}
