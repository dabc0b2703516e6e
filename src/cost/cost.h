/* cost/cost.h -- a cost model at work: an instance, and the check of its
 * answers.  Needs an sc_plugin and no file, so that a test can pass one of its
 * own.  [instance]: one thread at a time, as the plugin's eval(). */
#ifndef SC_COST_COST_H
#define SC_COST_COST_H
#include <stdint.h>
#include "base/problem.h"
#include "stepcost/plugin.h"

/* Room behind each structure that a plugin fills: one built against a successor
 * of plugin.h may write fields that this host does not know. */
#define COST_SLACK_BYTES 512
struct cost_answer {
	sc_result is;
	unsigned char slack[COST_SLACK_BYTES];
};

enum {
	COST_BATCH = 16, /* steps priced in one call, at most */
	/* So many come one by one at first: the fault that a plugin shows soon
	 * is that of one step. */
	COST_ONE_BY_ONE = 256,
};

struct cost {
	const sc_plugin *p; /* NULL: no instance */
	void *inst;
	struct cost *drafter; /* prices what is drafted beside; NULL: nobody */
	int32_t code;         /* what the last create() or eval() returned */
	double *part_us;      /* sc_result.part_us of COST_BATCH answers; NULL:
				 nobody  asks; owned */
	uint64_t n_asked;     /* calls of eval() and eval_batch() */
	struct cost_answer result;
	/* Behind the memory of COST_BATCH answers to use instead; NULL: there
	 * is none, and steps are priced one by one. */
	struct cost_answer *answers_end;
	/* Where the host notes which step is in question, for messages, and how
	 * many with it; NULL: nowhere. */
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

/* The plugin and everything in setup must outlive the instance.  0, or -1:
 * EXIT_USAGE for a model, a GPU or an engine that the cost model cannot price
 * (SC_EUNSUP), EXIT_PLUGIN for everything else.  [main] */
int cost_create(struct cost *c, const sc_plugin *plugin, const sc_setup *setup,
		const void *knobs, struct problem *p);
/* Prices a step.  Hot path: does nothing beyond the call and the check.
 * Returns the answer, valid until the next call; or NULL: the plugin failed, or
 * total_us is not finite, negative, or zero for a step with work in it
 * (EXIT_PLUGIN). */
const sc_result *cost_eval(struct cost *c, const sc_step *step,
			   struct problem *p);
/* 1: steps are to be priced by cost_eval_batch(), one alone likewise. */
static inline int cost_prices_batches(const struct cost *c)
{
	return c->answers_end && c->p->eval_batch &&
	       c->n_asked >= COST_ONE_BY_ONE;
}
/* Prices n steps in one call, COST_BATCH at most; cost_prices_batches() is
 * true.  Returns how many of them, from the first on, have an answer that
 * cost_eval() would accept, in c->answers_end[i - n] until the next call.  What
 * is wrong with the next one, cost_eval() says. */
uint32_t cost_eval_batch(struct cost *c, uint32_t n,
			 const sc_step *const *step);
/* What goes wrong now is about that step. */
void cost_blame(const struct cost *c, const sc_step *step);
/* From now on answers have the parts that the plugin names (sc_plugin.part), if
 * it names any.  0, or -1: out of memory. */
int cost_ask_parts(struct cost *c, struct problem *p);
/* One kernel, likewise; or NULL: the plugin has no hook for kernels, it failed,
 * or the latency is not finite and above 0 (all EXIT_PLUGIN). */
const sc_kernel_result *cost_kernel(struct cost *c, const sc_kernel *k,
				    struct problem *p);
void cost_destroy(struct cost *c);
/* The result that eval() is called with: counts 0, parts NaN. */
extern const sc_result cost_blank;
#endif
