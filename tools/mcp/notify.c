/* Notifies subscribers of changes. The store's watch reports that somebody wrote, the events say in
 * which trees, and the resource's contents are compared. An update is reported once, soon, and
 * never twice for one change; a client that does not keep up gets it later.
 *
 * A tree has changed when an operation touched it; a node when anything about it reads differently;
 * a context when something in it changed other than what passes by itself (times, who is here). */
#include <loom/mcp/mcp.h>

#include <loom/grove/watch.h>

/* Changes close together are handled together. */
#define GATHER_MS     30
#define RETRY_MS      250
#define LISTENERS_MAX 64
#define WATCHED_MAX   256
#define EVENTS        200

struct watched {
	struct loom_str text; /* the URI as given */
	struct mcp_uri uri;
	struct loom_hash print;
	int64_t tree;
	bool changed; /* and not yet reported */
};

/* One subscription: of the stateless era with an id, else with a single URI and no id. */
struct mcp_listener {
	struct mcp_listener *next;
	struct loom_arena *arena;
	struct mcp_outlet *outlet;
	struct loom_str id;
	struct watched *items;
	size_t count;
};

/* ---- notifying ---- */

static void tell(struct mcp *mcp, const struct mcp_listener *listener, const struct watched *item)
{
	struct loom_json *json =
		mcp_notice(mcp, listener->outlet, "notifications/resources/updated");

	loom_json_put(json, "uri", item->text);
	if (listener->id.p) {
		loom_json_key(json, "_meta");
		loom_json_object(json);
		loom_json_key(json, "io.modelcontextprotocol/subscriptionId");
		loom_json_raw(json, listener->id);
		loom_json_end_object(json);
	}
	mcp_end(mcp);
}

static void look_again(struct mcp_home *home, int64_t ms);

/* Tells a client what has changed, until it does not keep up. */
static void tell_client(struct mcp *mcp)
{
	for (struct mcp_listener *at = mcp->listeners; at; at = at->next)
		for (size_t i = 0; i < at->count; i++) {
			if (!at->items[i].changed)
				continue;
			if (at->outlet->backlog(at->outlet)) {
				look_again(mcp->home, RETRY_MS);
				return;
			}
			at->items[i].changed = false;
			tell(mcp, at, &at->items[i]);
		}
}

/* ---- looking ---- */

static void mark_tree(const struct mcp *mcp, int64_t tree)
{
	for (struct mcp_listener *at = mcp->listeners; at; at = at->next)
		for (size_t i = 0; i < at->count; i++)
			if (at->items[i].uri.what == MCP_TREE && at->items[i].tree == tree)
				at->items[i].changed = true;
}

/* Marks trees by their events since the last look. */
static void look_at_events(struct mcp_home *home)
{
	struct loom_err ignored;
	size_t count = EVENTS;

	while (count == EVENTS) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_event *events = NULL;

		if (loom_events_since(home->grove->store, home->seq, EVENTS, arena, &events, &count,
				      &ignored) != LOOM_OK)
			count = 0;
		for (size_t i = 0; i < count; i++) {
			for (const struct mcp *mcp = home->clients; mcp; mcp = mcp->next)
				mark_tree(mcp, events[i].op.tree);
			home->seq = events[i].seq;
		}
		loom_arena_destroy(arena);
	}
}

/* A resource that can no longer be read has changed, too. */
static void look_at(struct mcp *mcp, struct watched *item)
{
	struct loom_hash print;
	struct loom_err ignored;
	int64_t tree = 0;

	if (item->uri.what == MCP_TREE)
		return;
	if (mcp_resource_print(mcp, &item->uri, &print, &tree, &ignored) != LOOM_OK)
		memset(&print, 0, sizeof print);
	item->changed |= !loom_hash_eq(&print, &item->print);
	item->print = print;
}

static void look_at_all(struct mcp *mcp)
{
	for (struct mcp_listener *at = mcp->listeners; at; at = at->next)
		for (size_t i = 0; i < at->count; i++) {
			struct loom_arena *arena = loom_arena_create();

			mcp_scratch(mcp, arena);
			look_at(mcp, &at->items[i]);
			mcp_scratch(mcp, NULL);
			loom_arena_destroy(arena);
		}
}

static bool has_listeners(const struct mcp_home *home)
{
	const struct mcp *mcp = home->clients;

	while (mcp && !mcp->listeners)
		mcp = mcp->next;
	return mcp != NULL;
}

