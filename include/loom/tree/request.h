/* Requests: what was asked for under a 128-bit id, so that asking again does nothing twice.
 *
 * The id is that of the request's first operation; what comes behind it in the same request has ids
 * that are drawn from it. Its row is written in the transaction in which it first takes effect, and
 * the answer once all is done: whoever asks again with the same id is given that answer, and where
 * it was lost, what was done. What lies in files, and not in the grove, cannot be in one
 * transaction with that row: there it is written before, and whoever asks again after a kill is
 * told that it was begun. */
#ifndef LOOM_REQUEST_H
#define LOOM_REQUEST_H

#include <loom/base/hash.h>
#include <loom/tree/op.h>

/* An answer that is longer is not kept. */
#define LOOM_ANSWER_MAX ((size_t)1 << 16)

struct loom_request {
	struct loom_op_id id;
	struct loom_hash words; /* of what was asked, and of the name of who asks */
	struct loom_buf inputs; /* what it has read so far, a line each: "HASH NAME" */
	int64_t made;           /* operations of it so far */
	bool late;              /* somebody else had done it when it came to writing */
};

/* A ULID, 32 hex digits or a UUID; false for anything else. */
bool loom_op_id_parse(struct loom_str text, struct loom_op_id *out);

/* From now on what this connection writes is done for that request; NULL: for none. Borrowed. */
void loom_request_for(struct loom_store *store, struct loom_request *request);

struct loom_request_answer {
	bool known; /* the id was used */
	bool begun; /* what it does lies in files, and its end was never noted */
	bool same;  /* by a request with the same words */
	bool kept;  /* the rest is what was answered */
	bool json;  /* in which form */
	bool found; /* exit status 1: something was found, or a call failed */
	int64_t op; /* the operation that it was, or began with */
	struct loom_str text;
	struct loom_str inputs; /* as above */
};
/* What became of a request. */
enum loom_status loom_request_find(struct loom_store *store, const struct loom_request *request,
				   struct loom_arena *arena, struct loom_request_answer *out,
				   struct loom_err *err) LOOM_MUST;
/* Before what lies in files is changed for it: from now on the id is used, whatever becomes of it.
 * LOOM_CONFLICT, and `late`, when somebody was quicker. */
enum loom_status loom_request_intend(struct loom_store *store, struct loom_request *request,
				     struct loom_err *err) LOOM_MUST;
/* Nothing was changed for it: the id is free again. */
enum loom_status loom_request_forget(struct loom_store *store, const struct loom_request *request,
				     struct loom_err *err) LOOM_MUST;
/* Keeps the answer: its json, found, text. One that only found something is kept when it had an
 * effect. */
enum loom_status loom_request_keep(struct loom_store *store, const struct loom_request *request,
				   const struct loom_request_answer *answer,
				   struct loom_err *err) LOOM_MUST;

#endif
