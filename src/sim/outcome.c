/* outcome.c -- Counts steps and requests, reports them to the observer, and
 * sums up. */
#include "sim/outcome.h"
#include <math.h>
#include <string.h>
#include "sim/encoders.h"
#include "sim/offload/offload.h"
#include "sim/sequence.h"

void outcome_begin(struct outcome_counter *c, const struct engine *e,
		   const struct observer *o, struct outcome *out,
		   struct problem *p)
{
	*c = (struct outcome_counter){.e = e, .o = o, .out = out, .p = p};
	c->token_after_ns = engine_request_after_ns(e, 1, 0);
	*out = (struct outcome){.kv_blocks = e->num_gpu_blocks,
				.n_pools = e->prefill_replicas ? 2 : 1,
				.replicas = e->replicas,
				.stages = engine_stages(e),
				.drafts = e->speculation.drafts,
				.max_num_seqs =
				    (e->decode ? e->decode : e)->max_num_seqs,
				.has_graphs = e->preset != PRESET_NONE};
	if (e->decode && e->decode->speculation.drafts > out->drafts)
		out->drafts = e->decode->speculation.drafts;
	for (uint32_t i = 0; i < e->replicas; i++)
		out->pool[engine_pool_of(e, i)].replicas++;
	for (uint32_t i = 0; i < 2; i++)
		out->pool[i].kv_blocks = engine_of_pool(e, i)->num_gpu_blocks;
}

/* ---- requests ---- */

void outcome_arrived(struct outcome_counter *c, struct request *r)
{
	struct outcome *out = c->out;
	const struct warm_up none = {0}, *w = c->o ? &c->o->warm_up : &none;
	if (c->arrived == 0)
		c->begun_ns = r->arrival_ns;
	r->is_warm_up =
	    c->arrived < w->requests || r->arrival_ns - c->begun_ns < w->ns;
	c->arrived++;
	c->last_arrival_ns = r->arrival_ns;
	if (r->is_warm_up) {
		out->warm_up.requests++;
		return;
	}
	if (out->requests++ == 0) {
		out->first_arrival_ns = out->last_token_ns = r->arrival_ns;
		out->warm_up.ns = r->arrival_ns - c->begun_ns;
	}
}

void outcome_scheduled(struct outcome_counter *c, const struct sequence *q,
		       int64_t start_ns)
{
	int64_t delay = start_ns - q->seen_ns;
	if (!q->request.is_warm_up)
		stats_add(&c->queueing, delay, 1);
	delays_add(&c->delays, q->order, delay);
}

/* Field by field, because zeroing this struct first takes longer than all the
 * rest. */
static void describe(struct request_event *e, const struct request *r,
		     enum ending ending)
{
	e->request = *r;
	e->request.n_segments = 0;
	e->request.segment = NULL;
	e->request.n_items = 0;
	e->request.item = NULL;
	e->ending = ending;
	e->rejection = N_REJECTIONS;
	e->failure = FAILED_NOT;
	e->last_token_ns = -1;
	e->ttft_ns = -1;
	e->tpot_ns = -1;
	e->e2el_ns = -1;
}

/* Describes a request that reached a replica. */
static void describe_sequence(const struct sequence *q, enum ending ending,
			      struct request_event *e)
{
	describe(e, &q->request, ending);
	e->replica = q->replica;
	e->generated_tokens = q->generated;
	e->cached_tokens = q->cached_tokens;
	e->loaded_tokens = q->loaded_tokens;
	e->preemptions = q->preemptions;
	e->retries = q->retries;
	e->seen_ns = q->first_seen_ns;
	e->transfer_from_ns = q->fetch_begun_ns;
	e->transfer_to_ns = q->fetch_begun_ns < 0 ? -1 : q->fetched_ns;
	e->load_from_ns = q->load_from_ns;
	e->load_to_ns = q->load_to_ns;
	e->scheduled_ns = q->scheduled_ns;
	e->first_token_ns = q->first_token_ns;
	e->n_visits = q->n_visits;
	memcpy(e->visit, q->visit, sizeof e->visit);
	if (q->first_token_ns >= 0)
		e->ttft_ns = q->first_token_ns - q->request.arrival_ns +
			     q->first_response_ns;
}

static int64_t divide_rounding(int64_t a, int64_t b)
{
	return (a + b / 2) / b;
}

static void add_last_token(struct request_event *e, int64_t now,
			   int64_t response_ns)
{
	uint32_t n = e->request.output_tokens;
	e->generated_tokens = n;
	e->last_token_ns = now;
	e->e2el_ns = now - e->request.arrival_ns + response_ns;
	if (n > 1)
		e->tpot_ns = divide_rounding(e->e2el_ns - e->ttft_ns, n - 1);
}

