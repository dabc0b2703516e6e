/* The rule of a warm-up, and the requests before TTFT is steady. */
#include "record/warm_up.h"
#include "math/mser.h"
#include "tap.h"

static struct problem why;

static void rules(void)
{
	struct warm_up_rule r;
	ok(warm_up_parse(&r, "200", &why) == 0 && r.cut.requests == 200 &&
	       r.cut.ns == 0 && !r.by_rule,
	   "requests");
	ok(warm_up_parse(&r, "1.5s", &why) == 0 && r.cut.ns == 1500000000 &&
	       r.cut.requests == 0,
	   "seconds");
	ok(warm_up_parse(&r, "mser", &why) == 0 && r.by_rule, "by rule");
	ok(warm_up_parse(&r, "0", &why) == 0 && !r.by_rule && !r.cut.requests &&
	       warm_up_parse(&r, NULL, &why) == 0 && !r.text,
	   "none");
	static const char *const bad[] = {"-1", "1.5", "s",   "60 s",
					  "x",  "",    "-3s", "nan"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(warm_up_parse(&r, bad[i], &why) < 0 &&
		       why.code == EXIT_USAGE,
		   "refused: %s", why.text);
}

/* Requests end in another order than they arrive in; one has no token. */
static void series(void)
{
	struct warm_up_series s = {0};
	struct observer o = warm_up_observe(&s);
	double ttft[60];
	uint64_t cut = 0;
	int steady;
	for (int i = 0; i < 60; i++)
		ttft[i] = i < 12 ? 500 - 30 * i : 100 + i % 3;
	for (int i = 59; i >= 0; i--) {
		struct request_event e = {
		    .request = {.row = (uint64_t)i, .arrival_ns = i / 2},
		    .ttft_ns = (int64_t)ttft[i]};
		ok(o.on_request(o.ctx, &e, &why) == 0, "request %d", i);
	}
	struct request_event none = {.ttft_ns = -1};
	o.on_request(o.ctx, &none, &why);
	ok(s.n == 60, "a request without a token has no part");
	ok(warm_up_find(&s, &cut, &steady) == 0 && steady &&
	       cut == mser_cut(ttft, 60, &steady) && cut >= 10,
	   "%llu requests are cut", (unsigned long long)cut);
	warm_up_free(&s);
}

int main(void)
{
	rules();
	series();
	return done();
}