static void on_look(void *ctx)
{
	struct mcp_home *home = ctx;

	home->look = 0;
	if (loom_store_changed(home->grove->store)) {
		look_at_events(home);
		for (struct mcp *mcp = home->clients; mcp; mcp = mcp->next)
			look_at_all(mcp);
	}
	for (struct mcp *mcp = home->clients; mcp; mcp = mcp->next)
		tell_client(mcp);
	if (has_listeners(home) && loom_watch_fd(home->watch) < 0)
		look_again(home, LOOM_WATCH_POLL_MS);
}

static void look_again(struct mcp_home *home, int64_t ms)
{
	if (!home->look)
		home->look = loom_loop_timer(home->loop, ms, on_look, home);
}

static void on_notice(void *ctx, int fd, unsigned events)
{
	struct mcp_home *home = ctx;

	(void)fd;
	(void)events;
	if (loom_watch_drain(home->watch) && has_listeners(home))
		look_again(home, GATHER_MS);
}

/* ---- watching ---- */

static enum loom_status begin(struct mcp_home *home, struct loom_err *err)
{
	enum loom_status status;

	if (has_listeners(home))
		return LOOM_OK;
	status = loom_events_last(home->grove->store, &home->seq, err);
	if (status != LOOM_OK)
		return status;
	if (!home->watch) {
		home->watch = loom_watch_open(home->grove->store);
		if (loom_watch_fd(home->watch) >= 0)
			loom_loop_watch(home->loop, loom_watch_fd(home->watch), LOOM_LOOP_READ,
					on_notice, home);
	}
	(void)loom_store_changed(home->grove->store);
	if (loom_watch_fd(home->watch) < 0)
		look_again(home, LOOM_WATCH_POLL_MS);
	return LOOM_OK;
}

static void free_listener(struct mcp_listener *listener)
{
	loom_arena_destroy(listener->arena);
	free(listener);
}

void mcp_listen_stop(struct mcp *mcp)
{
	while (mcp->listeners) {
		struct mcp_listener *next = mcp->listeners->next;

		free_listener(mcp->listeners);
		mcp->listeners = next;
	}
}

void mcp_watch_close(struct mcp_home *home)
{
	loom_loop_timer_cancel(home->loop, home->look);
	home->look = 0;
	if (!home->watch)
		return;
	if (loom_watch_fd(home->watch) >= 0)
		loom_loop_watch(home->loop, loom_watch_fd(home->watch), 0, NULL, NULL);
	loom_watch_close(home->watch);
	home->watch = NULL;
}

/* ---- subscribing ---- */

static struct mcp_listener *create(struct mcp_outlet *outlet, struct loom_str id, size_t room)
{
	struct mcp_listener *listener = loom_alloc(sizeof *listener);

	listener->outlet = outlet;
	listener->arena = loom_arena_create();
	if (id.p)
		listener->id = loom_arena_str(listener->arena, id);
	listener->items = LOOM_ARENA_ARRAY(listener->arena, room, struct watched);
	return listener;
}

static enum loom_status add(struct mcp *mcp, struct mcp_listener *listener, struct loom_str text,
			    struct loom_err *err)
{
	struct watched *item = &listener->items[listener->count];
	enum loom_status status = LOOM_OK;

	item->text = loom_arena_str(listener->arena, text);
	if (!text.p || !mcp_uri_read(item->text, listener->arena, &item->uri))
		return loom_fail(err, LOOM_NOT_FOUND, "this is not a resource of loom");
	status = mcp_resource_print(mcp, &item->uri, &item->print, &item->tree, err);
	listener->count += status == LOOM_OK;
	return status;
}

/* Adds a listener, if there is room. */
static enum loom_status join(struct mcp *mcp, struct mcp_listener *listener, struct loom_err *err)
{
	size_t listeners = 0;
	size_t watched = listener->count;

	for (struct mcp_listener *at = mcp->listeners; at; at = at->next) {
		listeners++;
		watched += at->count;
	}
	if (listeners >= LISTENERS_MAX || watched > WATCHED_MAX)
		return loom_fail(err, LOOM_LIMIT, "too many resources are watched already");
	listener->next = mcp->listeners;
	mcp->listeners = listener;
	return LOOM_OK;
}

/* Finds a subscription by its URI (old era) or its id (new era). */
static struct mcp_listener **find(struct mcp *mcp, struct loom_str id, struct loom_str uri)
{
	struct mcp_listener **at = &mcp->listeners;

