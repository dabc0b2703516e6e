/* in_child.h -- runs a function in a child process, because it changes the
 * process or does not come back. */
#ifndef T_IN_CHILD_H
#define T_IN_CHILD_H
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tap.h"

/* Returns the exit code of a child, or minus the signal that ended it. */
static int in_child_code(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* What the function returns, as text; "(nothing)" for NULL, "ended" if it does
 * not come back.  Good until the next call. */
__attribute__((unused)) static const char *
in_child(const char *(*fn)(void *user), void *user)
{
	static char said[600];
	int fd[2];
	size_t n = 0;
	if (pipe(fd) < 0)
		bail_out("pipe");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		const char *text = fn(user);
		text = text ? text : "(nothing)";
		_exit(write(fd[1], text, strlen(text)) < 0);
	}
	close(fd[1]);
	for (ssize_t r; (r = read(fd[0], said + n, sizeof said - 1 - n)) > 0;)
		n += (size_t)r;
	said[n] = '\0';
	close(fd[0]);
	in_child_code(pid);
	return n ? said : "ended";
}
#endif