int outcome_is_good(const struct slo *s, const struct request_event *e)
{
	return (s->ttft_ns == 0 || e->ttft_ns <= s->ttft_ns) &&
	       (s->tpot_ns == 0 || e->tpot_ns <= s->tpot_ns) &&
	       (s->e2el_ns == 0 || e->e2el_ns <= s->e2el_ns);
}

static void count_ended(struct outcome_counter *c,
			const struct request_event *e)
{
	struct outcome *out = c->out;
	if (e->request.is_warm_up)
		return;
	out->completed++;
	out->total_input_tokens += e->request.input_tokens;
	out->total_output_tokens += e->request.output_tokens;
	if (out->last_token_ns < e->last_token_ns)
		out->last_token_ns = e->last_token_ns;
	stats_add(&c->ttft, e->ttft_ns, 1);
	stats_add(&c->e2el, e->e2el_ns, 1);
	if (e->tpot_ns >= 0)
		stats_add(&c->tpot, e->tpot_ns, 1);
	out->good += (uint64_t)outcome_is_good(&c->e->slo, e);
}

static int tell(struct outcome_counter *c, const struct request_event *e)
{
	if (!c->o || !c->o->on_request)
		return 0;
	return c->o->on_request(c->o->ctx, e, c->p) ? -1 : 0;
}

int outcome_rejected(struct outcome_counter *c, const struct request *r,
		     enum rejection why)
{
	struct request_event e = {.seen_ns = -1,
				  .transfer_from_ns = -1,
				  .transfer_to_ns = -1,
				  .load_from_ns = -1,
				  .load_to_ns = -1,
				  .scheduled_ns = -1,
				  .first_token_ns = -1};
	describe(&e, r, REQUEST_REJECTED);
	e.rejection = why;
	if (r->is_warm_up)
		return tell(c, &e);
	c->out->rejected++;
	rejections_add(&c->out->rejections, why, r);
	return tell(c, &e);
}

int outcome_ended(struct outcome_counter *c, const struct sequence *q,
		  int64_t now, int64_t response_ns)
{
	struct request_event e;
	describe_sequence(q, REQUEST_ENDED, &e);
	if (q->stop_client_ns) {
		e.request.output_tokens = q->request.stop_tokens;
		now = q->stop_ns;
		response_ns = q->stop_client_ns - now;
	}
	add_last_token(&e, now, response_ns);
	count_ended(c, &e);
	return tell(c, &e);
}

int outcome_unfinished(struct outcome_counter *c, const struct sequence *q)
{
	struct request_event e;
	describe_sequence(q, REQUEST_UNFINISHED, &e);
	c->out->unfinished += !q->request.is_warm_up;
	return tell(c, &e);
}

int outcome_cancelled(struct outcome_counter *c, const struct sequence *q)
{
	struct request_event e;
	describe_sequence(q, REQUEST_CANCELLED, &e);
	c->out->cancelled += !q->request.is_warm_up;
	return tell(c, &e);
}

int outcome_failed(struct outcome_counter *c, const struct sequence *q,
		   enum failure why)
{
	struct request_event e;
	describe_sequence(q, REQUEST_FAILED, &e);
	e.failure = why;
	c->out->failed += !q->request.is_warm_up;
	return tell(c, &e);
}

/* ---- disaggregated prefill and decode ---- */

void outcome_transfer(struct outcome_counter *c, double bytes, int64_t lasts_ns)
{
	c->out->transfers.n++;
	c->out->transfers.bytes += bytes;
	stats_add(&c->transfer, lasts_ns, 1);
}

void outcome_held(struct outcome_counter *c, int64_t ns)
{
	stats_add(&c->held, ns, 1);
}

static void add_offloaded(struct offload_sum *to, const struct offload *o,
			  double gpus)
{
	const struct offload_figures *f = &o->figures;
	to->is_on = 1;
	to->loads += (double)f->loads;
	to->stores += (double)f->stores;
	to->load_bytes += gpus * f->load_bytes;
	to->store_bytes += gpus * f->store_bytes;
	to->load_s += 1e-9 * (double)f->load_ns;
	to->store_s += 1e-9 * (double)f->store_ns;
	to->loading_ms += 1e-6 * (double)f->loading_ns;
	to->chunks_peak = fmax(to->chunks_peak, (double)o->chunks.peak);
	to->evicted += (double)o->chunks.evicted;
	to->refused += (double)f->refused;
	to->waited_steps += (double)f->waited_steps;
	to->waited_s += 1e-9 * (double)f->waited_ns;
	to->queries += (double)f->queries;
	to->hits += (double)f->hits;
}

