/* `loom chat`: a chat on the terminal. Each line is a turn, or the options give one. On a terminal,
 * or when events are requested, lines typed during a turn steer it; on a plain pipe each line is a
 * turn. ^C stops the generation, a second ^C the turn; between turns it ends the chat. */
#include <loom/chat/ties.h>
#include <loom/chat/face.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <loom/engine/find_text.h>
#include <loom/threads/payload_turn.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

#define LINE_MAX_BYTES ((size_t)1 << 20)

/* The one turn that a call is for; text.p NULL: the turns are typed or piped. */
struct given {
	struct loom_str text;
	bool handed;                          /* it was given rather than said */
	struct threads_payload_turn *payload; /* it is that; else NULL */
};

/* ---- approval by the person who types ---- */

struct word {
	struct chat_face *face;
	int64_t proposal;
	struct loom_decision decision;
};

static enum loom_status run_word(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	const struct word *word = payload;
	enum loom_status status = loom_quiet_begin(context, err);

	(void)task;
	if (status != LOOM_OK)
		return status;
	status = loom_proposal_decide(context, word->proposal, &word->decision, err);
	return loom_quiet_end(context, status, err);
}

static void on_word(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct word *word = payload;

	if (status != LOOM_OK)
		loom_out_warn(word->face->grove->cli->out, "%s", err->text);
	free(word);
}

static void decide(struct chat_face *face, bool approve)
{
	struct word *word = loom_alloc(sizeof *word);
	const struct loom_job job = {.run = run_word, .done = on_word, .payload = word};

	*word = (struct word){.face = face,
			      .proposal = face->proposal,
			      .decision = {.by = face->grove->actor.id, .approve = approve}};
	face->proposal = 0;
	loom_worker_post(cli_grove_worker(face->grove), &job);
}

/* ---- input ---- */

static void start(struct chat_face *face, struct loom_str text)
{
	face->over = false;
	face->stops = 0;
	face->at_begin = true;
	if (face->hands)
		loom_chat_hand(face->chat, text);
	else
		loom_chat_start(face->chat, text);
}

static void on_line(struct chat_face *face, struct loom_str line)
{
	struct loom_str word = loom_str_trim(line);

	if (!word.n) {
		if (loom_chat_state(face->chat) == LOOM_CHAT_IDLE)
			chat_face_prompt(face);
	} else if (loom_chat_state(face->chat) == LOOM_CHAT_IDLE && !face->once) {
		start(face, line);
	} else if (face->proposal && (loom_str_is(word, "y") || loom_str_is(word, "yes"))) {
		decide(face, true);
	} else if (face->proposal && (loom_str_is(word, "n") || loom_str_is(word, "no"))) {
		decide(face, false);
	} else {
		loom_chat_steer(face->chat, line);
	}
}

static void take_lines(struct chat_face *face, bool end)
{
	struct loom_str rest = loom_buf_str(&face->typed);
	struct loom_buf left = LOOM_BUF_INIT(LINE_MAX_BYTES);
	size_t feed = 0;

	while ((feed = loom_str_find_char(rest, '\n', 0)) != SIZE_MAX || (end && rest.n)) {
		struct loom_str line = loom_str_sub(rest, 0, feed);

		rest = feed == SIZE_MAX ? loom_str_sub(rest, rest.n, 0)
					: loom_str_sub(rest, feed + 1, rest.n);
		on_line(face, line);
	}
	loom_buf_add(&left, rest);
	loom_buf_fini(&face->typed);
	face->typed = left;
}

static void on_input(void *ctx, int fd, unsigned events)
{
	struct chat_face *face = ctx;
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof bytes);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		loom_buf_add(&face->typed, loom_str_make(bytes, (size_t)n));
	take_lines(face, n <= 0);
	if (face->typed.bad != LOOM_OK) {
		loom_out_warn(face->grove->cli->out, "a line is longer than %zu bytes",
			      LINE_MAX_BYTES);
		loom_buf_clear(&face->typed);
	}
	if (n > 0)
		return;
	face->left = true;
	loom_chat_alone(face->chat);
	loom_loop_watch(loom_cli_loop(face->grove->cli), fd, 0, NULL, NULL);
}

