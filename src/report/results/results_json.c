/* results_json.c -- Writes results as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/json/json_writer.h"
#include "cost/components.h"
#include "record/metrics.h"
#include "report/results/results.h"
#include "report/results/simulated.h"
#include "report/results/support.h"

/* Version 1 is the form that doc/results.md describes. */

static void write_metrics(struct jw *j, const struct outcome *o)
{
	for (size_t i = 0; i < n_metrics; i++) {
		const struct metric *m = &metric[i];
		double v = metric_value(m, o);
		if (!isnan(v))
			jw_number(j, m->name, v);
		else if (!m->special)
			jw_null(j, m->name);
	}
}

static void write_acceptance(struct jw *j, const struct outcome *o)
{
	if (o->accepted.drafts == 0)
		return;
	jw_flat_array(j, "spec_decode_per_position_acceptance_rates");
	for (uint32_t i = 0; i < o->drafts; i++)
		jw_number(j, NULL, metric_acceptance_at(o, i));
	jw_end(j);
}

/* Writes the parts that the plugin names.  They are finer than the host's
 * parts. */
static void write_named(struct jw *j, const struct breakdown *b)
{
	if (!b->named.n)
		return;
	jw_flat_object(j, "parts");
	for (uint32_t i = 0; i < b->named.n; i++) {
		const struct named_part *part = &b->named.part[i];
		char key[128], component[COMPONENT_KEY];
		enum component of = component_of(part->kind, part->phase);
		snprintf(key, sizeof key, "%s.%s_us",
			 component_key(component, component_name[of]),
			 part->name);
		jw_number(j, key, breakdown_named_us(b, i) / (double)b->steps);
	}
	jw_end(j);
}

static void write_breakdown(struct jw *j, const struct breakdown *b)
{
	jw_object(j, "step_time");
	for (int i = 0; i < N_PARTS; i++) {
		char key[64];
		double sum_us = breakdown_sum_us(b, (enum part)i);
		snprintf(key, sizeof key, "%s_us", part_name[i]);
		if (isnan(sum_us))
			jw_null(j, key);
		else
			jw_number(j, key, sum_us / (double)b->steps);
	}
	write_named(j, b);
	jw_end(j);
}

static void write_guesses(struct jw *j, const struct outcome *o)
{
	jw_array(j, "estimated_shapes");
	for (uint32_t i = 0; i < o->n_guessed; i++) {
		const struct guessed_shape *g = &o->guessed[i];
		jw_flat_object(j, NULL);
		jw_text(j, "provenance", provenance_name[g->provenance]);
		jw_uint(j, "decode", g->n_decode);
		jw_uint(j, "prefill", g->n_prefill);
		jw_uint(j, "prefill_tokens_up_to", g->prefill_tokens);
		jw_uint(j, "context_up_to", g->max_context);
		jw_uint(j, "steps", g->steps);
		jw_number(j, "time_us", g->time_us);
		jw_end(j);
	}
	jw_end(j);
}

static void write_coverage(struct jw *j, const struct outcome *o)
{
	double sum = 0;
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		sum += o->coverage_us[i];
	jw_object(j, "coverage");
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		jw_number(j, i == COVERAGE_NONE ? "none" : provenance_name[i],
			  sum > 0 ? o->coverage_us[i] / sum : NAN);
	write_guesses(j, o);
	jw_end(j);
}

/* Writes the step that is furthest below what the hardware allows; null: there
 * is none. */
static void write_faster(struct jw *j, const struct floor_count *c)
{
	const struct floor_finding *w = &c->worst;
	if (!c->steps) {
		jw_null(j, "furthest_below_hardware");
		return;
	}
	jw_flat_object(j, "furthest_below_hardware");
	jw_uint(j, "step", c->step_index);
	jw_uint(j, "prefill", c->n_prefill);
	jw_uint(j, "decode", c->n_decode);
	jw_text(j, "part", floor_part_name[w->part]);
	jw_number(j, "us", w->us);
	jw_text(j, "limit", floor_limit_name[w->limit]);
	jw_number(j, "least_us", w->least_us);
	jw_end(j);
}

static void write_rejections(struct jw *j, const struct rejections *r)
{
	jw_array(j, "rejections");
	for (int i = 0; i < N_REJECTIONS; i++) {
		const struct rejected *x = &r->of[i];
		if (!x->n)
			continue;
		jw_flat_object(j, NULL);
		jw_text(j, "reason", rejection_name[i]);
		jw_uint(j, "requests", x->n);
		jw_uint(j, "first_request", x->first_row);
		if (x->first_line)
			jw_uint(j, "first_line", x->first_line);
		else
			jw_null(j, "first_line");
		jw_end(j);
	}
	jw_end(j);
}

