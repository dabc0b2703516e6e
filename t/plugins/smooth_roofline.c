/* smooth_roofline on eight models and step shapes, against figures of an
 * independent implementation of the formulas of preset 2026_11 (64 steps, to
 * 1e-9); terms that came later, by hand; and what it refuses. */
#include "tap.h"
#include "bare.h"

#define DENSE(n, h, kv, f, bits)                                               \
	{                                                                      \
		.size = sizeof(sc_layers), .n_layers = n,                      \
		.attention = SC_ATTN_FULL, .n_heads = h, .n_kv_heads = kv,     \
		.head_dim = 128, .ffn = SC_FFN_GATED, .ffn_dim = f,            \
		.attn_format = SC_BF16, .ffn_format = SC_BF16,                 \
		.attn_bits = bits, .ffn_bits = bits                            \
	}
static const sc_layers llama_8b_layers = DENSE(32, 32, 8, 14336, 16);
static const sc_layers llama_70b_layers = DENSE(80, 64, 8, 28672, 16);
static const sc_layers qwen_14b_layers = DENSE(40, 40, 8, 17408, 16);
#define MOE(n, h, f, e, k, format, bits)                                       \
	.size = sizeof(sc_layers), .n_layers = n, .attention = SC_ATTN_FULL,   \
	.n_heads = h, .n_kv_heads = 8, .head_dim = 128, .ffn = SC_FFN_MOE,     \
	.ffn_dim = f, .n_experts = e, .experts_per_token = k,                  \
	.attn_format = SC_BF16, .expert_format = format, .attn_bits = 16,      \
	.expert_bits = bits
static const sc_layers mixtral_8x7b_layers = {
    MOE(32, 32, 14336, 8, 2, SC_BF16, 16)};
static const sc_layers mixtral_8x22b_layers = {
    MOE(56, 48, 16384, 8, 2, SC_BF16, 16)};
static const sc_layers scout_full = {MOE(12, 40, 8192, 16, 1, SC_BF16, 16),
				     .n_shared_experts = 1,
				     .shared_ffn_dim = 8192};
static sc_layers scout_chunk; /* 36 more layers, attention in chunks */

#define MODEL(id, d, v, ...)                                                   \
	static const sc_layers *const id##_group[] = {__VA_ARGS__};            \
	static const sc_model id = {.size = sizeof id,                         \
				    .hidden = d,                               \
				    .vocab = v,                                \
				    .compute_format = SC_BF16,                 \
				    .head_format = SC_BF16,                    \
				    .kv_format = SC_BF16,                      \
				    .n_groups = sizeof id##_group /            \
						sizeof *id##_group,            \
				    .group = id##_group,                       \
				    .name = #id,                               \
				    .head_bits = 16,                           \
				    .kv_bits = 16}
MODEL(llama_8b, 4096, 128256, &llama_8b_layers);
MODEL(llama_70b, 8192, 32000, &llama_70b_layers);
MODEL(qwen_14b, 5120, 151936, &qwen_14b_layers);
MODEL(mixtral_8x7b, 4096, 32000, &mixtral_8x7b_layers);
MODEL(mixtral_8x22b, 6144, 32000, &mixtral_8x22b_layers);
MODEL(scout, 5120, 202048, &scout_full, &scout_chunk);

/* The rates on the data sheets, which differ a little from the model's. */
static const sc_hardware h100 = {
    .size = sizeof h100,
    .name = "h100-sxm",
    .peak_flops = {[SC_BF16] = 989e12, [SC_FP8] = 1978e12},
    .mem_bandwidth = 3.35e12,
    .link_bandwidth = 450e9};
static const sc_hardware a100 = {.size = sizeof a100,
				 .name = "a100-80-sxm",
				 .peak_flops = {[SC_BF16] = 312e12},
				 .mem_bandwidth = 2.039e12,
				 .link_bandwidth = 300e9};
static const sc_hardware l40s = {
    .size = sizeof l40s,
    .name = "l40s",
    .peak_flops = {[SC_BF16] = 362.05e12, [SC_FP8] = 733e12},
    .mem_bandwidth = 0.864e12,
    .link_bandwidth = 32e9};
