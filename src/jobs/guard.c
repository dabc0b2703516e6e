/* guard.c -- Wraps a plugin's functions with checks on what they write. */
#include <config.h>
#include "jobs/guard.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "stepcost/fail.h"

enum { PATTERN = 0xa5 }; /* behind the result */

static int wrote_behind(const struct guard *g)
{
	/* A plugin newer than this host may know fields that we do not. */
	if (g->p->abi_minor > SC_ABI_MINOR)
		return 0;
	return g->slack[0] != PATTERN ||
	       memcmp(g->slack, g->slack + 1, COST_SLACK_BYTES - 1) != 0;
}

/* Of the plugin's answer, or of the watch. */
static int32_t judged(struct guard *g, int32_t rc, sc_error *err)
{
	if (watch_leave(g->watch) < 0)
		return sc_fail(err, SC_EINVAL, "%s", g->watch->misdeed.text);
	return rc;
}

/* step NULL: a kernel. */
static int question_is(const struct guard *g, const sc_step *step)
{
	const struct job_status *s = g->watch->status;
	return s->n_kernels == (step ? 0 : g->n_kernels) &&
	       s->has_step == (step != NULL) &&
	       (!step || memcmp(&s->step, step, sizeof *step) == 0);
}

static void note_question(const struct guard *g, const sc_step *step)
{
	struct job_status *s = g->watch->status;
	s->n_kernels = step ? 0 : g->n_kernels;
	s->has_step = step != NULL;
	if (step)
		s->step = *step;
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	struct guard *g = inst;
	const sc_step asked = *step;
	*g->result = *out;
	note_question(g, &asked);
	watch_enter(g->watch, JOB_IN_EVAL, g->p->name);
	int32_t rc = g->p->eval(g->inst, step, g->result, err);
	*out = *g->result;
	if (wrote_behind(g))
		watch_blame(g->watch, "wrote past the end of the result");
	if (!question_is(g, step) || memcmp(&asked, step, sizeof asked) != 0) {
		note_question(g, &asked);
		watch_blame(g->watch, "wrote over memory of the host");
	}
	return judged(g, rc, err);
}

static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	struct guard *g = inst;
	g->n_kernels++;
	note_question(g, NULL);
	watch_enter(g->watch, JOB_IN_KERNEL, g->p->name);
	int32_t rc = g->p->kernel(g->inst, k, out, err);
	if (!question_is(g, NULL)) {
		note_question(g, NULL);
		watch_blame(g->watch, "wrote over memory of the host");
	}
	return judged(g, rc, err);
}

static void destroy(void *inst)
{
	struct guard *g = inst;
	if (g->watch->misdeed.code != EXIT_DONE)
		return;
	watch_enter(g->watch, JOB_IN_DESTROY, g->p->name);
	g->p->destroy(g->inst);
	watch_leave(g->watch);
}

/* The result and its slack end where a page ends that nobody may touch. */
static int map_result(struct guard *g, struct problem *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t need = sizeof *g->result + COST_SLACK_BYTES;
	unsigned char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + page, page, PROT_NONE) < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	g->page = at;
	g->result = (sc_result *)(void *)(at + page - need);
	g->slack = at + page - COST_SLACK_BYTES;
	memset(g->slack, PATTERN, COST_SLACK_BYTES);
	return 0;
}

int guard_install(struct guard *g, struct cost *c, struct watch *w,
		  struct problem *p)
{
	*g = (struct guard){
	    .outer = *c->p, .p = c->p, .inst = c->inst, .watch = w};
	if (map_result(g, p) < 0)
		return -1;
	g->outer.eval = eval;
	g->outer.eval_batch = NULL;
	g->outer.kernel = c->p->kernel ? kernel : NULL;
	g->outer.destroy = destroy;
	c->p = &g->outer;
	c->inst = g;
	return 0;
}

void guard_free(struct guard *g)
{
	if (g->page)
		munmap(g->page, 2 * (size_t)sysconf(_SC_PAGESIZE));
	*g = (struct guard){0};
}
