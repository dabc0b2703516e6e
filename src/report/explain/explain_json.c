/* explain_json.c -- Writes an explanation as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json/json_writer.h"
#include "base/text.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"
#include "report/explain/routes.h"

static void write_sentence(struct jw *j, const struct explain *e,
			   const struct explanation *x)
{
	char *sentence = explain_sentence(e, x);
	jw_text(j, "summary", sentence);
	free(sentence);
}

/* Writes the shares from both directions of the exchange. */
static void write_summary(struct jw *j, const struct explain *e,
			  const struct explanation *x)
{
	static const struct {
		const char *name;
		size_t at;
	} of[] = {
	    {"cost_model_ms", offsetof(struct shares, cost_model_ns)},
	    {"cost_model_uncertainty_ms",
	     offsetof(struct shares, uncertainty_ns)},
	    {"feedback_ms", offsetof(struct shares, feedback_ns)},
	};
	write_sentence(j, e, x);
	jw_text(j, "remainder", explain_rest(x));
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		jw_flat_object(j, of[i].name);
		for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
			double ns;
			memcpy(&ns, (const char *)&x->shares[m] + of[i].at,
			       sizeof ns);
			jw_number(j, attributed_name[m], ns / 1e6);
		}
		jw_end(j);
	}
}

static void write_metrics(struct jw *j, const struct explanation *x)
{
	jw_object(j, "metrics");
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		double was = x->x->recorded_ns[m];
		double more = x->x->difference_ns[m];
		jw_flat_object(j, attributed_name[m]);
		jw_number(j, "recorded", was / 1e6);
		jw_number(j, "frozen", (was + more) / 1e6);
		jw_number(j, "frozen_difference", more / 1e6);
		if (m < ATTRIBUTION_STEPS)
			jw_number(j, "feedback", x->feedback_ns[m] / 1e6);
		jw_end(j);
	}
	jw_end(j);
}

static void write_percentiles(struct jw *j, const struct attribution *a)
{
	const struct {
		const char *name;
		const struct stats_summary *s;
	} of[] = {{"ttft_ms", &a->ttft},
		  {"tpot_ms", &a->tpot},
		  {"itl_ms", &a->itl},
		  {"e2el_ms", &a->e2el}};
	jw_object(j, "frozen");
	jw_number(j, "duration", a->duration_ns / 1e9);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		jw_flat_object(j, of[i].name);
		jw_number(j, "mean", of[i].s->mean / 1e6);
		jw_number(j, "median", of[i].s->p50 / 1e6);
		jw_number(j, "p90", of[i].s->p90 / 1e6);
		jw_number(j, "p95", of[i].s->p95 / 1e6);
		jw_number(j, "p99", of[i].s->p99 / 1e6);
		jw_end(j);
	}
	jw_end(j);
}

static void write_components(struct jw *j, const struct attribution *a)
{
	char key[COMPONENT_KEY];
	jw_object(j, "components");
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		jw_flat_object(j, attributed_name[m]);
		for (int k = 0; k < N_COMPONENTS; k++)
			jw_number(j, component_key(key, component_name[k]),
				  a->component_ns[m][k] / 1e6);
		jw_end(j);
	}
	jw_end(j);
}

/* Writes the named parts of components. */
static void write_named(struct jw *j, const struct attribution *a)
{
	char key[128], component[COMPONENT_KEY];
	if (!a->n_named)
		return;
	jw_object(j, "parts");
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		jw_flat_object(j, attributed_name[m]);
		for (uint32_t i = 0; i < a->n_named; i++) {
			const struct named_difference *d = &a->named[i];
			snprintf(key, sizeof key, "%s.%s",
				 component_key(component,
					       component_name[d->component]),
				 d->name);
			jw_number(j, key, d->ns[m] / 1e6);
		}
		jw_end(j);
	}
	jw_end(j);
}

/* Writes the bins that are not zero, as "from": value. */
static void write_bins(struct jw *j, const char *key, const double *bin,
		       enum regime_kind kind)
{
	static const char *const phase[] = {"prefill", "decode", "mixed"};
	char from[32];
	jw_flat_object(j, key);
	for (int b = 0; b < REGIME_BINS; b++) {
		if (bin[b] == 0)
			continue;
		snprintf(from, sizeof from, "%lu", 1ul << b);
		jw_number(j, kind == REGIME_PHASE ? phase[b] : from,
			  bin[b] / 1e6);
	}
	jw_end(j);
}

static int any(const double *bin)
{
	for (int b = 0; b < REGIME_BINS; b++)
		if (bin[b] != 0)
			return 1;
	return 0;
}

