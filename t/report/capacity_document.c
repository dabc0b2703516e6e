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

static const char *text(unsigned in)
{
	struct document is;
	struct problem p;
	if (capacity_document(&d, in == IN_PAGE, &is, &p) < 0)
		bail_out(p.text);
	FILE *f = rendered_begin();
	if (in != IN_PAGE)
		document_text(&is, in, f);
	else if (document_html(&is, f, &p) < 0)
		bail_out(p.text);
	document_free(&is);
	return rendered_end();
}

static void one(void)
{
	d.n_candidates = 1;
	const char *is = text(IN_SHORT);
	ok(!strncmp(is, "mine carries 20 requests/s [", 28),
	   "the answer comes first: %.60s", is);
	rendered_has(is, "are carried with TTFT p99 <= 500 ms?");
	rendered_has(is, "one        mine");
	rendered_lacks(is, "Simulated set-up");
	rendered_has(text(IN_FULL), "Simulated set-up");
	rendered_has(text(IN_PAGE), "requests/s carried by a GPU");
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
	const char *is = text(IN_SHORT);
	ok(!strncmp(is, "mine chooses one: 2 GPUs.\n", 26),
	   "the decision, although a candidate failed: %.60s", is);
	rendered_has(is, "two, mine failed: it does not fit");
	rendered_has(text(IN_PAGE),
		     "<p class=\"head\">mine chooses one: 2 GPUs.</p>");
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
