/* The command line's inside: usages as specifications, arguments read by them, and the texts
 * generated from the table. */
#ifndef LOOM_CLI_SERVICES_H
#define LOOM_CLI_SERVICES_H

#include <loom/work/approval.h>
#include <loom/cli/cli.h>
#include <loom/files/path.h>

/* A LOOM_ITEM row: where its values go. */
enum cli_field_type { CLI_FIELD_FLAG, CLI_FIELD_TEXT, CLI_FIELD_NUMBER, CLI_FIELD_TEXTS };
struct cli_field {
	enum cli_field_type type;
	size_t offset;       /* in the struct of its command */
	const char *meaning; /* "": LOOM_WORD says it; NULL behind the last row */
};

/* A LOOM_ALSO row. */
struct cli_also {
	const char *when; /* NULL behind the last row */
	unsigned deed;
	unsigned may;
};

/* A LOOM_ONCE row. */
struct cli_once {
	bool takes;
	const char *instead;
};

/* What was said that may be said anywhere on a command line (everywhere.def). */
struct cli_everywhere {
#define LOOM_ITEM(type, field, ...) LOOM_FIELD_##type field;
#include <loom/cli/everywhere.def>
};

enum cli_item_kind { CLI_FLAG, CLI_OPTION, CLI_POSITIONAL };

/* One thing that a usage allows. */
struct cli_item {
	enum cli_item_kind kind;
	struct loom_str brief; /* "-t", or empty */
	struct loom_str name;  /* "--tree"; "-t" when it is brief only; "FILE" for a positional */
	struct loom_str value; /* "TREE", "dialogue|buffer"; empty for a flag */
	bool choice;           /* the value is one of the words between | */
	bool number;           /* the value is a number, 0 and up */
	bool lean;             /* the option may do without its value */
	bool optional;
	bool repeats;
	int either;                    /* items of the same number above 0 exclude each other */
	const struct cli_field *field; /* its row; NULL where the usage is not the table's */
};

struct cli_spec {
	struct cli_item *items;
	size_t count;
	bool verbatim; /* "[--]": from the first positional on everything is one */
};

/* Reads a usage; what it returns lives in the arena and points into `usage`. LOOM_FAULT with the
 * place when the usage breaks the notation. */
enum loom_status cli_spec_parse(struct loom_arena *arena, struct loom_str usage,
				struct cli_spec *out, struct loom_err *err) LOOM_MUST;
/* The item of that name, brief or long; NULL when there is none. */
const struct cli_item *cli_spec_find(const struct cli_spec *spec, struct loom_str name);
/* That of a command's rows, each item with its own. It cannot fail to parse: a test walks the
 * table. */
struct cli_spec cli_spec_of(struct loom_arena *arena, const struct loom_command *command);
/* Of the options that every command takes (everywhere.def). */
struct cli_spec cli_spec_global(struct loom_arena *arena);
/* What its field must be. */
enum cli_field_type cli_item_type(const struct cli_item *item);
/* The word of a choice at `index`; false behind the last. */
bool cli_item_choice(const struct cli_item *item, size_t index, struct loom_str *out);

/* A command line while it is read. */
struct cli_reader {
	struct loom_arena *arena;
	int argc;
	char **argv;
	int at;
	bool verbatim;
	const char *command; /* its name for messages; NULL before it is known */
	const char *usage;   /* its usage for hints; NULL before */
	struct loom_args *global;
	struct loom_args *local; /* NULL before the command is known */
};

