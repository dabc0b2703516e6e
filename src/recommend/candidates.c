/* candidates.c -- Lists the configurations to choose from. */
#include "recommend/candidates.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/text.h"
#include "recommend/shapes.h"

/* ---- one configuration after another ---- */

struct writing {
	FILE *f;
	const struct domains *d;
	struct shapes shapes;
	long hardware; /* index of its value; -1: not tried                   */
	size_t n;
};

static int is_of_shape(int which)
{
	return which >= DOMAIN_TP && which <= DOMAIN_DECODE_REPLICAS;
}

/* Keys with values that do not depend on the GPUs: each value of each with all
 * values of the others. */
static int is_free(const struct domains *d, size_t i)
{
	return d->item[i].value.n > 0 && !is_of_shape((int)i) &&
	       i != DOMAIN_HARDWARE;
}

static void write_head(const struct writing *w)
{
	const char *comma = "";
	for (size_t i = 0; i < w->d->n; i++) {
		if (!w->d->item[i].value.n)
			continue;
		fputs(comma, w->f);
		csv_text(w->f, w->d->item[i].key);
		comma = ",";
	}
	fputc('\n', w->f);
}

/* at[]: the values of free keys. */
static void write_row(struct writing *w, const struct shape *x,
		      const size_t *at)
{
	const char *comma = "";
	char text[16];
	for (size_t i = 0; i < w->d->n; i++) {
		const struct names *l = &w->d->item[i].value;
		if (!l->n)
			continue;
		fputs(comma, w->f);
		comma = ",";
		if (i == DOMAIN_HARDWARE)
			csv_text(w->f, l->item[w->hardware]);
		else if (is_free(w->d, i))
			csv_text(w->f, l->item[at[i]]);
		else if (shape_value(x, (int)i, text))
			fputs(text, w->f);
	}
	fputc('\n', w->f);
	w->n++;
}

/* Goes to the next values of the free keys.  Returns 0 after the last. */
static int go_on(const struct domains *d, size_t *at)
{
	for (size_t i = d->n; i-- > 0;) {
		if (!is_free(d, i))
			continue;
		if (++at[i] < d->item[i].value.n)
			return 1;
		at[i] = 0;
	}
	return 0;
}

static int write_rows(struct writing *w, struct problem *p)
{
	size_t *at = calloc(w->d->n + 1, sizeof *at);
	if (!at)
		return problem_no_memory(p);
	for (size_t i = 0; i < w->shapes.n; i++)
		do
			write_row(w, &w->shapes.item[i], at);
		while (go_on(w->d, at));
	free(at);
	return 0;
}

/* ---- how many ---- */

static double combinations(const struct writing *w)
{
	double n = (double)w->shapes.n;
	for (size_t i = 0; i < w->d->n; i++)
		if (is_free(w->d, i))
			n *= (double)w->d->item[i].value.n;
	return n;
}

static int by_size(const void *a, const void *b)
{
	const struct domain *const *x = a, *const *y = b;
	return (*x)->value.n < (*y)->value.n ? 1 : -1;
}

/* Names the three keys with most values. */
static int refuse_many(const struct writing *w, double n, size_t most,
		       struct problem *p)
{
	const struct domain *by[3] = {0}, **all;
	all = calloc(w->d->n + 3, sizeof *all);
	if (!all)
		return problem_no_memory(p);
	for (size_t i = 0; i < w->d->n; i++)
		all[i] = &w->d->item[i];
	qsort(all, w->d->n, sizeof *all, by_size);
	memcpy(by, all, sizeof by);
	free(all);
	return problem_set(
	    p, EXIT_USAGE,
	    "%.0f configurations, more than %zu: %zu way%s to use the GPUs, "
	    "and most values have %s (%zu), %s (%zu), %s (%zu); --fix keys%s "
	    "--search fewer values%s",
	    n, most, w->shapes.n, w->shapes.n == 1 ? "" : "s", by[0]->key,
	    by[0]->value.n, by[1]->key, by[1]->value.n, by[2]->key,
	    by[2]->value.n, most > CANDIDATES_MOST ? " or" : ",",
	    most > CANDIDATES_MOST ? "" : ", or give --budget");
}

