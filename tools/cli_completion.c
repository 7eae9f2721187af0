/* Completions for bash, zsh and fish, out of the table. Each script first finds which command the
 * words so far name (its key: "new", "thread list", or a first word alone such as "thread"), then
 * offers what may follow. Texts of the table are quoted for the shell that will read them. */
#include "cli_impl.h"

static bool is_path(const struct tool_item *item)
{
	static const char *const names[] = {"FILE", "DIR", "PATH"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (loom_str_is(item->value, names[i]))
			return true;
	return false;
}

/* Adds `text` as it stands inside '…' of a POSIX shell. */
static void add_quoted(struct loom_buf *out, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			loom_buf_adds(out, "'\\''");
		else
			loom_buf_addc(out, text.p[i]);
}

/* Calls fn for every proper beginning of a command's name, "" first, each once. */
static void each_prefix(struct loom_arena *arena, struct loom_buf *out,
			void (*fn)(struct loom_arena *, struct loom_str prefix, struct loom_buf *))
{
	fn(arena, LOOM_STR(""), out);
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str name = loom_str_of(loom_command_at(i)->name);
		size_t blank = loom_str_find_char(name, ' ', 0);
		struct loom_str first = loom_str_sub(name, 0, blank == SIZE_MAX ? 0 : blank);
		bool seen = !first.n;

		for (size_t k = 0; k < i && !seen; k++) {
			struct loom_str other = loom_str_of(loom_command_at(k)->name);

			seen = loom_str_starts(other, first) && other.n > first.n &&
			       other.p[first.n] == ' ';
		}
		if (!seen)
			fn(arena, first, out);
	}
}

/* What follows `prefix` in a command's name: all of it when the name has just one word more, its
 * first word otherwise. Empty when the name does not begin so. */
static struct loom_str next_word(const struct loom_command *command, struct loom_str prefix)
{
	struct loom_str name = loom_str_of(command->name);
	struct loom_str word = {"", 0};

	if (prefix.n) {
		if (!loom_str_starts(name, prefix) || name.n <= prefix.n || name.p[prefix.n] != ' ')
			return word;
		name = loom_str_sub(name, prefix.n + 1, name.n);
	}
	loom_str_cut(&name, ' ', &word);
	return word;
}

/* Whether an earlier row gave the same word already. */
static bool word_seen(size_t index, struct loom_str prefix, struct loom_str word)
{
	for (size_t i = 0; i < index; i++)
		if (loom_str_eq(next_word(loom_command_at(i), prefix), word))
			return true;
	return false;
}

static void add_option_names(const struct tool_spec *spec, struct loom_buf *out)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct tool_item *item = &spec->items[i];

		if (item->kind == TOOL_POSITIONAL)
			continue;
		loom_buf_addc(out, ' ');
		loom_buf_add(out, item->name);
	}
}

static void add_choices(const struct tool_item *item, const char *between, struct loom_buf *out)
{
	struct loom_str word;

	for (size_t i = 0; tool_item_choice(item, i, &word); i++) {
		if (i)
			loom_buf_adds(out, between);
		loom_buf_add(out, word);
	}
}

/* bash ------------------------------------------------------------------------------------------
 */

/* "'thread list'|'thread show'|…": every key there is. */
static void bash_keys(struct loom_arena *arena, struct loom_str prefix, struct loom_buf *out)
{
	(void)arena;
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str word = next_word(loom_command_at(i), prefix);

		if (word.n && !word_seen(i, prefix, word))
			loom_buf_addf(out, "%s'%.*s%s%.*s'", out->p[out->n - 1] == '\t' ? "" : "|",
				      LOOM_STR_ARG(prefix), prefix.n ? " " : "",
				      LOOM_STR_ARG(word));
	}
}

static void bash_words(struct loom_arena *arena, struct loom_str prefix, struct loom_buf *out)
{
	(void)arena;
	loom_buf_addf(out, "\t'%.*s') words=\"$words", LOOM_STR_ARG(prefix));
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str word = next_word(loom_command_at(i), prefix);

		if (word.n && !word_seen(i, prefix, word))
			loom_buf_addf(out, " %.*s", LOOM_STR_ARG(word));
	}
	loom_buf_adds(out, "\" ;;\n");
}

