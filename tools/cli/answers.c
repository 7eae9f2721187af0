/* Answers, described once. With --json, descriptions go into the output's JSON document; otherwise
 * nowhere. Lines that are said are printed, or with --json kept until something is described.
 * Invariant with --json: bit n of `lists` is set if the emitter's container at depth n is a
 * list. */
#include <loom/cli/answers.h>

#include <assert.h>

#include <loom/cli/cli.h>
#include <loom/cli/results.h>
#include <loom/grove/grant.h>
#include <loom/text/sanitise.h>
#include <loom/tree/say_node.h>

bool loom_answer_structured(const struct loom_cli *cli)
{
	return cli->json;
}

void loom_answer_as_json(struct loom_cli *cli)
{
	cli->json = true;
}

/* --- described --- */

struct loom_json *loom_answer_writer(struct loom_cli *cli, const char *key)
{
	struct loom_answering *answer = &cli->answer;

	if (!cli->json)
		return NULL;
	if (!answer->json) {
		answer->json = loom_out_json_begin(cli->out);
		answer->lists = 0;
		loom_buf_fini(&answer->said);
		if (key)
			loom_json_object(answer->json);
	}
	if (key)
		loom_json_key(answer->json, key);
	return answer->json;
}

static void begin(struct loom_cli *cli, const char *key, bool list)
{
	struct loom_json *json = loom_answer_writer(cli, key);
	uint64_t bit;

	if (!json)
		return;
	if (list)
		loom_json_array(json);
	else
		loom_json_object(json);
	bit = (uint64_t)1 << (json->depth & 63);
	cli->answer.lists = list ? cli->answer.lists | bit : cli->answer.lists & ~bit;
}

void loom_answer_map(struct loom_cli *cli, const char *key)
{
	begin(cli, key, false);
}

void loom_answer_list(struct loom_cli *cli, const char *key)
{
	begin(cli, key, true);
}

void loom_answer_end(struct loom_cli *cli)
{
	struct loom_json *json = cli->answer.json;

	if (!cli->json)
		return;
	assert(json && json->depth > 0);
	if (cli->answer.lists >> (json->depth & 63) & 1)
		loom_json_end_array(json);
	else
		loom_json_end_object(json);
}

void loom_answer_text(struct loom_cli *cli, const char *key, struct loom_str text)
{
	struct loom_json *json = loom_answer_writer(cli, key);

	if (json)
		loom_json_text(json, text);
}

void loom_answer_maybe(struct loom_cli *cli, const char *key, struct loom_str text)
{
	if (text.n)
		loom_answer_text(cli, key, text);
	else
		loom_answer_null(cli, key);
}

void loom_answer_texts(struct loom_cli *cli, const char *key, const struct loom_str *texts,
		       size_t count)
{
	loom_answer_list(cli, key);
	for (size_t i = 0; i < count; i++)
		loom_answer_text(cli, NULL, texts[i]);
	loom_answer_end(cli);
}

void loom_answer_number(struct loom_cli *cli, const char *key, int64_t number)
{
	struct loom_json *json = loom_answer_writer(cli, key);

	if (json)
		loom_json_number(json, number);
}

void loom_answer_id(struct loom_cli *cli, const char *key, int64_t id)
{
	if (id)
		loom_answer_number(cli, key, id);
	else
		loom_answer_null(cli, key);
}

void loom_answer_flag(struct loom_cli *cli, const char *key, bool flag)
{
	struct loom_json *json = loom_answer_writer(cli, key);

	if (json)
		loom_json_bool(json, flag);
}

void loom_answer_time(struct loom_cli *cli, const char *key, int64_t ms)
{
	struct loom_buf text = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &text);
	loom_answer_text(cli, key, loom_buf_str(&text));
	loom_buf_fini(&text);
}

void loom_answer_ulid(struct loom_cli *cli, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_answer_text(cli, key, loom_str_of(text));
}

void loom_answer_permissions(struct loom_cli *cli, const char *key, unsigned may)
{
	loom_answer_list(cli, key);
	for (unsigned bit = 1; bit <= LOOM_MAY_CROSS_TREE; bit <<= 1)
		if (may & bit)
			loom_answer_text(cli, NULL,
					 loom_str_of(
						 loom_permission_name((enum loom_permission)bit)));
	loom_answer_end(cli);
}

