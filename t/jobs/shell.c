/* A command of the shell: how it ended, where its output goes, and that a
 * signal ends it with everything that it started. */
#include "jobs/shell.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

static void how_it_ends(void)
{
	struct problem p = {0};
	int interrupted = -1;
	ok(shell_run("true", &interrupted, &p) == 0 && interrupted == 0,
	   "a command that succeeds");
	ok(shell_run("exit 3", &interrupted, &p) < 0 && p.code == EXIT_USAGE &&
	       interrupted == 0,
	   "one that fails");
	is(p.text, "'exit 3' ended with exit code 3", "and how");
	ok(shell_run("kill -KILL $$", &interrupted, &p) < 0, "one that dies");
	is(p.text, "'kill -KILL $$' was killed by signal 9 (Killed)",
	   "and by which signal");
	ok(interrupted == 0, "which is no wish of the user");
	ok(shell_run("read x", &interrupted, &p) < 0,
	   "standard input is empty");
}

/* Both outputs of this process are pipes. */
static void outputs(void)
{
	char text[64] = "";
	int out[2], err[2];
	if (pipe(out) < 0 || pipe(err) < 0)
		bail_out("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		struct problem p;
		int interrupted;
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		_exit(shell_run("echo said; echo complained >&2", &interrupted,
				&p) < 0);
	}
	close(out[1]);
	close(err[1]);
	waitpid(pid, NULL, 0);
	ok(read(out[0], text, sizeof text) == 0,
	   "nothing on standard output, which is for results");
	ok(read(err[0], text, sizeof text - 1) > 0 &&
	       !strcmp(text, "said\ncomplained\n"),
	   "everything on standard error");
	close(out[0]);
	close(err[0]);
}

/* Returns 1 if no such process runs; it may be dead and not collected. */
static int is_gone(int pid)
{
	char path[40], state = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return 1;
	int n = fscanf(f, "%*d (%*[^)]) %c", &state);
	fclose(f);
	return n != 1 || state == 'Z' || state == 'X';
}

static int is_there(int unused)
{
	(void)unused;
	return access("pid", F_OK) == 0;
}

/* Returns 1 as soon as it is so, 0 after 10 s. */
static int soon(int (*is_so)(int), int arg)
{
	static const struct timespec moment = {.tv_nsec = 10000000};
	for (int i = 0; i < 1000; i++) {
		if (is_so(arg))
			return 1;
		nanosleep(&moment, NULL);
	}
	return 0;
}

/* The command writes the process id of its child to the file `pid`. */
static void signals(const char *text, const char *name)
{
	char folder[] = "/tmp/shell.XXXXXX";
	if (!mkdtemp(folder) || chdir(folder) < 0)
		bail_out("a folder");
	pid_t pid = fork();
	if (pid == 0) {
		struct problem p;
		int interrupted;
		signal(SIGTERM, SIG_DFL);
		int rc = shell_run(text, &interrupted, &p);
		_exit(rc < 0 && interrupted == SIGTERM &&
			      p.code == 128 + SIGTERM
			  ? 7
			  : 1);
	}
	int status = 0;
	ok(soon(is_there, 0), "%s runs", name);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "%s is interrupted, and the caller hears by which signal", name);
	FILE *f = fopen("pid", "r");
	int left = 0;
	ok(f && fscanf(f, "%d", &left) == 1 && soon(is_gone, left),
	   "%s has left nothing that runs", name);
	if (f)
		fclose(f);
	unlink("pid");
	if (chdir("/") < 0 || rmdir(folder) < 0)
		bail_out("rmdir");
}

int main(void)
{
	how_it_ends();
	outputs();
	signals("sleep 60 & echo $! >new; mv new pid; wait", "a child");
	signals("trap '' TERM; (trap '' TERM; sleep 60) & echo $! >new; "
		"mv new pid; wait",
		"a child that ignores signals");
	return done();
}
