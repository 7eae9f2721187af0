/* Internal to the room: a connection to the server that has the log. */
#ifndef REMOTE_POSTGRES_INSIDE_H
#define REMOTE_POSTGRES_INSIDE_H

#include <libpq-fe.h>

#include <loom/base/arena.h>
#include <loom/postgres/postgres.h>

/* The parts of libpq that are used. It is loaded with the first connection: linked, it would cost
 * every start more than the program itself takes to begin. */
/* clang-format off */
#define POSTGRES_LIB(X) \
	X(PQconninfoParse) X(PQconninfoFree) X(PQconnectStartParams) X(PQconnectPoll) X(PQfinish) \
	X(PQstatus) X(PQerrorMessage) X(PQsocket) X(PQsetnonblocking) X(PQflush) \
	X(PQconsumeInput) X(PQisBusy) X(PQgetResult) X(PQclear) X(PQresultStatus) \
	X(PQresultErrorField) X(PQntuples) X(PQgetvalue) X(PQgetlength) X(PQgetisnull) \
	X(PQsendQueryParams) X(PQenterPipelineMode) X(PQpipelineSync) X(PQnotifies) X(PQfreemem) \
	X(PQconnectionNeedsPassword) X(PQsetErrorVerbosity) X(PQsetNoticeReceiver)
/* clang-format on */

struct postgres_lib {
#define X(name) __typeof__(&(name)) name;
	POSTGRES_LIB(X)
#undef X
};

enum { POSTGRES_HOSTS = 16, POSTGRES_ROLE = 64 };

/* Where a grove's log is, as its address says it. */
struct postgres_address {
	const char *server; /* the address for libpq, without the grove */
	const char *grove;
	const char *hosts; /* for people */
};

struct postgres {
	struct postgres_lib lib;
	bool loaded;
	struct model_log_opts opts;
	struct loom_arena *arena; /* of the address */
	struct postgres_address address;
	PGconn *conn; /* NULL: not connected */
	int owed;     /* answers that nobody waits for and that are to be read first */
	bool turned;
	bool listens; /* it was asked to tell */
	bool tells;   /* and does */
	bool told;    /* something came meanwhile */
	int32_t grove;
	struct loom_hash first;
	char role[POSTGRES_ROLE];
	int32_t may;
	bool meets;           /* the server has the table of words */
	struct loom_buf word; /* to be said at the end of the turn */
	bool says;            /* there is one */
	PGresult *others;     /* the words of others; NULL: none were asked for */
};

/* --- server_address.c --- */
/* Reads an address; its parts are in the arena. LOOM_INVALID. */
enum loom_status postgres_address(struct loom_str url, struct loom_arena *arena,
				  struct postgres_address *out, struct loom_err *err) LOOM_MUST;

/* --- connection.c --- */
/* Connects unless there is a connection that works, and makes sure that the grove is there, whose
 * number it learns. LOOM_OFFLINE, LOOM_PERMISSION, LOOM_NOT_FOUND. */
enum loom_status postgres_connect(struct postgres *pg, struct loom_err *err) LOOM_MUST;
/* Connects without looking for the grove, for there may be no tables yet. */
enum loom_status postgres_connect_bare(struct postgres *pg, struct loom_err *err) LOOM_MUST;
/* Closes the connection; the next use makes another. */
void postgres_drop(struct postgres *pg);

/* --- server_call.c --- */
/* Tells all who listen that the grove with this number has news. */
#define POSTGRES_TELL "SELECT pg_notify('loom_' || $1, '')"
enum { POSTGRES_PARAMS = 6 };
/* A statement with its parameters. */
struct postgres_call {
	const char *sql;
	struct postgres_param {
		unsigned type;
		const char *p;
		int n;
		char number[8];
	} params[POSTGRES_PARAMS];
	int count;
	bool ends; /* the transaction ends with it: what follows is another */
};
void postgres_int(struct postgres_call *call, int32_t n);
void postgres_big(struct postgres_call *call, int64_t n);
/* The bytes are borrowed until the call was sent. */
void postgres_bytes(struct postgres_call *call, const void *p, size_t n);
void postgres_text(struct postgres_call *call, const char *text);

/* Sends the calls in one message and reads the answers of the first `wanted`, which the caller
 * clears; nobody waits for the others. *ms is how long it may take. A failure of any of the wanted
 * is returned, and then there are none. */
enum loom_status postgres_run(struct postgres *pg, const struct postgres_call *calls, size_t count,
			      size_t wanted, PGresult **out, struct loom_err *err) LOOM_MUST;
/* One call whose answer holds nothing. */
enum loom_status postgres_do(struct postgres *pg, const struct postgres_call *call,
			     struct loom_err *err) LOOM_MUST;
/* Asks something that is answered with a row, or none; `text` (nullable) is its parameter. */
enum loom_status postgres_ask(struct postgres *pg, const char *sql, const char *text, bool *out,
			      struct loom_err *err) LOOM_MUST;
/* Waits until the descriptor is ready, at most until then by the boot clock; false if not, or if
 * the task was cancelled. */
bool postgres_wait(const struct postgres *pg, int fd, short events, int64_t until);
/* The server's last word, on one line. */
void postgres_say(const char *message, struct loom_buf *out);

int64_t postgres_get_big(const struct postgres *pg, const PGresult *result, int row, int column);
int32_t postgres_get_int(const struct postgres *pg, const PGresult *result, int row, int column);
struct loom_str postgres_get(const struct postgres *pg, const PGresult *result, int row,
			     int column);

/* --- found.c --- */
/* Makes the table of words where there is none, if this role may. */
enum loom_status postgres_make_words(struct postgres *pg, struct loom_err *err);
enum loom_status postgres_may_found(void *ctx, struct loom_err *err);
enum loom_status postgres_found(void *ctx, const char *snapshot, const struct loom_hash *id,
				struct loom_err *err);
enum loom_status postgres_keep(void *ctx, const char *snapshot, int64_t seq, struct loom_err *err);
enum loom_status postgres_fetch(void *ctx, const char *to, struct model_mark *out,
				struct loom_err *err);
enum loom_status postgres_facts(void *ctx, struct model_log_facts *out, struct loom_err *err);

/* --- members.c --- */
enum loom_status postgres_admit(void *ctx, const char *role, int may, bool *out_made,
				struct loom_err *err);

/* --- tables.c --- */
/* The statements that make what a database of logs has, NULL-ended, and the version of that. */
extern const char *const postgres_tables[];
enum { POSTGRES_TABLES = 1 };
/* Those that make the table of words, which servers of before do not have. */
extern const char *const postgres_words[];

/* --- server_company.c --- */
/* Fills a call that says our word, or asks for those of others. */
void postgres_put_word(struct postgres_call *call, const struct postgres *pg);
void postgres_put_others(struct postgres_call *call, const struct postgres *pg);
/* Takes over the answer with the words of others; NULL is allowed. */
void postgres_keep_others(struct postgres *pg, PGresult *page);
enum loom_status postgres_say_word(void *ctx, struct loom_str word, struct loom_err *err);
enum loom_status postgres_others(void *ctx, model_word_fn *each, void *each_ctx,
				 struct loom_err *err);

#endif
