/* child.c -- Starts, watches and ends child processes, and reports how each of
 * them ended. */
#include "jobs/child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "jobs/queued.h"

/* A status that is not sound for this long is not being written just now: it
 * was overwritten. */
static const double senseless_s = 1;
/* However long processes wait for a processor, a call that takes this many
 * times its limit is late. */
static const double longest_wait = 30;

/* ---- in the child ---- */

/* The sanitizers reserve more address space than any machine has. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_MEMORY 0
#elif defined(__has_feature)
#define LIMITS_MEMORY                                                          \
	(!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define LIMITS_MEMORY 1
#endif

static void limit_memory(double gib)
{
	if (LIMITS_MEMORY && gib > 0) {
		rlim_t n = (rlim_t)(gib * 0x1p30);
		setrlimit(RLIMIT_AS, &(struct rlimit){n, n});
	}
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* Closes all descriptors except 0, 1, 2 and the n files in fd. */
static void close_others(const int *fd, unsigned n)
{
	unsigned from = STDERR_FILENO + 1;
	for (unsigned i = 0; i < n; i++) {
		if ((unsigned)fd[i] > from)
			close_range(from, (unsigned)fd[i] - 1, 0);
		from = (unsigned)fd[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* A plugin that reads standard input would wait for the user.  Standard input
 * stays if it is a file, because a trace may be read from it. */
static void empty_input(void)
{
	struct stat is;
	if (fstat(STDIN_FILENO, &is) == 0 && S_ISREG(is.st_mode))
		return;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		dup2(fd, STDIN_FILENO);
}

_Noreturn static void be_child(const struct children *c, const struct child *k,
			       int errors_fd, child_fn run, void *user)
{
	signal(SIGPIPE, SIG_DFL);
	/* SIGXFSZ is ignored, so that a file size limit that a plugin sets
	 * shows as a failed write. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	dup2(errors_fd, STDERR_FILENO);
	empty_input();
	close_others(k->keep, k->n_keep);
	limit_memory(c->memory_limit_gib);
	run(user);
	/* Not exit(), because buffered output belongs to the parent. */
	_exit(0);
}

static pid_t fork_child(void)
{
	pid_t parent = getpid(), pid = fork();
	if (pid > 0)
		/* parent and child both do this, so that it is done in time */
		setpgid(pid, pid);
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Processes that the plugin's children leave running become our
	 * children. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (getppid() != parent)
		_exit(0);
	return 0;
}

int child_start(struct children *c, struct child *k, child_fn run, void *user,
		struct problem *p)
{
	k->clean = 0;
	k->end = (struct problem){0};
	k->at_seen = 0;
	k->since_ns = clock_now_ns();
	k->queued_ns = -1;
	int errors_fd = captured_stderr_open(&k->said);
	pid_t pid = errors_fd < 0 ? -1 : fork_child();
	if (pid == 0)
		be_child(c, k, errors_fd, run, user);
	int error = errno;
	if (errors_fd >= 0)
		close(errors_fd);
	if (pid < 0) {
		captured_stderr_close(&k->said);
		return problem_set(p, EXIT_USAGE, "a child process: %s",
				   strerror(error));
	}
	k->pid = pid;
	return 0;
}

/* ---- how it ended ---- */

static const char *signal_says(int sig)
{
	return sig == SIGSEGV  ? " (bad memory access, or the stack overflowed)"
	       : sig == SIGFPE ? " (division by zero, or a floating-point trap)"
	       : sig == SIGABRT ? " (abort)"
	       : sig == SIGBUS  ? " (bad memory access)"
				: "";
}

const char *child_plugin(const struct child *k)
{
	const char *noted = status_plugin(k->status);
	uint64_t at;
	if (noted && status_is_sound(k->status, &at))
		return noted;
	return k->plugin ? k->plugin : "a plugin";
}

/* Returns where the child was: " in eval()". */
static const char *where(const struct child *k)
{
	uint64_t at;
	return status_is_sound(k->status, &at)
		   ? status_place_text(status_place(at))
		   : ", after it wrote over memory of the host";
}

static void say_late(struct child *k, double limit_s)
{
	problem_set(&k->end, EXIT_PLUGIN, "%s: no answer within %g s%s",
		    child_plugin(k), limit_s, where(k));
}

/* "SIGSEGV"; real-time signals have no name of their own. */
enum { SIGNAL_NAME = 32 };
static const char *signal_name(int sig, char buf[SIGNAL_NAME])
{
	const char *name = sigabbrev_np(sig);
	if (name)
		snprintf(buf, SIGNAL_NAME, "SIG%s", name);
	else if (sig >= SIGRTMIN && sig <= SIGRTMAX)
		snprintf(buf, SIGNAL_NAME, "SIGRTMIN+%d", sig - SIGRTMIN);
	else
		snprintf(buf, SIGNAL_NAME, "signal %d", sig);
	return buf;
}

static void say_sent(struct child *k, int sig)
{
	char name[SIGNAL_NAME];
	problem_set(&k->end, EXIT_PLUGIN, "%s: sent %s to the host%s",
		    child_plugin(k), signal_name(sig, name), where(k));
}

static void say_end(struct child *k, const siginfo_t *end, double memory_gib,
		    const struct rusage *use)
{
	const char *plugin = child_plugin(k);
	int code = *plugin ? EXIT_PLUGIN : EXIT_USAGE, sig = end->si_status;
	const char *who = *plugin ? plugin : "stepcost";
	char name[SIGNAL_NAME];
	if (end->si_code == CLD_STOPPED)
		problem_set(&k->end, code, "%s: stopped the process by %s%s",
			    who, signal_name(sig, name), where(k));
	else if (end->si_code == CLD_EXITED)
		problem_set(&k->end, code,
			    "%s: ended the process with exit(%d)%s", who, sig,
			    where(k));
	else if (memory_gib > 0 &&
		 (double)use->ru_maxrss * 1024 > 0.8 * memory_gib * 0x1p30)
		problem_set(&k->end, code,
			    "%s: memory limit of %g GiB reached%s", who,
			    memory_gib, where(k));
	else
		problem_set(&k->end, code, "%s: killed by %s%s%s", who,
			    signal_name(sig, name), signal_says(sig), where(k));
}

/* ---- ending ---- */

static void kill_group(const struct child *k)
{
	kill(-k->pid, SIGKILL);
	kill(k->pid, SIGKILL);
}

/* Ends the orphans: processes other than the children at work, which a plugin
 * started and left running. */
static void end_orphans(struct children *c)
{
	pid_t keep[CHILDREN_AT_ONCE];
	size_t n = 0;
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			keep[n++] = c->child[i].pid;
	orphans_end(&c->orphans, keep, n);
}

/* Collects a child that is dead or about to die.  After this no process writes
 * to its pipe or its memory. */
static void bury(struct children *c, struct child *k, siginfo_t *end,
		 struct rusage *use)
{
	/* Kill its group while its process id cannot be reused. */
	while (waitid(P_PID, (id_t)k->pid, end, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		;
	if (orphans_had_children(k->pid))
		c->ended_had_children = 1;
	kill_group(k);
	while (wait4(k->pid, NULL, 0, use) < 0 && errno == EINTR)
		;
	orphans_add_gone(&c->orphans, k->pid);
	k->pid = 0;
	end_orphans(c);
	captured_stderr_close(&k->said);
}

static void reap(struct children *c, struct child *k)
{
	siginfo_t end = {0};
	struct rusage use;
	bury(c, k, &end, &use);
	k->clean = k->end.code == EXIT_DONE && end.si_code == CLD_EXITED &&
		   end.si_status == 0;
	if (k->end.code == EXIT_DONE)
		say_end(k, &end, c->memory_limit_gib, &use);
	c->ended(c->user, k);
}

/* Kills a child after its end was reported. */
static void kill_child(struct children *c, struct child *k)
{
	kill_group(k);
	reap(c, k);
}

void child_stop(struct children *c, struct child *k)
{
	siginfo_t end;
	struct rusage use;
	kill_group(k);
	bury(c, k, &end, &use);
	free(k->said.text);
	k->said.text = NULL;
}

/* A child is stopped only by its own plugin.  If it is in a call with a time
 * limit, end_late() handles it. */
static void end_stopped(struct children *c, struct child *k)
{
	siginfo_t end = {0};
	uint64_t at;
	int in_host =
	    status_is_sound(k->status, &at) && status_place(at) == JOB_IN_HOST;
	if ((c->answer_limit_s > 0 && !in_host) ||
	    waitid(P_PID, (id_t)k->pid, &end, WSTOPPED | WNOWAIT | WNOHANG) <
		0 ||
	    end.si_pid == 0)
		return;
	say_end(k, &end, 0, NULL);
	kill_child(c, k);
}

/* Returns 1 if the child is at its place for longer than limit_s.  It may have
 * waited for a processor, or for us, who did; reads that only when it matters,
 * because most calls are short. */
static int check_late(struct child *k, int64_t now, double limit_s)
{
	double since = (double)(now - k->since_ns), limit = limit_s * 1e9;
	if (k->queued_ns < 0)
		k->queued_ns = queued_ns(k->pid) + queued_ns(0);
	if (limit_s == 0 || since <= limit)
		return 0;
	int64_t queued = queued_ns(k->pid) + queued_ns(0) - k->queued_ns;
	return since - (double)queued > limit || since > longest_wait * limit;
}

/* Ends a child if its plugin was in one call for too long, or overwrote the
 * note of its place. */
static void end_late(struct children *c, struct child *k)
{
	int64_t now = clock_now_ns();
	uint64_t at;
	int sound = status_is_sound(k->status, &at);
	double limit_s = sound ? c->answer_limit_s : senseless_s;
	int moved =
	    (sound && status_place(at) == JOB_IN_HOST) || at != k->at_seen;
	k->at_seen = at;
	if (moved) {
		k->since_ns = now;
		k->queued_ns = -1;
	} else if (check_late(k, now, limit_s)) {
		say_late(k, limit_s);
		kill_child(c, k);
	}
}

static int has_ended(const struct child *k)
{
	siginfo_t end = {0};
	return waitid(P_PID, (id_t)k->pid, &end, WEXITED | WNOWAIT | WNOHANG) ==
		   0 &&
	       end.si_pid != 0;
}

void children_look(struct children *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct child *k = &c->child[i];
		if (k->pid && has_ended(k))
			reap(c, k);
		if (k->pid)
			end_stopped(c, k);
		if (k->pid)
			end_late(c, k);
	}
}

/* ---- signals ---- */

/* Returns the child that is pid or started it, or NULL. */
static struct child *child_above(const struct children *c, pid_t pid)
{
	for (; pid > 1; pid = orphans_parent_of(pid))
		for (unsigned i = 0; i < c->n; i++)
			if (c->child[i].pid == pid)
				return &c->child[i];
	return NULL;
}

/* Returns 1 if pid is an orphan of a child, or was one. */
static int orphan_above(const struct children *c, pid_t pid)
{
	for (; pid > 1; pid = orphans_parent_of(pid))
		if (orphans_are(&c->orphans, pid))
			return 1;
	return 0;
}

/* A sender that no longer exists was collected by its parent, perhaps one of
 * our children.  Returns how many of them have collected children; *k is the
 * last. */
static unsigned child_had(const struct children *c, struct child **k)
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid && orphans_had_children(c->child[i].pid)) {
			*k = &c->child[i];
			n++;
		}
	return n;
}

/* A plugin must not end the whole run: if a child or one of its descendants
 * sent the signal, kills that child.  Returns 1 if the signal came from a
 * child. */
static int attribute_to_sender(struct children *c,
			       const struct signalfd_siginfo *from)
{
	pid_t pid = (pid_t)from->ssi_pid;
	/* Sent by the kernel (a key, a hang-up), or from outside a container
	 * (no pid). */
	if (from->ssi_code > 0 || pid == 0)
		return 0;
	struct child *k = child_above(c, pid);
	if (!k && orphan_above(c, pid))
		return 1;
	unsigned suspects = 0;
	if (!k && orphans_parent_of(pid) == 0)
		suspects = c->ended_had_children + child_had(c, &k);
	/* several suspects: their time limit ends the guilty one */
	if (!k || suspects > 1)
		return suspects > 0;
	say_sent(k, (int)from->ssi_signo);
	kill_child(c, k);
	return 1;
}

/* Returns 1 for ^Z: this process stops, its children continue. */
static int is_stop(int sig)
{
	return sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Reads pending signals.  Returns 0, or -1 with *p filled in if the user wants
 * everything to end. */
static int take_signals(struct children *c, struct problem *p)
{
	struct signalfd_siginfo from;
	while (read(c->signals, &from, sizeof from) == sizeof from) {
		int sig = (int)from.ssi_signo;
		if (sig == SIGCHLD || sig == SIGPIPE ||
		    attribute_to_sender(c, &from))
			continue;
		if (is_stop(sig)) {
			kill(getpid(), SIGSTOP);
			continue;
		}
		if (!c->interrupted)
			c->interrupted = sig;
		return problem_set(p, 128 + sig, "interrupted");
	}
	orphans_forget_gone(&c->orphans);
	c->ended_had_children = 0;
	return 0;
}

int children_wait(struct children *c, int64_t ns, struct problem *p)
{
	struct pollfd at[CHILDREN_AT_ONCE + 1] = {
	    {.fd = c->signals, .events = POLLIN}};
	const struct timespec at_most = {ns / 1000000000, ns % 1000000000};
	nfds_t n = 1;
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			at[n++] = (struct pollfd){.fd = c->child[i].said.fd,
						  .events = POLLIN};
	ppoll(at, n, &at_most, NULL);
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			captured_stderr_read(&c->child[i].said);
	return take_signals(c, p);
}

/* ---- all of them ---- */

/* The sanitizers must see errors of this process itself. */
static void choose_signals(sigset_t *wanted)
{
	static const int own[] = {SIGCONT, SIGWINCH, SIGURG};
	sigfillset(wanted);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(wanted, own[i]);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	sigdelset(wanted, SIGSEGV);
	sigdelset(wanted, SIGBUS);
	sigdelset(wanted, SIGFPE);
	sigdelset(wanted, SIGILL);
	sigdelset(wanted, SIGABRT);
#endif
}

int children_open(struct children *c, struct problem *p)
{
	sigset_t wanted;
	struct sigaction as_usual = {.sa_handler = SIG_DFL};
	c->interrupted = 0;
	c->ended_had_children = 0;
	choose_signals(&wanted);
	sigprocmask(SIG_BLOCK, &wanted, &c->before);
	c->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaction(SIGCHLD, &as_usual, &c->chld_before);
	orphans_open(&c->orphans);
	fflush(NULL); /* otherwise each child would flush a copy */
	return c->signals < 0
		   ? problem_set(p, EXIT_USAGE, "signals: %s", strerror(errno))
		   : 0;
}

int children_close(struct children *c, int rc, struct problem *p)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			child_stop(c, &c->child[i]);
	/* Read the remaining signals here: those that children sent at the last
	 * moment must not reach us later, and neither must those behind the
	 * signal that ended the run. */
	while (take_signals(c, rc == 0 ? p : NULL) < 0)
		rc = -1;
	if (c->signals >= 0)
		close(c->signals);
	orphans_close(&c->orphans);
	sigaction(SIGCHLD, &c->chld_before, NULL);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	return rc;
}

struct child *children_free_one(const struct children *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!c->child[i].pid)
			return &c->child[i];
	return NULL;
}

int children_busy(const struct children *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			return 1;
	return 0;
}
