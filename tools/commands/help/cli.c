/* The frame around a command: global options, permission, errors and exit status. Opens nothing and
 * knows no command by name. */
#include <loom/cli/everywhere.h>
#include <loom/cli/services.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <loom/commands/programs.h>

#include <loom/commands/args_of.def>
#include <loom/commands/program.def>

/* One call of the program. */
struct frame {
	struct loom_cli cli;
	struct cli_spec global_spec;
	struct cli_spec local_spec;
	struct cli_reader reader;
	struct cli_everywhere everywhere;
	loom_open_fn *open_door;
	void *ctx;
};

/* If a standard descriptor is closed, the next file opened would get its number, and results would
 * be written into it. /dev/null takes its place, opened in the wrong direction, so that using it
 * still fails. */
static void fill_descriptors(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = 0; fd < (int)LOOM_COUNT(modes); fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", modes[fd] | O_NOCTTY) != fd)
			_exit(3);
}

/* Whether the unparsed rest of the line asks for JSON. */
static bool asks_json(const struct cli_reader *reader)
{
	for (int i = reader->at; i < reader->argc; i++)
		if (strcmp(reader->argv[i], "--json") == 0)
			return true;
	return false;
}

static void open_output(struct frame *frame, bool misread)
{
	struct loom_out_opts opts = {
		.out_fd = frame->cli.again ? frame->cli.again->out_fd : STDOUT_FILENO,
		.err_fd = STDERR_FILENO,
		.json = frame->everywhere.json || (misread && asks_json(&frame->reader)),
		.raw = frame->everywhere.raw,
		.env = &frame->cli.env,
	};

	frame->cli.json = opts.json;
	frame->cli.offline = frame->everywhere.offline;
	frame->cli.out = loom_out_create(&opts);
}

/* A program of the user's is a command too: `loom pipe` runs it. */
static bool is_program(struct frame *frame, const char *word)
{
	struct loom_config config;

	return loom_config_load(&frame->cli.env, frame->cli.arena, &config, NULL) == LOOM_OK &&
	       loom_program_find(&config, loom_str_of(word));
}

static enum loom_status read_command(struct frame *frame, struct loom_err *err)
{
	struct cli_reader *reader = &frame->reader;
	const struct loom_command *command = NULL;
	const int from = reader->at;
	enum loom_status status = help_table_read(reader, &command, err);

	if (status && is_program(frame, reader->argv[from])) {
		command = loom_command_find(LOOM_STR("pipe"));
		reader->at = from;
		status = LOOM_OK;
		loom_err_clear(err);
	}
	if (status)
		return status;
	frame->cli.command = command;
	reader->command = command->name;
	reader->usage = command->usage;
	frame->local_spec = cli_spec_of(frame->cli.arena, command);
	reader->local = cli_args_create(frame->cli.arena, &frame->local_spec);
	frame->cli.args = reader->local;
	return cli_args_rest(reader, err);
}

/* Parses the whole command line; frame->cli.command stays NULL if it names none. */
static enum loom_status read_line(struct frame *frame, struct loom_err *err)
{
	enum loom_status status;

	frame->global_spec = cli_spec_global(frame->cli.arena);
	frame->reader.global = cli_args_create(frame->cli.arena, &frame->global_spec);
	status = cli_args_options(&frame->reader, err);
	if (!status && frame->reader.at < frame->reader.argc)
		status = read_command(frame, err);
	cli_args_fill(frame->cli.arena, frame->reader.global, &frame->everywhere);
	return status;
}

/* Fills the command's struct of arguments. */
static const void *give(const struct frame *frame)
{
	void *given = loom_arena_alloc(frame->cli.arena, frame->cli.command->size);

	cli_args_fill(frame->cli.arena, frame->cli.args, given);
	return given;
}

static enum loom_status print_version(struct loom_cli *cli, struct loom_err *err)
{
	return cmd_version(cli, err);
}

/* `loom` without a command: opens the screen, unless an option like --version asks for something
 * else. */
static enum loom_status run_bare(struct frame *frame, int *exit_status, struct loom_err *err)
{
	struct loom_open_request request = {
		.door = frame->everywhere.tutor   ? LOOM_DOOR_TUTOR
			: frame->everywhere.plain ? LOOM_DOOR_PLAIN
						  : LOOM_DOOR_SCREEN,
		.grove = frame->cli.grove,
		.agent = frame->cli.agent,
		.wish = frame->cli.env.wish,
	};

	if (frame->everywhere.version)
		return print_version(&frame->cli, err);
	if (frame->everywhere.help) {
		help_all(&frame->cli);
		return LOOM_OK;
	}
	if (frame->cli.json || frame->everywhere.raw || frame->everywhere.op.p) {
		loom_fail(err, LOOM_USAGE, "loom: --json, --raw and --op need a command");
		return loom_hint(err, LOOM_USAGE, "loom help");
	}
	if (!frame->open_door) {
		loom_fail(err, LOOM_REFUSED, "this loom was built without a screen");
		return loom_hint(err, LOOM_REFUSED, "`loom help` shows the commands");
	}
	*exit_status = frame->open_door(frame->ctx, &request);
	return LOOM_OK;
}

static enum loom_status check_allowed(const struct frame *frame, struct loom_err *err)
{
	const struct loom_cli *cli = &frame->cli;

	if (frame->everywhere.plain || frame->everywhere.tutor) {
		loom_fail(err, LOOM_USAGE,
			  "loom: --plain and --tutor cannot be combined with a command");
		return loom_hint(err, LOOM_USAGE, "loom --plain");
	}
	if (frame->everywhere.raw && loom_out_on_terminal(cli->out)) {
		loom_fail(err, LOOM_USAGE, "loom %s: --raw writes only to a file or a pipe",
			  cli->command->name);
		return loom_hint(err, LOOM_USAGE, "loom %s --raw … > FILE", cli->command->name);
	}
	return LOOM_OK;
}

