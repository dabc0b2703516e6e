/* Attention of whole steps: the law of a launch against its blocks one by one
 * and against the shipped tables, the rows of attention_mixed and layer, and
 * the cost models that use them. */
#include "tap.h"
#include "base/problem.h"
#include "stepcost/kernel/launch_step.h"
#include "stepcost/kernel/step_tables.h"
#include "tables/set.h"
/* The plugin and its setup are globals: behind the headers. */
#include "bare.h"
#include "operators_made.h"

/* ---- the law ---- */

static const struct sc_launch kernel_of_test = {.heads = 16,
						.kv_heads = 4,
						.head_dim = 128,
						.rate = 500e6,
						.bandwidth = 1.5e6,
						.l2_bytes = 100e6,
						.cache_bytes = 2,
						.sms = 100,
						.tile = 64};

/* Blocks of a launch one by one, for sequences of (new, cached) tokens. */
static double block_by_block(const struct sc_launch *l, uint32_t n,
			     const double (*seq)[2])
{
	double all = 0, longest = 0, blocks = 0, kv = 0;
	for (uint32_t i = 0; i < n; i++) {
		for (double done = 0; done < seq[i][0]; done += l->tile) {
			double keys =
			    seq[i][1] + fmin(seq[i][0], done + l->tile);
			double us = 4 + keys * 4 * l->head_dim * l->tile /
					    (l->rate / l->sms);
			all += us * l->heads;
			blocks += l->heads;
			longest = fmax(longest, us);
		}
		kv += seq[i][0] + seq[i][1];
	}
	double busy = blocks / l->sms, wait = fmax(0, fmin(1, busy - 1)) / 2;
	return 4 + fmax(fmax(longest, all / l->sms + wait * longest),
			kv * 2 * l->kv_heads * l->head_dim * l->cache_bytes /
			    l->bandwidth);
}

static double by_law(const struct sc_launch *l, uint32_t n,
		     const double (*seq)[2])
{
	struct sc_launch_work w = {0};
	for (uint32_t i = 0; i < n; i++)
		if (seq[i][0] > 1)
			sc_launch_chunk(&w, l, seq[i][0], seq[i][1]);
		else
			sc_launch_decodes(&w, l, 1, seq[i][1] + 1,
					  seq[i][1] + 1);
	return sc_launch_us(l, &w);
}

static void check_law(void)
{
	const double one[][2] = {{64, 4096}};
	const double unlike[][2] = {
	    {200, 0}, {65, 9000}, {1, 7999}, {1, 15}, {1000, 32768}};
	const double decodes[][2] = {{1, 999}, {1, 49999}, {2, 100}};
	const struct sc_launch *l = &kernel_of_test;
	near(by_law(l, 1, one), 8 + 4160 * 4. * 128 * 64 / 5e6, 1e-12,
	     "fewer blocks than SMs take as long as one of them");
	near(by_law(l, 5, unlike), block_by_block(l, 5, unlike), 1e-12,
	     "unlike sequences");
	near(by_law(l, 3, decodes), block_by_block(l, 3, decodes), 1e-12,
	     "the longest decode decides");
	struct sc_launch slow = *l;
	slow.bandwidth = 1e3;
	near(by_law(&slow, 5, unlike), block_by_block(&slow, 5, unlike), 1e-12,
	     "the KV cache is read once");
}

/* 200 decodes fill 100 SMs with one head: four heads of a group read the keys
 * one after the other. */
static void check_reads(void)
{
	struct sc_launch_work few = {0}, many = {0}, cached = {0};
	const struct sc_launch *l = &kernel_of_test;
	sc_launch_decodes(&few, l, 25, 8192, 8192);
	sc_launch_decodes(&many, l, 200, 8192, 8192);
	sc_launch_decodes(&cached, l, 200, 512, 512);
	near(sc_launch_reads(l, &few), 1, 0, "heads of a group at a time");
	near(sc_launch_reads(l, &many), 4, 0, "heads of a group in turn");
	near(sc_launch_reads(l, &cached), 1, 0, "keys that stay in the cache");
}

