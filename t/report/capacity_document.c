/* A capacity as a document: the answer first, a row for each candidate, a
 * failure never the answer. */
#include "report/capacity_document.h"
#include <math.h>
#include <string.h>
#include "config_of.h"
#include "rendered.h"

enum { CANDIDATES = 2 };
static struct deployments d;
static struct search_left left[CANDIDATES];
static struct deployment_candidate candidate[CANDIDATES];
static struct names said[CANDIDATES];
static struct problem problem[CANDIDATES];
static struct job job[CANDIDATES];
static char names[CANDIDATES][8] = {"one", "two"};

static void setup(void)
{
	struct problem p;
	if (bounds_parse(&d.bounds, "--slo", "ttft_p99_ms=500", &p) < 0)
		bail_out(p.text);
	d.candidate = candidate;
	d.left = left;
	d.said = said;
	d.job = job;
	d.n_arms = 1;
	d.how.confidence = 0.9;
	for (size_t i = 0; i < CANDIDATES; i++) {
		candidate[i].name = names[i];
		config_good(
		    &candidate[i].config,
		    CONFIG_SETUP CONFIG_ARM(
			"mine",
			"100") "[workload]\nnum_requests=9\nrequest_rate=1\n"
			       "input_tokens=9\noutput_tokens=9\n");
		job[i].problem = &problem[i];
		left[i].found = (struct capacity_answer){
		    .capacity = {.verdict = CAPACITY_FOUND,
				 .limited_by = 0,
				 .request_rate = 20,
				 .low = 15,
				 .high = 25,
				 .units = 1,
				 .units_low = 1,
				 .units_high = 1,
				 .seen.hit_rate = NAN,
				 .seen.replicas_mean = NAN,
				 .output_throughput = 100},
		    .gpus_per_unit = 2,
		    .replicas_per_unit = 1,
		    .outside = {.router = "round_robin"}};
	}
}

static char *page(void)
{
	static char *text;
	struct problem p;
	if (capacity_page(&d, "stepcost capacity x", rendered_begin(), &p) < 0)
		bail_out(p.text);
	text = (char *)(uintptr_t)rendered_end();
	return text;
}

static void one(void)
{
	d.n_candidates = 1;
	capacity_text(&d, 0, rendered_begin());
	const char *text = rendered_end();
	ok(!strncmp(text, "mine carries 20 requests/s [", 28),
	   "the answer comes first: %.60s", text);
	rendered_has(text, "are carried with TTFT p99 <= 500 ms?");
	rendered_has(text, "one        mine");
	rendered_lacks(text, "Simulated set-up");
	capacity_text(&d, 1, rendered_begin());
	rendered_has(rendered_end(), "Simulated set-up");
	rendered_has(page(), "requests/s carried by a GPU");
	rendered_has(rendered_text, "<b>10</b>");
}

static void a_failure(void)
{
	static const char *const sentence[] = {
	    "two has no answer (it does not fit).",
	    "mine chooses one: 2 GPUs."};
	static struct verdict_choice choice = {.candidate = CANDIDATES};
	d.decision.choice = &choice;
	d.n_candidates = 2;
	d.rate = 10;
	d.decision.sentences =
	    (struct names){(const char **)(uintptr_t)sentence, 2, 0};
	static char complaint[] = "mine: it does not fit";
	job[1].complaint = complaint;
	problem[1].code = EXIT_USAGE;
	snprintf(problem[1].text, sizeof problem[1].text, "it does not fit");
	capacity_text(&d, 0, rendered_begin());
	const char *text = rendered_end();
	ok(!strncmp(text, "mine chooses one: 2 GPUs.\n", 26),
	   "the decision, although a candidate failed: %.60s", text);
	rendered_has(text, "two, mine failed: it does not fit");
	rendered_has(page(), "<p class=\"head\">mine chooses one: 2 GPUs.</p>");
	rendered_has(rendered_text, "How many GPUs carry 10 requests/s");
}

int main(void)
{
	scratch_open();
	setup();
	one();
	a_failure();
	for (size_t i = 0; i < CANDIDATES; i++)
		config_free(&candidate[i].config);
	return done();
}
