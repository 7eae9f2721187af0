/* Estimates what a text costs a model. */
#include <loom/text/tokens.h>

int64_t loom_token_estimate(size_t bytes)
{
	return (int64_t)(bytes / 4 + (bytes % 4 != 0));
}