static const sc_engine engine = {.size = sizeof engine,
				 .max_num_seqs = 128,
				 .max_num_batched_tokens = 2048,
				 .block_size = 16,
				 .graph_max_tokens = 256};

/* n_decode requests with kv tokens; then one prefill of `new` on `cached`. */
static const struct shape {
	uint32_t n_decode, kv, cached, new;
} shapes[8] = {{1, 499, 0, 0},    {16, 699, 0, 0},   {45, 699, 0, 0},
	       {100, 1499, 0, 0}, {30, 699, 568, 7}, {30, 699, 0, 575},
	       {0, 0, 0, 2048},   {0, 0, 1024, 64}};
static const struct {
	const sc_model *model;
	const sc_hardware *hardware;
	uint32_t tp;
	double us[8];
} cases[] = {
    {&llama_8b,
     &h100,
     1,
     {
	 6675.02679287996,
	 7491.255191069513,
	 9072.520460647307,
	 15543.432845350842,
	 8310.639101992952,
	 16454.90126652109,
	 48110.26523359167,
	 6867.542733946696,
     }},
    {&llama_8b,
     &h100,
     2,
     {
	 4296.421700180306,
	 4939.787004770669,
	 6198.192151103081,
	 10300.55363280046,
	 5623.591188484119,
	 12135.337199328225,
	 33852.78739629429,
	 4664.70753000667,
     }},
    {&llama_70b,
     &h100,
     4,
     {
	 16121.350247730352,
	 16991.128461909328,
	 18804.744976079488,
	 24465.125544724513,
	 18178.629549211244,
	 56092.232948783225,
	 179314.31337761966,
	 18444.215230550188,
     }},
    {&mixtral_8x7b,
     &h100,
     2,
     {
	 7260.512025853249,
	 18107.59838555524,
	 19064.413148073247,
	 22611.812328975837,
	 18707.200339829902,
	 44606.28406101927,
	 139154.0358062542,
	 18347.113872707265,
     }},
    {&mixtral_8x22b,
     &h100,
     8,
     {
	 9294.422959175325,
	 17625.891942520822,
	 18775.30048197963,
	 21654.829770532444,
	 18423.337960543602,
	 47338.50164998303,
	 142609.31097489368,
	 18646.40924842884,
     }},
    {&qwen_14b,
     &a100,
     1,
     {
	 19673.164553450697,
	 22639.52530275034,
	 30161.45649703114,
	 65879.88266109754,
	 26700.468343281063,
	 161269.60779263946,
	 534681.2011890793,
	 24596.114975909833,
     }},
    {&qwen_14b,
     &l40s,
     1,
     {
	 41988.59367329497,
	 46201.15272959016,
	 54307.463173814955,
	 88697.31807447234,
	 50389.63346864041,
	 83681.77303780049,
	 241561.85134493283,
	 42768.72776380462,
     }},
    {&scout,
     &h100,
     2,
     {
	 7977.935119679804,
	 17796.019902168908,
	 24342.141607106932,
	 31451.715300953456,
	 22885.88797130542,
	 33976.28352718005,
	 77297.56405731961,
	 22595.05321690712,
     }},
};

static const sc_plugin *p;
static sc_error err = {.size = sizeof err};

static void *instance_of(const sc_model *m, const sc_hardware *hw, uint32_t tp,
			 void *block)
{
	static sc_parallel parallel = {
	    .size = sizeof parallel, .pp = 1, .ep = 1, .dp = 1};
	parallel.tp = tp;
	sc_setup setup = {.size = sizeof setup,
			  .model = m,
			  .hardware = hw,
			  .parallel = &parallel,
			  .engine = &engine};
	void *inst = NULL;
	if (p->create(&inst, &setup, block, &err) != SC_OK)
		inst = NULL;
	free(block);
	return inst;
}

/* The block of knobs as preset 2026_11 has it. */
static void *first_knobs(void)
{
	void *block = bare_knobs(p);
	const sc_preset *const *first = p->preset;
	while (strcmp((*first)->name, "2026_11"))
		first++;
	for (const char *const *v = (*first)->values; *v; v += 2)
		if (bare_set(p, block, v[0], v[1]))
			bail_out(v[0]);
	return block;
}

