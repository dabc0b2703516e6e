/* stepcost/mfu/table.h -- header-only helper for plugins: reads the measured
 * tables `gemm`, `attention_prefill` and `attention_decode` as Model FLOPs
 * Utilization, once, at create(), into one block per shape (and tp).
 *
 *   MFU = FLOPs / (latency_us 1e-6 peak)       FLOPs: gemm  2 m n k
 *   prefill  2 H dh S^2 batch                  decode  4 (H / tp) dh kv batch
 *
 * The peak is the MANIFEST's gemm_peak_tflops, attention_peak_tflops, or
 * peak_tflops_FORMAT.  For a set without such a note the mfu column is read;
 * without that column, the peak is the hardware's for the number format of the
 * table.  The log says which of these two happened.
 *
 *   struct sc_mfu_tables t;
 *   int32_t rc = sc_mfu_load_tables(&t, setup, SC_BF16, &rules, err);
 *   if (rc == SC_OK)
 *           look_up(&t.gemm);              mfu/lookup.h
 *   sc_mfu_free_tables(&t);                in any case
 */
#ifndef SC_MFU_TABLE_H
#define SC_MFU_TABLE_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/fail.h"
#include "stepcost/format.h"
#include "stepcost/interp.h"
#include "stepcost/log.h"
#include "stepcost/mfu/rules.h"
#include "stepcost/table.h"

#define SC_MFU_ZERO 1e-4 /* below it, an MFU of three digits reads as zero */
/* peak of published mfu columns, unless the MANIFEST says otherwise */
#define SC_MFU_PEAK 989.5e12

/* One measured point: batch and length; for GEMMs 1 and m. */
struct sc_mfu_row {
	double x, y, mfu;
	uint64_t number; /* of the row in its table, from 1 */
};

/* The points of one shape.  row: in the order of the file.  cell[iy * nx + ix]:
 * the MFU at (x[ix], y[iy]), NaN where the table has none. */
struct sc_mfu_block {
	uint32_t shape[4]; /* H, K, head_dim, tp; or k, n, 0, 0 */
	uint32_t n, nx, ny;
	const char *origin; /* the table's path, for messages */
	struct sc_mfu_row *row;
	double *x, *y, *cell;
};

struct sc_mfu_table {
	const char *op;
	struct sc_mfu_block *block; /* in order of first appearance */
	uint32_t n, last;           /* last: index of the last row's block */
	uint32_t format;            /* SC_* of its rows, 0: unknown */
	uint32_t how; /* SC_SUBSTITUTED if of another number format or GPU */
};

/* The columns of a table by their role.  key[3] is tp; it may be missing. */
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
/* A table keyed by the heads of one rank: its rows count as tp = 1. */
static const struct sc_mfu_columns sc_mfu_decode_rank_columns = {
    "attention_decode",
    {"heads", "kv_heads", "head_dim"},
    "batch",
    "kv_len",
    "attention_peak_tflops"};

/* The columns of a table while it is read. */
struct sc_mfu_source {
	const sc_table *t;
	const double *key[4], *x, *y, *latency, *mfu;
	const char *const *dtype;
	double peak;     /* the peak that the MFU refers to, FLOP/s */
	int from_column; /* 1: read the mfu column, not latency */
	uint32_t format;
};

