/* child.c -- Starts, watches and ends child processes, and tells how each of
 * them ended. */
#include <config.h>
#include "jobs/child.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "cost/steps.h"

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

_Noreturn static void be_child(const struct children *c, pid_t parent,
			       child_fn run, void *user)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	limit_memory(c->memory_limit_gib);
	run(user);
	/* Not exit(): what is buffered here belongs to the parent. */
	_exit(0);
}

int child_start(struct children *c, struct child *k, child_fn run, void *user,
		struct problem *p)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		be_child(c, parent, run, user);
	if (pid < 0)
		return problem_set(p, EXIT_USAGE, "fork: %s", strerror(errno));
	setpgid(pid, pid); /* both do: whoever comes first                   */
	k->pid = pid;
	k->end = (struct problem){0};
	k->calls_seen = 0;
	k->place_seen = JOB_IN_HOST;
	k->since_ns = clock_now_ns();
	k->late = 0;
	return 0;
}

/* ---- how it ended ---- */

static const char *in_what(const struct job_status *status)
{
	static const char *const name[] = {
	    [JOB_IN_HOST] = "",
	    [JOB_IN_LOAD] = " while loading",
	    [JOB_IN_CREATE] = " in create()",
	    [JOB_IN_EVAL] = " in eval()",
	    [JOB_IN_KERNEL] = " in kernel()",
	    [JOB_IN_DESTROY] = " in destroy()",
	};
	uint32_t at = atomic_load(&status->place);
	return name[at <= JOB_IN_DESTROY ? at : JOB_IN_HOST];
}

static const char *signal_says(int sig)
{
	return sig == SIGSEGV  ? " (bad memory access, or the stack overflowed)"
	       : sig == SIGFPE ? " (division by zero, or a floating-point trap)"
	       : sig == SIGABRT ? " (abort)"
	       : sig == SIGBUS  ? " (bad memory access)"
				: "";
}

static void describe_end(const struct children *c, struct child *k,
			 const siginfo_t *end, const struct rusage *use)
{
	struct job_status *status = k->status;
	struct problem *p = &k->end;
	int code = status->plugin[0] ? EXIT_PLUGIN : EXIT_USAGE;
	const char *who = status->plugin[0] ? status->plugin : "stepcost";
	double gib = c->memory_limit_gib;
	status->plugin[sizeof status->plugin - 1] = '\0';
	if (k->late)
		problem_set(p, code, "%s: no answer within %g s%s", who,
			    c->answer_limit_s, in_what(status));
	else if (end->si_code == CLD_EXITED)
		problem_set(p, code, "%s: ended the process with exit(%d)%s",
			    who, end->si_status, in_what(status));
	else if (gib > 0 && (double)use->ru_maxrss * 1024 > 0.8 * gib * 0x1p30)
		problem_set(p, code, "%s: memory limit of %g GiB reached%s",
			    who, gib, in_what(status));
	else
		problem_set(p, code, "%s: killed by SIG%s%s%s", who,
			    sigabbrev_np(end->si_status),
			    signal_says(end->si_status), in_what(status));
}

/* ---- ending ---- */

static void kill_group(const struct child *k)
{
	kill(-k->pid, SIGKILL);
	kill(k->pid, SIGKILL);
}

/* What no child at work is: a plugin may have started it and let it go. */
static void end_orphans(const struct children *c)
{
	pid_t keep[CHILDREN_AT_ONCE];
	size_t n = 0;
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			keep[n++] = c->child[i].pid;
	orphans_end(&c->orphans, keep, n);
}

/* quietly: the parent ended it, and there is nothing to tell. */
static void reap(struct children *c, struct child *k, int quietly)
{
	siginfo_t end = {0};
	struct rusage use;
	/* Its group goes while its number is still its own. */
	waitid(P_PID, (id_t)k->pid, &end, WEXITED | WNOWAIT);
	kill_group(k);
	while (wait4(k->pid, NULL, 0, &use) < 0 && errno == EINTR)
		;
	/* Whoever crashes may have written anything there before. */
	if (!quietly && k->end.code == EXIT_DONE &&
	    (k->late || end.si_code != CLD_EXITED || end.si_status != 0 ||
	     !*k->done))
		describe_end(c, k, &end, &use);
	k->was = k->pid;
	k->pid = 0;
	end_orphans(c);
	if (!quietly)
		c->ended(c->user, k);
}

void child_stop(struct children *c, struct child *k)
{
	kill_group(k);
	reap(c, k, 1);
}

static void reap_ended(struct children *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct child *k = &c->child[i];
		siginfo_t end = {0};
		if (k->pid &&
		    waitid(P_PID, (id_t)k->pid, &end,
			   WEXITED | WNOWAIT | WNOHANG) == 0 &&
		    end.si_pid)
			reap(c, k, 0);
	}
}

