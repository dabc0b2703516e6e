/* validation.c -- Writes a validation as text, CSV, JSON and HTML. */
#include <config.h>
#include "report/validation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/names.h"
#include "draw/html.h"
#include "draw/svg.h"

static const char *const title[N_LATENCIES] = {"TTFT", "TPOT", "E2EL"};
/* In the order that people ask for them. */
static const enum latency shown[N_LATENCIES] = {LATENCY_E2EL, LATENCY_TTFT,
						LATENCY_TPOT};

static size_t priced(const struct validation *v, size_t arm)
{
	size_t n = 0;
	for (size_t i = 0; i < v->file->n; i++)
		n += (size_t)validation_of(v, arm, i)->priced;
	return n;
}

/* ---- text ---- */

static void print_summary(FILE *f, const struct error_summary *s)
{
	if (!s->n)
		fprintf(f, " %27s", "-");
	else
		fprintf(f, " %6.1f %6.1f %6.1f %+6.1f", 100 * s->mean,
			100 * s->median, 100 * s->p90, 100 * s->bias);
}

/* Of percentiles: the mean error alone. */
static const enum latency tail_metric[] = {LATENCY_E2EL, LATENCY_TTFT};
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
	for (int k = 0; k < N_LATENCIES; k++)
		fprintf(f, " %27s", title[shown[k]]);
	for (int k = 0; tails && k < N_TAILS; k++)
		fprintf(f, " %13s", title[tail_metric[k]]);
	fprintf(f, "\n%-*s %5s", width, first, "rows");
	for (int k = 0; k < N_LATENCIES; k++)
		fprintf(f, " %6s %6s %6s %6s", "mean", "median", "p90", "bias");
	for (int k = 0; tails && k < N_TAILS; k++)
		fprintf(f, " %6s %6s", "of p90", "of p99");
	putc('\n', f);
}

static void print_line(FILE *f, const struct validation *v, size_t arm,
		       const char *first, int width, enum row_choice choice,
		       const struct grouping *g, const char *group)
{
	struct error_summary s[N_LATENCIES];
	size_t n = 0;
	for (int k = 0; k < N_LATENCIES; k++) {
		s[k] = validation_summary_of(v, arm, shown[k], STATISTIC_MEAN,
					     choice, g, group);
		n = s[k].n > n ? s[k].n : n;
	}
	if (!n && (g || choice == ROWS_SATURATED))
		return;
	fprintf(f, "%-*s %5zu", width, first, n);
	for (int k = 0; k < N_LATENCIES; k++)
		print_summary(f, &s[k]);
	if (!g)
		print_tails(f, v, arm, choice);
	putc('\n', f);
}