static enum loom_status run_command(struct frame *frame, struct loom_err *err)
{
	struct loom_cli *cli = &frame->cli;
	enum loom_status status = LOOM_OK;

	if (frame->everywhere.version)
		return print_version(cli, err);
	if (frame->everywhere.help) {
		help_command(cli, cli->command);
		return LOOM_OK;
	}
	status = check_allowed(frame, err);
	if (!status && help_values_asked(cli, &frame->local_spec))
		return LOOM_OK;
	if (!status)
		status = cli_args_check(&frame->reader, err);
	if (!status && frame->everywhere.op.p)
		status = cli_request_read(cli, frame->everywhere.op.p, err);
	if (!status)
		status = cli_gate(cli, err);
	if (status || (cli->again && cli->again->look))
		return status;
	cli->given = give(frame);
	return cli->command->run(cli, err);
}

/* An empty variable in a script must not select whatever grove is near. */
static enum loom_status check_grove(const struct frame *frame, struct loom_err *err)
{
	const char *named = frame->everywhere.grove.p;

	if (!named || named[0])
		return LOOM_OK;
	loom_fail(err, LOOM_USAGE, "loom: --grove is empty");
	return loom_hint(err, LOOM_USAGE, "loom -g PATH …");
}

static const char *first_of(const char *a, const char *b)
{
	return a && a[0] ? a : b;
}

static void take_env(struct loom_cli *cli)
{
	cli->grove = loom_env_var(&cli->env, "LOOM_GROVE");
	cli->agent = loom_env_var(&cli->env, "LOOM_AGENT");
}

static enum loom_status run(struct frame *frame, int *exit_status, struct loom_err *err)
{
	struct loom_cli *cli = &frame->cli;
	struct loom_err env_err = {.status = LOOM_OK};
	enum loom_status env_status = loom_env_init(&cli->env, &env_err);
	enum loom_status status = read_line(frame, err);

	open_output(frame, status != LOOM_OK);
	if (env_status && !status) {
		*err = env_err;
		err->status = LOOM_USAGE;
		return LOOM_USAGE;
	}
	if (!status)
		status = check_grove(frame, err);
	if (status)
		return status;
	if (!cli->again)
		take_env(cli);
	cli->grove = first_of(frame->everywhere.grove.p, cli->grove);
	cli_wish(cli);
	return cli->command ? run_command(frame, err) : run_bare(frame, exit_status, err);
}

/* Prints the error, or the one of output itself. */
static int finish(struct loom_cli *cli, enum loom_status status, const struct loom_err *err)
{
	struct loom_err write_err = {.status = LOOM_OK};
	enum loom_status written = LOOM_OK;

	if (status)
		loom_answer_drop(cli);
	else
		loom_answer_give(cli);
	if (status && err->text[0])
		loom_out_error(cli->out, NULL, err);
	written = loom_out_flush(cli->out, &write_err);
	if (written && !status) {
		loom_out_error(cli->out, NULL, &write_err);
		status = written;
	}
	return status ? loom_status_exit(status) : cli->found ? 1 : 0;
}

static int run_frame(struct frame *frame)
{
	struct loom_err err = {.status = LOOM_OK};
	int exit_status = 0;
	int finished = 0;

	frame->cli.arena = loom_arena_create();
	frame->cli.argc = frame->reader.argc;
	frame->cli.argv = frame->reader.argv;
	frame->reader.arena = frame->cli.arena;
	frame->reader.at = 1;
	finished = finish(&frame->cli, run(frame, &exit_status, &err), &err);
	cli_close(&frame->cli);
	return finished ? finished : exit_status;
}

int loom_cli_main(int argc, char **argv, loom_open_fn *open_door, void *ctx)
{
	struct frame frame = {
		.reader = {.argc = argc, .argv = argv},
		.open_door = open_door,
		.ctx = ctx,
	};

	fill_descriptors();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If we inherited it as ignored, we could not wait for an editor. */
	signal(SIGCHLD, SIG_DFL);
	return run_frame(&frame);
}

/* ---- running a proposed command ---- */

static int run_again(struct cli_again *again, struct loom_arena *arena)
{
	const struct loom_proposed_command *command = &again->proposal->command;
	char **argv = LOOM_ARENA_ARRAY(arena, command->count + 2, char *);
	struct frame frame = {
		.reader = {.argc = (int)command->count + 1, .argv = argv},
		.cli = {.agent = again->agent, .again = again, .input = command->input},
	};

	argv[0] = loom_arena_cstr(arena, LOOM_STR("loom"));
	for (size_t i = 0; i < command->count; i++)
		argv[i + 1] = loom_arena_cstr(arena, command->words[i]);
	if (command->grove.p)
		frame.cli.grove = loom_arena_cstr(arena, command->grove);
	/* The approver's standard input is not the command's. */
	if (!command->input.p)
		frame.cli.input = LOOM_STR("");
	return run_frame(&frame);
}

int cli_again(struct cli_again *again)
{
	struct loom_arena *arena = loom_arena_create();
	const int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *dir = loom_arena_cstr(arena, again->proposal->command.dir);
	int status = loom_status_exit(LOOM_NOT_FOUND);

	if (chdir(dir) == 0)
		status = run_again(again, arena);
	if (back >= 0 && fchdir(back) != 0)
		status = loom_status_exit(LOOM_IO);
	if (back >= 0)
		close(back);
	loom_arena_destroy(arena);
	return status;
}
