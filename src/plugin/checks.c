/* checks.c -- Asks a plugin one question for each promise of plugin.h. */
#include <config.h>
#include "plugin/checks.h"
#include <dirent.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "cost/breakdown.h"
#include "cost/steps.h"
#include "plugin/forbidden_calls.h"

/* ---- asking ---- */

enum { REFUSED, PRICED };

static void note_step(struct subject *l, const sc_step *step)
{
	owned_step_from(l->at, step);
	l->status->step = owned_step_step(l->at);
	l->status->step.step_index = step->step_index;
	l->status->step.n_sampled = step->n_sampled;
	l->status->has_step = 1;
}

/* PRICED, with the answer copied; REFUSED: the plugin says that it cannot
 * price this; -1: no answer, or one that makes no sense. */
static int ask(struct subject *l, struct cost *c, const sc_step *step,
	       sc_result *out, struct problem *p)
{
	note_step(l, step);
	job_enter(l->status, JOB_IN_EVAL, NULL);
	const sc_result *r = cost_eval(c, step, p);
	job_enter(l->status, JOB_IN_HOST, NULL);
	if (r) {
		*out = *r;
		return PRICED;
	}
	p->code = EXIT_SAYS_NO;
	return c->code == SC_EUNSUP || c->code == SC_ENODATA ? REFUSED : -1;
}

static int create(struct subject *l, struct cost *c, struct problem *p)
{
	job_enter(l->status, JOB_IN_CREATE, l->plugin->p.name);
	int rc = cost_create(c, &l->plugin->p, l->setup, l->knobs, p);
	job_enter(l->status, JOB_IN_HOST, NULL);
	return rc;
}

static void destroy(struct subject *l, struct cost *c)
{
	job_enter(l->status, JOB_IN_DESTROY, NULL);
	cost_destroy(c);
	job_enter(l->status, JOB_IN_HOST, NULL);
}

/* All the steps, one after another; a step that is refused has total_us 0. */
static sc_result *ask_all(struct subject *l, struct cost *c, struct problem *p)
{
	sc_result *r = calloc(l->steps->n + 1, sizeof *r);
	int rc = r ? PRICED : problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; rc >= 0 && i < l->steps->n; i++) {
		rc = ask(l, c, &l->steps->item[i].step, &r[i], p);
		if (rc == REFUSED)
			r[i] = cost_blank;
	}
	if (rc < 0) {
		free(r);
		return NULL;
	}
	return r;
}

static int differ(const sc_result *a, const sc_result *b, struct problem *p)
{
	if (!memcmp(a, b, sizeof *a))
		return 0;
	if (a->total_us != b->total_us)
		return problem_set(p, EXIT_SAYS_NO,
				   "total_us is %.17g, then %.17g", a->total_us,
				   b->total_us);
	return problem_set(p, EXIT_SAYS_NO,
			   "total_us is the same, the breakdown is not");
}

/* Asks for step i once more. */
static int again(struct subject *l, struct cost *c, size_t i,
		 const sc_result *before, struct problem *p)
{
	sc_result now = cost_blank;
	int rc = ask(l, c, &l->steps->item[i].step, &now, p);
	return rc < 0 ? -1
		      : differ(before, rc == REFUSED ? &cost_blank : &now, p);
}

static void row(FILE *f, const sc_step *step)
{
	steps_write_row(f, step);
	fputc('\n', f);
}

/* ---- promises ---- */

static int prices(struct subject *l, struct problem *p)
{
	size_t refused = 0, first = 0;
	for (size_t i = l->steps->n; i-- > 0;) {
		sc_result r;
		int rc = ask(l, &l->a, &l->steps->item[i].step, &r, p);
		if (rc < 0)
			return -1;
		if (rc == REFUSED) {
			refused++;
			first = i;
		}
	}
	if (refused == l->steps->n && refused > 1) {
		p->code = EXIT_SAYS_NO;
		return -1; /* with the plugin's words */
	}
	if (refused) {
		fprintf(l->notes, "refuses %zu of %zu steps: %s: ", refused,
			l->steps->n, p->text);
		row(l->notes, &l->steps->item[first].step);
	}
	return 0;
}

