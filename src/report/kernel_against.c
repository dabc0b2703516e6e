/* kernel_against.c -- Writes predicted beside measured kernels. */
#include "report/kernel_against.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "cost/breakdown.h"
#include "validate/score/errors.h"

enum { N_WORST = 5 };

/* predicted / measured - 1; NaN: not priced. */
static double error_of(const struct kernel_against *k, size_t arm, size_t i)
{
	return k->arm[arm].price[i].us / k->measured->of[i].us - 1;
}

/* Returns the errors of the rows of an operator, with the rows that are not
 * priced in *without; op NULL: of all. */
static struct error_summary sum_up(const struct kernel_against *k, size_t arm,
				   const char *op, size_t *without)
{
	size_t n = 0, all = k->measured->kernels.n;
	double *error = calloc(all + 1, sizeof *error);
	*without = 0;
	for (size_t i = 0; error && i < all; i++) {
		double e = error_of(k, arm, i);
		if (op && strcmp(k->measured->of[i].op, op))
			continue;
		if (isnan(e))
			++*without;
		else
			error[n++] = e;
	}
	struct error_summary s = error_summary_of(error, n);
	free(error);
	return s;
}

/* The operators of the rows, in the order of their first rows; cost/kernel_op.c
 * has about thirty. */
enum { MOST_OPS = 64 };
struct ops {
	const char *name[MOST_OPS];
	size_t n;
};

static struct ops ops_of(const struct measured_kernels *m)
{
	struct ops ops = {.n = 0};
	for (size_t i = 0; i < m->kernels.n; i++) {
		size_t k = 0;
		while (k < ops.n && strcmp(ops.name[k], m->of[i].op))
			k++;
		if (k == ops.n && k < MOST_OPS)
			ops.name[ops.n++] = m->of[i].op;
	}
	return ops;
}

/* Fills in the rows with the largest errors as factors, the largest first: a
 * tenth of the time is as wrong as ten times the time.  Returns how many. */
static size_t find_worst(const struct kernel_against *k, size_t arm,
			 size_t worst[N_WORST])
{
	double by[N_WORST];
	size_t n = 0;
	for (size_t i = 0; i < k->measured->kernels.n; i++) {
		double far = fabs(log(error_of(k, arm, i) + 1));
		size_t at = n;
		if (isnan(far))
			continue;
		while (at > 0 && far > by[at - 1])
			at--;
		if (at == N_WORST)
			continue;
		n += n < N_WORST;
		for (size_t j = n - 1; j > at; j--) {
			worst[j] = worst[j - 1];
			by[j] = by[j - 1];
		}
		worst[at] = i;
		by[at] = far;
	}
	return n;
}

/* ---- text ---- */

static void summary_line(FILE *f, const char *what,
			 const struct error_summary *s, size_t without)
{
	fprintf(f, "  %-20s %6zu %10zu", what, s->n, without);
	if (s->n)
		fprintf(f, " %8.1f %8.1f %8.1f %+8.1f", 100 * s->mean,
			100 * s->median, 100 * s->p90, 100 * s->bias);
	putc('\n', f);
}

static void worst_line(const struct kernel_against *k, size_t arm, size_t i,
		       FILE *f)
{
	const struct measured_kernel *m = &k->measured->of[i];
	const struct kernel_row *row = &k->measured->kernels.item[i];
	fprintf(f,
		"  %s.csv:%llu: measured %.4g us, predicted %.4g us:", m->table,
		(unsigned long long)m->line, m->us, k->arm[arm].price[i].us);
	for (int c = 1; c < KERNEL_COLUMNS; c++)
		if (*row->cell[c])
			fprintf(f, " %s=%s", kernel_column[c].name,
				row->cell[c]);
	putc('\n', f);
}

static void arm_text(const struct kernel_against *k, size_t arm, FILE *f)
{
	const struct ops ops = ops_of(k->measured);
	size_t without, worst[N_WORST], n = find_worst(k, arm, worst);
	fprintf(f, "\n%-22s %6s %10s %8s %8s %8s %8s\n", k->arm[arm].name,
		"rows", "not priced", "mean", "median", "p90", "bias");
	for (size_t i = 0; i < ops.n; i++) {
		struct error_summary s = sum_up(k, arm, ops.name[i], &without);
		summary_line(f, ops.name[i], &s, without);
	}
	struct error_summary s = sum_up(k, arm, NULL, &without);
	summary_line(f, "all", &s, without);
	if (n)
		fputs("the rows that are most wrong, as a factor\n", f);
	for (size_t i = 0; i < n; i++)
		worst_line(k, arm, worst[i], f);
}

