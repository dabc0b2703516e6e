/* What must hold for whatever is served, at sizes that no hand works out. */
#include "serve.h"
#include "tap.h"

#define MOST 100000u
static struct request request[MOST];
static struct segment segment[MOST];
static struct outcome out;
static struct problem problem;

static uint64_t state;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* ---- the idealised schedule, 100,000 requests ---- */

static struct request_event ended[MOST];
static int keep_request(void *ctx, const struct request_event *e,
			struct problem *p)
{
	(void)ctx, (void)p;
	ended[e->request.row] = *e;
	return 0;
}

/* The few lines that the schedule is: running requests, in order of
 * admission, then waiting ones, as long as sequences and budget last. */
static struct {
	uint32_t row, computed, made;
} running[256];

static uint64_t ideal(const struct engine *e, const struct linear_cost *c,
		      uint32_t n, int64_t *first_ns, int64_t *last_ns)
{
	uint32_t n_running = 0, next = 0;
	uint64_t steps = 0;
	int64_t now = 0;
	for (; n_running || next < n; steps++) {
		uint32_t budget = e->max_num_batched_tokens;
		uint32_t kept = 0, tokens = 0;
		if (n_running == 0 && request[next].arrival_ns > now)
			now = request[next].arrival_ns;
		uint32_t got[256];
		for (uint32_t i = 0;; i++) {
			if (i == n_running) {
				if (next == n ||
				    request[next].arrival_ns > now ||
				    n_running == e->max_num_seqs || !budget)
					break;
				running[n_running].row = next++;
				running[n_running].computed = 0;
				running[n_running++].made = 0;
			}
			uint32_t prompt = request[running[i].row].input_tokens;
			uint32_t want =
			    prompt + running[i].made - running[i].computed;
			got[i] = want < budget ? want : budget;
			budget -= got[i];
			tokens += got[i];
		}
		now +=
		    llround(1e3 * (c->base_us + c->token_us * (double)tokens));
		for (uint32_t i = 0; i < n_running; i++) {
			const struct request *r = &request[running[i].row];
			running[i].computed += got[i];
			if (got[i] && running[i].computed ==
					  r->input_tokens + running[i].made) {
				if (running[i].made++ == 0)
					first_ns[r->row] = now;
				last_ns[r->row] = now;
			}
			if (running[i].made < r->output_tokens)
				running[kept++] = running[i];
		}
		n_running = kept;
	}
	return steps;
}

static void schedule(void)
{
	static int64_t first_ns[MOST], last_ns[MOST];
	const struct linear_cost c = {300, 1.7, 0};
	const struct observer o = {.on_request = keep_request};
	struct engine e = plain_engine();
	int64_t now = 0;
	uint32_t wrong = 0;
	e.max_num_seqs = 24;
	e.max_num_batched_tokens = 120;
	for (uint32_t i = 0; i < MOST; i++) {
		now += below(3000000);
		request[i] = (struct request){.row = i,
					      .arrival_ns = now,
					      .input_tokens = 1 + below(90),
					      .output_tokens = 1 + below(20)};
	}
	uint64_t steps = ideal(&e, &c, MOST, first_ns, last_ns);
	if (serve(&e, &c, request, MOST, &o, &out, &problem))
		bail_out(problem.text);
	for (uint32_t i = 0; i < MOST; i++)
		wrong += ended[i].first_token_ns != first_ns[i] ||
			 ended[i].last_token_ns != last_ns[i];
	ok(wrong == 0 && out.num_steps == steps && out.completed == MOST,
	   "%u requests are where the idealised schedule has them", MOST);
}

/* ---- recycled prompts ---- */

static void recycled(void)
{
	struct engine e = plain_engine();
	const struct linear_cost c = {100, 1, 0};
	const struct observer o = {.on_request = keep_request};
	uint32_t wrong = 0, n = 1000;
	e.prefix_caching = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t prompt = i % 100, tokens = 575 + prompt % 19;
		segment[i] = (struct segment){prompt, tokens};
		request[i] = (struct request){.row = i,
					      .arrival_ns = i * 1000000,
					      .input_tokens = tokens,
					      .output_tokens = 3,
					      .segment = &segment[i],
					      .n_segments = 1};
	}
	if (serve(&e, &c, request, n, &o, &out, &problem))
		bail_out(problem.text);
	uint64_t computed = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t tokens = request[i].input_tokens;
		uint32_t want = i < 100 ? 0 : (tokens - 1) / 16 * 16;
		wrong += ended[i].cached_tokens != want;
		computed += tokens - want + 2;
	}
	ok(wrong == 0 && out.computed_tokens == computed,
	   "a repeated prompt of n tokens computes n - 16 floor((n-1)/16)");
}

