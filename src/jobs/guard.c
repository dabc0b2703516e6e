/* guard.c -- Wraps the functions of a plugin with checks of what they write. */
#include "jobs/guard.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/hash.h"
#include "stepcost/fail.h"

enum {
	PATTERN = 0xa5, /* fills the memory behind a result */
	NEAR_BYTES = 64,
	ALL_EVERY = 64, /* calls between two checks of all slack */
	/* The columns of steps are checked in the first calls, and then rarely,
	 * because it takes time for each request. */
	FIRST_CALLS = 256,
	COLUMNS_EVERY = 128,
};

typedef uint64_t two_words
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Compares with the pattern; 0 if nothing changed.  Like changes(), it has no
 * loop and no call of memcmp(), because each step calls it. */
static inline two_words changes_near(const sc_result *out)
{
	const uint64_t pattern = UINT64_C(0x0101010101010101) * PATTERN;
	const two_words *x = (const void *)(out + 1);
	_Static_assert(NEAR_BYTES == 4 * sizeof *x, "all that is near");
	return (x[0] ^ pattern) | (x[1] ^ pattern) | (x[2] ^ pattern) |
	       (x[3] ^ pattern);
}

/* Compares two steps; 0 if they are equal.  The last two words are compared
 * separately, because the number of words may be odd. */
static inline two_words changes(const sc_step *a, const sc_step *b)
{
	const two_words *x = (const void *)a, *y = (const void *)b;
	const two_words *end_x = (const void *)((const uint64_t *)(a + 1) - 2);
	const two_words *end_y = (const void *)((const uint64_t *)(b + 1) - 2);
	two_words found = *end_x ^ *end_y;
	_Static_assert(sizeof *a % sizeof(uint64_t) == 0, "all of a step");
	size_t i = 0, n = sizeof *a / sizeof *x;
	for (; i + 4 <= n; i += 4)
		found |= (x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) |
			 (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]);
	for (; i < n; i++)
		found |= x[i] ^ y[i];
	return found;
}

static int is_zero(two_words x)
{
	return !(x[0] | x[1]);
}

static int is_pattern(const unsigned char *slack, size_t n)
{
	return slack[0] == PATTERN && memcmp(slack, slack + 1, n - 1) == 0;
}

/* Checks the bytes near the result after each call, and all slack after every
 * ALL_EVERY calls. */
static int wrote_behind(const struct guard *g, const sc_result *out)
{
	const unsigned char *slack = (const unsigned char *)(out + 1);
	/* A plugin newer than this host may know fields that the host does
	 * not. */
	if (g->p->abi_minor > SC_ABI_MINOR)
		return 0;
	return !is_pattern(slack, g->n_calls % ALL_EVERY ? NEAR_BYTES
							 : COST_SLACK_BYTES);
}

/* Notes n steps that begin with *step, or with n 0 a kernel. */
static void note_question(const struct guard *g, const sc_step *step,
			  uint32_t n)
{
	struct job_status *s = g->watch->status;
	s->n_kernels = n ? 0 : g->n_kernels;
	s->has_step = n != 0;
	s->n_steps = n;
	if (n)
		s->step = *step;
}

/* ---- the columns of a step ---- */

typedef uint32_t four_words
    __attribute__((vector_size(16), aligned(4), may_alias));

/* Sums of words, and sums of these sums, which depend on their order. */
struct sums {
	four_words sum, sums;
	uint32_t rest, rests; /* of words that fill no vector */
};

/* column may be NULL. */
static inline void sum_column(struct sums *s, const void *column, size_t n)
{
	const uint32_t *x = column;
	size_t i = 0;
	if (!x)
		return;
	for (; i + 4 <= n; i += 4)
		s->sums += s->sum += *(const four_words *)(x + i);
	for (; i < n; i++)
		s->rests += s->rest += x[i];
}

static uint64_t sum_columns(const sc_step *step)
{
	const size_t p = step->n_prefill, d = step->n_decode;
	struct sums s = {{0}, {0}, 0, 0};
	if (p) {
		sum_column(&s, step->prefill_new, p);
		sum_column(&s, step->prefill_ctx, p);
		sum_column(&s, step->prefill_last, p);
		sum_column(&s, step->prefill_id, 2 * p);
		sum_column(&s, step->prefill_group, p);
	}
	sum_column(&s, step->decode_ctx, d);
	sum_column(&s, step->decode_new, d);
	sum_column(&s, step->decode_id, 2 * d);
	sum_column(&s, step->decode_group, d);
	uint64_t h = hash_mix((uint64_t)s.rest << 32 | s.rests);
	for (int k = 0; k < 4; k++)
		h = hash_mix(h + ((uint64_t)s.sum[k] << 32 | s.sums[k]));
	return h;
}

static int looks_at_columns(const struct guard *g)
{
	return g->n_calls < FIRST_CALLS || g->n_calls % COLUMNS_EVERY == 0;
}

/* Finds out whether the plugin wrote over columns of one of these steps, which
 * are the engine's own. */
static void compare_columns(struct guard *g, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (sum_columns(&g->asked[i]) != g->sum[i]) {
			if (g->watch->violation.code == EXIT_DONE)
				note_question(g, &g->asked[i], 1);
			watch_report_violation(
			    g->watch, "wrote over the columns of a step, which "
				      "are read-only");
			return;
		}
}

static int32_t refused(const struct guard *g, sc_error *err)
{
	return sc_fail(err, SC_EINVAL, "%s", g->watch->violation.text);
}

