/* cost/components.h -- a step's time as a sum: for each kind of work, how much
 * of total_us it is answerable for.
 *
 * Of a model that declares SC_CAP_ADDITIVE these are its parts.  In any other
 * work overlaps, and the side that bounds the step answers for the time: of
 * each phase GEMM and attention if it is bound by compute, else its memory
 * traffic; of two phases the longer one if the step lasts as long as that,
 * else both in proportion.  What is left over is COMPONENT_OTHER; what rounding
 * adds is COMPONENT_ROUNDING.  The components of a step sum to total_us.  us.
 */
#ifndef SC_COST_COMPONENTS_H
#define SC_COST_COMPONENTS_H
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
extern const char *const component_name[N_COMPONENTS]; /* "prefill GEMM"    */
/* As a key, "prefill_gemm"; returns `to`. */
enum { COMPONENT_KEY = 32 };
const char *component_key(char to[COMPONENT_KEY], const char *name);

void components_split(const sc_result *r, uint32_t capabilities,
		      double us[N_COMPONENTS]);
/* Which of them a part of sc_result is, by SC_PART_* and phase. */
enum component component_of(uint32_t kind, uint32_t phase);
#endif
