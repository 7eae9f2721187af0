/* The command line: the table of commands, the arguments of one call, and the frame around a
 * handler.
 *
 * A command is its rows in a file of commands.def and one function cmd_<id>(cli, err). */
#ifndef LOOM_CLI_H
#define LOOM_CLI_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/cli/answers.h>
#include <loom/cli/out.h>
#include <loom/cli/results.h>
#include <loom/language/registry.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_args;
struct loom_cli;
struct cli_again;
struct cli_also;
struct cli_field;
struct cli_once;
struct cli_request;
struct loom_loop;
struct loom_worker;

/* Does the command. What it returns but LOOM_OK is printed from *err and becomes the exit status;
 * an error with an empty text was printed already. */
typedef enum loom_status loom_command_fn(struct loom_cli *cli, struct loom_err *err);

/* What an option or a value of a command is in the struct of what it was given (args_of.def): each
 * all zero where it is absent. Texts end with a NUL and live as long as argv. */
struct loom_number {
	bool given;
	int64_t value;
};
struct loom_texts {
	const struct loom_str *p;
	size_t n;
};
#define LOOM_FIELD_FLAG   bool
#define LOOM_FIELD_TEXT   struct loom_str
#define LOOM_FIELD_NUMBER struct loom_number
#define LOOM_FIELD_TEXTS  struct loom_texts

/* The number, `otherwise` where it is absent. */
static inline int64_t loom_number_or(struct loom_number number, int64_t otherwise)
{
	return number.given ? number.value : otherwise;
}

/* The LOOM_ITEM rows of a command. */
typedef const struct cli_field *loom_fields_fn(void);

/* One command of the table. */
struct loom_command {
	const char *name; /* "new", "thread list" */
	const char *usage;
	const char *summary;
	const char *example;
	const struct cli_once *once; /* LOOM_ONCE; may be NULL */
	const char *ask;             /* LOOM_ASK; may be NULL */
	const char *note;            /* LOOM_NOTE; may be NULL */
	unsigned deed;               /* what it does, whatever its arguments are (gate.h) … */
	unsigned may;                /* … and what an agent must have for that */
	enum loom_group group;
	const struct cli_also *also; /* the last has no `when` */
	loom_fields_fn *fields;      /* of its struct, one for each item of the usage */
	size_t size;                 /* of its struct */
	loom_command_fn *run;
};

/* How many rows the table has. */
size_t loom_command_count(void);
/* The row at `index`, in the order of the table. */
const struct loom_command *loom_command_at(size_t index);
/* The row of that very name, or NULL. */
const struct loom_command *loom_command_find(struct loom_str name);

/* What a row says of a call with these arguments; NULL: of all that it could be asked. */
struct loom_need loom_command_need(const struct loom_command *command,
				   const struct loom_args *args);
/* Whether it is never for an agent. */
bool loom_command_is_for_persons(const struct loom_command *command);

/* What a handler is given. The handler may set `found`, and speaks by answers.h; the rest is for
 * reading. */
struct loom_cli {
	struct loom_env env;
	struct loom_arena *arena; /* of this call */
	struct loom_out *out;
	const struct loom_args *args; /* for what reads any command; a handler has its own struct */
	const void *given;            /* use args_of_<id>(cli) of args_of.def */
	const struct loom_command *command;
	const char *grove; /* -g or LOOM_GROVE, else NULL: climb */
	const char *agent; /* LOOM_AGENT: every command acts as this agent; else NULL */
	int argc;          /* the line itself, the program's name first */
	char **argv;
	struct loom_str input;   /* its standard input where that is a text; p NULL: the real one */
	struct cli_again *again; /* it was proposed by an agent; NULL: somebody says it now */
	struct cli_request *request; /* --op ID: it is done once; NULL: no id was given */
	bool json;
	bool found; /* exit 1 although nothing failed: something was found, or a call failed */
	struct loom_answering answer;    /* use answers.h */
	struct loom_task task;           /* cancelled by ^C while the call listens */
	int listening;                   /* use loom_cli_listen */
	struct loom_loop *loop;          /* use loom_cli_loop */
	struct loom_line_reader *reader; /* use loom_cli_line */
};

/* What the call was given, as the struct of the command whose handler this is; asserted. */
const void *loom_cli_args(const struct loom_cli *cli, loom_command_fn *handler);

/* All of a file, or of standard input for NULL and "-", at most `max` bytes. LOOM_NOT_FOUND,
 * LOOM_PATH for what is no file or pipe, LOOM_LIMIT, LOOM_IO, LOOM_CANCELLED. */
enum loom_status loom_cli_read(struct loom_cli *cli, const char *path, size_t max,
			       struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* The next line of standard input without its LF; *out is borrowed until the next call. *end is
 * true behind the last. A line beyond `max` bytes is LOOM_LIMIT. */
enum loom_status loom_cli_line(struct loom_cli *cli, size_t max, struct loom_str *out, bool *end,
			       struct loom_err *err) LOOM_MUST;

/* The call's loop, made when first asked for. */
struct loom_loop *loom_cli_loop(struct loom_cli *cli);

/* From the first listen to the last unlisten ^C cancels cli->task as soon as the loop steps, and a
 * second ^C ends the program with exit status 130. Outside, ^C ends it at once, as the system does:
 * whoever computes without stepping the loop must not listen. What waits in here listens by
 * itself. */
void loom_cli_listen(struct loom_cli *cli);
/* One for each listen. */
void loom_cli_unlisten(struct loom_cli *cli);

/* One piece of long work on a worker whose loop is the call's: says on a terminal what runs, how
 * far it is and how to stop; returns when it is done. LOOM_CANCELLED after ^C. */
struct loom_cli_work {
	const char *what; /* "importing" */
	const char *unit; /* "nodes"; may be NULL */
	enum loom_status (*run)(void *context, void *payload, struct loom_task *task,
				struct loom_err *err);
	void *payload;
};
/* `run` is called on the worker's thread with the worker's context; its status is the result. */
enum loom_status loom_cli_work(struct loom_cli *cli, struct loom_worker *worker,
			       const struct loom_cli_work *work, struct loom_err *err) LOOM_MUST;

/* What `loom` without a command asks for. */
enum loom_door { LOOM_DOOR_SCREEN, LOOM_DOOR_TUTOR, LOOM_DOOR_PLAIN };
struct loom_open_request {
	enum loom_door door;
	const char *grove; /* as in struct loom_cli */
	const char *agent;
};
/* Opens a door and returns the exit status; NULL: there is none. */
typedef int loom_open_fn(void *ctx, const struct loom_open_request *request);

/* The program: parses, runs, prints, and returns the exit status. */
int loom_cli_main(int argc, char **argv, loom_open_fn *open_door, void *ctx);

#endif
