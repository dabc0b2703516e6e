/* infersim.h -- InferSim's GPUs and the time of its phases: the operators of
 * mfu.h, and constants of a phase; infersim.md has the formulas. */
#ifndef INFERSIM_H
#define INFERSIM_H
#include "mfu.h"

static const char *const *const is_gpu_names[] = {
    (const char *const[]){"h20", NULL}, (const char *const[]){"h800", NULL},
    (const char *const[]){"h200-sxm", "H200", NULL},
    (const char *const[]){"gb200", NULL}};
static const struct mfu_gpu is_gpus[] = {
    {148, 296, 0.6, 4096 * 0.8, 900 * 0.8 / 2, 50 * 0.8},
    {989, 1979, 0.35, 3430 * 0.8, 400 * 0.8 / 2, 50 * 0.8},
    {989, 1979, 0.4, 4800 * 0.8, 900 * 0.8 / 2, 50 * 0.8},
    {2500, 5000, 0.5, 13400 * 0.8, 1800 * 0.8 / 2, 50 * 0.8}};

/* GEMMs see `tokens`; bs sequences decode at kv; prompt tokens are in prompts
 * of isl; 0: none. */
struct is_phase {
	double tokens, bs, kv, prompt, isl;
};

/* The time of a phase, or of a step with both (ours): seconds. */
static inline double is_time(struct mfu *s, const struct is_phase *w)
{
	const struct field_model *m = &s->m;
	int phase = w->prompt > 0 ? SC_PREFILL : SC_DECODE;
	int hybrid = s->linear_layers > 0;
	double times = w->prompt / w->isl, core = 0, linear = 0;
	uint32_t how;
	if (w->prompt > 0)
		core = mfu_core_prefill(s, &s->core, w->isl, &how) *
		       (hybrid ? times : ceil(times));
	if (w->prompt > 0 && hybrid)
		linear = mfu_core_linear(s, SC_PREFILL, w->isl) * times;
	if (w->bs > 0)
		core += mfu_core_decode(s, &s->core, w->bs, w->kv, &how);
	if (w->bs > 0 && hybrid)
		linear += mfu_core_linear(s, SC_DECODE, w->bs);
	double other, ffn;
	mfu_tokens(s, w->tokens, phase, &other, &ffn);
	double out = mfu_exchange(s, w->tokens, phase, 1);
	double in = mfu_exchange(s, w->tokens, phase, 2);
	double reduce = w->tokens * m->hidden * 2 * 2 * (m->tp - 1) / m->tp /
			MFU_GB / s->gpu.link;
	double queue = phase == SC_PREFILL ? 30e-3 : hybrid ? 2e-3 : 5e-3;
	double part = (core + other) / (108. / 132);
	if (hybrid) {
		double p = s->projection[0].n;
		double l = mfu_gemms(s, &s->projection[0], 1, w->tokens) *
			       (p + 2 * s->linear.v_heads) / p +
			   mfu_gemms(s, &s->projection[1], 1, w->tokens);
		return s->full_layers * (core + other) +
		       s->linear_layers * (linear + l) +
		       m->layers * (ffn + (m->tp > 1 ? 2 * reduce : out + in)) +
		       queue;
	}
	if (!s->tbo)
		return m->layers * (core + other + ffn + out + in + reduce) +
		       queue;
	if (phase == SC_DECODE)
		return m->layers * 2 * fmax(core + other, ffn + out + in) +
		       queue;
	ffn /= 108. / 132;
	return m->layers * (fmax(part, out) + fmax(part, in) + fmax(ffn, out) +
			    fmax(ffn, in)) +
	       queue;
}
#endif
