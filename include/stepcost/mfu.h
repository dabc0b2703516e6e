/* stepcost/mfu.h -- header-only helper for plugins: Model FLOPs Utilization
 * looked up in the measured tables `gemm`, `attention_prefill` and
 * `attention_decode`, by any of the rules that are in use.
 *
 * A table is read once, at create(), into one block per shape (and tp).  MFU is
 * derived from latency_us by the FLOPs
 *     gemm     2 m n k                        attention_prefill 2 H dh S^2
 * batch attention_decode 4 (H / tp) dh kv batch and the peak that the MANIFEST
 * names (gemm_peak_tflops, attention_peak_tflops).  A set without that note is
 * read by its mfu column, or else by the hardware's peak for the table's number
 * format; either is said through the host's log.
 *
 * Every answer comes with its provenance (SC_EXACT ...).  Lookups allocate
 * nothing. */
#ifndef SC_MFU_H
#define SC_MFU_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/dense.h"
#include "stepcost/fail.h"
#include "stepcost/format.h"
#include "stepcost/interp.h"
#include "stepcost/log.h"
#include "stepcost/table.h"

#define SC_MFU_ZERO 1e-4     /* below it, three published digits read as zero */
#define SC_MFU_PEAK 989.5e12 /* behind published columns, unless noted    */

/* The rules; each is a knob somewhere, in this order of choices. */
enum sc_lookup { SC_LOOKUP_NEAREST, SC_LOOKUP_LINEAR };
enum sc_missing_tp { SC_TP_AUTO, SC_TP_NEAREST, SC_TP_ONE };
enum sc_zero_mfu { SC_ZERO_NEAREST, SC_ZERO_FIRST, SC_ZERO_LATENCY };
enum sc_missing_cell { SC_CELL_ZERO, SC_CELL_DROP };
enum sc_mfu_digits { SC_DIGITS_3, SC_DIGITS_FULL };

struct sc_mfu_rules {
	int64_t lookup, missing_tp, zero_mfu, missing_cell, mfu_digits;
};

/* One measured point: batch and length, or 1 and m. */
struct sc_mfu_row {
	double x, y, mfu;
};

/* The points of one shape.  row: as in the file.  cell[iy * nx + ix] is the
 * MFU at (x[ix], y[iy]), NaN where the table has none. */
struct sc_mfu_block {
	uint32_t shape[4]; /* H, K, head_dim, tp; or k, n, 0, 0 */
	uint32_t n, nx, ny;
	struct sc_mfu_row *row;
	double *x, *y, *cell;
};

struct sc_mfu_table {
	const char *op;
	struct sc_mfu_block *block; /* in order of first appearance */
	uint32_t n, last; /* last: the block of the last row         */
	uint32_t format;  /* SC_* of its rows, 0: unknown             */
	uint32_t how;     /* SC_SUBSTITUTED if of another number format */
};

struct sc_mfu {
	double value;
	uint32_t how;
};

/* ---- reading ---- */

/* Columns by role.  key[3] is tp, and may be missing. */
struct sc_mfu_columns {
	const char *op, *key[4], *x, *y, *peak_note;
};

static const struct sc_mfu_columns sc_mfu_gemm_columns = {
    "gemm", {"k", "n"}, NULL, "m", "gemm_peak_tflops"};
static const struct sc_mfu_columns sc_mfu_prefill_columns = {
    "attention_prefill",
    {"heads", "kv_heads", "head_dim"},
    "batch",
    "seq_len",
    "attention_peak_tflops"};
static const struct sc_mfu_columns sc_mfu_decode_columns = {
    "attention_decode",
    {"model_heads", "model_kv_heads", "head_dim", "tp"},
    "batch",
    "kv_len",
    "attention_peak_tflops"};
/* Tables by the heads of one rank: as measured at tp = 1. */
static const struct sc_mfu_columns sc_mfu_decode_rank_columns = {
    "attention_decode",
    {"heads", "kv_heads", "head_dim"},
    "batch",
    "kv_len",
    "attention_peak_tflops"};

/* Where the numbers of a table are while it is read. */
struct sc_mfu_source {
	const sc_table *t;
	const double *key[4], *x, *y, *latency, *mfu;
	const char *const *dtype;
	double peak;     /* behind the MFU, FLOP/s */
	int from_column; /* read mfu, not latency */
	uint32_t format;
};

