/* The words of machines on the server: a table that is in no backup and in no standby, read and
 * written by two functions. In a turn they go with what is sent anyway. */
#include "inside.h"

#include <string.h>

void postgres_put_word(struct postgres_call *call, const struct postgres *pg)
{
	LOOM_ASSERT(pg->meets && pg->opts.machine);
	call->sql = "SELECT loom.say($1, $2, $3)";
	postgres_int(call, pg->grove);
	postgres_text(call, pg->opts.machine);
	postgres_bytes(call, pg->word.p, pg->word.n);
}

void postgres_put_others(struct postgres_call *call, const struct postgres *pg)
{
	LOOM_ASSERT(pg->meets && pg->opts.machine);
	call->sql = "SELECT machine, age, says FROM loom.others($1, $2)";
	postgres_int(call, pg->grove);
	postgres_text(call, pg->opts.machine);
}

void postgres_keep_others(struct postgres *pg, PGresult *page)
{
	if (pg->others)
		pg->lib.PQclear(pg->others);
	pg->others = page;
}

static void give(const struct postgres *pg, model_word_fn *each, void *ctx)
{
	const int rows = pg->others ? pg->lib.PQntuples(pg->others) : 0;

	for (int i = 0; i < rows; i++) {
		const int64_t age = postgres_get_big(pg, pg->others, i, 1);

		each(ctx, &(struct model_word){.machine = postgres_get(pg, pg->others, i, 0),
					       .says = postgres_get(pg, pg->others, i, 2),
					       .age = age > 0 ? age : 0});
	}
}

enum loom_status postgres_others(void *ctx, model_word_fn *each, void *each_ctx,
				 struct loom_err *err)
{
	struct postgres *pg = ctx;
	struct postgres_call call = {.sql = NULL};
	PGresult *page = NULL;
	enum loom_status status = LOOM_OK;

	if (!pg->turned) {
		status = postgres_connect(pg, err);
		if (status != LOOM_OK || !pg->meets)
			return status;
		postgres_put_others(&call, pg);
		status = postgres_run(pg, &call, 1, 1, &page, err);
		postgres_keep_others(pg, page);
	}
	if (status == LOOM_OK)
		give(pg, each, each_ctx);
	return status;
}

/* In a turn it waits for the turn's end; nobody else hears it before. */
enum loom_status postgres_say_word(void *ctx, struct loom_str word, struct loom_err *err)
{
	struct postgres *pg = ctx;
	struct postgres_call calls[2] = {{.ends = true},
					 {.sql = "SELECT pg_notify('loom_' || $1, '')"}};
	PGresult *answer = NULL;
	enum loom_status status;

	if (!pg->turned && !word.n && !pg->conn)
		return LOOM_OK; /* nobody knows of us */
	status = postgres_connect(pg, err);
	if (status != LOOM_OK || !pg->meets)
		return status;
	loom_buf_clear(&pg->word);
	loom_buf_add(&pg->word, word);
	pg->says = pg->turned;
	if (pg->turned)
		return LOOM_OK;
	postgres_put_word(&calls[0], pg);
	postgres_int(&calls[1], pg->grove);
	if (!word.n) /* a farewell: nobody waits for an answer */
		return postgres_run(pg, calls, 2, 0, &answer, err);
	status = postgres_run(pg, calls, 2, 1, &answer, err);
	if (answer)
		pg->lib.PQclear(answer);
	return status;
}
