/* cost/cost.h -- a cost model at work: an instance, and the check of its
 * answers.  Needs an sc_plugin and no file, so that a test can pass one of its
 * own.  [instance]: one thread at a time, as the plugin's eval(). */
#ifndef SC_COST_COST_H
#define SC_COST_COST_H
#include "base/problem.h"
#include "stepcost/plugin.h"

/* Room behind each structure that a plugin fills: one built against a successor
 * of plugin.h may write fields that this host does not know. */
#define COST_SLACK_BYTES 512

struct cost {
	const sc_plugin *p; /* NULL: no instance */
	void *inst;
	int32_t code;    /* what the last create() or eval() returned */
	double *part_us; /* sc_result.part_us; NULL: nobody asks; owned */
	struct {
		sc_result is;
		unsigned char slack[COST_SLACK_BYTES];
	} result;
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