/* Returns rc, the plugin's own code, unless the watch found a violation. */
static int32_t judged(struct guard *g, int32_t rc, sc_error *err)
{
	return watch_leave(g->watch) < 0 ? refused(g, err) : rc;
}

/* Returns 1 if the note of the question is intact.  n 0: a kernel. */
static int question_is(const struct guard *g, uint32_t n)
{
	const struct job_status *s = g->watch->status;
	return s->n_kernels == (n ? 0 : g->n_kernels) &&
	       s->has_step == (n != 0) && s->n_steps == n &&
	       (!n || is_zero(changes(&s->step, g->asked)));
}

/* Finds out where the plugin wrote outside its results while it priced these
 * steps. */
static void look_closer(struct guard *g, uint32_t n, const sc_step *const *step,
			sc_result *const *out)
{
	int overwrote = !question_is(g, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!is_zero(changes(&g->asked[i], step[i])))
			overwrote = 1;
		if (wrote_behind(g, out[i])) {
			note_question(g, &g->asked[i], 1);
			watch_report_violation(
			    g->watch, "wrote past the end of the result");
		}
	}
	if (!overwrote)
		return;
	if (g->watch->violation.code == EXIT_DONE)
		note_question(g, g->asked, n);
	watch_report_violation(g->watch, "wrote over memory of the host");
}

static void look_at_memory(struct guard *g, uint32_t n,
			   const sc_step *const *step, sc_result *const *out)
{
	two_words found = {0, 0};
	for (uint32_t i = 0; i < n; i++)
		found |= changes(&g->asked[i], step[i]) | changes_near(out[i]);
	if (!is_zero(found) || !question_is(g, n) ||
	    g->n_calls % ALL_EVERY == 0)
		look_closer(g, n, step, out);
}

/* Asks the plugin about n steps, together or one; watches that it writes
 * nowhere but into its results. */
static int32_t ask(struct guard *g, int together, uint32_t n,
		   const sc_step *const *step, sc_result *const *out,
		   uint32_t *n_done, sc_error *err)
{
	int32_t rc;
	*n_done = 0;
	if (g->watch->violation.code != EXIT_DONE)
		return refused(g, err);
	int looks = looks_at_columns(g);
	for (uint32_t i = 0; i < n; i++) {
		g->asked[i] = *step[i];
		if (looks)
			g->sum[i] = sum_columns(step[i]);
	}
	note_question(g, g->asked, n);
	watch_enter(g->watch, JOB_IN_EVAL, g->p->name);
	if (together)
		rc = g->p->eval_batch(g->inst, n, step, out, n_done, err);
	else
		rc = g->p->eval(g->inst, step[0], out[0], err);
	g->n_calls++;
	look_at_memory(g, n, step, out);
	if (looks)
		compare_columns(g, n);
	return judged(g, rc, err);
}

static int32_t eval_batch(void *inst, uint32_t n, const sc_step *const *step,
			  sc_result *const *out, uint32_t *n_done,
			  sc_error *err)
{
	return ask(inst, 1, n, step, out, n_done, err);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	uint32_t unused;
	return ask(inst, 0, 1, &step, &out, &unused, err);
}

static int32_t kernel(void *inst, const sc_kernel *k, sc_kernel_result *out,
		      sc_error *err)
{
	struct guard *g = inst;
	g->n_kernels++;
	note_question(g, NULL, 0);
	watch_enter(g->watch, JOB_IN_KERNEL, g->p->name);
	int32_t rc = g->p->kernel(g->inst, k, out, err);
	if (!question_is(g, 0)) {
		note_question(g, NULL, 0);
		watch_report_violation(g->watch,
				       "wrote over memory of the host");
	}
	return judged(g, rc, err);
}

static void destroy(void *inst)
{
	struct guard *g = inst;
	if (g->watch->violation.code != EXIT_DONE)
		return;
	watch_enter(g->watch, JOB_IN_DESTROY, g->p->name);
	g->p->destroy(g->inst);
	watch_leave(g->watch);
}

/* The answers end where a page without access begins. */
static struct cost_answer *map_answers(struct guard *g, struct problem *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t need = COST_BATCH * sizeof(struct cost_answer);
	size_t bytes = (need + page - 1) / page * page;
	unsigned char *at = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		problem_no_memory(p);
		return NULL;
	}
	g->page = at; /* guard_free() has it from here on */
	g->bytes = bytes + page;
	if (mprotect(at + bytes, page, PROT_NONE) < 0) {
		problem_no_memory(p);
		return NULL;
	}
	memset(at, PATTERN, bytes);
	return (struct cost_answer *)(void *)(at + bytes);
}

int guard_install(struct guard *g, struct cost *c, struct watch *w,
		  struct problem *p)
{
	*g = (struct guard){
	    .outer = *c->p, .p = c->p, .inst = c->inst, .watch = w};
	struct cost_answer *end = map_answers(g, p);
	if (!end)
		return -1;
	g->outer.eval = eval;
	g->outer.eval_batch = c->p->eval_batch ? eval_batch : NULL;
	g->outer.kernel = c->p->kernel ? kernel : NULL;
	g->outer.destroy = destroy;
	c->p = &g->outer;
	c->inst = g;
	c->answers_end = end;
	c->noted = &w->status->step;
	c->n_noted = &w->status->n_steps;
	return 0;
}

void guard_free(struct guard *g)
{
	if (g->page)
		munmap(g->page, g->bytes);
	*g = (struct guard){0};
}
