/* not_counted.c -- Says which requests a result leaves out. */
#include "report/results/not_counted.h"
#include <inttypes.h>
#include "report/results/results.h"

/* Returns how many requests got no answer, although no client cancelled. */
static uint64_t not_served(const struct arm_result *a)
{
	const struct outcome *o = a->error ? NULL : &a->record->outcome;
	return o ? o->rejected + o->unfinished + o->failed : 0;
}

/* Writes why, for each reason: "211 rejected, with a prompt longer than ...".
 */
static void write_reasons(const struct outcome *o, FILE *f)
{
	const char *between = ": ";
	for (int why = 0; why < N_REJECTIONS; why++) {
		uint64_t n = o->rejections.of[why].n;
		if (!n)
			continue;
		fprintf(f, "%s%" PRIu64 " rejected, %s", between, n,
			rejection_name[why]);
		between = "; ";
	}
	if (o->unfinished) {
		fprintf(f, "%s%" PRIu64 " unfinished", between, o->unfinished);
		between = "; ";
	}
	if (o->failed)
		fprintf(f, "%s%" PRIu64 " lost by failures", between,
			o->failed);
}

/* Says how many requests the arm that served fewest left out, and why. */
void not_counted_answer(const struct results *r, struct document *d)
{
	size_t worst = 0, n = 0;
	for (size_t i = 0; i < r->n; i++) {
		n += not_served(&r->arm[i]) > 0;
		if (not_served(&r->arm[i]) > not_served(&r->arm[worst]))
			worst = i;
	}
	FILE *f = n ? document_write(d) : NULL;
	if (!f)
		return;
	const struct outcome *o = &r->arm[worst].record->outcome;
	fprintf(f, "%" PRIu64 " of %" PRIu64 " requests are not served",
		not_served(&r->arm[worst]), o->requests);
	if (r->n > 1)
		fprintf(f, " by %s", r->arm[worst].name);
	write_reasons(o, f);
	if (n > 1)
		fprintf(f, " (%zu of %zu arms leave requests out)", n, r->n);
	fputc('.', f);
	document_answered(d);
}

const struct warm_up *results_warm_up(const struct results *r)
{
	static const struct warm_up none;
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error)
			return &r->arm[i].record->outcome.warm_up;
	return &none;
}

void not_counted_warm_up(const struct results *r, struct document *d)
{
	const struct warm_up *cut = results_warm_up(r);
	if (!r->warm_up)
		return;
	document_say(d,
		     "Warm-up (%s): the first %" PRIu64
		     " requests, %.4g s, are simulated and not counted.%s",
		     r->warm_up, cut->requests, (double)cut->ns / 1e9,
		     r->is_unsteady ? " TTFT is not steady: run longer." : "");
}