static void bash_value(const char *key, const struct tool_item *item, struct loom_buf *out)
{
	if (item->kind != TOOL_OPTION)
		return;
	loom_buf_addf(out, "\t'%s %.*s'", key, LOOM_STR_ARG(item->name));
	if (item->brief.n && item->name.n > 2)
		loom_buf_addf(out, "|'%s %.*s'", key, LOOM_STR_ARG(item->brief));
	loom_buf_adds(out, ") ");
	if (item->choice) {
		loom_buf_adds(out, "COMPREPLY=($(compgen -W '");
		add_choices(item, " ", out);
		loom_buf_adds(out, "' -- \"$cur\")); ");
	} else if (is_path(item)) {
		loom_buf_adds(out, "COMPREPLY=($(compgen -f -- \"$cur\")); ");
	}
	loom_buf_adds(out, "return ;;\n");
}

/* What a command offers where a word is expected: its options, and files where it takes them. */
static void bash_command(struct loom_arena *arena, const struct loom_command *command,
			 struct loom_buf *out)
{
	struct tool_spec spec = tool_spec_of(arena, command);
	bool files = false;

	loom_buf_addf(out, "\t'%s') words=\"$words", command->name);
	add_option_names(&spec, out);
	for (size_t i = 0; i < spec.count; i++) {
		const struct tool_item *item = &spec.items[i];

		if (item->kind != TOOL_POSITIONAL)
			continue;
		files = files || is_path(item);
		loom_buf_adds(out, item->choice ? " " : "");
		add_choices(item, " ", out);
	}
	loom_buf_addf(out, "\"%s ;;\n", files ? "; files=1" : "");
}

static void bash_values(struct loom_arena *arena, struct loom_buf *out)
{
	struct tool_spec global = tool_spec_global(arena);

	loom_buf_adds(out, "\tcase \"$key $prev\" in\n");
	for (size_t c = 0; c < loom_command_count(); c++) {
		struct tool_spec spec = tool_spec_of(arena, loom_command_at(c));

		for (size_t i = 0; i < spec.count; i++)
			bash_value(loom_command_at(c)->name, &spec.items[i], out);
	}
	loom_buf_adds(out, "\tesac\n\tcase \"$prev\" in\n");
	for (size_t i = 0; i < global.count; i++) {
		const struct tool_item *item = &global.items[i];

		if (item->kind == TOOL_OPTION && is_path(item))
			loom_buf_addf(out,
				      "\t%.*s|%.*s) COMPREPLY=($(compgen -f -- \"$cur\")); return "
				      ";;\n",
				      LOOM_STR_ARG(item->brief), LOOM_STR_ARG(item->name));
	}
	loom_buf_adds(out, "\tesac\n");
}

void tool_completion_bash(struct loom_arena *arena, struct loom_buf *out)
{
	struct tool_spec global = tool_spec_global(arena);

	loom_buf_adds(out,
		      "# bash completion for loom; written by: loom help --completion bash\n"
		      "_loom() {\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		      "\tlocal key='' next words='' files='' i\n"
		      "\tCOMPREPLY=()\n"
		      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		      "\t\tcase ${COMP_WORDS[i]} in\n"
		      "\t\t-g|--grove) ((i++)); continue ;;\n"
		      "\t\t-*) continue ;;\n"
		      "\t\tesac\n"
		      "\t\tnext=${key:+$key }${COMP_WORDS[i]}\n"
		      "\t\tcase $next in\n\t\t");
	each_prefix(arena, out, bash_keys);
	loom_buf_adds(out, ") key=$next ;;\n\t\t*) break ;;\n\t\tesac\n\tdone\n");
	bash_values(arena, out);
	loom_buf_adds(out, "\tcase $key in\n");
	each_prefix(arena, out, bash_words);
	loom_buf_adds(out, "\tesac\n\tcase $key in\n");
	for (size_t i = 0; i < loom_command_count(); i++)
		bash_command(arena, loom_command_at(i), out);
	loom_buf_adds(out, "\tesac\n\tif [[ $cur == -* ]]; then words=\"$words");
	add_option_names(&global, out);
	loom_buf_adds(out, "\"; fi\n"
			   "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			   "\tif [[ $files ]]; then COMPREPLY+=($(compgen -f -- \"$cur\")); fi\n"
			   "}\ncomplete -o filenames -F _loom loom\n");
}

/* zsh -------------------------------------------------------------------------------------------
 */

/* Inside '…' and inside the brackets of an _arguments specification. */
static void zsh_text(struct loom_buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			loom_buf_addc(out, '\\');
		add_quoted(out, loom_str_make(text, 1));
	}
}

static void zsh_action(const struct tool_item *item, struct loom_buf *out)
{
	struct loom_buf name = LOOM_BUF_INIT(4096);

	loom_buf_add(&name, item->value);
	loom_buf_addc(out, ':');
	zsh_text(out, loom_buf_cstr(&name));
	loom_buf_addc(out, ':');
	if (item->choice) {
		loom_buf_addc(out, '(');
		add_choices(item, " ", out);
		loom_buf_addc(out, ')');
	} else if (is_path(item)) {
		loom_buf_adds(out, "_files");
	} else {
		loom_buf_addc(out, ' ');
	}
	loom_buf_fini(&name);
}

static void zsh_option(const struct loom_command *command, const struct tool_item *item,
		       struct loom_str name, struct loom_buf *out)
{
	loom_buf_adds(out, " \\\n\t\t\t'");
	if (item->repeats)
		loom_buf_addc(out, '*');
	loom_buf_add(out, name);
	loom_buf_addc(out, '[');
	zsh_text(out, tool_item_meaning(command, item));
	loom_buf_addc(out, ']');
	if (item->kind == TOOL_OPTION)
		zsh_action(item, out);
	loom_buf_addc(out, '\'');
}

static void zsh_items(const struct loom_command *command, const struct tool_spec *spec,
		      struct loom_buf *out)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct tool_item *item = &spec->items[i];

		if (item->kind == TOOL_POSITIONAL) {
			loom_buf_addf(out, " \\\n\t\t\t'%s",
				      item->repeats    ? "*"
				      : item->optional ? ":"
						       : "");
			zsh_action(item, out);
			loom_buf_addc(out, '\'');
			continue;
		}
		if (item->brief.n)
			zsh_option(command, item, item->brief, out);
		if (item->name.n > 2)
			zsh_option(command, item, item->name, out);
	}
}