static inline const char *const *sc_words(const sc_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->col_name[i], name))
			return t->text[i];
	return NULL;
}

/* Rows in the model's number format, or else in the first row's. */
static inline void sc_mfu_choose_format(struct sc_mfu_table *to,
					struct sc_mfu_source *s, uint32_t want)
{
	s->dtype = sc_words(s->t, "dtype");
	s->format = want;
	if (!s->dtype)
		return;
	s->format = sc_format_named(s->dtype[0]);
	for (uint64_t r = 0; r < s->t->n_rows; r++)
		if (sc_format_named(s->dtype[r]) == want)
			s->format = want;
	if (s->format != want)
		to->how = SC_SUBSTITUTED;
}

static inline void sc_mfu_choose_peak(struct sc_mfu_source *s,
				      const sc_setup *setup,
				      const struct sc_mfu_columns *c)
{
	char by_format[32];
	double noted = sc_note_number(s->t, c->peak_note);
	if (!(noted > 0)) {
		snprintf(by_format, sizeof by_format, "peak_tflops_%s",
			 sc_format_name(s->format));
		noted = sc_note_number(s->t, by_format);
	}
	s->peak = noted * 1e12;
	if (noted > 0 && s->latency)
		return;
	if (s->mfu) {
		s->from_column = 1;
		s->peak = SC_MFU_PEAK;
		sc_log(setup, SC_LOG_INFO,
		       "%s: MFU is the table's own column: its MANIFEST does "
		       "not name %s",
		       s->t->origin, c->peak_note);
	} else {
		s->peak = setup->hardware->peak_flops[s->format];
		sc_log(setup, SC_LOG_INFO,
		       "%s: MFU is of the hardware's %g TFLOP/s for %s: the "
		       "MANIFEST does not name %s",
		       s->t->origin, s->peak / 1e12, sc_format_name(s->format),
		       c->peak_note);
	}
}

static inline int32_t sc_mfu_source_of(struct sc_mfu_source *s,
				       struct sc_mfu_table *to,
				       const sc_setup *setup,
				       const struct sc_mfu_columns *c,
				       uint32_t format, sc_error *err)
{
	const sc_table *t = s->t;
	for (int i = 0; i < 4 && c->key[i]; i++)
		if (!(s->key[i] = sc_column(t, c->key[i])))
			return sc_fail(err, SC_ENODATA, "%s: no column %s",
				       t->origin, c->key[i]);
	if (!(s->y = sc_column(t, c->y)))
		return sc_fail(err, SC_ENODATA, "%s: no column %s", t->origin,
			       c->y);
	s->x = c->x ? sc_column(t, c->x) : NULL;
	s->latency = sc_column(t, "latency_us");
	s->mfu = sc_column(t, "mfu");
	if (!s->latency && !s->mfu)
		return sc_fail(err, SC_ENODATA,
			       "%s: no column latency_us, nor mfu", t->origin);
	sc_mfu_choose_format(to, s, format);
	sc_mfu_choose_peak(s, setup, c);
	if (!s->from_column && !(s->peak > 0))
		return sc_fail(err, SC_ENODATA,
			       "%s: MFU needs a peak: %s in the MANIFEST",
			       t->origin, c->peak_note);
	if (s->format != format)
		sc_log(setup, SC_LOG_WARNING,
		       "%s: measured in %s, its MFU is of %g TFLOP/s; the "
		       "model computes in %s, at %g TFLOP/s",
		       t->origin, sc_format_name(s->format), s->peak / 1e12,
		       sc_format_name(format),
		       setup->hardware->peak_flops[format % 16] / 1e12);
	return SC_OK;
}

static inline double sc_mfu_flops(const struct sc_mfu_source *s, uint64_t r,
				  int gemm, int decode)
{
	double x = s->x ? s->x[r] : 1, y = s->y[r];
	if (gemm)
		return 2 * y * s->key[0][r] * s->key[1][r];
	if (!decode)
		return 2 * s->key[0][r] * s->key[2][r] * y * y * x;
	double tp = s->key[3] ? s->key[3][r] : 1;
	return 4 * (s->key[0][r] / tp) * s->key[2][r] * y * x;
}

