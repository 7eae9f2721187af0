/* Visits: who is at the endpoint. A session lasts until its client ends it, its token is revoked,
 * or nobody has used it for a long time; since 2026 each request is a visit of its own. */
#include "visit.h"

#include <loom/base/env.h>
#include <loom/base/system.h>

/* Of one token. */
#define SESSIONS_MAX 64
#define VISITS_MAX   128
#define IDLE_MS      3600000
/* Requests of one token that wait for something. */
#define STREAMS_MAX 256
/* How often to look, while somebody listens and otherwise, and each how many of the former a
 * listener is told that we are there. */
#define OFTEN_MS    1000
#define SELDOM_MS   60000
#define ALIVE_TICKS 15

/* ---- creating ---- */

/* Whether a session may make room for another. */
static bool is_idle(const struct mcp_visit *visit)
{
	const struct mcp_stream *at = visit->streams;

	while (at && !at->exchange)
		at = at->next;
	return visit->id[0] && !visit->over && !at && !mcp_calls_any(&visit->mcp);
}

static enum loom_status make_room(struct mcp_door *door, const struct loom_hash *pass,
				  struct loom_err *err)
{
	struct mcp_visit *oldest = NULL;
	size_t sessions = 0;
	size_t visits = 0;

	for (struct mcp_visit *at = door->visits; at; at = at->next) {
		if (!loom_hash_eq(&at->pass, pass))
			continue;
		visits++;
		sessions += at->id[0] && !at->over;
		if (is_idle(at) && (!oldest || at->seen < oldest->seen))
			oldest = at;
	}
	if (sessions >= SESSIONS_MAX && oldest) {
		mcp_visit_end(oldest);
		sessions--;
	}
	if (sessions < SESSIONS_MAX && visits < VISITS_MAX)
		return LOOM_OK;
	return loom_fail(err, LOOM_LIMIT, "too many requests and sessions of this token at once");
}

static enum loom_status give_id(struct mcp_visit *visit, struct loom_err *err)
{
	struct loom_buf id = LOOM_BUF_INIT(128);
	uint8_t bytes[32];

	if (!model_random(bytes, sizeof bytes))
		return loom_fail(err, LOOM_FAULT, "the system has no randomness for a session");
	loom_base64url(loom_str_make((const char *)bytes, sizeof bytes), &id);
	LOOM_ASSERT(id.n == MCP_SESSION_CHARS);
	snprintf(visit->id, sizeof visit->id, "%s", loom_buf_cstr(&id));
	loom_buf_fini(&id);
	return LOOM_OK;
}

static enum loom_status find_agent(struct mcp_visit *visit, const struct loom_pass *pass,
				   struct loom_err *err)
{
	const struct mcp_door *door = visit->door;
	struct loom_agent agent;
	char ulid[LOOM_ULID_CHARS + 1];
	enum loom_status status;

	loom_ulid_text(&pass->opens, ulid);
	status = loom_agent_find(door->grove->store, loom_str_of(ulid), visit->arena, &agent, err);
	if (status == LOOM_NOT_FOUND)
		return loom_fail(err, LOOM_PERMISSION, "the agent of this token is gone");
	if (status == LOOM_OK && door->only.id && door->only.id != agent.id)
		return loom_fail(err, LOOM_PERMISSION, "this server is for %.*s only",
				 LOOM_STR_ARG(door->only.name));
	return status == LOOM_OK ? mcp_client_act(&visit->mcp, &agent, err) : status;
}

static void free_visit(struct mcp_visit *visit)
{
	struct mcp_visit **at = &visit->door->visits;

	while (*at != visit)
		at = &(*at)->next;
	*at = visit->next;
	while (visit->streams)
		mcp_stream_free(visit->streams);
	mcp_client_fini(&visit->mcp);
	loom_arena_destroy(visit->arena);
	free(visit);
}

enum loom_status mcp_visit_create(struct mcp_door *door, const struct loom_pass *pass, bool session,
				  struct mcp_visit **out, struct loom_err *err)
{
	struct mcp_visit *visit = NULL;
	enum loom_status status = make_room(door, &pass->hash, err);

