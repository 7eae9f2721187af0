/* Lists and prints the built-in themes. Needs no grove. */
#include <loom/cli/services.h>

#include <loom/base/json.h>
#include <loom/cli/themes.h>

#include <loom/commands/args_of.def>
#include <loom/commands/program.def>

enum loom_status cmd_theme_list(struct loom_cli *cli, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	const char *name = NULL;
	struct loom_str text;

	loom_answer_list(cli, "themes");
	for (size_t i = 0; status == LOOM_OK && loom_theme_at(i, &name, &text); i++) {
		cJSON *theme = NULL;
		struct loom_str about;

		status = loom_json_parse(text, NULL, &theme, err);
		about = loom_json_str(theme, "about");
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", loom_str_of(name));
		loom_answer_text(cli, "about", about);
		loom_answer_text(cli, "background", loom_json_str(theme, "background"));
		loom_answer_line(cli, "%-12s  %.*s", name, LOOM_STR_ARG(about));
		loom_answer_end(cli);
		cJSON_Delete(theme);
	}
	return status;
}

/* Prints the theme's file unchanged, to read or to start one's own from. */
enum loom_status cmd_theme_show(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str wanted = args_of_theme_show(cli)->name;
	struct loom_buf names = LOOM_BUF_INIT(200);
	const char *name = NULL;
	struct loom_str text;

	for (size_t i = 0; loom_theme_at(i, &name, &text); i++) {
		if (loom_str_is(wanted, name)) {
			loom_answer_bytes(cli, text);
			loom_buf_fini(&names);
			return LOOM_OK;
		}
		loom_buf_addf(&names, "%s%s", i ? ", " : "", name);
	}
	(void)loom_fail(err, LOOM_NOT_FOUND, "there is no theme \"%.*s\"", LOOM_STR_ARG(wanted));
	(void)loom_hint(err, LOOM_NOT_FOUND, "themes: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}
