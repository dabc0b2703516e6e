/* cost/components.h -- a step's time as a sum: which kind of work accounts for
 * how much of total_us.
 *
 * If the cost model declares SC_CAP_ADDITIVE, the components are its parts.  In
 * other models work overlaps, and the side that bounds the step accounts for
 * its time.  A phase that is bound by compute counts as GEMM and attention,
 * otherwise as memory traffic.  Of two phases the longer one counts if the step
 * lasts as long as it, otherwise both in proportion.  The remainder is
 * COMPONENT_OTHER; what rounding adds is COMPONENT_ROUNDING.  The components of
 * a step sum to total_us.  In us. */
#pragma once
#include <stdint.h>
#include "stepcost/plugin.h"

enum component {
	COMPONENT_PREFILL_GEMM,
	COMPONENT_PREFILL_ATTENTION,
	COMPONENT_PREFILL_MEMORY,
	COMPONENT_DECODE_GEMM,
	COMPONENT_DECODE_ATTENTION,
	COMPONENT_DECODE_MEMORY,
	COMPONENT_COMMUNICATION,
	COMPONENT_OVERHEAD,
	COMPONENT_OTHER,
	COMPONENT_ROUNDING,
	N_COMPONENTS
};
extern const char *const component_name[N_COMPONENTS]; /* "prefill GEMM" */
/* Writes a name as a key, "prefill_gemm".  Returns `to`. */
enum { COMPONENT_KEY = 32 };
const char *component_key(char to[COMPONENT_KEY], const char *name);

void components_split(const sc_result *r, uint32_t capabilities,
		      double us[N_COMPONENTS]);
/* Returns the component of a part of sc_result, by SC_PART_* and phase. */
enum component component_of(uint32_t kind, uint32_t phase);