/* Nothing given yet; the specification is borrowed. */
struct loom_args *cli_args_create(struct loom_arena *arena, const struct cli_spec *spec);
/* That specification. */
const struct cli_spec *cli_args_spec(const struct loom_args *args);
/* How often an item of it was given. */
size_t cli_args_count(const struct loom_args *args, const struct cli_item *item);
/* The value given at `index`, in the order of argv; NULL beyond the last. */
const char *cli_args_at(const struct loom_args *args, const struct cli_item *item, size_t index);
/* Writes every value where the row of its item says; `out` is that struct, all zero. */
void cli_args_fill(struct loom_arena *arena, const struct loom_args *args, void *out);
/* Whether an option stands at argv[at] that the specifications so far know. */
bool cli_args_at_global(const struct cli_reader *reader);
/* Reads the option at argv[at]. */
enum loom_status cli_args_option(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Reads options from argv[at] on until a positional stands there, or the end. */
enum loom_status cli_args_options(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Reads all that is left into `local`. */
enum loom_status cli_args_rest(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Whether `local` has all that its specification demands. */
enum loom_status cli_args_check(const struct cli_reader *reader, struct loom_err *err) LOOM_MUST;

/* Finds the command that the words at argv[at] name and moves behind them. LOOM_USAGE with the
 * nearest form. */
enum loom_status help_table_read(struct cli_reader *reader, const struct loom_command **out,
				 struct loom_err *err) LOOM_MUST;
/* A command name out of separate words, the longest that fits; *used words were taken. */
const struct loom_command *help_table_match(const char *const *given, size_t count, size_t *used);
/* Whether some command's name goes on behind these words. */
bool help_table_goes_on(const char *const *given, size_t count);
/* What the table says about an option or a value's name in general; NULL: nothing. */
const char *help_table_word(struct loom_str word);
/* What the help page of a command, a family ("thread") or a verb ("→ continue") says beyond its
 * row;
 * "" when that is nothing. A line that begins with blanks is not to be filled. */
const char *help_table_note(struct loom_str name);

/* Values that are listed elsewhere than in the usage (values.c): false behind the last. */
struct cli_value {
	const char *name;
	const char *title; /* one line for people */
};
bool help_item_value(const struct loom_command *command, const struct cli_item *item, size_t index,
		     struct cli_value *out);
/* A line each. */
void help_item_list(const struct loom_command *command, const struct cli_item *item,
		    struct loom_buf *out);
/* The list "values" of an answer. */
void help_item_describe(struct loom_cli *cli, const struct loom_command *command,
			const struct cli_item *item);
/* Whether an option's value is `?`: then its values were shown, and nothing else is to be done. */
bool help_values_asked(struct loom_cli *cli, const struct cli_spec *spec);

/* --- the gate (gate_command.c) --- */

/* A command that an agent proposed, on its way again. */
struct cli_again {
	const struct loom_proposal *proposal;
	const char *agent;          /* its ULID */
	struct loom_str name;       /* and what it is called */
	struct loom_file_id *grove; /* the store's file where it was proposed */
	bool look;                  /* do not run it: only see what it would act on */
	bool fits;                  /* out: that is what was listed */
	int out_fd;                 /* where its results go */
};

/* Lets the call through, refuses it, or has it wait for a person: an error then too, for it was not
 * done. */
enum loom_status cli_gate(struct loom_cli *cli, struct loom_err *err) LOOM_MUST;
/* Does it, or looks, as that agent and from the folder where it was said; the exit status. */
int cli_again(struct cli_again *again);

/* Adds what was given, in the order of the usage: the same for the same, however it was said. */
void cli_args_spell(const struct loom_args *args, struct loom_buf *out);

/* --- --op ID (request_once.c) --- */
struct cli_request;
/* The value of --op, once the command's arguments are known; LOOM_USAGE also where the command
 * takes none. */
enum loom_status cli_request_read(struct loom_cli *cli, const char *text,
				  struct loom_err *err) LOOM_MUST;
void cli_request_fini(struct loom_cli *cli);
/* The command has read this. */
void cli_request_input(struct loom_cli *cli, const char *path, struct loom_str bytes);

void cli_reader_destroy(struct loom_line_reader *reader);
struct loom_cli_work;
/* "importing 12,847 of 1,000,000 nodes · 12,001/s · 1m 22s left · ^C stops" */
void cli_progress_line(struct loom_buf *line, const struct loom_cli_work *work,
		       struct loom_task *task, int64_t elapsed_ms);
/* Adds a word as a shell takes it: in quotes where it needs them. */
void cli_add_word(struct loom_buf *out, struct loom_str word);
/* Ends what the call has made: loop, reader, output, arena. */
void cli_close(struct loom_cli *cli);

/* --- generated texts --- */

/* What the table says about an item: about the option, else about its value; "" when nothing. */
const char *help_item_meaning(const struct cli_item *item);
/* How running text becomes lines of a page's width. */
struct cli_filling {
	size_t indent; /* blanks before each line */
	size_t begun;  /* cells that stand on the first line already; 0: it is begun here */
	bool brackets; /* what stands in brackets is not broken */
};

/* Adds the text in lines, the last one ended. A line feed in it ends a line, and a line that begins
 * with blanks stands as it is. */
void cli_fill_lines(struct loom_buf *out, struct loom_str text, const struct cli_filling *how);
/* Prints the commands by group. */
void help_all(struct loom_cli *cli);
enum loom_group help_group_at(size_t i); /* i < LOOM_GROUP_COUNT */
/* The commands whose names begin with this word. */
void help_family(struct loom_cli *cli, struct loom_str family);
void help_command(struct loom_cli *cli, const struct loom_command *command);
/* A verb of the → language. */
void help_verb(struct loom_cli *cli, const struct loom_verb_info *verb);
/* All that has to do with a word: commands, then verbs. */
void help_topic(struct loom_cli *cli, struct loom_str word);

/* Whether this has to do with a word of at least three letters: in its name, its summary, its
 * group's title, its synonyms. */
bool help_topic_command(const struct loom_command *command, struct loom_str word);
bool help_topic_verb(const struct loom_verb_info *verb, struct loom_str word);
/* Whether anything has. */
bool help_topic_any(struct loom_str word);

/* A row of topics.def: a page about what is more than one command. */
struct cli_topic {
	const char *name;
	const char *title;
	const char *text; /* as of a note: for cli_fill_lines */
};
const struct cli_topic *help_topic_at(size_t i); /* NULL behind the last one */
const struct cli_topic *help_topic_find(struct loom_str name);
void help_page(struct loom_cli *cli, const struct cli_topic *topic);
void help_man_page(struct loom_arena *arena, struct loom_buf *out);

/* For the completions. A family is the first word of names that have several; "" stands for the
 * beginning of all. */
typedef void cli_family_fn(struct loom_arena *arena, struct loom_str family, struct loom_buf *out);
void help_each_family(struct loom_arena *arena, struct loom_buf *out, cli_family_fn *fn);
/* The next different word of a family; *index begins at 0. False when there are no more. */
bool help_family_word(struct loom_str family, size_t *index, struct loom_str *out);
const char *help_family_summary(struct loom_arena *arena, struct loom_str family,
				struct loom_str word);
/* 'thread list'|'thread show'|…: a family's keys as a pattern of a shell. */
void help_family_keys(struct loom_arena *arena, struct loom_str family, struct loom_buf *out);
/* Whether the value is a file or a directory. */
bool help_item_is_path(const struct cli_item *item);
/* The words that an item takes, a blank between; none when it takes any. */
bool help_item_has_choices(const struct loom_command *command, const struct cli_item *item);
void help_item_choices(const struct loom_command *command, const struct cli_item *item,
		       struct loom_buf *out);
void help_completion_bash(struct loom_arena *arena, struct loom_buf *out);
void help_completion_zsh(struct loom_arena *arena, struct loom_buf *out);
void help_completion_fish(struct loom_arena *arena, struct loom_buf *out);

#endif
