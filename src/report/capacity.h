/* report/capacity.h -- writes the capacity of each candidate, its cost, and the
 * candidate that each arm would choose: as CSV with one line per candidate and
 * arm, or as a JSON document.  doc/capacity.md explains the figures. */
#pragma once
#include <stdio.h>
#include "capacity/deployment.h"

void capacity_csv(const struct deployments *d, FILE *f);
void capacity_json(const struct deployments *d, FILE *f);
