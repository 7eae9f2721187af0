/* Shared parts of the completions for all shells, generated from the table, and the script for
 * bash.
 *
 * A script first finds the command that the words so far name (its key: "new", "thread list", or a
 * family such as "thread"), then offers what may follow. */
#include <loom/cli/services.h>

bool help_item_is_path(const struct cli_item *item)
{
	static const char *const names[] = {"FILE", "DIR", "PATH"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (loom_str_is(item->value, names[i]))
			return true;
	return false;
}

/* Whether a command's name goes on behind these words. */
static bool is_in(const struct loom_command *command, struct loom_str family)
{
	return loom_str_starts(loom_str_of(command->name), family) &&
	       command->name[family.n] == ' ';
}

/* A family begins with the first command that is in it. */
static bool is_first_in(size_t index, struct loom_str family)
{
	for (size_t i = 0; i < index; i++)
		if (is_in(loom_command_at(i), family))
			return false;
	return true;
}

void help_each_family(struct loom_arena *arena, struct loom_buf *out, cli_family_fn *fn)
{
	fn(arena, LOOM_STR(""), out);
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str name = loom_str_of(loom_command_at(i)->name);

		for (size_t at = 0; (at = loom_str_find_char(name, ' ', at)) != SIZE_MAX; at++)
			if (is_first_in(i, loom_str_sub(name, 0, at)))
				fn(arena, loom_str_sub(name, 0, at), out);
	}
}

/* The word after the family's in a command's name; for the family "", the first word. Empty if the
 * command is of another family. */
static struct loom_str next_word(const struct loom_command *command, struct loom_str family)
{
	struct loom_str name = loom_str_of(command->name);
	struct loom_str word = {"", 0};

	if (family.n && !is_in(command, family))
		return word;
	if (family.n)
		name = loom_str_sub(name, family.n + 1, name.n);
	loom_str_cut(&name, ' ', &word);
	return word;
}

bool help_family_word(struct loom_str family, size_t *index, struct loom_str *out)
{
	for (; *index < loom_command_count(); (*index)++) {
		bool seen = false;

		*out = next_word(loom_command_at(*index), family);
		for (size_t i = 0; i < *index && !seen; i++)
			seen = loom_str_eq(next_word(loom_command_at(i), family), *out);
		if (out->n && !seen) {
			(*index)++;
			return true;
		}
	}
	return false;
}

const char *help_family_summary(struct loom_arena *arena, struct loom_str family,
				struct loom_str word)
{
	struct loom_str name = loom_arena_format(arena, "%.*s%s%.*s", LOOM_STR_ARG(family),
						 family.n ? " " : "", LOOM_STR_ARG(word));
	const struct loom_command *command = loom_command_find(name);

	return command ? command->summary : "several commands";
}

void help_family_keys(struct loom_arena *arena, struct loom_str family, struct loom_buf *out)
{
	struct loom_str word;
	size_t index = 0;

	(void)arena;
	while (help_family_word(family, &index, &word))
		loom_buf_addf(out, "%s'%.*s%s%.*s'", out->p[out->n - 1] == '\'' ? "|" : "",
			      LOOM_STR_ARG(family), family.n ? " " : "", LOOM_STR_ARG(word));
}

static void add_option_names(const struct cli_spec *spec, struct loom_buf *out)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->items[i].kind != CLI_POSITIONAL)
			loom_buf_addf(out, " %.*s", LOOM_STR_ARG(spec->items[i].name));
}

static void family_words(struct loom_arena *arena, struct loom_str family, struct loom_buf *out)
{
	struct loom_str word;
	size_t index = 0;

	(void)arena;
	loom_buf_addf(out, "\t'%.*s') words='", LOOM_STR_ARG(family));
	while (help_family_word(family, &index, &word))
		loom_buf_addf(out, "%s%.*s", index > 1 ? " " : "", LOOM_STR_ARG(word));
	loom_buf_adds(out, "' ;;\n");
}

/* Offers the values of an option. */
static void option_value(const struct loom_command *command, const struct cli_item *item,
			 struct loom_buf *out)
{
	const char *key = command ? command->name : "";
	const char *space = key[0] ? " " : "";

