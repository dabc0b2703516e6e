/* results_text.c -- Writes results as a table to read. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/paragraph.h"
#include "record/metrics.h"
#include "report/columns.h"
#include "report/results/pools.h"
#include "report/results/results.h"
#include "report/results/simulated.h"
#include "report/results/support.h"

/* If there are more arms than FEW, a table with one line per arm comes first.
 * If there are more than SEVERAL, the full table is left out. */
enum { FEW = 4, SEVERAL = 10 };

struct report {
	const struct results *r;
	FILE *f;
	size_t width; /* columns of a line */
};

/* Returns the arm that the others are compared with.  NULL: it failed. */
static const struct arm_record *reference(const struct results *r)
{
	return r->n && !r->arm[0].error ? r->arm[0].record : NULL;
}

static int any_overloaded(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error && r->arm[i].record->outcome.saturation ==
					    SATURATION_OVERLOADED)
			return 1;
	return 0;
}

/* Marks a figure of an overloaded run: it grows with the length of the run. */
static const char *mark(const struct results *r, const struct metric *m,
			const struct outcome *o)
{
	if (!any_overloaded(r))
		return "";
	return m->tail && o->saturation == SATURATION_OVERLOADED ? "!" : " ";
}

static void value(struct columns *c, size_t group, size_t at, double v,
		  int decimals, const char *behind)
{
	if (isnan(v))
		columns_cell(c, group, at, "-%s", *behind ? " " : "");
	else
		columns_cell(c, group, at, "%.*f%s", decimals, v, behind);
}

static void difference(struct columns *c, size_t group, size_t at, double v,
		       double ref, int decimals, const char *behind)
{
	if (isnan(v) || isnan(ref))
		columns_cell(c, group, at, "-%s", behind);
	else
		columns_cell(c, group, at, "%+.*f%s", decimals, v - ref,
			     behind);
}

/* Returns 1 if one arm's figure lies in the interval of the other's: the
 * measurements do not tell the two arms apart. */
static int is_within(const struct arm_result *a, const struct metric *m,
		     double v, double other)
{
	const struct trust_interval *x = trusted_interval(&a->trusted, m);
	return x && other >= v * x->low && other <= v * x->high;
}

static int any_interval(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; !r->arm[i].error && k < N_TRUSTED; k++)
			if (r->arm[i].trusted.interval[k].n)
				return 1;
	return 0;
}

/* Returns the mark behind a difference to the first arm. */
static const char *tie(const struct results *r, size_t arm,
		       const struct metric *m, double v, double was)
{
	if (!any_interval(r))
		return "";
	return (v < was || v > was) && (is_within(&r->arm[arm], m, v, was) ||
					is_within(&r->arm[0], m, was, v))
		   ? "~"
		   : " ";
}

static void ratio(struct columns *c, size_t group, size_t at, double v,
		  double ref)
{
	if (v == ref)
		columns_cell(c, group, at, "=");
	else if (isnan(v) || isnan(ref) || ref == 0)
		columns_cell(c, group, at, "-");
	else
		columns_cell(c, group, at, "%.3fx", v / ref);
}

/* ---- a row for each metric ---- */

static void metric_row(struct columns *c, const struct results *r,
		       const struct metric *m)
{
	const struct arm_record *ref = reference(r);
	columns_row(c, "%s%s%s", m->name, *m->unit ? " " : "",
		    strstr(m->name, "_ms") || strstr(m->name, "_us") ? ""
								     : m->unit);
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_record *a = r->arm[i].record;
		if (r->arm[i].error)
			continue;
		double v = metric_value(m, &a->outcome);
		value(c, i, 0, v, m->decimals, mark(r, m, &a->outcome));
		if (i && ref) {
			double was = metric_value(m, &ref->outcome);
			difference(c, i, 1, v, was, m->decimals,
				   tie(r, i, m, v, was));
			ratio(c, i, 2, v, was);
		}
	}
}

/* Returns 1 if an arm has the metric.  Without an SLO, for example, there is no
 * goodput. */
static int any_has_metric(const struct results *r, const struct metric *m)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error &&
		    !isnan(metric_value(m, &r->arm[i].record->outcome)))
			return 1;
	return 0;
}

static int any_above_0(const struct results *r, const struct metric *m)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error &&
		    metric_value(m, &r->arm[i].record->outcome) > 0)
			return 1;
	return 0;
}