static void *instance(const sc_model *m, const sc_hardware *hw, uint32_t tp,
		      const char *knob, const char *value)
{
	void *block = first_knobs();
	if (knob && bare_set(p, block, knob, value))
		bail_out("no such knob");
	return instance_of(m, hw, tp, block);
}

static int32_t price(void *inst, const struct shape *sh, sc_result *out)
{
	uint32_t kv[128];
	for (uint32_t i = 0; i < sh->n_decode; i++)
		kv[i] = sh->kv;
	sc_step step = {.size = sizeof step,
			.n_prefill = sh->new > 0,
			.n_decode = sh->n_decode,
			.n_sampled = sh->n_decode + (sh->new > 0),
			.prefill_new = &sh->new,
			.prefill_ctx = &sh->cached,
			.decode_ctx = kv};
	*out = bare_result();
	return p->eval(inst, &step, out, &err);
}

static double value(double x)
{
	return isnan(x) ? 0 : x;
}

static void check_figures(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sc_result r;
		void *inst = instance(cases[i].model, cases[i].hardware,
				      cases[i].tp, NULL, NULL);
		if (!ok(inst != NULL, "%s is priced", cases[i].model->name))
			continue;
		for (int j = 0; j < 8; j++) {
			price(inst, &shapes[j], &r);
			near(r.exact_us, cases[i].us[j], 1e-9,
			     "%s on %s, tp %u, shape %d", cases[i].model->name,
			     cases[i].hardware->name, cases[i].tp, j);
			near(value(r.gemm_us[0]) + value(r.gemm_us[1]) +
				 value(r.attention_us[0]) +
				 value(r.attention_us[1]) + r.comm_us +
				 r.overhead_us,
			     r.exact_us, 1e-12, "and its parts sum to it");
		}
		p->destroy(inst);
	}
}

static void check_scout(void)
{
	sc_result as_config, as_served;
	void *inst = instance(&scout, &h100, 2, "scout_experts", "config");
	price(inst, &shapes[3], &as_config);
	p->destroy(inst);
	inst = instance(&scout, &h100, 2, NULL, NULL);
	price(inst, &shapes[3], &as_served);
	p->destroy(inst);
	ok(as_config.exact_us > 1.3 * as_served.exact_us,
	   "Scout with bf16 experts is slower than as it is served");
}

/* Reductions as vLLM's kernels do them, in us: each message on its own. */
static void check_all_reduce(void)
{
	static const struct {
		const sc_model *model;
		uint32_t tp, n_decode, new;
		double us; /* latency + stage + bytes read / link bandwidth   */
	} steps[] = {
	    {&llama_70b, 4, 1, 0, 11 + 3 * 16384 / 225e3},
	    {&llama_70b, 4, 24, 0, 11 + 3 * 24 * 16384 / 225e3},
	    {&llama_70b, 4, 25, 0, 11 + 4 + 1.5 * 32 * 16384 / 225e3},
	    {&llama_8b, 2, 100, 0, 6 + 104 * 8192 / 225e3},
	    {&llama_8b, 2, 0, 1023, 6 + 1023 * 8192 / 225e3},
	    {&llama_8b, 2, 0, 1024, 6 + 1024 * 8192 / 112.5e3},
	    {&llama_70b, 4, 0, 2048, 11 + 1.5 * 2048 * 16384 / 112.5e3},
	    {&llama_70b, 8, 16, 0, 16 + 4 + 1.75 * 16 * 16384 / 225e3},
	    {&llama_70b, 8, 15, 0, 16 + 4 + 1.75 * 16 * 16384 / 225e3},
	    {&llama_70b, 8, 8, 0, 16 + 7 * 8 * 16384 / 225e3},
	    {&llama_70b, 3, 1, 0,
	     6 + 5 * 0.5849625007211562 + 4.0 / 3 * 16384 / 112.5e3},
	    {&llama_70b, 16, 1, 0, 21 + 1.875 * 16384 / 112.5e3},
	    {&llama_8b, 1, 16, 0, 0},
	};
	static const char *const knob[][2] = {{"ara_us", "6"},
					      {"arl_us", "5"},
					      {"arb", "0.25"},
					      {"arw", "0.5"},
					      {"art_us", "4"}};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const struct shape sh = {steps[i].n_decode, 99, 0,
					 steps[i].new};
		void *block = first_knobs();
		sc_result r;
		for (size_t j = 0; j < sizeof knob / sizeof *knob; j++)
			if (bare_set(p, block, knob[j][0], knob[j][1]))
				bail_out(knob[j][0]);
		void *inst =
		    instance_of(steps[i].model, &h100, steps[i].tp, block);
		price(inst, &sh, &r);
		near(r.comm_us,
		     2 * steps[i].model->group[0]->n_layers * steps[i].us,
		     1e-12, "all-reduce: %s, tp %u, %u tokens",
		     steps[i].model->name, steps[i].tp,
		     steps[i].n_decode + steps[i].new);
		p->destroy(inst);
	}
}

