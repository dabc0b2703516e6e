/* linear.c -- Prices gated delta nets, Kimi delta attention and Mamba-2. */
#include "price/linear.h"
#include "inst.h"

uint32_t linear_table(uint32_t linear_kind)
{
	switch (linear_kind) {
	case SC_LINEAR_GDN:
		return SC_MIXER_GDN;
	case SC_LINEAR_KDA:
		return SC_MIXER_KDA;
	case SC_LINEAR_MAMBA2:
		return SC_MIXER_MAMBA2;
	default:
		return SC_N_MIXERS;
	}
}

/* The table of a family has its number. */
_Static_assert((int)SC_MIXER_GDN == (int)SC_FAMILY_GDN &&
		   (int)SC_MIXER_KDA == (int)SC_FAMILY_KDA &&
		   (int)SC_MIXER_MAMBA2 == (int)SC_FAMILY_MAMBA2,
	       "linear_for()");

struct linear_call linear_for(struct inst *s, const struct sc_linear *what,
			      double number_bytes)
{
	struct linear_call l = {.what = *what};
	for (uint32_t op = 0; op < SC_N_LINEAR_OPS; op++)
		l.kernel[op] = mixer_for_linear(s, what->family, op, what);
	/* The state is read and written. */
	l.step_us = s->number.mamba_step_us;
	l.step_us_per_seq = 2 * number_bytes * sc_linear_state(what) /
			    (s->number.mamba_reached * s->rates.bandwidth);
	return l;
}

struct answer linear_mamba_step_us(const struct linear_call *l,
				   double sequences)
{
	return (struct answer){l->step_us + l->step_us_per_seq * sequences,
			       SC_FALLBACK};
}

static struct answer ask(const struct linear_call *l, uint32_t op,
			 double sequences, double tokens)
{
	const struct sc_mixer_at at = {sequences, tokens, 0};
	if (op == SC_STEP_DECODE && l->what.family == SC_FAMILY_MAMBA2)
		return linear_mamba_step_us(l, sequences);
	return mixer_us(&l->kernel[op], &at, NULL);
}

/* Several tokens of a sequence: by the kernels that verify, or as that many
 * sequences. */
static void decodes_us(const struct linear_call *l, double decodes,
		       double tokens, struct answer is[N_LINEAR_KERNELS])
{
	if (tokens > decodes && mixer_is_measured(&l->kernel[SC_STEP_VERIFY])) {
		double each = tokens / decodes;
		is[LINEAR_CONV] = ask(l, SC_CONV_VERIFY, decodes, each);
		is[LINEAR_STATE] = ask(l, SC_STEP_VERIFY, decodes, each);
		return;
	}
	is[LINEAR_CONV] = ask(l, SC_CONV_DECODE, tokens, 1);
	is[LINEAR_STATE] = ask(l, SC_STEP_DECODE, tokens, 1);
}

void linear_decode_us(struct linear_call *l, double decodes, double tokens,
		      struct answer is[N_LINEAR_KERNELS])
{
	uint32_t at = decodes < UINT32_MAX ? (uint32_t)decodes : 0;
	struct linear_known *k = &l->known[at % LINEAR_BATCHES];
	if (k->sequences != decodes || k->tokens != tokens) {
		k->sequences = decodes;
		k->tokens = tokens;
		decodes_us(l, decodes, tokens, k->is);
	}
	memcpy(is, k->is, sizeof k->is);
}

void linear_prefill_us(const struct linear_call *l, double chunks, double mean,
		       struct answer is[N_LINEAR_KERNELS])
{
	is[LINEAR_CONV] = ask(l, SC_CONV_PREFILL, chunks, mean);
	is[LINEAR_STATE] = ask(l, SC_SCAN_PREFILL, chunks, mean);
}