static int same_bits(struct subject *l, struct problem *p)
{
	sc_result *r = ask_all(l, &l->a, p);
	int rc = r ? 0 : -1;
	for (size_t i = l->steps->n; rc == 0 && i-- > 0;)
		rc = again(l, &l->a, i, &r[i], p) < 0
			 ? -1
			 : again(l, &l->a, i, &r[i], p);
	free(r);
	return rc;
}

static int interleaved(struct subject *l, struct problem *p)
{
	struct cost b = {0};
	sc_result *r = ask_all(l, &l->a, p);
	int rc = r ? create(l, &b, p) : -1;
	for (size_t i = 0; rc == 0 && i < l->steps->n; i++) {
		rc = again(l, &l->a, i, &r[i], p);
		size_t other = l->steps->n - 1 - i;
		if (rc == 0)
			rc = again(l, &b, other, &r[other], p);
	}
	if (b.p)
		destroy(l, &b);
	free(r);
	return rc;
}

struct thread {
	struct cost cost;
	const struct steps *steps;
	const sc_result *alone;
	size_t odd_one; /* the first step that came out otherwise */
	int backwards, odd;
};

static void *in_thread(void *user)
{
	struct thread *t = user;
	struct problem p;
	size_t n = t->steps->n;
	for (size_t round = 0; round < 3 && !t->odd; round++)
		for (size_t i = 0; i < n && !t->odd; i++) {
			size_t k = t->backwards ? n - 1 - i : i;
			const sc_result *r =
			    cost_eval(&t->cost, &t->steps->item[k].step, &p);
			if (memcmp(r ? r : &cost_blank, &t->alone[k],
				   sizeof *r)) {
				t->odd = 1;
				t->odd_one = k;
			}
		}
	return NULL;
}

static int threads(struct subject *l, struct problem *p)
{
	struct thread t[2] = {{.steps = l->steps},
			      {.steps = l->steps, .backwards = 1}};
	pthread_t id[2];
	sc_result *r = ask_all(l, &l->a, p);
	int rc = r ? 0 : -1, n = 0;
	for (int i = 0; i < 2 && rc == 0; i++) {
		t[i].alone = r;
		rc = create(l, &t[i].cost, p);
	}
	job_enter(l->status, JOB_IN_EVAL, NULL);
	while (rc == 0 && n < 2)
		if (pthread_create(&id[n], NULL, in_thread, &t[n]) == 0)
			n++;
		else
			rc = problem_set(p, EXIT_USAGE, "no thread");
	while (n)
		pthread_join(id[--n], NULL);
	job_enter(l->status, JOB_IN_HOST, NULL);
	for (int i = 0; i < 2 && rc == 0; i++)
		if (t[i].odd) {
			note_step(l, &l->steps->item[t[i].odd_one].step);
			rc = problem_set(p, EXIT_SAYS_NO,
					 "other bits than alone");
		}
	for (int i = 0; i < 2; i++)
		if (t[i].cost.p)
			destroy(l, &t[i].cost);
	free(r);
	return rc;
}

/* Backwards, and shifted by one. */
static void permute(struct owned_step *s, const sc_step *from, int shift)
{
	owned_step_from(s, from);
	uint32_t np = s->n_prefill, nd = s->n_decode;
	for (uint32_t i = 0; i < np; i++) {
		uint32_t k = shift ? (i + 1) % np : np - 1 - i;
		s->prefill_new[i] = from->prefill_new[k];
		s->prefill_ctx[i] = from->prefill_ctx[k];
	}
	for (uint32_t i = 0; i < nd; i++)
		s->decode_ctx[i] =
		    from->decode_ctx[shift ? (i + 1) % nd : nd - 1 - i];
}

static int permuted(struct subject *l, struct problem *p)
{
	static struct owned_step s; /* this process is this check's alone */
	for (size_t i = 0; i < l->steps->n; i++)
		for (int shift = 0; shift < 2; shift++) {
			sc_step base = l->steps->item[i].step, other;
			sc_result a, b;
			int rc = ask(l, &l->a, &base, &a, p);
			permute(&s, &base, shift);
			other = owned_step_step(&s);
			other.step_index = base.step_index;
			other.n_sampled = base.n_sampled;
			if (rc == PRICED)
				rc = ask(l, &l->a, &other, &b, p);
			if (rc == PRICED && differ(&a, &b, p) < 0)
				rc = -1;
			if (rc < 0) {
				note_step(l, &base);
				return -1;
			}
		}
	return 0;
}

