/* shapes.c -- Lists the ways to use GPUs. */
#include "recommend/shapes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/number.h"

/* Above this number of GPUs, `each` number of replicas is each power of two. */
enum { FEW_GPUS = 16 };

/* ---- numbers of a domain ---- */

struct numbers {
	uint32_t *item;
	size_t n, cap;
};

enum { MOST_NUMBERS = 4096 };

static int put(struct numbers *l, uint32_t v)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i] == v)
			return 0;
	if (l->n == MOST_NUMBERS)
		return 0;
	if (!MAKE_ROOM(l->item, l->n, l->cap))
		return -1;
	l->item[l->n++] = v;
	return 0;
}

/* Each number up to `most` of few GPUs; powers of two and the largest of
 * many. */
static int put_each(struct numbers *l, uint32_t most, uint32_t gpus)
{
	int rc = 0;
	for (uint32_t v = 1; rc == 0 && v <= most; v++)
		if (gpus <= FEW_GPUS || !(v & (v - 1)) || v == most)
			rc = put(l, v);
	return rc;
}

/* Lists the values of a domain, at most `most`, which is also what `all` and
 * `rest` stand for. */
static int numbers_of(const struct shapes *s, int which, uint32_t most,
		      struct numbers *l)
{
	const struct domain *x = &s->domain->item[which];
	int rc = 0;
	if (x->value.n > MOST_NUMBERS)
		return problem_set(s->p, EXIT_USAGE,
				   "--search %s: %zu values, more than %d",
				   x->key, x->value.n, MOST_NUMBERS);
	for (size_t i = 0; rc == 0 && i < x->value.n; i++) {
		const char *text = x->value.item[i];
		int64_t v = 0;
		const char *end = number_parse_whole(text, &v);
		if (!strcmp(text, "all") || !strcmp(text, "rest"))
			rc = put(l, most);
		else if (!strcmp(text, "each"))
			rc = put_each(l, most, s->gpus);
		else if (end == text || *end || v < 1)
			return problem_set(s->p, EXIT_USAGE,
					   "--search %s: %s: not a whole "
					   "number above 0",
					   x->key, text);
		else if (v <= most)
			rc = put(l, (uint32_t)v);
	}
	return rc < 0 ? problem_no_memory(s->p) : 0;
}

/* A key that is not tried has the value of the configuration.  The caller frees
 * l->item in any case. */
static int values_or(const struct shapes *s, int which, int64_t configured,
		     uint32_t most, struct numbers *l)
{
	*l = (struct numbers){0};
	if (s->domain->item[which].value.n)
		return numbers_of(s, which, most, l);
	if (configured > most)
		return 0;
	return put(l, (uint32_t)configured) < 0 ? problem_no_memory(s->p) : 0;
}

/* ---- the list ---- */

static int add(struct shapes *s, const struct shape *x)
{
	if (s->most && s->n == s->most)
		return problem_set(
		    s->p, EXIT_USAGE,
		    "more than %zu ways to use the GPUs: --fix keys of "
		    "parallel sizes and replicas, or --search fewer of their "
		    "values",
		    s->most);
	if (!MAKE_ROOM(s->item, s->n, s->cap))
		return problem_no_memory(s->p);
	s->item[s->n++] = *x;
	return 0;
}

static int add_replicas(struct shapes *s, struct shape x)
{
	uint32_t unit = x.tp * x.pp * x.dp;
	struct numbers n;
	if (unit > s->gpus)
		return 0;
	int rc = values_or(s, DOMAIN_REPLICAS, s->base->engine_keys.replicas,
			   s->gpus / unit, &n);
	for (size_t i = 0; rc == 0 && i < n.n; i++) {
		x.replicas = n.item[i];
		rc = add(s, &x);
	}
	free(n.item);
	return rc;
}

/* Experts on one GPU are in parallel with nothing. */
static int add_experts(struct shapes *s, struct shape x)
{
	const struct names *l = &s->domain->item[DOMAIN_EP].value;
	x.ep = -1;
	if (!l->n)
		return add_replicas(s, x);
	for (size_t i = 0; i < l->n; i++) {
		x.ep = !strcmp(l->item[i], "true");
		if (x.ep && l->n > 1 && x.tp * x.dp == 1)
			continue;
		if (add_replicas(s, x) < 0)
			return -1;
	}
	return 0;
}

