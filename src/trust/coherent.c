/* coherent.c -- Makes the intervals of one result agree. */
#include "trust/coherent.h"
#include <math.h>

enum { MEAN, P90, P99, N_STATISTICS };
enum {
	TTFT = COHERENT_TTFT,
	TPOT = COHERENT_TPOT,
	E2EL = COHERENT_E2EL,
	THROUGHPUT = COHERENT_THROUGHPUT
};

/* Returns 1 if figure k of the run has an interval. */
static int is_known(const struct trust_interval *x,
		    const struct coherent_run *run, int k)
{
	return x[k].n && run->value[k] > 0;
}

/* Makes the interval of figure k an unknown one. */
static void forget(struct trust_interval *x, int k)
{
	x[k] = (struct trust_interval){
	    .low = NAN, .high = NAN, .coverage = x[k].coverage};
}

/* Raises the ends of figure k to those of `least`, which is not above it. */
static void raise_to(struct trust_interval *x, const struct coherent_run *run,
		     int k, int least)
{
	struct trust_interval *to = &x[k];
	const struct trust_interval *from = &x[least];
	if (!is_known(x, run, k) || !is_known(x, run, least) ||
	    run->value[least] > run->value[k])
		return;
	const double by = run->value[least] / run->value[k];
	to->low = fmax(to->low, from->low * by);
	to->high = fmax(to->high, from->high * by);
}

static void order(struct trust_interval *x, const struct coherent_run *run)
{
	for (int of = TTFT; of <= E2EL; of += N_STATISTICS) {
		raise_to(x, run, of + P99, of + MEAN);
		raise_to(x, run, of + P99, of + P90);
	}
}

/* The mean E2E latency lies between the sums of the ends of its parts. */
static void add_up(struct trust_interval *x, const struct coherent_run *run)
{
	const struct trust_interval *first = &x[TTFT];
	const struct trust_interval *each = &x[TPOT];
	struct trust_interval *all = &x[E2EL];
	if (!is_known(x, run, TTFT) || !is_known(x, run, TPOT) ||
	    !is_known(x, run, E2EL) || run->value[TTFT] > run->value[E2EL])
		return;
	const double share = run->value[TTFT] / run->value[E2EL];
	const double least = share * first->low + (1 - share) * each->low;
	const double most = share * first->high + (1 - share) * each->high;
	all->low = fmin(fmax(all->low, least), most);
	all->high = fmax(fmin(all->high, most), least);
}

static void limit_throughput(struct trust_interval *x,
			     const struct coherent_run *run)
{
	const struct trust_interval *e2e = &x[E2EL];
	struct trust_interval *to = &x[THROUGHPUT];
	if (run->is_loop) {
		*to = *e2e;
		to->low = e2e->n ? 1 / e2e->high : (double)NAN;
		to->high = e2e->n ? 1 / e2e->low : (double)NAN;
		return;
	}
	if (run->is_stable) {
		forget(x, THROUGHPUT);
		return;
	}
	if (!is_known(x, run, THROUGHPUT) || !(run->offered > 0))
		return;
	const double most = fmax(1, run->offered / run->value[THROUGHPUT]);
	to->high = fmin(to->high, most);
	to->low = fmin(to->low, to->high);
}

/* The queue grows with the length of the run, or with a small error of the
 * time of a step. */
static void forget_queues(struct trust_interval *x)
{
	for (int k = 0; k < N_STATISTICS; k++) {
		forget(x, TTFT + k);
		forget(x, E2EL + k);
	}
}

void trust_cohere(struct trust_interval *x, const struct coherent_run *run)
{
	if (!run->is_stable)
		forget_queues(x);
	add_up(x, run);
	order(x, run);
	limit_throughput(x, run);
}
