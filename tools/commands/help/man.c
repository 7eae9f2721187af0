/* The man page, generated from the table. All text passes through `add`, which escapes dashes,
 * quotes and dots for roff and writes other than ASCII as \[uXXXX], which needs no locale. */
#include <loom/cli/services.h>

#include <loom/base/utf8.h>
#include <loom/language/registry.h>

static void add_cp(struct loom_buf *out, uint32_t cp)
{
	switch (cp) {
	case '\\':
		loom_buf_adds(out, "\\e");
		return;
	case '-':
		loom_buf_adds(out, "\\-");
		return;
	case '\'':
		loom_buf_adds(out, "\\(aq");
		return;
	case '`':
		loom_buf_adds(out, "\\(ga");
		return;
	case '^':
		loom_buf_adds(out, "\\(ha");
		return;
	case '~':
		loom_buf_adds(out, "\\(ti");
		return;
	case '"':
		loom_buf_adds(out, "\\(dq");
		return;
	case '.':
		loom_buf_adds(out, "\\&.");
		return;
	default:
		break;
	}
	if (cp < 0x80)
		loom_buf_addc(out, (char)cp);
	else
		loom_buf_addf(out, "\\[u%04X]", cp);
}

static void add(struct loom_buf *out, struct loom_str s)
{
	size_t at = 0;

	while (at < s.n)
		add_cp(out, loom_utf8_next(s, &at));
}

/* Adds a paragraph. */
static void para(struct loom_buf *out, const char *text)
{
	add(out, loom_str_of(text));
	loom_buf_addc(out, '\n');
}

/* Adds a tagged paragraph: the bold term, the rest of the term, its meaning. */
static void entry(struct loom_buf *out, struct loom_str bold, const char *rest, const char *meaning)
{
	loom_buf_adds(out, ".TP\n\\fB");
	add(out, bold);
	loom_buf_adds(out, "\\fR");
	if (rest[0]) {
		loom_buf_addc(out, ' ');
		add(out, loom_str_of(rest));
	}
	loom_buf_addc(out, '\n');
	para(out, meaning);
}

/* Adds the values of an option that the usage does not list. */
static void add_values(const struct cli_item *item, struct loom_buf *out)
{
	struct cli_value value;
	size_t count = 0;

	for (; help_item_value(item, count, &value); count++) {
		loom_buf_adds(out, count ? "" : ".RS\n");
		entry(out, value.name, "", value.title);
	}
	if (count)
		loom_buf_adds(out, ".RE\n");
}

static void add_item(const struct cli_item *item, struct loom_buf *out)
{
	loom_buf_adds(out, ".TP\n\\fB");
	if (item->kind != CLI_POSITIONAL && item->brief.n && item->name.n > 2) {
		add(out, item->brief);
		loom_buf_adds(out, "\\fR, \\fB");
	}
	if (item->kind == CLI_POSITIONAL)
		loom_buf_adds(out, "\\fI");
	add(out, item->name);
	loom_buf_adds(out, "\\fR");
	if (item->kind == CLI_OPTION) {
		loom_buf_adds(out, item->choice ? " " : " \\fI");
		add(out, item->value);
		loom_buf_adds(out, "\\fR");
	}
	loom_buf_addc(out, '\n');
	para(out, help_item_meaning(item));
	add_values(item, out);
}

static void add_items(const struct cli_spec *spec, struct loom_buf *out)
{
	for (size_t i = 0; i < spec->count; i++)
		if (help_item_meaning(&spec->items[i])[0])
			add_item(&spec->items[i], out);
}

/* Adds running text. An empty line ends a paragraph; lines that begin with a blank are kept
 * unchanged, including empty lines between them. */
static void add_text(struct loom_str rest, struct loom_buf *out)
{
	struct loom_str line;
	size_t empty = 0;
	bool stood = false;

	while (rest.n && loom_str_cut(&rest, '\n', &line)) {
		bool stands = line.n && line.p[0] == ' ';

		if (!line.n) {
			empty++;
			continue;
		}
		if (stood && !stands)
			loom_buf_adds(out, ".fi\n");
		if (empty && !(stood && stands))
			loom_buf_adds(out, ".PP\n");
		else
			loom_buf_add_repeat(out, '\n', empty);
		if (stands && !stood)
			loom_buf_adds(out, ".nf\n");
		add(out, line);
		loom_buf_addc(out, '\n');
		stood = stands;
		empty = 0;
	}
	loom_buf_adds(out, stood ? ".fi\n" : "");
}

/* Adds the note of a name as a paragraph after `lead`. */
static void add_note(struct loom_str name, const char *lead, struct loom_buf *out)
{
	struct loom_str note = loom_str_of(help_table_note(name));

	loom_buf_adds(out, note.n ? lead : "");
	add_text(note, out);
}

static void add_command(struct loom_arena *arena, const struct loom_command *command,
			struct loom_buf *out)
{
	struct cli_spec spec = cli_spec_of(arena, command);
	struct loom_str name = loom_str_of(command->name);

