/* pool.c -- Hands tasks to worker processes and collects their results. */
#include "jobs/pool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "jobs/child.h"
#include "jobs/failure_line.h"
#include "jobs/pool_tasks.h"
#include "jobs/pool_worker.h"

enum {
	AHEAD = 64,    /* most tasks that a worker may have queued */
	BYTES = 32768, /* and most bytes of them: send() must never wait */
	AHEAD_MS = 40, /* work that it should have queued; more than a moment */
	MOMENT_MS = 5, /* between two checks of the workers */
	SAYS = 1 << 20, /* most bytes of a message */
	MS = 1000000,
};

/* A worker as the parent sees it; its process is the child with the same
 * index. */
struct worker {
	struct pool_slot *slot;
	unsigned group;
	int ask, results;     /* pipe ends; -1: closed */
	unsigned char *asked; /* ring buffer of AHEAD tasks */
	unsigned first, n;    /* tasks without a result */
	uint64_t n_answered;
	int is_leaving, is_garbled;
	int64_t since_ns;
	/* bytes from the pipe that are no whole result yet */
	unsigned char *in;
	size_t n_in, cap_in;
};

struct pool {
	const struct pool_options *o;
	unsigned at_once;
	struct children children;
	struct worker *worker;    /* [children.n] */
	struct pool_group *group; /* [o->n_groups] */
	void *region;
	size_t region_bytes, slot_bytes;
	void *spare;  /* memory for a task */
	void *result; /* for a result: bytes in the pipe are not aligned */
	struct problem *p;
	int failed; /* 1: *p says why */
};

static int no_memory(struct pool *l)
{
	l->failed = 1;
	return problem_no_memory(l->p);
}

/* ---- tasks ---- */

/* Keeps a copy of a task for later. */
static int keep(struct pool *l, struct pool_group *g, const void *task,
		int fresh)
{
	return pool_repeat_task(g, task, l->o->task_bytes, fresh) < 0
		   ? no_memory(l)
		   : 0;
}

/* Returns 1 with the group's next task in l->spare, 0 if there is none, or
 * -1. */
static int take(struct pool *l, unsigned group, int *fresh)
{
	int got = pool_next_task(&l->group[group], l->o, group, l->spare, fresh,
				 l->p);
	l->failed |= got < 0;
	return got;
}

static unsigned char *asked(const struct pool *l, const struct worker *w,
			    unsigned i)
{
	return w->asked + (w->first + i) % AHEAD * l->o->task_bytes;
}

/* Sends the task in l->spare. */
static void ask(struct pool *l, struct worker *w)
{
	memcpy(asked(l, w, w->n), l->spare, l->o->task_bytes);
	if (w->n++ == 0)
		w->since_ns = clock_now_ns();
	/* A worker that is gone is noticed when it ends. */
	(void)!send(w->ask, l->spare, l->o->task_bytes, MSG_NOSIGNAL);
}

/* ---- results ---- */

static int task_done(struct pool *l, struct worker *w,
		     const struct pool_result *a)
{
	unsigned char *task = asked(l, w, 0);
	struct pool_group *g = &l->group[w->group];
	/* A plugin's failure may come from the worker's earlier tasks, unless
	 * it had none. */
	int sure = a->code != EXIT_PLUGIN || w->n_answered == 0;
	int rc = sure ? l->o->on_done(l->o->user, w->group, task, a, l->p)
		      : keep(l, g, task, 1);
	l->failed |= rc < 0;
	g->is_later &= !sure;
	w->n_answered++;
	w->first = (w->first + 1) % AHEAD;
	w->n--;
	return rc;
}

static void time_tasks(struct pool *l, struct worker *w, unsigned n)
{
	int64_t now = clock_now_ns();
	struct pool_group *g = &l->group[w->group];
	double each = (double)(now - w->since_ns) / n;
	g->task_ns = g->task_ns > 0 ? 0.7 * g->task_ns + 0.3 * each : each;
	w->since_ns = now;
}

