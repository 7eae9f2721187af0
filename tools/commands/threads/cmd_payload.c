/* `loom payload`: writes input.md, explains its contents, and edits the lists behind it. It only
 * finds the grove's directory, so that it never opens the store's own files. */
#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>
#include "leslie_of.h"
#include "inside.h"

#include <loom/sharing/turn_files.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/payload/payload.h>
#include <loom/grove/store.h>

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

static enum loom_status find_cwd(struct loom_cli *cli, struct loom_str *out, struct loom_err *err)
{
	char *cwd = getcwd(NULL, 0);

	if (!cwd)
		return loom_fail(err, LOOM_IO, "no current directory: %s", strerror(errno));
	*out = loom_arena_str(cli->arena, loom_str_of(cwd));
	free(cwd);
	return LOOM_OK;
}

/* Adds the store's files below a directory to those that are never opened. */
static void refuse_store(struct threads_project *project, struct loom_str dir)
{
	project->root.refused_count +=
		loom_store_files(dir, project->store + project->root.refused_count);
}

/* The grove's directory; empty if there is only the personal grove or none can be found. */
static void find_grove(struct loom_cli *cli, struct loom_str start, struct loom_buf *grove)
{
	bool personal = false;

	if (loom_grove_find(&cli->env, start, grove, &personal, NULL) != LOOM_OK || personal)
		loom_buf_clear(grove);
}

/* Opens the root, and finds the store's files below it and in the grove. */
static enum loom_status open_root(struct threads_project *project, struct loom_str grove,
				  struct loom_err *err)
{
	enum loom_status status =
		loom_root_open(loom_buf_cstr(&project->path), &project->root, err);

	project->root.refused = project->store;
	refuse_store(project, loom_buf_str(&project->path));
	if (grove.n && !loom_str_eq(grove, loom_buf_str(&project->path)))
		refuse_store(project, grove);
	project->place = (struct loom_payload_place){
		.root = &project->root,
		.root_path = loom_buf_str(&project->path),
		.session = project->place.session,
		.turn = project->place.turn,
	};
	return status;
}

enum loom_status threads_payload_empty(const char *what, struct loom_err *err)
{
	loom_fail(err, LOOM_USAGE, "loom payload: %s is empty", what);
	return loom_hint(err, LOOM_USAGE, "loom help payload");
}

/* Checks the names of session and turn, without looking for them. */
static enum loom_status check_names(struct loom_str session, struct loom_str turn,
				    struct loom_err *err)
{
	uint64_t number = 0;

	if (session.p && !session.n)
		return threads_payload_empty("--session", err);
	if (!turn.p || loom_str_to_u64(turn, &number))
		return LOOM_OK;
	loom_fail(err, LOOM_USAGE, "loom payload: --turn takes a number, not \"%.*s\"",
		  LOOM_STR_ARG(turn));
	return loom_hint(err, LOOM_USAGE, "loom help payload");
}

enum loom_status threads_project_open(struct loom_cli *cli, struct threads_project *project,
				      struct loom_str session, struct loom_str turn,
				      struct loom_err *err)
{
	struct loom_buf grove = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str start;
	enum loom_status status = LOOM_OK;

	*project = (struct threads_project){.root = LOOM_ROOT_INIT,
					    .place = {.session = session, .turn = turn}};
	loom_buf_init(&project->path, LOOM_BUF_MAX);
	status = check_names(session, turn, err);
	if (status == LOOM_OK)
		status = find_cwd(cli, &project->cwd, err);
	if (status != LOOM_OK)
		return status;
	start = cli->grove ? loom_str_of(cli->grove) : project->cwd;
	find_grove(cli, start, &grove);
	if (grove.n)
		status = cli_grove_trust(cli, loom_buf_str(&grove), true, err);
	if (status == LOOM_OK) {
		loom_payload_root(start, loom_buf_str(&grove), &project->path);
		status = open_root(project, loom_buf_str(&grove), err);
	}
	loom_buf_fini(&grove);
	return status;
}

enum loom_status threads_project_move(struct loom_cli *cli, struct threads_project *project,
				      struct loom_str path, struct loom_err *err)
{
	struct loom_str old = loom_arena_buf(cli->arena, &project->path);

	loom_root_close(&project->root);
	loom_buf_clear(&project->path);
	loom_buf_add(&project->path, path);
	return open_root(project, old, err);
}

void threads_project_close(struct threads_project *project)
{
	loom_root_close(&project->root);
	loom_buf_fini(&project->path);
}

