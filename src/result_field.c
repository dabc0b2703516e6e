#include <config.h>
#include "result_field.h"
#include <math.h>
#include <string.h>

#define FIELD(name_, field_)                                                   \
	{                                                                      \
		name_, offsetof(sc_result, field_)                             \
	}
static const struct {
	const char *name;
	size_t offset;
} number[] = {
    FIELD("total_us", total_us),
    FIELD("exact_us", exact_us),
    FIELD("prefill_gemm_us", gemm_us[SC_PREFILL]),
    FIELD("prefill_attention_us", attention_us[SC_PREFILL]),
    FIELD("prefill_compute_us", compute_us[SC_PREFILL]),
    FIELD("prefill_memory_us", memory_us[SC_PREFILL]),
    FIELD("decode_gemm_us", gemm_us[SC_DECODE]),
    FIELD("decode_attention_us", attention_us[SC_DECODE]),
    FIELD("decode_compute_us", compute_us[SC_DECODE]),
    FIELD("decode_memory_us", memory_us[SC_DECODE]),
    FIELD("comm_us", comm_us),
    FIELD("overhead_us", overhead_us),
};
static const char *const lookups[SC_N_PROVENANCE] = {
    "lookups_exact", "lookups_interpolated", "lookups_clamped",
    "lookups_substituted", "lookups_fallback"};

int result_field(const sc_result *r, const char *name, double *out)
{
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		if (!strcmp(number[i].name, name)) {
			memcpy(out, (const char *)r + number[i].offset,
			       sizeof *out);
			/* A model that does not round has no exact_us. */
			if (!strcmp(name, "exact_us") && isnan(*out))
				*out = r->total_us;
			return 0;
		}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		if (!strcmp(lookups[i], name)) {
			*out = r->lookups[i];
			return 0;
		}
	return -1;
}

const char *result_bound(const sc_result *r)
{
	static const char *const bound[] = {"none", "compute", "memory", "comm",
					    "overhead"};
	return r->bound <= SC_BOUND_OVERHEAD ? bound[r->bound] : "";
}
