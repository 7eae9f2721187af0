/* Questions that are asked once. They are printed to standard error and answered on standard input,
 * and only if both are terminals. */
#include <loom/cli/trust_ask.h>

#include <errno.h>
#include <unistd.h>

#include <loom/providers/small.h>
#include <loom/text/sanitise.h>

#define DETAILS_SHOWN 20

static void say(struct loom_str text)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_shown_line(&line, text, 0);
	fprintf(stderr, "%s\n", loom_buf_cstr(&line));
	loom_buf_fini(&line);
}

static void say_details(const struct loom_trust_question *question)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t shown =
		question->detail_count < DETAILS_SHOWN ? question->detail_count : DETAILS_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		loom_buf_clear(&line);
		loom_buf_addf(&line, "  %.*s", LOOM_STR_ARG(question->details[i]));
		say(loom_buf_str(&line));
	}
	if (shown < question->detail_count)
		fprintf(stderr, "  and %zu more\n", question->detail_count - shown);
	loom_buf_fini(&line);
}

static void say_question(const struct loom_trust_question *question,
			 const struct loom_trust_needs *needs)
{
	for (size_t i = 0; i < needs->count; i++)
		say(needs->items[i].said);
	say_details(question);
	if (question->about & LOOM_TRUST_GROVE)
		say(LOOM_STR(
			"Anyone who can write there can change what you and your agents read."));
	if (question->about & LOOM_TRUST_FETCH)
		say(LOOM_STR("loom would fetch from these servers, including local ones, and put "
			     "their answers into the document."));
	fputs("Do you trust it? loom asks only once; `loom trust --drop` undoes it. [y/N] ",
	      stderr);
	fflush(stderr);
}

/* Reads the first word of one line, and nothing beyond the line. */
static bool hear_yes(void)
{
	char word[8] = "";
	size_t n = 0;
	char c = 0;
	ssize_t got = 0;

	while (((got = read(STDIN_FILENO, &c, 1)) == 1 && c != '\n') || (got < 0 && errno == EINTR))
		if (got == 1 && n + 1 < sizeof word)
			word[n++] = c;
	return loom_str_eq_fold(loom_str_trim(loom_str_of(word)), LOOM_STR("y")) ||
	       loom_str_eq_fold(loom_str_trim(loom_str_of(word)), LOOM_STR("yes"));
}

static bool on_terminal(void)
{
	return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

static enum loom_status ask(const struct loom_trust_question *question, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_trust_needs needs;
	enum loom_status status =
		loom_trust_needs(question->dir, question->about, arena, &needs, err);

	if (status == LOOM_OK) {
		say_question(question, &needs);
		status = hear_yes() ? loom_trust_give(question->env, question->dir, question->about,
						      err)
				    : LOOM_REFUSED;
	}
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_trust_settle(const struct loom_trust_question *question, struct loom_err *err)
{
	struct loom_err refused = {.status = LOOM_OK};
	enum loom_status status =
		loom_trust_check(question->env, question->dir, question->about, &refused);

	if (status == LOOM_REFUSED && question->person && on_terminal())
		status = ask(question, &refused);
	if (err && status != LOOM_OK)
		*err = refused;
	return status;
}

/* ---- a vendor's small model ---- */

static bool ask_small(const struct loom_small *small)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addf(&line,
		      "%.*s can write a sentence about each text of this grove (%.*s, with the key "
		      "in %.*s).",
		      LOOM_STR_ARG(small->vendor), LOOM_STR_ARG(small->model),
		      LOOM_STR_ARG(small->key_env));
	say(loom_buf_str(&line));
	loom_buf_clear(&line);
	loom_buf_addf(&line,
		      "The texts would be sent to %.*s, and %.*s charges for it. Without it, "
		      "summaries are first sentences.",
		      LOOM_STR_ARG(small->base_url), LOOM_STR_ARG(small->vendor));
	say(loom_buf_str(&line));
	fprintf(stderr,
		"May loom send them to %.*s? It asks only once; `loom trust --drop` undoes it. "
		"[y/N] ",
		LOOM_STR_ARG(small->vendor));
	fflush(stderr);
	loom_buf_fini(&line);
	return hear_yes();
}

unsigned loom_small_settle(const struct loom_small_question *question)
{
	struct loom_buf word = LOOM_BUF_INIT(256);
	struct loom_small small;
	bool asked = false;
	bool yes = false;
	enum loom_status status = LOOM_OK;

	if (!loom_small_offer(question->config, question->env, &small))
		return 0;
	loom_buf_addf(&word, "summaries %.*s", LOOM_STR_ARG(small.name));
	status = loom_trust_answered(question->env, question->dir, loom_buf_str(&word), &asked,
				     &yes, NULL);
	if (status == LOOM_OK && !asked && question->person && on_terminal()) {
		yes = ask_small(&small);
		status = loom_trust_answer(question->env, question->dir, loom_buf_str(&word), yes,
					   NULL);
	}
	loom_buf_fini(&word);
	return status == LOOM_OK && yes ? 1u << small.api : 0;
}

bool loom_small_there(const struct loom_env *env, struct loom_str dir,
		      const struct loom_config *config)
{
	const struct loom_small_question question = {.env = env, .dir = dir, .config = config};

	return loom_small_configured(config, env) || loom_small_settle(&question) != 0;
}