/* ---- ^C ---- */

static void on_interrupt(void *ctx, int signo)
{
	struct chat_face *face = ctx;

	(void)signo;
	if (loom_chat_state(face->chat) == LOOM_CHAT_IDLE) {
		face->left = face->stopped = true;
		return;
	}
	/* A third ^C ends the program at once; the store rolls back. */
	if (face->stops++ >= 2) {
		loom_out_progress_clear(face->grove->cli->out);
		_exit(loom_status_exit(LOOM_CANCELLED));
	}
	loom_chat_cancel(face->chat, face->stops == 1 ? LOOM_CANCEL_ONE : LOOM_CANCEL_ALL);
}

static void listen(struct chat_face *face)
{
	struct loom_loop *loop = loom_cli_loop(face->grove->cli);

	loom_loop_signal(loop, SIGINT, on_interrupt, face);
	if (face->live)
		loom_loop_watch(loop, STDIN_FILENO, LOOM_LOOP_READ, on_input, face);
}

static void unlisten(struct chat_face *face)
{
	struct loom_loop *loop = loom_cli_loop(face->grove->cli);

	if (face->live && !face->left)
		loom_loop_watch(loop, STDIN_FILENO, 0, NULL, NULL);
	loom_loop_signal(loop, SIGINT, NULL, NULL);
}

/* ---- turns ---- */

static enum loom_status wait_for(struct chat_face *face, struct loom_err *err)
{
	while (!face->over)
		(void)loom_loop_step(loom_cli_loop(face->grove->cli), -1);
	if (face->end.status != LOOM_OK && err)
		*err = face->end.err;
	return face->end.status;
}

static enum loom_status take_turn(struct chat_face *face, struct loom_str text,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	listen(face);
	start(face, text);
	status = wait_for(face, err);
	unlisten(face);
	chat_drain_poke(face->drain);
	return status;
}

/* Reads turns from a pipe, one per line. */
static enum loom_status read_turns(struct chat_face *face, struct loom_err *err)
{
	struct loom_str line;
	bool end = false;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK) {
		status = loom_cli_line(face->grove->cli, LINE_MAX_BYTES, &line, &end, err);
		if (status != LOOM_OK || end)
			break;
		if (loom_str_trim(line).n)
			status = take_turn(face, line, err);
	}
	return status;
}

/* With a person at the terminal, a failed or stopped turn does not end the chat. */
static enum loom_status converse(struct chat_face *face, struct loom_err *err)
{
	face->over = true;
	listen(face);
	chat_drain_poke(face->drain);
	chat_face_prompt(face);
	while (!face->left || !face->over) {
		const bool ran = !face->over;

		(void)loom_loop_step(loom_cli_loop(face->grove->cli), -1);
		if (!ran || !face->over)
			continue;
		chat_drain_poke(face->drain);
		if (face->end.status != LOOM_OK && !loom_answer_structured(face->grove->cli))
			loom_out_error(face->grove->cli->out, NULL, &face->end.err);
		if (!face->left)
			chat_face_prompt(face);
	}
	unlisten(face);
	if (face->person && !loom_answer_structured(face->grove->cli))
		loom_answer_piece(face->grove->cli, LOOM_PLAIN, LOOM_STR("\n"));
	/* The person stopped it and needs no message; such errors have no text. */
	loom_err_clear(err);
	return face->stopped ? LOOM_CANCELLED : LOOM_OK;
}

/* ---- agent and position ---- */

/* The only loom-aware agent is the default. */
static enum loom_status find_agent(struct chat_face *face, struct loom_str name,
				   struct loom_err *err)
{
	struct cli_grove *grove = face->grove;
	struct loom_agent *list = NULL;
	size_t count = 0;
	size_t aware = 0;
	enum loom_status status = LOOM_OK;

