/* Causes of the difference between two routers, in a sentence, a table and
 * JSON. */
#include "report/explain/routes.h"
#include "tap.h"

static struct latency_parts a = {
    .n_requests = 2, .n_multi = 1, .prompt_tokens = 400};
static struct latency_parts b = {
    .n_requests = 2, .n_multi = 1, .prompt_tokens = 200};
static struct explanation x = {.of = 0,
			       .by = 1,
			       .routes_differ = 1,
			       .split_of = {.parts = &a},
			       .split_by = {.parts = &b}};

static void set(int part, int64_t of_ns, int64_t by_ns)
{
	a.ns[ATTRIBUTION_TTFT][part] = of_ns;
	b.ns[ATTRIBUTION_TTFT][part] = by_ns;
}

static char *text;
static FILE *open_text(void)
{
	static size_t size;
	free(text);
	text = NULL;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("out of memory");
	return f;
}

int main(void)
{
	double ns[N_ROUTE_CAUSES], sum = 0;
	set(LATENCY_ADMISSION, 60000000, 20000000);
	set(LATENCY_IMBALANCE, 2000000, 12000000);
	set(LATENCY_PROMPT, 80000000, 60000000);
	set(LATENCY_FRONT, 2000000, 2000000);
	x.shares[ATTRIBUTION_TTFT].real_ns = -25e6;
	routes_causes(&x, ATTRIBUTION_TTFT, ns);
	for (int k = 0; k < N_ROUTE_CAUSES; k++)
		sum += ns[k];
	near(sum, -25e6, 1e-12, "the causes add up to the difference");
	near(ns[ROUTE_CAUSE_QUEUEING], -20e6, 1e-12, "queueing");
	near(ns[ROUTE_CAUSE_IMBALANCE], 5e6, 1e-12, "imbalance");
	/* 200 tokens at 0.2 ms, then 100 at 0.3 ms */
	near(ns[ROUTE_CAUSE_HITS], -25e6, 1e-12, "100 tokens less at 0.25 ms");
	near(ns[ROUTE_CAUSE_PACE], 15e6, 1e-12, "150 tokens at 0.1 ms more");
	FILE *f = open_text();
	routes_say(f, &x, ATTRIBUTION_TTFT, 1);
	fclose(f);
	is(text,
	   "25.0 ms less through cache hits (100 %), 20.0 ms less through "
	   "queueing (80 %), 15.0 ms more through time per token",
	   "the largest first");
	struct columns c;
	routes_table(&c, &x);
	f = open_text();
	columns_write(&c, f, 200, 0);
	fclose(f);
	columns_free(&c);
	ok(strstr(text, "  imbalance of replicas        +5.000  -20 %"),
	   "a table");
	struct jw j;
	f = open_text();
	jw_start(&j, f);
	jw_object(&j, NULL);
	routes_json(&j, &x);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	ok(strstr(text, "\"computed_prompt_tokens_by\": 100") &&
	       strstr(text,
		      "\"cache_hits\": {\"difference\": -25, \"share\": 1}"),
	   "JSON");
	b.prompt_tokens = 400;
	routes_causes(&x, ATTRIBUTION_TTFT, ns);
	ok(ns[ROUTE_CAUSE_HITS] == 0, "the same tokens: no hits");
	a.prompt_tokens = b.prompt_tokens = 0;
	routes_causes(&x, ATTRIBUTION_TTFT, ns);
	near(ns[ROUTE_CAUSE_PACE], -10e6, 1e-12, "nothing is computed");
	free(text);
	return done();
}
