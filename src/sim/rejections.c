/* rejections.c -- Counts requests that cannot be served, by reason. */
#include <config.h>
#include "sim/rejections.h"
#include <inttypes.h>

const char *const rejection_name[N_REJECTIONS] = {
    "longer than max_model_len", "longer than the whole KV cache",
    "of 2^31 tokens or more"};

static void join(struct rejected *to, const struct rejected *more)
{
	if (!to->n) {
		*to = *more;
		return;
	}
	to->n += more->n;
}

void rejections_add(struct rejections *r, enum rejection why,
		    const struct request *q)
{
	join(&r->of[why], &(struct rejected){1, q->row, q->line});
}

void rejections_join(struct rejections *to, const struct rejections *other)
{
	for (int i = 0; i < N_REJECTIONS; i++)
		join(&to->of[i], &other->of[i]);
}

void rejections_write(const struct rejections *r, FILE *f)
{
	for (int i = 0; i < N_REJECTIONS; i++) {
		const struct rejected *x = &r->of[i];
		if (!x->n)
			continue;
		fprintf(f,
			"%" PRIu64 " request%s rejected: %s (the first: "
			"request %" PRIu64,
			x->n, x->n == 1 ? "" : "s", rejection_name[i],
			x->first_row);
		if (x->first_line)
			fprintf(f, ", line %" PRIu64, x->first_line);
		fputs(")\n", f);
	}
}
