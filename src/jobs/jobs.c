/* jobs.c -- Gives every job a child process, and collects what it leaves. */
#include <config.h>
#include "jobs/jobs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "jobs/child.h"
#include "jobs/guard.h"

/* A job's part of the region that it shares with its parent. */
struct slot {
	struct job_status status;
	struct problem problem;
	int done; /* the job's function has returned                         */
	_Alignas(64) unsigned char shared[];
};

struct workers {
	struct jobs *all;
	job_fn run;
	const struct jobs_options *o;
	struct children children;
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

struct start {
	const struct workers *w;
	struct job *job;
};

static void be_job(void *user)
{
	const struct start *s = user;
	struct job *j = s->job;
	hide_others(s->w->all, j);
	keep_from_forks(j);
	j->printed = guard_capture();
	if (j->printed) {
		work(j, s->w->run);
	} else {
		problem_set(j->problem, EXIT_USAGE, "no memory for output");
		slot_of(j)->done = 1;
	}
}

/* ---- in the parent ---- */

static int start(struct workers *w, struct child *k, struct job *j,
		 struct problem *p)
{
	struct start s = {w, j};
	k->status = j->status;
	k->done = &slot_of(j)->done;
	k->user = j;
	return child_start(&w->children, k, be_job, &s, p);
}

static void ended(void *user, struct child *k)
{
	struct job *j = k->user;
	(void)user;
	if (k->end.code != EXIT_DONE)
		*j->problem = k->end;
}

static int manage(struct workers *w, struct problem *p)
{
	enum { MOMENT_NS = 100000000 };
	struct children *c = &w->children;
	struct child *k;
	size_t next = 0;
	while (next < w->all->n || children_busy(c)) {
		while (next < w->all->n && (k = children_free_one(c)))
			if (start(w, k, &w->all->job[next++], p) < 0)
				return -1;
		if (children_wait(c, MOMENT_NS, p) < 0)
			return -1;
		children_look(c);
		if (w->o->progress)
			w->o->progress(w->o->progress_user, w->all->job,
				       w->all->n);
	}
	return 0;
}

static unsigned at_once(const struct jobs_options *o, size_t n_jobs)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = o->at_once;
	if (n == 0)
		n = cores > 0 ? (size_t)cores : 1;
	if (n > CHILDREN_AT_ONCE)
		n = CHILDREN_AT_ONCE;
	return (unsigned)(n < n_jobs ? n : n_jobs);
}

static int run_children(struct workers *w, struct problem *p)
{
	struct children *c = &w->children;
	*c = (struct children){.n = at_once(w->o, w->all->n),
			       .answer_limit_s = w->o->answer_limit_s,
			       .memory_limit_gib = w->o->memory_limit_gib,
			       .ended = ended};
	c->child = calloc(c->n, sizeof *c->child);
	if (!c->child)
		return problem_set(p, EXIT_USAGE, "out of memory");
	children_open(c);
	int rc = children_close(c, manage(w, p), p);
	w->all->interrupted = c->interrupted;
	free(c->child);
	return rc;
}

/* ---- afterwards ---- */

static char *complaint(const struct job *j, const struct jobs_options *o)
{
	const struct memory_range shared[] = {{j->shared, o->shared_bytes},
					      {j->given, j->given_bytes}};
	return child_complaint(j->name, j->problem, j->status, shared,
			       o->in_process ? 0 : 2);
}

int jobs_run(struct jobs *all, struct job *job, size_t n, job_fn run,
	     const struct jobs_options *o, struct problem *p)
{
	struct workers w = {.all = all, .run = run, .o = o};
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
		if (job[i].problem->code != EXIT_DONE)
			job[i].complaint = complaint(&job[i], o);
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

int jobs_code(const struct jobs *all)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < all->n; i++)
		if (all->job[i].problem && all->job[i].problem->code > code)
			code = all->job[i].problem->code;
	return code;
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