static bool is_below(struct loom_str path, struct loom_str folder)
{
	return loom_str_starts(path, folder) &&
	       (folder.n == 1 || path.n == folder.n || path.p[folder.n] == '/');
}

static struct loom_str without_slashes(struct loom_str path)
{
	while (path.n && path.p[0] == '/')
		path = loom_str_sub(path, 1, path.n);
	return path;
}

struct loom_str threads_payload_from_root(struct loom_cli *cli,
					  const struct threads_project *project,
					  struct loom_str said)
{
	struct loom_str root = loom_buf_str(&project->path);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str result = said;
	bool folder = said.n && said.p[said.n - 1] == '/';

	if (!said.n || said.p[0] == '/' || loom_str_find(said, LOOM_STR("://"), 0) != SIZE_MAX ||
	    !is_below(project->cwd, root))
		return said;
	loom_buf_addc(&whole, '/');
	if (loom_path_normal(loom_arena_format(cli->arena, "%.*s/%.*s", LOOM_STR_ARG(project->cwd),
					       LOOM_STR_ARG(said)),
			     &whole, NULL) == LOOM_OK &&
	    is_below(loom_buf_str(&whole), root))
		result = loom_arena_format(cli->arena, "/%.*s%s",
					   LOOM_STR_ARG(without_slashes(loom_str_sub(
						   loom_buf_str(&whole), root.n, whole.n))),
					   folder ? "/" : "");
	loom_buf_fini(&whole);
	return result;
}

void threads_payload_warn(struct loom_cli *cli, const struct loom_payload *payload)
{
	for (size_t i = 0; i < payload->warning_count; i++)
		loom_out_warn(cli->out, "%.*s", LOOM_STR_ARG(payload->warnings[i]));
}