	*out = NULL;
	if (status != LOOM_OK)
		return status;
	visit = loom_alloc(sizeof *visit);
	*visit = (struct mcp_visit){.door = door,
				    .next = door->visits,
				    .pass = pass->hash,
				    .arena = loom_arena_create(),
				    .grove = *door->grove,
				    .seen = loom_env_boot()};
	door->visits = visit;
	mcp_client_init(&visit->mcp, &door->home, NULL);
	visit->mcp.grove = &visit->grove;
	if (session)
		status = give_id(visit, err);
	if (status == LOOM_OK)
		status = find_agent(visit, pass, err);
	if (status != LOOM_OK) {
		free_visit(visit);
		return status;
	}
	visit->mcp.outlet = session ? &mcp_stream_general(visit)->outlet : NULL;
	mcp_door_attend(door);
	*out = visit;
	return LOOM_OK;
}

bool mcp_door_crowded(const struct mcp_door *door, const struct loom_hash *pass)
{
	size_t count = 0;

	for (const struct mcp_visit *at = door->visits; at; at = at->next)
		for (const struct mcp_stream *one = at->streams; one; one = one->next)
			count += one->exchange && loom_hash_eq(&at->pass, pass);
	return count >= STREAMS_MAX;
}

struct mcp_visit *mcp_visit_find(const struct mcp_door *door, const struct loom_hash *pass,
				 struct loom_str id)
{
	struct mcp_visit *at = door->visits;

	while (at && (at->over || !at->id[0] || !loom_str_is(id, at->id) ||
		      !loom_hash_eq(&at->pass, pass)))
		at = at->next;
	return at;
}

/* ---- ending ---- */

void mcp_visit_end(struct mcp_visit *visit)
{
	if (visit->over)
		return;
	visit->over = true;
	mcp_listen_stop(&visit->mcp);
	mcp_calls_stop(&visit->mcp);
	for (struct mcp_stream *at = visit->streams; at; at = at->next)
		if (!at->closed)
			mcp_stream_hang_up(at);
	mcp_door_reap(visit->door);
}

static bool is_done(const struct mcp_stream *stream, int64_t now)
{
	return stream->closed && !stream->exchange && (!stream->flows || now > stream->until);
}

static void reap_streams(struct mcp_visit *visit)
{
	const int64_t now = loom_env_boot();
	struct mcp_stream *next = NULL;

	for (struct mcp_stream *at = visit->streams; at; at = next) {
		next = at->next;
		if (is_done(at, now))
			mcp_stream_free(at);
	}
}

static bool is_taken_from(const struct mcp_visit *visit)
{
	const struct mcp_stream *at = visit->streams;

	while (at && !at->exchange)
		at = at->next;
	return at != NULL;
}

static void on_reap(void *ctx)
{
	struct mcp_door *door = ctx;
	struct mcp_visit *next = NULL;

	door->reap = 0;
	for (struct mcp_visit *at = door->visits; at; at = next) {
		next = at->next;
		if (!at->over)
			reap_streams(at);
		else if (!mcp_calls_any(&at->mcp) && !is_taken_from(at))
			free_visit(at);
	}
}

void mcp_door_reap_now(struct mcp_door *door)
{
	loom_loop_timer_cancel(door->home.loop, door->reap);
	on_reap(door);
}

void mcp_door_reap(struct mcp_door *door)
{
	if (!door->reap)
		door->reap = loom_loop_timer(door->home.loop, 0, on_reap, door);
}

/* ---- looking after ---- */

static void look_after(struct mcp_visit *visit, bool alive)
{
	if (!loom_passes_stands(visit->door->passes, &visit->pass) ||
	    (is_idle(visit) && loom_env_boot() - visit->seen > IDLE_MS)) {
		mcp_visit_end(visit);
		return;
	}
	for (struct mcp_stream *at = visit->streams; alive && at; at = at->next)
		mcp_stream_keep_alive(at);
}

static void on_tick(void *ctx)
{
	struct mcp_door *door = ctx;
	bool changed = false;

	door->tick = 0;
	door->ticks++;
	(void)!loom_passes_look(door->passes, &changed, NULL);
	for (struct mcp_visit *at = door->visits; at; at = at->next)
		if (!at->over)
			look_after(at, door->ticks % ALIVE_TICKS == 0);
	mcp_door_reap(door);
	mcp_door_attend(door);
}

void mcp_door_attend(struct mcp_door *door)
{
	const struct mcp_visit *at = door->visits;

	while (at && !is_taken_from(at))
		at = at->next;
	if (at && door->tick && !door->often) {
		loom_loop_timer_cancel(door->home.loop, door->tick);
		door->tick = 0;
	}
	if (!door->visits || door->tick)
		return;
	door->often = at != NULL;
	door->tick = loom_loop_timer(door->home.loop, at ? OFTEN_MS : SELDOM_MS, on_tick, door);
}
