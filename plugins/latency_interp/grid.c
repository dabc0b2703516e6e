/* grid.c -- Answers from one measured grid: the time at (row, x). */
#include "grid.h"
#include <stdlib.h>
#include "stepcost/kernel/floor.h"
#include "grid_private.h"

/* log(t / law) along one row. */
static double row_residual(const struct grid *s, uint32_t row, double x,
			   uint32_t *provenance)
{
	struct bracket b =
	    bracket_of(s->x, s->start[row], s->start[row + 1], x);
	double r = s->residual[b.below];
	*provenance = sc_worse(*provenance, b.provenance);
	return r + (s->residual[b.above] - r) * b.weight;
}

double residual_at(const struct grid *s, double row, double x,
		   uint32_t *provenance)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	*provenance = sc_worse(*provenance, b.provenance);
	if (s->made[b.below] || s->made[b.above])
		*provenance = sc_worse(*provenance, SC_INTERPOLATED);
	double r = row_residual(s, b.below, x, provenance);
	if (b.above == b.below)
		return r;
	return r + (row_residual(s, b.above, x, provenance) - r) * b.weight;
}

/* The measured time itself, or NaN if (row, x) is no point. */
static double point_us(const struct grid *s, double row, double x)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	if (b.provenance != SC_EXACT || s->made[b.below])
		return NAN;
	b = bracket_of(s->x, s->start[b.below], s->start[b.below + 1], x);
	return b.provenance == SC_EXACT ? s->us[b.below] : NAN;
}

/* Along a row with points that rise, between two of them: linear in log law.
 * The law rises with x, so the answer does, too. */
static double rising_in_row(const struct table_index *a, const struct grid *s,
			    uint32_t row, double x)
{
	struct bracket b =
	    bracket_of(s->x, s->start[row], s->start[row + 1], x);
	double at = sc_law_us(&a->law, s->shape, s->row[row], x);
	double from = sc_law_us(&a->law, s->shape, s->row[row], s->x[b.below]);
	double us = s->us[b.below];
	if (b.provenance == SC_EXACT)
		return us;
	if (b.above == b.below)
		return us * at / from;
	double to = sc_law_us(&a->law, s->shape, s->row[row], s->x[b.above]);
	return us *
	       exp(log(s->us[b.above] / us) * log(at / from) / log(to / from));
}

/* Rows rise too: a row is at least what those before it are, and between two
 * the weight depends on the row alone. */
static double rising_at(const struct table_index *a, const struct grid *s,
			double row, double x)
{
	struct bracket b = bracket_of(s->row, 0, s->n_rows, row);
	double below = 0, above;
	for (uint32_t i = 0; i <= b.below; i++)
		below = fmax(below, rising_in_row(a, s, i, x));
	if (row > s->row[s->n_rows - 1])
		return below * sc_law_us(&a->law, s->shape, row, x) /
		       sc_law_us(&a->law, s->shape, s->row[b.below], x);
	if (b.above == b.below)
		return below;
	above = fmax(below, rising_in_row(a, s, b.above, x));
	return below * exp(log(above / below) * b.weight);
}

/* Returns the least time of the kernel on the GPU that is simulated. */
static double least_us(const struct table_index *a, const struct grid *s,
		       double row, double x, double l2_bytes)
{
	const double *shape = s->shape, element = a->law.element;
	double weight = s->stored > 0 ? s->stored : element;
	struct sc_work w = {0, 0};
	switch (a->law.op) {
	case SC_OP_GEMM:
		w = sc_work_gemm(x, shape[0], shape[1], weight);
		break;
	case SC_OP_PREFILL:
		w = sc_work_attention(shape[0], shape[1], shape[2],
				      row * sc_pairs(x, 0, 0), 0, element);
		break;
	case SC_OP_DECODE:
		w = sc_work_attention(shape[0], shape[1], shape[2], row * x,
				      row * x, element);
		break;
	default:
		w.bytes = sc_floor_message(x, shape[0]);
	}
	return sc_least_us(w, s->peak > 0 ? s->peak : a->peak, a->bandwidth,
			   l2_bytes);
}

/* Returns the time by the grid alone, before the least time of the kernel is
 * applied. */
static struct answer estimate(const struct table_index *a, const struct grid *s,
			      double row, double x)
{
	double law = sc_law_us(&a->law, s->shape, row, x);
	struct answer to = {law, SC_FALLBACK};
	if (!s->n_rows)
		return to;
	to.provenance = s->provenance;
	double r = residual_at(s, row, x, &to.provenance);
	if (a->monotone) {
		to.us = rising_at(a, s, row, x);
		return to;
	}
	double point = point_us(s, row, x);
	to.us = isnan(point) ? law * exp(r) : point;
	return to;
}

static struct answer raised(const struct table_index *a, const struct grid *s,
			    double row, double x, double l2_bytes)
{
	struct answer to = estimate(a, s, row, x);
	if (sc_worse(to.provenance, a->how) > SC_INTERPOLATED)
		to.us = fmax(to.us, least_us(a, s, row, x, l2_bytes));
	return to;
}

struct answer grid_at(const struct table_index *a, const struct grid *s,
		      double row, double x)
{
	return raised(a, s, row, x, 0);
}

struct answer grid_alone_at(const struct table_index *a, const struct grid *s,
			    double row, double x)
{
	return raised(
	    a, s, row, x,
	    a->law.op == SC_OP_ALL_REDUCE ? 0 : sc_floor_cache(a->l2_bytes));
}

double grid_least_us(const struct table_index *a, const struct grid *s,
		     double pairs, double cached)
{
	const double *shape = s->shape;
	return sc_least_us(sc_work_attention(shape[0], shape[1], shape[2],
					     pairs, cached, a->law.element),
			   a->peak, a->bandwidth, 0);
}

void set_point(const struct table_index *a, struct grid *s, uint32_t i,
	       uint32_t at, double row, double x, double residual)
{
	double us = exp(residual) * sc_law_us(&a->law, s->shape, row, x);
	if (a->monotone && at > s->start[i])
		us = fmax(us, s->us[at - 1]);
	s->x[at] = x;
	s->residual[at] = residual;
	s->us[at] = us;
}

int grid_reserve(struct grid *s, uint32_t rows, uint32_t points)
{
	*s = (struct grid){
	    .start = calloc(rows + 1, sizeof *s->start),
	    .made = calloc(rows + 1, 1),
	    .row = calloc(rows + 3 * (size_t)points + 1, sizeof *s->row)};
	if (!s->start || !s->made || !s->row) {
		grid_free(s);
		return -1;
	}
	s->x = s->row + rows;
	s->residual = s->x + points;
	s->us = s->residual + points;
	return 0;
}

void grid_free(struct grid *s)
{
	free(s->start);
	free(s->made);
	free(s->row);
	*s = (struct grid){0};
}
