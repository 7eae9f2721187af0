#include "support/replica.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/sql.h>
#include <loom/tree/op.h>
#include <loom/tree/open_store.h>

struct kept {
	struct loom_buf bytes;
	uint8_t uid[MODEL_ENTRY_UID];
	struct loom_hash chain;
};

struct memory_log {
	struct kept *items;
	int64_t count;
	int64_t cap;
	bool cut;
	bool turned;
};

struct memory_log *memory_log_create(void)
{
	return loom_alloc(sizeof(struct memory_log));
}

static void drop_last(struct memory_log *log)
{
	loom_buf_fini(&log->items[--log->count].bytes);
}

void memory_log_destroy(struct memory_log *log)
{
	while (log->count)
		drop_last(log);
	free(log->items);
	free(log);
}

void memory_log_lose(struct memory_log *log)
{
	drop_last(log);
}

void memory_log_cut(struct memory_log *log, bool cut)
{
	log->cut = cut;
}

int64_t memory_log_entries(const struct memory_log *log)
{
	return log->count;
}

struct loom_str memory_log_entry(const struct memory_log *log, int64_t seq)
{
	return loom_buf_str(&log->items[seq - 1].bytes);
}

/* --- the engine --- */

static struct loom_hash chain_at(const struct memory_log *log, int64_t seq)
{
	return seq ? log->items[seq - 1].chain : (struct loom_hash){{0}};
}

void memory_log_put(struct memory_log *log, struct loom_str bytes)
{
	const struct loom_hash prev = chain_at(log, log->count);
	struct kept *item;

	if (log->count == log->cap) {
		log->cap = log->cap ? log->cap * 2 : 64;
		log->items = realloc(log->items, (size_t)log->cap * sizeof *log->items);
	}
	item = &log->items[log->count++];
	loom_buf_init(&item->bytes, MODEL_ENTRY_MAX);
	loom_buf_add(&item->bytes, bytes);
	memset(item->uid, 0, sizeof item->uid);
	item->chain = model_entry_chain(&prev, bytes);
}

struct model_mark memory_log_head(const struct memory_log *log)
{
	return (struct model_mark){log->count, chain_at(log, log->count)};
}

static enum loom_status head(void *ctx, struct model_mark *out, struct loom_err *err)
{
	const struct memory_log *log = ctx;

	(void)err;
	*out = memory_log_head(log);
	return LOOM_OK;
}

static enum loom_status since(void *ctx, const struct model_reader *reader, bool *out_more,
			      struct loom_err *err)
{
	const struct memory_log *log = ctx;
	const struct loom_hash chain =
		chain_at(log, reader->from.seq <= log->count ? reader->from.seq : 0);
	enum loom_status status = LOOM_OK;

	*out_more = false;
	if (log->cut)
		return loom_fail(err, LOOM_OFFLINE, "the log is cut off");
	if (reader->from.seq > log->count || !loom_hash_eq(&chain, &reader->from.chain))
		return loom_fail(err, LOOM_CONFLICT, "the log does not have that mark");
	for (int64_t seq = reader->from.seq + 1; seq <= log->count && status == LOOM_OK; seq++)
		status = reader->each(reader->ctx,
				      &(struct model_logged){.seq = seq,
							     .bytes = memory_log_entry(log, seq)},
				      err);
	return status;
}

static enum loom_status turn(void *ctx, const struct model_reader *reader, bool *out_more,
			     struct loom_err *err)
{
	struct memory_log *log = ctx;
	enum loom_status status = LOOM_OK;

	if (log->turned)
		return loom_fail(err, LOOM_BUSY, "somebody has the turn");
	status = since(ctx, reader, out_more, err);
	log->turned = status == LOOM_OK;
	return status;
}

static void leave(void *ctx)
{
	struct memory_log *log = ctx;

	log->turned = false;
}

static enum loom_status append(void *ctx, const struct model_mark *base,
			       const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
			       struct loom_err *err)
{
	struct memory_log *log = ctx;

	if (base->seq != log->count)
		return loom_fail(err, LOOM_CONFLICT, "the log went on");
	for (int64_t i = 0; i < log->count; i++)
		if (memcmp(log->items[i].uid, uid, MODEL_ENTRY_UID) == 0)
			return loom_fail(err, LOOM_CONFLICT, "it is in already");
	memory_log_put(log, bytes);
	memcpy(log->items[log->count - 1].uid, uid, MODEL_ENTRY_UID);
	leave(log);
	return LOOM_OK;
}

static void nothing_to_close(void *ctx)
{
	(void)ctx;
}

const struct model_log memory_log_engine = {
	.turn = turn,
	.since = since,
	.head = head,
	.append = append,
	.leave = leave,
	.close = nothing_to_close,
};

/* --- replicas --- */

static void join_log(struct loom_store *store, struct memory_log *log, const struct model_mark *at)
{
	struct loom_err err = {.status = LOOM_OK};
	struct query q;

	grove_must(loom_quiet_begin(store, &err), &err, "begin");
	q = model_query(store,
			"INSERT OR REPLACE INTO remote(id, url, seq, chain) VALUES(1, '', ?, ?)",
			&err);
	model_bind(&q, at->seq);
	model_bind_blob(&q, at->chain.bytes, sizeof at->chain.bytes);
	grove_must(loom_quiet_end(store, model_run(&q), &err), &err, "join");
	grove_must(model_remote_attach(store, &memory_log_engine, log, &err), &err, "attach");
}

void replica_found(struct loom_store *store, struct memory_log *log)
{
	join_log(store, log, &(struct model_mark){.seq = 0});
}

void replica_clone(struct grove *from, struct temp *dir, struct memory_log *log,
		   struct loom_store **out)
{
	const struct model_mark at = memory_log_head(log);
	struct loom_err err = {.status = LOOM_OK};
	char *inner;
	char *file;

	temp_init(dir);
	inner = temp_path(dir, ".loom");
	file = temp_path(dir, ".loom/grove.db");
	if (mkdir(inner, 0700) != 0)
		exit(99);
	grove_must(loom_store_backup(from->store, loom_str_of(file), &err), &err, "copy");
	grove_must(loom_store_open(&from->env, loom_str_of(dir->path), LOOM_WRITE, out, &err), &err,
		   "open the copy");
	free(inner);
	free(file);
	join_log(*out, log, &at);
}

void replica_settle(struct loom_store *store)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(store, &err), &err, "begin");
	model_remote_flush(store);
	grove_must(loom_quiet_end(store, LOOM_OK, &err), &err, "settle");
}

static void on_difference(void *ctx, struct loom_str what)
{
	fprintf(stderr, "%.*s\n", LOOM_STR_ARG(what));
	*(bool *)ctx = false;
}

bool replica_same(struct loom_store *one, struct loom_store *other)
{
	struct loom_err err = {.status = LOOM_OK};
	bool same = true;

	grove_must(model_rows_differ(one, other, true, on_difference, &same, &err), &err,
		   "compare");
	return same;
}
