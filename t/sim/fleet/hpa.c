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
	ok(h.most.end - h.most.first == 1 && h.most.cap <= 64,
	   "what is older, and what a younger one exceeds, is forgotten");
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

/* The answer of windows over all numbers so far, the last of them at `last`. */
static uint64_t answer(const struct fleet_rules *is, const uint64_t *wanted,
		       int last, int64_t step_ns, uint64_t n)
{
	uint64_t least = UINT64_MAX, most = 0;
	for (int i = 0; i <= last; i++) {
		int64_t age_ns = (last - i) * step_ns;
		if (age_ns <= is->up_window_ns && wanted[i] < least)
			least = wanted[i];
		if (age_ns <= is->down_window_ns && wanted[i] > most)
			most = wanted[i];
	}
	return n < least ? least : n > most ? most : n;
}

static void drawn_windows(int64_t up_s, int64_t down_s)
{
	enum { DECISIONS = 3000, MOST = 40 };
	struct fleet_rules is = rules();
	static uint64_t wanted[DECISIONS];
	uint64_t draw = 1, n = 1, wrong = 0, changes = 0;
	is.tolerance = 0;
	is.max = is.up_pods = MOST;
	is.up_window_ns = up_s * S;
	is.down_window_ns = down_s * S;
	struct hpa h = {.is = &is};
	for (int i = 0; i < DECISIONS; i++) {
		draw = draw * 6364136223846793005u + 1442695040888963407u;
		uint64_t was = i ? wanted[i - 1] : MOST / 2;
		uint64_t up = was + 3 > MOST ? MOST : was + 3;
		uint64_t low = was > 3 ? was - 3 : 1;
		wanted[i] = low + (draw >> 33) % (up - low + 1);
		uint64_t is_n =
		    hpa_desired(&h, 15 * S * i, is.target * wanted[i], n);
		wrong += is_n != answer(&is, wanted, i, 15 * S, n);
		changes += is_n != n;
		n = is_n;
	}
	ok(wrong == 0 && changes > 20 && h.least.cap <= 64 && h.most.cap <= 64,
	   "windows of %d and %d s: as of all numbers in them", (int)up_s,
	   (int)down_s);
	hpa_free(&h);
}

int main(void)
{
	decisions();
	windows();
	drawn_windows(0, 300);
	drawn_windows(60, 300);
	drawn_windows(315, 40);
	return done();
}
