/* checks_kernels.c -- Compares a layer in eval() with its kernels in kernel().
 */
#include "plugin/checks_kernels.h"
#include <math.h>

/* A model with some layers of one kind, in place of the subject's. */
struct probe {
	sc_layers layers;
	const sc_layers *group[1];
	sc_model model;
	sc_setup setup;
};

static void make_probe(struct probe *b, const sc_setup *setup,
		       uint32_t n_layers)
{
	b->layers = *setup->model->group[0];
	b->layers.n_layers = n_layers;
	b->group[0] = &b->layers;
	b->model = *setup->model;
	b->model.n_groups = 1;
	b->model.group = b->group;
	b->setup = *setup;
	b->setup.model = &b->model;
}

static int applies(const struct subject *s)
{
	const sc_layers *g = s->setup->model->group[0];
	const sc_parallel *parallel = s->setup->parallel;
	return s->a.p->kernel &&
	       (s->plugin->p.capabilities & SC_CAP_ADDITIVE) &&
	       g->attention == SC_ATTN_FULL && g->ffn == SC_FFN_GATED &&
	       !g->window && parallel->tp == 1 && parallel->pp == 1;
}

/* Prices the step for a model of n layers.  Returns as subject_ask(). */
static int ask_layers(struct subject *s, uint32_t n, const sc_step *step,
		      sc_result *out, struct problem *p)
{
	struct probe b;
	struct subject beside = *s;
	struct cost c;
	make_probe(&b, s->setup, n);
	beside.setup = &b.setup;
	if (subject_create(&beside, &c, p) < 0)
		return -1;
	int rc = subject_ask(&beside, &c, step, out, p);
	subject_destroy(&beside, &c);
	return rc;
}

/* ---- by kernel() ---- */

/* Returns the price of a kernel in us; NaN: it has none. */
static double price(struct subject *s, const sc_kernel *k)
{
	struct problem unused;
	watch_enter(s->watch, JOB_IN_KERNEL, s->plugin->p.name);
	const sc_kernel_result *r = cost_kernel(&s->a, k, &unused);
	watch_leave(s->watch);
	return r ? r->latency_us : (double)NAN;
}

static double gemm(struct subject *s, uint32_t format, uint64_t m, uint64_t n,
		   uint64_t k)
{
	return price(s, &(sc_kernel){.size = sizeof(sc_kernel),
				     .op = SC_OP_GEMM,
				     .format = format,
				     .m = m,
				     .n = n,
				     .k = k});
}

/* Returns the time of a layer's GEMMs: Q, K and V, output, gate and up,
 * down. */
static double gemms(struct subject *s, uint64_t m)
{
	const sc_layers *g = s->setup->model->group[0];
	uint64_t hidden = s->setup->model->hidden, q, kv;
	q = (uint64_t)g->n_heads * g->head_dim;
	kv = (uint64_t)g->n_kv_heads * g->head_dim;
	return gemm(s, g->attn_format, m, q + 2 * kv, hidden) +
	       gemm(s, g->attn_format, m, hidden, q) +
	       gemm(s, g->ffn_format, m, 2 * (uint64_t)g->ffn_dim, hidden) +
	       gemm(s, g->ffn_format, m, hidden, g->ffn_dim);
}

/* Returns the price of the attention kernel of a step with one sequence. */
static double attention(struct subject *s, const sc_step *step)
{
	const sc_layers *g = s->setup->model->group[0];
	sc_kernel k = {.size = sizeof k,
		       .op = step->n_decode ? SC_OP_DECODE : SC_OP_PREFILL,
		       .format = s->setup->model->compute_format,
		       .kv_format = s->setup->model->kv_format,
		       .heads = g->n_heads,
		       .kv_heads = g->n_kv_heads,
		       .head_dim = g->head_dim,
		       .ranks = 1,
		       .batch = 1};
	k.context = step->n_decode ? step->decode_ctx[0] : step->prefill_ctx[0];
	k.new_tokens = step->n_decode ? 0 : step->prefill_new[0];
	return price(s, &k);
}

/* ---- comparison ---- */

static int compare(const char *what, double in_step, double alone,
		   struct problem *p)
{
	if (isnan(in_step) || isnan(alone) ||
	    fabs(in_step - alone) <= 1e-6 * fabs(alone))
		return 0;
	return problem_set(p, EXIT_SAYS_NO,
			   "%s of one layer: %.9g us in eval(), %.9g us by "
			   "kernel()",
			   what, in_step, alone);
}

int check_kernels(struct subject *s, struct problem *p)
{
	if (!applies(s)) {
		fputs("no additive model with kernel() and dense layers\n",
		      s->notes);
		return 0;
	}
	for (size_t i = 0; i < s->steps->n; i++) {
		const sc_step *step = &s->steps->item[i].step;
		if (step->n_decode + step->n_prefill == 0)
			continue;
		int phase = step->n_decode ? SC_DECODE : SC_PREFILL;
		uint64_t m = step->n_decode ? 1 : step->prefill_new[0];
		sc_result one, two;
		int rc = ask_layers(s, 1, step, &one, p);
		if (rc == ANSWER_PRICED)
			rc = ask_layers(s, 2, step, &two, p);
		if (rc < 0)
			return -1;
		if (rc == ANSWER_REFUSED)
			continue;
		if (compare("GEMMs", two.gemm_us[phase] - one.gemm_us[phase],
			    gemms(s, m), p) < 0 ||
		    compare("attention",
			    two.attention_us[phase] - one.attention_us[phase],
			    attention(s, step), p) < 0)
			return -1;
	}
	return 0;
}