/* What a word of a family means: the summary, when it is a whole command. */
static const char *summary_of(struct loom_arena *arena, struct loom_str prefix,
			      struct loom_str word)
{
	const char *name = loom_arena_format(arena, "%.*s%s%.*s", LOOM_STR_ARG(prefix),
					     prefix.n ? " " : "", LOOM_STR_ARG(word))
				   .p;
	const struct loom_command *command = loom_command_find(loom_str_of(name));

	return command ? command->summary : "…";
}

static void zsh_words(struct loom_arena *arena, struct loom_str prefix, struct loom_buf *out)
{
	loom_buf_addf(out, "\t\t'%.*s') words_here+=(", LOOM_STR_ARG(prefix));
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str word = next_word(loom_command_at(i), prefix);

		if (!word.n || word_seen(i, prefix, word))
			continue;
		loom_buf_addf(out, " '%.*s:", LOOM_STR_ARG(word));
		zsh_text(out, summary_of(arena, prefix, word));
		loom_buf_addc(out, '\'');
	}
	loom_buf_adds(out, ") ;;\n");
}

static void zsh_command(struct loom_arena *arena, const struct loom_command *command,
			const struct tool_spec *global, struct loom_buf *out)
{
	struct tool_spec spec = tool_spec_of(arena, command);

	loom_buf_addf(out, "\t\t'%s') _arguments -s", command->name);
	zsh_items(NULL, global, out);
	zsh_items(command, &spec, out);
	loom_buf_adds(out, " ;;\n");
}

void tool_completion_zsh(struct loom_arena *arena, struct loom_buf *out)
{
	struct tool_spec global = tool_spec_global(arena);

	loom_buf_adds(out, "#compdef loom\n"
			   "# zsh completion for loom; written by: loom help --completion zsh\n"
			   "_loom() {\n"
			   "\tlocal key='' next i=2\n"
			   "\tlocal -a words_here\n"
			   "\twhile (( i < CURRENT )); do\n"
			   "\t\tcase ${words[i]} in\n"
			   "\t\t-g|--grove) (( i += 2 )); continue ;;\n"
			   "\t\t-*) (( i++ )); continue ;;\n"
			   "\t\tesac\n"
			   "\t\tnext=\"${key:+$key }${words[i]}\"\n"
			   "\t\tcase $next in\n\t\t");
	each_prefix(arena, out, bash_keys);
	loom_buf_adds(out, ") key=$next ;;\n\t\t*) break ;;\n\t\tesac\n\t\t(( i++ ))\n\tdone\n"
			   "\tif (( i == CURRENT )); then\n\t\tcase $key in\n");
	each_prefix(arena, out, zsh_words);
	loom_buf_adds(out,
		      "\t\tesac\n\t\t(( $#words_here )) && _describe command words_here\n\tfi\n"
		      "\tif [[ -n $key ]]; then\n"
		      "\t\twords=(\"loom\" \"${(@)words[i,-1]}\")\n"
		      "\t\t(( CURRENT = CURRENT - i + 2 ))\n"
		      "\t\tcase $key in\n");
	for (size_t i = 0; i < loom_command_count(); i++)
		zsh_command(arena, loom_command_at(i), &global, out);
	loom_buf_adds(out, "\t\tesac\n\telse\n\t\t_arguments -s");
	zsh_items(NULL, &global, out);
	loom_buf_adds(out, "\n\tfi\n}\n_loom \"$@\"\n");
}

