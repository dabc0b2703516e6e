/* recommended.h -- a recommendation for a small model under arms with constant
 * steps, given as the text of an INI.  The test calls scratch_open() first. */
#ifndef T_RECOMMENDED_H
#define T_RECOMMENDED_H
#include "config_of.h"
#include "recommend/recommend.h"

/* Few requests, each nearly alone at the configured rate. */
#define RECOMMENDED_WORKLOAD                                                   \
	"[workload]\nnum_requests=200\narrival=constant\nrequest_rate=5\n"     \
	"input_tokens=constant:10\noutput_tokens=constant:5\n"
#define RECOMMENDED                                                            \
	CONFIG_SETUP CONFIG_ARM("slow", "1000") CONFIG_ARM("fast", "500")      \
	    RECOMMENDED_WORKLOAD

static struct recommend_request asked;
static struct recommend recommended;

/* Two GPUs, replicas that do both, at most 8 sequences; the caller may change
 * it. */
static void ask_small(void)
{
	names_free(&asked.search);
	names_free(&asked.fix);
	asked = (struct recommend_request){.gpus = "2",
					   .slo = "e2el_p99_ms=20",
					   .serve = SERVE_AGGREGATED,
					   .precision = 0.02,
					   .one_draw = 1,
					   .in_process = 1};
	if (names_add(&asked.search, "engine.max_num_seqs=1,8") < 0 ||
	    names_add(&asked.fix, "engine.max_num_batched_tokens") < 0)
		bail_out("out of memory");
}

/* Returns what recommend_open() does, with `why`. */
static int recommend_opened(const char *ini)
{
	recommend_free(&recommended);
	asked.config = scratch_file("recommend.ini", ini);
	return recommend_open(&recommended, &asked, &why);
}

/* One that must run to its end. */
__attribute__((unused)) static void recommend_good(const char *ini)
{
	if (recommend_opened(ini) < 0 || recommend_run(&recommended, &why) < 0)
		bail_out(why.text);
}

/* The value of a key at the winner of an arm; "": none. */
__attribute__((unused)) static const char *won(size_t arm, const char *key)
{
	const struct plan *l = &recommended.sweep.plan;
	long axis = plan_axis_named(l, key);
	size_t point = recommended.arm[arm].winner;
	return axis < 0 || point == SIZE_MAX
		   ? ""
		   : plan_value(l, point, (size_t)axis);
}
#endif
