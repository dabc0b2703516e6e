/* composition.c -- Reads and writes the composition of a step as cells. */
#include "cost/composition.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/problem.h"
#include "stepcost/sum.h"

/* ---- cells as a step ---- */

/* Reads digits only: no sign, no blank. */
static int number(const char **s, uint32_t *out)
{
	uint64_t v = 0;
	const char *p = *s;
	for (; *p >= '0' && *p <= '9'; p++)
		if ((v = 10 * v + (uint64_t)(*p - '0')) > UINT32_MAX)
			return 0;
	int any = p != *s;
	*s = p;
	*out = (uint32_t)v;
	return any;
}

/* Sequences of a kind: a[] and b[] as written, prompt[] for prefills. */
struct columns {
	uint32_t *a, *b, *prompt; /* NULL: not stored */
};

/* Reads "A:B[/PROMPT]" or "A[+B]" where B is 1 if absent.  PROMPT is 0 if
 * absent, else it has all of A + B. */
static int item(const char **s, char between, uint32_t *a, uint32_t *b,
		uint32_t *prompt)
{
	*b = 1;
	*prompt = 0;
	if (!number(s, a) || (between == ':' && **s != ':'))
		return 0;
	if (**s == between &&
	    (++*s, !number(s, b) || *b == 0 || *b > UINT32_MAX - *a))
		return 0;
	if (between == ':' && **s == '/' &&
	    (++*s, !number(s, prompt) || *prompt < *a + *b))
		return 0;
	return 1;
}

/* Reads items, each with "[xTIMES]", parted by ';'.  Returns the number of
 * sequences, or -1. */
static int64_t sequences(const char *s, char between, const struct columns *to)
{
	int64_t n = 0;
	while (*s) {
		uint32_t a, b, prompt, times = 1;
		if (!item(&s, between, &a, &b, &prompt))
			return -1;
		if (*s == 'x' && (s++, !number(&s, &times) || times == 0))
			return -1;
		if (n + times > STEPS_MAX_SEQUENCES)
			return -1;
		for (uint32_t i = 0; to && i < times; i++) {
			to->a[n + i] = a;
			to->b[n + i] = b;
			if (to->prompt)
				to->prompt[n + i] = prompt;
		}
		n += times;
		if (*s == ';' && s[1])
			s++;
		else if (*s)
			return -1;
	}
	return n;
}

/* Tells which chunks end their prompts, if any prompt is told. */
static void find_last(struct composition *c, const struct columns *prefill,
		      uint32_t *last)
{
	int any = 0;
	for (uint32_t i = 0; i < c->step.n_prefill; i++) {
		uint32_t end = prefill->a[i] + prefill->b[i];
		any |= prefill->prompt[i] != 0;
		if (!prefill->prompt[i])
			prefill->prompt[i] = end;
		last[i] = prefill->prompt[i] == end;
	}
	if (!any)
		return;
	c->step.prefill_last = last;
	c->step.prefill_prompt = c->prefill_prompt = prefill->prompt;
}

/* Makes the step from the texts of its decodes and prefills. */
static void fill(struct composition *c, const char *decode, const char *prefill,
		 size_t nd, size_t np)
{
	uint32_t *at = c->block;
	const struct columns d = {at, at + nd, NULL};
	const struct columns f = {at + 2 * nd, at + 2 * nd + np,
				  at + 2 * nd + 2 * np};
	sequences(decode, '+', &d);
	sequences(prefill, ':', &f);
	c->step = (sc_step){.size = sizeof c->step,
			    .n_prefill = (uint32_t)np,
			    .n_decode = (uint32_t)nd,
			    .n_sampled = (uint32_t)(np + nd),
			    .prefill_new = f.b,
			    .prefill_ctx = f.a,
			    .decode_ctx = d.a,
			    .decode_ctx_sum = sc_sum(d.a, (uint32_t)nd)};
	for (size_t i = 0; i < nd; i++)
		if (d.b[i] != 1)
			c->step.decode_new = d.b;
	find_last(c, &f, f.prompt + np);
}

