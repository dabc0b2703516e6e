/* check.c -- Looks for what is suspicious in a measured table. */
#include <config.h>
#include "tables/check.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cost/kernel_op.h"
#include "tables/set.h"

enum { MAX_KEYS = KERNEL_MAX_KEYS, MAX_SLOTS = MAX_KEYS + KERNEL_MAX_AXES };

/* Peaks that MFU columns are taken from, the likeliest first. */
static const struct {
	double tflops;
	const char *of;
} known_peak[] = {
    {148, "an H20 in BF16"},
    {989.5, "an H100 or H200 in BF16"},
    {1979, "an H100 or H200 in FP8"},
    {312, "an A100 in BF16"},
    {296, "an H20 in FP8"},
    {989, "an H100 in BF16, rounded down"},
    {1978, "twice 989"},
    {624, "an A100 in INT8"},
    {756.5, "an H100 PCIe in BF16"},
    {362.05, "an L40S in BF16"},
    {2250, "a B200 in BF16"},
    {4500, "a B200 in FP8"},
    {1000, "an H100 in BF16, rounded up"},
};
enum { N_PEAKS = sizeof known_peak / sizeof *known_peak };

/* A column, or a number that holds for every row. */
struct slot {
	const double *col;
	double constant;
	const char *name; /* NULL: no such slot */
};

struct check {
	const char *path;
	struct table t;
	const struct kernel_op *op;
	struct slot slot[MAX_SLOTS]; /* keys, then axes */
	const double *latency, *mfu;
	char *const *dtype;
	uint64_t *order; /* rows by dtype, keys, axes */
	finding_fn tell;
	void *user;
};

/* ---- telling ---- */

__attribute__((format(printf, 5, 6))) static void
tell(const struct check *c, int64_t row, const char *what, int is_error,
     const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const struct finding f = {c->path, row < 0 ? 0 : c->t.line[row], what,
				  is_error, text};
	c->tell(c->user, &f);
}

/* ---- columns ---- */

static int column(const struct table *t, const char *name)
{
	for (uint32_t i = 0; i < t->view.n_cols; i++)
		if (!strcmp(t->head[i], name))
			return (int)i;
	return -1;
}

static int find_slot(const struct check *c, const struct kernel_axis *a,
		     struct slot *s)
{
	*s = (struct slot){.name = a->name, .constant = 1};
	int at = column(&c->t, a->name);
	if ((at < 0 || !c->t.col[at]) && a->other_name)
		at = column(&c->t, a->other_name);
	if (at < 0 || !c->t.col[at])
		return 0;
	s->col = c->t.col[at];
	return 1;
}

/* "…32-8-128-tp1.csv": the numbers of the last such group in the name. */
static int numbers_of_name(const char *path, unsigned part[4])
{
	const char *slash = strrchr(path, '/');
	const char *s = slash ? slash + 1 : path;
	for (; *s; s++) {
		part[3] = 1;
		if (isdigit((unsigned char)*s) &&
		    sscanf(s, "%9u-%9u-%9u-tp%9u", &part[0], &part[1], &part[2],
			   &part[3]) >= 3)
			return 1;
		while (isdigit((unsigned char)*s) &&
		       isdigit((unsigned char)s[1]))
			s++;
	}
	return 0;
}

/* The table has all columns that tell. */
static int has_telling(const struct table *t, const struct kernel_axis *a)
{
	for (; a->name; a++)
		if (a->tells && column(t, a->name) < 0)
			return 0;
	return 1;
}

/* NULL: none. */
static const struct kernel_op *op_of(const struct table *t)
{
	for (const struct kernel_op *o = kernel_ops; o->name; o++)
		if (has_telling(t, o->key) && has_telling(t, o->axis))
			return o;
	return NULL;
}

static int find_columns(struct check *c, struct problem *p)
{
	unsigned part[4] = {0};
	int named = numbers_of_name(c->path, part), unknown = 0;
	c->op = op_of(&c->t);
	int latency = column(&c->t, "latency_us"), mfu = column(&c->t, "mfu");
	int dtype = column(&c->t, "dtype");
	c->latency = latency >= 0 ? c->t.col[latency] : NULL;
	c->mfu = mfu >= 0 ? c->t.col[mfu] : NULL;
	c->dtype = dtype >= 0 ? c->t.text[dtype] : NULL;
	if (!c->op || !c->latency)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: no table of kernel times: needs "
				   "latency_us and m,n,k or seq_len or kv_len "
				   "or message_bytes",
				   c->path);
	for (int i = 0; c->op->key[i].name; i++)
		if (!find_slot(c, &c->op->key[i], &c->slot[i])) {
			unknown |= !named && i < 3;
			c->slot[i].constant = named ? part[i] : 1;
		}
	for (int i = 0; c->op->axis[i].name; i++)
		find_slot(c, &c->op->axis[i], &c->slot[MAX_KEYS + i]);
	return unknown ? problem_set(p, EXIT_INPUT,
				     "%s:1: of which shape? Neither columns "
				     "nor the name (32-8-128-tp1.csv) say",
				     c->path)
		       : 0;
}

