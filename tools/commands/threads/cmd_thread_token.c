/* `loom thread checkpoint` and `restore`: a run's state as a signed token, and back. With
 * LOOM_TOKEN_SECRET, restore needs no grove, unless it takes up the run. */
#include <loom/cli/services.h>

#include <loom/chat/take_up.h>
#include <loom/log/checkpoint.h>
#include <loom/language/verb.h>

#include "log_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define TOKEN_MAX     ((size_t)16 << 20)
#define TOKEN_LIFE_MS ((int64_t)24 * 60 * 60 * 1000)

/* Adds the fingerprint of this set-up, in which the → language is the only tool. */
static void add_fingerprint(struct loom_arena *arena, struct loom_buf *out)
{
	struct loom_str *tools = LOOM_ARENA_ARRAY(arena, LOOM_VERB_COUNT, struct loom_str);
	struct loom_token_config config = {.max_steps = 8, .tools = tools};

	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++)
		tools[config.tool_count++] = loom_str_of(loom_verb_name((enum loom_verb)verb));
	loom_token_fingerprint(&config, out);
}

/* Adds LOOM_TOKEN_SECRET, which needs no grove, or else the grove's secret. */
static enum loom_status add_secret(struct loom_cli *cli, struct cli_grove *grove,
				   struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf folder = LOOM_BUF_INIT(4096);
	enum loom_status status =
		grove ? loom_store_state_dir(grove->store, &folder, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = loom_token_secret(&cli->env, loom_buf_str(&folder), out, err);
	loom_buf_fini(&folder);
	return status;
}

static bool secret_given(const struct loom_cli *cli)
{
	return loom_env_var(&cli->env, "LOOM_TOKEN_SECRET") != NULL;
}

/* Answers with one word: alone on its line, or as the only member of the object. */
static void answer_word(struct loom_cli *cli, const char *key, struct loom_str word)
{
	loom_answer_text(cli, key, word);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(word));
}

static enum loom_status say_fingerprint(struct loom_cli *cli)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	add_fingerprint(cli->arena, &text);
	answer_word(cli, "fingerprint", loom_buf_str(&text));
	loom_buf_fini(&text);
	return LOOM_OK;
}

static enum loom_status issue(struct cli_grove *grove, struct loom_str state, struct loom_buf *out,
			      struct loom_err *err)
{
	struct loom_buf secret = LOOM_BUF_INIT(4096);
	struct loom_buf fingerprint = LOOM_BUF_INIT(256);
	int64_t now = loom_env_now(&grove->cli->env);
	struct loom_token_claims claims = {
		.run_id = loom_jval_text(loom_jval_get(state, "run_id"), grove->arena),
		.request_id = loom_jval_text(loom_jval_get(state, "request_id"), grove->arena),
		.iat_ms = now,
		.expires = true,
		.exp_ms = now + TOKEN_LIFE_MS,
		.state = state,
	};
	enum loom_status status = add_secret(grove->cli, grove, &secret, err);

	add_fingerprint(grove->arena, &fingerprint);
	claims.fingerprint = loom_buf_str(&fingerprint);
	if (status == LOOM_OK)
		status = loom_token_issue(&claims, loom_buf_str(&secret), out, err);
	loom_buf_fini(&secret);
	loom_buf_fini(&fingerprint);
	return status;
}

struct checkpoint {
	struct cli_grove *grove;
	struct loom_buf *state;
};

static enum loom_status work_checkpoint(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct checkpoint *checkpoint = ctx;
	struct cli_grove *grove = checkpoint->grove;
	struct loom_run *run = NULL;
	const struct args_of_thread_checkpoint *args = args_of_thread_checkpoint(grove->cli);
	struct threads_log log = {.makes = true, .named = args->id};
	struct loom_agent agent;
	enum loom_status status = threads_log_whose(grove, args->agent, &agent, &log.whose, err);

	if (status == LOOM_OK && log.whose && log.named.p) {
		loom_fail(err, LOOM_USAGE, "loom thread checkpoint: the thread is given twice");
		status = loom_hint(err, LOOM_USAGE, "loom thread checkpoint ID, or -a AGENT");
	}
	if (status == LOOM_OK)
		status = threads_log_open(grove, store, NULL, &log, err);
	if (status == LOOM_OK)
		status = threads_log_run(store, &log, &run, err);
	if (status == LOOM_OK)
		status = loom_run_checkpoint(run, checkpoint->state, err);
	loom_run_close(run);
	loom_thread_log_close(log.keeper);
	return status;
}

static enum loom_status run_checkpoint(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_buf state = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf token = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct checkpoint checkpoint = {.grove = grove, .state = &state};
	struct cli_work work = {.what = "writing",
				.access = LOOM_WRITE,
				.run = work_checkpoint,
				.ctx = &checkpoint};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (status == LOOM_OK)
		status = issue(grove, loom_buf_str(&state), &token, err);
	if (status == LOOM_OK)
		answer_word(grove->cli, "token", loom_buf_str(&token));
	loom_buf_fini(&state);
	loom_buf_fini(&token);
	return status;
}

enum loom_status cmd_thread_checkpoint(struct loom_cli *cli, struct loom_err *err)
{
	if (args_of_thread_checkpoint(cli)->fingerprint)
		return say_fingerprint(cli);
	return cli_grove_run(cli, NULL, run_checkpoint, err);
}

