/* The tiny model behind the fake server, in two formats: llama.cpp's POST /completion and OpenAI's
 * POST /v1/completions, streamed or not, with several choices and log-probabilities of the model's
 * own distribution. */
#ifndef LOOM_TESTS_SUPPORT_TINY_SERVER_H
#define LOOM_TESTS_SUPPORT_TINY_SERVER_H

#include "support/fake.h"
#include "support/tiny.h"

struct tiny_server {
	const struct tiny *tiny;
	int pace_ms; /* between two tokens */
};

/* A fake_answer whose ctx is a struct tiny_server. */
void tiny_serve(void *ctx, const struct fake_ask *ask);

#endif
