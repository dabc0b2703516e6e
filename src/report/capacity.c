/* capacity.c -- Writes capacities, expenses and decisions. */
#include <config.h>
#include "report/capacity.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json_writer.h"
#include "report/results/simulated.h"
#include "report/results/support.h"

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

static void text_value(FILE *f, int width, double v)
{
	if (isnan(v))
		fprintf(f, " %*s", width, "-");
	else
		fprintf(f, " %*.4g", width, v);
}

static void text_found(FILE *f, const struct deployments *d,
		       const struct deployment *x)
{
	const struct capacity *c = &x->capacity;
	if (c->verdict == CAPACITY_NONE &&
	    c->broken_bound == BROKEN_BY_REJECTION) {
		fprintf(f,
			" none: %" PRIu64 " of %" PRIu64 " requests rejected",
			c->rejected, c->requests);
		return;
	}
	if (c->verdict == CAPACITY_NONE) {
		fprintf(f, " none: %s even at %.3g requests/s",
			capacity_broken_by(c, &d->bounds), c->request_rate);
		return;
	}
	fprintf(f, " %s%10.4g %9.0f %5.0f",
		c->verdict == CAPACITY_OPEN ? ">=" : "  ", c->request_rate,
		c->output_throughput, deployments_gpus(d, x));
	text_value(f, 9, deployments_usd_per_hour(d, x));
	text_value(f, 9, deployment_usd_per_mtok(x));
	for (size_t i = 0; i < d->bounds.n; i++)
		text_value(f, 15, c->value[i]);
	fprintf(f, "  %s", capacity_broken_by(c, &d->bounds));
}

/* What is left if all bounded figures lie at the far end of their intervals. */
static void text_cautious(FILE *f, const struct deployments *d,
			  const struct deployment *x)
{
	if (!x->has_cautious)
		return;
	fprintf(f, "    at the far end of %g %% intervals: ",
		100 * INTERVAL_COVERAGE);
	if (x->cautious.verdict == CAPACITY_NONE)
		fprintf(f, "none, %s is broken at any rate\n",
			capacity_broken_by(&x->cautious, &d->bounds));
	else
		fprintf(f, "%.4g requests/s in place of %.4g\n",
			x->cautious.request_rate, x->capacity.request_rate);
}

/* A line a row. */
static void text_support(FILE *f, const struct deployments *d)
{
	fputs("\nsupport: how far scored errors reach\n", f);
	for (size_t i = 0; i < d->n_ways * d->n_arms; i++) {
		size_t way = i / d->n_arms, arm = i % d->n_arms;
		const struct deployment *x = deployments_at(d, way, arm);
		if (!x)
			continue;
		fprintf(f, "  %s, %s: ", d->way[way].name,
			arm_name(d, way, arm));
		support_write(&x->trusted.support, f);
		putc('\n', f);
		text_cautious(f, d, x);
	}
}

static void text_choice(FILE *f, const struct deployments *d, size_t arm)
{
	size_t cautious = deployments_cautious_choice(d, arm);
	fprintf(f, "%s would choose: %s\n", arm_name(d, 0, arm),
		choice_of(d, arm));
	if (cautious != deployments_choice(d, arm))
		fprintf(f,
			"  but at the far end of its intervals: %s: its errors "
			"may change the decision\n",
			cautious < d->n_ways ? d->way[cautious].name : "none");
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
			text_choice(f, d, arm);
	if (d->n_arms > 1)
		fputs(deployments_differ(d)
			  ? "The decision depends on the cost model.\n"
			  : "All arms decide alike.\n",
		      f);
}

static int is_warning(const char *line)
{
	return !strncmp(line, "warning: ", 9);
}

/* " [1] [2]": the warnings of a row, whose text stands below the table. */
static void text_marks(FILE *f, struct names *warnings,
		       const struct names *said)
{
	for (size_t i = 0; i < said->n; i++) {
		size_t k = 0;
		if (!is_warning(said->item[i]) ||
		    names_add_new(warnings, said->item[i]) < 0)
			continue;
		while (strcmp(warnings->item[k], said->item[i]) != 0)
			k++;
		fprintf(f, " [%zu]", k + 1);
	}
}

static void text_warnings(FILE *f, const struct names *warnings)
{
	if (warnings->n)
		putc('\n', f);
	for (size_t i = 0; i < warnings->n; i++)
		fprintf(f, "[%zu] %s\n", i + 1, warnings->item[i]);
}

static void text_simulated(const struct deployments *d, FILE *f)
{
	const char **name = calloc(d->n_ways, sizeof *name);
	const struct config **config = calloc(d->n_ways, sizeof *config);
	for (size_t i = 0; name && config && i < d->n_ways; i++) {
		name[i] = d->way[i].name;
		config[i] = &d->way[i].config;
	}
	if (name && config)
		simulated_text_of(config, name, d->n_ways, f);
	free(name);
	free(config);
	putc('\n', f);
}

void capacity_text(const struct deployments *d, FILE *f)
{
	struct names warnings = {0};
	text_simulated(d, f);
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
				fputs(" failed", f);
			text_marks(f, &warnings, deployments_said(d, way, arm));
			putc('\n', f);
		}
	text_warnings(f, &warnings);
	names_free(&warnings);
	text_support(f, d);
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
	fputc(',', f);
}

/* In one cell. */
static void csv_warnings(FILE *f, const struct names *said)
{
	char *text = NULL;
	size_t size, n = 0;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	for (size_t i = 0; i < said->n; i++)
		if (is_warning(said->item[i]))
			fprintf(m, "%s%s", n++ ? " | " : "", said->item[i]);
	fclose(m);
	csv_text(f, text);
	free(text);
}

static void csv_row(FILE *f, const struct deployments *d, size_t way,
		    size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
	csv_text(f, d->way[way].name);
	fprintf(f, ",%s", arm_name(d, way, arm));
	if (x)
		csv_found(f, d, x);
	for (size_t k = 0; !x && k < N_CAPACITY_FIGURES + d->bounds.n + 3; k++)
		fputc(',', f);
	if (!x)
		csv_text(f, d->job[way * d->n_arms + arm].complaint);
	fprintf(f, ",%s,", x ? support_name[x->trusted.support.verdict] : "");
	csv_warnings(f, deployments_said(d, way, arm));
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
	fputs(",error,support,warnings\n", f);
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

static void json_trusted(struct jw *j, const struct deployment *x)
{
	support_json(&x->trusted.support, j);
	if (!x->has_cautious)
		return;
	jw_flat_object(j, "at_far_end_of_intervals");
	jw_number(j, "coverage", INTERVAL_COVERAGE);
	jw_text(j, "verdict", capacity_verdict_name[x->cautious.verdict]);
	jw_number(j, "request_rate", x->cautious.request_rate);
	jw_number(j, "rate_scale", x->cautious.scale);
	jw_end(j);
}

static void json_search(struct jw *j, const struct deployments *d, size_t way,
			size_t arm)
{
	const struct deployment *x = deployments_at(d, way, arm);
	const struct names *said = deployments_said(d, way, arm);
	jw_object(j, NULL);
	jw_text(j, "serving", d->way[way].name);
	jw_text(j, "arm", arm_name(d, way, arm));
	if (x)
		json_found(j, d, x);
	else
		jw_text(j, "error", d->job[way * d->n_arms + arm].complaint);
	if (x)
		json_trusted(j, x);
	jw_flat_array(j, "warnings");
	for (size_t i = 0; i < said->n; i++)
		if (is_warning(said->item[i]))
			jw_text(j, NULL, said->item[i]);
	jw_end(j);
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