	entry(out, loom_arena_format(arena, "loom %s", command->name), command->usage,
	      loom_arena_format(arena, "%s%s.", command->summary,
				loom_command_is_for_persons(command) ? " (for persons only)" : "")
		      .p);
	if (spec.count || help_table_note(name)[0]) {
		loom_buf_adds(out, ".RS\n");
		add_note(name, ".PP\n", out);
		add_items(&spec, out);
		loom_buf_adds(out, ".RE\n");
	}
}

/* The first word of a name with several words, unless a command has that name. */
static struct loom_str family_of(const struct loom_command *command)
{
	struct loom_str name = loom_str_of(command->name);
	struct loom_str first;

	loom_str_cut(&name, ' ', &first);
	return name.p && !loom_command_find(first) ? first : LOOM_STR("");
}

static void add_group(struct loom_arena *arena, enum loom_group group, struct loom_buf *out)
{
	struct loom_str family = LOOM_STR("");
	bool begun = false;

	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		struct loom_str own = family_of(command);

		if (command->group != group)
			continue;
		if (!begun) {
			loom_buf_adds(out, ".SS \"");
			add(out, loom_str_of(loom_group_title(group)));
			loom_buf_adds(out, "\"\n");
		}
		begun = true;
		if (own.n && !loom_str_eq(own, family))
			add_note(own, "", out);
		family = own.n ? own : family;
		add_command(arena, command, out);
	}
}

static void add_verb(struct loom_arena *arena, const struct loom_verb_info *verb,
		     struct loom_buf *out)
{
	struct loom_buf forms = LOOM_BUF_INIT(1 << 16);
	struct loom_str rest;
	struct loom_str form;

	loom_verb_forms(verb, &forms);
	rest = loom_buf_str(&forms);
	for (const char *head = ".TP\n"; rest.n && loom_str_cut(&rest, '\n', &form);
	     head = ".TQ\n") {
		loom_buf_addf(out, "%s\\fB", head);
		add(out, form);
		loom_buf_adds(out, "\\fR\n");
	}
	para(out, loom_arena_format(arena, "%s (takes %s).", verb->summary,
				    loom_permission_name(verb->permission))
			  .p);
	add_note(loom_arena_format(arena, "→ %s", verb->name), ".IP\n", out);
	loom_buf_fini(&forms);
}

static void add_language(struct loom_arena *arena, struct loom_buf *out)
{
	loom_buf_adds(out, ".SH THE \\[u2192] LANGUAGE\n");
	para(out, "A model writes these commands on lines of their own that begin with an arrow; a "
		  "person gives them to loom do, or types them after the colon on the screen. "
		  "Commands on consecutive lines are one operation.");
	for (int i = LOOM_VERB_NONE + 1; i < LOOM_VERB_COUNT; i++)
		add_verb(arena, loom_verb_info((enum loom_verb)i), out);
}

static void add_head(struct loom_buf *out)
{
	loom_buf_adds(out, ".TH LOOM 1 \"\" \"loom " LOOM_VERSION "\" \"User Commands\"\n"
			   ".SH NAME\n");
	para(out, "loom - a workspace in which people and language models write into one tree");
	loom_buf_adds(out, ".SH SYNOPSIS\n.B loom\n[\\fB\\-g\\fR \\fIPATH\\fR] "
			   "[\\fB\\-\\-plain\\fR|\\fB\\-\\-tutor\\fR]\n.br\n.B loom\n"
			   "[\\fB\\-g\\fR \\fIPATH\\fR] [\\fB\\-\\-json\\fR|\\fB\\-\\-raw\\fR] "
			   "\\fICOMMAND\\fR \\&...\n.SH DESCRIPTION\n");
	para(out, "Without a command, loom opens its screen on the grove that contains the current "
		  "directory, or on the personal grove. With a command, it runs that and exits.");
	loom_buf_adds(out, ".PP\n");
	para(out,
	     "Output makes control, bidi and invisible characters visible. A lone - is standard "
	     "input. Options may stand before and after other arguments; -- ends them.");
}

/* One section for each topic; some have the names of standard sections, ENVIRONMENT and FILES. */
static void add_topics(struct loom_buf *out)
{
	const struct cli_topic *topic = NULL;

	for (size_t i = 0; (topic = help_topic_at(i)); i++) {
		loom_buf_adds(out, ".SH \"");
		add(out, loom_str_of(topic->title));
		loom_buf_adds(out, "\"\n");
		add_text(loom_str_of(topic->text), out);
	}
}

static void add_examples(struct loom_buf *out)
{
	loom_buf_adds(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		entry(out, loom_str_of(command->example), "", command->summary);
	}
}

void help_man_page(struct loom_arena *arena, struct loom_buf *out)
{
	struct cli_spec global = cli_spec_global(arena);

	add_head(out);
	loom_buf_adds(out, ".SH OPTIONS\n");
	add_items(&global, out);
	loom_buf_adds(out, ".SH COMMANDS\n");
	for (size_t i = 0; i < LOOM_GROUP_COUNT; i++)
		add_group(arena, help_group_at(i), out);
	add_language(arena, out);
	add_topics(out);
	add_examples(out);
}
