/* Requests: work asked for under a 128-bit id, so that a repeated request does nothing twice.
 *
 * The id is that of the request's first operation; ids of its later operations are derived from it.
 * The request's row is written in the transaction in which it first takes effect, and the answer
 * once everything is done. A repeated request gets that answer or, if it was lost, a report of what
 * was done. Changes to files cannot share a transaction with the row: for them it is written first.
 * That request, and one of several parts, of which some may be missing, counts as begun until its
 * answer is there; repeated after a kill it is refused with the word that it was begun. */
#ifndef LOOM_REQUEST_H
#define LOOM_REQUEST_H

#include <loom/base/hash.h>
#include <loom/tree/op.h>

/* Longer answers are not stored. */
#define LOOM_ANSWER_MAX ((size_t)1 << 16)

struct loom_request {
	struct loom_op_id id;
	struct loom_hash words; /* hash of the request and the requester's name */
	struct loom_buf inputs; /* inputs read so far, one per line: "HASH NAME" */
	int64_t made;           /* operations so far */
	bool parts;             /* takes effect in several transactions */
	bool late;              /* another process had done it by the time of writing */
};

/* Parses a ULID, 32 hex digits or a UUID; false for anything else. */
bool loom_op_id_parse(struct loom_str text, struct loom_op_id *out);

/* Attributes this connection's further writes to a request; NULL: to none. Borrowed. */
void loom_request_for(struct loom_store *store, struct loom_request *request);

/* Gives the id that the next operation of the request that writes are attributed to will have;
 * false if there is no request. */
bool loom_request_next(const struct loom_store *store, struct loom_op_id *out);

/* Says of the request that writes are attributed to, if any, that it has several parts. */
void loom_request_in_parts(struct loom_store *store);

struct loom_request_answer {
	bool known; /* the id has been used */
	bool begun; /* it changes files or has several parts, and its end was never noted */
	bool same;  /* … by a request with the same words */
	bool kept;  /* the answer below was stored */
	bool json;  /* its form */
	bool found; /* exit status 1: something was found, or a call failed */
	int64_t op; /* its operation, or the first one */
	struct loom_str text;
	struct loom_str inputs; /* one per line: "HASH NAME" */
};
/* Finds out what became of a request; texts go to the arena. */
enum loom_status loom_request_find(struct loom_store *store, const struct loom_request *request,
				   struct loom_arena *arena, struct loom_request_answer *out,
				   struct loom_err *err) LOOM_MUST;
/* Notes that a request that changes files begins: from now on its id is used. Fails with
 * LOOM_CONFLICT, and sets `late`, if the id was used meanwhile. */
enum loom_status loom_request_intend(struct loom_store *store, struct loom_request *request,
				     struct loom_err *err) LOOM_MUST;
/* Notes the start of the request that writes are attributed to, if it had no effect yet; *out_noted
 * gets whether there is one. */
enum loom_status loom_request_intend_here(struct loom_store *store, bool *out_noted,
					  struct loom_err *err) LOOM_MUST;
/* Frees the id of what loom_request_intend_here noted, which has changed nothing. */
void loom_request_forget_here(struct loom_store *store);
/* Frees the id of a request that has begun; one with an operation keeps it. */
enum loom_status loom_request_forget(struct loom_store *store, const struct loom_request *request,
				     struct loom_err *err) LOOM_MUST;
/* Stores the answer's json, found and text. The answer of a request without effect is stored only
 * if nothing was found. */
enum loom_status loom_request_keep(struct loom_store *store, const struct loom_request *request,
				   const struct loom_request_answer *answer,
				   struct loom_err *err) LOOM_MUST;

#endif
