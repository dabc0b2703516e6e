/* violations_ends.h -- violations that end the process, or that never end:
 * signals, exits, endless loops. */
#ifndef T_MISDEEDS_ENDS_H
#define T_MISDEEDS_ENDS_H
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile char *volatile nowhere;
static volatile int zero;
static const struct timespec long_time = {.tv_sec = 1000000};

/* ---- signals ---- */

static void segv(void)
{
	*nowhere = 1;
}
static void fpe(void)
{
	zero = 7 / zero;
}
static void ill(void)
{
	__builtin_trap();
}
static void bus(void)
{
	raise(SIGBUS);
}
static void kill_self(void)
{
	kill(getpid(), SIGKILL);
}
static void term_self(void)
{
	kill(getpid(), SIGTERM);
}
static void pipe_self(void)
{
	raise(SIGPIPE);
}
static void stop_self(void)
{
	raise(SIGSTOP);
}
static void kill_group(void)
{
	kill(0, SIGKILL);
}
static void term_host(void)
{
	kill(getppid(), SIGTERM), pause();
}
static void quit_host(void)
{
	kill(getppid(), SIGQUIT), pause();
}
static void usr1_host(void)
{
	kill(getppid(), SIGUSR1), pause();
}
static void segv_host(void)
{
	kill(getppid(), SIGSEGV), pause();
}
static void tstp_host(void)
{
	kill(getppid(), SIGTSTP), pause();
}
static void child_term_host(void)
{
	pid_t host = getppid();
	if (fork() == 0) {
		setsid();
		kill(host, SIGTERM);
		pause();
	}
	pause();
}
static void reaped_term_host(void)
{
	pid_t host = getppid(), child = fork();
	if (child == 0) {
		kill(host, SIGTERM);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pause();
}

/* ---- exits ---- */

static void exits(void)
{
	exit(0);
}
static void exits_now(void)
{
	_exit(0);
}
static void exits_4(void)
{
	exit(4);
}
static void exits_quickly(void)
{
	quick_exit(0);
}
static void aborts(void)
{
	abort();
}
static void thread_exits(void)
{
	pthread_exit(NULL);
}
static void task_exits(void)
{
	syscall(SYS_exit, 0);
}
static void becomes_true(void)
{
	execl("/bin/sh", "sh", "-c", "echo hello; exec 3>&1; echo more >&3",
	      (char *)NULL);
}

/* ---- endless ---- */

static void loops(void)
{
	for (;;)
		zero = 0;
}
static void sleeps(void)
{
	nanosleep(&long_time, NULL);
}
static void deaf_and_loops(void)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	loops();
}
static void reads_input(void)
{
	char c;
	while (read(0, &c, 1) == 1)
		zero = c & 0;
	puts("input ends");
}
#endif
