/* How many replicas there should be, by sequences worked out by hand. */
#include "sim/fleet/hpa.h"
#include "tap.h"

#define S INT64_C(1000000000)

static struct fleet_rules rules(void)
{
	return (struct fleet_rules){.metric = FLEET_METRIC_WAITING,
				    .target = 5000,
				    .min = 1,
				    .max = 16,
				    .tolerance = 100000,
				    .down_window_ns = 300 * S,
				    .period_ns = 15 * S,
				    .up_pods = 4,
				    .up_percent = 100};
}

static uint64_t once(const struct fleet_rules *is, uint64_t metric, uint64_t n)
{
	struct hpa h = {.is = is};
	uint64_t desired = hpa_desired(&h, 0, 1000 * metric, n);
	hpa_free(&h);
	return desired;
}

static void decisions(void)
{
	struct fleet_rules is = rules();
	ok(once(&is, 50, 10) == 10, "at the target nothing changes");
	ok(once(&is, 45, 10) == 10, "nor at 0.9 of it");
	ok(once(&is, 54, 10) == 10 && once(&is, 55, 10) == 11,
	   "at 1.1 of it more are needed");
	ok(once(&is, 26, 5) == 5 && once(&is, 30, 5) == 6, "rounded up");
	ok(once(&is, 1000, 2) == 6, "four more at once");
	ok(once(&is, 1000, 7) == 14, "or twice as many");
	ok(once(&is, 1000, 12) == 16 && once(&is, 0, 3) == 1,
	   "within min and max");
	ok(once(&is, 0, 0) == 1, "of none, min");
}

static void windows(void)
{
	struct fleet_rules is = rules();
	struct hpa h = {.is = &is};
	ok(hpa_desired(&h, 0, 20000, 4) == 4, "as many as are there");
	ok(hpa_desired(&h, 15 * S, 5000, 4) == 4, "fewer only after a while");
	ok(hpa_desired(&h, 300 * S, 5000, 4) == 4, "300 s are not over");
	ok(hpa_desired(&h, 315 * S, 10000, 4) == 2,
	   "then the most of the last 300 s");
	for (int64_t t = 330; t < 33000; t += 15)
		hpa_desired(&h, t * S, 10000, 2);
	ok(h.wanted.end - h.wanted.first <= 21 && h.wanted.cap == 64,
	   "what is older is forgotten");
	hpa_free(&h);

	is.up_window_ns = 30 * S;
	h = (struct hpa){.is = &is};
	ok(hpa_desired(&h, 0, 5000, 1) == 1 &&
	       hpa_desired(&h, 15 * S, 25000, 1) == 1 &&
	       hpa_desired(&h, 45 * S, 15000, 1) == 3,
	   "more only as far as the window for more agrees");
	hpa_free(&h);

	is.up_window_ns = 0;
	is.period_ns = 60 * S;
	h = (struct hpa){.is = &is};
	ok(hpa_desired(&h, 0, 100000, 1) == 5 &&
	       hpa_desired(&h, 15 * S, 100000, 5) == 5 &&
	       hpa_desired(&h, 60 * S, 100000, 5) == 10,
	   "a policy counts what its period has added");
	hpa_free(&h);
}

int main(void)
{
	decisions();
	windows();
	return done();
}
