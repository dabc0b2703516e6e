/* aic_pass.h -- passes of AIConfigurator as its own files ask for them: equal
 * requests, and a mixed step of a workload.  Needs aic.h before it. */
#ifndef T_AIC_PASS_H
#define T_AIC_PASS_H
#include <stdio.h>

struct mixed {
	double ct, g, isl, osl, prefix;
};

/* ct prompt tokens beside g decodes, of requests of isl and osl tokens. */
static inline double mixed_ms(const struct aic *a, const struct mixed *w)
{
	double tokens = w->ct + w->g - floor(w->prefix * floor(w->ct / w->isl));
	double batch = ceil(w->ct / w->isl);
	double s = aic_sum(aic_rest(a, tokens, 1));
	s += (aic_prefill(a, batch, w->isl - w->prefix, w->prefix) +
	      aic_context_extra(a)) /
	     ceil(w->isl / w->ct);
	s += aic_decode(a, w->g, w->isl + floor(w->osl / 2) + 1);
	return 1000 * s;
}

/* Reads SYSTEM TP LAYERS HIDDEN HEADS KV_HEADS HEAD_DIM FFN VOCAB QK_NORM. */
static inline int read_model(struct aic *a)
{
	struct field_model *m = &a->m;
	char system[40];
	int norm;
	*a = (struct aic){0};
	if (scanf("%39s %lf %lf %lf %lf %lf %lf %lf %lf %d", system, &m->tp,
		  &m->layers, &m->hidden, &m->heads, &m->kv_heads, &m->head_dim,
		  &m->dense_ffn, &m->vocab, &norm) != 10)
		return 0;
	m->has_qk_norm = norm;
	a->heads = floor(m->heads / m->tp);
	a->kv_heads = ceil(m->kv_heads / m->tp);
	for (int i = 0; i < 4; i++)
		if (!strcmp(aic_names[i][1], system))
			a->sys = aic_systems[i];
	return 1;
}
static inline int read_mixed(struct mixed *w)
{
	return scanf("%lf %lf %lf %lf %lf", &w->ct, &w->g, &w->isl, &w->osl,
		     &w->prefix) == 5;
}
#endif
