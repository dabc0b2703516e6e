/* steps.c -- Any bytes as given steps, and, before a line "==", other names of
 * columns; may fail, must not crash, steps that were read are the same after
 * they are written and read again, and those of one arm are kept. */
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

/* Keeps the rows with the arm of the last one. */
static void keep_arm(struct steps *s)
{
	size_t others, n = 0, all = s->n;
	char *arm =
	    all ? strdup(steps_cell(s, &s->item[all - 1], STEP_ARM)) : NULL;
	for (size_t i = 0; i < all; i++)
		n += !strcmp(steps_cell(s, &s->item[i], STEP_ARM), arm);
	int rc = steps_keep_arm(s, arm, &others);
	if (s->at[STEP_ARM] < 0 ? rc != (all ? -1 : 0)
				: rc < 0 || s->n != n || others > all - n)
		abort();
	free(arm);
}

static void check(struct steps *s)
{
	size_t others, n;
	write_and_read(s);
	keep_arm(s);
	n = s->n;
	if (steps_keep_arm(s, NULL, &others) < 0 || s->n != n || others)
		abort();
	steps_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t from, head = fuzz_split(data, size, &from);
	struct ini aliases = {0};
	struct steps s;
	struct problem p;
	FILE *f = fuzz_stream(data + from, size - from);
	if (f && ini_read(&aliases, (const char *)data, head, &p) == 0 &&
	    steps_read(&s, f, "fuzz.csv", &aliases, &p) == 0)
		check(&s);
	ini_free(&aliases);
	if (f)
		fclose(f);
	return 0;
}
