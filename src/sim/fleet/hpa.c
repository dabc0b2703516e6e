/* hpa.c -- Decides by the rule of Kubernetes' horizontal autoscaler. */
#include "sim/fleet/hpa.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

void hpa_free(struct hpa *h)
{
	free(h->least.item);
	free(h->most.item);
	free(h->added.item);
}

/* Adds an item; those before `since_ns` are needed no more. */
static int add(struct hpa_past *p, int64_t since_ns, struct hpa_item x)
{
	while (p->first < p->end && p->item[p->first].at_ns < since_ns)
		p->first++;
	if (p->end == p->cap && p->first > p->cap / 2) {
		memmove(p->item, p->item + p->first,
			(p->end - p->first) * sizeof *p->item);
		p->end -= p->first;
		p->first = 0;
	}
	if (!MAKE_ROOM(p->item, p->end, p->cap))
		return -1;
	p->item[p->end++] = x;
	return 0;
}

static uint64_t round_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static int is_near(const struct fleet_rules *is, uint64_t metric, uint64_t n)
{
	const uint64_t one = 1000000;
	__extension__ typedef unsigned __int128 wide;
	wide whole = (wide)is->target * n, has = (wide)metric * one;
	wide width = whole * is->tolerance;
	return has < whole * one
		   ? whole * one - has <= width
		   : has == whole * one || has - whole * one < width;
}

/* Drops the numbers that a younger one makes needless: those that are no
 * smaller, or where the largest is asked for, no larger. */
static void drop_needless(struct hpa_past *p, uint64_t n, int is_of_most)
{
	while (p->end > p->first && (is_of_most ? p->item[p->end - 1].n <= n
						: p->item[p->end - 1].n >= n))
		p->end--;
}

/* Returns the replicas after stabilization: n rises at most to the least wish
 * in the window for more, and falls at most to the largest wish in the window
 * for fewer.  If memory is out, n. */
static uint64_t stabilise(struct hpa *h, int64_t now_ns, uint64_t want,
			  uint64_t n)
{
	const struct hpa_item x = {now_ns, want};
	drop_needless(&h->least, want, 0);
	drop_needless(&h->most, want, 1);
	if (add(&h->least, now_ns - h->is->up_window_ns, x) < 0 ||
	    add(&h->most, now_ns - h->is->down_window_ns, x) < 0) {
		h->out_of_memory = 1;
		return n;
	}
	uint64_t least = h->least.item[h->least.first].n;
	uint64_t most = h->most.item[h->most.first].n;
	if (n < least)
		return least;
	return n > most ? most : n;
}

/* The most that the policy for more allows. */
static uint64_t limit(const struct hpa *h, int64_t now_ns, uint64_t n)
{
	uint64_t added = 0;
	for (uint64_t i = h->added.first; i < h->added.end; i++)
		if (now_ns - h->added.item[i].at_ns < h->is->period_ns)
			added += h->added.item[i].n;
	uint64_t was = n > added ? n - added : 0;
	uint64_t by_share = round_up(was * (100 + h->is->up_percent), 100);
	uint64_t by_number = was + h->is->up_pods;
	uint64_t most = by_share > by_number ? by_share : by_number;
	return most > n ? most : n;
}

uint64_t hpa_desired(struct hpa *h, int64_t now_ns, uint64_t metric, uint64_t n)
{
	const struct fleet_rules *is = h->is;
	uint64_t want =
	    is_near(is, metric, n) ? n : round_up(metric, is->target);
	uint64_t out = stabilise(h, now_ns, want, n),
		 most = limit(h, now_ns, n);
	out = out < most ? out : most;
	out = out < is->max ? out : is->max;
	out = out > is->min ? out : is->min;
	if (out > n && add(&h->added, now_ns - is->period_ns,
			   (struct hpa_item){now_ns, out - n}) < 0)
		h->out_of_memory = 1;
	return out;
}
