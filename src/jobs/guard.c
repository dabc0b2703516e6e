/* guard.c -- Wraps a plugin's functions with checks on what they do besides
 * answering. */
#include <config.h>
#include "jobs/guard.h"
#include <fcntl.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif
#include "stepcost/fail.h"

enum {
	PATTERN = 0xa5,   /* behind the result                                */
	UNTOUCHED = 0xff, /* where output lands: no text begins with it       */
	FIRST_CHECKS = 1024,
	THEN_EVERY = 64,
};

/* Rounding mode, and where there is one, the whole control word: flushing of
 * subnormals, traps.  The flags of past exceptions are nobody's fault. */
static uint32_t fp_modes(void)
{
#ifdef __SSE2__
	return _mm_getcsr() & ~UINT32_C(0x3f);
#else
	return (uint32_t)fegetround();
#endif
}

static const char *seldom_seen(const struct guard *g)
{
	struct stat here;
	if (stat(".", &here) < 0 || here.st_dev != g->cwd_dev ||
	    here.st_ino != g->cwd_ino)
		return "changed the working directory";
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
	    fcntl(STDERR_FILENO, F_GETFD) < 0)
		return "closed descriptors of the host";
	return NULL;
}

static int wrote_behind(const struct guard *g)
{
	/* A plugin newer than this host may know fields that we do not. */
	if (g->p->abi_minor > SC_ABI_MINOR)
		return 0;
	return g->slack[0] != PATTERN ||
	       memcmp(g->slack, g->slack + 1, COST_SLACK_BYTES - 1) != 0;
}

static const char *misdeed(struct guard *g)
{
	uint64_t n = g->n_checks++;
	if (wrote_behind(g))
		return "wrote past the end of the result";
	if (fp_modes() != g->fp_modes)
		return "changed the floating-point modes";
	if (g->printed && *g->printed != UNTOUCHED)
		return "printed to standard output";
	return n < FIRST_CHECKS || n % THEN_EVERY == 0 ? seldom_seen(g) : NULL;
}

/* A job may have several plugins. */
static void enter(struct guard *g, enum job_place place)
{
	int other = g->status->guard != g;
	g->status->guard = g;
	job_enter(g->status, place, other ? g->p->name : NULL);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	struct guard *g = inst;
	*g->result = *out;
	g->status->step = *step;
	g->status->has_step = 1;
	enter(g, JOB_IN_EVAL);
	int32_t rc = g->p->eval(g->inst, step, g->result, err);
	job_enter(g->status, JOB_IN_HOST, NULL);
	*out = *g->result;
	const char *what = misdeed(g);
	return what ? sc_fail(err, SC_EINVAL, "%s", what) : rc;
}

static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	struct guard *g = inst;
	enter(g, JOB_IN_KERNEL);
	int32_t rc = g->p->kernel(g->inst, k, out, err);
	job_enter(g->status, JOB_IN_HOST, NULL);
	const char *what = misdeed(g);
	return what ? sc_fail(err, SC_EINVAL, "%s", what) : rc;
}

static void destroy(void *inst)
{
	struct guard *g = inst;
	enter(g, JOB_IN_DESTROY);
	g->p->destroy(g->inst);
	job_enter(g->status, JOB_IN_HOST, NULL);
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

int guard_install(struct guard *g, struct cost *c, struct job_status *status,
		  volatile unsigned char *printed, struct problem *p)
{
	struct stat here = {0};
	*g = (struct guard){.outer = *c->p,
			    .p = c->p,
			    .inst = c->inst,
			    .status = status,
			    .printed = printed,
			    .fp_modes = fp_modes()};
	if (map_result(g, p) < 0)
		return -1;
	if (stat(".", &here) < 0)
		return problem_set(p, EXIT_USAGE, "no working directory");
	g->cwd_dev = here.st_dev;
	g->cwd_ino = here.st_ino;
	g->outer.eval = eval;
	g->outer.eval_batch = NULL;
	g->outer.kernel = c->p->kernel ? kernel : NULL;
	g->outer.destroy = destroy;
	if (printed) {
		/* create() may have printed. */
		*printed = UNTOUCHED;
		lseek(STDOUT_FILENO, 0, SEEK_SET);
	}
	c->p = &g->outer;
	c->inst = g;
	return 0;
}

int guard_finish(struct guard *g, struct problem *p)
{
	const char *what = seldom_seen(g);
	return what ? problem_set(p, EXIT_PLUGIN, "%s: %s", g->p->name, what)
		    : 0;
}

void guard_free(struct guard *g)
{
	if (g->page)
		munmap(g->page, 2 * (size_t)sysconf(_SC_PAGESIZE));
	*g = (struct guard){0};
}

volatile unsigned char *guard_capture(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("stdout", MFD_CLOEXEC);
	void *at = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, (off_t)page) == 0)
		at =
		    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || dup2(fd, STDOUT_FILENO) < 0)
		return NULL;
	close(fd);
	/* What the plugin prints lands there at once. */
	setvbuf(stdout, NULL, _IONBF, 0);
	return at;
}
