/* Differences between arms over several seeds, with their intervals. */
#include "report/results/seeds.h"
#include "rendered.h"
#include "studied.h"

static struct seeds s;

#define RANDOM                                                                 \
	CONFIG_SETUP                                                           \
	"[workload]\nnum_requests=20\nconcurrency=1\n"                         \
	"input_tokens=constant:10\noutput_tokens=uniform:2,40\n"

/* One step more for each token: E2EL depends on the seed, TPOT does not. */
static void run(int unpaired)
{
	seeds_free(&s);
	if (seeds_run(&s, &study, 4, unpaired, &why) < 0)
		bail_out(why.text);
}

static void as_text(void)
{
	seeds_text(&s, rendered_begin());
	const char *text = rendered_end();
	rendered_has(text, "4 seeds: paired differences");
	rendered_has(text, "b against a\n");
	const char *row = strstr(text, "mean_e2el_ms");
	double mean = 0, low = 0, high = 0;
	ok(row && sscanf(row, "mean_e2el_ms %lf [%lf, %lf]", &mean, &low,
			 &high) == 3,
	   "a line with its interval");
	struct interval is;
	seeds_difference(&s, metric_find("mean_e2el_ms"), 1, &is);
	ok(fabs(mean - is.mean) < 1e-3 && fabs(low - is.low) < 1e-3 &&
	       fabs(high - is.high) < 1e-3,
	   "whose figures are those of the study");
	rendered_has(text, "  distinguishable\n");
	row = strstr(text, "completed");
	ok(row && strstr(row, "exactly equal"),
	   "a figure that does not depend on the arm");
}

static void as_json(void)
{
	struct jw *j = rendered_object();
	double value[4];
	seeds_json(&s, j);
	json_t *doc = rendered_members(j);
	seeds_values(&s, metric_find("mean_e2el_ms"), 1, value);
	ok(json_number_at(doc, "seeds.n") == 4 &&
	       json_is_true(json_at(doc, "seeds.paired")),
	   "how many, and that they are paired");
	is(json_text_at(doc, "seeds.arms.1.name"), "b", "an arm");
	json_t *e2el = json_at(doc, "seeds.arms.1.mean_e2el_ms");
	ok(json_array_size(json_at(e2el, "values")) == 4 &&
	       json_number_at(e2el, "values.2") == value[2],
	   "its figure under each seed");
	is(json_text_at(e2el, "verdict"), "distinguishable", "the verdict");
	ok(json_number_at(e2el, "low") > 0 &&
	       json_number_at(e2el, "difference") >=
		   json_number_at(e2el, "low"),
	   "the interval");
	ok(!json_object_get(json_at(doc, "seeds.arms.0.mean_e2el_ms"),
			    "difference"),
	   "the first arm is compared to nothing");
	ok(!json_object_get(json_at(doc, "seeds.arms.0"), "request_goodput"),
	   "a figure that does not apply is left out");
}

int main(void)
{
	scratch_open();
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_ARM("b", "250"));
	run(0);
	as_text();
	as_json();
	run(1);
	seeds_text(&s, rendered_begin());
	rendered_has(rendered_end(), "4 seeds, other seeds for every arm "
				     "(unpaired): differences");
	studied(RANDOM CONFIG_ARM("a", "100") CONFIG_BAD_ARM("x"));
	run(0);
	struct jw *j = rendered_object();
	seeds_json(&s, j);
	ok(json_object_size(json_at(rendered_members(j), "seeds.arms.1")) == 1,
	   "an arm that failed has its name alone");
	seeds_free(&s);
	studied_free();
	return done();
}
