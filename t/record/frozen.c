/* A schedule on another clock, by hand; with steps that overlap, stays with
 * several replicas, and weights that are what they say. */
#include "record/frozen.h"
#include "tap.h"

static struct problem problem;
static FILE *stream;
static struct steplog requests;

/* ---- requests ---- */

static void begin(void)
{
	stream = tmpfile();
	if (!stream)
		bail_out("no temporary file");
}

static void add(uint64_t row, uint32_t tokens, int64_t first_ns,
		const struct visit *visit, uint32_t n)
{
	int64_t came = visit[0].from_ns, last = visit[n - 1].to_ns;
	struct request_event e = {
	    .request = {.row = row,
			.arrival_ns = came,
			.output_tokens = tokens},
	    .ending = REQUEST_ENDED,
	    .first_token_ns = first_ns,
	    .last_token_ns = last,
	    .ttft_ns = first_ns - came,
	    .tpot_ns = tokens > 1 ? (last - first_ns) / (tokens - 1) : -1,
	    .e2el_ns = last - came,
	    .n_visits = n};
	memcpy(e.visit, visit, n * sizeof *visit);
	steplog_write_request(stream, &e);
}

static struct frozen *opened(const uint32_t *clock_of, uint32_t n)
{
	fflush(stream);
	if (steplog_map(&requests, stream, &problem) < 0)
		bail_out(problem.text);
	struct frozen *z = frozen_open(&requests, clock_of, n, &problem);
	if (!z)
		bail_out(problem.text);
	return z;
}

static struct frozen_run closed(struct frozen *z)
{
	struct frozen_run run;
	if (frozen_close(z, &run, &problem) < 0)
		bail_out(problem.text);
	frozen_free(z);
	steplog_unmap(&requests);
	fclose(stream);
	return run;
}

static struct frozen_step step(struct frozen *z, uint32_t clock, int64_t from,
			       int64_t to, int64_t lasts)
{
	struct frozen_step s = {clock, from, to, lasts, {0}};
	frozen_step(z, &s);
	return s;
}

static const uint32_t own[] = {0, 1, 2, 3};

/* ---- by hand ---- */

/* A request that comes at 250 into a step of 200 to 600, has its first token at
 * 1000, its third at 1600; steps twice as long, the idle time between as it
 * was. */
static void one(void)
{
	begin();
	add(5, 3, 1000, (struct visit[]){{0, 250, 1600}}, 1);
	struct frozen *z = opened(own, 1);
	struct frozen_step a = step(z, 0, 200, 600, 800);
	struct frozen_step b = step(z, 0, 700, 1000, 600);
	frozen_token(z, 0, 5);
	step(z, 0, 1000, 1300, 600);
	frozen_token(z, 0, 5);
	step(z, 0, 1300, 1600, 300);
	frozen_token(z, 0, 5);
	struct frozen_step after = step(z, 0, 5000, 6000, 1);
	frozen_token(z, 0, 99); /* of a request that did not end */
	struct frozen_run r = closed(z);
	ok(a.weight[ATTRIBUTION_TTFT] == 0.875 &&
	       a.weight[ATTRIBUTION_E2EL] == 0.875 &&
	       a.weight[ATTRIBUTION_TPOT] == 0,
	   "the share of the step that it was there for");
	ok(b.weight[ATTRIBUTION_TTFT] == 1, "all of the next");
	ok(after.weight[ATTRIBUTION_E2EL] == 0, "nothing when it is gone");
	ok(r.recorded_ns[ATTRIBUTION_TTFT] == 750 &&
	       r.difference_ns[ATTRIBUTION_TTFT] == 350 + 300,
	   "TTFT gets longer by the steps, and not by what lies between");
	ok(r.difference_ns[ATTRIBUTION_TPOT] == 150 &&
	       r.difference_ns[ATTRIBUTION_E2EL] == 350 + 300 + 300,
	   "so do TPOT and E2E");
	ok(r.duration_ns == 1350 + 950 && r.ttft.p50 == 1400 &&
	       r.e2el.max == 2300,
	   "duration and percentiles");
	ok(r.itl.n == 2 && r.itl.min == 300 && r.itl.max == 600,
	   "gaps between tokens");
	ok(r.n_requests == 1, "one request");
}