static int is_shown(const struct results *r, const struct metric *m)
{
	if (m->special)
		return any_has_metric(r, m);
	if (m->headline)
		return 1;
	if (m->rare)
		return any_above_0(r, m);
	return !strcmp(m->name, "request_goodput") && reference(r) &&
	       !isnan(metric_value(m, &reference(r)->outcome));
}

static void position_rows(struct columns *c, const struct results *r)
{
	uint32_t most = 0;
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error && r->arm[i].record->outcome.drafts > most)
			most = r->arm[i].record->outcome.drafts;
	for (uint32_t k = 0; k < most; k++) {
		char name[METRIC_NAME_AT];
		struct metric at = metric_of_position(k, name);
		if (is_shown(r, &at))
			metric_row(c, r, &at);
	}
}

static void all_metrics(const struct report *t)
{
	const struct results *r = t->r;
	struct columns c = {.n_groups = r->n, .per_group = 3};
	columns_row(&c, "%s", "");
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		columns_cell(&c, i, 0, "%s%s", r->arm[i].name,
			     any_overloaded(r) ? " " : "");
		if (i && reference(r)) {
			columns_cell(&c, i, 1, "difference");
			columns_cell(&c, i, 2, "ratio");
		}
	}
	for (size_t i = 0; i < n_metrics; i++) {
		if (is_shown(r, &metric[i]))
			metric_row(&c, r, &metric[i]);
		if (metric[i].positions)
			position_rows(&c, r);
	}
	fputc('\n', t->f);
	columns_write(&c, t->f, t->width);
	columns_free(&c);
	if (r->n > 1 && any_interval(r))
		fputs("~: smaller than the prediction interval of either arm; "
		      "measured runs cannot tell which arm is right\n",
		      t->f);
}

/* Writes one row per arm, if there are many. */
static void all_arms(const struct report *t)
{
	static const char *const shown[] = {"mean_ttft_ms", "p99_ttft_ms",
					    "mean_tpot_ms", "p99_tpot_ms",
					    "mean_e2el_ms"};
	enum { N = sizeof shown / sizeof *shown };
	const struct results *r = t->r;
	struct columns c = {.n_groups = N, .per_group = 1};
	columns_row(&c, "%s", "");
	for (size_t k = 0; k < N; k++)
		columns_cell(&c, k, 0, "%s", shown[k]);
	for (size_t i = 0; i < r->n; i++) {
		columns_row(&c, "%s", r->arm[i].name);
		if (r->arm[i].error)
			columns_cell(&c, 0, 0, "failed");
		for (size_t k = 0; k < N && !r->arm[i].error; k++) {
			const struct metric *m = metric_find(shown[k]);
			const struct outcome *o = &r->arm[i].record->outcome;
			value(&c, k, 0, metric_value(m, o), m->decimals,
			      mark(r, m, o));
		}
	}
	fputc('\n', t->f);
	columns_write(&c, t->f, t->width);
	columns_free(&c);
}

static void pools(const struct report *t)
{
	struct columns c[2];
	if (!pools_any(t->r))
		return;
	pools_columns(&c[0], t->r);
	pools_transfers(&c[1], t->r);
	for (int i = 0; i < 2; i++) {
		fputc('\n', t->f);
		columns_write(&c[i], t->f, t->width);
		columns_free(&c[i]);
	}
}

/* ---- a row for each part of a step ---- */

static double part_mean(const struct arm_record *a, int part)
{
	const struct breakdown *b = &a->breakdown;
	return breakdown_sum_us(b, (enum part)part) / (double)b->steps;
}

/* Adds the share of all step time.  Parts that overlap sum to more than one. */
static void part_share(struct columns *c, size_t group,
		       const struct arm_record *a, int part)
{
	const struct breakdown *b = &a->breakdown;
	double sum_us = breakdown_sum_us(b, (enum part)part);
	if (!isnan(sum_us) && b->total_us > 0)
		columns_cell(c, group, 1, "%.1f%%", 100 * sum_us / b->total_us);
	else
		columns_cell(c, group, 1, "- ");
}

static void part_row(struct columns *c, const struct results *r, int part)
{
	const struct arm_record *ref = reference(r);
	columns_row(c, "  %s", part_name[part]);
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_record *a = r->arm[i].record;
		if (r->arm[i].error)
			continue;
		double v = part_mean(a, part);
		value(c, i, 0, v, 1, "");
		part_share(c, i, a, part);
		if (i && ref)
			difference(c, i, 2, v, part_mean(ref, part), 1, "");
	}
}

