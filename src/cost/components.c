/* components.c -- Splits a step's time into components. */
#include "cost/components.h"
#include <ctype.h>
#include <math.h>
#include "cost/breakdown.h"

const char *const component_name[N_COMPONENTS] = {
    "prefill GEMM",  "prefill attention", "prefill memory",
    "decode GEMM",   "decode attention",  "decode memory",
    "communication", "overhead",          "other",
    "rounding",
};

const char *component_key(char to[COMPONENT_KEY], const char *name)
{
	size_t i = 0;
	for (; name[i] && i < COMPONENT_KEY - 1; i++)
		to[i] = name[i] == ' ' ? '_'
				       : (char)tolower((unsigned char)name[i]);
	to[i] = '\0';
	return to;
}

enum component component_of(uint32_t kind, uint32_t phase)
{
	switch (kind) {
	case SC_PART_COMM:
		return COMPONENT_COMMUNICATION;
	case SC_PART_OVERHEAD:
		return COMPONENT_OVERHEAD;
	case SC_PART_ATTENTION:
		return phase == SC_PREFILL ? COMPONENT_PREFILL_ATTENTION
					   : COMPONENT_DECODE_ATTENTION;
	default:
		return phase == SC_PREFILL ? COMPONENT_PREFILL_GEMM
					   : COMPONENT_DECODE_GEMM;
	}
}

/* Finds the side (compute or memory) that bounds a phase, and returns the time
 * of the phase. */
static double bound_side(const sc_result *r, int phase, double us[N_COMPONENTS])
{
	double *to = us + (phase == SC_PREFILL ? COMPONENT_PREFILL_GEMM
					       : COMPONENT_DECODE_GEMM);
	double gemm = breakdown_or_zero(r->gemm_us[phase]);
	double attention = breakdown_or_zero(r->attention_us[phase]);
	double memory = breakdown_or_zero(r->memory_us[phase]);
	double compute = isnan(r->compute_us[phase]) ? gemm + attention
						     : r->compute_us[phase];
	double known = gemm + attention;
	if (memory >= compute) {
		to[2] = memory;
		return memory;
	}
	/* Compute time that is neither GEMM nor attention counts as GEMM. */
	to[0] = known > 0 ? compute * (gemm / known) : compute;
	to[1] = known > 0 ? compute * (attention / known) : 0;
	return compute;
}

static void scale(double us[N_COMPONENTS], int phase, double by)
{
	int first = phase == SC_PREFILL ? COMPONENT_PREFILL_GEMM
					: COMPONENT_DECODE_GEMM;
	for (int i = 0; i < 3; i++)
		us[first + i] *= by;
}

static int same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* hardware_us: time of the step without communication and overheads. */
static void share_out(const sc_result *r, double hardware_us,
		      double us[N_COMPONENTS])
{
	double prefill = bound_side(r, SC_PREFILL, us);
	double decode = bound_side(r, SC_DECODE, us);
	if (same(hardware_us, prefill)) {
		scale(us, SC_DECODE, 0);
	} else if (same(hardware_us, decode)) {
		scale(us, SC_PREFILL, 0);
	} else if (prefill + decode > 0 && hardware_us > 0) {
		scale(us, SC_PREFILL, hardware_us / (prefill + decode));
		scale(us, SC_DECODE, hardware_us / (prefill + decode));
	}
}

void components_split(const sc_result *r, uint32_t capabilities,
		      double us[N_COMPONENTS])
{
	double exact = breakdown_exact_us(r);
	double known = 0;
	for (int i = 0; i < N_COMPONENTS; i++)
		us[i] = 0;
	us[COMPONENT_COMMUNICATION] = breakdown_or_zero(r->comm_us);
	us[COMPONENT_OVERHEAD] = breakdown_or_zero(r->overhead_us);
	if (capabilities & SC_CAP_ADDITIVE) {
		us[COMPONENT_PREFILL_GEMM] =
		    breakdown_or_zero(r->gemm_us[SC_PREFILL]);
		us[COMPONENT_PREFILL_ATTENTION] =
		    breakdown_or_zero(r->attention_us[SC_PREFILL]);
		us[COMPONENT_DECODE_GEMM] =
		    breakdown_or_zero(r->gemm_us[SC_DECODE]);
		us[COMPONENT_DECODE_ATTENTION] =
		    breakdown_or_zero(r->attention_us[SC_DECODE]);
	} else {
		share_out(r,
			  exact - us[COMPONENT_COMMUNICATION] -
			      us[COMPONENT_OVERHEAD],
			  us);
	}
	for (int i = 0; i < COMPONENT_OTHER; i++)
		known += us[i];
	us[COMPONENT_OTHER] = exact - known;
	us[COMPONENT_ROUNDING] = r->total_us - exact;
}