static inline double sc_mfu_value(const struct sc_mfu_source *s, uint64_t r,
				  double flops,
				  const struct sc_mfu_rules *rules)
{
	double full =
	    s->latency ? flops / (s->latency[r] * 1e-6 * s->peak) : (double)NAN;
	double printed = full;
	if (s->from_column) {
		printed = s->mfu[r];
	} else if (rules->mfu_digits == SC_DIGITS_3) {
		char text[64];
		snprintf(text, sizeof text, "%.3f", full);
		printed = strtod(text, NULL);
	}
	if (printed < SC_MFU_ZERO && rules->zero_mfu == SC_ZERO_LATENCY &&
	    full > 0)
		return full;
	return printed;
}

static inline struct sc_mfu_block *sc_mfu_block_for(struct sc_mfu_table *t,
						    const uint32_t shape[4])
{
	for (uint32_t i = t->n; i-- > 0;)
		if (!memcmp(t->block[i].shape, shape, sizeof t->block[i].shape))
			return &t->block[i];
	if ((t->n & (t->n + 1)) == 0) { /* room for 1, 3, 7, 15 ... */
		struct sc_mfu_block *more =
		    realloc(t->block, (2 * t->n + 1) * sizeof *more);
		if (!more)
			return NULL;
		t->block = more;
	}
	struct sc_mfu_block *b = &t->block[t->n++];
	*b = (struct sc_mfu_block){0};
	memcpy(b->shape, shape, sizeof b->shape);
	return b;
}

static inline int32_t sc_mfu_add(struct sc_mfu_table *t,
				 const uint32_t shape[4], struct sc_mfu_row row)
{
	struct sc_mfu_block *b = sc_mfu_block_for(t, shape);
	if (!b)
		return SC_ENOMEM;
	if ((b->n & (b->n + 1)) == 0) {
		struct sc_mfu_row *more =
		    realloc(b->row, (2 * b->n + 1) * sizeof *more);
		if (!more)
			return SC_ENOMEM;
		b->row = more;
	}
	b->row[b->n++] = row;
	t->last = (uint32_t)(b - t->block);
	return SC_OK;
}

static inline int sc_mfu_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static inline uint32_t sc_mfu_sort(double *axis, uint32_t n)
{
	uint32_t kept = 0;
	qsort(axis, n, sizeof *axis, sc_mfu_ascending);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || axis[i] != axis[kept - 1])
			axis[kept++] = axis[i];
	return kept;
}

/* Axes and cells from the rows.  Of a point given twice the first row counts.
 */
static inline int32_t sc_mfu_index(struct sc_mfu_block *b)
{
	b->x = malloc(b->n * sizeof *b->x);
	b->y = malloc(b->n * sizeof *b->y);
	if (!b->x || !b->y)
		return SC_ENOMEM;
	for (uint32_t i = 0; i < b->n; i++) {
		b->x[i] = b->row[i].x;
		b->y[i] = b->row[i].y;
	}
	b->nx = sc_mfu_sort(b->x, b->n);
	b->ny = sc_mfu_sort(b->y, b->n);
	b->cell = malloc((size_t)b->nx * b->ny * sizeof *b->cell);
	if (!b->cell)
		return SC_ENOMEM;
	for (uint32_t i = 0; i < b->nx * b->ny; i++)
		b->cell[i] = NAN;
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t ix = sc_locate(b->x, b->nx, b->row[i].x).low;
		uint32_t iy = sc_locate(b->y, b->ny, b->row[i].y).low;
		double *cell = &b->cell[iy * b->nx + ix];
		if (isnan(*cell))
			*cell = b->row[i].mfu;
	}
	return SC_OK;
}

static inline void sc_mfu_free(struct sc_mfu_table *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->block[i].row);
		free(t->block[i].x);
		free(t->block[i].y);
		free(t->block[i].cell);
	}
	free(t->block);
	*t = (struct sc_mfu_table){0};
}

