#include "math/eigen.h"
#include "tap.h"

int main(void)
{
	const double two[] = {2, 1, 1, 2};
	near(eigen_least(two, 2), 1, 1e-14, "of two");
	const double diagonal[] = {5, 0, 0, 0, -3, 0, 0, 0, 4};
	near(eigen_least(diagonal, 3), -3, 1e-14, "of a diagonal");
	const double one[] = {7};
	near(eigen_least(one, 1), 7, 0, "of one");
	/* The second difference: 2 - 2 cos(pi / (n + 1)). */
	double chain[64] = {0};
	for (int i = 0; i < 8; i++) {
		chain[9 * i] = 2;
		if (i < 7)
			chain[9 * i + 1] = chain[9 * i + 8] = -1;
	}
	near(eigen_least(chain, 8), 2 - 2 * cos(acos(-1.) / 9), 1e-12,
	     "of a chain");
	double alike[] = {1, 1, .5, 1, 1, .5, .5, .5, 1};
	ok(fabs(eigen_least(alike, 3)) < 1e-14, "two rows alike: 0");
	return done();
}
