/* `--op ID`: a repeated command runs once. The grove keeps its answer under the id and gives it
 * again. */
#include <loom/cli/services.h>

#include <loom/tree/request.h>

#include <loom/cli/open_grove.h>
#include <loom/cli/results.h>

/* The state of a call with an id. */
struct cli_request {
	struct loom_request asked;
	struct loom_buf said; /* results so far */
	bool intended;        /* what it does lies in files */
};

enum loom_status cli_request_id(struct loom_str text, struct loom_op_id *out, struct loom_err *err)
{
	if (loom_op_id_parse(text, out))
		return LOOM_OK;
	loom_fail(err, LOOM_SYNTAX, "--op takes a ULID, 32 hex digits or a UUID");
	return loom_hint(err, LOOM_SYNTAX, "use a new id for each thing to be done once: uuidgen");
}

/* Deeds that must not be repeated. */
#define DOES                                                                                       \
	(LOOM_DEED_WRITES | LOOM_DEED_GENERATES | LOOM_DEED_REMEMBERS | LOOM_DEED_SHARES |         \
	 LOOM_DEED_PERSON)

/* A command that only reads needs no id, and one that takes further input has no single answer. */
static enum loom_status takes_id(const struct loom_cli *cli, struct loom_err *err)
{
	const struct loom_command *command = cli->command;
	const struct loom_need need = loom_command_need(command, cli->args);
	const struct cli_once *once = command->once;

	if (once ? once->takes : (need.deeds & DOES) && !(need.deeds & LOOM_DEED_TALKS))
		return LOOM_OK;
	loom_fail(err, LOOM_USAGE, "loom %s takes no --op", command->name);
	if (once)
		return loom_hint(err, LOOM_USAGE, "%s", once->instead);
	return loom_hint(err, LOOM_USAGE,
			 need.deeds & LOOM_DEED_TALKS
				 ? "it takes more input while it runs, so it has no single answer"
				 : "you can simply run it again");
}

enum loom_status cli_request_read(struct loom_cli *cli, const char *text, struct loom_err *err)
{
	struct cli_request *request;
	struct loom_op_id id;
	enum loom_status status = takes_id(cli, err);
	const struct loom_str who[] = {cli->again ? cli->again->name : loom_str_of(cli->agent),
				       LOOM_STR_INIT(" "),
				       loom_str_of(cli->command ? cli->command->name : ""),
				       LOOM_STR_INIT(" ")};
	struct loom_buf words = LOOM_BUF_INIT(SIZE_MAX / 4);

	if (status == LOOM_OK)
		status = cli_request_id(loom_str_of(text), &id, err);
	if (status != LOOM_OK)
		return err->status = LOOM_USAGE;
	request = LOOM_ARENA_NEW(cli->arena, struct cli_request);
	request->asked.id = id;
	loom_buf_init(&request->asked.inputs, LOOM_BUF_MAX);
	loom_buf_init(&request->said, LOOM_BUF_MAX);
	for (size_t i = 0; i < LOOM_COUNT(who); i++)
		loom_buf_add(&words, who[i]);
	cli_args_spell(cli->args, &words);
	request->asked.words = loom_sha256(loom_buf_str(&words));
	loom_buf_fini(&words);
	cli->request = request;
	return LOOM_OK;
}

void cli_request_fini(struct loom_cli *cli)
{
	if (!cli->request)
		return;
	loom_buf_fini(&cli->request->asked.inputs);
	loom_buf_fini(&cli->request->said);
}

struct loom_request *cli_request_asked(const struct loom_cli *cli)
{
	return cli->request ? &cli->request->asked : NULL;
}

/* --- input --- */

void cli_request_input(struct loom_cli *cli, const char *path, struct loom_str bytes)
{
	struct loom_hash hash;

	if (!cli->request)
		return;
	hash = loom_sha256(bytes);
	loom_hex(hash.bytes, sizeof hash.bytes, &cli->request->asked.inputs);
	loom_buf_addf(&cli->request->asked.inputs, " %s\n", path);
}

