/* cost/owned_step.h -- a step that owns its columns.  It is copied from another
 * step, changed, and shrunk while it still shows a fault. */
#pragma once
#include <stdint.h>
#include "stepcost/plugin.h"

enum { OWNED_STEP_MOST = 8192 }; /* most prefills, and most decodes */

struct owned_step {
	uint32_t n_prefill, n_decode;
	uint32_t prefill_new[OWNED_STEP_MOST], prefill_ctx[OWNED_STEP_MOST];
	uint32_t decode_ctx[OWNED_STEP_MOST];
};

/* Returns a step of these columns, in which every sequence emits a token.  It
 * points into *s. */
sc_step owned_step_step(const struct owned_step *s);
/* Copies a step; sequences beyond OWNED_STEP_MOST are left out. */
void owned_step_from(struct owned_step *s, const sc_step *step);

/* Returns 1 if the step shows the fault, 0 if not, -1 to stop trying. */
typedef int (*owned_step_fn)(void *user, const struct owned_step *s);
/* Shrinks *s while shows() returns 1: fewer sequences first, then shorter ones.
 * At a threshold it stops exactly there. */
void owned_step_shrink(struct owned_step *s, owned_step_fn shows, void *user);