void loom_answer_null(struct loom_cli *cli, const char *key)
{
	struct loom_json *json = loom_answer_writer(cli, key);

	if (json)
		loom_json_null(json);
}

void loom_answer_json(struct loom_cli *cli, const char *key, struct loom_str value)
{
	struct loom_json *json = loom_answer_writer(cli, key);

	if (json)
		loom_json_raw(json, value);
}

/* --- said --- */

/* Keeps a line for an answer that describes nothing. */
static void keep_said(struct loom_cli *cli, struct loom_str text)
{
	struct loom_buf *said = &cli->answer.said;

	if (cli->answer.json)
		return;
	if (!said->max)
		loom_buf_init(said, LOOM_BUF_MAX);
	loom_buf_add(said, text);
}

void loom_answer_piece(struct loom_cli *cli, enum loom_style style, struct loom_str text)
{
	if (cli->json)
		keep_said(cli, text);
	else
		loom_out_styled(cli->out, style, text);
}

void loom_answer_untouched(struct loom_cli *cli, struct loom_str text)
{
	if (cli->json)
		keep_said(cli, text);
	else
		loom_out_data(cli->out, text);
}

/* Names and titles can contain anything; a line must stay one line. */
static void say_line(struct loom_cli *cli, const char *format, va_list args) LOOM_PRINTF(2, 0);

static void say_line(struct loom_cli *cli, const char *format, va_list args)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addfv(&text, format, args);
	loom_shown_line(&line, loom_buf_str(&text), 0);
	loom_buf_addc(&line, '\n');
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&line));
	loom_buf_fini(&line);
	loom_buf_fini(&text);
}

void loom_answer_line(struct loom_cli *cli, const char *format, ...)
{
	va_list args;

	if (cli->answer.json)
		return;
	va_start(args, format);
	say_line(cli, format, args);
	va_end(args);
}

void loom_answer_done(struct loom_cli *cli, const char *format, ...)
{
	va_list args;

	if (cli->answer.json)
		return;
	loom_answer_piece(cli, LOOM_GOOD, LOOM_STR("✓"));
	loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR(" "));
	va_start(args, format);
	say_line(cli, format, args);
	va_end(args);
}

void loom_answer_page(struct loom_cli *cli, struct loom_str text)
{
	loom_answer_piece(cli, LOOM_PLAIN, text);
	if (text.n && text.p[text.n - 1] != '\n')
		loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
}

static void tell(struct loom_cli *cli, bool warn, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void tell(struct loom_cli *cli, bool warn, const char *format, va_list args)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (cli->json)
		return;
	loom_buf_addfv(&text, format, args);
	if (warn)
		loom_out_warn(cli->out, "%s", loom_buf_cstr(&text));
	else
		loom_out_note(cli->out, "%s", loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

void loom_answer_note(struct loom_cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(cli, false, format, args);
	va_end(args);
}

void loom_answer_warn(struct loom_cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(cli, true, format, args);
	va_end(args);
}

const char *loom_answer_many(struct loom_cli *cli, int64_t count, const char *one, const char *many)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 10);
	const char *copy;

	loom_show_many(count, one, many, &text);
	copy = loom_arena_buf(cli->arena, &text).p;
	loom_buf_fini(&text);
	return copy;
}

/* --- output that is no answer --- */

void loom_answer_bytes(struct loom_cli *cli, struct loom_str bytes)
{
	loom_out_data(cli->out, bytes);
}

void loom_answer_give(struct loom_cli *cli)
{
	struct loom_answering *answer = &cli->answer;

	if (!answer->json && answer->said.n) {
		struct loom_str said = loom_arena_buf(cli->arena, &answer->said);

		loom_answer_text(cli, "text", said);
	}
	if (answer->json) {
		while (answer->json->depth > 0)
			loom_answer_end(cli);
		loom_out_json_end(cli->out);
	}
	loom_answer_drop(cli);
}

void loom_answer_drop(struct loom_cli *cli)
{
	loom_buf_fini(&cli->answer.said);
	cli->answer.json = NULL;
}

FILE *loom_answer_stream(void)
{
	return stdout;
}