/* Chooses the number format of the rows to read: the model's if the table has
 * it, else that of the first row. */
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
		       "%s: MFU is read from the table's own column, because "
		       "its MANIFEST does not name %s",
		       s->t->origin, c->peak_note);
	} else {
		s->peak = setup->hardware->peak_flops[s->format];
		sc_log(setup, SC_LOG_INFO,
		       "%s: MFU is relative to the hardware's %g TFLOP/s for "
		       "%s, because the MANIFEST does not name %s",
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
		return sc_fail(
		    err, SC_ENODATA,
		    "%s: has neither a column latency_us nor a column mfu",
		    t->origin);
	sc_mfu_choose_format(to, s, format);
	sc_mfu_choose_peak(s, setup, c);
	if (!s->from_column && !(s->peak > 0))
		return sc_fail(err, SC_ENODATA,
			       "%s: MFU needs a peak; give %s in the MANIFEST",
			       t->origin, c->peak_note);
	if (s->format != format)
		sc_log(setup, SC_LOG_WARNING,
		       "%s: measured in %s with MFU relative to %g TFLOP/s; "
		       "the model computes in %s at %g TFLOP/s",
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
	if ((t->n & (t->n + 1)) == 0) { /* grow to 1, 3, 7, 15 ... blocks */
		struct sc_mfu_block *more = (struct sc_mfu_block *)realloc(
		    t->block, (2 * t->n + 1) * sizeof *more);
		if (!more)
			return NULL;
		t->block = more;
	}
	struct sc_mfu_block *b = &t->block[t->n++];
	memset(b, 0, sizeof *b);
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
		struct sc_mfu_row *more = (struct sc_mfu_row *)realloc(
		    b->row, (2 * b->n + 1) * sizeof *more);
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

/* Makes axes and cells from the rows.  If a point is given twice, the first row
 * counts. */
static inline int32_t sc_mfu_index(struct sc_mfu_block *b)
{
	b->x = (double *)malloc(b->n * sizeof *b->x);
	b->y = (double *)malloc(b->n * sizeof *b->y);
	if (!b->x || !b->y)
		return SC_ENOMEM;
	for (uint32_t i = 0; i < b->n; i++) {
		b->x[i] = b->row[i].x;
		b->y[i] = b->row[i].y;
	}
	b->nx = sc_mfu_sort(b->x, b->n);
	b->ny = sc_mfu_sort(b->y, b->n);
	b->cell = (double *)malloc((size_t)b->nx * b->ny * sizeof *b->cell);
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
	uint32_t shape[4] = {0, 0, 0, decode ? 1u : 0u};
	for (int i = 0; i < 4 && s->key[i]; i++)
		shape[i] = (uint32_t)s->key[i][r];
	if (!gemm && shape[1] == 0)
		shape[1] = shape[0];
	double mfu =
	    sc_mfu_value(s, r, sc_mfu_flops(s, r, gemm, decode), rules);
	if (!(mfu >= 0 && mfu < (double)INFINITY))
		return sc_fail(err, SC_ENODATA, "%s: row %llu: MFU is %g",
			       s->t->origin, (unsigned long long)r + 1, mfu);
	struct sc_mfu_row row = {s->x ? s->x[r] : 1, s->y[r], mfu, r + 1};
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

/* Reads the table of c->op.  format: the model's.  The caller frees *to in any
 * case. */
static inline int32_t
sc_mfu_load(struct sc_mfu_table *to, const sc_setup *setup,
	    const struct sc_mfu_columns *c, uint32_t format,
	    const struct sc_mfu_rules *rules, sc_error *err)
{
	struct sc_mfu_source s = {.t = sc_table_of(setup, c->op)};
	*to = (struct sc_mfu_table){.op = c->op};
	if (!s.t)
		return sc_fail(err, SC_ENODATA, "needs a table '%s'", c->op);
	char why[256];
	if (sc_table_of_other_gpu(s.t, setup->hardware, why, sizeof why))
		to->how = SC_SUBSTITUTED;
	int32_t rc = sc_mfu_source_of(&s, to, setup, c, format, err);
	for (uint64_t r = 0; rc == SC_OK && r < s.t->n_rows; r++)
		if (!s.dtype || sc_format_named(s.dtype[r]) == s.format)
			rc = sc_mfu_read_row(to, &s, r, rules, err);
	for (uint32_t i = 0; rc == SC_OK && i < to->n; i++) {
		to->block[i].origin = s.t->origin;
		rc = sc_mfu_index(&to->block[i]);
	}
	if (rc == SC_ENOMEM)
		return sc_fail(err, rc, "out of memory");
	to->format = s.format;
	return rc == SC_OK ? sc_mfu_check(to, s.t->origin, err) : rc;
}

/* The three tables of a dense decoder. */
struct sc_mfu_tables {
	struct sc_mfu_table gemm, prefill, decode;
	/* 1: decode is keyed by the model's heads and tp; 0: by the heads of
	 * one rank. */
	int by_model;
};

/* Warns once for all three tables, because they belong to one set. */
static inline void sc_mfu_say_other_gpu(const sc_setup *setup,
					const sc_table *t)
{
	char why[256];
	if (t && sc_table_of_other_gpu(t, setup->hardware, why, sizeof why))
		sc_log(setup, SC_LOG_WARNING, "%s", why);
}

/* Reads all three tables.  The caller frees them in any case. */
static inline int32_t sc_mfu_load_tables(struct sc_mfu_tables *to,
					 const sc_setup *setup, uint32_t format,
					 const struct sc_mfu_rules *rules,
					 sc_error *err)
{
	const sc_table *decode = sc_table_of(setup, "attention_decode");
	*to = (struct sc_mfu_tables){
	    .by_model = decode && sc_column(decode, "model_heads")};
	sc_mfu_say_other_gpu(setup, decode);
	int32_t rc = sc_mfu_load(&to->gemm, setup, &sc_mfu_gemm_columns, format,
				 rules, err);
	if (rc == SC_OK)
		rc = sc_mfu_load(&to->prefill, setup, &sc_mfu_prefill_columns,
				 format, rules, err);
	if (rc == SC_OK)
		rc = sc_mfu_load(&to->decode, setup,
				 to->by_model ? &sc_mfu_decode_columns
					      : &sc_mfu_decode_rank_columns,
				 format, rules, err);
	return rc;
}

static inline void sc_mfu_free_tables(struct sc_mfu_tables *t)
{
	sc_mfu_free(&t->gemm);
	sc_mfu_free(&t->prefill);
	sc_mfu_free(&t->decode);
}
#endif
