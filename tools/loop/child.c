/* Child programs. Each gets a process group of its own, an empty signal mask and none of our
 * descriptors but three pipes. A child that has closed its output and does not exit is killed. The
 * program ignores SIGPIPE, so a child that does not read its input does no harm.
 *
 * When we are killed, our children and everything they started must die too: each group contains a
 * guard, a process that only waits for the end of a pipe whose other end we hold. While the guard
 * lives, no other group can get the group's number. */
#include <loom/loop/child.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MAX  2000
#define REAP_MS   10
#define LINGER_MS 2000

struct loop_child {
	struct loop_child_opts opts;
	pid_t pid;
	int in; /* -1: closed */
	int out;
	int err;
	int life; /* the guard waits while it is open and silent */
	struct loom_buf input;
	size_t written;
	struct loom_buf said;
	int64_t waited;
	uint64_t timer;
};

static void close_fd(struct loop_child *child, int *fd)
{
	if (*fd < 0)
		return;
	loom_loop_watch(child->opts.loop, *fd, 0, NULL, NULL);
	close(*fd);
	*fd = -1;
}

static void free_child(struct loop_child *child)
{
	loom_loop_timer_cancel(child->opts.loop, child->timer);
	close_fd(child, &child->in);
	close_fd(child, &child->out);
	close_fd(child, &child->err);
	/* Any byte tells the guard to exit and to leave whatever the child has left behind. While
	 * the guard lives, the group's number is nobody else's. */
	if (child->opts.alone)
		kill(-child->pid, SIGKILL);
	(void)!write(child->life, "", 1);
	close(child->life);
	loom_buf_fini(&child->input);
	loom_buf_fini(&child->said);
	free(child);
}

void loop_child_kill(struct loop_child *child)
{
	kill(-child->pid, SIGKILL);
}

void loop_child_stop(struct loop_child *child)
{
	if (!child)
		return;
	loop_child_kill(child);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free_child(child);
}

static void reap(void *ctx)
{
	struct loop_child *child = ctx;
	struct loop_child_opts opts = child->opts;
	struct loom_buf said = child->said;
	int status = 0;
	pid_t got = waitpid(child->pid, &status, WNOHANG);

	child->timer = 0;
	if (got == 0) {
		child->waited += REAP_MS;
		if (child->waited >= LINGER_MS)
			kill(-child->pid, SIGKILL);
		child->timer = loom_loop_timer(opts.loop, REAP_MS, reap, child);
		return;
	}
	loom_buf_init(&child->said, SAID_MAX);
	free_child(child);
	opts.end(opts.ctx, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		 WIFSIGNALED(status) ? WTERMSIG(status) : 0, loom_buf_str(&said));
	loom_buf_fini(&said);
}

static void on_in(void *ctx, int fd, unsigned events)
{
	struct loop_child *child = ctx;
	ssize_t n = write(fd, child->input.p + child->written, child->input.n - child->written);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		child->written += (size_t)n;
	if (n <= 0 || child->written == child->input.n)
		close_fd(child, &child->in);
}

static void on_out(void *ctx, int fd, unsigned events)
{
	struct loop_child *child = ctx;
	char part[16384];
	ssize_t n = read(fd, part, sizeof part);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_fd(child, &child->out);
		close_fd(child, &child->in);
		child->timer = loom_loop_timer(child->opts.loop, 0, reap, child);
		return;
	}
	/* must come last: the callback may stop the child */
	child->opts.out(child->opts.ctx, loom_str_make(part, (size_t)n));
}

static void on_err(void *ctx, int fd, unsigned events)
{
	struct loop_child *child = ctx;
	char part[4096];
	ssize_t n = read(fd, part, sizeof part);
	size_t room = SAID_MAX - child->said.n;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		close_fd(child, &child->err);
	else
		loom_buf_add(&child->said,
			     loom_str_make(part, (size_t)n < room ? (size_t)n : room));
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n + 1) == 0;
}

static bool is_over(const char *pair, const char *const *more)
{
	for (const char *const *one = more; one && *one; one++)
		if (same_name(*one, pair))
			return true;
	return false;
}

/* Variables that hold keys by convention, whether or not the configuration names them, and the
 * secret that signs our own tokens. */
