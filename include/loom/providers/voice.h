/* Voices: every way to reach a model, combined into one generator (generate.h).
 *
 * A request's voice leads to a model of the configuration and to its provider's dialect, or to the
 * embedded model when nothing is set up. Settings are taken from the line first, then from the
 * grove's agent, the configured agent, its model, its provider, and the built-in defaults. */
#ifndef LOOM_VOICE_H
#define LOOM_VOICE_H

#include <loom/config/config.h>
#include <loom/providers/generate.h>
#include <loom/loop/loop.h>

struct loom_voices;

struct loom_voices_opts {
	struct loom_env *env; /* env, loop and config must outlive the voices */
	struct loom_loop *loop;
	const struct loom_config *config; /* NULL: an empty one */
	/* Why the configuration could not be read, copied; NULL: it was read. Without one the right
	 * model for an agent is unknown, and no other may speak in its name: only agents that name
	 * the embedded model in the grove itself are served. */
	const struct loom_err *config_err;
	/* The vendors whose small models may write summaries although nobody configured them, as
	 * bits 1 << enum loom_api: a person was asked (small.h). */
	unsigned small_may;
	/* Appends at most about `max` bytes of the grove's text for the embedded model to learn, in
	 * an order that depends only on the grove's state. Runs in the loop's thread. NULL: the
	 * model has only the prompt. */
	void (*grove_text)(void *ctx, size_t max, struct loom_buf *out);
	void *ctx;
};

/* Creates the voices. Copies the options. Free with loom_voices_destroy. */
struct loom_voices *loom_voices_create(const struct loom_voices_opts *opts) LOOM_MUST;
/* Frees the voices and ends every generation without calling its sink. NULL is allowed. */
void loom_voices_destroy(struct loom_voices *voices);
/* Returns the generator, which lives as long as the voices. */
const struct loom_generator *loom_voices_generator(const struct loom_voices *voices);

#endif
