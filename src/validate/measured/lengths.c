/* lengths.c -- Reads lengths of requests, and gives them to rows without. */
#include "validate/measured/lengths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"

enum { CELL_WORKLOAD, CELL_INPUT, CELL_OUTPUT, N_CELLS };
static const char *const cell_name[N_CELLS] = {"workload", "input_tokens",
					       "output_tokens"};

struct reading {
	struct length_samples *l;
	uint32_t at[N_CELLS];
};

static const char *header(struct reading *r, uint32_t n, char *const *cell)
{
	for (int k = 0; k < N_CELLS; k++) {
		uint32_t i = 0;
		while (i < n && strcmp(cell[i], cell_name[k]) != 0)
			i++;
		if (i == n)
			return "needs the columns workload, input_tokens and "
			       "output_tokens";
		r->at[k] = i;
	}
	return NULL;
}

static int length_of(const char *cell, uint32_t *to)
{
	double v;
	if (measured_number(cell, &v) < 0 || !(v >= 1 && v <= 1e8) ||
	    floor(v) < v)
		return -1;
	*to = (uint32_t)v;
	return 0;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reading *r = user;
	struct length_samples *l = r->l;
	if (!row)
		return header(r, n, cell);
	struct length_sample s = {0};
	if (length_of(cell[r->at[CELL_INPUT]], &s.is.input_tokens) < 0 ||
	    length_of(cell[r->at[CELL_OUTPUT]], &s.is.output_tokens) < 0)
		return "lengths are whole numbers from 1 to 1e8";
	struct length_sample *all =
	    realloc(l->sample, (l->n + 1) * sizeof *all);
	if (all)
		l->sample = all;
	s.workload = all ? strdup(cell[r->at[CELL_WORKLOAD]]) : NULL;
	if (!s.workload)
		return out_of_memory;
	l->sample[l->n++] = s;
	return NULL;
}

int lengths_read(struct length_samples *l, const char *path, struct problem *p)
{
	struct reading r = {.l = l};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = csv_read(f, path, on_row, &r, p);
	fclose(f);
	return rc;
}

/* Fills in the lengths of the row's workload, and their means. */
static int fill(const struct length_samples *l, struct measured_row *r)
{
	double in = 0, out = 0;
	struct measured_length *all = calloc(l->n + 1, sizeof *all);
	if (!all)
		return -1;
	free(r->length);
	r->length = all;
	r->n_lengths = 0;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->sample[i].workload, r->workload)) {
			all[r->n_lengths++] = l->sample[i].is;
			in += l->sample[i].is.input_tokens;
			out += l->sample[i].is.output_tokens;
		}
	if (r->n_lengths) {
		r->input_tokens = in / (double)r->n_lengths;
		r->output_tokens = out / (double)r->n_lengths;
	}
	return 0;
}

int lengths_fill(const struct length_samples *l, struct measured *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct measured_row *r = &m->row[i];
		int has = r->input_tokens >= 1 && r->output_tokens >= 1;
		if (!has && r->workload && fill(l, r) < 0)
			return -1;
	}
	return 0;
}

void lengths_free(struct length_samples *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->sample[i].workload);
	free(l->sample);
	*l = (struct length_samples){0};
}