/* A task that the machine failed has no result: the run ends. */
static int machine_failed(struct pool *l, const struct pool_result *a)
{
	l->failed = 1;
	return *a->says ? problem_set(l->p, EXIT_USAGE, "%s", a->says)
			: problem_if_machine_failed(l->p);
}

/* Takes the complete results out of the bytes that have arrived. */
static int take_answers(struct pool *l, struct worker *w)
{
	size_t at = 0, head = sizeof(struct pool_frame) + l->o->result_bytes;
	unsigned n = 0;
	struct pool_frame f;
	char *says = NULL;
	int rc = 0;
	while (rc == 0 && w->n && w->n_in - at >= head) {
		memcpy(&f, w->in + at, sizeof f);
		w->is_garbled = f.magic != POOL_MAGIC || f.says > SAYS;
		if (w->is_garbled || w->n_in - at < head + f.says)
			break;
		says = strndup((char *)w->in + at + head, f.says);
		if (!says)
			return no_memory(l);
		memcpy(l->result, w->in + at + sizeof f, l->o->result_bytes);
		const struct pool_result a = {
		    .code = (int)f.code, .says = says, .data = l->result};
		rc = f.machine_failed ? machine_failed(l, &a)
				      : task_done(l, w, &a);
		free(says);
		at += head + f.says;
		n++;
	}
	if (n)
		time_tasks(l, w, n);
	w->n_in -= at;
	memmove(w->in, w->in + at, w->n_in);
	return rc;
}

static int read_answers(struct pool *l, struct worker *w)
{
	for (;;) {
		if (w->n_in == w->cap_in) {
			size_t cap = w->cap_in ? 2 * w->cap_in : 1 << 16;
			unsigned char *more = realloc(w->in, cap);
			if (!more)
				return no_memory(l);
			w->in = more;
			w->cap_in = cap;
		}
		ssize_t got =
		    read(w->results, w->in + w->n_in, w->cap_in - w->n_in);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return take_answers(l, w);
		w->n_in += got > 0 ? (size_t)got : 0;
	}
}

/* ---- workers ---- */

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(struct pool *l, struct child *k, unsigned group)
{
	struct worker *w = &l->worker[k - l->children.child];
	struct pool_start s = {.o = l->o,
			       .spare = l->spare,
			       .region = l->region,
			       .slot_bytes = l->slot_bytes,
			       .n_slots = l->children.n,
			       .slot = w->slot,
			       .group = group};
	memset(w->slot, 0, sizeof *w->slot);
	w->group = group;
	w->first = w->n = 0;
	w->n_answered = 0;
	w->n_in = 0;
	w->is_leaving = w->is_garbled = 0;
	k->status = &w->slot->status;
	int rc = pool_open_pipes(&w->ask, &w->results, &s, l->p);
	if (rc == 0) {
		int up = s.tasks < s.results;
		s.fd[!up] = s.tasks;
		s.fd[up] = s.results;
		k->keep = s.fd;
		k->n_keep = 2;
		rc = child_start(&l->children, k, pool_be_worker, &s, l->p);
		close(s.tasks), close(s.results);
	}
	if (rc < 0)
		close_pipe(&w->ask), close_pipe(&w->results);
	l->failed |= rc < 0;
	return rc;
}

static void let_go(struct worker *w)
{
	close_pipe(&w->ask);
	w->is_leaving = 1;
}

/* Reports the task that a worker was doing when it failed. */
static int attribute_failure(struct pool *l, struct worker *w,
			     struct problem *p)
{
	const struct memory_range shared = {w->slot->shared,
					    l->o->shared_bytes};
	char *says = failure_line(NULL, p, &w->slot->status, &shared, 1);
	if (!says)
		return no_memory(l);
	const struct pool_result a = {.code = p->code,
				      .crashed = 1,
				      .says = says,
				      .data = pool_result_of(l->o, w->slot)};
	int rc = task_done(l, w, &a);
	free(says);
	return rc;
}

/* Takes what a worker left when it ended: its answers, and the blame for the
 * task that it was at. */
