/* One thread's event loop: descriptors, timers, signals, idle work. It sleeps in poll until
 * something happens and wakes for nothing else.
 *
 * A loop belongs to the thread that made it; the one thing that another thread may touch is a
 * bell. Callbacks may add and remove anything, also themselves; they must not run the loop. */
#ifndef LOOM_LOOP_H
#define LOOM_LOOP_H

#include <poll.h>

#include <loom/base/base.h>

struct loom_loop;

#define LOOM_LOOP_READ  1u
#define LOOM_LOOP_WRITE 2u
#define LOOM_LOOP_ERROR 4u /* only told, never asked for: hung up, failed or closed */

typedef void loom_loop_fd_fn(void *ctx, int fd, unsigned events);
typedef void loom_loop_fn(void *ctx);
typedef void loom_loop_signal_fn(void *ctx, int signo);
/* A slice of idle work; false when there is no more. */
typedef bool loom_loop_idle_fn(void *ctx);

/* Ends the program when the system has no timer descriptor left. */
struct loom_loop *loom_loop_create(void) LOOM_MUST;
/* Unblocks the signals that it had taken; closes nothing that it was given. NULL is fine. */
void loom_loop_destroy(struct loom_loop *loop);

/* Watches `fd` for `events`; replaces an earlier watch of it; events 0 ends the watch. End it
 * before the descriptor is closed. */
void loom_loop_watch(struct loom_loop *loop, int fd, unsigned events, loom_loop_fd_fn *fn,
		     void *ctx);

/* Calls fn once, `ms` from now on the boot clock (sleep of the machine counts). Returns its id,
 * never 0. */
uint64_t loom_loop_timer(struct loom_loop *loop, int64_t ms, loom_loop_fn *fn, void *ctx);
/* Forgets a timer; an id that has fired, or 0, is fine. */
void loom_loop_timer_cancel(struct loom_loop *loop, uint64_t id);

/* Calls fn, a slice at a time, when nothing else is ready, until it returns false. */
void loom_loop_idle(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx);
/* Forgets the idle work of this fn and ctx. */
void loom_loop_idle_cancel(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx);

/* Takes a signal: it is blocked in this thread and told through the loop. fn NULL gives it back.
 * Threads made later inherit the blocked mask; a child process must be given an empty one. */
void loom_loop_signal(struct loom_loop *loop, int signo, loom_loop_signal_fn *fn, void *ctx);

/* For whoever waits in a poll of its own: what the loop waits for, at most `max`; returns how many.
 * *timeout_ms becomes 0 when there is idle work. When one is ready, loom_loop_step(loop, 0). */
size_t loom_loop_fds(struct loom_loop *loop, struct pollfd *out, size_t max, int *timeout_ms);
/* One round: waits at most `max_wait_ms` (negative: for ever), runs what is ready. False when
 * nothing happened. */
bool loom_loop_step(struct loom_loop *loop, int64_t max_wait_ms);

/* What another thread rings to have fn called in the loop's thread; rings before the call are one.
 * Made and destroyed in the loop's thread, before the loop is. */
struct loom_bell;
/* Ends the program when the system has no descriptor left. */
struct loom_bell *loom_bell_create(struct loom_loop *loop, loom_loop_fn *fn, void *ctx) LOOM_MUST;
/* What was rung and not yet heard is lost. NULL is fine. */
void loom_bell_destroy(struct loom_bell *bell);
/* Any thread. */
void loom_bell_ring(struct loom_bell *bell);
/* Blocks until it was rung, outside the loop; fn is not called. */
void loom_bell_wait(struct loom_bell *bell);

#endif