static void write_regimes(struct jw *j, const struct attribution *a)
{
	char key[COMPONENT_KEY];
	jw_object(j, "regimes");
	for (int m = 0; m < N_ATTRIBUTED; m++) {
		jw_object(j, attributed_name[m]);
		for (int r = 0; r < N_ATTRIBUTION_REGIMES; r++) {
			jw_object(j, regime_name[r]);
			for (int k = 0; k < N_COMPONENTS; k++)
				if (any(a->regime_ns[m][r][k]))
					write_bins(j,
						   component_key(
						       key, component_name[k]),
						   a->regime_ns[m][r][k],
						   (enum regime_kind)r);
			jw_end(j);
		}
		jw_end(j);
	}
	jw_end(j);
}

static void write_step(struct jw *j, const char *key,
		       const struct steplog *steps, uint64_t place)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (f) {
		explain_step(f, steps, place);
		fclose(f);
	}
	jw_text(j, key, t.s);
	free(t.s);
}

static void write_shapes(struct jw *j, const struct explanation *x)
{
	jw_array(j, "shapes");
	for (uint32_t i = 0; i < x->x->n_shapes; i++) {
		const struct shape_difference *d = &x->x->shape[i];
		jw_flat_object(j, NULL);
		jw_uint(j, "decode_up_to", d->shape.n_decode);
		jw_uint(j, "prefill_up_to", d->shape.n_prefill);
		jw_uint(j, "prefill_tokens_up_to", d->shape.prefill_tokens);
		jw_uint(j, "kv_up_to", d->shape.longest_kv);
		jw_uint(j, "steps", d->steps);
		for (int m = 0; m < N_ATTRIBUTED; m++)
			jw_number(j, attributed_name[m], d->ns[m] / 1e6);
		jw_number(j, "example_ms", d->example_ns / 1e6);
		write_step(j, "example", x->steps, d->example);
		jw_end(j);
	}
	jw_end(j);
}

static void write_side(struct jw *j, const char *key, double total_us,
		       const double *part_us)
{
	jw_flat_object(j, key);
	jw_number(j, "total_us", total_us);
	for (int i = 0; i < N_PARTS; i++) {
		char name[64];
		snprintf(name, sizeof name, "%s_us", part_name[i]);
		jw_number(j, name, part_us[i]);
	}
	jw_end(j);
}

static void write_divergence(struct jw *j, const char *key,
			     const struct explanation *x,
			     const struct divergence *at)
{
	if (!at->found) {
		jw_null(j, key);
		return;
	}
	jw_object(j, key);
	jw_uint(j, "step", at->step_index);
	jw_uint(j, "replica", at->replica);
	write_step(j, "as_eval", x->steps, at->place);
	write_side(j, "of", at->a_us, at->a_part_us);
	write_side(j, "by", at->b_us, at->b_part_us);
	jw_end(j);
}

static void write_pair(struct jw *j, const struct explain *e,
		       const struct explanation *x)
{
	jw_object(j, NULL);
	jw_text(j, "steps_of", e->study->arm[x->of].name);
	jw_text(j, "priced_by", e->study->arm[x->by].name);
	if (explain_is_split(x))
		parts_json(j, x);
	if (explain_is_split(x) && x->routes_differ)
		routes_json(j, x);
	if (x->error) {
		if (explain_is_split(x))
			write_sentence(j, e, x);
		jw_text(j, "error", x->error);
		jw_end(j);
		return;
	}
	char key[COMPONENT_KEY];
	write_summary(j, e, x);
	struct cause cause = explain_cause(x->x, ATTRIBUTION_E2EL);
	jw_text(j, "largest_cause", component_key(key, cause.name));
	jw_number(j, "largest_cause_share", cause.share);
	write_metrics(j, x);
	write_percentiles(j, x->x);
	write_components(j, x->x);
	write_named(j, x->x);
	write_regimes(j, x->x);
	write_shapes(j, x);
	write_divergence(j, "first_divergence", x, &x->x->first);
	write_divergence(j, "largest_divergence", x, &x->x->largest_difference);
	jw_end(j);
}

static void write_equality(struct jw *j, const struct explain *e, size_t i)
{
	const struct equal_steps all = explain_equal(e, i);
	if (!all.steps)
		return;
	jw_flat_object(j, NULL);
	jw_text(j, "a", e->study->arm[e->pair[i].of].name);
	jw_text(j, "b", e->study->arm[e->pair[i].by].name);
	jw_text(j, "verdict", equality_name[equal_steps_verdict(&all)]);
	jw_number(j, "largest", all.largest);
	jw_uint(j, "steps", all.steps);
	jw_uint(j, "differing", all.differing);
	jw_end(j);
}

void explain_json(const struct explain *e, struct jw *j)
{
	jw_array(j, "attribution");
	for (size_t i = 0; i < e->n; i++)
		if (!explain_are_one(e, &e->pair[i]))
			write_pair(j, e, &e->pair[i]);
	jw_end(j);
	jw_array(j, "equality");
	for (size_t i = 0; i < e->n; i += 2)
		write_equality(j, e, i);
	jw_end(j);
}
