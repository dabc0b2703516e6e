/* main.c -- Runs the command that the command line names. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/file/inputs.h"
#include "cmd/cmd.h"
#include "cmd/commit.h"
#include "cmd/dispatch.h"
#include "cmd/allocations.h"

/* If the caller closed descriptor 0, 1 or 2, a result or a message must not end
 * up in the first file that we open.  Writing to a closed standard output
 * fails; messages to a closed standard error are lost. */
static int secure_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null",
			 fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	return 0;
}

/* The buffer may still fail to be written. */
static int check_output(int rc)
{
	struct outfile out = {.f = stdout};
	struct problem p;
	if (outfile_commit(&out, &p) < 0)
		rc = print_error_too(rc, &p);
	if (!ferror(stderr))
		return rc;
	clearerr(stderr);
	problem_set(&p, EXIT_USAGE, "standard error: a message was lost");
	return print_error_too(rc, &p);
}

/* ---- the stack ---- */

enum { STACK_BYTES = 1 << 20 };

struct line {
	int argc;
	char **argv;
	sigset_t mask;
	int rc;
};

static void *in_thread(void *user)
{
	struct line *l = user;
	pthread_sigmask(SIG_SETMASK, &l->mask, NULL);
	l->rc = dispatch(l->argc, l->argv);
	return NULL;
}

/* `ulimit -s` bounds the stack of the first thread alone.  Where that is less
 * than plugins and commands may need, another thread runs the command; the
 * first one waits, and gets no signals. */
static int run_line(struct line *l)
{
	struct rlimit stack;
	struct problem p;
	pthread_attr_t how;
	pthread_t thread;
	sigset_t all;
	if (getrlimit(RLIMIT_STACK, &stack) < 0 ||
	    stack.rlim_cur >= STACK_BYTES)
		return dispatch(l->argc, l->argv);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &l->mask);
	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK_BYTES);
	int error = pthread_create(&thread, &how, in_thread, l);
	pthread_attr_destroy(&how);
	if (error) {
		problem_of_file(&p, "a thread with a stack of 1 MiB", error);
		return print_error(&p);
	}
	pthread_join(thread, NULL);
	return l->rc;
}

int main(int argc, char **argv)
{
	struct problem p;
	if (secure_descriptors() < 0)
		return EXIT_USAGE;
	if (inputs_begin() < 0) {
		problem_no_memory(&p);
		return print_error(&p);
	}
	allocations_begin();
	inputs_note(INPUT_PROGRAM,
		    (const char *const[]){PACKAGE_VERSION, commit_hex,
					  commit_is_dirty ? "1" : ""},
		    3);
	/* If the reader has gone, or a file is at the limit of its size,
	 * writing fails with an error instead of a signal. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	struct line l = {.argc = argc - 1, .argv = argv + 1};
	return check_output(run_line(&l));
}