/* Returns 0 if no model has the part, or if it is zero for all: then it gets no
 * line. */
static int any_has(const struct results *r, int part)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error &&
		    breakdown_sum_us(&r->arm[i].record->breakdown,
				     (enum part)part) > 0)
			return 1;
	return 0;
}

/* Returns the host's part that contains a part named by a plugin, or -1. */
static int part_that_has(const struct named_part *part)
{
	static const int of[] = {
	    [SC_PART_GEMM] = PART_PREFILL_GEMM,
	    [SC_PART_ATTENTION] = PART_PREFILL_ATTENTION,
	    [SC_PART_COMM] = PART_COMM,
	    [SC_PART_OVERHEAD] = PART_OVERHEAD,
	};
	int in_decode =
	    part->phase == SC_DECODE ? PART_DECODE_GEMM - PART_PREFILL_GEMM : 0;
	return part->kind <= SC_PART_OVERHEAD ? of[part->kind] + in_decode : -1;
}

/* Returns the mean of the part with that name in an arm's plugin.  NaN: it has
 * none. */
static double named_mean(const struct arm_record *a, int part, const char *name)
{
	const struct breakdown *b = &a->breakdown;
	for (uint32_t i = 0; i < b->named.n; i++)
		if (part_that_has(&b->named.part[i]) == part &&
		    !strcmp(b->named.part[i].name, name))
			return breakdown_named_us(b, i) / (double)b->steps;
	return NAN;
}

static void named_row(struct columns *c, const struct results *r, int part,
		      const char *name)
{
	const struct arm_record *ref = reference(r);
	columns_row(c, "    %s", name);
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		double v = named_mean(r->arm[i].record, part, name);
		value(c, i, 0, v, 1, "");
		if (i && ref)
			difference(c, i, 2, v, named_mean(ref, part, name), 1,
				   "");
	}
}

/* The same as any_has() for a part named by plugins. */
static int any_names(const struct results *r, int part, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error &&
		    isgreater(named_mean(r->arm[i].record, part, name), 0))
			return 1;
	return 0;
}

/* Adds the parts that plugins name within one of the host's parts, each name
 * once. */
static void named_rows(struct columns *c, const struct results *r, int part)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		const struct named_parts *n =
		    &r->arm[i].record->breakdown.named;
		for (uint32_t k = 0; k < n->n; k++) {
			const char *name = n->part[k].name;
			int is_new = part_that_has(&n->part[k]) == part;
			for (size_t j = 0; is_new && j < i; j++)
				is_new = r->arm[j].error ||
					 isnan(named_mean(r->arm[j].record,
							  part, name));
			if (is_new && any_names(r, part, name))
				named_row(c, r, part, name);
		}
	}
}

static void step_time(const struct report *t)
{
	const struct results *r = t->r;
	struct columns c = {.n_groups = r->n, .per_group = 3};
	columns_row(&c, "us per step, share");
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		columns_cell(&c, i, 0, "%s", r->arm[i].name);
		if (i && reference(r))
			columns_cell(&c, i, 2, "difference");
	}
	for (int i = 0; i < N_PARTS; i++)
		if (any_has(r, i)) {
			part_row(&c, r, i);
			named_rows(&c, r, i);
		}
	fputc('\n', t->f);
	columns_write(&c, t->f, t->width);
	columns_free(&c);
}

/* ---- sources of the times ---- */

static void shape(const struct guessed_shape *g, double total_us, FILE *f)
{
	fprintf(f, "    %s: %u decode%s", provenance_name[g->provenance],
		g->n_decode, g->n_decode == 1 ? "" : "s");
	if (g->n_prefill)
		fprintf(f, " + %u prefill%s of up to %u tokens", g->n_prefill,
			g->n_prefill == 1 ? "" : "s", g->prefill_tokens);
	fprintf(f,
		", context up to %u: %" PRIu64 " step%s, %.1f ms (%.2f %%)\n",
		g->max_context, g->steps, g->steps == 1 ? "" : "s",
		g->time_us / 1e3, 100 * g->time_us / total_us);
}

