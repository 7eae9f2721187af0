/* The command line: the table of commands, the arguments of a call, and the frame around handlers.
 *
 * A command is its rows in a file that commands.def includes, and a function cmd_<id>(cli, err). */
#ifndef LOOM_CLI_H
#define LOOM_CLI_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/cli/answers.h>
#include <loom/cli/out.h>
#include <loom/cli/results.h>
#include <loom/language/group.h>
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

/* Runs the command. The caller prints *err for any status but LOOM_OK and derives the exit status
 * from it; an error with an empty text was printed already. */
typedef enum loom_status loom_command_fn(struct loom_cli *cli, struct loom_err *err);

/* The types of a command's options and positionals in its struct (args_of.def). An absent one is
 * all zero. Texts end with a NUL and live as long as argv. */
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

/* The given number, or `otherwise` if it is absent. */
static inline int64_t loom_number_or(struct loom_number number, int64_t otherwise)
{
	return number.given ? number.value : otherwise;
}

/* The LOOM_ITEM rows of a command. */
typedef const struct cli_field *loom_fields_fn(void);

/* One command of the table. */
struct loom_command {
	const char *name; /* such as "new" or "thread list" */
	const char *usage;
	const char *summary;
	const char *example;
	const struct cli_once *once; /* LOOM_ONCE; may be NULL */
	const char *ask;             /* LOOM_ASK; may be NULL */
	const char *note;            /* LOOM_NOTE; may be NULL */
	unsigned deed;               /* what it does, whatever its arguments (gate.h) */
	unsigned may;                /* the permissions an agent needs for that */
	enum loom_group group;
	const struct cli_also *also; /* further deeds; the last row has no `when` */
	loom_fields_fn *fields;      /* the fields of its struct, one for each item of the usage */
	size_t size;                 /* of its struct, in bytes */
	loom_command_fn *run;
};

/* The number of commands in the table. */
size_t loom_command_count(void);
/* The row at `index`, in the order of the table. */
const struct loom_command *loom_command_at(size_t index);
/* The command with exactly this name, or NULL. */
const struct loom_command *loom_command_find(struct loom_str name);

/* The deeds of a call with these arguments, and what it needs for them (gate.h); with NULL, what
 * any call of the command could. */
struct loom_need loom_command_need(const struct loom_command *command,
				   const struct loom_args *args);
/* Whether the command is never open to agents. */
bool loom_command_is_for_persons(const struct loom_command *command);

/* The call, as a handler gets it. It may set `found`, and answers through answers.h; it only reads
 * the rest. */
struct loom_cli {
	struct loom_env env;
	struct loom_arena *arena; /* lives as long as the call */
	struct loom_out *out;
	const struct loom_args
		*args;     /* for code that reads any command; a handler uses its own struct */
	const void *given; /* read it with args_of_<id>(cli), see args_of.def */
	const struct loom_command *command;
	const char *grove; /* from -g or LOOM_GROVE; NULL: search upwards */
	const char *agent; /* from LOOM_AGENT, the agent that every command acts as; or NULL */
	int argc;          /* the whole command line, with the program's name */
	char **argv;
	struct loom_str input;       /* standard input, if it is a text; p NULL: the real one */
	struct cli_again *again;     /* set if an agent proposed this call; NULL: it is a new one */
	struct cli_request *request; /* set by --op ID, which runs at most once; or NULL */
	bool json;
	bool offline; /* does not ask the shared log */
	bool found;   /* exit with 1 without an error: something was found, or a call failed */
	struct loom_answering answer;    /* use answers.h */
	struct loom_task task;           /* ^C cancels it while the call listens */
	int listening;                   /* use loom_cli_listen */
	struct loom_loop *loop;          /* use loom_cli_loop */
	struct loom_line_reader *reader; /* use loom_cli_line */
};

/* The arguments of the call, as the struct of the command that `handler` handles. Asserts that the
 * call is of that command. */
const void *loom_cli_args(const struct loom_cli *cli, loom_command_fn *handler);

/* Reads a whole file of at most `max` bytes; `path` NULL or "-" is standard input. LOOM_NOT_FOUND;
 * LOOM_PATH for what is neither a file nor a pipe; LOOM_LIMIT, LOOM_IO, LOOM_CANCELLED. */
enum loom_status loom_cli_read(struct loom_cli *cli, const char *path, size_t max,
			       struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Reads the next line of standard input without its LF; *out is borrowed until the next call. *end
 * is set after the last line. LOOM_LIMIT for a line longer than `max` bytes. */
enum loom_status loom_cli_line(struct loom_cli *cli, size_t max, struct loom_str *out, bool *end,
			       struct loom_err *err) LOOM_MUST;

/* The call's event loop, created on first use. */
struct loom_loop *loom_cli_loop(struct loom_cli *cli);

/* Starts listening for ^C; calls nest. While the call listens, ^C cancels cli->task as soon as the
 * loop steps, and a second ^C ends the program with exit status 130. Otherwise ^C ends the program
 * at once, so code that computes without stepping the loop must not listen. Functions that wait
 * here listen by themselves. */
void loom_cli_listen(struct loom_cli *cli);
/* Ends the listening that one loom_cli_listen started. */
void loom_cli_unlisten(struct loom_cli *cli);

/* A piece of long work on a worker that uses the call's loop. A terminal shows its name, its
 * progress and how to stop it. */
struct loom_cli_work {
	const char *what; /* "importing" */
	const char *unit; /* "nodes"; may be NULL */
	enum loom_status (*run)(void *context, void *payload, struct loom_task *task,
				struct loom_err *err);
	void *payload;
};
/* Runs the work and returns when it is done. `run` is called on the worker's thread with the
 * worker's context, and its status is the result; LOOM_CANCELLED after ^C. */
enum loom_status loom_cli_work(struct loom_cli *cli, struct loom_worker *worker,
			       const struct loom_cli_work *work, struct loom_err *err) LOOM_MUST;

/* The screen that `loom` opens without a command. */
enum loom_door { LOOM_DOOR_SCREEN, LOOM_DOOR_TUTOR, LOOM_DOOR_PLAIN };
struct loom_open_request {
	enum loom_door door;
	const char *grove; /* like in struct loom_cli */
	const char *agent;
	const char *wish; /* for struct loom_env; may be NULL */
};
/* Opens a door and returns the exit status; a NULL function means that there are no doors. */
typedef int loom_open_fn(void *ctx, const struct loom_open_request *request);

/* The whole program: parses argv, runs the command or opens a door, prints, and returns the exit
 * status. */
int loom_cli_main(int argc, char **argv, loom_open_fn *open_door, void *ctx);

#endif
