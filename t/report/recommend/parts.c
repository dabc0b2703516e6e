/* The texts and figures that all forms of a recommendation share. */
#include "report/recommend/parts.h"
#include "recommended.h"
#include "rendered.h"

static void figures(void)
{
	double v[RECOMMEND_FIGURES];
	recommend_figures(&recommended, 0, 0, v);
	ok(v[RECOMMEND_GPUS] == 2 && v[RECOMMEND_USD_PER_HOUR] == 4,
	   "GPUs and their price");
	near(v[RECOMMEND_TOKENS_PER_GPU], v[RECOMMEND_TOKENS] / 2, 1e-12,
	     "tokens of each");
	near(v[RECOMMEND_TOKENS_PER_USER], 1000, .01,
	     "a user gets a token each millisecond");
	near(v[RECOMMEND_USD_PER_MTOK], 4e6 / (v[RECOMMEND_TOKENS] * 3600),
	     1e-9, "and a million tokens their price");
	struct recommend_counts c = recommend_count(&recommended);
	ok(c.points == 4 && c.possible == 8 && c.refused == 0 && c.race > 8 &&
	       c.search > 8 && c.untried == 0,
	   "counts");
	is(recommend_arm_name(&recommended, 1), "fast", "the name of an arm");
}

static void texts(void)
{
	recommend_point(&recommended, recommended.arm[0].winner,
			rendered_begin());
	is(rendered_end(), "tp 1 x 2, max_num_seqs 8", "a configuration");
	recommend_agreement(&recommended, rendered_begin());
	rendered_has(rendered_end(), "The choice is robust");
	rendered_has(rendered_text, "No arm has a vote");
	recommend_assumption(&recommended, rendered_begin());
	rendered_has(rendered_end(), "serves 4 % more of these requests");
	recommend_short(&recommended, rendered_begin());
	is(rendered_end(), "", "no rate was asked for");
}

static void nearest(void)
{
	ask_small();
	asked.slo = "e2el_mean_ms=1";
	recommend_good(RECOMMENDED);
	recommend_nearest(&recommended, 0, rendered_begin());
	rendered_has(rendered_end(), "slow: nearest: tp 1 x 2, max_num_seqs");
	rendered_has(rendered_text,
		     "mean_e2el_ms is 5.00, the bound 1 when nearly unloaded");
	recommend_agreement(&recommended, rendered_begin());
	rendered_has(rendered_end(), "No configuration meets the bounds");
}

static void reasons(void)
{
	ask_small();
	names_add(&asked.search, "engine.tensor_parallel_size=1,2,16");
	asked.gpus = "16";
	recommend_good(RECOMMENDED);
	recommend_reasons(&recommended.arm[0], rendered_begin());
	rendered_has(rendered_end(), "2 configurations are impossible: ");
}

int main(void)
{
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	figures();
	texts();
	nearest();
	reasons();
	recommend_free(&recommended);
	return done();
}
