/* experiment/claim.h -- a hypothesis about a cost model with its
 * counterfactual: two arms, which differ in the alleged cause alone, an effect
 * that the hypothesis needs, and invariants without which the experiment asks
 * another question.  doc/experiments.md describes the section [claim]. */
#pragma once
#include "arm/configuration.h"
#include "base/ini.h"
#include "experiment/experiment.h"

/* Reads one key of [claim]. */
int claim_load(struct experiment *x, const struct ini_item *item,
	       struct problem *p);
/* Checks that the section is whole, once all tables are read; does nothing
 * without one. */
int claim_check(struct experiment *x, const struct ini *c, struct problem *p);
/* Adds the arms that are to price every step of the tables. */
int claim_arms(const struct xp_claim *c, struct names *arms, struct problem *p);
/* Checks that the two arms differ in the keys of `cause` alone, by the values
 * of all keys after presets. */
int claim_compare_arms(const struct xp_claim *c, const struct config *config,
		       struct problem *p);
/* Computes effect and verdict from the tables, and x->is_refuted. */
int claim_judge(struct experiment *x, struct problem *p);
/* Returns 1 for what its author expects: the verdict, and every cell. */
int claim_is_as_expected(const struct experiment *x);
