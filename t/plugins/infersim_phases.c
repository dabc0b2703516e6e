/* Phases of InferSim, by the plugin's own functions: they have a workload and
 * ranks that no step has.  With an argument it prices lines of standard input
 * (tools/field_golden.py):
 *   GPU PREFILL WORLD TP NODES FP8 FP8KV DEEPEP TBO BS ISL OSL TOKENS
 *   LAYERS HIDDEN HEADS KV_HEADS HEAD_DIM DENSE_FFN EXPERTS TOPK EXPERT_FFN
 *   SHARED Q_RANK KV_RANK NOPE ROPE V_DIM FULL_LAYERS CONV KH KD VH VD
 *   ->  milliseconds, nan where the plugin refuses */
#include "infersim.h"
#include "tap.h"

struct row {
	char gpu[20];
	double is_prefill, nodes, bs, isl, osl, tokens;
};

static int read_row(struct mfu *s, struct row *r)
{
	struct field_model *m = &s->m;
	struct mfu_linear *l = &s->linear;
	double fp8, fp8kv, deepep, tbo;
	*s = (struct mfu){0};
	double *to[] = {
	    &r->is_prefill, &s->world,     &m->tp,      &s->nodes,
	    &fp8,           &fp8kv,        &deepep,     &tbo,
	    &r->bs,         &r->isl,       &r->osl,     &r->tokens,
	    &m->layers,     &m->hidden,    &m->heads,   &m->kv_heads,
	    &m->head_dim,   &m->dense_ffn, &m->experts, &m->topk,
	    &m->expert_ffn, &s->shared,    &m->q_rank,  &m->kv_rank,
	    &m->nope,       &m->rope,      &m->v_dim,   &s->full_layers,
	    &l->conv,       &l->k_heads,   &l->k_dim,   &l->v_heads,
	    &l->v_dim};
	if (scanf("%19s", r->gpu) != 1)
		return 0;
	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		if (scanf("%lf", to[i]) != 1)
			return 0;
	s->is_fp8 = fp8 > 0;
	m->kv_bytes = fp8kv > 0 ? 1 : 2;
	s->deepep = deepep > 0;
	s->tbo = tbo > 0;
	s->linear_layers = m->layers - s->full_layers;
	return 1;
}

static double phase_ms(struct mfu *s, const struct row *r)
{
	char folder[4000];
	const char *data = getenv("STEPCOST_DATA_PATH");
	snprintf(folder, sizeof folder, "%s/plugins/field/infersim",
		 data ? data : "..");
	sc_setup setup = {.size = sizeof setup, .plugin_dir = folder};
	sc_error err = {.size = sizeof err};
	for (int i = 0; i < 4; i++)
		if (!strcasecmp(r->gpu, is_gpu_names[i][0]) ||
		    (is_gpu_names[i][1] &&
		     !strcasecmp(r->gpu, is_gpu_names[i][1]))) {
			s->gpu = is_gpus[i];
			if (field_load_rows(&s->rows, &setup, "tables.csv",
					    is_gpu_names[i][0], mfu_kinds,
					    MFU_KINDS, &err) != SC_OK)
				puts(err.text);
		}
	mfu_prepare(s);
	struct is_phase w = {
	    .tokens = r->bs, .bs = r->bs, .kv = floor(r->isl + r->osl / 2)};
	if (r->is_prefill > 0)
		w = (struct is_phase){
		    .tokens = r->tokens, .prompt = r->tokens, .isl = r->isl};
	double ms = 1000 * is_time(s, &w);
	free((void *)(uintptr_t)s->rows.row);
	return ms;
}

int main(void)
{
	struct mfu s;
	struct row r;
	if (*unit_arguments) {
		while (read_row(&s, &r))
			printf("%.17g\n", phase_ms(&s, &r));
		return 0;
	}
	/* Qwen3-8B on four H800, a prompt of 1,000 in chunks of 8,192 tokens.
	 */
	s = (struct mfu){.m = {.layers = 36,
			       .hidden = 4096,
			       .heads = 32,
			       .kv_heads = 8,
			       .head_dim = 128,
			       .dense_ffn = 12288,
			       .tp = 4,
			       .kv_bytes = 2},
			 .world = 4,
			 .nodes = 1,
			 .full_layers = 36};
	r = (struct row){"H800", 1, 1, 2, 1000, 2, 8192};
	near(phase_ms(&s, &r), 203.01573875994075, 1e-12,
	     "a prefill as the origin has it");
	return done();
}
