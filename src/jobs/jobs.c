/* jobs.c -- Forks jobs, waits for them, and says which of them went wrong and
 * how. */
#include <config.h>
#include "jobs/jobs.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "cost/steps.h"
#include "jobs/guard.h"
#include "jobs/orphans.h"

/* A job's part of the region that it shares with its parent. */
struct slot {
	struct job_status status;
	struct problem problem;
	int done; /* the job's function has returned                         */
	_Alignas(64) unsigned char shared[];
};

enum { MOST_AT_ONCE = 256 };

/* A child at work, as its parent sees it. */
struct child {
	struct job *job;
	pid_t pid; /* 0: none                                                */
	pid_t was; /* the last one, whose signals may still come             */
	uint64_t calls_seen;
	uint32_t place_seen;
	int64_t since_ns; /* nothing has moved                               */
	int late;         /* killed for it                                   */
	int described;    /* its end is told already                         */
};

struct workers {
	struct jobs *all;
	job_fn run;
	const struct jobs_options *o;
	struct child *child;
	unsigned n_children, at_once;
	sigset_t before; /* the mask that children get back                  */
	struct orphans orphans;
};

static struct slot *slot_of(const struct job *j)
{
	return (struct slot *)((char *)j->status -
			       offsetof(struct slot, status));
}

/* ---- what a job is given ---- */

static int map_region(struct jobs *all, const struct jobs_options *o,
		      struct problem *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	all->slot_bytes =
	    (sizeof(struct slot) + o->shared_bytes + page - 1) / page * page;
	all->region_bytes = all->slot_bytes * all->n;
	all->region = mmap(NULL, all->region_bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all->region != MAP_FAILED)
		return 0;
	all->region = NULL;
	return problem_set(p, EXIT_USAGE, "%zu bytes of shared memory: %s",
			   all->region_bytes, strerror(errno));
}

static int equip(struct job *j, struct slot *s, struct problem *p)
{
	j->status = &s->status;
	j->problem = &s->problem;
	j->shared = s->shared;
	for (unsigned i = 0; i < JOB_STREAMS; i++)
		if ((j->wanted_streams >> i & 1) && !(j->stream[i] = tmpfile()))
			return problem_set(p, EXIT_USAGE,
					   "a temporary file: %s",
					   strerror(errno));
	return 0;
}

/* ---- in the child ---- */

/* Nobody but a plugin closes a descriptor that is not its own. */
static void cannot_write(struct job *j)
{
	int error = errno;
	if (error == EBADF && j->status->plugin[0])
		problem_set(j->problem, EXIT_PLUGIN,
			    "%s: closed a file of the host", j->status->plugin);
	else
		problem_set(j->problem, EXIT_USAGE,
			    "writing a temporary file: %s", strerror(error));
}

static void flush_streams(struct job *j)
{
	for (unsigned i = 0; i < JOB_STREAMS; i++)
		if (j->stream[i] &&
		    (fflush(j->stream[i]) || ferror(j->stream[i])) &&
		    j->problem->code == EXIT_DONE)
			cannot_write(j);
}

static void work(struct job *j, job_fn run)
{
	if (run(j, j->problem) < 0 && j->problem->code == EXIT_DONE)
		problem_set(j->problem, EXIT_USAGE, "failed, not saying why");
	flush_streams(j);
	slot_of(j)->done = 1;
}

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

/* Keeps this job's plugin from overwriting the other jobs' memory and streams.
 */
static void hide_others(const struct jobs *all, const struct job *j)
{
	char *from = all->region, *mine = (char *)slot_of(j);
	char *behind = mine + all->slot_bytes, *end = from + all->region_bytes;
	if (mine > from)
		mprotect(from, (size_t)(mine - from), PROT_NONE);
	if (behind < end)
		mprotect(behind, (size_t)(end - behind), PROT_NONE);
	for (size_t i = 0; i < all->n; i++)
		for (unsigned k = 0; k < JOB_STREAMS; k++)
			if (&all->job[i] != j && all->job[i].stream[k])
				close(fileno(all->job[i].stream[k]));
}