static void ended(void *user, struct child *k)
{
	struct pool *l = user;
	struct worker *w = &l->worker[k - l->children.child];
	int rc = read_answers(l, w);
	int well = k->clean && w->slot->done;
	free(k->said.text);
	k->said.text = NULL;
	if (w->slot->unsent.code != EXIT_DONE)
		k->end = w->slot->unsent;
	else if (well)
		k->end.code = EXIT_DONE;
	/* Only the machine keeps a worker from its work with this code. */
	if (rc == 0 && w->slot->unsent.code == EXIT_USAGE) {
		l->failed = 1;
		*l->p = w->slot->unsent;
		rc = -1;
	} else if (rc == 0 && k->end.code != EXIT_DONE && w->n)
		rc = attribute_failure(l, w, &k->end);
	for (unsigned i = 0; rc == 0 && i < w->n; i++)
		rc = keep(l, &l->group[w->group], asked(l, w, i), 0);
	w->n = 0;
	close_pipe(&w->ask), close_pipe(&w->results);
}

/* ---- who gets a task ---- */

static int is_there(const struct pool *l, unsigned i)
{
	return l->children.child[i].pid && !l->worker[i].is_leaving;
}

static unsigned at_work(const struct pool *l)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->children.n; i++)
		n += l->children.child[i].pid && l->worker[i].n;
	return n;
}

/* Returns how many tasks a worker of the group may have queued. */
static unsigned ahead(const struct pool *l, const struct pool_group *g)
{
	unsigned each = (unsigned)l->o->task_bytes + BYTES / AHEAD;
	unsigned fit = BYTES / each;
	double n = g->task_ns > 0 ? AHEAD_MS * (double)MS / g->task_ns : 1;
	return (unsigned)fmax(fmin(n, fit), 1);
}

/* Returns the least number of tasks that a group with more tasks was
 * given. */
static uint64_t fewest(const struct pool *l)
{
	uint64_t n = UINT64_MAX;
	for (unsigned i = 0; i < l->o->n_groups; i++)
		if (pool_has_more(&l->group[i]) && l->group[i].n_given < n)
			n = l->group[i].n_given;
	return n;
}

/* Returns a worker of the group without a task; fresh: one that never had a
 * task.  NULL: there is none. */
static struct worker *idle_one(const struct pool *l, unsigned group, int fresh)
{
	for (unsigned i = 0; i < l->children.n; i++) {
		struct worker *w = &l->worker[i];
		if (is_there(l, i) && w->group == group && w->n == 0 &&
		    (!fresh || w->n_answered == 0))
			return w;
	}
	return NULL;
}

/* Lets an idle worker go, to make room for another. */
static void let_one_go(struct pool *l)
{
	for (unsigned i = 0; i < l->children.n; i++)
		if (is_there(l, i) && l->worker[i].n == 0) {
			let_go(&l->worker[i]);
			return;
		}
}

/* Sends a worker tasks, up to the number it may have queued.  Returns 0 or
 * -1. */
static int feed(struct pool *l, struct worker *w)
{
	unsigned most = ahead(l, &l->group[w->group]);
	int fresh = 0, got = 1;
	while (w->n < most && (got = take(l, w->group, &fresh)) == 1) {
		if (fresh) {
			keep(l, &l->group[w->group], l->spare, 1);
			break;
		}
		ask(l, w);
	}
	return l->failed || got < 0 ? -1 : 0;
}

/* Busy workers get more tasks before they run out, unless other groups have
 * fallen behind. */
static int feed_workers(struct pool *l)
{
	uint64_t least = fewest(l);
	for (unsigned i = 0; i < l->children.n; i++) {
		struct worker *w = &l->worker[i];
		const struct pool_group *g = &l->group[w->group];
		unsigned most = ahead(l, g);
		if (is_there(l, i) && w->n && 2 * w->n <= most &&
		    g->n_given <= least + 4ull * most && feed(l, w) < 0)
			return -1;
	}
	return 0;
}

