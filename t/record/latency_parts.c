/* Where the time of requests goes, worked out by hand. */
#include "record/latency_parts.h"
#include "logged.h"

static struct latency_parts x;

static void split(const struct engine *e, const struct made *m, size_t n_steps,
		  const struct request_event *q, size_t n)
{
	FILE *f = tmpfile();
	struct steplog steps = logged(m, n_steps), requests;
	if (!f)
		bail_out("no temporary file");
	for (size_t i = 0; i < n; i++)
		steplog_write_request(f, &q[i]);
	fflush(f);
	if (steplog_map(&requests, f, &p) < 0)
		bail_out(p.text);
	fclose(f);
	const struct latency_task t = {.steps = &steps,
				       .requests = &requests,
				       .cost = {&cost, &cost},
				       .engine = e};
	if (latency_split(&t, &x, &p) < 0)
		bail_out(p.text);
	steplog_unmap(&steps);
	steplog_unmap(&requests);
	for (int metric = 0; metric < ATTRIBUTION_STEPS; metric++) {
		int64_t sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += metric == ATTRIBUTION_TTFT   ? q[i].ttft_ns
			       : metric == ATTRIBUTION_E2EL ? q[i].e2el_ns
			       : q[i].tpot_ns < 0           ? 0
							    : q[i].tpot_ns;
		ok(latency_parts_sum(&x, metric) == sum,
		   "the parts of %s add up", attributed_name[metric]);
	}
}

/* Times in us; its response takes 3 us for the first token, 5 us for the
 * last. */
static struct request_event event(uint64_t row, int64_t came, int64_t first,
				  int64_t last, uint32_t in, uint32_t out)
{
	struct request_event e = {
	    .request = {.row = row, .input_tokens = in, .output_tokens = out},
	    .ending = REQUEST_ENDED,
	    .seen_ns = 1000 * came,
	    .transfer_from_ns = -1,
	    .transfer_to_ns = -1,
	    .load_from_ns = -1,
	    .load_to_ns = -1,
	    .first_token_ns = 1000 * first,
	    .last_token_ns = 1000 * last,
	    .ttft_ns = 1000 * (first - came + 3),
	    .e2el_ns = 1000 * (last - came + (out > 1 ? 5 : 3)),
	    .tpot_ns = -1,
	    .n_visits = 1,
	    .visit = {{0, 1000 * came, 1000 * last}}};
	int64_t gaps = (int64_t)out - 1;
	if (out > 1)
		e.tpot_ns = (e.e2el_ns - e.ttft_ns + gaps / 2) / gaps;
	return e;
}

static int64_t us(int metric, int part)
{
	return x.ns[metric][part] / 1000;
}
#define TTFT(part) us(ATTRIBUTION_TTFT, LATENCY_##part)
#define E2E(part) us(ATTRIBUTION_E2EL, LATENCY_##part)

static const struct engine one = {
    .replicas = 1, .ranks = 1, .lockstep_ranks = 1, .graph_max_tokens = 64};

static void a_request(void)
{
	const struct made m[] = {
	    {.start_us = 20, .end_us = 130, .part = {{0, 0, 100, 1}}},
	    {.start_us = 130, .end_us = 141, .part = {{0, 100, 1, 0}}},
	    /* beside a prompt: 11 of 61 us are its own */
	    {.start_us = 145,
	     .end_us = 206,
	     .part = {{0, 101, 1, 0}, {1, 0, 50, 1}}},
	    /* a step of another prompt that it waits for */
	    {.start_us = 206, .end_us = 246, .part = {{2, 0, 28, 1}}},
	    {.start_us = 250, .end_us = 261, .part = {{0, 102, 1, 0}}},
	};
	struct request_event q = event(0, 2, 130, 263, 100, 4);
	q.seen_ns = 6000;
	split(&one, m, 5, &q, 1);
	ok(x.n_requests == 1 && x.n_multi == 1, "one request");
	ok(TTFT(FRONT) == 4 + 3, "the front end, and the way to the client");
	ok(TTFT(ADMISSION) == 14 && TTFT(PROMPT) == 110, "waits, and computes");
	ok(TTFT(DECODE) == 0 && E2E(PROMPT) == 110, "no more than that");
	ok(E2E(DECODE) == 11 + 11 + 11, "three decodes");
	ok(E2E(STALL) == 50 + 40, "a prompt beside it, and one before it");
	ok(E2E(BETWEEN) == 4 + 4 + 2, "between steps, and until the results");
	ok(E2E(FRONT) == 4 + 5, "the last token reaches the client");
	near(latency_parts_mean(&x, ATTRIBUTION_TPOT, LATENCY_STALL), 30e3,
	     1e-12, "90 us of stalls in three gaps");
	ok(x.ns[ATTRIBUTION_TPOT][LATENCY_FRONT] == 667, "divided in whole ns");
}

