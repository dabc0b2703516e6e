/* launch.c -- Describes steps, and reports them. */
#include "sim/step/launch.h"
#include <inttypes.h>
#include <math.h>

struct step_event launch_event(const struct replica *r, int64_t called_ns)
{
	const struct scheduler *s = r->scheduler;
	struct step_event event = {
	    .step = r->shared->step,
	    .schedule_ns = called_ns,
	    .tokens = s->tokens,
	    .running = s->policy->running(s),
	    .waiting = scheduler_waiting(s),
	    .preempted = s->n_preempted,
	    .blocks_used = s->kv.pool.used,
	    .cpu_chunks = s->offload ? s->offload->chunks.n : 0,
	    .pool = r->pool,
	    .rank = r->rank,
	    .may_lose = s->policy->may_lose,
	};
	if (s->encoders) {
		event.n_encoded = s->encoders->n_encoded;
		event.encoded = s->encoders->encoded;
		event.encoder_cache = encoders_filled(s->encoders);
	}
	if (r->shared->scheduled) {
		event.scheduled = r->shared->scheduled;
		event.n_scheduled = s->policy->list(s, r->shared->scheduled);
	}
	return event;
}

int launch_us(struct replica *r, struct step_event *event,
	      struct drafter_group group, double *us)
{
	const sc_result *result = event->result;
	double hidden =
	    r->e->async_scheduling && result->host_us > 0 ? result->host_us : 0;
	event->draft_us = 0;
	if (drafter_add(&r->drafter, event->step, group, &event->draft_us,
			r->shared->p) < 0)
		return -1;
	*us = result->total_us - hidden + event->draft_us;
	return 0;
}

int launch_end(const struct replica *r, int64_t start_ns, double us,
	       int64_t *end_ns)
{
	*end_ns = start_ns;
	if (!launch_fits(start_ns, us))
		return problem_set(
		    r->shared->p, EXIT_PLUGIN,
		    "%s: step %" PRIu64 " of replica %" PRIu32
		    " lasts %g us, longer than the clock can count",
		    r->cost->p->name, r->steps, r->index, us);
	*end_ns += launch_ns(us);
	return 0;
}

/* Returns how long a step of that length blocks a stage for the next step.  The
 * part that async scheduling hides is hidden in every stage equally. */
static int64_t stage_time(const struct engine *e, const sc_result *result,
			  int64_t lasts_ns)
{
	if (engine_stages(e) == 1)
		return lasts_ns;
	if (e->pipeline_stages == STAGES_EQUAL)
		return lasts_ns / engine_stages(e);
	double share = result->ready_us / result->total_us;
	return share < 1 ? llround(share * (double)lasts_ns) : lasts_ns;
}

void launch_occupied(struct replica *r, int64_t start_ns, int64_t end_ns)
{
	int64_t from =
	    start_ns > r->occupied_until_ns ? start_ns : r->occupied_until_ns;
	if (end_ns <= from)
		return;
	r->occupied_ns += end_ns - from;
	r->occupied_until_ns = end_ns;
}

/* The drafter runs in the last stage.  Source: vLLM, gpu_model_runner.py
 * (is_last_rank). */
static void pass_stages(struct replica *r, const struct step_event *event,
			int64_t at)
{
	uint32_t n = engine_stages(r->e);
	int64_t draft_ns = n > 1 ? llround(1e3 * event->draft_us) : 0;
	int64_t stage_ns =
	    stage_time(r->e, event->result, event->lasts_ns - draft_ns);
	for (uint32_t i = 0; i < n; i++) {
		if (at < r->stage_free_ns[i])
			at = r->stage_free_ns[i];
		at += stage_ns + (i + 1 == n ? draft_ns : 0);
		r->stage_free_ns[i] = at;
	}
}

int launch_pass(struct replica *r, struct step_event *event)
{
	int64_t at = event->start_ns, end_ns, free_ns = r->stage_free_ns[0];
	double us;
	if (at - event->copy_wait_ns < free_ns)
		event->copy_wait_ns = at < free_ns ? 0 : at - free_ns;
	if (at < free_ns)
		at = free_ns;
	event->adapter_wait_ns = r->scheduler->wait_ns;
	at += event->adapter_wait_ns;
	event->start_ns = at;
	if (launch_us(r, event, (struct drafter_group){0}, &us) < 0)
		return -1;
	us += first_use_wait_us(&r->first_use, r->e, event->tokens) +
	      1e-3 * (double)r->e->lora.step_ns;
	if (r->scheduler->encoders) {
		double encoder_us = encoders_step_us(r->scheduler->encoders);
		event->encoder_ns = llround(1e3 * encoder_us);
		us += encoder_us;
	}
	if (launch_end(r, at, us, &end_ns) < 0)
		return -1;
	event->lasts_ns = end_ns - at;
	pass_stages(r, event, at);
	int64_t last_ns = r->stage_free_ns[engine_stages(r->e) - 1];
	event->end_ns = last_ns > end_ns ? last_ns : end_ns;
	launch_occupied(r, event->start_ns, event->end_ns);
	return 0;
}

void launch_admitted(struct replica *r, const uint32_t *admitted, uint32_t n,
		     int64_t start_ns)
{
	for (uint32_t i = 0; i < n; i++) {
		struct sequence *q = &r->shared->sequences->item[admitted[i]];
		if (q->scheduled_ns >= 0)
			continue;
		q->scheduled_ns = start_ns;
		outcome_scheduled(r->shared->counter, q, start_ns);
	}
}

int launch_report(struct replica *r, const struct step_event *event,
		  const uint32_t *admitted, uint32_t n)
{
	launch_admitted(r, admitted, n, event->start_ns);
	return outcome_step(r->shared->counter, event);
}
