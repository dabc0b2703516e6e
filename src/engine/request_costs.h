/* engine/request_costs.h -- the time of a request outside of steps, where the
 * cost model says it (sc_request_costs).
 *
 * Such an arm takes it in place of the preset's times between the clients and
 * the engine: api_overhead_us, api_request_us, api_token_us, output_token_us,
 * output_first_us, response_overhead_us, response_sequence_us.  A time that the
 * user gives counts in either case.  No request waits for another one here.
 * [any thread] */
#pragma once
#include "engine/engine.h"
#include "engine/keys/source.h"
#include "stepcost/plugin.h"

/* Takes the plugin's times, which cost_request_costs() has checked; from: where
 * keys of [engine] are given. */
void engine_take_request_costs(struct engine *e, const sc_request_costs *c,
			       const struct engine_source *from);
