/* A recommendation for programs: CSV and JSON have the same figures. */
#include "recommended.h"
#include "rendered.h"
#include "report/recommend/recommend.h"

static double number(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void in_json(void)
{
	recommend_json(&recommended, rendered_begin());
	json_t *doc = json_loads(rendered_end(), 0, NULL);
	ok(doc != NULL, "a document");
	json_t *arm = json_array_get(json_object_get(doc, "arms"), 0);
	json_t *winner = json_object_get(arm, "winner");
	is(json_string_value(json_object_get(winner, "engine.replicas")), "2",
	   "the winner, key by key");
	near(number(arm, "request_rate"),
	     recommend_found(&recommended, 0, recommended.best[0])
		 ->capacity.request_rate,
	     1e-12, "its rate");
	is(json_string_value(json_object_get(doc, "agreement")), "robust",
	   "the agreement");
	json_t *row = json_object_get(json_object_get(doc, "regret"), "slow");
	ok(number(row, "fast") == 0, "the regret");
	ok(number(json_object_get(doc, "pool"), "configurations") == 4,
	   "the pool");
	ok(json_array_size(json_object_get(arm, "out")) > 0, "those out");
	json_decref(doc);
}

static void in_csv(void)
{
	recommend_csv(&recommended, rendered_begin());
	const char *text = rendered_end();
	is(rendered_cell(text, 1, "arm"), "slow", "a row for each arm");
	is(rendered_cell(text, 1, "role"), "winner", "and configuration");
	is(rendered_cell(text, 1, "engine.max_num_seqs"), "8", "with its keys");
	is(rendered_cell(text, 1, "verdict"), "found", "its verdict");
	is(rendered_cell(text, 1, "gpus"), "2", "its figures");
	is(rendered_cell(text, 1, "regret"), "0", "its regret");
}

int main(void)
{
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	in_json();
	in_csv();
	recommend_free(&recommended);
	return done();
}
