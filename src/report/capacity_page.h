/* report/capacity_page.h -- a capacity as a page: the decision, rates, curves
 * (capacity_curve.h), GPUs and prices. */
#ifndef SC_REPORT_CAPACITY_PAGE_H
#define SC_REPORT_CAPACITY_PAGE_H
#include <stdio.h>
#include "base/problem.h"
#include "capacity/deployment.h"

/* Returns 0, or -1 with *p filled in. */
int capacity_page(const struct deployments *d, FILE *f, struct problem *p);
#endif
