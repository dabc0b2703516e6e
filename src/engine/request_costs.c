/* request_costs.c -- Puts the times of a cost model in place of the preset's.
 */
#include "engine/request_costs.h"
#include <math.h>
#include <stddef.h>

static int64_t ps(double us)
{
	return (int64_t)llround(1e6 * us);
}

void engine_take_request_costs(struct engine *e, const sc_request_costs *c,
			       const struct engine_source *from)
{
	const struct {
		const char *key;
		int64_t *ns;
	} of_preset[] = {{"api_overhead_us", &e->api_overhead_ns},
			 {"api_request_us", &e->api_request_ns},
			 {"api_token_us", &e->api_token_ns},
			 {"output_token_us", &e->output_token_ns},
			 {"output_first_us", &e->output_first_ns},
			 {"response_overhead_us", &e->response_overhead_ns},
			 {"response_sequence_us", &e->response_sequence_ns}};
	for (size_t i = 0; i < sizeof of_preset / sizeof *of_preset; i++)
		if (!engine_key_item(from, of_preset[i].key))
			*of_preset[i].ns = 0;
	e->request =
	    (struct request_times){.before_ps = ps(c->before_us),
				   .prompt_token_ps = ps(c->prompt_token_us),
				   .after_ps = ps(c->after_us),
				   .output_token_ps = ps(c->output_token_us)};
}
