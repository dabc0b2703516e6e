/* Knobs that act in the same direction. */
#include "steps/fit_apart.h"
#include "tap.h"

enum { M = 50, N = 4 };

static double j[N * M], weight[M];

int main(void)
{
	struct fit_apart to;
	for (size_t i = 0; i < M; i++) {
		double t = (double)i / M;
		weight[i] = 2;
		j[i] = 1;
		j[M + i] = t - .5;
		j[2 * M + i] = 3 * (t - .5) + .01 * sin(40 * t);
		j[3 * M + i] = sin(9 * t);
	}
	fit_apart(&to, j, weight, N, M, 15);
	ok(to.n_sets == 1 && to.set[0] == 6, "two are alike");
	near(to.norm[0], 1, 1e-12, "the length of a column");
	fit_apart(&to, j, weight, N, M, 11);
	ok(to.n_sets == 0, "not without one of them");
	for (size_t i = 0; i < M; i++)
		j[2 * M + i] = j[i] + 2 * j[M + i] + j[3 * M + i];
	fit_apart(&to, j, weight, N, M, 15);
	ok(to.n_sets == 1 && to.set[0] == 15,
	   "one is a sum of three others: a set of four");
	for (size_t i = 0; i < M; i++)
		j[2 * M + i] = -j[i];
	fit_apart(&to, j, weight, N, M, 15);
	ok(to.n_sets == 1 && to.set[0] == 5, "also with the other sign");
	for (size_t i = 0; i < M; i++)
		j[2 * M + i] = 0;
	fit_apart(&to, j, weight, N, M, 11);
	ok(to.n_sets == 0 && to.norm[2] < FIT_IDLE, "one has no effect");
	return done();
}
