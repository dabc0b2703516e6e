/* stepcost/roofline.h -- header-only helper for plugins: the parts that all
 * rooflines share: sums over the requests of a step, memory traffic, mixed
 * steps, host overheads, rounding.  Formulas:
 * plugins/roofline_v1/roofline_v1.md.
 *
 * Sums over requests are sums of integers, exact below 2^53, so the order of
 * the requests does not matter. */
#ifndef SC_ROOFLINE_H
#define SC_ROOFLINE_H
#include <math.h>
#include "stepcost/dense.h"
#include "stepcost/sum.h"

/* One phase of a step as sums over its requests; a request (s, t) has s tokens
 * cached and t new ones. */
struct sc_load {
	double n;                     /* requests */
	double new_tokens;            /* sum of t */
	double context;               /* sum of t * (s + (t - 1) / 2) */
	double one_cached, one_new;   /* sums of s and of t where t = 1 */
	double many_cached, many_new; /* the same where t > 1 */
};

/* Returns how many tokens of KV cache the decodes of a step read. */
static inline double sc_decode_context(const sc_step *step)
{
	return (double)(int64_t)sc_decode_ctx_sum(step);
}

static inline struct sc_load sc_load_decode(const sc_step *step)
{
	double n = step->n_decode;
	double sum = sc_decode_context(step);
	return (struct sc_load){.n = n,
				.new_tokens = n,
				.context = sum,
				.one_cached = sum,
				.one_new = n};
}

static inline struct sc_load sc_load_prefill(const sc_step *step)
{
	struct sc_load l = {.n = (double)step->n_prefill};
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		double s = step->prefill_ctx[i], t = step->prefill_new[i];
		l.new_tokens += t;
		l.context += t * s + t * (t - 1) / 2;
		*(t > 1 ? &l.many_cached : &l.one_cached) += s;
		*(t > 1 ? &l.many_new : &l.one_new) += t;
	}
	return l;
}

/* Factors on memory traffic, because GPU caches serve a part of it. */
struct sc_discounts {
	/* where t = 1; where t > 1 */
	double kv_one, kv_many, act_one, act_many;
};

/* Returns the bytes moved for the requests of a phase, without the weights. */
static inline double sc_dyn_bytes(const struct sc_dense *m,
				  const struct sc_load *l,
				  const struct sc_discounts *c)
{
	double kv_row = 2 * m->layers * m->kv_width * m->kv_bytes;
	double act_row = m->layers * m->hidden * m->act_bytes;
	double read =
	    kv_row * (l->one_cached * c->kv_one + l->many_cached * c->kv_many);
	double activations =
	    act_row * (l->one_new * c->act_one + l->many_new * c->act_many);
	return activations + read + kv_row * l->new_tokens;
}

/* Returns the part of sc_dyn_bytes() that is KV cache. */
static inline double sc_kv_bytes(const struct sc_dense *m,
				 const struct sc_load *l,
				 const struct sc_discounts *c)
{
	return 2 * m->layers * m->kv_width * m->kv_bytes *
	       (l->one_cached * c->kv_one + l->many_cached * c->kv_many +
		l->new_tokens);
}

/* Reports the bytes that a step moves on one of `ranks` ranks; weights: those
 * of all ranks, read once.  Adds up flops of the phases.  Call it after gemm_
 * and attention_flops are set; a host before 1.3 has no room for it. */
static inline void sc_work_report(sc_result *out, const struct sc_dense *m,
				  const struct sc_load load[2],
				  const struct sc_discounts *c, double weights,
				  double ranks)
{
	double moved = 0, kv_sum = 0, flops = 0;
	for (int i = 0; i < 2; i++) {
		if (!(load[i].n > 0))
			continue;
		out->kv_bytes[i] = sc_kv_bytes(m, &load[i], c) / ranks;
		kv_sum += out->kv_bytes[i];
		moved += sc_dyn_bytes(m, &load[i], c) / ranks;
		flops += out->gemm_flops[i] + out->attention_flops[i];
	}
	out->weight_bytes = weights / ranks;
	out->activation_bytes = moved - kv_sum;
	out->bytes = out->weight_bytes + moved;
	out->flops = flops;
}

/* The parts of sc_dyn_bytes() for n decodes with contexts that are not known
 * yet. */
struct sc_decode_bytes {
	double activations, fresh; /* keys and values that are written */
	double kv_row, cached; /* bytes per token of context; factor on them */
};

static inline struct sc_decode_bytes
sc_decode_bytes_of(const struct sc_dense *m, double n,
		   const struct sc_discounts *c)
{
	double kv_row = 2 * m->layers * m->kv_width * m->kv_bytes;
	double act_row = m->layers * m->hidden * m->act_bytes;
	return (struct sc_decode_bytes){.activations =
					    act_row * (n * c->act_one),
					.fresh = kv_row * n,
					.kv_row = kv_row,
					.cached = c->kv_one};
}

/* Returns the same bits as sc_dyn_bytes(). */
static inline double sc_decode_bytes(const struct sc_decode_bytes *b,
				     double context)
{
	return b->activations + b->kv_row * (context * b->cached) + b->fresh;
}

/* How much of each phase's time counts in a step that has both. */
struct sc_mix {
	double prefill, decode;
};

/* In proportion to the tokens of each phase. */
static inline struct sc_mix sc_mix_smooth(double new_tokens, double n_decode)
{
	double all = new_tokens + n_decode;
	return (struct sc_mix){new_tokens / all, n_decode / all};
}

/* The same, except where one phase is far larger than the other. */
static inline struct sc_mix sc_mix_adaptive(double new_tokens, double n_decode)
{
	if (new_tokens > 4 * n_decode && new_tokens > 100)
		return (struct sc_mix){.75, .25};
	if (n_decode > 2 * new_tokens && n_decode > 50)
		return (struct sc_mix){.35, .65};
	return sc_mix_smooth(new_tokens, n_decode);
}

