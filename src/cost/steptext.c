/* steptext.c -- Writes a step as the cells of a steps file. */
#include <config.h>
#include "cost/steptext.h"
#include <inttypes.h>

static uint32_t run_length(uint32_t i, uint32_t n, const uint32_t *a,
			   const uint32_t *b)
{
	uint32_t k = i + 1;
	while (k < n && a[k] == a[i] && (!b || b[k] == b[i]))
		k++;
	return k - i;
}

static void cells(FILE *f, uint32_t n, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t i = 0, times; i < n; i += times) {
		times = run_length(i, n, a, b);
		fprintf(f, "%s%" PRIu32, i ? ";" : "", a[i]);
		if (b)
			fprintf(f, ":%" PRIu32, b[i]);
		if (times > 1)
			fprintf(f, "x%" PRIu32, times);
	}
}

void steptext_decode(FILE *f, const sc_step *step)
{
	cells(f, step->n_decode, step->decode_ctx, NULL);
}

void steptext_prefill(FILE *f, const sc_step *step)
{
	cells(f, step->n_prefill, step->prefill_ctx, step->prefill_new);
}

void steptext_row(FILE *f, const sc_step *step)
{
	fprintf(f, "%" PRIu64 ",", step->step_index);
	steptext_decode(f, step);
	fputc(',', f);
	steptext_prefill(f, step);
	fprintf(f, ",%" PRIu32, step->n_sampled);
}
