/* Finds each change of a process, and none where there is none. */
#include "jobs/process_state.h"
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include "in_child.h"
#include "scratch.h"

static int file = -1; /* of the host */

static const char *no_change(void)
{
	return NULL;
}
static const char *other_folder(void)
{
	return chdir("/") < 0 ? "chdir" : NULL;
}
static const char *no_output(void)
{
	close(STDOUT_FILENO);
	return NULL;
}
static const char *other_output(void)
{
	return dup2(file, STDERR_FILENO) < 0 ? "dup2" : NULL;
}
static const char *no_input(void)
{
	close(STDIN_FILENO);
	return NULL;
}
static const char *no_file(void)
{
	close(file);
	return NULL;
}
static const char *other_file(void)
{
	return dup2(STDERR_FILENO, file) < 0 ? "dup2" : NULL;
}
static const char *written(void)
{
	return write(file, "x", 1) < 0 ? "write" : NULL;
}
static const char *blocked(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return NULL;
}
static void handler(int sig)
{
	(void)sig;
}
static const char *handled(void)
{
	signal(SIGUSR2, handler);
	return NULL;
}
static const char *other_flags(void)
{
	struct sigaction a = {.sa_handler = SIG_DFL, .sa_flags = SA_RESTART};
	sigaction(SIGUSR2, &a, NULL);
	return NULL;
}
static const char *other_stack(void)
{
	static char memory[1 << 16];
	stack_t s = {.ss_sp = memory, .ss_size = sizeof memory};
	return sigaltstack(&s, NULL) < 0 ? "sigaltstack" : NULL;
}
static const char *alarmed(void)
{
	alarm(1000);
	return NULL;
}
static const char *timed(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_NONE};
	timer_t timer;
	return timer_create(CLOCK_MONOTONIC, &e, &timer) < 0 ? "timer_create"
							     : NULL;
}
static const char *limited(void)
{
	struct rlimit l;
	getrlimit(RLIMIT_CPU, &l);
	l.rlim_cur = 1000;
	setrlimit(RLIMIT_CPU, &l);
	return NULL;
}
static const char *masked(void)
{
	umask(0123);
	return NULL;
}
static const char *variable(void)
{
	setenv("STEPCOST_TEST", "1", 1);
	return NULL;
}
static const char *other_locale(void)
{
	return setlocale(LC_CTYPE, "C.UTF-8") ? NULL : "changed the locale";
}
static const char *own_session(void)
{
	setsid();
	return NULL;
}
static const char *other_death(void)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	return NULL;
}

struct change {
	const char *(*make)(void);
	const char *glance, *look;
};
static const struct change change[] = {
    {no_change, NULL, NULL},
    {other_folder, "changed the working directory",
     "changed the working directory"},
    {no_output, "closed descriptors of the host",
     "closed descriptors of the host"},
    {other_output, "replaced descriptors of the host",
     "replaced descriptors of the host"},
    {no_input, NULL, "closed descriptors of the host"},
    {no_file, NULL, "closed descriptors of the host"},
    {other_file, NULL, "replaced descriptors of the host"},
    {written, NULL, "wrote to files of the host"},
    {blocked, NULL, "changed the signal mask"},
    {handled, NULL, "changed a signal handler"},
    {other_flags, NULL, "changed a signal handler"},
    {other_stack, NULL, "changed the stack of signal handlers"},
    {alarmed, NULL, "set a timer"},
    {timed, NULL, "set a timer"},
    {limited, NULL, "changed the limits of the process"},
    {masked, NULL, "changed the umask"},
    {variable, NULL, "changed the environment"},
    {other_locale, NULL, "changed the locale"},
    {own_session, NULL, "left the process group"},
    {other_death, NULL, "wants to outlive the host"},
};

static const char *seen(void *user,
			const char *(*by)(const struct process_state *))
{
	const struct change *c = user;
	struct process_state s;
	/* 0, 1 and 2 are there, whoever runs the test. */
	while ((file = open("/dev/null", O_RDWR)) >= 0 && file < 3)
		;
	file = open(scratch_path("file"), O_RDWR | O_CREAT, 0666);
	process_state_take(&s, &file, 1);
	const char *failed = c->make();
	return failed ? failed : by(&s);
}
static const char *glance(void *user)
{
	return seen(user, process_state_glance);
}
static const char *look(void *user)
{
	return seen(user, process_state_look);
}

static void changes(void)
{
	scratch_file("file", "");
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		struct change c = change[i];
		const char *first = c.glance ? c.glance : "(nothing)";
		const char *all = c.look ? c.look : "(nothing)";
		is(in_child(glance, &c), first, "at first sight: %s (%zu)",
		   first, i);
		is(in_child(look, &c), all, "looked closer: %s (%zu)", all, i);
	}
}

static void modes(void)
{
	uint32_t before = process_fp_modes();
	feraiseexcept(FE_DIVBYZERO);
	ok(process_fp_modes() == before, "a past exception is no mode");
	fesetround(FE_UPWARD);
	ok(process_fp_modes() != before, "the direction of rounding is one");
	fesetround(FE_TONEAREST);
	ok(process_fp_modes() == before, "set back");
}

static void *wait_for(void *user)
{
	char c;
	return read(*(int *)user, &c, 1) == 1 ? user : NULL;
}

static void threads(void)
{
	int fd[2];
	pthread_t thread;
	unsigned before = process_threads();
	ok(before >= 1, "there is a thread");
	if (pipe(fd) < 0 || pthread_create(&thread, NULL, wait_for, &fd[0]))
		bail_out("thread");
	ok(process_threads() == before + 1, "another one is counted");
	if (write(fd[1], "x", 1) != 1)
		bail_out("write");
	pthread_join(thread, NULL);
	close(fd[0]), close(fd[1]);
}

static void children(void)
{
	ok(!process_has_children(), "no child");
	pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	ok(process_has_children(), "one that runs");
	kill(pid, SIGKILL);
	siginfo_t end;
	waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT);
	ok(process_has_children(), "one that has ended and was not waited for");
	in_child_code(pid);
	ok(!process_has_children(), "none again");
}

int main(void)
{
	scratch_open();
	changes();
	modes();
	threads();
	children();
	return done();
}
