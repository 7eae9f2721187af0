/* What every file of the house may rely on: attributes, counted arrays, banned calls.
 *
 * Memory: the house's own allocations do not fail. loom_alloc and everything built on it end the
 * program with a clear message and exit status 3 when the machine has no more memory; the store's
 * open transaction is rolled back by its journal, and a terminal is restored by its atexit handler.
 */
#ifndef LOOM_BASE_H
#define LOOM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOM_COUNT(array)                (sizeof(array) / sizeof((array)[0]))
#define LOOM_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define LOOM_MUST                        __attribute__((warn_unused_result))
#define LOOM_UNUSED                      __attribute__((unused))

/* Calls that truncate silently, overflow, or hide state do not compile. */
#define LOOM_BANNED(call) sorry_##call##_is_banned_here
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok
#undef atoi
#undef atol
#undef atof
#define strcpy(to, from)           LOOM_BANNED(strcpy)
#define strcat(to, from)           LOOM_BANNED(strcat)
#define strncpy(to, from, n)       LOOM_BANNED(strncpy)
#define strncat(to, from, n)       LOOM_BANNED(strncat)
#define sprintf(...)               LOOM_BANNED(sprintf)
#define vsprintf(to, format, args) LOOM_BANNED(vsprintf)
#define strtok(s, delimiters)      LOOM_BANNED(strtok)
#define atoi(s)                    LOOM_BANNED(atoi)
#define atol(s)                    LOOM_BANNED(atol)
#define atof(s)                    LOOM_BANNED(atof)

/* What our own code promises itself: a precondition, an invariant, what came of a step. What a
 * file, a model, the network or another process brings is never asserted: it is an error. `what`
 * has no effect of its own. A promise that is broken ends the program and says where. Cheap ones
 * stay on in a release; what takes a walk is LOOM_ASSERT_SLOW. */
#define LOOM_ASSERT(what) ((what) ? (void)0 : loom_broken(#what, __FILE__, __LINE__))
#if defined(LOOM_RELEASE)
#define LOOM_ASSERT_SLOW(what) ((void)sizeof((what) ? 1 : 0))
#else
#define LOOM_ASSERT_SLOW(what) LOOM_ASSERT(what)
#endif
/* Says which promise is broken, and aborts; the terminal is given back. */
void loom_broken(const char *what, const char *file, int line)
	__attribute__((noreturn, cold, nonnull));

/* Zeroed memory, or the end of the program. Caller frees with free(). */
void *loom_alloc(size_t size) LOOM_MUST;

/* As realloc for `count` items of `size` bytes, overflow checked, or the end of the program. */
void *loom_realloc(void *old, size_t count, size_t size) LOOM_MUST;

#endif
