/* Services inside the command line: usages parsed into specifications, arguments parsed by them,
 * and the pages generated from the table. */
#ifndef LOOM_CLI_SERVICES_H
#define LOOM_CLI_SERVICES_H

#include <loom/work/approval.h>
#include <loom/cli/cli.h>
#include <loom/files/path.h>
#include <loom/tree/gate.h>

struct loom_verb_info;

/* A value of an item that another table defines, such as a format. */
struct cli_value {
	struct loom_str name;
	const char *title; /* one line for people; NULL: help does not list it */
};
/* Sets *out to the value at `index`; false after the last. */
typedef bool help_values_fn(size_t index, struct cli_value *out);

/* A LOOM_ITEM row: the field that its value goes to. */
enum cli_field_type { CLI_FIELD_FLAG, CLI_FIELD_TEXT, CLI_FIELD_NUMBER, CLI_FIELD_TEXTS };
struct cli_field {
	enum cli_field_type type;
	size_t offset;          /* in the struct of its command */
	const char *meaning;    /* "": see LOOM_WORD; NULL after the last row */
	help_values_fn *values; /* of a LOOM_ITEM_OF; else NULL */
};

/* A LOOM_ALSO row. */
struct cli_also {
	const char *when; /* NULL after the last row */
	unsigned deed;
	unsigned may;
};

/* A LOOM_ONCE row. */
struct cli_once {
	bool takes;
	const char *instead;
};

enum cli_item_kind { CLI_FLAG, CLI_OPTION, CLI_POSITIONAL };

/* One option or positional of a usage. */
struct cli_item {
	enum cli_item_kind kind;
	struct loom_str brief; /* "-t", or empty */
	struct loom_str name;  /* "--tree"; "-t" if only short; "FILE" for a positional */
	struct loom_str value; /* "TREE", "dialogue|buffer"; empty for a flag */
	bool choice;           /* the value is one of the words between the | */
	bool number;           /* the value is a number, 0 and up */
	bool lean;             /* the option's value may be missing */
	bool optional;
	bool repeats;
	int either;                    /* items with the same number above 0 exclude each other */
	const struct cli_field *field; /* its row; NULL for a usage outside the table */
};

struct cli_spec {
	struct cli_item *items;
	size_t count;
	bool verbatim; /* "[--]": from the first positional on, everything is positional */
};

/* Parses a usage into the arena; *out points into `usage`. LOOM_FAULT, with the place, for a usage
 * that breaks the notation. */
enum loom_status cli_spec_parse(struct loom_arena *arena, struct loom_str usage,
				struct cli_spec *out, struct loom_err *err) LOOM_MUST;
/* The item with that short or long name, or NULL. */
const struct cli_item *cli_spec_find(const struct cli_spec *spec, struct loom_str name);
/* The specification of a command's rows, each item with its row. It always parses, because a test
 * checks the whole table. */
struct cli_spec cli_spec_of(struct loom_arena *arena, const struct loom_command *command);
/* The specification of the global options (everywhere.def). */
struct cli_spec cli_spec_global(struct loom_arena *arena);
/* The type of the field that an item needs. */
enum cli_field_type cli_item_type(const struct cli_item *item);
/* The word of a choice at `index`; false after the last. */
bool cli_item_choice(const struct cli_item *item, size_t index, struct loom_str *out);

/* A command line being parsed. */
struct cli_reader {
	struct loom_arena *arena;
	int argc;
	char **argv;
	int at;
	bool verbatim;
	const char *command; /* the command's name, for messages; NULL until it is known */
	const char *usage;   /* the command's usage, for hints; NULL until it is known */
	struct loom_args *global;
	struct loom_args *local; /* NULL until the command is known */
};

