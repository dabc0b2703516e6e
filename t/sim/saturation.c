/* When a run counts as overloaded. */
#include "sim/saturation.h"
#include "tap.h"

/* 1,000 requests, one each 10 ms, with a delay that depends on the order. */
static enum saturation verdict(int64_t (*delay)(int64_t), double service_ns)
{
	struct delays d = {0};
	for (int64_t i = 0; i < 1000; i++)
		delays_add(&d, (uint64_t)i, delay(i));
	return saturation_of(&d, 0, 10000000000, service_ns);
}
static int64_t none(int64_t i)
{
	(void)i;
	return 0;
}
static int64_t growing(int64_t i)
{
	return i * 5000000;
}
static int64_t fast_decodes(int64_t i)
{
	return i < 100 ? i * 30000000 : 3000000000;
}
static int64_t burst(int64_t i)
{
	return i < 500 ? i * 10000000 : 0;
}

static void saturation(void)
{
	struct delays d = {0};
	ok(verdict(none, 1e9) == SATURATION_STABLE, "no queue: stable");
	ok(verdict(growing, 1e9) == SATURATION_OVERLOADED,
	   "a queue that grows to the end: overloaded");
	ok(verdict(growing, 20e9) != SATURATION_OVERLOADED,
	   "unless arrivals were over before the first was served");
	ok(verdict(fast_decodes, 1e9) == SATURATION_BACKLOGGED,
	   "a long but steady queue: backlogged");
	ok(verdict(fast_decodes, 4e9) == SATURATION_STABLE,
	   "a short one: stable");
	ok(verdict(burst, 1e9) == SATURATION_BACKLOGGED,
	   "a queue that went away: backlogged");
	ok(saturation_of(&d, 1, 0, 0) == SATURATION_OVERLOADED,
	   "something unfinished: overloaded");
	ok(saturation_of(&d, 0, 0, 0) == SATURATION_STABLE,
	   "nothing at all: stable");
	ok(saturation_is_too_short(29, 1) && !saturation_is_too_short(30, 1),
	   "30 mean latencies are long enough");
	ok(!saturation_is_too_short(0, 1), "a batch is not too short");
	is(saturation_name[SATURATION_OVERLOADED], "overloaded",
	   "they have names");
}

int main(void)
{
	saturation();
	return done();
}
