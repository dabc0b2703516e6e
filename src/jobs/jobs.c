/* jobs.c -- Runs each job in a child process, and collects its result. */
#include "jobs/jobs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "jobs/child.h"
#include "jobs/failure_line.h"
#include "jobs/slot.h"

enum { MOMENT_NS = 100000000 };

struct workers {
	struct jobs *all;
	job_fn run;
	const struct jobs_options *o;
	struct children children;
	struct worker *worker; /* [children.n] */
};
/* The arguments of a child. */
struct worker {
	const struct workers *w;
	struct job *job;
	int fd[JOB_STREAMS]; /* descriptors of its streams */
};

/* ---- in the job's process ---- */

/* Reports a failed write.  Only a plugin closes descriptors that it does not
 * own. */
static void cannot_write(struct job *j)
{
	int error = errno;
	if (error == EBADF && j->watch->plugin)
		problem_set(j->problem, EXIT_PLUGIN,
			    "%s: closed a file of the host", j->watch->plugin);
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

/* Runs the job.  If several things went wrong, the plugin's violation comes
 * first, because the others may follow from it. */
static void work(struct job *j, job_fn run)
{
	const struct problem *violation = &j->watch->violation;
	int rc = run(j, j->problem);
	if (rc < 0 && j->problem->code == EXIT_DONE)
		problem_set(j->problem, EXIT_USAGE, "failed without a reason");
	flush_streams(j);
	if (j->problem->code == EXIT_DONE)
		problem_if_machine_failed(j->problem);
	if (j->problem->code != EXIT_PLUGIN && !j->watch->looks_away)
		watch_finish(j->watch);
	if (violation->code != EXIT_DONE)
		*j->problem = *violation;
}

static void work_in_child(void *user)
{
	const struct worker *of = user;
	const struct workers *w = of->w;
	struct job *j = of->job;
	struct watch watch;
	unsigned n = 0;
	while (n < JOB_STREAMS && of->fd[n] >= 0)
		n++;
	slot_hide_others(w->all, j);
	struct answer *mine = slot_begin(j, w->o);
	if (!mine)
		return;
	j->watch = &watch;
	if (watch_open(&watch, j->status, 1, of->fd, n, j->problem) == 0)
		work(j, w->run);
	slot_seal(j, mine, w->o);
}

/* Runs a job in this process; afterwards everything is as before. */
static void work_here(struct job *j, job_fn run)
{
	struct watch watch;
	j->watch = &watch;
	if (watch_open(&watch, j->status, 0, NULL, 0, j->problem) == 0)
		work(j, run);
	watch_close(&watch);
	j->watch = NULL;
	j->machine_failed = problem_machine_failed();
}

/* ---- in the parent ---- */

/* Lists the descriptors of the streams, ascending.  Returns how many there
 * are. */
static unsigned stream_files(const struct job *j, int *fd)
{
	unsigned n = 0;
	for (unsigned i = 0; i < JOB_STREAMS; i++) {
		if (!j->stream[i])
			continue;
		int new = fileno(j->stream[i]);
		unsigned at = n++;
		for (; at > 0 && fd[at - 1] > new; at--)
			fd[at] = fd[at - 1];
		fd[at] = new;
	}
	for (unsigned i = n; i < JOB_STREAMS; i++)
		fd[i] = -1;
	return n;
}

static int start(struct workers *w, struct child *k, struct job *j,
		 struct problem *p)
{
	struct worker *of = &w->worker[k - w->children.child];
	*of = (struct worker){.w = w, .job = j};
	k->status = j->status;
	k->plugin = j->plugin;
	k->n_keep = stream_files(j, of->fd);
	k->keep = of->fd;
	k->user = j;
	return child_start(&w->children, k, work_in_child, of, p);
}

/* Takes the answer of a child that has ended, and says what went wrong with its
 * job. */
static void ended(void *user, struct child *k)
{
	const struct workers *w = user;
	struct job *j = k->user;
	enum slot_answer left = slot_take_answer(j, w->o);
	const char *plugin = child_plugin(k);
	j->captured_stderr = k->said.text;
	j->not_kept = k->said.not_kept;
	if (k->clean && left == SLOT_ANSWERED)
		return;
	*j->problem = k->end;
	if (k->clean && left == SLOT_SPOILT && problem_machine_failed()) {
		problem_if_machine_failed(j->problem);
		j->machine_failed = problem_machine_failed();
	} else if (k->clean && left == SLOT_SPOILT)
		problem_set(j->problem, EXIT_PLUGIN,
			    "%s: wrote over the host's results",
			    *plugin ? plugin : "a plugin");
	/* An error outside the plugin has nothing to do with its last
	 * question. */
	uint64_t at;
	if (status_is_sound(j->status, &at) && status_place(at) == JOB_IN_HOST)
		j->status->has_step = 0, j->status->n_kernels = 0;
}

/* Starts children while there are jobs, and waits until all have ended. */
static int manage(struct workers *w, struct problem *p)
{
	size_t next = 0;
	struct child *k;
	while (next < w->all->n || children_busy(&w->children)) {
		while (next < w->all->n &&
		       (k = children_free_one(&w->children)))
			if (start(w, k, &w->all->job[next++], p) < 0)
				return -1;
		if (children_wait(&w->children, MOMENT_NS, p) < 0)
			return -1;
		children_look(&w->children);
		if (w->o->progress)
			w->o->progress(w->o->progress_user, w->all->job,
				       w->all->n);
	}
	return 0;
}

static unsigned children_at_once(const struct workers *w)
{
	unsigned n = w->o->at_once;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (n == 0)
		n = cores > 0 ? (unsigned)cores : 1;
	if (n > CHILDREN_AT_ONCE)
		n = CHILDREN_AT_ONCE;
	return n < w->all->n ? n : (unsigned)w->all->n;
}

static int run_children(struct workers *w, struct problem *p)
{
	unsigned n = children_at_once(w);
	struct children *c = &w->children;
	*c = (struct children){.child = calloc(n, sizeof *c->child),
			       .n = n,
			       .answer_limit_s = w->o->answer_limit_s,
			       .memory_limit_gib = w->o->memory_limit_gib,
			       .ended = ended,
			       .user = w};
	w->worker = calloc(n, sizeof *w->worker);
	int rc = -1;
	if (!c->child || !w->worker)
		problem_no_memory(p);
	else {
		rc = children_open(c, p);
		if (rc == 0)
			rc = manage(w, p);
		rc = children_close(c, rc, p);
	}
	w->all->interrupted = c->interrupted;
	free(c->child);
	free(w->worker);
	return rc;
}

/* ---- all of them ---- */

static int run_all(struct workers *w, struct problem *p)
{
	struct jobs *all = w->all;
	if (slots_map(all, w->o, p) < 0)
		return -1;
	for (size_t i = 0; i < all->n; i++)
		if (slot_equip(all, i, w->o, p) < 0)
			return -1;
	if (!w->o->in_process)
		return run_children(w, p);
	for (size_t i = 0; i < all->n; i++)
		work_here(&all->job[i], w->run);
	return 0;
}

static int describe_failure(struct job *j, const struct jobs_options *o,
			    struct problem *p)
{
	const struct memory_range range[] = {{j->live, o->live_bytes},
					     {j->given, j->given_bytes}};
	j->complaint = failure_line(j->name, j->problem, j->status, range,
				    o->in_process ? 0 : 2);
	return j->complaint
		   ? 0
		   : problem_set(p, EXIT_USAGE, "%s", j->problem->text);
}

int jobs_run(struct jobs *all, struct job *job, size_t n, job_fn run,
	     const struct jobs_options *o, struct problem *p)
{
	struct workers w = {.all = all, .run = run, .o = o};
	*all = (struct jobs){.job = job, .n = n};
	if (n == 0)
		return 0;
	if (run_all(&w, p) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (job[i].problem->code != EXIT_DONE &&
		    describe_failure(&job[i], o, p) < 0)
			return -1;
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < JOB_STREAMS; k++)
			if (job[i].stream[k])
				rewind(job[i].stream[k]);
	return 0;
}

void jobs_join(const struct jobs *all, unsigned stream, FILE *to)
{
	char buf[1 << 13];
	size_t got;
	for (size_t i = 0; i < all->n; i++)
		if (!all->job[i].complaint && all->job[i].stream[stream])
			while ((got = fread(buf, 1, sizeof buf,
					    all->job[i].stream[stream])) > 0)
				fwrite(buf, 1, got, to);
	for (size_t i = 0; i < all->n; i++)
		if (all->job[i].stream[stream] &&
		    ferror(all->job[i].stream[stream]))
			problem_note_machine(EIO);
}

int jobs_code(const struct jobs *all)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < all->n; i++)
		if (all->job[i].problem && all->job[i].problem->code > code)
			code = all->job[i].problem->code;
	return code;
}

int jobs_if_machine_failed(const struct jobs *all, struct problem *p)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->job[i].machine_failed && all->job[i].complaint)
			return problem_set(p, EXIT_USAGE, "%s",
					   all->job[i].complaint);
	return 0;
}

void jobs_free(struct jobs *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct job *j = &all->job[i];
		for (unsigned k = 0; k < JOB_STREAMS; k++)
			if (j->stream[k])
				fclose(j->stream[k]);
		free(j->complaint);
		free(j->captured_stderr);
	}
	if (all->region)
		munmap(all->region, all->region_bytes);
	*all = (struct jobs){0};
}