/* ---- the list ---- */

/* Returns 0 if the file keeps the pools together. */
static int has_roles(const struct config *base)
{
	const char *pools = ini_get(&base->cfg, "engine", "pools");
	return !pools || strcmp(pools, pools_words[POOLS_TOGETHER]) != 0;
}

static int write_gpu(struct writing *w, const struct candidates_request *r,
		     const struct config *base, int roles, uint32_t gpus,
		     struct problem *p)
{
	w->shapes = (struct shapes){.base = base,
				    .domain = w->d,
				    .gpus = gpus,
				    .most = r->most,
				    .p = p};
	int rc =
	    shapes_list(&w->shapes, r->serve != SERVE_DISAGGREGATED, roles);
	double n = rc == 0 ? combinations(w) + (double)w->n : 0;
	if (n > (double)r->most)
		rc = refuse_many(w, n, r->most, p);
	if (rc == 0)
		rc = write_rows(w, p);
	free(w->shapes.item);
	return rc;
}

static int write_all(struct writing *w, const struct candidates_request *r,
		     const struct config *base, int roles, struct problem *p)
{
	size_t n = w->d->item[DOMAIN_HARDWARE].value.n;
	if (r->n_gpus != 1 && r->n_gpus != (n ? n : 1))
		return problem_set(
		    p, EXIT_USAGE,
		    "--gpus: %zu numbers, but %zu kind%s of GPU; "
		    "--hardware A,B names the kinds",
		    r->n_gpus, n ? n : 1, n > 1 ? "s" : "");
	write_head(w);
	for (size_t i = 0; i < (n ? n : 1); i++) {
		w->hardware = (long)i;
		if (write_gpu(w, r, base, roles,
			      r->gpus[r->n_gpus == 1 ? 0 : i], p) < 0)
			return -1;
	}
	return w->n ? 0
		    : problem_set(p, EXIT_USAGE,
				  "no configuration uses that few GPUs");
}

int candidates_list(struct candidates *c, const struct candidates_request *r,
		    const struct config *base, struct problem *p)
{
	struct domain_request keys = r->keys;
	struct domains d;
	size_t size;
	int roles = r->serve != SERVE_AGGREGATED && has_roles(base);
	if (r->serve == SERVE_DISAGGREGATED && !roles)
		return problem_set(p, EXIT_USAGE,
				   "--serve disaggregated: [engine] pools = "
				   "together keeps prefill and decode in one");
	c->has_no_roles = r->serve == SERVE_BOTH && !roles;
	keys.has_roles = roles;
	keys.has_aggregated = r->serve != SERVE_DISAGGREGATED;
	int rc = domains_make(&d, &keys, base, p);
	struct writing w = {.d = &d};
	if (rc == 0 && !(w.f = text_open(&c->list, &size)))
		rc = problem_no_memory(p);
	if (rc == 0)
		rc = write_all(&w, r, base, roles, p);
	if (w.f && fclose(w.f) != 0 && rc == 0)
		rc = problem_no_memory(p);
	c->n = w.n;
	domains_free(&d);
	return rc;
}

void candidates_free(struct candidates *c)
{
	free(c->list);
	*c = (struct candidates){0};
}

/* ---- the longest request ---- */

uint64_t candidates_longest(const struct config *base, struct problem *p)
{
	enum { MANY = 65536 };
	struct request q;
	uint64_t longest = 0;
	struct workload_keys k = base->workload_keys;
	/* A longer run of generated requests may have longer ones. */
	if (!*k.trace && !*k.stages && k.num_requests < MANY)
		k.num_requests = MANY;
	struct workload *w = workload_open(&k, &base->cfg, p);
	if (!w)
		return 0;
	int64_t at;
	int got;
	while ((got = workload_peek(w, &at, p)) == 1 &&
	       workload_pop(w, &q, p) == 0) {
		uint64_t n = (uint64_t)q.input_tokens + q.output_tokens;
		longest = n > longest ? n : longest;
		workload_finished(w, q.row, q.arrival_ns);
	}
	workload_free(w);
	return got < 0 ? 0 : longest;
}
