/* result.c -- Writes parts two by two. */
#include "step/result.h"
#include <math.h>
#include "inst.h"

typedef double two_doubles
    __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t two_words
    __attribute__((vector_size(16), aligned(8), may_alias));

/* n of them, an even number; NaN: there is no such part. */
static inline void write_column(uint32_t n, const double *us, double share,
				double *to)
{
	const two_doubles none = {NAN, NAN};
	for (uint32_t i = 0; i < n; i += 2) {
		two_doubles part = *(const two_doubles *)(us + i) * share;
		two_words is_there = part > 0;
		*(two_words *)(to + i) = ((two_words)part & is_there) |
					 ((two_words)none & ~is_there);
	}
}
_Static_assert(N_GEMMS % 2 == 0 && PART_ALL_REDUCE % 2 == 0 &&
		   N_PARTS % 2 == 0 && N_ATTENTIONS % 2 == 0,
	       "write_column()");

/* Parts behind attention have no phases. */
void result_shared_parts(const struct parts *p, const double share[2],
			 double part_us[PART_PLACES])
{
	write_column(N_GEMMS, p->part, share[SC_PREFILL], part_us);
	write_column(N_GEMMS, p->part, share[SC_DECODE], part_us + N_PARTS);
	write_column(N_PARTS - PART_ALL_REDUCE, p->part + PART_ALL_REDUCE, 1,
		     part_us + PART_ALL_REDUCE);
}

void result_no_attention(double part_us[PART_PLACES])
{
	for (int i = 0; i < N_ATTENTIONS; i++) {
		part_us[PART_ATTENTION + i] = NAN;
		part_us[N_PARTS + PART_ATTENTION + i] = NAN;
	}
}

/* Most models have no parts behind the first two. */
void result_own_parts(const struct inst *s, const struct parts *p,
		      double part_us[PART_PLACES])
{
	const double host_us = p->part[PART_HOST];
	for (int phase = 0; phase < 2; phase++)
		write_column(2, p->attention_us[phase], 1,
			     part_us + phase * N_PARTS + PART_ATTENTION);
	for (int phase = 0; phase < 2 && s->has_mixers; phase++)
		write_column(N_ATTENTIONS - 2, p->attention_us[phase] + 2, 1,
			     part_us + phase * N_PARTS + PART_ATTENTION + 2);
	part_us[PART_HOST] = host_us > 0 ? host_us : NAN;
}

void result_sums(const struct inst *s, const struct price *p,
		 const double share[2], sc_result *out)
{
	for (int phase = 0; phase < 2; phase++)
		if (share[phase] > 0) {
			out->gemm_us[phase] = p->gemm_us * share[phase];
			out->attention_us[phase] = p->attention_us[phase];
		}
	out->comm_us = p->comm_us;
	out->overhead_us = p->overhead_us;
	out->exact_us = price_sum(p);
	out->total_us = out->exact_us;
	if (s->pp > 1)
		out->ready_us = out->total_us / s->pp;
}