/* ---- conservation ---- */

struct watched {
	const struct engine *e;
	int64_t last_start_ns[8], last_end_ns[8];
	uint64_t steps[8];
	uint32_t ended_times[2000], tokens[2000];
	uint64_t n_tokens;
	uint32_t wrong;
};

static int check_step(void *ctx, const struct step_event *s, struct problem *p)
{
	struct watched *w = ctx;
	const sc_step *step = s->step;
	uint32_t r = step->replica, tokens = step->n_decode;
	uint32_t sampled = step->n_decode;
	(void)p;
	w->wrong += step->step_index != w->steps[r]++;
	w->wrong += s->start_ns < w->last_end_ns[r] ||
		    s->end_ns < s->start_ns || s->schedule_ns > s->start_ns;
	w->last_end_ns[r] = s->end_ns;
	w->wrong += s->running > w->e->max_num_seqs ||
		    s->blocks_used > w->e->num_gpu_blocks;
	for (uint32_t i = 0; i < step->n_decode; i++)
		w->tokens[step->decode_id[i]]++;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		tokens += step->prefill_new[i];
		sampled += step->prefill_last[i];
		w->tokens[step->prefill_id[i]] += step->prefill_last[i];
		w->wrong += step->prefill_new[i] == 0;
	}
	w->wrong += tokens > w->e->max_num_batched_tokens || tokens == 0 ||
		    sampled != step->n_sampled ||
		    (step->flags == SC_STEP_GRAPH) !=
			(tokens <= w->e->graph_max_tokens);
	return 0;
}

static int check_request(void *ctx, const struct request_event *e,
			 struct problem *p)
{
	struct watched *w = ctx;
	(void)p;
	w->wrong += w->ended_times[e->request.row]++ != 0;
	if (e->ending == REQUEST_REJECTED) {
		w->wrong += w->tokens[e->request.row] != 0 ||
			    e->rejection >= N_REJECTIONS;
		return 0;
	}
	w->wrong += e->ending != REQUEST_ENDED ||
		    w->tokens[e->request.row] != e->request.output_tokens ||
		    e->first_token_ns < e->scheduled_ns ||
		    e->last_token_ns < e->first_token_ns ||
		    e->scheduled_ns < e->request.arrival_ns +
					  w->e->api_overhead_ns +
					  w->e->api_request_ns;
	return 0;
}

static struct router_rules some_rules(uint32_t block_size)
{
	struct router_rules r = {.ties = below(2),
				 .cache_threshold = 0.3,
				 .balance_abs_threshold = below(5),
				 .balance_rel_threshold = 1.1,
				 .eviction_interval_ns = 1000000,
				 .max_tree_size = below(2000),
				 .prefix_min_match_length = below(300),
				 .request_stats_window_ns = 10000000,
				 .picker = below(3),
				 .refresh_metrics_interval_ns =
				     1 + below(5000000),
				 .block_tokens = block_size,
				 .max_blocks = 1 + below(20),
				 .lru_blocks = 1 + below(40),
				 .overlap_score_credit = 1,
				 .prefill_load_scale = 1,
				 .temperature = below(2),
				 .use_kv_events = below(2),
				 .ttl_ns = below(5000000),
				 .kv_event_delay_ns = below(2) ? 0 : 300000,
				 .chars_per_token = 4};
	for (uint32_t i = 0; i < N_SCORERS; i++)
		r.weight[i] = below(3);
	return r;
}

static struct engine random_engine(void)
{
	struct engine e = plain_engine();
	e.max_num_seqs = 1 + below(40);
	e.max_num_batched_tokens = 1 + below(300);
	e.long_prefill_token_threshold = below(2) ? 0 : 1 + below(50);
	e.block_size = 1 + below(20);
	e.num_gpu_blocks = 1 + below(4000 / e.block_size);
	e.max_model_len = below(2) ? 0 : 400;
	e.prefix_caching = below(2);
	e.async_scheduling = below(2);
	e.policy = below(2) ? POLICY_PRIORITY : POLICY_FCFS;
	e.schedule_ns = below(2) ? 0 : below(1000000);
	e.api_overhead_ns = below(2) ? 0 : below(1000000);
	e.api_request_ns = below(2) ? 0 : below(1000000);
	e.graph_max_tokens = below(300);
	e.replicas = 1 + below(4);
	e.routing = (enum routing)below(N_ROUTINGS);
	e.router = some_rules(e.block_size);
	if (e.replicas > 1 && below(3) == 0) {
		e.prefill_replicas = 1;
		e.kv_bytes_per_token = 1000;
		e.kv_transfer_bytes_per_s = 1e9;
	}
	return e;
}

