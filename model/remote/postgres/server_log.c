/* The engine over a server: the functions of tables.c, called with the time limits of
 * server_call.c.
 *
 * Invariants: an append is named by its id, so one whose answer was lost is sent again and is done
 * once; the notice to others is a transaction of its own behind it, for one inside it would make
 * all commits of the server wait for each other. */
#include "inside.h"

#include <stdlib.h>
#include <time.h>

#include <loom/base/env.h>

/* How long a lost connection is made again: a server that is being replaced comes back. */
enum { BACK_MS = 6000, PAUSE_MS = 100, POLL_MS = 1000 };

static void put_mark(struct postgres_call *call, const struct postgres *pg,
		     const struct model_mark *mark)
{
	postgres_int(call, pg->grove);
	postgres_big(call, mark->seq);
	postgres_bytes(call, mark->chain.bytes, sizeof mark->chain.bytes);
}

/* --- again --- */

/* Something that can be done twice. */
typedef enum loom_status attempt(struct postgres *pg, void *ctx, struct loom_err *err);

static bool pauses(const struct postgres *pg, int64_t until)
{
	const int64_t now = loom_env_boot();

	(void)postgres_wait(pg, -1, 0, now + PAUSE_MS);
	return loom_env_boot() < until && loom_env_boot() - now >= PAUSE_MS;
}

/* A connection that was there before is made again for a while; without one there is one try. */
static enum loom_status persist(struct postgres *pg, attempt *run, void *ctx, struct loom_err *err)
{
	const bool was_there = pg->conn != NULL;
	const int64_t until = loom_env_boot() + BACK_MS;
	enum loom_status status = LOOM_OFFLINE;

	do {
		status = postgres_connect(pg, err);
		if (status == LOOM_OK)
			status = run(pg, ctx, err);
	} while (status == LOOM_OFFLINE && was_there && pauses(pg, until));
	return status;
}

/* --- reading --- */

struct reading {
	const struct model_reader *reader;
	bool turn;
	PGresult *page;
};

static enum loom_status ask_page(struct postgres *pg, void *ctx, struct loom_err *err)
{
	struct reading *reading = ctx;
	struct postgres_call calls[3] = {{.sql = "BEGIN"},
					 {.sql = reading->turn
							 ? "SELECT * FROM loom.turn($1, $2, $3)"
							 : "SELECT * FROM loom.since($1, $2, $3)"}};
	const size_t skip = reading->turn ? 0 : 1;
	const size_t end = reading->turn && pg->meets ? 3 : 2;
	PGresult *answers[3] = {NULL, NULL, NULL};
	enum loom_status status;

	put_mark(&calls[1], pg, &reading->reader->from);
	if (end == 3)
		postgres_put_others(&calls[2], pg);
	pg->turned = reading->turn;
	status = postgres_run(pg, calls + skip, end - skip, end - skip, answers + skip, err);
	if (answers[0])
		pg->lib.PQclear(answers[0]);
	reading->page = answers[1];
	if (reading->turn)
		postgres_keep_others(pg, answers[2]);
	return status;
}

static enum loom_status give(struct postgres *pg, const struct reading *reading, bool *out_more,
			     struct loom_err *err)
{
	const struct model_reader *reader = reading->reader;
	const int rows = pg->lib.PQntuples(reading->page);
	const int64_t head = rows ? postgres_get_big(pg, reading->page, 0, 0) : -1;
	struct model_logged entry = {.seq = reader->from.seq};
	enum loom_status status = LOOM_OK;

	if (head < 0)
		return loom_fail(err, LOOM_CONFLICT, "the log does not have entry %lld",
				 (long long)reader->from.seq);
	for (int i = 1; i < rows && status == LOOM_OK; i++) {
		if (postgres_get_big(pg, reading->page, i, 0) != ++entry.seq)
			return loom_fail(err, LOOM_DAMAGED, "the log lacks entry %lld",
					 (long long)entry.seq);
		entry.role = postgres_get(pg, reading->page, i, 1);
		entry.bytes = postgres_get(pg, reading->page, i, 2);
		status = reader->each(reader->ctx, &entry, err);
	}
	*out_more = entry.seq < head;
	return status;
}

