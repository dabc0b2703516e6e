/* Differences between arms over several seeds, with their intervals. */
#include "report/results/seeds.h"
#include "document_asked.h"
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
	const struct seeds_plan plan = {
	    .low = 4, .high = 4, .unpaired = unpaired};
	seeds_free(&s);
	if (seeds_run(&s, &study, &plan, &why) < 0)
		bail_out(why.text);
}

static void as_document(void)
{
	struct document d = {.in = IN_ALL};
	seeds_document(&s, &d);
	ok(document_says(&d, IN_SHORT, "Differences over 4 seeds") &&
	       document_says(&d, IN_SHORT, "Paired"),
	   "how many, and that they are paired");
	const struct columns *c = document_find(&d, "b against a");
	const struct cell *row = NULL;
	for (size_t i = 1; c && i < c->n_rows; i++)
		if (!strcmp(columns_at(c, i)->text, "mean_e2el_ms"))
			row = columns_at(c, i);
	struct seeds_pair x;
	seeds_compare(&s, metric_find("mean_e2el_ms"), &x);
	ok(row && row[1].value == x.is.mean && row[2].value == x.is.low &&
	       row[3].value == x.is.high,
	   "the figures of the study");
	ok(row && !strcmp(row[6].text, "distinguishable"), "the verdict");
	ok(document_says(&d, IN_FULL, "exactly equal"),
	   "a figure that does not depend on the arm");
	document_free(&d);
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
	as_document();
	as_json();
	run(1);
	struct document d = {.in = IN_ALL};
	seeds_document(&s, &d);
	ok(document_says(&d, IN_SHORT, "Other seeds for every arm (unpaired)"),
	   "and that they are not");
	document_free(&d);
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