/* Arguments with nothing given yet. Borrows the specification. */
struct loom_args *cli_args_create(struct loom_arena *arena, const struct cli_spec *spec);
/* The specification that the arguments were created with. */
const struct cli_spec *cli_args_spec(const struct loom_args *args);
/* How often an item was given. */
size_t cli_args_count(const struct loom_args *args, const struct cli_item *item);
/* The value given at `index`, in the order of argv; NULL after the last. */
const char *cli_args_at(const struct loom_args *args, const struct cli_item *item, size_t index);
/* Writes every value into the field of its row; `out` is the command's struct, zeroed. */
void cli_args_fill(struct loom_arena *arena, const struct loom_args *args, void *out);
/* Whether argv[at] is an option that is known so far. */
bool cli_args_at_global(const struct cli_reader *reader);
/* Parses the option at argv[at] and moves past it. */
enum loom_status cli_args_option(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Parses options from argv[at] up to a positional or the end. */
enum loom_status cli_args_options(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Parses all remaining arguments into `local`. */
enum loom_status cli_args_rest(struct cli_reader *reader, struct loom_err *err) LOOM_MUST;
/* Checks that `local` has everything its specification requires; LOOM_USAGE otherwise. */
enum loom_status cli_args_check(const struct cli_reader *reader, struct loom_err *err) LOOM_MUST;

/* Finds the command named at argv[at] and moves past its words. LOOM_USAGE, suggesting the nearest
 * name. */
enum loom_status help_table_read(struct cli_reader *reader, const struct loom_command **out,
				 struct loom_err *err) LOOM_MUST;
/* The command with the longest name that matches the first words; *used is the number of words it
 * took. */
const struct loom_command *help_table_match(const char *const *given, size_t count, size_t *used);
/* No command's name has more words. */
#define HELP_NAME_WORDS 4
/* Whether some command's name continues after these words. */
bool help_table_goes_on(const char *const *given, size_t count);
/* The shared meaning of an option or value (LOOM_WORD), or NULL. */
const char *help_table_word(struct loom_str word);
/* The further help text (LOOM_NOTE) of a command, a family ("thread") or a verb ("→ continue"), or
 * "". Lines that begin with a blank must not be filled. */
const char *help_table_note(struct loom_str name);

/* The lists that LOOM_ITEM_OF rows name (values.c). */
help_values_fn help_values_import_formats;
help_values_fn help_values_export_formats;
help_values_fn help_values_scopes;
help_values_fn help_values_themes;
help_values_fn help_values_presets;
help_values_fn help_values_verbs;
help_values_fn help_values_help; /* the words that `loom help` accepts */

/* The value of an item at `index`, for items whose values another table defines and help lists;
 * false after the last. */
bool help_item_value(const struct cli_item *item, size_t index, struct cli_value *out);
/* Appends the values of an item, one per line. */
void help_item_list(const struct cli_item *item, struct loom_buf *out);
/* Adds the values of an item to the answer as the list "values". */
void help_item_describe(struct loom_cli *cli, const struct cli_item *item);
/* Whether an option was given the value `?`. If so, its values were printed and the command must
 * not run. */
bool help_values_asked(struct loom_cli *cli, const struct cli_spec *spec);

/* --- the gate (gate_command.c) --- */

/* A command that an agent proposed, run again after a person's approval. */
struct cli_again {
	const struct loom_proposal *proposal;
	const char *agent;          /* its ULID */
	struct loom_str name;       /* its name */
	struct loom_file_id *grove; /* the store's file where it was proposed */
	bool look;                  /* do not run it: only look at what it would act on */
	bool fits;                  /* out: whether it still acts on what was listed */
	int out_fd;                 /* where its results go */
};

/* Lets the call through, refuses it, or queues it for a person's approval, which is an error too,
 * since nothing was done. */
enum loom_status cli_gate(struct loom_cli *cli, struct loom_err *err) LOOM_MUST;
/* Runs, or only looks at, a proposed command, as its agent and from the directory where it was
 * proposed. Returns the exit status. */
int cli_again(struct cli_again *again);

/* Appends the given arguments in the order of the usage, so that equal arguments give equal text
 * however they were written. */
void cli_args_spell(const struct loom_args *args, struct loom_buf *out);

/* --- --op ID (request_once.c) --- */
struct cli_request;
/* Reads the value of --op, once the command's arguments are known. LOOM_USAGE for a bad value or a
 * command that does not take --op. */
enum loom_status cli_request_read(struct loom_cli *cli, const char *text,
				  struct loom_err *err) LOOM_MUST;
/* Frees the call's request; harmless without one. */
void cli_request_fini(struct loom_cli *cli);
/* Tells the request that the command read these bytes from `path`. */
void cli_request_input(struct loom_cli *cli, const char *path, struct loom_str bytes);

/* Frees the reader of standard input; NULL is fine. */
void cli_reader_destroy(struct loom_line_reader *reader);
struct loom_cli_work;
/* Appends a progress line: "importing 12,847 of 1,000,000 nodes · 12,001/s · 1m 22s left · ^C
 * stops". */
void cli_progress_line(struct loom_buf *line, const struct loom_cli_work *work,
		       struct loom_task *task, int64_t elapsed_ms);
/* Appends a word in shell syntax, quoted if necessary. */
void cli_add_word(struct loom_buf *out, struct loom_str word);
/* Frees what the call created: loop, reader, output, arena. */
void cli_close(struct loom_cli *cli);

/* --- generated texts --- */

/* The help text of an item: of the option, else of its value, else "". */
const char *help_item_meaning(const struct cli_item *item);
/* How to fill text into lines. */
struct cli_filling {
	size_t indent; /* blanks before each line */
	size_t begun;  /* cells already on the first line; 0: start it here */
	bool brackets; /* do not break inside brackets */
};

/* Appends the text in lines and ends the last one. A line feed ends a line; a line that begins with
 * a blank is kept unchanged. */
void cli_fill_lines(struct loom_buf *out, struct loom_str text, const struct cli_filling *how);
/* Prints all commands, by group. */
void help_all(struct loom_cli *cli);
/* The group shown at index i < LOOM_GROUP_COUNT. */
enum loom_group help_group_at(size_t i);
/* Prints the help page of the commands that begin with this word. */
void help_family(struct loom_cli *cli, struct loom_str family);
/* Prints the help page of a command. */
void help_command(struct loom_cli *cli, const struct loom_command *command);
/* Prints the help page of a verb of the → language. */
void help_verb(struct loom_cli *cli, const struct loom_verb_info *verb);
/* Prints everything related to a word: commands, then verbs. */
void help_topic(struct loom_cli *cli, struct loom_str word);

/* Whether the command is related to a word of at least three letters, by its name, summary or group
 * title. */
bool help_topic_command(const struct loom_command *command, struct loom_str word);
/* Whether the verb is related to a word of at least three letters, by its name, summary, group
 * title or synonyms. */
bool help_topic_verb(const struct loom_verb_info *verb, struct loom_str word);
/* Whether any command or verb is related to the word. */
bool help_topic_any(struct loom_str word);

/* A row of topics.def: a help page about more than one command. */
struct cli_topic {
	const char *name;
	const char *title;
	const char *text; /* for cli_fill_lines, as in a note */
};
/* The topic at index `i`; NULL after the last. */
const struct cli_topic *help_topic_at(size_t i);
/* The topic with that name, or NULL. */
const struct cli_topic *help_topic_find(struct loom_str name);
/* Prints the help page of a topic. */
void help_page(struct loom_cli *cli, const struct cli_topic *topic);
/* Appends the man page, in roff. */
void help_man_page(struct loom_arena *arena, struct loom_buf *out);

/* A function that writes the completions of one family of commands. A family is what
 * names of several words begin with; "" stands for the start of all names. */
typedef void cli_family_fn(struct loom_arena *arena, struct loom_str family, struct loom_buf *out);
/* Calls `fn` for each family, "" first. */
void help_each_family(struct loom_arena *arena, struct loom_buf *out, cli_family_fn *fn);
/* The next distinct word of a family; *index starts at 0. False after the last. */
bool help_family_word(struct loom_str family, size_t *index, struct loom_str *out);
/* The summary of a word within its family, in the arena. */
const char *help_family_summary(struct loom_arena *arena, struct loom_str family,
				struct loom_str word);
/* Appends a family's keys as a shell pattern: 'thread list'|'thread show'|…. */
void help_family_keys(struct loom_arena *arena, struct loom_str family, struct loom_buf *out);
/* Whether the item's value is a file or a directory. */
bool help_item_is_path(const struct cli_item *item);
/* Whether the item accepts only certain words. */
bool help_item_has_choices(const struct cli_item *item);
/* Appends the words that the item accepts, separated by blanks; nothing if it accepts any. */
void help_item_choices(const struct cli_item *item, struct loom_buf *out);
/* Appends the completion script for bash. */
void help_completion_bash(struct loom_arena *arena, struct loom_buf *out);
/* Appends the completion script for zsh. */
void help_completion_zsh(struct loom_arena *arena, struct loom_buf *out);
/* Appends the completion script for fish. */
void help_completion_fish(struct loom_arena *arena, struct loom_buf *out);

/* Takes over the person that the configuration wishes for, if it can be read and LOOM_ME is not
 * set. */
void cli_wish(struct loom_cli *cli);

#endif
