/* stepcost/roofline.h -- header-only helper for plugins: what the rooflines
 * share: the sums over a step's requests, memory traffic, mixed steps, host
 * overheads, rounding.  Formulas: plugins/roofline_v1/roofline_v1.md.
 *
 * Sums over requests are sums of integers, exact below 2^53: their order does
 * not matter. */
#ifndef SC_ROOFLINE_H
#define SC_ROOFLINE_H
#include <math.h>
#include "stepcost/dense.h"
#include "stepcost/sum.h"

/* One phase of a step, as sums over its requests; (s, t) is a request with s
 * tokens cached and t new. */
struct sc_load {
	double n;                     /* requests */
	double new_tokens;            /* sum of t */
	double context;               /* sum of t * (s + (t - 1) / 2) */
	double one_cached, one_new;   /* sums of s and of t where t = 1 */
	double many_cached, many_new; /* and where t > 1 */
};

/* Tokens that the decodes of a step read. */
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

/* Cached keys and values, and activations, are partly found in caches. */
struct sc_discounts {
	double kv_one, kv_many, act_one, act_many; /* t = 1, t > 1 */
};

/* Bytes moved for the requests of a phase, without the weights. */
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

/* The same for n decodes, of which only the contexts are not known yet. */
struct sc_decode_bytes {
	double activations, fresh; /* keys and values written               */
	double kv_row, cached;     /* per token, of which so much is read   */
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

/* As sc_dyn_bytes(), bit by bit. */
static inline double sc_decode_bytes(const struct sc_decode_bytes *b,
				     double context)
{
	return b->activations + b->kv_row * (context * b->cached) + b->fresh;
}

/* How much of each phase's time a step of both takes. */
struct sc_mix {
	double prefill, decode;
};

/* In proportion to the tokens of each phase. */
static inline struct sc_mix sc_mix_smooth(double new_tokens, double n_decode)
{
	double all = new_tokens + n_decode;
	return (struct sc_mix){new_tokens / all, n_decode / all};
}

/* The same, except where one phase outweighs the other by far. */
static inline struct sc_mix sc_mix_adaptive(double new_tokens, double n_decode)
{
	if (new_tokens > 4 * n_decode && new_tokens > 100)
		return (struct sc_mix){.75, .25};
	if (n_decode > 2 * new_tokens && n_decode > 50)
		return (struct sc_mix){.35, .65};
	return sc_mix_smooth(new_tokens, n_decode);
}

/* The host's share of a step, in us.  Zeroed before it is filled in; an
 * instance's own, since it remembers logarithms. */
enum { SC_HOST_KNOWN = 512 };
struct sc_host_costs {
	double t_overhead_us, allreduce_latency_us;
	double prefill_overhead_us, mixed_prefill_overhead_us;
	/* [n] of n / 2, once it was needed; 0: not yet */
	double log2_half[SC_HOST_KNOWN];
};
/* n > 2, a whole number. */
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

/* As round(): half away from zero, without a call for what fits an integer. */
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

/* The step's time of seconds on the GPU and the host's share; rounded half away
 * from zero to whole us. */
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

/* What the step waits for longest. */
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

/* A step of both phases, mixed, and the host: its time, and what it is made
 * of. */
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

/* The same of a step of decodes alone, bit by bit. */
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