static void answer_payload(struct loom_cli *cli, const struct threads_project *project,
			   const struct loom_payload *payload)
{
	loom_answer_text(cli, "root", loom_buf_str(&project->path));
	loom_answer_text(cli, "session", payload->session);
	loom_answer_text(cli, "turn", payload->turn);
	loom_answer_list(cli, "parts");
	for (size_t i = 0; i < payload->part_count; i++) {
		const struct loom_payload_part *part = &payload->parts[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", part->name);
		loom_answer_flag(cli, "resource", part->resource);
		loom_answer_number(cli, "bytes", (int64_t)part->bytes);
		loom_answer_number(cli, "tokens", (int64_t)part->tokens);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_answer_texts(cli, "warnings", payload->warnings, payload->warning_count);
}

static enum loom_status give_out(struct loom_cli *cli, const struct threads_project *project,
				 const struct loom_payload *payload, struct loom_err *err)
{
	const char *file = args_of_payload(cli)->output.p;

	const bool to_file = file && strcmp(file, "-") != 0;
	struct loom_str text = loom_buf_str(&payload->text);
	enum loom_status status = LOOM_OK;

	threads_payload_warn(cli, payload);
	if (to_file)
		status = loom_file_write_at(file, text, &project->root, err);
	if (status != LOOM_OK)
		return status;
	answer_payload(cli, project, payload);
	if (to_file) {
		loom_answer_text(cli, "file", loom_str_of(file));
		loom_answer_number(cli, "bytes", (int64_t)text.n);
		return LOOM_OK;
	}
	loom_answer_text(cli, "text", text);
	loom_answer_untouched(cli, text);
	return LOOM_OK;
}

/* Gathers the entries of a session's lists or, with --thread, the files of a thread. */
static enum loom_status gather(struct loom_cli *cli, struct threads_project *project,
			       struct loom_payload_opts *opts, struct loom_payload_lists *lists,
			       struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (args_of_payload(cli)->thread.p)
		status = threads_payload_of_thread(cli, project, opts, err);
	else
		status = loom_payload_lists_read(&project->place, cli->arena, lists, err);
	opts->place = project->place;
	return status;
}

/* The file that is written, relative to the root, if it is in the project: it is no part of
 * itself. */
static struct loom_str output_in(struct loom_cli *cli, const struct threads_project *project)
{
	struct loom_str root = loom_buf_str(&project->path);
	struct loom_str file = args_of_payload(cli)->output;
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out = LOOM_STR("");

	if (!file.n || loom_str_is(file, "-"))
		return out;
	if (file.p[0] != '/')
		file = loom_arena_format(cli->arena, "%.*s/%.*s", LOOM_STR_ARG(project->cwd),
					 LOOM_STR_ARG(file));
	loom_buf_addc(&whole, '/');
	if (loom_path_normal(file, &whole, NULL) == LOOM_OK && is_below(loom_buf_str(&whole), root))
		out = loom_arena_str(cli->arena, without_slashes(loom_str_sub(loom_buf_str(&whole),
									      root.n, whole.n)));
	loom_buf_fini(&whole);
	return out;
}

static enum loom_status write_payload(struct loom_cli *cli, struct threads_project *project,
				      struct loom_err *err)
{
	struct loom_payload payload = {0};
	struct threads_fetching fetching = {.offline = args_of_payload(cli)->no_fetch};
	struct loom_payload_opts opts = {
		.shell = loom_env_var(&cli->env, "SHELL"),
		.fetch = loom_fetch_url,
		.fetch_ctx = &fetching.fetch,
	};
	enum loom_status status = gather(cli, project, &opts, &fetching.lists, err);

	if (status != LOOM_OK)
		return status;
	threads_payload_recall(cli, project, &fetching);
	opts.skip = output_in(cli, project);
	if (args_of_payload(cli)->dry_run)
		return threads_payload_foresee(cli, project, &fetching, err);
	threads_payload_may_fetch(cli, project, &fetching);
	status = loom_payload_build(&opts, cli->arena, &payload, err);
	if (status == LOOM_OK && loom_task_cancelled(&cli->task))
		status = loom_fail(err, LOOM_CANCELLED, "interrupted");
	if (status == LOOM_OK)
		status = give_out(cli, project, &payload, err);
	loom_payload_fini(&payload);
	threads_payload_keep(cli, &fetching);
	return status;
}

enum loom_status cmd_payload(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload *args = args_of_payload(cli);
	struct threads_project project;
	enum loom_status status = LOOM_OK;

	if (args->report)
		return threads_payload_report(cli, err);
	status = threads_project_open(cli, &project, args->session, args->turn, err);
	if (status == LOOM_OK && args->why.p)
		status = threads_payload_why(cli, &project, err);
	else if (status == LOOM_OK)
		status = write_payload(cli, &project, err);
	threads_project_close(&project);
	return status;
}

/* Answers with the turn that was made, and lists it among the grove's operations. */
static void answer_made(struct loom_cli *cli, struct cli_grove *grove, bool session,
			const struct loom_payload_made *made)
{
	const struct loom_outside what = {.act = session ? LOOM_OUTSIDE_SESSION : LOOM_OUTSIDE_TURN,
					  .subject = made->session,
					  .object = made->turn};

	threads_list_outside(cli, grove, &what);
	loom_answer_text(cli, "session", made->session);
	loom_answer_text(cli, "turn", made->turn);
	loom_answer_text(cli, "folder", made->folder);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(made->folder));
}

/* The arguments of making a session or a turn. */
struct making {
	bool session;
	struct loom_str name; /* p NULL: a dated one, or the newest */
};

static enum loom_status make_place(struct loom_cli *cli, struct cli_grove *grove,
				   const struct making *making, struct loom_err *err)
{
	struct loom_payload_made made = {.turn = LOOM_STR("")};
	struct threads_project project;
	enum loom_status status =
		threads_project_open(cli, &project, making->name, loom_str_make(NULL, 0), err);

	if (status == LOOM_OK && making->session)
		status = loom_payload_session_new(&project.place, loom_env_now(&cli->env),
						  cli->arena, &made, err);
	else if (status == LOOM_OK)
		status = loom_payload_turn_new(&project.place, cli->arena, &made, err);
	threads_project_close(&project);
	if (status == LOOM_OK)
		answer_made(cli, grove, making->session, &made);
	return status;
}

static enum loom_status make_once(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	return make_place(grove->cli, grove, ctx, err);
}

static enum loom_status make_command(struct loom_cli *cli, struct making *making,
				     struct loom_err *err)
{
	return cli->request ? threads_project_once(cli, make_once, making, err)
			    : make_place(cli, NULL, making, err);
}

enum loom_status cmd_payload_session_new(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload_session_new *args = args_of_payload_session_new(cli);

	return make_command(cli, &(struct making){.session = true, .name = args->session}, err);
}

enum loom_status cmd_payload_turn_new(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload_turn_new *args = args_of_payload_turn_new(cli);

	return make_command(cli, &(struct making){.name = args->session}, err);
}

/* The arguments of adding, removing and moving. */
struct edit {
	enum loom_payload_edit edit;
	struct loom_str session;
	struct loom_str turn;
	struct loom_str scope;
	struct loom_texts paths;
};

static void list_edit(struct loom_cli *cli, struct cli_grove *grove, const struct edit *edit,
		      const struct loom_str *targets, struct loom_outside *what)
{
	struct loom_buf paths = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < edit->paths.n; i++) {
		const char *quote = loom_str_find_char(targets[i], ' ', 0) == SIZE_MAX ? "" : "'";

		loom_buf_addf(&paths, "%s%s%.*s%s", i ? " " : "", quote, LOOM_STR_ARG(targets[i]),
			      quote);
	}
	what->act = loom_outside_edit(edit->edit);
	what->subject = edit->scope;
	what->object = loom_buf_str(&paths);
	threads_list_outside(cli, grove, what);
	loom_buf_fini(&paths);
}

