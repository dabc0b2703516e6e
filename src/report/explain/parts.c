/* parts.c -- Writes the parts of latencies of two arms, and their
 * differences. */
#include "report/explain/parts.h"
#include <math.h>
#include <stdlib.h>

enum { PARTS_SAID = 3 };
/* Below this share of the largest change, the changes cancel, and a share of
 * the difference tells nothing. */
#define CANCELLED 0.1

const char parts_legend[] =
    "Parts: each moment of a request belongs to one part, so the parts add up "
    "to the latency. Own prompt: steps that compute its prompt, whole steps. "
    "Stalls by others' prompts: of a step in which it decodes, the share of "
    "the price that the same step without prompts does not have, priced once "
    "more by the arm's cost model; and steps with others' prompts that it has "
    "to wait for.";

static struct part_change change_of(const struct explanation *x, int metric,
				    int part)
{
	double of = latency_parts_mean(x->split_of.parts, metric, part);
	double by = latency_parts_mean(x->split_by.parts, metric, part);
	return (struct part_change){part, of, by, by - of};
}

static int largest_first(const void *x, const void *y)
{
	const struct part_change *a = x, *b = y;
	double da = fabs(a->ns), db = fabs(b->ns);
	if (da != db)
		return da < db ? 1 : -1;
	return a->part - b->part;
}

size_t parts_changes(const struct explanation *x, int metric,
		     struct part_change to[N_LATENCY_PARTS])
{
	size_t n = 0;
	for (int k = 0; k < N_LATENCY_PARTS; k++) {
		struct part_change c = change_of(x, metric, k);
		if (c.of_ns != 0 || c.by_ns != 0)
			to[n++] = c;
	}
	qsort(to, n, sizeof *to, largest_first);
	return n;
}

double parts_share(const struct explanation *x, int metric, double ns)
{
	struct part_change all[N_LATENCY_PARTS];
	double real = x->shares[metric].real_ns;
	size_t n = parts_changes(x, metric, all);
	return n && fabs(real) > CANCELLED * fabs(all[0].ns) ? ns / real
							     : (double)NAN;
}

/* ---- a sentence ---- */

static int is_nothing(double ms, int decimals)
{
	return fabs(ms) * pow(10, decimals) < 0.5;
}

void parts_say(FILE *f, const struct explanation *x, int metric, int decimals)
{
	struct part_change all[N_LATENCY_PARTS];
	size_t n = parts_changes(x, metric, all), said = 0;
	for (; said < n && said < PARTS_SAID; said++) {
		const struct part_change *c = &all[said];
		double share = parts_share(x, metric, c->ns);
		if (said && is_nothing(c->ns / 1e6, decimals))
			break;
		fprintf(f, "%s%.*f ms %s %s", said ? ", " : "", decimals,
			fabs(c->ns) / 1e6, c->ns < 0 ? "less" : "more",
			latency_part_name[c->part]);
		if (share > 0 && share <= 1)
			fprintf(f, " (%.0f %%)", 100 * share);
	}
	if (said < n && !is_nothing(all[said].ns / 1e6, decimals))
		fputs(", and smaller ones", f);
}

/* ---- a table ---- */

static void number_cells(struct columns *c, double of_ns, double by_ns,
			 double ns)
{
	columns_cell(c, 0, 0, "%.3f", of_ns / 1e6);
	columns_cell(c, 0, 1, "%.3f", by_ns / 1e6);
	columns_cell(c, 0, 2, "%+.3f", ns / 1e6);
}

static void share_cell(struct columns *c, double share)
{
	if (isnan(share))
		columns_cell(c, 0, 3, "-");
	else
		columns_cell(c, 0, 3, "%.0f %%", 100 * share);
}

/* Half of the last digit that a cell shows. */
#define SHOWN_NS 500

void parts_table(struct columns *c, const struct explain *e,
		 const struct explanation *x, int metric)
{
	double of = 0, by = 0;
	*c = (struct columns){.n_groups = 1, .per_group = 4};
	columns_row(c, "%s", attributed_name[metric]);
	columns_cell(c, 0, 0, "%s", e->study->arm[x->of].name);
	columns_cell(c, 0, 1, "%s", e->study->arm[x->by].name);
	columns_cell(c, 0, 2, "difference");
	columns_cell(c, 0, 3, "share");
	for (int k = 0; k < N_LATENCY_PARTS; k++) {
		struct part_change one = change_of(x, metric, k);
		of += one.of_ns;
		by += one.by_ns;
		if (fabs(one.of_ns) < SHOWN_NS && fabs(one.by_ns) < SHOWN_NS)
			continue;
		columns_row(c, "  %s", latency_part_name[k]);
		number_cells(c, one.of_ns, one.by_ns, one.ns);
		share_cell(c, parts_share(x, metric, one.ns));
	}
	columns_row(c, "  sum");
	number_cells(c, of, by, by - of);
}

/* ---- JSON ---- */

static void write_change(struct jw *j, const struct explanation *x, int metric,
			 int part)
{
	struct part_change c = change_of(x, metric, part);
	double share = parts_share(x, metric, c.ns);
	jw_flat_object(j, latency_part_key[part]);
	jw_number(j, "of", c.of_ns / 1e6);
	jw_number(j, "by", c.by_ns / 1e6);
	jw_number(j, "difference", c.ns / 1e6);
	if (isnan(share))
		jw_null(j, "share");
	else
		jw_number(j, "share", share);
	jw_end(j);
}

/* Writes whole ns, summed over the requests. */
static void write_sums(struct jw *j, const char *key,
		       const struct latency_parts *s)
{
	static const char *const name[ATTRIBUTION_STEPS] = {
	    "ttft_ns", "tpot_ns", "e2el_ns"};
	jw_object(j, key);
	jw_uint(j, "requests", s->n_requests);
	jw_uint(j, "requests_with_several_tokens", s->n_multi);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		jw_flat_object(j, name[m]);
		jw_int(j, "total", latency_parts_sum(s, m));
		for (int k = 0; k < N_LATENCY_PARTS; k++)
			jw_int(j, latency_part_key[k], s->ns[m][k]);
		jw_end(j);
	}
	jw_end(j);
}

void parts_json(struct jw *j, const struct explanation *x)
{
	jw_object(j, "latency_parts");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		jw_object(j, attributed_name[m]);
		for (int k = 0; k < N_LATENCY_PARTS; k++)
			write_change(j, x, m, k);
		jw_end(j);
	}
	write_sums(j, "sum_of", x->split_of.parts);
	write_sums(j, "sum_by", x->split_by.parts);
	jw_end(j);
}
