/* trusted.c -- Finds the known errors of a cost model for one run. */
#include <config.h>
#include "study/trusted.h"
#include <string.h>
#include "arm/coefficients.h"
#include "engine/fill.h"
#include "engine/parallel.h"
#include "engine/presets.h"
#include "record/metrics.h"
#include "study/capacity/bounds.h"
#include "study/unlike.h"

const char *const trusted_metric[N_TRUSTED] = {
    "mean_ttft_ms", "p90_ttft_ms",      "p99_ttft_ms",  "mean_tpot_ms",
    "p90_tpot_ms",  "p99_tpot_ms",      "mean_e2el_ms", "p90_e2el_ms",
    "p99_e2el_ms",  "output_throughput"};

static double per(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / (double)n : 0;
}

struct trusted_load trusted_load_of(const struct outcome *o)
{
	return (struct trusted_load){
	    .computed_share =
		1 - per(o->prefix_hit_tokens, o->prefix_queried_tokens),
	    .input_tokens = per(o->total_input_tokens, o->completed),
	    .output_tokens = per(o->total_output_tokens, o->completed),
	    .running = per(o->scheduled_sequences, o->num_steps),
	    .most = o->max_num_seqs,
	    .clients = o->clients,
	    .is_stable = o->saturation == SATURATION_STABLE};
}

/* Returns the engine keys of the arm's own section on top of [engine]. */
static struct engine_keys engine_of(const struct config *c, size_t arm)
{
	struct engine_keys own;
	struct problem p;
	struct engine_source from = config_engine_source(c, arm, NULL);
	from.is_part = c->is_apart;
	return engine_keys_fill(&own, &from, &p) < 0 ? c->engine_keys : own;
}

static struct trust_place place_of(const struct config *c, size_t arm,
				   const struct trusted_load *load)
{
	const struct engine_keys e = engine_of(c, arm);
	const sc_parallel split = parallel_of(&e, &c->model);
	struct trust_place at = {.drafts = (uint32_t)e.num_speculative_tokens,
				 .computed_share = load->computed_share,
				 .input_tokens = load->input_tokens,
				 .output_tokens = load->output_tokens,
				 .load = load->running};
	const sc_preset *preset = engine_preset((enum engine_preset)e.preset);
	place_set(&at, c->arm[arm].hardware, &c->model.view, split.tp, split.ep,
		  split.pp);
	const char *engine = preset ? preset->name : NULL;
	place_set_engine(&at, engine);
	place_set_versions(&at, arm_kernels_under(c, arm, at.engine), engine);
	place_set_loading(&at, load->clients, load->most, load->is_stable);
	return at;
}

struct trusted trusted_of(const struct config *c, size_t arm,
			  const char *version, const struct trusted_load *load)
{
	struct arm_coefficients has = arm_coefficients_of(c, arm);
	const struct scored_of of = {.plugin = c->arm[arm].plugin,
				     .version = version,
				     .preset = has.preset,
				     .tables = has.tables,
				     .same_tables = &has.same_tables,
				     .changed = has.changed};
	struct trust_place at = place_of(c, arm, load);
	struct scored scored;
	struct trusted t;
	char unlike[UNLIKE_TEXT];
	scored_find(&scored, &of);
	scored_choose(&scored, at.n_params);
	t.support =
	    support_of(&scored, &at, unlike_scored(unlike, c, arm, &scored));
	for (int k = 0; k < N_TRUSTED; k++)
		t.interval[k] = trust_interval_of(&(struct interval_of){
		    .scored = &scored,
		    .at = &at,
		    .metric = trusted_metric[k],
		    .coverage = INTERVAL_COVERAGE,
		    .extrapolated = t.support.verdict == SUPPORT_EXTRAPOLATED});
	scored_free(&scored);
	arm_coefficients_free(&has);
	return t;
}

const struct trust_interval *trusted_interval(const struct trusted *t,
					      const struct metric *m)
{
	for (int k = 0; k < N_TRUSTED; k++)
		if (t->interval[k].n && !strcmp(trusted_metric[k], m->name))
			return &t->interval[k];
	return NULL;
}

int trusted_bounds(const struct trusted *t, const struct bounds *from,
		   struct bounds *to)
{
	int any = 0;
	*to = *from;
	for (size_t i = 0; i < to->n; i++) {
		const struct trust_interval *x =
		    trusted_interval(t, to->bound[i].metric);
		if (x && x->high > 0) {
			to->bound[i].limit /= x->high;
			any = 1;
		}
	}
	return any;
}
