#include "base/hash.h"
#include "math/rng.h"
#include "tap.h"

static void moments(const char *what, double (*draw)(struct rng *), double mean,
		    double deviation)
{
	struct rng r = rng_stream(1, 2, 3);
	double sum = 0, squares = 0;
	int n = 1000000;
	for (int i = 0; i < n; i++) {
		double x = draw(&r);
		sum += x;
		squares += x * x;
	}
	ok(fabs(sum / n - mean) < 0.004, "%s: mean %g", what, sum / n);
	near(sqrt(squares / n - sum / n * sum / n), deviation, 0.005,
	     "%s: deviation", what);
}

static double gamma_3(struct rng *r)
{
	return rng_gamma(r, 3);
}

static double gamma_quarter(struct rng *r)
{
	return rng_gamma(r, 0.25);
}

/* Streams together, as each alone. */
static void normals(uint64_t seed, uint64_t index)
{
	uint64_t streams = rng_streams(seed, RNG_INPUT);
	double all[RNG_TOGETHER];
	int wrong = 0;
	rng_normals(streams, index, all);
	for (uint32_t i = 0; i < RNG_TOGETHER; i++) {
		struct rng r = rng_stream_of(streams, index + i);
		double one = rng_normal(&r);
		wrong += memcmp(&one, &all[i], sizeof one) != 0;
	}
	ok(wrong == 0, "normal, %d streams together", RNG_TOGETHER);
}

int main(void)
{
	/* The published first outputs of SplitMix64 from state 1234567. */
	static const uint64_t want[] = {
	    6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
	    4593380528125082431u, 16408922859458223821u};
	struct rng r = {1234567};
	for (int i = 0; i < 5; i++)
		ok(rng_next(&r) == want[i], "SplitMix64, output %d", i);
	ok(hash_mix(0) == 0, "mix fixes 0");

	struct rng a = rng_stream(42, RNG_INPUT, 7);
	struct rng b = rng_stream(42, RNG_INPUT, 7);
	ok(rng_next(&a) == rng_next(&b), "a stream is a function of the three");
	ok(rng_stream(42, RNG_INPUT, 8).state != b.state &&
	       rng_stream(42, RNG_OUTPUT, 7).state != a.state &&
	       rng_stream(43, RNG_INPUT, 7).state != a.state,
	   "of each of them");
	ok(rng_stream(42, RNG_ARRIVAL, 0).state == 0xb63fcfae17b11eaeu,
	   "and the same for ever: %llx",
	   (unsigned long long)rng_stream(42, RNG_ARRIVAL, 0).state);

	int count[7] = {0}, bad = 0;
	for (int i = 0; i < 70000; i++)
		count[rng_below(&a, 7)]++;
	for (int i = 0; i < 7; i++)
		bad += abs(count[i] - 10000) > 400;
	ok(bad == 0, "below 7: alike");
	ok(rng_below(&a, 1) == 0, "below 1");
	moments("uniform", rng_uniform, 0.5, sqrt(1 / 12.));
	moments("normal", rng_normal, 0, 1);
	for (uint64_t seed = 0; seed < 20; seed++)
		normals(seed, seed * 1000003);
	moments("exponential", rng_exponential, 1, 1);
	moments("gamma of shape 3", gamma_3, 3, sqrt(3));
	moments("gamma of shape 1/4", gamma_quarter, 0.25, 0.5);
	return done();
}
