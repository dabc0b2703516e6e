/* decode_run.c -- Executes decode steps that have known prices. */
#include "sim/step/decode_run.h"
#include "sim/front/api_server.h"
#include "sim/step/launch.h"

/* Returns 1 if between two steps of this replica nothing can happen except that
 * the results of the first are processed, and the next one starts as soon as it
 * is scheduled. */
int decode_run_is_possible(const struct replica *r)
{
	const struct engine *e = r->e;
	return r->shared->n_replicas == 1 && !r->lockstep && !e->preset &&
	       !e->async_scheduling && e->speculation.drafts == 0 &&
	       !first_use_may_wait(e) && !api_server_hands_out(e) &&
	       outcome_takes_runs(r->shared->counter);
}

/* Sets the times of the first step, and of the steps behind it that are
 * scheduled before a request arrives; run->n is an upper bound. */
static int set_clock(const struct replica *r, struct decode_run *run)
{
	uint32_t known = r->inbox.n || r->shared->lists_tokens
			     ? 0
			     : ahead_known(&r->ahead, r->cost);
	int64_t end_ns;
	run->start_ns[0] = r->ready_ns;
	if (launch_end(r, r->ready_ns, run->result[0]->total_us, &end_ns) < 0)
		return -1;
	run->end_ns[0] = end_ns;
	for (run->n = 1; run->n <= known; run->n++) {
		const sc_result *result = ahead_see(&r->ahead, run->n - 1);
		int64_t start_ns = end_ns + r->e->schedule_ns;
		if (start_ns >= r->shared->arrival_ns ||
		    !launch_fits(start_ns, result->total_us))
			break;
		end_ns = start_ns + launch_ns(result->total_us);
		run->result[run->n] = result;
		run->start_ns[run->n] = start_ns;
		run->end_ns[run->n] = end_ns;
	}
	return 0;
}

/* Does the first step, except its commit(). */
static void begin(struct replica *r, struct batch *b, struct decode_run *run)
{
	struct scheduler *s = r->scheduler;
	const sc_step *step = r->shared->step;
	run->sequences = step->n_prefill + step->n_decode;
	run->waiting = scheduler_waiting(s);
	run->pool = r->pool;
	run->replica = r->index;
	run->tokens = s->tokens;
	run->behind = NULL;
	run->blocks_used[0] = s->kv.pool.used;
	outcome_priced(r->shared->counter, step, run->result[0], r->pool,
		       run->end_ns[0] - run->start_ns[0]);
	launch_admitted(r, s->admitted, s->n_admitted, run->start_ns[0]);
	b->end_ns = run->end_ns[0];
}

/* Does the n other steps: the results of each step are processed before the
 * next one is scheduled; those of the last are left to b.  n_open: number of
 * steps before them (0 or 1) that are committed together with them. */
static void go_on(struct replica *r, struct batch *b, struct decode_run *run,
		  uint32_t n, uint32_t n_open)
{
	struct scheduler *s = r->scheduler;
	run->behind = ahead_steps(&r->ahead, s);
	if (n_open) {
		outcome_gap(r->shared->counter, run->end_ns[0] - s->last_end_ns,
			    run->sequences);
	} else {
		s->policy->process(s, b, b->end_ns);
		outcome_results(r->shared->counter, b);
	}
	b->gap_ns = run->end_ns[n] - run->end_ns[n - 1];
	b->end_ns = run->end_ns[n];
	s->policy->commit_run(s, n + n_open, b);
	r->ahead.used += n;
}

/* Moves the clocks of the thread and the GPU to the end of the last step. */
static void move_on(struct replica *r, struct decode_run *run)
{
	uint32_t last = run->n - 1;
	int64_t end_ns = run->end_ns[last];
	run->busy_ns = end_ns - run->start_ns[0] - last * r->e->schedule_ns;
	r->ready_ns = run->start_ns[last];
	r->stage_free_ns[0] = end_ns;
	launch_occupied(r, end_ns - run->busy_ns, end_ns);
	r->scheduler->last_end_ns = end_ns;
	if (last || r->shared->step->n_prefill == 0)
		r->decode_ns = end_ns - run->start_ns[last];
	r->steps += run->n;
}

int decode_run_send(struct replica *r, struct batch *b, const sc_result *first)
{
	struct scheduler *s = r->scheduler;
	struct decode_run run;
	uint32_t others = 0;
	run.result[0] = first;
	if (set_clock(r, &run) < 0)
		return -1;
	begin(r, b, &run);
	/* Decodes only, with more steps behind: no request gets its last
	 * token. */
	uint32_t n_open = s->goes_on && run.n > 1;
	if (!n_open)
		s->policy->commit(s, b);
	if (run.n > 1 && (n_open || b->n_last == 0))
		others =
		    s->policy->go_on(s, n_open, run.n - 1, run.blocks_used + 1);
	if (n_open && !others)
		s->policy->commit(s, b);
	if (others)
		go_on(r, b, &run, others, n_open);
	run.n = 1 + others;
	move_on(r, &run);
	return outcome_run(r->shared->counter, &run);
}
