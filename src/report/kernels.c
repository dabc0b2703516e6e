/* kernels.c -- Writes priced kernels. */
#include "report/kernels.h"
#include <math.h>
#include <stdlib.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/number.h"
#include "cost/breakdown.h"

/* Where 90 % of the measurements would be; NaN: not known. */
struct range {
	double low_us, high_us;
};

static struct range range_of(const struct kernel_prices *arm,
			     const struct kernel_row *kernel,
			     const sc_kernel_result *r)
{
	const struct kernel_error *e =
	    arm->errors ? kernel_error_of(arm->errors, kernel->cell[KERNEL_OP],
					  r->provenance)
			: NULL;
	double us = r->latency_us;
	return e ? (struct range){us * e->low, us * e->high}
		 : (struct range){(double)NAN, (double)NAN};
}

static void text_row(FILE *f, const struct kernel_row *kernel,
		     const struct kernel_prices *arm, const sc_kernel_result *r)
{
	char latency[NUMBER_SIZE], mfu[NUMBER_SIZE];
	number_format(latency, r->latency_us);
	number_format(mfu, r->mfu);
	fputs(kernel->cell[0], f);
	for (int c = 1; c < KERNEL_COLUMNS; c++)
		if (*kernel->cell[c])
			fprintf(f, " %s=%s", kernel_column[c].name,
				kernel->cell[c]);
	fprintf(f, ": %s: %s us, mfu %s, %s, %s", arm->arm, latency, mfu,
		provenance_name[r->provenance], r->used);
	struct range range = range_of(arm, kernel, r);
	if (range.low_us > 0) {
		number_format(latency, range.low_us);
		number_format(mfu, range.high_us);
		fprintf(f, "; 90 %%: %s to %s us", latency, mfu);
	}
	putc('\n', f);
}

void kernels_text(const struct kernels *k, const struct kernel_prices *arm,
		  size_t n_arms, FILE *f)
{
	for (size_t i = 0; i < k->n; i++)
		for (size_t a = 0; a < n_arms; a++)
			if (i < arm[a].n)
				text_row(f, &k->item[i], &arm[a],
					 &arm[a].result[i]);
}

static void csv_row(FILE *f, const struct kernels *k, size_t i,
		    const struct kernel_prices *arm)
{
	const sc_kernel_result *r = &arm->result[i];
	const struct floor_mark *m = &arm->floor[i];
	struct range range = range_of(arm, &k->item[i], r);
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		if (!kernels_show(k, (enum kernel_column)c))
			continue;
		csv_text(f, k->item[i].cell[c]);
		putc(',', f);
	}
	csv_text(f, arm->arm);
	csv_next_number(f, r->latency_us);
	csv_next_number(f, r->mfu);
	fprintf(f, ",%s,", provenance_name[r->provenance]);
	csv_text(f, r->used);
	csv_next_number(f, m->least_us);
	fprintf(f, ",%d,", m->is_below);
	csv_number(f, range.low_us);
	csv_next_number(f, range.high_us);
	putc('\n', f);
}

void kernels_csv(const struct kernels *k, const struct kernel_prices *arm,
		 size_t n_arms, FILE *f)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		if (kernels_show(k, (enum kernel_column)c))
			fprintf(f, "%s,", kernel_column[c].name);
	fputs("arm,latency_us,mfu,provenance,used,floor_us,"
	      "faster_than_hardware,low_us,high_us\n",
	      f);
	for (size_t i = 0; i < k->n; i++)
		for (size_t a = 0; a < n_arms; a++)
			if (i < arm[a].n)
				csv_row(f, k, i, &arm[a]);
}

static void json_row(struct jw *j, const struct kernel_row *kernel,
		     const struct kernel_prices *arm, size_t i)
{
	const sc_kernel_result *r = &arm->result[i];
	const struct floor_mark *m = &arm->floor[i];
	struct range range = range_of(arm, kernel, r);
	jw_flat_object(j, NULL);
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		const char *cell = kernel->cell[c];
		const char *name = kernel_column[c].name;
		if (kernel_column[c].holds != KERNEL_SIZE &&
		    (*cell || c < KERNEL_OPTIONAL))
			jw_text(j, name, cell);
		else if (*cell)
			jw_uint(j, name, strtoull(cell, NULL, 10));
	}
	jw_text(j, "arm", arm->arm);
	jw_number(j, "latency_us", r->latency_us);
	jw_number(j, "mfu", r->mfu);
	jw_text(j, "provenance", provenance_name[r->provenance]);
	jw_text(j, "used", r->used);
	jw_number(j, "floor_us", m->least_us);
	jw_bool(j, "faster_than_hardware", m->is_below);
	jw_number(j, "low_us", range.low_us);
	jw_number(j, "high_us", range.high_us);
	jw_end(j);
}

void kernels_json(const struct kernels *k, const struct kernel_prices *arm,
		  size_t n_arms, FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	jw_array(&j, NULL);
	for (size_t i = 0; i < k->n; i++)
		for (size_t a = 0; a < n_arms; a++)
			if (i < arm[a].n)
				json_row(&j, &k->item[i], &arm[a], i);
	jw_finish(&j);
}
