/* warm_up.c -- Reads the rule of a warm-up, and finds its end. */
#include "record/warm_up.h"
#include <stdlib.h>
#include <string.h>
#include "math/mser.h"

int warm_up_parse(struct warm_up_rule *r, const char *text, struct problem *p)
{
	char *end;
	*r = (struct warm_up_rule){0};
	if (!text)
		return 0;
	r->text = text;
	r->by_rule = !strcmp(text, "mser");
	double v = strtod(text, &end);
	if (r->by_rule)
		return 0;
	if (end != text && v >= 0 && v < 1e9 && !strcmp(end, "s")) {
		r->cut.ns = (int64_t)(v * 1e9);
		return 0;
	}
	if (*text >= '0' && *text <= '9' && !*end && v < 1e15 &&
	    v == (double)(uint64_t)v) {
		r->cut.requests = (uint64_t)v;
		return 0;
	}
	return problem_set(p, EXIT_USAGE,
			   "--warm-up %s: not a number of requests, seconds as "
			   "in 60s, mser, or 0",
			   text);
}

/* Appends the TTFT of a request to the series. */
static int take(void *ctx, const struct request_event *e, struct problem *p)
{
	struct warm_up_series *s = ctx;
	if (e->ttft_ns < 0)
		return 0;
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 1024;
		struct warm_up_sample *item =
		    realloc(s->item, cap * sizeof *item);
		if (!item)
			return problem_no_memory(p);
		s->item = item;
		s->cap = cap;
	}
	s->item[s->n++] = (struct warm_up_sample){
	    e->request.arrival_ns, e->request.row, (double)e->ttft_ns};
	return 0;
}

struct observer warm_up_observe(struct warm_up_series *s)
{
	return (struct observer){.on_request = take, .ctx = s};
}

static int by_arrival(const void *x, const void *y)
{
	const struct warm_up_sample *a = x, *b = y;
	if (a->arrival_ns != b->arrival_ns)
		return a->arrival_ns < b->arrival_ns ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

int warm_up_find(struct warm_up_series *s, uint64_t *requests, int *steady)
{
	double *ttft = calloc(s->n + 1, sizeof *ttft);
	if (!ttft)
		return -1;
	if (s->n)
		qsort(s->item, s->n, sizeof *s->item, by_arrival);
	for (size_t i = 0; i < s->n; i++)
		ttft[i] = s->item[i].ttft_ns;
	*requests = mser_cut(ttft, s->n, steady);
	free(ttft);
	return 0;
}

void warm_up_free(struct warm_up_series *s)
{
	free(s->item);
	*s = (struct warm_up_series){0};
}
