/* The rate at which a queue is worked off, where it has a formula: prompts are
 * computed one at a time, 16 tokens in 10 ms.  A conversation has three turns
 * of 160 tokens, so its prompts have 160, 321 and 482.  With the turns before
 * in the cache each costs some 100 ms, and 10 requests/s is the limit.  An
 * overload empties the cache, and they cost 100, 200 and 300: 5 requests/s. */
#include "capacity/search.h"
#include "millisecond.h"

#define LIMIT 5.0

static int32_t per_token_eval(void *inst, const sc_step *step, sc_result *out,
			      sc_error *err)
{
	(void)inst, (void)err;
	out->total_us = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		out->total_us += step->prefill_new[i] * 625;
	return SC_OK;
}
static const sc_plugin per_token = {.size = sizeof per_token,
				    .abi_major = SC_ABI_MAJOR,
				    .name = "per_token",
				    .destroy = millisecond_destroy,
				    .eval = per_token_eval};
static struct cost per_token_cost = {.p = &per_token};
static struct cost *costs[] = {&per_token_cost, &per_token_cost};

static struct capacity find(const char *slo, double rate)
{
	struct capacity x;
	struct capacity_task t = task(slo);
	t.cost = costs;
	t.rate = rate;
	if (capacity_find(&t, &x, &p) < 0)
		bail_out(p.text);
	return x;
}

/* While clients think, only the first turns of an overload come, and they are
 * cheap: a queue begins after the thinking time. */
static void of_rate(void)
{
	struct capacity x = find("ttft_mean_ms=500", 0);
	ok(x.verdict == CAPACITY_FOUND && x.request_rate > 8 &&
	       x.request_rate < 10 && x.seen.hit_rate > 0.45,
	   "%.1f requests/s from an empty start, %.2f of the tokens cached",
	   x.request_rate, x.seen.hit_rate);
	ok(x.recovery_rate < LIMIT && x.recovery_rate * 1.15 > LIMIT,
	   "%.1f after an overload: below %g, by less than a step of 10 %% and "
	   "what the hour is too short for",
	   x.recovery_rate, LIMIT);
}

static void of_fleet(void)
{
	struct capacity x = find("ttft_mean_ms=500", 7.5);
	ok(x.units_high == 1 && x.units_recovery == 2,
	   "7.5 requests/s: %d, and %d after an overload", (int)x.units_high,
	   (int)x.units_recovery);
}

/* Three times a rate that a strict bound keeps low is no overload. */
static void without_queue(void)
{
	struct capacity x = find("ttft_mean_ms=110", 0);
	ok(x.verdict == CAPACITY_FOUND && x.request_rate < 3,
	   "a bound near the service time: %.1f requests/s", x.request_rate);
	ok(x.recovery_rate == x.request_rate,
	   "no queue empties the cache: all of it recovers, %.1f",
	   x.recovery_rate);
}

int main(void)
{
	if (workload_of(&k, &c,
			"num_requests=1000 request_rate=10 turns=3 "
			"think_time_s=constant:20 input_tokens=constant:160 "
			"output_tokens=constant:1",
			&p) < 0)
		bail_out(p.text);
	e.prefix_caching = 1;
	e.num_gpu_blocks = 6000;
	of_rate();
	of_fleet();
	without_queue();
	ini_free(&c);
	return done();
}
