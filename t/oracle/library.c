/* The C library: the prices of cost_eval() to the bit, faults, its cost. */
#include "stepcost/oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "arm/arm.h"
#include "tap.h"

static const char ini[] = "etc/quickstart.ini";
static uint32_t context[64], fresh[1] = {300}, before[1] = {20}, last[1] = {1};

static sc_step batch(uint32_t n_decode, uint32_t n_prefill)
{
	sc_step s = {.size = sizeof s,
		     .n_decode = n_decode,
		     .decode_ctx = context,
		     .n_prefill = n_prefill,
		     .prefill_new = fresh,
		     .prefill_ctx = before,
		     .prefill_last = last,
		     .prefill_prompt = fresh};
	for (uint32_t i = 0; i < 64; i++)
		context[i] = 100 + 7 * i;
	return s;
}

static double seconds_since(clock_t then)
{
	return (double)(clock() - then) / CLOCKS_PER_SEC;
}

/* Against the same arm, opened by hand. */
static void prices(const char *path)
{
	struct problem p;
	char why[500];
	struct config c = {0};
	struct arm *a = calloc(1, sizeof *a);
	sc_oracle *o = sc_oracle_open(path, "mfu_interp", why, sizeof why);
	if (!ok(o != NULL, "it opens: %s", why) || !a ||
	    config_load_priced(&c, path, NULL, 0, "mfu_interp", NULL, &p) < 0 ||
	    arm_open(a, &c, 0, NULL, NULL, &p) < 0)
		bail_out(why);
	int differ = 0;
	sc_oracle_answer got;
	for (uint32_t n = 1; n <= 64; n++) {
		sc_step s = batch(n, n % 2);
		int rc = sc_oracle_price(o, &s, &got);
		for (uint32_t i = 0; i < n; i++)
			s.decode_ctx_sum += context[i];
		const sc_result *r = cost_eval(&a->cost, &s, &p);
		double want = r ? 1e-6 * r->total_us : -1;
		differ += rc != 0 || memcmp(&want, &got.seconds, sizeof want) ||
			  !(got.floor_seconds > 0) ||
			  got.floor_seconds > got.seconds ||
			  memcmp(r->lookups, got.lookups, sizeof got.lookups);
	}
	ok(differ == 0, "64 batches cost the same, to the bit");
	sc_step s = batch(0, 0);
	ok(sc_oracle_price(o, &s, &got) == 0 && !(got.seconds > 0) &&
	       !*sc_oracle_error(o),
	   "an empty batch takes no time");
	s.size = 8;
	ok(sc_oracle_price(o, &s, &got) == -1 &&
	       strstr(sc_oracle_error(o), "size"),
	   "another size is a fault: %s", sc_oracle_error(o));
	s = batch(64, 0);
	ok(sc_oracle_price(o, &s, &got) == 0 && !*sc_oracle_error(o),
	   "the next batch is priced");
	enum { N = 20000 };
	double least = 1e9;
	for (int round = 0; round < 5; round++) {
		clock_t then = clock();
		for (int i = 0; i < N; i++)
			cost_eval(&a->cost, &s, &p);
		double direct = seconds_since(then);
		then = clock();
		for (int i = 0; i < N; i++)
			sc_oracle_price(o, &s, &got);
		double ratio = seconds_since(then) / direct;
		least = ratio < least ? ratio : least;
	}
	ok(least < 2, "it costs %.2f times cost_eval()", least);
	sc_oracle_close(o);
	arm_close(a);
	config_free(&c);
	free(a);
}

int main(void)
{
	char path[4096], why[60];
	const char *top = getenv("top_srcdir");
	snprintf(path, sizeof path, "%s/%s", top ? top : ".", ini);
	prices(path);
	ok(!sc_oracle_open(path, "nobody", why, sizeof why) &&
	       strstr(why, "nobody"),
	   "an arm that is not there: %s", why);
	ok(!sc_oracle_open("no such file", NULL, NULL, 0), "no file, no text");
	sc_oracle_close(NULL);
	return done();
}
