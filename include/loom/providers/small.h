/* The small model that writes summaries when the configuration names none: a vendor's, whose key is
 * in the environment, once a person has allowed it. */
#ifndef LOOM_SMALL_H
#define LOOM_SMALL_H

#include <loom/config/config.h>

struct loom_small {
	enum loom_api api;
	struct loom_str name;   /* of the provider: "anthropic" */
	struct loom_str vendor; /* as people call it: "Anthropic" */
	struct loom_str model;  /* the id to ask for */
	struct loom_str key_env;
	struct loom_str base_url;
};
/* Returns whether the configuration has a model that writes summaries. */
bool loom_small_configured(const struct loom_config *config, const struct loom_env *env);
/* Returns whether a vendor could write summaries that no configured model writes; fills *out with
 * texts borrowed from the configuration. */
bool loom_small_offer(const struct loom_config *config, const struct loom_env *env,
		      struct loom_small *out);

#endif