static inline int32_t sc_mfu_read_row(struct sc_mfu_table *to,
				      const struct sc_mfu_source *s, uint64_t r,
				      const struct sc_mfu_rules *rules,
				      sc_error *err)
{
	int gemm = !s->key[2], decode = !strcmp(s->t->op, "attention_decode");
	uint32_t shape[4] = {0, 0, 0, decode ? 1 : 0};
	for (int i = 0; i < 4 && s->key[i]; i++)
		shape[i] = (uint32_t)s->key[i][r];
	if (!gemm && shape[1] == 0)
		shape[1] = shape[0];
	double mfu =
	    sc_mfu_value(s, r, sc_mfu_flops(s, r, gemm, decode), rules);
	if (!(mfu >= 0 && mfu < (double)INFINITY))
		return sc_fail(err, SC_ENODATA, "%s: row %llu: MFU is %g",
			       s->t->origin, (unsigned long long)r + 1, mfu);
	struct sc_mfu_row row = {s->x ? s->x[r] : 1, s->y[r], mfu};
	return sc_mfu_add(to, shape, row);
}

static inline int32_t sc_mfu_check(const struct sc_mfu_table *t,
				   const char *origin, sc_error *err)
{
	if (t->n == 0)
		return sc_fail(err, SC_ENODATA, "%s: no rows", origin);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		uint32_t r = 0;
		while (r < b->n && b->row[r].mfu < SC_MFU_ZERO)
			r++;
		if (r == b->n)
			return sc_fail(err, SC_ENODATA,
				       "%s: shape %u-%u-%u: every MFU is 0",
				       origin, b->shape[0], b->shape[1],
				       b->shape[2]);
	}
	return SC_OK;
}

/* Reads the table of c->op.  format: the model's.  To be freed in any case. */
static inline int32_t
sc_mfu_load(struct sc_mfu_table *to, const sc_setup *setup,
	    const struct sc_mfu_columns *c, uint32_t format,
	    const struct sc_mfu_rules *rules, sc_error *err)
{
	struct sc_mfu_source s = {.t = sc_table_of(setup, c->op)};
	*to = (struct sc_mfu_table){.op = c->op};
	if (!s.t)
		return sc_fail(err, SC_ENODATA, "needs a table '%s'", c->op);
	int32_t rc = sc_mfu_source_of(&s, to, setup, c, format, err);
	for (uint64_t r = 0; rc == SC_OK && r < s.t->n_rows; r++)
		if (!s.dtype || sc_format_named(s.dtype[r]) == s.format)
			rc = sc_mfu_read_row(to, &s, r, rules, err);
	for (uint32_t i = 0; rc == SC_OK && i < to->n; i++)
		rc = sc_mfu_index(&to->block[i]);
	if (rc == SC_ENOMEM)
		return sc_fail(err, rc, "out of memory");
	to->format = s.format;
	return rc == SC_OK ? sc_mfu_check(to, s.t->origin, err) : rc;
}

/* ---- which block answers ---- */

struct sc_mfu_answer {
	const struct sc_mfu_block *block; /* NULL: none */
	uint32_t how;                     /* SC_EXACT or SC_SUBSTITUTED */
};

/* The smallest measured (k, n) that covers the one asked for, by distance.
 * If none does: linear, the largest; nearest, that of the table's last row. */
static inline struct sc_mfu_answer
sc_mfu_gemm_block(const struct sc_mfu_table *t,
		  const struct sc_mfu_rules *rules, double k, double n)
{
	const struct sc_mfu_block *over = NULL, *largest = NULL;
	double least = 0, most = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		double dk = b->shape[0] - k, dn = b->shape[1] - n;
		double distance = dk * dk + dn * dn;
		double size = (double)b->shape[0] * b->shape[0] +
			      (double)b->shape[1] * b->shape[1];
		if (dk >= 0 && dn >= 0 && (!over || distance < least)) {
			over = b;
			least = distance;
		}
		if (!largest || size > most) {
			largest = b;
			most = size;
		}
	}
	if (over)
		return (struct sc_mfu_answer){
		    over, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : 0)};
	if (rules->lookup == SC_LOOKUP_NEAREST)
		largest = &t->block[t->last];
	return (struct sc_mfu_answer){largest, SC_SUBSTITUTED};
}

/* Notes in text that block b answers for a GEMM of k and n, if it is another's.
 */
