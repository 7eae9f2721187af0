/* Estimates what a text costs a model. */
#ifndef LOOM_TOKENS_H
#define LOOM_TOKENS_H

#include <stddef.h>
#include <stdint.h>

/* Estimates the tokens of a text before anybody has counted them: bytes / 4, rounded up. */
int64_t loom_token_estimate(size_t bytes);

#endif
