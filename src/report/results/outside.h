/* report/results/outside.h -- what requests meet outside of steps: the router,
 * the time in front of the engine and behind it, and the cost that a handover
 * from prefill to decode is taken to have.  All of it is read from the resolved
 * configuration.  [one thread] */
#pragma once
#include "arm/configuration.h"
#include "base/json/json_writer.h"
#include "report/document.h"

/* Returns it as one line for the first n_arms arms, which the caller frees;
 * arms that differ are named.  has_sources: with the runs that the times were
 * fitted to.  NULL: memory is out. */
char *outside_text(const struct config *c, size_t n_arms, int has_sources);
/* Writes the members "router", "front_end" and "handover" into the open object,
 * each with a member for every arm. */
void outside_json(const struct config *c, size_t n_arms, struct jw *j);
