/* rates.c -- What a GPU can do, as the hardware or a set's MANIFEST says, and
 * which of several formats bounds a kernel. */
#include <math.h>
#include "inst.h"

struct rates rates_of_hardware(const sc_hardware *hw)
{
	struct rates r = {.bandwidth = hw->mem_bandwidth / 1e6,
			  .link = hw->link_bandwidth / 1e6};
	for (uint32_t f = 0; f < SC_FORMAT_CODES; f++)
		r.peak[f] = hw->peak_flops[f] / 1e6;
	return r;
}

static double note_or_0(const sc_table *t, const char *key)
{
	double v = sc_note_number(t, key);
	return v > 0 ? v : 0;
}

struct rates rates_of_notes(const sc_table *t)
{
	struct rates r = {.bandwidth =
			      1e6 * note_or_0(t, "memory_bandwidth_tbs"),
			  .link = 1e3 * note_or_0(t, "link_bandwidth_gbs")};
	for (uint32_t f = 1; f < SC_FORMAT_CODES; f++) {
		char key[64];
		snprintf(key, sizeof key, "peak_tflops_%s", sc_format_name(f));
		r.peak[f] = 1e6 * note_or_0(t, key);
	}
	return r;
}

/* Data sheets round; GPUs differ by more. */
static int near(double a, double b)
{
	return !(a > 0) || !(b > 0) || fabs(log(a / b)) < 0.02;
}

static const uint32_t telling[] = {SC_BF16, SC_FP8, SC_FP4};
#define N_TELLING (sizeof telling / sizeof *telling)

int rates_alike(const struct rates *a, const struct rates *b)
{
	int alike = near(a->bandwidth, b->bandwidth);
	for (size_t i = 0; i < N_TELLING; i++)
		alike &= near(a->peak[telling[i]], b->peak[telling[i]]);
	return alike;
}

/* A generation is what formats it multiplies. */
double rates_distance(const struct rates *a, const struct rates *b)
{
	const double generation = 100;
	double d = 0;
	for (size_t i = 0; i < N_TELLING; i++) {
		double p = a->peak[telling[i]], q = b->peak[telling[i]];
		d += (p > 0) != (q > 0) ? generation : 0;
		d += p > 0 && q > 0 ? 0.01 * fabs(log(p / q)) : 0;
	}
	if (a->bandwidth > 0 && b->bandwidth > 0)
		d += fabs(log(a->bandwidth / b->bandwidth));
	return d;
}

/* A format that a GPU does not multiply runs in the next wider one. */
static uint32_t wider(uint32_t format)
{
	switch (format) {
	case SC_FP4:
	case SC_INT8:
		return SC_FP8;
	case SC_FP8:
		return SC_BF16;
	default:
		return 0;
	}
}

/* `like` where nothing is known of r. */
static double peak_of(const struct rates *r, const struct rates *like,
		      uint32_t format)
{
	const struct rates *of = r->peak[SC_BF16] > 0 ? r : like;
	while (format && !(of->peak[format] > 0))
		format = wider(format);
	return of->peak[format];
}

struct sc_oplaw law_at(const struct rates *r, const struct rates *like,
		       const struct sc_op_pick *pick)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[pick->op];
	const struct sc_kernel_dtype *d = sc_kernel_dtype(pick->dtype);
	int fp8 = pick->kv && !strcmp(pick->kv, "fp8");
	struct sc_oplaw l = {.op = pick->op,
			     .bandwidth = r->bandwidth > 0 ? r->bandwidth
							   : like->bandwidth,
			     .weight = d->weight_bytes,
			     .element = d->activation_bytes,
			     .cached = fp8 ? 1 : 2,
			     .peak = peak_of(r, like, d->peak),
			     .peak16 = peak_of(r, like, SC_BF16)};
	for (uint32_t i = 0; i < kind->n_constants; i++)
		l.c[i] = kind->constant[i].start;
	return l;
}