static const char *const secrets[] = {
	"LOOM_TOKEN_SECRET",
#define X(id, name, url, key) key,
	LOOM_API_LIST(X)
#undef X
		"ANTHROPIC_AUTH_TOKEN",
	"AZURE_OPENAI_API_KEY",
	"CEREBRAS_API_KEY",
	"COHERE_API_KEY",
	"DASHSCOPE_API_KEY",
	"DEEPSEEK_API_KEY",
	"FIREWORKS_API_KEY",
	"GEMINI_API_KEY",
	"GOOGLE_API_KEY",
	"GROQ_API_KEY",
	"HF_TOKEN",
	"HUGGINGFACE_API_KEY",
	"HUGGING_FACE_HUB_TOKEN",
	"MISTRAL_API_KEY",
	"MOONSHOT_API_KEY",
	"NVIDIA_API_KEY",
	"OPENROUTER_API_KEY",
	"PERPLEXITY_API_KEY",
	"PGPASSWORD",
	"REPLICATE_API_TOKEN",
	"TOGETHER_API_KEY",
	"VOYAGE_API_KEY",
	"XAI_API_KEY",
	"ZAI_API_KEY",
};

/* Whether the variable holds a key other than `own`'s. */
static bool is_key(const char *pair, const struct loom_config *config,
		   const struct loom_provider *own)
{
	struct loom_str name = loom_str_make(pair, strcspn(pair, "="));
	bool found = false;

	if (!name.n || (own && loom_str_eq(own->key_env, name)))
		return false;
	for (size_t i = 0; i < LOOM_COUNT(secrets) && !found; i++)
		found = loom_str_is(name, secrets[i]);
	for (size_t i = 0; config && i < config->provider_count && !found; i++)
		found = loom_str_eq(config->providers[i].key_env, name);
	for (size_t i = 0; config && i < config->log_count && !found; i++)
		found = loom_str_eq(config->logs[i].key_env, name);
	return found;
}

/* Whether a program needs the variable to find its way. */
static bool is_plain(const char *pair)
{
	static const char *const plain[] = {
		"DBUS_SESSION_BUS_ADDRESS",
		"DISPLAY",
		"HOME",
		"LANG",
		"LOGNAME",
		"LOOM_ME",
		"PATH",
		"SHELL",
		"TERM",
		"TMPDIR",
		"TZ",
		"USER",
		"WAYLAND_DISPLAY",
		"XDG_CACHE_HOME",
		"XDG_CONFIG_HOME",
		"XDG_DATA_HOME",
		"XDG_RUNTIME_DIR",
		"XDG_STATE_HOME",
	};
	const struct loom_str name = loom_str_make(pair, strcspn(pair, "="));

	for (size_t i = 0; i < LOOM_COUNT(plain); i++)
		if (loom_str_is(name, plain[i]))
			return true;
	return loom_str_starts(name, LOOM_STR("LC_"));
}

/* Those of our environment that may be given, and `more` over them. */
static char **make_env(const struct loom_config *config, const struct loom_provider *own,
		       const char *const *more, bool clean)
{
	char **env = NULL;
	size_t count = 0;
	size_t n = 0;

	for (char *const *at = environ; at && *at; at++)
		count++;
	for (const char *const *at = more; at && *at; at++)
		count++;
	env = loom_alloc((count + 1) * sizeof *env);
	for (char *const *at = environ; at && *at; at++)
		if (!is_over(*at, more) && !is_key(*at, config, own) && (!clean || is_plain(*at)))
			env[n++] = *at;
	for (const char *const *at = more; at && *at; at++)
		env[n++] = (char *)(uintptr_t)*at; /* exec changes nothing */
	return env;
}

char **loop_child_env(const struct loom_config *config, const struct loom_provider *own,
		      const char *const *more)
{
	return make_env(config, own, more, false);
}

/* Makes the child die with its parent, which may have died already. */
static void end_with(pid_t parent)
{
#if defined(__linux__)
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(127);
}

/* dup2 onto the same number would leave a descriptor that closes on exec. */
static bool take_over(const int pipes[3])
{
	for (int fd = 0; fd < 3; fd++)
		if (pipes[fd] == fd ? fcntl(fd, F_SETFD, 0) < 0 : dup2(pipes[fd], fd) < 0)
			return false;
	return true;
}