/* Prompt on replica 0, output on replica 1, with a transfer of 70 between. */
static void two_clocks(void)
{
	begin();
	add(0, 2, 100, (struct visit[]){{0, 0, 100}, {1, 170, 270}}, 2);
	struct frozen *z = opened(own, 2);
	step(z, 1, 0, 150, 15);
	step(z, 0, 0, 100, 1000);
	frozen_token(z, 0, 0);
	step(z, 1, 170, 270, 200);
	frozen_token(z, 1, 0);
	struct frozen_run r = closed(z);
	ok(r.difference_ns[ATTRIBUTION_TTFT] == 900 &&
	       r.difference_ns[ATTRIBUTION_E2EL] == 1000 &&
	       r.difference_ns[ATTRIBUTION_TPOT] == 100,
	   "each stay by its clock, the transfer as long as it was");
	ok(r.itl.max == 270, "also as a gap between tokens");
}

/* The second step enters when the first is half way. */
static void overlapping(void)
{
	begin();
	add(0, 1, 300, (struct visit[]){{0, 0, 300}}, 1);
	struct frozen *z = opened(own, 1);
	struct frozen_step a = step(z, 0, 0, 200, 400);
	struct frozen_step b = step(z, 0, 100, 300, 600);
	struct frozen_step hidden = step(z, 0, 250, 300, 5000);
	struct frozen_run r = closed(z);
	ok(a.weight[ATTRIBUTION_TTFT] == 1 &&
	       b.weight[ATTRIBUTION_TTFT] == 0.5 &&
	       hidden.weight[ATTRIBUTION_TTFT] == 0,
	   "a step owns what the one before it leaves");
	ok(r.difference_ns[ATTRIBUTION_TTFT] == 200 + 200,
	   "and stretches that");
}

/* Two replicas on one clock; a token handed out after its step. */
static void one_clock_for_two(void)
{
	static const uint32_t together[] = {0, 0};
	begin();
	add(0, 1, 110, (struct visit[]){{0, 0, 110}}, 1);
	add(1, 1, 100, (struct visit[]){{1, 50, 100}}, 1);
	struct frozen *z = opened(together, 2);
	step(z, 0, 0, 100, 300);
	struct frozen_run r = closed(z);
	ok(r.difference_ns[ATTRIBUTION_TTFT] == (200 + 100) / 2.0,
	   "one step for both");
	ok(r.duration_ns == 310, "time outside of steps stays");
}

static void nobody(void)
{
	begin();
	struct frozen *z = opened(own, 1);
	struct frozen_step s = step(z, 0, 0, 100, 300);
	struct frozen_run r = closed(z);
	ok(s.weight[ATTRIBUTION_TTFT] == 0 && r.n_requests == 0 &&
	       r.duration_ns == 0,
	   "no request");
	begin();
	add(0, 1, 0, (struct visit[]){{0, 0, 0}}, 1);
	z = opened(own, 1);
	step(z, 0, 0, 0, 0);
	r = closed(z);
	ok(r.difference_ns[ATTRIBUTION_E2EL] == 0, "a step of no time");
}

/* ---- at random: the difference is the weighted sum ---- */

static uint64_t seed = 7;
static int64_t dice(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(seed >> 33) % n;
}

static void at_random(int64_t overlap)
{
	enum { N = 200, STEPS = 900 };
	begin();
	for (uint64_t i = 0; i < N; i++) {
		int64_t t[6] = {dice(300000)};
		for (int k = 1; k < 6; k++)
			t[k] = t[k - 1] + dice(4000);
		const struct visit visit[] = {{(uint32_t)dice(4), t[0], t[2]},
					      {(uint32_t)dice(4), t[3], t[5]}};
		add(i, (uint32_t)dice(20) + 1, t[dice(2) ? 1 : 4], visit, 2);
	}
	struct frozen *z = opened(own, 4);
	double sum[ATTRIBUTION_STEPS] = {0};
	int negative = 0;
	for (uint32_t clock = 0; clock < 4; clock++)
		for (int64_t i = 0, at = 0; i < STEPS; i++) {
			int64_t lasted = 1 + dice(800), lasts = dice(3000);
			struct frozen_step s =
			    step(z, clock, at, at + lasted, lasts);
			at += dice(5) ? lasted - dice(overlap)
				      : lasted + dice(900);
			for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
				negative += s.weight[m] < 0;
				sum[m] +=
				    s.weight[m] * (double)(lasts - lasted);
			}
		}
	struct frozen_run r = closed(z);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		near(r.difference_ns[m], sum[m], 1e-9, "%s: the weighted sum",
		     attributed_name[m]);
	ok(!negative, "no weight is negative");
}

int main(void)
{
	one();
	two_clocks();
	overlapping();
	one_clock_for_two();
	nobody();
	at_random(1);
	at_random(300);
	return done();
}