/* A plugin that forks, and whose child ends with exit(), would write what is
 * buffered here a second time: a fork of this process gets no such buffers. */
static void keep_from_forks(struct job *j)
{
	enum { BYTES = 1 << 16 };
	for (unsigned i = 0; i < JOB_STREAMS; i++) {
		if (!j->stream[i])
			continue;
		char *buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (buffer != MAP_FAILED &&
		    madvise(buffer, BYTES, MADV_DONTFORK) == 0)
			setvbuf(j->stream[i], buffer, _IOFBF, BYTES);
	}
}

_Noreturn static void be_child(const struct workers *w, struct job *j,
			       pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
	hide_others(w->all, j);
	limit_memory(w->o->memory_limit_gib);
	keep_from_forks(j);
	j->printed = guard_capture();
	if (j->printed) {
		work(j, w->run);
	} else {
		problem_set(j->problem, EXIT_USAGE, "no memory for output");
		slot_of(j)->done = 1;
	}
	/* Not exit(): what is buffered here belongs to the parent. */
	_exit(0);
}

/* ---- in the parent ---- */

static int start(struct workers *w, struct child *k, struct job *j,
		 struct problem *p)
{
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		be_child(w, j, parent);
	if (pid < 0)
		return problem_set(p, EXIT_USAGE, "fork: %s", strerror(errno));
	setpgid(pid, pid); /* both do: whoever comes first                   */
	*k = (struct child){.job = j, .pid = pid, .since_ns = clock_now_ns()};
	return 0;
}

static void kill_group(const struct child *k)
{
	kill(-k->pid, SIGKILL);
	kill(k->pid, SIGKILL);
}

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

