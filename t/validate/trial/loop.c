/* Batches of each kind, on cases small enough to be worked out by hand: a step
 * is 100 us and 1 us for each token. */
#include "validate/trial/loop.h"
#include "note.h"
#include "tap.h"
#include "workload/planned.h"

static struct outcome out;
static struct problem problem;

/* Notes one line a step: what it holds. */
static int32_t eval(void *inst, const sc_step *s, sc_result *r, sc_error *err)
{
	uint32_t tokens = s->n_decode;
	(void)inst, (void)err;
	for (uint32_t i = 0; i < s->n_decode; i++)
		note("d%d@%u ", (int)s->decode_id[i], s->decode_ctx[i]);
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		note("p%d@%u+%u%s ", (int)s->prefill_id[i], s->prefill_ctx[i],
		     s->prefill_new[i], s->prefill_last[i] ? "!" : "");
		tokens += s->prefill_new[i];
	}
	note("(%u)\n", s->n_sampled);
	r->total_us = 100 + tokens;
	return SC_OK;
}

static const sc_plugin plugin = {.size = sizeof plugin,
				 .abi_major = SC_ABI_MAJOR,
				 .name = "logged",
				 .eval = eval};

/* ---- what the requests saw ---- */

static char ends[1000];
static size_t ends_length;

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	(void)ctx, (void)p;
	ends_length += (size_t)snprintf(
	    ends + ends_length, sizeof ends - ends_length, "%d:%s%g/%g ",
	    (int)e->request.row,
	    e->ending == REQUEST_REJECTED ? "rejected " : "",
	    (double)e->ttft_ns / 1e3, (double)e->e2el_ns / 1e3);
	return 0;
}

static double told_us; /* of steps */

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	(void)ctx, (void)p;
	told_us += e->result->total_us;
	return 0;
}

static const char *steps_of(const struct loop_rules *rules,
			    const struct planned_request *r, uint64_t n,
			    uint64_t clients)
{
	const struct observer o = {.on_step = on_step,
				   .on_request = on_request};
	struct cost cost = {.p = &plugin};
	void *memory = calloc(1, loop_step_bytes(rules->max_num_seqs));
	struct workload *w = workload_planned(r, n, clients, &problem);
	log_length = ends_length = 0;
	told_us = 0;
	log_text[0] = ends[0] = '\0';
	if (loop_run(rules, &cost, w, &o, memory, &out, &problem) < 0)
		note("%s", problem.text);
	workload_free(w);
	free(memory);
	return log_text;
}

#define ROW(us, in, n_out)                                                     \
	{                                                                      \
		.arrival_ns = us * 1000, .input_tokens = in,                   \
		.output_tokens = n_out                                         \
	}
static const struct planned_request two[] = {ROW(0, 10, 3), ROW(50, 6, 2)};

static struct loop_rules rules_of(enum loop_prompts prompts)
{
	return (struct loop_rules){.prompts = prompts,
				   .step_tokens = 8,
				   .max_num_seqs = 4,
				   .kv_tokens = UINT64_MAX};
}

static void kinds(void)
{
	struct loop_rules rules = rules_of(PROMPTS_IN_CHUNKS);
	is(steps_of(&rules, two, 2, 0),
	   "p0@0+8 (0)\np0@8+2! p1@0+6! (2)\nd0@10 d1@6 (2)\nd0@11 (1)\n",
	   "chunks of prompts, one behind the other");
	is(ends, "1:166/268 0:216/419 ", "the times of the requests");
	ok(told_us == 419, "each step is told");
	rules.prompts = PROMPTS_ALONE;
	is(steps_of(&rules, two, 2, 0),
	   "p0@0+8 (0)\np0@8+2! p1@0+6! (2)\nd0@10 d1@6 (2)\nd0@11 (1)\n",
	   "prompts alone");
	const struct planned_request late[] = {ROW(0, 4, 3), ROW(150, 4, 1)};
	is(steps_of(&rules, late, 2, 0),
	   "p0@0+4! (1)\nd0@4 (1)\np1@0+4! (1)\nd0@5 (1)\n",
	   "decodes wait while there is a prompt");
	rules.prompts = PROMPTS_IN_CHUNKS;
	is(steps_of(&rules, late, 2, 0),
	   "p0@0+4! (1)\nd0@4 (1)\nd0@5 p1@0+4! (2)\n", "or do not");
}

static void whole(void)
{
	struct loop_rules rules = rules_of(PROMPTS_WHOLE);
	const struct planned_request three[] = {ROW(0, 5, 2), ROW(0, 4, 1),
						ROW(0, 20, 1)};
	is(steps_of(&rules, three, 3, 0),
	   "p0@0+5! (1)\nd0@5 p1@0+4! (2)\np2@0+8 (0)\np2@8+8 (0)\np2@16+4! "
	   "(1)\n",
	   "a prompt waits until it fits whole, unless no step has room for "
	   "it");
}

static void bounds(void)
{
	struct loop_rules rules = rules_of(PROMPTS_IN_CHUNKS);
	const struct planned_request three[] = {ROW(0, 2, 2), ROW(0, 2, 1),
						ROW(0, 30, 1)};
	rules.kv_tokens = 6;
	is(steps_of(&rules, three, 3, 0),
	   "p0@0+2! (1)\nd0@2 (1)\np1@0+2! (1)\n",
	   "one at a time, where the cache has room for one");
	ok(out.requests == 3 && out.completed == 2 && out.rejected == 1 &&
	       strstr(ends, "2:rejected"),
	   "a request longer than the cache is rejected, and counted");
	rules.kv_layer[0] = (struct kv_layers){1, 0, 64};
	rules.kv_layer[1] = (struct kv_layers){1, 2, 64};
	rules.n_kv_layers = 2;
	is(steps_of(&rules, three, 2, 0), "p0@0+2! p1@0+2! (2)\nd0@2 (1)\n",
	   "two, where every other layer keeps two tokens of each");
	rules = rules_of(PROMPTS_IN_CHUNKS);
	rules.max_num_seqs = 1;
	is(steps_of(&rules, two, 2, 0),
	   "p0@0+8 (0)\np0@8+2! (1)\nd0@10 (1)\nd0@11 (1)\np1@0+6! (1)\nd1@6 "
	   "(1)\n",
	   "one at a time, where the engine takes one");
}

static void clients(void)
{
	struct loop_rules rules = rules_of(PROMPTS_IN_CHUNKS);
	const struct planned_request three[] = {ROW(0, 4, 1), ROW(0, 4, 1),
						ROW(0, 4, 1)};
	is(steps_of(&rules, three, 3, 2), "p0@0+4! p1@0+4! (2)\np2@0+4! (1)\n",
	   "a closed loop of two: a new one when one has ended");
	ok(out.num_steps == 2 && out.total_output_tokens == 3 &&
	       out.last_token_ns == 212000 &&
	       out.saturation == SATURATION_STABLE,
	   "its sums");
	rules.delay_ns = 30000;
	rules.gap_ns = 4000;
	is(steps_of(&rules, three, 3, 2),
	   "p0@0+4! (1)\np1@0+4! (1)\np2@0+4! (1)\n",
	   "requests reach it late, and not at once");
	is(ends, "0:134/134 1:238/238 2:208/208 ",
	   "and their times count from the issue");
}

int main(void)
{
	kinds();
	whole();
	bounds();
	clients();
	return done();
}
