/* Inside the server: the library's functions, a connection, an exchange. */
#ifndef SERVER_INSIDE_H
#define SERVER_INSIDE_H

#include <loom/server/server.h>

#include <microhttpd.h>
#include <netinet/in.h>

/* The functions used of libmicrohttpd, which is loaded with the first server. */
/* clang-format off */
#define SERVER_LIB(X) \
	X(start_daemon) X(stop_daemon) X(get_daemon_info) X(run) X(get_timeout) \
	X(get_connection_values) X(get_connection_info) X(lookup_connection_value) \
	X(suspend_connection) X(resume_connection) X(create_response_from_buffer) \
	X(create_response_from_callback) X(add_response_header) X(queue_response) \
	X(destroy_response) X(get_reason_phrase_for) X(is_feature_supported)
/* clang-format on */
struct server_lib {
#define X(name) __typeof__(&(MHD_##name)) name;
	SERVER_LIB(X)
#undef X
};

/* One connection, from its acceptance to its end. */
struct server_line {
	struct server_line *next;
	struct server_line *prev;
	int fd;
	int64_t since; /* boot clock, of its acceptance or the end of its last exchange */
	bool served;   /* an exchange was over */
	struct loom_exchange *exchange;
};

struct loom_server {
	struct loom_server_opts opts;
	struct server_lib lib;
	struct MHD_Daemon *daemon;
	struct sockaddr_storage address;
	int listen_fd;
	int poll_fd;               /* ready when the library has something to do */
	uint64_t due;              /* timer of the library */
	uint64_t sweep;            /* timer of the next look at slow clients */
	struct server_line *lines; /* oldest first */
	struct server_line *last;
	size_t line_count;
	size_t held;   /* bytes of all bodies */
	size_t owed;   /* of all answers that are not taken yet … */
	size_t doomed; /* … and of those among them whose clients were hung up on */
	bool secure;
	bool closing;
};

enum server_state {
	SERVER_HEAD,    /* its head is being looked at */
	SERVER_BODY,    /* its body arrives */
	SERVER_ASKED,   /* the handler has it */
	SERVER_ANSWERS, /* its answer is ready, or begun */
	SERVER_QUEUED,  /* the library has its answer */
};

struct loom_exchange {
	struct loom_server *server;
	struct server_line *line;
	struct MHD_Connection *connection;
	struct loom_arena *arena;
	enum server_state state;
	struct loom_str method;
	struct loom_str path;
	struct loom_buf body;
	size_t body_max;
	struct MHD_Response *response; /* from its answer until it is queued */
	unsigned status;
	bool streams;
	bool ended; /* nothing is added to the stream */
	bool gone;  /* its client has left */
	bool suspended;
	struct loom_buf out;
	size_t taken;
	size_t owes;   /* its part in what the server owes */
	bool doomed;   /* its client was hung up on to make room */
	int64_t since; /* boot clock, of its begin or its client's last sign of life */
	int64_t until; /* for an answer in one piece; 0: not queued */
	loom_exchange_over_fn *over;
	void *over_ctx;
};

/* Puts a text's address into *out. LOOM_USAGE if it is none. */
enum loom_status server_address_read(struct loom_str text, struct sockaddr_storage *out,
				     struct loom_err *err) LOOM_MUST;
/* Binds and listens; *server gets the descriptor and the address with its port. */
enum loom_status server_listen(struct loom_server *server, struct loom_err *err) LOOM_MUST;

/* Whether requests for this host ("name:port") are for this server. A name that merely resolves to
 * its address is not one of its names, or any web page could reach it. */
bool server_is_our_host(const struct loom_server *server, struct loom_str host);

/* The library's callback for a request, called again for each part of its body. */
enum MHD_Result server_on_request(void *ctx, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *bytes,
				  size_t *count, void **slot);
/* The library's callback for the end of a request. */
void server_on_over(void *ctx, struct MHD_Connection *connection, void **slot,
		    enum MHD_RequestTerminationCode why);

/* Counts bytes that the client has still to take. Where that is too much in all, those who leave
 * the most untaken are hung up on; `spared` is not. */
void server_owe(struct loom_exchange *exchange, size_t bytes, bool spared);
/* They were taken, or cannot be any more. */
void server_owe_nothing(struct loom_exchange *exchange);
/* Returns whether so many more bytes are too much to hold even for a moment. */
bool server_is_full(const struct loom_server *server, size_t bytes);
/* The library's callback for decoding a path or a parameter in place; returns the new length. */
size_t server_unescape(void *ctx, struct MHD_Connection *connection, char *text);

/* Gives an answer that is ready to the library. */
enum MHD_Result server_queue(struct loom_exchange *exchange);
/* Lets the exchange wait without the library, but for its client's leaving. */
void server_suspend(struct loom_exchange *exchange);
/* Ends the wait; harmless without one. */
void server_resume(struct loom_exchange *exchange);
/* Has the library called soon. */
void server_wake(struct loom_server *server);

#endif