	loom_buf_addf(out, "\t'%s%s%.*s'", key, space, LOOM_STR_ARG(item->name));
	if (item->brief.n && item->name.n > 2)
		loom_buf_addf(out, "|'%s%s%.*s'", key, space, LOOM_STR_ARG(item->brief));
	loom_buf_adds(out, ")");
	if (help_item_has_choices(item)) {
		loom_buf_adds(out, " _loom_words '");
		help_item_choices(item, out);
		loom_buf_adds(out, "';");
	} else if (help_item_is_path(item)) {
		loom_buf_adds(out, " _loom_files;");
	}
	loom_buf_adds(out, " return ;;\n");
}

static void option_values(const struct loom_command *command, const struct cli_spec *spec,
			  struct loom_buf *out)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->items[i].kind == CLI_OPTION)
			option_value(command, &spec->items[i], out);
}

/* Offers the words that may follow: the options, the choices of the first positional, and files. */
static void command_words(const struct loom_command *command, const struct cli_spec *spec,
			  struct loom_buf *out)
{
	struct loom_buf words = LOOM_BUF_INIT(1 << 16);
	struct loom_buf first = LOOM_BUF_INIT(1 << 16);
	bool files = false;

	add_option_names(spec, &words);
	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];

		if (item->kind != CLI_POSITIONAL)
			continue;
		files = files || help_item_is_path(item);
		if (help_item_has_choices(item))
			loom_buf_addc(&first, ' ');
		help_item_choices(item, &first);
	}
	if (words.n || first.n || files)
		loom_buf_addf(out, "\t'%s')", command->name);
	if (words.n)
		loom_buf_addf(out, " words+='%s';", loom_buf_cstr(&words));
	if (first.n)
		loom_buf_addf(out, " ((i < COMP_CWORD)) || words+='%s';", loom_buf_cstr(&first));
	if (files)
		loom_buf_adds(out, " files=1;");
	if (words.n || first.n || files)
		loom_buf_adds(out, ";\n");
	loom_buf_fini(&words);
	loom_buf_fini(&first);
}

static void add_head(struct loom_arena *arena, struct loom_buf *out)
{
	loom_buf_adds(
		out, "# bash completion for loom; written by: loom help --completion bash\n"
		     "_loom_words() {\n"
		     "\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
		     "}\n"
		     "_loom_files() {\n"
		     "\tlocal found\n"
		     "\tmapfile -t found < <(compgen -f -- \"$cur\")\n"
		     "\tCOMPREPLY+=(\"${found[@]}\")\n"
		     "\tcompopt -o filenames\n"
		     "}\n"
		     "_loom() {\n"
		     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tlocal key='' next words='' files='' i\n"
		     "\tCOMPREPLY=()\n"
		     "\t[[ $cur == = ]] && cur=''\n" /* bash splits --name=value into three words */
		     "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
		     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		     "\t\tcase ${COMP_WORDS[i]} in\n"
		     "\t\t-g|--grove) ((i++)); continue ;;\n"
		     "\t\t-*) continue ;;\n"
		     "\t\tesac\n"
		     "\t\tnext=${key:+$key }${COMP_WORDS[i]}\n"
		     "\t\tcase $next in\n\t\t");
	help_each_family(arena, out, help_family_keys);
	loom_buf_adds(out, ") key=$next ;;\n\t\t*) break ;;\n\t\tesac\n\tdone\n");
}

void help_completion_bash(struct loom_arena *arena, struct loom_buf *out)
{
	struct cli_spec global = cli_spec_global(arena);

	add_head(arena, out);
	loom_buf_adds(out, "\tcase \"$prev\" in\n");
	option_values(NULL, &global, out);
	loom_buf_adds(out, "\tesac\n\tcase \"$key $prev\" in\n");
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct cli_spec spec = cli_spec_of(arena, loom_command_at(i));

		option_values(loom_command_at(i), &spec, out);
	}
	loom_buf_adds(out, "\tesac\n\tcase $key in\n");
	help_each_family(arena, out, family_words);
	loom_buf_adds(out, "\tesac\n\tcase $key in\n");
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct cli_spec spec = cli_spec_of(arena, loom_command_at(i));

		command_words(loom_command_at(i), &spec, out);
	}
	loom_buf_adds(out, "\tesac\n\tif [[ $cur == -* ]]; then words+='");
	add_option_names(&global, out);
	loom_buf_adds(out, "'; fi\n\t_loom_words \"$words\"\n"
			   "\tif [[ $files ]]; then _loom_files; fi\n}\n"
			   "complete -F _loom loom\n");
}
