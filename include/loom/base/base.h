/* The basics every file may rely on: attributes, counted arrays, banned calls.
 *
 * Memory: our own allocations do not fail. When the machine runs out, loom_alloc and everything
 * built on it end the program with a clear message and exit status 3; the store's journal rolls
 * back the open transaction, and an atexit handler restores the terminal. */
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

/* Calls that truncate silently, overflow or hide state do not compile. */
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

/* Asserts what our own code promises: a precondition, an invariant, a result. Input from a file, a
 * model, the network or another process is never asserted: when it is bad, that is an error. `what`
 * must have no side effect. A broken promise ends the program and names the place. Cheap assertions
 * stay on in a release; use LOOM_ASSERT_SLOW for those that need a walk. */
#define LOOM_ASSERT(what) ((what) ? (void)0 : loom_broken(#what, __FILE__, __LINE__))
#if defined(LOOM_RELEASE)
#define LOOM_ASSERT_SLOW(what) ((void)sizeof((what) ? 1 : 0))
#else
#define LOOM_ASSERT_SLOW(what) LOOM_ASSERT(what)
#endif
/* Prints which assertion failed, restores the terminal and aborts. */
void loom_broken(const char *what, const char *file, int line)
	__attribute__((noreturn, cold, nonnull));

/* Returns zeroed memory, or ends the program. The caller frees it with free(). */
void *loom_alloc(size_t size) LOOM_MUST;

/* Like realloc, for `count` items of `size` bytes with an overflow check; ends the program on
 * failure. */
void *loom_realloc(void *old, size_t count, size_t size) LOOM_MUST;

#endif
