/* Completions for zsh, generated from the table. */
#include <loom/cli/services.h>

/* Adds `text`, escaped for an _arguments specification inside '…'. */
static void add_text(struct loom_buf *out, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("[]:\\", text.p[i]))
			loom_buf_addc(out, '\\');
		if (text.p[i] == '\'')
			loom_buf_adds(out, "'\\''");
		else
			loom_buf_addc(out, text.p[i]);
	}
}

/* Adds ":NAME:action". */
static void add_action(const struct cli_item *item, struct loom_buf *out)
{
	loom_buf_addc(out, ':');
	add_text(out, item->value);
	loom_buf_addc(out, ':');
	if (help_item_has_choices(item)) {
		loom_buf_addc(out, '(');
		help_item_choices(item, out);
		loom_buf_addc(out, ')');
	} else {
		loom_buf_adds(out, help_item_is_path(item) ? "_files" : " ");
	}
}

static void add_option(const struct cli_item *item, struct loom_str name, struct loom_buf *out)
{
	loom_buf_addf(out, " \\\n\t\t\t'%s%.*s[", item->repeats ? "*" : "", LOOM_STR_ARG(name));
	add_text(out, loom_str_of(help_item_meaning(item)));
	loom_buf_addc(out, ']');
	if (item->kind == CLI_OPTION)
		add_action(item, out);
	loom_buf_addc(out, '\'');
}

static void add_item(const struct cli_item *item, struct loom_buf *out)
{
	if (item->kind == CLI_POSITIONAL) {
		/* the choices come right after the command's name */
		loom_buf_addf(out, " \\\n\t\t\t'%s",
			      item->repeats && help_item_has_choices(item) ? "1"
			      : item->repeats                              ? "*"
			      : item->optional                             ? ":"
									   : "");
		add_action(item, out);
		loom_buf_addc(out, '\'');
		return;
	}
	if (item->brief.n)
		add_option(item, item->brief, out);
	if (item->name.n > 2)
		add_option(item, item->name, out);
}

static void add_family(struct loom_arena *arena, struct loom_str family, struct loom_buf *out)
{
	struct loom_str word;
	size_t index = 0;

	loom_buf_addf(out, "\t\t'%.*s') here=(", LOOM_STR_ARG(family));
	while (help_family_word(family, &index, &word)) {
		loom_buf_addf(out, " '%.*s:", LOOM_STR_ARG(word));
		add_text(out, loom_str_of(help_family_summary(arena, family, word)));
		loom_buf_addc(out, '\'');
	}
	loom_buf_adds(out, ") ;;\n");
}

static void add_command(struct loom_arena *arena, const struct loom_command *command,
			struct loom_buf *out)
{
	struct cli_spec spec = cli_spec_of(arena, command);

	loom_buf_addf(out, "\t'%s') _arguments $everywhere", command->name);
	for (size_t i = 0; i < spec.count; i++)
		add_item(&spec.items[i], out);
	loom_buf_adds(out, " ;;\n");
}

/* Adds the code that finds the key; `at` is the index of the first word after it. */
static void add_head(struct loom_arena *arena, struct loom_buf *out)
{
	loom_buf_adds(out, "#compdef loom\n"
			   "# zsh completion for loom; written by: loom help --completion zsh\n"
			   "_loom() {\n"
			   "\tlocal key='' next i=2 at=2\n"
			   "\tlocal -a here everywhere\n"
			   "\twhile (( i < CURRENT )); do\n"
			   "\t\tcase ${words[i]} in\n"
			   "\t\t-g|--grove) (( i += 2 )); continue ;;\n"
			   "\t\t-*) (( i++ )); continue ;;\n"
			   "\t\tesac\n"
			   "\t\tnext=\"${key:+$key }${words[i]}\"\n"
			   "\t\tcase $next in\n\t\t");
	help_each_family(arena, out, help_family_keys);
	loom_buf_adds(out, ") key=$next ;;\n\t\t*) break ;;\n\t\tesac\n"
			   "\t\t(( at = ++i ))\n\tdone\n\teverywhere=(");
}

void help_completion_zsh(struct loom_arena *arena, struct loom_buf *out)
{
	struct cli_spec global = cli_spec_global(arena);

	add_head(arena, out);
	for (size_t i = 0; i < global.count; i++)
		add_item(&global.items[i], out);
	loom_buf_adds(out, ")\n\tif (( i == CURRENT )); then\n\t\tcase $key in\n");
	help_each_family(arena, out, add_family);
	loom_buf_adds(out, "\t\tesac\n\t\t(( $#here )) && _describe command here\n\tfi\n"
			   "\twords=(loom \"${(@)words[at,-1]}\")\n"
			   "\t(( CURRENT -= at - 2 ))\n"
			   "\tcase $key in\n");
	for (size_t i = 0; i < loom_command_count(); i++)
		add_command(arena, loom_command_at(i), out);
	loom_buf_adds(out, "\t*) _arguments $everywhere ;;\n\tesac\n}\n_loom \"$@\"\n");
}