/* Best first, by the mean error of E2E latency, then of TPOT. */
static void order_arms(const struct validation *v, size_t *order)
{
	for (size_t k = 0; k < v->n_arms; k++) {
		double e[2], o[2];
		size_t at = k;
		for (; at > 0; at--) {
			e[0] =
			    validation_summary(v, k, LATENCY_E2EL, ROWS_COMMON)
				.mean;
			o[0] = validation_summary(v, order[at - 1],
						  LATENCY_E2EL, ROWS_COMMON)
				   .mean;
			e[1] =
			    validation_summary(v, k, LATENCY_TPOT, ROWS_COMMON)
				.mean;
			o[1] = validation_summary(v, order[at - 1],
						  LATENCY_TPOT, ROWS_COMMON)
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
	fputs("errors of predicted means, percent; bias: predicted is longer "
	      "(+) or shorter (-); of p90, of p99: mean error of those; -: not "
	      "scored\n\n",
	      f);
	if (!order)
		return;
	order_arms(v, order);
	print_head(f, "leaderboard", 24, 1);
	for (size_t k = 0; k < v->n_arms; k++)
		print_line(f, v, order[k], v->arm[order[k]], 24, ROWS_COMMON,
			   NULL, NULL);
	fputs("\nrows an arm prices for itself, unsaturated, then saturated\n",
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

/* What the rows have there, in the order of the file; free it.  Nothing, if
 * none tells anything. */
static struct names values_of(const struct validation *v, size_t arm,
			      const struct grouping *g)
{
	struct names all = {0};
	char is[80];
	int tells = 0;
	for (size_t i = 0; i < v->file->n; i++) {
		g->value(v, arm, i, is, sizeof is);
		tells |= strcmp(is, "-") != 0;
		names_add_new(&all, is);
	}
	if (!tells)
		names_free(&all);
	return all;
}

static void print_group(const struct validation *v, size_t arm,
			const struct grouping *g, FILE *f)
{
	struct names is = values_of(v, arm, g);
	if (is.n)
		print_head(f, g->name, 40, 0);
	for (size_t i = 0; i < is.n; i++)
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
		struct names is = values_of(v, arm, &grouping[g]);
		if (is.n)
			fprintf(f, "%s\n", grouping[g].name);
		for (size_t i = 0; i < is.n; i++) {
			s = validation_throughput(v, arm, &grouping[g],
						  is.item[i]);
			print_throughput_line(f, is.item[i], &s);
		}
		names_free(&is);
	}
}

/* What a simulated run may have been but a steady one. */
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

/* Equal reasons are said once, with how often. */
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

/* How many runs have no configuration for the reason that run i has none; 0:
 * an earlier one has the same. */
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

void validation_text(const struct validation *v, FILE *f)
{
	print_leaderboard(v, f);
	for (size_t k = 0; k < v->n_arms; k++)
		print_groups(v, k, f);
	for (size_t k = 0; k < v->n_arms; k++)
		print_throughput(v, k, f);
	putc('\n', f);
	for (size_t k = 0; k < v->n_arms; k++) {
		for (int i = SATURATION_BACKLOGGED; i < N_MARKS; i++)
			print_marked(v, k, i, f);
		print_reasons(v, k, f);
	}
	print_refused(v, f);
	print_left_out(v, f);
}

/* ---- rows ---- */

static void text_cell(FILE *f, const char *s)
{
	csv_text(f, s ? s : "");
	putc(',', f);
}

static void csv_time(FILE *f, double predicted, double measured)
{
	putc(',', f);
	csv_number(f, predicted);
	putc(',', f);
	csv_number(f, measured);
	putc(',', f);
	csv_number(f, 100 * (predicted / measured - 1));
}

/* The columns that are there for each metric, and those after them. */
static const struct csv_group {
	enum statistic of[3];
	int n;
} csv_group[] = {{{STATISTIC_MEAN, STATISTIC_P90, STATISTIC_P99}, 3},
		 {{STATISTIC_P50}, 1}};

static void csv_head_group(FILE *f, const struct csv_group *g)
{
	for (int k = 0; k < N_LATENCIES; k++)
		for (int i = 0; i < g->n; i++) {
			const char *s = statistic_name[g->of[i]];
			const char *m = latency_name[k];
			fprintf(f,
				",%s_%s_ms,measured_%s_%s_ms,%s_%s_error_pct",
				s, m, s, m, s, m);
		}
}

static void csv_row_group(FILE *f, const struct csv_group *g,
			  const struct prediction *is,
			  const struct measured_row *r)
{
	for (int k = 0; k < N_LATENCIES; k++)
		for (int i = 0; i < g->n; i++)
			csv_time(f,
				 is->priced ? is->time[k].of[g->of[i]]
					    : (double)NAN,
				 r->time[k].of[g->of[i]]);
}

static void csv_row(const struct validation *v, size_t row, size_t arm, FILE *f)
{
	const struct measured_row *r = &v->file->row[row];
	const struct prediction *is = validation_of(v, arm, row);
	text_cell(f, r->id);
	text_cell(f, r->model);
	text_cell(f, r->gpu);
	text_cell(f, r->workload);
	text_cell(f, r->flags);
	text_cell(f, v->arm[arm]);
	fputs(is->priced ? "true" : "false", f);
	csv_row_group(f, &csv_group[0], is, r);
	if (is->priced)
		fprintf(f, ",%s,%llu", saturation_name[is->saturation],
			(unsigned long long)is->rejected);
	else
		fputs(",,", f);
	csv_row_group(f, &csv_group[1], is, r);
	csv_time(f, is->priced ? is->output_throughput : (double)NAN,
		 r->output_throughput);
	putc('\n', f);
}

void validation_csv(const struct validation *v, FILE *f)
{
	fputs("id,model,gpu,workload,flags,arm,priced", f);
	csv_head_group(f, &csv_group[0]);
	fputs(",saturation,rejected", f);
	csv_head_group(f, &csv_group[1]);
	fputs(",output_throughput,measured_output_throughput,"
	      "output_throughput_error_pct\n",
	      f);
	for (size_t i = 0; i < v->file->n; i++)
		for (size_t k = 0; k < v->n_arms; k++)
			csv_row(v, i, k, f);
}

/* ---- document ---- */

static void json_summary(struct jw *j, const char *key,
			 const struct error_summary *s)
{
	jw_flat_object(j, key);
	jw_uint(j, "rows", s->n);
	jw_number(j, "mean", s->mean);
	jw_number(j, "median", s->median);
	jw_number(j, "p90", s->p90);
	jw_number(j, "bias", s->bias);
	jw_end(j);
}

static void json_choice(struct jw *j, const char *key,
			const struct validation *v, size_t arm,
			enum row_choice choice)
{
	jw_object(j, key);
	for (int k = 0; k < N_LATENCIES; k++) {
		struct error_summary s =
		    validation_summary(v, arm, shown[k], choice);
		json_summary(j, latency_name[shown[k]], &s);
	}
	jw_end(j);
}

static void json_class(struct jw *j, const struct validation *v, size_t arm,
		       const struct grouping *g, const char *value)
{
	struct error_summary s = validation_throughput(v, arm, g, value);
	jw_object(j, NULL);
	jw_text(j, "of", g->name);
	jw_text(j, "is", value);
	if (s.n)
		json_summary(j, "output_throughput", &s);
	for (int k = 0; k < N_LATENCIES; k++) {
		s = validation_summary_of(v, arm, shown[k], STATISTIC_MEAN,
					  ROWS_OWN, g, value);
		json_summary(j, latency_name[shown[k]], &s);
	}
	jw_end(j);
}

/* Rows that an arm prices, unsaturated, by what they have in common. */
static void json_classes(struct jw *j, const struct validation *v, size_t arm)
{
	jw_array(j, "classes");
	for (size_t g = 0; g < n_groupings; g++) {
		struct names is = values_of(v, arm, &grouping[g]);
		for (size_t i = 0; i < is.n; i++)
			json_class(j, v, arm, &grouping[g], is.item[i]);
		names_free(&is);
	}
	jw_end(j);
}

static void json_row(struct jw *j, const struct validation *v, size_t arm,
		     size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	char key[40];
	jw_flat_object(j, NULL);
	jw_text(j, "id", v->file->row[row].id);
	if (is->priced) {
		jw_text(j, "saturation", saturation_name[is->saturation]);
		jw_uint(j, "rejected", is->rejected);
	}
	for (int k = 0; k < N_LATENCIES && is->priced; k++) {
		snprintf(key, sizeof key, "mean_%s_ms", latency_name[k]);
		jw_number(j, key, is->time[k].of[STATISTIC_MEAN]);
		snprintf(key, sizeof key, "%s_error", latency_name[k]);
		jw_number(j, key,
			  validation_error(v, arm, row, (enum latency)k,
					   STATISTIC_MEAN));
	}
	jw_end(j);
}

void validation_json(const struct validation *v, struct jw *j)
{
	jw_uint(j, "rows", v->file->n);
	jw_array(j, "arms");
	for (size_t k = 0; k < v->n_arms; k++) {
		jw_object(j, NULL);
		jw_text(j, "name", v->arm[k]);
		jw_uint(j, "priced", priced(v, k));
		json_choice(j, "common", v, k, ROWS_COMMON);
		json_choice(j, "own", v, k, ROWS_OWN);
		json_choice(j, "saturated", v, k, ROWS_SATURATED);
		json_classes(j, v, k);
		jw_array(j, "predictions");
		for (size_t i = 0; i < v->file->n; i++)
			json_row(j, v, k, i);
		jw_end(j);
		jw_end(j);
	}
	jw_end(j);
}

/* ---- picture ---- */

static void scatter(const struct validation *v, enum latency metric, double *x,
		    double *y, struct figure_series *series, FILE *f)
{
	size_t n = 0;
	double least = INFINITY, most = 0;
	for (size_t k = 0; k < v->n_arms; k++) {
		size_t first = n;
		for (size_t i = 0; i < v->file->n; i++) {
			x[n] = v->file->row[i].time[metric].of[STATISTIC_MEAN];
			y[n] = validation_of(v, k, i)
				   ->time[metric]
				   .of[STATISTIC_MEAN];
			if (!validation_of(v, k, i)->priced || !(x[n] > 0) ||
			    !(y[n] > 0))
				continue;
			least = fmin(least, x[n]);
			most = fmax(most, x[n]);
			n++;
		}
		series[k] = (struct figure_series){.name = v->arm[k],
						   .mark = MARK_POINTS,
						   .slot = (unsigned)k,
						   .x = x + first,
						   .y = y + first,
						   .n = n - first};
	}
	const double diagonal[2] = {least, most};
	series[v->n_arms] = (struct figure_series){.mark = MARK_LINE,
						   .slot = FIGURE_COLOURS - 1,
						   .x = diagonal,
						   .y = diagonal,
						   .n = 2};
	struct figure g = {.title = title[metric],
			   .x_label = "measured mean, ms",
			   .y_label = "predicted mean, ms",
			   .log_x = 1,
			   .log_y = 1,
			   .series = series,
			   .n_series = v->n_arms + 1};
	if (n)
		svg_panels(f, &g);
}

void validation_html(const struct validation *v, FILE *f)
{
	size_t n = v->n_arms * v->file->n + 1;
	double *x = calloc(2 * n, sizeof *x);
	struct figure_series *s = calloc(v->n_arms + 1, sizeof *s);
	html_begin(f, "Predicted and measured");
	html_paragraph(f, "On the line, predicted is what was measured.");
	for (int k = 0; x && s && k < N_LATENCIES; k++)
		scatter(v, shown[k], x, x + n, s, f);
	fputs("<pre>\n", f);
	char *text = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&text, &size);
	if (m) {
		validation_text(v, m);
		fclose(m);
		svg_text(f, text);
		free(text);
	}
	fputs("</pre>\n", f);
	html_end(f);
	free(x);
	free(s);
}
