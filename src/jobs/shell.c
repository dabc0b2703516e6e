/* shell.c -- Runs a command of the shell, and waits for it. */
#include "jobs/shell.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a command may take to clean up after a signal. */
static const struct timespec grace = {.tv_sec = 3};

static const int asks_to_end[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_ASK = sizeof asks_to_end / sizeof *asks_to_end };

_Noreturn static void be_command(const char *text, const sigset_t *before)
{
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, before, NULL);
	if (empty >= 0)
		dup2(empty, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

static int has_ended(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

/* Waits until the command has ended, or until it was killed because it did not
 * end in time after a signal.  Returns that signal, or 0. */
static int wait_for(pid_t pid, const sigset_t *wanted, int *status)
{
	int asked = 0;
	while (!has_ended(pid, status)) {
		int sig = asked ? sigtimedwait(wanted, NULL, &grace)
				: sigwaitinfo(wanted, NULL);
		if (sig < 0 && errno == EAGAIN)
			kill(-pid, SIGKILL);
		if (sig > 0 && sig != SIGCHLD) {
			asked = sig;
			kill(-pid, sig);
		}
	}
	/* What it left running would build while the results are computed. */
	if (asked)
		kill(-pid, SIGKILL);
	return asked;
}

static int say_end(const char *text, int status, struct problem *p)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 0
			   ? 0
			   : problem_set(p, EXIT_USAGE,
					 "'%s' ended with exit code %d", text,
					 WEXITSTATUS(status));
	return problem_set(p, EXIT_USAGE, "'%s' was killed by signal %d (%s)",
			   text, WTERMSIG(status), strsignal(WTERMSIG(status)));
}

int shell_run(const char *text, int *interrupted, struct problem *p)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, chld_before;
	sigset_t wanted, before;
	int status = 0;
	*interrupted = 0;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	for (int i = 0; i < N_ASK; i++)
		sigaddset(&wanted, asks_to_end[i]);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	sigaction(SIGCHLD, &usual, &chld_before);
	fflush(NULL); /* so that lines come in the order of what happened */
	pid_t pid = fork();
	if (pid == 0)
		be_command(text, &before);
	int error = errno;
	if (pid > 0) {
		setpgid(pid, pid);
		*interrupted = wait_for(pid, &wanted, &status);
	}
	sigaction(SIGCHLD, &chld_before, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return problem_set(p, EXIT_USAGE, "'%s': %s", text,
				   strerror(error));
	return *interrupted ? problem_set(p, 128 + *interrupted, "interrupted")
			    : say_end(text, status, p);
}
