/* The record of how a text was made: who was asked, how, and what the model reported. */
#include <loom/providers/generation.h>

#include <loom/text/mend.h>

void provider_record_text(struct loom_json *json, struct loom_str text)
{
	struct loom_buf plain = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str part;

	if (!text.n || !memchr(text.p, '\0', text.n)) {
		loom_json_text(json, text);
		return;
	}
	while (loom_str_cut(&text, '\0', &part)) {
		loom_buf_add(&plain, part);
		if (text.p)
			loom_buf_add_cp(&plain, 0xFFFD);
	}
	loom_json_text(json, loom_buf_str(&plain));
	loom_buf_fini(&plain);
}

static void put_text(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	provider_record_text(json, text);
}

static void put_count(struct loom_json *json, const char *key, int64_t n)
{
	if (n >= 0)
		loom_json_put_int(json, key, n);
}

/* The cost as reported, or by the configured prices when all counts are known. */
static double cost_of(const struct loom_model *model, const struct provider_usage *usage)
{
	if (usage->cost >= 0 || !model->priced || usage->in < 0 || usage->out < 0)
		return usage->cost;
	return ((double)usage->in * model->price_in + (double)usage->out * model->price_out) / 1e6;
}

/* An estimate of the prompt's tokens, by what is known of the model's. */
static int64_t told_tokens(const struct loom_generation *generation,
			   const struct provider_choice *choice)
{
	struct loom_text_mix mix = {.bytes = {0}};

	loom_text_mix_add(&mix, choice->body);
	return (int64_t)loom_density_tokens(&generation->facts->density, &mix);
}

static void put_usage(const struct loom_generation *generation,
		      const struct provider_choice *choice, struct loom_json *json)
{
	const struct provider_usage *usage = &choice->usage;
	double cost = cost_of(&generation->voice.model, usage);

	if (usage->in < 0 && usage->out < 0 && cost < 0 && !choice->body.n)
		return;
	loom_json_key(json, "usage");
	loom_json_object(json);
	put_count(json, "in", usage->in);
	/* nobody counted what an answer that broke off was told */
	if (usage->in < 0 && choice->body.n)
		loom_json_put_int(json, "told", told_tokens(generation, choice));
	put_count(json, "in_cached", usage->in_cached);
	put_count(json, "out", usage->out);
	if (usage->thinking > 0)
		loom_json_put_int(json, "thinking", usage->thinking);
	if (cost >= 0) {
		loom_json_key(json, "cost");
		loom_json_real(json, cost);
	}
	if (usage->shared > 1)
		loom_json_put_int(json, "choices", (int64_t)usage->shared);
	loom_json_end_object(json);
}

/* With a fixed clock the same request must give the same bytes, so nothing is measured. */
static void put_latency(const struct loom_generation *generation,
			const struct provider_choice *choice, struct loom_json *json)
{
	if (generation->voices->opts.env->now_fixed)
		return;
	loom_json_key(json, "latency_ms");
	loom_json_object(json);
	if (choice->first_ms)
		loom_json_put_int(json, "first", choice->first_ms - generation->began);
	loom_json_put_int(json, "all", loom_env_boot() - generation->began);
	loom_json_end_object(json);
}

static void put_error(const struct loom_err *why, struct loom_json *json)
{
	loom_json_key(json, "error");
	loom_json_object(json);
	loom_json_put(json, "code", loom_str_of(loom_status_code(why->status)));
	loom_json_put(json, "text", loom_str_of(why->text));
	loom_json_end_object(json);
}

static void put_tokens(const struct provider_choice *choice, struct loom_json *json)
{
	if (!choice->token_count || choice->tokens.bad != LOOM_OK)
		return;
	/* each is [text, log-probability, [[alternative, log-probability], …]] */
	loom_json_key(json, "logprobs");
	loom_json_array(json);
	loom_json_raw(json, loom_buf_str(&choice->tokens));
	loom_json_end_array(json);
}

struct loom_sampling provider_choice_sampling(const struct loom_generation *generation,
					      size_t first)
{
	struct loom_sampling sent = generation->sent;

	sent.seed = (sent.seed + (int64_t)first) & LOOM_SAMPLING_SEED_MAX;
	return sent;
}

/* The answer of a chat model that continued a text is read with a seam. */
static void put_seam(const struct loom_generation *generation, const struct provider_choice *choice,
		     struct loom_json *json)
{
	const struct loom_generate_request *request = &generation->request;
	struct loom_mended mended = {.faults = 0};

	if (generation->strategy < LOOM_WAY_PREFILL || !request->text.n || !choice->text.n)
		return;
	loom_mend(&(struct loom_joint){.before = request->text,
				       .open = request->open,
				       .came = loom_buf_str(&choice->text)},
		  &mended);
	if (loom_seam_any(&mended.seam))
		loom_seam_json(&mended.seam, json);
}

void provider_choice_record(const struct loom_generation *generation, size_t index,
			    enum loom_finish finish, const struct loom_err *why,
			    struct loom_buf *out)
{
	const struct provider_voice *voice = &generation->voice;
	const struct provider_choice *choice = &generation->choices[index];
	struct loom_sampling sent = provider_choice_sampling(generation, choice->asked_with);
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put(&json, "provider", voice->provider->name);
	loom_json_put(&json, "api", loom_str_of(loom_api_name(voice->provider->api)));
	put_text(&json, "model", voice->model.id);
	loom_json_put(&json, "alias", voice->model.alias);
	if (choice->served.n)
		put_text(&json, "served", choice->served);
	if (generation->endpoint.n)
		loom_json_put(&json, "endpoint", generation->endpoint);
	loom_json_put(&json, "strategy", loom_str_of(loom_way_name(generation->strategy)));
	if (generation->quoted)
		loom_json_put_int(&json, "quoted_lines", (int64_t)generation->quoted);
	loom_json_key(&json, "parameters");
	loom_json_object(&json);
	loom_sampling_write(&sent, &json);
	loom_json_end_object(&json);
	if (generation->allowed > sent.tokens)
		loom_json_put_int(&json, "allowed", generation->allowed);
	if (choice->thinking.n && choice->thinking.bad == LOOM_OK)
		put_text(&json, "thinking", loom_buf_str(&choice->thinking));
	if (generation->request.input.n)
		loom_json_put(&json, "input", generation->request.input);
	loom_json_put_int(&json, "choice", (int64_t)index);
	/* one of several that the same request asked for: each was told its share of the input */
	if (choice->asked > 1)
		loom_json_put_int(&json, "choices", (int64_t)choice->asked);
	loom_json_put(&json, "finish", loom_str_of(loom_finish_name(finish)));
	if (choice->stop.n)
		put_text(&json, "stop", choice->stop);
	if (finish == LOOM_FINISH_CANCELLED || finish == LOOM_FINISH_ERROR)
		loom_json_put_bool(&json, "partial", true);
	put_usage(generation, choice, &json);
	put_latency(generation, choice, &json);
	if (choice->tries > 1)
		loom_json_put_int(&json, "tries", choice->tries);
	if (why)
		put_error(why, &json);
	put_seam(generation, choice, &json);
	put_tokens(choice, &json);
	loom_json_end_object(&json);
}
