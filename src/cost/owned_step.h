/* cost/owned_step.h -- a step that owns its columns: to be made from another,
 * changed, and made smaller while it still shows what is to be shown. */
#ifndef SC_COST_OWNED_STEP_H
#define SC_COST_OWNED_STEP_H
#include <stdint.h>
#include "stepcost/plugin.h"

enum { SHAPE_MOST = 8192 }; /* prefills, and decodes */

struct shape {
	uint32_t n_prefill, n_decode;
	uint32_t prefill_new[SHAPE_MOST], prefill_ctx[SHAPE_MOST];
	uint32_t decode_ctx[SHAPE_MOST];
};

/* A step of these columns, in which everyone emits a token; it points into
 * *s. */
sc_step shape_step(const struct shape *s);
/* A copy; sequences beyond SHAPE_MOST are left out. */
void shape_from(struct shape *s, const sc_step *step);

/* Does the step show it?  1 or 0; -1: enough tried, stop. */
typedef int (*shape_fn)(void *user, const struct shape *s);
/* Makes *s smaller as long as shows() says 1: fewer sequences first, then
 * shorter ones.  At a threshold it stops right at it. */
void shape_shrink(struct shape *s, shape_fn shows, void *user);
#endif
