/* rates.c -- Chooses whose coefficients and whose peak rates price a GPU. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "stepcost/fail.h"
#include "stepcost/log.h"
#include "inst.h"

/* The GPUs the coefficients were fitted on, with the peaks they were fitted
 * against: bf16 FLOP/s, bytes/s of memory, bytes/s of a link one way. */
static const struct gpu {
	double peak, bandwidth, link, fp8_gain;
} gpu_of[N_FAMILIES] = {
    [H100] = {989.5e12, 3.35e12, 450e9, 2},
    [H200] = {989.5e12, 4.8e12, 450e9, 2},
    [A100] = {312e12, 2.039e12, 300e9, 1},
    [L40S] = {362e12, 0.864e12, 32e9, 2},
};

static int same_rate(double a, double b)
{
	return b <= 0 || fabs(a - b) <= 0.01 * a;
}

static int agrees(const struct gpu *f, const sc_hardware *hw)
{
	return same_rate(f->peak, hw->peak_flops[SC_BF16]) &&
	       same_rate(f->bandwidth, hw->mem_bandwidth) &&
	       same_rate(f->link, hw->link_bandwidth);
}

/* By its rates, whatever it is called; else by its name, so that an H100 with
 * a rate changed for an experiment is still one.  A PCIe or NVL board is none:
 * its memory is another one. */
static int family_of_hardware(const sc_hardware *hw)
{
	static const struct {
		const char *prefix;
		int family;
	} known[] = {{"h100-sxm", H100},
		     {"h200", H200},
		     {"a100-80-sxm", A100},
		     {"l40s", L40S}};
	for (int f = 0; f < N_FAMILIES; f++)
		if (hw->peak_flops[SC_BF16] > 0 && hw->mem_bandwidth > 0 &&
		    agrees(&gpu_of[f], hw))
			return f;
	for (size_t i = 0; hw->name && i < sizeof known / sizeof *known; i++)
		if (!strncasecmp(hw->name, known[i].prefix,
				 strlen(known[i].prefix)))
			return known[i].family;
	return FAMILY_AUTO;
}

#define OF(field)                                                              \
	(family == A100   ? k->field##_a100                                    \
	 : family == L40S ? k->field##_l40s                                    \
			  : k->field)
/* An A100 multiplies FP8 weights as bf16. */
#define OF_FP8(field)                                                          \
	(family == A100   ? k->field##_a100                                    \
	 : family == L40S ? k->field##_fp8_l40s                                \
			  : k->field##_fp8)

static void set_efficiencies(struct rates *r, const struct knobs *k, int family)
{
	r->ew = OF(ew);
	r->ekv = OF(ekv);
	r->edt_us = OF(edt_us);
	r->ec = OF(ec);
	r->ec_fp8 = OF_FP8(ec);
	r->ep = OF(ep);
	r->emc = OF(emc);
	r->emc_fp8 = OF_FP8(emc);
	r->arw = OF(arw);
	r->arb = OF(arb);
	r->nvlink = family != L40S;
}

static int32_t choose_family(const struct knobs *k, const sc_setup *setup,
			     int *family, sc_error *err)
{
	const char *name = setup->hardware->name;
	*family = (int)k->family;
	if (*family == FAMILY_AUTO)
		*family = family_of_hardware(setup->hardware);
	if (*family != FAMILY_AUTO)
		return SC_OK;
	if (!k->allow_extrapolation)
		return sc_fail(err, SC_EUNSUP,
			       "%s: no coefficients for this GPU (there are "
			       "h100, h200, a100-80, l40s): choose family, or "
			       "allow_extrapolation = true",
			       name ? name : "hardware");
	sc_log(setup, SC_LOG_WARNING,
	       "smooth_roofline: extrapolating: coefficients of h100 with the "
	       "peak rates of another GPU");
	*family = H100;
	return SC_OK;
}

int32_t choose_rates(struct rates *r, const struct knobs *k,
		     const sc_setup *setup, sc_error *err)
{
	const sc_hardware *hw = setup->hardware;
	int family;
	int32_t rc = choose_family(k, setup, &family, err);
	if (rc != SC_OK)
		return rc;
	const struct gpu *f = &gpu_of[family];
	*r = (struct rates){.peak = f->peak,
			    .bandwidth = f->bandwidth,
			    .link = f->link,
			    .fp8_gain = f->fp8_gain,
			    .tp = setup->parallel->tp};
	set_efficiencies(r, k, family);
	if (k->figures == FIGURES_FAMILY ||
	    (k->figures == FIGURES_AUTO && agrees(f, hw)))
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
	r->fp8_gain = hw->peak_flops[SC_FP8] > 0 ? 2 : 1;
	return SC_OK;
}
