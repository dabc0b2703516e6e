/* Passes of AIConfigurator that are no step, by the plugin's own functions: a
 * mixed step of a workload of equal requests.  With an argument it prices lines
 * of standard input (tools/field_golden.py):
 *   SYSTEM TP LAYERS HIDDEN HEADS KV_HEADS HEAD_DIM FFN VOCAB QK_NORM
 *   CT G ISL OSL PREFIX   ->   milliseconds */
#include "aic_sol.h"
#include "tap.h"

struct mixed {
	double ct, g, isl, osl, prefix;
};

/* ct prompt tokens beside g decodes, of requests of isl and osl tokens. */
static double mixed_ms(const struct aic *a, const struct mixed *w)
{
	double tokens = w->ct + w->g - floor(w->prefix * floor(w->ct / w->isl));
	double batch = ceil(w->ct / w->isl);
	double s = aic_rest(a, tokens, 1);
	s += (aic_prefill(a, batch, w->isl - w->prefix, w->prefix) +
	      aic_context_extra(a)) /
	     ceil(w->isl / w->ct);
	s += aic_decode(a, w->g, w->isl + floor(w->osl / 2) + 1);
	return 1000 * s;
}

static int read_row(struct aic *a, struct mixed *w)
{
	struct field_model *m = &a->m;
	char system[40];
	int norm;
	*a = (struct aic){0};
	sol_operators(a);
	if (scanf("%39s %lf %lf %lf %lf %lf %lf %lf %lf %d %lf %lf %lf %lf %lf",
		  system, &m->tp, &m->layers, &m->hidden, &m->heads,
		  &m->kv_heads, &m->head_dim, &m->dense_ffn, &m->vocab, &norm,
		  &w->ct, &w->g, &w->isl, &w->osl, &w->prefix) != 15)
		return 0;
	m->has_qk_norm = norm;
	a->heads = floor(m->heads / m->tp);
	a->kv_heads = ceil(m->kv_heads / m->tp);
	for (int i = 0; i < 4; i++)
		if (!strcmp(aic_names[i][1], system))
			a->sys = aic_systems[i];
	return 1;
}

int main(int argc, char **argv)
{
	struct aic a;
	struct mixed w;
	(void)argv;
	if (argc > 1) {
		while (read_row(&a, &w))
			printf("%.17g\n", mixed_ms(&a, &w));
		return 0;
	}
	/* Llama-3.1-70B on two H100, 2,048 tokens of prompts of 7,875. */
	a = (struct aic){.m = {.tp = 2,
			       .layers = 80,
			       .hidden = 8192,
			       .heads = 64,
			       .kv_heads = 8,
			       .head_dim = 128,
			       .dense_ffn = 28672,
			       .vocab = 128256},
			 .sys = aic_systems[0],
			 .heads = 32,
			 .kv_heads = 4};
	sol_operators(&a);
	near(mixed_ms(&a, &(struct mixed){2048, 11, 7875, 128, 0}),
	     180.12492006320892, 1e-12, "a mixed step as the origin has it");
	return done();
}
