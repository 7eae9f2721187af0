/* Where a request is going and where it comes from: the host it names, and the page that sent it.
 *
 * A web page elsewhere can have its own name resolve to this machine and then ask us in its
 * reader's name (DNS rebinding). So a request must name us as we are called. */
#include "inside.h"

#include <arpa/inet.h>

#include <loom/http/http.h>

/* The name in "name:port", without a port and brackets. */
static struct loom_str name_of(struct loom_str host)
{
	const size_t bracket = loom_str_find_char(host, ']', 0);
	struct loom_str name = host;

	if (loom_str_starts(host, LOOM_STR("[")) && bracket != SIZE_MAX)
		return loom_str_sub(host, 1, bracket - 1);
	(void)loom_str_cut(&host, ':', &name);
	return name;
}

/* Whether it is an address in digits, which no name can turn into another one, that belongs to this
 * machine, or to any if we are to be reached from others. */
static bool is_address(const struct loom_server *server, struct loom_str name)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	const struct sockaddr *address = (const struct sockaddr *)(const void *)&v4;

	if (name.n >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", LOOM_STR_ARG(name));
	if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
		address = (const struct sockaddr *)(const void *)&v6;
	else if (inet_pton(AF_INET, text, &v4.sin_addr) != 1)
		return false;
	return server->opts.outside || loom_address_of(address) == LOOM_ADDRESS_SELF;
}

bool server_is_our_host(const struct loom_server *server, struct loom_str host)
{
	const struct loom_str name = name_of(host);

	for (size_t i = 0; i < server->opts.name_count; i++)
		if (loom_str_eq_fold(name, name_of(server->opts.names[i])))
			return true;
	return loom_str_eq_fold(name, LOOM_STR("localhost")) || is_address(server, name);
}

bool loom_exchange_is_foreign(const struct loom_exchange *exchange, bool null_too)
{
	struct loom_str origin = loom_exchange_header(exchange, "Origin");
	size_t slashes = 0;

	if (!origin.p)
		return exchange->server->lib.lookup_connection_value(exchange->connection,
								     MHD_HEADER_KIND,
								     "Origin") != NULL;
	if (loom_str_is(origin, "null"))
		return null_too;
	slashes = loom_str_find(origin, LOOM_STR("://"), 0);
	return slashes == SIZE_MAX ||
	       !server_is_our_host(exchange->server, loom_str_sub(origin, slashes + 3, SIZE_MAX));
}
