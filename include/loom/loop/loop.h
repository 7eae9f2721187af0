/* One thread's event loop: descriptors, timers, signals, idle work. It sleeps in poll until
 * something happens and has no periodic wake-ups.
 *
 * A loop belongs to the thread that created it; other threads may touch nothing but a bell.
 * Callbacks may add and remove anything, themselves included, but must not run the loop. */
#ifndef LOOM_LOOP_H
#define LOOM_LOOP_H

#include <poll.h>

#include <loom/base/base.h>

struct loom_loop;

#define LOOM_LOOP_READ  1u
#define LOOM_LOOP_WRITE 2u
#define LOOM_LOOP_ERROR 4u /* reported only, never requested: hang-up, error or closed */
#define LOOM_LOOP_GONE  8u /* the other end of a connection sends nothing more */

typedef void loom_loop_fd_fn(void *ctx, int fd, unsigned events);
typedef void loom_loop_fn(void *ctx);
typedef void loom_loop_signal_fn(void *ctx, int signo);
/* Does one slice of idle work; returns false when nothing is left. */
typedef bool loom_loop_idle_fn(void *ctx);

/* Creates a loop for the calling thread; free it with loom_loop_destroy. Exits the program when the
 * system has no descriptor left for the timer. */
struct loom_loop *loom_loop_create(void) LOOM_MUST;
/* Frees the loop and unblocks the signals it had taken. Closes none of the watched descriptors.
 * NULL is allowed. */
void loom_loop_destroy(struct loom_loop *loop);

/* Calls fn whenever `fd` is ready for one of `events`, replacing any earlier watch of fd. Passing 0
 * as events ends the watch, which must happen before fd is closed. */
void loom_loop_watch(struct loom_loop *loop, int fd, unsigned events, loom_loop_fd_fn *fn,
		     void *ctx);

/* Calls fn once, `ms` from now by the boot clock, which runs on while the machine sleeps. Returns
 * the timer's id, never 0. */
uint64_t loom_loop_timer(struct loom_loop *loop, int64_t ms, loom_loop_fn *fn, void *ctx);
/* Cancels a timer. The id of a timer that has fired and 0 are ignored. */
void loom_loop_timer_cancel(struct loom_loop *loop, uint64_t id);

/* Calls fn repeatedly, one slice at a time, whenever nothing else is ready, until it returns
 * false. */
void loom_loop_idle(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx);
/* Cancels the idle work registered with this fn and ctx, if there is any. */
void loom_loop_idle_cancel(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx);

/* Blocks a signal in this thread and delivers it through the loop instead. A NULL fn gives it back.
 * Threads started later inherit the blocked mask, so a child process must be given an empty one. */
void loom_loop_signal(struct loom_loop *loop, int signo, loom_loop_signal_fn *fn, void *ctx);

/* For a caller that polls by itself: writes up to `max` descriptors that the loop waits for to
 * `out` and returns how many. Sets *timeout_ms to 0 when there is idle work. When one of them is
 * ready, call loom_loop_step(loop, 0). */
size_t loom_loop_fds(struct loom_loop *loop, struct pollfd *out, size_t max, int *timeout_ms);
/* Runs one round: waits up to `max_wait_ms` (negative: forever) and handles what is ready. Returns
 * false when nothing happened. */
bool loom_loop_step(struct loom_loop *loop, int64_t max_wait_ms);

/* Lets any thread have fn called in the loop's thread. Several rings before that call count as one.
 * Create and destroy a bell in the loop's thread, and destroy it before the loop. */
struct loom_bell;
/* Creates a bell on `loop`; free it with loom_bell_destroy. Exits the program when the system has
 * no descriptor left. */
struct loom_bell *loom_bell_create(struct loom_loop *loop, loom_loop_fn *fn, void *ctx) LOOM_MUST;
/* Frees the bell and drops a ring that was not delivered yet. NULL is allowed. */
void loom_bell_destroy(struct loom_bell *bell);
/* Rings the bell. May be called from any thread. */
void loom_bell_ring(struct loom_bell *bell);
/* Blocks until the bell has been rung, without the loop; consumes the ring and does not call fn. */
void loom_bell_wait(struct loom_bell *bell);

#endif