static double value(const struct check *c, int slot, uint64_t row)
{
	const struct slot *s = &c->slot[slot];
	return s->col ? s->col[row] : s->constant;
}

static double flops(const struct check *c, uint64_t r)
{
	double size[KERNEL_COLUMNS];
	for (int i = 0; i < KERNEL_COLUMNS; i++)
		size[i] = 1;
	for (int i = 0; c->op->key[i].name; i++)
		size[c->op->key[i].column] = value(c, i, r);
	for (int i = 0; c->op->axis[i].name; i++)
		size[c->op->axis[i].column] = value(c, MAX_KEYS + i, r);
	return c->op->flops(size);
}

/* TFLOP/s reached. */
static double rate(const struct check *c, uint64_t r)
{
	return flops(c, r) / c->latency[r] * 1e-6;
}

/* ---- MFU ---- */

/* Half of the last digit that the column is written with. */
static double half_digit(const struct check *c)
{
	for (int digits = 1; digits < 9; digits++) {
		double scale = pow(10, digits);
		uint64_t r = 0;
		while (r < c->t.view.n_rows &&
		       fabs(c->mfu[r] * scale - nearbyint(c->mfu[r] * scale)) <
			   1e-6)
			r++;
		if (r == c->t.view.n_rows)
			return 0.5 / scale;
	}
	return 1e-9;
}

static uint64_t rows_that_fit(const struct check *c, double peak, double half)
{
	uint64_t n = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		n += fabs(rate(c, r) / peak - c->mfu[r]) <= half * 1.0001;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The middle one of the peaks that the rows imply; 0: none does. */
static double median_peak(const struct check *c)
{
	uint64_t n = 0;
	double *implied = calloc(c->t.view.n_rows, sizeof *implied), peak = 0;
	for (uint64_t r = 0; implied && r < c->t.view.n_rows; r++)
		if (c->mfu[r] > 0)
			implied[n++] = rate(c, r) / c->mfu[r];
	if (n) {
		qsort(implied, n, sizeof *implied, by_value);
		peak = implied[n / 2];
	}
	free(implied);
	return peak;
}

/* The peak that most rows agree with, *of: whose it is. */
static double find_peak(const struct check *c, double half, double noted,
			const char **of, uint64_t *fit)
{
	double best = 0;
	*fit = 0;
	*of = NULL;
	if (noted > 0) {
		best = noted;
		*fit = rows_that_fit(c, noted, half);
		*of = "what the MANIFEST says";
	}
	for (int i = 0; i < N_PEAKS; i++) {
		uint64_t n = rows_that_fit(c, known_peak[i].tflops, half);
		if (n > *fit) {
			*fit = n;
			best = known_peak[i].tflops;
			*of = known_peak[i].of;
		}
	}
	return best;
}

static void check_zeros(const struct check *c, double peak)
{
	uint64_t n = 0, first = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		if (c->mfu[r] == 0 && n++ == 0)
			first = r;
	if (n)
		tell(c, (int64_t)first, "zero_mfu", 0,
		     "rows with an MFU of 0: %llu, which is rounding: here it "
		     "is "
		     "%.3g",
		     (unsigned long long)n, rate(c, first) / peak);
}

static void check_above_1(const struct check *c, double peak, const char *of)
{
	uint64_t n = 0, worst = 0;
	double top = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++) {
		double mfu = c->mfu ? c->mfu[r] : rate(c, r) / peak;
		n += mfu > 1;
		if (mfu > top) {
			top = mfu;
			worst = r;
		}
	}
	if (n)
		tell(c, (int64_t)worst, "mfu_above_1", 1,
		     "rows with an MFU above 1: %llu, up to %.4g: a wrong "
		     "denominator, %.6g TFLOP/s (%s), where kernels reach %.4g",
		     (unsigned long long)n, top, peak, of ? of : "unknown",
		     rate(c, worst));
}

