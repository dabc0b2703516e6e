/* swap.c -- Writes the effect of each part of a step's time by itself. */
#include "report/explain/swap.h"
#include <math.h>
#include "record/metrics.h"

/* The percentiles; the means come from attributed_name. */
static const char *const tail[] = {"p99_ttft_ms", "p99_tpot_ms", "p99_e2el_ms"};
enum { N_TAILS = sizeof tail / sizeof *tail };
enum { MEAN_DECIMALS = 3, TAIL_DECIMALS = 2 };

/* Returns the row's value of a metric minus the first row's.  NaN: one of them
 * has none. */
static double effect(const struct swap *s, size_t row, const char *name)
{
	const struct metric *m = metric_find(name);
	return swap_value(&s->row[row], m) - swap_value(&s->row[0], m);
}

static double capacity_effect(const struct swap *s, size_t row)
{
	return swap_capacity(&s->row[row]) - swap_capacity(&s->row[0]);
}

/* Returns the explanation for both arms.  NULL: there is no attribution. */
static const struct explanation *pair_of(const struct swap *s,
					 const struct explain *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->pair[i].of == s->of && e->pair[i].by == s->by)
			return e->pair[i].error ? NULL : &e->pair[i];
	return NULL;
}

/* Returns a row's share of the difference between both arms on a frozen
 * schedule, in ms; about: ATTRIBUTION_*.  For the last row this is the whole
 * difference.  NaN: there is none. */
static double frozen_ms(const struct swap *s, const struct explain *e,
			size_t row, int about)
{
	const struct explanation *x = pair_of(s, e);
	double sum = 0;
	if (!x || row == 0)
		return NAN;
	if (row == s->n_rows - 1)
		return x->shares[about].cost_model_ns / 1e6;
	for (int k = 0; k < N_COMPONENTS; k++)
		if (s->row[row].components & 1u << k)
			sum += x->shares[about].component_ns[k];
	return sum / 1e6;
}

/* Adds up the effects of the single parts. */
static double sum_of_effects(const struct swap *s, const char *name)
{
	double sum = 0;
	for (size_t i = 1; i + 1 < s->n_rows; i++)
		sum += effect(s, i, name);
	return sum;
}

/* Returns 1 if the row's part has no effect: neither model has that part. */
static int is_idle(const struct swap *s, const struct explain *e, size_t row)
{
	double moved = 0;
	if (!s->row[row].components || s->row[row].error)
		return 0;
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		double frozen = frozen_ms(s, e, row, m);
		moved += fabs(effect(s, row, attributed_name[m]));
		/* Sums may differ from zero by rounding. */
		moved += isnan(frozen) ? 0 : floor(1e6 * fabs(frozen));
	}
	return moved == 0 && (!s->has_capacity || capacity_effect(s, row) == 0);
}

/* ---- a document ---- */

static void value(struct columns *c, size_t group, double v, int decimals)
{
	if (isfinite(v))
		columns_cell(c, group, 0, "%.*f", decimals, v);
	else
		columns_cell(c, group, 0, "-");
}

static void change(struct columns *c, size_t group, size_t at, double v,
		   int decimals)
{
	if (isfinite(v))
		columns_cell(c, group, at, "%+.*f", decimals, v);
	else
		columns_cell(c, group, at, "-");
}

static void head(struct columns *c, size_t group, const char *left,
		 const char *right)
{
	columns_cell(c, group, 0, "%s", left);
	columns_cell(c, group, 1, "%s", right);
}

static void effects_row(struct columns *c, const struct swap *s,
			const struct explain *e, size_t row)
{
	const struct swap_row *r = &s->row[row];
	int is_arm = r->components == 0;
	columns_row(c, "%s%s", is_arm ? "" : "  ", r->name);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		const char *name = attributed_name[m];
		if (is_arm) {
			value(c, (size_t)m, swap_value(r, metric_find(name)),
			      MEAN_DECIMALS);
			continue;
		}
		change(c, (size_t)m, 0, effect(s, row, name), MEAN_DECIMALS);
		change(c, (size_t)m, 1, frozen_ms(s, e, row, m), MEAN_DECIMALS);
	}
}

/* Adds the rows that lead to the second arm's value in both columns. */
static void rest_rows(struct columns *c, const struct swap *s,
		      const struct explain *e)
{
	size_t last = s->n_rows - 1;
	columns_row(c, "  all, added up");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		change(c, (size_t)m, 0, sum_of_effects(s, attributed_name[m]),
		       MEAN_DECIMALS);
		change(c, (size_t)m, 1, frozen_ms(s, e, last, m),
		       MEAN_DECIMALS);
	}
	columns_row(c, "  interplay; feedback");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		const char *name = attributed_name[m];
		double real = effect(s, last, name);
		change(c, (size_t)m, 0, real - sum_of_effects(s, name),
		       MEAN_DECIMALS);
		change(c, (size_t)m, 1, real - frozen_ms(s, e, last, m),
		       MEAN_DECIMALS);
	}
}

static void effects(struct columns *c, const struct swap *s,
		    const struct explain *e)
{
	*c = (struct columns){.n_groups = ATTRIBUTION_STEPS, .per_group = 2};
	columns_row(c, "part");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		head(c, (size_t)m, attributed_name[m], "frozen");
	for (size_t i = 0; i + 1 < s->n_rows; i++)
		if (!is_idle(s, e, i))
			effects_row(c, s, e, i);
	rest_rows(c, s, e);
	effects_row(c, s, e, s->n_rows - 1);
}

