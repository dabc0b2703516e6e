/* Requests that arrive: those that no engine could serve break off the run,
 * those that are too long are rejected, and the others join the queue of the
 * process in front in the order of time.  A step is 100 us and 1 us for each
 * token. */
#include "sim/arrivals.h"
#include <inttypes.h>
#include "note.h"
#include "serve.h"
#include "tap.h"

static const struct linear_cost cost = {100, 1, 0};
static struct outcome out;
static struct problem problem;

/* Notes when the prompts of a step begin. */
static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	for (uint32_t i = 0; i < e->step->n_prefill; i++)
		note("%d@%" PRId64 " ", (int)e->step->prefill_id[i],
		     e->start_ns / 1000);
	return 0;
}

static const char *prompts_of(const struct engine *e, const struct request *r,
			      size_t n)
{
	const struct observer o = {.on_step = on_step};
	log_length = 0;
	log_text[0] = '\0';
	if (serve(e, &cost, r, n, &o, &out, &problem))
		note("%s", problem.text);
	return log_text;
}

static void refused(const struct engine *e, struct request r, int code,
		    const char *want)
{
	r.row = 7;
	r.input_tokens = r.output_tokens = 1;
	problem = (struct problem){0};
	is(prompts_of(e, &r, 1), want, "refused: %s", want);
	ok(problem.code == code, "with exit code %d", code);
}

static void not_of_this_engine(void)
{
	struct engine e = plain_engine();
	refused(&e, (struct request){.arrival_ns = -1}, EXIT_INPUT,
		"request 7 arrives outside the clock, at -1 ns");
	refused(&e, (struct request){.arrival_ns = INT64_MAX}, EXIT_INPUT,
		"request 7 arrives outside the clock, at 9223372036854775807 "
		"ns");
	refused(&e, (struct request){.adapter = 1}, EXIT_USAGE,
		"request 7 has an adapter; set enable_lora = true");
	refused(&e, (struct request){.pinned = 2}, EXIT_INPUT,
		"request 7 is for replica 1, but there are 1");
	const struct request first = {
	    .pinned = 1, .input_tokens = 1, .output_tokens = 1};
	is(prompts_of(&e, &first, 1), "0@0 ", "replica 0 is there");
}

static void too_long(void)
{
	struct engine e = plain_engine();
	e.max_model_len = 10;
	const struct request r[] = {
	    {.row = 0, .input_tokens = 10, .output_tokens = 1},
	    {.row = 1, .input_tokens = 9, .output_tokens = 1}};
	struct workload w = {.request = r, .n = 2};
	ok(serve_workload(&e, &cost, &w, NULL, &out, &problem) == 0 &&
	       out.requests == 2 && out.rejected == 1 && out.completed == 1,
	   "one that is too long is rejected, the next one served");
	ok(w.n_finished == 2, "its client learns of it");
}

static void one_process(void)
{
	struct engine e = plain_engine();
	const struct request r[] = {
	    {.row = 0, .input_tokens = 10, .output_tokens = 1},
	    {.row = 1,
	     .input_tokens = 1,
	     .output_tokens = 1,
	     .arrival_ns = 230000}};
	struct request at_once[] = {r[0], r[1]};
	at_once[1].arrival_ns = 210000;
	e.api_request_ns = 100000;
	e.output_token_ns = 40000;
	is(prompts_of(&e, r, 2), "0@100 1@330 ",
	   "tokens and requests have a process each");
	e.output_process = OUTPUT_PROCESS_SHARED;
	is(prompts_of(&e, r, 2), "0@100 1@350 ",
	   "or a request waits for the token of the step before it");
	ok(out.e2el.max == 261e3, "350 to 451, and 40 us for its own token");
	e.api_overhead_ns = 10000;
	is(prompts_of(&e, at_once, 2), "0@110 1@320 ",
	   "one that joins at the end of a step goes first");
	ok(out.e2el.max == 360e3, "and the token of that step waits");
}

int main(void)
{
	not_of_this_engine();
	too_long();
	one_process();
	return done();
}
