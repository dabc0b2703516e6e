/* A lock beside a file: one process holds it, and loses it with its end. */
#include "base/file/lockfile.h"
#include <signal.h>
#include <sys/wait.h>
#include "scratch.h"

/* A child that takes the lock, says so, and stays. */
static pid_t holder(const char *file, int *said)
{
	int p[2];
	if (pipe(p) < 0)
		bail_out("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		struct lockfile l;
		char got = lockfile_take(&l, file, NULL) == 0 ? 'y' : 'n';
		if (write(p[1], &got, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	char c = '?';
	*said = read(p[0], &c, 1) == 1 && c == 'y';
	return pid;
}

int main(void)
{
	struct problem p = {0};
	struct lockfile l = {0};
	int said;
	char who[60];
	scratch_open();
	const char *file = scratch_path("x.db");
	lockfile_release(&l);
	ok(lockfile_take(&l, file, &p) == 0, "taken: %s", p.text);
	ok(access(scratch_path("x.db.lock"), F_OK) == 0, "it is a file");
	lockfile_release(&l);
	ok(access(scratch_path("x.db.lock"), F_OK) < 0, "gone when let go");
	ok(!lockfile_is_held(file), "and nobody holds it");
	pid_t pid = holder(file, &said);
	snprintf(who, sizeof who, "is being written by process %d on ",
		 (int)pid);
	ok(said, "another takes it");
	ok(lockfile_is_held(file), "and holds it");
	ok(lockfile_take(&l, file, &p) < 0 && strstr(p.text, who), "%s",
	   p.text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(access(scratch_path("x.db.lock"), F_OK) == 0,
	   "killed, it leaves it");
	ok(!lockfile_is_held(file), "which nobody holds");
	ok(lockfile_take(&l, file, &p) == 0, "which holds nobody up: %s",
	   p.text);
	lockfile_release(&l);
	ok(lockfile_take(&l, scratch_path("no/x.db"), &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
	return done();
}
