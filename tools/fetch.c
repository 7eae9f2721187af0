/* The cache in front of http.c. A file a URL, named by the URL's digest: the content type, a line
 * feed, the body. */
#include <loom/fetch.h>

#include <errno.h>
#include <sys/stat.h>

#include <loom/hash.h>

/* Less than what is promised, for the rest of the document takes its time too. */
#define URL_MS 4800
#define ALL_MS 14800

static bool make_folders(struct loom_buf *path)
{
	for (size_t i = 1; i <= path->n; i++) {
		int made = 0;

		if (i < path->n && path->p[i] != '/')
			continue;
		if (i < path->n)
			path->p[i] = '\0';
		made = mkdir(path->p, 0700);
		if (i < path->n)
			path->p[i] = '/';
		if (made < 0 && errno != EEXIST)
			return false;
	}
	return true;
}

void loom_fetch_init(struct loom_fetch *fetch, const struct loom_env *env,
		     const struct loom_fetch_opts *opts)
{
	const struct loom_str parts[] = {opts->project, LOOM_STR("\n"), opts->session};
	struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	struct loom_buf path = LOOM_BUF_INIT(4096);

	*fetch = (struct loom_fetch){.opts = *opts, .cache = LOOM_ROOT_INIT};
	if (opts->session.n && loom_env_dir(env, LOOM_DIR_CACHE, &path, NULL) == LOOM_OK) {
		loom_buf_adds(&path, "/fetched/");
		loom_hash_hex(&hash, &path);
		if ((opts->offline || make_folders(&path)) &&
		    loom_root_open(loom_buf_cstr(&path), &fetch->cache, NULL) != LOOM_OK)
			fetch->cache = (struct loom_root)LOOM_ROOT_INIT;
	}
	loom_buf_fini(&path);
}

void loom_fetch_fini(struct loom_fetch *fetch)
{
	if (fetch)
		loom_root_close(&fetch->cache);
}

static void name_of(struct loom_str url, struct loom_buf *out)
{
	struct loom_hash hash = loom_sha256(url);

	loom_hash_hex(&hash, out);
}

static bool take_from_cache(const struct loom_fetch *fetch, struct loom_str name,
			    struct loom_buf *body, struct loom_buf *type)
{
	struct loom_buf kept = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest;
	struct loom_str line;
	bool had = false;

	if (fetch->cache.fd >= 0 &&
	    loom_file_read(&fetch->cache, name, NULL, &kept, NULL) == LOOM_OK) {
		rest = loom_buf_str(&kept);
		had = loom_str_line(&rest, &line);
		if (had) {
			loom_buf_add(type, line);
			loom_buf_add(body, rest);
		}
	}
	loom_buf_fini(&kept);
	return had;
}

/* Not being able to keep it is no failure: it is fetched again next time. */
static void keep(const struct loom_fetch *fetch, struct loom_str name, struct loom_str body,
		 struct loom_str type)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status kept = LOOM_OK;

	if (fetch->cache.fd < 0)
		return;
	loom_buf_add(&text, type);
	loom_buf_addc(&text, '\n');
	loom_buf_add(&text, body);
	kept = loom_file_write(&fetch->cache, name, loom_buf_str(&text),
			       &(struct loom_write_opts){.any_name = true, .mode = 0600}, NULL);
	(void)kept;
	loom_buf_fini(&text);
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
	struct loom_buf name = LOOM_BUF_INIT(128);
	enum loom_status status = LOOM_OK;

	name_of(url, &name);
	if (!take_from_cache(fetch, loom_buf_str(&name), body, type)) {
		if (fetch->opts.offline)
			status = loom_fail(err, LOOM_REFUSED, "it was not fetched before");
		else
			status = fetch_now(fetch, url, body, type, err);
		if (status == LOOM_OK && !fetch->opts.offline)
			keep(fetch, loom_buf_str(&name), loom_buf_str(body), loom_buf_str(type));
	}
	loom_buf_fini(&name);
	return status;
}
