/* `loom pipe`: a text through one of the user's programs. */
#include <loom/cli/services.h>

#include <loom/cli/open_grove.h>
#include <loom/commands/programs.h>
#include <loom/loop/bounded.h>

#include <loom/commands/args_of.def>
#include <loom/commands/language.def>

#define IN_MAX  ((size_t)64 << 20)
#define OUT_MAX ((size_t)4 << 20)

struct piping {
	struct cli_grove *grove;
	const struct loom_program *program;
	struct loom_config config;
	struct loom_buf text;
	bool over;
	enum loom_status status;
	struct loom_err err;
};

static enum loom_status find_program(struct piping *piping, struct loom_err *err)
{
	struct loom_cli *cli = piping->grove->cli;
	const struct loom_str name = args_of_pipe(cli)->program;
	struct loom_buf names = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_program *each;
	enum loom_status status = loom_config_load(&cli->env, cli->arena, &piping->config, err);

	if (status)
		return status;
	piping->program = loom_program_find(&piping->config, name);
	if (piping->program)
		return LOOM_OK;
	if (!loom_program_is_free(name))
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" is a name of loom's own",
			  LOOM_STR_ARG(name));
	else
		loom_fail(err, LOOM_NOT_FOUND, "you have no program \"%.*s\"", LOOM_STR_ARG(name));
	for (size_t i = 0; (each = loom_program_at(&piping->config, i)); i++)
		loom_buf_addf(&names, "%s%.*s", i ? ", " : "", LOOM_STR_ARG(each->name));
	if (names.n)
		loom_hint(err, LOOM_NOT_FOUND, "your programs: %s", loom_buf_cstr(&names));
	else
		loom_hint(err, LOOM_NOT_FOUND, "`loom help programs` says how to add one");
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

/* An agent runs what the person's own file opens to its name, and nothing else. */
static enum loom_status check_agent(const struct piping *piping, struct loom_err *err)
{
	const struct cli_grove *grove = piping->grove;
	const struct loom_program *program = piping->program;

	if (!grove->cli->agent && cli_grove_person(grove))
		return LOOM_OK;
	for (size_t i = 0; i < program->agent_count; i++)
		if (loom_str_eq(program->agents[i], grove->actor.name) &&
		    loom_agent_acts(&grove->actor))
			return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "the program \"%.*s\" is not open to %.*s",
		  LOOM_STR_ARG(program->name), LOOM_STR_ARG(grove->actor.name));
	return loom_hint(err, LOOM_PERMISSION,
			 "a person can add the name to its \"agents\" in config.json");
}

static enum loom_status read_text(struct piping *piping, struct loom_err *err)
{
	struct cli_grove *grove = piping->grove;
	const struct loom_str node = args_of_pipe(grove->cli)->node;
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	if (node.p && loom_str_is(node, "-"))
		return loom_cli_read(grove->cli, NULL, IN_MAX, &piping->text, err);
	status = cli_grove_spot(grove, node, LOOM_NODE_TEXT, &spot, err);
	if (status == LOOM_OK)
		loom_buf_add(&piping->text, spot.node.text);
	return status;
}

static void done(void *ctx, enum loom_status status, struct loom_str out,
		 const struct loom_err *err)
{
	struct piping *piping = ctx;

	piping->over = true;
	piping->status = status;
	piping->err = *err;
	loom_buf_clear(&piping->text);
	loom_buf_add(&piping->text, out);
}

/* Its calls of loom act as whoever ran it, and raise no events. */
static enum loom_status run_program(struct piping *piping, struct loom_err *err)
{
	struct loom_cli *cli = piping->grove->cli;
	char ulid[LOOM_ULID_CHARS + 1] = "";
	struct loom_str agent;
	struct loom_str dir = loom_arena_format(cli->arena, "LOOM_GROVE=%.*s",
						LOOM_STR_ARG(loom_store_dir(piping->grove->store)));
	struct loom_bounded *program = NULL;
	enum loom_status status;

	if (cli->agent)
		loom_ulid_text(&piping->grove->actor.ulid, ulid);
	agent = loom_arena_format(cli->arena, "LOOM_AGENT=%s", ulid);
	status = loom_bounded_start(
		&(struct loom_bounded_opts){.loop = loom_cli_loop(cli),
					    .argv = piping->program->command,
					    .env = (const char *const[]){"LOOM_HOOKS=off", agent.p,
									 dir.p, NULL},
					    .config = &piping->config,
					    .input = loom_buf_str(&piping->text),
					    .ms = piping->program->ms,
					    .most = OUT_MAX,
					    .done = done,
					    .ctx = piping},
		&program, err);
	if (status)
		return status;
	loom_cli_listen(cli);
	while (!piping->over && !loom_task_cancelled(&cli->task))
		loom_loop_step(loom_cli_loop(cli), -1);
	loom_cli_unlisten(cli);
	if (!piping->over) {
		loom_bounded_stop(program);
		return LOOM_CANCELLED;
	}
	if (err)
		*err = piping->err;
	return piping->status;
}

static enum loom_status run_pipe(struct cli_grove *grove, struct loom_err *err)
{
	struct piping piping = {.grove = grove};
	enum loom_status status;

	loom_buf_init(&piping.text, IN_MAX);
	status = find_program(&piping, err);
	if (status == LOOM_OK)
		status = check_agent(&piping, err);
	if (status == LOOM_OK)
		status = read_text(&piping, err);
	if (status == LOOM_OK)
		status = run_program(&piping, err);
	if (status == LOOM_OK) {
		loom_answer_text(grove->cli, "program", piping.program->name);
		loom_answer_text(grove->cli, "text", loom_buf_str(&piping.text));
		loom_answer_untouched(grove->cli, loom_buf_str(&piping.text));
	}
	loom_buf_fini(&piping.text);
	return status;
}

enum loom_status cmd_pipe(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_pipe, err);
}