/* Holds only its pipe. Every signal was blocked before, so nothing but SIGKILL reaches it. */
static _Noreturn void stand_guard(int life)
{
	char word = 0;
	ssize_t n = 0;

	if (dup2(life, 0) < 0)
		_exit(0);
#if defined(__linux__)
	if (close_range(1, ~0U, 0))
		_exit(0);
#else
	for (long fd = sysconf(_SC_OPEN_MAX); fd-- > 1;)
		close((int)fd);
#endif
	do
		n = read(0, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		kill(0, SIGKILL);
	_exit(0);
}

/* Puts the guard into our group. It is orphaned at once, so that no program finds a child it never
 * started. If this fails, only the child itself ends with its parent. */
static void post_guard(int life)
{
	const pid_t first = fork();

	if (first == 0 && fork() == 0)
		stand_guard(life);
	if (first == 0)
		_exit(0);
	while (first > 0 && waitpid(first, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Runs in the child, where our other threads stopped at an arbitrary point: only system calls are
 * safe. On failure writes errno to `failed`, which otherwise closes on exec. */
static _Noreturn void become(const struct loop_child_opts *opts, char *const *env,
			     const int pipes[4], int failed)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	const bool leads = setpgid(0, 0) == 0;
	sigset_t none;
	int code = 0;

	if (leads)
		post_guard(pipes[3]);
	for (int signal = 1; signal < NSIG; signal++)
		(void)sigaction(signal, &usual, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (leads && take_over(pipes))
		execvpe(opts->argv[0], (char *const *)(uintptr_t)opts->argv, env);
	code = errno;
	(void)!write(failed, &code, sizeof code);
	_exit(127);
}

/* Waits until the child has become the program; returns 0, or the errno of its failure. */
static int has_become(pid_t pid, int said)
{
	int code = 0;
	ssize_t n = 0;

	do
		n = read(said, &code, sizeof code);
	while (n < 0 && errno == EINTR);
	if (n != sizeof code)
		return 0;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return code;
}

static int spawn(pid_t *pid, const struct loop_child_opts *opts, const int pipes[4])
{
	const pid_t parent = getpid();
	char **env = make_env(opts->config, opts->own, opts->env, opts->clean);
	sigset_t all;
	sigset_t before;
	int failed[2];
	int code = 0;

	if (pipe2(failed, O_CLOEXEC)) {
		code = errno;
		free(env);
		return code;
	}
	/* None of our handlers may run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	*pid = fork();
	if (*pid == 0) {
		end_with(parent);
		become(opts, env, pipes, failed[1]);
	}
	code = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(failed[1]);
	code = *pid < 0 ? code : has_become(*pid, failed[0]);
	close(failed[0]);
	free(env);
	return code;
}

static bool make_pipes(int pipes[4][2])
{
	for (int i = 0; i < 4; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			while (i-- > 0) {
				close(pipes[i][0]);
				close(pipes[i][1]);
			}
			return false;
		}
	return true;
}

static void watch(struct loop_child *child, int in, int out, int err)
{
	struct loom_loop *loop = child->opts.loop;

	child->in = in;
	child->out = out;
	child->err = err;
	fcntl(in, F_SETFL, O_NONBLOCK);
	fcntl(out, F_SETFL, O_NONBLOCK);
	fcntl(err, F_SETFL, O_NONBLOCK);
	loom_loop_watch(loop, out, LOOM_LOOP_READ, on_out, child);
	loom_loop_watch(loop, err, LOOM_LOOP_READ, on_err, child);
	if (child->input.n)
		loom_loop_watch(loop, in, LOOM_LOOP_WRITE, on_in, child);
	else
		close_fd(child, &child->in);
}

enum loom_status loop_child_start(const struct loop_child_opts *opts, struct loop_child **out,
				  struct loom_err *err)
{
	struct loop_child *child = NULL;
	int pipes[4][2];
	pid_t pid = 0;
	int failed = 0;

	*out = NULL;
	if (!make_pipes(pipes))
		return loom_fail(err, LOOM_IO, "cannot create a pipe: %s", strerror(errno));
	failed = spawn(&pid, opts,
		       (const int[]){pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][0]});
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	close(pipes[3][0]);
	if (failed) {
		close(pipes[0][1]);
		close(pipes[1][0]);
		close(pipes[2][0]);
		close(pipes[3][1]);
		return loom_fail(err, failed == ENOENT ? LOOM_NOT_FOUND : LOOM_IO, "%s: %s",
				 opts->argv[0], strerror(failed));
	}
	child = loom_alloc(sizeof *child);
	*child = (struct loop_child){.opts = *opts, .pid = pid, .life = pipes[3][1]};
	loom_buf_init(&child->input, LOOM_BUF_MAX);
	loom_buf_init(&child->said, SAID_MAX);
	loom_buf_add(&child->input, opts->input);
	watch(child, pipes[0][1], pipes[1][0], pipes[2][0]);
	*out = child;
	return LOOM_OK;
}
