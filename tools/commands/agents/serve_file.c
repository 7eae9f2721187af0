/* Starts llama-server for a model's file, and a process that watches it. The watcher outlives the
 * command: it ends the server when no loom holds it any more and none has used it for a while. The
 * server ends with its watcher, however that ends. Only loopback, a free port, a key made for it.
 */
#include "serve_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/system.h>
#include <loom/config/served.h>
#include <loom/files/state_file.h>

#define LINGER_S 300 /* after the last single command */
#define WATCH_MS 500
#define START_MS 20000
#define STEP_MS  50
#define STOP_MS  3000
#define GUARD_FD 3 /* the watcher's lock, in the watcher */

struct serving {
	struct loom_served served;
	char program[PATH_MAX];
	char port[8];
	uint16_t number; /* the port */
	int guard;       /* the lock that says that it runs */
	long linger;
};

static void rest(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* --- the watcher; after fork it makes system calls only --- */

static void run_server(const struct serving *serving)
{
	const char *const argv[] = {
		"llama-server",        "-m",     serving->served.file.p, "--host",
		"127.0.0.1",           "--port", serving->port,          "--api-key-file",
		serving->served.key.p, NULL};
	const pid_t watcher = getppid();
	int log = open(serving->served.log.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		       0600);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != watcher)
		_exit(1);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execv(serving->program, (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Whether no loom holds the server and none has used it lately. The lock stays taken then, so that
 * nobody begins to use a server that ends. */
static bool is_idle(int use, long linger)
{
	struct stat info;
	struct timespec now;

	if (flock(use, LOCK_EX | LOCK_NB) != 0)
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	if (fstat(use, &info) == 0 && now.tv_sec - info.st_mtim.tv_sec >= linger)
		return true;
	flock(use, LOCK_UN);
	return false;
}

static void stop_server(pid_t server)
{
	kill(server, SIGTERM);
	for (long waited = 0; waited < STOP_MS; waited += STEP_MS) {
		if (waitpid(server, NULL, WNOHANG) == server)
			return;
		rest(STEP_MS);
	}
	kill(server, SIGKILL);
}

static void watch(const struct serving *serving)
{
	int null = open("/dev/null", O_RDWR);
	pid_t server;
	int use;

	setsid();
	(void)!chdir("/");
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	dup2(serving->guard, GUARD_FD);
	fcntl(GUARD_FD, F_SETFD, FD_CLOEXEC);
	close_range(GUARD_FD + 1, UINT_MAX, 0);
	use = open(serving->served.use.p, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	server = fork();
	if (server == 0)
		run_server(serving);
	while (server > 0 && waitpid(server, NULL, WNOHANG) == 0) {
		if (is_idle(use, serving->linger)) {
			stop_server(server);
			break;
		}
		rest(WATCH_MS);
	}
	unlink(serving->served.port_file.p);
	unlink(serving->served.key.p);
	_exit(0);
}

/* --- starting it --- */

/* Finds the program on the PATH. */
static bool find_program(const struct loom_env *env, char out[PATH_MAX])
{
	const char *path = loom_env_var(env, "PATH");
	struct loom_str rest_of = loom_str_of(path ? path : "");
	struct loom_str dir;

	while (rest_of.n && loom_str_cut(&rest_of, ':', &dir)) {
		if (!dir.n || dir.p[0] != '/')
			continue;
		snprintf(out, PATH_MAX, "%.*s/llama-server", LOOM_STR_ARG(dir));
		if (access(out, X_OK) == 0)
			return true;
	}
	return false;
}

static enum loom_status not_installed(struct loom_err *err)
{
	loom_fail(err, LOOM_MODEL, "llama-server is not installed, which would run this model");
	return loom_hint(
		err, LOOM_MODEL,
		"install llama.cpp, of which it is a part, so that llama-server is on your "
		"PATH; or run the model with any other server, and `loom help models` says "
		"how to name it");
}

/* The file by its full name, if it is a model's. */
static enum loom_status find_file(struct loom_cli *cli, struct loom_str file, struct loom_str *out,
				  struct loom_err *err)
{
	char path[PATH_MAX];
	char magic[4] = "";
	int fd;
	ssize_t n;

	if (!realpath(loom_arena_cstr(cli->arena, file), path)) {
		loom_fail(err, LOOM_NOT_FOUND, "%.*s: %s", LOOM_STR_ARG(file), strerror(errno));
		return loom_hint(err, LOOM_NOT_FOUND, "the name of a .gguf file is a path");
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	n = fd >= 0 ? read(fd, magic, sizeof magic) : -1;
	if (fd >= 0)
		close(fd);
	if (n != sizeof magic || memcmp(magic, "GGUF", sizeof magic) != 0)
		return loom_fail(err, LOOM_INVALID, "%.*s is no GGUF file", LOOM_STR_ARG(file));
	*out = loom_arena_str(cli->arena, loom_str_of(path));
	return LOOM_OK;
}

static bool write_private(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	const size_t n = strlen(text);
	bool written = fd >= 0 && write(fd, text, n) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return written;
}

static bool make_key(const struct serving *serving)
{
	unsigned char bytes[32];
	char key[sizeof bytes * 2 + 2];

	if (!model_random(bytes, sizeof bytes))
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(key + 2 * i, 3, "%02x", bytes[i]);
	key[sizeof key - 2] = '\n';
	key[sizeof key - 1] = '\0';
	return write_private(serving->served.key.p, key);
}

/* A port of this machine that nobody has now. */
static bool find_port(struct serving *serving)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool found = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
		     getsockname(fd, (struct sockaddr *)&at, &size) == 0;

	if (fd >= 0)
		close(fd);
	serving->number = found ? ntohs(at.sin_port) : 0;
	snprintf(serving->port, sizeof serving->port, "%u", serving->number);
	return found && write_private(serving->served.port_file.p, serving->port);
}

static bool answers(const struct serving *serving)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(serving->number),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool there = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0;

	if (fd >= 0)
		close(fd);
	return there;
}

static enum loom_status wait_for_it(const struct serving *serving, pid_t watcher,
				    struct loom_err *err)
{
	for (long waited = 0; waited < START_MS; waited += STEP_MS) {
		if (answers(serving))
			return LOOM_OK;
		if (waitpid(watcher, NULL, WNOHANG) == watcher) {
			loom_fail(err, LOOM_MODEL, "llama-server ended at once");
			return loom_hint(err, LOOM_MODEL, "what it said is in %s",
					 serving->served.log.p);
		}
		rest(STEP_MS);
	}
	return LOOM_OK; /* a large model takes its time to load; the server is there */
}

static enum loom_status start(struct serving *serving, struct loom_err *err)
{
	int use = open(serving->served.use.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	pid_t watcher;

	if (use < 0 || !make_key(serving) || !find_port(serving))
		return loom_fail_errno(err, errno, "cannot prepare %s", serving->served.key.p);
	close(use);
	loom_served_touch(&serving->served);
	watcher = fork();
	if (watcher == 0)
		watch(serving);
	if (watcher < 0)
		return loom_fail_errno(err, errno, "cannot start a process");
	return wait_for_it(serving, watcher, err);
}

/* Only one loom starts it: who has the lock. */
static enum loom_status start_once(struct loom_cli *cli, struct serving *serving,
				   struct loom_err *err)
{
	const char *linger = loom_env_var(&cli->env, "LOOM_SERVER_LINGER");
	enum loom_status status = LOOM_OK;

	serving->linger = linger ? strtol(linger, NULL, 10) : LINGER_S;
	serving->guard =
		open(serving->served.guard.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (serving->guard < 0)
		return loom_fail_errno(err, errno, "cannot make %s", serving->served.guard.p);
	if (flock(serving->guard, LOCK_EX | LOCK_NB) == 0)
		status = start(serving, err);
	else
		loom_served_touch(&serving->served);
	close(serving->guard);
	return status;
}

enum loom_status agents_serve(struct loom_cli *cli, struct loom_str file, struct loom_str *out,
			      struct loom_err *err)
{
	const struct loom_str dir = loom_served_dir(&cli->env, cli->arena);
	struct serving serving = {.guard = -1};
	enum loom_status status = find_file(cli, file, out, err);

	if (status)
		return status;
	if (!dir.n)
		return loom_fail(err, LOOM_REFUSED,
				 "there is no home directory for the server's key");
	loom_served_find(dir, *out, cli->arena, &serving.served);
	if (serving.served.running) {
		loom_served_touch(&serving.served);
		return LOOM_OK;
	}
	if (!find_program(&cli->env, serving.program))
		return not_installed(err);
	status = model_make_dirs(dir, 0700, err);
	return status ? status : start_once(cli, &serving, err);
}