/* A plugin that has been in one call for too long. */
static void kill_late(struct children *c)
{
	int64_t now = clock_now_ns();
	for (unsigned i = 0; i < c->n; i++) {
		struct child *k = &c->child[i];
		if (!k->pid)
			continue;
		uint64_t calls = atomic_load(&k->status->n_calls);
		uint32_t place = atomic_load(&k->status->place);
		if (place == JOB_IN_HOST || calls != k->calls_seen ||
		    place != k->place_seen) {
			k->calls_seen = calls;
			k->place_seen = place;
			k->since_ns = now;
		} else if ((double)(now - k->since_ns) >
			   c->answer_limit_s * 1e9) {
			k->late = 1;
			kill_group(k);
			reap(c, k, 0);
		}
	}
}

void children_look(struct children *c)
{
	reap_ended(c);
	if (c->answer_limit_s > 0)
		kill_late(c);
}

/* ---- signals ---- */

/* A plugin may not end the others' run: if a child or one of its own sent the
 * signal, that ends the child.  1: so it was. */
static int blame_sender(struct children *c, int sig, const siginfo_t *from)
{
	pid_t group = from->si_code <= 0 ? getpgid(from->si_pid) : -1;
	for (unsigned i = 0; i < c->n; i++) {
		struct child *k = &c->child[i];
		if (from->si_code <= 0 && from->si_pid == k->was)
			return 1;
		if (!k->pid || k->pid != group)
			continue;
		problem_set(&k->end, EXIT_PLUGIN,
			    "%s: sent SIG%s to the host%s", k->status->plugin,
			    sigabbrev_np(sig), in_what(k->status));
		kill_group(k);
		reap(c, k, 0);
		return 1;
	}
	return 0;
}

/* 1: a signal was taken; 0: none came; -1 with *p. */
static int take_signal(struct children *c, int64_t ns, struct problem *p)
{
	const struct timespec at_most = {ns / 1000000000, ns % 1000000000};
	siginfo_t from = {0};
	int sig = sigtimedwait(&c->wanted, &from, &at_most);
	if (sig <= 0 || sig == SIGCHLD || blame_sender(c, sig, &from))
		return sig > 0;
	c->interrupted = sig;
	return problem_set(p, 128 + sig, "interrupted");
}

int children_wait(struct children *c, int64_t ns, struct problem *p)
{
	int got = take_signal(c, ns, p);
	while (got > 0)
		got = take_signal(c, 0, p);
	return got;
}

/* ---- all of them ---- */

void children_open(struct children *c)
{
	struct sigaction as_usual = {.sa_handler = SIG_DFL};
	c->interrupted = 0;
	sigemptyset(&c->wanted);
	sigaddset(&c->wanted, SIGCHLD);
	sigaddset(&c->wanted, SIGINT);
	sigaddset(&c->wanted, SIGTERM);
	sigaddset(&c->wanted, SIGHUP);
	sigprocmask(SIG_BLOCK, &c->wanted, &c->before);
	sigaction(SIGCHLD, &as_usual, &c->chld_before);
	orphans_open(&c->orphans);
	fflush(NULL); /* or every child has a copy to flush                  */
}

int children_close(struct children *c, int rc, struct problem *p)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->child[i].pid)
			child_stop(c, &c->child[i]);
	/* What children sent at the last moment must not reach us later. */
	if (rc == 0)
		rc = children_wait(c, 0, p);
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

/* ---- the one line ---- */

/* A crashed plugin may have written anything anywhere: believe a column only
 * where it lies in memory that this process has, too. */
static int column_ok(const struct memory_range *range, size_t n_ranges,
		     const void *col, uint32_t n)
{
	uintptr_t at = (uintptr_t)col;
	if (n == 0 || n_ranges == 0)
		return 1;
	for (size_t i = 0; i < n_ranges; i++) {
		uintptr_t begin = (uintptr_t)range[i].at;
		if (at >= begin && at <= begin + range[i].bytes &&
		    n <= (begin + range[i].bytes - at) / sizeof(uint32_t))
			return 1;
	}
	return 0;
}

static int step_ok(const struct job_status *status,
		   const struct memory_range *range, size_t n)
{
	const sc_step *s = &status->step;
	return column_ok(range, n, s->decode_ctx, s->n_decode) &&
	       column_ok(range, n, s->prefill_ctx, s->n_prefill) &&
	       column_ok(range, n, s->prefill_new, s->n_prefill);
}

/* What a plugin wrote may be in it. */
static void make_one_line(struct problem *p)
{
	p->text[sizeof p->text - 1] = '\0';
	for (char *s = p->text; *s; s++)
		if ((unsigned char)*s < ' ')
			*s = '?';
}

char *child_complaint(const char *name, struct problem *p,
		      const struct job_status *status,
		      const struct memory_range *range, size_t n)
{
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);
	if (!f)
		return NULL;
	make_one_line(p);
	fprintf(f, "%s%s%s%s", name ? "arm " : "", name ? name : "",
		name ? ": " : "", p->text);
	if (status->has_step &&
	    (p->code == EXIT_PLUGIN || status->step_to_blame)) {
		fprintf(f, " at step %" PRIu64, status->step.step_index);
		if (step_ok(status, range, n)) {
			fputs("; step,decode,prefill,sampled: ", f);
			steps_write_row(f, &status->step);
		}
	}
	fclose(f);
	return line;
}
