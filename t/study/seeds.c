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
	const struct seeds_plan plan = {
	    .low = SEEDS, .high = SEEDS, .unpaired = unpaired};
	seeds_free(&s);
	if (seeds_run(&s, &study, &plan, &why) < 0)
		bail_out(why.text);
}

/* The same steps, each of 250 instead of 100 us. */
static void paired(void)
{
	double a[SEEDS], b[SEEDS];
	struct seeds_pair x;
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
	ok(seeds_compare(&s, e2el(), &x) == 0 && x.is_known, "the difference");
	near(x.is.mean, 1.5 * mean(a, SEEDS), 1e-12, "is that of the means");
	ok(x.is.low <= x.is.mean && x.is.mean <= x.is.high && x.is.low > 0 &&
	       x.is.distinguishable && x.p == x.p_adjusted && x.p < .05,
	   "surely one");
	ok(seeds_values(&s, metric_find("request_goodput"), 0, a) < 0 &&
	       seeds_compare(&s, metric_find("request_goodput"), &x) == 0 &&
	       !x.is_known,
	   "a figure that does not apply has none");
}

/* Returns 1 if no two jobs had the same requests. */
static int hashes_differ(void)
{
	for (size_t i = 0; i < s.arms[0].n; i++)
		for (size_t k = 0; k < i; k++)
			if (study_record(&s.job[i])->request_hash ==
			    study_record(&s.job[k])->request_hash)
				return 0;
	return s.arms[0].n == 2 * SEEDS;
}

static void unpaired(void)
{
	double a[SEEDS], b[SEEDS];
	struct seeds_pair x;
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_ARM("b", "250"));
	run(1);
	ok(seeds_values(&s, e2el(), 0, a) == 0 &&
	       seeds_values(&s, e2el(), 1, b) == 0,
	   "each arm has seeds of its own");
	ok(hashes_differ(), "none has requests of the other's");
	ok(seeds_compare(&s, e2el(), &x) == 0 && x.is_known, "the difference");
	near(x.is.mean, mean(b, SEEDS) - mean(a, SEEDS), 1e-12,
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

static double half_share(size_t n)
{
	double x[64];
	s.n_seeds = n;
	seeds_values(&s, e2el(), 0, x);
	struct student_mean m = student_mean(x, n);
	return m.half / m.mean;
}

/* Seeds of one arm are added until its mean is known well enough. */
static void until(void)
{
	struct seeds_plan plan = {0};
	studied(RANDOM CONFIG_ARM("a", "100"));
	ok(seeds_plan(&plan, "3..60", "mean_e2el_ms=12%", &why) == 0 &&
	       plan.low == 3 && plan.high == 60 && plan.within == .12,
	   "a goal");
	seeds_free(&s);
	ok(seeds_run(&s, &study, &plan, &why) == 0 && s.reached,
	   "is reached after %zu seeds", s.n_seeds);
	size_t used = s.n_seeds;
	ok(half_share(used) == s.half_width && s.half_width <= .12 &&
	       half_share(used - 1) <= .12,
	   "at two numbers of seeds in a row");
	size_t earlier = 0;
	for (size_t n = 4; n < used; n++)
		earlier += half_share(n) <= .12 && half_share(n - 1) <= .12;
	ok(earlier == 0, "and at none before");
	plan.within = 1e-9;
	plan.high = 6;
	seeds_free(&s);
	ok(seeds_run(&s, &study, &plan, &why) == 0 && !s.reached &&
	       s.n_seeds == 6,
	   "or not, up to the limit");
	static const char *const bad[][2] = {{"0", NULL},
					     {"5..3", "mean_e2el_ms=2%"},
					     {"5..9", NULL},
					     {"5", "mean_e2el_ms=2%"},
					     {"5..9", "mean_e2el_ms=2"},
					     {"5..9", "mine=2%"},
					     {"1..9", "mean_e2el_ms=2%"},
					     {"x", NULL}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(seeds_plan(&plan, bad[i][0], bad[i][1], &why) < 0 &&
		       why.code == EXIT_USAGE,
		   "refused: %s", why.text);
}

/* Three arms: p-values are corrected for their pairs. */
static void pairs(void)
{
	struct seeds_pair x[3];
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_ARM("b", "100.001")
		    CONFIG_ARM("c", "250"));
	run(0);
	ok(seeds_n_pairs(&s) == 2 && seeds_compare(&s, e2el(), x) == 0 &&
	       x[0].a == 0 && x[0].b == 1 && x[1].b == 2,
	   "differences to the first arm");
	near(fmin(x[0].p_adjusted, x[1].p_adjusted), 2 * fmin(x[0].p, x[1].p),
	     1e-12, "the smallest p counts for two");
	s.plan.all_pairs = 1;
	ok(seeds_n_pairs(&s) == 3 && seeds_compare(&s, e2el(), x) == 0 &&
	       x[2].a == 1 && x[2].b == 2,
	   "or of all pairs");
	ok(x[0].p_adjusted >= x[0].p && x[1].p_adjusted >= x[1].p,
	   "corrected for three");
}

int main(void)
{
	scratch_open();
	paired();
	until();
	pairs();
	unpaired();
	one_fails();
	rejections();
	seeds_free(&s);
	studied_free();
	return done();
}