static inline void sc_mfu_note_gemm(char *text, size_t size, double k, double n,
				    const struct sc_mfu_block *b)
{
	size_t used = strlen(text);
	if (b->shape[0] != k || b->shape[1] != n)
		snprintf(text + used, size - used, "%s %gx%g by %ux%u",
			 used ? "," : "", k, n, b->shape[0], b->shape[1]);
}

static inline void sc_mfu_say_gemms(const sc_setup *setup, const char *noted)
{
	if (noted[0])
		sc_log(setup, SC_LOG_WARNING,
		       "GEMMs (k x n) that were not measured are priced by "
		       "others:%s",
		       noted);
}

static inline int sc_mfu_text_order(const uint32_t a[3], const uint32_t b[3])
{
	char s[48], t[48];
	snprintf(s, sizeof s, "%u-%u-%u", a[0], a[1], a[2]);
	snprintf(t, sizeof t, "%u-%u-%u", b[0], b[1], b[2]);
	return strcmp(s, t);
}

/* The attention shape itself, or the nearest one; a tie goes to the first in
 * text order of H-K-dh. */
static inline struct sc_mfu_answer
sc_mfu_shape_block(const struct sc_mfu_table *t, const uint32_t shape[3])
{
	const struct sc_mfu_block *best = NULL;
	double least = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		double distance = 0;
		for (int j = 0; j < 3; j++) {
			double d = (double)b->shape[j] - shape[j];
			distance += d * d;
		}
		if (best && (distance > least ||
			     (distance == least &&
			      sc_mfu_text_order(b->shape, best->shape) >= 0)))
			continue;
		best = b;
		least = distance;
	}
	return (struct sc_mfu_answer){
	    best, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : SC_EXACT)};
}

/* The decode block of a shape of the prefill table, for tp ranks; for want of
 * that tp, the nearest (the smaller of two) or tp 1.  block is NULL if there
 * is none. */
static inline struct sc_mfu_answer
sc_mfu_tp_block(const struct sc_mfu_table *t, const struct sc_mfu_rules *rules,
		const uint32_t shape[3], uint32_t tp)
{
	int one = rules->missing_tp == SC_TP_ONE ||
		  (rules->missing_tp == SC_TP_AUTO &&
		   rules->lookup == SC_LOOKUP_NEAREST);
	const struct sc_mfu_block *best = NULL, *first = NULL;
	uint32_t least = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sc_mfu_block *b = &t->block[i];
		if (memcmp(b->shape, shape, 3 * sizeof *shape))
			continue;
		uint32_t has = b->shape[3];
		uint32_t distance = has > tp ? has - tp : tp - has;
		if (has == 1)
			first = b;
		if (!best || distance < least ||
		    (distance == least && has < best->shape[3])) {
			best = b;
			least = distance;
		}
	}
	if (best && least > 0 && one)
		best = first;
	return (struct sc_mfu_answer){
	    best, sc_worse(t->how, least > 0 ? SC_SUBSTITUTED : SC_EXACT)};
}

/* ---- what it answers ---- */

/* In place of a zero: the nearest row that is none, or the first. */
static inline struct sc_mfu sc_mfu_repair(const struct sc_mfu_block *b,
					  const struct sc_mfu_rules *rules,
					  double x, double y)
{
	struct sc_mfu m = {.how = SC_FALLBACK};
	double least = INFINITY;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		double dx = r->x - x, dy = r->y - y;
		double distance = dx * dx + dy * dy;
		if (r->mfu < SC_MFU_ZERO || !(distance < least))
			continue;
		m.value = r->mfu;
		least = distance;
		if (rules->zero_mfu == SC_ZERO_FIRST)
			break;
	}
	return m;
}

/* Outside, between, or on the measured points? */
static inline uint32_t sc_mfu_where(const struct sc_mfu_block *b, double x,
				    double y)
{
	uint32_t how = sc_worse(sc_locate(b->x, b->nx, x).how,
				sc_locate(b->y, b->ny, y).how);
	if (how != SC_EXACT)
		return how;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->row[i].x == x && b->row[i].y == y)
			return SC_EXACT;
	return SC_INTERPOLATED; /* a hole */
}

