/* How far figures can be trusted, as a document and as lines. */
#include "report/results/support.h"
#include "rendered.h"

static struct trusted trusted;
static struct outcome outcome;

static int place(const char *metric)
{
	int k = 0;
	while (k < N_TRUSTED && strcmp(trusted_metric[k], metric))
		k++;
	return k;
}

static void verdicts(void)
{
	struct support s = {.verdict = SUPPORT_MEASURED, .n = 12, .error = .04};
	struct jw *j = rendered_object();
	support_json(&s, j);
	json_t *doc = rendered_members(j);
	is(json_text_at(doc, "support.verdict"), "measured", "a verdict");
	ok(json_number_at(doc, "support.rows") == 12 &&
	       json_number_at(doc, "support.mean_error") == .04 &&
	       json_is_null(json_at(doc, "support.detail")),
	   "its rows and their error, without a detail");
	snprintf(s.detail, sizeof s.detail, "few rows");
	s.verdict = SUPPORT_EXTRAPOLATED, s.error = NAN;
	j = rendered_object();
	support_json(&s, j);
	doc = rendered_members(j);
	is(json_text_at(doc, "support.detail"), "few rows", "a detail");
	ok(json_is_null(json_at(doc, "support.mean_error")),
	   "an error that is not known is null");
	s = (struct support){
	    .verdict = SUPPORT_MEASURED, .n = 12, .error = .04};
	char *text = support_text(&s);
	is(text ? text : "(none)", "measured: 12 rows, mean error 4.0 %",
	   "as a text");
	free(text);
}

/* Mean TTFT is 50 ms, and lies in 0.8 to 1.2 of that. */
static void one_interval(void)
{
	trusted.interval[place("mean_ttft_ms")] = (struct trust_interval){
	    .low = .8, .high = 1.2, .coverage = .9, .n = 30, .group = "dense"};
	outcome.completed = 1;
	outcome.ttft = (struct stats_summary){.n = 1, .mean = 50e6};
}

static void ends(void)
{
	double v, low, high;
	ok(interval_ends(&trusted, &outcome, place("mean_ttft_ms"), &v, &low,
			 &high),
	   "a figure has an interval");
	near(v, 50, 1e-12, "its prediction");
	near(low, 40, 1e-12, "from a share of it");
	near(high, 60, 1e-12, "to another");
	ok(!interval_ends(&trusted, &outcome, place("mean_tpot_ms"), &v, &low,
			  &high),
	   "a figure without rows has none");
}

static void intervals(void)
{
	struct jw *j = rendered_object();
	intervals_json(&trusted, &outcome, j);
	json_t *doc = rendered_members(j);
	ok(json_object_size(json_at(doc, "interval")) == 1,
	   "a member for each figure that has one");
	ok(json_number_at(doc, "interval.mean_ttft_ms.low") == 40 &&
	       json_number_at(doc, "interval.mean_ttft_ms.high") == 60 &&
	       json_number_at(doc, "interval.mean_ttft_ms.n") == 30 &&
	       json_number_at(doc, "interval.mean_ttft_ms.coverage") == .9,
	   "its ends, and where they come from");
	is(json_text_at(doc, "interval.mean_ttft_ms.group"), "dense",
	   "by name");
}

static void brief(void)
{
	struct support s = {.verdict = SUPPORT_MEASURED, .n = 12, .error = .04};
	char *text = support_brief(&s);
	is(text,
	   "Support: measured; 12 scored runs near it have a mean error of "
	   "4.0 %.",
	   "in a sentence");
	free(text);
	s = (struct support){.verdict = SUPPORT_NOT_SCORED};
	text = support_brief(&s);
	is(text, "Support: not scored.", "without runs");
	free(text);
}

int main(void)
{
	verdicts();
	one_interval();
	ends();
	intervals();
	brief();
	return done();
}