enum { N_MORE = 11 };

/* More work, in one of N_MORE ways; NULL: this way does not apply. */
static const char *more_work(struct owned_step *s, const sc_step *from, int way)
{
	owned_step_from(s, from);
	uint32_t np = s->n_prefill, nd = s->n_decode;
	uint32_t *column[] = {s->decode_ctx, s->prefill_new, s->prefill_ctx};
	static const char *const what[N_MORE] = {
	    "1 more token of context in each decode",
	    "twice the context in each decode",
	    "1 more token in each prefill",
	    "twice the tokens in each prefill",
	    "1 more cached token in each prefill",
	    "twice the cached tokens in each prefill",
	    "1 more decode like the last",
	    "1 more prefill like the last",
	    "a decode of 1024",
	    "a prefill of 16",
	    "1 more token of context in the first decode"};
	if (way < 6) {
		uint32_t n = way < 2 ? nd : np, *v = column[way / 2];
		for (uint32_t i = 0; i < n; i++)
			v[i] = way % 2 ? 2 * v[i] : v[i] + 1;
		return n ? what[way] : NULL;
	}
	if (np == OWNED_STEP_MOST || nd == OWNED_STEP_MOST)
		return NULL;
	if (way == 7 || way == 9) {
		if ((np == 0) != (way == 9))
			return NULL;
		s->prefill_new[np] = np ? s->prefill_new[np - 1] : 16;
		s->prefill_ctx[np] = np ? s->prefill_ctx[np - 1] : 0;
		s->n_prefill++;
	} else if (way == 10) {
		if (nd < 2)
			return NULL;
		s->decode_ctx[0]++;
	} else {
		if ((nd == 0) != (way == 8))
			return NULL;
		s->decode_ctx[nd] = nd ? s->decode_ctx[nd - 1] : 1024;
		s->n_decode++;
	}
	return what[way];
}

static int monotone(struct subject *l, struct problem *p)
{
	static struct owned_step s;
	for (size_t i = 0; i < l->steps->n; i++)
		for (int way = 0; way < N_MORE; way++) {
			const sc_step *base = &l->steps->item[i].step;
			const char *what = more_work(&s, base, way);
			sc_step bigger = owned_step_step(&s);
			sc_result a, b;
			if (!what)
				continue;
			int rc = ask(l, &l->a, base, &a, p);
			if (rc == PRICED)
				rc = ask(l, &l->a, &bigger, &b, p);
			/* Below 1e-9 it is the order of a sum. */
			if (rc == PRICED &&
			    b.total_us < a.total_us * (1 - 1e-9))
				rc = problem_set(p, EXIT_SAYS_NO,
						 "with %s, %.17g us become "
						 "%.17g",
						 what, a.total_us, b.total_us);
			if (rc < 0) {
				note_step(l, base);
				return -1;
			}
		}
	return 0;
}

static int check_parts(const sc_result *r, int additive, struct problem *p)
{
	double exact = breakdown_exact_us(r), sum = 0;
	const struct {
		const char *name;
		double v;
	} part[] = {{"gemm_us[prefill]", r->gemm_us[SC_PREFILL]},
		    {"gemm_us[decode]", r->gemm_us[SC_DECODE]},
		    {"attention_us[prefill]", r->attention_us[SC_PREFILL]},
		    {"attention_us[decode]", r->attention_us[SC_DECODE]},
		    {"comm_us", r->comm_us},
		    {"overhead_us", r->overhead_us},
		    /* the sum ends here */
		    {"compute_us[prefill]", r->compute_us[SC_PREFILL]},
		    {"compute_us[decode]", r->compute_us[SC_DECODE]},
		    {"memory_us[prefill]", r->memory_us[SC_PREFILL]},
		    {"memory_us[decode]", r->memory_us[SC_DECODE]},
		    {"exact_us", r->exact_us},
		    {"ready_us", r->ready_us},
		    {"host_us", r->host_us},
		    {"flops", r->flops},
		    {"bytes", r->bytes},
		    {"energy_j", r->energy_j}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		if (isinf(part[i].v) || part[i].v < 0)
			return problem_set(p, EXIT_SAYS_NO, "%s is %g",
					   part[i].name, part[i].v);
		if (i < 6)
			sum += breakdown_or_zero(part[i].v);
	}
	if (breakdown_or_zero(r->host_us) > r->total_us * (1 + 1e-9))
		return problem_set(p, EXIT_SAYS_NO,
				   "host_us %g is more than total_us %g",
				   r->host_us, r->total_us);
	if (r->bound > SC_BOUND_OVERHEAD)
		return problem_set(p, EXIT_SAYS_NO, "bound is %u", r->bound);
	if (additive && fabs(sum - exact) > 1e-9 * fabs(exact))
		return problem_set(p, EXIT_SAYS_NO,
				   "declares SC_CAP_ADDITIVE, but gemm + "
				   "attention + comm + overhead = %.17g and "
				   "exact_us = %.17g",
				   sum, exact);
	return 0;
}