/* What a step of llama_8b costs more with a knob at one than with it at
 * another, us. */
static double difference(const sc_hardware *hw, uint32_t tp,
			 const struct shape *sh, const char *knob,
			 const char *one, const char *other)
{
	sc_result r[2];
	for (int i = 0; i < 2; i++) {
		void *inst = instance(&llama_8b, hw, tp, knob, i ? other : one);
		price(inst, sh, &r[i]);
		p->destroy(inst);
	}
	return r[0].exact_us - r[1].exact_us;
}

static void check_later_terms(void)
{
	static const struct shape one = {1, 499, 0, 0}, some = {16, 499, 0, 0},
				  prompt = {0, 0, 0, 512};
	double element_bytes =
	    32 * 2 * (6 * 4096 + (2 * (4096 + 2 * 1024) + 3 * 14336) / 2.0);
	double message = 512 * 8192;
	double pass_us = 148.43141876535688 * 4 * 128256 / 3.35e6;
	near(difference(&h100, 2, &prompt, "pel", "2", "1"),
	     512 * element_bytes / 3.35e6, 1e-9,
	     "elementwise kernels: a pass over what they move");
	near(difference(&h100, 1, &prompt, "ept_us", "3", "0"), 32 * 3, 1e-9,
	     "prefill attention: so much a layer");
	near(difference(&h100, 1, &one, "ept_us", "3", "0") + 1, 1, 1e-9,
	     "and nothing without a prompt");
	near(difference(&h100, 1, &one, "edt_us", "8", "5"), 32 * 3, 1e-9,
	     "decode attention: so much a layer");
	near(difference(&a100, 2, &one, "edt_us_a100", "8", "5"), 32 * 3, 1e-9,
	     "on an A100 as much as is said of that");
	near(difference(&a100, 2, &one, "edt_us", "8", "5") + 1, 1, 1e-9,
	     "and not of others");
	near(difference(&h100, 1, &prompt, "edt_us", "8", "5") + 1, 1, 1e-9,
	     "nothing without a decode");
	near(difference(&h100, 1, &one, "csq", "3", "0"), 3 * pass_us, 1e-9,
	     "sampling costs as if there were some sequences more");
	near(difference(&h100, 1, &some, "csq", "3", "0"), 3 * pass_us, 1e-9,
	     "beside however many");
	near(difference(&h100, 1, &one, "sampled", "all", "top_p"), pass_us,
	     1e-9, "requests that nobody samples by top_p cost no passes");
	near(difference(&l40s, 4, &prompt, "arh", "0.25", "0.5"),
	     64 * 3 * message / (32e3 * 0.5), 1e-9,
	     "without NVLink messages of four ranks cross the host in turn");
	near(difference(&l40s, 2, &prompt, "arh", "0.25", "0.5") + 1, 1, 1e-9,
	     "those of two do not");
	near(difference(&h100, 4, &prompt, "arh", "0.25", "0.5") + 1, 1, 1e-9,
	     "and NVLink needs no host");
}

/* Experts' rows are those of tokens and those of tiles that stay empty. */
static double tiles_us(const struct shape *sh, const char *etile)
{
	sc_result with, without;
	void *inst = instance(&mixtral_8x7b, &h100, 2, NULL, NULL);
	price(inst, sh, &without);
	p->destroy(inst);
	inst = instance(&mixtral_8x7b, &h100, 2, "etile", etile);
	price(inst, sh, &with);
	p->destroy(inst);
	return with.exact_us - without.exact_us;
}

