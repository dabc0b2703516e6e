/* steps.c -- Reads steps from CSV, and writes one back. */
#include <config.h>
#include "cost/steps.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"

enum { STEP, DECODE, PREFILL, SAMPLED, N_COLUMNS };
static const char *const column[N_COLUMNS] = {"step", "decode", "prefill",
					      "sampled"};

struct reader {
	struct steps *s;
	int at[N_COLUMNS]; /* place of a column in the file; -1: absent */
};

static const char *on_header(struct reader *r, uint32_t n, char *const *cell)
{
	for (int c = 0; c < N_COLUMNS; c++)
		r->at[c] = -1;
	for (uint32_t i = 0; i < n; i++) {
		int c = 0;
		while (c < N_COLUMNS && strcmp(column[c], cell[i]))
			c++;
		if (c == N_COLUMNS || r->at[c] >= 0)
			return "columns are step,decode,prefill[,sampled]";
		r->at[c] = (int)i;
	}
	for (int c = 0; c < SAMPLED; c++)
		if (r->at[c] < 0)
			return "columns are step,decode,prefill[,sampled]";
	return NULL;
}

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

/* Reads items "A:B[xTIMES]", or "A[+B][xTIMES]" where B is 1 if absent, and
 * stores them if a is not NULL.  Returns the number of sequences, or -1. */
static int64_t sequences(const char *s, char between, uint32_t *a, uint32_t *b)
{
	int64_t n = 0;
	while (*s) {
		uint32_t va, vb = 1, times = 1;
		if (!number(&s, &va))
			return -1;
		if (between == ':' && *s != ':')
			return -1;
		if (*s == between &&
		    (s++, !number(&s, &vb) || vb == 0 || vb > UINT32_MAX - va))
			return -1;
		if (*s == 'x' && (s++, !number(&s, &times) || times == 0))
			return -1;
		if (n + times > STEPS_MAX_SEQUENCES)
			return -1;
		for (uint32_t i = 0; a && i < times; i++) {
			a[n + i] = va;
			b[n + i] = vb;
		}
		n += times;
		if (*s == ';' && s[1])
			s++;
		else if (*s)
			return -1;
	}
	return n;
}

/* Returns the column `step` if it is a whole number, so that a row reads back
 * as it was written; otherwise the number of the row. */
static uint64_t step_index(const char *name, uint64_t row)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(name, &end, 10);
	return *name >= '0' && *name <= '9' && !*end && !errno ? n : row;
}

static const char *parse(const struct reader *r, char *const *cell,
			 struct given_step *g)
{
	const char *decode = cell[r->at[DECODE]];
	const char *prefill = cell[r->at[PREFILL]];
	int64_t nd = sequences(decode, '+', NULL, NULL);
	if (nd < 0)
		return "decode must be KV lengths, as in 4096;64x15, each with "
		       "its number of tokens if that is not 1, as in 4096+4x15";
	int64_t np = sequences(prefill, ':', NULL, NULL);
	if (np < 0)
		return "prefill must be cached:new tokens, as in "
		       "0:513;128:1000x2";
	g->name = strdup(cell[r->at[STEP]]);
	g->decode_ctx = calloc((size_t)nd + 1, sizeof *g->decode_ctx);
	g->decode_new = calloc((size_t)nd + 1, sizeof *g->decode_new);
	g->prefill_ctx = calloc((size_t)np + 1, sizeof *g->prefill_ctx);
	g->prefill_new = calloc((size_t)np + 1, sizeof *g->prefill_new);
	if (!g->name || !g->decode_ctx || !g->decode_new || !g->prefill_ctx ||
	    !g->prefill_new)
		return out_of_memory;
	sequences(decode, '+', g->decode_ctx, g->decode_new);
	sequences(prefill, ':', g->prefill_ctx, g->prefill_new);
	g->step = (sc_step){.size = sizeof g->step,
			    .step_index = step_index(g->name, r->s->n),
			    .n_prefill = (uint32_t)np,
			    .n_decode = (uint32_t)nd,
			    .n_sampled = (uint32_t)(np + nd),
			    .prefill_new = g->prefill_new,
			    .prefill_ctx = g->prefill_ctx,
			    .decode_ctx = g->decode_ctx};
	for (int64_t i = 0; i < nd; i++)
		if (g->decode_new[i] != 1)
			g->step.decode_new = g->decode_new;
	const char *sampled = r->at[SAMPLED] < 0 ? "" : cell[r->at[SAMPLED]];
	if (*sampled && (!number(&sampled, &g->step.n_sampled) || *sampled ||
			 g->step.n_sampled > np + nd))
		return "sampled must be at most the number of sequences";
	return NULL;
}

static void free_step(struct given_step *g)
{
	free(g->name), free(g->decode_ctx), free(g->decode_new);
	free(g->prefill_ctx), free(g->prefill_new);
}

static const char *on_step_row(void *user, uint64_t row, uint32_t n,
			       char *const *cell)
{
	struct reader *r = user;
	struct steps *s = r->s;
	if (row == 0)
		return on_header(r, n, cell);
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct given_step *item = realloc(s->item, cap * sizeof *item);
		if (!item)
			return out_of_memory;
		s->item = item;
		s->cap = cap;
	}
	struct given_step g = {0};
	const char *why = parse(r, cell, &g);
	if (why)
		free_step(&g);
	else
		s->item[s->n++] = g;
	return why;
}

int steps_read(struct steps *s, FILE *f, const char *origin, struct problem *p)
{
	struct reader r = {.s = s};
	*s = (struct steps){0};
	if (csv_read(f, origin, on_step_row, &r, p) == 0)
		return 0;
	steps_free(s);
	return -1;
}

void steps_free(struct steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_step(&s->item[i]);
	free(s->item);
	*s = (struct steps){0};
}

/* ---- a step as cells ---- */

static uint32_t run_length(uint32_t i, uint32_t n, const uint32_t *a,
			   const uint32_t *b)
{
	uint32_t k = i + 1;
	while (k < n && a[k] == a[i] && (!b || b[k] == b[i]))
		k++;
	return k - i;
}

/* Writes items; b[i] follows `between`, except "+1", which is left out. */
static void cells(FILE *f, uint32_t n, const uint32_t *a, char between,
		  const uint32_t *b)
{
	for (uint32_t i = 0, times; i < n; i += times) {
		times = run_length(i, n, a, b);
		fprintf(f, "%s%" PRIu32, i ? ";" : "", a[i]);
		if (b && (between == ':' || b[i] != 1))
			fprintf(f, "%c%" PRIu32, between, b[i]);
		if (times > 1)
			fprintf(f, "x%" PRIu32, times);
	}
}

void steps_write_decode(FILE *f, const sc_step *step)
{
	cells(f, step->n_decode, step->decode_ctx, '+', step->decode_new);
}

void steps_write_prefill(FILE *f, const sc_step *step)
{
	cells(f, step->n_prefill, step->prefill_ctx, ':', step->prefill_new);
}

void steps_write_row(FILE *f, const sc_step *step)
{
	fprintf(f, "%" PRIu64 ",", step->step_index);
	steps_write_decode(f, step);
	fputc(',', f);
	steps_write_prefill(f, step);
	fprintf(f, ",%" PRIu32, step->n_sampled);
}