static int add_data_parallel(struct shapes *s, struct shape x)
{
	const struct engine_keys *k = &s->base->engine_keys;
	struct numbers n;
	uint32_t most = s->gpus / (x.tp * x.pp);
	if (!most)
		return 0;
	int rc = values_or(s, DOMAIN_DP, k->data_parallel_size, most, &n);
	for (size_t i = 0; rc == 0 && i < n.n; i++) {
		x.dp = n.item[i];
		rc = add_experts(s, x);
	}
	free(n.item);
	return rc;
}

static int add_aggregated(struct shapes *s)
{
	const struct engine_keys *k = &s->base->engine_keys;
	struct numbers tp, pp = {0};
	int rc = values_or(s, DOMAIN_TP, k->tensor_parallel_size, s->gpus, &tp);
	if (rc == 0)
		rc = values_or(s, DOMAIN_PP, k->pipeline_parallel_size, s->gpus,
			       &pp);
	for (size_t i = 0; i < tp.n; i++)
		for (size_t j = 0; rc == 0 && j < pp.n; j++)
			rc = add_data_parallel(
			    s,
			    (struct shape){.tp = tp.item[i], .pp = pp.item[j]});
	free(tp.item), free(pp.item);
	return rc;
}

static int add_role(struct shapes *s, struct shape x, int role, uint32_t left);

/* Each number of replicas of this role, and with it the other role. */
static int add_role_replicas(struct shapes *s, struct shape x, int role,
			     uint32_t left)
{
	static const int of_replicas[] = {DOMAIN_PREFILL_REPLICAS,
					  DOMAIN_DECODE_REPLICAS};
	uint32_t tp = x.role_tp[role];
	struct numbers n;
	int rc = values_or(s, of_replicas[role], 1, left / tp, &n);
	for (size_t k = 0; rc == 0 && k < n.n; k++) {
		x.role_replicas[role] = n.item[k];
		rc = add_role(s, x, role + 1, left - tp * n.item[k]);
	}
	free(n.item);
	return rc;
}

/* The second role with what the first one leaves. */
static int add_role(struct shapes *s, struct shape x, int role, uint32_t left)
{
	static const int of_tp[] = {DOMAIN_PREFILL_TP, DOMAIN_DECODE_TP};
	struct numbers tp;
	if (role == 2)
		return add(s, &x);
	int rc =
	    values_or(s, of_tp[role], s->base->engine_keys.tensor_parallel_size,
		      left, &tp);
	for (size_t i = 0; rc == 0 && i < tp.n; i++) {
		x.role_tp[role] = tp.item[i];
		rc = add_role_replicas(s, x, role, left);
	}
	free(tp.item);
	return rc;
}

int shapes_list(struct shapes *s, int aggregated, int roles)
{
	if (aggregated && add_aggregated(s) < 0)
		return -1;
	return roles ? add_role(s, (struct shape){.ep = -1}, 0, s->gpus) : 0;
}

int shape_value(const struct shape *x, int which, char buf[16])
{
	const uint32_t value[DOMAIN_KEYS] = {
	    [DOMAIN_TP] = x->tp,
	    [DOMAIN_PP] = x->pp,
	    [DOMAIN_DP] = x->dp,
	    [DOMAIN_REPLICAS] = x->replicas,
	    [DOMAIN_PREFILL_TP] = x->role_tp[0],
	    [DOMAIN_PREFILL_REPLICAS] = x->role_replicas[0],
	    [DOMAIN_DECODE_TP] = x->role_tp[1],
	    [DOMAIN_DECODE_REPLICAS] = x->role_replicas[1],
	};
	if (which == DOMAIN_EP && x->tp && x->ep >= 0)
		snprintf(buf, 16, "%s", x->ep ? "true" : "false");
	else if (value[which])
		snprintf(buf, 16, "%u", value[which]);
	else
		return 0;
	return 1;
}
