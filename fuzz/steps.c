/* steps.c -- Any bytes as given steps; may fail, must not crash, and steps
 * that were read are the same after they are written and read again. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "cost/steps.h"

static int is_same(const sc_step *a, const sc_step *b)
{
	size_t decode = a->n_decode * sizeof *a->decode_ctx;
	size_t prefill = a->n_prefill * sizeof *a->prefill_new;
	return a->n_decode == b->n_decode && a->n_prefill == b->n_prefill &&
	       a->n_sampled == b->n_sampled &&
	       !a->decode_new == !b->decode_new &&
	       !memcmp(a->decode_ctx, b->decode_ctx, decode) &&
	       !(a->decode_new &&
		 memcmp(a->decode_new, b->decode_new, decode)) &&
	       !memcmp(a->prefill_new, b->prefill_new, prefill) &&
	       !memcmp(a->prefill_ctx, b->prefill_ctx, prefill);
}

static void write_and_read(const struct steps *s)
{
	char *text = NULL;
	size_t n = 0;
	struct steps again;
	struct problem p;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return;
	fputs("step,decode,prefill,sampled\n", f);
	for (size_t i = 0; i < s->n; i++) {
		steps_write_row(f, &s->item[i].step);
		fputc('\n', f);
	}
	fclose(f);
	f = fmemopen(text, n, "r");
	if (!f || steps_read(&again, f, "written", NULL, &p) < 0 ||
	    again.n != s->n)
		abort();
	for (size_t i = 0; i < s->n; i++)
		if (!is_same(&s->item[i].step, &again.item[i].step))
			abort();
	fclose(f);
	free(text);
	steps_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct steps s;
	struct problem p;
	FILE *f = fuzz_stream(data, size);
	if (f) {
		if (steps_read(&s, f, "fuzz.csv", NULL, &p) == 0) {
			write_and_read(&s);
			steps_free(&s);
		}
		fclose(f);
	}
	return 0;
}
