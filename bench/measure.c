/* measure -- runs a program and says what it cost:
 * user seconds, system seconds, wall seconds, most memory in MB.
 * usage: measure PROGRAM [ARGUMENT...]   (figures on file descriptor 3) */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage r;
	int status;
	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	pid_t child = fork();
	if (child == 0) {
		close(3);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &r) < 0)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &b);
	/* wait4() counts the children that it waited for, too. */
	dprintf(3, "%.3f %.3f %.3f %.1f\n", seconds(r.ru_utime),
		seconds(r.ru_stime),
		(double)(b.tv_sec - a.tv_sec) +
		    1e-9 * (double)(b.tv_nsec - a.tv_nsec),
		(double)r.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