	if (name.p)
		return loom_agent_find(grove->store, name, grove->arena, &face->agent, err);
	status = loom_agent_list(grove->store, grove->arena, &list, &count, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (list[i].kind != LOOM_AGENT_MODEL || !list[i].aware)
			continue;
		aware++;
		face->agent = list[i];
	}
	if (status != LOOM_OK || aware == 1)
		return status;
	loom_fail(err, LOOM_NOT_FOUND,
		  aware ? "there are several loom-aware agents" : "there is no loom-aware agent");
	return loom_hint(err, LOOM_NOT_FOUND, "%s",
			 aware ? "choose one with loom chat -a AGENT"
			       : "loom agent add NAME --permissions loom_aware creates one");
}

static enum loom_status find_thread(struct chat_face *face, struct loom_str name,
				    struct loom_err *err)
{
	struct cli_grove *grove = face->grove;
	struct chat_tie tie = {0};
	struct loom_err ignored;
	const struct loom_agent *holder = NULL;
	enum loom_status status = chat_grove_thread(grove, name, NULL, &face->thread, &ignored);

	if (status == LOOM_OK)
		status = cli_grove_agent(grove, face->thread.agent, &holder, err);
	else if (status == LOOM_NOT_FOUND)
		status = LOOM_OK;
	/* A thread without an agent goes to the named agent, or to the only one. */
	if (status == LOOM_OK && (!holder || holder->kind == LOOM_AGENT_HUMAN)) {
		status = find_agent(face, args_of_chat(grove->cli)->agent, err);
		tie.agent = face->agent.id;
	}
	if (status == LOOM_OK)
		status = chat_grove_thread(grove, name, &tie, &face->thread, err);
	if (status == LOOM_OK)
		status = loom_agent_get(grove->store, face->thread.agent, grove->arena,
					&face->agent, err);
	return status == LOOM_OK ? loom_tree_get(grove->store, face->thread.tree, grove->arena,
						 &face->tree, err)
				 : status;
}

/* A conversation begins where the person stands, or where --node says. */
static enum loom_status find_place(struct chat_face *face, struct loom_err *err)
{
	const struct args_of_chat *args = args_of_chat(face->grove->cli);
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	face->goes = args->node.p != NULL;
	if (args->node.p)
		status = cli_grove_node(face->grove, args->node, LOOM_NODE_NARROW, &spot, err);
	else if (!args->thread.p)
		status = cli_grove_stand(face->grove, &face->tree, LOOM_NODE_NARROW, &spot, err);
	else
		return LOOM_OK;
	if (status != LOOM_OK)
		return status;
	face->place = spot.node.id;
	if (args->node.p && !args->thread.p && !args->tree.p)
		face->tree = spot.tree;
	return LOOM_OK;
}

static enum loom_status find_all(struct chat_face *face, struct loom_err *err)
{
	const struct args_of_chat *args = args_of_chat(face->grove->cli);
	struct loom_str thread = args->thread;
	enum loom_status status = LOOM_OK;

	if (thread.p)
		status = find_thread(face, thread, err);
	else
		status = find_agent(face, args->agent, err);
	if (status == LOOM_OK && !thread.p)
		status = cli_grove_tree(face->grove, args->tree, &face->tree, err);
	if (status == LOOM_OK)
		status = find_place(face, err);
	if (status != LOOM_OK || (face->agent.kind == LOOM_AGENT_MODEL && face->agent.aware))
		return status;
	loom_fail(err, LOOM_REFUSED, "%.*s is not loom-aware: it only continues text",
		  LOOM_STR_ARG(face->agent.name));
	return loom_hint(err, LOOM_REFUSED, "loom agent set %.*s --permissions loom_aware",
			 LOOM_STR_ARG(face->agent.name));
}

static enum loom_status run_closing(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return chat_tree_closed(store, ctx, err);
}

/* The tree is left: what was said and done in it is summed up. That is no reason to fail. */
static void close_tree(struct chat_face *face, struct chat_open_tree *tree)
{
	struct cli_work work = {.what = "closing the tree",
				.access = LOOM_WRITE,
				.run = run_closing,
				.ctx = tree};

	(void)!cli_grove_work(face->grove, &work, NULL);
}

/* A turn that was begun leaves its report beside its payload, however it ended. */
static enum loom_status report(const struct given *given, const struct chat_face *face,
			       enum loom_status status, struct loom_err *err)
{
	struct loom_err why = {.status = LOOM_OK};
	const enum loom_status left =
		threads_payload_turn_report(given->payload, face->grove,
					    loom_chat_thread(face->chat), &why);