/* Returns the group that was given the fewest tasks and has more, or
 * n_groups. */
static unsigned hungriest(const struct pool *l)
{
	unsigned best = l->o->n_groups;
	for (unsigned i = 0; i < l->o->n_groups; i++)
		if (pool_has_more(&l->group[i]) &&
		    (best == l->o->n_groups ||
		     l->group[i].n_given < l->group[best].n_given))
			best = i;
	return best;
}

/* Gives the group's next task to an idle worker.  Returns 1 if it did, 0 if
 * that is not possible now, or -1. */
static int employ(struct pool *l, unsigned group)
{
	int fresh, got = take(l, group, &fresh);
	if (got <= 0)
		return got < 0 ? -1 : 1;
	struct worker *w = idle_one(l, group, fresh);
	struct child *k = w ? NULL : children_free_one(&l->children);
	if (k && start(l, k, group) < 0)
		return -1;
	if (k)
		w = &l->worker[k - l->children.child];
	if (!w) {
		let_one_go(l);
		return keep(l, &l->group[group], l->spare, fresh);
	}
	ask(l, w);
	return fresh || feed(l, w) == 0 ? 1 : -1;
}

static int dispatch(struct pool *l)
{
	if (feed_workers(l) < 0)
		return -1;
	while (at_work(l) < l->at_once) {
		unsigned g = hungriest(l);
		int rc = g < l->o->n_groups ? employ(l, g) : 0;
		if (rc <= 0)
			return rc;
	}
	return 0;
}

/* A plugin wrote into the pipe, so nothing more can be read from it. */
static void stop_garbled(struct pool *l, struct child *k)
{
	problem_set(&k->end, EXIT_PLUGIN, "%s: wrote to a file of the host",
		    child_plugin(k));
	child_stop(&l->children, k);
	ended(l, k);
}

static int collect(struct pool *l)
{
	for (unsigned i = 0; i < l->children.n; i++) {
		struct child *k = &l->children.child[i];
		if (k->pid && read_answers(l, &l->worker[i]) < 0)
			return -1;
		if (k->pid && l->worker[i].is_garbled)
			stop_garbled(l, k);
	}
	return l->failed ? -1 : 0;
}

/* ---- the main loop ---- */

static int look(struct pool *l)
{
	if (children_wait(&l->children, (int64_t)MOMENT_MS * MS, l->p) < 0)
		return -1;
	children_look(&l->children);
	if (l->failed || collect(l) < 0)
		return -1;
	return l->o->on_tick ? l->o->on_tick(l->o->user, l->p) : 0;
}

/* Hands out tasks until none is left and no worker is busy, then ends the
 * workers. */
static int manage(struct pool *l)
{
	do {
		if (dispatch(l) < 0 || look(l) < 0)
			return -1;
	} while (at_work(l) || hungriest(l) < l->o->n_groups);
	/* Workers end in the normal way, because plugins may have to clean
	 * up. */
	for (unsigned i = 0; i < l->children.n; i++)
		if (is_there(l, i))
			let_go(&l->worker[i]);
	while (children_busy(&l->children))
		if (look(l) < 0)
			return -1;
	return 0;
}

static int make_workers(struct pool *l)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct children *c = &l->children;
	l->slot_bytes = (sizeof(struct pool_slot) + l->o->shared_bytes + 64 +
			 l->o->result_bytes + page - 1) /
			page * page;
	l->region_bytes = l->slot_bytes * c->n;
	l->region = mmap(NULL, l->region_bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (l->region == MAP_FAILED) {
		l->region = NULL;
		return problem_set(l->p, EXIT_USAGE,
				   "%zu bytes of shared memory: %s",
				   l->region_bytes, strerror(errno));
	}
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *w = &l->worker[i];
		w->slot = (void *)((char *)l->region + i * l->slot_bytes);
		w->ask = w->results = -1;
		w->asked = calloc(AHEAD, l->o->task_bytes);
		if (!w->asked)
			return no_memory(l);
	}
	return 0;
}