static void check_window(void)
{
	struct sc_launch l = kernel_of_test;
	struct sc_launch_work near_by = {0}, far = {0};
	l.window = 1024;
	sc_launch_chunk(&near_by, &l, 256, 8192);
	sc_launch_chunk(&far, &l, 256, 65536);
	sc_launch_decodes(&near_by, &l, 8, 8192, 8192);
	sc_launch_decodes(&far, &l, 8, 65536, 65536);
	near(sc_launch_us(&l, &near_by), sc_launch_us(&l, &far), 0,
	     "nothing beyond a window costs time");
}

/* ---- against measurements ---- */

static double mean_error(const sc_table *t, const sc_hardware *hw, int rows)
{
	struct sc_launch_columns c;
	double sum = 0, n = 0;
	if (!sc_launch_columns_of(t, &c))
		bail_out("no columns");
	for (uint64_t i = 0; i < t->n_rows; i++) {
		struct sc_launch_work w = {0};
		struct sc_launch l = {
		    .heads = c.heads[i],
		    .kv_heads = c.kv_heads[i],
		    .head_dim = c.head_dim[i],
		    .cache_bytes = 2,
		    .bandwidth = .9 * hw->mem_bandwidth / 1e6,
		    .rate = sc_launch_best_rate(t, c.head_dim[i])};
		double tokens = c.axis[0][i], n_decode = c.axis[2][i];
		if (!(tokens > 0) || (rows && i % 7))
			continue;
		sc_launch_kernel(&l, SC_LAUNCHES_ONE, hw);
		sc_launch_chunk(&w, &l, tokens, c.axis[1][i]);
		sc_launch_decodes(&w, &l, n_decode, c.axis[3][i], c.axis[3][i]);
		sum += fabs(sc_launch_us(&l, &w) / c.us[i] - 1);
		n++;
	}
	return sum / n;
}

static void check_measured(void)
{
	const struct {
		const char *set;
		sc_hardware hw;
	} gpus[] = {{"rtxpro6000.llmservingsim",
		     {.size = sizeof(sc_hardware),
		      .sm_count = 188,
		      .mem_bandwidth = 1.792e12,
		      .l2_bytes = 128e6}},
		    {"rtx4090.llmservingsim",
		     {.size = sizeof(sc_hardware),
		      .sm_count = 128,
		      .mem_bandwidth = 1.008e12,
		      .l2_bytes = 72e6}}};
	for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
		struct problem problem = {0};
		struct table_set s = {0};
		char path[4096];
		snprintf(path, sizeof path, "%s/bench_data",
			 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
		if (set_load(&s, path, gpus[i].set, 0, &problem) < 0)
			bail_out(problem.text);
		sc_setup own = {
		    .size = sizeof own, .n_tables = s.n, .table = s.view};
		const sc_table *t = sc_table_of(&own, "attention_mixed");
		double error = mean_error(t, &gpus[i].hw, 0);
		printf("# %s: %.1f %%\n", gpus[i].set, 100 * error);
		ok(error < .11, "%s: the law is within 11 %%", gpus[i].set);
		set_free(&s);
	}
}

/* ---- which kernel ---- */

