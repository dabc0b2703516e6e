/* The times of a cost model in place of the preset's. */
#include "engine/request_costs.h"
#include "tap.h"

static struct engine taken(const char *ini, const sc_request_costs *c)
{
	struct engine e = {.api_overhead_ns = 7,
			   .api_request_ns = 7,
			   .output_token_ns = 7,
			   .response_overhead_ns = 7};
	struct problem p;
	struct ini f;
	if (ini_read(&f, ini, strlen(ini), &p) < 0)
		bail_out(p.text);
	const struct engine_source from = {.ini = &f};
	engine_take_request_costs(&e, c, &from);
	ini_free(&f);
	return e;
}

int main(void)
{
	const sc_request_costs c = {.size = sizeof c,
				    .before_us = 3,
				    .prompt_token_us = 0.0104,
				    .after_us = 2,
				    .output_token_us = 0.25};
	struct engine e = taken("[engine]\napi_request_us = 1\n", &c);
	ok(e.api_overhead_ns == 0 && e.output_token_ns == 0 &&
	       e.response_overhead_ns == 0,
	   "the preset's times go");
	ok(e.api_request_ns == 7, "one that the user set stays");
	ok(engine_request_before_ns(&e, 0) == 3000 &&
	       engine_request_before_ns(&e, 1) == 3010 &&
	       engine_request_before_ns(&e, 1000) == 13400,
	   "before: fractions of a nanosecond add up");
	ok(engine_request_after_ns(&e, 1, 0) == 250 &&
	       engine_request_after_ns(&e, 3, 1) == 2750,
	   "each token takes longer, the last one more");
	e = taken("", &(sc_request_costs){.size = sizeof c,
					  .before_us = 1e9,
					  .prompt_token_us = 1e6});
	ok(engine_request_before_ns(&e, 5000000) > 0,
	   "a time beyond the clock does not turn negative");
	return done();
}
