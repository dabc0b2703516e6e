/* Regimes of steps, and the figures of errors. */
#include "steps/figures.h"
#include "step_rows.h"

static const size_t all[] = {0, 1, 2, 3, 4, 5};

static void regimes(void)
{
	static const enum step_regime want[] = {REGIME_DECODE, REGIME_PREFILL,
						REGIME_CHUNK,  REGIME_MIXED,
						REGIME_MIXED,  REGIME_DECODE};
	int good = 0;
	rows("64,,1,,\n,0:7;0:9,1,,\n,0:7;3:9,1,,\n5,0:7,1,,\n5,3:7,1,,\n"
	     ",,1,,\n");
	for (size_t i = 0; i < 6; i++)
		good += step_regime_of(&set.row[i].given->step) == want[i];
	ok(good == 6, "six kinds of steps");
}

static void figures(void)
{
	struct step_figures f;
	double us[] = {110, 90, 150, (double)NAN, 400, 200};
	rows("1,,100,a100-80-sxm,\n1,,100,a100-80-sxm,\n1,,100,h100-sxm,\n"
	     "1,,100,h100-sxm,\n1,,200,h200-sxm,\n1,,200,h200-sxm,\n");
	ok(step_figures(&f, &set, measured, us, (struct step_group){all, 6}) ==
		   0 &&
	       f.n == 5,
	   "five of six rows are priced");
	/* errors .1 -.1 .5 1 0 */
	near(f.of[FIGURE_MEAN], .34, 1e-12, "mean");
	near(f.of[FIGURE_MEDIAN], .1, 1e-12, "median");
	near(f.of[FIGURE_P90], .8, 1e-12,
	     "90th percentile, between the two greatest");
	near(f.of[FIGURE_MAX], 1, 1e-12, "most");
	near(f.of[FIGURE_BIAS], .3, 1e-12, "bias");
	near(f.of[FIGURE_LOG_BIAS], pow(1.1 * .9 * 1.5 * 2, .2) - 1, 1e-12,
	     "bias of logarithms");
	near(f.of[FIGURE_WAPE], (10 + 10 + 50 + 200) / 700., 1e-12, "wape");
	near(f.of[FIGURE_MACRO_MEAN], (.1 + .5 + .5) / 3, 1e-12,
	     "three deployments count alike");
	ok(f.worst == 4, "the worst row");
	ok(step_figures(&f, &set, measured, us, (struct step_group){all, 3}) ==
	       0,
	   "two deployments");
	near(f.of[FIGURE_MACRO_MEAN], f.of[FIGURE_MEAN], 0, "rows count alike");
	ok(step_figures(&f, &set, measured, us,
			(struct step_group){all + 3, 1}) == 0 &&
	       f.n == 0 && isnan(f.of[FIGURE_MEAN]) && f.worst == SIZE_MAX,
	   "no row");
	const double *of[] = {us, measured};
	ok(step_deployments_of(&set, (struct step_group){all, 6}, of, 2) == 3 &&
	       step_deployments_of(&set, (struct step_group){all + 3, 1}, of,
				   2) == 0,
	   "deployments with rows");
}

int main(void)
{
	scratch_open();
	regimes();
	figures();
	step_set_free(&set);
	return done();
}