static void add_encoders(struct encoder_sum *to, const struct encoders *x)
{
	to->is_on = 1;
	to->encoded += (double)x->sum_encoded;
	to->found += (double)x->sum_found;
	to->encoder_s += 1e-6 * x->sum_us;
}

void outcome_replica(struct outcome *out, uint32_t pool,
		     const struct replica_figures *f)
{
	if (f->accepted)
		acceptance_merge(&out->accepted, f->accepted);
	if (f->offload)
		add_offloaded(&out->offload, f->offload, f->gpus);
	if (f->encoders)
		add_encoders(&out->encoders, f->encoders);
	struct pool_figures *p = &out->pool[pool];
	out->occupied_ns += f->occupied_ns;
	p->preemptions += f->preemptions;
	p->prefix_hit_tokens += f->hit_tokens;
	p->prefix_queried_tokens += f->queried_tokens;
	if (p->kv_blocks_peak < f->blocks_peak)
		p->kv_blocks_peak = f->blocks_peak;
}

/* ---- steps ---- */

/* Counts n steps of `sequences` sequences each. */
static void count_steps(struct outcome *out, uint32_t pool, uint64_t n,
			uint64_t sequences, uint64_t tokens, int64_t busy_ns)
{
	struct pool_figures *p = &out->pool[pool];
	if (!outcome_counts(out))
		return;
	p->num_steps += n;
	p->scheduled_sequences += n * sequences;
	p->computed_tokens += tokens;
	p->busy_ns += busy_ns;
}

static inline void count_eager(struct outcome_counter *c, const sc_step *step,
			       int64_t lasts_ns)
{
	if (!(step->flags & SC_STEP_GRAPH)) {
		c->out->eager_steps++;
		c->out->eager_ns += lasts_ns;
	}
}

static inline void count_faster(struct outcome_counter *c, const sc_step *step,
				const sc_result *result, uint32_t pool)
{
	if (c->floor[pool] && !floor_allows(c->floor[pool], step, result))
		floor_count(&c->out->faster, c->floor[pool], step, result);
}

static inline void count_energy(struct outcome_counter *c, const sc_step *step,
				uint32_t pool, int64_t lasts_ns)
{
	struct energy_sum *sum = &c->out->energy;
	if (!c->knows_power[pool]) {
		sum->is_known = -1;
		return;
	}
	if (lasts_ns <= 0)
		return;
	const sc_parallel *split = &engine_of_pool(c->e, pool)->parallel;
	struct floor_work work = floor_work(c->floor[pool], step);
	int is_rank = SC_HAS(step, dp_tokens) && step->dp_tokens > 0;
	double gpus = split->tp * (is_rank ? 1. : split->dp);
	double us = (double)lasts_ns / 1e3;
	double gpu_s = gpus * us / 1e6;
	double joules = gpu_s * power_watts(c->power[pool], work.memory_us / us,
					    work.compute_us / us);
	if (sum->is_known == 0)
		sum->is_known = 1;
	sum->gpu_s += gpu_s;
	sum->pool_gpu_s[pool] += gpu_s;
	sum->joules += joules;
	sum->usd += joules * c->power[pool]->usd_per_joule;
	sum->memory_s += gpus * work.memory_us / 1e6;
	sum->compute_s += gpus * work.compute_us / 1e6;
}

static void count_priced(struct outcome_counter *c, const sc_step *step,
			 const sc_result *result, uint32_t pool,
			 int64_t lasts_ns)
{
	count_faster(c, step, result, pool);
	count_energy(c, step, pool, lasts_ns);
	count_eager(c, step, lasts_ns);
}

void outcome_priced(struct outcome_counter *c, const sc_step *step,
		    const sc_result *result, uint32_t pool, int64_t lasts_ns)
{
	if (!outcome_counts(c->out))
		return;
	coverage_add(&c->coverage, step, 1, &result, pool);
	count_priced(c, step, result, pool, lasts_ns);
}

void outcome_early(struct outcome_counter *c, int64_t early_ns)
{
	c->out->early_ns += early_ns;
}

int outcome_step(struct outcome_counter *c, const struct step_event *e)
{
	struct outcome *out = c->out;
	uint32_t sequences = e->step->n_prefill + e->step->n_decode;
	if (outcome_counts(out))
		out->draft_us += e->draft_us;
	count_steps(out, e->pool, 1, sequences, e->tokens,
		    e->lasts_ns / engine_stages(engine_of_pool(c->e, e->pool)));
	struct series_steps step =
	    series_step(e->start_ns, e->end_ns, sequences, e->waiting,
			e->tokens, e->blocks_used);
	series_put(&out->series, &c->steps, &step);
	outcome_priced(c, e->step, e->result, e->pool, e->lasts_ns);
	if (!c->o || !c->o->on_step)
		return 0;
	return c->o->on_step(c->o->ctx, e, c->p) ? -1 : 0;
}

