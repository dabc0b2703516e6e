/* The root of a line in noise: exact without noise, and intervals that cover
 * as often as they say. */
#include "capacity/estimate.h"
#include "math/rng.h"
#include "tap.h"

enum { PAIRS = 4, ROUNDS = 8, MOST = 2 * PAIRS + ROUNDS };
static struct replicate r[MOST];

/* Excess of a replication: on the line, times noise of mean 1 that both of a
 * pair share. */
static double excess_at(double x, double root, double b, double noise)
{
	return exp(b * (x - root)) * noise;
}

static double noise_of(uint64_t seed, uint32_t number, double spread)
{
	struct rng g = rng_stream(seed, RNG_SAMPLE, number);
	return exp(spread * rng_normal(&g) - spread * spread / 2);
}

/* Four pairs and eight more at x, which is near the root. */
static void replicate(uint64_t seed, double x, double root, double b,
		      double spread)
{
	for (uint32_t i = 0; i < PAIRS; i++)
		for (uint32_t k = 0; k < 2; k++) {
			double at = x + (k ? 0.04 : -0.04);
			r[2 * i + k] = (struct replicate){
			    at,
			    excess_at(at, root, b,
				      noise_of(seed, i + 1, spread)) *
				noise_of(seed, 100 + 2 * i + k, spread / 10),
			    i + 1};
		}
	for (uint32_t i = 0; i < ROUNDS; i++)
		r[2 * PAIRS + i] = (struct replicate){
		    x,
		    excess_at(x, root, b,
			      noise_of(seed, PAIRS + 1 + i, spread)),
		    PAIRS + 1 + i};
}

static void exact(void)
{
	struct slope s;
	struct root root;
	int is_flat;
	replicate(1, 2.03, 2, 6, 0);
	ok(slope_of_pairs(r, 2 * PAIRS, &s, &is_flat) && !is_flat, "a slope");
	near(s.b, 6, 1e-9, "without noise it is the line's");
	ok(s.error < 1e-9, "and known exactly");
	ok(root_of(r, MOST, 2.03, &s, &root), "a root");
	near(root.log_rate, 2, 1e-9, "where the line says");
	ok(root.n == PAIRS + ROUNDS, "a pair counts once");
	ok(root_half_width(&root, 0.9) < 1e-9, "and no interval");
	replicate(1, 2.5, 2, 6, 0);
	ok(!root_of(r, MOST, 2.03, &s, &root),
	   "replications far away are not used");
}

static void edges(void)
{
	struct slope s;
	int is_flat;
	replicate(1, 2, 2, 0.1, 0);
	ok(slope_of_pairs(r, 2 * PAIRS, &s, &is_flat) && is_flat && s.b == 0.5,
	   "a flat line counts as 0.5, and is said to be flat");
	for (size_t i = 0; i < MOST; i++)
		r[i].excess = 0;
	ok(!slope_of_pairs(r, 2 * PAIRS, &s, &is_flat),
	   "where nothing exceeds the bound there is no slope");
}

/* 2,000 searches with noise of their own. */
static void coverage(void)
{
	int covered = 0, n = 0;
	double bias = 0;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct slope s;
		struct root root;
		int is_flat;
		replicate(seed, 2.02, 2, 6, 0.3);
		if (!slope_of_pairs(r, 2 * PAIRS, &s, &is_flat) ||
		    !root_of(r, MOST, 2.02, &s, &root))
			continue;
		n++;
		bias += root.log_rate - 2;
		covered +=
		    fabs(root.log_rate - 2) <= root_half_width(&root, 0.9);
	}
	double share = (double)covered / n;
	ok(n == 2000, "every search has an answer");
	ok(share > 0.86 && share < 0.96, "90 %% intervals hold %.1f %%",
	   100 * share);
	ok(fabs(bias / n) < 0.005, "mean bias %.4f", bias / n);
}

int main(void)
{
	exact();
	edges();
	coverage();
	return done();
}
