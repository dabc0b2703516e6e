/* kernel_errors.c -- Reads the scored errors of single kernels. */
#include "trust/kernel_errors.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "cost/breakdown.h"
#include "keys/datafile.h"

enum column {
	COLUMN_PLUGIN,
	COLUMN_VERSION,
	COLUMN_OP,
	COLUMN_PROVENANCE,
	COLUMN_ROWS,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMNS
};
static const char *const column_name[COLUMNS] = {
    "plugin", "version", "op", "provenance", "rows", "low", "high"};

struct reading {
	struct kernel_errors *to;
	const char *plugin, *version;
	uint32_t at[COLUMNS];
};

static const char *read_head(struct reading *r, uint32_t n, char *const *cell)
{
	for (int k = 0; k < COLUMNS; k++) {
		uint32_t i = 0;
		while (i < n && strcmp(cell[i], column_name[k]) != 0)
			i++;
		if (i == n)
			return "a column is missing";
		r->at[k] = i;
	}
	return NULL;
}

/* Returns SC_N_PROVENANCE for an unknown word. */
static uint32_t provenance_of(const char *word)
{
	uint32_t i = 0;
	while (i < SC_N_PROVENANCE && strcmp(provenance_name[i], word) != 0)
		i++;
	return i;
}

static const char *read_row(void *ctx, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct reading *r = ctx;
	struct kernel_error x;
	if (row == 0)
		return read_head(r, n, cell);
	if (strcmp(cell[r->at[COLUMN_PLUGIN]], r->plugin) != 0 ||
	    strcmp(cell[r->at[COLUMN_VERSION]], r->version) != 0)
		return NULL;
	snprintf(x.op, sizeof x.op, "%s", cell[r->at[COLUMN_OP]]);
	x.provenance = provenance_of(cell[r->at[COLUMN_PROVENANCE]]);
	x.n = strtoull(cell[r->at[COLUMN_ROWS]], NULL, 10);
	x.low = strtod(cell[r->at[COLUMN_LOW]], NULL);
	x.high = strtod(cell[r->at[COLUMN_HIGH]], NULL);
	if (x.provenance == SC_N_PROVENANCE || !(x.low > 0) ||
	    !(x.high >= x.low))
		return "a label, and factors above 0";
	if (r->to->n == KERNEL_ERRORS)
		return "more rows than kinds of kernels";
	r->to->item[r->to->n++] = x;
	return NULL;
}

void kernel_errors_read(struct kernel_errors *e, const char *path,
			const char *plugin, const char *version)
{
	struct reading r = {.to = e, .plugin = plugin, .version = version};
	struct problem p;
	FILE *f = infile_open(path, &p);
	e->n = 0;
	if (!f)
		return;
	if (csv_read(f, path, read_row, &r, &p) < 0)
		e->n = 0;
	fclose(f);
}

void kernel_errors_find(struct kernel_errors *e, const char *plugin,
			const char *version)
{
	struct problem p;
	char *path =
	    datafile_find("bench_data/accuracy", "kernels", ".csv", &p);
	e->n = 0;
	if (path)
		kernel_errors_read(e, path, plugin, version);
	free(path);
}

const struct kernel_error *kernel_error_of(const struct kernel_errors *e,
					   const char *op, uint32_t provenance)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->item[i].provenance == provenance &&
		    !strcmp(e->item[i].op, op))
			return &e->item[i];
	return NULL;
}
