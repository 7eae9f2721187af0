/* Commands about the program itself: help, version, keys. They need no grove. */
#include <loom_built.h>

#include <loom/cli/services.h>
#include <loom/cli/themes.h>
#include <loom/commands/programs.h>

#include <loom/text/width.h>
#include <loom/language/registry.h>

#include <loom/commands/args_of.def>
#include <loom/commands/program.def>

static enum loom_status print_document(struct loom_cli *cli,
				       void (*write)(struct loom_arena *, struct loom_buf *))
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	write(cli->arena, &text);
	loom_answer_bytes(cli, loom_buf_str(&text));
	loom_buf_fini(&text);
	return LOOM_OK;
}

static enum loom_status print_completion(struct loom_cli *cli, struct loom_str shell)
{
	if (loom_str_is(shell, "bash"))
		return print_document(cli, help_completion_bash);
	if (loom_str_is(shell, "zsh"))
		return print_document(cli, help_completion_zsh);
	return print_document(cli, help_completion_fish);
}

/* Lets the frame's own search suggest a name. */
static enum loom_status no_such_command(struct loom_cli *cli, const char **words, size_t count,
					struct loom_err *err)
{
	struct cli_spec none = {.count = 0};
	struct cli_reader reader = {
		.arena = cli->arena,
		.argc = (int)count,
		.argv = LOOM_ARENA_ARRAY(cli->arena, count, char *),
		.verbatim = true,
		.global = cli_args_create(cli->arena, &none),
	};
	const struct loom_command *command = NULL;
	enum loom_verb near = loom_verb_nearest(loom_str_of(words[0]));
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < count; i++)
		reader.argv[i] = loom_arena_cstr(cli->arena, loom_str_of(words[i]));
	status = help_table_read(&reader, &command, err);
	if (status && near && err && loom_str_starts(loom_str_of(err->hint), LOOM_STR("loom do ")))
		return loom_hint(err, status, "loom help %s", loom_verb_name(near));
	if (status)
		return status;
	loom_fail(err, LOOM_USAGE, "loom %s has no command \"%s\"", command->name,
		  words[reader.at]);
	return loom_hint(err, LOOM_USAGE, "loom help %s", command->name);
}

/* Shows help for a word, which may name a command, a family, a topic and a verb of the language at
 * once. */
static void help_word(struct loom_cli *cli, const char *word)
{
	const struct loom_command *command = loom_command_find(loom_str_of(word));
	const struct cli_topic *topic = help_topic_find(loom_str_of(word));
	enum loom_verb verb = loom_verb_find(loom_str_of(word));
	bool family = help_table_goes_on(&word, 1);
	/* A program gets only one of them. */
	const bool one = loom_answer_structured(cli);
	bool said = command != NULL;

	if (command)
		help_command(cli, command);
	if (family && !(said && one)) {
		loom_answer_piece(cli, LOOM_PLAIN, loom_str_of(said ? "\nSee also:\n\n" : ""));
		help_family(cli, loom_str_of(word));
		said = true;
	}
	if (topic && !(said && one)) {
		loom_answer_piece(cli, LOOM_PLAIN, loom_str_of(said ? "\n" : ""));
		help_page(cli, topic);
		said = true;
	}
	if (verb && !(said && one)) {
		loom_answer_piece(cli, LOOM_PLAIN,
				  loom_str_of(said ? "\nIn the → language:\n\n" : ""));
		help_verb(cli, loom_verb_info(verb));
	}
}

/* Shows the page of a program of the user's; false if there is none of that name. */
static bool help_program(struct loom_cli *cli, const char *word)
{
	struct loom_config config;
	struct loom_buf page = LOOM_BUF_INIT(1 << 16);
	const struct loom_program *program = NULL;

	if (loom_config_load(&cli->env, cli->arena, &config, NULL) == LOOM_OK)
		program = loom_program_find(&config, loom_str_of(word));
	if (program) {
		loom_answer_text(cli, "name", program->name);
		loom_answer_text(cli, "summary", loom_program_about(cli->arena, program));
		loom_program_page(cli->arena, program, &page);
		loom_answer_page(cli, loom_buf_str(&page));
	}
	loom_buf_fini(&page);
	return program != NULL;
}

static enum loom_status help_words(struct loom_cli *cli, size_t count, struct loom_err *err)
{
	const char **words = LOOM_ARENA_ARRAY(cli->arena, count, const char *);
	const struct loom_command *command = NULL;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		words[i] = args_of_help(cli)->command.p[i].p;
	command = help_table_match(words, count, &used);
	if (count == 1 &&
	    (command || help_table_goes_on(words, 1) || help_topic_find(loom_str_of(words[0])) ||
	     loom_verb_find(loom_str_of(words[0]))))
		help_word(cli, words[0]);
	else if (command && used == count)
		help_command(cli, command);
	else if (count == 1 && help_program(cli, words[0]))
		return LOOM_OK;
	else if (count == 1 && help_topic_any(loom_str_of(words[0])))
		help_topic(cli, loom_str_of(words[0]));
	else
		return no_such_command(cli, words, count, err);
	return LOOM_OK;
}