static void conservation(void)
{
	static struct watched w;
	uint32_t wrong = 0;
	uint64_t preemptions = 0, rejected = 0;
	for (uint32_t round = 0; round < 150; round++) {
		state = round;
		struct engine e = random_engine();
		uint32_t n = 1 + below(2000), closed = below(2);
		int64_t now = 0, gap = 1 + below(3000000);
		for (uint32_t i = 0; i < n; i++) {
			now += below((uint32_t)gap);
			segment[i] = (struct segment){below(5), 1 + below(200)};
			request[i] = (struct request){
			    .row = i,
			    .arrival_ns = now,
			    .input_tokens = 1 + below(300),
			    .output_tokens = 1 + below(200),
			    .priority = (int32_t)below(3),
			    .segment = &segment[i],
			    .n_segments = 1,
			    .output_id = below(2),
			};
		}
		struct workload load = {.request = request, .n = n};
		if (closed)
			load.concurrency = load.n_free = 1 + below(60);
		memset(&w, 0, sizeof w);
		w.e = &e;
		const struct observer o = {.on_step = check_step,
					   .on_request = check_request,
					   .ctx = &w};
		const struct linear_cost c = {100, 1, 0.001};
		if (serve_workload(&e, &c, &load, &o, &out, &problem))
			bail_out(problem.text);
		for (uint32_t i = 0; i < n; i++)
			w.wrong += w.ended_times[i] != 1;
		w.wrong += out.completed + out.rejected != n ||
			   out.unfinished || load.n_finished != n ||
			   out.itl.n != out.total_output_tokens - out.completed;
		if (w.wrong && wrong++ < 3)
			printf("# round %u: %u faults\n", round, w.wrong);
		preemptions += out.preemptions;
		rejected += out.rejected;
	}
	ok(wrong == 0, "150 random engines keep their books");
	ok(preemptions > 1000 && rejected > 100,
	   "with %u preemptions and %u requests rejected",
	   (unsigned)preemptions, (unsigned)rejected);
}

/* ---- breaking off ---- */

static uint32_t n_unfinished;
static int stop_at_7(void *ctx, const struct step_event *s, struct problem *p)
{
	(void)ctx;
	return s->step->step_index == 7
		   ? problem_set(p, EXIT_INPUT, "seven is enough")
		   : 0;
}
static int count_unfinished(void *ctx, const struct request_event *e,
			    struct problem *p)
{
	(void)ctx, (void)p;
	n_unfinished += e->ending == REQUEST_UNFINISHED;
	return 0;
}

static void breaking_off(void)
{
	struct engine e = plain_engine();
	const struct observer o = {.on_step = stop_at_7,
				   .on_request = count_unfinished};
	const struct linear_cost c = {100, 1, 0}, never = {1e300, 0, 0};
	for (uint32_t i = 0; i < 10; i++)
		request[i] = (struct request){
		    .row = i, .input_tokens = 10, .output_tokens = 4 + i};
	ok(serve(&e, &c, request, 10, &o, &out, &problem) < 0 &&
	       problem.code == EXIT_INPUT,
	   "an observer can stop a run: %s", problem.text);
	ok(out.unfinished == 6 && n_unfinished == 6 && out.completed == 4 &&
	       out.saturation == SATURATION_OVERLOADED,
	   "and what is not finished is said to be so");
	ok(serve(&e, &never, request, 10, NULL, &out, &problem) < 0 &&
	       problem.code == EXIT_PLUGIN,
	   "no step lasts for ever: %s", problem.text);
	request[0].arrival_ns = INT64_MAX - 5;
	ok(serve(&e, &c, request, 1, NULL, &out, &problem) < 0 &&
	       problem.code == EXIT_INPUT,
	   "no request comes after the end of time: %s", problem.text);
	ok(serve(&e, &c, request, 0, NULL, &out, &problem) == 0 &&
	       out.requests == 0 && out.num_steps == 0,
	   "no requests, no steps");
}

int main(void)
{
	schedule();
	recycled();
	conservation();
	breaking_off();
	return done();
}