static void check_mfu(const struct check *c, double noted)
{
	const char *of = "what the MANIFEST says";
	uint64_t fit, n = c->t.view.n_rows;
	if (!c->op->flops)
		return;
	if (!c->mfu) {
		if (noted > 0)
			check_above_1(c, noted, of);
		return;
	}
	double half = half_digit(c);
	double peak = find_peak(c, half, noted, &of, &fit);
	if (10 * fit < 9 * n) { /* none that is known */
		peak = median_peak(c);
		of = NULL;
		fit = peak > 0 ? rows_that_fit(c, peak, half) : 0;
	}
	if (peak <= 0)
		return;
	tell(c, -1, "mfu_peak", 0,
	     "mfu is relative to %.6g TFLOP/s (%s): %llu of %llu rows agree",
	     peak, of ? of : "of no GPU that is known here",
	     (unsigned long long)fit, (unsigned long long)n);
	check_zeros(c, peak);
	check_above_1(c, peak, of);
}

/* ---- order ---- */

static const char *dtype_of(const struct check *c, uint64_t r)
{
	return c->dtype ? c->dtype[r] : "";
}

/* By dtype and keys alone, or also by axes; `first_axis` leads among them. */
static int compare(const struct check *c, uint64_t a, uint64_t b, int axes,
		   int first_axis)
{
	int d = strcmp(dtype_of(c, a), dtype_of(c, b));
	for (int i = 0; d == 0 && i < (axes ? MAX_SLOTS : MAX_KEYS); i++) {
		int slot = i;
		if (i >= MAX_KEYS && first_axis)
			slot = i == MAX_KEYS ? i + 1 : i - 1;
		double x = value(c, slot, a), y = value(c, slot, b);
		d = (x > y) - (x < y);
	}
	return d;
}

static int by_axis_0(const void *a, const void *b, void *c)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = compare(c, x, y, 1, 0);
	return d ? d : (x > y) - (x < y);
}

static int by_axis_1(const void *a, const void *b, void *c)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int d = compare(c, x, y, 1, 1);
	return d ? d : (x > y) - (x < y);
}

static void sort_rows(struct check *c, int first_axis)
{
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		c->order[r] = r;
	qsort_r(c->order, c->t.view.n_rows, sizeof *c->order,
		first_axis ? by_axis_1 : by_axis_0, c);
}

/* Rows given twice; both lines are named. */
static void check_duplicates(const struct check *c)
{
	for (uint64_t i = 1; i < c->t.view.n_rows; i++) {
		uint64_t a = c->order[i - 1], b = c->order[i];
		if (compare(c, a, b, 1, 0) == 0)
			tell(c, (int64_t)b, "duplicate",
			     c->latency[a] != c->latency[b],
			     "the same point as line %llu, with %s time",
			     (unsigned long long)c->t.line[a],
			     c->latency[a] == c->latency[b] ? "the same"
							    : "another");
	}
}

/* Neighbours along the axis that was sorted last; within one line of the grid
 * only.  slot: of the axis that must be the same. */
static void check_monotone(const struct check *c, int same, int along)
{
	uint64_t pairs = 0, falls = 0, from = 0, to = 0;
	double worst = 1;
	for (uint64_t i = 1; i < c->t.view.n_rows; i++) {
		uint64_t a = c->order[i - 1], b = c->order[i];
		if (compare(c, a, b, 0, 0) ||
		    value(c, same, a) != value(c, same, b) ||
		    value(c, along, a) == value(c, along, b))
			continue;
		pairs++;
		double ratio = c->latency[b] / c->latency[a];
		falls += ratio < 1;
		if (ratio < worst) {
			worst = ratio;
			from = a;
			to = b;
		}
	}
	if (falls)
		tell(c, (int64_t)to, "non_monotone", 0,
		     "time falls along %s in %llu of %llu steps; most here: "
		     "%.1f %% below line %llu",
		     c->slot[along].name, (unsigned long long)falls,
		     (unsigned long long)pairs, 100 * (1 - worst),
		     (unsigned long long)c->t.line[from]);
}

/* ---- blocks: the rows of one shape ---- */

static uint64_t distinct(const struct check *c, const uint64_t *row, uint64_t n,
			 int slot)
{
	double *v = calloc(n, sizeof *v);
	uint64_t count = 0;
	for (uint64_t i = 0; v && i < n; i++)
		v[i] = value(c, slot, row[i]);
	if (v)
		qsort(v, n, sizeof *v, by_value);
	for (uint64_t i = 0; v && i < n; i++)
		count += i == 0 || v[i] != v[i - 1];
	free(v);
	return count;
}

