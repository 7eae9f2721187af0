/* Runs the person's editor as a child: with a private file in the temporary directory, a shell for
 * the words of $EDITOR, and default signals. The file is deleted at the end, unless its text could
 * not be taken. */
#include <loom/cli/editor.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/base/utf8.h>

#include <loom/loop/child.h>

#define SHELL_FOUND_NONE 127

static enum loom_status write_all(int fd, struct loom_str text, struct loom_err *err)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return loom_fail_errno(err, errno, "the temporary file");
		text = loom_str_sub(text, (size_t)n, text.n);
	}
	return LOOM_OK;
}

/* Writes a file that nobody else can read. Its extension tells editors the file type. */
static enum loom_status write_copy(const struct loom_env *env, struct loom_str text,
				   struct loom_buf *path, struct loom_err *err)
{
	static const char suffix[] = ".md";
	const char *dir = loom_env_var(env, "TMPDIR");
	enum loom_status status = LOOM_OK;
	int fd = -1;

	loom_buf_addf(path, "%s/loom-XXXXXX%s", dir ? dir : "/tmp", suffix);
	fd = path->bad ? -1 : mkostemps(path->p, (int)sizeof suffix - 1, O_CLOEXEC);
	if (fd < 0) {
		status = loom_fail_errno(err, errno, "cannot create a file in %s",
					 dir ? dir : "/tmp");
		status = loom_hint(err, status, "set TMPDIR to another directory");
		loom_buf_clear(path);
		return status;
	}
	status = write_all(fd, text, err);
	close(fd);
	return status;
}

/* Opens the path anew, because many editors replace the file by renaming a new one. */
static enum loom_status read_copy(const char *path, struct loom_buf *out, struct loom_err *err)
{
	char bytes[1 << 14];
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size_t at = 0;

	if (fd < 0 && errno == ENOENT)
		return loom_fail(err, LOOM_NOT_FOUND, "the edited file was deleted");
	if (fd < 0)
		return loom_fail(err, LOOM_IO, "the edited file: %s", strerror(errno));
	while (!out->bad && (n = read(fd, bytes, sizeof bytes)) > 0)
		loom_buf_add(out, loom_str_make(bytes, (size_t)n));
	close(fd);
	if (n < 0)
		return loom_fail(err, LOOM_IO, "the edited file: %s", strerror(errno));
	if (out->bad)
		return loom_fail(err, LOOM_LIMIT, "the edited text is too long");
	if (!loom_utf8_valid(loom_buf_str(out), &at))
		return loom_fail(err, LOOM_INVALID, "the edited text is not UTF-8 (byte %zu)", at);
	return LOOM_OK;
}

