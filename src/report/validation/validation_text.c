/* validation_text.c -- Writes a validation as tables to read. */
#include <config.h>
#include "report/validation/validation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/validation/apart_text.h"
#include "report/validation/own_run.h"
#include "report/validation/validation_parts.h"

static void print_summary(FILE *f, const struct error_summary *s)
{
	if (!s->n)
		fprintf(f, " %27s", "-");
	else
		fprintf(f, " %6.1f %6.1f %6.1f %+6.1f", 100 * s->mean,
			100 * s->median, 100 * s->p90, 100 * s->bias);
}

/* For percentiles, only the mean error is shown. */
static const enum run_latency tail_metric[] = {RUN_E2EL, RUN_TTFT};
enum { N_TAILS = sizeof tail_metric / sizeof *tail_metric };

static void print_tails(FILE *f, const struct validation *v, size_t arm,
			enum row_choice choice)
{
	for (int k = 0; k < N_TAILS; k++)
		for (int i = STATISTIC_P90; i <= STATISTIC_P99; i++) {
			struct error_summary s = validation_summary_of(
			    v, arm, tail_metric[k], (enum statistic)i, choice,
			    NULL, NULL);
			if (s.n)
				fprintf(f, " %6.1f", 100 * s.mean);
			else
				fprintf(f, " %6s", "-");
		}
}

static void print_head(FILE *f, const char *first, int width, int tails)
{
	fprintf(f, "%-*s %5s", width, "", "");
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		fprintf(f, " %27s", validation_title[validation_shown[k]]);
	for (int k = 0; tails && k < N_TAILS; k++)
		fprintf(f, " %13s", validation_title[tail_metric[k]]);
	fprintf(f, "\n%-*s %5s", width, first, "rows");
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		fprintf(f, " %6s %6s %6s %6s", "mean", "median", "p90", "bias");
	for (int k = 0; tails && k < N_TAILS; k++)
		fprintf(f, " %6s %6s", "of p90", "of p99");
	putc('\n', f);
}

static void print_line(FILE *f, const struct validation *v, size_t arm,
		       const char *first, int width, enum row_choice choice,
		       const struct grouping *g, const char *group)
{
	struct error_summary s[N_RUN_LATENCIES];
	size_t n = 0;
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		s[k] = validation_summary_of(v, arm, validation_shown[k],
					     STATISTIC_MEAN, choice, g, group);
		n = s[k].n > n ? s[k].n : n;
	}
	if (!n && (g || choice == ROWS_SATURATED))
		return;
	fprintf(f, "%-*s %5zu", width, first, n);
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		print_summary(f, &s[k]);
	if (!g)
		print_tails(f, v, arm, choice);
	putc('\n', f);
}

/* Puts the best arm first: by the mean error of E2E latency, then of TPOT. */
static void order_arms(const struct validation *v, size_t *order)
{
	for (size_t k = 0; k < v->n_arms; k++) {
		double e[2], o[2];
		size_t at = k;
		for (; at > 0; at--) {
			e[0] = validation_summary(v, k, RUN_E2EL, ROWS_COMMON)
				   .mean;
			o[0] = validation_summary(v, order[at - 1], RUN_E2EL,
						  ROWS_COMMON)
				   .mean;
			e[1] = validation_summary(v, k, RUN_TPOT, ROWS_COMMON)
				   .mean;
			o[1] = validation_summary(v, order[at - 1], RUN_TPOT,
						  ROWS_COMMON)
				   .mean;
			int by = isnan(e[0]) ? 1 : 0;
			if (!(e[by] < o[by]))
				break;
			order[at] = order[at - 1];
		}
		order[at] = k;
	}
}

static void print_leaderboard(const struct validation *v, FILE *f)
{
	size_t *order = calloc(v->n_arms + 1, sizeof *order);
	size_t common = 0, apart = 0;
	for (size_t i = 0; i < v->file->n; i++) {
		common += (size_t)validation_chosen(v, i, ROWS_COMMON);
		apart += (size_t)validation_saturated(&v->file->row[i]);
	}
	fprintf(f,
		"%s%s: %zu rows, %zu of them unsaturated and priced by all "
		"arms, %zu saturated\n",
		v->file->path[0], v->file->n_paths > 1 ? " and others" : "",
		v->file->n, common, apart);
	fputs("errors of predicted means, percent; bias: the prediction is "
	      "longer (+) or shorter (-); of p90, of p99: mean error of these "
	      "percentiles; -: not scored\n\n",
	      f);
	if (!order)
		return;
	order_arms(v, order);
	print_head(f, "leaderboard", 24, 1);
	for (size_t k = 0; k < v->n_arms; k++)
		print_line(f, v, order[k], v->arm[order[k]], 24, ROWS_COMMON,
			   NULL, NULL);
	fputs("\nall rows that an arm can price: unsaturated, then saturated\n",
	      f);
	print_head(f, "arm", 24, 1);
	for (size_t k = 0; k < v->n_arms; k++) {
		print_line(f, v, order[k], v->arm[order[k]], 24, ROWS_OWN, NULL,
			   NULL);
		print_line(f, v, order[k], "  saturated", 24, ROWS_SATURATED,
			   NULL, NULL);
	}
	free(order);
}

/* A property that is the same in all rows makes no groups. */
static void print_group(const struct validation *v, size_t arm,
			const struct grouping *g, FILE *f)
{
	struct names is = grouping_values(v, arm, g);
	if (is.n > 1)
		print_head(f, g->name, 40, 0);
	for (size_t i = 0; is.n > 1 && i < is.n; i++)
		print_line(f, v, arm, is.item[i], 40, ROWS_OWN, g, is.item[i]);
	names_free(&is);
}

