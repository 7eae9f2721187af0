/* What the program says about itself: help, version, keys. Needs no grove. */
#include "cli_impl.h"

#include <loom/width.h>

static enum loom_status print_document(struct loom_cli *cli,
				       void (*write)(struct loom_arena *, struct loom_buf *))
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	write(cli->arena, &text);
	loom_out_data(cli->out, loom_buf_str(&text));
	loom_buf_fini(&text);
	return LOOM_OK;
}

static enum loom_status print_completion(struct loom_cli *cli, struct loom_str shell)
{
	if (loom_str_is(shell, "bash"))
		return print_document(cli, tool_completion_bash);
	if (loom_str_is(shell, "zsh"))
		return print_document(cli, tool_completion_zsh);
	return print_document(cli, tool_completion_fish);
}

/* Words that name no command are read by the frame's own finder, for the sake of its hints. */
static enum loom_status help_words(struct loom_cli *cli, size_t count, struct loom_err *err)
{
	char **words = LOOM_ARENA_ARRAY(cli->arena, count, char *);
	struct tool_spec none = {.count = 0};
	struct tool_reader reader = {
		.arena = cli->arena,
		.argc = (int)count,
		.argv = words,
		.verbatim = true,
		.global = tool_args_create(cli->arena, &none),
	};
	const struct loom_command *command = NULL;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < count; i++)
		words[i] = loom_arena_cstr(cli->arena,
					   loom_str_of(loom_args_at(cli->args, "COMMAND", i)));
	status = tool_table_read(&reader, &command, err);
	if (!status && reader.at < reader.argc) {
		loom_fail(err, LOOM_USAGE, "loom %s has no command \"%s\"", command->name,
			  words[reader.at]);
		return loom_hint(err, LOOM_USAGE, "loom help %s", command->name);
	}
	if (!status)
		tool_help_command(cli, command);
	return status;
}

enum loom_status tool_cmd_help(struct loom_cli *cli, struct loom_err *err)
{
	size_t count = loom_args_count(cli->args, "COMMAND");

	if (loom_args_has(cli->args, "--man"))
		return print_document(cli, tool_man_page);
	if (loom_args_has(cli->args, "--completion"))
		return print_completion(cli, loom_args_str(cli->args, "--completion"));
	if (count)
		return help_words(cli, count, err);
	tool_help_all(cli);
	return LOOM_OK;
}

enum loom_status tool_cmd_version(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_json *json = NULL;

	(void)err;
	if (!cli->json) {
		loom_out_texts(cli->out, "loom " LOOM_VERSION "\n");
		return LOOM_OK;
	}
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	loom_json_put(json, "version", LOOM_STR(LOOM_VERSION));
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
	return LOOM_OK;
}

/* What a key is short for: a verb of the language, or something that only the screen does. */
struct key_row {
	const char *name;
	const char *keys; /* "VIEW:KEY …", may be empty */
	const char *summary;
};

static const struct key_row key_rows[] = {
#define LOOM_VERB(id, name, permission, group, synonyms, args, keys, past, summary, example)       \
	{(name), (keys), (summary)},
#include <loom/commands.def>
#define LOOM_ACTION(id, name, keys, summary) {(name), (keys), (summary)},
#include <loom/commands.def>
};

/* "*:j tree:k" as view and key; false at the end. */
static bool next_key(struct loom_str *rest, struct loom_str *view, struct loom_str *key)
{
	while (loom_str_cut(rest, ' ', key)) {
		size_t colon = loom_str_find_char(*key, ':', 0);

		if (colon == SIZE_MAX)
			continue;
		*view = loom_str_sub(*key, 0, colon);
		*key = loom_str_sub(*key, colon + 1, key->n);
		return true;
	}
	return false;
}

static void show_key(struct loom_out *out, const struct key_row *row, struct loom_str view,
		     struct loom_str key)
{
	loom_out_textf(out, "%-10.*s %-14.*s %-20s %s\n", LOOM_STR_ARG(view), LOOM_STR_ARG(key),
		       row->name, row->summary);
}

static void key_json(struct loom_json *json, const struct key_row *row, struct loom_str view,
		     struct loom_str key)
{
	loom_json_object(json);
	loom_json_put(json, "view", view);
	loom_json_put(json, "key", key);
	loom_json_put(json, "name", loom_str_of(row->name));
	loom_json_put(json, "summary", loom_str_of(row->summary));
	loom_json_end_object(json);
}

static void each_key(struct loom_cli *cli, struct loom_json *json)
{
	struct loom_str view;
	struct loom_str key;

	for (size_t i = 0; i < LOOM_COUNT(key_rows); i++) {
		struct loom_str rest = loom_str_of(key_rows[i].keys);

		while (next_key(&rest, &view, &key)) {
			if (json)
				key_json(json, &key_rows[i], view, key);
			else
				show_key(cli->out, &key_rows[i], view, key);
		}
	}
}

enum loom_status tool_cmd_keys(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_json *json = NULL;

	(void)err;
	if (!cli->json) {
		each_key(cli, NULL);
		return LOOM_OK;
	}
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	loom_json_key(json, "keys");
	loom_json_array(json);
	each_key(cli, json);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
	return LOOM_OK;
}
