/* The password for a server of logs. */
#ifndef LOOM_LOG_PASSWORD_H
#define LOOM_LOG_PASSWORD_H

#include <loom/base/env.h>

/* Finds the password that "logs" in the configuration names for a server, as `password` of struct
 * loom_env says. LOOM_PERMISSION if what it names cannot be used. */
enum loom_status cli_log_password(const struct loom_env *env, const struct loom_login *login,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