static void free_pool(struct pool *l)
{
	for (unsigned i = 0; l->worker && i < l->children.n; i++) {
		struct worker *w = &l->worker[i];
		close_pipe(&w->ask), close_pipe(&w->results);
		free(w->asked), free(w->in);
	}
	for (unsigned i = 0; l->group && i < l->o->n_groups; i++)
		pool_group_free(&l->group[i]);
	if (l->region)
		munmap(l->region, l->region_bytes);
	free(l->worker), free(l->group), free(l->children.child);
	free(l->spare), free(l->result);
}

static int run_children(struct pool *l)
{
	struct children *c = &l->children;
	/* A worker at work must never wait for the place of an idle one. */
	c->n = l->at_once + l->o->n_groups;
	if (c->n > CHILDREN_AT_ONCE)
		c->n = CHILDREN_AT_ONCE;
	c->answer_limit_s = l->o->answer_limit_s;
	c->memory_limit_gib = l->o->memory_limit_gib;
	c->ended = ended;
	c->user = l;
	c->child = calloc(c->n, sizeof *c->child);
	l->worker = calloc(c->n, sizeof *l->worker);
	if (!c->child || !l->worker)
		return no_memory(l);
	if (make_workers(l) < 0)
		return -1;
	int rc = children_open(c, l->p);
	if (rc == 0)
		rc = manage(l);
	return children_close(c, rc, l->p);
}

/* ---- without children ---- */

static int run_task(struct pool *l, struct pool_worker *w, void *data)
{
	struct problem p;
	char *says;
	pool_do_task(l->o, w, l->spare, data, &p, &says);
	const struct pool_result a = {
	    .code = p.code, .says = says ? says : "", .data = data};
	int rc = problem_machine_failed()
		     ? machine_failed(l, &a)
		     : l->o->on_done(l->o->user, w->group, l->spare, &a, l->p);
	l->group[w->group].is_later = 0;
	free(says);
	return rc;
}

/* Runs group by group, one task after another, as workers would. */
static int run_here(struct pool *l)
{
	struct pool_slot *slot = aligned_alloc(
	    64, (sizeof *slot + l->o->shared_bytes + 63) / 64 * 64);
	void *data = calloc(1, l->o->result_bytes);
	int rc = slot && data ? 0 : no_memory(l);
	for (unsigned g = 0; rc == 0 && g < l->o->n_groups; g++) {
		struct watch watch;
		memset(slot, 0, sizeof *slot + l->o->shared_bytes);
		watch_open(&watch, &slot->status, 0, NULL, 0, l->p);
		struct pool_worker w = {.group = g,
					.status = &slot->status,
					.watch = &watch,
					.shared = slot->shared};
		int fresh, got = 0;
		while (rc == 0 && (got = take(l, g, &fresh)) == 1) {
			rc = run_task(l, &w, data);
			if (rc == 0 && l->o->on_tick)
				rc = l->o->on_tick(l->o->user, l->p);
		}
		if (l->o->on_exit)
			l->o->on_exit(&w, l->o->user);
		rc = got < 0 ? -1 : rc;
	}
	free(slot), free(data);
	return rc;
}

static unsigned workers_at_once(const struct pool_options *o)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = o->at_once ? o->at_once : cores > 0 ? (unsigned)cores : 1;
	return n < CHILDREN_AT_ONCE - 1 ? n : CHILDREN_AT_ONCE - 1;
}

int pool_run(const struct pool_options *o, int *interrupted, struct problem *p)
{
	struct pool l = {.o = o, .p = p, .at_once = workers_at_once(o)};
	l.group = calloc(o->n_groups + 1, sizeof *l.group);
	l.spare = calloc(1, o->task_bytes + 1);
	l.result = malloc(o->result_bytes + 1);
	int rc = l.group && l.spare && l.result ? 0 : no_memory(&l);
	if (rc == 0)
		rc = o->in_process ? run_here(&l) : run_children(&l);
	*interrupted = l.children.interrupted;
	free_pool(&l);
	return rc;
}
