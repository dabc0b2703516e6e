/* stepcost/kernel/rates.h -- header-only helper for plugins: the rates of a GPU
 * per microsecond, from its hardware file or from the MANIFEST of a set that
 * was measured on it. */
#ifndef SC_RATES_H
#define SC_RATES_H
#include "stepcost/format.h"
#include "stepcost/table.h"

/* A rate of 0 is not known. */
struct sc_rates {
	double peak[SC_FORMAT_CODES]; /* FLOP/us by number format */
	double bandwidth, link;       /* bytes/us */
};

static inline struct sc_rates sc_rates_of_hardware(const sc_hardware *hw)
{
	struct sc_rates r;
	r.bandwidth = hw->mem_bandwidth / 1e6;
	r.link = hw->link_bandwidth / 1e6;
	for (uint32_t f = 0; f < SC_FORMAT_CODES; f++)
		r.peak[f] = hw->peak_flops[f] / 1e6;
	return r;
}

static inline double sc_rates_note(const sc_table *t, const char *key)
{
	double v = sc_note_number(t, key);
	return v > 0 ? v : 0;
}

/* Reads peak_tflops_FORMAT, memory_bandwidth_tbs and link_bandwidth_gbs. */
static inline struct sc_rates sc_rates_of_notes(const sc_table *t)
{
	struct sc_rates r;
	r.bandwidth = 1e6 * sc_rates_note(t, "memory_bandwidth_tbs");
	r.link = 1e3 * sc_rates_note(t, "link_bandwidth_gbs");
	r.peak[0] = 0;
	for (uint32_t f = 1; f < SC_FORMAT_CODES; f++) {
		char key[64];
		snprintf(key, sizeof key, "peak_tflops_%s", sc_format_name(f));
		r.peak[f] = 1e6 * sc_rates_note(t, key);
	}
	return r;
}

/* Returns the peak of a format.  A format that the GPU cannot multiply runs in
 * the next wider one. */
static inline double sc_rates_peak(const struct sc_rates *r, uint32_t format)
{
	while (!(r->peak[format] > 0) && format)
		format = format == SC_FP4 || format == SC_INT8 ? SC_FP8
			 : format == SC_FP8                    ? SC_BF16
							       : 0;
	return r->peak[format];
}
#endif
