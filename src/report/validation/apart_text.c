/* apart_text.c -- Writes the errors of runs with prefill and decode apart. */
#include <config.h>
#include "report/validation/apart_text.h"
#include <stdio.h>

enum { WIDTH = 40 };
static const int metric[] = {RUN_TPOT, RUN_TTFT, APART_THROUGHPUT};
static const char *const title[] = {"TPOT", "TTFT", "implied throughput"};
enum { N_METRICS = sizeof metric / sizeof *metric };

static void write_head(FILE *f, const char *first)
{
	fprintf(f, "%-*s %5s", WIDTH, "", "");
	for (int k = 0; k < N_METRICS; k++)
		fprintf(f, " %20s", title[k]);
	fprintf(f, "\n%-*s %5s", WIDTH, first, "rows");
	for (int k = 0; k < N_METRICS; k++)
		fprintf(f, " %6s %6s %6s", "mean", "median", "bias");
	putc('\n', f);
}

static void write_line(const struct validation *v, size_t arm, const char *what,
		       const struct grouping *g, FILE *f)
{
	struct error_summary s = validation_apart(v, arm, metric[0], g, what);
	if (!s.n)
		return;
	fprintf(f, "%-*s %5zu", WIDTH, what, s.n);
	for (int k = 0; k < N_METRICS; k++) {
		s = validation_apart(v, arm, metric[k], g, what);
		fprintf(f, " %6.1f %6.1f %+6.1f", 100 * s.mean, 100 * s.median,
			100 * s.bias);
	}
	putc('\n', f);
}

static void write_groups(const struct validation *v, size_t arm,
			 const struct grouping *g, FILE *f)
{
	struct names is = grouping_values(v, arm, g);
	if (is.n)
		write_head(f, g->name);
	for (size_t i = 0; i < is.n; i++)
		write_line(v, arm, is.item[i], g, f);
	names_free(&is);
}

void apart_text(const struct validation *v, size_t arm, FILE *f)
{
	if (!validation_apart(v, arm, RUN_TPOT, NULL, NULL).n)
		return;
	fprintf(
	    f,
	    "\n%s, prefill and decode apart: errors in percent. Throughput "
	    "is implied: clients x\noutput tokens / (TTFT + TPOT x (output "
	    "tokens - 1)), measured and predicted alike.\nNot modelled: "
	    "experts that are copied or loaded unevenly beyond the routing, "
	    "transfers that\nbegin before the prompt ends or share a link, "
	    "overlap of two batches, routers that look at\nKV caches, "
	    "ranks that wait for each other's prompts.\n",
	    v->arm[arm]);
	write_head(f, "");
	write_line(v, arm, "all", NULL, f);
	for (size_t g = 0; g < n_apart_groupings; g++)
		write_groups(v, arm, &apart_grouping[g], f);
}
