/* process_state.c -- Records the state of a process, and compares it. */
#include "jobs/process_state.h"
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/checksum.h"

static mode_t file_mask(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return mask;
}

static uint64_t environment(void)
{
	struct checksum c = {0};
	for (char **s = environ; s && *s; s++)
		checksum_add(&c, *s, strlen(*s) + 1);
	return checksum_value(&c);
}

unsigned process_threads(void)
{
	struct stat is;
	/* The folder has a subfolder per thread, and links from "." and
	 * "..". */
	return stat("/proc/self/task", &is) == 0 && is.st_nlink > 2
		   ? (unsigned)is.st_nlink - 2
		   : 1;
}

int process_has_children(void)
{
	siginfo_t unused;
	return waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Returns 1 if the process has timer_create() timers; some kernels do not
 * tell. */
static int has_timers(void)
{
	char c;
	int fd = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
	int any = fd >= 0 && read(fd, &c, 1) == 1;
	if (fd >= 0)
		close(fd);
	return any;
}

/* A signal without an action stays zero. */
static void take_actions(struct signal_action *action)
{
	struct sigaction is;
	for (int sig = 1; sig <= PROCESS_SIGNALS; sig++)
		if (sigaction(sig, NULL, &is) == 0)
			action[sig] =
			    (struct signal_action){is.sa_handler, is.sa_flags};
}

static void take_files(struct process_state *s, const int *fd, unsigned n)
{
	for (int i = 0; i < 3; i++)
		s->fd[s->n_files++] = i;
	for (unsigned i = 0; i < n && s->n_files < PROCESS_FILES; i++)
		s->fd[s->n_files++] = fd[i];
	for (unsigned i = 0; i < s->n_files; i++)
		fstat(s->fd[i], &s->file[i]);
}

void process_state_take(struct process_state *s, const int *fd, unsigned n)
{
	memset(s, 0, sizeof *s);
	take_files(s, fd, n);
	stat(".", &s->folder);
	s->mask = file_mask();
	sigprocmask(SIG_BLOCK, NULL, &s->blocked);
	take_actions(s->action);
	sigaltstack(NULL, &s->stack);
	for (int i = 0; i < 3; i++)
		getitimer((__itimer_which_t)i, &s->timer[i]);
	s->has_timers = has_timers();
	for (int i = 0; i < RLIM_NLIMITS; i++)
		getrlimit((__rlimit_resource_t)i, &s->limit[i]);
	s->environment = environment();
	snprintf(s->radix, sizeof s->radix, "%s", nl_langinfo(RADIXCHAR));
	snprintf(s->codeset, sizeof s->codeset, "%s", nl_langinfo(CODESET));
	s->group = getpgrp();
	s->session = getsid(0);
	prctl(PR_GET_PDEATHSIG, &s->death_signal);
	s->n_threads = process_threads();
}

/* ---- comparing ---- */

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *files_differ(const struct process_state *s, unsigned from,
				unsigned to)
{
	struct stat is;
	for (unsigned i = from; i < to; i++) {
		if (fstat(s->fd[i], &is) < 0)
			return "closed descriptors of the host";
		if (!same_file(&is, &s->file[i]))
			return "replaced descriptors of the host";
		/* A pipe has no file offset. */
		if (i >= 3 && lseek(s->fd[i], 0, SEEK_CUR) > 0)
			return "wrote to files of the host";
	}
	return NULL;
}

const char *process_state_glance(const struct process_state *s)
{
	struct stat here;
	if (stat(".", &here) < 0 || !same_file(&here, &s->folder))
		return "changed the working directory";
	return files_differ(s, 1, 3);
}

static const char *signals_differ(const struct process_state *s)
{
	sigset_t blocked;
	struct signal_action action[PROCESS_SIGNALS + 1] = {0};
	stack_t stack = {0};
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	take_actions(action);
	sigaltstack(NULL, &stack);
	for (int sig = 1; sig <= PROCESS_SIGNALS; sig++) {
		if (sigismember(&blocked, sig) != sigismember(&s->blocked, sig))
			return "changed the signal mask";
		if (action[sig].handler != s->action[sig].handler ||
		    action[sig].flags != s->action[sig].flags)
			return "changed a signal handler";
	}
	return stack.ss_sp != s->stack.ss_sp ||
		       stack.ss_flags != s->stack.ss_flags
		   ? "changed the stack of signal handlers"
		   : NULL;
}

static const char *timers_differ(const struct process_state *s)
{
	for (int i = 0; i < 3; i++) {
		struct itimerval now;
		getitimer((__itimer_which_t)i, &now);
		if ((now.it_value.tv_sec || now.it_value.tv_usec) !=
		    (s->timer[i].it_value.tv_sec ||
		     s->timer[i].it_value.tv_usec))
			return "set a timer";
	}
	return has_timers() && !s->has_timers ? "set a timer" : NULL;
}

static const char *limits_differ(const struct process_state *s)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit now;
		getrlimit((__rlimit_resource_t)i, &now);
		if (now.rlim_cur != s->limit[i].rlim_cur ||
		    now.rlim_max != s->limit[i].rlim_max)
			return "changed the limits of the process";
	}
	return NULL;
}

static const char *others_differ(const struct process_state *s)
{
	int death_signal = 0;
	prctl(PR_GET_PDEATHSIG, &death_signal);
	return file_mask() != s->mask            ? "changed the umask"
	       : environment() != s->environment ? "changed the environment"
	       : strcmp(nl_langinfo(RADIXCHAR), s->radix) ||
		       strncmp(nl_langinfo(CODESET), s->codeset,
			       sizeof s->codeset - 1)
		   ? "changed the locale"
	       : getpgrp() != s->group || getsid(0) != s->session
		   ? "left the process group"
	       : death_signal != s->death_signal ? "wants to outlive the host"
						 : NULL;
}

const char *process_state_look(const struct process_state *s)
{
	const char *what = process_state_glance(s);
	if (!what)
		what = files_differ(s, 0, s->n_files);
	if (!what)
		what = signals_differ(s);
	if (!what)
		what = timers_differ(s);
	if (!what)
		what = limits_differ(s);
	return what ? what : others_differ(s);
}