/* Described, but not printed: a person can look at the lists. */
static void describe_edit(struct loom_cli *cli, const struct edit *edit,
			  const struct loom_str *targets)
{
	static const char *const words[] = {[LOOM_PAYLOAD_ADD] = "add",
					    [LOOM_PAYLOAD_REMOVE] = "remove",
					    [LOOM_PAYLOAD_MOVE] = "move"};

	loom_answer_text(cli, "edit", loom_str_of(words[edit->edit]));
	loom_answer_text(cli, "scope", edit->scope);
	loom_answer_texts(cli, "paths", targets, edit->paths.n);
}

static enum loom_status edit_lists(struct loom_cli *cli, struct cli_grove *grove,
				   const struct edit *edit, struct loom_err *err)
{
	struct threads_project project;
	struct loom_str *targets = LOOM_ARENA_ARRAY(cli->arena, edit->paths.n, struct loom_str);
	struct loom_payload_edits edits = {.arena = cli->arena};
	struct loom_outside what = {.root = LOOM_STR("")};
	enum loom_scope scope = LOOM_SCOPE_TURN;
	enum loom_status status = LOOM_OK;

	if (!loom_scope_parse(edit->scope, &scope)) {
		loom_fail(err, LOOM_USAGE, "unknown scope \"%.*s\"", LOOM_STR_ARG(edit->scope));
		return loom_hint(err, LOOM_USAGE, "use turn, session or global");
	}
	status = threads_project_open(cli, &project, edit->session, edit->turn, err);
	for (size_t i = 0; status == LOOM_OK && i < edit->paths.n; i++) {
		targets[i] = threads_payload_from_root(cli, &project, edit->paths.p[i]);
		if (!edit->paths.p[i].n)
			status = threads_payload_empty("a path", err);
	}
	if (status == LOOM_OK)
		status = loom_payload_edit(&project.place,
					   &(struct loom_payload_change){.edit = edit->edit,
									 .scope = scope,
									 .targets = targets,
									 .count = edit->paths.n},
					   &edits, err);
	if (status == LOOM_OK)
		what.root = loom_arena_str(cli->arena, loom_buf_str(&project.path));
	threads_project_close(&project);
	if (status != LOOM_OK)
		return status;
	what.kept = loom_outside_edited(&edits);
	what.kept_count = edits.count;
	if (edits.count)
		list_edit(cli, grove, edit, targets, &what);
	describe_edit(cli, edit, targets);
	return LOOM_OK;
}

static enum loom_status edit_once(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	return edit_lists(grove->cli, grove, ctx, err);
}

static enum loom_status edit_command(struct loom_cli *cli, struct edit *edit, struct loom_err *err)
{
	return cli->request ? threads_project_once(cli, edit_once, edit, err)
			    : edit_lists(cli, NULL, edit, err);
}

enum loom_status cmd_payload_add(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload_add *args = args_of_payload_add(cli);

	return edit_command(cli,
			    &(struct edit){LOOM_PAYLOAD_ADD, args->session, args->turn, args->scope,
					   args->path},
			    err);
}

enum loom_status cmd_payload_remove(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload_remove *args = args_of_payload_remove(cli);

	return edit_command(cli,
			    &(struct edit){LOOM_PAYLOAD_REMOVE, args->session, args->turn,
					   args->scope, args->path},
			    err);
}

enum loom_status cmd_payload_move(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_payload_move *args = args_of_payload_move(cli);

	return edit_command(cli,
			    &(struct edit){LOOM_PAYLOAD_MOVE, args->session, args->turn,
					   args->scope, args->path},
			    err);
}
