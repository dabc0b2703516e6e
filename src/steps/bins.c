/* bins.c -- Sorts the rows of a set into groups. */
#include "steps/bins.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const step_bins_default[] = {"batch", "context", "skew", "new",
					 NULL};
enum { TELLING_ROWS = 10 };

/* ---- numbers of a step, and the edges between bins ---- */

static double batch(const sc_step *s)
{
	return s->n_decode ? s->n_decode : (double)NAN;
}

static double skew(const sc_step *s)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		most = s->decode_ctx[i] > most ? s->decode_ctx[i] : most;
	if (!s->n_decode)
		return (double)NAN;
	return most ? most / composition_mean_context(s) : 1;
}

static double new_tokens(const sc_step *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n_prefill; i++)
		sum += s->prefill_new[i];
	return s->n_prefill ? sum : (double)NAN;
}

/* A bin holds the values up to its edge; whole numbers "below 512" end at
 * 511. */
static const struct scale {
	const char *by;
	double (*of)(const sc_step *);
	int is_below; /* 1: a value on the edge is in the next bin */
	struct {
		const char *name;
		double edge;
	} bin[7];
} scale[] = {
    {"batch",
     batch,
     0,
     {{"1", 1},
      {"2-4", 4},
      {"5-16", 16},
      {"17-64", 64},
      {"65-256", 256},
      {">256", HUGE_VAL}}},
    {"context",
     composition_mean_context,
     1,
     {{"<512", 512},
      {"<2048", 2048},
      {"<8192", 8192},
      {"<32768", 32768},
      {">=32768", HUGE_VAL}}},
    {"skew", skew, 0, {{"1", 1.001}, {"<=2", 2}, {"<=8", 8}, {">8", HUGE_VAL}}},
    {"new",
     new_tokens,
     1,
     {{"<128", 128},
      {"<512", 512},
      {"<2048", 2048},
      {"<8192", 8192},
      {">=8192", HUGE_VAL}}},
};

static const char *bin_of(const struct scale *c, const sc_step *s)
{
	double v = c->of(s);
	for (size_t k = 0; !isnan(v) && c->bin[k].name; k++)
		if (v < c->bin[k].edge || (!c->is_below && v == c->bin[k].edge))
			return c->bin[k].name;
	return NULL;
}

/* ---- names of bins ---- */

static const struct scale *scale_of(const char *by)
{
	for (size_t i = 0; i < sizeof scale / sizeof *scale; i++)
		if (!strcmp(scale[i].by, by))
			return &scale[i];
	return NULL;
}

static const char *graph_of(const struct step_row *r)
{
	static const char *const name[] = {"unknown", "1", "0"};
	return name[r->given->graph];
}

static const char *cell_of(const struct step_row *r, const char *column)
{
	const struct steps *s = &r->file->steps;
	for (size_t i = 0; i < s->column.n; i++)
		if (!strcmp(s->column.item[i], column))
			return r->given->cell[i];
	return "";
}

/* Returns NULL for a row that is in none of the bins. */
static const char *name_of(const struct step_set *set, size_t row,
			   const char *by, const struct scale *c)
{
	const struct step_row *r = &set->row[row];
	if (c)
		return bin_of(c, &r->given->step);
	if (!strcmp(by, "regime"))
		return step_regime_name[step_regime_of(&r->given->step)];
	if (!strcmp(by, "deployment"))
		return set->deployment[r->deployment].name;
	if (!strcmp(by, "graph"))
		return graph_of(r);
	const char *cell = cell_of(r, by);
	return !*cell && !strcmp(by, "composition") ? "exact" : cell;
}

static int is_known(const struct step_set *set, const char *by)
{
	static const char *const word[] = {"regime", "deployment", "graph",
					   "composition"};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (!strcmp(word[i], by))
			return 1;
	for (size_t i = 0; i < set->n_files; i++)
		if (names_have(&set->file[i].steps.column, by))
			return 1;
	return scale_of(by) != NULL;
}

/* ---- bins ---- */

/* Adds a row to the bin of that name, which is made if it is new. */
static int put(struct step_bins *b, const char *name, size_t row)
{
	size_t k = 0;
	while (k < b->n && strcmp(b->bin[k].name, name))
		k++;
	if (k == b->n) {
		struct step_bin *more = realloc(b->bin, (k + 1) * sizeof *more);
		if (!more)
			return -1;
		b->bin = more;
		more[k] = (struct step_bin){.name = strdup(name)};
		if (!more[k].name)
			return -1;
		b->n++;
	}
	struct step_bin *to = &b->bin[k];
	if ((to->n & (to->n - 1)) == 0) { /* full at 0 and powers of two */
		size_t *more =
		    realloc(to->row, (to->n ? 2 * to->n : 1) * sizeof *more);
		if (!more)
			return -1;
		to->row = more;
	}
	to->row[to->n++] = row;
	return 0;
}

/* Puts the bins of a scale in its order. */
static void sort_by_scale(struct step_bins *b, const struct scale *c)
{
	size_t n = 0;
	for (size_t k = 0; c->bin[k].name; k++)
		for (size_t i = n; i < b->n; i++)
			if (!strcmp(b->bin[i].name, c->bin[k].name)) {
				struct step_bin is = b->bin[i];
				b->bin[i] = b->bin[n];
				b->bin[n++] = is;
				break;
			}
}

int step_bins_sort(struct step_bins *b, const struct step_set *set,
		   const char *by, struct problem *p)
{
	const struct scale *c = scale_of(by);
	*b = (struct step_bins){.by = strdup(by)};
	if (!is_known(set, by))
		return problem_set(
		    p, EXIT_USAGE,
		    "--by %s: not regime, deployment, batch, "
		    "context, skew, new, composition, graph, nor "
		    "a column of the files",
		    by);
	for (size_t i = 0; i < set->n; i++) {
		const char *name = name_of(set, i, by, c);
		if (name && put(b, name, i) < 0)
			return problem_no_memory(p);
	}
	if (c)
		sort_by_scale(b, c);
	return b->by ? 0 : problem_no_memory(p);
}

int step_bins_tell(const struct step_bins *b)
{
	int n = 0;
	for (size_t i = 0; i < b->n; i++)
		n += b->bin[i].n >= TELLING_ROWS;
	return n >= 2;
}

void step_bins_free(struct step_bins *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->bin[i].name);
		free(b->bin[i].row);
	}
	free(b->bin);
	free(b->by);
	*b = (struct step_bins){0};
}
