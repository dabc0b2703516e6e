/* What a run comes to, counted by hand. */
#include "sim/outcome.h"
#include <string.h>
#include "sim/sequence.h"
#include "tap.h"

static struct outcome_counter counter;
static struct outcome out;
static struct problem problem;
static struct engine engine;

static struct request_event last; /* that the observer was told */
static char last_name[20];
static int n_told, answer;
static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	last = *e;
	snprintf(last_name, sizeof last_name, "%s",
		 e->request.name ? e->request.name : "");
	n_told++;
	return answer;
}

static const struct segment segment = {1, 5};
static struct request asked = {.row = 3,
			       .arrival_ns = 1000,
			       .input_tokens = 5,
			       .output_tokens = 3,
			       .priority = -2,
			       .slo_class = 7,
			       .session = 11,
			       .turn = 2,
			       .n_segments = 1,
			       .segment = &segment,
			       .name = "abc"};

static void start(void)
{
	static const struct observer o = {.on_request = on_request};
	engine = (struct engine){.num_gpu_blocks = 9};
	n_told = answer = 0;
	outcome_free(&counter);
	outcome_begin(&counter, &engine, &o, &out, &problem);
}

static int is_as_asked(const struct request *r)
{
	return r->row == asked.row && r->arrival_ns == asked.arrival_ns &&
	       r->input_tokens == asked.input_tokens &&
	       r->output_tokens == asked.output_tokens &&
	       r->priority == asked.priority &&
	       r->slo_class == asked.slo_class && r->session == asked.session &&
	       r->turn == asked.turn && r->n_segments == 0 && !r->segment;
}

static void rejected(void)
{
	start();
	outcome_arrived(&counter, &asked);
	ok(outcome_rejected(&counter, &asked, REJECTED_BY_CACHE) == 0 &&
	       n_told == 1,
	   "a rejected request is told");
	ok(is_as_asked(&last.request) && !strcmp(last_name, "abc"),
	   "with all it asked for, but for its segments");
	ok(last.ending == REQUEST_REJECTED &&
	       last.rejection == REJECTED_BY_CACHE && last.scheduled_ns == -1 &&
	       last.first_token_ns == -1 && last.last_token_ns == -1 &&
	       last.ttft_ns == -1 && last.tpot_ns == -1 && last.e2el_ns == -1 &&
	       last.generated_tokens == 0,
	   "and nothing done");
	answer = 1;
	ok(outcome_rejected(&counter, &asked, REJECTED_BY_CACHE) == -1,
	   "an observer may stop the run");
	ok(outcome_finish(&counter) == 0 && out.rejected == 2 &&
	       out.completed == 0 && out.ttft.n == 0,
	   "and counted as such alone");
}

static struct sequence served(int64_t first_token_ns)
{
	struct sequence q = {.request = asked,
			     .order = 0,
			     .seen_ns = 1100,
			     .scheduled_ns = 1500,
			     .first_token_ns = first_token_ns,
			     .first_response_ns = 50,
			     .cached_tokens = 4,
			     .preemptions = 1,
			     .generated = 2,
			     .replica = 6};
	return q;
}

static void ended(void)
{
	struct sequence q = served(2000);
	start();
	engine.slo = (struct slo){.ttft_ns = 1050, .tpot_ns = 506};
	outcome_arrived(&counter, &asked);
	outcome_scheduled(&counter, &q, 1500);
	ok(outcome_ended(&counter, &q, 3001, 60) == 0 &&
	       is_as_asked(&last.request),
	   "one that ended is told as it was asked for");
	ok(last.ttft_ns == 1050 && last.e2el_ns == 2061 &&
	       last.tpot_ns == 506 && last.last_token_ns == 3001,
	   "its times have what each response took; TPOT is rounded up");
	ok(last.generated_tokens == 3 && last.cached_tokens == 4 &&
	       last.preemptions == 1 && last.replica == 6 &&
	       last.scheduled_ns == 1500,
	   "what became of it");
	outcome_gap(&counter, 500, 2);
	ok(outcome_finish(&counter) == 0 && out.requests == 1 &&
	       out.completed == 1 && out.total_input_tokens == 5 &&
	       out.total_output_tokens == 3 && out.first_arrival_ns == 1000 &&
	       out.last_token_ns == 3001 && out.kv_blocks == 9,
	   "counts");
	ok(out.ttft.mean == 1050 && out.e2el.mean == 2061 &&
	       out.tpot.mean == 506 && out.itl.n == 2 && out.itl.mean == 500 &&
	       out.queueing.mean == 400,
	   "and means; who queues has passed the API");
	ok(out.good == 1 && out.slo_given == 1, "within the SLO");
}