static void check_choice(void)
{
	n_views = 0;
	add("x", "attention_prefill", "dtype,heads\nbf16,1\n");
	told("software", "PyTorch 2.11");
	const sc_table *torch = view[0];
	add("y", "attention_prefill", "dtype,heads\nbf16,1\n");
	told("software", "vLLM 0.24");
	const sc_table *vllm = view[1];
	n_views = 0;
	sc_setup s = setup;
	sc_hardware hw = gpu;
	sc_model m = model;
	s.hardware = &hw;
	s.model = &m;
	const uint32_t none = SC_ENGINE_UNKNOWN, is_vllm = SC_ENGINE_VLLM;
	ok(sc_launches_of(&s, is_vllm, vllm) == SC_LAUNCHES_SUM,
	   "no number of SMs: as each alone");
	hw.sm_count = 132;
	ok(sc_launches_of(&s, is_vllm, vllm) == SC_LAUNCHES_SUM,
	   "vLLM has another kernel on Hopper");
	ok(sc_launches_of(&s, none, torch) == SC_LAUNCHES_TWO,
	   "no engine, and PyTorch's kernels: two launches");
	hw.mem_bandwidth = 1.8e12;
	ok(sc_launches_of(&s, is_vllm, torch) == SC_LAUNCHES_ONE,
	   "vLLM on a workstation: one launch");
	ok(sc_launches_of(&s, none, vllm) == SC_LAUNCHES_ONE,
	   "no engine: that of the tables");
	ok(sc_launches_of(&s, none, NULL) == SC_LAUNCHES_SUM,
	   "nothing is known: as each alone");
	ok(sc_launches_of(&s, SC_ENGINE_SGLANG, vllm) == SC_LAUNCHES_SUM,
	   "SGLang: as each alone");
	m.kv_bits = 8;
	ok(sc_launches_of(&s, is_vllm, vllm) == SC_LAUNCHES_SUM,
	   "a KV cache of 8 bits has another kernel");
	hw = (sc_hardware){.size = sizeof hw,
			   .sm_count = 108,
			   .peak_flops = {[SC_BF16] = 312e12},
			   .mem_bandwidth = 2e12};
	m.kv_bits = 16;
	ok(sc_launches_of(&s, is_vllm, NULL) == SC_LAUNCHES_ONE,
	   "vLLM on Ampere: one launch");
}

/* ---- in a step ---- */

static sc_result price(void *inst, uint32_t decodes, uint32_t context,
		       uint32_t tokens, uint32_t cached)
{
	uint32_t kv[64];
	for (uint32_t i = 0; i < decodes; i++)
		kv[i] = context;
	sc_step step = {.size = sizeof step,
			.n_prefill = tokens > 0,
			.n_decode = decodes,
			.n_sampled = decodes + (tokens > 0),
			.prefill_new = &tokens,
			.prefill_ctx = &cached,
			.decode_ctx = kv};
	sc_result r = bare_result();
	if (p->eval(inst, &step, &r, &err) != SC_OK)
		bail_out(err.text);
	return r;
}

static double attention(void *inst, uint32_t decodes, uint32_t context,
			uint32_t tokens, uint32_t cached)
{
	sc_result r = price(inst, decodes, context, tokens, cached);
	return fmax(0, r.attention_us[0]) + fmax(0, r.attention_us[1]);
}

/* Tables of a workstation GPU; mixed: with steps of it. */
static void tables(int mixed)
{
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,2048,2048,5\n");
	add("gpu.vllm-0.24", "attention_prefill",
	    "dtype,heads,kv_heads,head_dim,batch,seq_len,latency_us\n"
	    "bf16,16,4,128,1,1000,40\nbf16,16,4,128,1,4000,300\n");
	add("gpu.vllm-0.24", "attention_decode",
	    "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
	    "bf16,16,4,128,1,1000,20\nbf16,16,4,128,1,9000,40\n"
	    "bf16,16,4,128,32,1000,60\nbf16,16,4,128,32,9000,500\n");
	if (mixed)
		add("gpu.own", "attention_mixed",
		    "heads,kv_heads,head_dim,prefill_tokens,prefill_context,"
		    "decodes,decode_context,latency_us\n"
		    "16,4,128,512,2048,16,1024,250\n"
		    "16,4,128,64,4096,0,0,170\n16,4,128,2048,8192,0,0,900\n"
		    "16,4,128,256,0,4,4096,200\n");
}