int outcome_takes_runs(const struct outcome_counter *c)
{
	return !c->o || !c->o->on_step || c->o->on_run;
}

static struct series_steps step_of_run(const struct decode_run *run, uint32_t i)
{
	return series_step(run->start_ns[i], run->end_ns[i], run->sequences,
			   run->waiting, i ? run->sequences : run->tokens,
			   run->blocks_used[i]);
}

/* Adds a run to the series.  blocks: sum over all steps; during a run blocks
 * are only taken. */
static void put_run(struct outcome_counter *c, const struct decode_run *run,
		    uint64_t blocks)
{
	uint64_t more = run->n - 1;
	struct series_steps all = step_of_run(run, 0);
	all.sum.steps += more;
	all.sum.busy_ns = (uint64_t)run->busy_ns;
	all.sum.sequences += more * run->sequences;
	all.sum.tokens += more * run->sequences;
	all.sum.blocks = blocks;
	all.sum.max_blocks = run->blocks_used[more];
	series_put(&c->out->series, &c->steps, &all);
}

static void put_one_by_one(struct outcome_counter *c,
			   const struct decode_run *run)
{
	for (uint32_t i = 0; i < run->n; i++) {
		struct series_steps step = step_of_run(run, i);
		series_put(&c->out->series, &c->steps, &step);
	}
}

/* Counts the steps behind the first one. */
static void count_behind(struct outcome_counter *c,
			 const struct decode_run *run)
{
	uint32_t n = run->n;
	for (uint32_t i = 1; i < n; i++) {
		int64_t gap_ns = run->end_ns[i] - run->end_ns[i - 1];
		/* The gap of the last step belongs to its batch. */
		stats_add(&c->itl, gap_ns + c->token_after_ns,
			  i + 1 < n ? run->sequences : 0);
		count_priced(c, &run->behind[i - 1], run->result[i], run->pool,
			     run->end_ns[i] - run->start_ns[i]);
	}
	coverage_add(&c->coverage, run->behind, n - 1, run->result + 1,
		     run->pool);
}

int outcome_run(struct outcome_counter *c, const struct decode_run *run)
{
	uint32_t n = run->n;
	uint64_t sequences = run->sequences, blocks = run->blocks_used[0];
	for (uint32_t i = 1; i < n; i++)
		blocks += run->blocks_used[i];
	if (outcome_counts(c->out))
		count_behind(c, run);
	if (series_is_one_bin(&c->out->series, run->start_ns[0],
			      run->start_ns[n - 1]))
		put_run(c, run, blocks);
	else
		put_one_by_one(c, run);
	count_steps(c->out, run->pool, n, sequences,
		    run->tokens + (n - 1) * sequences, run->busy_ns);
	if (!c->o || !c->o->on_run)
		return 0;
	return c->o->on_run(c->o->ctx, run, c->p) ? -1 : 0;
}

/* ---- the whole run ---- */

static void sum_up_coverage(struct outcome_counter *c)
{
	struct outcome *out = c->out;
	memcpy(out->coverage_us, c->coverage.time_us, sizeof out->coverage_us);
	estimates_heaviest(&c->coverage.estimates, out->guessed);
	out->n_guessed = c->coverage.estimates.n;
	out->total_us = c->coverage.total_us;
}

static double share_used(const struct pool_figures *p)
{
	return (double)p->kv_blocks_peak / (double)p->kv_blocks;
}

static void sum_up_pools(struct outcome *out)
{
	const struct pool_figures *fullest = &out->pool[0];
	for (uint32_t i = 0; i < out->n_pools; i++) {
		const struct pool_figures *p = &out->pool[i];
		out->num_steps += p->num_steps;
		out->scheduled_sequences += p->scheduled_sequences;
		out->computed_tokens += p->computed_tokens;
		out->busy_ns += p->busy_ns;
		out->preemptions += p->preemptions;
		out->prefix_hit_tokens += p->prefix_hit_tokens;
		out->prefix_queried_tokens += p->prefix_queried_tokens;
		if (share_used(p) > share_used(fullest))
			fullest = p;
	}
	out->kv_blocks = fullest->kv_blocks;
	out->kv_blocks_peak = fullest->kv_blocks_peak;
}