/* ">=": no rate that was tried broke the bounds. */
static void capacity_cells(struct columns *c, const struct swap *s, size_t row)
{
	const struct swap_row *r = &s->row[row];
	double v = swap_capacity(r);
	if (isnan(v))
		return;
	columns_cell(c, N_TAILS, 0, "%s%.4g",
		     isinf(r->capacity->high) ? ">=" : "", v);
	if (row && isfinite(capacity_effect(s, row)))
		columns_cell(c, N_TAILS, 1, "%+.3g", capacity_effect(s, row));
}

static void tails_row(struct columns *c, const struct swap *s, size_t row)
{
	const struct swap_row *r = &s->row[row];
	columns_row(c, "%s%s", r->components ? "  " : "", r->name);
	for (size_t k = 0; k < N_TAILS; k++) {
		value(c, k, swap_value(r, metric_find(tail[k])), TAIL_DECIMALS);
		if (row)
			change(c, k, 1, effect(s, row, tail[k]), TAIL_DECIMALS);
	}
	if (s->has_capacity)
		capacity_cells(c, s, row);
}

static void tails(struct columns *c, const struct swap *s,
		  const struct explain *e)
{
	*c = (struct columns){.n_groups = N_TAILS + (size_t)s->has_capacity,
			      .per_group = 2};
	columns_row(c, "part, percentiles");
	for (size_t k = 0; k < N_TAILS; k++)
		head(c, k, tail[k], "change");
	if (s->has_capacity)
		head(c, N_TAILS, "capacity/s", "change");
	for (size_t i = 0; i < s->n_rows; i++)
		if (!is_idle(s, e, i))
			tails_row(c, s, i);
}

/* Explains the columns of the table. */
static void legend(const struct swap *s, FILE *f)
{
	if (!s->is_by_component)
		fputs("One of the models overlaps its work, so the parts are "
		      "phases. ",
		      f);
	fprintf(f,
		"First columns: a run with only this part at %s's price, "
		"including what follows for batches, queues and cache; "
		"interplay is the effect that the parts have only together. "
		"Frozen: the share of this part on the recorded schedules, as "
		"--why shows it; the rest is feedback.",
		s->study->arm[s->by].name);
	if (!s->has_capacity)
		return;
	fputs(" Capacity: the requests/s up to which ", f);
	for (size_t i = 0; i < s->bounds.n; i++)
		fprintf(f, "%s%s <= %g", i ? ", " : "",
			s->bounds.bound[i].metric->name,
			s->bounds.bound[i].limit);
	fprintf(f, "%s.",
		s->bounds.n ? "" : "the engine is not overloaded (no [slo])");
}

void swap_document(const struct swap *s, const struct explain *e,
		   struct document *d)
{
	struct columns c;
	document_heading(d, "One part at a time: %s with that part of %s",
			 s->study->arm[s->of].name, s->study->arm[s->by].name);
	effects(&c, s, e);
	document_table(d, &c);
	tails(&c, s, e);
	document_table(d, &c);
	for (size_t i = 0; i < s->n_rows; i++)
		if (s->row[i].error)
			document_say(d, "%s: %s", s->row[i].name,
				     s->row[i].error);
	FILE *f = document_write(d);
	if (f)
		legend(s, f);
	document_written(d, DOCUMENT_SENTENCE);
}

/* ---- JSON ---- */

static void write_metric(struct jw *j, const struct swap *s, size_t row,
			 const char *name, double frozen_ms)
{
	jw_flat_object(j, name);
	jw_number(j, "value", swap_value(&s->row[row], metric_find(name)));
	if (row)
		jw_number(j, "difference", effect(s, row, name));
	if (!isnan(frozen_ms))
		jw_number(j, "frozen_difference", frozen_ms);
	jw_end(j);
}

static void write_capacity(struct jw *j, const struct swap *s, size_t row)
{
	const struct swap_row *r = &s->row[row];
	if (!s->has_capacity || r->error) {
		jw_null(j, "capacity");
		return;
	}
	jw_flat_object(j, "capacity");
	jw_text(j, "verdict", capacity_verdict_name[r->capacity->verdict]);
	jw_number(j, "request_rate", swap_capacity(r));
	if (row)
		jw_number(j, "difference", capacity_effect(s, row));
	jw_end(j);
}

static void write_row(struct jw *j, const struct swap *s,
		      const struct explain *e, size_t row)
{
	const struct swap_row *r = &s->row[row];
	char key[COMPONENT_KEY];
	jw_object(j, NULL);
	jw_text(j, r->components ? "part" : "arm",
		r->components ? component_key(key, r->name) : r->name);
	if (r->error)
		jw_text(j, "error", r->error);
	jw_object(j, "metrics");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		write_metric(j, s, row, attributed_name[m],
			     frozen_ms(s, e, row, m));
	for (size_t k = 0; k < N_TAILS; k++)
		write_metric(j, s, row, tail[k], NAN);
	jw_end(j);
	write_capacity(j, s, row);
	jw_end(j);
}

void swap_json(const struct swap *s, const struct explain *e, struct jw *j)
{
	jw_object(j, "swap");
	jw_text(j, "of", s->study->arm[s->of].name);
	jw_text(j, "by", s->study->arm[s->by].name);
	jw_text(j, "unit", s->is_by_component ? "component" : "phase");
	jw_flat_object(j, "slo");
	for (size_t i = 0; i < s->bounds.n; i++)
		jw_number(j, s->bounds.bound[i].metric->name,
			  s->bounds.bound[i].limit);
	jw_end(j);
	jw_array(j, "rows");
	for (size_t i = 0; i < s->n_rows; i++)
		write_row(j, s, e, i);
	jw_end(j);
	jw_flat_object(j, "interplay");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		jw_number(j, attributed_name[m],
			  effect(s, s->n_rows - 1, attributed_name[m]) -
			      sum_of_effects(s, attributed_name[m]));
	jw_end(j);
	jw_end(j);
}