static void leave(void *ctx)
{
	struct postgres *pg = ctx;
	struct postgres_call calls[3] = {{.sql = "ROLLBACK"}};
	PGresult *none[1];
	size_t count = 1;

	if (pg->says) {
		postgres_put_word(&calls[0], pg);
		calls[1] = (struct postgres_call){.sql = "COMMIT", .ends = true};
		calls[2].sql = POSTGRES_TELL;
		postgres_int(&calls[2], pg->grove);
		count = 3;
	}
	if (pg->turned && pg->conn)
		(void)!postgres_run(pg, calls, count, 0, none, NULL);
	pg->turned = pg->says = false;
}

static enum loom_status read_page(struct postgres *pg, const struct model_reader *reader, bool turn,
				  bool *out_more, struct loom_err *err)
{
	struct reading reading = {.reader = reader, .turn = turn};
	enum loom_status status = persist(pg, ask_page, &reading, err);

	LOOM_ASSERT(reader->each && reader->from.seq >= 0);
	*out_more = false;
	if (status == LOOM_OK)
		status = give(pg, &reading, out_more, err);
	if (reading.page)
		pg->lib.PQclear(reading.page);
	if (status != LOOM_OK)
		leave(pg);
	return status;
}

static enum loom_status turn(void *ctx, const struct model_reader *reader, bool *out_more,
			     struct loom_err *err)
{
	return read_page(ctx, reader, true, out_more, err);
}

static enum loom_status since(void *ctx, const struct model_reader *reader, bool *out_more,
			      struct loom_err *err)
{
	return read_page(ctx, reader, false, out_more, err);
}

static enum loom_status ask_head(struct postgres *pg, void *ctx, struct loom_err *err)
{
	struct postgres_call call = {.sql = "SELECT seq, chain FROM loom.grove WHERE id = $1"};
	struct model_mark *out = ctx;
	PGresult *answer = NULL;
	enum loom_status status;

	postgres_int(&call, pg->grove);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	if (status == LOOM_OK && pg->lib.PQntuples(answer) == 1) {
		const struct loom_str chain = postgres_get(pg, answer, 0, 1);

		out->seq = postgres_get_big(pg, answer, 0, 0);
		if (chain.n == sizeof out->chain.bytes)
			memcpy(out->chain.bytes, chain.p, chain.n);
	}
	if (answer)
		pg->lib.PQclear(answer);
	return status;
}

static enum loom_status head(void *ctx, struct model_mark *out, struct loom_err *err)
{
	*out = (struct model_mark){.seq = 0};
	return persist(ctx, ask_head, out, err);
}

/* --- writing --- */

struct appending {
	const struct model_mark *base;
	const uint8_t *uid;
	struct loom_str bytes;
	int32_t what;
	int64_t seq;
};

static enum loom_status send_entry(struct postgres *pg, void *ctx, struct loom_err *err)
{
	struct appending *entry = ctx;
	struct postgres_call calls[4] = {{.sql = NULL}};
	struct postgres_call *call = calls;
	const size_t at = pg->says ? 1 : 0; /* the word before the entry */
	const size_t wanted = at + (pg->turned ? 2 : 1);
	PGresult *answers[3] = {NULL, NULL, NULL};
	enum loom_status status;

	LOOM_ASSERT(!pg->says || pg->turned);
	if (pg->says)
		postgres_put_word(call++, pg);
	call->sql = "SELECT * FROM loom.append($1, $2, $3, $4, $5)";
	call->ends = !pg->turned;
	put_mark(call, pg, entry->base);
	postgres_bytes(call, entry->uid, MODEL_ENTRY_UID);
	postgres_bytes(call++, entry->bytes.p, entry->bytes.n);
	if (pg->turned)
		*call++ = (struct postgres_call){.sql = "COMMIT", .ends = true};
	call->sql = POSTGRES_TELL;
	postgres_int(call, pg->grove);
	status = postgres_run(pg, calls, wanted + 1, wanted, answers, err);
	if (status == LOOM_OK) {
		pg->turned = pg->says = false;
		entry->what = postgres_get_int(pg, answers[at], 0, 0);
		entry->seq = postgres_get_big(pg, answers[at], 0, 1);
	}
	for (size_t i = 0; i < LOOM_COUNT(answers); i++)
		if (answers[i])
			pg->lib.PQclear(answers[i]);
	return status;
}

