/* What a text costs a model. */
#ifndef LOOM_TOKENS_H
#define LOOM_TOKENS_H

#include <stddef.h>
#include <stdint.h>

/* What a text costs, as long as nobody has counted: bytes / 4, rounded up. */
int64_t loom_token_estimate(size_t bytes);

#endif
