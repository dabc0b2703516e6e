/* capacity.c -- Writes capacities, expenses and decisions. */
#include <config.h>
#include "report/capacity.h"
#include <math.h>
#include "base/csv.h"
#include "base/json_writer.h"

static const char *choice_of(const struct deployments *d, size_t arm)
{
	size_t way = deployments_choice(d, arm);
	return way < d->n_ways ? d->way[way].name : "none";
}

static const char *arm_name(const struct deployments *d, size_t way, size_t arm)
{
	return d->way[way].config.arm[arm].name;
}

/* ---- text ---- */

static void text_usd(FILE *f, double usd)
{
	if (isnan(usd))
		fprintf(f, " %9s", "-");
	else
		fprintf(f, " %9.4g", usd);
}

static void text_found(FILE *f, const struct deployments *d,
		       const struct deployment *x)
{
	const struct capacity *c = &x->capacity;
	if (c->verdict == CAPACITY_NONE) {
		fprintf(f, " none: %s even at %.3g requests/s\n",
			capacity_broken_by(c, &d->bounds), c->request_rate);
		return;
	}
	fprintf(f, " %s%10.4g %9.0f %5.0f",
		c->verdict == CAPACITY_OPEN ? ">=" : "  ", c->request_rate,
		c->output_throughput, deployments_gpus(d, x));
	text_usd(f, deployments_usd_per_hour(d, x));
	text_usd(f, deployment_usd_per_mtok(x));
	for (size_t i = 0; i < d->bounds.n; i++)
		fprintf(f, " %15.4g", c->value[i]);
	fprintf(f, "  %s\n", capacity_broken_by(c, &d->bounds));
}

static void text_decision(FILE *f, const struct deployments *d)
{
	int priced = deployments_priced(d);
	fprintf(f, "\nJudged by %s%s.\n",
		priced ? "USD"
		       : "GPUs, as not every GPU has a price "
			 "(hardware.usd_per_hour)",
		d->rate > 0 ? " for the asked-for rate"
		: priced    ? " per output token"
			    : " per request/s");
	for (size_t arm = 0; arm < d->n_arms; arm++)
		if (!deployments_failed(d, arm))
			fprintf(f, "%s would choose: %s\n", arm_name(d, 0, arm),
				choice_of(d, arm));
	if (d->n_arms > 1)
		fputs(deployments_differ(d)
			  ? "The decision depends on the cost model.\n"
			  : "All arms decide alike.\n",
		      f);
}

void capacity_text(const struct deployments *d, FILE *f)
{
	fprintf(f, "%-20s %-20s   %10s %9s %5s %9s %9s", "serving", "arm",
		"requests/s", "tokens/s", "GPUs", "USD/h", "USD/Mtok");
	for (size_t i = 0; i < d->bounds.n; i++)
		fprintf(f, " %15s", d->bounds.bound[i].metric->name);
	fputs("  broken first\n", f);
	for (size_t way = 0; way < d->n_ways; way++)
		for (size_t arm = 0; arm < d->n_arms; arm++) {
			const struct deployment *x =
			    deployments_at(d, way, arm);
			fprintf(f, "%-20s %-20s", d->way[way].name,
				arm_name(d, way, arm));
			if (x)
				text_found(f, d, x);
			else
				fputs(" failed\n", f);
		}
	if (d->n_ways > 1)
		text_decision(f, d);
}

/* ---- CSV and JSON have the same figures under the same names ---- */

static void csv_found(FILE *f, const struct deployments *d,
		      const struct deployment *x)
{
	double v[N_CAPACITY_FIGURES];
	deployment_figures(x, d->rate, v);
	fprintf(f, ",%s", capacity_verdict_name[x->capacity.verdict]);
	for (int k = 0; k < N_CAPACITY_FIGURES; k++) {
		fputc(',', f);
		/* CSV has no infinity: what cannot be is left out. */
		csv_number(f, isfinite(v[k]) ? v[k] : NAN);
	}
	fprintf(f, ",%s", capacity_broken_by(&x->capacity, &d->bounds));
	for (size_t k = 0; k < d->bounds.n; k++) {
		fputc(',', f);
		csv_number(f, x->capacity.value[k]);
	}
	fputs(",\n", f);
}

static void csv_row(FILE *f, const struct deployments *d, size_t way,
		    size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
	csv_text(f, d->way[way].name);
	fprintf(f, ",%s", arm_name(d, way, arm));
	if (x) {
		csv_found(f, d, x);
		return;
	}
	for (size_t k = 0; k < N_CAPACITY_FIGURES + d->bounds.n + 3; k++)
		fputc(',', f);
	csv_text(f, d->job[way * d->n_arms + arm].complaint);
	fputc('\n', f);
}

void capacity_csv(const struct deployments *d, FILE *f)
{
	fputs("serving,arm,verdict", f);
	for (int k = 0; k < N_CAPACITY_FIGURES; k++)
		fprintf(f, ",%s", capacity_figure[k].name);
	fputs(",broken_by", f);
	for (size_t i = 0; i < d->bounds.n; i++)
		fprintf(f, ",%s", d->bounds.bound[i].metric->name);
	fputs(",error\n", f);
	for (size_t way = 0; way < d->n_ways; way++)
		for (size_t arm = 0; arm < d->n_arms; arm++)
			csv_row(f, d, way, arm);
}

static void json_found(struct jw *j, const struct deployments *d,
		       const struct deployment *x)
{
	double v[N_CAPACITY_FIGURES];
	deployment_figures(x, d->rate, v);
	jw_text(j, "verdict", capacity_verdict_name[x->capacity.verdict]);
	for (int k = 0; k < N_CAPACITY_FIGURES; k++)
		jw_number(j, capacity_figure[k].name, v[k]);
	jw_text(j, "broken_by", capacity_broken_by(&x->capacity, &d->bounds));
	for (size_t k = 0; k < d->bounds.n; k++)
		jw_number(j, d->bounds.bound[k].metric->name,
			  x->capacity.value[k]);
}

static void json_search(struct jw *j, const struct deployments *d, size_t way,
			size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
	jw_object(j, NULL);
	jw_text(j, "serving", d->way[way].name);
	jw_text(j, "arm", arm_name(d, way, arm));
	if (x)
		json_found(j, d, x);
	else
		jw_text(j, "error", d->job[way * d->n_arms + arm].complaint);
	jw_end(j);
}

static void json_head(struct jw *j, const struct deployments *d)
{
	jw_int(j, "schema", 1);
	jw_text(j, "stepcost", PACKAGE_VERSION);
	jw_text(j, "command", "capacity");
	jw_flat_object(j, "slo");
	for (size_t i = 0; i < d->bounds.n; i++)
		jw_number(j, d->bounds.bound[i].metric->name,
			  d->bounds.bound[i].limit);
	jw_end(j);
	if (d->rate > 0)
		jw_number(j, "rate", d->rate);
}

void capacity_json(const struct deployments *d, FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	json_head(&j, d);
	jw_array(&j, "searches");
	for (size_t way = 0; way < d->n_ways; way++)
		for (size_t arm = 0; arm < d->n_arms; arm++)
			json_search(&j, d, way, arm);
	jw_end(&j);
	jw_object(&j, "decisions");
	for (size_t arm = 0; arm < d->n_arms; arm++)
		jw_text(&j, arm_name(d, 0, arm),
			deployments_failed(d, arm) ? NULL : choice_of(d, arm));
	jw_end(&j);
	jw_bool(&j, "decision_changes", deployments_differ(d));
	jw_end(&j);
	jw_finish(&j);
}
