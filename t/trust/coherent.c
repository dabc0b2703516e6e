/* Intervals of one result can all be true at once: by hand, and for random
 * results. */
#include "trust/coherent.h"
#include "trust/trusted.h"
#include "math/rng.h"
#include "tap.h"

enum { TTFT, TTFT_90, TTFT_99, TPOT, TPOT_90, TPOT_99, E2EL, E2EL_90, E2EL_99 };
enum { THROUGHPUT = 9 };

static struct trusted t;
static struct trusted_load load;

static void give(int k, double value, double low, double high)
{
	load.value[k] = value;
	t.interval[k] = (struct trust_interval){
	    .low = low, .high = high, .coverage = .9, .n = 40};
}

static void begin(int is_stable, uint64_t clients)
{
	t = (struct trusted){0};
	load =
	    (struct trusted_load){.is_stable = is_stable, .clients = clients};
	for (int k = 0; k < N_TRUSTED; k++)
		t.interval[k].low = t.interval[k].high = NAN;
}

static void cohere(void)
{
	trust_cohere(t.interval,
		     &(struct coherent_run){.value = load.value,
					    .offered = load.offered,
					    .is_stable = load.is_stable,
					    .is_loop = load.clients > 0});
}

static double low(int k)
{
	return load.value[k] * t.interval[k].low;
}

static double high(int k)
{
	return load.value[k] * t.interval[k].high;
}

static void by_hand(void)
{
	begin(1, 0);
	give(TPOT, 40, .9, 3.75);
	give(TPOT_90, 46, .8, 1.1);
	give(TPOT_99, 48, .8, 1.15);
	cohere();
	near(high(TPOT_99), 150, 1e-9, "a mean up to 150 is a p99 up to 150");
	near(low(TPOT_99), 38.4, 1e-9, "the lower end was above");
	near(high(TPOT_90), 50.6, 1e-9, "p90 may be below the mean");
	begin(1, 0);
	give(TTFT, 100, .5, 2);
	give(TPOT, 10, .9, 1.1);
	give(E2EL, 1000, .4, 1.9);
	cohere();
	near(low(E2EL), 50 + 810, 1e-9, "E2E latency is the sum of its parts");
	near(high(E2EL), 200 + 990, 1e-9, "at both ends");
}

static void throughputs(void)
{
	begin(1, 8);
	give(E2EL, 1000, .8, 1.25);
	give(THROUGHPUT, 500, .3, 3);
	cohere();
	near(low(THROUGHPUT), 400, 1e-9, "clients in a loop: the inverse");
	near(high(THROUGHPUT), 625, 1e-9, "of E2E latency");
	begin(1, 0);
	give(THROUGHPUT, 500, .3, 3);
	cohere();
	ok(!t.interval[THROUGHPUT].n, "all that arrives is served: none");
	begin(0, 0);
	give(TTFT, 100, .5, 2);
	give(TPOT, 10, .9, 1.1);
	give(E2EL, 1000, .4, 1.9);
	give(THROUGHPUT, 500, .9, 3);
	load.offered = 600;
	cohere();
	near(high(THROUGHPUT), 600, 1e-9, "a queue: at most what arrives");
	ok(!t.interval[TTFT].n && !t.interval[E2EL].n && t.interval[TPOT].n,
	   "and the latencies that it decides are not known");
}

/* Of each family mean <= p99 and p90 <= p99, as of most runs. */
static void draw_family(struct rng *g, int of)
{
	double mean = 1 + 999 * rng_uniform(g);
	double p90 = mean * (.5 + 2 * rng_uniform(g));
	double p99 = fmax(mean, p90) * (1 + rng_uniform(g));
	const double value[] = {mean, p90, p99};
	for (int k = 0; k < 3; k++)
		if (rng_uniform(g) < .85)
			give(of + k, value[k], .2 + .8 * rng_uniform(g),
			     1 + 3 * rng_uniform(g));
}

static int is_below(int a, int b)
{
	return !t.interval[a].n || !t.interval[b].n ||
	       (low(a) <= low(b) * (1 + 1e-12) &&
		high(a) <= high(b) * (1 + 1e-12));
}

/* TTFT and the rest, which errs as TPOT. */
static int is_sum(void)
{
	double rest = load.value[E2EL] - load.value[TTFT];
	if (!t.interval[TTFT].n || !t.interval[TPOT].n || !t.interval[E2EL].n ||
	    rest < 0)
		return 1;
	return low(E2EL) >=
		   (low(TTFT) + rest * t.interval[TPOT].low) * (1 - 1e-12) &&
	       high(E2EL) <=
		   (high(TTFT) + rest * t.interval[TPOT].high) * (1 + 1e-12);
}

static uint32_t faults(void)
{
	uint32_t bad = (uint32_t)!is_sum();
	for (int of = TTFT; of <= E2EL; of += 3)
		bad += (uint32_t)(!is_below(of, of + 2) +
				  !is_below(of + 1, of + 2));
	for (int k = 0; k < TRUSTED_WATTS; k++)
		bad += t.interval[k].n &&
		       !(t.interval[k].low > 0 &&
			 t.interval[k].low <= t.interval[k].high);
	if (t.interval[THROUGHPUT].n && load.offered > 0 && !load.clients &&
	    high(THROUGHPUT) >
		fmax(load.offered, load.value[THROUGHPUT]) * (1 + 1e-12))
		bad++;
	if (!load.is_stable && (t.interval[TTFT].n || t.interval[E2EL_99].n))
		bad++;
	return bad;
}

static void at_random(void)
{
	uint32_t bad = 0;
	for (uint64_t i = 0; i < 20000; i++) {
		struct rng g = rng_stream(i, RNG_INPUT, 0);
		begin(rng_uniform(&g) < .7,
		      rng_uniform(&g) < .3 ? 1 + rng_below(&g, 99) : 0);
		draw_family(&g, TTFT);
		draw_family(&g, TPOT);
		draw_family(&g, E2EL);
		give(THROUGHPUT, 500, .2 + .8 * rng_uniform(&g),
		     1 + 3 * rng_uniform(&g));
		load.offered =
		    rng_uniform(&g) < .5 ? 300 + 600 * rng_uniform(&g) : 0;
		cohere();
		uint32_t now = faults();
		if (now && !bad)
			printf("# result %llu\n", (unsigned long long)i);
		bad += now;
	}
	ok(bad == 0, "20,000 random results: %u faults", bad);
}

int main(void)
{
	by_hand();
	throughputs();
	at_random();
	return done();
}
