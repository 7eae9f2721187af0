/* `loom parse`: shows the calls in a text as JSON. It runs nothing, needs no grove, and succeeds on
 * any text it can read. */
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
	enum loom_status status =
		loom_cli_read(cli, args_of_parse(cli)->file.p, TEXT_MAX, &text, err);

	if (name.p && !loom_source_parse(name, &source))
		status = loom_fail(err, LOOM_FAULT, "unknown source %s", name.p);
	if (!status) {
		loom_answer_as_json(cli);
		/* Straight into the answer: of a long text the document is the larger part. */
		loom_parse_json(source, loom_buf_str(&text), loom_answer_writer(cli, NULL)->out);
	}
	loom_buf_fini(&text);
	return status;
}