static int parts(struct subject *l, struct problem *p)
{
	int additive = (l->plugin->p.capabilities & SC_CAP_ADDITIVE) != 0;
	for (size_t i = 0; i < l->steps->n; i++) {
		sc_result r;
		int rc = ask(l, &l->a, &l->steps->item[i].step, &r, p);
		if (rc < 0 ||
		    (rc == PRICED && check_parts(&r, additive, p) < 0))
			return -1;
	}
	return 0;
}

/* A result and room for what a successor of the header may add. */
struct roomy {
	sc_result is;
	unsigned char slack[COST_SLACK_BYTES];
};

struct batch {
	const sc_step **step;
	sc_result **out;
	struct roomy *room;
	uint32_t n, priced; /* the refused ones come last */
};

static int batch_new(struct batch *b, const struct subject *l,
		     const sc_result *alone, struct problem *p)
{
	size_t n = l->steps->n;
	b->step = calloc(n + 1, sizeof *b->step);
	b->out = calloc(n + 1, sizeof *b->out);
	b->room = calloc(n + 1, sizeof *b->room);
	if (!b->step || !b->out || !b->room)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (int refused = 0; refused < 2; refused++)
		for (size_t i = 0; i < n; i++) {
			/* What was refused has been left blank. */
			int blank =
			    !memcmp(&alone[i], &cost_blank, sizeof *alone);
			if (blank != refused)
				continue;
			b->room[b->n].is = cost_blank;
			b->out[b->n] = &b->room[b->n].is;
			b->step[b->n++] = &l->steps->item[i].step;
			b->priced += !refused;
		}
	return 0;
}

static int compare_batch(struct subject *l, struct batch *b, struct problem *p)
{
	struct {
		sc_error is;
		unsigned char slack[COST_SLACK_BYTES];
	} err = {.is = {.size = sizeof err.is}};
	uint32_t done = UINT32_MAX;
	job_enter(l->status, JOB_IN_EVAL, NULL);
	int32_t rc = l->a.p->eval_batch(l->a.inst, b->n, b->step, b->out, &done,
					&err.is);
	job_enter(l->status, JOB_IN_HOST, NULL);
	if (b->priced == b->n && rc != SC_OK)
		return problem_set(p, EXIT_SAYS_NO,
				   "eval_batch() fails where eval() does not");
	if (b->priced < b->n && (rc == SC_OK || done != b->priced))
		return problem_set(p, EXIT_SAYS_NO,
				   "eval_batch() does not stop at the first "
				   "step that eval() refuses");
	for (uint32_t i = 0; i < b->priced; i++) {
		sc_result one;
		if (ask(l, &l->a, b->step[i], &one, p) != PRICED)
			return -1;
		b->out[i]->size = sizeof one;
		if (differ(&one, b->out[i], p) < 0)
			return -1;
	}
	return 0;
}

static int batches(struct subject *l, struct problem *p)
{
	struct batch b = {0};
	if (!l->a.p->eval_batch) {
		fputs("has no eval_batch\n", l->notes);
		return 0;
	}
	sc_result *alone = ask_all(l, &l->a, p);
	int rc = alone ? batch_new(&b, l, alone, p) : -1;
	if (rc == 0)
		rc = compare_batch(l, &b, p);
	free(alone);
	free(b.step);
	free(b.out);
	free(b.room);
	return rc;
}

struct escape {
	sigjmp_buf to;
	const char *function;
};

