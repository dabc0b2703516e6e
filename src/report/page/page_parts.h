/* report/page/page_parts.h -- the parts of a study's page that are not
 * figures. */
#ifndef SC_REPORT_PAGE_PAGE_PARTS_H
#define SC_REPORT_PAGE_PAGE_PARTS_H
#include <stdio.h>
#include "report/columns.h"
#include "study/findings.h"

/* Returns the answer in a sentence, with its range; the caller frees it.  NULL:
 * memory is out. */
char *page_headline(const struct study *s);
/* Draws mean latencies, a dot for each arm and its 90 % interval. */
void page_means(FILE *f, const struct study *s);
/* Writes a table.  The first row is the head; a row without a label has
 * none. */
void page_table(FILE *f, const struct columns *c);
/* The same; where a header is the name of an arm, it has the arm's colour. */
void page_arm_table(FILE *f, const struct study *s, const struct columns *c);
/* Writes the simulated set-up. */
void page_facts(FILE *f, const struct study *s);
/* Writes in sentences: why arms differ, the differences over seeds, failures
 * and overload, and how many requests met the SLO. */
void page_verdicts(FILE *f, const struct findings *w);
/* Writes one row per metric, with the differences to the first
 * arm.  If there are many arms, each arm has a row instead. */
void page_metrics(FILE *f, const struct study *s);
/* Writes each prediction that has an interval, with its ends and the number of
 * runs behind it; nothing if no arm has one. */
void page_interval_table(FILE *f, const struct study *s);
/* Writes the pools of disaggregated prefill and decode, and the transfers. */
void page_pools(FILE *f, const struct study *s);
/* Writes which share of the step time each kind of source priced. */
void page_coverage(FILE *f, const struct study *s);
/* For each pair of arms: sentences, bars, the table, the shapes of steps. */
void page_why(FILE *f, const struct explain *e);
/* Draws the bars of the first pair, about latency `about` (ATTRIBUTION_TTFT
 * ...), as a file of its own.  Returns 0, or -1: there are none. */
int page_why_plot(FILE *f, const struct explain *e, int about);
void page_swap(FILE *f, const struct swap *s, const struct explain *e);
#endif