static void print_groups(const struct validation *v, size_t arm, FILE *f)
{
	fprintf(f, "\n%s, rows that it prices, unsaturated\n", v->arm[arm]);
	for (size_t g = 0; g < n_groupings; g++)
		print_group(v, arm, &grouping[g], f);
}

static void print_throughput_line(FILE *f, const char *what,
				  const struct error_summary *s)
{
	if (!s->n)
		return;
	fprintf(f, "%-40s %5zu", what, s->n);
	print_summary(f, s);
	putc('\n', f);
}

static void print_throughput(const struct validation *v, size_t arm, FILE *f)
{
	struct error_summary s = validation_throughput(v, arm, NULL, NULL);
	if (!s.n)
		return;
	fprintf(f, "\n%s, offline throughput in output tokens a second\n",
		v->arm[arm]);
	fprintf(f, "%-40s %5s %6s %6s %6s %6s\n", "", "rows", "mean", "median",
		"p90", "bias");
	print_throughput_line(f, "all", &s);
	for (size_t g = 0; g < n_groupings; g++) {
		struct names is = grouping_values(v, arm, &grouping[g]);
		if (is.n > 1)
			fprintf(f, "%s\n", grouping[g].name);
		for (size_t i = 0; is.n > 1 && i < is.n; i++) {
			s = validation_throughput(v, arm, &grouping[g],
						  is.item[i]);
			print_throughput_line(f, is.item[i], &s);
		}
		names_free(&is);
	}
}

/* The remarks on a simulated run that was not steady. */
enum mark { MARK_REJECTED = SATURATION_NOTHING + 1, N_MARKS };

static int has_mark(const struct validation *v, size_t arm, size_t row,
		    int mark)
{
	const struct prediction *is = validation_of(v, arm, row);
	return is->priced && (mark == MARK_REJECTED
				  ? is->rejected > 0
				  : is->saturation == (enum saturation)mark);
}

static void print_marked(const struct validation *v, size_t arm, int mark,
			 FILE *f)
{
	size_t n = 0, told = 0;
	for (size_t i = 0; i < v->file->n; i++)
		n += (size_t)has_mark(v, arm, i, mark);
	if (!n)
		return;
	fprintf(f, "%s: %zu rows %s in the simulation:", v->arm[arm], n,
		mark == MARK_REJECTED ? "with rejected requests"
				      : saturation_name[mark]);
	for (size_t i = 0; i < v->file->n && told < 3; i++)
		if (has_mark(v, arm, i, mark))
			fprintf(f, "%s %s", told++ ? "," : "",
				v->file->row[i].id ? v->file->row[i].id : "?");
	fputs(n > told ? " …\n" : "\n", f);
}

/* Prints each reason once, with how often it occurs. */
static void print_reasons(const struct validation *v, size_t arm, FILE *f)
{
	char **why = v->why + arm * v->trials.n;
	for (size_t i = 0; i < v->trials.n; i++) {
		size_t n = 0, first = i;
		for (size_t k = 0; why[i] && k < v->trials.n; k++)
			if (why[k] && !strcmp(why[k], why[i])) {
				n++;
				first = k < first ? k : first;
			}
		if (n && first == i)
			fprintf(f, "%s: %zu runs not priced: %s\n", v->arm[arm],
				n, why[i]);
	}
}

/* Returns how many runs have no configuration for the same reason as run i; 0
 * if an earlier run has that reason. */
static size_t refused_alike(const struct validation *v, size_t i)
{
	size_t n = 0;
	for (size_t k = 0; k < v->trials.n; k++) {
		int same =
		    v->refused[k] && !strcmp(v->refused[k], v->refused[i]);
		if (same && k < i)
			return 0;
		n += (size_t)same;
	}
	return n;
}

static void print_refused(const struct validation *v, FILE *f)
{
	for (size_t i = 0; i < v->trials.n; i++) {
		size_t n = v->refused[i] ? refused_alike(v, i) : 0;
		const char *name = v->trials.trial[i].name;
		if (n == 1)
			fprintf(f, "%s: not simulated: %s\n", name,
				v->refused[i]);
		else if (n)
			fprintf(f, "%zu runs not simulated (%s …): %s\n", n,
				name, v->refused[i]);
	}
}

static void print_left_out(const struct validation *v, FILE *f)
{
	const struct trials *t = &v->trials;
	for (size_t i = 0; i < t->n_left_out; i++) {
		const char *id = v->file->row[t->left_out[i].row].id;
		size_t n = trials_left_out(t, i);
		if (n)
			fprintf(f, "%zu rows not simulated (%s …): %s\n", n,
				id ? id : "?", t->left_out[i].why);
	}
}

/* One run is a table of its figures; several are errors, by groups. */
static void print_errors(const struct validation *v, FILE *f)
{
	print_leaderboard(v, f);
	for (size_t k = 0; k < v->n_arms; k++)
		print_groups(v, k, f);
	for (size_t k = 0; k < v->n_arms; k++)
		print_throughput(v, k, f);
	for (size_t k = 0; k < v->n_arms; k++)
		apart_text(v, k, f);
}

static void print_own_run(const struct validation *v, FILE *f)
{
	size_t *order = calloc(v->n_arms + 1, sizeof *order);
	if (!order)
		return;
	order_arms(v, order);
	own_run_text(v, order, f);
	free(order);
}

void validation_text(const struct validation *v, FILE *f)
{
	if (own_run_is_alone(v))
		print_own_run(v, f);
	else
		print_errors(v, f);
	putc('\n', f);
	for (size_t k = 0; k < v->n_arms; k++) {
		for (int i = SATURATION_BACKLOGGED; i < N_MARKS; i++)
			print_marked(v, k, i, f);
		print_reasons(v, k, f);
	}
	print_refused(v, f);
	print_left_out(v, f);
}