/* Writes the pools of disaggregated prefill and decode. */
static void write_pools(struct jw *j, const struct outcome *o)
{
	if (o->n_pools < 2)
		return;
	jw_object(j, "pools");
	for (uint32_t pool = 0; pool < 2; pool++) {
		jw_object(j, pool_name[pool]);
		for (size_t i = 0; i < n_pool_metrics; i++)
			jw_number(j, pool_metric[i].name,
				  pool_metric[i].number(o, pool));
		jw_end(j);
	}
	jw_end(j);
	jw_object(j, "kv_transfers");
	for (size_t i = 0; i < n_transfer_metrics; i++)
		jw_number(j, transfer_metric[i].name,
			  transfer_metric[i].number(o));
	jw_end(j);
}

static const char *percentiles(const struct outcome *o)
{
	return o->ttft.exact && o->tpot.exact && o->itl.exact && o->e2el.exact
		   ? "exact"
		   : "0.1%";
}

static void write_arm(struct jw *j, const struct arm_result *a)
{
	jw_object(j, NULL);
	jw_text(j, "name", a->name);
	if (a->error) {
		jw_text(j, "error", a->error);
		jw_end(j);
		return;
	}
	const struct arm_record *r = a->record;
	jw_text(j, "plugin", r->plugin);
	jw_text(j, "version", r->version);
	if (a->setup)
		jw_literal(j, "cost_model", a->setup);
	write_metrics(j, &r->outcome);
	write_acceptance(j, &r->outcome);
	jw_text(j, "saturation", saturation_name[r->outcome.saturation]);
	jw_bool(j, "too_short", r->outcome.is_too_short);
	support_json(&a->trusted.support, j);
	intervals_json(&a->trusted, &r->outcome, j);
	model_intervals_json(&r->uncertainty, j);
	const struct energy_priced energy = energy_priced_run(&r->outcome);
	energy_json(&a->trusted.energy, &energy, j);
	write_rejections(j, &r->outcome.rejections);
	write_pools(j, &r->outcome);
	jw_text(j, "percentiles", percentiles(&r->outcome));
	jw_text(j, "num_gpu_blocks_from", r->num_gpu_blocks);
	write_breakdown(j, &r->breakdown);
	write_coverage(j, &r->outcome);
	write_faster(j, &r->outcome.faster);
	if (a->provenance)
		jw_literal(j, "provenance", a->provenance);
	jw_end(j);
}

/* Writes one hash, because all arms had the same requests; otherwise the study
 * has failed. */
static void write_requests(struct jw *j, const struct results *r)
{
	char text[32] = "";
	for (size_t i = 0; i < r->n && !*text; i++)
		if (!r->arm[i].error)
			snprintf(text, sizeof text, "%016" PRIx64,
				 r->arm[i].record->request_hash);
	jw_text(j, "requests_hash", *text ? text : NULL);
}

/* All arms left out the same requests. */
static void write_warm_up(struct jw *j, const struct results *r)
{
	const struct warm_up *cut = results_warm_up(r);
	jw_flat_object(j, "warm_up");
	jw_text(j, "rule", r->warm_up);
	jw_uint(j, "requests", cut->requests);
	jw_number(j, "seconds", (double)cut->ns / 1e9);
	jw_bool(j, "steady", !r->is_unsteady);
	jw_end(j);
}

/* Writes each arm that is equal to an earlier one, with that one. */
static void write_equal(struct jw *j, const struct results *r)
{
	jw_array(j, "equal_figures");
	for (size_t b = 1; b < r->n; b++)
		for (size_t a = 0; a < b; a++)
			if (results_are_equal(r, a, b)) {
				jw_flat_array(j, NULL);
				jw_text(j, NULL, r->arm[a].name);
				jw_text(j, NULL, r->arm[b].name);
				jw_end(j);
				break;
			}
	jw_end(j);
}

void results_json(const struct results *r, struct jw *j)
{
	jw_int(j, "schema", JSON_SCHEMA);
	jw_text(j, "stepcost", PACKAGE_VERSION);
	jw_text(j, "command", r->command);
	jw_object(j, "configuration");
	if (r->config)
		config_write(j, r->config);
	jw_end(j);
	if (r->config)
		simulated_json(r->config, r->n, j);
	jw_uint(j, "seed", r->seed);
	if (r->warm_up)
		write_warm_up(j, r);
	write_requests(j, r);
	if (r->provenance)
		jw_literal(j, "provenance", r->provenance);
	jw_array(j, "arms");
	for (size_t i = 0; i < r->n; i++)
		write_arm(j, &r->arm[i]);
	jw_end(j);
	if (r->n > 1)
		write_equal(j, r);
}
