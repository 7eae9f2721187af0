/* Short phrases that the commands share. */
#include <loom/cli/services.h>
#include <loom/language/call.h>
#include <loom/cli/open_grove.h>
#include <loom/cli/results.h>

#include <loom/engine/engine.h>
#include <loom/text/deceiving_names.h>
#include <loom/text/sanitise.h>

/* Whether a shell needs no quotes for the word. */
static bool is_plain(struct loom_str word)
{
	static const char *const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-_=+,./:@%^";

	for (size_t i = 0; i < word.n; i++)
		if ((unsigned char)word.p[i] < 0x80 && !strchr(plain, word.p[i]))
			return false;
	return word.n > 0;
}

static bool has_control(struct loom_str word)
{
	for (size_t i = 0; i < word.n; i++)
		if ((unsigned char)word.p[i] < ' ' || word.p[i] == 0x7f)
			return true;
	return false;
}

/* Adds a word as $'…', with \n for a line feed and a number for every other control character. */
static void add_escaped(struct loom_str word, struct loom_buf *out)
{
	loom_buf_adds(out, "$'");
	for (size_t i = 0; i < word.n; i++) {
		const unsigned char c = (unsigned char)word.p[i];

		if (c == '\n')
			loom_buf_adds(out, "\\n");
		else if (c < ' ' || c == 0x7f)
			loom_buf_addf(out, "\\x%02x", c);
		else if (c == '\'' || c == '\\')
			loom_buf_addf(out, "\\%c", c);
		else
			loom_buf_addc(out, (char)c);
	}
	loom_buf_addc(out, '\'');
}

void cli_add_word(struct loom_buf *out, struct loom_str word)
{
	if (is_plain(word)) {
		loom_buf_add(out, word);
		return;
	}
	if (has_control(word)) {
		add_escaped(word, out);
		return;
	}
	loom_buf_addc(out, '\'');
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '\'')
			loom_buf_adds(out, "'\\''");
		else
			loom_buf_addc(out, word.p[i]);
	loom_buf_addc(out, '\'');
}

enum loom_status cli_grove_look(struct cli_grove *grove, int64_t tree, const struct loom_call *call,
				struct loom_err *err)
{
	struct loom_engine_opts opts = {
		.store = grove->store,
		.agent = grove->actor.id,
		.tree = tree,
		.result_tokens = SIZE_MAX,
		.local = true,
	};
	struct loom_engine *engine = NULL;
	struct loom_result result;
	enum loom_status status = loom_engine_open(&opts, &engine, err);

	if (status)
		return status;
	(void)loom_engine_call(engine, call, &result);
	status = result.status;
	if (!status) {
		loom_answer_piece(grove->cli, LOOM_PLAIN, result.text);
		loom_answer_piece(grove->cli, LOOM_PLAIN, LOOM_STR("\n"));
	} else if (err)
		*err = result.err;
	loom_engine_close(engine);
	return status;
}

void cli_json_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_json_put(json, key, loom_str_of(text));
}

enum loom_status cli_agent_mark(struct cli_grove *grove, int64_t agent, struct loom_str *out,
				struct loom_err *err)
{
	struct loom_agent *agents = NULL;
	struct loom_str *marks = NULL;
	size_t count = 0;
	enum loom_status status = loom_agent_list(grove->store, grove->arena, &agents, &count, err);

	*out = LOOM_STR("");
	marks = loom_agent_marks(agents, count, grove->arena);
	for (size_t i = 0; i < count; i++)
		if (agents[i].id == agent)
			*out = marks[i];
	return status;
}

void cli_proposed_json(struct loom_json *json, const struct loom_proposal *proposal)
{
	loom_json_key(json, "list");
	loom_json_array(json);
	for (size_t i = 0; i < proposal->count; i++) {
		loom_json_object(json);
		loom_json_put_int(json, "line", proposal->calls[i].line);
		loom_json_put(json, "call", proposal->calls[i].call);
		loom_json_put(json, "target", proposal->calls[i].target);
		loom_json_put(json, "permission", proposal->calls[i].permission);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	if (!proposal->command.count)
		return;
	loom_json_key(json, "command");
	loom_json_object(json);
	loom_json_put_texts(json, "words", proposal->command.words, proposal->command.count);
	loom_json_put(json, "dir", proposal->command.dir);
	if (proposal->command.grove.p)
		loom_json_put(json, "grove", proposal->command.grove);
	if (proposal->command.input.p)
		loom_json_put(json, "input", proposal->command.input);
	loom_json_end_object(json);
}

void cli_json_time(struct loom_json *json, const char *key, int64_t ms)
{
	struct loom_buf text = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &text);
	loom_json_put(json, key, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void json_id(struct loom_json *json, const char *key, int64_t id)
{
	loom_json_key(json, key);
	if (id)
		loom_json_number(json, id);
	else
		loom_json_null(json);
}

void cli_json_result(struct loom_json *json, const struct loom_result *result)
{
	loom_json_put(json, "status", result->status ? LOOM_STR("error") : LOOM_STR("ok"));
	loom_json_key(json, "code");
	if (result->status)
		loom_json_text(json, loom_str_of(loom_status_code(result->status)));
	else
		loom_json_null(json);
	if (result->status) {
		loom_json_put(json, "hint", loom_str_of(result->err.hint));
		loom_json_put_retry(json, result->status);
	}
	loom_json_put(json, "text", result->text);
	json_id(json, "op", result->op);
}

struct loom_str cli_ago(struct cli_grove *grove, int64_t then_ms)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str copy;

	loom_time_ago(then_ms, loom_env_now(&grove->cli->env), true, &text);
	copy = loom_arena_buf(grove->arena, &text);
	loom_buf_fini(&text);
	return copy;
}

struct loom_str cli_count(struct cli_grove *grove, int64_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(64);
	struct loom_str copy;

	loom_buf_add_count(&text, (uint64_t)count);
	copy = loom_arena_buf(grove->arena, &text);
	loom_buf_fini(&text);
	return copy;
}
