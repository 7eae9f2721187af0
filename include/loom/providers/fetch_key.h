/* Fetches a secret that the configuration names, for whoever can wait. */
#ifndef LOOM_FETCH_KEY_H
#define LOOM_FETCH_KEY_H

#include <loom/base/env.h>
#include <loom/config/config.h>

/* Appends the password that an entry of the configuration names by variable, file or program; the
 * caller wipes it. The rules for files are those for the keys of models. LOOM_MODEL with words. */
enum loom_status loom_password_fetch(struct loom_env *env, const struct loom_config *config,
				     const struct loom_provider *where, struct loom_buf *out,
				     struct loom_err *err) LOOM_MUST;

#endif
