/* The texts of a capacity: names, and numbers with the digits that are known.
 */
#include "report/capacity_parts.h"
#include <math.h>
#include "rendered.h"

static struct arm_config arm[] = {
    {.name = "one", .hardware = "h100-sxm"},
    {.name = "two", .hardware = "l40s", .decode_hardware = "h200-sxm"}};
static struct deployment_candidate candidate[] = {
    {.name = "tp 1", .config.arm = arm}, {.name = "tp 2", .config.arm = arm}};

static void names(void)
{
	struct deployments d = {
	    .candidate = candidate, .n_candidates = 1, .n_arms = 2};
	char *text = capacity_search_name(&d, 1);
	is(text, "two", "one way: the arm");
	free(text);
	d.n_candidates = 2;
	text = capacity_search_name(&d, 2);
	is(text, "tp 2, one", "two ways: the way and the arm");
	free(text);
	is(capacity_gpu(&d, 3, 0), "l40s", "the GPU of prefill");
	is(capacity_gpu(&d, 3, 1), "h200-sxm", "and of decode");
	ok(!capacity_gpu(&d, 0, 1), "pools that are not apart have one");
}

static void numbers(void)
{
	struct capacity c = {.request_rate = 8.6394, .low = 8.4, .high = 8.8};
	char buf[80];
	is(capacity_rate(buf, &c), "8.6", "as many digits as are known");
	is(capacity_range(buf, &c), "8.4 - 8.8", "and as many of the ends");
	c.high = INFINITY;
	is(capacity_range(buf, &c), "-", "no end, no range");
	c.high = 8.8;
	c.basis = BASIS_ONE_DRAW;
	is(capacity_rate(buf, &c), "8.639", "one draw: four digits");
	is(capacity_range(buf, &c), "-", "and no range");
	is(capacity_whole(buf, 8, 12), "8-12", "a range of whole numbers");
	is(capacity_whole(buf, 8, 8), "8", "and one");
}

static void sentences(void)
{
	struct search_left left = {0};
	struct deployments d = {.candidate = candidate,
				.n_candidates = 1,
				.n_arms = 1,
				.left = &left};
	struct capacity c = {.limited_by = LIMITED_BY_REJECTION,
			     .seen.rejected = 3,
			     .seen.requests = 10};
	capacity_none(rendered_begin(), &d, &c);
	is(rendered_end(), " none: 3 of 10 requests rejected",
	   "why no rate meets the bounds");
	d.how.one_draw = 1;
	capacity_rests_on(rendered_begin(), &d);
	rendered_has(rendered_end(), "this draw only");
}

int main(void)
{
	names();
	numbers();
	sentences();
	return done();
}
