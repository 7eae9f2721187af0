/* Completions for fish, generated from the table: one `complete` line for each word. */
#include <loom/cli/services.h>

/* Inside '…', fish treats only the quote and the backslash as special. */
static void add_text(struct loom_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, *text);
	}
}

static void add_choices(const struct cli_item *item, struct loom_buf *out)
{
	loom_buf_adds(out, " -a '");
	help_item_choices(item, out);
	loom_buf_adds(out, "'");
}

static void add_option(const struct cli_item *item, struct loom_buf *out)
{
	if (item->brief.n)
		loom_buf_addf(out, " -s %c", item->brief.p[1]);
	if (item->name.n > 2)
		loom_buf_addf(out, " -l %.*s",
			      LOOM_STR_ARG(loom_str_sub(item->name, 2, item->name.n)));
	if (item->kind == CLI_OPTION)
		loom_buf_adds(out, help_item_is_path(item) ? " -r -F" : " -x");
	if (item->kind == CLI_OPTION && help_item_has_choices(item))
		add_choices(item, out);
	loom_buf_adds(out, " -d '");
	add_text(out, help_item_meaning(item));
	loom_buf_adds(out, "'");
}

static void add_item(const struct loom_command *command, const struct cli_item *item,
		     struct loom_buf *out)
{
	bool words = help_item_has_choices(item);

	if (item->kind == CLI_POSITIONAL && !words && !help_item_is_path(item))
		return;
	loom_buf_adds(out, "complete -c loom");
	if (command)
		loom_buf_addf(out, " -n '__loom_at \"%s\"'", command->name);
	if (item->kind != CLI_POSITIONAL)
		add_option(item, out);
	else if (words)
		add_choices(item, out);
	else
		loom_buf_adds(out, " -F");
	loom_buf_addc(out, '\n');
}

static void add_family(struct loom_arena *arena, struct loom_str family, struct loom_buf *out)
{
	struct loom_str word;
	size_t index = 0;

	while (help_family_word(family, &index, &word)) {
		loom_buf_addf(out, "complete -c loom -n '__loom_at \"%.*s\"' -a '%.*s' -d '",
			      LOOM_STR_ARG(family), LOOM_STR_ARG(word));
		add_text(out, help_family_summary(arena, family, word));
		loom_buf_adds(out, "'\n");
	}
}

static void add_keys(struct loom_arena *arena, struct loom_str family, struct loom_buf *out)
{
	struct loom_str word;
	size_t index = 0;

	(void)arena;
	while (help_family_word(family, &index, &word))
		loom_buf_addf(out, " '%.*s%s%.*s'", LOOM_STR_ARG(family), family.n ? " " : "",
			      LOOM_STR_ARG(word));
}

static void add_head(struct loom_arena *arena, struct loom_buf *out)
{
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
	help_each_family(arena, out, add_keys);
	loom_buf_adds(out, "\n            break\n        end\n        set key $next\n    end\n"
			   "    test \"$key\" = \"$argv[1]\"\nend\n"
			   "complete -c loom -f\n");
}

void help_completion_fish(struct loom_arena *arena, struct loom_buf *out)
{
	struct cli_spec global = cli_spec_global(arena);

	add_head(arena, out);
	for (size_t i = 0; i < global.count; i++)
		add_item(NULL, &global.items[i], out);
	help_each_family(arena, out, add_family);
	for (size_t c = 0; c < loom_command_count(); c++) {
		const struct loom_command *command = loom_command_at(c);
		struct cli_spec spec = cli_spec_of(arena, command);

		for (size_t i = 0; i < spec.count; i++)
			add_item(command, &spec.items[i], out);
	}
}