/* Restores the signals that the program handles or ignores to their defaults. */
static bool set_signals(posix_spawnattr_t *attributes)
{
	sigset_t mask;
	sigset_t defaults;

	sigemptyset(&mask);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	return posix_spawnattr_setsigmask(attributes, &mask) == 0 &&
	       posix_spawnattr_setsigdefault(attributes, &defaults) == 0 &&
	       posix_spawnattr_setflags(attributes,
					POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
}

/* The environment for the editor, without API keys; the caller frees it. If the configuration
 * cannot be read, no variable is known to have a key. */
static char **make_env(const struct loom_env *env, struct loom_arena *arena)
{
	struct loom_config config;
	const bool known = loom_config_load(env, arena, &config, NULL) == LOOM_OK;

	return loop_child_env(known ? &config : NULL, NULL, NULL);
}

static const char *editor_of(const struct loom_env *env)
{
	const char *visual = loom_env_var(env, "VISUAL");
	const char *editor = loom_env_var(env, "EDITOR");

	return visual && *visual ? visual : editor && *editor ? editor : "vi";
}

/* Whether $EDITOR is a program and its options. Then the shell execs it, and we see it stop. */
static bool is_plain(const char *editor)
{
	return editor[strspn(editor, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789 ./+,_-")] == '\0';
}

/* A shell splits $EDITOR, which may be "code --wait". */
static int start(const struct loom_env *env, char *path, pid_t *out)
{
	char shell[] = "sh";
	char minus_c[] = "-c";
	const char *editor = editor_of(env);
	struct loom_buf script = LOOM_BUF_INIT(1 << 16);
	char *argv[] = {shell, minus_c, NULL, shell, path, NULL};
	struct loom_arena *arena = loom_arena_create();
	char **given = make_env(env, arena);
	posix_spawnattr_t attributes;
	int failed = 0;

	loom_buf_addf(&script, "%s%s \"$1\"", is_plain(editor) ? "exec " : "", editor);
	argv[2] = script.p;
	failed = script.bad ? E2BIG : posix_spawnattr_init(&attributes);
	if (!failed) {
		failed = set_signals(&attributes)
				 ? posix_spawn(out, "/bin/sh", NULL, &attributes, argv, given)
				 : EINVAL;
		posix_spawnattr_destroy(&attributes);
	}
	loom_buf_fini(&script);
	loom_arena_destroy(arena);
	free(given);
	return failed;
}

static bool is_stopped(pid_t child)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* When the editor stops, stop ourselves, or nobody could reach the terminal; once continued,
 * continue the editor. Most editors stop the whole process group, so by now we have been stopped
 * and continued. */
static int wait_child(pid_t child, int *how)
{
	siginfo_t info;

	for (;;) {
		if (waitid(P_PID, (id_t)child, &info, WEXITED | WSTOPPED | WNOWAIT) < 0) {
			if (errno != EINTR)
				return -1;
		} else if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED) {
			return waitpid(child, how, 0) < 0 ? -1 : 0;
		} else if (is_stopped(child)) {
			raise(SIGSTOP);
			kill(child, SIGCONT);
		}
	}
}

static enum loom_status wait_for(pid_t child, const char *editor, struct loom_err *err)
{
	int how = 0;

	if (wait_child(child, &how) < 0)
		return loom_fail(err, LOOM_IO, "the editor: %s", strerror(errno));
	if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
		return LOOM_OK;
	if (WIFEXITED(how) && WEXITSTATUS(how) == SHELL_FOUND_NONE) {
		loom_fail(err, LOOM_REFUSED, "there is no editor \"%s\"", editor);
		return loom_hint(err, LOOM_REFUSED, "set VISUAL or EDITOR to an editor that waits");
	}
	if (WIFEXITED(how))
		loom_fail(err, LOOM_REFUSED, "the editor exited with status %d", WEXITSTATUS(how));
	else
		loom_fail(err, LOOM_REFUSED, "the editor was killed by signal %d", WTERMSIG(how));
	return loom_hint(err, LOOM_REFUSED, "its text is not used");
}

/* ^C and ^\ belong to the editor while it runs; ^Z stops both. */
static enum loom_status run(const struct loom_env *env, char *path, struct loom_err *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction interrupt;
	struct sigaction quit;
	struct sigaction stop;
	pid_t child = 0;
	int failed = 0;
	enum loom_status status = LOOM_OK;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	sigaction(SIGTSTP, &standard, &stop);
	failed = start(env, path, &child);
	status = failed ? loom_fail(err, LOOM_IO, "cannot run a shell: %s", strerror(failed))
			: wait_for(child, editor_of(env), err);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	sigaction(SIGTSTP, &stop, NULL);
	return status;
}

/* Deletes the file, unless its text cannot be taken. */
static enum loom_status take_copy(const struct loom_buf *path, struct loom_buf *out,
				  struct loom_err *err)
{
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status = read_copy(path->p, out, &why);

	if (!status) {
		unlink(path->p);
		return LOOM_OK;
	}
	if (status == LOOM_NOT_FOUND)
		return loom_fail(err, status, "%s; the text is unchanged", why.text);
	loom_buf_clear(out);
	return loom_fail(err, status, "%s; the file is kept as %s", why.text, path->p);
}

enum loom_status loom_editor_run(const struct loom_env *env, struct loom_str text,
				 struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = write_copy(env, text, &path, err);
	enum loom_status taken = LOOM_OK;
	bool ran = !status;

	if (ran)
		status = run(env, path.p, err);
	if (ran)
		taken = take_copy(&path, out, status ? NULL : err);
	else if (path.n)
		unlink(path.p);
	loom_buf_fini(&path);
	return status ? status : taken;
}
