/* Repeats a study under further seeds, with the same requests for all arms or
 * with requests of their own. */
#include "study/seeds.h"
#include "studied.h"

static struct seeds s;

/* Lengths are random: seeds differ. */
#define RANDOM                                                                 \
	CONFIG_SETUP                                                           \
	"[workload]\nnum_requests=20\nconcurrency=1\n"                         \
	"input_tokens=constant:10\noutput_tokens=uniform:2,40\n"
enum { SEEDS = 4 };

static const struct metric *e2el(void)
{
	return metric_find("mean_e2el_ms");
}

static double mean(const double *x, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

static void run(int unpaired)
{
	seeds_free(&s);
	if (seeds_run(&s, &study, SEEDS, unpaired, &why) < 0)
		bail_out(why.text);
}

/* The same steps, each of 250 instead of 100 us. */
static void paired(void)
{
	double a[SEEDS], b[SEEDS];
	struct interval x;
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_ARM("b", "250"));
	run(0);
	ok(seeds_code(&s) == EXIT_DONE && seeds_values(&s, e2el(), 0, a) == 0 &&
	       seeds_values(&s, e2el(), 1, b) == 0,
	   "a figure of each arm, seed by seed");
	ok(a[0] == metric_value(e2el(), &study.arm[0].record->outcome),
	   "the first seed is the study's own");
	ok(a[1] != a[0] && a[2] != a[1] && a[3] != a[2], "others are others");
	for (int k = 0; k < SEEDS; k++)
		near(b[k], 2.5 * a[k], 1e-12,
		     "both arms had the requests of "
		     "seed %d",
		     k);
	ok(seeds_difference(&s, e2el(), 1, &x) == 0, "the difference");
	near(x.mean, 1.5 * mean(a, SEEDS), 1e-12, "is that of the means");
	ok(x.low <= x.mean && x.mean <= x.high && x.low > 0 &&
	       x.distinguishable,
	   "surely one");
	ok(seeds_values(&s, metric_find("request_goodput"), 0, a) < 0 &&
	       seeds_difference(&s, metric_find("request_goodput"), 1, &x) < 0,
	   "a figure that does not apply has none");
}

/* Returns 1 if no two jobs had the same requests. */
static int hashes_differ(void)
{
	for (size_t i = 0; i < s.arms.n; i++)
		for (size_t k = 0; k < i; k++)
			if (study_record(&s.job[i])->request_hash ==
			    study_record(&s.job[k])->request_hash)
				return 0;
	return s.arms.n == 2 * SEEDS;
}

static void unpaired(void)
{
	double a[SEEDS], b[SEEDS];
	struct interval x;
	run(1);
	ok(seeds_values(&s, e2el(), 0, a) == 0 &&
	       seeds_values(&s, e2el(), 1, b) == 0,
	   "each arm has seeds of its own");
	ok(hashes_differ(), "none has requests of the other's");
	ok(seeds_difference(&s, e2el(), 1, &x) == 0, "the difference");
	near(x.mean, mean(b, SEEDS) - mean(a, SEEDS), 1e-12,
	     "of two independent means");
}

static void one_fails(void)
{
	double x[SEEDS];
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_BAD_ARM("x"));
	run(0);
	ok(seeds_code(&s) == EXIT_PLUGIN && seeds_values(&s, e2el(), 1, x) < 0,
	   "an arm that fails has no figures");
	ok(seeds_values(&s, e2el(), 0, x) == 0, "the other has its own");
}

/* The engine rejects requests of more than 20 tokens: others under each seed.
 */
static void rejections(void)
{
	studied(
	    CONFIG_SETUP
	    "[engine]\nmax_model_len=20\n"
	    "[workload]\nnum_requests=20\nconcurrency=1\n"
	    "input_tokens=constant:10\noutput_tokens=uniform:2,40\n" CONFIG_ARM(
		"a", "100"));
	run(0);
	uint64_t sum = 0;
	for (int k = 0; k + 1 < SEEDS; k++)
		sum += study_record(&s.job[k])->outcome.rejected;
	struct rejections r = seeds_rejections(&s, 0);
	ok(sum > 0 && r.of[REJECTED_BY_MODEL_LENGTH].n == sum,
	   "%llu requests were rejected under further seeds",
	   (unsigned long long)sum);
}

int main(void)
{
	scratch_open();
	paired();
	unpaired();
	one_fails();
	rejections();
	seeds_free(&s);
	studied_free();
	return done();
}