static void sprung(void *user, const char *function)
{
	struct escape *e = user;
	e->function = function;
	siglongjmp(e->to, 1);
}

static int computes_only(struct subject *l, struct problem *p)
{
	static struct escape e; /* must outlive the jump */
	/* Neither destroy() nor unloading could call anything afterwards. */
	setenv("STEPCOST_NO_DLCLOSE", "1", 1);
	if (forbid_calls(l->plugin->dso, sprung, &e, p) < 0)
		return -1;
	volatile int rc = 0;
	if (sigsetjmp(e.to, 1) == 0)
		for (size_t i = 0; rc >= 0 && i < l->steps->n; i++) {
			sc_result r;
			rc = ask(l, &l->a, &l->steps->item[i].step, &r, p);
		}
	l->a.p = NULL;
	if (e.function)
		return problem_set(p, EXIT_SAYS_NO, "eval() calls %s()",
				   e.function);
	return rc < 0 ? -1 : 0;
}

static int leaves_alone(struct subject *l, struct problem *p)
{
	static struct guard g;
	int rc = 0;
	struct stat said = {0};
	if (guard_install(&g, &l->a, l->status, l->printed, p) < 0)
		return -1;
	for (size_t i = 0; rc >= 0 && i < l->steps->n; i++) {
		sc_result r;
		rc = ask(l, &l->a, &l->steps->item[i].step, &r, p);
		if (rc >= 0 && guard_finish(&g, p) < 0)
			rc = -1;
		if (rc >= 0 && l->said >= 0 && fstat(l->said, &said) == 0 &&
		    said.st_size)
			rc = problem_set(p, EXIT_SAYS_NO,
					 "printed to standard error");
	}
	return rc < 0 ? -1 : 0;
}

static size_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int cycle(struct subject *l, int times, struct problem *p)
{
	for (int i = 0; i < times; i++) {
		struct cost c;
		if (create(l, &c, p) < 0)
			return -1;
		destroy(l, &c);
	}
	return 0;
}

static int leaves_nothing(struct subject *l, struct problem *p)
{
	int slow = (l->plugin->p.capabilities & SC_CAP_DOES_IO) != 0;
	enum { TIMES = 40 };
	/* The allocator's own caches fill at first. */
	if (cycle(l, slow ? 1 : TIMES, p) < 0)
		return -1;
	size_t bytes = mallinfo2().uordblks, files = open_files();
	if (cycle(l, slow ? 2 : TIMES, p) < 0)
		return -1;
	size_t now = mallinfo2().uordblks;
	if (open_files() > files)
		return problem_set(p, EXIT_SAYS_NO,
				   "an instance leaves a descriptor open");
	if (!slow && now >= bytes + TIMES)
		return problem_set(p, EXIT_SAYS_NO,
				   "an instance leaves %zu bytes behind",
				   (now - bytes) / TIMES);
	return 0;
}

/* ---- figures ---- */

static int coverage(struct subject *l, struct problem *p)
{
	size_t n[SC_N_PROVENANCE] = {0}, first[SC_N_PROVENANCE] = {0};
	size_t none = 0;
	for (size_t i = 0; i < l->steps->n; i++) {
		sc_result r;
		int worst = -1;
		int rc = ask(l, &l->a, &l->steps->item[i].step, &r, p);
		if (rc < 0)
			return -1;
		for (int k = 0; rc == PRICED && k < SC_N_PROVENANCE; k++)
			if (r.lookups[k])
				worst = k;
		none += worst < 0;
		if (worst >= 0 && n[worst]++ == 0)
			first[worst] = i;
	}
	if (none == l->steps->n) {
		fputs("looks nothing up in tables\n", l->notes);
		return 0;
	}
	for (int k = 0; k < SC_N_PROVENANCE; k++)
		if (n[k]) {
			fprintf(l->notes, "%zu of %zu steps %s at worst", n[k],
				l->steps->n, provenance_name[k]);
			if (k >= SC_CLAMPED)
				fputs(", the first: ", l->notes);
			if (k >= SC_CLAMPED)
				row(l->notes, &l->steps->item[first[k]].step);
			else
				fputc('\n', l->notes);
		}
	return 0;
}

static double now_ns(void)
{
	return (double)clock_now_ns();
}

