/* Five numbers, fitted out of fold. */
#include "steps/baseline.h"
#include "step_rows.h"

int main(void)
{
	char text[3000] = "";
	size_t n = 0, good = 0, folds = 0;
	double f[N_FEATURES], us[64];
	scratch_open();
	/* 40 steps that five numbers describe, and 5 on another GPU */
	for (unsigned i = 0; i < 45; i++) {
		unsigned decodes = i % 3 ? 1 + i * 7 % 31 : 0;
		unsigned kv = 100 + i * 53 % 977, new = i % 4 ? 0 : 10 + 37 * i;
		double t = 500 + 3. * new + 20. * decodes + .01 * decodes *kv +
			   1e-3 * new *(64 + (new + 1) / 2.);
		n += (size_t)snprintf(text + n, sizeof text - n,
				      decodes ? "%ux%u" : "", kv, decodes);
		n += (size_t)snprintf(text + n, sizeof text - n,
				      new ? ",64:%u" : ",", new);
		n += (size_t)snprintf(text + n, sizeof text - n, ",%.12g,%s,\n",
				      t, i < 40 ? "h100-sxm" : "h200-sxm");
	}
	rows(text);
	baseline_features(&set.row[4].given->step, f);
	ok(f[0] == 1 && f[1] == 158 && f[2] == 29 && f[3] == 29 * 312. &&
	       f[4] == 158 * (64 + 159 / 2.),
	   "the five features");
	for (size_t i = 0; i < 40; i++)
		folds |= (size_t)1 << baseline_fold(&set.row[i]);
	ok(folds == 31, "rows of all five folds");
	ok(baseline_predict(&set, measured, us) == 0, "predicted");
	for (size_t i = 0; i < 40; i++)
		good += fabs(us[i] / measured[i] - 1) < 1e-9;
	ok(good == 40, "what five numbers describe, they find");
	ok(isnan(us[40]) && isnan(us[44]), "a small deployment has none");
	/* A row that is wrong is not in the fit of its own fold. */
	measured[7] *= 3;
	double before = us[7];
	ok(baseline_predict(&set, measured, us) == 0, "with a wrong row");
	near(us[7], before, 1e-9, "its own prediction stays");
	step_set_free(&set);
	return done();
}
