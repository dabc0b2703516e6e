/* results_text.c -- Writes results as a table to read. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "record/metrics.h"
#include "report/results.h"
#include "report/simulated.h"

enum { LABEL = 26, VALUE = 13, DIFFERENCE = 13, RATIO = 8, SHARE = 6 };
/* Arms whose columns fit a line; arms that are shown in full, FEW at a time. */
enum { FEW = 4, SEVERAL = 10 };

/* The arm that the others are compared to; NULL: it failed. */
static const struct arm_record *reference(const struct results *r)
{
	return r->n && !r->arm[0].error ? r->arm[0].record : NULL;
}

static void value(FILE *f, double v, int decimals, const char *mark)
{
	if (isnan(v))
		fprintf(f, "%*s ", VALUE, "-");
	else
		fprintf(f, "%*.*f%s", VALUE, decimals, v, mark);
}

static void against(FILE *f, double v, double ref, int decimals)
{
	if (isnan(v) || isnan(ref)) {
		fprintf(f, "%*s%*s ", DIFFERENCE, "-", RATIO, "-");
		return;
	}
	fprintf(f, "%+*.*f", DIFFERENCE, decimals, v - ref);
	if (ref == v)
		fprintf(f, "%*s ", RATIO, "=");
	else if (ref == 0)
		fprintf(f, "%*s ", RATIO, "-");
	else
		fprintf(f, "%*.3fx", RATIO, v / ref);
}

static void head(const struct results *r, FILE *f, const char *title)
{
	fprintf(f, "\n%-*s", LABEL, title);
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		fprintf(f, "%*s ", VALUE, r->arm[i].name);
		if (i && reference(r))
			fprintf(f, "%*s%*s ", DIFFERENCE, "difference", RATIO,
				"ratio");
	}
	fputc('\n', f);
}

/* A figure of a run in which requests piled up says how long the run was. */
static const char *mark(const struct metric *m, const struct outcome *o)
{
	return m->tail && o->saturation == SATURATION_OVERLOADED ? "!" : " ";
}

/* Many arms: a row for each, and no more than fits a line. */
static void narrow(const struct results *r, FILE *f)
{
	static const char *const shown[] = {
	    "duration",    "mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms",
	    "p99_tpot_ms", "mean_e2el_ms", "mean_step_us"};
	enum { N = sizeof shown / sizeof *shown, ARM = 40 };
	fprintf(f, "\n%-*s", ARM, "");
	for (size_t k = 0; k < N; k++)
		fprintf(f, "%*s ", VALUE, shown[k]);
	fputc('\n', f);
	for (size_t i = 0; i < r->n; i++) {
		fprintf(f, "%-*s", ARM, r->arm[i].name);
		for (size_t k = 0; k < N && !r->arm[i].error; k++) {
			const struct metric *m = metric_find(shown[k]);
			const struct outcome *o = &r->arm[i].record->outcome;
			value(f, metric_value(m, o), m->decimals, mark(m, o));
		}
		fputs(r->arm[i].error ? " failed\n" : "\n", f);
	}
}

static void metric_row(const struct results *r, const struct metric *m, FILE *f)
{
	char label[64];
	const struct arm_record *ref = reference(r);
	snprintf(label, sizeof label, "%s%s%s", m->name, *m->unit ? " " : "",
		 strstr(m->name, "_ms") || strstr(m->name, "_us") ? ""
								  : m->unit);
	fprintf(f, "%-*s", LABEL, label);
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_record *a = r->arm[i].record;
		if (r->arm[i].error)
			continue;
		double v = metric_value(m, &a->outcome);
		value(f, v, m->decimals, mark(m, &a->outcome));
		if (i && ref)
			against(f, v, metric_value(m, &ref->outcome),
				m->decimals);
	}
	fputc('\n', f);
}

static double part_mean(const struct arm_record *a, int part)
{
	const struct breakdown *b = &a->breakdown;
	return b->has[part] ? b->part_us[part] / (double)b->steps : NAN;
}

/* Share of all step time; parts that overlap sum to more than one. */
static void part_share(const struct arm_record *a, int part, FILE *f)
{
	const struct breakdown *b = &a->breakdown;
	if (b->has[part] && b->total_us > 0)
		fprintf(f, "%*.1f%%", SHARE,
			100 * b->part_us[part] / b->total_us);
	else
		fprintf(f, "%*s ", SHARE, "-");
}

