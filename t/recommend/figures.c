/* Figures of a configuration, and the two of a Pareto front. */
#include "recommend/figures.h"
#include "tap.h"

static struct problem why;

int main(void)
{
	const struct work_survey takes = {.gpus = 4, .usd_per_hour = 8};
	const struct work_served served = {2, 1000, 20, .5};
	double v[RECOMMEND_FIGURES];
	enum recommend_figure of[2];
	recommend_figures_of(&takes, &served, v);
	near(v[RECOMMEND_TOKENS_PER_GPU], 250, 1e-12, "tokens of each GPU");
	near(v[RECOMMEND_TOKENS_PER_USER], 50, 1e-12,
	     "a token each 20 ms is 50 a second");
	near(v[RECOMMEND_JOULES], .5, 1e-12, "its energy");
	near(v[RECOMMEND_USD_PER_MTOK], 8 / 3.6, 1e-12,
	     "8 USD buy 3.6 million tokens");
	ok(recommend_figures_parse("", of, &why) == 0 &&
	       of[0] == RECOMMEND_TOKENS_PER_GPU &&
	       of[1] == RECOMMEND_TOKENS_PER_USER,
	   "the usual ones");
	ok(recommend_figures_parse("gpus,request_rate", of, &why) == 0 &&
	       of[0] == RECOMMEND_GPUS && of[1] == RECOMMEND_RATE,
	   "two others");
	ok(recommend_figures_parse("gpus,gpus", of, &why) < 0, "one twice");
	ok(recommend_figures_parse("gpus", of, &why) < 0, "one alone");
	ok(recommend_figures_parse("gpu,request_rate", of, &why) < 0,
	   "no figure");
	return done();
}
