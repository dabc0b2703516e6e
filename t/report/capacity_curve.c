/* The curve of a capacity: the runs of the search, the bound, the answer. */
#include "report/capacity_curve.h"
#include <math.h>
#include "rendered.h"

static struct deployments d;

static void draw(void)
{
	struct problem p;
	if (capacity_curves(&d, rendered_begin(), &p) < 0)
		bail_out("capacity_curves");
	rendered_end();
}

static void tried(double load, double ms)
{
	struct capacity_search *s = &d.left[0].search;
	s->tried[s->n_tried++] =
	    (struct capacity_tried){.load = load, .value = {ms}};
}

int main(void)
{
	static struct arm_config arm = {.name = "mine"};
	static struct deployment_candidate candidate = {.name =
							    "as configured"};
	static struct search_left left;
	struct problem p;
	if (bounds_parse(&d.bounds, "--slo", "ttft_p99_ms=500,tpot_mean_ms=25",
			 &p) < 0)
		bail_out(p.text);
	candidate.config.arm = &arm;
	d.candidate = &candidate;
	d.left = &left;
	d.n_candidates = d.n_arms = 1;
	left.found.capacity = (struct capacity){.verdict = CAPACITY_FOUND,
						.limited_by = 0,
						.request_rate = 20,
						.low = 15,
						.high = 25};
	tried(20, 510), tried(10, 200), tried(20.1, 490), tried(40, 900);
	draw();
	ok(rendered_count("<figure>") == 1 &&
	       rendered_count("TTFT p99, ms against requests/s"),
	   "a figure of the bound that limits, and none of the other");
	ok(rendered_count("</svg>mine</span>") == 1 &&
	       rendered_count("</svg>bound: 500 ms</span>") == 1,
	   "a key beside it");
	ok(rendered_count("h0") == 3 + 1 + 1,
	   "four runs at three loads are three points; the answer, and one in "
	   "the key");
	ok(rendered_count("class=\"p a p0\"") == 1 &&
	       rendered_count("class=\"w s0\"") == 1,
	   "the answer and its interval");
	left.found.capacity.clients = 3;
	draw();
	ok(rendered_count("against clients") > 0, "a closed loop has clients");
	left.found.capacity.verdict = CAPACITY_NONE;
	draw();
	ok(!rendered_count("class=\"p a") && rendered_count("class=\"rule\""),
	   "without an answer the bound remains");
	left.search.n_tried = 0;
	draw();
	ok(!strstr(rendered_text, "nan") && !strstr(rendered_text, "inf\""),
	   "without runs");
	return done();
}
