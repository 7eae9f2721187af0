/* Following: pages are drawn once for all who read the same, and their readers are told when one
 * has become another.
 *
 * What is told is a hash; the page itself is asked for again. So a reader who is slow or was away
 * misses nothing, and none is sent what they cannot take. */
#include "inside.h"

/* Changes close together are looked at together. */
#define GATHER_MS 40
#define TICK_MS   1000
#define ALIVE     15
/* Readers who follow, in all and by one link; pages kept. */
#define LISTENERS_MAX 300
#define OF_LINK_MAX   100
#define KEPT_MAX      64

struct page_kept {
	struct page_kept *next;
	struct loom_hash pass;
	struct loom_hash wish;
	uint64_t now; /* of the door, when it was drawn … */
	int64_t hour; /* … which a form in it shows */
	struct loom_hash seen;
	struct loom_buf html;
};

struct page_listener {
	struct page_listener *next;
	struct page_door *door;
	struct loom_exchange *exchange;
	struct loom_arena *arena; /* of the wish */
	struct loom_hash pass;
	struct page_wish wish;
	struct loom_hash seen; /* what it was told last */
	uint64_t now;          /* of the door, when it was */
};

/* ---- pages kept ---- */

static struct loom_hash hash_of(const struct page_wish *wish)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_hash hash;

	loom_buf_addf(&text, "%.*s/%.*s/%.*s/%.*s/%lld/%zu", LOOM_STR_ARG(wish->secret),
		      LOOM_STR_ARG(wish->at), LOOM_STR_ARG(wish->fork), LOOM_STR_ARG(wish->talk),
		      (long long)wish->after, wish->from);
	hash = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	return hash;
}

