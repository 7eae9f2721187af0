/* A server's answer, whatever it says: every dialect reads it to its end, tells whole characters
 * only, and never the key. The first byte says the dialect, the second the type, the third the
 * pieces that the rest comes in. */
#include <loom/loop/loop.h>
#include <loom/base/utf8.h>

#include "tools/providers/ask.h"
#include "tests/fuzz/fuzz.h"

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	(void)ctx;
	must(choice < 3 && text.n && loom_utf8_valid(text, NULL));
	must(loom_str_find(text, LOOM_STR("k3y"), 0) == SIZE_MAX);
}

static void on_choice_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	int *ends = ctx;

	must(ends[choice]++ == 0);
	must(loom_utf8_valid(result->text, NULL));
	must(loom_json_check(result->record, NULL, NULL) == LOOM_OK);
	must(loom_str_find(result->raw, LOOM_STR("k3y"), 0) == SIZE_MAX);
	must(loom_str_find(result->record, LOOM_STR("k3y"), 0) == SIZE_MAX);
}

static void on_done(void *ctx)
{
	(void)ctx;
}

static void nothing(struct loom_generation *generation)
{
	(void)generation;
}

static void drop_nothing(struct loom_generation *generation, size_t choice)
{
	(void)generation;
	(void)choice;
}

static const struct provider_backend backend = {.begin = nothing,
						.drop = drop_nothing,
						.destroy = nothing};

/* Any dialect of any API. */
static const struct provider_dialect *dialect_at(size_t n)
{
	const struct provider_dialect *all[] = {
#define X(id, ...) provider_api_##id.text, provider_api_##id.chat,
		LOOM_API_LIST(X)
#undef X
	};
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(all); i++)
		if (all[i])
			all[count++] = all[i];
	return all[n % count];
}

static const char *const types[] = {"text/event-stream", "application/json", "application/x-ndjson",
				    "", "text/html"};

static void answer(struct provider_ask *ask, const uint8_t *data, size_t size)
{
	struct loom_http_head head = {
		.status = data[1] & 0x80 ? 500 : 200,
		.type = loom_str_of(types[data[1] % LOOM_COUNT(types)]),
		.retry_after_ms = -1,
		.should_retry = -1,
	};
	struct loom_str body = loom_str_make((const char *)data + 3, size - 3);
	size_t step = (size_t)data[2] + 1;

	provider_ask_reset(ask);
	provider_ask_head(ask, &head);
	for (size_t at = 0; at < body.n; at += step)
		provider_ask_bytes(ask, loom_str_sub(body, at, step));
	provider_ask_read_rest(ask);
	(void)provider_ask_wants_money(ask);
	if (ask->failure.status == LOOM_OK)
		provider_ask_explain_refusal(ask);
	must(strstr(ask->failure.text, "k3y") == NULL);
}

static void ask_one(struct loom_voices *voices, const uint8_t *data, size_t size)
{
	static const struct loom_str stops[] = {LOOM_STR_INIT("END"), LOOM_STR_INIT("\n\n")};
	struct provider_voice voice = {.provider = &voices->opts.config->ollama,
				       .sampling = {.stop = stops, .stop_count = 2}};
	struct loom_generate_request request = {.n = 3, .text = LOOM_STR_INIT("Once")};
	int ends[3] = {0};
	struct loom_generate_sink sink = {.chunk = on_chunk,
					  .end = on_choice_end,
					  .done = on_done,
					  .ctx = ends};
	struct loom_generation *generation = NULL;
	struct provider_ask ask = {.count = 3};

	voice.model.provider = voice.provider;
	generation =
		provider_generation_create(voices, &voice, &request, &sink, loom_arena_create());
	generation->backend = &backend;
	generation->secret = LOOM_STR("k3y");
	generation->strategy = data[0] & 0x80 ? LOOM_WAY_PREFILL : LOOM_WAY_COMPLETION;
	ask.generation = generation;
	ask.dialect = dialect_at(data[0] & 0x7f);
	answer(&ask, data, size);
	for (size_t i = 0; i < 3; i++) {
		provider_ask_release(&ask, i);
		provider_choice_end(generation, i, LOOM_FINISH_STOP, NULL);
		must(ends[i] == 1);
	}
	provider_ask_fini(&ask);
	provider_generation_destroy(generation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_loop *loop = loom_loop_create();
	struct loom_env env;
	struct loom_voices *voices = NULL;

	loom_env_init_fixed(&env, 0, 1);
	voices = loom_voices_create(&(struct loom_voices_opts){.env = &env, .loop = loop});
	if (size > 3)
		ask_one(voices, data, size);
	loom_voices_destroy(voices);
	loom_loop_destroy(loop);
	return 0;
}
