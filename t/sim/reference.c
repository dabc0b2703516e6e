/* The engine against a slow and obvious one, step by step, on random cases. */
#include "obvious_engine.h"

#define N_CASES 4000

static uint64_t random_state;
static uint32_t below(uint32_t n)
{
	random_state =
	    random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}
static uint32_t between(uint32_t a, uint32_t b)
{
	return a + below(b - a + 1);
}

/* ---- the engine ---- */

static char request_line[MAX_REQUESTS][200];

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	const sc_step *s = e->step;
	tell(&ours, "%" PRId64 "-%" PRId64 ":", e->start_ns, e->end_ns);
	for (uint32_t i = 0; i < s->n_decode; i++)
		tell(&ours, " d%d@%u+1", (int)s->decode_id[i],
		     s->decode_ctx[i]);
	for (uint32_t i = 0; i < s->n_prefill; i++)
		tell(&ours, " p%d@%u+%u", (int)s->prefill_id[i],
		     s->prefill_ctx[i], s->prefill_new[i]);
	tell(&ours, " %u blocks\n", (unsigned)e->blocks_used);
	return 0;
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	if (e->ending == REQUEST_ENDED)
		snprintf(request_line[e->request.row], sizeof request_line[0],
			 "%u ttft %" PRId64 " e2e %" PRId64
			 " preempted %u cached %u\n",
			 (unsigned)e->request.row, e->ttft_ns, e->e2el_ns,
			 e->preemptions, e->cached_tokens);
	else
		snprintf(request_line[e->request.row], sizeof request_line[0],
			 "%u %s\n", (unsigned)e->request.row,
			 e->ending == REQUEST_REJECTED ? "rejected"
						       : "unfinished");
	return 0;
}

static void engine(const struct engine *e, const struct linear_cost *c,
		   const struct request *r, uint32_t n)
{
	static struct outcome out;
	struct problem p = {0};
	const struct observer o = {.on_step = on_step,
				   .on_request = on_request};
	ours.length = 0;
	memset(request_line, 0, sizeof request_line);
	if (serve(e, c, r, n, &o, &out, &p))
		tell(&ours, "%s\n", p.text);
	for (uint32_t i = 0; i < n; i++)
		tell(&ours, "%s", request_line[i]);
	int caching = (int)e->prefix_caching;
	tell(&ours, "steps %u preemptions %u hit %u of %u peak %u left 0\n",
	     (unsigned)out.num_steps, (unsigned)out.preemptions,
	     (unsigned)out.prefix_hit_tokens,
	     caching ? (unsigned)out.prefix_queried_tokens : ref.queried,
	     (unsigned)out.kv_blocks_peak);
}

/* ---- the cases ---- */

static struct engine random_engine(void)
{
	struct engine e = plain_engine();
	e.max_num_seqs = between(1, 8);
	e.max_num_batched_tokens = between(1, 40);
	e.max_model_len = below(3) ? 0 : 50;
	e.long_prefill_token_threshold = below(2) ? 0 : between(1, 10);
	e.block_size = (uint32_t[]){1, 2, 3, 4, 6, 8, 16}[below(7)];
	if (below(3))
		e.num_gpu_blocks = between(4, below(2) ? 20 : 60);
	e.prefix_caching = below(2);
	e.async_scheduling = below(2);
	e.policy = below(2) ? POLICY_PRIORITY : POLICY_FCFS;
	e.api_overhead_ns = below(2) ? 0 : 1000 * between(0, 300);
	e.api_request_ns = below(2) ? 0 : 1000 * between(0, 300);
	e.response_overhead_ns = below(2) ? 0 : 1000 * between(0, 300);
	e.response_sequence_ns =
	    below(2) ? 0 : 1000 * between(0, below(2) ? 300 : 5000);
	e.schedule_ns = below(2) ? 0 : 1000 * between(0, 300);
	return e;
}

/* Prompts share prefixes; some continue what another generated. */
static uint32_t random_requests(struct request *r, struct segment (*s)[3])
{
	uint32_t n = between(1, MAX_REQUESTS);
	uint32_t longest = below(2) ? 8 : 40, most_out = between(1, 20);
	int64_t span = (int64_t[]){1, 500000, 5000000, 20000000}[below(4)];
	int64_t now = 0;
	for (uint32_t i = 0; i < n; i++) {
		now += (int64_t)between(0, 2 * (uint32_t)(span / n));
		r[i] = (struct request){
		    .row = i,
		    .arrival_ns = now,
		    .input_tokens = between(1, longest),
		    .output_tokens = between(1, most_out),
		    .priority = (int32_t)below(3),
		    .output_id = below(2) ? 0 : 100 + below(3),
		    .segment = s[i],
		    .n_segments = below(4),
		};
		for (uint32_t k = 0; k < r[i].n_segments; k++)
			s[i][k] = (struct segment){
			    .id = (below(2) ? 100 : 1) + below(3),
			    .tokens = between(1, 20),
			};
	}
	return n;
}

static void show_difference(void)
{
	size_t i = 0, line = 0;
	while (ours.text[i] && ours.text[i] == theirs.text[i])
		if (ours.text[i++] == '\n')
			line = i;
	printf("#  got: %.*s\n# want: %.*s\n",
	       (int)strcspn(ours.text + line, "\n"), ours.text + line,
	       (int)strcspn(theirs.text + line, "\n"), theirs.text + line);
}

int main(void)
{
	static struct request r[MAX_REQUESTS];
	static struct segment s[MAX_REQUESTS][3];
	uint32_t wrong = 0, preemptions = 0, hits = 0, async = 0;
	for (uint32_t i = 0; i < N_CASES; i++) {
		random_state = i;
		struct engine e = random_engine();
		struct linear_cost c = {100, 1, below(2) ? 0 : 0.125};
		uint32_t n = random_requests(r, s);
		reference(&e, &c, r, n);
		engine(&e, &c, r, n);
		preemptions += ref.preemptions;
		hits += ref.hit;
		async += e.async_scheduling;
		if (ours.length == theirs.length &&
		    !memcmp(ours.text, theirs.text, ours.length))
			continue;
		if (wrong++ < 3) {
			printf("# case %u differs\n", i);
			show_difference();
		}
	}
	ok(wrong == 0, "%u of %u random cases agree step by step",
	   N_CASES - wrong, N_CASES);
	ok(preemptions > N_CASES / 4 && hits > N_CASES && async > N_CASES / 3,
	   "with %u preemptions, %u tokens found in the cache", preemptions,
	   hits);
	return done();
}