enum loom_status cmd_help(struct loom_cli *cli, struct loom_err *err)
{
	size_t count = args_of_help(cli)->command.n;

	if (args_of_help(cli)->man)
		return print_document(cli, help_man_page);
	if (args_of_help(cli)->completion.p)
		return print_completion(cli, args_of_help(cli)->completion);
	if (count)
		return help_words(cli, count, err);
	help_all(cli);
	return LOOM_OK;
}

enum loom_status cmd_version(struct loom_cli *cli, struct loom_err *err)
{
	(void)err;
	loom_answer_text(cli, "version", LOOM_STR(LOOM_VERSION));
	loom_answer_json(cli, "built", LOOM_STR(LOOM_BUILT));
	loom_answer_line(cli, "loom " LOOM_VERSION);
	return LOOM_OK;
}

/* A key and what it runs: a verb of the language or an action of the screen. */
struct key_row {
	const char *name;
	const char *keys; /* "VIEW:KEY …", may be empty */
	const char *summary;
};

/* Splits "*:j tree:k" into view and key; false at the end. */
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

static void add_cell(struct loom_buf *line, struct loom_str text, size_t wide)
{
	size_t cells = loom_str_width(text);

	loom_buf_add(line, text);
	loom_buf_add_repeat(line, ' ', cells < wide ? wide - cells : 0);
	loom_buf_addc(line, ' ');
}

static void say_key(struct loom_cli *cli, const struct key_row *row, struct loom_str view,
		    struct loom_str key)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "view", view);
	loom_answer_text(cli, "key", key);
	loom_answer_text(cli, "name", loom_str_of(row->name));
	loom_answer_text(cli, "summary", loom_str_of(row->summary));
	add_cell(&line, view, 8);
	add_cell(&line, key, 14);
	add_cell(&line, loom_str_of(row->name), 20);
	loom_answer_line(cli, "%s%s", loom_buf_cstr(&line), row->summary);
	loom_answer_end(cli);
	loom_buf_fini(&line);
}

static void say_row(struct loom_cli *cli, const struct key_row *row)
{
	struct loom_str rest = loom_str_of(row->keys);
	struct loom_str view;
	struct loom_str key;

	while (next_key(&rest, &view, &key))
		say_key(cli, row, view, key);
}

static void each_key(struct loom_cli *cli)
{
	size_t count = 0;
	const struct loom_action_info *actions = loom_actions(&count);

	for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);

		say_row(cli, &(struct key_row){verb->name, verb->keys, verb->summary});
	}
	for (size_t i = 0; i < count; i++)
		say_row(cli,
			&(struct key_row){actions[i].name, actions[i].keys, actions[i].summary});
}

/* The path of the person's own keys; empty without a home directory. */
static void keys_file(const struct loom_cli *cli, struct loom_buf *out)
{
	if (loom_env_dir(&cli->env, LOOM_DIR_CONFIG, out, NULL) == LOOM_OK)
		loom_buf_adds(out, "/keys.json");
}

/* Prints what stands in a keys.json. */
static enum loom_status print_preset(struct loom_cli *cli, struct loom_str wanted,
				     struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(1 << 12);
	const char *name = NULL;
	const char *about = NULL;
	struct loom_str json;

	for (size_t i = 0; loom_preset_at(i, &name, &about, &json); i++) {
		if (loom_str_is(wanted, name)) {
			loom_answer_bytes(cli, json);
			loom_buf_fini(&names);
			return LOOM_OK;
		}
		loom_buf_addf(&names, "%s%s", i ? ", " : "", name);
	}
	loom_fail(err, LOOM_NOT_FOUND, "there is no preset of keys \"%.*s\"", LOOM_STR_ARG(wanted));
	loom_hint(err, LOOM_NOT_FOUND, "presets: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

enum loom_status cmd_keys(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf file = LOOM_BUF_INIT(1 << 16);

	if (args_of_keys(cli)->preset.p)
		return print_preset(cli, args_of_keys(cli)->preset, err);
	keys_file(cli, &file);
	loom_answer_text(cli, "file", loom_buf_str(&file));
	loom_answer_list(cli, "keys");
	each_key(cli);
	if (file.n)
		loom_answer_note(cli,
				 "%s can override these: {\"nav\": {\"<C-x>\": \"prune\", \"X\": "
				 "null}}; on the screen, ok shows the keys in effect",
				 loom_buf_cstr(&file));
	loom_buf_fini(&file);
	return LOOM_OK;
}