static void edges(void)
{
	struct sequence q = served(2000);
	start();
	engine.slo = (struct slo){.ttft_ns = 1049};
	outcome_ended(&counter, &q, 3001, 60);
	ok(outcome_finish(&counter) == 0 && out.good == 0 && out.slo_given,
	   "by a ns not within it");
	start();
	q.request.output_tokens = 1;
	outcome_ended(&counter, &q, 2000, 60);
	ok(last.tpot_ns == -1 && outcome_finish(&counter) == 0 &&
	       out.tpot.n == 0 && isnan(out.tpot.mean) && isnan(out.tpot.p99) &&
	       out.saturation == SATURATION_STABLE,
	   "one token has no TPOT");
}

static void unfinished(void)
{
	struct sequence q = served(-1);
	start();
	outcome_arrived(&counter, &asked);
	outcome_unfinished(&counter, &q);
	ok(last.ending == REQUEST_UNFINISHED && last.ttft_ns == -1 &&
	       last.e2el_ns == -1 && last.generated_tokens == 2,
	   "one that broke off has what it had");
	q.first_token_ns = 2000;
	outcome_unfinished(&counter, &q);
	ok(last.ttft_ns == 1050 && last.e2el_ns == -1, "its TTFT, if it has");
	ok(outcome_finish(&counter) == 0 && out.unfinished == 2 &&
	       out.ttft.n == 0 && isnan(out.ttft.mean) &&
	       out.saturation == SATURATION_NOTHING,
	   "and counts for no mean; nothing completed");
}

static int n_steps;
static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)e;
	n_steps++;
	return problem_set(p, EXIT_INPUT, "enough");
}

static void steps(void)
{
	const sc_step step = {
	    .size = sizeof step, .n_prefill = 1, .n_decode = 2};
	const sc_result result = {.size = sizeof result, .total_us = 2};
	const struct step_event e = {.step = &step,
				     .result = &result,
				     .start_ns = 5000,
				     .end_ns = 7000,
				     .lasts_ns = 2000,
				     .tokens = 12,
				     .waiting = 4,
				     .blocks_used = 8};
	start();
	ok(outcome_step(&counter, &e) == 0 && outcome_step(&counter, &e) == 0 &&
	       outcome_finish(&counter) == 0,
	   "steps without an observer for them");
	ok(out.num_steps == 2 && out.scheduled_sequences == 6 &&
	       out.computed_tokens == 24 && out.busy_ns == 4000 &&
	       out.total_us == 4,
	   "are counted");
	ok(out.series.bin[0].steps == 2 && out.series.bin[0].tokens == 24 &&
	       out.series.bin[0].max_waiting == 4 &&
	       out.series.bin[0].max_blocks == 8,
	   "over time, too");
	const struct observer o = {.on_step = on_step};
	outcome_free(&counter);
	outcome_begin(&counter, &engine, &o, &out, &problem);
	ok(outcome_step(&counter, &e) == -1 && n_steps == 1 &&
	       out.pool[0].num_steps == 1 && !strcmp(problem.text, "enough"),
	   "an observer may stop the run, with its own words");
}

int main(void)
{
	rejected();
	ended();
	edges();
	unfinished();
	steps();
	outcome_free(&counter);
	return done();
}
