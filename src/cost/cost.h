/* cost/cost.h -- an instance of a cost model, and the check of its answers.  It
 * needs an sc_plugin and no file, so that a test can pass its own.  [instance]:
 * one thread at a time, as the plugin's eval(). */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/floor.h"
#include "keys/power.h"
#include "stepcost/plugin.h"

/* Room behind each struct that a plugin fills in: a plugin that was built with
 * a later plugin.h may write fields that this host does not know. */
#define COST_SLACK_BYTES 512
struct cost_answer {
	sc_result is;
	unsigned char slack[COST_SLACK_BYTES];
};

enum {
	COST_BATCH = 16, /* most steps that one call prices */
	/* The first steps are priced one by one, so that an early failure of
	 * the plugin belongs to one step. */
	COST_ONE_BY_ONE = 256,
};

struct cost {
	const sc_plugin *p; /* NULL: no instance */
	void *inst;
	/* prices the drafter's passes; NULL: no drafter */
	struct cost *drafter;
	/* The setup that a plugin of an older ABI got, owned; NULL: the host's
	 * own. */
	struct older_setup *older;
	struct floor floor;
	struct power_law power; /* of its GPUs, set by the caller; zeroed:
				   not known */
	int32_t code; /* return value of the last create() or eval() */
	/* sc_result.part_us of COST_BATCH answers, owned; NULL: parts are not
	 * asked for. */
	double *part_us;
	/* 1: answers have part_us or sigma_us, or the fields since ABI 1.3 are
	 * checked; 1: plugins fill in those, and with is_asked_more they are
	 * checked. */
	int is_asked_more, checks_figures;
	/* sc_result.sigma_us of COST_BATCH answers, owned; NULL: not asked. */
	double *sigma_us;
	uint64_t n_asked; /* number of calls of eval() and eval_batch() */
	struct cost_answer result;
	/* End of memory for COST_BATCH answers; NULL: there is none, and steps
	 * are priced one by one. */
	struct cost_answer *answers_end;
	/* Where the host notes the current step and their number, for messages;
	 * NULL: nowhere. */
	sc_step *noted;
	uint32_t *n_noted;
	struct {
		sc_kernel_result is;
		unsigned char slack[COST_SLACK_BYTES];
	} kernel;
	struct {
		sc_error is;
		unsigned char slack[COST_SLACK_BYTES];
	} error;
};

/* The plugin and everything in setup must outlive the instance; without a setup
 * no time is below the floor.  Returns 0, or
 * -1 with *p filled in: EXIT_USAGE for a model, a GPU or an engine that the
 * cost model cannot price (SC_EUNSUP), EXIT_PLUGIN for everything else.
 * [main] */
int cost_create(struct cost *c, const sc_plugin *plugin, const sc_setup *setup,
		const void *knobs, struct problem *p);
/* Prices a step.  Hot path: does only the call and the check.  Returns the
 * answer, valid until the next call.  Returns NULL if the plugin failed, or if
 * total_us is not finite, negative, or zero for a step with work in it
 * (EXIT_PLUGIN). */
const sc_result *cost_eval(struct cost *c, const sc_step *step,
			   struct problem *p);
/* Returns 1 if steps are priced by cost_eval_batch(), also a single step. */
static inline int cost_prices_batches(const struct cost *c)
{
	return c->answers_end && c->p->eval_batch &&
	       c->n_asked >= COST_ONE_BY_ONE;
}
/* Prices n <= COST_BATCH steps in one call; cost_prices_batches() is true.
 * Returns how many answers, counted from the first, cost_eval() would accept;
 * answer i is in c->answers_end[i - n] until the next call.  For the error of
 * the next step call cost_eval(). */
uint32_t cost_eval_batch(struct cost *c, uint32_t n,
			 const sc_step *const *step);
/* Notes the step, so that a failure from now on is reported for it. */
void cost_attribute_failure(const struct cost *c, const sc_step *step);
/* From now on answers have the parts that the plugin names (sc_plugin.part).
 * Returns 0, or -1 if memory is out. */
int cost_ask_parts(struct cost *c, struct problem *p);
/* From now on answers have the fields since ABI 1.3, and say how sure the model
 * is by source (sc_plugin.sigma).  Before, plugins see a struct without them,
 * so that a run that reads none computes none.
 * Returns 0, or -1 if memory is out. */
int cost_ask_figures(struct cost *c, struct problem *p);
/* Prices one kernel.  Returns NULL if the plugin has no hook for kernels, if it
 * failed, or if the latency is not finite and above 0 (all EXIT_PLUGIN). */
const sc_kernel_result *cost_kernel(struct cost *c, const sc_kernel *k,
				    struct problem *p);
/* Longest times of a request and of a token, so that no sum overflows. */
#define COST_MOST_REQUEST_US 1e9
#define COST_MOST_TOKEN_US 1e6
/* Asks for the time that a request spends outside of steps.  Returns 1; 0 with
 * all times 0 if the plugin does not say; -1 with *p filled in (EXIT_PLUGIN):
 * it failed, or a time is negative or too long.  [main] */
int cost_request_costs(struct cost *c, sc_request_costs *out,
		       struct problem *p);
void cost_destroy(struct cost *c);
/* The state of a result when eval() is called: counts 0, parts NaN. */
extern const sc_result cost_blank;