/* The host's share of a step, in us.  Zero it before filling it in.  Each
 * instance needs its own, because it caches logarithms. */
enum { SC_HOST_KNOWN = 512 };
struct sc_host_costs {
	double t_overhead_us, allreduce_latency_us;
	double prefill_overhead_us, mixed_prefill_overhead_us;
	/* [n]: log2(n / 2) once it was needed; 0: not computed yet. */
	double log2_half[SC_HOST_KNOWN];
};
/* Returns log2(n / 2).  n is a whole number above 2. */
static inline double sc_log2_half(struct sc_host_costs *c, double n)
{
	if (!(n < SC_HOST_KNOWN))
		return log2(n / 2);
	double *known = &c->log2_half[(uint32_t)n];
	if (*known == 0)
		*known = log2(n / 2);
	return *known;
}
struct sc_host_us {
	double comm, overhead, prefill_overhead;
};

static inline struct sc_host_us sc_host_time(struct sc_host_costs *c,
					     const struct sc_dense *m,
					     double n_prefill, double n_decode)
{
	struct sc_host_us us = {.overhead = c->t_overhead_us};
	double n = n_prefill + n_decode;
	if (m->tp > 1)
		us.comm = m->layers * 2 * c->allreduce_latency_us;
	if (n > 2)
		us.overhead *=
		    1 + .15 * sc_log2_half(c, n) * (.3 + 2 * n_decode / n);
	us.prefill_overhead =
	    n_prefill * (n_decode > 0 ? c->mixed_prefill_overhead_us
				      : c->prefill_overhead_us);
	return us;
}

/* The parts of a phase, in seconds. */
struct sc_phase {
	double gemm, attention, memory;
};

static inline double sc_phase_compute(const struct sc_phase *p)
{
	return p->gemm + p->attention;
}

static inline double sc_phase_time(const struct sc_phase *p)
{
	double compute = sc_phase_compute(p);
	return compute < p->memory ? p->memory : compute;
}

static inline void sc_phase_report(sc_result *out, int which,
				   const struct sc_phase *p)
{
	out->gemm_us[which] = p->gemm * 1e6;
	out->attention_us[which] = p->attention * 1e6;
	out->compute_us[which] = sc_phase_compute(p) * 1e6;
	out->memory_us[which] = p->memory * 1e6;
}

/* Rounds half away from zero as round() does, but without a call if x fits an
 * integer. */
static inline double sc_round(double x)
{
	if (!(fabs(x) < 0x1p52))
		return round(x);
	double whole = (double)(int64_t)x;
	return whole + (x - whole >= 0.5) - (x - whole <= -0.5);
}

/* The host's share in seconds. */
struct sc_host_s {
	double comm, overhead, prefill_overhead;
};
static inline struct sc_host_s sc_host_seconds(const struct sc_host_us *us)
{
	return (struct sc_host_s){us->comm / 1e6, us->overhead / 1e6,
				  us->prefill_overhead / 1e6};
}

/* Sets the time of a step from the seconds on the GPU and the host's share.
 * total_us is rounded half away from zero to whole us. */
static inline void sc_total(sc_result *out, double hardware,
			    const struct sc_host_us *us,
			    const struct sc_host_s *s)
{
	out->comm_us = us->comm;
	out->overhead_us = us->overhead + us->prefill_overhead;
	out->exact_us =
	    (hardware + s->comm + s->overhead + s->prefill_overhead) * 1e6;
	out->total_us = sc_round(out->exact_us);
}

/* Returns what takes longest in the step. */
static inline uint32_t sc_bound_of(const sc_result *out,
				   const struct sc_phase *heavier,
				   double hardware)
{
	if (out->overhead_us >= hardware * 1e6 &&
	    out->overhead_us >= out->comm_us)
		return out->overhead_us > 0 ? SC_BOUND_OVERHEAD : SC_BOUND_NONE;
	if (out->comm_us >= hardware * 1e6)
		return SC_BOUND_COMM;
	return sc_phase_compute(heavier) >= heavier->memory ? SC_BOUND_COMPUTE
							    : SC_BOUND_MEMORY;
}

/* Reports a step of mixed phases and the host's share: its time and its
 * parts. */
static inline void sc_step_report(sc_result *out, int has_prefills,
				  int has_decodes,
				  const struct sc_phase phase[2],
				  const struct sc_mix *mix,
				  const struct sc_host_us *host)
{
	double part[2] = {mix->prefill * sc_phase_time(&phase[SC_PREFILL]),
			  mix->decode * sc_phase_time(&phase[SC_DECODE])};
	double hardware = part[SC_PREFILL] + part[SC_DECODE];
	if (has_prefills)
		sc_phase_report(out, SC_PREFILL, &phase[SC_PREFILL]);
	if (has_decodes)
		sc_phase_report(out, SC_DECODE, &phase[SC_DECODE]);
	struct sc_host_s host_s = sc_host_seconds(host);
	sc_total(out, hardware, host, &host_s);
	out->bound = sc_bound_of(
	    out, &phase[part[SC_DECODE] > part[SC_PREFILL]], hardware);
}

/* Reports a step that has decodes only; the same bits as sc_step_report(). */
static inline void sc_decodes_report(sc_result *out, const struct sc_phase *p,
				     const struct sc_host_us *us,
				     const struct sc_host_s *s)
{
	double hardware = sc_phase_time(p);
	sc_phase_report(out, SC_DECODE, p);
	sc_total(out, hardware, us, s);
	out->bound = sc_bound_of(out, p, hardware);
}
#endif