static void part_row(const struct results *r, int part, FILE *f)
{
	const struct arm_record *ref = reference(r);
	fprintf(f, "  %-*s", LABEL - 2, part_name[part]);
	for (size_t i = 0; i < r->n; i++) {
		const struct arm_record *a = r->arm[i].record;
		if (r->arm[i].error)
			continue;
		double v = part_mean(a, part);
		value(f, v, 1, " ");
		part_share(a, part, f);
		if (i && ref)
			against(f, v, part_mean(ref, part), 1);
	}
	fputc('\n', f);
}

/* Not worth a line: no model has it, or it is nothing for all. */
static int any_has(const struct results *r, int part)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error &&
		    r->arm[i].record->breakdown.part_us[part] > 0)
			return 1;
	return 0;
}

static void step_time(const struct results *r, FILE *f)
{
	fprintf(f, "\n%-*s", LABEL, "us per step, share of it");
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		fprintf(f, "%*s %*s ", VALUE, r->arm[i].name, SHARE, "");
		if (i && reference(r))
			fprintf(f, "%*s%*s ", DIFFERENCE, "difference", RATIO,
				"ratio");
	}
	fputc('\n', f);
	for (int i = 0; i < N_PARTS; i++)
		if (any_has(r, i))
			part_row(r, i, f);
}

/* ---- where the times come from ---- */

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
	fputs("\nshare of the step time by what priced it "
	      "(none: no table did), and the dearest guesses\n",
	      f);
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error)
			arm_coverage(&r->arm[i], r->n > FEW ? 0 : 3, f);
}

/* ---- what to know before believing it ---- */

static void support(const struct results *r, FILE *f)
{
	fputs("\nsupport: how far scored errors reach\n", f);
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		fprintf(f, "  %s: ", r->arm[i].name);
		support_write(&r->arm[i].support, f);
		putc('\n', f);
	}
}

/* new_cache: it is not that of the arm before. */
static void remarks(const struct arm_result *a, int new_cache, FILE *f)
{
	const struct outcome *o = &a->record->outcome;
	fprintf(f, "  %s: %s", a->name, saturation_name[o->saturation]);
	if (o->unfinished)
		fprintf(f, ", %" PRIu64 " requests unfinished", o->unfinished);
	if (o->rejected)
		fprintf(f, ", %" PRIu64 " rejected", o->rejected);
	fprintf(f, "%s%s\n", new_cache ? "; " : "",
		new_cache ? a->record->num_gpu_blocks : "");
	if (o->saturation == SATURATION_OVERLOADED)
		fputs("    ! latencies grow with the length of the run: they "
		      "tell about it, not about the engine\n",
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

static void wide(const struct results *r, FILE *f)
{
	head(r, f, "");
	for (size_t i = 0; i < n_metrics; i++)
		if (metric[i].headline)
			metric_row(r, &metric[i], f);
	step_time(r, f);
}

/* More arms than a line holds: the first and some of the others at a time. */
static void in_blocks(const struct results *r, FILE *f)
{
	for (size_t from = 1; from < r->n; from += FEW - 1) {
		struct arm_result some[FEW];
		struct results block = *r;
		some[0] = r->arm[0];
		block.arm = some;
		block.n = 1;
		while (block.n < FEW && from + block.n - 1 < r->n) {
			some[block.n] = r->arm[from + block.n - 1];
			block.n++;
		}
		wide(&block, f);
	}
}

static void write_text(const struct results *r, FILE *f)
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
		if (r->n > FEW)
			narrow(r, f);
		if (r->n <= FEW)
			wide(r, f);
		else if (r->n <= SEVERAL)
			in_blocks(r, f);
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

/* Columns leave blanks at the ends of lines. */
void results_text(const struct results *r, FILE *f)
{
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	write_text(r, m);
	fclose(m);
	for (rest = text; rest && *rest;) {
		line = strsep(&rest, "\n");
		size_t n = strlen(line);
		while (n && line[n - 1] == ' ')
			n--;
		fprintf(f, "%.*s\n", (int)n, line);
	}
	free(text);
}