const char *composition_read(struct composition *c, const char *decode,
			     const char *prefill, const char *sampled)
{
	*c = (struct composition){0};
	int64_t nd = sequences(decode, '+', NULL);
	if (nd < 0)
		return "decode must be KV lengths, as in 4096;64x15, each with "
		       "its number of tokens if that is not 1, as in 4096+4x15";
	int64_t np = sequences(prefill, ':', NULL);
	if (np < 0)
		return "prefill must be cached:new tokens, as in "
		       "0:513;128:1000x2, each with the tokens of its prompt "
		       "if it is a chunk, as in 0:512/2048";
	c->block = calloc((size_t)(2 * nd + 4 * np + 1), sizeof *c->block);
	if (!c->block)
		return out_of_memory;
	fill(c, decode, prefill, (size_t)nd, (size_t)np);
	if (*sampled && (!number(&sampled, &c->step.n_sampled) || *sampled ||
			 c->step.n_sampled > np + nd))
		return "sampled must be at most the number of sequences";
	return NULL;
}

void composition_free(struct composition *c)
{
	free(c->block);
	*c = (struct composition){0};
}

double composition_mean_context(const sc_step *step)
{
	return step->n_decode ? (double)sc_decode_ctx_sum(step) / step->n_decode
			      : (double)NAN;
}

/* ---- a step as cells ---- */

/* The columns of sequences as they are written. */
struct written {
	const uint32_t *a, *b;
	const uint32_t *last, *prompt; /* prefills; NULL: not told */
};

static int is_same(const struct written *w, uint32_t i, uint32_t k)
{
	return w->a[k] == w->a[i] && (!w->b || w->b[k] == w->b[i]) &&
	       (!w->last || w->last[k] == w->last[i]) &&
	       (!w->prompt || w->prompt[k] == w->prompt[i]);
}

static uint32_t run_length(const struct written *w, uint32_t i, uint32_t n)
{
	uint32_t k = i + 1;
	while (k < n && is_same(w, i, k))
		k++;
	return k - i;
}

/* Returns the tokens of the whole prompt of a chunk that does not end it. */
static uint32_t prompt_of(const struct written *w, uint32_t i)
{
	uint32_t end = w->a[i] + w->b[i];
	return w->prompt && w->prompt[i] > end ? w->prompt[i] : end + 1;
}

/* Writes items; b[i] follows `between`, except "+1", which is left out. */
static void cells(FILE *f, uint32_t n, const struct written *w, char between)
{
	for (uint32_t i = 0, times; i < n; i += times) {
		times = run_length(w, i, n);
		if (i)
			putc_unlocked(';', f);
		number_write(f, w->a[i]);
		if (w->b && (between == ':' || w->b[i] != 1)) {
			putc_unlocked(between, f);
			number_write(f, w->b[i]);
		}
		if (w->last && !w->last[i])
			fprintf(f, "/%" PRIu32, prompt_of(w, i));
		if (times > 1)
			fprintf(f, "x%" PRIu32, times);
	}
}

void steps_write_decode(FILE *f, const sc_step *step)
{
	const struct written w = {step->decode_ctx, step->decode_new, NULL,
				  NULL};
	cells(f, step->n_decode, &w, '+');
}

void steps_write_prefill(FILE *f, const sc_step *step)
{
	const struct written w = {
	    step->prefill_ctx, step->prefill_new, step->prefill_last,
	    SC_HAS(step, prefill_prompt) ? step->prefill_prompt : NULL};
	cells(f, step->n_prefill, &w, ':');
}

void steps_write_row(FILE *f, const sc_step *step)
{
	fprintf(f, "%" PRIu64 ",", step->step_index);
	steps_write_decode(f, step);
	fputc(',', f);
	steps_write_prefill(f, step);
	fprintf(f, ",%" PRIu32, step->n_sampled);
}
