/* stepcost/batch.h -- header-only helper for plugins: eval_batch() for a plugin
 * that gains nothing from seeing several steps at once.  It saves the host's
 * cost per call. */
#ifndef SC_BATCH_H
#define SC_BATCH_H
#include "stepcost/plugin.h"

typedef int32_t (*sc_eval_fn)(void *inst, const sc_step *step, sc_result *out,
			      sc_error *err);

/* Calls eval() for each step and returns as sc_plugin.eval_batch requires. */
static inline __attribute__((always_inline)) int32_t
sc_eval_each(sc_eval_fn eval, void *inst, uint32_t n,
	     const sc_step *const *step, sc_result *const *out,
	     uint32_t *n_done, sc_error *err)
{
	int32_t rc = SC_OK;
	for (*n_done = 0; *n_done < n && rc == SC_OK; *n_done += rc == SC_OK)
		rc = eval(inst, step[*n_done], out[*n_done], err);
	return rc;
}

/* Defines eval_batch() of a plugin that has the function eval_ as eval(). */
#define SC_EVAL_BATCH(eval_)                                                   \
	static int32_t eval_batch(                                             \
	    void *inst, uint32_t n, const sc_step *const *step,                \
	    sc_result *const *out, uint32_t *n_done, sc_error *err)            \
	{                                                                      \
		return sc_eval_each(eval_, inst, n, step, out, n_done, err);   \
	}                                                                      \
	typedef int sc_eval_batch_defined
#endif
