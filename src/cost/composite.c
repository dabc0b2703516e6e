/* composite.c -- Prices a step with two cost models, part by part. */
#include "cost/composite.h"
#include <math.h>
#include "cost/breakdown.h"
#include "stepcost/fail.h"

#define BIT(component) (1u << COMPONENT_##component)

const struct composite_part composite_component[COMPOSITE_PARTS + 1] = {
    {"prefill GEMM", BIT(PREFILL_GEMM)},
    {"prefill attention", BIT(PREFILL_ATTENTION)},
    {"decode GEMM", BIT(DECODE_GEMM)},
    {"decode attention", BIT(DECODE_ATTENTION)},
    {"memory", BIT(PREFILL_MEMORY) | BIT(DECODE_MEMORY)},
    {"communication", BIT(COMMUNICATION)},
    {"overhead", BIT(OVERHEAD)},
    {"other", BIT(OTHER) | BIT(ROUNDING)},
};
const struct composite_part composite_phase[COMPOSITE_PARTS + 1] = {
    {"prefill",
     BIT(PREFILL_GEMM) | BIT(PREFILL_ATTENTION) | BIT(PREFILL_MEMORY)},
    {"decode", BIT(DECODE_GEMM) | BIT(DECODE_ATTENTION) | BIT(DECODE_MEMORY)},
    {"communication", BIT(COMMUNICATION)},
    {"overhead", BIT(OVERHEAD)},
};
enum {
	PREFILL,
	DECODE,
	COMMUNICATION,
	OVERHEAD
}; /* indices of composite_phase */

/* The price of a step by one of the two models. */
struct side {
	double total_us, ready_us, host_us;
	double us[COMPOSITE_PARTS];
};

const struct composite_part *composite_parts(uint32_t a_capabilities,
					     uint32_t b_capabilities)
{
	return a_capabilities & b_capabilities & SC_CAP_ADDITIVE
		   ? composite_component
		   : composite_phase;
}

static void by_component(const struct cost *c, const sc_result *r,
			 struct side *x)
{
	double us[N_COMPONENTS];
	components_split(r, c->p->capabilities, us);
	for (int i = 0; composite_component[i].name; i++)
		for (int k = 0; k < N_COMPONENTS; k++)
			if (composite_component[i].components & 1u << k)
				x->us[i] += us[k];
}

/* Returns the time without communication and overheads. */
static double hardware_us(const sc_result *r)
{
	return r->total_us - breakdown_or_zero(r->comm_us) -
	       breakdown_or_zero(r->overhead_us);
}

static uint32_t sum(const uint32_t *x, uint32_t n)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < n; i++)
		all += x[i];
	return all;
}

static uint32_t without(uint32_t of, uint32_t n)
{
	return of > n ? of - n : 0;
}

/* Returns the same step without its decodes.  If the step is one rank's, the
 * tokens of other ranks stay. */
static sc_step only_prefills(const sc_step *step)
{
	sc_step s = *step;
	uint32_t decodes = step->decode_new
			       ? sum(step->decode_new, step->n_decode)
			       : step->n_decode;
	uint32_t prompts = sum(step->prefill_new, step->n_prefill);
	s.n_sampled = step->n_sampled - step->n_decode;
	s.n_decode = 0;
	s.decode_ctx_sum = 0;
	if (!SC_HAS(step, dp_max_tokens) || step->dp_tokens == 0)
		return s;
	s.dp_tokens = without(step->dp_tokens, decodes);
	s.dp_max_tokens = without(step->dp_max_tokens, decodes);
	if (s.dp_max_tokens < prompts)
		s.dp_max_tokens = prompts;
	return s;
}

static int by_phase(struct cost *c, const sc_step *step, const sc_result *r,
		    struct side *x, struct problem *p)
{
	double all_us = hardware_us(r), prefill_us = all_us;
	x->us[COMMUNICATION] = breakdown_or_zero(r->comm_us);
	x->us[OVERHEAD] = breakdown_or_zero(r->overhead_us);
	if (!step->n_prefill) {
		prefill_us = 0;
	} else if (step->n_decode) {
		const sc_step alone = only_prefills(step);
		const sc_result *without = cost_eval(c, &alone, p);
		if (!without)
			return -1;
		prefill_us = fmin(hardware_us(without), all_us);
	}
	x->us[PREFILL] = prefill_us;
	x->us[DECODE] = all_us - prefill_us;
	return 0;
}

static int ask(const struct composite *h, struct cost *c, const sc_step *step,
	       struct side *x, struct problem *p)
{
	const sc_result *r = cost_eval(c, step, p);
	if (!r)
		return -1;
	*x = (struct side){r->total_us, r->ready_us, r->host_us, {0}};
	if (h->part == composite_phase)
		return by_phase(c, step, r, x, p);
	by_component(c, r, x);
	return 0;
}

/* Reports the same failure in the way that a plugin does. */
static int32_t fail(const struct cost *of, const struct problem *p,
		    sc_error *err)
{
	return sc_fail(err, of->code != SC_OK ? of->code : SC_EINVAL, "%s",
		       p->text);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct composite *h = inst;
	struct problem p;
	struct side a, b;
	if (ask(h, h->a, step, &a, &p) < 0)
		return fail(h->a, &p, err);
	if (ask(h, h->b, step, &b, &p) < 0)
		return fail(h->b, &p, err);
	out->total_us = a.total_us;
	out->host_us = a.host_us;
	for (int i = 0; h->part[i].name; i++) {
		if (!(h->from_b & 1u << i))
			continue;
		out->total_us += b.us[i] - a.us[i];
		/* Overheads include the part that async scheduling hides. */
		if (h->part[i].components & BIT(OVERHEAD))
			out->host_us = b.host_us;
	}
	/* Keep the ratio of a pipeline stage to the step. */
	out->ready_us = a.ready_us / a.total_us * out->total_us;
	return SC_OK;
}

void composite_make(struct composite *h, struct cost *a, struct cost *b,
		    const struct composite_part *part, uint32_t from_b,
		    struct cost *out)
{
	*h = (struct composite){
	    .a = a, .b = b, .part = part, .from_b = from_b, .outer = *a->p};
	h->outer.eval = eval;
	h->outer.eval_batch = NULL;
	h->outer.kernel = NULL;
	/* Answers of a composite have no further parts. */
	h->outer.capabilities &= b->p->capabilities & ~SC_CAP_ADDITIVE;
	h->outer.n_parts = 0;
	h->outer.part = NULL;
	*out = (struct cost){.p = &h->outer, .inst = h};
}