/* GPUs of a replica, or of a rank. */
static double gpus_of(const struct outcome_counter *c, uint32_t pool)
{
	const sc_parallel *split = &engine_of_pool(c->e, pool)->parallel;
	return split->tp * split->pp * (c->e->ranks > 1 ? 1. : split->dp);
}

/* GPUs times seconds of a pool's replicas, with or without steps. */
static double pool_gpu_s(const struct outcome_counter *c, uint32_t pool)
{
	const struct outcome *out = c->out;
	double seconds =
	    (double)(out->last_token_ns - out->first_arrival_ns) / 1e9;
	return gpus_of(c, pool) * (out->fleet.is_on > 0
				       ? out->fleet.replica_s
				       : out->pool[pool].replicas * seconds);
}

static void sum_up_gpu_time(struct outcome_counter *c)
{
	struct outcome *out = c->out;
	for (uint32_t pool = 0; pool < out->n_pools; pool++) {
		double busy_s = 1e-9 * (double)out->pool[pool].busy_ns;
		out->gpu_s += pool_gpu_s(c, pool);
		out->busy_gpu_s += gpus_of(c, pool) * busy_s;
	}
}

static void count_idle(struct outcome_counter *c, uint32_t pool)
{
	struct energy_sum *sum = &c->out->energy;
	const struct power_law *l = c->power[pool];
	if (!(sum->is_known > 0) || !l || !(l->idle_w > 0))
		return;
	double idle_s = pool_gpu_s(c, pool) - sum->pool_gpu_s[pool];
	idle_s = idle_s > 0 ? idle_s : 0;
	sum->idle_s += idle_s;
	sum->joules += idle_s * l->idle_w;
	sum->usd += idle_s * l->idle_w * l->usd_per_joule;
}

static void sum_up_prices(struct outcome_counter *c)
{
	struct outcome *out = c->out;
	struct energy_sum *sum = &out->energy;
	int all = 1;
	for (uint32_t pool = 0; pool < out->n_pools; pool++) {
		const struct power_law *l = c->power[pool];
		if (!l)
			return;
		count_idle(c, pool);
		all &= l->usd_per_hour > 0;
		out->gpu_usd += pool_gpu_s(c, pool) / 3600 * l->usd_per_hour;
		sum->usd_per_joule = fmax(sum->usd_per_joule, l->usd_per_joule);
	}
	if (!all)
		out->gpu_usd = 0;
	if (sum->is_known > 0 && sum->joules > 0)
		sum->usd_per_joule = sum->usd / sum->joules;
}

int outcome_finish(struct outcome_counter *c)
{
	struct outcome *out = c->out;
	const struct slo *slo = &c->e->slo;
	stats_summarise(&c->ttft, &out->ttft);
	stats_summarise(&c->tpot, &out->tpot);
	stats_summarise(&c->itl, &out->itl);
	for (int i = 0; c->o && i < OBSERVER_LIMITS; i++)
		if (c->o->itl_limit_ns[i] > 0)
			out->itl_above[i] =
			    stats_share_above(&c->itl, c->o->itl_limit_ns[i]);
	stats_summarise(&c->e2el, &out->e2el);
	stats_summarise(&c->queueing, &out->queueing);
	stats_summarise(&c->transfer, &out->transfers.lasts);
	stats_summarise(&c->held, &out->transfers.held);
	series_settle(&out->series, &c->steps);
	sum_up_pools(out);
	sum_up_gpu_time(c);
	sum_up_prices(c);
	out->slo_given = slo->ttft_ns || slo->tpot_ns || slo->e2el_ns;
	sum_up_coverage(c);
	int64_t span_ns = c->last_arrival_ns - c->begun_ns;
	out->arrival_span_ns = span_ns;
	out->saturation =
	    out->completed == 0
		? SATURATION_NOTHING
		: saturation_of(&c->delays, out->unfinished, span_ns,
				out->e2el.mean - out->queueing.mean);
	out->is_too_short = saturation_is_too_short(span_ns, out->e2el.mean);
	return c->ttft.out_of_memory || c->tpot.out_of_memory ||
		       c->itl.out_of_memory || c->e2el.out_of_memory ||
		       c->queueing.out_of_memory || c->transfer.out_of_memory ||
		       c->held.out_of_memory || c->out_of_memory
		   ? -1
		   : 0;
}

void outcome_free(struct outcome_counter *c)
{
	stats_free(&c->ttft);
	stats_free(&c->tpot);
	stats_free(&c->itl);
	stats_free(&c->e2el);
	stats_free(&c->queueing);
	stats_free(&c->transfer);
	stats_free(&c->held);
}
