/* pools.c -- Puts the figures of pools and transfers into tables. */
#include "report/results/pools.h"
#include <math.h>
#include "record/metrics.h"

/* Returns NULL if the arm failed or has only one pool. */
static const struct outcome *outcome_of(const struct results *r, size_t arm)
{
	if (r->arm[arm].error)
		return NULL;
	const struct outcome *o = &r->arm[arm].record->outcome;
	return o->n_pools < 2 ? NULL : o;
}

int pools_any(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (outcome_of(r, i))
			return 1;
	return 0;
}

static void number(struct columns *c, size_t group, size_t at, double v,
		   int decimals)
{
	if (isnan(v))
		columns_cell(c, group, at, "-");
	else
		columns_cell(c, group, at, "%.*f", decimals, v);
}

static void pools_head(struct columns *c, const struct results *r)
{
	columns_row(c, "pools");
	for (size_t i = 0; i < r->n; i++)
		for (uint32_t pool = 0; outcome_of(r, i) && pool < 2; pool++)
			columns_cell(c, i, pool, "%s%s%s", pool_name[pool],
				     r->n > 1 ? " of " : "",
				     r->n > 1 ? r->arm[i].name : "");
}

void pools_columns(struct columns *c, const struct results *r)
{
	*c = (struct columns){.n_groups = r->n, .per_group = 2};
	pools_head(c, r);
	for (size_t k = 0; k < n_pool_metrics; k++) {
		const struct pool_metric *m = &pool_metric[k];
		columns_row(c, "  %s", m->name);
		for (size_t i = 0; i < r->n; i++) {
			const struct outcome *o = outcome_of(r, i);
			for (uint32_t pool = 0; o && pool < 2; pool++)
				number(c, i, pool, m->number(o, pool),
				       m->decimals);
		}
	}
}

void pools_transfers(struct columns *c, const struct results *r)
{
	*c = (struct columns){.n_groups = r->n, .per_group = 1};
	columns_row(c, "KV caches sent between them");
	for (size_t i = 0; i < r->n; i++)
		if (outcome_of(r, i))
			columns_cell(c, i, 0, "%s", r->arm[i].name);
	for (size_t k = 0; k < n_transfer_metrics; k++) {
		const struct transfer_metric *m = &transfer_metric[k];
		columns_row(c, "  %s", m->name);
		for (size_t i = 0; i < r->n; i++) {
			const struct outcome *o = outcome_of(r, i);
			if (o)
				number(c, i, 0, m->number(o), m->decimals);
		}
	}
}
