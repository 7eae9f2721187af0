/* The themes that came with the program: which there are, and what each says. Needs no grove. */
#include <loom/cli/services.h>

#include <loom/base/json.h>
#include <loom/cli/themes.h>

#include <loom/commands/args_of.def>
#include <loom/commands/program.def>

static void say_theme(struct loom_cli *cli, struct loom_json *json, const char *name,
		      const cJSON *theme)
{
	struct loom_str about = loom_json_str(theme, "about");

	if (!json) {
		loom_out_textf(cli->out, "%-12s  %.*s\n", name, LOOM_STR_ARG(about));
		return;
	}
	loom_json_object(json);
	loom_json_put(json, "name", loom_str_of(name));
	loom_json_put(json, "about", about);
	loom_json_put(json, "background", loom_json_str(theme, "background"));
	loom_json_end_object(json);
}

static enum loom_status each_theme(struct loom_cli *cli, struct loom_json *json,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	const char *name = NULL;
	struct loom_str text;

	for (size_t i = 0; status == LOOM_OK && loom_theme_at(i, &name, &text); i++) {
		cJSON *theme = NULL;

		status = loom_json_parse(text, NULL, &theme, err);
		if (status == LOOM_OK)
			say_theme(cli, json, name, theme);
		cJSON_Delete(theme);
	}
	return status;
}

enum loom_status tool_cmd_theme_list(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_json *json = NULL;
	enum loom_status status = LOOM_OK;

	if (!cli->json)
		return each_theme(cli, NULL, err);
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	loom_json_key(json, "themes");
	loom_json_array(json);
	status = each_theme(cli, json, err);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
	return status;
}

/* As it stands in its file: to be read, and to begin one's own from. */
enum loom_status tool_cmd_theme_show(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str wanted = args_of_theme_show(cli)->name;
	struct loom_buf names = LOOM_BUF_INIT(200);
	const char *name = NULL;
	struct loom_str text;

	for (size_t i = 0; loom_theme_at(i, &name, &text); i++) {
		if (loom_str_is(wanted, name)) {
			loom_out_data(cli->out, text);
			loom_buf_fini(&names);
			return LOOM_OK;
		}
		loom_buf_addf(&names, "%s%s", i ? ", " : "", name);
	}
	(void)loom_fail(err, LOOM_NOT_FOUND, "no theme is called \"%.*s\"", LOOM_STR_ARG(wanted));
	(void)loom_hint(err, LOOM_NOT_FOUND, "themes: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}