static void check_steps(const char *plugin)
{
	const char *const sum[] = {"mixed", "sum", NULL};
	p = bare_load(plugin);
	engine.engine = SC_ENGINE_VLLM;
	gpu.sm_count = 100;
	gpu.mem_bandwidth = 2e12;
	for (int mixed = 0; mixed < 2; mixed++) {
		tables(mixed);
		for (uint32_t i = 0; i < n_views; i++)
			((struct made *)(uintptr_t)view[i])->note[5] = "2";
		void *inst = instance(&dense, NULL);
		void *apart = instance(&dense, sum);
		if (!inst || !apart)
			bail_out(err.text);
		double prompts = attention(apart, 0, 0, 512, 2048);
		double decodes = attention(apart, 16, 1024, 0, 0);
		double both = attention(inst, 16, 1024, 512, 2048);
		near(attention(inst, 16, 1024, 0, 0), decodes, 0,
		     "%s: decodes alone", plugin);
		near(attention(inst, 0, 0, 512, 0),
		     attention(apart, 0, 0, 512, 0), 0,
		     "%s: a whole prompt alone", plugin);
		if (mixed) {
			near(both, 250, 1e-9, "%s: a measured step", plugin);
			near(attention(inst, 0, 0, 64, 4096), 170, 1e-9,
			     "%s: a measured chunk", plugin);
		} else {
			near(attention(apart, 16, 1024, 512, 2048),
			     prompts + decodes, 1e-12, "%s: mixed = sum adds",
			     plugin);
			ok(both >= fmax(prompts, decodes) * (1 - 1e-12),
			   "%s: no shorter than either alone", plugin);
		}
		sc_result r = price(inst, 16, 1024, 512, 2048);
		near(r.attention_us[0] / r.attention_us[1], prompts / decodes,
		     1e-9, "%s: divided by what each takes alone", plugin);
		p->destroy(inst);
		p->destroy(apart);
	}
}

/* ---- tables of steps as tables of kernels ---- */

static void check_layer_table(void)
{
	struct sc_step_tables steps;
	n_views = 0;
	add("gpu.own", "layer",
	    "model,tp,layer,tokens,latency_us\n"
	    "A Model,1,qkv_proj,16,30\nA Model,2,qkv_proj,16,18\n"
	    "Another,1,qkv_proj,16,99\nA Model,1,down_proj,16,50\n"
	    "A Model,1,act_fn,16,3\nA Model,1,lm_head(per sequence),4,70\n");
	add("gpu.own", "attention_mixed",
	    "heads,kv_heads,head_dim,prefill_tokens,prefill_context,decodes,"
	    "decode_context,latency_us\n"
	    "16,4,128,0,0,8,1024,40\n16,4,128,256,0,0,0,30\n"
	    "16,4,128,256,128,0,0,31\n16,4,128,256,0,8,1024,60\n");
	sc_setup s = setup;
	s.n_tables = n_views;
	group[0] = &dense;
	degrees(1, 1, 1, 1);
	if (sc_step_tables_make(&steps, &s) != SC_OK)
		bail_out("out of memory");
	const sc_table *gemm = sc_table_of(&steps.setup, "gemm");
	const sc_table *decode = sc_table_of(&steps.setup, "attention_decode");
	const sc_table *prefill =
	    sc_table_of(&steps.setup, "attention_prefill");
	if (!gemm || !decode || !prefill)
		bail_out("a table was not made");
	ok(gemm->n_rows == 3, "matrices of this model and split alone");
	near(sc_column(gemm, "n")[0], (16 + 2 * 4) * 128, 0, "n of QKV");
	near(sc_column(gemm, "k")[1], 8192, 0, "k of the down projection");
	near(sc_column(gemm, "latency_us")[2], 70, 0, "the LM head");
	ok(decode->n_rows == 1 && prefill->n_rows == 1,
	   "decodes alone, and a whole prompt alone");
	near(sc_column(decode, "kv_len")[0], 1024, 0, "their context");
	near(sc_column(prefill, "seq_len")[0], 256, 0, "its length");
	sc_step_tables_free(&steps);
	add("gpu.own", "gemm", "dtype,m,n,k,latency_us\nbf16,1,2048,2048,5\n");
	s.n_tables = n_views;
	if (sc_step_tables_make(&steps, &s) != SC_OK)
		bail_out("out of memory");
	ok(sc_table_of(&steps.setup, "gemm") == view[2] &&
	       steps.setup.n_tables == n_views + 2,
	   "a table that the set has stays");
	sc_step_tables_free(&steps);
}

int main(void)
{
	check_law();
	check_reads();
	check_window();
	check_measured();
	check_choice();
	check_layer_table();
	check_steps("operators");
	check_steps("latency_interp");
	check_steps("mfu_interp");
	return done();
}