/* The child is gone and its function had not returned. */
static void describe_end(struct child *k, const struct workers *w,
			 const siginfo_t *end, const struct rusage *use)
{
	struct job_status *status = &slot_of(k->job)->status;
	struct problem *p = k->job->problem;
	int code = status->plugin[0] ? EXIT_PLUGIN : EXIT_USAGE;
	const char *who = status->plugin[0] ? status->plugin : "stepcost";
	double gib = w->o->memory_limit_gib;
	status->plugin[sizeof status->plugin - 1] = '\0';
	if (k->late)
		problem_set(p, code, "%s: no answer within %g s%s", who,
			    w->o->answer_limit_s, in_what(status));
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

/* What no job at work is: a plugin may have started it and let it go. */
static void end_orphans(struct workers *w)
{
	pid_t keep[MOST_AT_ONCE];
	size_t n = 0;
	for (unsigned i = 0; i < w->n_children; i++)
		if (w->child[i].pid)
			keep[n++] = w->child[i].pid;
	orphans_end(&w->orphans, keep, n);
}

static void reap(struct workers *w, struct child *k)
{
	siginfo_t end = {0};
	struct rusage use;
	/* Its group goes while its number is still its own. */
	waitid(P_PID, (id_t)k->pid, &end, WEXITED | WNOWAIT);
	kill_group(k);
	while (wait4(k->pid, NULL, 0, &use) < 0 && errno == EINTR)
		;
	/* Whoever crashes may have written anything there before. */
	if (!k->described && (k->late || end.si_code != CLD_EXITED ||
			      end.si_status != 0 || !slot_of(k->job)->done))
		describe_end(k, w, &end, &use);
	k->was = k->pid;
	k->pid = 0;
	end_orphans(w);
}

static void reap_all(struct workers *w, int wait_for_none)
{
	for (unsigned i = 0; i < w->n_children; i++) {
		struct child *k = &w->child[i];
		siginfo_t end = {0};
		if (!k->pid)
			continue;
		if (wait_for_none)
			kill_group(k);
		else if (waitid(P_PID, (id_t)k->pid, &end,
				WEXITED | WNOWAIT | WNOHANG) < 0 ||
			 end.si_pid == 0)
			continue;
		reap(w, k);
	}
}

/* A plugin that has been in one call for too long. */
static void kill_late(struct workers *w)
{
	int64_t now = clock_now_ns();
	for (unsigned i = 0; i < w->n_children; i++) {
		struct child *k = &w->child[i];
		if (!k->pid)
			continue;
		struct job_status *status = k->job->status;
		uint64_t calls = atomic_load(&status->n_calls);
		uint32_t place = atomic_load(&status->place);
		if (place == JOB_IN_HOST || calls != k->calls_seen ||
		    place != k->place_seen) {
			k->calls_seen = calls;
			k->place_seen = place;
			k->since_ns = now;
		} else if ((double)(now - k->since_ns) >
			   w->o->answer_limit_s * 1e9) {
			k->late = 1;
			kill_group(k);
			reap(w, k);
		}
	}
}

/* A plugin may not end the others' run: if a child or one of its own sent the
 * signal, that ends the child.  1: so it was. */
static int blame_sender(struct workers *w, int sig, const siginfo_t *from)
{
	pid_t group = from->si_code <= 0 ? getpgid(from->si_pid) : -1;
	for (unsigned i = 0; i < w->n_children; i++) {
		struct child *k = &w->child[i];
		if (from->si_code <= 0 && from->si_pid == k->was)
			return 1;
		if (!k->pid || k->pid != group)
			continue;
		problem_set(k->job->problem, EXIT_PLUGIN,
			    "%s: sent SIG%s to the host%s",
			    slot_of(k->job)->status.plugin, sigabbrev_np(sig),
			    in_what(&slot_of(k->job)->status));
		k->described = 1;
		kill_group(k);
		reap(w, k);
		return 1;
	}
	return 0;
}

/* Takes one signal, waiting for it as long as that; -1 with *p: the user wants
 * it all to end. */
static int take_signal(struct workers *w, const sigset_t *wanted,
		       const struct timespec *at_most, struct problem *p)
{
	siginfo_t from = {0};
	int sig = sigtimedwait(wanted, &from, at_most);
	if (sig <= 0 || sig == SIGCHLD || blame_sender(w, sig, &from))
		return sig > 0;
	w->all->interrupted = sig;
	return problem_set(p, 128 + sig, "interrupted");
}

static struct child *free_place(struct workers *w)
{
	for (unsigned i = 0; i < w->n_children; i++)
		if (!w->child[i].pid)
			return &w->child[i];
	return NULL;
}

static int busy(const struct workers *w)
{
	for (unsigned i = 0; i < w->n_children; i++)
		if (w->child[i].pid)
			return 1;
	return 0;
}

/* The signals that matter are blocked and waited for: no handler, no race. */
static int manage(struct workers *w, const sigset_t *wanted, struct problem *p)
{
	static const struct timespec moment = {.tv_nsec = 100000000};
	size_t next = 0;
	struct child *k;
	while (next < w->all->n || busy(w)) {
		while (next < w->all->n && (k = free_place(w)))
			if (start(w, k, &w->all->job[next++], p) < 0)
				return -1;
		if (take_signal(w, wanted, &moment, p) < 0)
			return -1;
		reap_all(w, 0);
		if (w->o->answer_limit_s > 0)
			kill_late(w);
		if (w->o->progress)
			w->o->progress(w->o->progress_user, w->all->job,
				       w->all->n);
	}
	return 0;
}

static int run_children(struct workers *w, struct problem *p)
{
	sigset_t wanted;
	struct sigaction as_usual = {.sa_handler = SIG_DFL}, chld_before;
	w->n_children =
	    w->at_once < w->all->n ? w->at_once : (unsigned)w->all->n;
	w->child = calloc(w->n_children, sizeof *w->child);
	if (!w->child)
		return problem_set(p, EXIT_USAGE, "out of memory");
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	sigprocmask(SIG_BLOCK, &wanted, &w->before);
	sigaction(SIGCHLD, &as_usual, &chld_before);
	orphans_open(&w->orphans);
	fflush(NULL); /* or every child has a copy to flush                  */
	int rc = manage(w, &wanted, p);
	reap_all(w, 1);
	/* What children sent at the last moment must not reach us later. */
	while (rc == 0) {
		int more = take_signal(w, &wanted, &(struct timespec){0}, p);
		if (more <= 0) {
			rc = more;
			break;
		}
	}
	orphans_close(&w->orphans);
	sigaction(SIGCHLD, &chld_before, NULL);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
	free(w->child);
	return rc;
}

/* ---- afterwards ---- */

/* A crashed plugin may have written anything anywhere: believe a column only
 * where it lies in memory that this process has, too. */
static int within(const void *col, uint32_t n, const void *from, size_t bytes)
{
	uintptr_t at = (uintptr_t)col, begin = (uintptr_t)from;
	return at >= begin && at <= begin + bytes &&
	       n <= (begin + bytes - at) / sizeof(uint32_t);
}

static int column_ok(const struct job *j, const struct jobs_options *o,
		     const void *col, uint32_t n)
{
	return n == 0 || within(col, n, j->shared, o->shared_bytes) ||
	       within(col, n, j->given, j->given_bytes);
}

static int step_ok(const struct job *j, const struct jobs_options *o)
{
	const struct job_status *status = j->status;
	const sc_step *s = &status->step;
	return status->has_step &&
	       (o->in_process ||
		(column_ok(j, o, s->decode_ctx, s->n_decode) &&
		 column_ok(j, o, s->prefill_ctx, s->n_prefill) &&
		 column_ok(j, o, s->prefill_new, s->n_prefill)));
}

/* What a plugin wrote may be in it. */
static void make_one_line(struct problem *p)
{
	p->text[sizeof p->text - 1] = '\0';
	for (char *s = p->text; *s; s++)
		if ((unsigned char)*s < ' ')
			*s = '?';
}

static char *complaint(const struct job *j, const struct jobs_options *o)
{
	char *line = NULL;
	size_t size;
	FILE *f = open_memstream(&line, &size);
	if (!f)
		return NULL;
	fprintf(f, "arm %s: %s", j->name, j->problem->text);
	if (j->status->has_step &&
	    (j->problem->code == EXIT_PLUGIN || j->status->step_to_blame)) {
		fprintf(f, " at step %" PRIu64, j->status->step.step_index);
		if (step_ok(j, o)) {
			fputs("; step,decode,prefill,sampled: ", f);
			steps_write_row(f, &j->status->step);
		}
	}
	fclose(f);
	return line;
}

int jobs_run(struct jobs *all, struct job *job, size_t n, job_fn run,
	     const struct jobs_options *o, struct problem *p)
{
	struct workers w = {
	    .all = all, .run = run, .o = o, .at_once = o->at_once};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (w.at_once == 0)
		w.at_once = cores > 0 ? (unsigned)cores : 1;
	if (w.at_once > MOST_AT_ONCE)
		w.at_once = MOST_AT_ONCE;
	*all = (struct jobs){.job = job, .n = n};
	if (n == 0)
		return 0;
	if (map_region(all, o, p) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		char *at = (char *)all->region + i * all->slot_bytes;
		if (equip(&job[i], (struct slot *)(void *)at, p) < 0)
			return -1;
	}
	if (o->in_process)
		for (size_t i = 0; i < n; i++)
			work(&job[i], run);
	else if (run_children(&w, p) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (job[i].problem->code != EXIT_DONE) {
			make_one_line(job[i].problem);
			job[i].complaint = complaint(&job[i], o);
		}
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < JOB_STREAMS; k++)
			if (job[i].stream[k])
				rewind(job[i].stream[k]);
	return 0;
}

void jobs_join(const struct jobs *all, unsigned stream, FILE *to)
{
	char buf[1 << 16];
	size_t got;
	for (size_t i = 0; i < all->n; i++)
		if (!all->job[i].complaint)
			while ((got = fread(buf, 1, sizeof buf,
					    all->job[i].stream[stream])) > 0)
				fwrite(buf, 1, got, to);
}

void jobs_free(struct jobs *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct job *j = &all->job[i];
		for (unsigned k = 0; k < JOB_STREAMS; k++)
			if (j->stream[k])
				fclose(j->stream[k]);
		free(j->complaint);
	}
	if (all->region)
		munmap(all->region, all->region_bytes);
	*all = (struct jobs){0};
}