static void check_tiles(void)
{
	double row_us =
	    2 * 32 * 3 * 4096.0 * 14336 / (2 * 989.5e6 * 0.1929887505876042);
	double us = tiles_us(&shapes[6], "128");
	ok(us > .9 * 8 * 128 * row_us && us < 8 * 128 * row_us,
	   "empty rows of tiles are multiplied like others");
	us = tiles_us(&shapes[6], "10000");
	ok(us > .9 * 2 * 2048 * row_us && us < 2 * 2048 * row_us,
	   "at most as many as there are full ones");
}

/* GEMMs of a prompt of `tokens` tokens, in us. */
static double gemms_us(uint32_t tokens, const char *tile)
{
	const struct shape prompt = {0, 0, 0, tokens};
	sc_result r;
	void *inst = instance(&llama_8b, &h100, 1, "tile", tile);
	price(inst, &prompt, &r);
	p->destroy(inst);
	return r.gemm_us[SC_PREFILL];
}

static void check_whole_tiles(void)
{
	near(gemms_us(513, "256"), gemms_us(768, "0"), 1e-12,
	     "more than 512 tokens fill whole tiles of 256");
	near(gemms_us(769, "128"), gemms_us(896, "0"), 1e-12, "or of 128");
	near(gemms_us(768, "256"), gemms_us(768, "0"), 1e-12,
	     "a full tile has no more");
	near(gemms_us(500, "256"), gemms_us(500, "0"), 1e-12,
	     "up to 512 tokens take smaller ones");
	ok(gemms_us(600, "0") < .99 * gemms_us(600, "256"),
	   "without tiles tokens alone are multiplied");
}

static void check_refusals(void)
{
	static const struct shape far = {1, 9000, 0, 0};
	sc_layers odd = llama_8b_layers;
	const sc_layers *const group[] = {&odd};
	sc_model m = llama_8b;
	sc_hardware other = h100;
	sc_result r;
	m.group = group;
	odd.attention = SC_ATTN_MLA;
	ok(!instance(&m, &h100, 1, "allow_extrapolation", "true") &&
	       err.code == SC_EUNSUP && strstr(err.text, "MLA"),
	   "MLA is refused by name: %s", err.text);
	odd.attention = SC_ATTN_WINDOW;
	odd.window = 128;
	ok(!instance(&m, &h100, 1, NULL, NULL) &&
	       strstr(err.text, "window of 128"),
	   "so is a small window: %s", err.text);
	odd.window = 8192;
	void *inst = instance(&m, &h100, 1, NULL, NULL);
	ok(price(inst, &shapes[0], &r) == SC_OK, "a large one is priced");
	near(r.exact_us, cases[0].us[0], 1e-9, "as full attention");
	ok(price(inst, &far, &r) == SC_EUNSUP && strstr(err.text, "of 8192"),
	   "until a context exceeds it: %s", err.text);
	p->destroy(inst);
	inst = instance(&m, &h100, 1, "allow_extrapolation", "true");
	ok(price(inst, &far, &r) == SC_OK, "which extrapolation allows");
	p->destroy(inst);
	other.name = "b200-sxm";
	other.mem_bandwidth = 7.7e12;
	ok(!instance(&llama_8b, &other, 1, NULL, NULL) &&
	       strstr(err.text, "b200-sxm"),
	   "a GPU without coefficients is refused: %s", err.text);
	inst = instance(&llama_8b, &other, 1, "allow_extrapolation", "true");
	ok(inst && price(inst, &shapes[0], &r) == SC_OK &&
	       r.exact_us < cases[0].us[0],
	   "or extrapolated with its own rates");
	p->destroy(inst);
}

int main(void)
{
	scout_chunk = scout_full;
	scout_chunk.n_layers = 36;
	scout_chunk.attention = SC_ATTN_CHUNK;
	scout_chunk.window = 8192;
	p = bare_load("smooth_roofline");
	check_figures();
	check_scout();
	check_all_reduce();
	check_later_terms();
	check_tiles();
	check_whole_tiles();
	check_refusals();
	return done();
}