	while (*at && !(id.p ? (*at)->id.p && loom_str_eq((*at)->id, id)
			     : !(*at)->id.p && loom_str_eq((*at)->items[0].text, uri)))
		at = &(*at)->next;
	return at;
}

static void leave(struct mcp_listener **at)
{
	struct mcp_listener *listener = *at;

	*at = listener->next;
	free_listener(listener);
}

static struct loom_str uri_of(const struct mcp_request *request)
{
	return loom_jval_text(loom_jval_get(request->params, "uri"), request->arena);
}

static void say_nothing(struct mcp *mcp, const struct mcp_request *request)
{
	(void)mcp_begin(mcp, request);
	mcp_end(mcp);
}

void mcp_subscribe(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str uri = uri_of(request);
	struct mcp_listener *listener = NULL;
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = begin(mcp->home, &err);

	if (status == LOOM_OK && uri.p && *find(mcp, loom_str_make(NULL, 0), uri)) {
		say_nothing(mcp, request);
		return;
	}
	listener = create(mcp->outlet, loom_str_make(NULL, 0), 1);
	if (status == LOOM_OK)
		status = add(mcp, listener, uri, &err);
	if (status == LOOM_OK)
		status = join(mcp, listener, &err);
	if (status == LOOM_OK) {
		say_nothing(mcp, request);
		return;
	}
	free_listener(listener);
	mcp_refuse(mcp, request, &err);
}

void mcp_unsubscribe(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str uri = uri_of(request);
	struct mcp_listener **at = find(mcp, loom_str_make(NULL, 0), uri);

	if (uri.p && *at)
		leave(at);
	say_nothing(mcp, request);
}

/* Reports which of the requested resources are watched. The request itself stays open. */
static void acknowledge(struct mcp *mcp, const struct mcp_listener *listener)
{
	struct loom_json *json =
		mcp_notice(mcp, listener->outlet, "notifications/subscriptions/acknowledged");

	loom_json_key(json, "_meta");
	loom_json_object(json);
	loom_json_key(json, "io.modelcontextprotocol/subscriptionId");
	loom_json_raw(json, listener->id);
	loom_json_end_object(json);
	loom_json_key(json, "notifications");
	loom_json_object(json);
	if (listener->count) {
		loom_json_key(json, "resourceSubscriptions");
		loom_json_array(json);
		for (size_t i = 0; i < listener->count; i++)
			loom_json_text(json, listener->items[i].text);
		loom_json_end_array(json);
	}
	loom_json_end_object(json);
	mcp_end(mcp);
}

static enum loom_status add_all(struct mcp *mcp, const struct mcp_request *request,
				struct loom_str uris, struct mcp_listener *listener,
				struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(uris);
	struct loom_str uri;

	while (loom_jwalk_next(&walk, NULL, &uri)) {
		struct loom_err why = {.status = LOOM_OK};
		enum loom_status status =
			add(mcp, listener, loom_jval_text(uri, request->arena), &why);

		/* A resource that does not exist is not watched; the acknowledgement shows this. */
		if (status != LOOM_OK && loom_status_exit(status) > 1) {
			*err = why;
			return status;
		}
	}
	return LOOM_OK;
}

void mcp_listen(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str wanted = loom_jval_get(request->params, "notifications");
	struct loom_str uris = loom_jval_get(wanted, "resourceSubscriptions");
	struct mcp_listener *listener = NULL;
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(wanted) != LOOM_JTYPE_OBJECT || loom_jval_count(uris) > WATCHED_MAX) {
		mcp_error(mcp, request, MCP_PARAMS,
			  LOOM_STR("\"notifications\" must say what to listen to, and may name 256 "
				   "resources"));
		return;
	}
	status = begin(mcp->home, &err);
	listener = create(request->outlet, request->id, loom_jval_count(uris));
	if (status == LOOM_OK)
		status = add_all(mcp, request, uris, listener, &err);
	if (status == LOOM_OK)
		status = join(mcp, listener, &err);
	if (status == LOOM_OK) {
		acknowledge(mcp, listener);
		return;
	}
	free_listener(listener);
	mcp_refuse(mcp, request, &err);
}

bool mcp_listen_end(struct mcp *mcp, struct loom_str id)
{
	struct mcp_listener **at = find(mcp, id, id);

	if (!id.p || !*at)
		return false;
	leave(at);
	return true;
}
