/* report/capacity_parts.h -- texts that all forms of a capacity share. */
#pragma once
#include <stdio.h>
#include "report/results/support.h"
#include "capacity/deployment.h"

const char *capacity_arm(const struct deployments *d, size_t candidate,
			 size_t arm);
/* Returns the arm of a search, "CANDIDATE, ARM" if there are several
 * candidates; NULL: no memory.  The caller frees it. */
char *capacity_search_name(const struct deployments *d, size_t search);
/* Returns the GPU of a search: of prefill (pool 0), or of decode (1); NULL
 * where the pools are not apart. */
const char *capacity_gpu(const struct deployments *d, size_t search, int pool);
/* Returns the rate in buf, with the digits that are known. */
const char *capacity_rate(char buf[32], const struct capacity *c);
/* Returns "8", or "8-12", in buf. */
const char *capacity_whole(char buf[32], double low, double high);
/* Returns "8.4 - 8.8" in buf, or "-" if there is no interval. */
/* "8-12"; of an autoscaler "8 (7.7 on average)".  v: answer_figures(). */
const char *capacity_gpus(char buf[32], const double *v);
const char *capacity_range(char buf[80], const struct capacity *c);
/* The energy of a token at the capacity, and its price. */
struct energy_priced capacity_energy_priced(const struct capacity_answer *x);
/* Returns what it rests on and costs, "" if energy has no price or no rate
 * meets the bounds.  The caller frees it.  NULL: no memory. */
char *capacity_energy(const struct capacity_answer *x);
/* Writes why no rate meets the bounds. */
void capacity_none(FILE *f, const struct deployments *d,
		   const struct capacity *c);
/* Writes a line with the capacity that remains if every bounded figure is at
 * the pessimistic end of its interval; nothing if there is no interval. */
void capacity_pessimistic_end(FILE *f, const struct deployments *d,
			      const struct capacity_answer *x);
/* Writes a line for each arm that errors as large as it had on measured runs
 * would make choose another candidate. */
void capacity_pessimistic_choices(FILE *f, const struct deployments *d);
/* Writes the simulations behind the rates, a sentence a line. */
void capacity_rests_on(FILE *f, const struct deployments *d);
/* Writes the price of each GPU and its source. */
void capacity_prices(FILE *f, const struct deployments *d);
/* Writes the bound that limits the rate; of a fleet for a rate, its tests. */
void capacity_limit(FILE *f, const struct deployments *d,
		    const struct capacity_answer *x);
/* Writes a sentence with what a handover is taken to cost; nothing
 * where pools are not apart. */
void capacity_say_handover(FILE *f, const struct answer_outside *o);
/* Writes the members "router" and "handover" into the open object. */
void capacity_outside_json(const struct answer_outside *o, struct jw *j);
/* Sentences on the fleet: router, handover, conversations, caches, warnings;
 * "": there are none.  The caller frees it; NULL: memory is out. */
char *capacity_fleet(const struct capacity_answer *x);
