/* Voices: every way to reach a model, made into one generator (generate.h).
 *
 * A request's voice leads to a model of the configuration, to its provider's dialect, and to the
 * embedded model when nothing is set up. What the line says wins over the grove's agent, that over
 * the configured agent, its model, its provider, and what is built in. */
#ifndef LOOM_VOICE_H
#define LOOM_VOICE_H

#include <loom/config/config.h>
#include <loom/providers/generate.h>
#include <loom/loop/loop.h>

struct loom_voices;

struct loom_voices_opts {
	struct loom_env *env; /* outlives the voices, as do loop and config */
	struct loom_loop *loop;
	const struct loom_config *config; /* NULL: an empty one */
	/* Why the configuration could not be read, copied; NULL: it could. Then who is asked is not
	 * known: only an agent of the grove that names the embedded model itself is heard, for
	 * nothing else may speak in another's name. */
	const struct loom_err *config_err;
	/* Appends text of the grove for the embedded model, at most about `max` bytes, in an order
	 * that only the grove's state decides. In the loop's thread. NULL: it has the prompt only.
	 */
	void (*grove_text)(void *ctx, size_t max, struct loom_buf *out);
	void *ctx;
};

/* Options are copied. Freed by loom_voices_destroy. */
struct loom_voices *loom_voices_create(const struct loom_voices_opts *opts) LOOM_MUST;
/* Ends what is under way without a word to its sinks. NULL is fine. */
void loom_voices_destroy(struct loom_voices *voices);
/* Lives as long as the voices. */
const struct loom_generator *loom_voices_generator(const struct loom_voices *voices);

#endif
