/* What the arms of an answer rest on: one sentence, grouped by how the nearest
 * scored runs differ, and one about ranges that look surer than they are. */
#include "report/results/rests_on.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static const struct trusted measured = {
    .support = {.verdict = SUPPORT_MEASURED, .n = 50, .error = .069}};
static const struct trusted one_run = {
    .support = {.verdict = SUPPORT_EXTRAPOLATED,
		.n = 1,
		.error = .02,
		.n_unlike = 1,
		.detail = "few rows"}};
static const struct trusted unlike = {
    .support = {.verdict = SUPPORT_EXTRAPOLATED,
		.n = 3,
		.error = .154,
		.n_unlike = 3,
		.detail = "fp8 (nearest: bf16), tp 2 (nearest: tp 8), context "
			  "2300 (scored: 276 to 277)"}};
static const struct trusted none = {
    .support = {.verdict = SUPPORT_NOT_SCORED,
		.detail = "no errors of this version"}};

/* The same with an interval of mean E2E latency that is so wide. */
static struct trusted with_width(const struct trusted *of, double width)
{
	struct trusted t = *of;
	for (size_t i = 0; i < N_TRUSTED; i++)
		if (!strcmp(trusted_metric[i], "mean_e2el_ms"))
			t.interval[i] = (struct trust_interval){
			    .low = 1, .high = width, .n = 20};
	return t;
}

#define HEAD "Support, and the mean error of the nearest scored runs: "

/* The sentences, one behind the other. */
static const char *said(const struct rests_on *item, size_t n)
{
	static char text[2000];
	struct document d = {.in = IN_ALL};
	rests_on_say(item, n, &d);
	text[0] = '\0';
	for (size_t i = 0; i < d.n; i++)
		strcat(strcat(text, i ? "|" : ""), d.part[i].text);
	document_free(&d);
	return text;
}

static void kinds(void)
{
	const struct rests_on all[] = {
	    {"a", &measured}, {"b", &unlike}, {"c", &none}, {"d", &unlike}};
	is(said(all, 1), HEAD "measured: a (50 runs, 6.9 %).", "one arm");
	is(said(all, 4),
	   HEAD "measured: a (50 runs, 6.9 %); extrapolated to fp8, tp 2, "
		"context: b, d (3 runs, 15.4 %); not scored: "
		"c.",
	   "arms of one kind stand together, numbers of a range are left out");
	is(said(&(struct rests_on){"a", &one_run}, 1),
	   HEAD "extrapolated to few rows: a (1 run, 2.0 %).", "one run");
	is(said(all, 0), "", "no arm");
	const struct rests_on many[] = {{"a", &none},     {"b", &none},
					{"c", &none},     {"d", &none},
					{"e", &measured}, {"f", &none}};
	is(said(many, 6),
	   HEAD "not scored: a, b, c and 2 more; measured: e (50 runs, 6.9 %).",
	   "many alike are counted");
}

static void surer(void)
{
	struct trusted wide = with_width(&measured, 3),
		       other = with_width(&unlike, 1.2);
	const struct rests_on both[] = {{"a", &wide}, {"b", &other}};
	const char *warned =
	    "|Narrow ranges of b are no surer: they rest on less "
	    "similar runs.";
	ok(strstr(said(both, 2), warned), "narrower by runs that are unlike");
	other = with_width(&unlike, 4);
	ok(!strstr(said(both, 2), "no surer"), "not if its range is wider");
	other = unlike;
	ok(!strstr(said(both, 2), "no surer"), "nor if it has none");
	other = with_width(&measured, 1.2);
	ok(!strstr(said(both, 2), "no surer"), "nor if its runs are alike");
	wide = with_width(&one_run, 3), other = with_width(&unlike, 1.2);
	ok(strstr(said(both, 2), warned), "of two, that with more differences");
	wide = with_width(&unlike, 3);
	ok(!strstr(said(both, 2), "no surer"), "not if they differ alike");
}

int main(void)
{
	kinds();
	surer();
	return done();
}
