/* loop.c -- Forms batches by a few rules and moves the clock from step to step.
 */
#include <config.h>
#include "validate/trial/loop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const loop_prompts_name[] = {"in_chunks", "alone", "whole", NULL};

/* A request that was issued. */
struct issued {
	struct request_event event;
	int64_t reaches_ns; /* the former */
	uint32_t computed;  /* of its prompt */
	uint64_t kv_tokens; /* that it has room reserved for              */
};

struct loop {
	const struct loop_rules *rules;
	struct cost *cost;
	struct workload *w;
	const struct observer *o;
	struct outcome *out;
	struct problem *p;
	struct issued *issued; /* [n] in order of issue                      */
	uint64_t n, n_admitted, total;
	int64_t now_ns, last_reach_ns;
	uint64_t kv_tokens; /* of those that run, reserved whole             */
	uint64_t *prompt;   /* [n_prompts] of issued: computed in part       */
	uint64_t *decode;   /* [n_decodes] likewise: they generate           */
	uint32_t *left;     /* [n_decodes] tokens                            */
	uint32_t n_prompts, n_decodes;
	sc_step *step;
	/* columns of the step: [max_num_seqs] each */
	uint32_t *prefill_new, *prefill_ctx, *prefill_last, *decode_ctx;
	uint64_t *prefill_id, *decode_id;
	uint32_t budget;
	struct coverage coverage;
	struct delays delays;
	double service_ns; /* sum over those that ended                      */
};

/* ---- memory ---- */

/* Places the columns in memory; returns how much that takes, which is all it
 * does for memory NULL. */
static size_t lay_out(struct loop *l, size_t n, unsigned char *memory)
{
	size_t head = (sizeof(sc_step) + 63) / 64 * 64;
	size_t wide = (n * sizeof(uint64_t) + 63) / 64 * 64;
	if (memory) {
		l->step = (sc_step *)(void *)memory;
		l->prefill_id = (uint64_t *)(void *)(memory + head);
		l->decode_id = (uint64_t *)(void *)(memory + head + wide);
		l->prefill_new = (uint32_t *)(void *)(memory + head + 2 * wide);
		l->prefill_ctx = l->prefill_new + n;
		l->prefill_last = l->prefill_ctx + n;
		l->decode_ctx = l->prefill_last + n;
	}
	return head + 2 * wide + 4 * n * sizeof(uint32_t);
}

size_t loop_step_bytes(uint32_t max_num_seqs)
{
	return lay_out(NULL, max_num_seqs, NULL);
}

static int open_loop(struct loop *l, void *step_memory)
{
	uint32_t n = l->rules->max_num_seqs;
	l->total = workload_total(l->w);
	l->issued = calloc(l->total + 1, sizeof *l->issued);
	l->prompt = calloc(n, sizeof *l->prompt);
	l->decode = calloc(n, sizeof *l->decode);
	l->left = calloc(n, sizeof *l->left);
	lay_out(l, n, step_memory);
	*l->step = (sc_step){.size = sizeof *l->step,
			     .prefill_new = l->prefill_new,
			     .prefill_ctx = l->prefill_ctx,
			     .prefill_last = l->prefill_last,
			     .prefill_id = l->prefill_id,
			     .decode_ctx = l->decode_ctx,
			     .decode_id = l->decode_id};
	return l->issued && l->prompt && l->decode && l->left
		   ? 0
		   : problem_no_memory(l->p);
}

/* ---- requests ---- */

static int tell(struct loop *l, const struct issued *q)
{
	return l->o && l->o->on_request
		   ? l->o->on_request(l->o->ctx, &q->event, l->p)
		   : 0;
}

static int reject(struct loop *l, struct issued *q)
{
	q->event.ending = REQUEST_REJECTED;
	q->event.rejection = REJECTED_BY_CACHE;
	l->out->rejected++;
	rejections_add(&l->out->rejections, REJECTED_BY_CACHE,
		       &q->event.request);
	workload_finished(l->w, q->event.request.row,
			  q->event.request.arrival_ns);
	return tell(l, q);
}

static int issue(struct loop *l)
{
	struct issued *q = &l->issued[l->n];
	struct request *r = &q->event.request;
	if (l->n == l->total)
		return problem_set(l->p, EXIT_PLUGIN, "more requests than due");
	if (workload_pop(l->w, r, l->p) < 0)
		return -1;
	r->segment = NULL;
	r->n_segments = 0;
	q->event.scheduled_ns = q->event.first_token_ns = -1;
	q->event.last_token_ns = q->event.ttft_ns = -1;
	q->event.tpot_ns = q->event.e2el_ns = -1;
	q->kv_tokens =
	    kv_layers_kept(l->rules->kv_layer, l->rules->n_kv_layers,
			   (uint64_t)r->input_tokens + r->output_tokens);
	q->reaches_ns = r->arrival_ns + l->rules->delay_ns;
	if (l->n && q->reaches_ns < l->last_reach_ns + l->rules->gap_ns)
		q->reaches_ns = l->last_reach_ns + l->rules->gap_ns;
	l->last_reach_ns = q->reaches_ns;
	if (!l->out->requests++)
		l->out->first_arrival_ns = r->arrival_ns;
	l->n++;
	return 0;
}

