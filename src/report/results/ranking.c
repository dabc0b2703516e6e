/* ranking.c -- Ranks arms that differ in one knob. */
#include "report/results/ranking.h"
#include <math.h>
#include <stdlib.h>
#include "record/metrics.h"

static const char *const shown[] = {"mean_e2el_ms", "mean_ttft_ms",
				    "mean_tpot_ms", "mean_step_us"};
enum { N_SHOWN = sizeof shown / sizeof *shown };

struct rank {
	const struct arm_result *arm;
	const struct variant *is;
	/* change: relative to the first arm */
	double value[N_SHOWN], change[N_SHOWN];
	size_t place; /* position of the arm in the study */
};

static int larger_first(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;
	double da = fabs(a->change[0]), db = fabs(b->change[0]);
	if (da != db)
		return da < db ? 1 : -1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Returns the ranks of the other arms that did not fail; *n: how many.  NULL:
 * the first arm failed, or memory is out. */
static struct rank *rank_arms(const struct study *s, const struct variants *v,
			      size_t *n)
{
	struct rank *r = calloc(s->n + 1, sizeof *r);
	*n = 0;
	if (!r || s->arm[0].error) {
		free(r);
		return NULL;
	}
	for (size_t i = 1; i < s->n && i < v->n; i++) {
		struct rank *k = &r[*n];
		if (s->arm[i].error)
			continue;
		*k = (struct rank){
		    .arm = &s->arm[i], .is = &v->item[i], .place = i};
		for (int m = 0; m < N_SHOWN; m++) {
			const struct metric *x = metric_find(shown[m]);
			double was =
			    metric_value(x, &s->arm[0].record->outcome);
			k->value[m] =
			    metric_value(x, &s->arm[i].record->outcome);
			k->change[m] = was != 0 ? k->value[m] / was - 1 : 0;
		}
		++*n;
	}
	qsort(r, *n, sizeof *r, larger_first);
	return r;
}

static void add_row(struct columns *c, const struct rank *r)
{
	if (r->is->knob)
		columns_row(c, "%s = %s", r->is->knob, r->is->value);
	else
		columns_row(c, "all of %s", r->arm->name);
	for (size_t m = 0; m < N_SHOWN; m++) {
		if (r->is->inert) {
			columns_cell(c, m, 0, "inert");
			continue;
		}
		columns_cell(c, m, 0, "%.2f %+.2f %%", r->value[m],
			     100 * r->change[m]);
		columns_value(c, m, 0, r->value[m]);
	}
}

void ranking_document(const struct study *s, const struct variants *v,
		      struct document *d)
{
	size_t n;
	struct rank *r = rank_arms(s, v, &n);
	struct columns c = {.n_groups = N_SHOWN, .per_group = 1, .is_plain = 1};
	if (!r)
		return;
	document_heading(d, "The largest changes of the result, against %s",
			 s->arm[0].name);
	columns_row(&c, "changed");
	for (size_t m = 0; m < N_SHOWN; m++)
		columns_metric_cell(&c, m, 0, shown[m]);
	for (size_t i = 0; i < n; i++)
		add_row(&c, &r[i]);
	document_table(d, &c);
	free(r);
}

void ranking_json(const struct study *s, const struct variants *v, struct jw *j)
{
	size_t n;
	struct rank *r = rank_arms(s, v, &n);
	jw_array(j, "ranking");
	for (size_t i = 0; r && i < n; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "arm", r[i].arm->name);
		jw_text(j, "knob", r[i].is->knob);
		jw_text(j, "value", r[i].is->value);
		jw_bool(j, "inert", r[i].is->inert);
		for (int m = 0; m < N_SHOWN; m++) {
			char key[64];
			jw_number(j, shown[m], r[i].value[m]);
			snprintf(key, sizeof key, "%s_change", shown[m]);
			jw_number(j, key, r[i].change[m]);
		}
		jw_end(j);
	}
	jw_end(j);
	free(r);
}