/* fish ------------------------------------------------------------------------------------------
 */

/* Inside '…' of fish: only the quote and the backslash are special. */
static void fish_text(struct loom_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, *text);
	}
}

static void fish_option(const struct loom_command *command, const struct tool_item *item,
			struct loom_buf *out)
{
	loom_buf_adds(out, "complete -c loom");
	if (command)
		loom_buf_addf(out, " -n '__loom_at \"%s\"'", command->name);
	if (item->brief.n)
		loom_buf_addf(out, " -s %c", item->brief.p[1]);
	if (item->name.n > 2)
		loom_buf_addf(out, " -l %.*s", LOOM_STR_ARG(loom_str_sub(item->name, 2, 64)));
	if (item->kind == TOOL_OPTION)
		loom_buf_adds(out, is_path(item) ? " -r -F" : " -x");
	if (item->choice && item->kind == TOOL_OPTION) {
		loom_buf_adds(out, " -a '");
		add_choices(item, " ", out);
		loom_buf_addc(out, '\'');
	}
	loom_buf_adds(out, " -d '");
	fish_text(out, tool_item_meaning(command, item));
	loom_buf_adds(out, "'\n");
}

static void fish_positional(const struct loom_command *command, const struct tool_item *item,
			    struct loom_buf *out)
{
	if (!item->choice && !is_path(item))
		return;
	loom_buf_addf(out, "complete -c loom -n '__loom_at \"%s\"' ", command->name);
	if (is_path(item)) {
		loom_buf_adds(out, "-F\n");
		return;
	}
	loom_buf_adds(out, "-a '");
	add_choices(item, " ", out);
	loom_buf_adds(out, "'\n");
}

static void fish_words(struct loom_arena *arena, struct loom_str prefix, struct loom_buf *out)
{
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str word = next_word(loom_command_at(i), prefix);

		if (!word.n || word_seen(i, prefix, word))
			continue;
		loom_buf_addf(out, "complete -c loom -n '__loom_at \"%.*s\"' -a '%.*s' -d '",
			      LOOM_STR_ARG(prefix), LOOM_STR_ARG(word));
		fish_text(out, summary_of(arena, prefix, word));
		loom_buf_adds(out, "'\n");
	}
}

/* The keys as arguments of fish's `contains`. */
static void fish_keys(struct loom_arena *arena, struct loom_str prefix, struct loom_buf *out)
{
	(void)arena;
	for (size_t i = 0; i < loom_command_count(); i++) {
		struct loom_str word = next_word(loom_command_at(i), prefix);

		if (word.n && !word_seen(i, prefix, word))
			loom_buf_addf(out, " '%.*s%s%.*s'", LOOM_STR_ARG(prefix),
				      prefix.n ? " " : "", LOOM_STR_ARG(word));
	}
}

void tool_completion_fish(struct loom_arena *arena, struct loom_buf *out)
{
	struct tool_spec global = tool_spec_global(arena);

	loom_buf_adds(out, "# fish completion for loom; written by: loom help --completion fish\n"
			   "function __loom_at\n"
			   "    set -l key ''\n"
			   "    set -l skip 0\n"
			   "    for word in (commandline -opc)[2..-1]\n"
			   "        if test $skip = 1\n"
			   "            set skip 0\n"
			   "            continue\n"
			   "        end\n"
			   "        if contains -- $word -g --grove\n"
			   "            set skip 1\n"
			   "            continue\n"
			   "        end\n"
			   "        if string match -q -- '-*' $word\n"
			   "            continue\n"
			   "        end\n"
			   "        set -l next (string trim -- \"$key $word\")\n"
			   "        if not contains -- $next");
	each_prefix(arena, out, fish_keys);
	loom_buf_adds(out, "\n            break\n        end\n        set key $next\n    end\n"
			   "    test \"$key\" = \"$argv[1]\"\nend\n"
			   "complete -c loom -f\n");
	for (size_t i = 0; i < global.count; i++)
		fish_option(NULL, &global.items[i], out);
	each_prefix(arena, out, fish_words);
	for (size_t c = 0; c < loom_command_count(); c++) {
		const struct loom_command *command = loom_command_at(c);
		struct tool_spec spec = tool_spec_of(arena, command);

		for (size_t i = 0; i < spec.count; i++)
			if (spec.items[i].kind == TOOL_POSITIONAL)
				fish_positional(command, &spec.items[i], out);
			else
				fish_option(command, &spec.items[i], out);
	}
}
