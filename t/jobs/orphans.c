/* Adopts and ends processes that a child left running, and no others. */
#include "jobs/orphans.h"
#include <sys/prctl.h>
#include "in_child.h"

static pid_t sleeper(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

/* A child that starts a process in a session of its own, tells which, and ends;
 * returns that process. */
static pid_t leave_one(void)
{
	int fd[2];
	pid_t left = 0;
	if (pipe(fd) < 0)
		bail_out("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		pid_t grandchild = fork();
		if (grandchild == 0) {
			setsid();
			for (;;)
				pause();
		}
		_exit(write(fd[1], &grandchild, sizeof grandchild) < 0);
	}
	if (read(fd[0], &left, sizeof left) != sizeof left)
		bail_out("read");
	close(fd[0]), close(fd[1]);
	in_child_code(pid);
	return left;
}

static int is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static int adopts(void)
{
	int on = -1;
	prctl(PR_GET_CHILD_SUBREAPER, &on);
	return on;
}

static void adopted(void)
{
	struct orphans o;
	pid_t before = sleeper();
	orphans_open(&o);
	ok(adopts() == 1, "orphans come here");
	pid_t kept = sleeper(), left = leave_one();
	ok(orphans_parent_of(left) == getpid(), "what was left did");
	ok(orphans_are(&o, left) && orphans_are(&o, kept),
	   "those that came since are told");
	ok(!orphans_are(&o, before) && !orphans_are(&o, getpid()),
	   "from those that were there");
	orphans_end(&o, &kept, 1);
	ok(is_gone(left), "what was left is ended");
	ok(kill(kept, 0) == 0 && kill(before, 0) == 0,
	   "what is to be kept is not, nor what was there before");
	ok(orphans_are(&o, left), "one that is gone is still known");
	orphans_forget_gone(&o);
	ok(!orphans_are(&o, left), "until it is forgotten");
	orphans_add_gone(&o, left);
	ok(orphans_are(&o, left), "or named");
	orphans_end(&o, NULL, 0);
	ok(is_gone(kept) && kill(before, 0) == 0, "without a list, all go");
	orphans_close(&o);
	ok(adopts() == 0, "afterwards orphans go elsewhere");
	kill(before, SIGKILL);
	in_child_code(before);
}

/* A chain: ending the first brings the next here. */
static void chain(void)
{
	struct orphans o;
	int fd[2];
	pid_t last = 0;
	if (pipe(fd) < 0)
		bail_out("pipe");
	orphans_open(&o);
	pid_t first = fork();
	if (first == 0) {
		pid_t second = fork();
		if (second == 0) {
			pid_t third = sleeper();
			if (write(fd[1], &third, sizeof third) < 0)
				_exit(1);
		}
		for (;;)
			pause();
	}
	if (read(fd[0], &last, sizeof last) != sizeof last)
		bail_out("read");
	close(fd[0]), close(fd[1]);
	orphans_end(&o, NULL, 0);
	ok(is_gone(first) && is_gone(last), "a chain of them goes whole");
	orphans_close(&o);
}

static void nested(void)
{
	struct orphans outer, inner;
	orphans_open(&outer);
	orphans_open(&inner);
	orphans_close(&inner);
	ok(adopts() == 1, "the outer one still adopts");
	orphans_close(&outer);
	ok(adopts() == 0, "until it is closed");
}

static void parents(void)
{
	ok(orphans_parent_of(getpid()) == getppid(), "our own parent");
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "x) Z 1 (y");
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	ok(orphans_parent_of(pid) == getpid(),
	   "of a process whose name looks like its state");
	kill(pid, SIGKILL);
	in_child_code(pid);
	ok(orphans_parent_of(pid) == 0, "of none that is gone");
}

/* A child that has waited for one of its own, or has not. */
static int had_children(int has)
{
	pid_t pid = fork();
	if (pid == 0) {
		pid_t own = has ? fork() : 0;
		if (has && own == 0)
			_exit(0);
		if (has)
			in_child_code(own);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	int had = orphans_had_children(pid);
	kill(pid, SIGKILL);
	in_child_code(pid);
	return had;
}

int main(void)
{
	if (access("/proc/thread-self/children", R_OK) < 0)
		skip_all("this kernel does not list children");
	adopted();
	chain();
	nested();
	parents();
	ok(had_children(1) == 1, "it has seen a child end");
	ok(had_children(0) == 0, "it has not");
	return done();
}
