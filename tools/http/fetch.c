/* A cache in the store in front of http.c. */
#include <loom/http/fetch.h>

/* Less than promised, because the rest of the document takes time too. */
#define URL_MS 4800
#define ALL_MS 14800

void loom_fetch_init(struct loom_fetch *fetch, const struct loom_fetch_opts *opts,
		     struct loom_arena *arena)
{
	*fetch = (struct loom_fetch){.opts = *opts, .arena = arena};
}

static const struct loom_fetched *find(const struct loom_fetch *fetch, struct loom_str url)
{
	for (size_t i = 0; i < fetch->count; i++)
		if (loom_str_eq(fetch->items[i].url, url))
			return &fetch->items[i];
	return NULL;
}

static void add(struct loom_fetch *fetch, const struct loom_fetched *item)
{
	fetch->items = loom_arena_grow(fetch->arena, fetch->items, fetch->count, &fetch->cap,
				       sizeof *fetch->items);
	fetch->items[fetch->count++] = *item;
}

bool loom_fetch_has(const struct loom_fetch *fetch, struct loom_str url)
{
	return find(fetch, url) != NULL;
}

bool loom_fetch_wanted(const struct loom_fetch *fetch, const struct loom_payload_lists *lists)
{
	for (size_t i = 0; fetch->opts.place.session.n && i < lists->count; i++)
		if (lists->entries[i].url)
			return true;
	return false;
}

void loom_fetch_recall(struct loom_fetch *fetch, struct loom_store *store,
		       const struct loom_payload_lists *lists)
{
	for (size_t i = 0; i < lists->count; i++) {
		const struct loom_payload_entry *entry = &lists->entries[i];
		struct loom_fetched item;

		if (entry->url && !find(fetch, entry->target) &&
		    loom_fetched_find(store, &fetch->opts.place, entry->target, fetch->arena, &item,
				      NULL) == LOOM_OK)
			add(fetch, &item);
	}
	fetch->kept = fetch->count;
}

bool loom_fetch_is_new(const struct loom_fetch *fetch)
{
	return fetch->opts.place.session.n && fetch->kept < fetch->count;
}

enum loom_status loom_fetch_keep(struct loom_fetch *fetch, struct loom_store *store,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = fetch->kept; status == LOOM_OK && i < fetch->count; i++)
		status = loom_fetched_keep(store, &fetch->opts.place, &fetch->items[i], err);
	if (status == LOOM_OK)
		fetch->kept = fetch->count;
	return status;
}

static enum loom_status fetch_now(struct loom_fetch *fetch, struct loom_str url,
				  struct loom_buf *body, struct loom_buf *type,
				  struct loom_err *err)
{
	struct loom_http_opts http = fetch->opts.http;
	int64_t now = loom_env_boot();
	int most = fetch->opts.timeout_ms ? fetch->opts.timeout_ms : URL_MS;
	int all = fetch->opts.all_timeout_ms ? fetch->opts.all_timeout_ms : ALL_MS;

	if (!fetch->until)
		fetch->until = now + all;
	if (now >= fetch->until)
		return loom_fail(err, LOOM_IO, "the time for all URLs is used up");
	http.timeout_ms = fetch->until - now < most ? (int)(fetch->until - now) : most;
	return loom_http_get(url, &http, body, type, err);
}

enum loom_status loom_fetch_url(void *ctx, struct loom_str url, struct loom_buf *body,
				struct loom_buf *type, struct loom_err *err)
{
	struct loom_fetch *fetch = ctx;
	const struct loom_fetched *had = find(fetch, url);
	enum loom_status status = LOOM_OK;

	if (had) {
		loom_buf_add(type, had->type);
		loom_buf_add(body, had->body);
		return LOOM_OK;
	}
	if (fetch->opts.offline)
		return loom_fail(err, LOOM_REFUSED, "it has not been fetched before");
	if (!fetch->opts.trusted)
		return loom_fail(err, LOOM_REFUSED,
				 "a person must trust this project first: loom trust %.*s",
				 LOOM_STR_ARG(fetch->opts.place.project));
	status = fetch_now(fetch, url, body, type, err);
	if (status == LOOM_OK)
		add(fetch, &(struct loom_fetched){.url = loom_arena_str(fetch->arena, url),
						  .type = loom_arena_buf(fetch->arena, type),
						  .body = loom_arena_buf(fetch->arena, body)});
	return status;
}