	if (left == LOOM_OK)
		return status;
	if (status != LOOM_OK) {
		loom_out_warn(face->grove->cli->out, "%s", why.text);
		return status;
	}
	*err = why;
	return left;
}

static enum loom_status talk(struct chat_face *face, struct loom_err *err)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	struct cli_grove *grove = face->grove;
	const struct given *given = grove->ctx;
	struct loom_str input = given->text;
	struct loom_chat_opts opts = {.loop = loom_cli_loop(grove->cli),
				      .worker = cli_grove_worker(grove),
				      .agent = face->agent.id,
				      .tree = face->tree.id,
				      .thread = face->thread.id,
				      .place = face->place,
				      .goes = face->goes,
				      .hooks = &hooks};
	struct chat_open_tree open;
	enum loom_status status = LOOM_OK;

	face->once = input.p != NULL;
	face->person = isatty(STDIN_FILENO) == 1;
	face->live = face->person || loom_answer_structured(grove->cli);
	opts.alone = !face->person && (face->once || !face->live);
	face->hands = face->once ? given->handed : !face->live;
	cli_voices_open(grove, &face->voices);
	opts.generator = face->voices.generator;
	chat_face_sink(face, &opts.sink);
	face->chat = loom_chat_create(&opts);
	face->drain = chat_drain_begin(grove, opts.generator);
	chat_tree_opened(&face->tree, &open);
	if (face->once)
		status = take_turn(face, input, err);
	else
		status = face->live ? converse(face, err) : read_turns(face, err);
	chat_drain_end(face->drain);
	if (given->payload && face->end.rounds)
		status = report(given, face, status, err);
	if (face->live && !face->once)
		close_tree(face, &open);
	loom_chat_destroy(face->chat);
	/* The chat still closes things on the worker, which uses our voices. */
	while (loom_worker_pending(opts.worker))
		(void)loom_loop_step(opts.loop, -1);
	cli_voices_close(&face->voices);
	return status;
}

static enum loom_status run_chat(struct cli_grove *grove, struct loom_err *err)
{
	struct chat_face face = {.grove = grove, .typed = LOOM_BUF_INIT(LINE_MAX_BYTES)};
	enum loom_status status = LOOM_OK;

	cli_small_ask(grove);
	status = find_all(&face, err);
	if (status == LOOM_OK)
		status = talk(&face, err);
	loom_buf_fini(&face.typed);
	return status;
}

/* Reads the one turn that the options give: a text, standard input or the payload. */
static enum loom_status read_given(struct loom_cli *cli, struct loom_buf *piped, struct given *out,
				   struct loom_err *err)
{
	const struct args_of_chat *args = args_of_chat(cli);
	const bool pipe = loom_str_is(args->input, "-");
	enum loom_status status = LOOM_OK;

	if (!args->payload && (args->session.p || args->turn.p))
		return loom_fail(err, LOOM_USAGE, "--session and --turn go with --payload");
	*out = (struct given){.text = args->input, .handed = pipe || args->payload};
	if (pipe)
		status = loom_cli_read(cli, "-", LOOM_BUF_MAX, piped, err);
	else if (args->payload)
		status = threads_payload_turn_open(cli, args->session, args->turn, &out->payload,
						   err);
	if (status != LOOM_OK)
		return status;
	if (pipe)
		out->text = loom_buf_str(piped);
	else if (args->payload)
		out->text = threads_payload_turn_text(out->payload);
	if (args->input.p && !loom_str_trim(out->text).n)
		return loom_fail(err, LOOM_USAGE, "--input is empty");
	return LOOM_OK;
}

enum loom_status cmd_chat(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf piped = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct given given = {.handed = false};
	const struct cli_need need = {.unasked = true, .ctx = &given};
	enum loom_status status = read_given(cli, &piped, &given, err);

	if (status == LOOM_OK)
		status = cli_grove_run(cli, &need, run_chat, err);
	threads_payload_turn_close(given.payload);
	loom_buf_fini(&piped);
	return status;
}