static void arm_coverage(const struct arm_result *a, uint32_t shapes, FILE *f)
{
	const struct outcome *o = &a->record->outcome;
	double sum = 0;
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		sum += o->coverage_us[i];
	if (sum <= 0)
		return;
	fprintf(f, "  %s:", a->name);
	for (int i = 0; i < COVERAGE_CLASSES; i++)
		if (o->coverage_us[i] > 0)
			fprintf(f, " %s %.2f %%",
				i == COVERAGE_NONE ? "none"
						   : provenance_name[i],
				100 * o->coverage_us[i] / sum);
	fputc('\n', f);
	for (uint32_t i = 0; i < o->n_guessed && i < shapes; i++)
		shape(&o->guessed[i], sum, f);
}

static void coverage(const struct results *r, FILE *f)
{
	fputs("\nshare of step time by lookup (none: always a formula), and "
	      "the estimates with the most time\n",
	      f);
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error)
			arm_coverage(&r->arm[i], r->n > FEW ? 0 : 3, f);
}

/* ---- remarks on how far to trust the results ---- */

static void support(const struct results *r, FILE *f)
{
	fputs("\nsupport: how close the scored runs of each arm are\n", f);
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		fprintf(f, "  %s: ", r->arm[i].name);
		support_write(&r->arm[i].trusted.support, f);
		putc('\n', f);
		intervals_write(&r->arm[i].trusted, &r->arm[i].record->outcome,
				"    ", f);
		energy_of_run_write(&r->arm[i].trusted,
				    &r->arm[i].record->outcome, "    ", f);
	}
}

/* new_cache: 1 if the KV cache differs from that of the arm before. */
static void remarks(const struct arm_result *a, int new_cache, FILE *f)
{
	const struct outcome *o = &a->record->outcome;
	fprintf(f, "  %s: %s", a->name, saturation_name[o->saturation]);
	if (o->saturation == SATURATION_STABLE && o->is_too_short)
		fputs(" so far (arrivals lasted less than 30 mean latencies)",
		      f);
	if (o->unfinished)
		fprintf(f, ", %" PRIu64 " requests unfinished", o->unfinished);
	if (o->rejected)
		fprintf(f, ", %" PRIu64 " rejected", o->rejected);
	fprintf(f, "%s%s\n", new_cache ? "; " : "",
		new_cache ? a->record->num_gpu_blocks : "");
	if (o->saturation == SATURATION_OVERLOADED)
		fputs("    ! the queue grows for as long as the run lasts, and "
		      "latencies with it: they depend on its length\n",
		      f);
}

static void failures(const struct results *r, FILE *f)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->arm[i].error)
			fprintf(f, "\n%s: failed\n", r->arm[i].name);
}

static const struct arm_record *any_record(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error)
			return r->arm[i].record;
	return NULL;
}

static void write_text(const struct results *r, size_t width, FILE *f)
{
	const struct arm_record *any = any_record(r);
	if (r->config)
		simulated_text(r->config, r->n, f);
	if (any) {
		fprintf(f,
			"%" PRIu64 " requests (hash %016" PRIx64 "), seed "
			"%" PRIu64 "%s\n",
			any->outcome.requests, any->request_hash, r->seed,
			r->n > 1 ? ", the same for every arm" : "");
		struct report t = {r, f, width};
		if (r->n > FEW)
			all_arms(&t);
		if (r->n <= SEVERAL) {
			all_metrics(&t);
			pools(&t);
			step_time(&t);
		}
		coverage(r, f);
		support(r, f);
		fputs("\nsaturation, KV cache\n", f);
		const char *cache = "";
		for (size_t i = 0; i < r->n; i++) {
			if (r->arm[i].error)
				continue;
			const char *is = r->arm[i].record->num_gpu_blocks;
			remarks(&r->arm[i], strcmp(cache, is) != 0, f);
			cache = is;
		}
	}
	failures(r, f);
}

/* A line that is too long continues on the next line, indented. */
void results_text(const struct results *r, FILE *f)
{
	char *text = NULL, *rest, *line;
	size_t size, width = paragraph_width(f);
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	write_text(r, width, m);
	fclose(m);
	for (rest = text; rest && *rest;) {
		line = strsep(&rest, "\n");
		if (paragraph_columns(line) <= width)
			fprintf(f, "%s\n", line);
		else
			paragraph_write(f, line, width, strspn(line, " ") + 4);
	}
	free(text);
}
