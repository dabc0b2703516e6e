/* trusted.c -- Finds the known errors of a cost model for one run. */
#include "trust/trusted.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/coefficients.h"
#include "engine/keys/fill.h"
#include "engine/parallel.h"
#include "engine/presets.h"
#include "plugin/loader.h"
#include "record/metrics.h"
#include "trust/coherent.h"
#include "trust/mismatch.h"

const char *const trusted_metric[N_TRUSTED] = {
    "mean_ttft_ms", "p90_ttft_ms",       "p99_ttft_ms",  "mean_tpot_ms",
    "p90_tpot_ms",  "p99_tpot_ms",       "mean_e2el_ms", "p90_e2el_ms",
    "p99_e2el_ms",  "output_throughput", "gpu_power_w",  "energy_per_token_j"};

static double per(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / (double)n : 0;
}

/* The arrivals of an open loop; those that come at once are not limited. */
static double offered_by(const struct outcome *o)
{
	const double span_s = (double)o->arrival_span_ns / 1e9;
	return o->clients || !(span_s > 0) || o->requests < 2
		   ? 0
		   : per(o->total_output_tokens, o->completed) *
			 (double)(o->requests - 1) / span_s;
}

struct trusted_load trusted_load_of(const struct outcome *o)
{
	struct trusted_load load = {
	    .computed_share =
		1 - per(o->prefix_hit_tokens, o->prefix_queried_tokens),
	    .input_tokens = per(o->total_input_tokens, o->completed),
	    .output_tokens = per(o->total_output_tokens, o->completed),
	    .running = per(o->scheduled_sequences, o->num_steps),
	    .most = o->max_num_seqs,
	    .clients = o->clients,
	    .is_stable = o->saturation == SATURATION_STABLE,
	    .offered = offered_by(o)};
	for (int k = 0; k < N_TRUSTED; k++)
		load.value[k] = metric_value(metric_find(trusted_metric[k]), o);
	return load;
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

/* ---- energy ---- */

static void say_mismatch(char *to, size_t size, const char *what)
{
	size_t n = strlen(to);
	snprintf(to + n, size - n, "%s%s", n ? ", " : "", what);
}

/* Writes in what the energy of an arm is unlike that of all scored runs. */
static void energy_mismatch(char to[MISMATCH_TEXT], const struct config *c,
			    size_t arm, const struct hardware *h)
{
	const char *plugin = c->arm[arm].plugin;
	char text[100];
	*to = 0;
	snprintf(text, sizeof text, "times of %.40s (scored: operators)",
		 plugin);
	if (strcmp(plugin, "operators") != 0)
		say_mismatch(to, MISMATCH_TEXT, text);
	if (c->is_apart)
		say_mismatch(to, MISMATCH_TEXT, "prefill and decode apart");
	if (h->power.idle_w > 0)
		say_mismatch(to, MISMATCH_TEXT, "time without a step");
}

/* Says why the energy is not known; "" if it is. */
static void say_why(struct trusted_energy *e, const struct hardware *h,
		    const struct trust_place *at)
{
	e->has_idle = h->power.idle_w > 0;
	snprintf(e->gpu, sizeof e->gpu, "%s", h->gpu);
	if (!(h->power.limit_w > 0))
		snprintf(e->why, sizeof e->why,
			 "etc/power.csv has no row of %.60s", h->gpu);
	else if (at->pp > 1)
		snprintf(e->why, sizeof e->why,
			 "no stages of a pipeline were measured");
}

static struct trust_interval interval_in(const struct scored *scored,
					 const struct trust_place *at, int k,
					 int extrapolated)
{
	return trust_interval_of(
	    &(struct interval_of){.scored = scored,
				  .at = at,
				  .metric = trusted_metric[k],
				  .coverage = INTERVAL_COVERAGE,
				  .extrapolated = extrapolated});
}

static void trust_law(struct trusted *t, const struct config *c, size_t arm,
		      const struct hardware *h, const struct trust_place *at)
{
	struct trusted_energy *e = &t->energy;
	struct scored scored;
	char version[POWER_LAW_TEXT], unlike[MISMATCH_TEXT];
	const struct scored_of of = {
	    .plugin = "power",
	    .version = power_law_text(version, &h->power),
	    .preset = "",
	    .tables = "",
	    .changed = h->keys.power_limit_w > 0 ? "power_limit_w" : ""};
	scored_find(&scored, &of);
	energy_mismatch(unlike, c, arm, h);
	e->support = support_of_metric(&scored, trusted_metric[TRUSTED_JOULES],
				       at, unlike);
	for (int k = TRUSTED_WATTS; k < N_TRUSTED; k++)
		t->interval[k] = interval_in(
		    &scored, at, k, e->support.verdict == SUPPORT_EXTRAPOLATED);
	e->joules = t->interval[TRUSTED_JOULES];
	scored_free(&scored);
}

static void trust_energy(struct trusted *t, const struct config *c, size_t arm,
			 const struct trust_place *at)
{
	struct hardware h;
	struct problem none;
	t->energy = (struct trusted_energy){
	    .support = {.verdict = SUPPORT_NOT_SCORED, .error = NAN},
	    .joules = {.low = NAN, .high = NAN}};
	int rc = hardware_load(&h, &c->cfg, config_pool(c, arm, 0),
			       c->arm[arm].section,
			       c->model.view.compute_format, &none);
	if (rc == 0)
		say_why(&t->energy, &h, at);
	if (rc == 0 && !*t->energy.why)
		trust_law(t, c, arm, &h, at);
	hardware_free(&h);
}

struct trusted trusted_of(const struct config *c, size_t arm,
			  const char *version, const struct trusted_load *load)
{
	struct arm_coefficients has = arm_coefficients_of(c, arm);
	const char *file = c->arm[arm].plugin_path;
	char *folder = file ? plugin_folder(file) : NULL;
	const struct scored_of of = {.plugin = c->arm[arm].plugin,
				     .version = version,
				     .preset = has.preset,
				     .tables = has.tables,
				     .same_tables = &has.same_tables,
				     .folder = folder,
				     .changed = has.changed};
	struct trust_place at = place_of(c, arm, load);
	struct scored scored;
	struct trusted t = {0};
	char unlike[MISMATCH_TEXT];
	scored_find(&scored, &of);
	free(folder);
	scored_choose(&scored, at.n_params);
	if (scored_derive(&scored) == 0)
		trust_prepare(&scored, &(struct interval_of){
					   .coverage = INTERVAL_COVERAGE});
	t.support =
	    support_of(&scored, &at, mismatch_scored(unlike, c, arm, &scored));
	for (int k = 0; k < TRUSTED_WATTS; k++)
		t.interval[k] = interval_in(
		    &scored, &at, k, t.support.verdict == SUPPORT_EXTRAPOLATED);
	trust_cohere(t.interval,
		     &(struct coherent_run){.value = load->value,
					    .offered = load->offered,
					    .is_stable = load->is_stable,
					    .is_loop = load->clients > 0});
	trust_energy(&t, c, arm, &at);
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
