/* Processes on one grove: fork with the store closed, two pipes for their timing. */
#include "support/fork.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/tree/open_store.h>

static void give_up(const char *what)
{
	perror(what);
	exit(99);
}

bool grove_fork(struct grove *grove, struct grove_child *child)
{
	int go[2];
	int said[2];
	char c = 0;

	loom_store_close(grove->store);
	grove->store = NULL;
	if (pipe(go) != 0 || pipe(said) != 0)
		give_up("pipe");
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0)
		give_up("fork");
	if (child->pid > 0) {
		close(go[0]);
		close(said[1]);
		child->go = go[1];
		child->said = said[0];
		grove_reopen(grove);
		return true;
	}
	close(go[1]);
	close(said[0]);
	child->said = said[1];
	if (read(go[0], &c, 1) != 1)
		_exit(98);
	grove_reopen(grove);
	return false;
}

void grove_child_go(struct grove_child *child)
{
	if (write(child->go, "g", 1) != 1)
		give_up("write");
}

void grove_child_say(const struct grove_child *child)
{
	if (write(child->said, "s", 1) != 1)
		_exit(97);
}

bool grove_child_hear(const struct grove_child *child)
{
	char c = 0;

	return read(child->said, &c, 1) == 1;
}

static int told(struct grove_child *child, int status)
{
	close(child->go);
	close(child->said);
	child->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool grove_child_ended(struct grove_child *child, int *out_status)
{
	int status = 0;

	if (waitpid(child->pid, &status, WNOHANG) == 0)
		return false;
	*out_status = told(child, status);
	return true;
}

int grove_child_wait(struct grove_child *child)
{
	int status = 0;

	(void)waitpid(child->pid, &status, 0);
	return told(child, status);
}

void grove_child_kill(struct grove_child *child)
{
	kill(child->pid, SIGKILL);
	(void)grove_child_wait(child);
}
