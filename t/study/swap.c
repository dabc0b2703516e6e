/* Runs one arm with one part after another of a second arm. */
#include "study/swap.h"
#include "studied.h"

static struct swap s;
static const size_t place[2] = {0, 1};

/* Requests arrive at a fixed rate, and one is served at a time. */
#define OPEN                                                                   \
	CONFIG_SETUP                                                           \
	"[engine]\nmax_num_seqs=1\n[slo]\nttft_ms=1\n"                         \
	"[workload]\nnum_requests=200\nrequest_rate=300\narrival=constant\n"   \
	"input_tokens=constant:10\noutput_tokens=constant:5\n"

static void refused(const char *text, const char *want)
{
	size_t at[2];
	why = (struct problem){0};
	ok(swap_parse(&config, 2, text, at, &why) < 0 &&
	       why.code == EXIT_USAGE && strstr(why.text, want),
	   "%s: %s", text, why.text);
}

static void parsed(void)
{
	size_t at[2] = {9, 9};
	ok(swap_parse(&config, 2, "b,a", at, &why) == 0 && at[0] == 1 &&
	       at[1] == 0,
	   "two arms by their names, in that order");
	refused("a", "must be two arms, A,B");
	refused("a,b,a", "must be two arms, A,B");
	refused("a,a", "must be two different arms");
	refused("a,c", "no arm 'c'");
	refused(",b", "no arm ''");
	ok(swap_parse(&config, 1, "a,b", at, &why) < 0,
	   "one that takes no part is none");
}

/* An arm that takes that time for each token, and no overhead. */
#define ARM(name, us)                                                          \
	"[cost_model:" name                                                    \
	"]\nplugin=const_step\nbase_us=0\nper_token_us=" us "\n"

static double ttft(const struct swap_row *r)
{
	return swap_value(r, metric_find("mean_ttft_ms"));
}
static double tpot(const struct swap_row *r)
{
	return swap_value(r, metric_find("mean_tpot_ms"));
}

/* const_step names no components, so phases are exchanged.  A prompt of ten
 * tokens takes 100 us under a and 250 us under b. */
static void by_phase(void)
{
	ok(swap_run(&s, &study, place, &why) == 0 &&
	       swap_code(&s) == EXIT_DONE && !s.is_by_component,
	   "two arms without components: %s", why.text);
	ok(s.n_rows == 6, "each arm, and each of four parts");
	is(s.row[0].name, "a", "the first arm leads");
	is(s.row[5].name, "b", "the second one ends");
	near(ttft(&s.row[0]), .1, 1e-9, "a prompt in the first arm");
	near(tpot(&s.row[0]), .01, 1e-9, "a token in the first arm");
	is(s.row[1].name, "prefill", "prefill is b's:");
	near(ttft(&s.row[1]), .25, 1e-9, "prompts take b's time");
	near(tpot(&s.row[1]), .01, 1e-9, "tokens take a's");
	is(s.row[2].name, "decode", "decode is b's:");
	near(ttft(&s.row[2]), .1, 1e-9, "prompts take a's time");
	near(tpot(&s.row[2]), .025, 1e-9, "tokens take b's");
	ok(ttft(&s.row[3]) == ttft(&s.row[0]) &&
	       tpot(&s.row[4]) == tpot(&s.row[0]),
	   "neither arm has communication or overhead");
	near(tpot(&s.row[5]), .025, 1e-9, "all is b's");
}

static void closed_loop(void)
{
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE ARM("a", "10") ARM("b", "25"));
	by_phase();
	ok(!s.has_capacity && isnan(swap_capacity(&s.row[0])),
	   "a closed loop has no capacity");
	swap_free(&s);
}

/* A request takes 0.14 ms under a and 0.35 ms under b.  One at a time, 7143 or
 * 2857 are served in a second. */
static void open_loop(void)
{
	studied(OPEN ARM("a", "10") ARM("b", "25"));
	ok(swap_run(&s, &study, place, &why) == 0 && s.has_capacity,
	   "an open one has: %s", why.text);
	ok(s.bounds.n == 1 && s.bounds.bound[0].limit == 1 &&
	       !strcmp(s.bounds.bound[0].metric->name, "p99_ttft_ms"),
	   "99 of 100 requests are to be within the SLO");
	double a = swap_capacity(&s.row[0]), b = swap_capacity(&s.row[5]);
	near(a, 1e6 / 140, .05, "the first arm's capacity");
	near(b, 1e6 / 350, .05, "the second arm's");
	near(swap_capacity(&s.row[1]), 1e6 / 290, .05,
	     "with b's prefill alone");
	swap_free(&s);
}

static void one_fails(void)
{
	studied(CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "100")
		    CONFIG_BAD_ARM("x"));
	ok(swap_run(&s, &study, place, &why) == 0 && s.n_rows == 0 &&
	       swap_code(&s) == EXIT_DONE,
	   "with an arm that failed nothing is run");
	swap_free(&s);
	struct swap_row failed = {.error = "arm x: it crashed"};
	ok(isnan(ttft(&failed)) && isnan(swap_capacity(&failed)),
	   "a row that failed has no figures");
}

int main(void)
{
	scratch_open();
	config_good(&config, CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM(
				 "a", "100") CONFIG_ARM("b", "250"));
	parsed();
	closed_loop();
	open_loop();
	one_fails();
	studied_free();
	return done();
}