/* Refuses a token; the reason is the first word of the line. */
static enum loom_status refuse_token(struct loom_cli *cli, const char *wrong, struct loom_err *err)
{
	struct loom_err said = {.status = LOOM_REFUSED};

	loom_fail(&said, LOOM_REFUSED, "the token is refused");
	loom_out_error(cli->out, wrong, &said);
	loom_err_clear(err);
	return LOOM_REFUSED;
}

/* The thread whose run the token is about: it does not say. */
static enum loom_status find_thread(struct cli_grove *grove, struct loom_thread *out,
				    struct loom_err *err)
{
	const struct args_of_thread_restore *args = args_of_thread_restore(grove->cli);
	const struct loom_agent *whose = NULL;
	struct loom_agent agent;
	enum loom_status status = threads_log_whose(grove, args->agent, &agent, &whose, err);

	if (status != LOOM_OK)
		return status;
	return whose ? threads_log_of(grove, whose, out, err)
		     : threads_log_find(grove, args->thread, out, err);
}

static enum loom_status take_up(struct cli_grove *grove, const struct loom_token *token,
				struct loom_err *err)
{
	const struct loom_str state = token->claims.state;
	struct loom_resuming what = {
		.request_id = token->claims.request_id,
		.run_id = token->claims.run_id,
		.lane = loom_jval_text(loom_jval_get(state, "context_ref"), grove->arena),
		.entries = loom_jval_get(loom_jval_get(state, "context"), "entries"),
		.seq = LOOM_SEQ_NONE,
		.from_seq = LOOM_SEQ_NONE,
	};
	struct loom_thread thread;
	enum loom_status status = LOOM_OK;

	(void)loom_jval_int(loom_jval_get(state, "seq"), &what.seq);
	if (!loom_str_is(token->status, LOOM_TOKEN_RUNNING) &&
	    !loom_str_is(token->status, LOOM_TOKEN_AWAITING) &&
	    !loom_str_is(token->status, LOOM_TOKEN_FAILED)) {
		loom_fail(err, LOOM_CONFLICT, "there is no run to take up: it is %.*s",
			  LOOM_STR_ARG(token->status));
		return loom_hint(err, LOOM_CONFLICT,
				 "`loom chat` begins a turn; `loom thread lane --restore SEQ` goes "
				 "back to a row");
	}
	status = find_thread(grove, &thread, err);
	return status == LOOM_OK ? chat_take_up(grove, &thread, &what, err) : status;
}

static enum loom_status accept_token(struct loom_cli *cli, struct cli_grove *grove,
				     const struct loom_token *token,
				     const struct loom_token_holder *holder, struct loom_err *err)
{
	struct loom_str reason = args_of_thread_restore(cli)->cancel;
	struct loom_buf fresh = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (args_of_thread_restore(cli)->resume)
		return take_up(grove, token, err);
	if (reason.p)
		status = loom_token_cancel(token, reason, holder, &fresh, err);
	if (status == LOOM_OK && reason.p) {
		answer_word(cli, "token", loom_buf_str(&fresh));
	} else if (status == LOOM_OK && args_of_thread_restore(cli)->check) {
		answer_word(cli, "check", LOOM_STR("ok"));
	} else if (status == LOOM_OK) {
		loom_answer_as_json(cli);
		loom_answer_json(cli, NULL, token->claims.state);
	}
	loom_buf_fini(&fresh);
	return status;
}

static enum loom_status read_token(struct loom_cli *cli, struct loom_buf *out, struct loom_err *err)
{
	const char *given = args_of_thread_restore(cli)->token.p;

	if (strcmp(given, "-") == 0)
		return loom_cli_read(cli, NULL, TOKEN_MAX, out, err);
	loom_buf_adds(out, given);
	return LOOM_OK;
}

/* A pipe ends the token with a newline; anything before the prefix is damage. */
static struct loom_str trim_end(struct loom_str text)
{
	struct loom_str inner = loom_str_trim(text);

	return inner.n ? loom_str_make(text.p, (size_t)(inner.p - text.p) + inner.n) : inner;
}

static enum loom_status restore(struct loom_cli *cli, struct cli_grove *grove, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(TOKEN_MAX + 1);
	struct loom_buf secret = LOOM_BUF_INIT(4096);
	struct loom_buf fingerprint = LOOM_BUF_INIT(256);
	struct loom_token token;
	enum loom_status status = read_token(cli, &text, err);

	if (status == LOOM_OK)
		status = add_secret(cli, grove, &secret, err);
	add_fingerprint(cli->arena, &fingerprint);
	if (status == LOOM_OK) {
		struct loom_token_holder holder = {.secret = loom_buf_str(&secret),
						   .fingerprint = loom_buf_str(&fingerprint),
						   .now_ms = loom_env_now(&cli->env)};
		const char *wrong = loom_token_check(trim_end(loom_buf_str(&text)), &holder,
						     cli->arena, &token);

		status = wrong ? refuse_token(cli, wrong, err)
			       : accept_token(cli, grove, &token, &holder, err);
	}
	loom_buf_fini(&text);
	loom_buf_fini(&secret);
	loom_buf_fini(&fingerprint);
	return status;
}

static enum loom_status run_restore(struct cli_grove *grove, struct loom_err *err)
{
	return restore(grove->cli, grove, err);
}

enum loom_status cmd_thread_restore(struct loom_cli *cli, struct loom_err *err)
{
	return secret_given(cli) && !args_of_thread_restore(cli)->resume
		       ? restore(cli, NULL, err)
		       : cli_grove_run(cli, NULL, run_restore, err);
}