/* Rows at or below the point on both axes win over all others. */
static inline struct sc_mfu sc_mfu_nearest(const struct sc_mfu_block *b,
					   double x, double y)
{
	const struct sc_mfu_row *best = NULL;
	double least = 0;
	int best_below = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		double dx = r->x - x, dy = r->y - y;
		double distance = dx * dx + dy * dy;
		int below = dx <= 0 && dy <= 0;
		if (best && (below < best_below ||
			     (below == best_below && !(distance < least))))
			continue;
		best = r;
		least = distance;
		best_below = below;
	}
	return (struct sc_mfu){best->mfu, sc_mfu_where(b, x, y)};
}

/* The last row at or below m, or else the smallest m. */
static inline struct sc_mfu sc_mfu_last_below(const struct sc_mfu_block *b,
					      double m)
{
	const struct sc_mfu_row *below = NULL, *smallest = &b->row[0];
	for (uint32_t i = 0; i < b->n; i++) {
		const struct sc_mfu_row *r = &b->row[i];
		if (r->y <= m)
			below = r;
		if (r->y < smallest->y)
			smallest = r;
	}
	return (struct sc_mfu){(below ? below : smallest)->mfu,
			       sc_mfu_where(b, 1, m)};
}

/* A grid point of the y axis at some place on the x axis: num / den, where den
 * is the weight of the cells that the table has. */
struct sc_mfu_point {
	double num, den;
	int hole;
};

static inline struct sc_mfu_point
sc_mfu_point_at(const struct sc_mfu_block *b, const struct sc_mfu_rules *rules,
		struct sc_place x, uint32_t iy)
{
	const double *cell = &b->cell[iy * b->nx + x.low];
	double low = cell[0], high = x.t > 0 ? cell[1] : low;
	int no_low = isnan(low), no_high = isnan(high);
	struct sc_mfu_point p = {.den = 1, .hole = no_low || no_high};
	if (rules->missing_cell == SC_CELL_ZERO || !p.hole) {
		low = no_low ? 0 : low;
		high = no_high ? 0 : high;
		p.num = sc_lerp(low, high, x.t);
		return p;
	}
	p.den = (no_low ? 0 : 1 - x.t) + (no_high ? 0 : x.t);
	p.num = (no_low ? 0 : (1 - x.t) * low) + (no_high ? 0 : x.t * high);
	if (no_low && no_high)
		p.den = p.num = 0;
	return p;
}

static inline double sc_mfu_between(const struct sc_mfu_point *a,
				    const struct sc_mfu_point *b, double t)
{
	if (a->den == 1 && b->den == 1)
		return sc_lerp(a->num, b->num, t);
	/* As weights: sc_lerp() would cancel where one point has no cells. */
	double den = (1 - t) * a->den + t * b->den;
	return den > 0 ? ((1 - t) * a->num + t * b->num) / den : 0;
}

static inline struct sc_mfu sc_mfu_linear(const struct sc_mfu_block *b,
					  const struct sc_mfu_rules *rules,
					  double x, double y)
{
	struct sc_place px = sc_locate(b->x, b->nx, x);
	struct sc_place py = sc_locate(b->y, b->ny, y);
	struct sc_mfu_point low = sc_mfu_point_at(b, rules, px, py.low);
	struct sc_mfu_point high = low;
	if (py.t > 0)
		high = sc_mfu_point_at(b, rules, px, py.low + 1);
	uint32_t how = sc_worse(px.how, py.how);
	if (low.hole || high.hole)
		how = SC_FALLBACK;
	return (struct sc_mfu){sc_mfu_between(&low, &high, py.t), how};
}

/* The MFU at (x, y) of a block.  GEMM blocks have x = 1, y = m. */
static inline struct sc_mfu sc_mfu_at(const struct sc_mfu_answer *a,
				      const struct sc_mfu_rules *rules,
				      double x, double y)
{
	const struct sc_mfu_block *b = a->block;
	int gemm = b->shape[2] == 0;
	struct sc_mfu m;
	if (rules->lookup == SC_LOOKUP_LINEAR)
		m = sc_mfu_linear(b, rules, x, y);
	else
		m = gemm ? sc_mfu_last_below(b, y) : sc_mfu_nearest(b, x, y);
	if (m.value < SC_MFU_ZERO)
		m = sc_mfu_repair(b, rules, x, y);
	m.how = sc_worse(m.how, a->how);
	return m;
}

