/* The processes between the clients and the engine. */
#include "sim/front/api_server.h"
#include "tap.h"

int main(void)
{
	struct engine e = {.api_request_ns = 100, .api_token_ns = 2};
	struct api_server f = {0};
	const struct request r = {.input_tokens = 50};
	ok(!api_server_hands_out(&e) && !api_server_is_shared(&e),
	   "without a time for tokens there is no process behind the engine");
	ok(api_server_take(&f, &e, &r, 1000) == 1200,
	   "a request, and its tokens");
	ok(api_server_take(&f, &e, &r, 1100) == 1400,
	   "the next one waits for it");
	e.output_token_ns = 10;
	e.output_first_ns = 500;
	ok(api_server_hands_out(&e), "one that hands out tokens");
	ok(api_server_hand_out(&f, &e, 4, 1, 1000) == 1540,
	   "four tokens, one of them a first one");
	ok(api_server_hand_out(&f, &e, 4, 0, 1200) == 1580,
	   "those of the next step wait for them");
	ok(api_server_hand_out(&f, &e, 1, 0, 5000) == 5010, "or do not");
	ok(api_server_take(&f, &e, &r, 1000) == 1600,
	   "requests do not wait for it");
	e.output_process = OUTPUT_PROCESS_SHARED;
	ok(api_server_is_shared(&e), "one process for both");
	ok(api_server_take(&f, &e, &r, 5000) == 5210, "then they do");
	ok(api_server_hand_out(&f, &e, 1, 0, 5100) == 5220,
	   "and tokens for them");
	return done();
}
