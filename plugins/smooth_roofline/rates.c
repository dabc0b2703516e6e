/* rates.c -- Chooses the coefficients and the peak rates that price a GPU. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "stepcost/fail.h"
#include "stepcost/log.h"
#include "inst.h"

static const struct gpu {
	const char *prefix;
	enum family family;
	double peak, bandwidth, link;
	int has_links;
} gpus[] = {
#define GPU_ROW(constant, word, prefix, family, peak, bandwidth, link, links,  \
		source)                                                        \
	[constant] = {prefix, family, peak, bandwidth, link, links},
    GPUS(GPU_ROW)};
enum { N_GPUS = sizeof gpus / sizeof *gpus };

/* 1: a family has coefficients of its own for FP8. */
static const int has_fp8[N_FAMILIES] = {
#define FP8_FAMILY(family, ...) [family] = 1,
    FP8_FAMILIES(FP8_FAMILY)};

static int same_rate(double a, double b)
{
	return b <= 0 || fabs(a - b) <= number.same_rate * a;
}

static int agrees(const struct gpu *g, const sc_hardware *hw)
{
	return same_rate(g->peak, hw->peak_flops[SC_BF16]) &&
	       same_rate(g->bandwidth, hw->mem_bandwidth) &&
	       same_rate(g->link, hw->link_bandwidth);
}

/* Returns the GPU with these rates; else the GPU with this name, so that an
 * H100 with a rate changed for an experiment is still one; else GPU_AUTO.  A
 * PCIe or NVL board is no H100, because its memory is another one. */
static int gpu_of_hardware(const sc_hardware *hw)
{
	for (int i = 0; i < N_GPUS; i++)
		if (hw->peak_flops[SC_BF16] > 0 && hw->mem_bandwidth > 0 &&
		    agrees(&gpus[i], hw))
			return i;
	for (int i = 0; hw->name && i < N_GPUS; i++)
		if (!strncasecmp(hw->name, gpus[i].prefix,
				 strlen(gpus[i].prefix)))
			return i;
	return GPU_AUTO;
}

/* "h100, h200, ...": the words of all GPUs. */
static const char *gpu_words(char *text, size_t size)
{
	size_t at = 0;
	for (int i = 0; i < N_GPUS && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s",
				       i ? ", " : "", family_words[i]);
	return text;
}

static int32_t choose_gpu(const struct knobs *k, const sc_setup *setup,
			  const struct gpu **gpu, sc_error *err)
{
	const char *name = setup->hardware->name;
	char words[80];
	int i = (int)k->family;
	if (i == GPU_AUTO)
		i = gpu_of_hardware(setup->hardware);
	if (i == GPU_AUTO && !k->allow_extrapolation)
		return sc_fail(err, SC_EUNSUP,
			       "%s: no coefficients for this GPU (there are "
			       "%s): choose family, or "
			       "allow_extrapolation = true",
			       name ? name : "hardware",
			       gpu_words(words, sizeof words));
	if (i == GPU_AUTO) {
		i = 0;
		sc_log(setup, SC_LOG_WARNING,
		       "smooth_roofline: extrapolating: coefficients of %s "
		       "with the peak rates of another GPU",
		       family_words[i]);
	}
	*gpu = &gpus[i];
	return SC_OK;
}

int32_t choose_rates(struct rates *r, const struct knobs *k,
		     const sc_setup *setup, sc_error *err)
{
	const sc_hardware *hw = setup->hardware;
	const struct gpu *g = NULL;
	int32_t rc = choose_gpu(k, setup, &g, err);
	if (rc != SC_OK)
		return rc;
	*r =
	    (struct rates){.peak = g->peak,
			   .bandwidth = g->bandwidth,
			   .link = g->link,
			   .fp8_gain = has_fp8[g->family] ? number.fp8_gain : 1,
			   .tp = setup->parallel->tp,
			   .of = k->of[g->family],
			   .has_links = g->has_links};
	if (!has_fp8[g->family]) {
		r->of.ec_fp8 = r->of.ec;
		r->of.emc_fp8 = r->of.emc;
	}
	if (k->figures == FIGURES_FAMILY ||
	    (k->figures == FIGURES_AUTO && agrees(g, hw)))
		return SC_OK;
	if (k->figures == FIGURES_AUTO)
		sc_log(
		    setup, SC_LOG_INFO,
		    "smooth_roofline: the hardware's peak rates are not those "
		    "of the coefficients: using the hardware's");
	if (!(hw->peak_flops[SC_BF16] > 0) || !(hw->mem_bandwidth > 0) ||
	    (r->tp > 1 && !(hw->link_bandwidth > 0)))
		return sc_fail(err, SC_EINVAL,
			       "%s: needs bf16 peak, memory bandwidth and, "
			       "with several ranks, link bandwidth",
			       hw->name ? hw->name : "hardware");
	r->peak = hw->peak_flops[SC_BF16];
	r->bandwidth = hw->mem_bandwidth;
	r->link = hw->link_bandwidth;
	r->fp8_gain = hw->peak_flops[SC_FP8] > 0 ? number.fp8_gain : 1;
	return SC_OK;
}
