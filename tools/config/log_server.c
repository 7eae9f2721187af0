/* Servers of shared logs: which entry of the configuration is meant by a login. */
#include <loom/config/config.h>

const struct loom_provider *loom_config_log(const struct loom_config *config,
					    const struct loom_login *login)
{
	const struct loom_provider *found = NULL;
	size_t best = 0;

	for (size_t i = 0; i < config->log_count; i++) {
		struct loom_str host = config->logs[i].name;
		struct loom_str role = LOOM_STR("");
		const size_t at = loom_str_find_char(host, '@', 0);
		size_t weight = 1;

		if (at != SIZE_MAX) {
			role = loom_str_sub(host, 0, at);
			host = loom_str_sub(host, at + 1, host.n);
			weight += 2;
		}
		if (role.n && !(login->role && loom_str_is(role, login->role)))
			continue;
		if (!loom_str_is(host, login->host)) {
			const size_t n = strlen(login->host);

			if (!login->port || host.n <= n || host.p[n] != ':' ||
			    !loom_str_is(loom_str_sub(host, 0, n), login->host) ||
			    !loom_str_is(loom_str_sub(host, n + 1, host.n), login->port))
				continue;
			weight += 1;
		}
		if (weight > best)
			found = &config->logs[i];
		best = weight > best ? weight : best;
	}
	return found;
}
