/* How often measurements lie within a model's own intervals. */
#include "math/own_coverage.h"
#include <math.h>
#include "tap.h"

int main(void)
{
	ok(fabs(normal_quantile(0.5) - 0.67448975019608) < 1e-12 &&
	       fabs(normal_quantile(0.8) - 1.2815515655446) < 1e-12 &&
	       fabs(normal_quantile(0.9) - 1.6448536269515) < 1e-12,
	   "normal quantiles");
	ok(fabs(own_distance(110, 100, 10) - 10 * log(1.1)) < 1e-12 &&
	       fabs(own_distance(100, 110, 11) - 10 * log(1.1)) < 1e-12,
	   "too long and too short are alike");
	double none[1];
	ok(own_coverage(none, 0).n == 0, "none");
	double d[] = {3, 0.5, 1, 1.6, 0.2, 1.29, 0.67, 2, 0.1, 1.5};
	struct own_coverage c = own_coverage(d, 10);
	ok(c.n == 10 && c.share_50 == 0.4 && c.share_80 == 0.5 &&
	       c.share_90 == 0.8,
	   "shares: %g %g %g", c.share_50, c.share_80, c.share_90);
	ok(fabs(c.spread - 2.1 / 1.6448536269514722) < 1e-12,
	   "spread by the 0.9 quantile, linear between: %g", c.spread);
	return done();
}