/* Checks that the files read the first time are unchanged. */
static enum loom_status compare_inputs(struct loom_cli *cli, struct loom_str inputs, bool *out_same,
				       struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct loom_str line;

	*out_same = true;
	while (status == LOOM_OK && *out_same && loom_str_cut(&inputs, '\n', &line) && line.n) {
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_str hash;
		size_t before = cli->request->asked.inputs.n;

		if (!loom_str_cut(&line, ' ', &hash))
			continue;
		status = loom_cli_read(cli, loom_arena_cstr(cli->arena, line), LOOM_BUF_MAX, &bytes,
				       err);
		loom_buf_fini(&bytes);
		if (status == LOOM_OK)
			*out_same =
				loom_str_starts(loom_str_sub(loom_buf_str(
								     &cli->request->asked.inputs),
							     before, SIZE_MAX),
						hash);
	}
	return status;
}

/* --- the answer --- */

enum loom_status cli_request_other(const char *why, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT, "that id was used before, %s", why);
	return loom_hint(err, LOOM_CONFLICT, "an id stands for one thing; use a new one (uuidgen)");
}

/* It may even still be running. */
enum loom_status cli_request_begun(const struct loom_request_answer *answer, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT,
		  "a command with this id was started, and nothing shows that it finished");
	if (answer->op)
		return loom_hint(
			err, LOOM_CONFLICT,
			"operation %lld is the first that it did (loom ops); to do what is "
			"missing, use a new id (uuidgen)",
			(long long)answer->op);
	return loom_hint(err, LOOM_CONFLICT,
			 "check whether it is done; to run it again, use a new id (uuidgen)");
}

static void say_again(struct loom_cli *cli, const struct loom_request_answer *answer)
{
	struct loom_str rest = answer->text;
	struct loom_str line;

	cli->found = answer->found;
	if (!answer->json)
		loom_out_text(cli->out, answer->text);
	while (answer->json && loom_str_cut(&rest, '\n', &line) && line.n)
		loom_out_json_text(cli->out, line);
}

/* The remaining knowledge about a request whose answer was lost, or was given in the other format.
 */
struct done {
	struct loom_op op; /* id 0: none */
	struct loom_nodes nodes;
};

static enum loom_status find_done(struct cli_grove *grove, const struct loom_request_answer *answer,
				  struct done *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = (struct done){.op = {.id = 0}};
	if (!answer->op)
		return LOOM_OK;
	status = loom_op_get(grove->store, answer->op, grove->arena, &out->op, err);
	if (status == LOOM_OK)
		status =
			loom_node_made_by(grove->store, answer->op, grove->arena, &out->nodes, err);
	return status;
}

static void describe_done(struct cli_grove *grove, const struct done *done)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_flag(cli, "again", true);
	cli_answer_op(cli, &done->op);
	loom_answer_list(cli, "nodes");
	for (size_t i = 0; i < done->nodes.count; i++)
		loom_answer_text(cli, NULL, cli_node_name(grove, &done->nodes.items[i]));
	loom_answer_end(cli);
}

/* Adds lines without a final line feed. */
static void add_done(struct cli_grove *grove, const struct done *done, struct loom_buf *out)
{
	const struct loom_op *op = &done->op;

	loom_buf_adds(out, "done already");
	if (op->id)
		loom_buf_addf(out, ": operation %lld: %.*s", (long long)op->id,
			      LOOM_STR_ARG(op->text.n ? op->text : op->kind));
	for (size_t i = 0; i < done->nodes.count; i++)
		loom_buf_addf(out, "\n  made [%.*s]",
			      LOOM_STR_ARG(cli_node_name(grove, &done->nodes.items[i])));
}

enum loom_status cli_request_done(struct cli_grove *grove, const struct loom_request_answer *answer,
				  struct loom_buf *out, struct loom_err *err)
{
	struct done done;
	enum loom_status status = find_done(grove, answer, &done, err);

	if (status == LOOM_OK)
		add_done(grove, &done, out);
	return status;
}