static enum loom_status append(void *ctx, const struct model_mark *base,
			       const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
			       struct loom_err *err)
{
	struct appending entry = {.base = base, .uid = uid, .bytes = bytes, .what = 1};
	enum loom_status status;

	LOOM_ASSERT(bytes.n && bytes.n <= MODEL_ENTRY_MAX);
	status = persist(ctx, send_entry, &entry, err);
	leave(ctx);
	if (status != LOOM_OK || entry.what == 0 || (entry.what == 2 && entry.seq == base->seq + 1))
		return status;
	return loom_fail(err, LOOM_CONFLICT,
			 entry.what == 2 ? "this entry is in the log already"
					 : "the shared log went on");
}

/* --- being told --- */

static bool hear(void *ctx)
{
	struct postgres *pg = ctx;
	bool told = pg->told;
	PGnotify *notice = NULL;

	if (pg->conn && !pg->lib.PQconsumeInput(pg->conn))
		postgres_drop(pg);
	while (pg->conn && (notice = pg->lib.PQnotifies(pg->conn)) != NULL) {
		told = true;
		pg->lib.PQfreemem(notice);
	}
	pg->told = false;
	return told;
}

/* A pool of connections may take the wish and never tell, so we tell ourselves something first. */
static enum loom_status listen_to(struct postgres *pg, void *ctx, struct loom_err *err)
{
	char sql[40];
	struct postgres_call calls[3] = {{.sql = sql, .ends = true},
					 {.sql = POSTGRES_TELL, .ends = true},
					 {.sql = "SELECT 1"}};
	PGresult *answers[3];
	enum loom_status status;

	(void)ctx;
	snprintf(sql, sizeof sql, "LISTEN loom_%d", pg->grove);
	postgres_int(&calls[1], pg->grove);
	status = postgres_run(pg, calls, LOOM_COUNT(calls), LOOM_COUNT(calls), answers, err);
	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(answers); i++)
		pg->lib.PQclear(answers[i]);
	if (status == LOOM_OFFLINE)
		return status;
	pg->listens = true;
	pg->told = false;
	pg->tells = status == LOOM_OK && hear(pg);
	return LOOM_OK;
}

static enum loom_status watch(void *ctx, struct model_news *out, struct loom_err *err)
{
	struct postgres *pg = ctx;
	enum loom_status status = LOOM_OK;

	if (!pg->conn || !pg->listens)
		status = persist(pg, listen_to, NULL, err);
	*out = (struct model_news){.fd = pg->conn ? pg->lib.PQsocket(pg->conn) : -1,
				   .every = pg->tells ? 0 : POLL_MS};
	return status;
}

static void close_log(void *ctx)
{
	struct postgres *pg = ctx;

	leave(pg);
	postgres_keep_others(pg, NULL);
	postgres_drop(pg);
	loom_buf_fini(&pg->word);
	loom_arena_destroy(pg->arena);
	free(pg);
}

static const struct model_log engine = {
	.turn = turn,
	.since = since,
	.head = head,
	.append = append,
	.leave = leave,
	.watch = watch,
	.hear = hear,
	.may_found = postgres_may_found,
	.found = postgres_found,
	.keep = postgres_keep,
	.fetch = postgres_fetch,
	.facts = postgres_facts,
	.admit = postgres_admit,
	.say = postgres_say_word,
	.others = postgres_others,
	.close = close_log,
};

enum loom_status model_postgres_log(const struct model_log_opts *opts, const struct model_log **out,
				    void **out_ctx, struct loom_err *err)
{
	struct postgres *pg = loom_alloc(sizeof *pg);
	enum loom_status status;

	pg->opts = *opts;
	pg->arena = loom_arena_create();
	pg->opts.machine =
		opts->machine ? loom_arena_cstr(pg->arena, loom_str_of(opts->machine)) : NULL;
	loom_buf_init(&pg->word, MODEL_WORD_MAX);
	status = postgres_address(opts->url, pg->arena, &pg->address, err);
	if (status != LOOM_OK) {
		loom_arena_destroy(pg->arena);
		free(pg);
		return status;
	}
	*out = &engine;
	*out_ctx = pg;
	return LOOM_OK;
}
