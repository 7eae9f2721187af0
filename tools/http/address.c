/* Decides which addresses belong to this machine, to a private network, or to the public
 * internet. */
#include <loom/http/http.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* Blocks that are not on the public internet. */
static const struct {
	uint32_t net;
	int bits;
} private_v4[] = {
	{0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0xA9FE0000, 16}, {0xAC100000, 12},
	{0xC0000000, 24}, {0xC0A80000, 16}, {0xC6120000, 15}, {0xE0000000, 3},
};

static enum loom_address of_v4(uint32_t address)
{
	if (address >> 24 == 127)
		return LOOM_ADDRESS_SELF;
	for (size_t i = 0; i < LOOM_COUNT(private_v4); i++)
		if (address >> (32 - private_v4[i].bits) ==
		    private_v4[i].net >> (32 - private_v4[i].bits))
			return LOOM_ADDRESS_PRIVATE;
	return LOOM_ADDRESS_PUBLIC;
}

static uint32_t v4_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* Public IPv6 is 2000::/3; some addresses inside and outside it embed an IPv4 address. */
static enum loom_address of_v6(const uint8_t b[16])
{
	static const uint8_t self[16] = {[15] = 1};
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	static const uint8_t translated[12] = {0x00, 0x64, 0xFF, 0x9B};

	if (memcmp(b, self, 16) == 0)
		return LOOM_ADDRESS_SELF;
	if (memcmp(b, mapped, 12) == 0)
		return of_v4(v4_at(b + 12));
	if (memcmp(b, translated, 12) == 0)
		return of_v4(v4_at(b + 12)) == LOOM_ADDRESS_PUBLIC ? LOOM_ADDRESS_PUBLIC
								   : LOOM_ADDRESS_PRIVATE;
	if (b[0] == 0x20 && b[1] == 0x02)
		return of_v4(v4_at(b + 2)) == LOOM_ADDRESS_PUBLIC ? LOOM_ADDRESS_PUBLIC
								  : LOOM_ADDRESS_PRIVATE;
	if (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0)
		return LOOM_ADDRESS_PRIVATE;
	return b[0] >> 5 == 1 ? LOOM_ADDRESS_PUBLIC : LOOM_ADDRESS_PRIVATE;
}

enum loom_address loom_address_of(const struct sockaddr *address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof v4);
		return of_v4(ntohl(v4.sin_addr.s_addr));
	}
	if (address->sa_family == AF_INET6) {
		memcpy(&v6, address, sizeof v6);
		return of_v6(v6.sin6_addr.s6_addr);
	}
	return LOOM_ADDRESS_PRIVATE;
}
