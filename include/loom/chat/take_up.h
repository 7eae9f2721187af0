/* Taking up a turn that broke off, on a terminal. */
#ifndef LOOM_CHAT_TAKE_UP_H
#define LOOM_CHAT_TAKE_UP_H

#include <loom/cli/open_grove.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread.h>

/* Takes the turn up in its thread and prints it to its end, as a chat does; ^C stops it. Fails with
 * LOOM_CONFLICT when the thread has moved on, with LOOM_REFUSED when its agent is not loom-aware,
 * and as the turn does. */
enum loom_status chat_take_up(struct cli_grove *grove, const struct loom_thread *thread,
			      const struct loom_resuming *what, struct loom_err *err) LOOM_MUST;

#endif
