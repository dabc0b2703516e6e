/* report/page/page_parts.h -- what stands on a study's page beside its figures.
 */
#ifndef SC_REPORT_PAGE_PAGE_PARTS_H
#define SC_REPORT_PAGE_PAGE_PARTS_H
#include <stdio.h>
#include "report/columns.h"
#include "study/findings.h"

/* The first row is the head; rows without a label have none. */
void page_table(FILE *f, const struct columns *c);
/* What was simulated. */
void page_facts(FILE *f, const struct study *s);
/* In sentences: why arms differ, what seeds say, what failed or piled up, how
 * many requests were within the SLO. */
void page_verdicts(FILE *f, const struct findings *w);
/* A row per metric, with unit and differences to the first arm; of many arms a
 * row for each. */
void page_metrics(FILE *f, const struct study *s);
/* Mean latencies with 90 % intervals, of the arms that have them. */
void page_intervals(FILE *f, const struct study *s);
/* Of prefill and decode apart: each pool, and the transfers. */
void page_pools(FILE *f, const struct study *s);
/* By what the step time was priced. */
void page_coverage(FILE *f, const struct study *s);
/* Each pair: sentences, bars, the table, the step shapes. */
void page_why(FILE *f, const struct explain *e);
void page_swap(FILE *f, const struct swap *s, const struct explain *e);
#endif
