#include "workload/generate/adapters.h"
#include "tap.h"
#include "workload_of.h"

static struct problem p;
static struct ini c;
static struct workload_keys k;
static struct generated_adapters g;

#define LENGTHS "input_tokens=9 output_tokens=9 "
enum { MOST = 16, DRAWS = 16000 };

static void must(const char *keys)
{
	if (workload_of(&k, &c, keys, &p) < 0 ||
	    generated_adapters_open(&g, &k, &c, &p) < 0)
		bail_out(p.text);
}

static void done_with(void)
{
	generated_adapters_free(&g);
	ini_free(&c);
}

static void count(uint32_t times[MOST + 1])
{
	memset(times, 0, (MOST + 1) * sizeof *times);
	for (uint64_t session = 0; session < DRAWS; session++) {
		uint64_t id = generated_adapters_draw(&g, session);
		if (id > MOST)
			bail_out("an adapter that does not exist");
		times[id]++;
	}
}

static void alike(void)
{
	uint32_t times[MOST + 1], few = DRAWS, many = 0;
	must(LENGTHS "adapters=16");
	count(times);
	for (uint32_t i = 1; i <= MOST; i++) {
		few = times[i] < few ? times[i] : few;
		many = times[i] > many ? times[i] : many;
	}
	ok(times[0] == 0, "each request asks for one");
	ok(few > 870 && many < 1130, "all alike: %u to %u of 16000", few, many);
	ok(generated_adapters_draw(&g, 3) == generated_adapters_draw(&g, 3),
	   "the same again for the same session");
	done_with();
}

static void skewed(void)
{
	uint32_t times[MOST + 1];
	must(LENGTHS "adapters=16 adapter_skew=1");
	count(times);
	double first = 16000 / 3.380729; /* of the 16th harmonic number */
	ok(times[1] > 0.95 * first && times[1] < 1.05 * first,
	   "the first %u times of %.0f", times[1], first);
	ok(times[2] > 0.9 * first / 2 && times[2] < 1.1 * first / 2,
	   "the second half as often: %u", times[2]);
	ok(times[16] > 0.75 * first / 16 && times[16] < 1.25 * first / 16,
	   "the last a sixteenth as often: %u", times[16]);
	done_with();
}

static void none(void)
{
	must(LENGTHS);
	ok(generated_adapters_draw(&g, 5) == 0,
	   "without the key no request asks");
	done_with();
	ok(workload_of(&k, &c, LENGTHS "adapter_skew=1", &p) == 0 &&
	       generated_adapters_open(&g, &k, &c, &p) < 0 &&
	       p.code == EXIT_USAGE &&
	       strstr(p.text, "adapter_skew needs adapters"),
	   "%s", p.text);
	ini_free(&c);
}

int main(void)
{
	alike();
	skewed();
	none();
	return done();
}