void kernel_against_text(const struct kernel_against *k, FILE *f)
{
	fprintf(f,
		"%s: %zu measured kernels; errors of predictions, percent; "
		"bias: longer (+) or\nshorter (-) than measured\n",
		k->set, k->measured->kernels.n);
	if (k->measured->n_left_out)
		fprintf(f,
			"%zu rows are of kernels that no cost model is asked "
			"for\n",
			k->measured->n_left_out);
	for (size_t a = 0; a < k->n_arms; a++)
		arm_text(k, a, f);
}

/* ---- CSV and JSON ---- */

static void csv_row(const struct kernel_against *k, size_t i, size_t arm,
		    FILE *f)
{
	const struct measured_kernel *m = &k->measured->of[i];
	const struct against_price *price = &k->arm[arm].price[i];
	const struct kernels *s = &k->measured->kernels;
	csv_text(f, m->table);
	fprintf(f, ",%llu,", (unsigned long long)m->line);
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		if (!kernels_show(s, (enum kernel_column)c))
			continue;
		csv_text(f, s->item[i].cell[c]);
		putc(',', f);
	}
	csv_number(f, m->us);
	csv_next_text(f, k->arm[arm].name);
	csv_next_number(f, price->us);
	csv_next_number(f, error_of(k, arm, i));
	fprintf(f, ",%s\n",
		isnan(price->us) ? "" : provenance_name[price->provenance]);
}

void kernel_against_csv(const struct kernel_against *k, FILE *f)
{
	const struct kernels *s = &k->measured->kernels;
	fputs("table,line,", f);
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		if (kernels_show(s, (enum kernel_column)c))
			fprintf(f, "%s,", kernel_column[c].name);
	fputs("measured_us,arm,latency_us,error,provenance\n", f);
	for (size_t i = 0; i < s->n; i++)
		for (size_t a = 0; a < k->n_arms; a++)
			csv_row(k, i, a, f);
}

static void summary_json(struct jw *j, const char *op,
			 const struct error_summary *s, size_t without)
{
	jw_flat_object(j, NULL);
	jw_text(j, "operator", op);
	jw_uint(j, "rows", s->n);
	jw_uint(j, "not_priced", without);
	jw_number(j, "mean", s->mean);
	jw_number(j, "median", s->median);
	jw_number(j, "p90", s->p90);
	jw_number(j, "bias", s->bias);
	jw_end(j);
}

static void worst_json(struct jw *j, const struct kernel_against *k, size_t arm,
		       size_t i)
{
	const struct measured_kernel *m = &k->measured->of[i];
	jw_flat_object(j, NULL);
	jw_text(j, "table", m->table);
	jw_uint(j, "line", m->line);
	jw_text(j, "operator", m->op);
	jw_number(j, "measured_us", m->us);
	jw_number(j, "latency_us", k->arm[arm].price[i].us);
	jw_number(j, "error", error_of(k, arm, i));
	jw_end(j);
}

static void arm_json(struct jw *j, const struct kernel_against *k, size_t arm)
{
	const struct ops ops = ops_of(k->measured);
	size_t without, worst[N_WORST], n = find_worst(k, arm, worst);
	jw_object(j, NULL);
	jw_text(j, "arm", k->arm[arm].name);
	jw_array(j, "operators");
	for (size_t i = 0; i < ops.n; i++) {
		struct error_summary s = sum_up(k, arm, ops.name[i], &without);
		summary_json(j, ops.name[i], &s, without);
	}
	struct error_summary s = sum_up(k, arm, NULL, &without);
	summary_json(j, "all", &s, without);
	jw_end(j);
	jw_array(j, "worst");
	for (size_t i = 0; i < n; i++)
		worst_json(j, k, arm, worst[i]);
	jw_end(j);
	jw_end(j);
}

void kernel_against_json(const struct kernel_against *k, FILE *f)
{
	struct jw j = jw_document(f);
	jw_text(&j, "schema", "stepcost kernels 1");
	jw_text(&j, "set", k->set);
	jw_uint(&j, "rows", k->measured->kernels.n);
	jw_uint(&j, "left_out", k->measured->n_left_out);
	jw_array(&j, "arms");
	for (size_t a = 0; a < k->n_arms; a++)
		arm_json(&j, k, a);
	jw_finish(&j);
}
