/* Ways to serve: what each takes, and which one an arm would choose. */
#include "study/deployment.h"
#include "tap.h"

enum { WAYS = 2, ARMS = 2 };
static struct deployment found[WAYS][ARMS];
static struct job job[WAYS * ARMS];
static struct deployments d;

/* Way 0: one GPU at 3 USD/h; way 1: four at 1 USD/h, of three times the
 * capacity.  Both arms agree. */
static void fresh(void)
{
	for (size_t i = 0; i < WAYS * ARMS; i++) {
		size_t way = i / ARMS;
		struct deployment *x = &found[way][i % ARMS];
		*x = (struct deployment){
		    .capacity = {.verdict = CAPACITY_FOUND,
				 .request_rate = way ? 30 : 10,
				 .output_throughput = way ? 3000 : 1000},
		    .gpus = way ? 4 : 1,
		    .usd_per_hour = way ? 1 : 3};
		job[i] = (struct job){.shared = x};
	}
	d = (struct deployments){.n_ways = WAYS, .n_arms = ARMS, .job = job};
}

static void figures(void)
{
	fresh();
	const struct deployment *x = deployments_at(&d, 1, 0);
	ok(deployments_needed(&d, x) == 1, "no rate asked for: one deployment");
	near(deployment_usd_per_mtok(x), 4.0 / (3000 * 3600) * 1e6, 1e-12,
	     "a million tokens take the time that all of its GPUs cost");
	d.rate = 61;
	ok(deployments_needed(&d, x) == 3, "61 requests/s take three of 30");
	ok(deployments_gpus(&d, x) == 12, "that is twelve GPUs");
	ok(deployments_usd_per_hour(&d, x) == 12, "and 12 USD an hour");
	found[1][0].usd_per_hour = 0;
	ok(isnan(deployments_usd_per_hour(&d, x)) &&
	       isnan(deployment_usd_per_mtok(x)),
	   "a GPU without a price has no costs");
	found[1][0].capacity.verdict = CAPACITY_NONE;
	ok(isinf(deployments_gpus(&d, x)), "no number of GPUs is enough");
}

static void judged(void)
{
	fresh();
	ok(deployments_priced(&d), "every GPU has a price");
	ok(deployments_choice(&d, 0) == 1,
	   "3000 tokens for 4 USD are cheaper than 1000 for 3");
	d.rate = 10;
	ok(deployments_choice(&d, 0) == 0,
	   "for 10 requests/s, 3 USD are less than 4");
	d.rate = 0;
	found[0][1].usd_per_hour = 0;
	ok(!deployments_priced(&d) && deployments_choice(&d, 0) == 0,
	   "where one has none, GPUs per request/s count: 1/10, not 4/30");
	d.rate = 35;
	ok(deployments_choice(&d, 0) == 0, "4 GPUs serve 35 as 8 do");
}

static void alike(void)
{
	fresh();
	ok(!deployments_differ(&d), "both arms choose the second way");
	found[1][1].capacity.verdict = CAPACITY_NONE;
	ok(deployments_choice(&d, 1) == 0 && deployments_differ(&d),
	   "what cannot meet the bounds is not chosen");
	found[0][1].capacity.verdict = CAPACITY_NONE;
	ok(deployments_choice(&d, 1) == WAYS && deployments_differ(&d),
	   "none at all is a choice of its own");
	job[3].complaint = (char *)(uintptr_t) "arm b: it crashed";
	ok(deployments_failed(&d, 1) && !deployments_failed(&d, 0) &&
	       !deployments_differ(&d),
	   "an arm that failed does not choose");
	ok(deployments_at(&d, 1, 1) == NULL, "and has found nothing");
}

int main(void)
{
	figures();
	judged();
	alike();
	return done();
}