static void beside_the_model(void)
{
	const struct made m[] = {
	    /* waits for stores and an adapter, encodes a picture */
	    {.start_us = 60,
	     .end_us = 200,
	     .copies_us = 7,
	     .adapters_us = 13,
	     .encoders_us = 30,
	     .part = {{0, 0, 100, 1}}},
	    /* decodes while another one's picture is encoded: of the rest 11 of
	     * 61 us are its own */
	    {.start_us = 200,
	     .end_us = 286,
	     .encoders_us = 25,
	     .part = {{0, 100, 1, 0}, {1, 0, 50, 1}}},
	    {.start_us = 290,
	     .end_us = 301,
	     .adapters_us = 3,
	     .part = {{0, 101, 1, 0}}},
	};
	struct request_event q = event(0, 0, 200, 301, 100, 3);
	q.load_from_ns = 5000;
	q.load_to_ns = 25000;
	split(&one, m, 3, &q, 1);
	ok(TTFT(ADMISSION) == 5 + 15, "waits before the load, and behind it");
	ok(TTFT(COPIES) == 20 + 7, "for KV from the host, and for stores");
	ok(TTFT(ADAPTERS) == 13 && E2E(ADAPTERS) == 13 + 3, "for adapters");
	ok(TTFT(ENCODERS) == 30 && TTFT(PROMPT) == 110,
	   "its prompt without what is encoded");
	ok(E2E(ENCODERS) == 30 && E2E(STALL) == 25 + 50,
	   "what is encoded for others is a stall");
	ok(E2E(DECODE) == 11 + 11 && E2E(BETWEEN) == 1, "the rest");
}

static void preempted(void)
{
	const struct made m[] = {
	    {.start_us = 0, .end_us = 30, .part = {{0, 0, 20, 1}}},
	    {.start_us = 30, .end_us = 41, .part = {{0, 20, 1, 0}}},
	    {.start_us = 41, .end_us = 60, .part = {{1, 0, 9, 1}}},
	    /* again: 8 tokens are in the cache */
	    {.start_us = 60, .end_us = 84, .part = {{0, 8, 14, 1}}},
	    {.start_us = 84, .end_us = 95, .part = {{0, 22, 1, 0}}},
	};
	struct request_event q = event(0, 0, 30, 95, 20, 4);
	split(&one, m, 5, &q, 1);
	ok(E2E(PREEMPTED) == 19, "the wait after a preemption, whoever runs");
	ok(E2E(AGAIN) == 24 && E2E(STALL) == 0, "what is computed again");
	ok(E2E(DECODE) == 22 && E2E(PROMPT) == 30, "the rest");
}

static void chunks(void)
{
	const struct made m[] = {
	    {.end_us = 20, .part = {{0, 0, 10, -1}}},
	    {.start_us = 20, .end_us = 35, .part = {{1, 9, 1, 0}}},
	    {.start_us = 35, .end_us = 55, .part = {{0, 10, 10, -1}}},
	    /* preempted in its prompt */
	    {.start_us = 60, .end_us = 80, .part = {{0, 0, 10, -1}}},
	    {.start_us = 80, .end_us = 110, .part = {{0, 10, 20, 1}}},
	};
	struct request_event q = event(0, 0, 110, 110, 30, 1);
	q.request.output_tokens = 1;
	split(&one, m, 5, &q, 1);
	ok(x.n_multi == 0, "one token");
	ok(TTFT(PROMPT) == 20 + 20 && TTFT(AGAIN) == 20 + 30,
	   "a step with any token a second time");
	ok(TTFT(BETWEEN) == 15 && TTFT(PREEMPTED) == 5,
	   "others' decodes between chunks; the wait after a preemption");
}

/* The KV cache moves while the decode pool has it wait. */
static void pools(void)
{
	const struct engine e = {.replicas = 2,
				 .ranks = 1,
				 .lockstep_ranks = 1,
				 .graph_max_tokens = 64,
				 .prefill_replicas = 1,
				 .decode = &one};
	const struct made m[] = {
	    {.end_us = 30, .part = {{0, 0, 20, 1}}},
	    {.start_us = 30, .end_us = 41, .part = {{0, 20, 1, 0}}},
	    {.replica = 1,
	     .start_us = 70,
	     .end_us = 81,
	     .part = {{0, 19, 1, 1}}},
	    {.replica = 1,
	     .start_us = 81,
	     .end_us = 92,
	     .part = {{0, 20, 1, 0}}},
	};
	struct request_event q = event(0, 0, 81, 92, 20, 2);
	q.n_visits = 2;
	q.visit[0].to_ns = 32000;
	q.visit[1] = (struct visit){1, 36000, 92000};
	q.transfer_from_ns = 45000;
	q.transfer_to_ns = 60000;
	split(&e, m, 4, &q, 1);
	ok(TTFT(PROMPT) == 30, "the prompt");
	ok(TTFT(DECODE) == 2 + 11,
	   "a token too many, and the last token of the prompt once more");
	ok(TTFT(FRONT) == 4 + 3, "on the way without a transfer");
	ok(TTFT(TRANSFER) == 15, "the transfer");
	ok(TTFT(DECODE_POOL) == (45 - 36) + (70 - 60), "before and after it");
	ok(E2E(DECODE) == TTFT(DECODE) + 11, "the second token");
	q.transfer_from_ns = 32000;
	q.transfer_to_ns = q.visit[1].from_ns;
	split(&e, m, 4, &q, 1);
	ok(TTFT(TRANSFER) == 4 && TTFT(FRONT) == 3, "pushed between the stays");
}

static void nobody(void)
{
	split(&one, NULL, 0, NULL, 0);
	ok(x.n_requests == 0 &&
	       latency_parts_mean(&x, ATTRIBUTION_TTFT, LATENCY_PROMPT) == 0,
	   "no requests");
	for (int k = 0; k < N_LATENCY_PARTS; k++)
		ok(*latency_part_name[k] && !strchr(latency_part_key[k], ' '),
		   "%s has a name and a key", latency_part_key[k]);
}

int main(void)
{
	a_request();
	beside_the_model();
	preempted();
	chunks();
	pools();
	nobody();
	return done();
}
