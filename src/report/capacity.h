/* report/capacity.h -- the capacities of ways to serve, what they cost and what
 * each arm would choose: as text, CSV with a line per way and arm, or a JSON
 * document.  doc/capacity.md explains the figures. */
#ifndef SC_REPORT_CAPACITY_H
#define SC_REPORT_CAPACITY_H
#include <stdio.h>
#include "study/deployment.h"

void capacity_text(const struct deployments *d, FILE *f);
void capacity_csv(const struct deployments *d, FILE *f);
void capacity_json(const struct deployments *d, FILE *f);
#endif