/* The best of some rounds, with contexts that differ from step to step. */
static int time_batch(struct subject *l, uint32_t batch, double *ns,
		      struct problem *p)
{
	static struct owned_step s;
	double best = INFINITY, until = now_ns() + 2e7;
	s.n_decode = batch;
	for (uint32_t i = 0; i < batch; i++)
		s.decode_ctx[i] = 100 + 37 * i;
	sc_step step = owned_step_step(&s);
	note_step(l, &step);
	for (uint32_t round = 0; round < 3 || now_ns() < until; round++) {
		double from = now_ns();
		for (uint32_t i = 0; i < 20; i++) {
			s.decode_ctx[i % batch]++;
			step.step_index++;
			job_enter(l->status, JOB_IN_EVAL, NULL);
			const sc_result *r = cost_eval(&l->a, &step, p);
			job_enter(l->status, JOB_IN_HOST, NULL);
			if (!r)
				return -1;
		}
		double each = (now_ns() - from) / 20;
		best = each < best ? each : best;
	}
	*ns = best;
	return 0;
}

static int speed(struct subject *l, struct problem *p)
{
	for (uint32_t batch = 1; batch <= 1024; batch *= 4) {
		double ns;
		if (time_batch(l, batch, &ns, p) == 0)
			fprintf(l->notes,
				"%.0f ns a step of %" PRIu32 " decodes\n", ns,
				batch);
	}
	return 0;
}

/* ---- the list ---- */

const struct check check_list[] = {
    {"finite and positive on the grid", prices, 0, 0, NULL},
    {"an empty step", prices, 0, 0, "0,,\n"},
    {"one token", prices, 0, 0, "0,,0:1\n1,1,\n"},
    {"a context of 1,000,000 tokens", prices, 0, 0,
     "0,1000000,\n1,,1000000:1\n2,,0:1000000\n"},
    {"4,096 requests", prices, 0, 0,
     "0,512x4096,\n1,512x4095,0:512\n2,,0:8x4096\n"},
    {"same step, same bits", same_bits, 0, 0, NULL},
    {"two instances in turn as alone", interleaved, 0, 0, NULL},
    {"two threads as alone", threads, 0, 0, NULL},
    {"order of requests changes no bit", permuted, SC_CAP_ORDER_SENSITIVE, 0,
     NULL},
    {"more work takes no less time", monotone, SC_CAP_NOT_MONOTONE, 0, NULL},
    {"a batch of steps as one by one", batches, 0, 0, NULL},
    {"eval() only computes", computes_only, 0, SC_CAP_DOES_IO, NULL},
    {"no output, no changed modes, nothing overwritten", leaves_alone, 0, 0,
     NULL},
    {"parts are sound", parts, 0, 0, NULL},
    {"an instance leaves nothing behind", leaves_nothing, 0, 0, "0,,0:1\n"},
    {"coverage", coverage, 0, 0, NULL},
    {"speed", speed, 0, 0, "0,,0:1\n"},
};
const size_t check_count = sizeof check_list / sizeof *check_list;

char *check_grid(void)
{
	static const char *const mixed[] = {
	    "8192;64x15,",          "4096x3;128,",           ",0:512x3",
	    ",0:100;512:300",       "1024x32,0:512",         "64,0:1",
	    "4096x8;64x8,512:2048", "2000x200,0:8192;100:1", "512x128,0:16x4"};
	static const uint32_t batch[] = {1, 2, 3, 7, 16, 64, 256};
	static const uint32_t kv[] = {1,    15,   16,    100,
				      1024, 5000, 32768, 131072};
	static const uint32_t fresh[] = {1, 2, 15, 100, 512, 2048, 8192, 65536};
	static const uint32_t past[] = {0, 1, 512, 20000};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (size_t b = 0; b < sizeof batch / sizeof *batch; b++)
		for (size_t k = 0; k < sizeof kv / sizeof *kv; k++)
			fprintf(f, "0,%ux%u,\n", kv[k], batch[b]);
	for (size_t n = 0; n < sizeof fresh / sizeof *fresh; n++)
		for (size_t k = 0; k < sizeof past / sizeof *past; k++)
			fprintf(f, "0,,%u:%u\n", past[k], fresh[n]);
	for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
		fprintf(f, "0,%s\n", mixed[i]);
	return fclose(f) ? NULL : text;
}