/* All that are known by now; each that is rejected brings the next one. */
static int issue_known(struct loop *l)
{
	int64_t arrival_ns;
	int known;
	while ((known = workload_peek(l->w, &arrival_ns, l->p)) > 0) {
		if (issue(l) < 0)
			return -1;
		struct issued *q = &l->issued[l->n - 1];
		if (q->kv_tokens > l->rules->kv_tokens && reject(l, q) < 0)
			return -1;
	}
	return known;
}

static int end_request(struct loop *l, struct issued *q)
{
	struct request_event *e = &q->event;
	uint32_t out = e->request.output_tokens;
	e->ending = REQUEST_ENDED;
	e->generated_tokens = out;
	e->last_token_ns = l->now_ns;
	e->ttft_ns = e->first_token_ns - e->request.arrival_ns;
	e->e2el_ns = l->now_ns - e->request.arrival_ns;
	if (out > 1)
		e->tpot_ns = (l->now_ns - e->first_token_ns) / (out - 1);
	l->kv_tokens -= q->kv_tokens;
	l->service_ns += (double)(l->now_ns - e->scheduled_ns);
	l->out->completed++;
	l->out->total_input_tokens += e->request.input_tokens;
	l->out->total_output_tokens += out;
	l->out->last_token_ns = l->now_ns;
	workload_finished(l->w, e->request.row, l->now_ns);
	return tell(l, q);
}

/* ---- a step ---- */

/* The next part of a prompt, behind those of the step. */
static void add_prompt(struct loop *l, uint64_t at, uint32_t tokens)
{
	struct issued *q = &l->issued[at];
	sc_step *s = l->step;
	uint32_t k = s->n_prefill++;
	uint32_t last = q->computed + tokens == q->event.request.input_tokens;
	l->prefill_new[k] = tokens;
	l->prefill_ctx[k] = q->computed;
	l->prefill_last[k] = last;
	l->prefill_id[k] = q->event.request.row;
	s->n_sampled += last;
	l->budget -= tokens;
}

/* The first one that waits; 0: there is no room for it, or it is not here
 * yet. */
static int admit(struct loop *l)
{
	const struct loop_rules *rules = l->rules;
	struct issued *q = &l->issued[l->n_admitted];
	uint32_t input = q->event.request.input_tokens;
	int begins_step = l->step->n_prefill == 0;
	if (q->reaches_ns > l->now_ns || !l->budget ||
	    l->n_prompts + l->n_decodes == rules->max_num_seqs ||
	    q->kv_tokens > rules->kv_tokens - l->kv_tokens)
		return 0;
	/* A prompt longer than any step goes in parts after all. */
	if (rules->prompts == PROMPTS_WHOLE && input > l->budget &&
	    !(begins_step && input > rules->step_tokens))
		return 0;
	q->event.scheduled_ns = l->now_ns;
	delays_add(&l->delays, l->n_admitted, l->now_ns - q->reaches_ns);
	l->kv_tokens += q->kv_tokens;
	l->prompt[l->n_prompts++] = l->n_admitted;
	add_prompt(l, l->n_admitted++, input < l->budget ? input : l->budget);
	return 1;
}

static void skip_rejected(struct loop *l)
{
	while (l->n_admitted < l->n &&
	       l->issued[l->n_admitted].event.ending == REQUEST_REJECTED)
		l->n_admitted++;
}

/* 0: there is nothing to do. */
static int form_step(struct loop *l)
{
	sc_step *s = l->step;
	uint32_t beside = l->rules->prompts == PROMPTS_ALONE ? 0 : l->n_decodes;
	s->n_prefill = s->n_sampled = 0;
	l->budget =
	    l->rules->step_tokens > beside ? l->rules->step_tokens - beside : 0;
	for (uint32_t i = 0, n = l->n_prompts; i < n && l->budget; i++) {
		const struct issued *q = &l->issued[l->prompt[i]];
		uint32_t rest = q->event.request.input_tokens - q->computed;
		add_prompt(l, l->prompt[i],
			   rest < l->budget ? rest : l->budget);
	}
	for (skip_rejected(l); l->n_admitted < l->n && admit(l);
	     skip_rejected(l))
		;
	s->n_decode = s->n_prefill && l->rules->prompts == PROMPTS_ALONE
			  ? 0
			  : l->n_decodes;
	s->n_sampled += s->n_decode;
	s->flags = s->n_prefill ? 0 : SC_STEP_GRAPH;
	return s->n_prefill || s->n_decode;
}