static enum loom_status say_done(struct cli_grove *grove, const struct loom_request_answer *answer,
				 struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest;
	struct loom_str line;
	struct done done;
	enum loom_status status = find_done(grove, answer, &done, err);

	if (status != LOOM_OK)
		return status;
	if (done.op.id)
		describe_done(grove, &done);
	add_done(grove, &done, &text);
	rest = loom_buf_str(&text);
	(void)loom_str_line(&rest, &line);
	loom_answer_done(grove->cli, "%.*s", LOOM_STR_ARG(line));
	while (loom_str_line(&rest, &line))
		loom_answer_line(grove->cli, "%.*s", LOOM_STR_ARG(line));
	loom_buf_fini(&text);
	return LOOM_OK;
}

enum loom_status cli_request_answer(struct cli_grove *grove, bool *out_answered,
				    struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_request_answer answer;
	bool same = true;
	enum loom_status status;

	*out_answered = false;
	if (!cli->request || (cli->again && cli->again->look))
		return LOOM_OK;
	status = loom_request_find(grove->store, &cli->request->asked, grove->arena, &answer, err);
	if (status != LOOM_OK || !answer.known)
		return status;
	*out_answered = true;
	if (!answer.same)
		return cli_request_other("for another command", err);
	if (answer.begun)
		return cli_request_begun(&answer, err);
	status = compare_inputs(cli, answer.inputs, &same, err);
	if (status == LOOM_OK && !same)
		return cli_request_other("and the command's input has changed since", err);
	if (status == LOOM_OK && answer.kept && answer.json == cli->json)
		say_again(cli, &answer);
	else if (status == LOOM_OK)
		status = say_done(grove, &answer, err);
	return status;
}

static enum loom_status intend(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct loom_cli *cli = ctx;

	return loom_request_intend(store, &cli->request->asked, err);
}

static enum loom_status forget(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct loom_cli *cli = ctx;

	return loom_request_forget(store, &cli->request->asked, err);
}

/* In the worker's thread, for the request of a call. */
static enum loom_status
note(struct cli_grove *grove,
     enum loom_status (*run)(struct loom_store *, void *, struct loom_err *), struct loom_err *err)
{
	struct cli_work work = {
		.what = "writing",
		.access = LOOM_WRITE,
		.run = run,
		.ctx = grove->cli,
	};

	return cli_grove_work(grove, &work, err);
}

enum loom_status cli_request_begin(struct cli_grove *grove, bool files, struct loom_err *err)
{
	struct cli_request *request = grove->cli->request;

	if (!request)
		return LOOM_OK;
	loom_out_copy(grove->cli->out, &request->said);
	request->intended = files;
	return files ? note(grove, intend, err) : LOOM_OK;
}

static enum loom_status keep(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct loom_cli *cli = ctx;
	const struct loom_request_answer answer = {
		.json = cli->json,
		.found = cli->found,
		.text = loom_buf_str(&cli->request->said),
	};

	return loom_request_keep(store, &cli->request->asked, &answer, err);
}

static enum loom_status give_way(struct cli_grove *grove, struct loom_err *err)
{
	bool answered = false;

	loom_answer_drop(grove->cli);
	loom_out_drop(grove->cli->out);
	grove->cli->found = false;
	loom_err_clear(err);
	return cli_request_answer(grove, &answered, err);
}

/* The command is done, even if its answer cannot be kept; then a repeat only gets a shorter
 * answer. */
enum loom_status cli_request_end(struct cli_grove *grove, enum loom_status status,
				 struct loom_err *err)
{
	if (!grove->cli->request)
		return status;
	loom_out_copy(grove->cli->out, NULL);
	if (grove->cli->request->asked.late)
		return give_way(grove, err);
	if (status == LOOM_OK && grove->worker && grove->worker_access == LOOM_WRITE)
		(void)!note(grove, keep, NULL);
	else if (status != LOOM_OK && grove->cli->request->intended)
		(void)!note(grove, forget, NULL);
	return status;
}
