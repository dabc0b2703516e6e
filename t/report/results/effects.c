/* Effects as tables and JSON. */
#include "report/results/effects.h"
#include "document_asked.h"
#include "rendered.h"

static const char *const factor[] = {"rows", "mask"};
static const struct effect item[] = {
    {.set = 1, .effect = 2, .low = 1, .high = 3, .p = .01, .p_adjusted = .02},
    {.set = 3, .effect = -.5, .low = -2, .high = 1, .p = .5, .p_adjusted = .5}};
static const struct effect alone[] = {{.set = 2,
				       .effect = 1,
				       .low = NAN,
				       .high = NAN,
				       .p = NAN,
				       .p_adjusted = NAN}};

int main(void)
{
	struct effects_of e = {factor, 2, "mean_ttft_ms", 2, item, 2, NULL};
	struct document d = {.in = IN_ALL};
	effects_table(&e, &d);
	const struct columns *c = document_find(&d, "mean_ttft_ms");
	ok(c && c->n_rows == 3, "a row for each effect");
	is(columns_at(c, 1)[0].text, "rows", "a switch");
	is(columns_at(c, 2)[0].text, "rows x mask", "an interaction");
	is(columns_at(c, 1)[1].text, "+2.00", "its effect");
	is(columns_at(c, 2)[2].text, "-2.00", "its interval");
	is(columns_at(c, 1)[4].text, "0.02", "p, corrected");
	document_free(&d);
	e = (struct effects_of){factor, 2, "mean_step_us", 1, alone, 1, "arm"};
	d = (struct document){.in = IN_ALL};
	effects_table(&e, &d);
	c = document_find(&d, "mean_step_us, arm");
	ok(c && !columns_at(c, 1)[2].text, "no interval, where there is none");
	document_free(&d);
	struct jw *j = rendered_object();
	jw_array(j, "effects");
	effects_json(&e, j);
	jw_end(j);
	json_t *doc = rendered_members(j);
	is(json_text_at(doc, "effects.0.factors.0"), "mask", "JSON: factors");
	is(json_text_at(doc, "effects.0.metric"), "mean_step_us", "metric");
	is(json_text_at(doc, "effects.0.group"), "arm", "group");
	ok(json_number_at(doc, "effects.0.effect") == 1 &&
	       json_is_null(json_at(doc, "effects.0.low")) &&
	       json_is_null(json_at(doc, "effects.0.p_adjusted")),
	   "figures, null where there is none");
	return done();
}