static int tell_step(struct loop *l, const sc_result *is, int64_t start_ns)
{
	const struct step_event e = {.step = l->step,
				     .result = is,
				     .schedule_ns = start_ns,
				     .start_ns = start_ns,
				     .end_ns = l->now_ns,
				     .lasts_ns = l->now_ns - start_ns};
	return l->o && l->o->on_step ? l->o->on_step(l->o->ctx, &e, l->p) : 0;
}

static int price_step(struct loop *l)
{
	int64_t start_ns = l->now_ns;
	const sc_result *is = cost_eval(l->cost, l->step, l->p);
	if (!is)
		return -1;
	if (is->total_us * 1e3 + (double)l->now_ns > (double)REQUEST_LAST_NS)
		return problem_set(l->p, EXIT_PLUGIN,
				   "%s: a step of %g us: beyond the end of the "
				   "clock",
				   l->cost->p->name, is->total_us);
	l->now_ns += llround(1e3 * is->total_us);
	l->out->num_steps++;
	l->out->scheduled_sequences +=
	    (uint64_t)l->step->n_prefill + l->step->n_decode;
	l->out->total_us += is->total_us;
	coverage_add(&l->coverage, l->step, 1, &is, 0);
	int rc = tell_step(l, is, start_ns);
	l->step->step_index++;
	return rc;
}

/* Each decode of the step has a token more. */
static int end_decodes(struct loop *l)
{
	uint32_t n = l->step->n_decode, kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = l->decode[i];
		if (--l->left[i] == 0) {
			if (end_request(l, &l->issued[at]) < 0)
				return -1;
			continue;
		}
		l->decode[kept] = at;
		l->left[kept] = l->left[i];
		l->decode_id[kept] = l->decode_id[i];
		l->decode_ctx[kept++] = l->decode_ctx[i] + 1;
	}
	if (n)
		l->n_decodes = kept;
	return 0;
}

static void begin_decode(struct loop *l, uint64_t at)
{
	const struct request *r = &l->issued[at].event.request;
	uint32_t i = l->n_decodes++;
	l->decode[i] = at;
	l->left[i] = r->output_tokens - 1;
	l->decode_id[i] = r->row;
	l->decode_ctx[i] = r->input_tokens;
}

/* Each prompt of the step is that much further; a whole one has made a
 * token. */
static int end_prompts(struct loop *l)
{
	uint32_t n = l->step->n_prefill, kept = 0;
	for (uint32_t i = 0; i < l->n_prompts; i++) {
		uint64_t at = l->prompt[i];
		struct issued *q = &l->issued[at];
		q->computed += i < n ? l->prefill_new[i] : 0;
		if (q->computed < q->event.request.input_tokens) {
			l->prompt[kept++] = at;
			continue;
		}
		q->event.first_token_ns = l->now_ns;
		if (q->event.request.output_tokens > 1)
			begin_decode(l, at);
		else if (end_request(l, q) < 0)
			return -1;
	}
	l->n_prompts = kept;
	return 0;
}

/* ---- the loop ---- */

/* Until the next request is here.  0: none is due. */
static int wait(struct loop *l)
{
	skip_rejected(l);
	if (l->n_admitted == l->n)
		return 0;
	l->now_ns = l->issued[l->n_admitted].reaches_ns;
	return 1;
}

static int run(struct loop *l)
{
	for (;;) {
		if (issue_known(l) < 0)
			return -1;
		if (!form_step(l)) {
			if (!wait(l))
				return 0;
			continue;
		}
		if (price_step(l) < 0 || end_decodes(l) < 0 ||
		    end_prompts(l) < 0)
			return -1;
	}
}

static void sum_up(struct loop *l)
{
	struct outcome *o = l->out;
	int64_t last = l->n ? l->issued[l->n - 1].event.request.arrival_ns : 0;
	memcpy(o->coverage_us, l->coverage.time_us, sizeof o->coverage_us);
	o->saturation =
	    o->completed
		? saturation_of(&l->delays, 0, last - o->first_arrival_ns,
				l->service_ns / (double)o->completed)
		: SATURATION_NOTHING;
}

int loop_run(const struct loop_rules *rules, struct cost *cost,
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p)
{
	struct loop l = {
	    .rules = rules, .cost = cost, .w = w, .o = o, .out = out, .p = p};
	*out = (struct outcome){0};
	int rc = open_loop(&l, step_memory);
	if (rc == 0)
		rc = run(&l);
	if (rc == 0)
		sum_up(&l);
	free(l.issued);
	free(l.prompt);
	free(l.decode);
	free(l.left);
	return rc;
}
