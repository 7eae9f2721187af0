/* Inside the endpoint: visits, and the streams of messages that go back to them. */
#ifndef MCP_VISIT_H
#define MCP_VISIT_H

#include <loom/grove/pass.h>
#include <loom/mcp/door.h>
#include <loom/mcp/mcp.h>

#define MCP_SESSION_CHARS 43

struct mcp_visit;

/* A message as it was sent, kept while its client may ask for it again. */
struct mcp_event {
	struct mcp_event *next;
	uint64_t number;
	struct loom_str text;
};

/* The messages that answer one request, or those of a session that answer none. */
struct mcp_stream {
	struct mcp_outlet outlet; /* begins it */
	struct mcp_visit *visit;
	struct mcp_stream *next;
	uint64_t number;                /* 0: of those that answer no request */
	struct loom_exchange *exchange; /* NULL: nobody takes them now */
	bool flows;              /* goes to the exchange as events, and no longer as one answer */
	bool waits;              /* goes to the exchange as one answer, when it is closed */
	bool closed;             /* nothing follows */
	struct mcp_event *first; /* oldest first */
	struct mcp_event *last;
	uint64_t last_number;
	uint64_t sent; /* the last that was given to an exchange */
	size_t bytes;  /* of the events */
	int64_t until; /* boot clock, of a closed one: kept so long; 0: not closed */
};

/* A session of the old era, or one request of the new one. */
struct mcp_visit {
	struct mcp mcp;
	struct cli_grove grove; /* ours, but for the actor */
	struct loom_arena *arena;
	struct mcp_door *door;
	struct mcp_visit *next;
	struct loom_hash pass;
	char id[MCP_SESSION_CHARS + 1]; /* "": of one request */
	struct mcp_stream *streams;
	uint64_t last_stream;
	int64_t seen; /* boot clock, of its last request */
	bool over;    /* goes as soon as its calls are gone */
};

struct mcp_door {
	struct mcp_home home;
	struct cli_grove *grove;
	struct loom_passes *passes;
	struct loom_agent only; /* id 0: any agent */
	struct mcp_visit *visits;
	uint64_t reap; /* timer */
	uint64_t tick; /* timer, while anybody is there */
	bool often;    /* it fires soon, for somebody is listening */
	unsigned ticks;
};

/* ---- streams (event_stream.c) ---- */

/* Creates a stream of a visit, to be answered through `exchange`. */
struct mcp_stream *mcp_stream_create(struct mcp_visit *visit, struct loom_exchange *exchange);
/* Returns the stream of a session for messages that answer no request. */
struct mcp_stream *mcp_stream_general(struct mcp_visit *visit);
/* After the request was handled: sends what there is as one answer, or has the rest follow. */
void mcp_stream_settle(struct mcp_stream *stream);
/* Lets `exchange` take a stream over, from the event after number `after`. */
void mcp_stream_resume(struct mcp_stream *stream, struct loom_exchange *exchange, uint64_t after);
/* Ends what its client is taking. */
void mcp_stream_hang_up(struct mcp_stream *stream);
/* Keeps the connection from looking dead. */
void mcp_stream_keep_alive(struct mcp_stream *stream);
/* Frees a stream that no call writes to. */
void mcp_stream_free(struct mcp_stream *stream);

/* ---- visits (visit.c) ---- */

/* Creates a visit for the bearer of a pass. LOOM_LIMIT if there are too many, else as finding its
 * agent fails. `session`: it has an id and stays. */
enum loom_status mcp_visit_create(struct mcp_door *door, const struct loom_pass *pass, bool session,
				  struct mcp_visit **out, struct loom_err *err) LOOM_MUST;
/* Returns whether so many requests of a pass wait that it may make no further one. */
bool mcp_door_crowded(const struct mcp_door *door, const struct loom_hash *pass);
/* Finds the session of a pass by its id; NULL if there is none. */
struct mcp_visit *mcp_visit_find(const struct mcp_door *door, const struct loom_hash *pass,
				 struct loom_str id);
/* Ends a visit: its calls stop, its streams end. */
void mcp_visit_end(struct mcp_visit *visit);
/* Frees soon what is not needed any more. */
void mcp_door_reap(struct mcp_door *door);
/* Frees at once what is not needed any more. */
void mcp_door_reap_now(struct mcp_door *door);
/* Looks after open streams from now on. */
void mcp_door_attend(struct mcp_door *door);

#endif
