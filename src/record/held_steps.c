/* held_steps.c -- Holds the lines of steps until their tokens are known. */
#include "record/held_steps.h"
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

void held_steps_cell(FILE *f, const struct scheduled *s, uint32_t n)
{
	int is_first = 1;
	for (uint32_t i = 0; i < n; i++) {
		if (s[i].emitted == 0)
			continue;
		if (!is_first)
			putc_unlocked(';', f);
		is_first = 0;
		number_write(f, s[i].row);
		putc_unlocked(':', f);
		number_write(f, s[i].emitted);
	}
}

static void free_step(struct held_step *x)
{
	free(x->before);
	free(x->behind);
	free(x->scheduled);
}

static int grow(struct held_steps *h)
{
	uint32_t cap = h->cap ? 2 * h->cap : 4;
	void *more = realloc(h->step, cap * sizeof *h->step);
	if (!more)
		return -1;
	h->step = more;
	h->cap = cap;
	return 0;
}

int held_steps_add(struct held_steps *h, const struct step_event *e,
		   char *before, char *behind)
{
	size_t bytes = e->n_scheduled * sizeof *e->scheduled;
	struct held_step x = {.replica = e->step->replica,
			      .before = before,
			      .behind = behind,
			      .n = e->n_scheduled,
			      .scheduled = malloc(bytes ? bytes : 1)};
	if (!before || !behind || !x.scheduled ||
	    (h->n == h->cap && grow(h) < 0)) {
		free_step(&x);
		return -1;
	}
	memcpy(x.scheduled, e->scheduled, bytes);
	h->step[h->n++] = x;
	return 0;
}

static void write_line(FILE *f, const struct held_step *x)
{
	fputs(x->before, f);
	held_steps_cell(f, x->scheduled, x->n);
	fputs(x->behind, f);
}

void held_steps_write(struct held_steps *h, const struct results_event *e,
		      FILE *f)
{
	uint32_t k = 0;
	while (k < h->n && h->step[k].replica != e->replica)
		k++;
	if (k == h->n)
		return;
	struct held_step x = h->step[k];
	for (uint32_t i = 0; i < x.n && i < e->n_members; i++)
		if (e->is_lost[i])
			x.scheduled[i].emitted = 0;
	write_line(f, &x);
	free_step(&x);
	memmove(&h->step[k], &h->step[k + 1], (--h->n - k) * sizeof *h->step);
}

void held_steps_end(struct held_steps *h, FILE *f)
{
	for (uint32_t k = 0; k < h->n; k++) {
		write_line(f, &h->step[k]);
		free_step(&h->step[k]);
	}
	free(h->step);
	*h = (struct held_steps){0};
}