/* Points that the grid of a block lacks. */
static uint64_t holes_of(const struct check *c, const uint64_t *row, uint64_t n)
{
	uint64_t points = n;
	for (uint64_t i = 1; i < n; i++)
		points -= compare(c, row[i - 1], row[i], 1, 0) == 0;
	if (!c->op->axis[1].name) /* of all shapes' axis */
		return distinct(c, c->order, c->t.view.n_rows, MAX_KEYS) -
		       points;
	return distinct(c, row, n, MAX_KEYS) *
		   distinct(c, row, n, MAX_KEYS + 1) -
	       points;
}

/* The row measured first, if a larger point took less time. */
static int is_warm_up(const struct check *c, const uint64_t *row, uint64_t n,
		      uint64_t *first, uint64_t *larger)
{
	*first = row[0];
	for (uint64_t i = 1; i < n; i++)
		if (row[i] < *first)
			*first = row[i];
	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = row[i];
		int above =
		    value(c, MAX_KEYS, r) >= value(c, MAX_KEYS, *first) &&
		    value(c, MAX_KEYS + 1, r) >= value(c, MAX_KEYS + 1, *first);
		if (r != *first && above &&
		    c->latency[r] < c->latency[*first]) {
			*larger = r;
			return 1;
		}
	}
	return 0;
}

static void check_blocks(const struct check *c)
{
	uint64_t n_blocks = 0, with_holes = 0, holes = 0, warm = 0;
	uint64_t warm_row = 0, warm_larger = 0, hole_row = 0;
	for (uint64_t i = 0, n; i < c->t.view.n_rows; i += n) {
		const uint64_t *row = c->order + i;
		uint64_t first, larger;
		for (n = 1; i + n < c->t.view.n_rows &&
			    compare(c, row[0], row[n], 0, 0) == 0;)
			n++;
		n_blocks++;
		uint64_t missing = holes_of(c, row, n);
		if (missing && with_holes++ == 0)
			hole_row = row[0];
		holes += missing;
		if (is_warm_up(c, row, n, &first, &larger) && warm++ == 0) {
			warm_row = first;
			warm_larger = larger;
		}
	}
	if (holes)
		tell(c, (int64_t)hole_row, "hole", 0,
		     "%llu points of the grid are missing, in %llu of %llu "
		     "shapes; the first begins here",
		     (unsigned long long)holes, (unsigned long long)with_holes,
		     (unsigned long long)n_blocks);
	if (warm)
		tell(c, (int64_t)warm_row, "warm_up", 0,
		     "the first row of %llu of %llu shapes is slower than a "
		     "larger point (here line %llu): warm-up",
		     (unsigned long long)warm, (unsigned long long)n_blocks,
		     (unsigned long long)c->t.line[warm_larger]);
}

static void check_dtypes(const struct check *c)
{
	for (uint64_t r = 1; c->dtype && r < c->t.view.n_rows; r++)
		if (strcmp(c->dtype[r], c->dtype[0])) {
			tell(c, (int64_t)r, "mixed_dtype", 0,
			     "%s after %s: more than one number format in a "
			     "table",
			     c->dtype[r], c->dtype[0]);
			return;
		}
}

int tables_check_file(const char *path, double gemm_peak, double attention_peak,
		      finding_fn fn, void *user, struct problem *p)
{
	struct check c = {.path = path, .tell = fn, .user = user};
	FILE *f = fopen(path, "r");
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: %s", path,
				   strerror(errno));
	int rc = table_read(&c.t, f, path, p);
	fclose(f);
	if (rc < 0)
		return -1;
	rc = find_columns(&c, p);
	c.order = calloc(c.t.view.n_rows, sizeof *c.order);
	if (rc == 0 && !c.order)
		rc = problem_set(p, EXIT_INPUT, "out of memory");
	if (rc == 0) {
		check_mfu(&c,
			  c.op->op == SC_OP_GEMM ? gemm_peak : attention_peak);
		sort_rows(&c, 0);
		check_duplicates(&c);
		check_blocks(&c);
		int second = c.slot[MAX_KEYS + 1].name != NULL;
		if (second) {
			check_monotone(&c, MAX_KEYS, MAX_KEYS + 1);
			sort_rows(&c, 1);
		}
		check_monotone(&c, MAX_KEYS + 1, MAX_KEYS);
		check_dtypes(&c);
	}
	free(c.order);
	table_free(&c.t);
	return rc;
}