/* ---- single kernels ---- */

/* How a cost model prices what it looks up. */
struct sc_mfu_pricing {
	const struct sc_mfu_table *gemm, *prefill, *decode;
	const struct sc_mfu_rules *rules;
	double gemm_peak, attention_peak; /* FLOP/s at MFU 1 */
	int softmax_flops;                /* counted among attention's */
	double causal_share; /* of new * (cached + new) query-key pairs;
				0: those that the causal mask leaves */
};

/* A lookup and the FLOPs that it prices. */
struct sc_mfu_query {
	struct sc_mfu_answer from;
	double x, y, flops, peak;
};

static inline void sc_mfu_query_gemm(struct sc_mfu_query *to,
				     const struct sc_mfu_pricing *p,
				     const sc_kernel *q)
{
	double m = (double)q->m, n = (double)q->n, k = (double)q->k;
	to->from = sc_mfu_gemm_block(p->gemm, p->rules, k, n);
	to->y = m;
	to->flops = 2 * m * k * n;
	to->peak = p->gemm_peak;
}

static inline void sc_mfu_query_attention(struct sc_mfu_query *to,
					  const struct sc_mfu_pricing *p,
					  const sc_kernel *q)
{
	const uint32_t shape[3] = {
	    q->heads, q->kv_heads ? q->kv_heads : q->heads, q->head_dim};
	double tp = q->ranks ? q->ranks : 1;
	double batch = q->batch ? (double)q->batch : 1;
	double cached = (double)q->context, fresh = (double)q->new_tokens;
	double pairs = batch * cached;
	to->from = sc_mfu_shape_block(p->prefill, shape);
	to->y = cached;
	if (q->op == SC_OP_DECODE) {
		uint32_t how = to->from.how;
		to->from = sc_mfu_tp_block(p->decode, p->rules,
					   to->from.block->shape, (uint32_t)tp);
		to->from.how = sc_worse(how, to->from.how);
		to->x = batch;
	} else {
		to->y = cached + fresh;
		pairs = batch * fresh *
			(p->causal_share > 0 ? to->y * p->causal_share
					     : cached + fresh / 2);
	}
	to->flops = 4.0 * q->heads *
		    (q->head_dim + (p->softmax_flops ? 1.0 : 0.0)) * pairs / tp;
	to->peak = p->attention_peak;
}

static inline void sc_mfu_used(sc_kernel_result *out,
			       const struct sc_mfu_block *b)
{
	const uint32_t *s = b->shape;
	if (s[2] == 0)
		snprintf(out->used, sizeof out->used, "k %u n %u", s[0], s[1]);
	else if (s[3] == 0)
		snprintf(out->used, sizeof out->used, "%u-%u-%u", s[0], s[1],
			 s[2]);
	else
		snprintf(out->used, sizeof out->used, "%u-%u-%u tp%u", s[0],
			 s[1], s[2], s[3]);
}

/* One kernel: FLOPs / (peak * MFU), and the MFU as looked up. */
static inline int32_t sc_mfu_price_kernel(const struct sc_mfu_pricing *p,
					  const sc_kernel *q,
					  sc_kernel_result *out, sc_error *err)
{
	struct sc_mfu_query to = {.x = 1};
	if (q->op == SC_OP_GEMM)
		sc_mfu_query_gemm(&to, p, q);
	else if (q->op == SC_OP_PREFILL || q->op == SC_OP_DECODE)
		sc_mfu_query_attention(&to, p, q);
	else
		return sc_fail(err, SC_EUNSUP, "no table of this kernel");
	if (!to.from.block)
		return sc_fail(err, SC_ENODATA,
			       "attention_decode has no table for this shape");
	struct sc_mfu mfu = sc_mfu_at(&to.from, p->rules, to.x, to.y);
	out->mfu = mfu.value;
	out->provenance = mfu.how;
	out->latency_us = to.flops / (to.peak * mfu.value) * 1e6;
	sc_mfu_used(out, to.from.block);
	return SC_OK;
}
#endif
