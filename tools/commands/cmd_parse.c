/* `loom parse`: what a text would call, as JSON; runs nothing and needs no grove. Always succeeds
 * on a text that it could read. */
#include <loom/cli/services.h>

#include <loom/language/parse.h>

#include <loom/commands/args_of.def>
#include <loom/commands/language.def>

#define TEXT_MAX ((size_t)64 << 20)

enum loom_status cmd_parse(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str name = args_of_parse(cli)->source;
	enum loom_source source = LOOM_SOURCE_MODEL;
	struct loom_buf text;
	struct loom_buf document = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status =
		loom_cli_read(cli, args_of_parse(cli)->file.p, TEXT_MAX, &text, err);

	if (name.p && !loom_source_parse(name, &source))
		status = loom_fail(err, LOOM_FAULT, "no source %s", name.p);
	if (!status) {
		loom_parse_json(source, loom_buf_str(&text), &document);
		loom_answer_as_json(cli);
		loom_answer_json(cli, NULL, loom_buf_str(&document));
	}
	loom_buf_fini(&document);
	loom_buf_fini(&text);
	return status;
}
