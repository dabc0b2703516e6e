/* Routers that look at no prompt. */
#include "routed.h"

static uint32_t of_session(uint64_t session, int64_t now_ns)
{
	const struct route_prompt q = {.session = session, .now_ns = now_ns};
	struct route_ticket t = {0};
	return routed->rule->pick(routed, &q, &t);
}

int main(void)
{
	uint32_t n[4] = {0}, moved = 0, where[400];
	rules(ROUTE_RANDOM);
	start(4);
	for (int i = 0; i < 400; i++)
		n[of_session(0, 0)]++;
	ok(n[0] > 60 && n[1] > 60 && n[2] > 60 && n[3] > 60, "any");
	rules(ROUTE_SESSION);
	start(4);
	for (int i = 0; i < 4; i++)
		n[i] = 0;
	for (uint64_t i = 0; i < 400; i++)
		n[where[i] = of_session(i + 1, 0)]++;
	ok(n[0] > 60 && n[1] > 60 && n[2] > 60 && n[3] > 60,
	   "sessions are spread");
	for (uint64_t i = 0; i < 400; i++)
		moved += of_session(i + 1, 1) != where[i];
	ok(!moved, "and stay");
	start(2);
	ok(of_session(0, 0) == 0 && of_session(0, 0) == 1 &&
	       of_session(0, 0) == 0 && of_session(0, 0) == 1,
	   "without a session the one with the fewest");
	route_free(routed);
	return done();
}
