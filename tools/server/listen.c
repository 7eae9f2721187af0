/* Addresses: reading them, listening at them, and naming them in URLs. An address that is not of
 * this machine alone is listened at only where the caller allows it. */
#include "inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <loom/http/http.h>

#define BACKLOG  128
#define HOST_MAX 64

static enum loom_status not_an_address(struct loom_str text, struct loom_err *err)
{
	loom_fail(err, LOOM_USAGE, "\"%.*s\" is not an address with a port", LOOM_STR_ARG(text));
	return loom_hint(err, LOOM_USAGE, "127.0.0.1:8080, or [::1]:8080; port 0 takes a free one");
}

/* Splits "127.0.0.1:80", "[::1]:80" and "80". */
static bool split(struct loom_str text, struct loom_str *host, struct loom_str *port)
{
	size_t colon = text.n;

	while (colon && text.p[colon - 1] != ':')
		colon--;
	*port = loom_str_sub(text, colon, SIZE_MAX);
	*host = colon ? loom_str_sub(text, 0, colon - 1) : LOOM_STR("127.0.0.1");
	if (loom_str_starts(*host, LOOM_STR("[")) && loom_str_ends(*host, LOOM_STR("]")))
		*host = loom_str_sub(*host, 1, host->n - 2);
	else if (loom_str_find_char(*host, ':', 0) != SIZE_MAX)
		return false;
	if (loom_str_is(*host, "localhost"))
		*host = LOOM_STR("127.0.0.1");
	return host->n > 0 && host->n < HOST_MAX;
}

enum loom_status server_address_read(struct loom_str text, struct sockaddr_storage *out,
				     struct loom_err *err)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
				       .ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	struct loom_str host;
	struct loom_str port;
	uint64_t number = 0;
	char name[HOST_MAX];
	char service[8];

	if (!split(text, &host, &port) || !loom_str_to_u64(port, &number) || number > UINT16_MAX)
		return not_an_address(text, err);
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(host));
	snprintf(service, sizeof service, "%u", (unsigned)number);
	if (getaddrinfo(name, service, &hints, &found) != 0 || found->ai_addrlen > sizeof *out) {
		if (found)
			freeaddrinfo(found);
		return not_an_address(text, err);
	}
	memset(out, 0, sizeof *out);
	memcpy(out, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return LOOM_OK;
}

static socklen_t length_of(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
					      : sizeof(struct sockaddr_in);
}

static enum loom_status refuse_outside(struct loom_str address, struct loom_err *err)
{
	loom_fail(err, LOOM_REFUSED,
		  "%.*s can be reached from other machines, and nothing would be encrypted",
		  LOOM_STR_ARG(address));
	return loom_hint(err, LOOM_REFUSED,
			 "127.0.0.1:PORT; or give --cert and --key, or --behind-proxy if a program "
			 "in front does TLS");
}

static enum loom_status say_errno(struct loom_str address, struct loom_err *err)
{
	if (errno != EADDRINUSE)
		return loom_fail_errno(err, errno, "cannot listen at %.*s", LOOM_STR_ARG(address));
	loom_fail(err, LOOM_CONFLICT, "something else listens at %.*s already",
		  LOOM_STR_ARG(address));
	return loom_hint(err, LOOM_CONFLICT, "choose another port; 0 takes a free one");
}

enum loom_status server_listen(struct loom_server *server, struct loom_err *err)
{
	struct sockaddr *address = (struct sockaddr *)(void *)&server->address;
	const struct loom_str text = server->opts.address;
	socklen_t length = sizeof server->address;
	const int on = 1;
	enum loom_status status = server_address_read(text, &server->address, err);

	if (status == LOOM_OK && !server->opts.outside &&
	    loom_address_of(address) != LOOM_ADDRESS_SELF)
		status = refuse_outside(text, err);
	if (status != LOOM_OK)
		return status;
	server->listen_fd =
		socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0)
		return loom_fail_errno(err, errno, "cannot listen");
	(void)setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(server->listen_fd, address, length_of(&server->address)) != 0 ||
	    listen(server->listen_fd, BACKLOG) != 0 ||
	    getsockname(server->listen_fd, address, &length) != 0) {
		status = say_errno(text, err);
		close(server->listen_fd);
		server->listen_fd = -1;
	}
	return status;
}

void loom_server_url(const struct loom_server *server, struct loom_buf *out)
{
	char host[INET6_ADDRSTRLEN] = "";
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	unsigned port = 0;

	loom_buf_adds(out, server->secure || server->opts.proxied ? "https://" : "http://");
	if (server->opts.proxied && server->opts.name_count) {
		loom_buf_add(out, server->opts.names[0]);
		return;
	}
	if (server->address.ss_family == AF_INET6) {
		memcpy(&v6, &server->address, sizeof v6);
		inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
		port = ntohs(v6.sin6_port);
	} else {
		memcpy(&v4, &server->address, sizeof v4);
		inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
		port = ntohs(v4.sin_port);
	}
	if (server->opts.name_count)
		loom_buf_addf(out, "%.*s:%u", LOOM_STR_ARG(server->opts.names[0]), port);
	else
		loom_buf_addf(out, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
}
