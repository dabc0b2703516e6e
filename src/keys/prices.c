/* prices.c -- Reads a file of prices. */
#include "keys/prices.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/number.h"

enum column { GPU, USD_PER_HOUR, KIND, AS_OF, LIST, N_COLUMNS };
static const char *const column_name[N_COLUMNS] = {"gpu", "usd_per_hour",
						   "kind", "as_of", "list"};
enum { MOST_LISTS = 256 };

struct reading {
	uint32_t at[N_COLUMNS];
	const char *gpu;
	struct price *out;
	double price[MOST_LISTS];
	char fault[120]; /* what is wrong with a row                          */
};

static const char *take_header(struct reading *r, uint32_t n, char *const *cell)
{
	for (int c = 0; c < N_COLUMNS; c++) {
		r->at[c] = n;
		for (uint32_t i = 0; i < n; i++)
			if (!strcmp(cell[i], column_name[c]))
				r->at[c] = i;
		if (r->at[c] < n)
			continue;
		snprintf(r->fault, sizeof r->fault, "no column '%s'",
			 column_name[c]);
		return r->fault;
	}
	return NULL;
}

/* Returns 1 if the text is a month: "2026-09". */
static int is_month(const char *s)
{
	static const char digits[] = "0123456789";
	if (strspn(s, digits) != 4 || s[4] != '-' ||
	    strspn(s + 5, digits) != 2 || s[7])
		return 0;
	int month = atoi(s + 5);
	return atoi(s) > 2000 && month >= 1 && month <= 12;
}

/* One more list of the GPU. */
static const char *take_price(struct reading *r, double usd, const char *kind,
			      const char *month)
{
	struct price *x = r->out;
	if (x->lists == MOST_LISTS)
		return "too many prices of one GPU";
	if (x->lists && strcmp(x->kind, kind) != 0) {
		snprintf(r->fault, sizeof r->fault,
			 "%s has prices of two kinds: '%s' and '%s'; leave one "
			 "kind",
			 r->gpu, x->kind, kind);
		return r->fault;
	}
	if (!x->lists || strcmp(month, x->from) < 0)
		snprintf(x->from, sizeof x->from, "%s", month);
	if (!x->lists || strcmp(month, x->to) > 0)
		snprintf(x->to, sizeof x->to, "%s", month);
	snprintf(x->kind, sizeof x->kind, "%s", kind);
	r->price[x->lists++] = usd;
	return NULL;
}

static const char *take_row(void *user, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct reading *r = user;
	if (row == 0)
		return take_header(r, n, cell);
	const char *usd = cell[r->at[USD_PER_HOUR]];
	const char *kind = cell[r->at[KIND]], *month = cell[r->at[AS_OF]];
	double value = NAN;
	const char *end = number_parse(usd, &value);
	if (end == usd || *end || !(value > 0) || !(value <= 1e5))
		return "usd_per_hour must be a number above 0, at most 100000";
	if (!*kind || strlen(kind) >= sizeof r->out->kind)
		return "kind must have 1 to 23 characters, such as 'on demand'";
	if (!is_month(month))
		return "as_of must be a month, such as 2026-09";
	return strcmp(cell[r->at[GPU]], r->gpu)
		   ? NULL
		   : take_price(r, value, kind, month);
}

static int by_price(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_price);
	return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : 0;
}

int prices_find(const char *path, const char *gpu, struct price *out,
		struct problem *p)
{
	struct reading r = {.gpu = gpu, .out = out};
	*out = (struct price){0};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = csv_read(f, path, take_row, &r, p);
	fclose(f);
	if (rc == 0)
		out->usd_per_hour = median(r.price, out->lists);
	return rc;
}

const char *price_text(char buf[PRICE_TEXT], const struct price *x)
{
	if (!x->lists)
		snprintf(buf, PRICE_TEXT, "usd_per_hour");
	else if (x->lists == 1)
		snprintf(buf, PRICE_TEXT, "%s, one list, %s", x->kind, x->to);
	else
		snprintf(buf, PRICE_TEXT, "%s, median of %u lists, %s to %s",
			 x->kind, x->lists, x->from, x->to);
	return buf;
}