/* Takes a page out of those kept; the oldest if there are too many and none is meant. */
static struct page_kept *take_kept(struct page_door *door, const struct loom_pass *pass,
				   const struct loom_hash *wish)
{
	struct page_kept **at = &door->kept;
	struct page_kept *kept = NULL;
	size_t count = 0;

	while (*at &&
	       (!loom_hash_eq(&(*at)->wish, wish) || !loom_hash_eq(&(*at)->pass, &pass->hash)) &&
	       (++count < KEPT_MAX))
		at = &(*at)->next;
	kept = *at;
	if (kept) {
		*at = kept->next;
		return kept;
	}
	kept = loom_alloc(sizeof *kept);
	*kept = (struct page_kept){.html = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	return kept;
}

static bool is_kept(const struct page_kept *kept, const struct page_door *door,
		    const struct loom_pass *pass, const struct loom_hash *wish)
{
	return kept->html.n && kept->now == door->now && kept->hour == page_hour(door) &&
	       loom_hash_eq(&kept->wish, wish) && loom_hash_eq(&kept->pass, &pass->hash);
}

enum loom_status page_now(struct page_door *door, const struct loom_pass *pass,
			  const struct page_wish *wish, struct loom_str *out_html,
			  struct loom_hash *out_seen, struct loom_err *err)
{
	const struct loom_hash key = hash_of(wish);
	struct page_kept *kept = NULL;
	enum loom_status status = LOOM_OK;

	if (loom_store_changed(door->grove.store))
		door->now++;
	if (wish->said) /* which one reader is told, once */
		return page_draw(door, pass, wish, NULL, out_html, out_seen, err);
	kept = take_kept(door, pass, &key);
	kept->next = door->kept;
	door->kept = kept;
	if (!is_kept(kept, door, pass, &key)) {
		loom_buf_clear(&kept->html);
		kept->pass = pass->hash;
		kept->wish = key;
		kept->now = door->now;
		kept->hour = page_hour(door);
		status = page_draw(door, pass, wish, NULL, out_html, &kept->seen, err);
		if (status == LOOM_OK)
			loom_buf_add(&kept->html, *out_html);
	}
	*out_html = loom_buf_str(&kept->html);
	*out_seen = kept->seen;
	return status;
}

/* ---- telling ---- */

/* Makes the door's helpers allocate from `arena`. */
static void scratch(struct page_door *door, struct loom_arena *arena)
{
	door->grove.arena = arena;
	door->grove.agents = NULL;
	door->grove.agent_count = door->grove.agent_cap = 0;
}

static const struct loom_pass *pass_of(const struct page_listener *listener)
{
	size_t count = 0;
	const struct loom_pass *passes = loom_passes_list(listener->door->passes, &count);

	for (size_t i = 0; i < count; i++)
		if (loom_hash_eq(&passes[i].hash, &listener->pass))
			return &passes[i];
	return NULL;
}

static void tell(struct page_listener *listener, struct loom_str what)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	loom_buf_addf(&text, "data: %.*s\n\n", LOOM_STR_ARG(what));
	loom_exchange_write(listener->exchange, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void tell_seen(struct page_listener *listener, const struct loom_hash *seen)
{
	struct loom_buf hex = LOOM_BUF_INIT(64);

	listener->seen = *seen;
	loom_hex(seen->bytes, 8, &hex);
	tell(listener, loom_buf_str(&hex));
	loom_buf_fini(&hex);
}

/* Looks whether a reader's page is another now. One who has not taken the last word is told later.
 */
static void look_at(struct page_listener *listener)
{
	struct page_door *door = listener->door;
	const struct loom_pass *pass = pass_of(listener);
	struct loom_arena *arena = NULL;
	struct loom_str html;
	struct loom_hash seen;
	struct loom_err ignored;

	if (!pass || loom_exchange_untaken(listener->exchange))
		return;
	arena = loom_arena_create();
	scratch(door, arena);
	listener->now = door->now;
	if (page_now(door, pass, &listener->wish, &html, &seen, &ignored) != LOOM_OK)
		memset(&seen, 0, sizeof seen);
	if (!loom_hash_eq(&seen, &listener->seen))
		tell_seen(listener, &seen);
	loom_arena_destroy(arena);
}

static void on_look(void *ctx)
{
	struct page_door *door = ctx;

	door->look = 0;
	if (loom_store_changed(door->grove.store))
		door->now++;
	for (struct page_listener *at = door->listeners; at; at = at->next)
		if (at->now != door->now)
			look_at(at);
}

static void look_soon(struct page_door *door, int64_t ms)
{
	if (!door->look && door->listeners)
		door->look = loom_loop_timer(door->loop, ms, on_look, door);
}

static void on_notice(void *ctx, int fd, unsigned events)
{
	struct page_door *door = ctx;

	(void)fd;
	(void)events;
	if (loom_watch_drain(door->watch))
		look_soon(door, GATHER_MS);
}

/* ---- looking after ---- */

static void begin_tick(struct page_door *door);

static void on_tick(void *ctx)
{
	struct page_door *door = ctx;
	bool changed = false;

	door->tick = 0;
	door->ticks++;
	(void)!loom_passes_look(door->passes, &changed, NULL);
	for (struct page_listener *at = door->listeners; at; at = at->next)
		if (!pass_of(at))
			loom_exchange_end(at->exchange);
		else if (door->ticks % ALIVE == 0 && !loom_exchange_untaken(at->exchange))
			loom_exchange_write(at->exchange, LOOM_STR(":\n\n"));
	/* Without notices, and for those who did not take the last word. */
	look_soon(door, 0);
	begin_tick(door);
}

static void begin_tick(struct page_door *door)
{
	const bool polls = door->watch && loom_watch_fd(door->watch) < 0;

	if (door->listeners && !door->tick)
		door->tick = loom_loop_timer(door->loop, polls ? LOOM_WATCH_POLL_MS : TICK_MS,
					     on_tick, door);
}

static void begin_watch(struct page_door *door)
{
	if (door->watch)
		return;
	door->watch = loom_watch_open(door->grove.store);
	if (loom_watch_fd(door->watch) >= 0)
		loom_loop_watch(door->loop, loom_watch_fd(door->watch), LOOM_LOOP_READ, on_notice,
				door);
}

/* ---- readers ---- */

static void on_over(void *ctx)
{
	struct page_listener *listener = ctx;
	struct page_listener **at = &listener->door->listeners;

	while (*at != listener)
		at = &(*at)->next;
	*at = listener->next;
	listener->door->listener_count--;
	loom_arena_destroy(listener->arena);
	free(listener);
}

static size_t count_of(const struct page_door *door, const struct loom_pass *pass)
{
	size_t count = 0;

	for (const struct page_listener *at = door->listeners; at; at = at->next)
		count += loom_hash_eq(&at->pass, &pass->hash);
	return count;
}

static struct loom_str keep(struct page_listener *listener, struct loom_str text)
{
	return text.p ? loom_arena_str(listener->arena, text) : text;
}

static struct page_listener *create(struct page_door *door, const struct loom_pass *pass,
				    const struct page_wish *wish, struct loom_exchange *exchange)
{
	struct page_listener *listener = loom_alloc(sizeof *listener);

	*listener = (struct page_listener){.next = door->listeners,
					   .door = door,
					   .exchange = exchange,
					   .arena = loom_arena_create(),
					   .pass = pass->hash};
	listener->wish = (struct page_wish){.secret = keep(listener, wish->secret),
					    .at = keep(listener, wish->at),
					    .fork = keep(listener, wish->fork),
					    .talk = keep(listener, wish->talk),
					    .after = wish->after,
					    .from = wish->from};
	door->listeners = listener;
	door->listener_count++;
	loom_exchange_follow(exchange, on_over, listener);
	return listener;
}

void page_listen(struct page_door *door, const struct loom_pass *pass, const struct page_wish *wish,
		 struct loom_exchange *exchange)
{
	const struct loom_http_answer answer = {
		.status = 200,
		.type = "text/event-stream",
		.headers = {{"Cache-Control", LOOM_STR_INIT("no-store")},
			    {"Referrer-Policy", LOOM_STR_INIT("no-referrer")},
			    {"X-Accel-Buffering", LOOM_STR_INIT("no")}}};
	struct page_listener *listener = NULL;

	if (door->listener_count >= LISTENERS_MAX || count_of(door, pass) >= OF_LINK_MAX) {
		page_refuse(exchange, 503, "Too many readers follow this at once");
		return;
	}
	begin_watch(door);
	listener = create(door, pass, wish, exchange);
	loom_exchange_stream(exchange, &answer);
	/* What the page is now is told first: it may have changed since it was given. */
	look_at(listener);
	begin_tick(door);
}

void page_listen_close(struct page_door *door)
{
	loom_loop_timer_cancel(door->loop, door->look);
	loom_loop_timer_cancel(door->loop, door->tick);
	if (door->watch && loom_watch_fd(door->watch) >= 0)
		loom_loop_watch(door->loop, loom_watch_fd(door->watch), 0, NULL, NULL);
	loom_watch_close(door->watch);
	while (door->kept) {
		struct page_kept *next = door->kept->next;

		loom_buf_fini(&door->kept->html);
		free(door->kept);
		door->kept = next;
	}
}
